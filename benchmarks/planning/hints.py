"""P6, P8: runs of DroidBot as machines: steps to a screen with hints and without, on right, learnt and wrong maps."""

import random
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.planning.logs import Machine, recordings, sessions
from benchmarks.planning.rows import Row, share, tell
from vsalang.agents.maps import EMPTY, UTG, Edge, Navigator, Recording
from vsalang.agents.maps.beneath import screens_after
from vsalang.program.ir import Atom

MOST_STEPS = 30
MOST_STEPS_ASTRAY = 300
MOST_TARGETS = 40
"""For an app."""


@dataclass
class Runs:
    """How many steps each run took (None: it did not come to its goal); how often an edge surprised most."""

    steps: list[int | None] = field(default_factory=list)
    surprises: int = 0
    lost: int = 0

    @property
    def reached(self) -> int:
        return sum(steps is not None for steps in self.steps)

    @property
    def mean(self) -> float:
        """Of the first steps of each run."""
        return statistics.mean(min(MOST_STEPS if each is None else each, MOST_STEPS) for each in self.steps)


def hints(folder: Path) -> Iterator[Row]:
    """Goals are at least two gestures away, at most 40 for an app. On wrong maps every tenth edge leads elsewhere."""
    rng = random.Random(1)
    tapped, right, wrong = Runs(), Runs(), Runs()
    half, half_tapped = Runs(), Runs()
    for name, found in recordings(folder):
        tell(f"P6, P8: {name}")
        parts = sessions(found.moves)
        starts = [part.start for part in parts if part.start is not None]
        moves = [*starts, *(move for part in parts for move in part.moves)]
        machine = Machine(moves)
        utg = EMPTY.learn(Recording((), tuple(moves)), "log")
        begun = random.Random(1).sample(parts, len(parts))[: len(parts) // 2]
        first = [*(part.start for part in begun if part.start), *(m for part in begun for m in part.moves)]
        learnt = EMPTY.learn(Recording((), tuple(first)), "log")
        at_first = learnt.screens.keys()
        rewired = _rewired(utg, rng)
        for start, goal in _targets(utg, machine, rng):
            tapped.steps.append(_wandered(machine, start, goal, rng))
            _led(right, utg, machine, start, goal)
            if {start, goal} <= at_first:
                half_tapped.steps.append(tapped.steps[-1])
                _led(half, learnt, machine, start, goal, rng=rng)
            _led(wrong, rewired, machine, start, goal, MOST_STEPS_ASTRAY)
    tapping = _runs(tapped)
    yield Row("P6", f"17 logs of DroidBot as machines, at most {MOST_STEPS} steps: any gesture", "", tapping)
    yield _compared("hints on the map of the log", right, tapped)
    asked = f"hints on the map of half of its sessions, where it has both screens (any gesture: {_runs(half_tapped)})"
    yield _compared(asked, half, half_tapped)
    total = len(wrong.steps)
    reachable = total - wrong.lost
    yield Row(
        "P8",
        f"every tenth edge of the map wrong, at most {MOST_STEPS_ASTRAY} steps: reached, of what can be",
        "95 %",
        f"{share(wrong.reached, reachable)}; {wrong.lost} of {total} cannot be reached from where it came to",
        wrong.reached >= 0.95 * reachable,
    )
    most = wrong.surprises
    yield Row(
        "P8", "the same: how often at most one edge led elsewhere from a screen", "2", str(most), most <= 2
    )


def _runs(runs: Runs) -> str:
    return f"{runs.mean:.1f} steps on average, {runs.reached} of {len(runs.steps)} reached"


def _compared(asked: str, runs: Runs, tapped: Runs) -> Row:
    fewer = 100 * (1 - runs.mean / tapped.mean)
    good = fewer >= 50 and runs.reached >= tapped.reached
    return Row("P6", asked, "−50 %, no fewer reached", f"−{fewer:.0f} %: {_runs(runs)}", good)


def _rewired(utg: UTG, rng: random.Random) -> UTG:
    """The map where every tenth gesture leads to another screen."""
    names = sorted(utg.screens)
    gestures = sorted({(edge.source, repr(edge.gesture)) for edge in utg.edges})
    false = {key: rng.choice(names) for key in rng.sample(gestures, len(gestures) // 10)}
    found: dict[object, Edge] = {}
    for edge in utg.edges:
        key = edge.source, repr(edge.gesture)
        edge = replace(edge, target=false[key], worked=edge.tried, returned=0) if key in false else edge
        found[edge.key] = edge
    return UTG(utg.screens, tuple(found.values()))


def _targets(utg: UTG, machine: Machine, rng: random.Random) -> Sequence[tuple[str, str]]:
    """Pairs of screens of which the second is two gestures away or more, starts of the app not counted."""
    pairs = []
    for start in sorted(utg.screens):
        for goal, steps in sorted(distances(machine, [start], starts=False).items()):
            if steps >= 2:
                pairs.append((start, goal))
    return rng.sample(pairs, min(MOST_TARGETS, len(pairs)))


def distances(machine: Machine, shown: Sequence[str], *, starts: bool = True) -> Mapping[str, int]:
    """The screens to which the app's gestures lead, with how many it takes."""
    begin = tuple(shown)
    known, todo = {begin: 0}, [begin]
    for here in todo:
        for gesture in machine.gestures(here[0], starts=starts):
            after = screens_after(here, gesture, machine.after(here, gesture))[:2]
            if after not in known:
                known[after] = known[here] + 1
                todo.append(after)
    found: dict[str, int] = {}
    for here, steps in known.items():
        found.setdefault(here[0], steps)
    return found


def _led(
    runs: Runs,
    utg: UTG,
    machine: Machine,
    start: str,
    goal: str,
    most: int = MOST_STEPS,
    *,
    rng: random.Random | None = None,
) -> None:
    """An agent that follows hints; of what the log never did on a screen nothing comes.

    Without a hint it ends, or, with `rng`, does any gesture that is known there.
    """
    navigator = Navigator(utg, [goal])
    surprises: Counter[tuple[str, Atom, str]] = Counter()
    shown: tuple[str, ...] = (start,)
    for number in range(most + 1):
        if shown[0] == goal:
            runs.steps.append(number)
            break
        steps = navigator.hint(shown[0]).steps
        others = machine.gestures(shown[0]) if rng is not None else []
        if not steps and not others:
            runs.steps.append(None)
            break
        gesture = steps[0].edge.gesture if steps else rng.choice(others) if rng is not None else None
        assert gesture is not None
        known = machine.knows(shown[0], gesture)
        after = machine.after(shown, gesture) if known else shown[0]
        if steps:
            surprises[shown[0], gesture, steps[0].edge.target] += after != steps[0].edge.target
        navigator.saw(shown[0], gesture, after)
        shown = screens_after(shown, gesture, after)
    else:
        runs.steps.append(None)
    runs.surprises = max(runs.surprises, *surprises.values(), 0)
    runs.lost += goal not in distances(machine, shown)


def _wandered(machine: Machine, start: str, goal: str, rng: random.Random) -> int | None:
    """How many steps an agent needs that does any gesture known on its screen, starts included; None: too many."""
    shown: tuple[str, ...] = (start,)
    for number in range(MOST_STEPS + 1):
        if shown[0] == goal:
            return number
        gestures = machine.gestures(shown[0])
        if not gestures:
            break
        gesture = rng.choice(gestures)
        shown = screens_after(shown, gesture, machine.after(shown, gesture))
    return None
