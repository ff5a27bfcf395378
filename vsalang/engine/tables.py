"""Tables of one session: sets of rows with their alphas and indexes, changed by differences that can be undone."""

from collections.abc import Callable, Iterable
from typing import Any

from vsalang.engine.kernel import Tuple
from vsalang.engine.terms import Ctx


class Alpha:
    """The tuples of one atom occurrence, counted by how many rows give them.

    `version` changes exactly when the set of tuples does; equal versions of one alpha mean equal sets.
    """

    __slots__ = ("counts", "ctx", "fn", "id", "indexes", "version")

    def __init__(self, number: int, fn: Callable[[Tuple, Ctx], Tuple | None], ctx: Ctx) -> None:
        self.id = number
        self.fn = fn
        self.ctx = ctx
        self.counts: dict[Tuple, int] = {}
        self.indexes: dict[tuple[int, ...], dict[Tuple, dict[Tuple, None]]] = {}
        self.version = 0

    def apply(self, added: Iterable[Tuple], removed: Iterable[Tuple]) -> bool:
        """Take in rows that came and went; whether the set of tuples changed."""
        counts, fn, ctx = self.counts, self.fn, self.ctx
        touched: dict[Tuple, bool] = {}
        for row in removed:
            out = fn(row, ctx)
            if out is not None:
                touched.setdefault(out, out in counts)
                left = counts[out] - 1
                if left:
                    counts[out] = left
                else:
                    del counts[out]
        for row in added:
            out = fn(row, ctx)
            if out is not None:
                touched.setdefault(out, out in counts)
                counts[out] = counts.get(out, 0) + 1
        changed = False
        for out, before in touched.items():
            after = out in counts
            if before == after:
                continue
            changed = True
            for columns, index in self.indexes.items():
                key = tuple([out[c] for c in columns])
                if after:
                    index.setdefault(key, {})[out] = None
                else:
                    bucket = index[key]
                    del bucket[out]
                    if not bucket:
                        del index[key]
        return changed

    def index(self, columns: tuple[int, ...]) -> dict[Tuple, dict[Tuple, None]]:
        """The tuples by the values in `columns`; made when first asked for, kept up to date then."""
        index = self.indexes.get(columns)
        if index is None:
            index = {}
            for out in self.counts:
                index.setdefault(tuple([out[c] for c in columns]), {})[out] = None
            self.indexes[columns] = index
        return index


class Table:
    """The rows of a slot, of a version of a derived relation, or of a memory of the past."""

    __slots__ = ("alphas", "id", "indexes", "rows", "version")

    def __init__(self, number: int, alphas: list[Alpha]) -> None:
        self.id = number
        self.alphas = alphas
        self.rows: dict[Tuple, None] = {}
        self.indexes: dict[int, dict[Any, dict[Tuple, None]]] = {}
        self.version = 0

    def apply(self, added: Iterable[Tuple], removed: Iterable[Tuple]) -> list[Alpha]:
        """Take in rows that came (none of which was there) and went (all were); the alphas that changed."""
        rows = self.rows
        for row in removed:
            del rows[row]
        for row in added:
            rows[row] = None
        for column, index in self.indexes.items():
            for row in removed:
                bucket = index[row[column]]
                del bucket[row]
                if not bucket:
                    del index[row[column]]
            for row in added:
                index.setdefault(row[column], {})[row] = None
        return [alpha for alpha in self.alphas if alpha.apply(added, removed)]

    def index(self, column: int) -> dict[Any, dict[Tuple, None]]:
        """The rows by the cell in one column (None: unknown); made when first asked for, kept up to date then."""
        index = self.indexes.get(column)
        if index is None:
            index = {}
            for row in self.rows:
                index.setdefault(row[column], {})[row] = None
            self.indexes[column] = index
        return index
