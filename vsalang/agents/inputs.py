"""What others do on a phone, where it can be known: the inputs of a simulated phone, the touches of a real one."""

import contextlib
import re
import threading
from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from vsalang.base.records import dataclass
from vsalang.phone.errors import DeviceError
from vsalang.phone.vocabulary import VocabularyError, base, keys
from vsalang.program.action import Action
from vsalang.program.screen import Screen
from vsalang.program.text import canonical

if TYPE_CHECKING:
    from vsalang.phone.getevent import Touches
    from vsalang.phone.open.simulated import Moment, SimulatedDevice
    from vsalang.phone.sim import Input, Phone

MOST_WAITING: Final = 10_000
"""More inputs than that are not kept until somebody takes them."""


@dataclass(frozen=True, slots=True)
class InputEvent:
    """One thing that somebody did.

    Attributes:
        action: what it is.
        delivered: False if the phone certainly took no notice of it.
        problem: what is odd about it; else empty.
        screen: that showed when it was done; None: not known.
    """

    action: Action
    delivered: bool = True
    problem: str = ""
    screen: Screen | None = field(default=None, compare=False)


class Inputs(Protocol):
    """Reports what was done on a phone."""

    def taken(self) -> list[InputEvent]:
        """What was done since it was asked last, oldest first.

        Raises:
            DeviceError: it can no longer be known.
        """
        ...

    @property
    def underway(self) -> bool:
        """Whether something is being done that is not known yet: a finger is on the screen."""
        ...

    def close(self) -> None:
        """Stop listening; may be called twice."""
        ...


class Nothing:
    """Reports nothing: only screens are seen."""

    underway = False

    def taken(self) -> list[InputEvent]:
        return []

    def close(self) -> None:
        """Nothing is open."""


# ---------------------------------------------------------------------- a simulated phone


class PhoneInputs:
    """The inputs of a simulated phone of this process, no matter who made them.

    Args:
        device: the phone's: with it, what showed before each input is known however fast they come.
    """

    underway = False

    def __init__(self, phone: "Phone", device: "SimulatedDevice | None" = None) -> None:
        self._phone = phone
        self._device = device
        self._seen = len(phone.inputs)
        self._moments: dict[int, Moment] = {}
        if device is not None:
            phone.before_input = self._before

    def _before(self, number: int) -> None:
        if self._device is not None and len(self._moments) < MOST_WAITING:
            self._moments[number] = self._device.moment()

    def taken(self) -> list[InputEvent]:
        inputs = self._phone.inputs
        first, self._seen = self._seen, len(inputs)
        actions: list[InputEvent] = []
        for number in range(first, len(inputs)):
            moment = self._moments.pop(number, None)
            screen = (
                self._device.screen_of(moment) if self._device is not None and moment is not None else None
            )
            actions += [replace(done, screen=screen) for done in _of_input(inputs[number])]
        return actions

    def close(self) -> None:
        if self._device is not None:
            self._phone.before_input = None


def _of_input(item: "Input") -> list[InputEvent]:
    try:
        actions = _of_command(item.command) or _actions(item)
    except VocabularyError:
        actions = base.not_understood("sim", {"kind": item.kind, "text": canonical(item.text)})
    lost = item.fate == "lost"
    return [
        InputEvent(action, not lost, f"the phone's fault: {item.fate}" if item.fate else "")
        for action in actions
    ]


def _of_command(line: str) -> tuple[Action, ...]:
    """What a command of the shell is, as a guard between an agent and the phone judges it; none if it is not one."""
    from vsalang.phone.classify import Actions, classify_shell

    verdict = classify_shell(line) if line else None
    return verdict.actions if isinstance(verdict, Actions) else ()


def _actions(item: "Input") -> tuple[Action, ...]:
    """What an input is in the language."""
    at = {"x": item.x, "y": item.y}
    field = {"id": item.target} if item.target else {}
    match item.kind:
        case "tap" | "long_press":
            return (Action(item.kind, at),)
        case "swipe":
            return (Action("swipe", {**at, "x2": item.x2, "y2": item.y2}),)
        case "key":
            name = item.text.removeprefix("long ")
            actions = keys.pressed(f"KEYCODE_{name}")
            # a field takes what is typed; what a key does that is held is not known
            return (
                actions
                if name == item.text
                else base.not_understood("sim", {"kind": "long key", "text": name})
            )
        case "text":
            return (Action("input_text", {"value": canonical(item.text)}),)
        case "set_text":
            return (Action("input_text", {**field, "value": canonical(item.text)}),)
        case "clear_text":
            return (Action("clear_text", field),)
        case "open_app":
            return (Action("open_app", {"package": item.text}),)
        case "stop_app":
            return (base.shell(["am", "force-stop", item.text]),)
        case "clear_app":
            return (base.shell(["pm", "clear", item.text]),)
    return base.not_understood("sim", {"kind": item.kind, "text": canonical(item.text)})


# ---------------------------------------------------------------------- a real phone


