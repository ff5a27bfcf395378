"""Which rules and relations hold, as a set that is kept up to date: for those who ask after every change."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from vsalang.engine.api import EngineError
from vsalang.engine.plan import Ref

if TYPE_CHECKING:
    from vsalang.engine.run.session import Session


class Watch:
    """What holds of some rules (they have an answer) and derived relations (they have a row), plainly read.

    Args:
        session: asked.
        names: ids of rules, qualified names of derived relations.

    Raises:
        EngineError: the program has no rule or derived relation of that name.
    """

    # stale: some node must be checked before it is read

    __slots__ = ("_before", "_holding", "_nodes", "_session", "stale")

    def __init__(self, session: "Session", names: Iterable[str]) -> None:
        self._session = session
        self.stale = True
        self._holding: set[str] = set()
        self._nodes: dict[int, list[tuple[str, int]]] = {}
        kernel = session.kernel
        for name in names:
            table = kernel.table_ids.get(Ref("derived", name, "plain"))
            if table is not None:
                node = kernel.tables[table].node
                assert node is not None
                self._nodes.setdefault(node, []).append((name, table))
            elif name in kernel.answers:
                self._nodes.setdefault(kernel.answers[name][0], []).append((name, -1))
            else:
                raise EngineError(f"the program has no rule or derived relation {name}")
        for node in self._nodes:
            session.watched[node] = (*session.watched.get(node, ()), self)
        self._before = frozenset(self.holding)

    @property
    def holding(self) -> set[str]:
        """The names of what holds now: always the same set, changed by what happens. Not to be changed by others.

        Raises:
            BudgetExceeded: it cannot be computed within the budget.
        """
        if self.stale:
            self._refresh()
        return self._holding

    def changed(self) -> tuple[frozenset[str], frozenset[str]]:
        """What came to hold and what ceased to since this was last asked (or the watch began)."""
        now, before = frozenset(self.holding), self._before
        self._before = now
        return now - before, before - now

    def end(self) -> None:
        """Watch no longer."""
        for node in self._nodes:
            rest = tuple(each for each in self._session.watched[node] if each is not self)
            if rest:
                self._session.watched[node] = rest
            else:
                del self._session.watched[node]
        self._nodes = {}

    def look(self, node: int) -> None:
        """Take in that a live node has changed."""
        session, holding = self._session, self._holding
        for name, table in self._nodes[node]:
            rows = session.counts[node] if table < 0 else session.tables[table].rows
            if rows:
                holding.add(name)
            else:
                holding.discard(name)

    def _refresh(self) -> None:
        session = self._session
        for names in self._nodes.values():
            for name, table in names:
                if table < 0:
                    holds = bool(session.answers(name))
                else:
                    session.current(table)
                    holds = bool(session.tables[table].rows)
                if holds:
                    self._holding.add(name)
                else:
                    self._holding.discard(name)
        self.stale = False
