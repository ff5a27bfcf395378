"""`GuardedDevice`: a drop-in for `uiautomator2.Device` whose every call is judged before it reaches the phone.

    from vsalang.agents.adapters.uiautomator2.device import GuardedDevice

    d = GuardedDevice("emulator-5554", guard)
    d(text="Reserve").click()            # raises ActionBlocked, with the feedback, if it may not be done now

uiautomator2 reaches the phone by two ways only: `jsonrpc_call`, and the adb device (`shell`, files). Both are replaced
here; everything else of the library works as it is, above them.
"""

import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self

from vsalang.agents.adapters.uiautomator2.adb import (
    ACTING_SECONDS,
    Door,
    GuardedAdb,
    command_line,
    door_of,
    keep,
)
from vsalang.agents.adapters.uiautomator2.api import DEVICE, SESSION
from vsalang.guard import Guard
from vsalang.phone.classify import Allowance
from vsalang.phone.classify.verdict import NOTHING
from vsalang.phone.gate import Confirm, Gate, GateEvent, nobody
from vsalang.phone.uiautomator.adb import library
from vsalang.phone.uiautomator.device import UiAutomatorDevice
from vsalang.phone.vocabulary import VocabularyError, base
from vsalang.program.action import Action

if TYPE_CHECKING:
    from vsalang.guard.recorder import Recorder
    from vsalang.phone.open.simulated import SimulatedDevice

u2: Any = library("uiautomator2")
PORT: Final = 9008


