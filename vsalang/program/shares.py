"""Shares with their intervals: how sure a share is that was counted in a sample.

>>> share = Share(9, 10)
>>> f"{share.value:.2f} [{share.low:.3f}, {share.high:.3f}]"
'0.90 [0.596, 0.982]'
"""

import math
import statistics
from collections.abc import Iterable
from typing import Any, Final

from vsalang.base.records import dataclass

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
        results = list(outcomes)
        return cls(sum(results), len(results))

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
        return {"value": self.value, "low": self.low, "high": self.high, "hits": self.hits, "of": self.of}
