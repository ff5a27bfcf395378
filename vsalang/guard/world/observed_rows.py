"""The rows of observed relations, screen by screen: what did not change since the screen before is made once."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from vsalang.engine.api import Row
from vsalang.guard.world.beliefs import row_of
from vsalang.program.ir import Relation
from vsalang.program.nested import Forest, NestedRows
from vsalang.program.screen import Cells, Screen
from vsalang.screen.secrets import ON_SCREEN, Lexicon, rows_of_screen

Observed: TypeAlias = frozenset[Row] | NestedRows
"""The rows of an observed relation."""

_NESTED: Final = frozenset({"Inside", "Part"})
"""What follows from where nodes hang, and what is known of them."""


class ObservedRows:
    """The rows of one observed relation, screen by screen.

    Screens give the same object again for a row that did not change since the screen before; its tuple is made once.
    """

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self._names = tuple(attr.name for attr in relation.attrs)
        self._made: dict[int, tuple[Cells, Row]] = {}

    def of(self, screen: Screen) -> frozenset[Row]:
        """The rows of a screen."""
        known, names = self._made, self._names
        made: dict[int, tuple[Cells, Row]] = {}
        for cells in screen.rows(self.relation.name):
            ident = id(cells)
            got = known.get(ident)
            if got is None or got[0] is not cells:
                got = (cells, tuple(map(cells.get, names)))
            made[ident] = got  # holds the cells, so that no other object has this id
        self._made = made
        return frozenset([row for _, row in made.values()])


class NestedObserved:
    """The rows of ``Inside`` or ``Part``, screen by screen: made when they are looked up.

    Screens whose nodes do not say it all give the rows one by one (`ObservedRows`).
    """

    def __init__(self, relation: Relation, nodes: Relation) -> None:
        self.relation = relation
        self._nodes = nodes.name
        self._names = tuple(attr.name for attr in relation.attrs if attr.name != "of")
        self._inner, self._outer = relation.column("node"), relation.column("of")
        self._made: dict[int, tuple[Cells, Row]] = {}
        self._forest: Forest | None = None
        self._pairs: dict[int, Row] = {}
        self._plain = ObservedRows(relation)

    def of(self, screen: Screen) -> frozenset[Row] | NestedRows:
        """The rows of a screen."""
        forest: Forest | None = getattr(screen, "forest", None)  # not every screen knows it
        if forest is None:
            return self._plain.of(screen)
        return NestedRows(forest, self._cells(screen, forest), inner=self._inner, outer=self._outer)

    def _cells(self, screen: Screen, forest: Forest) -> Mapping[int, Row]:
        """Of each node its row without the outer node; the same object as before for a node that did not change."""
        names = self._names
        if names == ("node",):
            if self._forest is not forest:
                self._forest, self._pairs = forest, {node: (node,) for node in forest.parents}
            return self._pairs
        known = self._made
        made: dict[int, tuple[Cells, Row]] = {}
        for cells in screen.rows(self._nodes):
            node = cells.get("node")
            if not isinstance(node, int) or node not in forest.parents:
                continue  # it hangs nowhere
            got = known.get(node)
            if got is None or got[0] is not cells:
                got = (cells, tuple(map(cells.get, names)))
            made[node] = got
        self._made = made
        return {node: row for node, (_, row) in made.items()}


class SecretRows:
    """The rows of a relation of `std.secrets`, screen by screen."""

    def __init__(self, relation: Relation, lexicon: Lexicon) -> None:
        self.relation = relation
        self._lexicon = lexicon

    def of(self, screen: Screen) -> frozenset[Row]:
        """The rows of a screen."""
        rows = rows_of_screen(self.relation.name, screen, self._lexicon)
        return frozenset(row_of(self.relation, cells) for cells in rows)


RowMaker: TypeAlias = ObservedRows | NestedObserved | SecretRows


def maker(relation: Relation, relations: Mapping[str, Relation], lexicon: Lexicon) -> RowMaker:
    """Who makes the rows of a relation.

    Args:
        relations: of the program.
        lexicon: the user's words that count as secrets.
    """
    if relation.name in ON_SCREEN:
        return SecretRows(relation, lexicon)
    if relation.name in _NESTED:
        return NestedObserved(relation, relations["Node"])
    return ObservedRows(relation)