class GuardedDevice(u2.Device):  # type: ignore[misc]
    """A `uiautomator2.Device` behind a guard.

    Each call that acts is judged on the screen as it is now, committed, sent once, and observed, one at a time. What
    the rules do not allow raises `vsalang.guard.ActionBlocked`; what cannot be judged at all (an unknown method, a
    stream to a port) raises `vsalang.phone.gate.ActionRefused`. Both are `NotAllowed` and have ``feedback``, in words
    for the agent. Calls that only read do not go through the guard.

    Args:
        device: a serial of adb, ``sim:NAME``, a device of vsalang, or a connected `uiautomator2.Device`; one that is
            named is opened here and closed with `close`.
        guard: judges; or a gate that exists already.
        recorder: the guard's, if it has one.
        confirm: who is asked about a verdict ``confirm``.
        listener: called with each request that acts, after it.
        allowed: what is known of the phone.

    Raises:
        DeviceError: there is no such device, or it cannot be looked at.
        GuardFailed: the guard met an internal error.
    """

    _api = DEVICE

    def __init__(
        self,
        device: "str | UiAutomatorDevice | SimulatedDevice | Any",
        guard: Guard | Gate,
        *,
        recorder: "Recorder | None" = None,
        confirm: Confirm = nobody,
        listener: Callable[[GateEvent], None] | None = None,
        allowed: Allowance = NOTHING,
    ) -> None:
        phone, close = _opened(device)
        try:
            if isinstance(guard, Gate):
                gate = guard
            else:
                gate = Gate(
                    guard,
                    phone.observe,
                    recorder=recorder,
                    confirm=confirm,
                    listener=listener,
                    still_shows=phone.still_shows,
                )
            gate.begin()
        except BaseException:
            close()
            raise
        self._behind(Door(gate, phone, allowed, close))

    def _behind(self, door: Door) -> None:
        """Set what the library's own methods use; its constructor would start a server of its own."""
        keep(self, door)
        self._dev = GuardedAdb(door)
        self._BaseClient__serial = door.phone.link.serial
        self._process = None
        self._debug = False
        self._device_server_port = PORT
        self._lock = threading.Lock()

    # ------------------------------------------------------------------ the guard's side

    @property
    def guard(self) -> Guard:
        """Judges what is done."""
        return door_of(self).gate.guard

    @property
    def feedback(self) -> str:
        """What was last said to the agent; empty if what it did last passed."""
        return door_of(self).gate.feedback

    def roadmap(self) -> str:
        """What the task still needs, in words for the agent."""
        return door_of(self).gate.roadmap()

    def finish(self) -> None:
        """Say that the task is done. Raises ActionBlocked if it is not."""
        door_of(self).gate.act([Action("finish")], lambda: None)

    def give_up(self, reason: str = "") -> None:
        """Say that the task cannot be done."""
        door_of(self).gate.act([Action("give_up", {"reason": reason} if reason else {})], lambda: None)

    def answer(self, text: str) -> None:
        """Answer the user. Raises ActionBlocked if that may not be said."""
        door_of(self).gate.act([Action("answer", {"text": text})], lambda: None)

    def claim(self, *claims: Action) -> None:
        """Say which critical actions the next call is; it only adds duty."""
        door_of(self).gate.claim(claims)

    def close(self) -> None:
        """Let go of the phone, if it was opened here. May be called twice."""
        door_of(self).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ the two ways to the phone

    def jsonrpc_call(self, method: str, params: Any = None, timeout: float = 10) -> Any:
        """See uiautomator2. Raises ActionBlocked for what may not be done."""
        door = door_of(self)
        if method == "getLastToast":
            return door.toast()
        if method == "clearLastToast":
            return door.clear_toast()
        return door.rpc(method, _plain(params), timeout)

    def shell(self, cmdargs: "str | list[str]", timeout: float | None = 60) -> Any:
        """See uiautomator2. Raises ActionBlocked for what may not be done."""
        import adbutils
        from uiautomator2.abstract import ShellResponse
        from uiautomator2.exceptions import AdbShellError

        try:
            result = door_of(self).run(command_line(cmdargs), timeout, v2=False)
        except adbutils.AdbError as error:
            raise AdbShellError(error) from error
        return ShellResponse(result.output.decode("utf-8", "replace"), result.returncode)

    # ------------------------------------------------------------------ what the library does in another way

    def send_keys(self, text: str, clear: bool = False) -> Any:
        """Type into the field with the focus: judged once, as typing. No keyboard is installed or set for it."""
        if clear:
            self.clear_text()
        door = door_of(self)
        link = door.phone.link

        def forward() -> None:
            with link.sent_once("send_keys"):
                link.u2.jsonrpc_call("setClipboard", [None, text], 10)
                if link.u2.jsonrpc_call("getClipboard", None, 10) != text:
                    raise u2.UiAutomationError("setClipboard failed")
                link.u2.jsonrpc_call("pasteClipboard", None, ACTING_SECONDS)

        action = Action("input_text", {"value": text})
        return door.judged((action,), forward, f"send_keys({text[:100]!r})")

    def double_click(self, x: float, y: float, duration: float = 0.1) -> None:
        """Judged once, as a double tap: looks in between would take longer than the time between its taps may be."""
        try:
            x, y = (base.pixel(each, "the place") for each in self.pos_rel2abs(x, y))
        except VocabularyError as error:
            door_of(self).refuse(f"double_click({x}, {y})", str(error))
        link = door_of(self).phone.link

        def forward() -> None:
            with link.sent_once("double_click"):
                link.u2.double_click(x, y, duration)

        action = Action("double_tap", {"x": x, "y": y})
        door_of(self).judged((action,), forward, f"double_click({x}, {y})")

    def clear_text(self) -> None:
        """Clear the field with the focus. No keyboard is installed or set for it."""
        self.jsonrpc.clearInputText()

    def session(self, package_name: str, attach: bool = False) -> "GuardedSession":
        self.app_start(package_name, stop=not attach)
        return GuardedSession.of(self, package_name)

    def start_uiautomator(self) -> None:
        """See that the server on the phone answers; the guard needs it too."""
        door_of(self).phone.info  # noqa: B018 - asking starts it

    def stop_uiautomator(self, wait: bool = True) -> None:
        """Does nothing: the server is the guard's too."""

    def reset_uiautomator(self) -> None:
        """Start the server on the phone again."""
        link = door_of(self).phone.link
        link.look("starting the server again", link.u2.reset_uiautomator)

    # ------------------------------------------------------------------ whatever else there is

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name not in object.__getattribute__(self, "_api"):
            own = any(name in vars(kind) for kind in _above(type(self))) or name in object.__getattribute__(
                self, "__dict__"
            )
            if not own and hasattr(u2.Session, name):
                _unknown(self, name)
        if not name.startswith("_") and object.__getattribute__(self, "_api").get(name) == "refused":
            _unknown(self, name)
        return super().__getattribute__(name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(serial={self._BaseClient__serial!r})"


class GuardedSession(GuardedDevice, u2.Session):  # type: ignore[misc]
    """A `uiautomator2.Session` behind a guard; made by `GuardedDevice.session`."""

    _api = SESSION

    @classmethod
    def of(cls, device: GuardedDevice, package_name: str) -> "GuardedSession":
        """The session of an app that was started."""
        session = cls.__new__(cls)
        session._behind(door_of(device))
        session._package_name = package_name
        session._pid = None
        session._pid = session.app_wait(package_name)
        return session

    def jsonrpc_call(self, method: str, params: Any = None, timeout: float = 10) -> Any:
        if not self.running():
            raise u2.SessionBrokenError(f"app:{self._package_name} pid:{self._pid} is quit")
        return GuardedDevice.jsonrpc_call(self, method, params, timeout)

    def close(self) -> None:
        """Close the app, as the library does. Raises ActionBlocked if that may not be done."""
        self.app_stop(self._package_name)
        self._pid = None


def _opened(device: Any) -> tuple[UiAutomatorDevice, Callable[[], None]]:
    """The device, and what closes it if it was opened here."""
    from vsalang.phone.open import open_device

    if isinstance(device, str):
        opened: Any = open_device(device)
        return getattr(opened, "connection", opened), opened.close
    if isinstance(device, u2.Device):
        if isinstance(device, GuardedDevice):
            raise TypeError("the device is guarded already")
        return UiAutomatorDevice.over(device), lambda: None
    connection = getattr(device, "connection", device)
    if not isinstance(connection, UiAutomatorDevice):
        raise TypeError(
            f"a device is a serial, a device of vsalang or of uiautomator2, not {type(device).__name__}"
        )
    return connection, lambda: None


def _above(kind: type) -> Iterator[type]:
    """The classes that are written here or by the user: those before the library's."""
    for each in kind.__mro__:
        if each.__module__.partition(".")[0] not in ("uiautomator2", "builtins", "abc"):
            yield each


def _unknown(device: GuardedDevice, name: str) -> NoReturn:
    reason = "it is not known to be harmless in this version of uiautomator2"
    if DEVICE.get(name) == "refused":
        reason = "it runs programs on the phone that nobody judges"
    door_of(device).refuse(f"uiautomator2 {name}", reason)


def _plain(params: Any) -> Any:
    """Parameters as the library gives them: none are an empty object."""
    return params if params else {}
