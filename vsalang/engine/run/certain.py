"""Which rows may contradict a literal: rows that possibly match, and rows that were not seen.

Permission never grows by not looking: a negative use in the certain reading asks here, and what is not known to be
refuted counts.
"""

import datetime as dt
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from vsalang.engine.matching import Matcher, completeness
from vsalang.engine.run.state import State
from vsalang.engine.terms import ANYTHING, Ctx, Tuple
from vsalang.program.ir import Relation

_DEEPEST: Final = 40
"""So many relations deep are given values put into rules; below, the whole possible version is read (never less)."""


class Source:
    """The rows of one table that an atom ranges over.

    Args:
        table: the table's number.
        window: for a commit within a duration: whether a row of ``commits A`` is inside it.
    """

    __slots__ = ("table", "window")

    def __init__(self, table: int, window: "TimeWindow | None" = None) -> None:
        self.table = table
        self.window = window

    def rows(self, state: State, key_values: Mapping[int, Any], *, loose: bool) -> Iterable[Tuple]:
        """Rows that may agree with the given cells (a superset); with `loose` also where a cell is not known."""
        table = state.tables[self.table]
        rows: Iterable[Tuple] = table.rows
        if key_values and len(table.rows) > 8:
            column, value = next(iter(key_values.items()))
            if table.on_demand is not None:  # its keys need no index
                column, value = next(
                    (c for c in key_values.items() if c[0] in table.on_demand.keys), (column, value)
                )
            index = table.index(column)
            candidates = list(index.get(value, ()))
            if loose:
                candidates.extend(index.get(None, ()))
                candidates.extend(index.get(ANYTHING, ()))
            rows = candidates
        if self.window is not None:
            window = self.window
            return [row for row in rows if window.covers(state.ctx, row[-1])]
        return rows


class TimeWindow:
    """``within d``: at most `d` ago; with `lasting`, ``for d``: since at least `d`."""

    __slots__ = ("duration", "lasting")

    def __init__(self, duration: Any, *, lasting: bool = False) -> None:
        self.duration = duration
        self.lasting = lasting

    def covers(self, ctx: Ctx, point: Any) -> bool:
        """Whether the history point of that number, or the time given, is inside the window."""
        length: dt.timedelta | None = self.duration({}, ctx)
        since: dt.datetime = ctx.time_of(point) if isinstance(point, int) else point
        if length is None:
            return False
        age = ctx.timeline - since
        return age >= length if self.lasting else age <= length


class Completeness:
    """Whether a base relation may have rows that were not seen, given the cells that an atom gives with ``=``."""

    __slots__ = ("complete", "identities", "keyless", "kind", "table", "width")

    def __init__(
        self, relation: Relation, columns: Mapping[str, int], table: int, complete: int, *, commits: bool
    ) -> None:
        self.table = table
        self.complete = complete
        self.width = len(columns)
        self.keyless = relation.sort == "view" or (relation.sort == "state" and not relation.key)
        named = relation.identities if relation.sort in ("list", "state") else ()
        self.identities = tuple([tuple([columns[name] for name in names]) for names in named if names])
        self.kind = "always" if commits else completeness(relation)

    def holds(
        self,
        state: State,
        key_values: Mapping[int, Any],
        choices: Mapping[int, tuple[Any, ...]] | None = None,
    ) -> bool:
        """Whether every row with the given cells was seen.

        Args:
            key_values: cells by column.
            choices: cells that have one of several values: every combination must be complete.
        """
        if self.kind != "asked":
            return self.kind == "always"
        if self.keyless and state.tables[self.table].rows:
            return True
        open_choices = {
            column: values for column, values in (choices or {}).items() if column not in key_values
        }
        if self._covered(state, key_values):
            return True
        if not open_choices:
            return False
        for values in itertools.product(*open_choices.values()):
            state.spend(1)
            if None in values or not self._covered(
                state, {**key_values, **dict(zip(open_choices, values, strict=True))}
            ):
                return False
        return True

    def _covered(self, state: State, key_values: Mapping[int, Any]) -> bool:
        for row in state.tables[self.complete].rows:
            state.spend(1)
            if all(cell is None or (i in key_values and key_values[i] == cell) for i, cell in enumerate(row)):
                return True
        for identity in self.identities:
            if all(column in key_values for column in identity):
                rows = state.tables[self.table].index(identity[0]).get(key_values[identity[0]], ())
                state.spend(len(rows))
                if any(all(row[column] == key_values[column] for column in identity) for row in rows):
                    return True
        return False