class KernelInputs:
    """The touches and keys of a real phone, as its kernel reports them (`getevent`).

    Args:
        host: of the adb server.
        port: of the adb server.
        serial: of the phone.
        width: of its screen as it is held now, in pixels, if the phone does not report its size (``wm size``).
        height: of its screen, as for `width`.

    Raises:
        DeviceError: the phone does not report them, or has no touch panel.
    """

    def __init__(self, host: str, port: int, serial: str, *, width: int, height: int) -> None:
        from vsalang.phone.getevent import Touches, read_panels
        from vsalang.phone.wire import Upstream

        self._phone = Upstream(host, port, serial)
        panels = read_panels(self._output("getevent -lp"))
        if not panels:
            raise DeviceError(
                f"{serial} reports no touch panel (`getevent -lp`): what is done on it is not seen"
            )
        density = _number(r"(\d+)\s*$", self._output("wm density")) or 160
        rotation = self._rotation()
        sizes = re.findall(r"^\w+ size: (\d{1,5})x(\d{1,5})\s*$", self._output("wm size"), re.MULTILINE)
        if sizes:  # the last one overrides the panel's own
            wide, high = map(int, sizes[-1])
            width, height = (high, wide) if rotation % 2 else (wide, high)
        touches = Touches(panels, width, height, rotation=rotation, density=density)
        self._size = width, height
        self._waiting: list[InputEvent] = []
        self._lock = threading.Lock()
        self._problem = ""
        self._closed = False
        self._touches = touches
        self._stream = self._opened("getevent -lt")
        self._thread = threading.Thread(target=self._listen, name="vsalang-getevent", daemon=True)
        self._thread.start()

    @property
    def underway(self) -> bool:
        with self._lock:
            return self._touches.down

    def taken(self) -> list[InputEvent]:
        with self._lock:
            actions, self._waiting = self._waiting, []
            if not actions and self._problem and not self._closed:
                raise DeviceError(self._problem)
            return actions

    def turned(self, width: int, height: int) -> None:
        """What shows has this size now; if it lies where it stood, the phone is asked how it is held.

        Bars of the system are not part of what shows, so that this is not the size of the screen.
        """
        if width != height and (width > height) != (self._size[0] > self._size[1]):
            rotation = self._rotation()
            with self._lock:
                self._size = self._size[1], self._size[0]
                self._touches.turned(*self._size, rotation)

    def close(self) -> None:
        self._closed = True
        self._stream.close()
        self._thread.join(timeout=5)

    def _listen(self) -> None:
        problem = "the phone stopped telling what is done on it"
        rest = b""
        try:
            while data := self._stream.read(1 << 16):
                *lines, rest = (rest + data).split(b"\n")
                rest = rest[-1000:]
                with self._lock:
                    for line in lines:
                        self._waiting.extend(_of_line(self._touches, line))
                    if len(self._waiting) > MOST_WAITING:
                        problem = f"more than {MOST_WAITING} inputs arrived between two looks at the screen"
                        break
        except Exception as error:
            problem = f"{problem}: {error}"
        with self._lock:
            self._problem = problem

    def _opened(self, command: str) -> Any:
        from vsalang.phone.wire import ServiceRefused

        try:
            return self._phone.open(f"shell:{command}")
        except (ServiceRefused, ValueError) as error:
            raise DeviceError(f"the phone does not run `{command}`: {error}") from error

    def _output(self, command: str) -> str:
        with contextlib.closing(self._opened(command)) as stream:
            stream.set_timeout(10.0)
            data: bytes = stream.read_all(4 << 20)
        return data.decode("utf-8", "replace")

    def _rotation(self) -> int:
        """In quarters of a circle; 0 if the phone does not say."""
        output = self._output("dumpsys input")
        rotation = _number(r"SurfaceOrientation:\s*([0-3])\b", output)
        return (
            rotation if rotation is not None else _number(r"orientation=(?:Rotation)?([0-3])\b", output) or 0
        )


def _of_line(touches: "Touches", line: bytes) -> list[InputEvent]:
    try:
        return [InputEvent(action) for action in touches.feed(line.decode("ascii", "replace"))]
    except VocabularyError:
        return []  # a gesture that lies on no screen


def _number(pattern: str, text: str) -> int | None:
    match = re.search(pattern, text, re.MULTILINE)
    return int(match[1][:9]) if match is not None else None


def inputs_of(device: Any, name: str, choice: str, listener: Callable[[str], None]) -> Inputs:
    """The source of the inputs of a device.

    Args:
        device: opened.
        name: it was opened by.
        choice: ``auto``, ``getevent`` or ``none``.
        listener: called with the reason why nothing can be known, with ``auto``.

    Raises:
        DeviceError: it cannot be known, with ``getevent``.
    """

    if choice == "none":
        return Nothing()
    if name.startswith("sim:"):
        if choice == "getevent":
            raise DeviceError(
                f"{name} has no touch panel whose events `getevent` could report; without --inputs getevent it "
                "reports itself all that is done"
            )
        return PhoneInputs(device.phone, device)
    from vsalang.phone.wire import server_address

    info = device.info
    try:
        return KernelInputs(*server_address(), name, width=info.width, height=info.height)
    except DeviceError as error:
        if choice != "auto":
            raise
        listener(str(error))
        return Nothing()
