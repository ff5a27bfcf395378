"""What reads the program for a session."""

from vsalang.base.records import dataclass
from vsalang.engine.api import Evaluator
from vsalang.guard.frontier.frontier import Frontier
from vsalang.guard.judge.judging_steps import Judging
from vsalang.guard.judge.licences import Licences
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.observing import Observing
from vsalang.guard.world.outcome import Outcomes


@dataclass(frozen=True, slots=True)
class Parts:
    """What reads the program for a session; made again if the first screen shows another day than the host."""

    evaluator: Evaluator
    licences: Licences
    frontier: Frontier
    moments: Moments
    judging: Judging
    observing: Observing
    outcomes: Outcomes
