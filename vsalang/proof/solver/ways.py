"""One way in which literals hold, and marks that tell which conditions clash."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal

import z3

from vsalang.program.polarity import Polarity
from vsalang.proof.solver.results import Clash
from vsalang.proof.solver.sorts import TRUE, Cell, conj, disj, is_false, is_true, neg

Mode = Literal["plain", "certain", "possible", "settled", "supposed"]
"""How a body is read (`semantics.md#readings`); settled: so, whatever the unknown cells of seen rows hold."""
SURE: Final[Mapping[Mode, Mode]] = {
    "plain": "plain",
    "certain": "certain",
    "possible": "certain",
    "settled": "settled",
    "supposed": "settled",
}
"""The reading of what is so for sure, where a condition asks about all rows."""
MAYBE: Final[Mapping[Mode, Mode]] = {
    "plain": "plain",
    "certain": "possible",
    "possible": "possible",
    "settled": "supposed",
    "supposed": "supposed",
}
"""The reading of what may be so."""
DUAL: Final[Mapping[Mode, Mode]] = {mode: (MAYBE if SURE[mode] == mode else SURE)[mode] for mode in SURE}
"""How a body is read under a negation."""
OPEN: Final[frozenset[Mode]] = frozenset(MAYBE.values()) - {"plain"}
"""In these an unknown cell may hold anything."""
SEEN: Final[frozenset[Mode]] = frozenset({"plain", "settled", "supposed"})
"""In these only rows are there that were seen."""
MODE_OF: Final[Mapping[Polarity, Mode]] = MappingProxyType(
    {
        Polarity.ADDS_DUTY: "supposed",
        Polarity.TAKES_DUTY_AWAY: "certain",
        Polarity.TELLS: "plain",
    }
)
"""How the guard reads a rule."""
MOST_BRANCHES: Final = 4000


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One way in which literals hold: what variables are, and the condition.

    `used` counts, where slots are interchangeable, how many of a relation's slots were chosen so far.
    """

    env: Mapping[str, Cell]
    guard: Any = TRUE
    used: Mapping[str, int] | None = None

    def bind(self, name: str, cell: Cell) -> "Branch":
        """With one more variable."""
        return replace(self, env={**self.env, name: cell})

    def when(self, *conditions: Any) -> "Branch":
        """With more conditions."""
        return replace(self, guard=conj([self.guard, *conditions]))

    @property
    def possible(self) -> bool:
        """Whether the condition is not plainly false."""
        return not is_false(self.guard)


class Tracker:
    """Marks conditions so that a contradiction can name the ones that clash."""

    def __init__(self) -> None:
        self.marks: dict[str, tuple[Any, Clash]] = {}
        self._by_clash: dict[Clash, Any] = {}

    def wrap(self, formula: Any, clash: Clash) -> Any:
        """The formula, which counts only while its mark is assumed."""
        if is_true(formula):
            return formula
        mark = self._by_clash.get(clash)
        if mark is None:
            mark = z3.Bool(f"mark {len(self.marks)}")
            self._by_clash[clash] = mark
            self.marks[str(mark)] = (mark, clash)
        return disj([neg(mark), formula])
