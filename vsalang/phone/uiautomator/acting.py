"""Carries out gestures and device actions: once, and only if the judged node is still there."""

import datetime as dt
import re
import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from vsalang.phone.errors import DeviceError, NotDelivered
from vsalang.phone.protocol import DeviceInfo
from vsalang.phone.uiautomator import conditional
from vsalang.phone.uiautomator.adb import looking
from vsalang.phone.uiautomator.link import Link, failures, short
from vsalang.program.action import POINTING, Action
from vsalang.program.delivery import about, looked, reading, refusable
from vsalang.program.gestures import takes
from vsalang.program.screen import Cells, UnresolvedTarget
from vsalang.program.values import Value, same, show
from vsalang.screen.tree import Tree
from vsalang.screen.tree.node import ATTRIBUTES
from vsalang.screen.tree.target import resolve

LONG_PRESS: Final = 1.0
SWIPE: Final = 0.3
LONGEST: Final = 60.0
"""The longest wait or movement, in seconds."""
FOCUS: Final = 3.0
"""How many seconds to wait for a field that was tapped."""
_TYPING: Final = ("input_text", "clear_text")
_EDGES: Final = ("left", "top", "right", "bottom")
_LAUNCHER: Final = "android.intent.category.LAUNCHER"
_PACKAGE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+")
_KEY: Final = re.compile(r"(?:KEYCODE_)?([A-Z0-9_]{1,40})", re.IGNORECASE)

JUDGED: Final = (
    "id", "resource_id", "class", "package", "text", "desc", "label", "hint", "clickable", "enabled", "checked",
    "password", "editable", "left", "top", "right", "bottom", "x", "y", "covered",
)  # fmt: skip
"""The attributes of a target that must not have changed since it was judged."""


def still_there(tree: Tree, action: Action, target: Cells) -> None:
    """Check that a pointing gesture still hits the node that it hit when it was judged.

    Args:
        tree: the screen as it is now.
        target: the cells that were judged.

    Raises:
        NotDelivered: another node would take it.
    """
    args: Mapping[str, Value] = action.args
    chosen = {"x", "y", *ATTRIBUTES} & args.keys()
    if not chosen and not (action.name in _TYPING and target.get("focused") is True):
        args = {**args, "x": target["x"], "y": target["y"]} if "x" in target and "y" in target else args
    try:
        now = resolve(tree, action.name, args)
    except UnresolvedTarget as error:
        raise NotDelivered(f"{action.name}: the target is gone: {error}") from error
    for name in JUDGED:
        was, cell = target.get(name), now.get(name)
        if (was is None) != (cell is None) or (was is not None and not same(cell, was)):
            raise NotDelivered(
                f"{action.name}: the target is not what was judged: its {name} was {_text(was)} and is {_text(cell)}"
            )


def _text(value: Value | None) -> str:
    text = show(value) if value is not None else "unknown"
    return text if len(text) <= 60 else text[:60] + "..."


