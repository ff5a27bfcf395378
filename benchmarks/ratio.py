"""Times as ratios to a fixed piece of Python work, so that figures of one machine hold on another.

*x* is the processor time of ``d = {}; for i in range(1000): d[i] = (i, str(i))`` in the same process.
"""

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

R = TypeVar("R")

_UNIT_EVERY: Final = 0.005
"""Seconds of work between two measurements of the unit: its speed changes with the machine's."""


def unit() -> float:
    """Processor time of this thread for the fixed piece of work, in seconds."""
    begin = time.thread_time()
    made = {}
    for number in range(1000):
        made[number] = (number, str(number))
    return time.thread_time() - begin


@dataclass(slots=True)
class Watch:
    """Collects the times of several kinds of work, done by turns with the fixed piece of work.

    Attributes:
        times: for each kind the seconds of its single pieces.
        units: seconds of the fixed piece of work.
    """

    times: dict[str, list[float]] = field(default_factory=dict)
    units: list[float] = field(default_factory=list)
    _since: float = _UNIT_EVERY

    def add(self, kind: str, seconds: float) -> None:
        """Note how long a piece of work took."""
        self.times.setdefault(kind, []).append(seconds)
        self._since += seconds
        if self._since >= _UNIT_EVERY:
            self._since = 0.0
            self.units.append(unit())

    def run(self, kind: str, work: "Callable[[], R]") -> R:
        """Do a piece of work, and note how long it took."""
        begin = time.thread_time()
        result = work()
        self.add(kind, time.thread_time() - begin)
        return result

    def middle(self) -> float:
        """Seconds of the fixed piece of work, the median."""
        return statistics.median(self.units)

    def x(self, kind: str) -> float:
        """The median of a kind of work, as a ratio to the median of the fixed piece."""
        return statistics.median(self.times[kind]) / self.middle()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table of figures.

    Attributes:
        what: was measured.
        value: of the unit `of`.
        wanted: at most this, or at least where `more`; None: nothing is wanted.
        note: is printed behind it.
    """

    what: str
    value: float
    wanted: float | None = None
    of: str = "x"
    more: bool = False
    note: str = ""

    def __str__(self) -> str:
        bound = "" if self.wanted is None else f"{'≥' if self.more else '≤'} {self.wanted:,g}"
        reached = ""
        if self.wanted is not None:
            reached = (
                "yes" if (self.value >= self.wanted if self.more else self.value <= self.wanted) else "no"
            )
        value = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.2f}"
        return f"{self.what:<58} {value:>9} {self.of:<8} {bound:>8}  {reached:<3}  {self.note}".rstrip()


def quiet() -> None:
    """Before something is timed: what was made so far is left out of later collections."""
    gc.collect()
    gc.freeze()


def show(lines: Sequence[Line]) -> None:
    """Print a table."""
    print(f"{'what':<58} {'measured':>9} {'':<8} {'wanted':>8}")
    for line in lines:
        print(line)
