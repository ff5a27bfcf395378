"""Brings the memories of the past up to a new history point (semantics, section 4).

A point costs what changed: a memory whose body has the same bindings as at the point before is not looked at, and of
others only what is new or gone is taken in and out of its table.
"""

import datetime as dt
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from vsalang.engine.api import BudgetExceeded
from vsalang.engine.plan import Tuple
from vsalang.engine.run.maintain import activate, wants

if TYPE_CHECKING:
    from vsalang.engine.plan import PastSpec
    from vsalang.engine.run.session import Session

Place: TypeAlias = tuple[int, dt.datetime]
Memory: TypeAlias = dict[Tuple, Place]
"""What is remembered: a binding, and the number and time of one history point."""

TIMES: Final = 1000
"""The times of so many points are kept, and of all points at which something was committed."""

UNCHANGED: Final = "unchanged"
"""Stands in `Session.values` of a live feed: its bindings are those of the last point."""

QUIET: Final = "quiet"
"""Stands in `Session.values` of what feeds a `since`: with what it read (`Session.inputs`) nothing began, all lasts."""


def quiet(session: "Session") -> bool:
    """Whether a point would leave all memories as they are."""
    dirty, values, live = session.dirty, session.values, session.live
    for past in session.kernel.pasts:
        node = past.node
        state = values[node]
        if dirty[node] or past.cyclic:
            return False
        if state is UNCHANGED:
            if not live[node] or (past.op == "within" and session.counts[node]):
                return False
        elif state is not QUIET:
            return False
    return True


def record(session: "Session", number: int) -> None:
    """Make the session's moment the history point of that number.

    Memories are brought up in the order of what they read; those that read each other repeatedly, each time from what
    was remembered before the point, until nothing changes: a milestone on a milestone holds at once.

    Raises:
        BudgetExceeded: more bindings than the budget allows; nothing is ever dropped instead.
    """
    session.recording = number
    session.set_time(number)
    for members, cyclic in session.kernel.levels:
        if not cyclic:
            for past in members:
                _advance(session, past, number)
            continue
        before = [dict(remembered(session, past)) for past in members]
        changed = True
        while changed:
            changed = False
            for past, old in zip(members, before, strict=True):
                session.ensure(past.node)
                new = _updated(session, past, old, _bindings(session, past), number)
                rows = {(*binding, *place): None for binding, place in new.items()}
                if session.replace(past.table, rows):
                    session.memories[past.table] = new
                    changed = True


def remembered(session: "Session", past: "PastSpec") -> Memory:
    """The contents of a memory, as its table has them. Not to be changed."""
    memory = session.memories.get(past.table)
    if memory is None:
        memory = {row[:-2]: (row[-2], row[-1]) for row in session.tables[past.table].rows}
        session.memories[past.table] = memory
    return memory


def _advance(session: "Session", past: "PastSpec", number: int) -> None:
    """Bring a memory up that does not read itself."""
    node = past.node
    session.ensure(node)
    live = session.live[node]
    same = live and session.values[node] is UNCHANGED
    if same and (past.op in ("earlier", "for") or (past.op == "within" and not session.counts[node])):
        session.dirty[node] = 0
        return
    if past.op == "since":
        _advance_since(session, past, number)
        return
    memory = remembered(session, past)
    if past.op == "for":
        here = (number, session.ctx.timeline)
        _replace(session, past, memory, {b: memory.get(b, here) for b in _bindings(session, past)})
    elif past.op == "within":
        _within(session, past, memory, number)
    else:
        here = (number, session.ctx.timeline)
        added = {binding: here for binding in _bindings(session, past) if binding not in memory}
        if added:
            _bound(session, len(memory) + len(added))
            session.change(past.table, [(*binding, *here) for binding in added], [])
            memory.update(added)
    session.dirty[node] = 0
    if live:
        session.log.append(("feed", node))  # the point is marked
        session.values[node] = UNCHANGED


def _advance_since(session: "Session", past: "PastSpec", number: int) -> None:
    """Bring the memory of a `since` up; where nothing began, and nothing that it read changed, it stays."""
    node = past.node
    versions = session.read_versions(session.kernel.nodes[node])
    if session.values[node] is not QUIET or session.inputs[node] != versions:
        memory = remembered(session, past)
        assert past.other is not None
        began = dict.fromkeys(session.run(past.other), (number, session.ctx.timeline))
        _replace(session, past, memory, _lasting(session, past, memory) | began)
        session.log.append(("node", node, session.inputs[node], session.values[node]))  # the point is marked
        session.inputs[node] = versions
        session.values[node] = None if began else QUIET
    session.dirty[node] = 0


