"""Alpha memories and indexes over rows that are made on demand (`vsalang.program.nested.NestedRows`).

What is looked up by a key of these rows makes the tuples of that key, and keeps them as long as the rows stay. Only a
plan that reads all tuples makes all.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias

from vsalang.engine.plan import AlphaShape, AlphaSpec
from vsalang.engine.terms import Ctx, Tuple
from vsalang.program.nested import Group, NestedRows, node_number

Bucket: TypeAlias = dict[Tuple, None]


class Buckets(Protocol):
    """What an index is to those who look something up: a mapping from values to what has them."""

    def get(self, key: Any, default: Any = ..., /) -> Any:
        """What has these values; `default` if nothing has."""
        ...


def answers_lookups(shape: AlphaShape | None) -> bool:
    """Whether the tuples of an alpha memory can be found by a column of its rows: its columns are cells as they are."""
    return shape is not None and not shape.captures and not shape.row


class TuplesOnDemand(Mapping[Tuple, int]):
    """The tuples of one alpha memory. In place of `AlphaMemory.counts`, and of its indexes.

    Args:
        spec: of the alpha memory; `answers_lookups` holds of its shape.
        rows: of its table.
        ctx: of the session.

    Attributes:
        names_nodes: whether each tuple holds the inner node of the rows that it is made of.
    """

    __slots__ = (
        *("_all", "_ctx", "_free", "_indexes", "_keys", "_of_nodes", "_places", "_some", "_spec", "_tested"),
        *("names_nodes", "rows"),
    )

    def __init__(self, spec: AlphaSpec, rows: NestedRows, ctx: Ctx) -> None:
        shape = spec.shape
        assert shape is not None
        self.rows = rows
        self._spec = spec
        self._ctx = ctx
        self._places = [cells[0] for cells in shape.outs] + list(shape.cells)
        """Of each column of the tuples a column of the rows."""
        self.names_nodes = rows.inner in self._places
        self._keys = tuple([i for i, place in enumerate(self._places) if place in rows.keys])
        self._indexes: dict[tuple[int, ...], Index] = {}
        self._all: Bucket | None = None
        self._some: bool | None = None
        outer = rows.outer
        self._tested = any(column == outer for column, _ in shape.checks) or any(
            outer in cells and len(cells) > 1 for cells in (*shape.outs, *shape.silent)
        )
        """Whether the outer node decides, too, which rows match."""
        self._free = [i for i, place in enumerate(self._places) if place == outer]
        """The columns of the tuples that hold the outer node."""
        self._of_nodes: dict[int, Tuple | None] = {}
        """What is made of the row of a node in itself: made once, unless the outer node is tested."""

    # ------------------------------------------------------------ as a mapping

    def __contains__(self, tuple_: object) -> bool:
        if self._all is not None:
            return tuple_ in self._all
        assert isinstance(tuple_, tuple)
        if not self._keys:
            return tuple_ in self._everything()
        bucket = self.index(self._keys).get(tuple([tuple_[column] for column in self._keys]))
        return bucket is not None and tuple_ in bucket

    def __getitem__(self, tuple_: Tuple) -> int:
        if tuple_ in self:
            return 1
        raise KeyError(tuple_)

    def __iter__(self) -> Iterator[Tuple]:
        return iter(self._everything())

    def __len__(self) -> int:
        return len(self._everything())

    def __bool__(self) -> bool:
        if self._some is None:
            self._some = any(True for _ in self.of(self.rows.groups()))
        return self._some

    def _everything(self) -> Bucket:
        if self._all is None:
            self._all = dict.fromkeys(self.of(self.rows.groups()))
        return self._all

    def of(self, groups: Iterable[Group]) -> Iterator[Tuple]:
        """The tuples of groups of rows, some more than once."""
        if self._tested:
            fn, ctx = self._spec.fn, self._ctx
            for group in groups:
                for row in group.rows():
                    out = fn(row, ctx)
                    if out is not None:
                        yield out
            return
        inner, around, free, known = self.rows.inner, self.rows.forest.around, self._free, self._of_nodes
        for group in groups:
            node: Any = group.sample[inner]
            out = known[node] if node in known else self._of_node(node)
            if out is None:
                continue  # nor does any other row of the group match
            if len(free) == 1:
                begin, end = out[: free[0]], out[free[0] + 1 :]
                for outer in around(node):
                    yield (*begin, outer, *end)
            elif free:
                for outer in around(node):
                    yield self._with_outer(out, outer)
            else:
                yield out

    def _of_node(self, node: int) -> Tuple | None:
        """What is made of the row of a node in itself; None: none of its rows match."""
        known = self._of_nodes
        if node not in known:
            known[node] = self._spec.fn(self.rows.sample(node), self._ctx)
        return known[node]

    def _with_outer(self, out: Tuple, outer: int) -> Tuple:
        """A tuple with another outer node."""
        if len(self._free) == 1:  # most hold it once
            place = self._free[0]
            return (*out[:place], outer, *out[place + 1 :])
        return tuple([outer if i in self._free else cell for i, cell in enumerate(out)])

    # ------------------------------------------------------------ as an index

    def index(self, columns: tuple[int, ...]) -> "Index":
        """The tuples by the values in `columns`."""
        index = self._indexes.get(columns)
        if index is None:
            index = self._indexes[columns] = Index(self, columns)
        return index

    def place(self, columns: tuple[int, ...]) -> int:
        """Which of these columns is a key of the rows, the inner node's rather than the outer one's; -1: none."""
        for key in self.rows.keys:
            for index, column in enumerate(columns):
                if self._places[column] == key:
                    return index
        return -1

    def with_cell(self, column: int, value: Any) -> Bucket | None:
        """The tuples with that value in a column that is a key of the rows; None: there are no such rows."""
        if self._tested:
            rows = self.rows.find(self._places[column], value)
            fn, ctx = self._spec.fn, self._ctx
            return dict.fromkeys(out for row in rows if (out := fn(row, ctx)) is not None) if rows else None
        node, forest = node_number(value), self.rows.forest
        if node is None or node not in forest.parents:
            return None
        if self._places[column] == self.rows.inner:
            out = self._of_node(node)
            if out is None:
                return {}
            return (
                {self._with_outer(out, outer): None for outer in forest.around(node)}
                if self._free
                else {out: None}
            )
        known = self._of_nodes
        bucket: Bucket = {}
        for inside in forest.inside(node):
            out = known[inside] if inside in known else self._of_node(inside)
            if out is not None:
                bucket[self._with_outer(out, node)] = None
        return bucket


class Index:
    """The tuples of one alpha memory by the values in some columns: those of a node are made when it is looked up."""

    __slots__ = ("_columns", "_made", "_place", "_tuples")

    def __init__(self, tuples: TuplesOnDemand, columns: tuple[int, ...]) -> None:
        self._tuples = tuples
        self._columns = columns
        self._place = tuples.place(columns)
        self._made: dict[Any, dict[Tuple, Bucket]] = {}
        if self._place < 0:
            self._made[None] = self._by_values(tuples)

    def _by_values(self, tuples: Iterable[Tuple]) -> dict[Tuple, Bucket]:
        index: dict[Tuple, Bucket] = {}
        for out in tuples:
            index.setdefault(tuple([out[column] for column in self._columns]), {})[out] = None
        return index

    def get(self, key: Tuple, default: Any = None, /) -> Any:
        """The tuples with these values, or `default`."""
        node = None if self._place < 0 else key[self._place]
        made = self._made.get(node)
        if made is None:
            tuples = self._tuples.with_cell(self._columns[self._place], node)
            if tuples is None:
                return default
            made = self._made[node] = self._by_values(tuples)
        return made.get(key, default)


class Cells:
    """The rows of a table by the cell in one of their keys. In place of `Table.index`."""

    __slots__ = ("_column", "_made", "_rows")

    def __init__(self, rows: NestedRows, column: int) -> None:
        self._rows = rows
        self._column = column
        self._made: dict[Any, Bucket] = {}

    def get(self, key: Any, default: Any = None, /) -> Any:
        """The rows with that cell, or `default`."""
        made = self._made.get(key)
        if made is None:
            rows = self._rows.find(self._column, key)
            if not rows:
                return default
            made = self._made[key] = dict.fromkeys(rows)
        return made
