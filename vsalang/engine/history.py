"""Brings the memories of the past up to a new history point (semantics, section 4)."""

import datetime as dt
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from vsalang.engine.api import BudgetExceeded
from vsalang.engine.kernel import Tuple

if TYPE_CHECKING:
    from vsalang.engine.kernel import PastSpec
    from vsalang.engine.session import Session

Memory: TypeAlias = dict[Tuple, tuple[int, dt.datetime]]
"""What is remembered: a binding, and the number and time of one history point."""


def record(session: "Session", number: int) -> None:
    """Make the session's moment the history point of that number.

    Memories are brought up in the order of what they read; those that read each other repeatedly, each time from what
    was remembered before the point, until nothing changes: a milestone on a milestone holds at once.

    Raises:
        BudgetExceeded: more bindings than the budget allows; nothing is ever dropped instead.
    """
    session.recording = number
    session.set_time(number)
    pasts = sorted(session.kernel.pasts, key=lambda past: past.level)
    for _, group in groupby(pasts, key=lambda past: past.level):
        members = list(group)
        before = [remembered(session, past) for past in members]
        changed = True
        while changed:
            changed = False
            for past, old in zip(members, before, strict=True):
                new = updated(session, past, old, number)
                if len(new) > session.budget.bindings:
                    raise BudgetExceeded(
                        f"more than {session.budget.bindings} bindings of the past are remembered"
                    )
                rows = {(*binding, *place): None for binding, place in new.items()}
                changed = session.replace(past.table, rows) or changed


def remembered(session: "Session", past: "PastSpec") -> Memory:
    """The contents of a memory."""
    return {row[:-2]: (row[-2], row[-1]) for row in session.tables[past.table].rows}


def updated(session: "Session", past: "PastSpec", old: Memory, number: int) -> Memory:
    """A memory after the point, given what it was before."""
    here = (number, session.ctx.now)
    session.ensure(past.node)
    if past.op == "since":
        assert past.other is not None
        lasting = dict.fromkeys(session.run(past.feed, list(old)))
        memory = {binding: old[binding] for binding in lasting}
        return memory | dict.fromkeys(session.run(past.other), here)
    bindings: dict[Tuple, Any] = dict.fromkeys(session.run(past.feed))
    if past.whole:
        bindings = {env[0]: None for env in bindings}
    if past.op == "within":
        memory = dict(old)
        for binding in bindings:
            known = memory.get(binding)
            if known is None or known[1] <= here[1]:
                memory[binding] = here
        return _inside(session, past, memory)
    if past.op == "for":
        return {binding: old.get(binding, here) for binding in bindings}
    return dict.fromkeys(bindings, here) | old


def _inside(session: "Session", past: "PastSpec", memory: Memory) -> Memory:
    """Without the bindings that have left the window, once they are many: a clock that goes back may need them."""
    if len(memory) <= session.budget.bindings // 2:
        return memory
    length = past.duration({}, session.ctx)
    if length is None:
        return memory
    return {binding: place for binding, place in memory.items() if session.ctx.now - place[1] <= length}
