"""How well memory tells that a gesture will do nothing, on recorded runs."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure.certificates import measure
from tests.thorough import THOROUGH
from vsalang.agents.walks import read_walks
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen

SMALL = ("com.adguard.android.contentblocker",)
GESTURES = ("tap", "long_press", "swipe", "scroll")


class Passed(NamedTuple):
    before: TreeScreen
    action: Action
    after: TreeScreen


def passed(run: Path) -> Iterator[Passed]:
    """The gestures of a run whose screens were kept."""
    (walk,) = read_walks(run)
    steps = [walk.taken(index) for index in range(len(walk.steps))]
    for step, after in pairwise(steps):
        if step.screen is None or after.screen is None or not step.actions:
            continue
        if step.actions[0].name in GESTURES:
            yield Passed(step.screen, step.actions[0], after.screen)


def test_memory_knows_which_gestures_do_nothing(shared_data: Path) -> None:
    """It tells of at least 75 % of all gestures, and is right in 98 % of them, by what came earlier alone."""
    runs = sorted(path.parent for path in (shared_data / "utg").glob("*/events.jsonl.gz"))
    found = measure(passed(run) for run in runs if THOROUGH or run.name in SMALL)
    assert found.covered >= 0.75
    assert found.right >= 0.98
    assert found.found >= 0.75
    assert not THOROUGH or found.gestures == 6768
