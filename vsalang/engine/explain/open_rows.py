"""The rows of one moment with their open cells: those of which nobody read or knows the value, which may be any."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.engine.explain.match import Facts
from vsalang.engine.matching import Matcher
from vsalang.engine.terms import Ctx
from vsalang.program.ir import Atom, Relation
from vsalang.program.nested import Forest
from vsalang.program.patterns import is_odd
from vsalang.program.values import Value

_OF_NODES: Final = frozenset({"Node", "Part"})
_OF_TEXTS: Final = "TextIn"
"""Has no row for a text that nobody read, and counts the texts."""
_OPEN: Final = frozenset({"state", "view", "list", "action"})
_FEW: Final = 8
"""So many rows are compared sooner than looked up."""

OpenRow: TypeAlias = tuple[Row, frozenset[str]]
"""A row, open cells None, and the attributes that are open."""


@dataclass(frozen=True, slots=True)
class Unread:
    """What nobody read of a screen and of the gesture on it; those attributes may have any value.

    Attributes:
        nodes: attributes of nodes, by the number of the node.
        gesture: attributes of what takes the gesture.
        forest: which node hangs in which; None: that is not known.
    """

    nodes: Mapping[int, frozenset[str]]
    gesture: frozenset[str] = frozenset()
    forest: Forest | None = None


@dataclass(frozen=True, slots=True)
class _Index:
    """The places of rows by the value of one of their cells.

    Attributes:
        known: by the value.
        open: of those whose cell is not known, and may have any.
    """

    known: Mapping[Value, Sequence[int]]
    open: Sequence[int]

    @classmethod
    def of(cls, rows: Iterable[OpenRow], column: int) -> "_Index":
        """Of the cells in a column."""
        known: dict[Value, list[int]] = {}
        unknown: list[int] = []
        for place, (row, _) in enumerate(rows):
            cell = row[column]
            (unknown if cell is None else known.setdefault(cell, [])).append(place)
        return cls(known, unknown)


class OpenRows:
    """The rows of one moment with the cells of which nobody knows the value.

    Args:
        facts: of the moment.
        unread: what was not read of its screen and gesture.
    """

    def __init__(self, facts: Facts, unread: Unread) -> None:
        self._facts = facts
        self._program = facts.program
        self._unread = unread
        self._attrs: dict[str, frozenset[str]] = {}
        self._odd: dict[str, frozenset[str]] = {}
        self._texts: dict[str, frozenset[str]] = {}
        self._opened: dict[tuple[str, bool], list[OpenRow]] = {}
        self._by_cell: dict[tuple[str, bool, int], _Index] = {}

    def attrs(self, name: str) -> frozenset[str]:
        """The attributes of a relation of which some row has an open cell; an empty one: some row is not known."""
        names = self._attrs.get(name)
        if names is None:
            names = self._attrs[name] = self._opens(name)
        return names

    def odd_texts(self, name: str) -> frozenset[str]:
        """The texts in the rows of a relation that a pattern may match otherwise than plainly."""
        texts = self._odd.get(name)
        if texts is None:
            texts = self._odd[name] = frozenset(filter(is_odd, self.texts(name)))
        return texts

    def texts(self, name: str) -> frozenset[str]:
        """The texts in the rows of a relation."""
        name = "Node" if name in _OF_NODES or name == _OF_TEXTS else name
        texts = self._texts.get(name)
        if texts is None:
            relation = self._program.relations.get(name)
            rows = self._every_row(relation) if relation is not None else ()
            texts = self._texts[name] = frozenset(
                cell for row in rows for cell in row if isinstance(cell, str)
            )
        return texts

    def of(self, relation: Relation, before: bool) -> list[OpenRow]:
        """The rows of a base relation, open cells None, each with the attributes that are open."""
        key = (relation.name, before)
        opened = self._opened.get(key)
        if opened is None:
            rows = self._facts.before(relation.name) if before else self._facts.rows(relation.name)
            opened = self._opened[key] = [self.open(relation, row) for row in rows]
            if relation.name == _OF_TEXTS:
                opened += [
                    self.open(
                        relation, tuple({"of": outer, "node": node}.get(a.name) for a in relation.attrs)
                    )
                    for node, outers in self._unread_texts.items()
                    for outer in outers
                ]
        return opened

    def done(self, relation: Relation) -> list[OpenRow]:
        """What was done of an action."""
        return [self.open(relation, row) for row in self._facts.commits(relation.name)]

    def fitting(
        self, relation: Relation, atom: Atom, matcher: Matcher, env: Mapping[str, Any], ctx: Ctx
    ) -> Sequence[OpenRow]:
        """The rows of a base relation that a value which the conditions give does not refute, in their order.

        Of those values the one is taken that leaves the fewest: a join costs what it finds, not each row for each row.
        """
        rows = self.of(relation, atom.before)
        if len(rows) <= _FEW:
            return rows
        best: tuple[Sequence[int], Sequence[int]] | None = None
        for column, value in matcher.bound_cells(env, ctx).items():
            key = (relation.name, atom.before, column)
            index = self._by_cell.get(key)
            if index is None:
                index = self._by_cell[key] = _Index.of(rows, column)
            numbers = index.known.get(value, ()), index.open
            if best is None or len(numbers[0]) + len(numbers[1]) < len(best[0]) + len(best[1]):
                best = numbers
        return rows if best is None else [rows[place] for place in sorted((*best[0], *best[1]))]

    @cached_property
    def _unread_texts(self) -> Mapping[int, Sequence[int | None]]:
        """The nodes of which nobody read the text, and what they lie in; None: that is not known."""
        forest = self._unread.forest
        return {
            node: (None,) if forest is None else tuple(forest.around(node))
            for node, names in self._unread.nodes.items()
            if "text" in names
        }

    @cached_property
    def _uncounted(self) -> frozenset[int | None]:
        """What these lie in: how many texts come before another is not known there."""
        return frozenset(outer for outers in self._unread_texts.values() for outer in outers)

    def open(self, relation: Relation, row: Row) -> OpenRow:
        """A row of a base relation with its open cells."""
        names: frozenset[str] = frozenset()
        if relation.sort == "gesture":
            names = self._unread.gesture
        elif relation.name in _OF_NODES:
            node = row[relation.column("node")]
            names = self._unread.nodes.get(node, names) if isinstance(node, int) else names
        elif relation.name == _OF_TEXTS:
            names = _unknown(relation, row)
            if not self._uncounted.isdisjoint((row[relation.column("of")], None)):
                names |= {"nth"}
        elif relation.sort in _OPEN or relation.name == "App":
            names = _unknown(relation, row)
        if not names:
            return row, names
        cells = tuple(
            None if attr.name in names else cell for attr, cell in zip(relation.attrs, row, strict=True)
        )
        return cells, names

    def _opens(self, name: str) -> frozenset[str]:
        relation = self._program.relations.get(name)
        if relation is None or relation.sort in ("derived", "screen"):
            return frozenset()
        if relation.sort == "gesture":
            return self._unread.gesture if any(True for _ in self._facts.rows(name)) else frozenset()
        if name in _OF_NODES:
            return frozenset().union(*self._unread.nodes.values())
        if name == _OF_TEXTS:
            return frozenset({"", *(attr.name for attr in relation.attrs)} if self._unread_texts else ())
        if relation.sort in _OPEN or name == "App":
            rows = self._every_row(relation)
            return frozenset().union(*(_unknown(relation, row) for row in rows if None in row))
        return frozenset()

    def _every_row(self, relation: Relation) -> Iterable[Row]:
        """The rows of now, those before what is predicted, and of an action those that were done."""
        name = relation.name
        done = self._facts.commits(name) if relation.sort == "action" else ()
        return (*self._facts.rows(name), *self._facts.before(name), *done)


def _unknown(relation: Relation, row: Row) -> frozenset[str]:
    return frozenset(attr.name for attr, cell in zip(relation.attrs, row, strict=True) if cell is None)


def may_be_no_row(relation: Relation, names: frozenset[str]) -> bool:
    """Whether a row with these open cells is only there if a text that nobody read is one."""
    return relation.name == _OF_TEXTS and "text" in names


def refuted(relation: Relation, atom: Atom, row: Row, names: frozenset[str]) -> bool:
    """Whether a constraint asks something of a cell that was read, and there is none."""
    return None in row and any(
        constraint.op != "unknown"
        and constraint.attr not in names
        and row[relation.column(constraint.attr)] is None
        for constraint in atom.constraints
    )