class Hand:
    """Carries out actions on one device."""

    def __init__(self, link: Link, info: Callable[[], DeviceInfo]) -> None:
        self._link = link
        self._info = info

    @property
    def _u2(self) -> Any:
        return self._link.u2

    def prepare(
        self, action: Action, target: Cells, look: Callable[[], tuple[str, Tree]]
    ) -> Callable[[], None]:
        """Check an action before anything is sent; return the function that carries it out.

        Args:
            look: one look at the screen: the dump, and the tree of it.

        Raises:
            NotDelivered: it cannot be carried out, or the judged node is gone.
        """
        run = _PERFORM.get(action.name)
        if run is None:
            raise NotDelivered(f"{action.name} cannot be carried out on a device")
        cells: dict[str, Any] = {**action.args, **target}
        at_node = action.name in POINTING and ("leaf" in target or "node" in target)
        if not at_node and not about():
            return lambda: run(self, cells)
        try:
            xml, tree = look()
        except NotDelivered:
            raise
        except DeviceError as error:
            raise NotDelivered(f"{action.name}: the target cannot be checked: {error}") from error
        if at_node:
            still_there(tree, action, target)
        nodes = conditional.still_about(xml, tree, about())
        looked()
        if action.name in _CLICKS and at_node:
            only = conditional.only_there(xml, tree, action, target)
            if only is not None:
                return lambda: self._click_if_there(
                    _CLICKS[action.name], only, nodes, lambda: run(self, cells)
                )

        def act() -> None:
            self._still_shown(nodes)
            if action.name in _TYPING:
                run(self, cells, nodes)
            else:
                run(self, cells)

        return act

    def _still_shown(self, nodes: Sequence[conditional.JudgedNode], *, anywhere: bool = False) -> None:
        """Ask the device whether nodes that were judged still show. Raises `NotDelivered`: they do not."""
        if not nodes:
            return
        try:
            with reading(), looking(), failures("looking for what was judged"):
                # the first matter most, so they are asked about last
                infos = [
                    (each, self._u2.jsonrpc.objInfoOfAllInstances(each.selector)) for each in reversed(nodes)
                ]
        except DeviceError as error:
            raise NotDelivered(f"what was judged cannot be checked: {error}") from error
        for each, now in infos:
            each.check(now, anywhere=anywhere)
        looked()

    def _click_if_there(
        self,
        method: str,
        only: conditional.OnlyThere,
        nodes: Sequence[conditional.JudgedNode],
        at_place: Callable[[], None],
    ) -> None:
        """Ask the device whether the node is still there, alone and in its place; then let the device find and click it
        in one request.

        Args:
            nodes: other nodes that were judged. The device clicks only if those show that one selector can name
                together with the node; about each of the others it is asked before.
            at_place: clicks the judged point, if the device would click another point of the node.
        """
        selector = conditional.together(only, nodes)
        try:
            with reading(), looking(), failures("looking for the node"):
                # first: if it is not found because they changed, the questions after it tell
                joined = selector is not None and self._u2.jsonrpc.exist(selector)
                infos = self._u2.jsonrpc.objInfoOfAllInstances(only.selector)
        except DeviceError as error:
            raise NotDelivered(f"the target cannot be checked: {error}") from error
        clicks = only.check(infos)
        self._still_shown(conditional.apart(only, nodes) if joined and clicks else nodes)
        if not clicks:
            looked()
            at_place()
            return
        looked(by_device=True)
        self._click_selected(method, selector if joined and selector is not None else only.selector)

    def _click_selected(self, method: str, selector: Mapping[str, Any]) -> None:
        """Let the device find a node and click it. Raises `NotDelivered`: it did not find it, so it did nothing.

        The server looks for the node before it makes any input, and answers with an error of its own if that fails
        (androidx.test.uiautomator, ``UiObject.click``).
        """
        from uiautomator2.exceptions import UiObjectNotFoundError

        try:
            with refusable(UiObjectNotFoundError):
                _accepted(getattr(self._u2.jsonrpc, method)(selector))
        except UiObjectNotFoundError as error:
            raise NotDelivered(
                "the target is not what was judged: the device does not find the node any more, and clicked nothing"
            ) from error

    def _tap(self, cells: dict[str, Any]) -> None:
        _accepted(self._u2.jsonrpc.click(*_point(cells)))

    def _double_tap(self, cells: dict[str, Any]) -> None:
        # no check in between: it would take longer than the allowed time between the two taps
        x, y = _point(cells)
        self._u2.touch.down(x, y)
        with failures("double_tap"):
            self._u2.touch.up(x, y)
            time.sleep(0.05)
            _accepted(self._u2.jsonrpc.click(x, y))

    def _long_press(self, cells: dict[str, Any]) -> None:
        _accepted(self._u2.jsonrpc.click(*_point(cells), int(LONG_PRESS * 1000)))

    def _input_text(self, cells: dict[str, Any], nodes: Sequence[conditional.JudgedNode] = ()) -> None:
        value = cells.get("value")
        if not isinstance(value, str):
            raise NotDelivered("input_text needs the text as `value`")
        self._type(cells, value, nodes)

    def _clear_text(self, cells: dict[str, Any], nodes: Sequence[conditional.JudgedNode] = ()) -> None:
        self._type(cells, "", nodes)

    def _type(self, cells: dict[str, Any], text: str, nodes: Sequence[conditional.JudgedNode] = ()) -> None:
        """Give the field the focus, check that it is the judged one, then set its whole text.

        Args:
            nodes: other nodes that were judged: they must still show, wherever the keyboard has moved them.
        """
        x, y = _point(cells)
        if cells.get("focused") is not True:
            _accepted(self._u2.jsonrpc.click(x, y))
        with failures("typing"):
            # the device itself finds this field when the text is set, so that another focused field is not changed
            wanted: dict[str, Any] = {"focused": True}
            names = {"resource_id": "resourceId", "package": "packageName"}
            wanted.update(
                {rpc: cells[ours] for ours, rpc in names.items() if isinstance(cells.get(ours), str)}
            )
            field = self._u2(**wanted)
            if not field.wait(timeout=FOCUS):
                other = self._u2(focused=True).exists
                raise DeviceError(
                    "typing: another field has the focus; nothing was typed"
                    if other
                    else "typing: the tap gave no field the focus; nothing was typed"
                )
            boxes = [each["bounds"] for each in self._u2.jsonrpc.objInfoOfAllInstances(field.selector)]
            bounds = boxes[0]
            if len(boxes) > 1:  # a page and a field in it: the server would choose the first
                edges = [cells.get(edge) for edge in _EDGES]
                same = [number for number, box in enumerate(boxes) if [box[e] for e in _EDGES] == edges]
                if len(same) != 1:
                    raise DeviceError("typing: several fields have the focus; nothing was typed")
                field, bounds = self._u2(**wanted, instance=same[0]), boxes[same[0]]
            inside = bounds["left"] <= x < bounds["right"] and bounds["top"] <= y < bounds["bottom"]
            if not inside and not self._moved(wanted, cells, bounds):
                raise DeviceError("typing: another field has the focus; nothing was typed")
            self._still_shown(nodes, anywhere=True)
            if text:
                _accepted(self._u2.jsonrpc.setText(field.selector, text))
            else:
                self._u2.jsonrpc.clearTextField(field.selector)

    def _moved(self, wanted: Mapping[str, Any], cells: Mapping[str, Any], bounds: Mapping[str, int]) -> bool:
        """Whether the focused field is the judged one, moved by the keyboard: it has the same size, and is the only one
        with its id."""
        if "resourceId" not in wanted:
            return False
        edges = [cells.get(key) for key in ("left", "right")]
        if edges != [bounds["left"], bounds["right"]]:
            return False
        alike = {name: value for name, value in wanted.items() if name != "focused"}
        return bool(self._u2(**alike).count == 1)

    def _swipe(self, cells: dict[str, Any]) -> None:
        seconds = cells.get("duration")
        duration = seconds.total_seconds() if isinstance(seconds, dt.timedelta) else SWIPE
        if "x2" in cells and "y2" in cells:
            x, y, x2, y2 = *_point(cells), _pixel(cells["x2"], "x2"), _pixel(cells["y2"], "y2")
        else:
            x, y, x2, y2 = self._movement(cells, _direction(cells), from_point=True)
        steps = max(2, int(min(max(duration, 0.01), LONGEST) * 200))  # a step takes 5 ms
        _accepted(self._u2.jsonrpc.swipe(x, y, x2, y2, steps))

    def _scroll(self, cells: dict[str, Any]) -> None:
        """Scrolling down shows what is below: the finger moves up."""
        opposite = {"up": "down", "down": "up", "left": "right", "right": "left"}[_direction(cells)]
        x, y, x2, y2 = self._movement(cells, opposite, from_point=False)
        _accepted(self._u2.jsonrpc.swipe(x, y, x2, y2, 60))

    def _movement(
        self, cells: dict[str, Any], direction: str, *, from_point: bool
    ) -> tuple[int, int, int, int]:
        """The start and end of the finger's movement: 60 % of the node, or of the screen if no node takes it.

        Args:
            from_point: begin at the point of the gesture; otherwise the movement is centred in the node.
        """
        edges = [cells.get(key) for key in ("left", "top", "right", "bottom")]
        if None in edges or (cells.get("clickable") is False and not takes(cells)):
            left, top, right, bottom = 0, 0, self._info().width, self._info().height
        else:
            left, top, right, bottom = (_pixel(edge, "the node's edge") for edge in edges)
        x, y = (left + right) // 2, (top + bottom) // 2
        wide, high = (right - left) * 6 // 10, (bottom - top) * 6 // 10
        move_x = {"left": -wide, "right": wide}.get(direction, 0)
        move_y = {"up": -high, "down": high}.get(direction, 0)
        if from_point and cells.get("x") is not None:
            x, y = _point(cells)
        else:
            x, y = x - move_x // 2, y - move_y // 2
        x2, y2 = min(max(x + move_x, left), right - 1), min(max(y + move_y, top), bottom - 1)
        return x, y, x2, y2

    def _press_key(self, cells: dict[str, Any]) -> None:
        key = cells.get("key")
        match = _KEY.fullmatch(key) if isinstance(key, str) else None
        if match is None:
            raise NotDelivered(f"press_key needs the name of a key such as ENTER, not {key!r}")
        name = match[1].upper()
        result = self._u2.shell(["input", "keyevent", f"KEYCODE_{name}"], timeout=20)
        if "Unknown keycode" in result.output:
            raise DeviceError(f"the device does not know the key {name}")
        if result.exit_code != 0:  # the command may have been stopped after the key was pressed
            raise DeviceError(f"the key {name} may not have been pressed: {short(ValueError(result.output))}")

    def _back(self, _cells: dict[str, Any]) -> None:
        # the result says whether the window changed in time, not whether the key was pressed
        self._u2.jsonrpc.pressKey("back")

    def _home(self, _cells: dict[str, Any]) -> None:
        self._u2.jsonrpc.pressKey("home")

    def _open_app(self, cells: dict[str, Any]) -> None:
        package = cells.get("package")
        if not isinstance(package, str) or not _PACKAGE.fullmatch(package):
            raise NotDelivered("open_app needs the app's package, such as com.opentable")
        with reading():  # whether there is such an app is asked before anything is sent
            installed = self._u2.shell(["pm", "path", package], timeout=20)
            if installed.exit_code != 0 and "package:" not in installed.output:
                raise NotDelivered(f"the device has no app {package}{self._like(package)}")
        result = self._u2.shell(["monkey", "-p", package, "-c", _LAUNCHER, "1"], timeout=60)
        if "No activities found" in result.output:
            raise DeviceError(f"the device has no app {package} that can be opened{self._like(package)}")
        if result.exit_code != 0:
            raise DeviceError(f"{package} was not opened: {short(ValueError(result.output))}")

    def _like(self, package: str) -> str:
        """The installed app that was probably meant; empty if none is similar or known."""
        from vsalang.base.source.suggest import did_you_mean

        listed = self._u2.shell(["pm", "list", "packages"], timeout=20)
        names = [line.removeprefix("package:").strip() for line in str(listed.output).split("\n")[:2000]]
        hint = did_you_mean(package, filter(_PACKAGE.fullmatch, names)) if listed.exit_code == 0 else ""
        return f"; {hint}" if hint else ""

    def _wait(self, cells: dict[str, Any]) -> None:
        """Wait by the device's clock, so that a simulated phone need not keep anyone waiting."""
        duration = cells.get("duration")
        seconds = duration.total_seconds() if isinstance(duration, dt.timedelta) else 1.0
        if not 0 <= seconds <= LONGEST:
            raise NotDelivered(f"wait takes from 0 to {LONGEST:.0f} seconds")
        self._u2.shell(["sleep", f"{seconds:g}"], timeout=seconds + 30)

    def _shell(self, cells: dict[str, Any]) -> None:
        command = cells.get("command")
        if not isinstance(command, str) or not command.strip():
            raise NotDelivered("shell needs a command")
        self._u2.shell(command, timeout=LONGEST)

    def _nothing(self, _cells: dict[str, Any]) -> None:
        return


