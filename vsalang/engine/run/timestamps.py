"""The timestamps of rows: the history points of a row's cells, or of a derived row that of its newest evidence."""

from typing import Any

from vsalang.engine.run.evaluate import run
from vsalang.engine.run.state import State
from vsalang.engine.terms import Tuple


def timestamps_of(state: State, number: int) -> dict[Tuple, Any]:
    """The timestamps of the rows of a table.

    Args:
        state: of the session.
        number: an input of timestamps: the points of the cells by row; a derived table: the newest by row.
    """
    if state.newest is not None and number in state.newest:
        return state.newest[number]
    cached = state.timestamps.get(number)
    if cached is not None and cached[0] == state.epoch:
        return cached[1]
    times: dict[Tuple, Any] = {}
    if number in state.plan.timestamps:
        times = _derived_timestamps(state, number)
    else:
        for row, points in state.tables[number].rows:
            known = times.get(row)
            times[row] = points if known is None else tuple(map(max, known, points))
    state.timestamps[number] = (state.epoch, times)
    return times


def _derived_timestamps(state: State, number: int) -> dict[Tuple, Any]:
    """For each row of a derived table the timestamp of the newest evidence that a derivation of it has."""
    newest: dict[int, dict[Tuple, Any]] = {}
    waiting = [number]
    while waiting:
        table = waiting.pop()
        if table not in newest:
            newest[table] = {}
            waiting.extend(state.plan.strata[state.plan.timestamps[table].stratum].timestamped)
    state.newest = newest
    try:
        changed = True
        while changed:
            changed = False
            for table, rows in newest.items():
                for plan in state.plan.timestamps[table].plans:
                    for env in run(state, plan.body):
                        row = plan.head(env, state.ctx)
                        if row is None:
                            continue
                        timestamps = plan.ask.newest(state, dict(zip(plan.body.layout, env, strict=True)))
                        if timestamps > rows.get(row, -1):
                            rows[row] = timestamps
                            changed = True
    finally:
        state.newest = None
    return newest[number]
