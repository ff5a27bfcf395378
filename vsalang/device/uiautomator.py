"""A device through the uiautomator2 client and an adb server, as agents use them.

The client is the library as it is. Two of its habits are switched off: it would start an adb server of its
own where none answers (another one than the user's might come up), and it leaves the dump of a deep tree cut
off without a word (such a screen is marked as partial).
"""

import contextlib
import datetime as dt
import io
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from http.client import HTTPException
from types import TracebackType
from typing import Any, Final, Self

from vsalang.core.action import Action
from vsalang.core.screen import Cells
from vsalang.device.errors import DeviceError, DeviceLost, DeviceTimeout, NotDelivered
from vsalang.device.protocol import DeviceInfo
from vsalang.device.tree import DumpError, TreeScreen, load_dump

MAX_DEPTH: Final = 50
"""Levels of the tree that are asked for; the server's own limit, beyond which some phones overflow."""
LONG_PRESS: Final = 1.0
SWIPE: Final = 0.3
LONGEST: Final = 60.0
"""The longest wait or movement, in seconds."""
LONGEST_ANSWER = 60.0
"""How long the device may take to answer, in seconds; the library's own limit is ten minutes or none."""
_LAUNCHER: Final = "android.intent.category.LAUNCHER"
_PACKAGE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+")
_KEY: Final = re.compile(r"(?:KEYCODE_)?([A-Z0-9_]{1,40})", re.IGNORECASE)


def connect(
    serial: str,
    *,
    adb_host: str | None = None,
    adb_port: int | None = None,
    settle_interval: float = 0.2,
    settle_timeout: float = 5.0,
) -> "UiAutomatorDevice":
    """Connect to a device of an adb server that runs.

    Args:
        serial: the device, as ``adb devices`` lists it.
        adb_host: of the adb server; ``ANDROID_ADB_SERVER_HOST`` or 127.0.0.1 if None.
        adb_port: likewise; ``ANDROID_ADB_SERVER_PORT`` or 5037 if None.
        settle_interval: seconds between two looks at the screen.
        settle_timeout: seconds after which a screen that still changes is given as it is.

    Raises:
        DeviceLost: no adb server, or it has no such device.
        DeviceError: uiautomator2 is not installed, or its server did not start on the device.
    """
    adb = adb_client(adb_host, adb_port)
    u2 = _library("uiautomator2")
    with _failures("connecting"):
        known = {info.serial: info.state for info in adb.list()}
        if known.get(serial) != "device":
            state = f" is {known[serial]}" if serial in known else " is not among its devices"
            there = ", ".join(sorted(known)) or "none"
            raise DeviceLost(
                f"adb server at {adb.host}:{adb.port}: {serial!r}{state}; there are: {there}. "
                "Check the cable, the authorisation on the phone, or `vsac devices`"
            )
        device = u2.connect(adb.device(serial=serial))
        device.clear_toast()
    return UiAutomatorDevice(device, serial, settle_interval=settle_interval, settle_timeout=settle_timeout)


def adb_client(host: str | None = None, port: int | None = None) -> Any:
    """An adbutils client that never starts an adb server.

    Raises:
        DeviceError: adbutils is not installed, or the port in the environment is none.
    """
    adbutils = _library("adbutils")
    base: Any = adbutils.AdbConnection
    if not hasattr(base, "_safe_connect") or not hasattr(base, "_create_socket"):
        raise DeviceError("this version of adbutils cannot be kept from starting an adb server: install 2.x")

    class Connection(base):  # type: ignore[misc]
        def _safe_connect(self) -> Any:
            return self._create_socket()

    class Client(adbutils.AdbClient):  # type: ignore[misc, name-defined]
        def make_connection(self, timeout: float | None = None) -> Any:
            connection = Connection(self.host, self.port)
            connection.conn.settimeout(min(timeout or LONGEST_ANSWER, LONGEST_ANSWER))
            return connection

    if port is None:
        given = os.environ.get("ANDROID_ADB_SERVER_PORT", "5037")
        if not given.isdigit() or not 1 <= int(given) <= 65535:
            raise DeviceError(f"ANDROID_ADB_SERVER_PORT is {given!r}: it must be a port number")
        port = int(given)
    return Client(host or os.environ.get("ANDROID_ADB_SERVER_HOST") or "127.0.0.1", port)


