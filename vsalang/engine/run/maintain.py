"""Keeps nodes up to date by differences: what came and went is joined with the rest, derivations are counted.

A node is first computed anew, and from the second time that this would have to be done it is *live*: every change of
a table is carried through the live nodes at once, in the order of strata. What a live node cannot take in within the
budget is computed anew when it is asked for again. Only what is marked can be undone, and it is undone from the log,
not by computing backwards.
"""

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final

from vsalang.engine.api import Answer, BudgetExceeded, EngineError
from vsalang.engine.compile.codegen import code_of
from vsalang.engine.plan import Tuple
from vsalang.engine.run.recursion import settle_recursive
from vsalang.engine.run.tables import Pairs

if TYPE_CHECKING:
    from vsalang.engine.run.session import Session

WARM: Final = 2
"""Computed anew so often, a node becomes live."""

COUNTED: Final = 1
RECURSIVE: Final = 2
"""How a live node is kept: derivations are counted, or rows have ranks."""

FLAG: Final = ((),)
"""The row of a relation without attributes."""

BANNED: Final = -50
"""The warmth of a node that could not be kept up: it may try again much later."""


def take(
    session: "Session",
    number: int,
    added: list[Tuple],
    removed: list[Tuple],
    done: tuple[int, ...] = (),
) -> None:
    """Take rows into a table and out of it, and tell all that reads it; live nodes wait in `session.pending`.

    Args:
        session: whose table.
        number: of the table.
        added: rows that are not there.
        removed: rows that are there.
        done: alphas that have taken the rows in already.
    """
    kernel, dirty = session.kernel, session.dirty
    table, alphas = session.tables[number], session.alphas
    mine = kernel.tables[number].alphas
    if session.marks:
        versions = (table.version, [alphas[index].version for index in mine])
        session.log.append(("rows", number, added, removed, versions))
    session.version += 1
    table.version = session.version
    for node in kernel.table_readers[number]:
        if not dirty[node]:
            session.touch(node)
    session.epoch += 1
    session.broken = True  # until everything that rests on the rows has taken them in
    table.apply(added, removed)
    key = kernel.keys.get(number) if added and removed else None
    pairs = Pairs(key, added, removed) if key is not None else None
    for index in mine:
        alpha = alphas[index]
        if index in done:
            session.version += 1
            alpha.version = session.version
            continue
        if pairs is not None:
            come, go = pairs.reading(alpha.spec.mask)
            if not come and not go:
                continue
            came, went = alpha.apply(come, go)
        else:
            came, went = alpha.apply(added, removed)
        if came or went:
            tell(session, index, came, went)
    session.broken = False
    if number in kernel.windowed:
        session.follow(number, added, removed)


def tell(session: "Session", index: int, came: Any, went: Any) -> None:
    """Tell all that reads an alpha which tuples came and went."""
    kernel, live, dirty = session.kernel, session.live, session.dirty
    session.version += 1
    session.alphas[index].version = session.version
    for node in kernel.alpha_readers[index]:
        if not live[node] and not dirty[node]:
            session.touch(node)
    users = session.users
    if users is None:
        return
    pending = session.pending
    for node, sign, function in users[index]:
        kind = live[node]
        if kind == COUNTED:
            out = pending.get(node)
            fresh = out is None
            if fresh:
                out = {}
            try:
                if came:
                    function(session, came, sign, out)
                if went:
                    function(session, went, -sign, out)
            except BudgetExceeded:
                demote(session, node)
                continue
            if fresh and out:
                pending[node] = out
                heappush(session.queue, kernel.rank[node])
        elif kind == RECURSIVE:
            _look_again(session, node, sign, function, came, went)


def _look_again(session: "Session", node: int, sign: int, function: Any, came: Any, went: Any) -> None:
    """Note which rows of a recursive component may have got or lost a derivation."""
    found = session.pending.get(node)
    if found is None:
        found = session.pending[node] = ({}, {})
        heappush(session.queue, session.kernel.rank[node])
    gain, lost = found if sign > 0 else (found[1], found[0])
    try:
        if came:
            function(session, came, 1, gain)
        if went:
            function(session, went, 1, lost)
    except BudgetExceeded:
        demote(session, node)


