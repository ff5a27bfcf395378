"""The stamps of rows: for each row the history points of its cells, or of a derived row the age of its evidence."""

from typing import Any

from vsalang.engine.run.evaluate import run
from vsalang.engine.run.state import State
from vsalang.engine.terms import Tuple


def stamps_of(state: State, number: int) -> dict[Tuple, Any]:
    """The stamps of the rows of a table.

    Args:
        state: of the session.
        number: an input of stamps: the points of the cells by row; a derived table: the age by row.
    """
    if state.ages is not None and number in state.ages:
        return state.ages[number]
    cached = state.stamps.get(number)
    if cached is not None and cached[0] == state.epoch:
        return cached[1]
    found: dict[Tuple, Any] = {}
    if number in state.plan.stamps:
        found = _derived_ages(state, number)
    else:
        for row, points in state.tables[number].rows:
            known = found.get(row)
            found[row] = points if known is None else tuple(map(max, known, points))
    state.stamps[number] = (state.epoch, found)
    return found


def _derived_ages(state: State, number: int) -> dict[Tuple, Any]:
    """The age of each row of a derived table: that of the youngest evidence that a derivation of it has."""
    ages: dict[int, dict[Tuple, Any]] = {}
    waiting = [number]
    while waiting:
        table = waiting.pop()
        if table not in ages:
            ages[table] = {}
            waiting.extend(state.plan.strata[state.plan.stamps[table].stratum].stamped)
    state.ages = ages
    try:
        changed = True
        while changed:
            changed = False
            for table, rows in ages.items():
                for plan in state.plan.stamps[table].plans:
                    for env in run(state, plan.body):
                        row = plan.head(env, state.ctx)
                        if row is None:
                            continue
                        age = plan.ask.age(state, dict(zip(plan.body.layout, env, strict=True)))
                        if age > rows.get(row, -1):
                            rows[row] = age
                            changed = True
    finally:
        state.ages = None
    return ages[number]
