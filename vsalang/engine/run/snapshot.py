"""A session's whole state as plain data, and back: inputs, history relations, the clock.

What is derived is not in it. The data is a tree of dictionaries, lists, texts, numbers, truth values and None, ready
for JSON. Cells are as in JSON where that says it all; other values are an object with one key: ``{"number": "1.5"}``,
``{"date": "2026-04-01"}``, ``{"time": "19:00:00"}``, ``{"duration": [days, seconds, microseconds]}``,
``{"moment": ..}``, ``{"set": [..]}``, ``{"none": true}``, ``{"row": [..]}``; ``{"wild": true}`` is a value of which
nothing is known (in histories only).
"""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Protocol, TypeVar

from vsalang.engine.api import BudgetExceeded, EngineError, Input
from vsalang.engine.plan import Ref, TableKey
from vsalang.engine.run.inputs import assign, move_windows, row_width
from vsalang.engine.run.maintain import replace
from vsalang.engine.run.state import State
from vsalang.engine.terms import ANYTHING, Tuple
from vsalang.program.codec import unpack
from vsalang.program.ir import Program
from vsalang.program.values import NONE

FORMAT: Final = "vsalang-session"
VERSION: Final = 2


class HasState(Protocol):
    """A session, as far as a snapshot is put into it."""

    state: State


S = TypeVar("S", bound=HasState)


def snapshot(state: State) -> dict[str, Any]:
    """All that a session holds.

    Raises:
        EngineError: there is a savepoint: a tentative state is not a state to keep.
    """
    state.check()
    if state.savepoints:
        raise EngineError("a snapshot of a tentative state: roll back or release first")
    plan, ctx = state.plan, state.ctx
    inputs: dict[str, Any] = {}
    past: list[Any] = []
    for spec, table in zip(plan.tables, state.tables, strict=True):
        rows = sorted(([encode(cell) for cell in row] for row in table.rows), key=repr)
        if isinstance(spec.key, Input):
            inputs[str(spec.key)] = rows
        elif spec.key.kind in ("past", "then"):
            past.append([spec.key.kind, spec.key.name, rows])
    return {
        "format": FORMAT,
        "version": VERSION,
        "program": state.program.digest,
        "today": ctx.today.isoformat(),
        "now": ctx.now.isoformat(),
        "timeline": ctx.timeline.isoformat(),
        "point": state.last_point,
        "forgotten": ctx.forgotten,
        "times": [[point, moment.isoformat()] for point, moment in sorted(ctx.times.items())],
        "slots": inputs,
        "unread": {
            str(name): sorted(([encode(cell) for cell in row] for row in rows), key=repr)
            for name, rows in sorted(state.unread.items())
        },
        "past": past,
    }


def restore_state(program: Program, data: Any, begin: Callable[[dt.date], S]) -> S:
    """A new session in the state of a snapshot. Similarity and budget are not part of a snapshot.

    Args:
        program: the program of which the snapshot was taken.
        data: what `snapshot` gave, or what JSON made of it.
        begin: opens a session of the program, given the day of the instruction.

    Raises:
        EngineError: the data is not a snapshot, of another version or of another program.
        BudgetExceeded: it is larger than the budget allows.
    """
    try:
        return _restored(program, data, begin)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, InvalidOperation) as error:
        raise EngineError(f"the snapshot is damaged: {type(error).__name__}: {error}") from error