def write(session: "Session", number: int, column: int, new: Tuple, old: Tuple) -> None:
    """Take one row for another that differs in one column into a table that has no other."""
    kernel, table = session.kernel, session.tables[number]
    mine = kernel.tables[number].alphas
    if session.marks:
        versions = (table.version, [session.alphas[index].version for index in mine])
        session.log.append(("rows", number, [new], [old], versions))
    session.version += 1
    table.version = session.version
    dirty = session.dirty
    for node in kernel.table_readers[number]:
        if not dirty[node]:
            session.touch(node)
    session.epoch += 1
    session.broken = True
    if table.indexes is None:
        table.rows.clear()
        table.rows[new] = None
    else:
        table.apply((new,), (old,))
    code = kernel.code
    writer = code.writers.get((number, column)) if code is not None else None
    if writer is not None:
        writer(session, new, old)
    elif code is None:
        for index in mine:
            alpha = session.alphas[index]
            columns = alpha.spec.columns
            if columns is None or column in columns:
                came, went = alpha.apply((new,), (old,))
                if came or went:
                    tell(session, index, came, went)
    session.broken = False
    if session.queue:
        settle(session)


def settle(session: "Session") -> None:
    """Carry what is pending through the live nodes, lower strata first."""
    queue, pending, by_rank = session.queue, session.pending, session.kernel.by_rank
    while queue:
        node = by_rank[heappop(queue)]
        found = pending.pop(node, None)
        if found is None:
            continue
        try:
            if session.live[node] == RECURSIVE:
                session.broken = True
                settle_recursive(session, node, *found)
                session.broken = False
            elif session.kernel.flags[node]:
                _settle_flag(session, node, found[()])
            elif not session.kernel.nodes[node].members:
                _settle_answers(session, node, found)
            else:
                _settle_derived(session, node, found)
        except BudgetExceeded:
            session.broken = False
            demote(session, node)


def _settle_derived(session: "Session", node: int, delta: dict[Tuple, int]) -> None:
    added, removed = _count(session, node, delta)
    if added or removed:
        take(session, session.kernel.nodes[node].members[0], added, removed)
        if len(session.counts[node]) > session.budget.rows:
            raise BudgetExceeded(f"a derived relation has more than {session.budget.rows} rows")
        if node in session.watched:
            session.watched_changed(node)


def _settle_flag(session: "Session", node: int, change: int) -> None:
    """Of a relation without attributes: it holds or not."""
    if not change:
        return
    counts = session.counts[node]
    old = counts.get((), 0)
    new = old + change
    if session.marks:
        session.log.append(("counts", node, {(): change}))
    if new > 0:
        counts[()] = new
        if old:
            return
    elif new:
        _fault(session, node, new)
    else:
        del counts[()]
    kernel, number = session.kernel, session.kernel.nodes[node].members[0]
    table, mine = session.tables[number], session.kernel.tables[number].alphas
    if session.marks:
        versions = (table.version, [session.alphas[index].version for index in mine])
        session.log.append(("rows", number, [()] if new else [], [] if new else [()], versions))
    session.version += 1
    table.version = session.version
    dirty = session.dirty
    for reader in kernel.table_readers[number]:
        if not dirty[reader]:
            session.touch(reader)
    session.epoch += 1
    session.broken = True
    if new:
        table.rows[()] = None
        for index in mine:
            session.alphas[index].counts[()] = 1
            tell(session, index, FLAG, ())
    else:
        table.rows.clear()
        for index in mine:
            session.alphas[index].counts.clear()
            tell(session, index, (), FLAG)
    session.broken = False
    if node in session.watched:
        session.watched_changed(node)


def _settle_answers(session: "Session", node: int, delta: dict[Tuple, int]) -> None:
    added, removed = _count(session, node, delta)
    if added or removed:
        _answers(session, node, added, removed)


def _answers(session: "Session", node: int, added: list[Tuple], removed: list[Tuple]) -> None:
    answers = session.sets.get(node)
    if answers is not None:  # made when somebody asked
        for values, row in removed:
            answers.discard(Answer(values, row))
        for values, row in added:
            answers.add(Answer(values, row))
    session.values[node] = None
    if node in session.watched:
        session.watched_changed(node)


