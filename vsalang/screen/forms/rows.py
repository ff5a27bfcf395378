"""Rows of lists: by the class of the list, or because siblings of one shape stand below each other.

A control in a row knows its row: the icon that deletes it has no other name than that.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from vsalang.base.records import dataclass
from vsalang.screen.control.relevance import holds_rows, structural, words
from vsalang.screen.forms.outline import Outline, level, shorten, size, words_shown
from vsalang.screen.tree import Node

_LEAST: Final = 3
"""So many siblings of one shape are rows where no class says that they are."""
_LEAST_LINED: Final = 2
"""So many are, where each takes the touch itself and has a line of its own below its first."""
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
        split: all its texts take touches themselves, which then do what the row does.
    """

    node: Node
    title: str
    detail: str
    split: bool = False


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
            if holds_rows(holder) and structural(holder):
                nodes += self._without_button_lines(children)
            elif holds_rows(holder) and len(children) > 1:
                # a plain view that scrolls may hold a list, a form, or a page with a button
                much = [node for node in children if self._says_much(node)]
                nodes += dict.fromkeys([*much, *self._repeated(children)])
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
            if takes and not leaf and node.editable is not True and not self._is_section(node):
                groups.setdefault((node.cls, node.left, node.right), []).append(node)
        result: list[Node] = []
        for group in groups.values():
            stacked = all(one.bottom <= other.top + 2 for one, other in pairwise(group))
            parts = 4 if any(self.about.inner_takers.get(node.node) for node in group) else 2
            wide = parts * size(group[0])[0] >= self.about.screen[0]
            # a bar, a page and another bar below each other are not rows
            low = all(2 * size(node)[1] <= self.about.screen[1] for node in group)
            several = [self._lines(node) > 1 for node in group]
            lined = all(several) and all(map(self._takes, group))
            if len(group) >= (_LEAST_LINED if lined else _LEAST) and stacked and wide and low:
                # below rows of several lines one of a single line is the button of the page
                alone = several == [*[True] * (len(group) - 1), False]
                barred = self._holds_buttons(group[-1]) and all(map(self._takes, group[:-1]))
                result += self._without_button_lines(group[:-1] if alone or barred else group)
        return result

    def _holds_buttons(self, node: Node) -> bool:
        """Whether it takes no touch itself and holds some that stand next to each other: the buttons of the page."""
        if self._takes(node):
            return False
        inside = [one for one in self.about.tree.inside(node) if self._takes(one)]
        return len(inside) > 1 and all(level(one, inside[0]) for one in inside)

    def _without_button_lines(self, nodes: Sequence[Node]) -> Sequence[Node]:
        """Without the one line of buttons next to rows of another kind: what it says is said of the page.

        Several lines may each be about the row above them.
        """
        rows = [node for node in nodes if not self._is_button_line(node)]
        return rows if rows and len(rows) + 1 == len(nodes) else nodes

    def _is_button_line(self, node: Node) -> bool:
        """Whether it takes no touch itself, and all that it says stands in buttons next to each other."""
        if self._takes(node):
            return False
        inside = [one for one in self.about.tree.inside(node) if self._takes(one)]
        takers = {one.node for one in inside}
        return (
            bool(inside)
            and all(level(one, inside[0]) for one in inside)
            and all(one.cls is not None and one.cls.endswith("Button") for one in inside)
            and all(
                self.about.taker_of.get(one.node) in takers
                for one in self.about.tree.inside(node)
                if one.node in self.about.texts
            )
        )

    def _takes(self, node: Node) -> bool:
        """Whether it takes touches itself."""
        return self.about.taker_of.get(node.node) == node.node

    def _says_much(self, node: Node) -> bool:
        """Whether it takes touches as a whole, or one thing in it does, and shows at least two texts or lines."""
        takes = self.about.taker_of.get(node.node) == node.node
        if not takes and self.about.inner_takers.get(node.node) != 1:
            return False
        boxed = takes and node.node in self.about.boxes
        return 2 * size(node)[1] <= self.about.screen[1] and (boxed or self._lines(node) > 1)

    def _lines(self, node: Node) -> int:
        """How many lines its texts have; of many only the first count."""
        visible = (
            one for one in self.about.tree.inside(node) if one.node in self.about.texts and words_shown(one)
        )
        return sum(len(words(one).splitlines()) for one, _ in zip(visible, range(3), strict=False))

    def _is_section(self, node: Node) -> bool:
        """Whether it holds things below each other that take touches or hold what does: rows of their own."""
        children = self.about.tree.children.get(node.node, ())
        holding = [one for one in children if self.about.inner_takers.get(one.node)]
        return len(holding) > 1 and all(one.bottom <= other.top + 2 for one, other in pairwise(holding))

    def _row(self, node: Node) -> Row | None:
        texts_read: list[str] = []
        described: list[str] = []
        buttons: list[str] = []
        spelled = False
        for one in self.about.tree.inside(node):
            if one.node not in self.about.texts or not words_shown(one):
                continue
            taker = self.about.taker_of.get(one.node, node.node)
            if taker != node.node and self.about.tree.by_number[taker].place > node.place:
                buttons.append(self.about.texts[one.node])
                spelled = spelled or one.text is not None
            elif one.text is not None:
                texts_read.append(self.about.texts[one.node])
            elif not self.about.inner_takers.get(one.node):
                # toolkits that draw themselves describe a whole row, line by line
                described += [shorten(line) for line in words(one).splitlines() if line.strip()]
            if max(len(texts_read), len(described), len(buttons)) > _MOST_TEXTS:
                break
        split = not (texts_read or described) and self.about.taker_of.get(node.node) != node.node
        if split and len(buttons) > 1 and not spelled:
            return None  # a line of icons is about the page
        texts = list(dict.fromkeys(texts_read or described or buttons[:2]))
        return Row(node, texts[0], shorten(", ".join(texts[1:])), split) if texts else None
