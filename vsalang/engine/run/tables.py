"""Tables of one session: sets of rows with alpha memories and indexes, changed by differences that can be undone."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from vsalang.engine.plan import AlphaSpec
from vsalang.engine.run.lookups import Buckets, Cells, TuplesOnDemand, answers_lookups
from vsalang.engine.terms import Ctx, Tuple
from vsalang.program.nested import NestedRows

NOTHING: Final[tuple[Sequence[Tuple], Sequence[Tuple]]] = ((), ())


class Pairs:
    """Inserted rows paired with deleted rows of the same key: atoms that read no column that differs need not change.

    Args:
        key: the columns that tell rows apart.
        added: inserted rows.
        removed: deleted rows.
    """

    __slots__ = ("added", "pairs", "removed")

    def __init__(self, key: tuple[int, ...], added: Iterable[Tuple], removed: Iterable[Tuple]) -> None:
        gone: dict[Tuple, Tuple] = {}
        self.removed: list[Tuple] = []
        for row in removed:  # nobody promises that keys are unique
            if gone.setdefault(tuple([row[c] for c in key]), row) is not row:
                self.removed.append(row)
        self.added: list[Tuple] = []
        self.pairs: list[tuple[int, Tuple, Tuple]] = []
        for row in added:
            old = gone.pop(tuple([row[c] for c in key]), None)
            if old is None:
                self.added.append(row)
                continue
            mask, bit = 0, 1
            for one, other in zip(row, old, strict=True):
                if one is not other and (one.__class__ is not other.__class__ or one != other):
                    mask |= bit
                bit <<= 1
            self.pairs.append((mask, row, old))
        self.removed.extend(gone.values())

    def reading(self, columns: int) -> tuple[list[Tuple], list[Tuple]]:
        """The inserted and deleted rows for a reader of the columns of that mask."""
        added, removed = self.added, self.removed
        changed = [(row, old) for mask, row, old in self.pairs if mask & columns]
        if changed:
            added, removed = [*added, *(row for row, _ in changed)], [*removed, *(old for _, old in changed)]
        return added, removed


class AlphaMemory:
    """The tuples of one atom, each counted by how many rows give it.

    Equal versions of one alpha memory mean equal sets of tuples. While its table has rows on demand, so has it tuples:
    `counts` is `on_demand` then, which is read as if it were a dictionary.
    """

    # asked: what each row gave, where a backend may answer differently the next time

    __slots__ = ("asked", "counts", "ctx", "id", "indexes", "on_demand", "spec", "version")

    def __init__(self, number: int, spec: AlphaSpec, ctx: Ctx) -> None:
        self.id = number
        self.spec = spec
        self.ctx = ctx
        self.counts: dict[Tuple, int] = {}
        self.on_demand: TuplesOnDemand | None = None
        self.indexes: dict[tuple[int, ...], dict[Tuple, dict[Tuple, None]]] | None = None
        self.version = 0
        self.asked: dict[Tuple, Tuple | None] | None = {} if spec.asks and not ctx.folded else None

    @property
    def answers_lookups(self) -> bool:
        """Whether its tuples can be made on demand."""
        return self.asked is None and answers_lookups(self.spec.shape)

    def show(self, rows: NestedRows | None) -> None:
        """Have the tuples of rows on demand from now on; None: no tuples, and rows that are inserted and deleted."""
        self.indexes = None
        self.on_demand = None if rows is None else TuplesOnDemand(self.spec, rows, self.ctx)
        self.counts = {} if self.on_demand is None else cast("dict[Tuple, int]", self.on_demand)

    def ask(self, row: Tuple, ctx: Ctx) -> Tuple | None:
        """What a row gives, the same as long as the row is there."""
        assert self.asked is not None
        if row in self.asked:
            return self.asked[row]
        row_values = self.asked[row] = self.spec.fn(row, ctx)
        return row_values

    def apply(
        self, added: Iterable[Tuple], removed: Iterable[Tuple]
    ) -> tuple[Sequence[Tuple], Sequence[Tuple]]:
        """Apply inserted and deleted rows; the tuples that were inserted and deleted by that."""
        fn = self.spec.fn if self.asked is None else self.ask
        counts, ctx = self.counts, self.ctx
        inserted: list[Tuple] = []
        deleted: list[Tuple] = []
        for row in removed:
            out = fn(row, ctx)
            if out is not None:
                left = counts[out] - 1
                if left:
                    counts[out] = left
                else:
                    del counts[out]
                    deleted.append(out)
        for row in added:
            out = fn(row, ctx)
            if out is not None:
                number = counts.get(out)
                if number is None:
                    counts[out] = 1
                    inserted.append(out)
                else:
                    counts[out] = number + 1
        if deleted and inserted:  # what was deleted and inserted again has not changed
            same = {*deleted}.intersection(inserted)
            if same:
                inserted = [out for out in inserted if out not in same]
                deleted = [out for out in deleted if out not in same]
        if self.indexes is not None:
            if deleted:
                self._unindex(deleted)
            if inserted:
                self._index(inserted)
        return inserted, deleted

    def _index(self, tuples: Iterable[Tuple]) -> None:
        """Put tuples that are new into the indexes."""
        assert self.indexes is not None
        for columns, index in self.indexes.items():
            if len(columns) == 1:  # by far the most
                (column,) = columns
                for out in tuples:
                    key = (out[column],)
                    bucket = index.get(key)
                    if bucket is None:
                        index[key] = {out: None}
                    else:
                        bucket[out] = None
            else:
                for out in tuples:
                    index.setdefault(tuple([out[c] for c in columns]), {})[out] = None

    def _unindex(self, tuples: Iterable[Tuple]) -> None:
        """Take tuples that are gone out of the indexes."""
        assert self.indexes is not None
        for columns, index in self.indexes.items():
            single = len(columns) == 1
            for out in tuples:
                key = (out[columns[0]],) if single else tuple([out[c] for c in columns])
                bucket = index[key]
                if len(bucket) == 1:
                    del index[key]
                else:
                    del bucket[out]

    def insert(self, row: Tuple) -> tuple[Tuple, ...]:
        """Apply one inserted row; the tuple that was inserted by that, if one was."""
        out = self.spec.fn(row, self.ctx) if self.asked is None else self.ask(row, self.ctx)
        if out is None:
            return ()
        number = self.counts.get(out, 0)
        self.counts[out] = number + 1
        if number:
            return ()
        if self.indexes is not None:
            self._index((out,))
        return (out,)

    def delete(self, row: Tuple) -> tuple[Tuple, ...]:
        """Apply one deleted row; the tuple that was deleted by that, if one was."""
        out = self.spec.fn(row, self.ctx) if self.asked is None else self.ask(row, self.ctx)
        if out is None:
            return ()
        number = self.counts[out] - 1
        if number:
            self.counts[out] = number
            return ()
        del self.counts[out]
        if self.indexes is not None:
            self._unindex((out,))
        return (out,)

    def index(self, columns: tuple[int, ...]) -> Buckets:
        """The tuples by the values in `columns`. Made when first asked for, then updated by every change."""
        if self.on_demand is not None:
            return self.on_demand.index(columns)
        if self.indexes is None:
            self.indexes = {}
        index = self.indexes.get(columns)
        if index is None:
            index = {}
            for out in self.counts:
                index.setdefault(tuple([out[c] for c in columns]), {})[out] = None
            self.indexes[columns] = index
        return index


class Table:
    """The rows of an input relation, of a derived relation in one reading, or of a history relation.

    While an input has rows on demand, `rows` is `on_demand`, which is read as if it were a dictionary.
    """

    __slots__ = ("cells", "id", "indexes", "on_demand", "rows", "version")

    def __init__(self, number: int) -> None:
        self.id = number
        self.rows: dict[Tuple, None] = {}
        self.on_demand: NestedRows | None = None
        self.cells: dict[int, Cells] = {}
        self.indexes: dict[int, dict[Any, dict[Tuple, None]]] | None = None
        self.version = 0

    def apply(self, added: Iterable[Tuple], removed: Iterable[Tuple]) -> None:
        """Insert rows, none of which is there, and delete rows, all of which are."""
        rows = self.rows
        for row in removed:
            del rows[row]
        for row in added:
            rows[row] = None
        if self.indexes is None:
            return
        for column, index in self.indexes.items():
            for row in removed:
                bucket = index[row[column]]
                del bucket[row]
                if not bucket:
                    del index[row[column]]
            for row in added:
                index.setdefault(row[column], {})[row] = None

    def show(self, rows: NestedRows | None) -> None:
        """Have these rows from now on; None: none, and rows that are inserted and deleted."""
        self.indexes = None
        self.cells = {}
        self.on_demand = rows
        self.rows = {} if rows is None else cast("dict[Tuple, None]", rows)

    def index(self, column: int) -> Buckets:
        """The rows by the cell in one column (None: unknown). Made once asked for, then updated by every change."""
        if self.on_demand is not None and column in self.on_demand.keys:
            if column not in self.cells:
                self.cells[column] = Cells(self.on_demand, column)
            return self.cells[column]
        if self.indexes is None:
            self.indexes = {}
        index = self.indexes.get(column)
        if index is None:
            index = {}
            for row in self.rows:
                index.setdefault(row[column], {})[row] = None
            self.indexes[column] = index
        return index
