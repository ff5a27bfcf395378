"""How far a search for runs goes."""

from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.proof.prove.time import Time

Level: TypeAlias = Literal["actions", "gestures"]
STEPS: Final = 10
"""How many steps a run may have if nobody says it."""
INSTANCES: Final = 3
"""How many instances of each clause a run may have at each point, if the solver looks for it."""


class CannotStart(ValueError):
    """The steps to the start do not pass, or the task is over there."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a search goes.

    Attributes:
        steps: how many gestures and actions a run has at most.
        level: what a run is made of.
        seconds: for all questions to the solver together.
        each: seconds for one.
    """

    steps: int = STEPS
    level: Level = "gestures"
    seconds: float = 120.0
    each: float = 5.0

    def time(self) -> Time:
        """The time of a search that begins now."""
        return Time(self.seconds, round(self.each * 1000))
