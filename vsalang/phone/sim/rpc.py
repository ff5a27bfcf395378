"""Implements the JSON-RPC methods of uiautomator2's server on the device (its interface ``AutomatorService``)."""

import base64
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from vsalang.phone.errors import DeviceError
from vsalang.phone.sim import keys
from vsalang.phone.sim.clockwork import take_time
from vsalang.phone.sim.dump import dump, scrolls
from vsalang.phone.sim.faults import ServerDied
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.rpc_signatures import SIGNATURES, NotThese, read
from vsalang.phone.sim.select import BadSelector, WidgetPosition, find, find_all, info
from vsalang.phone.sim.widgets import Widget

log = logging.getLogger(__name__)

MOST_WAIT = 120.0
MOST_CALLS = 100
STEP = 0.005
"""In seconds: how long one step of a swipe takes."""
MOST_SEARCH = 30
"""How often a search for a child scrolls, as UiScrollable does."""


class RpcError(Exception):
    """An error reply: code and message of JSON-RPC."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def _not_found(selector: Any) -> RpcError:
    return RpcError(-32002, f"androidx.test.uiautomator.UiObjectNotFoundException: {_describe(selector)}")


def _describe(selector: Any) -> str:
    if not isinstance(selector, Mapping):
        return str(selector)[:200]
    hidden = {"mask", "childOrSibling", "childOrSiblingSelector"}
    pairs = ", ".join(f"{key.upper()}={value}" for key, value in selector.items() if key not in hidden)
    return f"UiSelector[{pairs}]"[:300]


class Automator:
    """One running server: answers requests about one phone; keeps the handles of objects that it returned.

    Attributes:
        die: ends the server, as a fault of the scenario does.
        shell: runs a command line and returns its output.
    """

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.die: Callable[[], None] = lambda: None
        self.shell: Callable[[str], str] = lambda line: ""
        self._handles: dict[str, Mapping[str, Any]] = {}

    def answer(self, body: bytes) -> bytes:
        """The reply to the body of one HTTP request, valid or not.

        Raises:
            ServerDied: there is no reply: the scenario ends the server here.
        """
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            return self._reply(None, error=RpcError(-32700, "JSON parse error"))
        if isinstance(request, list):
            if not request or len(request) > MOST_CALLS:
                return self._reply(None, error=RpcError(-32600, "invalid request"))
            return b"[" + b",".join(self._one(item) for item in request) + b"]"
        return self._one(request)

    def _one(self, request: Any) -> bytes:
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            return self._reply(None, error=RpcError(-32600, "invalid request"))
        identity = request.get("id")
        if not isinstance(identity, int | str | None):
            identity = None
        try:
            return self._reply(identity, result=self.call(request["method"], request.get("params")))
        except RpcError as error:
            return self._reply(identity, error=error)
        except BadSelector as error:
            return self._reply(
                identity, error=RpcError(-32001, f"java.lang.IllegalArgumentException: {error}")
            )
        except ServerDied:
            raise
        except (DeviceError, RecursionError) as error:
            return self._reply(identity, error=RpcError(-32001, f"java.lang.RuntimeException: {error}"))
        except Exception as error:  # no request may end the server
            log.exception("JSON-RPC method failed: %s", request["method"][:100])
            return self._reply(identity, error=RpcError(-32001, f"java.lang.RuntimeException: {error!r}"))

    def _reply(self, identity: Any, *, result: Any = None, error: RpcError | None = None) -> bytes:
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": identity}
        if error is None:
            reply["result"] = result
        else:
            reply["error"] = {"code": error.code, "message": str(error), "data": None}
        return json.dumps(reply).encode()

    def call(self, method: str, params: Any) -> Any:
        """Run a method; the signature is chosen as the server's library does, by name and parameters.

        Raises:
            RpcError: no such method, wrong parameters, or the method failed.
            ServerDied: the scenario ends the server here.
        """
        signatures = SIGNATURES.get(method)
        if signatures is None:
            raise RpcError(-32601, "method not found")
        values = [] if params in (None, {}) else params
        if not isinstance(values, list):
            raise RpcError(-32602, "method parameters invalid")
        for signature in signatures:
            try:
                arguments = read(signature, values)
            except NotThese:
                continue
            else:
                seconds, dies = self.phone.calling(method)
                time.sleep(seconds)
                if dies is False:
                    raise ServerDied(after=False)
                result = getattr(self, f"_do_{method}")(*arguments)
                if dies:
                    raise ServerDied(after=True)
                return result
        raise RpcError(-32602, "method parameters invalid")

    # ---- finding -------------------------------------------------------------------------------------------

    def _selector(self, target: Any) -> Mapping[str, Any]:
        if isinstance(target, str):
            if target not in self._handles:
                raise RpcError(-32001, f"java.lang.IllegalStateException: no object {target[:100]!r}")
            return self._handles[target]
        assert isinstance(target, Mapping)
        return target

    def _find(self, target: Any) -> WidgetPosition:
        position = find(self.phone, self._selector(target))
        if position is None:
            raise _not_found(target)
        return position

    def _middle(self, target: Any) -> tuple[int, int]:
        seen = self._find(target).widget.seen
        if seen is None:
            raise _not_found(target)
        return (seen[0] + seen[2]) // 2, (seen[1] + seen[3]) // 2

    def _corner(self, target: Any, corner: str) -> tuple[int, int]:
        seen = self._find(target).widget.seen
        if seen is None or corner.lower() not in ("tl", "topleft", "br", "bottomright", "center"):
            raise _not_found(target)
        if corner.lower() == "center":
            return self._middle(target)
        return (seen[0] + 5, seen[1] + 5) if corner.lower().startswith("t") else (seen[2] - 5, seen[3] - 5)

    def _handle(self, selector: Mapping[str, Any]) -> str:
        if len(self._handles) > 10_000:
            self._handles.clear()
        name = f"UiObject-{len(self._handles) + 1}"
        self._handles[name] = selector
        return name

    def _wait(self, milliseconds: int, test: Callable[[], bool]) -> bool:
        return self.phone.wait_for(test, min(max(0.0, milliseconds / 1000), MOST_WAIT))

    def _do_exist(self, target: Any) -> bool:
        return find(self.phone, self._selector(target)) is not None

    def _do_count(self, target: Any) -> int:
        return len(find_all(self.phone, self._selector(target)))

    def _do_objInfo(self, target: Any) -> dict[str, Any]:
        return info(self._find(target))

    def _do_objInfoOfAllInstances(self, target: Any) -> list[dict[str, Any]]:
        return [info(position) for position in find_all(self.phone, self._selector(target))]

    def _do_waitForExists(self, target: Any, milliseconds: int) -> bool:
        return self._wait(milliseconds, lambda: self._do_exist(target))

    def _do_waitUntilGone(self, target: Any, milliseconds: int) -> bool:
        return self._wait(milliseconds, lambda: not self._do_exist(target))

    def _do_getUiObject(self, target: Any) -> str:
        self._find(target)
        return self._handle(self._selector(target))

    def _do_getChild(self, handle: str, selector: Any) -> str:
        return self._do_childByInstance(handle, selector, 0)

    def _below(self, base: Any, inner: Any, test: Callable[[Widget], bool]) -> str:
        """A handle to the first match of `inner` below `base` whose subtree holds a widget that passes."""
        outer, sub = self._selector(base), self._selector(inner)
        steps, selectors = outer.get("childOrSibling") or [], outer.get("childOrSiblingSelector") or []
        for instance in range(len(find_all(self.phone, _with(outer, steps, selectors, sub)))):
            numbered = {**sub, "mask": int(sub.get("mask", 0)) | 0x01000000, "instance": instance}
            whole = _with(outer, steps, selectors, numbered)
            position = find(self.phone, whole)
            if position is not None and any(test(widget) for widget in position.widget.walk()):
                return self._handle(whole)
        raise _not_found(inner)

    def _search(self, base: Any, inner: Any, test: Callable[[Widget], bool], scroll: bool) -> str:
        """As `_below`; in a scrolling list it scrolls until the child is found."""
        try:
            return self._below(base, inner, test)
        except RpcError:
            position = find(self.phone, self._selector(base))
            if not scroll or position is None or not scrolls(position.widget):
                raise
        self._to_edge(base, True, MOST_SEARCH, -1)
        for _ in range(MOST_SEARCH):
            try:
                return self._below(base, inner, test)
            except RpcError:
                if not self._scroll(base, True, 1):
                    raise
        raise _not_found(inner)

    def _do_childByText(self, base: Any, inner: Any, text: str, scroll: bool = True) -> str:
        return self._search(base, inner, lambda widget: widget.shown_text == text, scroll)

    def _do_childByDescription(self, base: Any, inner: Any, text: str, scroll: bool = True) -> str:
        return self._search(base, inner, lambda widget: widget.desc == text, scroll)

    def _do_childByInstance(self, base: Any, inner: Any, instance: int) -> str:
        outer, sub = self._selector(base), self._selector(inner)
        steps, selectors = outer.get("childOrSibling") or [], outer.get("childOrSiblingSelector") or []
        numbered = {**sub, "mask": int(sub.get("mask", 0)) | 0x01000000, "instance": instance}
        return self._handle(_with(outer, steps, selectors, numbered))

    # ---- reading -------------------------------------------------------------------------------------------

    def _do_ping(self) -> str:
        return "pong"

    def _do_deviceInfo(self) -> dict[str, Any]:
        spec, scale = self.phone.spec, self.phone.scale
        return {
            "currentPackageName": self.phone.package,
            "displayHeight": spec.height,
            "displayRotation": 0,
            "displaySizeDpX": round(spec.width / scale),
            "displaySizeDpY": round(spec.height / scale),
            "displayWidth": spec.width,
            "naturalOrientation": True,
            "productName": spec.name,
            "screenOn": self.phone.screen_on,
            "sdkInt": 34,
        }

    def _do_dumpWindowHierarchy(self, compressed: bool, depth: int, _active: bool = False) -> str:
        return dump(self.phone, max_depth=depth, compressed=compressed)

    def _do_takeScreenshot(self, scale: float, quality: int) -> str:
        from vsalang.phone.sim.paint import jpeg

        return base64.b64encode(jpeg(self.phone, scale, quality)).decode()

    def _do_getText(self, target: Any) -> str:
        return self._find(target).widget.shown_text

    def _do_getLastToast(self) -> str | None:
        return self.phone.last_toast

    def _do_clearLastToast(self) -> None:
        self.phone.last_toast = None

    def _do_makeToast(self, text: str, _milliseconds: float) -> bool:
        self.phone.toast(text)
        return True

    def _do_getLastTraversedText(self) -> None:
        return None

    def _do_clearLastTraversedText(self) -> None:
        return None

    def _do_isScreenOn(self) -> bool:
        return self.phone.screen_on

    def _do_waitForIdle(self, _milliseconds: int) -> None:
        return None

    def _do_waitForWindowUpdate(self, _package: str, milliseconds: int) -> bool:
        """Whether anything changed; without a change the real server waits until the timeout."""
        with self.phone.changed:
            return self.phone.changed.wait(min(max(0.0, milliseconds / 1000), MOST_WAIT))

    # ---- acting --------------------------------------------------------------------------------------------

    def _do_click(self, *args: Any) -> bool:
        if isinstance(args[0], int):
            x, y = args[0], args[1]
            if len(args) == 3 and args[2] >= 400:
                self.phone.long_press(x, y)
            else:
                self.phone.tap(x, y)
        else:
            # the server searches for the object when it clicks, not before
            self.phone.tap_at(lambda: self._middle(args[0]) if len(args) == 1 else self._corner(*args))
        return True

    def _do_clickAndWaitForNewWindow(self, target: Any, _milliseconds: int) -> bool:
        return self._do_click(target)

    def _do_longClick(self, target: Any, corner: str = "center") -> bool:
        self.phone.long_press_at(lambda: self._corner(target, corner))
        return True

    def _do_drag(self, x: int, y: int, x2: int, y2: int, steps: int) -> bool:
        return self._do_swipe(x, y, x2, y2, steps)

    def _do_dragTo(self, target: Any, *args: Any) -> bool:
        with self.phone.changed:
            end = (args[0], args[1]) if isinstance(args[0], int) else self._middle(args[0])
            return self._do_swipe(*self._middle(target), *end, args[-1])

    def _do_swipe(self, *args: Any) -> bool:
        if isinstance(args[0], int):
            x, y, x2, y2, steps = args
            take_time(steps * STEP)
            self.phone.swipe(x, y, x2, y2, seconds=steps * STEP)
            return True
        take_time(args[-1] * STEP)
        with self.phone.changed:
            left, top, right, bottom = self._find(args[0]).widget.seen or (0, 0, 0, 0)
            x, y = (left + right) // 2, (top + bottom) // 2
            ends = {"up": (x, top), "down": (x, bottom - 1), "left": (left, y), "right": (right - 1, y)}
            direction = args[1].lower()
            if direction not in ends:
                raise RpcError(-32001, f"java.lang.IllegalArgumentException: direction {direction[:20]!r}")
            self.phone.swipe(x, y, *ends[direction], seconds=args[-1] * STEP)
        return True

    def _do_swipePoints(self, points: list[int], steps: int) -> bool:
        if len(points) < 4 or len(points) % 2:
            raise RpcError(-32602, "method parameters invalid")
        take_time(steps * STEP)
        self.phone.swipe(points[0], points[1], points[-2], points[-1], seconds=steps * STEP)
        return True

    def _do_injectInputEvent(self, action: int, x: float, y: float, _meta: int) -> bool:
        if action not in (0, 1, 2):
            return False
        self.phone.touch(action, int(x), int(y))
        return True

    def _do_pinchIn(self, target: Any, _percent: int, _steps: int) -> bool:
        return self._pinch(target, 4, 1)

    def _do_pinchOut(self, target: Any, _percent: int, _steps: int) -> bool:
        return self._pinch(target, 1, 4)

    def _pinch(self, target: Any, first: int, last: int) -> bool:
        """Two points on the widget's diagonal, that far from its centre, in eighths."""
        with self.phone.changed:
            widget = self._find(target).widget
            left, top, right, bottom = widget.seen or widget.box
            x, y, wide, high = (left + right) // 2, (top + bottom) // 2, right - left, bottom - top
            ends = (x - wide * first // 8, y - high * first // 8, x - wide * last // 8, y - high * last // 8)
            return self.phone.pinch(widget, ends)

    def _do_gesture(self, target: Any, start: Any, _start2: Any, end: Any, _end2: Any, _steps: int) -> bool:
        with self.phone.changed:
            return self.phone.pinch(self._find(target).widget, (*start, *end))

    def _do_launchApp(self, package: str) -> bool:
        return self.phone.open_app(package)

    def _do_executeShellCommand(self, line: str, _milliseconds: int = 0) -> str:
        return self.shell(line)

    def _do_pressKey(self, name: str) -> bool:
        key = keys.RPC_NAMES.get(name.lower())
        if key is None:
            return False
        self.phone.key(key)
        return True

    def _do_pressKeyCode(self, code: int, _meta: int = 0) -> bool:
        name = keys.key_name(code)
        if name is None:
            return False
        self.phone.key(name)
        return True

    def _do_setText(self, target: Any, text: str) -> bool:
        with self.phone.changed:
            return self.phone.set_text(self._find(target).widget, text)

    def _do_clearTextField(self, target: Any) -> None:
        with self.phone.changed:
            self.phone.set_text(self._find(target).widget, "")

    def _do_clearInputText(self) -> bool:
        return self.phone.clear_focused()

    def _do_setClipboard(self, *args: Any) -> None:
        self.phone.clipboard = args[-1]

    def _do_getClipboard(self) -> str | None:
        return self.phone.clipboard

    def _do_pasteClipboard(self) -> bool:
        with self.phone.changed:
            if self.phone.clipboard is None or self.phone.focused() is None:
                return False
            self.phone.type_text(self.phone.clipboard)
            return True

    def _scrollable(self, target: Any) -> Widget:
        return self._find(target).widget

    def _scroll(self, target: Any, vertical: bool, sign: int) -> bool:
        with self.phone.changed:
            widget = self._scrollable(target)
            height = widget.box[3] - widget.box[1]
            return vertical and self.phone.scroll(widget, sign * height * 8 // 10)

    def _do_scrollForward(self, target: Any, vertical: bool, _steps: int = 0) -> bool:
        return self._scroll(target, vertical, 1)

    def _do_scrollBackward(self, target: Any, vertical: bool, _steps: int = 0) -> bool:
        return self._scroll(target, vertical, -1)

    def _to_edge(self, target: Any, vertical: bool, swipes: int, sign: int) -> bool:
        return any(not self._scroll(target, vertical, sign) for _ in range(max(0, min(swipes, 500))))

    def _do_scrollToBeginning(self, target: Any, vertical: bool, swipes: int, _steps: int = 0) -> bool:
        return self._to_edge(target, vertical, swipes, -1)

    def _do_scrollToEnd(self, target: Any, vertical: bool, swipes: int, _steps: int = 0) -> bool:
        return self._to_edge(target, vertical, swipes, 1)

    def _do_scrollTo(self, target: Any, wanted: Any, vertical: bool) -> bool:
        self._to_edge(target, vertical, 500, -1)
        while not self._do_exist(wanted):
            if not self._scroll(target, vertical, 1):
                return False
        return True

    _do_flingForward = _do_scrollForward
    _do_flingBackward = _do_scrollBackward
    _do_flingToBeginning = _do_scrollToBeginning
    _do_flingToEnd = _do_scrollToEnd

    def _do_wakeUp(self) -> None:
        if not self.phone.screen_on:
            self.phone.key("WAKEUP")

    def _do_sleep(self) -> None:
        if self.phone.screen_on:
            self.phone.key("SLEEP")

    def _do_openNotification(self) -> bool:
        """This phone has no notification shade."""
        return False

    _do_openQuickSettings = _do_openNotification

    def _do_setOrientation(self, direction: str) -> None:
        if direction.lower() not in ("natural", "n"):
            raise RpcError(
                -32001, "java.lang.UnsupportedOperationException: the simulated phone does not rotate"
            )

    def _do_freezeRotation(self, _frozen: bool) -> None:
        return None


def _with(outer: Mapping[str, Any], steps: list[Any], selectors: list[Any], inner: Any) -> Mapping[str, Any]:
    return {**outer, "childOrSibling": [*steps, "child"], "childOrSiblingSelector": [*selectors, inner]}
