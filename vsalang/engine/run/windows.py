"""Windows of history relations: what happened at most, or has lasted at least, so long ago.

``within d`` and ``for d`` are read from tables of their own, which change when the history does and when time passes a
deadline, so rules over them are maintained like any other. Until the next deadline time costs one comparison; then the
history is looked through once.
"""

import datetime as dt
from collections.abc import Sequence
from typing import TypeAlias

from vsalang.engine.plan import WindowSpec
from vsalang.engine.run.state import NEVER, State
from vsalang.engine.terms import Tuple

Changes: TypeAlias = list[tuple[int, list[Tuple], list[Tuple]]]
"""For each window that changes: its table, the inserted and the deleted rows."""


def _deadline(moment: dt.datetime, length: dt.timedelta) -> dt.datetime:
    try:
        return moment + length
    except OverflowError:
        return NEVER if length > dt.timedelta(0) else dt.datetime.min


def _inside(spec: WindowSpec, now: dt.datetime, deadline: dt.datetime) -> bool:
    return now >= deadline if spec.lasting else now <= deadline


def window_changes(state: State, history: int, added: Sequence[Tuple], removed: Sequence[Tuple]) -> Changes:
    """What changes in the windows of a history relation when its rows do."""
    now = state.ctx.timeline
    changes: Changes = []
    for index in state.plan.windowed[history]:
        spec = state.plan.windows[index]
        present = state.tables[spec.table].rows
        gone = {row[:-2]: None for row in removed if row[:-2] in present}
        come: list[Tuple] = []
        alarm = state.alarms[index]
        for row in added:
            binding, deadline = row[:-2], _deadline(row[-1], spec.length)
            if _inside(spec, now, deadline):
                if binding in gone:
                    del gone[binding]
                else:
                    come.append(binding)
            if deadline < alarm and deadline >= now:
                alarm = deadline
        if alarm is not state.alarms[index]:
            _set_alarm(state, index, alarm)
        if come or gone:
            changes.append((spec.table, come, list(gone)))
    return changes


def timeline_changes(state: State, back: bool) -> Changes:
    """What changes in the windows that have come to a deadline; in all of them if the timeline went back."""
    now = state.ctx.timeline
    changes: Changes = []
    for index, spec in enumerate(state.plan.windows):
        if not back and now < state.alarms[index]:
            continue
        alarm = NEVER
        inside: dict[Tuple, None] = {}
        for row in state.tables[spec.source].rows:
            deadline = _deadline(row[-1], spec.length)
            if _inside(spec, now, deadline):
                inside[row[:-2]] = None
                if not spec.lasting and deadline < alarm:
                    alarm = deadline
            elif spec.lasting and deadline < alarm:
                alarm = deadline
        _set_alarm(state, index, alarm)
        present = state.tables[spec.table].rows
        come = [binding for binding in inside if binding not in present]
        gone = [binding for binding in present if binding not in inside]
        if come or gone:
            changes.append((spec.table, come, gone))
    return changes


def _set_alarm(state: State, index: int, alarm: dt.datetime) -> None:
    if state.savepoints:
        state.undo_log.append(("alarm", index, state.alarms[index]))
    state.alarms[index] = alarm
    state.alarm = min(state.alarms)
