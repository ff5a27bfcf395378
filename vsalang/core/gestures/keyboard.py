"""The soft keyboard: which key a touch of its window meets, and what that key may type."""

import re
from dataclasses import dataclass
from typing import Final

from vsalang.core.gestures.path import number
from vsalang.core.screen import Cells, Screen

_KEYBOARDS: Final = re.compile(
    r"inputmethod|keyboard|honeyboard|swiftkey|(?:^|\.)ime(?:\.|$)|^com\.baidu\.input", re.IGNORECASE
)
_SPACE: Final = frozenset({"space", "space bar", "spacebar"})
_DELETE: Final = frozenset({"delete", "del", "backspace"})
_ENTER: Final = frozenset(
    {"enter", "return", "go", "search", "send", "done", "next", "newline", "new line", "ok"}
)
_NOTHING: Final = frozenset(
    {"shift", "caps lock", "hide keyboard", "symbols", "more symbols", "letters", "?123", "abc"}
)


def is_keyboard(kind: object, package: object) -> bool:
    """Whether a window is one of an input method: the source says so by its kind, else its package does."""
    if kind is not None:
        return kind == "input method"
    return isinstance(package, str) and _KEYBOARDS.search(package) is not None


@dataclass(frozen=True, slots=True)
class Key:
    """What a key of a soft keyboard may do.

    Attributes:
        texts: what it may type.
        enter: whether it may be Enter, or the action of the field: search, send, done.
        delete: whether it may delete what is before the cursor.
        unknown: whether it may type something that is not known.
    """

    texts: tuple[str, ...] = ()
    enter: bool = False
    delete: bool = False
    unknown: bool = False


def key_at(screen: Screen, cells: Cells) -> Key | None:
    """The key that a touch meets; None if it meets no soft keyboard.

    Args:
        screen: that is touched.
        cells: of what takes the touch.
    """
    windows = {row.get("window"): row for row in screen.rows("Window")}
    boards = {name for name, row in windows.items() if is_keyboard(row.get("kind"), row.get("package"))}

    def on_board(row: Cells) -> bool:
        window = row.get("window")
        return window in boards if window in windows else is_keyboard(None, row.get("package"))

    nodes = [row for row in screen.rows("Node") if on_board(row)]
    if on_board(cells):
        here = [row for row in nodes if holds(row, cells)] or [cells]
    else:
        here = [row for row in nodes if holds(row, cells)]
        # a keyboard may give no nodes at all: then its window is all that is known of it
        bare = boards - {row.get("window") for row in nodes}
        if not here and not any(holds(windows[name], cells) for name in bare):
            return None
    said = [
        value.strip(" ") or value
        for row in (*(row for row in here if row.get("clickable") is True), *here[-1:], cells)
        if on_board(row)
        for value in (row.get("desc"), row.get("text"), row.get("label"))
        if isinstance(value, str) and value
    ]
    return _key(tuple(dict.fromkeys(said)))


def _key(said: tuple[str, ...]) -> Key:
    texts: list[str] = []
    enter = delete = False
    unknown = not said
    for word in said:
        low = word.lower()
        if len(word) == 1:
            texts += [word, word.swapcase()]
        elif low in _SPACE:
            texts.append(" ")
        elif low in _DELETE:
            delete = True
        elif low in _ENTER:
            enter = True
        elif low not in _NOTHING:
            # a word that is offered, or the name of a key in a language that is not known here
            texts.append(word)
            unknown = unknown or not any(
                other.lower() in _SPACE | _DELETE | _ENTER | _NOTHING for other in said
            )
    return Key(tuple(dict.fromkeys(texts)), enter or unknown, delete or unknown, unknown)


def holds(row: Cells, cells: Cells) -> bool:
    """Whether a node or a window holds the point of a gesture."""
    x, y = number(cells.get("x")), number(cells.get("y"))
    left, top, right, bottom = (number(row.get(name)) for name in ("left", "top", "right", "bottom"))
    if x is None or y is None or left is None or top is None or right is None or bottom is None:
        return False
    return left <= x < right and top <= y < bottom
