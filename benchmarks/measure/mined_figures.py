"""How good mined contracts are: mined from the first half of what was recorded, tested on the later half."""

from collections import Counter
from collections.abc import Iterable, Sequence

from vsalang.agents.maps.mining import (
    Least,
    Mining,
    Passage,
    Target,
    controls_of,
    distinct,
    mine,
    package_of,
    packages,
    tapped,
)
from vsalang.base.records import dataclass
from vsalang.program.shares import Share


@dataclass(frozen=True, slots=True)
class MinedFigures:
    """What the later halves say of contracts mined from the first halves.

    Attributes:
        least: what contracts needed to be proposed.
        contracts: how many were.
        covered: the later taps to which one applies, of all later taps.
        right: of these (a tap counts for each contract that applies) those that led where the contract says.
        random: screens of the same recording that the contract would fit: for each of those taps, all its distinct
            screens. A screen picked by chance fits as often.
    """

    least: Least
    contracts: int
    covered: Share
    right: Share
    random: float | None


def figures(recordings: Iterable[Sequence[Passage]], least: Least) -> MinedFigures:
    """The figures of recordings, each split in the middle of its steps.

    Args:
        recordings: each of one app with its neighbours, in the order in which it was recorded.
    """
    contracts = taps = covered = applied = right = 0
    chance = 0.0
    for passed in recordings:
        half = len(passed) // 2
        pool = distinct(screen for step in passed for screen in (step.before, step.after))
        for package in packages(passed):
            mining = mine(passed[:half], package, least)
            contracts += len(mining.contracts)
            fits = Counter(mining.screens.led_to(screen) for screen in pool)
            for step in passed[half:]:
                if package_of(step) != package or tapped(step) is None:
                    continue
                found = _applying(mining, step)
                led = mining.screens.led_to(step.after)
                taps += 1
                covered += bool(found)
                applied += len(found)
                right += sum(led == each for each in found)
                chance += sum(fits[each] / len(pool) for each in found)
    return MinedFigures(
        least, contracts, Share(covered, taps), Share(right, applied), chance / applied if applied else None
    )


def _applying(mining: Mining, step: Passage) -> list[Target]:
    """The targets of the contracts that apply to a step."""
    node, screen = tapped(step), mining.screens.name_of(step.before)
    if node is None or screen is None:
        return []
    controls = set(controls_of(step.before, node))
    return [each.target for each in mining.contracts if each.screen == screen and each.control in controls]
