"""Maintains recursive components by differences, also over data with cycles.

Delete and rederive, with derivation levels: the level of a row is greater than those of the rows it was first derived
from. A row that lost a derivation stays if another one is found from rows of lower levels, because then it does not
depend on itself; else it is deleted, and the rows that depend on it are checked in turn. Deleted rows are derived again
where rows that stayed allow it. (Gupta, Mumick and Subrahmanian 1993; the levels cut the over-deletion as those of Even
and Shiloach 1981 do.)
"""

from collections.abc import Iterable
from math import inf
from typing import Any, TypeAlias

from vsalang.engine.api import BudgetExceeded
from vsalang.engine.run.code import Code
from vsalang.engine.run.state import State
from vsalang.engine.terms import Tuple

Heads: TypeAlias = dict[tuple[int, Tuple], int]
"""Rows of the component: table and row. The number says nothing."""

Wave: TypeAlias = dict[int, list[Tuple]]
"""Rows that are inserted or deleted together, by table."""

Levels: TypeAlias = dict[Tuple, int | None]
"""The derivation levels that rows had before a change; None: they were not there."""

Changes: TypeAlias = list[tuple[int, Levels, list[Tuple], list[Tuple], tuple[int, ...]]]
"""For each table: the levels before, the inserted rows, the deleted rows, the alpha memories that have them already."""


class Update:
    """One change of a recursive component, while it is made.

    Attributes:
        old: by table the levels before the change.
        applied: the rows that alpha memories inserted (true) or deleted, in order.
    """

    __slots__ = ("applied", "code", "inside", "old", "state")

    def __init__(self, state: State, stratum: int, code: Code) -> None:
        self.state = state
        self.code = code
        self.inside = code.inside[stratum]
        self.old: dict[int, Levels] = {table: {} for table in state.plan.strata[stratum].members}
        self.applied: list[tuple[int, list[Tuple], bool]] = []

    def derivable(self, table: int, row: Tuple, level: float) -> bool:
        """Whether some rule derives the row from rows of lower levels."""
        for function in self.code.support.get(table, ()):  # noqa: SIM110 - a generator takes twice as long
            if function(self.state, row, level):
                return True
        return False

    def move(self, wave: Wave, inserted: bool) -> Heads:
        """Insert rows or delete them, in the component's own atoms only; the heads that depend on them."""
        state, applied = self.state, self.applied
        heads: Heads = {}
        for table, rows in wave.items():
            levels, old = state.levels[table], self.old[table]
            for row in rows:
                if row not in old:
                    old[row] = levels.get(row)
                if inserted:
                    state.version += 1
                    levels[row] = state.version
                else:
                    del levels[row]
            if len(levels) > state.budget.rows:
                raise BudgetExceeded(f"a derived relation has more than {state.budget.rows} rows")
            for index, functions in self.inside[table]:
                come, gone = state.alphas[index].apply(*((rows, ()) if inserted else ((), rows)))
                applied.append((index, rows, inserted))
                for function in functions if come or gone else ():
                    function(state, come or gone, 1, heads)
        return heads

    def delete(self, lost: Iterable[tuple[int, Tuple]]) -> list[tuple[int, Tuple]]:
        """Delete the rows that lost their support, and those that depended on them.

        What a row depends on may be deleted in the same wave, after it was found derivable: then it is a head of that
        wave, and looked at again.
        """
        levels = self.state.levels
        deleted: list[tuple[int, Tuple]] = []
        while True:
            wave: Wave = {}
            for table, row in lost:
                level = levels[table].get(row)
                if level is not None and not self.derivable(table, row, level):
                    deleted.append((table, row))
                    wave.setdefault(table, []).append(row)
            if not wave:
                return deleted
            lost = self.move(wave, False)

    def insert(self, candidates: Iterable[tuple[int, Tuple]]) -> None:
        """Insert the rows that can be derived, and what follows from them."""
        levels = self.state.levels
        rows_to_insert = dict.fromkeys(
            (table, row)
            for table, row in candidates
            if row not in levels[table] and self.derivable(table, row, inf)
        )
        while rows_to_insert:
            wave: Wave = {}
            for table, row in rows_to_insert:
                wave.setdefault(table, []).append(row)
            heads = self.move(wave, True)
            rows_to_insert = dict.fromkeys((table, row) for table, row in heads if row not in levels[table])

    def undo(self) -> None:
        """Give the component's own atoms their old tuples back; the levels are lost."""
        for index, rows, inserted in reversed(self.applied):
            self.state.alphas[index].apply(() if inserted else rows, rows if inserted else ())


def update_component(state: State, stratum: int, gained: Heads, lost: Heads) -> Changes:
    """Find the new rows of a maintained component; its own alpha memories and levels are updated, its tables are not.

    Args:
        state: of the session.
        stratum: the component.
        gained: rows that may have gained a derivation.
        lost: rows that may have lost one.

    Raises:
        BudgetExceeded: the component's tables are as they were, and it must be computed from nothing.
    """
    update = Update(state, stratum, state.plan.code)
    try:
        deleted = update.delete(lost)
        update.insert([*gained, *deleted])
    except BudgetExceeded:
        update.undo()
        raise
    changes: Changes = []
    for table, old in update.old.items():
        if old:
            levels = state.levels[table]
            added = [row for row, level in old.items() if level is None and row in levels]
            removed = [row for row, level in old.items() if level is not None and row not in levels]
            changes.append((table, old, added, removed, tuple(index for index, _ in update.inside[table])))
    return changes


def restore_levels(state: State, stratum: int, table: int, old: dict[Tuple, Any]) -> None:
    """Undo the levels that a change gave."""
    if not state.maintained[stratum]:
        return
    levels = state.levels[table]
    for row, level in old.items():
        if level is None:
            levels.pop(row, None)
        else:
            levels[row] = level
    if stratum in state.watchers:
        state.tell_watchers(stratum)
