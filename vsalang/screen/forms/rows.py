"""Rows of lists: by the class of the list, or because siblings of one shape stand below each other.

A control in a row knows its row: the icon that deletes it has no other name than that.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import Final

from vsalang.base.records import dataclass
from vsalang.screen.control.relevance import holds_rows, words
from vsalang.screen.forms.outline import Outline, shorten, size, words_shown
from vsalang.screen.tree import Node

_LEAST: Final = 3
"""So many siblings of one shape are rows where no class says that they are."""
_BARS: Final = re.compile(
    r"tool_?bar|action_?bar|(^|_)tabs?(_|$)|menu|(^|_)(actions|buttons)(_|$)|buttonpanel"
)
"""The ids of what holds buttons, not rows."""
_MOST_TEXTS: Final = 8
"""So many texts of a row are read."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list.

    Attributes:
        node: the row.
        title: the first words in it.
        detail: the others that it shows; empty: none.
    """

    node: Node
    title: str
    detail: str


class Rows:
    """The rows of a screen.

    Args:
        about: the outline of the tree.
    """

    def __init__(self, about: Outline) -> None:
        self.about = about

    @cached_property
    def all(self) -> tuple[Row, ...]:
        """All rows that say something, in the order of the document; rows in rows, too."""
        return tuple(row for node in self._nodes if (row := self._row(node)) is not None)

    @cached_property
    def of(self) -> Mapping[int, Row]:
        """Node -> the innermost row around it, itself too."""
        begins = {row.node.node: row for row in self.all}
        result: dict[int, Row] = {}
        for node in self.about.tree.nodes:
            row = begins.get(node.node)
            if row is None and node.parent is not None:
                row = result.get(node.parent)
            if row is not None:
                result[node.node] = row
        return result

    @property
    def _nodes(self) -> list[Node]:
        tree = self.about.tree
        nodes: list[Node] = []
        for parent, children in tree.children.items():
            if parent is None:
                continue
            holder = tree.by_number[parent]
            if holder.id is not None and _BARS.search(holder.id.lower()):
                continue
            if holds_rows(holder) and (len(children) > 1 or not holder.scrollable):
                nodes += children
            else:
                nodes += self._repeated(children)
        return sorted(nodes, key=lambda node: node.place)

    def _repeated(self, siblings: tuple[Node, ...]) -> list[Node]:
        """The siblings of one class and one width, below each other, that take touches and say something."""
        groups: dict[tuple[str | None, int, int], list[Node]] = {}
        for node in siblings:
            takes = self.about.taker_of.get(node.node) == node.node or self.about.inner_takers.get(node.node)
            leaf = (
                node.end == node.place and node.cls is not None and node.cls.endswith(("Button", "TextView"))
            )
            if takes and not leaf and node.editable is not True:
                groups.setdefault((node.cls, node.left, node.right), []).append(node)
        result: list[Node] = []
        for group in groups.values():
            stacked = all(one.bottom <= other.top + 2 for one, other in pairwise(group))
            wide = group and 2 * size(group[0])[0] >= self.about.screen[0] / 2
            if len(group) >= _LEAST and stacked and wide:
                result += group
        return result

    def _row(self, node: Node) -> Row | None:
        tree = self.about.tree
        own: list[str] = []
        buttons: list[str] = []
        for one in tree.inside(node):
            text = self.about.texts.get(one.node)
            if (
                text is None
                or not words_shown(one)
                or (one.text is None and self.about.inner_takers.get(one.node))
            ):
                continue
            taker = self.about.taker_of.get(one.node)
            if taker is not None and taker != node.node and tree.by_number[taker].place > node.place:
                buttons.append(text)
            elif text not in own:
                own.append(text)
            if len(own) > _MOST_TEXTS:
                break
        own = own or buttons[:2]
        if not own:
            return None
        if len(own) > 1 and words(node) and not node.text and all(part in own[0] for part in own[1:]):
            own = own[1:]  # the row's description repeats what it shows
        return Row(node, own[0], shorten(", ".join(own[1:])))