_CLICKS: Final = {"tap": "click", "long_press": "longClick"}
"""Gesture -> the call with which the device itself finds the node and makes the gesture."""
_PERFORM: Final[dict[str, Callable[..., None]]] = {
    "tap": Hand._tap,
    "double_tap": Hand._double_tap,
    "long_press": Hand._long_press,
    "input_text": Hand._input_text,
    "clear_text": Hand._clear_text,
    "swipe": Hand._swipe,
    "scroll": Hand._scroll,
    "press_key": Hand._press_key,
    "back": Hand._back,
    "home": Hand._home,
    "open_app": Hand._open_app,
    "wait": Hand._wait,
    "shell": Hand._shell,
    "answer": Hand._nothing,
    "finish": Hand._nothing,
    "give_up": Hand._nothing,
}
"""Action -> the method that carries it out; those that type are also given the other nodes that must still show. To
add one, add its method and its line here."""


def _accepted(result: Any) -> None:
    if result is False:
        raise DeviceError("the device did not accept the input")


def _pixel(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 0 <= value <= 100_000:
        raise NotDelivered(f"{name} is not a place on the screen: {value!r}")
    return int(value)


def _point(cells: dict[str, Any]) -> tuple[int, int]:
    if cells.get("x") is None or cells.get("y") is None:
        raise NotDelivered("the gesture has no point on the screen")
    return _pixel(cells["x"], "x"), _pixel(cells["y"], "y")


def _direction(cells: dict[str, Any]) -> str:
    direction = cells.get("direction")
    if direction not in ("up", "down", "left", "right"):
        raise NotDelivered(f"the direction must be up, down, left or right, not {direction!r}")
    return str(direction)
