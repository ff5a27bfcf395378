"""Maintains results by differences: inserted and deleted tuples are joined with the rest, derivations are counted.

A stratum is first computed from nothing. From the second time that this would be necessary, generated code *maintains*
it: every change of a table is propagated through the maintained strata at once, lower strata first. A stratum that
cannot be maintained within the budget is dropped, and computed from nothing when it is asked for. Changes after a
savepoint are undone from the undo log, not by computing backwards.
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, Final

from vsalang.engine.api import Answer, BudgetExceeded, EngineError
from vsalang.engine.run.code import Code, code_of, writer_of
from vsalang.engine.run.recursion import update_component
from vsalang.engine.run.state import State
from vsalang.engine.run.tables import Pairs
from vsalang.engine.run.windows import window_changes
from vsalang.engine.terms import Tuple

HOT: Final = 2
"""From this number of computations from nothing, a stratum is maintained."""

DROPPED: Final = -50
"""The hits of a stratum that could not be maintained: it may try again much later."""

COUNTED: Final = 1
RECURSIVE: Final = 2
"""How a stratum is maintained: by counting derivations, or by the derivation levels of its rows."""

FLAG: Final = ((),)
"""The rows of a relation without attributes that holds."""


# ---------------------------------------------------------------- changes of tables


def change(state: State, number: int, added: list[Tuple], removed: list[Tuple]) -> None:
    """Insert rows into a table and delete rows from it, and propagate that.

    Args:
        state: of the session.
        number: of the table.
        added: rows that are not there.
        removed: rows that are there.
    """
    apply_changes(state, number, added, removed)
    if state.queue:
        propagate(state)


def replace(state: State, number: int, new: Iterable[Tuple]) -> bool:
    """Give a table new rows; whether anything changed."""
    rows = new if isinstance(new, dict) else dict.fromkeys(new)
    old = state.tables[number].rows
    if rows == old:
        return False
    added = [row for row in rows if row not in old]
    removed = [row for row in old if row not in rows]
    if added or removed:
        change(state, number, added, removed)
        return True
    return False


def apply_changes(
    state: State,
    number: int,
    added: list[Tuple],
    removed: list[Tuple],
    done: tuple[int, ...] = (),
) -> None:
    """As `change`, without propagating: maintained strata wait in `State.pending`.

    Args:
        done: alpha memories that have these rows already.
    """
    plan, dirty, maintained = state.plan, state.dirty, state.maintained
    table, alphas = state.tables[number], state.alphas
    mine = plan.tables[number].alphas
    if state.savepoints:
        versions = (table.version, [alphas[index].version for index in mine])
        state.undo_log.append(("rows", number, added, removed, versions))
    state.version += 1
    table.version = state.version
    for stratum in plan.table_readers[number]:
        if not dirty[stratum] and not maintained[stratum]:
            state.invalidate(stratum)
    state.epoch += 1
    state.broken = True  # until every reader of the rows has the change
    table.apply(added, removed)
    code: Code | None = plan.code
    if code is not None and number in code.tallies:
        _tally(state, code, number, added, removed)
    key = plan.keys.get(number) if added and removed else None
    pairs = Pairs(key, added, removed) if key is not None else None
    for index in mine:
        alpha = alphas[index]
        if index in done:
            state.version += 1
            alpha.version = state.version
            continue
        if pairs is not None:
            come, go = pairs.reading(alpha.spec.mask)
            if not come and not go:
                continue
            inserted, deleted = alpha.apply(come, go)
        else:
            inserted, deleted = alpha.apply(added, removed)
        if inserted or deleted:
            notify(state, index, inserted, deleted)
    state.broken = False
    if number in plan.windowed:
        for window, come, go in window_changes(state, number, added, removed):
            apply_changes(state, window, come, go)


def notify(state: State, index: int, inserted: Any, deleted: Any) -> None:
    """Pass on which tuples were inserted into an alpha memory and deleted from it.

    Maintained strata join them at once with the rest, and what they derive waits in `State.pending`.
    """
    plan, maintained, dirty = state.plan, state.maintained, state.dirty
    state.version += 1
    state.alphas[index].version = state.version
    for stratum in plan.alpha_readers[index]:
        if not maintained[stratum] and not dirty[stratum]:
            state.invalidate(stratum)
    notified = state.notified
    if notified is None:
        return
    pending, alphas = state.pending, state.alphas
    for stratum, sign, function, joined in notified[index]:
        kind = maintained[stratum]
        for number in joined if kind else ():
            alpha = alphas[number]
            if alpha.on_demand is None and not alpha.counts:
                kind = 0  # with no tuple there, the change derives nothing
                break
        if kind == COUNTED:
            known = pending.get(stratum)
            out = {} if known is None else known
            try:
                if inserted:
                    function(state, inserted, sign, out)
                if deleted:
                    function(state, deleted, -sign, out)
            except BudgetExceeded:
                drop(state, stratum)
                continue
            if out and known is None:
                pending[stratum] = out
                heappush(state.queue, plan.rank[stratum])
        elif kind == RECURSIVE:
            _note_candidates(state, stratum, sign, function, inserted, deleted)


def _tally(state: State, code: Code, number: int, added: list[Tuple], removed: list[Tuple]) -> None:
    """Pass the rows that were inserted and deleted to maintained strata that count them, before any atom reads them."""
    for stratum, function in code.tallies[number]:
        if not state.maintained[stratum]:
            continue
        known = state.pending.get(stratum)
        out: dict[Tuple, int] = {} if known is None else known
        try:
            function(state, added, removed, out)
        except BudgetExceeded:
            drop(state, stratum)
            continue
        if out and known is None:
            state.pending[stratum] = out
            heappush(state.queue, state.plan.rank[stratum])


def _note_candidates(
    state: State, stratum: int, sign: int, function: Any, inserted: Any, deleted: Any
) -> None:
    """Note which rows of a recursive component may have gained or lost a derivation."""
    candidates = state.pending.get(stratum)
    if candidates is None:
        candidates = state.pending[stratum] = ({}, {})
        heappush(state.queue, state.plan.rank[stratum])
    gained, lost = candidates if sign > 0 else (candidates[1], candidates[0])
    try:
        if inserted:
            function(state, inserted, 1, gained)
        if deleted:
            function(state, deleted, 1, lost)
    except BudgetExceeded:
        drop(state, stratum)


def write(state: State, number: int, column: int, new: Tuple, old: Tuple) -> None:
    """Replace the only row of a table by one that differs in one column."""
    plan, table = state.plan, state.tables[number]
    mine = plan.tables[number].alphas
    if state.savepoints:
        versions = (table.version, [state.alphas[index].version for index in mine])
        state.undo_log.append(("rows", number, [new], [old], versions))
    state.version += 1
    table.version = state.version
    dirty = state.dirty
    for stratum in plan.table_readers[number]:
        if not dirty[stratum]:
            state.invalidate(stratum)
    state.epoch += 1
    state.broken = True
    if table.indexes is None:
        table.rows.clear()
        table.rows[new] = None
    else:
        table.apply((new,), (old,))
    code: Code | None = plan.code
    if code is not None:
        cell, writers = (number, column), code.writers
        writer = writers[cell] if cell in writers else writer_of(plan, code, number, column)
        if writer is not None:
            writer(state, new, old)
    else:
        for index in mine:
            alpha = state.alphas[index]
            columns = alpha.spec.columns
            if columns is None or column in columns:
                inserted, deleted = alpha.apply((new,), (old,))
                if inserted or deleted:
                    notify(state, index, inserted, deleted)
    state.broken = False
    if state.queue:
        propagate(state)


# ---------------------------------------------------------------- through the maintained strata


def propagate(state: State) -> None:
    """Propagate pending changes through the maintained strata, lower strata first."""
    queue, pending, by_rank = state.queue, state.pending, state.plan.by_rank
    while queue:
        stratum = by_rank[heappop(queue)]
        candidates = pending.pop(stratum, None)
        if candidates is None:
            continue
        try:
            if state.maintained[stratum] == RECURSIVE:
                state.broken = True
                _propagate_recursive(state, stratum, *candidates)
                state.broken = False
            elif state.plan.flags[stratum]:
                _propagate_flag(state, stratum, candidates[()])
            elif not state.plan.strata[stratum].members:
                _propagate_answers(state, stratum, candidates)
            else:
                _propagate_derived(state, stratum, candidates)
        except BudgetExceeded:
            state.broken = False
            drop(state, stratum)


def _propagate_derived(state: State, stratum: int, delta: dict[Tuple, int]) -> None:
    added, removed = _count(state, stratum, delta)
    if added or removed:
        apply_changes(state, state.plan.strata[stratum].members[0], added, removed)
        if len(state.counts[stratum]) > state.budget.rows:
            raise BudgetExceeded(f"a derived relation has more than {state.budget.rows} rows")
        if stratum in state.watchers:
            state.tell_watchers(stratum)


def _propagate_recursive(state: State, stratum: int, gained: Any, lost: Any) -> None:
    for table, old, added, removed, done in update_component(state, stratum, gained, lost):
        if state.savepoints:
            state.undo_log.append(("levels", stratum, table, old))
        if added or removed:
            apply_changes(state, table, added, removed, done)
    if stratum in state.watchers:
        state.tell_watchers(stratum)


def _propagate_flag(state: State, stratum: int, difference: int) -> None:
    """The change of a relation without attributes: it holds or not."""
    if not difference:
        return
    counts = state.counts[stratum]
    old = counts.get((), 0)
    new = old + difference
    if state.savepoints:
        state.undo_log.append(("counts", stratum, {(): difference}))
    if new > 0:
        counts[()] = new
        if old:
            return
    elif new:
        _fault(state, stratum, new)
    else:
        del counts[()]
    plan, number = state.plan, state.plan.strata[stratum].members[0]
    table, mine = state.tables[number], state.plan.tables[number].alphas
    if state.savepoints:
        versions = (table.version, [state.alphas[index].version for index in mine])
        state.undo_log.append(("rows", number, [()] if new else [], [] if new else [()], versions))
    state.version += 1
    table.version = state.version
    dirty = state.dirty
    for reader in plan.table_readers[number]:
        if not dirty[reader]:
            state.invalidate(reader)
    state.epoch += 1
    state.broken = True
    if new:
        table.rows[()] = None
        for index in mine:
            state.alphas[index].counts[()] = 1
            notify(state, index, FLAG, ())
    else:
        table.rows.clear()
        for index in mine:
            state.alphas[index].counts.clear()
            notify(state, index, (), FLAG)
    state.broken = False
    if stratum in state.watchers:
        state.tell_watchers(stratum)


def _propagate_answers(state: State, stratum: int, delta: dict[Tuple, int]) -> None:
    added, removed = _count(state, stratum, delta)
    if added or removed:
        _answers(state, stratum, added, removed)


def _answers(state: State, stratum: int, added: list[Tuple], removed: list[Tuple]) -> None:
    answers = state.sets.get(stratum)
    if answers is not None:  # somebody has asked for them
        for values, row in removed:
            answers.discard(Answer(values, row))
        for values, row in added:
            answers.add(Answer(values, row))
    state.values[stratum] = None
    if stratum in state.watchers:
        state.tell_watchers(stratum)


def _count(state: State, stratum: int, delta: dict[Tuple, int]) -> tuple[list[Tuple], list[Tuple]]:
    """Add derivations; the rows whose number of derivations left zero, and those for which it became zero."""
    counts = state.counts[stratum]
    added: list[Tuple] = []
    removed: list[Tuple] = []
    for row, difference in delta.items():
        if not difference:
            continue
        old = counts.get(row, 0)
        new = old + difference
        if new > 0:
            counts[row] = new
            if not old:
                added.append(row)
        elif not new:
            del counts[row]
            removed.append(row)
        else:
            _fault(state, stratum, new)
    if state.savepoints:
        state.undo_log.append(("counts", stratum, delta))
    return added, removed


def _fault(state: State, stratum: int, count: int) -> None:
    state.broken = True
    raise EngineError(
        f"a row of {state.plan.strata[stratum].name} has {count} derivations: a fault of the engine"
    )


def uncount(state: State, stratum: int, delta: dict[Tuple, int]) -> None:
    """Undo what `_count` added."""
    if not state.maintained[stratum]:
        return
    counts = state.counts[stratum]
    added: list[Tuple] = []
    removed: list[Tuple] = []
    for row, difference in delta.items():
        if not difference:
            continue
        old = counts.get(row, 0)
        new = old - difference
        if new:
            counts[row] = new
            if not old:
                added.append(row)
        else:
            del counts[row]
            removed.append(row)
    if added or removed:
        if not state.plan.strata[stratum].members:
            _answers(state, stratum, added, removed)
        elif stratum in state.watchers:
            state.tell_watchers(stratum)


# ---------------------------------------------------------------- beginning and ending to maintain a stratum


def is_hot(state: State, stratum: int) -> bool:
    """Count a computation from nothing that is about to begin; whether the stratum should be maintained instead."""
    if not state.maintains or stratum not in state.plan.nets:
        return False
    if not state.ctx.folded and state.plan.nets[stratum].asks:
        return False  # a backend might answer differently when a tuple is deleted than when it was inserted
    hits = state.hits.get(stratum, 0) + 1
    state.hits[stratum] = hits
    if hits < HOT:
        return False
    if state.savepoints:
        state.wanted[stratum] = None
        return False
    return True


def maintain(state: State, stratum: int) -> bool:
    """Begin to maintain a stratum: count all its derivations. What it reads is up to date, and there is no savepoint.

    Returns:
        False if that was too much; the stratum is as it was.
    """
    plan = state.plan
    code = code_of(plan, notify, stratum)
    state.notified = code.users
    net = plan.nets[stratum]
    if net.kind == "recursive":
        return _maintain_recursive(state, stratum, code)
    counts: dict[Tuple, int] = {}
    try:
        for function in code.full[stratum]:
            function(state, counts)
        if len(counts) > state.budget.rows:
            raise BudgetExceeded("too many rows")
    except BudgetExceeded:
        state.hits[stratum] = DROPPED
        state.refill()
        return False
    state.counts[stratum] = counts
    state.maintained[stratum] = COUNTED
    if net.kind == "derived":
        replace(state, plan.strata[stratum].members[0], dict.fromkeys(counts))
    else:
        state.sets.pop(stratum, None)
        state.values[stratum] = None
    state.dirty[stratum] = 0
    return True


def _maintain_recursive(state: State, stratum: int, code: Code) -> bool:
    """Derive a recursive component from nothing, with derivation levels."""
    for table in state.plan.strata[stratum].members:
        replace(state, table, {})
        state.levels[table] = {}
    gained: dict[Any, int] = {}
    state.maintained[stratum] = RECURSIVE
    try:
        for function in code.full[stratum]:
            function(state, gained)
        _propagate_recursive(state, stratum, gained, {})
    except BudgetExceeded:
        drop(state, stratum)
        return False
    state.dirty[stratum] = 0
    propagate(state)
    return True


def drop(state: State, stratum: int) -> None:
    """Maintain a stratum no longer: it is computed from nothing when it is asked for."""
    restart(state, stratum)
    state.hits[stratum] = DROPPED
    state.refill()


def restart(state: State, stratum: int) -> None:
    """Forget what is maintained of a stratum: it is computed from nothing, and maintained again, when it is needed."""
    state.maintained[stratum] = 0
    state.hits[stratum] = HOT - 1
    state.counts.pop(stratum, None)
    state.sets.pop(stratum, None)
    state.pending.pop(stratum, None)
    state.computed_from[stratum] = None
    state.values[stratum] = None
    for table in state.plan.strata[stratum].members:
        state.levels.pop(table, None)
    state.dirty[stratum] = 0
    state.invalidate(stratum)