class Possible:
    """The rows that may match an atom.

    Args:
        matcher: the atom's constraints.
        source: the rows seen: of a base relation, or the possible reading of a derived one; None for what is
            never complete and whose rows say nothing (past literals on anything but actions).
        completeness: of a base relation; None for a derived one, whose possible version has its unseen rows.
        certain: the table in which a row of a derived relation must stand to be certain; None for a base relation.
        stratum: of a derived relation the stratum of its possible reading: the values that the atom gives are put into
            its rules, so that wrapping a condition in a `define` changes nothing.
    """

    __slots__ = ("certain", "completeness", "matcher", "source", "stratum")

    def __init__(
        self,
        matcher: Matcher,
        source: Source | None,
        completeness: Completeness | None,
        certain: int | None = None,
        stratum: int | None = None,
    ) -> None:
        self.stratum = stratum
        self.matcher = matcher
        self.source = source
        self.completeness = completeness
        self.certain = certain

    def seen(self, state: State, env: Mapping[str, Any]) -> Iterator[tuple[Tuple, dict[str, Any]]]:
        """The rows that possibly match, each with the bindings refined by it."""
        if self.source is None:
            return
        key_values = self.matcher.bound_cells(env, state.ctx)
        for row in self._rows(state, key_values):
            state.spend(1)
            bindings = self.matcher.possible(row, env, state.ctx)
            if bindings is not None:
                yield row, bindings

    def _rows(self, state: State, key_values: Mapping[int, Any]) -> Iterable[Tuple]:
        assert self.source is not None
        if self.stratum is not None and key_values and state.depth < _DEEPEST:
            spec = state.plan.strata[self.stratum]
            if not spec.recursive:
                state.depth += 1
                try:
                    rules = [rule for rule in spec.plans if rule.table == self.source.table]
                    return list(
                        dict.fromkeys(
                            row for rule in rules for row in rule.rows(state, key_values=key_values)
                        )
                    )
                finally:
                    state.depth -= 1
        return list(self.source.rows(state, key_values, loose=True))

    def unseen(self, state: State, env: Mapping[str, Any], *, choices: bool = False) -> Tuple | None:
        """The row that stands for all rows that were not seen, if there may be one that matches.

        Its cells are unknown but for those that the atom gives with ``=``.
        """
        if self.source is None:
            return tuple([None] * len(self.matcher.columns))
        if self.completeness is None:
            return None
        key_values = self.matcher.bound_cells(env, state.ctx)
        options = self.matcher.choices(env, state.ctx) if choices else None
        if self.completeness.holds(state, key_values, options):
            return None
        row = tuple([key_values.get(column) for column in range(self.completeness.width)])
        return row if self.matcher.possible(row, env, state.ctx) is not None else None

    def any(self, state: State, env: Mapping[str, Any]) -> bool:
        """Whether some row, seen or not, possibly matches."""
        if self.unseen(state, env) is not None:
            return True
        return any(True for _ in self.seen(state, env))

    def is_certain(self, state: State, row: Tuple, env: Mapping[str, Any]) -> bool:
        """Whether a row that possibly matches does so certainly."""
        if self.certain is not None and row not in state.tables[self.certain].rows:
            return False
        return self.matcher.plain(row, env, state.ctx) is not None
