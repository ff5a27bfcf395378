"""The steps of a walk from which something can be learnt: one action, and what showed before and after it."""

from collections.abc import Iterator

from vsalang.agents.maps.mining import Passage
from vsalang.agents.walks.recorded_walk import Walk


def passed(walk: Walk, package: str = "") -> Iterator[Passage]:
    """The steps with one action whose screen and next screen were both recorded, in order.

    Args:
        package: of the app, where the walk does not say it.

    Raises:
        WalkError: a step is not understood.
    """
    last = None
    for index in range(len(walk.steps)):
        step = walk.taken(index, package)
        if (
            last is not None
            and last.screen is not None
            and step.screen is not None
            and len(last.actions) == 1
        ):
            yield Passage(last.screen, last.actions[0], step.screen)
        last = step
