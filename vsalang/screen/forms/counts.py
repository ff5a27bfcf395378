"""What is ticked or selected, and how many: by the boxes, and by what the screen says (`3 selected`, `2 / 17`)."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from vsalang.base.records import dataclass
from vsalang.screen.control.relevance import holds_rows
from vsalang.screen.forms.outline import Outline
from vsalang.screen.forms.roles import Role
from vsalang.screen.forms.rows import Rows
from vsalang.screen.forms.surfaces import Surface, Surfaces
from vsalang.screen.forms.words import COUNTED, EVERY, phrase
from vsalang.screen.tree import Node

_NUMBER: Final = re.compile(r"\d{1,3}(?:[.,'\u00a0\u202f ]\d{3})+(?!\d)|\d{1,9}")
_OF: Final = re.compile(r"(\d{1,9})\s?/\s?(\d{1,9})")
_LONGEST: Final = 60
_TOP: Final = 4
"""What says how many are selected stands in the top part of the surface: one of so many."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected on a surface.

    Attributes:
        root: the number of the node that holds the surface.
        count: how many; None: the screen does not say, and may have more rows than it shows.
        every: whether all are selected; None: not known.
    """

    root: int
    count: int | None
    every: bool | None


class Counts:
    """What is ticked on a screen.

    Args:
        about: the outline of the tree.
        on: its surfaces.
        rows: its rows.
        roles: of its controls.
    """

    def __init__(self, about: Outline, on: Surfaces, rows: Rows, roles: Mapping[int, Role]) -> None:
        self.about = about
        self.on = on
        self.rows = rows
        self.roles = roles

    @cached_property
    def ticked(self) -> Mapping[int, str]:
        """The boxes and rows that are ticked -> what they are called; empty: nothing says so."""
        result: dict[int, str] = {}
        for node in self.about.takers:
            box = self.about.boxes.get(node.node, node)
            if self._is_ticked(node, box):
                row = self.rows.of.get(node.node)
                label = self.about.label(node)
                result[node.node] = row.title if row is not None and (node is box or not label) else label
        return result

    def _is_ticked(self, node: Node, box: Node) -> bool:
        if self.roles.get(node.node) in ("box", "choice"):
            return box.checked is True
        surface = self.on.of.get(node.node)
        if surface is None or surface.kind != "selection" or self.roles.get(node.node) != "row":
            return False
        return node.selected is True or (box.checkable is True and box.checked is True)

    @cached_property
    def selections(self) -> tuple[Selection, ...]:
        """What is selected, surface by surface; none where nothing can be."""
        return tuple(selection for surface in self.on.all for selection in self._on(surface))

    def _on(self, surface: Surface) -> Iterator[Selection]:
        if surface.kind in ("keyboard", "system", "home", "menu"):
            return
        nodes = [node for node in self.on.nodes_in(surface) if self.on.of.get(node.node) is surface]
        count, every = self._read(surface, nodes)
        boxes = [
            node
            for node in self.about.takers
            if self.roles.get(node.node) == "box"
            and self.on.of.get(node.node) is surface
            and self._selects(node)
        ]
        if count is None and not boxes and every is None:
            return
        if boxes:
            ticked = [node for node in boxes if node.node in self.ticked]
            whole = not any(node.scrollable is not False and holds_rows(node) for node in nodes)
            if count is None and whole:
                count = len(ticked)
            if every is None and len(ticked) < len(boxes):
                every = False
            elif every is None and whole:
                every = True
        yield Selection(surface.root.node, count, every)

    def _selects(self, node: Node) -> bool:
        """Whether it is a box that selects its row: no switch, and not one of several of which just one can be."""
        box = self.about.boxes.get(node.node, node)
        kind = self.about.kinds.get(node.node)
        one_of_some = kind is not None and kind.kind == "choice"
        switch = box.cls is not None and box.cls.endswith(("Switch", "SwitchCompat"))
        return box.checkable is True and node.node in self.rows.of and not switch and not one_of_some

    def _read(self, surface: Surface, nodes: list[Node]) -> tuple[int | None, bool | None]:
        """What the surface says in words."""
        count: int | None = None
        every: bool | None = None
        for node in nodes:
            text = self.about.texts.get(node.node)
            if text is None or len(text) > _LONGEST or node.editable is True:
                continue
            name = phrase(text)
            box = self.about.boxes.get(node.node, node)
            if name in EVERY and box.checkable is True and box.checked is not None:
                every = box.checked
            if count is not None or node.node in self.rows.of:
                continue
            of = _OF.fullmatch(name)
            if of and surface.kind == "selection":
                count = int(of[1])
                every = int(of[1]) == int(of[2]) if every is None else every
            elif (numbers := _counted(name)) is not None:
                count = numbers[0]
                if len(numbers) > 1:
                    every = numbers[0] == numbers[1]
            elif COUNTED.search(name) and re.match(
                r"^(all|alle|tou[st]\w*|tod[oa]s|tutt[ie]|wszystkie|все|tümü|すべて|全|모두|semua)\b", name
            ):
                every = True
        return count, every


def _counted(name: str) -> list[int] | None:
    """The numbers of a text that says how many are selected: before that word, or right after it."""
    word = COUNTED.search(name)
    numbers = list(_NUMBER.finditer(name))
    if word is None or not numbers:
        return None
    first = numbers[0]
    between = name[word.end() : first.start()]
    if first.start() > word.start() and any(char.isalpha() for char in between):
        return None
    return [int(re.sub(r"\D", "", number.group())) for number in numbers]
