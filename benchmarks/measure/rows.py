"""The figures of contracts as rows: what was measured, what is wanted, and whether it is reached."""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from benchmarks.measure.experiment import Experiment
from benchmarks.measure.mined_figures import MinedFigures
from benchmarks.measure.planted import PlantedFailure
from vsalang.base.records import dataclass
from vsalang.program.shares import Share

Part: TypeAlias = Literal[
    "reduction", "kinds", "delta", "contracts", "graph", "memory", "mined", "looks", "planted"
]
"""What can be measured."""

Reached: TypeAlias = Literal["at least", "at most", "is"]

_TOGGLES: Final = ("STD-TOGGLED", "STD-CHOSEN")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        part: what it belongs to.
        what: is measured, in words.
        value: the figure: a share from 0 to 1, or a number of `unit`; None: nothing was there to be counted.
        unit: empty of a share.
        counts: how many of how many; None: it is not a count.
        wanted: the bound; None: none is wanted.
        how: on which side of the bound the figure is to be.
    """

    part: Part
    what: str
    value: float | None
    unit: str = ""
    counts: tuple[int, int] | None = None
    wanted: float | None = None
    how: Reached = "at least"

    @property
    def reached(self) -> bool | None:
        """Whether the figure is as wanted; None: nothing is wanted, or there was nothing to count."""
        if self.wanted is None or self.value is None:
            return None
        if self.how == "at least":
            return self.value >= self.wanted
        return self.value <= self.wanted if self.how == "at most" else self.value == self.wanted


def share(part: Part, what: str, found: Share, wanted: float | None = None, how: Reached = "at least") -> Row:
    """A row of so many of so many."""
    return Row(part, what, found.value, counts=(found.hits, found.of), wanted=wanted, how=how)


def number(part: Part, what: str, value: float, wanted: float | None = None, how: Reached = "at most") -> Row:
    """A row of a number of things."""
    return Row(part, what, value, "number", wanted=wanted, how=how)


def time_row(part: Part, what: str, times: Sequence[float], wanted: float) -> Row:
    """The median of times in milliseconds."""
    return Row(part, what, statistics.median(times) if times else None, "ms", wanted=wanted, how="at most")


def contract_rows(found: Experiment) -> Iterator[Row]:
    """The rows of the experiment with recorded, unchanged and random next screens."""
    typed, drawn = found.count("STD-FIELD-TYPED", "recorded"), found.count("STD-FIELD-TYPED", "random")
    yield share("contracts", "typing met on the recorded next screen", Share(typed.met, typed.total), 0.9)
    yield share("contracts", "typing met on a random one", Share(drawn.met, drawn.total), 0.05, "at most")
    wrong = sum(found.count(name, "recorded").violated for name in _TOGGLES)
    shown = sum(found.count(name, "recorded").met for name in _TOGGLES) + wrong
    yield share("contracts", "boxes and choices still shown that are violated", Share(wrong, shown), 0, "is")
    drawn_met = sum(found.count(name, "random").met for name in _TOGGLES)
    total = sum(found.count(name, "random").total for name in _TOGGLES)
    yield share(
        "contracts", "boxes and choices met on a random one", Share(drawn_met, total), 0.05, "at most"
    )
    unchanged = [found.count(name, "unchanged") for name in found.contracts]
    met, all_ = sum(each.met for each in unchanged), sum(each.total for each in unchanged)
    yield share("contracts", "contracts met though nothing changed", Share(met, all_), 0, "is")
    any_met = sum(found.count(name, "recorded").met for name in found.contracts)
    any_total = sum(found.count(name, "recorded").total for name in found.contracts)
    yield share("contracts", "contracts met on the recorded next screen", Share(any_met, any_total), 0.8)


def mined_rows(found: MinedFigures) -> Iterator[Row]:
    """The rows of contracts mined early and tested later."""
    least = found.least
    support = f"tapped {least.support} times or more"
    yield share("mined", f"right on later taps ({support})", found.right, 0.95)
    yield Row("mined", "random screens that would do", found.random, wanted=0.15, how="at most")
    yield share("mined", "later taps that a contract applies to", found.covered)
    yield number("mined", "contracts", found.contracts)


def planted_rows(found: Iterable[PlantedFailure]) -> Iterator[Row]:
    """The rows of planted failures: all are named rightly, and none is called met."""
    all_ = tuple(found)
    failed = [each for each in all_ if each.failure != "none"]
    right = Share(sum(each.right for each in failed), len(failed))
    yield share("planted", "planted failures, said rightly", right, 1.0)
    met = Share(sum(each.wrongly_met for each in failed), len(failed))
    yield share("planted", "failed actions called met", met, 0, "is")
    whole = [each for each in all_ if each.failure == "none"]
    fine = Share(sum(each.right for each in whole), len(whole))
    yield share("planted", "the same actions without a failure", fine, 1.0)


def missed(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows whose figure is not as wanted."""
    return tuple(row for row in rows if row.reached is False)