def _bindings(session: "Session", past: "PastSpec") -> Any:
    """The bindings with which the body of a memory holds."""
    node = past.node
    if session.live[node]:
        return [values for values, _ in session.counts[node]]
    if (
        past.op != "since"
        and node in session.kernel.nets
        and wants(session, node)
        and activate(session, node)
    ):
        return [values for values, _ in session.counts[node]]
    bindings = dict.fromkeys(session.run(past.feed))
    return dict.fromkeys(env[0] for env in bindings) if past.whole else bindings


def _updated(session: "Session", past: "PastSpec", old: Memory, bindings: Any, number: int) -> Memory:
    """A memory after the point, given what it was before."""
    here = (number, session.ctx.timeline)
    if past.op == "since":
        return _since(session, past, old, number)
    if past.op == "for":
        return {binding: old.get(binding, here) for binding in bindings}
    if past.op == "within":
        memory = dict(old)
        for binding in bindings:
            known = memory.get(binding)
            if known is None or known[1] <= here[1]:
                memory[binding] = here
        new = _inside(session, past, memory)
    else:
        new = dict.fromkeys(bindings, here) | old
    _bound(session, len(new))
    return new


def _since(session: "Session", past: "PastSpec", old: Memory, number: int) -> Memory:
    assert past.other is not None
    memory = _lasting(session, past, old)
    memory |= dict.fromkeys(session.run(past.other), (number, session.ctx.timeline))
    _bound(session, len(memory))
    return memory


def _lasting(session: "Session", past: "PastSpec", old: Memory) -> Memory:
    """What is remembered of a `since` and lasts."""
    if not old:
        return {}
    return {binding: old[binding] for binding in dict.fromkeys(session.run(past.feed, list(old)))}


def _within(session: "Session", past: "PastSpec", memory: Memory, number: int) -> None:
    """The last time of what holds is now; what has left the window goes once there is much of it."""
    here = (number, session.ctx.timeline)
    added: list[Tuple] = []
    removed: list[Tuple] = []
    for binding in _bindings(session, past):
        known = memory.get(binding)
        if known is not None:
            if known[1] > here[1]:
                continue
            removed.append((*binding, *known))
            del memory[binding]  # so that the oldest stand first
        added.append((*binding, *here))
        memory[binding] = here
    if len(memory) > session.budget.bindings // 2:
        kept = _inside(session, past, memory)
        if len(kept) < len(memory):
            session.change(past.table, added, removed)
            _replace(session, past, memory, kept)
            return
    _bound(session, len(memory))
    if added or removed:
        session.change(past.table, added, removed)


def _inside(session: "Session", past: "PastSpec", memory: Memory) -> Memory:
    """Without the bindings that have left the window, once they are many: a clock that goes back may need them."""
    if len(memory) <= session.budget.bindings // 2:
        return memory
    length = past.duration({}, session.ctx)
    if length is None:
        return memory
    now = session.ctx.timeline
    oldest = next(iter(memory.values()))
    if now - oldest[1] <= length and len(memory) <= session.budget.bindings:
        return memory  # they stand in the order of time unless the clock went back
    return {binding: place for binding, place in memory.items() if now - place[1] <= length}


def _replace(session: "Session", past: "PastSpec", old: Memory, new: Memory) -> None:
    _bound(session, len(new))
    added = [(*b, *place) for b, place in new.items() if old.get(b) != place]
    removed = [(*b, *place) for b, place in old.items() if new.get(b) != place]
    if added or removed:
        session.change(past.table, added, removed)
    session.memories[past.table] = new


def _bound(session: "Session", size: int) -> None:
    if size > session.budget.bindings:
        raise BudgetExceeded(f"more than {session.budget.bindings} bindings of the past are remembered")


def forget_times(session: "Session") -> None:
    """Keep the times of the latest points and of those at which something was committed, once they are many."""
    times = session.ctx.times
    if len(times) <= 2 * TIMES or session.marks:
        return
    committed = {
        row[-1]
        for slot, number in session.kernel.slots.items()
        if slot.startswith("commits ")
        for row in session.tables[number].rows
    }
    kept = sorted(times)[-TIMES:]
    session.ctx.forgotten = kept[0] - 1
    session.ctx.times = {point: times[point] for point in (*(committed & times.keys()), *kept)}
