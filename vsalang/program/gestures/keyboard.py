"""The soft keyboard: which key a touch of its window meets, and what that key may type."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.gestures.path import number
from vsalang.program.screen import Cells

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
    return isinstance(package, str) and _says_keyboard(package)


@lru_cache(256)
def _says_keyboard(package: str) -> bool:
    return _KEYBOARDS.search(package) is not None


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


class Keyboards:
    """The soft keyboards of a screen.

    Args:
        windows: all that show.
        nodes: all that show.
    """

    def __init__(self, windows: Iterable[Cells], nodes: Iterable[Cells]) -> None:
        self._windows = {row.get("window"): row for row in windows}
        self._boards = {name for name, row in self._windows.items() if self._may_be_board(row)}
        self._nodes = [row for row in nodes if self._on_board(row)]
        # a keyboard may give no nodes at all: then its window is all that is known of it
        self._bare = self._boards - {row.get("window") for row in self._nodes}

    def _may_be_board(self, row: Cells) -> bool:
        """Whether a window is a keyboard, or one next to others that does not say whose it is."""
        if row.get("kind") is None and row.get("package") is None:
            return any(other.get("package") is not None for other in self._windows.values())
        return is_keyboard(row.get("kind"), row.get("package"))

    def _on_board(self, row: Cells) -> bool:
        window = row.get("window")
        if window in self._windows:
            return window in self._boards
        return is_keyboard(None, row.get("package"))

    def key_at(self, cells: Cells) -> Key | None:
        """The key that a touch meets; None if it meets no soft keyboard.

        Args:
            cells: of what takes the touch.
        """
        here = [row for row in self._nodes if holds(row, cells)]
        if self._on_board(cells):
            here = here or [cells]
        elif not here and not any(holds(self._windows[name], cells) for name in self._bare):
            return None
        keys = [
            value.strip(" ") or value
            for row in (*(row for row in here if row.get("clickable") is True), *here[-1:], cells)
            if self._on_board(row)
            for value in (row.get("desc"), row.get("text"), row.get("label"))
            if isinstance(value, str) and value
        ]
        return _key(tuple(dict.fromkeys(keys)))


def _key(names: tuple[str, ...]) -> Key:
    texts: list[str] = []
    enter = delete = False
    unknown = not names
    for word in names:
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
                other.lower() in _SPACE | _DELETE | _ENTER | _NOTHING for other in names
            )
    return Key(tuple(dict.fromkeys(texts)), enter or unknown, delete or unknown, unknown)


def holds(row: Cells, cells: Cells) -> bool:
    """Whether a node or a window holds the point of a gesture."""
    x, y = number(cells.get("x")), number(cells.get("y"))
    left, top, right, bottom = (number(row.get(name)) for name in ("left", "top", "right", "bottom"))
    if x is None or y is None or left is None or top is None or right is None or bottom is None:
        return False
    return left <= x < right and top <= y < bottom
