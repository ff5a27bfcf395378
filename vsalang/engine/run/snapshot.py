"""A session's whole state as plain data, and back: slots, memories of the past, the clock.

What is derived is not in it. The data is a tree of dictionaries, lists, texts, numbers, truth values and None, ready
for JSON. Cells are as in JSON where that says it all; other values are an object with one key: ``{"number": "1.5"}``,
``{"date": "2026-04-01"}``, ``{"time": "19:00:00"}``, ``{"duration": [days, seconds, microseconds]}``,
``{"moment": ..}``, ``{"set": [..]}``, ``{"none": true}``, ``{"row": [..]}``; ``{"wild": true}`` is a value of which
nothing is known (in memories only).
"""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, TypeVar

from vsalang.core.ir import Program
from vsalang.core.similarity import Similarity
from vsalang.core.values import NONE
from vsalang.engine.api import Budget, EngineError
from vsalang.engine.plan import WILD, Ref, Tuple

if TYPE_CHECKING:
    from vsalang.engine.run.session import Session

FORMAT: Final = "vsalang-session"
VERSION: Final = 2

S = TypeVar("S", bound="Session")


def snapshot(session: "Session") -> dict[str, Any]:
    """All that a session holds.

    Raises:
        EngineError: something is marked: a tentative state is no state to keep.
    """
    session.check()
    if session.marks:
        raise EngineError("a snapshot of a tentative state: roll back or release first")
    kernel, ctx = session.kernel, session.ctx
    slots: dict[str, Any] = {}
    past: list[Any] = []
    for spec, table in zip(kernel.tables, session.tables, strict=True):
        rows = sorted(([encode(cell) for cell in row] for row in table.rows), key=repr)
        if spec.ref.kind == "slot":
            slots[spec.ref.name] = rows
        elif spec.ref.kind in ("past", "then"):
            past.append([spec.ref.kind, spec.ref.name, rows])
    return {
        "format": FORMAT,
        "version": VERSION,
        "program": session.program.digest,
        "today": ctx.today.isoformat(),
        "now": ctx.now.isoformat(),
        "timeline": ctx.timeline.isoformat(),
        "point": session.last_point,
        "forgotten": ctx.forgotten,
        "times": [[point, moment.isoformat()] for point, moment in sorted(ctx.times.items())],
        "slots": slots,
        "unread": {
            slot: sorted(([encode(cell) for cell in row] for row in rows), key=repr)
            for slot, rows in sorted(session.unread.items())
        },
        "past": past,
    }


def restored(
    make: Callable[..., S],
    program: Program,
    data: Any,
    *,
    similarity: Similarity | None = None,
    budget: Budget | None = None,
) -> S:
    """A new session in the state of a snapshot.

    Args:
        make: opens the session.
        program: the program of which the snapshot was taken.
        data: what `snapshot` gave, or what JSON made of it.
        similarity: as in `open_session`; it is not part of the snapshot, and neither is the budget.
        budget: as in `open_session`.

    Raises:
        EngineError: the data is no snapshot, of another version or of another program.
        BudgetExceeded: it is larger than the budget allows.
    """
    try:
        return _restored(make, program, data, similarity, budget)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, InvalidOperation) as error:
        raise EngineError(f"the snapshot is damaged: {type(error).__name__}: {error}") from error


def _restored(
    make: Callable[..., S], program: Program, data: Any, similarity: Similarity | None, budget: Budget | None
) -> S:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise EngineError("this is no snapshot of a session")
    if data["version"] not in (1, VERSION):
        raise EngineError(f"a snapshot of version {data['version']}: this engine reads version {VERSION}")
    if data["program"] != program.digest:
        raise EngineError(
            "the snapshot is of another program: restore it with the very sources that it was taken with"
        )
    session = make(program, today=dt.date.fromisoformat(data["today"]), similarity=similarity, budget=budget)
    kernel = session.kernel
    now = dt.datetime.fromisoformat(data["now"])
    # in version 1 durations were those of the device's clock
    timeline = now if data["version"] == 1 else dt.datetime.fromisoformat(data["timeline"])
    if now.tzinfo is not None or timeline.tzinfo is not None:
        raise EngineError("the snapshot is damaged: the clock has a time zone")
    session.ctx.now, session.ctx.timeline = now, timeline
    tables = {spec.ref: number for number, spec in enumerate(kernel.tables)}
    places = {Ref("slot", name): rows for name, rows in data["slots"].items()}
    places |= {Ref(kind, name): rows for kind, name, rows in data["past"]}
    expected = {ref for ref in tables if ref.kind not in ("derived", "window")}
    if places.keys() != expected:
        raise EngineError("the snapshot is damaged: it has other tables than the program")
    for ref, rows in places.items():
        number = tables[ref]
        width = kernel.tables[number].arity
        if ref.name.startswith(("stamps ", "seen ")) and ref.kind == "slot":
            width = 2
        found: dict[Tuple, None] = {}
        for row in rows:
            cells = tuple([decode(cell) for cell in row])
            if len(cells) != width:
                raise EngineError(f"the snapshot is damaged: a row of {ref.name} has {len(cells)} cells")
            found[cells] = None
        session.restore_rows(number, found)
    for slot, rows in data["unread"].items():
        session.assign(slot, [tuple([decode(cell) for cell in row]) for row in rows])
    times = {int(point): dt.datetime.fromisoformat(moment) for point, moment in data["times"]}
    session.restore_history(int(data["point"]), int(data["forgotten"]), times)
    return session


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
    if cell is WILD:
        return {"wild": True}
    if isinstance(cell, tuple):
        return {"row": [encode(item) for item in cell]}
    raise EngineError(f"a cell of type {type(cell).__name__} cannot be kept")


def decode(data: Any) -> Any:
    """The cell of which `encode` made the data.

    Raises:
        ValueError: the data stands for no cell.
    """
    if data is None or isinstance(data, bool | str | int):
        return data
    if isinstance(data, dict) and len(data) == 1:
        ((kind, value),) = data.items()
        if kind == "number":
            number = Decimal(value)
            if number.is_finite():
                return number
        elif kind == "moment":
            return dt.datetime.fromisoformat(value)
        elif kind == "date":
            return dt.date.fromisoformat(value)
        elif kind == "time":
            return dt.time.fromisoformat(value)
        elif kind == "duration":
            days, seconds, microseconds = value
            return dt.timedelta(days, seconds, microseconds)
        elif kind == "set" and all(isinstance(item, str) for item in value):
            return frozenset(value)
        elif kind == "none" and value is True:
            return NONE
        elif kind == "wild" and value is True:
            return WILD
        elif kind == "row":
            return tuple([decode(item) for item in value])
    raise ValueError(f"{data!r:.80} is no cell")
