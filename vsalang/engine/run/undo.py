"""Savepoints: undoes the entries of the undo log, the latest first. Nothing is derived again for it."""

from vsalang.engine.api import EngineError
from vsalang.engine.run.maintain import uncount
from vsalang.engine.run.ondemand import undo_nested
from vsalang.engine.run.recursion import restore_levels
from vsalang.engine.run.state import State, Undo


def rollback(state: State, savepoint: int) -> None:
    """Undo everything since a savepoint.

    Raises:
        EngineError: there is no such savepoint.
    """
    if not 1 <= savepoint <= len(state.savepoints):
        raise EngineError(f"there is no savepoint {savepoint}")
    start = state.savepoints[savepoint - 1]
    del state.savepoints[savepoint - 1 :]
    log = state.undo_log[start:]
    del state.undo_log[start:]
    state.check()
    state.broken = True
    for entry in reversed(log):
        _undo(state, entry)
    state.broken = False
    state.epoch += 1
    state.begin()
    if state.asking and not state.savepoints:
        forget_asked(state)


def release(state: State, savepoint: int) -> None:
    """Keep what was done since a savepoint: it can still be undone by an earlier one.

    Raises:
        EngineError: there is no such savepoint.
    """
    if not 1 <= savepoint <= len(state.savepoints):
        raise EngineError(f"there is no savepoint {savepoint}")
    del state.savepoints[savepoint - 1 :]
    if not state.savepoints:
        state.undo_log.clear()
        if state.asking:
            forget_asked(state)


def forget_asked(state: State) -> None:
    """Forget what a backend said of rows that are deleted for good."""
    for alpha in state.asking:
        rows = state.tables[alpha.spec.table].rows
        if alpha.asked:
            alpha.asked = {row: out for row, out in alpha.asked.items() if row in rows}


def _undo(state: State, entry: Undo) -> None:
    kind = entry[0]
    if kind == "rows":
        _, number, added, removed, (version, versions) = entry
        table, alphas = state.tables[number], state.alphas
        state.histories.pop(number, None)
        present = table.rows
        back = [row for row in removed if row not in present]
        away = [row for row in added if row in present]
        table.apply(back, away)
        table.version = version
        for stratum in state.plan.table_readers[number]:
            state.invalidate(stratum)
        for index, before in zip(state.plan.tables[number].alphas, versions, strict=True):
            alpha = alphas[index]
            # even if the set of its tuples was the same: how many rows give them was not
            alpha.apply(back, away)
            if alpha.version != before:
                alpha.version = before
                for stratum in state.plan.alpha_readers[index]:
                    if not state.maintained[stratum]:
                        state.invalidate(stratum)
    elif kind == "on demand":
        undo_nested(state, *entry[1:])
    elif kind == "counts":
        uncount(state, entry[1], entry[2])
    elif kind == "levels":
        restore_levels(state, entry[1], entry[2], entry[3])
    elif kind == "source":
        state.values[entry[1]] = None
    elif kind == "alarm":
        state.alarms[entry[1]] = entry[2]
        state.alarm = min(state.alarms)
    elif kind == "stratum":
        _, stratum, inputs, value = entry
        state.computed_from[stratum], state.values[stratum] = inputs, value
        state.invalidate(stratum)
    elif kind == "clock":
        _, state.ctx.now, state.ctx.timeline, state.clock_version = entry
        for stratum in state.plan.clock_readers:
            state.invalidate(stratum)
    elif kind == "time":
        _, point, state.last_point, state.clock_version = entry
        for stratum in state.plan.clock_readers:
            state.invalidate(stratum)
        del state.ctx.times[point]
    else:
        _, relation, rows = entry
        state.unread[relation] = rows
