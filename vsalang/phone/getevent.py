"""Reads what a person does on a phone (touches, keys) from the kernel's input events, as `getevent` prints them.

    panels = read_panels(text of `getevent -lp`)
    touches = Touches(panels, width, height)
    for line in lines of `getevent -lt`:
        for gesture in touches.feed(line): ...

Only fingers and buttons are seen. Input of a program (`adb shell input`, uiautomator) does not pass through the kernel,
and of a gesture on the navigation bar only the movement is seen.
Panels that do not number fingers (without ``ABS_MT_TRACKING_ID``, before about 2012) are not read.
Formats: Android, system/core/toolbox/getevent.c; Linux, Documentation/input/multi-touch-protocol.rst.
"""

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.vocabulary import VocabularyError, base, keys
from vsalang.program.action import Action
from vsalang.program.gestures.keys import OWN_EFFECT
from vsalang.program.gestures.path import HELD, STILL

SLOP: Final = 8
"""In dp: a finger that moves less is at rest (ViewConfiguration.TOUCH_SLOP)."""
LONG_PRESS: Final = 400
"""Milliseconds after which a finger at rest makes a long press (ViewConfiguration.DEFAULT_LONG_PRESS_TIMEOUT)."""
MOST_LINE: Final = 400
MOST_PANELS: Final = 64
MOST_FINGERS: Final = 32
_WHO: Final = "getevent"
_EVENT: Final = re.compile(
    r"\[\s*(\d{1,12}\.\d{1,9})\]\s+(?:(/dev/input/[\w.-]{1,40}):\s+)?(\w{1,24})\s+(\w{1,40})\s+(\w{1,16})",
    re.ASCII,
)
_DEVICE: Final = re.compile(r"add device \d+: (/dev/input/[\w.-]{1,40})", re.ASCII)
_AXIS: Final = re.compile(r"(ABS_MT_POSITION_[XY])\s*:.*?min (-?\d{1,9}), max (-?\d{1,9})", re.ASCII)
_BY_OTHER_NAMES: Final[Mapping[str, str]] = {
    "VOLUMEUP": "VOLUME_UP",
    "VOLUMEDOWN": "VOLUME_DOWN",
    "HOMEPAGE": "HOME",
    "APPSELECT": "APP_SWITCH",
    "ESC": "ESCAPE",
    "BACKSPACE": "DEL",
    "DELETE": "FORWARD_DEL",
    "UP": "DPAD_UP",
    "DOWN": "DPAD_DOWN",
    "LEFT": "DPAD_LEFT",
    "RIGHT": "DPAD_RIGHT",
    "LEFTSHIFT": "SHIFT_LEFT",
    "RIGHTSHIFT": "SHIFT_RIGHT",
    "LEFTCTRL": "CTRL_LEFT",
    "RIGHTCTRL": "CTRL_RIGHT",
    "LEFTALT": "ALT_LEFT",
    "RIGHTALT": "ALT_RIGHT",
    "DOT": "PERIOD",
    "EQUAL": "EQUALS",
}
"""Linux's names of keys, where Android has others."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A touch panel: the least and the greatest value of each axis."""

    left: int
    right: int
    top: int
    bottom: int


def read_panels(text: str) -> dict[str, Panel]:
    """The touch panels that `getevent -lp` lists, by the files of their devices."""
    axes: dict[str, dict[str, tuple[int, int]]] = {}
    device = ""
    for line in text.split("\n"):
        line = line[:MOST_LINE]
        if match := _DEVICE.search(line):
            device = match[1]
        elif device and (axis := _AXIS.search(line)):
            axes.setdefault(device, {})[axis[1]] = int(axis[2]), int(axis[3])
    panels = {}
    for name, known in list(axes.items())[:MOST_PANELS]:
        across, down = known.get("ABS_MT_POSITION_X"), known.get("ABS_MT_POSITION_Y")
        if across and down and across[0] < across[1] and down[0] < down[1]:
            panels[name] = Panel(*across, *down)
    return panels


@dataclass(slots=True)
class _Finger:
    """A finger on the panel: where it touched first, where it is now, and its greatest distance from the start."""

    x: int | None = None
    y: int | None = None
    first: tuple[int, int] | None = None
    across: int = 0
    down: int = 0

    def moved(self) -> None:
        """Record its position at the end of a packet."""
        if self.x is None or self.y is None:
            return
        if self.first is None:
            self.first = self.x, self.y
        self.across = max(self.across, abs(self.x - self.first[0]))
        self.down = max(self.down, abs(self.y - self.first[1]))


@dataclass(slots=True)
class _Touching:
    """The state of one panel: the fingers by their slots, when they touched first, and how many there were at once.

    The kernel reports only changes, so the last position of each slot is kept for the next finger.
    """

    slot: int = 0
    places: dict[int, tuple[int | None, int | None]] = field(default_factory=dict)
    fingers: dict[int, _Finger] = field(default_factory=dict)
    lifted: list[_Finger] = field(default_factory=list)
    since: float = 0.0

    def axis(self, code: str, number: int, at: float) -> None:
        """Handle an event of an axis; events that are not about fingers are ignored."""
        match code:
            case "ABS_MT_SLOT" if 0 <= number < MOST_FINGERS:
                self.slot = number
            case "ABS_MT_TRACKING_ID" if number >= 0:
                if not self.fingers and not self.lifted:
                    self.since = at
                self.fingers[self.slot] = _Finger(*self.places.get(self.slot, (None, None)))
            case "ABS_MT_TRACKING_ID":
                finger = self.fingers.pop(self.slot, None)
                if finger is not None and len(self.lifted) < MOST_FINGERS:
                    self.lifted.append(finger)
            case "ABS_MT_POSITION_X":
                self.places[self.slot] = number, self.places.get(self.slot, (None, None))[1]
            case "ABS_MT_POSITION_Y":
                self.places[self.slot] = self.places.get(self.slot, (None, None))[0], number

    def report(self) -> None:
        """Handle the end of a packet."""
        for slot, finger in self.fingers.items():
            finger.x, finger.y = self.places.get(slot, (None, None))
            finger.moved()