def _restored(program: Program, data: Any, begin: Callable[[dt.date], S]) -> S:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise EngineError("this is not a snapshot of a session")
    if data["version"] not in (1, VERSION):
        raise EngineError(f"a snapshot of version {data['version']}: this engine reads version {VERSION}")
    if data["program"] != program.digest:
        raise EngineError(
            "the snapshot is of another program: restore it with the very sources that it was taken with"
        )
    session = begin(dt.date.fromisoformat(data["today"]))
    state = session.state
    now = dt.datetime.fromisoformat(data["now"])
    # in version 1 durations were those of the device's clock
    timeline = now if data["version"] == 1 else dt.datetime.fromisoformat(data["timeline"])
    if now.tzinfo is not None or timeline.tzinfo is not None:
        raise EngineError("the snapshot is damaged: the clock has a time zone")
    state.ctx.now, state.ctx.timeline = now, timeline
    _restore_tables(state, data)
    for name, rows in data["unread"].items():
        assign(state, Input.read(name), [tuple([decode(cell) for cell in row]) for row in rows])
    times = {int(point): dt.datetime.fromisoformat(moment) for point, moment in data["times"]}
    state.last_point, state.ctx.forgotten, state.ctx.times = int(data["point"]), int(data["forgotten"]), times
    state.clock_moved()
    move_windows(state, True)
    return session


def _restore_tables(state: State, data: Any) -> None:
    plan = state.plan
    places: dict[TableKey, Any] = {Input.read(name): rows for name, rows in data["slots"].items()}
    places |= {Ref(kind, name): rows for kind, name, rows in data["past"]}
    kept = {
        spec.key: number
        for number, spec in enumerate(plan.tables)
        if isinstance(spec.key, Input) or spec.key.kind not in ("derived", "window")
    }
    if places.keys() != kept.keys():
        raise EngineError("the snapshot is damaged: it has other tables than the program")
    for key, rows in places.items():
        number = kept[key]
        spec = plan.tables[number]
        width = row_width(key, spec.arity) if isinstance(key, Input) else spec.arity
        restored_rows: dict[Tuple, None] = {}
        for row in rows:
            cells = tuple([decode(cell) for cell in row])
            if len(cells) != width:
                raise EngineError(f"the snapshot is damaged: a row of {spec.name} has {len(cells)} cells")
            restored_rows[cells] = None
        limit = state.budget.rows if isinstance(key, Input) else state.budget.bindings
        if len(restored_rows) > limit:
            raise BudgetExceeded(f"the snapshot has {len(restored_rows)} rows of {spec.name}")
        replace(state, number, restored_rows)


def encode(cell: Any) -> Any:
    """A cell as plain data."""
    if cell is None or isinstance(cell, bool | str | int):
        return cell
    if isinstance(cell, Decimal):
        return {"number": str(cell)}
    if isinstance(cell, dt.datetime):
        return {"moment": cell.isoformat()}
    if isinstance(cell, dt.date):
        return {"date": cell.isoformat()}
    if isinstance(cell, dt.time):
        return {"time": cell.isoformat()}
    if isinstance(cell, dt.timedelta):
        return {"duration": [cell.days, cell.seconds, cell.microseconds]}
    if isinstance(cell, frozenset):
        return {"set": sorted(cell)}
    if cell is NONE:
        return {"none": True}
    if cell is ANYTHING:
        return {"wild": True}
    if isinstance(cell, tuple):
        return {"row": [encode(item) for item in cell]}
    raise EngineError(f"a cell of type {type(cell).__name__} cannot be kept")


def decode(data: Any) -> Any:
    """The cell of which `encode` made the data.

    Raises:
        ValueError: the data is not a cell.
    """
    if data is None or isinstance(data, bool | str | int):
        return data
    if isinstance(data, dict) and len(data) == 1:
        ((kind, value),) = data.items()
        if kind == "number":
            number = Decimal(value)
            if number.is_finite():
                return number
        elif kind in ("moment", "date", "time"):
            return unpack(kind, value)
        elif kind == "duration":
            days, seconds, microseconds = value
            return dt.timedelta(days, seconds, microseconds)
        elif kind == "set" and all(isinstance(item, str) for item in value):
            return frozenset(value)
        elif kind == "none" and value is True:
            return NONE
        elif kind == "wild" and value is True:
            return ANYTHING
        elif kind == "row":
            return tuple([decode(item) for item in value])
    raise ValueError(f"{data!r:.80} is not a cell")
