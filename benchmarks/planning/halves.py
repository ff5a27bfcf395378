"""P3: runs of DroidBot: a map of a random half of the sessions, its ways tried on the steps of the other half."""

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.planning.logs import Machine, Session, recordings, sessions
from benchmarks.planning.rows import Row, share, tell
from vsalang.agents.maps import EMPTY, UTG, Edge, EdgeVerdict, Navigator, Recording, Router, Screen
from vsalang.agents.maps.beneath import screens_after

MOST_STEPS = 30
SEEDS = range(1, 11)


@dataclass
class Tally:
    """Of ways that were looked for."""

    pairs: int = 0
    found: int = 0
    tried: int = 0
    confirmed: int = 0
    reached: int = 0
    reached_of_tried: int = 0
    lengths: list[int] = field(default_factory=list)


def halves(folder: Path) -> Iterator[Row]:
    runs = recordings(folder)
    screens = sum(len({screen.name for screen in found.screens}) for _, found in runs)
    tallies = []
    for seed in SEEDS:
        tell(f"P3: halves {seed} of {len(SEEDS)}")
        tally = Tally()
        for _, found in runs:
            parts = sessions(found.moves)
            random.Random(seed).shuffle(parts)
            half = len(parts) // 2
            known = tuple(move for part in parts[:half] for move in part.moves)
            one_app(EMPTY.learn(Recording((), known), "log"), parts[half:], tally)
        tallies.append(tally)
    first = tallies[0]
    apps = f"{len(runs)} apps, map of a random half of DroidBot's sessions"
    yield _confirmed(f"{apps}: ways tried whole in the other half that led where they said", [first])
    yield _confirmed(f"the same, {len(SEEDS)} halvings", tallies)
    yield _reached("the goal is reached where each surprise corrects the map, of all ways", [first])
    yield _reached(f"the same, {len(SEEDS)} halvings", tallies)
    yield Row("P3", "screens told apart in these apps", "248", str(screens), screens >= 248)
    of = share(first.found, first.pairs)
    measured = f"{of}; {statistics.mean(first.lengths):.1f} steps on average"
    yield Row("P3", "pairs of screens for which a way is known", "", measured)


def _confirmed(asked: str, tallies: Sequence[Tally]) -> Row:
    part, whole = (sum(getattr(each, name) for each in tallies) for name in ("confirmed", "tried"))
    return Row("P3", asked, "88 %", share(part, whole), part >= 0.88 * whole)


def _reached(asked: str, tallies: Sequence[Tally]) -> Row:
    part, whole = (sum(getattr(each, name) for each in tallies) for name in ("reached", "found"))
    tried, of = (sum(getattr(each, name) for each in tallies) for name in ("reached_of_tried", "tried"))
    return Row(
        "P3",
        asked,
        "78 %",
        f"{share(part, whole)}; of those tried whole {share(tried, of)}",
        part >= 0.78 * whole,
    )


def one_app(utg: UTG, other: Sequence[Session], tally: Tally) -> None:
    """Each pair of screens is asked for once, where it was gone first in the other half: what was beneath is known."""
    machine = Machine(move for part in other for move in part.moves)
    pairs: dict[tuple[str, str], tuple[str, ...]] = {}
    for part in other:
        for move in part.moves:
            if move.target.name != part.shown[0]:
                pairs.setdefault((part.shown[0], move.target.name), part.shown)
    router = Router(utg)
    for (start, goal), shown in pairs.items():
        tally.pairs += 1
        if start not in utg.screens or goal not in utg.screens:
            continue
        found = router.route(start, [goal], beneath=shown[1:]).ways
        if not found:
            continue
        tally.found += 1
        tally.lengths.append(len(found[0].steps))
        whole = right = True
        here = shown
        for step in found[0].steps:
            if not machine.knows(step.screen, step.edge.gesture):
                whole = right = False
                break
            right = right and machine.after(here, step.edge.gesture) == step.edge.target
            here = screens_after(here, step.edge.gesture, step.edge.target)
        reached = followed(utg, machine, shown, goal)
        tally.tried += whole
        tally.confirmed += right
        tally.reached += reached
        tally.reached_of_tried += reached and whole


def followed(utg: UTG, machine: Machine, shown: tuple[str, ...], goal: str) -> bool:
    """Whether an agent that follows hints reaches the goal.

    Of what the other half never did nobody knows what would come: it is in no hint.
    """

    def untried(edge: Edge, screen: Screen | None) -> EdgeVerdict:
        known = screen is not None and machine.knows(screen.name, edge.gesture)
        return EdgeVerdict() if known else EdgeVerdict("deny")

    navigator = Navigator(utg, [goal], avoid=untried)
    for name in reversed(shown):
        navigator.hint(name)  # what it saw before it was asked
    for _ in range(MOST_STEPS):
        if shown[0] == goal:
            return True
        steps = navigator.hint(shown[0]).steps
        if not steps:
            return False
        gesture = steps[0].edge.gesture
        after = machine.after(shown, gesture)
        navigator.saw(shown[0], gesture, after)
        shown = screens_after(shown, gesture, after)
    return False
