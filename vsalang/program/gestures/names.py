"""Every name that the touches and keys of one gesture may have on the screen they are made on.

A phone knows touches and keys, rules know gestures; several gestures may be the same touches and keys. A swipe is a
scroll of what lies under it; a short one is a tap; two taps are a double tap; a tap on the soft keyboard types; Enter
presses what has the focus. Whatever a rule says of one name it says of the others too.
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final, Literal

from vsalang.base.records import dataclass
from vsalang.program.action import Action
from vsalang.program.gestures import keys
from vsalang.program.gestures.keyboard import holds
from vsalang.program.gestures.path import HELD, OPPOSITE, SLOP, directions, number
from vsalang.program.gestures.recent import NOTHING, Recent
from vsalang.program.gestures.surface import Surface, is_paste
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.values import Value

EDGE: Final = 128
"""Pixels from an edge of the screen in which a swipe may be back or home: 32 dp at four pixels a dp."""
MOST_INSERTED: Final = 400
"""Characters of a field up to which every place is tried at which something may be typed into its text."""
_BAR: Final = {"back": "BACK", "home": "HOME", "home_button": "HOME", "recent_apps": "APP_SWITCH"}
"""Id of a button of the navigation bar -> the key that it is."""
_PRESSED: Final = frozenset(
    "Button ImageButton CheckBox RadioButton Switch SwitchCompat ToggleButton TextView CheckedTextView "
    "ImageView".split()
)
"""Classes of controls that Enter and its like press, and no other key does anything to."""
_ANY: Final = ("tap", "double_tap", "long_press")
_SYSTEM: Final = "com.android.systemui"
_MOVING: Final = frozenset({"x2", "y2", "direction", "duration"})
_EDGES: Final = ("left", "top", "right", "bottom")
_GESTURES: Final[dict[str, tuple[str, ...]]] = {
    "BACK": ("back",),
    "ESCAPE": ("back",),
    "HOME": ("home",),
    **dict.fromkeys(keys.BUTTONS, ("back", "home")),
}


@dataclass(frozen=True, slots=True)
class Name:
    """A gesture that the touches and keys may be, with its cells.

    Attributes:
        role: ``same``: the same in other words; ``or``: it may be this instead; ``and``: it may be this, too, by what
            was before it or by what it meets.
        only: it matters only to rules that ask for this attribute; empty: to all.
        unread: the attributes that nobody read: they may have any value.
    """

    gesture: str
    cells: Cells
    role: Literal["same", "or", "and"] = "or"
    only: str = ""
    unread: frozenset[str] = frozenset()


def read(on: Surface, name: Name) -> Name:
    """The name with what is not known of it: of its node, and of a text that is typed and not known."""
    unread = on.unread(name.cells)
    if name.gesture == "input_text" and "value" not in name.cells:
        unread |= {"value"}
    return replace(name, unread=unread) if unread else name


def completed_cells(gesture: str, cells: Cells) -> Cells:
    """The cells of a gesture with what follows from them: where a swipe between two places goes."""
    if gesture == "swipe" and "direction" not in cells and (ways := directions(cells)):
        return {**cells, "direction": ways[0]}
    return cells


def names(
    on: Surface, gesture: str, cells: Cells, recent: Recent = NOTHING, *, whole: bool = False
) -> tuple[Name, ...]:
    """The other names of a gesture.

    Args:
        on: the screen that it is proposed for.
        gesture: as it was proposed.
        cells: its cells there.
        recent: the touches and keys shortly before.
        whole: what is typed becomes the text of the field as a whole, as where a field is named to type into.
    """
    names: dict[object, Name] = {}
    for name in _names(on, gesture, cells, recent, whole):
        if name.gesture == gesture and dict(name.cells) == dict(cells):
            continue
        key = (name.gesture, name.only, frozenset(name.cells.items()))
        names.setdefault(key, name)
    return tuple(names.values())


def _names(on: Surface, gesture: str, cells: Cells, recent: Recent, whole: bool) -> Iterator[Name]:
    if gesture == "tap":
        yield from _tapped(on, cells, recent)
    elif gesture == "double_tap":
        yield Name("tap", cells)
        yield from _tapped(on, cells, NOTHING)
    elif gesture == "long_press":
        if cells.get("long_clickable") is not True:
            yield Name("tap", cells)
            yield from _tapped(on, cells, NOTHING)
        else:
            yield from _keyed(on, cells, recent)
    elif gesture == "swipe":
        yield from _swiped(on, cells, recent)
    elif gesture == "scroll":
        yield from _scrolled(on, cells, recent)
    elif gesture == "press_key":
        yield from _pressed(on, cells.get("key"), recent)
    elif gesture in ("back", "home"):
        yield Name("press_key", {"key": gesture.upper()}, "same")
    elif gesture in ("input_text", "clear_text"):
        # A field without the focus is tapped first.
        at = {name: value for name, value in cells.items() if name != "value"}
        yield Name("tap", at)
        if recent.touched(at):
            yield Name("double_tap", at, "and")
        if gesture == "input_text":
            yield from _characters(cells)
            if cells.get("value") == "":  # the text of the field is replaced by none
                yield Name("clear_text", at, "and")
                yield Name("press_key", {"key": "DEL"}, "same")
            if not whole:
                yield from _inserted(cells, recent)
        else:
            yield Name("press_key", {"key": "DEL"}, "same")


def commands(gesture: Action | None) -> tuple[Action, ...]:
    """The critical action ``shell`` that a key with an effect of its own is: no rule knows what it does."""
    key = gesture.args.get("key") if gesture is not None and gesture.name == "press_key" else None
    name = keys.normal(key) if isinstance(key, str) else ""
    command = {"command": f"input keyevent KEYCODE_{name}"}
    return (Action("shell", command),) if name in keys.OWN_EFFECT else ()


# ------------------------------------------------------------------ touches


def _tapped(on: Surface, cells: Cells, recent: Recent) -> Iterator[Name]:
    """What else a tap may be."""
    if recent.touched(cells):
        yield Name("double_tap", cells, "and")
    yield from _pasted(on, cells)
    yield from _keyed(on, cells, recent)
    system = cells.get("package") == _SYSTEM
    if system or "package" in on.unread(cells):
        own = _BAR.get(str(cells.get("id")))
        sure = system and own is not None
        unread = system and "id" in on.unread(cells)
        for key in dict.fromkeys(_BAR.values()) if unread else (own,) if own is not None else ():
            role: Literal["same", "and"] = "same" if sure else "and"
            yield Name("press_key", {"key": key}, role)
            yield from (Name(gesture, {}, role) for gesture in _GESTURES.get(key, ()))


def key_of_bar(cells: Cells) -> str | None:
    """The key that a button of the navigation bar is; None if the node is none."""
    return _BAR.get(str(cells.get("id"))) if cells.get("package") == _SYSTEM else None


def _keyed(on: Surface, cells: Cells, recent: Recent) -> Iterator[Name]:
    """What a key of the soft keyboard does to what has the focus."""
    key = on.keyboards.key_at(cells)
    if key is None:
        return
    fields = on.fields or ({},)
    for field in fields:
        for text in key.texts:
            typed = {**field, "value": text}
            yield Name("input_text", typed, "and")
            yield from _characters(typed)
            yield from _inserted(typed, recent)
        if key.unknown:
            yield Name("input_text", field, "and")
        if key.delete:
            yield Name("clear_text", field, "and")
    if key.delete:
        yield Name("press_key", {"key": "DEL"}, "and")
    if key.enter:
        yield Name("press_key", {"key": "ENTER"}, "and")
        yield from _pressed(on, "ENTER", recent)


def _pasted(on: Surface, cells: Cells) -> Iterator[Name]:
    """A tap on Paste, which types what the clipboard holds into what has the focus: nobody knows what that is."""
    edges = [number(cells.get(name)) for name in _EDGES]
    if (
        not is_paste(cells)
        and not (on.fields and on.may_paste(cells))
        and not any(row.get("node") == cells.get("leaf") or _inside(row, edges) for row in on.pastes)
    ):
        return
    for field in on.fields or ({},):
        yield Name("input_text", field, "and")


def _inside(row: Cells, edges: list[Decimal | None]) -> bool:
    left, top, right, bottom = edges
    own = [number(row.get(name)) for name in _EDGES]
    if None in own or left is None or top is None or right is None or bottom is None:
        return False
    assert own[0] is not None and own[1] is not None and own[2] is not None and own[3] is not None
    return left <= own[0] and top <= own[1] and own[2] <= right and own[3] <= bottom


# ------------------------------------------------------------------ movements


def _swiped(on: Surface, cells: Cells, recent: Recent) -> Iterator[Name]:
    ways = directions(cells)
    begins = cells
    if cells.get("x") is None and (middle := _at(on, "swipe", _middle(on))):
        # without a place the finger begins in the middle of the screen
        begins = {**cells, **middle}
        yield Name("swipe", begins, "same")
    for way in ways:
        if way != cells.get("direction"):
            yield Name("swipe", {**begins, "direction": way}, "same")
    touched = {name: value for name, value in begins.items() if name not in _MOVING}
    for way in ways:
        for area in _areas(on, touched):
            yield Name("scroll", {**area, "direction": OPPOSITE[way]}, "same")
    if _is_short(begins):
        yield from _short(on, touched, recent)
    elif _is_slow(begins):
        yield Name("long_press", touched)
    yield from _navigated(on, begins, ways)


def _scrolled(on: Surface, cells: Cells, recent: Recent) -> Iterator[Name]:
    """A scroll is made by a finger that moves the other way, somewhere in what scrolls."""
    ways = directions(cells)
    for way in () if ways else OPPOSITE:
        yield Name("scroll", {**cells, "direction": way}, "same")
    touched = {name: value for name, value in cells.items() if name not in _MOVING}
    box = _box(cells)
    pointed = cells.get("x") is not None
    if not pointed:
        touched = dict(_at(on, "scroll", _middle(on)) or touched)
    for way in ways or tuple(OPPOSITE):
        for area in _areas(on, touched):
            yield Name("scroll", {**area, "direction": way}, "same")
        moves = OPPOSITE[way]
        yield Name("swipe", {**touched, "direction": moves}, "same")
        for place in (_middle(on) if None in box else _centre(box), _start(box, moves)):
            if (begins := _at(on, "swipe", place)) is not None:
                yield Name("swipe", {**begins, "direction": moves}, "same")
                if _is_short({**cells, "direction": moves}, scroll=True):
                    yield from _short(on, begins, recent)
    if pointed and _is_short(cells, scroll=True):
        yield from _short(on, touched, recent)


def _short(on: Surface, touched: Cells, recent: Recent) -> Iterator[Name]:
    """What a movement may be that some devices take for a touch that rests."""
    yield Name("tap", touched)
    yield Name("long_press", touched)
    yield from _tapped(on, touched, recent)


def _is_short(cells: Cells, *, scroll: bool = False) -> bool:
    """Whether a movement may be read as a touch that does not move; where its end is not known, it may.

    Args:
        scroll: it is a scroll, which is made anywhere in the node.
    """
    x, y, x2, y2 = (number(cells.get(name)) for name in ("x", "y", "x2", "y2"))
    if "x2" in cells and "y2" in cells:
        if x is None or y is None:
            return False  # without a point nothing is touched
        return x2 is None or y2 is None or (x - x2) ** 2 + (y - y2) ** 2 <= SLOP**2
    left, top, right, bottom = _box(cells)
    if left is None or top is None or right is None or bottom is None:
        # It begins where the touch is and ends at the latest at the edge of the screen, which is not known.
        return not scroll and x is not None and y is not None
    way = str(cells.get("direction"))
    along = (right - left if way in ("left", "right") else bottom - top) * 6 / 10
    if not scroll and x is not None and y is not None:
        room = {"left": x - left, "right": right - 1 - x, "up": y - top, "down": bottom - 1 - y}
        along = min(along, room.get(way, Decimal(0)))
    return along <= SLOP


def _box(cells: Cells) -> "Box":
    """The edges of the node along which a movement goes; it goes along the screen where no node takes it.

    One that does not say whether it scrolls may: along it the movement is the shorter one.
    """
    if cells.get("clickable") is False and cells.get("scrollable") is not None and not takes(cells):
        return None, None, None, None
    left, top, right, bottom = (number(cells.get(name)) for name in _EDGES)
    return left, top, right, bottom


def takes(cells: Cells) -> bool:
    """Whether a node is known to take touches or movements."""
    return any(cells.get(name) is True for name in ("clickable", "long_clickable", "scrollable"))


def _is_slow(cells: Cells) -> bool:
    """Whether a swipe is so slow that the finger is within the touch slop when a long press is due."""
    x, y, x2, y2 = (number(cells.get(name)) for name in ("x", "y", "x2", "y2"))
    lasting = getattr(cells.get("duration"), "total_seconds", None)
    if x is None or y is None or x2 is None or y2 is None or lasting is None:
        return False
    held = Decimal(str(lasting())) * 1000
    return held >= HELD and ((x - x2) ** 2 + (y - y2) ** 2) * HELD**2 <= (SLOP * held) ** 2


def _areas(on: Surface, touched: Cells) -> list[Cells]:
    """What a movement over a touched node may scroll: all that scrolls at the point; the node, if nothing says so."""
    point = {name: touched[name] for name in ("x", "y", "leaf") if name in touched}
    areas = [
        {**row, **point, "covered": False}
        for row in on.scrolling
        if holds(row, touched) or row.get("node") == touched.get("node")
    ]
    return [*areas] if areas else [touched]


def _navigated(on: Surface, cells: Cells, ways: tuple[str, ...]) -> Iterator[Name]:
    """A movement from an edge of the screen, which gesture navigation takes for back, home or the last apps."""
    x, y = number(cells.get("x")), number(cells.get("y"))
    if x is None or y is None:
        return
    x2, y2 = number(cells.get("x2")), number(cells.get("y2"))
    inwards, upwards = bool({"left", "right"} & set(ways)), "up" in ways
    if x2 is not None and y2 is not None:
        inwards, upwards = abs(x2 - x) > SLOP, y - y2 > SLOP
    width, height = on.size
    names: list[str] = []
    if inwards and (x < EDGE or x >= width - EDGE):
        names.append("BACK")
    if upwards and y >= height - EDGE:
        names += ["HOME", "APP_SWITCH"]
    for key in names:
        yield Name("press_key", {"key": key})
        yield from (Name(gesture, {}) for gesture in _GESTURES.get(key, ()))


Place = tuple[int, int] | None
Box = tuple[Decimal | None, Decimal | None, Decimal | None, Decimal | None]


def _middle(on: Surface) -> Place:
    width, height = on.size
    return (int(width) // 2, int(height) // 2) if width and height else None


def _centre(box: Box) -> Place:
    left, top, right, bottom = box
    if left is None or top is None or right is None or bottom is None:
        return None
    return int(left + right) // 2, int(top + bottom) // 2


def _start(box: Box, moves: str) -> Place:
    """Where a finger comes down that is to move over 60 % of a node, through its middle."""
    middle = _centre(box)
    left, top, right, bottom = box
    if middle is None or left is None or top is None or right is None or bottom is None:
        return None
    wide, high = int(right - left) * 3 // 10, int(bottom - top) * 3 // 10
    return (
        middle[0] - {"right": wide, "left": -wide}.get(moves, 0),
        middle[1] - {"down": high, "up": -high}.get(moves, 0),
    )


def _at(on: Surface, gesture: str, place: Place) -> Cells | None:
    if place is None:
        return None
    try:
        return dict(on.screen.target(gesture, {"x": place[0], "y": place[1]}))
    except UnresolvedTarget:
        return None


# ------------------------------------------------------------------ keys and texts


def _pressed(on: Surface, key: Value | None, recent: Recent) -> Iterator[Name]:
    if not isinstance(key, str):
        return
    name = keys.normal(key)
    if name != key:
        yield Name("press_key", {"key": name}, "same")
    others = keys.CENTRE if name in keys.CENTRE | keys.TURNED else {"BACK"} if name == "ESCAPE" else set()
    yield from (Name("press_key", {"key": other}, "same") for other in sorted(others) if other != name)
    yield from (Name(gesture, {}, "same") for gesture in _GESTURES.get(name, ()))
    fields = on.fields
    if name in keys.CENTRE | keys.TURNED | {"SPACE"}:
        yield from (Name("tap", row) for row in on.focused)
    elif name not in keys.NOT_FOR_CONTROLS:
        for row in on.focused:
            if not _is_field(row) and row.get("class") not in _PRESSED:
                yield from _anything(on, row)
    if name == "SEARCH" and fields:
        yield Name("press_key", {"key": "ENTER"}, "and")  # what a field is sent off by
    char = {"SPACE": " ", "ENTER": "\n", "NUMPAD_ENTER": "\n"}.get(name) or keys.character(name)
    if char is not None:
        for field in fields or (({},) if name not in keys.PRESSING else ()):
            typed = {**field, "value": char}
            whole = list(_inserted(typed, recent))
            if (
                char != "\n" or not whole
            ):  # a line break ends what the field holds; alone it is not a text of its own
                yield Name("input_text", typed, "and")
            yield from whole
    if name == "PASTE":
        yield from (Name("input_text", field, "and") for field in fields or ({},))
    if name in keys.DELETING:
        yield from (Name("clear_text", field, "and") for field in fields)
    way = keys.LOOKING.get(name)
    if way is None and not (on.focused and all(map(_is_field, on.focused))):
        way = keys.STEPPING.get(name)
    if way is not None:
        for row in on.scrolling:
            yield Name("scroll", {**row, "direction": way}, "and")


def _is_field(row: Cells) -> bool:
    """Whether a node is known to have the focus and to take texts: a key is for its text and nothing else."""
    return row.get("focused") is True and row.get("editable") is True


def _anything(on: Surface, row: Cells) -> Iterator[Name]:
    """Each gesture on a control that a key may be, where nobody says what the control does with the key."""
    yield from (Name(gesture, row) for gesture in _ANY)
    for way in OPPOSITE:
        yield Name("swipe", {**row, "direction": way})
        if on.may_be(row, "scrollable"):
            yield Name("scroll", {**row, "direction": way})


def _characters(cells: Cells) -> Iterator[Name]:
    """The keys of the characters that are typed."""
    value = cells.get("value")
    if not isinstance(value, str):
        return
    for char in dict.fromkeys(value[:MOST_INSERTED]):
        key = keys.typing(char)
        if key is not None:
            yield Name("press_key", {"key": key}, "same")
            if key == "ENTER":
                yield Name("press_key", {"key": "NUMPAD_ENTER"}, "same")


def _inserted(cells: Cells, recent: Recent) -> Iterator[Name]:
    """Typing of the whole text that the field may hold then: where the cursor is is not known."""
    value, text = cells.get("value"), cells.get("text")
    if not isinstance(text, str):
        text = recent.text_of(cells)
    if not isinstance(value, str) or not text:
        return
    places = range(len(text) + 1) if len(text) <= MOST_INSERTED else (0, len(text))
    for place in places:
        whole = text[:place] + value + text[place:]
        yield Name("input_text", {**cells, "value": whole}, "and", "value")


def scrolls(screen: Screen, gesture: str, cells: Cells) -> tuple[str, int] | None:
    """Where the content moves to by a movement, and the number of what scrolls; None if that is not settled."""
    if gesture == "scroll":
        way, node = cells.get("direction"), cells.get("node")
        return (OPPOSITE[way], node) if isinstance(way, str) and isinstance(node, int) else None
    ways = directions(cells)
    if gesture != "swipe" or len(ways) != 1:
        return None
    areas: list[Cells] = _areas(Surface(screen), cells)
    # of what only may scroll it is not known whether it does
    node = areas[0].get("node") if len(areas) == 1 and areas[0].get("scrollable") is True else None
    return (ways[0], node) if isinstance(node, int) else None