class Touches:
    """Makes gestures from the lines of `getevent -lt`, one line at a time. It keeps no paths, so its memory is bounded.

    Args:
        panels: of the phone; events of other devices are keys.
        width: of the screen in its current orientation, in pixels.
        height: of the screen in its current orientation, in pixels.
        rotation: the rotation of the screen in quarter turns, as Android counts them.
        density: in dots per inch.
    """

    def __init__(
        self, panels: Mapping[str, Panel], width: int, height: int, *, rotation: int = 0, density: int = 160
    ) -> None:
        self._panels = dict(panels)
        self.turned(width, height, rotation)
        self._slop = max(STILL, SLOP * max(density, 1) // 160)
        self._touching: dict[str, _Touching] = {}

    def turned(self, width: int, height: int, rotation: int) -> None:
        """Set the new orientation of the screen."""
        self._width, self._height, self._rotation = max(width, 1), max(height, 1), rotation % 4

    @property
    def _natural(self) -> tuple[int, int]:
        """Width and height of the screen in the panel's own orientation."""
        return (self._height, self._width) if self._rotation % 2 else (self._width, self._height)

    @property
    def down(self) -> bool:
        """Whether a finger is on the screen: its gesture is not known before it is lifted."""
        return any(touching.fingers for touching in self._touching.values())

    def feed(self, line: str) -> tuple[Action, ...]:
        """The gestures that this line completes: at most one. Lines that are not events are ignored."""
        match = _EVENT.match(line[:MOST_LINE])
        if match is None:
            return ()
        at, device, kind, code, value = float(match[1]), match[2] or "", match[3], match[4], match[5]
        if kind == "EV_KEY":
            return _key(code, value)
        panel = self._panels.get(device) if device else next(iter(self._panels.values()), None)
        if panel is None:
            return ()
        touching = self._touching.setdefault(device, _Touching())
        if kind == "EV_ABS" and (number := _number(value)) is not None:
            touching.axis(code, number, at)
        elif kind == "EV_SYN" and code == "SYN_REPORT":
            touching.report()
            if touching.lifted and not touching.fingers:
                return self._gesture(touching, panel, at)
        elif kind == "EV_SYN" and code == "SYN_DROPPED":
            self._touching[device] = _Touching()  # events were lost: it is not known which fingers are down
        return ()

    def _gesture(self, touching: _Touching, panel: Panel, at: float) -> tuple[Action, ...]:
        """The gesture from the first finger that touched to the last that was lifted."""
        fingers, touching.lifted = touching.lifted, []
        if len(fingers) > 1:
            return base.not_understood(_WHO, {"gesture": "several fingers", "fingers": len(fingers)})
        (finger,) = fingers
        if finger.first is None or finger.x is None or finger.y is None:
            return base.not_understood(_WHO, {"gesture": "a touch at a place that was not told"})
        x, y = self._pixel(panel, *finger.first)
        x2, y2 = self._pixel(panel, finger.x, finger.y)
        held = min(max(int((at - touching.since) * 1000), 1), base.LONGEST)
        wide, high = self._natural
        across, down = wide / (panel.right - panel.left + 1), high / (panel.bottom - panel.top + 1)
        if max(finger.across * across, finger.down * down) <= self._slop:
            return base.touch(x, y, HELD if held >= LONG_PRESS else 0)
        if max(abs(x2 - x), abs(y2 - y)) <= self._slop:
            return base.not_understood(_WHO, {"gesture": "a movement there and back", "x": x, "y": y})
        return base.stroke(x, y, x2, y2, held=held)

    def _pixel(self, panel: Panel, x: int, y: int) -> tuple[int, int]:
        """A position on the panel as a pixel of the screen in its orientation."""
        # the middle of one unit of the panel
        across = (x - panel.left + 0.5) / (panel.right - panel.left + 1)
        down = (y - panel.top + 0.5) / (panel.bottom - panel.top + 1)
        for _ in range(self._rotation):  # a quarter turn: the top becomes the left
            across, down = down, 1 - across
        column, row = int(across * self._width), int(down * self._height)
        return min(max(column, 0), self._width - 1), min(max(row, 0), self._height - 1)


def _key(code: str, value: str) -> tuple[Action, ...]:
    """A key that goes down; buttons of the panel itself (``BTN_TOUCH``) are ignored, as the fingers are known."""
    if value != "DOWN" or not code.startswith("KEY_"):
        return ()
    name = code.removeprefix("KEY_")
    name = _BY_OTHER_NAMES.get(name, name)
    if name in OWN_EFFECT:  # the user pressed it, not a command
        return (Action("press_key", {"key": name}),)
    try:
        return keys.pressed(f"KEYCODE_{name}")
    except VocabularyError:
        return base.not_understood(_WHO, {"key": code})


def _number(value: str) -> int | None:
    """A value as getevent prints it: 32 bits in hexadecimal, negative ones as their complement."""
    try:
        number = int(value, 16)
    except ValueError:
        return None
    return number - (1 << 32) if number >= 1 << 31 else number
