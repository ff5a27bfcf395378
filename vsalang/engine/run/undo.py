"""Undoes what the log of a session tells, one entry at a time, the latest first. Nothing is derived anew for it."""

from typing import TYPE_CHECKING, Any

from vsalang.engine.run.maintain import uncount
from vsalang.engine.run.recursion import unrank

if TYPE_CHECKING:
    from vsalang.engine.run.session import Session


def undo(session: "Session", entry: tuple[Any, ...]) -> None:
    """Take back what one entry of the log tells."""
    kind = entry[0]
    if kind == "rows":
        _, number, added, removed, (version, versions) = entry
        table, alphas = session.tables[number], session.alphas
        session.memories.pop(number, None)
        present = table.rows
        back = [row for row in removed if row not in present]
        away = [row for row in added if row in present]
        table.apply(back, away)
        table.version = version
        for node in session.kernel.table_readers[number]:
            session.touch(node)
        for index, before in zip(session.kernel.tables[number].alphas, versions, strict=True):
            alpha = alphas[index]
            # even if the set of its tuples was the same: how many rows give them was not
            alpha.apply(back, away)
            if alpha.version != before:
                alpha.version = before
                for node in session.kernel.alpha_readers[index]:
                    if not session.live[node]:
                        session.touch(node)
    elif kind == "counts":
        uncount(session, entry[1], entry[2])
    elif kind == "ranks":
        unrank(session, entry[1], entry[2], entry[3])
    elif kind == "feed":
        session.values[entry[1]] = None
    elif kind == "alarm":
        session.alarms[entry[1]] = entry[2]
        session.alarm = min(session.alarms)
    elif kind == "node":
        _, node, inputs, value = entry
        session.inputs[node], session.values[node] = inputs, value
        session.touch(node)
    elif kind == "clock":
        _, session.ctx.now, session.ctx.timeline, session.clock_version = entry
        for node in session.kernel.clock_readers:
            session.touch(node)
    elif kind == "time":
        _, point, session.last_point, session.clock_version = entry
        for node in session.kernel.clock_readers:
            session.touch(node)
        del session.ctx.times[point]
    else:
        _, slot, rows = entry
        session.unread[slot] = rows
