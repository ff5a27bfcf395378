"""A screen with what gestures ask of it: found once, however many gestures are looked at on it."""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final

from vsalang.program.gestures.keyboard import Keyboards
from vsalang.program.gestures.path import number
from vsalang.program.screen import Cells, Screen
from vsalang.program.values import Value

_PASTING: Final = re.compile(r"\bpaste\b|(?:from|insert).*\bclipboard\b")
_PASTING_ID: Final = re.compile(r"(?:^|[^a-z])paste(?:$|[^a-z])|(?:[a-z0-9])Paste(?:$|[^a-z])|^paste[A-Z]")
_SHORT: Final = 100
_TOOLBAR: Final = "floating_toolbar"
_NOTHING: Final = frozenset[str]()
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
        return tuple(self.screen.rows("Node"))

    def unread(self, row: Cells) -> frozenset[str]:
        """The attributes of a node that nobody read: they may have any value."""
        number = row.get("node")
        return self.screen.unread.get(number, _NOTHING) if isinstance(number, int) else _NOTHING

    def may_be(self, row: Cells, attribute: str) -> bool:
        """Whether a node is not known not to be so: focused, editable, scrollable."""
        return row.get(attribute) is True or (row.get(attribute) is None and attribute in self.unread(row))

    @cached_property
    def keyboards(self) -> Keyboards:
        """The soft keyboards that show."""
        return Keyboards(self.screen.rows("Window"), self.nodes)

    @cached_property
    def pastes(self) -> tuple[Cells, ...]:
        """The nodes that paste what the clipboard holds."""
        return tuple(row for row in self.nodes if is_paste(row))

    def may_paste(self, row: Cells) -> bool:
        """Whether a node pastes, or may take touches and says neither by its words nor by its id what it does."""
        unread = self.unread(row)
        silent = "label" in unread or ("id" in unread and row.get("label") is None)
        return is_paste(row) or (silent and self.may_be(row, "clickable"))

    @cached_property
    def scrolling(self) -> tuple[Cells, ...]:
        """The nodes that scroll, or may scroll."""
        return tuple(row for row in self.nodes if self.may_be(row, "scrollable"))

    @cached_property
    def focused(self) -> tuple[Cells, ...]:
        """The cells of each node that has the focus, or may have it, without a point."""
        return tuple(_unpointed(row for row in self.nodes if self.may_be(row, "focused")))

    @cached_property
    def fields(self) -> tuple[Cells, ...]:
        """Those of them that take texts, or may take them."""
        return tuple(row for row in self.focused if self.may_be(row, "editable"))

    @cached_property
    def size(self) -> tuple[Decimal, Decimal]:
        """The width and the height of what shows."""
        corners = [(number(row.get("right")), number(row.get("bottom"))) for row in self.nodes]
        width = max((right for right, _ in corners if right is not None), default=Decimal(0))
        height = max((bottom for _, bottom in corners if bottom is not None), default=Decimal(0))
        return width, height


def is_paste(row: Cells) -> bool:
    """Whether a touch of a node pastes.

    The toolbar for texts is known by the ids of its items; which of them pastes depends on the language. A button of an
    app is one by its id or its words.
    """
    resource = str(row.get("resource_id", row.get("id", "")))
    if (_known_id if len(resource) <= _SHORT else _id_pastes)(resource):
        return True
    return any(_says_paste(row.get(name)) for name in ("text", "desc", "label"))


def _id_pastes(resource: str) -> bool:
    return _TOOLBAR in resource or _PASTING_ID.search(resource.rpartition("/")[2]) is not None


_known_id: Final = lru_cache(1024)(_id_pastes)


def _says_paste(text: Value | None) -> bool:
    return isinstance(text, str) and (_known if len(text) <= _SHORT else _pastes)(text)


def _pastes(text: str) -> bool:
    return _PASTING.search(text.lower()) is not None


_known: Final = lru_cache(1024)(_pastes)


def _unpointed(rows: Iterable[Cells]) -> Iterable[Cells]:
    return ({name: value for name, value in row.items() if name not in _POINT} for row in rows)
