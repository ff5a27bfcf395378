"""`std.contracts` on recorded steps: the screen that came next meets them; the same one and random ones do not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.measure.experiment import Experiment, Result, experiment
from tests.thorough import THOROUGH
from vsalang.agents.walks import WalkStep, read_walks
from vsalang.screen.control import Unit, controls
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

STITCHED = {("calendar", 14, 1), ("messenger", 1, 1), ("messenger", 4, 4), ("notes", 4, 2)}
"""Steps of walks that were put together from two runs: the next screen shows another text than was typed."""
SAMPLE = {"contacts": (0,), "gallery": (4, 8), "notes": (4,)}
Run = tuple[str, list[list[WalkStep]], Experiment]


@pytest.fixture(scope="module")
def runs(shared_data: Path) -> list[Run]:
    """Of each app of DroidTask its steps, and how their contracts came out."""
    found = []
    for path in sorted((shared_data / "trajectories" / "droidtask").glob("*.jsonl.gz")):
        app = path.name.split(".")[0]
        if THOROUGH or app in SAMPLE:
            walks = read_walks(path)
            chosen = range(len(walks)) if THOROUGH else SAMPLE[app]
            steps = [[walks[n].taken(i, f"com.{app}") for i in range(len(walks[n].steps))] for n in chosen]
            found.append((app, steps, experiment(steps)))
    return found


def total(runs: list[Run]) -> Experiment:
    return sum((found for _, _, found in runs), Experiment(0, ()))


def place(app: str, result: Result) -> tuple[str, int, int]:
    walk = result.walk if THOROUGH else SAMPLE[app][result.walk]
    return app, walk, result.step


def test_typing_is_met_unless_walks_were_stitched(runs: list[Run]) -> None:
    unlike = {
        place(app, result)
        for app, _, found in runs
        for result in found.results
        if result.contract == "STD-FIELD-TYPED" and result.after == "recorded" and result.outcome != "met"
    }
    known = {step for step in STITCHED if THOROUGH or step[1] in SAMPLE.get(step[0], ())}
    assert unlike == known
    count = total(runs).count("STD-FIELD-TYPED", "recorded")
    assert count.met == count.total - len(known)
    assert (count.met, count.total) == (36, 40) if THOROUGH else count.met >= 2


def test_contracts_are_met_on_right_steps(runs: list[Run]) -> None:
    """Not only of typing: most of all contracts, taps among them, are seen to be met."""
    found = total(runs)
    counts = [found.count(name, "recorded") for name in found.contracts]
    met, all_ = sum(each.met for each in counts), sum(each.total for each in counts)
    assert (met, all_) == ((490, 574) if THOROUGH else (14, 17))


def test_random_screens_seldom_show_the_text(runs: list[Run]) -> None:
    assert total(runs).count("STD-FIELD-TYPED", "random").met <= (2 if THOROUGH else 1)


def test_nothing_changed_meets_nothing(runs: list[Run]) -> None:
    """A field may be one that never reports its text; a box that is as it was is certainly wrong."""
    found = total(runs)
    assert not any(found.count(name, "unchanged").met for name in found.contracts)
    assert (
        found.count("STD-TOGGLED", "unchanged").violated == found.count("STD-TOGGLED", "unchanged").total > 0
    )
    assert found.count("STD-FIELD-TYPED", "unchanged").violated == 0


def test_toggles_still_shown_are_conclusive(runs: list[Run]) -> None:
    """Judged again by another way: the one control of that kind and label on both screens."""
    checked = 0
    for _, walks, found in runs:
        for result in found.results:
            if result.contract in ("STD-TOGGLED", "STD-CHOSEN") and result.after == "recorded":
                before, after = (walks[result.walk][result.step + n].screen for n in (0, 1))
                assert before is not None and after is not None
                was, now = tapped(before, result), None
                if was is not None:
                    now = only(after.tree, was)
                if was is not None and now is not None:
                    checked += 1
                    assert result.outcome == ("met" if was.value != now.value else "violated")
    assert checked >= (30 if THOROUGH else 1)


def tapped(screen: TreeScreen, result: Result) -> Unit | None:
    """The control that was tapped, if no other has its kind and label."""
    node = screen.target(result.action.name, result.action.args)["node"]
    (unit,) = (unit for unit in controls(screen.tree) if unit.taker.node == node)
    return only(screen.tree, unit)


def only(tree: Tree, like: Unit) -> Unit | None:
    found = list(_like(tree, like))
    return found[0] if len(found) == 1 else None


def _like(tree: Tree, like: Unit) -> Iterator[Unit]:
    return (unit for unit in controls(tree) if (unit.kind, unit.label) == (like.kind, like.label))


def test_what_fields_never_report_is_inconclusive(shared_data: Path) -> None:
    """Of real apps: a web field, and fields that show their prompt; the one violated field was appended to."""
    folders = [path.parent for path in sorted((shared_data / "utg").glob("*/events.jsonl.gz"))]
    found = Experiment(0, ())
    for folder in folders if THOROUGH else [shared_data / "utg" / "org.ligi.ajsha"]:
        (walk,) = read_walks(folder)
        typed = [i for i in range(len(walk.steps) - 1) if types(walk.taken(i))]
        found += experiment([[walk.taken(i), walk.taken(i + 1)] for i in (typed if THOROUGH else typed[:4])])
    count = found.count("STD-FIELD-TYPED", "recorded")
    wanted = (86, 1, 37) if THOROUGH else (4, 0, 0)
    assert (count.met, count.violated, count.inconclusive) == wanted


def types(step: WalkStep) -> bool:
    return [action.name for action in step.actions] == ["input_text"]
