"""Brings the history relations up to a new history point (`semantics.md#the-past`).

A point costs what changed: a history whose body has the same bindings as at the point before is not looked at, and of
others only what is new or gone is inserted and deleted.
"""

import datetime as dt
from typing import Any, Final, TypeAlias

from vsalang.engine.api import BudgetExceeded, EngineError
from vsalang.engine.plan import HistorySpec
from vsalang.engine.run.evaluate import ensure, maintain_wanted, run
from vsalang.engine.run.maintain import change, is_hot, maintain, replace
from vsalang.engine.run.state import State
from vsalang.engine.run.undo import forget_asked, release, rollback
from vsalang.engine.terms import Tuple

Place: TypeAlias = tuple[int, dt.datetime]
History: TypeAlias = dict[Tuple, Place]
"""What is remembered: a binding, and the number and time of one history point."""

TIMES: Final = 1000
"""The times of so many points are kept, and of all points at which something was committed."""

UNCHANGED: Final = "unchanged"
"""Stands in `State.values` of a maintained source body: its bindings are those of the last point."""

QUIET: Final = "quiet"
"""Stands in `State.values` of the bodies of a `since`: while what they read is the same, nothing begins or ends."""


def savepoint(state: State) -> int:
    """Begin a tentative change. Savepoints nest."""
    state.check()
    if state.wanted and not state.savepoints:
        state.begin()
        maintain_wanted(state)
    state.savepoints.append(len(state.undo_log))
    return len(state.savepoints)


def point(state: State, number: int) -> None:
    """Make the present state the history point of that number.

    Raises:
        EngineError: the number is not greater than those before.
        BudgetExceeded: more would have to be remembered than is allowed; nothing of the point is.
    """
    if number <= state.last_point:
        raise EngineError(f"history point {number} after {state.last_point}: points only grow")
    if _is_quiet(state) and not state.broken:
        _set_time(state, number)
        _forget_times(state)
        if state.asking and not state.savepoints:
            forget_asked(state)
        return
    before = savepoint(state)
    state.begin()
    try:
        _record(state, number)
    except BaseException:
        rollback(state, before)
        raise
    finally:
        state.recording = 0
        state.epoch += 1
    state.clock_moved()  # what is proposed was of this point while it was recorded, and is after it from now on
    release(state, before)
    _forget_times(state)


def rewind(state: State, number: int) -> None:
    """Make the point of that number the last one, so that another session of the program may go on from there.

    Raises:
        EngineError: the program keeps a history, or the change is tentative: what was there is not known.
    """
    if state.plan.histories or state.savepoints:
        raise EngineError("only a program that keeps no history goes back to an earlier point")
    state.ctx.times = {}
    state.last_point = number
    state.clock_moved()
    state.epoch += 1


def _is_quiet(state: State) -> bool:
    """Whether a point would leave all histories as they are."""
    dirty, values, maintained = state.dirty, state.values, state.maintained
    for spec in state.plan.histories:
        stratum = spec.stratum
        value = values[stratum]
        if dirty[stratum] or spec.cyclic:
            return False
        if value is UNCHANGED:
            if not maintained[stratum] or (spec.op == "within" and state.counts[stratum]):
                return False
        elif value is not QUIET:
            return False
    return True


def _set_time(state: State, number: int) -> None:
    if state.savepoints:
        state.undo_log.append(("time", number, state.last_point, state.clock_version))
    state.ctx.times[number] = state.ctx.timeline
    state.last_point = number
    state.clock_moved()
    state.epoch += 1


def _record(state: State, number: int) -> None:
    """Bring all histories up to the point, in the order of what they read.

    Those that read each other are brought up repeatedly, each time from what was remembered before the point, until
    nothing changes: a milestone on a milestone holds at once.

    Raises:
        BudgetExceeded: more bindings than the budget allows; nothing is ever forgotten instead.
    """
    state.recording = number
    _set_time(state, number)
    for members, cyclic in state.plan.levels:
        if not cyclic:
            for spec in members:
                _advance(state, spec, number)
            continue
        before = [dict(_remembered(state, spec)) for spec in members]
        changed = True
        while changed:
            changed = False
            for spec, old in zip(members, before, strict=True):
                ensure(state, spec.stratum)
                new = _updated(state, spec, old, _bindings(state, spec), number)
                rows = {(*binding, *place): None for binding, place in new.items()}
                if replace(state, spec.table, rows):
                    state.histories[spec.table] = new
                    changed = True


def _remembered(state: State, spec: HistorySpec) -> History:
    """The contents of a history, as its table has them."""
    history = state.histories.get(spec.table)
    if history is None:
        history = {row[:-2]: (row[-2], row[-1]) for row in state.tables[spec.table].rows}
        state.histories[spec.table] = history
    return history


def _advance(state: State, spec: HistorySpec, number: int) -> None:
    """Bring up a history that does not read itself."""
    stratum = spec.stratum
    ensure(state, stratum)
    maintained = state.maintained[stratum]
    same = maintained and state.values[stratum] is UNCHANGED
    if same and (spec.op in ("earlier", "for") or (spec.op == "within" and not state.counts[stratum])):
        state.dirty[stratum] = 0
        return
    if spec.op == "since":
        _advance_since(state, spec, number)
        return
    history = _remembered(state, spec)
    if spec.op == "for":
        here = (number, state.ctx.timeline)
        _replace(state, spec, history, {b: history.get(b, here) for b in _bindings(state, spec)})
    elif spec.op == "within":
        _within(state, spec, history, number)
    else:
        here = (number, state.ctx.timeline)
        added = {binding: here for binding in _bindings(state, spec) if binding not in history}
        if added:
            _bound(state, len(history) + len(added))
            change(state, spec.table, [(*binding, *here) for binding in added], [])
            history.update(added)
    state.dirty[stratum] = 0
    if maintained:
        state.undo_log.append(("source", stratum))  # there is a savepoint
        state.values[stratum] = UNCHANGED


