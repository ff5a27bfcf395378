"""What the caller sets: the rows of input relations, single cells, and the clock."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from vsalang.engine.api import BudgetExceeded, Commit, EngineError, Input, Row, TimedRow
from vsalang.engine.run.maintain import apply_changes, change, propagate, replace, write
from vsalang.engine.run.ondemand import assign_nested
from vsalang.engine.run.state import State
from vsalang.engine.run.windows import timeline_changes
from vsalang.engine.terms import Tuple
from vsalang.program.nested import NestedRows

POINTS = ("timestamps", "last_seen")
"""The kinds of inputs whose rows are a row and its history points (`TimedRow`)."""


def assign(state: State, name: Input, rows: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]") -> None:
    """Replace the rows of an input. `NestedRows` of an observed relation are looked up, not copied.

    Raises:
        EngineError: a row does not have the relation's width, or the relation is derived.
        BudgetExceeded: too many rows.
    """
    state.check()
    state.begin()
    number = state.plan.inputs.get(name)
    if number is None:
        _assign_unread(state, name, rows)
        return
    if isinstance(rows, NestedRows) and name.kind == "rows" and _is_observed(state, name):
        _check_size(state, name, number, rows)
        assign_nested(state, number, rows)
        return
    new: dict[Tuple, None] = dict.fromkeys(_cells(state, name, number, rows))
    if state.tables[number].on_demand is not None:
        assign_nested(state, number, None)
    replace(state, number, new)
    if name.kind == "commits":
        _forget_commits(state, name.relation, new)


def update(
    state: State,
    name: Input,
    added: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]",
    removed: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]",
) -> None:
    """Insert rows into an input and delete rows from it: a row in both stays, and so does what is there already.

    Raises:
        EngineError: a row does not have the relation's width, or the relation is derived.
        BudgetExceeded: too many rows.
    """
    state.check()
    state.begin()
    number = state.plan.inputs.get(name)
    if number is None:
        kept = state.unread.get(name, frozenset())
        if name.kind == "rows" and name.relation in state.program.relations:
            gone: set[Any] = set(removed)
            _assign_unread(state, name, (kept - gone) | set(added))
        return
    _copy_nested(state, number)
    rows = state.tables[number].rows
    inserted = dict.fromkeys(_cells(state, name, number, added))
    deleted = [
        row
        for row in dict.fromkeys(_cells(state, name, number, removed))
        if row in rows and row not in inserted
    ]
    new = [row for row in inserted if row not in rows]
    if len(rows) + len(new) - len(deleted) > state.budget.rows:
        raise BudgetExceeded(f"input {name} has more than {state.budget.rows} rows")
    if new or deleted:
        change(state, number, new, deleted)
        if name.kind == "commits":
            _forget_commits(state, name.relation, state.tables[number].rows)


def write_cell(state: State, name: str, attr: str, value: Any) -> None:
    """Write one cell of the only row of a relation without a key; a row that is not there yet is made.

    Args:
        state: of the session.
        name: a relation without a key, or its state ``before``.
        attr: the cell.
        value: None: it is unknown.

    Raises:
        EngineError: there is no such relation or cell, or it has several rows.
    """
    place = state.plan.cells.get((name, attr))
    if place is not None and not state.broken:
        number, column = place
        rows = state.tables[number].rows
        if len(rows) == 1:
            (old,) = rows
            if old[column] is value:
                return
            if old[column] != value:
                state.steps = state.refills = 0
                state.fuel = state.portion
                state.deadline = None
                write(state, number, column, (*old[:column], value, *old[column + 1 :]), old)
                return
    _write_cell(state, Input.read(name), attr, value)


def _write_cell(state: State, name: Input, attr: str, value: Any) -> None:
    state.check()
    state.begin()
    relation = state.program.relations.get(name.relation)
    if relation is None or name.kind not in ("rows", "before"):
        raise EngineError(f"the program has no relation {name}")
    try:
        column = relation.column(attr)
    except KeyError:
        raise EngineError(f"{name} has no attribute {attr}") from None
    number = state.plan.inputs.get(name)
    if number is not None:
        _copy_nested(state, number)
    rows: Any = state.unread.get(name, ()) if number is None else state.tables[number].rows
    if len(rows) > 1:
        raise EngineError(f"input {name} has {len(rows)} rows: which one is written?")
    old = next(iter(rows), None)
    row = old if old is not None else (None,) * len(relation.attrs)
    if old is not None and old[column].__class__ is value.__class__ and old[column] == value:
        return
    new = (*row[:column], value, *row[column + 1 :])
    if number is None:
        _assign_unread(state, name, [new])
    elif old is None:
        change(state, number, [new], [])
    else:  # a value that equals another of another type, such as 1 and true, or a relation with a key
        change(state, number, [], [old])
        change(state, number, [new], [])


def set_clock(state: State, moment: dt.datetime, timeline: dt.datetime | None) -> None:
    """Set the device's clock and the timeline (None: the same).

    Raises:
        EngineError: the moment has a time zone: the clock is the device's local time.
    """
    time = moment if timeline is None else timeline
    if moment.tzinfo is not None or time.tzinfo is not None:
        raise EngineError("the clock is the device's local time, without a time zone")
    ctx = state.ctx
    if moment == ctx.now and time == ctx.timeline:
        return
    state.begin()
    state.epoch += 1
    if state.savepoints:
        state.undo_log.append(("clock", ctx.now, ctx.timeline, state.clock_version))
    back = time < ctx.timeline
    ctx.now, ctx.timeline = moment, time
    state.clock_moved()
    if back or time >= state.alarm:
        move_windows(state, back)


def move_windows(state: State, back: bool) -> None:
    """Update the windows of the past that have come to a deadline; all of them if the timeline went back."""
    for table, added, removed in timeline_changes(state, back):
        apply_changes(state, table, added, removed)
    if state.queue:
        propagate(state)


def _cells(state: State, name: Input, number: int, rows: Iterable[Any]) -> Iterable[Tuple]:
    arity = state.plan.tables[number].arity
    width = row_width(name, arity)
    limit = state.budget.rows
    for count, row in enumerate(rows, 1):
        if isinstance(row, Commit):
            cells: Tuple = (*row.row, row.number, row.point)
        elif isinstance(row, TimedRow):
            cells = (row.row, row.points)
        else:
            cells = tuple(row)
        if len(cells) != width:
            raise EngineError(f"input {name}: a row has {len(cells)} cells instead of {arity}")
        if count > limit:
            raise BudgetExceeded(f"input {name} has more than {limit} rows")
        yield cells


def _is_observed(state: State, name: Input) -> bool:
    relation = state.program.relations.get(name.relation)
    return relation is not None and relation.sort == "observed"


def _check_size(state: State, name: Input, number: int, rows: NestedRows) -> None:
    arity = state.plan.tables[number].arity
    if rows and rows.width != arity:
        raise EngineError(f"input {name}: a row has {rows.width} cells instead of {arity}")
    if len(rows) > state.budget.rows:
        raise BudgetExceeded(f"input {name} has more than {state.budget.rows} rows")


def _copy_nested(state: State, number: int) -> None:
    """Give a table that has its rows on demand ordinary rows: some are about to be changed."""
    rows = state.tables[number].on_demand
    if rows is not None:
        assign_nested(state, number, None)
        change(state, number, list(rows), [])


def row_width(name: Input, arity: int) -> int:
    """How many cells a row of an input has in its table."""
    return 2 if name.kind in POINTS else arity


def _assign_unread(state: State, name: Input, rows: Any) -> None:
    """Keep what `rows` may be asked for, of a base relation that no rule reads."""
    if name.kind == "rows" and name.relation in state.program.relations:
        if name.relation in state.plan.derived:
            raise EngineError(f"input {name}: the rows of a derived relation are not assigned")
        old = state.unread.get(name, frozenset())
        if state.savepoints:
            state.undo_log.append(("unread", name, old))
        state.unread[name] = frozenset(tuple(row) for row in rows)


def _forget_commits(state: State, action: str, commits: Iterable[Tuple]) -> None:
    """Delete from the histories what depends on a commit that was taken back."""
    numbers: set[Any] | None = None
    for history in state.plan.histories:
        columns = [column for column, name in history.commits if name == action]
        if columns:
            if numbers is None:
                numbers = {row[-2] for row in commits}
            rows = state.tables[history.table].rows
            gone = [row for row in rows if any(row[column] not in numbers for column in columns)]
            if gone:
                change(state, history.table, [], gone)
                state.histories.pop(history.table, None)
                if state.maintained[history.stratum]:
                    if state.savepoints:
                        state.undo_log.append(("source", history.stratum))
                    state.values[history.stratum] = None
