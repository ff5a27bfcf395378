"""Keeps what depends on itself up to date by differences, over data with cycles too.

Delete and rederive, with ranks: each row has a number that is greater than those of the rows it was first derived from.
A row that lost a derivation stays if another one is found from rows of lower rank, because then it does not rest on
itself; else it goes, and what rested on it is looked at in turn. What went is derived again where rows that stayed
allow it. (Gupta, Mumick and Subrahmanian 1993; the ranks cut the over-deletion as the levels of Even and Shiloach
1981 do.)
"""

from collections import deque
from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

from vsalang.engine.api import BudgetExceeded
from vsalang.engine.compile.codegen import Code, code_of
from vsalang.engine.plan import Tuple

if TYPE_CHECKING:
    from vsalang.engine.run.session import Session

Heads: TypeAlias = dict[tuple[int, Tuple], int]
"""Rows of the component: table and row. How often they were found says nothing."""


class Change:
    """The change of one recursive component while it is made.

    Attributes:
        old: by table the ranks that rows had before, None if they were not there.
        applied: the alphas that took a row in (true) or out, in order.
    """

    __slots__ = ("applied", "code", "inside", "members", "old", "session")

    def __init__(self, session: "Session", node: int, code: "Code") -> None:
        self.session = session
        self.code = code
        self.members = session.kernel.nodes[node].members
        self.inside = code.inside[node]
        self.old: dict[int, dict[Tuple, int | None]] = {table: {} for table in self.members}
        self.applied: list[tuple[int, Tuple, bool]] = []

    def derivable(self, table: int, row: Tuple, rank: float) -> bool:
        """Whether some rule derives the row from rows of lower rank."""
        return any(function(self.session, row, rank) for function in self.code.support.get(table, ()))

    def move(self, table: int, row: Tuple, came: bool) -> Heads:
        """Take a row into the component's own atoms or out of them; the heads that rest on it."""
        session = self.session
        heads: Heads = {}
        ranks = session.ranks[table]
        old = self.old[table]
        if row not in old:
            old[row] = ranks.get(row)
        if came:
            session.version += 1
            ranks[row] = session.version
            if len(ranks) > session.budget.rows:
                raise BudgetExceeded(f"a derived relation has more than {session.budget.rows} rows")
        else:
            del ranks[row]
        for index, functions in self.inside[table]:
            alpha = session.alphas[index]
            tuples = alpha.come(row) if came else alpha.go(row)
            self.applied.append((index, row, came))
            if tuples:
                for function in functions:
                    function(session, tuples, 1, heads)
        return heads

    def delete(self, lost: Iterable[tuple[int, Tuple]]) -> list[tuple[int, Tuple]]:
        """Delete the rows that may have lost their support, and what rested on them."""
        ranks = self.session.ranks
        waiting = deque(lost)
        gone: list[tuple[int, Tuple]] = []
        while waiting:
            table, row = waiting.popleft()
            rank = ranks[table].get(row)
            if rank is not None and not self.derivable(table, row, rank):
                gone.append((table, row))
                waiting.extend(self.move(table, row, False))
        return gone

    def insert(self, candidates: Iterable[tuple[int, Tuple]]) -> None:
        """Insert the rows that can be derived, and what follows from them."""
        ranks = self.session.ranks
        for table, row in candidates:
            if row in ranks[table] or not self.derivable(table, row, inf):
                continue
            waiting = deque([(table, row)])
            while waiting:
                at, found = waiting.popleft()
                if found not in ranks[at]:
                    waiting.extend(self.move(at, found, True))

    def undo(self) -> None:
        """Make the component's own atoms what they were; the ranks are given up."""
        for index, row, came in reversed(self.applied):
            self.session.alphas[index].apply(() if came else (row,), (row,) if came else ())


def settle_recursive(session: "Session", node: int, gain: Heads, lost: Heads) -> None:
    """Bring a live component up to date: rows that may have lost a derivation, and rows that may have got one.

    Raises:
        BudgetExceeded: the component's tables are as they were, and it must be computed anew.
    """
    code = code_of(session.kernel)
    change = Change(session, node, code)
    try:
        gone = change.delete(lost)
        change.insert([*gain, *gone])
    except BudgetExceeded:
        change.undo()
        raise
    for table, rows in change.old.items():
        if not rows:
            continue
        if session.marks:
            session.log.append(("ranks", node, table, rows))
        ranks = session.ranks[table]
        added = [row for row, rank in rows.items() if rank is None and row in ranks]
        removed = [row for row, rank in rows.items() if rank is not None and row not in ranks]
        if added or removed:
            session.take(table, added, removed, done=tuple(index for index, _ in change.inside[table]))
    if node in session.watched:
        session.watched_changed(node)


def unrank(session: "Session", node: int, table: int, rows: dict[Tuple, Any]) -> None:
    """Take back the ranks that a change gave."""
    if not session.live[node]:
        return
    ranks = session.ranks[table]
    for row, rank in rows.items():
        if rank is None:
            ranks.pop(row, None)
        else:
            ranks[row] = rank
    if node in session.watched:
        session.watched_changed(node)
