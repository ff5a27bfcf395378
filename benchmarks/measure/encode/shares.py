"""The statistics of an evaluation: confusion tables, majorities, means."""

import statistics
from collections.abc import Sequence

from vsalang.base.records import dataclass
from vsalang.program.shares import Share


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often runs were objected to, rightly or not; as section 8.1 of the VeriSafe Agent paper counts it.

    Attributes:
        tp: wrong runs that were objected to in time.
        fp: right runs that were objected to.
        tn: right runs that passed.
        fn: wrong runs that passed, or were objected to too late.
    """

    tp: int = 0
    fp: int = 0
    tn: int = 0
    fn: int = 0

    @property
    def accuracy(self) -> Share:
        """What was decided rightly."""
        return Share(self.tp + self.tn, self.tp + self.fp + self.tn + self.fn)

    @property
    def precision(self) -> Share:
        """How many objections were right."""
        return Share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Share:
        """How many wrong runs were objected to in time."""
        return Share(self.tp, self.tp + self.fn)

    @property
    def accepted(self) -> Share:
        """How many right runs passed (the specificity)."""
        return Share(self.tn, self.tn + self.fp)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None without wrong runs and objections. It is not a share."""
        whole = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / whole if whole else None


def majority(votes: Sequence[bool]) -> bool:
    """Whether more than half are true."""
    return 2 * sum(votes) > len(votes)


def mean(numbers: Sequence[float]) -> float | None:
    """The mean; None of nothing."""
    return statistics.fmean(numbers) if numbers else None


def median(numbers: Sequence[float]) -> float | None:
    """The median; None of nothing."""
    return statistics.median(numbers) if numbers else None
