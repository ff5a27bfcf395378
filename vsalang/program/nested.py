"""Which nodes of a screen lie inside which: answered from each node's parent, so that the pairs need not be made.

A screen of some hundred nodes has some thousand pairs of a node and one that it lies in. Rules ask for few of them, and
nearly always for those of a node that they know: its ancestors are found by walking up, what lies inside it is an
interval of the nodes in document order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, Final, NamedTuple, TypeAlias

from vsalang.program.values import Value

Row: TypeAlias = tuple[Value | None, ...]


class Group(NamedTuple):
    """Rows that differ in one column only.

    Attributes:
        sample: one of them.
        rows: gives all of them.
    """

    sample: Row
    rows: Callable[[], Iterable[Row]]


class Changes(NamedTuple):
    """What differs between two sets of rows: some rows may be in both.

    Attributes:
        added, removed: the groups that differ, now and before.
        size: how many rows they have.
    """

    added: Sequence[Group]
    removed: Sequence[Group]
    size: int


class Forest:
    """Nodes that hang in each other.

    Args:
        parents: of each node the one that it hangs in, in document order; None: it hangs in none.

    Raises:
        ValueError: a parent is not a node, or nodes hang in each other in a circle.
    """

    __slots__ = ("__dict__", "parents")

    def __init__(self, parents: Mapping[int, int | None]) -> None:
        self.parents: Final = parents
        depths: dict[int, int] = {}
        for node in parents:
            way: list[int] = []
            at: int | None = node
            while at is not None and at not in depths:
                if at not in parents or len(way) > len(parents):
                    raise ValueError(f"node {node} does not hang in a tree")
                way.append(at)
                at = parents[at]
            depth = 0 if at is None else depths[at]
            for each in reversed(way):
                depth += 1
                depths[each] = depth
        self.depths: Final = depths
        """Of each node how many there are around it, itself included."""

    @cached_property
    def pairs(self) -> int:
        """How many pairs of a node and one that it lies in there are."""
        return sum(self.depths.values())

    def around(self, node: int) -> Iterator[int]:
        """The node and those that it lies in, from the inside out; nothing if there is no such node."""
        parents = self.parents
        at: int | None = node if node in parents else None
        while at is not None:
            yield at
            at = parents[at]

    def inside(self, node: int) -> Sequence[int]:
        """The node and those that lie inside it, in document order; nothing if there is no such node."""
        order, begin, end = self._intervals
        place = begin.get(node)
        return () if place is None else order[place : end[node]]

    @cached_property
    def _intervals(self) -> tuple[list[int], dict[int, int], dict[int, int]]:
        """The nodes, each before those inside it, and for each the interval that these fill."""
        children: dict[int | None, list[int]] = {}
        for node, parent in self.parents.items():
            children.setdefault(parent, []).append(node)
        order: list[int] = []
        begin: dict[int, int] = {}
        end: dict[int, int] = {}
        waiting = list(reversed(children.get(None, ())))
        open_: list[int] = []
        while waiting:
            node = waiting.pop()
            while open_ and open_[-1] != self.parents[node]:
                end[open_.pop()] = len(order)
            begin[node] = len(order)
            order.append(node)
            open_.append(node)
            waiting.extend(reversed(children.get(node, ())))
        for node in open_:
            end[node] = len(order)
        return order, begin, end

    def moved(self, earlier: "Forest") -> tuple[set[int], set[int]]:
        """The nodes that lie in others than in an earlier forest, or are new; and those of then, or that are gone."""
        same: dict[int, bool] = {}
        now, before = self.parents, earlier.parents
        if now == before:
            return set(), set()
        for node in now:
            way = []
            at: int | None = node
            while at is not None and at not in same:
                way.append(at)
                if at not in before or now[at] != before[at]:
                    same[at] = False
                    break
                at = now[at]
            alike = at is None or same[at]
            for each in reversed(way):
                alike = same.setdefault(each, alike)
        return (
            {node for node in now if not same[node]},
            {node for node in before if not same.get(node, False)},
        )


class NestedRows:
    """The rows of ``Inside`` or ``Part``: a node with what is known of it, and one that it lies in. Never changes.

    Args:
        forest: which node hangs in which.
        cells: for each node of the forest its row without the outer node's cell.
        inner: the column of the node.
        outer: the column of the outer node.

    Attributes:
        keys: the columns by which rows are found: `inner` and `outer`.
        width: how many cells a row has.
    """

    __slots__ = ("cells", "forest", "inner", "keys", "outer", "width")

    def __init__(self, forest: Forest, cells: Mapping[int, Row], *, inner: int, outer: int) -> None:
        self.forest = forest
        self.cells = cells
        self.inner = inner
        self.outer = outer
        self.keys = (inner, outer)
        self.width = len(next(iter(cells.values()), (None,))) + 1

    def __repr__(self) -> str:
        return f"NestedRows({len(self.forest.parents)} nodes, {len(self)} rows)"

    def __len__(self) -> int:
        return self.forest.pairs

    def __bool__(self) -> bool:
        return bool(self.forest.parents)

    def __iter__(self) -> Iterator[Row]:
        make = self._row
        return (make(node, outer) for outer in self.forest.parents for node in self.forest.inside(outer))

    def __contains__(self, row: object) -> bool:
        if not isinstance(row, tuple) or len(row) != self.width:
            return False
        return row in self.find(self.inner, row[self.inner])

    def _row(self, node: int, outer: int) -> Row:
        cells, column = self.cells[node], self.outer
        return (*cells[:column], outer, *cells[column:])

    def find(self, column: int, value: Any) -> list[Row]:
        """The rows with that cell in one of the `keys`."""
        number = node_number(value)
        if number is None:
            return []
        if column == self.inner:
            return self._around(number)
        return [self._row(node, number) for node in self.forest.inside(number)]

    def groups(self) -> Iterable[Group]:
        """All rows, those of one node in a group: they differ in the outer node."""
        return map(self._group, self.forest.parents)

    def sample(self, node: int) -> Row:
        """The row of a node in itself."""
        return self._row(node, node)

    def _group(self, node: int) -> Group:
        return Group(self.sample(node), partial(self._around, node))

    def _around(self, node: int) -> list[Row]:
        return [self._row(node, outer) for outer in self.forest.around(node)]

    def changed(self, earlier: "NestedRows") -> Changes | None:
        """The rows of nodes that differ from earlier rows: in what is known of them, or where they lie; None: none."""
        now, before = self.forest.moved(earlier.forest)
        if self.cells is not earlier.cells:
            others = earlier.cells
            differing = [
                node
                for node, cells in self.cells.items()
                if node not in now and cells is not others[node] and _differ(cells, others[node])
            ]
            now.update(differing)
            before.update(differing)
        if not now and not before:
            return None
        size = sum(map(self.forest.depths.__getitem__, now))
        size += sum(map(earlier.forest.depths.__getitem__, before))
        return Changes(
            [self._group(node) for node in self.forest.parents if node in now],
            [earlier._group(node) for node in earlier.forest.parents if node in before],
            size,
        )


def node_number(value: Any) -> int | None:
    """The number of a node that a cell equals; None: it can be none."""
    if value.__class__ is int:
        return int(value)
    if isinstance(value, bool | Decimal) and value == int(value):
        return int(value)
    return None


def _differ(one: Row, other: Row) -> bool:
    """Whether two rows differ: 1 and true are equal to Python, and are not the same."""
    return one != other or tuple(map(type, one)) != tuple(map(type, other))
