"""A screen with what gestures ask of it: found once, however many gestures are looked at on it."""

from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final

from vsalang.program.gestures.keyboard import Keyboards
from vsalang.program.gestures.path import number
from vsalang.program.screen import Cells, Screen
from vsalang.program.values import Value

_PASTING: Final = frozenset({"paste", "paste as plain text"})
_SHORT: Final = 100
_TOOLBAR: Final = "floating_toolbar"
_POINT: Final = frozenset({"x", "y", "leaf", "covered"})


class Surface:
    """One screen, which never changes.

    Args:
        screen: that gestures are made on.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    @cached_property
    def nodes(self) -> tuple[Cells, ...]:
        """The nodes that show."""
        return tuple(self.screen.rows("Node"))

    @cached_property
    def keyboards(self) -> Keyboards:
        """The soft keyboards that show."""
        return Keyboards(self.screen.rows("Window"), self.nodes)

    @cached_property
    def pastes(self) -> tuple[Cells, ...]:
        """The nodes that paste what the clipboard holds."""
        return tuple(row for row in self.nodes if is_paste(row))

    @cached_property
    def scrolling(self) -> tuple[Cells, ...]:
        """The nodes that scroll."""
        return tuple(row for row in self.nodes if row.get("scrollable") is True)

    @cached_property
    def focused(self) -> tuple[Cells, ...]:
        """The cells of each node that has the focus, without a point; where none says so, of none."""
        return tuple(_unpointed(row for row in self.nodes if row.get("focused") is True))

    @cached_property
    def fields(self) -> tuple[Cells, ...]:
        """Those of them that are known to take texts."""
        return tuple(row for row in self.focused if row.get("editable") is True)

    @cached_property
    def size(self) -> tuple[Decimal, Decimal]:
        """The width and the height of what shows."""
        corners = [(number(row.get("right")), number(row.get("bottom"))) for row in self.nodes]
        width = max((right for right, _ in corners if right is not None), default=Decimal(0))
        height = max((bottom for _, bottom in corners if bottom is not None), default=Decimal(0))
        return width, height


def is_paste(row: Cells) -> bool:
    """Whether a touch of a node pastes.

    The toolbar for texts is known by the ids of its items; which of them pastes depends on the language.
    """
    if _TOOLBAR in str(row.get("resource_id", "")):
        return True
    return any(_says_paste(row.get(name)) for name in ("text", "desc", "label"))


def _says_paste(text: Value | None) -> bool:
    return isinstance(text, str) and (_known if len(text) <= _SHORT else _pastes)(text)


def _pastes(text: str) -> bool:
    return text.strip().lower() in _PASTING


_known: Final = lru_cache(1024)(_pastes)


def _unpointed(rows: Iterable[Cells]) -> Iterable[Cells]:
    return ({name: value for name, value in row.items() if name not in _POINT} for row in rows)