def _advance_since(state: State, spec: HistorySpec, number: int) -> None:
    """Bring up the history of a `since`; where nothing began and nothing that it read changed, it stays."""
    stratum = spec.stratum
    versions = state.read_versions(state.plan.strata[stratum])
    if state.values[stratum] is not QUIET or state.computed_from[stratum] != versions:
        history = _remembered(state, spec)
        assert spec.other is not None
        began = dict.fromkeys(run(state, spec.other), (number, state.ctx.timeline))
        _replace(state, spec, history, _lasting(state, spec, history) | began)
        state.undo_log.append(
            ("stratum", stratum, state.computed_from[stratum], state.values[stratum])
        )  # there is a savepoint
        state.computed_from[stratum] = versions
        state.values[stratum] = None if began else QUIET
    state.dirty[stratum] = 0


def _bindings(state: State, spec: HistorySpec) -> Any:
    """The bindings with which the body of a history holds."""
    stratum = spec.stratum
    if state.maintained[stratum]:
        return [values for values, _ in state.counts[stratum]]
    if (
        spec.op != "since"
        and stratum in state.plan.nets
        and is_hot(state, stratum)
        and maintain(state, stratum)
    ):
        return [values for values, _ in state.counts[stratum]]
    bindings = dict.fromkeys(run(state, spec.source))
    return dict.fromkeys(env[0] for env in bindings) if spec.whole else bindings


def _updated(state: State, spec: HistorySpec, old: History, bindings: Any, number: int) -> History:
    """A history after the point, given what it was before."""
    here = (number, state.ctx.timeline)
    if spec.op == "since":
        return _since(state, spec, old, number)
    if spec.op == "for":
        return {binding: old.get(binding, here) for binding in bindings}
    if spec.op == "within":
        history = dict(old)
        for binding in bindings:
            known = history.get(binding)
            if known is None or known[1] <= here[1]:
                history[binding] = here
        new = _inside(state, spec, history)
    else:
        new = dict.fromkeys(bindings, here) | old
    _bound(state, len(new))
    return new


def _since(state: State, spec: HistorySpec, old: History, number: int) -> History:
    assert spec.other is not None
    history = _lasting(state, spec, old)
    history |= dict.fromkeys(run(state, spec.other), (number, state.ctx.timeline))
    _bound(state, len(history))
    return history


def _lasting(state: State, spec: HistorySpec, old: History) -> History:
    """What is remembered of a `since` and lasts."""
    if not old:
        return {}
    return {binding: old[binding] for binding in dict.fromkeys(run(state, spec.source, list(old)))}


def _within(state: State, spec: HistorySpec, history: History, number: int) -> None:
    """Bindings that hold get the present as their last time; those that have left the window go once they are many."""
    here = (number, state.ctx.timeline)
    added: list[Tuple] = []
    removed: list[Tuple] = []
    for binding in _bindings(state, spec):
        known = history.get(binding)
        if known is not None:
            if known[1] > here[1]:
                continue
            removed.append((*binding, *known))
            del history[binding]  # so that the oldest stand first
        added.append((*binding, *here))
        history[binding] = here
    if len(history) > state.budget.bindings // 2:
        kept = _inside(state, spec, history)
        if len(kept) < len(history):
            change(state, spec.table, added, removed)
            _replace(state, spec, history, kept)
            return
    _bound(state, len(history))
    if added or removed:
        change(state, spec.table, added, removed)


def _inside(state: State, spec: HistorySpec, history: History) -> History:
    """Without the bindings that have left the window, once they are many: a clock that goes back may need them."""
    if len(history) <= state.budget.bindings // 2:
        return history
    length = spec.duration({}, state.ctx)
    if length is None:
        return history
    now = state.ctx.timeline
    oldest = next(iter(history.values()))
    if now - oldest[1] <= length and len(history) <= state.budget.bindings:
        return history  # they stand in the order of time unless the clock went back
    return {binding: place for binding, place in history.items() if now - place[1] <= length}


def _replace(state: State, spec: HistorySpec, old: History, new: History) -> None:
    _bound(state, len(new))
    added = [(*b, *place) for b, place in new.items() if old.get(b) != place]
    removed = [(*b, *place) for b, place in old.items() if new.get(b) != place]
    if added or removed:
        change(state, spec.table, added, removed)
    state.histories[spec.table] = new


def _bound(state: State, size: int) -> None:
    if size > state.budget.bindings:
        raise BudgetExceeded(f"more than {state.budget.bindings} bindings of the past are remembered")


def _forget_times(state: State) -> None:
    """Keep the times of the latest points and of those at which something was committed, once they are many."""
    times = state.ctx.times
    if len(times) <= 2 * TIMES or state.savepoints:
        return
    committed = {
        row[-1]
        for name, number in state.plan.inputs.items()
        if name.kind == "commits"
        for row in state.tables[number].rows
    }
    kept = sorted(times)[-TIMES:]
    state.ctx.forgotten = kept[0] - 1
    state.ctx.times = {point: times[point] for point in (*(committed & times.keys()), *kept)}