def _library(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceError(
            f"devices need the library uiautomator2 ({error}): pip install 'vsalang[device]'"
        ) from error


@contextlib.contextmanager
def _failures(doing: str, *, untouched: bool = False) -> Iterator[None]:
    """Turn what the libraries raise into `DeviceError`.

    Args:
        untouched: nothing was sent yet that could act, so that a failure to reach the server is `NotDelivered`.
    """
    import adbutils
    from adbutils.errors import AdbConnectionError, AdbTimeout
    from uiautomator2 import exceptions as u2

    try:
        yield
    except DeviceError:
        raise
    except AdbConnectionError as error:
        kind: type[DeviceError] = NotDelivered if untouched else DeviceLost
        raise kind(f"{doing}: the adb server does not answer ({error})") from error
    except (AdbTimeout, u2.HTTPTimeoutError, TimeoutError) as error:
        raise DeviceTimeout(f"{doing}: no answer in time ({error})") from error
    except u2.UiObjectNotFoundError as error:
        kind = NotDelivered if untouched else DeviceError
        raise kind(f"{doing}: the device does not find the node ({_short(error)})") from error
    except u2.RPCError as error:
        raise DeviceError(f"{doing}: the device refused: {_short(error)}") from error
    except (adbutils.AdbError, u2.DeviceError, OSError, EOFError, HTTPException) as error:
        raise DeviceLost(f"{doing}: the connection to the device is lost ({_short(error)})") from error
    except (ValueError, KeyError, TypeError, AssertionError) as error:
        raise DeviceError(f"{doing}: the device answered nonsense ({_short(error)})") from error


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:300] + "..."


