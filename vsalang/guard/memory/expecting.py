"""What is to be expected of a gesture by what is remembered of it: only where nine of ten memories agree."""

from collections.abc import Mapping
from typing import Final

from vsalang.screen.control import Transition

AGREE: Final = 0.9
"""So great must the share of the memories be that tell the same: a contradiction lowers what the others say."""
ENOUGH: Final = 2
"""From so many memories of the very screen on, those of other screens do not count."""

Counts = Mapping[Transition, int]
"""Effect -> how often it was remembered."""


def agreed(counts: Counts) -> Transition | None:
    """The effect that nearly all memories tell; None: there are none, or they contradict each other."""
    if not counts:
        return None
    effect = max(counts, key=lambda each: counts[each])
    return effect if counts[effect] >= AGREE * sum(counts.values()) else None


def useless(here: Counts, anywhere: Counts) -> bool | None:
    """Whether nothing will change; None: the memories do not say.

    Args:
        here: those of this gesture on this control on this very screen.
        anywhere: those of this gesture on this control on any screen of the app, `here` among them.
    """
    counts = here if sum(here.values()) >= ENOUGH else anywhere
    total = sum(counts.values())
    if not total:
        return None
    share = counts.get("NoChange", 0) / total
    return True if share >= AGREE else False if share <= 1 - AGREE else None
