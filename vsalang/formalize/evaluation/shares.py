"""The statistics of an evaluation: shares with their intervals, confusion tables, majorities.

>>> share = Share(9, 10)
>>> f"{share.value:.2f} [{share.low:.3f}, {share.high:.3f}]"
'0.90 [0.596, 0.982]'
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any, Final

from vsalang.records import dataclass

CONFIDENCE: Final = 0.95
_Z: Final = statistics.NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with the Wilson score interval (E. B. Wilson, JASA 22, 1927) at 95 %."""

    hits: int
    of: int

    @classmethod
    def over(cls, outcomes: Iterable[bool]) -> "Share":
        """The share of what is true."""
        found = list(outcomes)
        return cls(sum(found), len(found))

    @property
    def value(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.hits / self.of if self.of else None

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self._interval()[0]

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self._interval()[1]

    def _interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        n, p, z = self.of, self.hits / self.of, _Z
        middle = p + z * z / (2 * n)
        spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        scale = 1 + z * z / n
        # at the ends the interval ends there exactly, whatever the arithmetic loses
        low = 0.0 if self.hits == 0 else (middle - spread) / scale
        high = 1.0 if self.hits == n else (middle + spread) / scale
        return low, high

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return {"value": self.value, "low": self.low, "high": self.high, "hits": self.hits, "of": self.of}


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
        """The harmonic mean of precision and recall; None without wrong runs and objections. It is no share."""
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
