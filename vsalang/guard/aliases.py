"""Gestures that may be a tap by another name: whatever a tap there would need, they need too.

A double tap and a long press begin as a tap; a swipe shorter than the touch slop is one; Enter, the space bar and the
centre of the pad press what has the focus; typing into a field taps it first, and a line break is Enter.
"""

from collections.abc import Mapping

from vsalang.core.screen import Cells, Screen, Unresolved
from vsalang.core.values import Value

SLOP = 48
"""Pixels: a shorter swipe may be taken for a tap. Android's slop is 8 dp, 32 pixels at four pixels a dp."""
_PRESSING = frozenset({"enter", "numpad_enter", "space", "dpad_center", "button_a", "button_select"})
_CODES = {
    "66": "enter",
    "160": "numpad_enter",
    "62": "space",
    "23": "dpad_center",
    "96": "button_a",
    "109": "button_select",
}
_POINT = ("x", "y", "leaf", "covered")


def taps(screen: Screen, gesture: str, cells: Cells) -> list[tuple[str, Cells]]:
    """The gestures that this one may be beside itself, with their cells on the screen it is proposed for."""
    if gesture == "double_tap" or (gesture == "long_press" and cells.get("long_clickable") is not True):
        return [("tap", cells)]
    if gesture == "swipe" and _short(cells):
        return _at(screen, {name: cells[name] for name in ("x", "y")})
    if gesture == "press_key" and _pressing(cells.get("key")):
        return _focused(screen)
    if gesture == "input_text":
        value = cells.get("value")
        found: list[tuple[str, Cells]] = [("tap", {name: v for name, v in cells.items() if name != "value"})]
        if isinstance(value, str) and any(mark in value for mark in "\n\r"):
            found.append(("press_key", {"key": "ENTER"}))
        return found
    return []


def _short(cells: Cells) -> bool:
    points = [cells.get(name) for name in ("x", "y", "x2", "y2")]
    if any(isinstance(point, bool) or not isinstance(point, int) for point in points):
        return False
    x, y, x2, y2 = (int(point) for point in points)  # type: ignore[arg-type]
    return (x - x2) ** 2 + (y - y2) ** 2 <= SLOP**2


def _pressing(key: Value | None) -> bool:
    if not isinstance(key, str):
        return False
    name = key.strip().lower().removeprefix("keycode_").replace(" ", "_")
    return _CODES.get(name, name) in _PRESSING


def _at(screen: Screen, args: Mapping[str, Value]) -> list[tuple[str, Cells]]:
    try:
        return [("tap", dict(screen.target("tap", args)))]
    except Unresolved:
        return []


def _focused(screen: Screen) -> list[tuple[str, Cells]]:
    """A tap on each node that has the focus; where none says so, on none."""
    found: list[tuple[str, Cells]] = []
    for row in screen.rows("Node"):
        if row.get("focused") is True:
            found.append(("tap", {name: value for name, value in row.items() if name not in _POINT}))
    return found