class UiAutomatorDevice:
    """A `Device` through uiautomator2; made by `connect`."""

    def __init__(self, client: Any, serial: str, *, settle_interval: float, settle_timeout: float) -> None:
        self._client = client
        self._serial = serial
        self._settle_interval = settle_interval
        self._settle_timeout = settle_timeout
        self._info: DeviceInfo | None = None
        self._closed = False

    # ---- looking -------------------------------------------------------------------------------------------

    @property
    def info(self) -> DeviceInfo:
        """See `Device.info`."""
        if self._info is None:
            with self._use("asking what the device is"):
                about = self._client.info
                model = self._client.adb_device.getprop("ro.product.model")
                self._info = DeviceInfo(
                    self._serial, str(model), int(about["displayWidth"]), int(about["displayHeight"])
                )
        return self._info

    def observe(self) -> TreeScreen:
        """See `Device.observe`."""
        with self._use("looking at the screen"):
            deadline = time.monotonic() + self._settle_timeout
            before = self._look()
            while True:
                time.sleep(self._settle_interval)
                look = self._look()
                settled = look == before
                if settled or time.monotonic() > deadline:
                    break
                before = look
            xml, app = look
            try:
                tree = load_dump(xml, name=f"screen of {self._serial}")
            except DumpError as error:
                raise DeviceError(f"the screen cannot be read: {error}") from error
            toast = self._client.last_toast
            if toast:
                self._client.clear_toast()
            return TreeScreen(
                tree,
                app=app,
                now=self._clock(),
                toasts=(str(toast),) if toast else (),
                settled=settled,
                partial=not tree.nodes or _depth(xml) >= MAX_DEPTH,  # empty: the device gave no tree
            )

    def _look(self) -> tuple[str, tuple[str, str | None] | None]:
        """The dump and the foreground app (None: the device does not say). Looks that agree are equal."""
        xml = str(self._client.dump_hierarchy(max_depth=MAX_DEPTH))
        try:
            app = self._client.app_current()
        except Exception as error:
            if "get focused app" not in str(error):
                raise
            return xml, None
        return xml, (str(app["package"]), app.get("activity") or None)

    def _clock(self) -> dt.datetime | None:
        text = self._client.shell("date +%Y-%m-%dT%H:%M:%S", timeout=10).output.strip()
        try:
            return dt.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")
        except ValueError:
            return None

    def screenshot(self) -> bytes:
        """See `Device.screenshot`."""
        with self._use("taking a screenshot"):
            out = io.BytesIO()
            self._client.screenshot().save(out, "PNG")
            return out.getvalue()

    # ---- acting --------------------------------------------------------------------------------------------

    def perform(self, action: Action, target: Cells) -> None:
        """See `Device.perform`. `answer`, `finish` and `give_up` change nothing on a device.

        `install` and `push_file` are not offered: their file is not part of the action.
        """
        run = _PERFORM.get(action.name)
        if run is None:
            raise NotDelivered(f"{action.name} cannot be carried out on a device")
        cells: dict[str, Any] = {**action.args, **target}
        with self._use(action.name, untouched=True), self._sent_once(action.name):
            run(self, cells)

    @contextlib.contextmanager
    def _sent_once(self, doing: str) -> Iterator[None]:
        """Keep the library from sending an input again.

        It stops its server on the device, starts it anew and repeats the call when an answer is missing; but an input
        whose answer is missing may have been made.
        """

        from adbutils.errors import AdbConnectionError

        def refuse(*_: Any, **__: Any) -> None:
            failed = sys.exception()
            if failed is not None and isinstance(failed.__cause__, AdbConnectionError):
                raise failed.__cause__  # there was no adb server to send it to
            raise DeviceLost(
                f"{doing}: the server on the device failed; whether the input arrived is unknown"
            )

        self._client.stop_uiautomator = refuse
        try:
            yield
        finally:
            del self._client.stop_uiautomator

    def _tap(self, cells: dict[str, Any]) -> None:
        self._accepted(self._client.jsonrpc.click(*_point(cells)))

    def _double_tap(self, cells: dict[str, Any]) -> None:
        x, y = _point(cells)
        self._client.touch.down(x, y)
        with _failures("double_tap"):
            self._client.touch.up(x, y)
            time.sleep(0.1)
            self._accepted(self._client.jsonrpc.click(x, y))

    def _long_press(self, cells: dict[str, Any]) -> None:
        self._accepted(self._client.jsonrpc.click(*_point(cells), int(LONG_PRESS * 1000)))

    def _input_text(self, cells: dict[str, Any]) -> None:
        value = cells.get("value")
        if not isinstance(value, str):
            raise NotDelivered("input_text needs the text as `value`")
        self._type(cells, value)

    def _clear_text(self, cells: dict[str, Any]) -> None:
        self._type(cells, "")

    def _type(self, cells: dict[str, Any], text: str) -> None:
        """Give the field the focus, see that it has it, then set its text as a whole."""
        x, y = _point(cells)
        if cells.get("focused") is not True:
            self._accepted(self._client.jsonrpc.click(x, y))
        with _failures("typing"):
            field = self._client(focused=True)
            if not field.wait(timeout=3.0):
                raise DeviceError("typing: the tap gave no field the focus; nothing was typed")
            bounds = field.info["bounds"]
            if not (bounds["left"] <= x < bounds["right"] and bounds["top"] <= y < bounds["bottom"]):
                raise DeviceError("typing: another field has the focus; nothing was typed")
            if text:
                self._accepted(self._client.jsonrpc.setText(field.selector, text))
            else:
                self._client.jsonrpc.clearTextField(field.selector)

    def _swipe(self, cells: dict[str, Any]) -> None:
        seconds = cells.get("duration")
        duration = seconds.total_seconds() if isinstance(seconds, dt.timedelta) else SWIPE
        if "x2" in cells and "y2" in cells:
            x, y, x2, y2 = *_point(cells), _pixel(cells["x2"], "x2"), _pixel(cells["y2"], "y2")
        else:
            x, y, x2, y2 = self._movement(cells, _direction(cells), from_point=True)
        steps = max(2, int(min(max(duration, 0.01), LONGEST) * 200))  # a step takes 5 ms
        self._accepted(self._client.jsonrpc.swipe(x, y, x2, y2, steps))

    def _scroll(self, cells: dict[str, Any]) -> None:
        """Scrolling down shows what is below: the finger moves up."""
        opposite = {"up": "down", "down": "up", "left": "right", "right": "left"}[_direction(cells)]
        x, y, x2, y2 = self._movement(cells, opposite, from_point=False)
        self._accepted(self._client.jsonrpc.swipe(x, y, x2, y2, 60))

    def _movement(
        self, cells: dict[str, Any], direction: str, *, from_point: bool
    ) -> tuple[int, int, int, int]:
        """From where to where the finger moves: 60 % of the node, or of the screen where there is no node.

        Args:
            from_point: begin at the point of the gesture; otherwise the movement is centred in the node.
        """
        edges = [cells.get(key) for key in ("left", "top", "right", "bottom")]
        if None in edges:
            left, top, right, bottom = 0, 0, self.info.width, self.info.height
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
        result = self._client.shell(["input", "keyevent", f"KEYCODE_{name}"], timeout=20)
        if result.exit_code != 0 or "Unknown keycode" in result.output:
            raise NotDelivered(f"the device does not know the key {name}")

    def _back(self, _cells: dict[str, Any]) -> None:
        # What it returns is whether the window changed in time, not whether the key was pressed.
        self._client.jsonrpc.pressKey("back")

    def _home(self, _cells: dict[str, Any]) -> None:
        self._client.jsonrpc.pressKey("home")

    def _open_app(self, cells: dict[str, Any]) -> None:
        package = cells.get("package")
        if not isinstance(package, str) or not _PACKAGE.fullmatch(package):
            raise NotDelivered("open_app needs the app's package, such as com.opentable")
        result = self._client.shell(["monkey", "-p", package, "-c", _LAUNCHER, "1"], timeout=60)
        if "No activities found" in result.output:
            raise NotDelivered(f"the device has no app {package} that can be opened")
        if result.exit_code != 0:
            raise DeviceError(f"{package} was not opened: {_short(ValueError(result.output))}")

    def _wait(self, cells: dict[str, Any]) -> None:
        """Wait by the device's clock, so that a simulated phone need not keep anyone waiting."""
        given = cells.get("duration")
        seconds = given.total_seconds() if isinstance(given, dt.timedelta) else 1.0
        if not 0 <= seconds <= LONGEST:
            raise NotDelivered(f"wait takes from 0 to {LONGEST:.0f} seconds")
        self._client.shell(["sleep", f"{seconds:g}"], timeout=seconds + 30)

    def _shell(self, cells: dict[str, Any]) -> None:
        command = cells.get("command")
        if not isinstance(command, str) or not command.strip():
            raise NotDelivered("shell needs a command")
        self._client.shell(command, timeout=LONGEST)

    def _nothing(self, _cells: dict[str, Any]) -> None:
        return

    @staticmethod
    def _accepted(result: Any) -> None:
        if result is False:
            raise DeviceError("the device did not accept the input")

    # ---- closing -------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _use(self, doing: str, *, untouched: bool = False) -> Iterator[None]:
        if self._closed:
            raise (NotDelivered if untouched else DeviceLost)(f"{doing}: the device is closed")
        with _failures(doing, untouched=untouched):
            yield

    def close(self) -> None:
        """See `Device.close`; ends the uiautomator2 server that this connection started."""
        if self._closed:
            return
        self._closed = True
        import atexit

        atexit.unregister(self._client.stop_uiautomator)
        with contextlib.suppress(Exception):  # whatever fails now, the device is let go
            self._client.stop_uiautomator(wait=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_PERFORM: Final[dict[str, Callable[[UiAutomatorDevice, dict[str, Any]], None]]] = {
    "tap": UiAutomatorDevice._tap,
    "double_tap": UiAutomatorDevice._double_tap,
    "long_press": UiAutomatorDevice._long_press,
    "input_text": UiAutomatorDevice._input_text,
    "clear_text": UiAutomatorDevice._clear_text,
    "swipe": UiAutomatorDevice._swipe,
    "scroll": UiAutomatorDevice._scroll,
    "press_key": UiAutomatorDevice._press_key,
    "back": UiAutomatorDevice._back,
    "home": UiAutomatorDevice._home,
    "open_app": UiAutomatorDevice._open_app,
    "wait": UiAutomatorDevice._wait,
    "shell": UiAutomatorDevice._shell,
    "answer": UiAutomatorDevice._nothing,
    "finish": UiAutomatorDevice._nothing,
    "give_up": UiAutomatorDevice._nothing,
}
"""Action -> how it is carried out. To add one, add its method and its line here."""


def _pixel(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 0 <= value <= 100_000:
        raise NotDelivered(f"{name} is no place on the screen: {value!r}")
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


def _depth(xml: str) -> int:
    """How many levels of nodes a dump has."""
    from lxml import etree

    parser = etree.XMLPullParser(("start", "end"), resolve_entities=False, no_network=True)
    level = deepest = 0
    parser.feed(xml.encode())
    for event, _ in parser.read_events():
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    return deepest - 1
