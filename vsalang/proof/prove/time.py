"""How much time is left for all questions of one analysis together."""

import time
from dataclasses import dataclass, field

from vsalang.proof.solver.scan import SLOWER

_LEAST = 50
"""Milliseconds that a question gets at least."""


class TimeIsUp(Exception):
    """The time for all questions is used up."""


@dataclass(eq=False)
class Time:
    """The time of one analysis; it begins when this is made.

    Attributes:
        seconds: for all questions.
        each: milliseconds for one.
    """

    seconds: float
    each: int = 2000
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds

    def left(self) -> float:
        """Seconds that are left.

        Raises:
            TimeIsUp: none.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeIsUp(f"{self.seconds:g} s")
        return left

    def next(self) -> int:
        """Milliseconds for the next question: by the clock it may take `SLOWER` times as long, if there is that much.

        Raises:
            TimeIsUp: there is none left.
        """
        left = round(self.left() * 1000)
        return max(_LEAST, min(self.each, left // SLOWER))
