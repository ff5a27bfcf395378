"""What of the past lies in a window now: tables that change when a memory does, and when time passes a deadline.

``within d`` and ``for d`` are read from these tables, so rules over them are kept up to date like any other. Time
costs one comparison until the next deadline of some window; then that memory is looked through once.
"""

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vsalang.core.ir import Const
from vsalang.engine.plan import Ref, Tuple, WindowSpec
from vsalang.engine.run.maintain import settle, take

if TYPE_CHECKING:
    from vsalang.core.ir import Past
    from vsalang.engine.compile.program import Compiler
    from vsalang.engine.run.session import Session

NEVER = dt.datetime.max


def window_of(compiler: "Compiler", memory: int, past: "Past", width: int) -> int | None:
    """The table of the bindings of a memory that are in the window now; None if its length is not a constant."""
    if not isinstance(past.duration, Const) or not isinstance(past.duration.value, dt.timedelta):
        return None
    kernel, length = compiler.kernel, past.duration.value
    ref = Ref("window", f"{kernel.tables[memory].ref.name} {past.op} {length}")
    found = kernel.table_ids.get(ref)
    if found is None:
        found = compiler.table(ref, width)
        index = len(kernel.windows)
        kernel.windows.append(WindowSpec(found, memory, length, past.op == "for"))
        kernel.windowed[memory] = (*kernel.windowed.get(memory, ()), index)
    return found


def _deadline(moment: dt.datetime, length: dt.timedelta) -> dt.datetime:
    try:
        return moment + length
    except OverflowError:
        return NEVER if length > dt.timedelta(0) else dt.datetime.min


def _inside(spec: WindowSpec, now: dt.datetime, deadline: dt.datetime) -> bool:
    return now >= deadline if spec.lasting else now <= deadline


def follow(session: "Session", memory: int, added: Sequence[Tuple], removed: Sequence[Tuple]) -> None:
    """Take in that rows of a memory came and went. What is live waits to be settled."""
    now = session.ctx.timeline
    for index in session.kernel.windowed[memory]:
        spec = session.kernel.windows[index]
        present = session.tables[spec.table].rows
        gone = {row[:-2]: None for row in removed if row[:-2] in present}
        come: list[Tuple] = []
        alarm = session.alarms[index]
        for row in added:
            binding, deadline = row[:-2], _deadline(row[-1], spec.length)
            if _inside(spec, now, deadline):
                if binding in gone:
                    del gone[binding]
                else:
                    come.append(binding)
            if deadline < alarm and deadline >= now:
                alarm = deadline
        if alarm is not session.alarms[index]:
            _set(session, index, alarm)
        if come or gone:
            take(session, spec.table, come, list(gone))


def time_moved(session: "Session", back: bool) -> None:
    """Look through the memories whose windows have come to a deadline; through all if the timeline went back."""
    now = session.ctx.timeline
    for index, spec in enumerate(session.kernel.windows):
        if not back and now < session.alarms[index]:
            continue
        alarm = NEVER
        inside: dict[Tuple, None] = {}
        for row in session.tables[spec.source].rows:
            deadline = _deadline(row[-1], spec.length)
            if _inside(spec, now, deadline):
                inside[row[:-2]] = None
                if not spec.lasting and deadline < alarm:
                    alarm = deadline
            elif spec.lasting and deadline < alarm:
                alarm = deadline
        _set(session, index, alarm)
        present = session.tables[spec.table].rows
        come = [binding for binding in inside if binding not in present]
        gone = [binding for binding in present if binding not in inside]
        if come or gone:
            take(session, spec.table, come, gone)
    if session.queue:
        settle(session)


def _set(session: "Session", index: int, alarm: dt.datetime) -> None:
    if session.marks:
        session.log.append(("alarm", index, session.alarms[index]))
    session.alarms[index] = alarm
    session.alarm = min(session.alarms)
