"""Gestures that may be another by another name: whatever that one would need, they need too.

A double tap, a long press and typing begin as a tap; a swipe or scroll shorter than the touch slop is one, or a long
press; Enter, the space bar and the centre of the pad press what has the focus; a key has several names, and the keys
for back and home are those gestures; a line break that is typed is Enter; a swipe from an edge of the screen is back
or home where gestures navigate; a tap on Paste types.
"""

from collections.abc import Mapping
from decimal import Decimal

from vsalang.core.action import Action
from vsalang.core.screen import Cells, Screen, Unresolved
from vsalang.core.values import Value

SLOP = 48
"""Pixels: a shorter swipe may be taken for a tap. Android's slop is 8 dp, 32 pixels at four pixels a dp."""
_BUTTONS = {
    **{f"BUTTON_{letter}": code for code, letter in enumerate("ABCXYZ", 96)},
    **{
        f"BUTTON_{name}": code
        for code, name in enumerate(("THUMBL", "THUMBR", "START", "SELECT", "MODE"), 106)
    },
    **{f"BUTTON_{number}": code for number, code in enumerate(range(188, 204), 1)},
}
"""Buttons of a game pad, which Android turns into the centre of the pad, back or home, as the phone has it."""
_PRESSING = frozenset({"ENTER", "NUMPAD_ENTER", "SPACE", "DPAD_CENTER", "NUMPAD_5", *_BUTTONS})
_CODES = {
    "3": "HOME",
    "4": "BACK",
    "66": "ENTER",
    "160": "NUMPAD_ENTER",
    "62": "SPACE",
    "23": "DPAD_CENTER",
    "111": "ESCAPE",
    "149": "NUMPAD_5",
    **{str(code): name for name, code in _BUTTONS.items()},
}
OWN_EFFECT = {
    "CALL": 5, "ENDCALL": 6, "POWER": 26, "CAMERA": 27, "EXPLORER": 64, "ENVELOPE": 65, "HEADSETHOOK": 79,
    "FOCUS": 80, "SYSRQ": 120, "TV_POWER": 177, "STB_POWER": 179, "AVR_POWER": 181, "ASSIST": 219,
    "VOICE_ASSIST": 231,
}  # fmt: skip
"""Keys that do something of their own whatever the screen shows, with their codes: a call, a photo, an app."""
_CODES |= {str(code): name for name, code in OWN_EFFECT.items()}
_GESTURES: dict[str, tuple[str, ...]] = {
    "BACK": ("back",),
    "ESCAPE": ("back",),
    "HOME": ("home",),
    **dict.fromkeys(_BUTTONS, ("back", "home")),
}
_KEYS = {"back": "BACK", "home": "HOME"}
EDGE = 128
"""Pixels from an edge of the screen in which a swipe may be back or home: 32 dp at four pixels a dp."""
_PASTING = frozenset({"paste", "paste as plain text"})
_TOOLBAR = "floating_toolbar"
_POINT = ("x", "y", "leaf", "covered")
_MOVING = frozenset({"x2", "y2", "direction", "duration"})


def taps(screen: Screen, gesture: str, cells: Cells) -> list[tuple[str, Cells]]:
    """The gestures that this one may be beside itself, with their cells on the screen it is proposed for."""
    if gesture == "tap":
        return _pasted(screen, cells)
    if gesture == "double_tap" or (gesture == "long_press" and cells.get("long_clickable") is not True):
        return [("tap", cells), *_pasted(screen, cells)]
    if gesture == "swipe":
        return [*_moved(screen, gesture, cells), *_navigated(screen, cells)]
    if gesture == "scroll":
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


def commands(gesture: Action | None) -> tuple[Action, ...]:
    """The critical action ``shell`` that a key with an effect of its own is: no rule knows what it does."""
    key = gesture.args.get("key") if gesture is not None and gesture.name == "press_key" else None
    name = _name(key) if isinstance(key, str) else ""
    return (Action("shell", {"command": f"input keyevent KEYCODE_{name}"}),) if name in OWN_EFFECT else ()


def _name(key: str) -> str:
    name = key.strip().upper().removeprefix("KEYCODE_").replace(" ", "_")
    return _CODES.get(name.lstrip("0"), name) if name.isdecimal() else name


def _pressed(screen: Screen, key: Value | None) -> list[tuple[str, Cells]]:
    if not isinstance(key, str):
        return []
    name = _name(key)
    found: list[tuple[str, Cells]] = [("press_key", {"key": name})] if name != key else []
    found += [(gesture, {}) for gesture in _GESTURES.get(name, ())]
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


def _navigated(screen: Screen, cells: Cells) -> list[tuple[str, Cells]]:
    """A movement from an edge of the screen, which gesture navigation takes for back or home."""
    x, y = _number(cells.get("x")), _number(cells.get("y"))
    if x is None or y is None:
        return []
    way = cells.get("direction")
    x2, y2 = _number(cells.get("x2")), _number(cells.get("y2"))
    inwards, upwards = way in ("left", "right"), way == "up"
    if x2 is not None and y2 is not None:
        inwards, upwards = abs(x2 - x) > SLOP, y - y2 > SLOP
    corners = [(_number(row.get("right")), _number(row.get("bottom"))) for row in screen.rows("Node")]
    width = max((right for right, _ in corners if right is not None), default=Decimal(0))
    height = max((bottom for _, bottom in corners if bottom is not None), default=Decimal(0))
    found: list[tuple[str, Cells]] = []
    if inwards and (x < EDGE or x >= width - EDGE):
        found += [("back", {}), ("press_key", {"key": "BACK"})]
    if upwards and y >= height - EDGE:
        found += [("home", {}), ("press_key", {"key": "HOME"})]
    return found


def _pasted(screen: Screen, cells: Cells) -> list[tuple[str, Cells]]:
    """A tap on Paste, which types what the clipboard holds into what has the focus.

    The toolbar for texts is known by the ids of its items; which of them pastes depends on the language.
    """
    rows = screen.rows("Node")
    edges = [_number(cells.get(name)) for name in ("left", "top", "right", "bottom")]
    named = [row for row in rows if _is_paste(row)]
    if not _is_paste(cells) and not any(
        row.get("node") == cells.get("leaf") or _inside(row, edges) for row in named
    ):
        return []
    fields = [row for row in rows if row.get("focused") is True and row.get("editable") is True]
    found = [
        ("input_text", {name: value for name, value in row.items() if name not in _POINT}) for row in fields
    ]
    return [*found] if found else [("input_text", {})]


def _is_paste(row: Cells) -> bool:
    if _TOOLBAR in str(row.get("resource_id", "")):
        return True
    return any(str(row.get(name, "")).strip().lower() in _PASTING for name in ("text", "desc", "label"))


def _inside(row: Cells, edges: list[Decimal | None]) -> bool:
    left, top, right, bottom = edges
    own = [_number(row.get(name)) for name in ("left", "top", "right", "bottom")]
    if None in own or left is None or top is None or right is None or bottom is None:
        return False
    assert own[0] is not None and own[1] is not None and own[2] is not None and own[3] is not None
    return left <= own[0] and top <= own[1] and own[2] <= right and own[3] <= bottom


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
