"""Gestures that may be another by another name: whatever that one would need, they need too.

A double tap, a long press and typing begin as a tap; a swipe or scroll shorter than the touch slop is one, or a long
press; Enter, the space bar and the centre of the pad press what has the focus; a key has several names, and the keys
for back and home are those gestures; a line break that is typed is Enter.
"""

from collections.abc import Mapping
from decimal import Decimal

from vsalang.core.screen import Cells, Screen, Unresolved
from vsalang.core.values import Value

SLOP = 48
"""Pixels: a shorter swipe may be taken for a tap. Android's slop is 8 dp, 32 pixels at four pixels a dp."""
_PRESSING = frozenset({"ENTER", "NUMPAD_ENTER", "SPACE", "DPAD_CENTER", "BUTTON_A", "BUTTON_SELECT"})
_CODES = {
    "3": "HOME",
    "4": "BACK",
    "66": "ENTER",
    "160": "NUMPAD_ENTER",
    "62": "SPACE",
    "23": "DPAD_CENTER",
    "96": "BUTTON_A",
    "109": "BUTTON_SELECT",
    "111": "ESCAPE",
}
_GESTURES = {"BACK": "back", "ESCAPE": "back", "HOME": "home"}
_KEYS = {"back": "BACK", "home": "HOME"}
_POINT = ("x", "y", "leaf", "covered")
_MOVING = frozenset({"x2", "y2", "direction", "duration"})


def taps(screen: Screen, gesture: str, cells: Cells) -> list[tuple[str, Cells]]:
    """The gestures that this one may be beside itself, with their cells on the screen it is proposed for."""
    if gesture == "double_tap" or (gesture == "long_press" and cells.get("long_clickable") is not True):
        return [("tap", cells)]
    if gesture in ("swipe", "scroll"):
        return _moved(screen, gesture, cells)
    if gesture == "press_key":
        return _pressed(screen, cells.get("key"))
    if gesture in _KEYS:
        return [("press_key", {"key": _KEYS[gesture]})]
    if gesture in ("input_text", "clear_text"):
        # A field without the focus is tapped first.
        value = cells.get("value")
        found: list[tuple[str, Cells]] = [("tap", {name: v for name, v in cells.items() if name != "value"})]
        if isinstance(value, str) and any(mark in value for mark in "\n\r"):
            found.append(("press_key", {"key": "ENTER"}))
        return found
    return []


def _pressed(screen: Screen, key: Value | None) -> list[tuple[str, Cells]]:
    if not isinstance(key, str):
        return []
    name = key.strip().upper().removeprefix("KEYCODE_").replace(" ", "_")
    if name.isdecimal():
        name = _CODES.get(name.lstrip("0"), name)
    found: list[tuple[str, Cells]] = [("press_key", {"key": name})] if name != key else []
    if name in _GESTURES:
        found.append((_GESTURES[name], {}))
    return [*found, *(_focused(screen) if name in _PRESSING else ())]


def _moved(screen: Screen, gesture: str, cells: Cells) -> list[tuple[str, Cells]]:
    """A movement that may be taken for a touch that rests; the device's own rules say how far a finger moves."""
    touched = {name: value for name, value in cells.items() if name not in _MOVING}
    edges = [_number(cells.get(name)) for name in ("left", "top", "right", "bottom")]
    x, y = _number(cells.get("x")), _number(cells.get("y"))
    if gesture == "swipe" and "x2" in cells and "y2" in cells:
        x2, y2 = _number(cells["x2"]), _number(cells["y2"])
        if x is None or y is None:
            return []  # without a point nothing is touched
        short = x2 is None or y2 is None or (x - x2) ** 2 + (y - y2) ** 2 <= SLOP**2
        return [("tap", touched), ("long_press", touched)] if short else []
    left, top, right, bottom = edges
    if left is None or top is None or right is None or bottom is None:
        # The movement begins where the touch is and ends at the latest at the edge of the screen, which is not known.
        near = gesture == "swipe" and x is not None and y is not None
        return [("tap", touched), ("long_press", touched)] if near else []
    along = right - left if cells.get("direction") in ("left", "right") else bottom - top
    way = along * 6 / 10
    if gesture == "swipe" and x is not None and y is not None:
        room = {"left": x - left, "right": right - 1 - x, "up": y - top, "down": bottom - 1 - y}
        way = min(way, room.get(str(cells.get("direction")), Decimal(0)))
        found = []
    else:
        middle = {"x": int(left + right) // 2, "y": int(top + bottom) // 2}
        found = _at(screen, middle)
    if way > SLOP:
        return []
    return [("tap", touched), ("long_press", touched), *found]


def _number(value: Value | None) -> Decimal | None:
    return Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


def _at(screen: Screen, args: Mapping[str, Value]) -> list[tuple[str, Cells]]:
    try:
        cells = dict(screen.target("tap", args))
    except Unresolved:
        return []
    return [("tap", cells), ("long_press", cells)]


def _focused(screen: Screen) -> list[tuple[str, Cells]]:
    """A tap on each node that has the focus; where none says so, on none."""
    found: list[tuple[str, Cells]] = []
    for row in screen.rows("Node"):
        if row.get("focused") is True:
            found.append(("tap", {name: value for name, value in row.items() if name not in _POINT}))
    return found