def _count(session: "Session", node: int, delta: dict[Tuple, int]) -> tuple[list[Tuple], list[Tuple]]:
    """Add derivations; the rows whose number left or reached zero."""
    counts = session.counts[node]
    added: list[Tuple] = []
    removed: list[Tuple] = []
    for row, change in delta.items():
        if not change:
            continue
        old = counts.get(row, 0)
        new = old + change
        if new > 0:
            counts[row] = new
            if not old:
                added.append(row)
        elif not new:
            del counts[row]
            removed.append(row)
        else:
            _fault(session, node, new)
    if session.marks:
        session.log.append(("counts", node, delta))
    return added, removed


def _fault(session: "Session", node: int, count: int) -> None:
    session.broken = True
    raise EngineError(
        f"a row of {session.kernel.nodes[node].name} has {count} derivations: a fault of the engine"
    )


def uncount(session: "Session", node: int, delta: dict[Tuple, int]) -> None:
    """Take back what `_count` added."""
    if not session.live[node]:
        return
    counts = session.counts[node]
    added: list[Tuple] = []
    removed: list[Tuple] = []
    for row, change in delta.items():
        if not change:
            continue
        old = counts.get(row, 0)
        new = old - change
        if new:
            counts[row] = new
            if not old:
                added.append(row)
        else:
            del counts[row]
            removed.append(row)
    if added or removed:
        if not session.kernel.nodes[node].members:
            _answers(session, node, added, removed)
        elif node in session.watched:
            session.watched_changed(node)


# ---------------------------------------------------------------- becoming live, and no longer being


def wants(session: "Session", node: int) -> bool:
    """Note that a node is computed anew; whether it should become live now, before that."""
    if not session.maintains or node not in session.kernel.nets:
        return False
    if not session.ctx.folded and session.kernel.nets[node].asks:
        return False  # a backend might answer otherwise when a tuple goes than when it came
    warmth = session.warmth.get(node, 0) + 1
    session.warmth[node] = warmth
    if warmth < WARM:
        return False
    if session.marks:
        session.wanted[node] = None
        return False
    return True


def activate(session: "Session", node: int) -> bool:
    """Make a node live: count all its derivations. What it rests on is up to date and nothing is marked.

    Returns:
        False if that was too much; the node is as it was.
    """
    kernel = session.kernel
    code = code_of(kernel)
    session.users = code.users
    net = kernel.nets[node]
    if net.kind == "recursive":
        return _start_recursive(session, node)
    counts: dict[Tuple, int] = {}
    try:
        for function in code.full[node]:
            function(session, counts)
        if len(counts) > session.budget.rows:
            raise BudgetExceeded("too many rows")
    except BudgetExceeded:
        session.warmth[node] = BANNED
        session.refill()
        return False
    session.counts[node] = counts
    session.live[node] = COUNTED
    if net.kind == "derived":
        session.replace(kernel.nodes[node].members[0], dict.fromkeys(counts))
    else:
        session.sets.pop(node, None)
        session.values[node] = None
    session.dirty[node] = 0
    return True


def _start_recursive(session: "Session", node: int) -> bool:
    """Derive a recursive component from nothing, with ranks."""
    code = code_of(session.kernel)
    for table in session.kernel.nodes[node].members:
        session.replace(table, {})
        session.ranks[table] = {}
    gain: dict[Tuple, int] = {}
    session.live[node] = RECURSIVE
    try:
        for function in code.full[node]:
            function(session, gain)
        settle_recursive(session, node, gain, {})
    except BudgetExceeded:
        demote(session, node)
        return False
    session.dirty[node] = 0
    settle(session)
    return True


def activate_wanted(session: "Session") -> None:
    """Make those nodes live that asked for it while something was marked."""
    rank = session.kernel.rank
    for node in sorted(session.wanted, key=rank.__getitem__):
        if not session.live[node]:
            try:
                session.ensure(node)
            except BudgetExceeded:
                session.warmth[node] = BANNED
                continue
            activate(session, node)
    session.wanted.clear()


def demote(session: "Session", node: int) -> None:
    """A node is no longer live: it is computed anew when it is asked for."""
    session.live[node] = 0
    session.warmth[node] = BANNED
    session.counts.pop(node, None)
    session.sets.pop(node, None)
    session.pending.pop(node, None)
    session.inputs[node] = None
    session.values[node] = None
    for table in session.kernel.nodes[node].members:
        session.ranks.pop(table, None)
    session.dirty[node] = 0
    session.touch(node)
    session.refill()
