"""Which rules and relations hold, as a set that every change updates: for those who ask after every change."""

from collections.abc import Iterable

from vsalang.engine.api import EngineError
from vsalang.engine.run.answers import answers
from vsalang.engine.run.evaluate import current
from vsalang.engine.run.state import State


class Watch:
    """Which of some rules (those with an answer) and derived relations (those with a row) hold, plainly read.

    Args:
        state: of the state.
        names: ids of rules, qualified names of derived relations.

    Raises:
        EngineError: the program has no rule or derived relation of that name.
    """

    # stale: some stratum must be checked before it is read

    __slots__ = ("_before", "_holding", "_state", "_strata", "stale")

    def __init__(self, state: State, names: Iterable[str]) -> None:
        self._state = state
        self.stale = True
        self._holding: set[str] = set()
        self._strata: dict[int, list[tuple[str, int]]] = {}
        plan = state.plan
        for name in names:
            table = plan.derived.get(name)
            if table is not None:
                stratum = plan.tables[table].stratum
                assert stratum is not None
                self._strata.setdefault(stratum, []).append((name, table))
            elif name in plan.answers:
                self._strata.setdefault(plan.answers[name][0], []).append((name, -1))
            else:
                raise EngineError(f"the program has no rule or derived relation {name}")
        for stratum in self._strata:
            state.watchers[stratum] = (*state.watchers.get(stratum, ()), self)
        self._before = frozenset(self.holding)

    @property
    def holding(self) -> set[str]:
        """The names of what holds now: always the same set, changed by what happens. Not to be changed by others.

        Raises:
            BudgetExceeded: it cannot be computed within the budget.
            EngineError: another thread is inside the session.
        """
        if self.stale:
            with self._state.alone():
                self._refresh()
        return self._holding

    def changed(self) -> tuple[frozenset[str], frozenset[str]]:
        """What holds now and did not when this was last called (or the watch began), and the other way round."""
        now, before = frozenset(self.holding), self._before
        self._before = now
        return now - before, before - now

    def end(self) -> None:
        """Watch no longer."""
        for stratum in self._strata:
            rest = tuple(each for each in self._state.watchers[stratum] if each is not self)
            if rest:
                self._state.watchers[stratum] = rest
            else:
                del self._state.watchers[stratum]
        self._strata = {}

    def look(self, stratum: int) -> None:
        """Read a maintained stratum that has changed."""
        state, holding = self._state, self._holding
        for name, table in self._strata[stratum]:
            rows = state.counts[stratum] if table < 0 else state.tables[table].rows
            if rows:
                holding.add(name)
            else:
                holding.discard(name)

    def _refresh(self) -> None:
        state = self._state
        for names in self._strata.values():
            for name, table in names:
                if table < 0:
                    holds = bool(answers(state, name))
                else:
                    current(state, table)
                    holds = bool(state.tables[table].rows)
                if holds:
                    self._holding.add(name)
                else:
                    self._holding.discard(name)
        self.stale = False
