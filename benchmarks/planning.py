"""Ways on maps of apps: are they the cheapest, how fast are they found, and do they lead there on recorded apps?

.venv/bin/python -m benchmarks.planning [--data FOLDER] [--graphs N] [--only ways|speed|halves|tasks|target|hints]

    ways    random maps, against exhaustive search: any difference ends the run
    speed   one way on 10,000 screens, 30,000 edges
    halves  runs of DroidBot: a map of a random half of the sessions, its ways tried on the steps of the other half
    tasks   DroidTask: a map of the exploration and of the other tasks: is the last screen known, and is there a way?
    hints   runs of DroidBot as machines: steps to a screen with hints and without, on right and on wrong maps
    target  DroidTask: the same maps: is the last screen found by the words of the instruction?

The data of the last four is not part of the repository (`CONTRIBUTING.md`, "Data for tests").
"""

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vsalang.agents.walks import WalkError, read_walks
from vsalang.core.ir import Atom
from vsalang.planning import (
    EMPTY,
    UTG,
    Edge,
    Judged,
    Move,
    Navigator,
    Reader,
    Recording,
    Router,
    Screen,
    ranked,
    route,
    select,
)
from vsalang.planning.gestures import atom, starts_anywhere
from vsalang.planning.logs import recording_of
from vsalang.planning.model import sources_at
from vsalang.planning.recording import recorded

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MOST_STEPS = 30
MOST_STEPS_ASTRAY = 300
NOT_APPS = ("droidbotexp_output", "org.totschnig.myexpenses")
PARTS = ("ways", "speed", "halves", "tasks", "target", "hints")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--graphs", type=int, default=10_000)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    chosen = [options.only] if options.only else PARTS
    if "ways" in chosen:
        ways(options.graphs)
    if "speed" in chosen:
        speed()
    if "halves" in chosen:
        halves(options.data / "utg")
    if "tasks" in chosen:
        tasks(options.data)
    if "target" in chosen:
        target(options.data)
    if "hints" in chosen:
        hints(options.data / "utg")


# ---------------------------------------------------------------- random maps


def random_map(rng: random.Random, screens: int, edges: int) -> UTG:
    names = [f"S{n}" for n in range(screens)]
    found: dict[object, Edge] = {}
    for number in range(edges):
        source = rng.choice([*names, "*", "app:*"]) if screens < 20 else rng.choice(names)
        tried = rng.choice([0, 0, 1, 5, 50])
        gesture = atom("tap", {"id": f"w{number % 7}"})
        edge = Edge(source, gesture, rng.choice(names), (), tried, rng.randint(0, tried))
        found[edge.key] = edge
    return UTG({name: Screen(name, "state", "app") for name in names}, tuple(found.values()))


def exhaustive(utg: UTG, start: str, goal: str) -> list[float]:
    """The costs of all ways that pass no screen and no start from anywhere twice, the cheapest first."""

    def all_ways(here: str, passed: frozenset[str], cost: float) -> Iterator[float]:
        if here == goal:
            yield cost
            return
        for begin in sources_at(utg.screens, here):
            if begin == here or begin not in passed:
                for edge in utg.by_source.get(begin, ()):
                    if edge.target not in passed:
                        yield from all_ways(edge.target, passed | {begin, edge.target}, cost + edge.cost)

    return sorted(all_ways(start, frozenset({start}), 0.0))


def ways(graphs: int) -> None:
    rng = random.Random(1)
    compared = none = 0
    for _ in range(graphs):
        size = rng.randint(2, 7)
        utg = random_map(rng, size, rng.randint(1, 2 * size))
        k = rng.choice([1, 1, 3])
        want = exhaustive(utg, "S0", "S1")[:k]
        got = [way.cost for way in route(utg, "S0", ["S1"], k=k).found]
        if len(got) != len(want) or any(
            abs(one - other) > 1e-9 for one, other in zip(got, want, strict=True)
        ):
            raise SystemExit(f"differs: {want} by exhaustive search, {got} by route: {utg.edges}")
        compared += len(want)
        none += not want
    print(f"ways: {graphs} random maps, {compared} ways, {none} maps without one: no difference")


def speed() -> None:
    rng = random.Random(1)
    utg = random_map(rng, 10_000, 30_000)
    router = Router(utg)
    begin = time.process_time()
    router.route("S0", ["S1"])
    made = time.process_time() - begin
    pairs = []
    for start in rng.sample(sorted(utg.screens), 20):
        reached = sorted(router.reachable(start).keys() - {start})
        pairs += [(start, goal) for goal in rng.sample(reached, min(50, len(reached)))]
    times = []
    for start, goal in pairs:
        begin = time.process_time()
        assert router.route(start, [goal]).found
        times.append((time.process_time() - begin) * 1000)
    times.sort()
    print(
        f"speed: 10,000 screens, {len(utg.edges)} edges, {len(times)} ways: median "
        f"{statistics.median(times):.2f} ms of processor time, 95 % {times[len(times) * 95 // 100]:.2f} ms; "
        f"graph made in {made * 1000:.0f} ms"
    )


# ---------------------------------------------------------------- DroidBot: halves of the sessions


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


def sessions(moves: Sequence[Move]) -> list[list[Move]]:
    """The moves between two starts of the app; each begins on the screen after the start."""
    parts: list[list[Move]] = [[]]
    for move in moves:
        if move.gesture.relation == "shell" or starts_anywhere(move.gesture):
            parts.append([])
        else:
            parts[-1].append(move)
    return [part for part in parts if part]


def halves(folder: Path) -> None:
    if not folder.is_dir():
        raise SystemExit(f"no recorded runs in {folder}: name a folder with --data")
    tally, screens = Tally(), 0
    begin = time.perf_counter()
    for path in sorted(folder.iterdir()):
        if not (path / "events.jsonl.gz").is_file() or path.name in NOT_APPS:
            continue
        found, _ = recording_of(path)
        screens += len({screen.name for screen in found.screens})
        parts = sessions(found.moves)
        random.Random(1).shuffle(parts)
        half = len(parts) // 2
        known = [move for part in parts[:half] for move in part]
        one_app(EMPTY.learn(Recording((), tuple(known)), "log"), parts[half:], tally)
    share = 100 * tally.confirmed / max(1, tally.tried)
    print(
        f"halves: {screens} screens, {tally.pairs} pairs, way found for {tally.found} "
        f"({100 * tally.found / tally.pairs:.0f} %), mean {statistics.mean(tally.lengths):.1f} steps\n"
        f"        confirmed {tally.confirmed} of {tally.tried} that were tried whole ({share:.0f} %)\n"
        f"        reached with replanning {tally.reached} of {tally.found} "
        f"({100 * tally.reached / tally.found:.0f} %), of those tried whole {tally.reached_of_tried} "
        f"({100 * tally.reached_of_tried / max(1, tally.tried):.0f} %); {time.perf_counter() - begin:.0f} s"
    )


def one_app(utg: UTG, other: Sequence[Sequence[Move]], tally: Tally) -> None:
    machine: dict[tuple[str, Atom], Counter[str]] = {}
    pairs: dict[tuple[str, str], None] = {}
    for part in other:
        for move in part:
            machine.setdefault((move.source.name, move.gesture), Counter())[move.target.name] += 1
            if move.target.name != part[0].source.name:
                pairs[part[0].source.name, move.target.name] = None
    router = Router(utg)
    for start, goal in pairs:
        tally.pairs += 1
        if start not in utg.screens or goal not in utg.screens:
            continue
        found = router.route(start, [goal]).found
        if not found:
            continue
        tally.found += 1
        steps = found[0].steps
        tally.lengths.append(len(steps))
        outcomes = [machine.get((step.screen, step.edge.gesture)) for step in steps]
        whole = all(outcomes)
        right = whole and all(
            usual(outcome) == step.edge.target
            for outcome, step in zip(outcomes, steps, strict=True)
            if outcome
        )
        reached = followed(utg, machine, start, goal)
        tally.tried += whole
        tally.confirmed += right
        tally.reached += reached
        tally.reached_of_tried += reached and whole


def usual(outcome: Counter[str]) -> str:
    return outcome.most_common(1)[0][0]


def followed(utg: UTG, machine: dict[tuple[str, Atom], Counter[str]], start: str, goal: str) -> bool:
    """Whether the goal is reached where each surprise corrects the map, and a new way is found from there.

    Of what the other half never did nobody knows what would come: it is on no way.
    """

    def untried(edge: Edge, screen: Screen | None) -> Judged:
        known = screen is not None and (screen.name, edge.gesture) in machine
        return Judged() if known else Judged("deny")

    here = start
    for _ in range(MOST_STEPS):
        if here == goal:
            return True
        found = route(utg, here, [goal], avoid=untried).found
        if not found:
            return False
        step = found[0].steps[0]
        after = usual(machine[here, step.edge.gesture])
        if after != step.edge.target:
            utg = utg.observe(here, step.edge.gesture, after)
        here = after
    return False


# ---------------------------------------------------------------- DroidTask: one task left out


def tasks(data: Path) -> None:
    folder = data / "trajectories" / "droidtask"
    if not folder.is_dir():
        raise SystemExit(f"no recorded tasks in {folder}: name a folder with --data")
    for least in ("known", "or nearly known"):
        total = known = there = wanted = planned = 0
        lengths, by_hand = [], []
        for utg, ends, acted in _left_out(folder, data):
            total += 1
            if least == "or nearly known":
                # of a screen that is not on the map the nearest one takes the place
                ends = [near if (near := utg.nearest(end)) is not None else end for end in ends]
            names = [end.name for end in ends]
            if names[1] not in utg.screens:
                continue
            known += 1
            if names[0] == names[1]:
                there += 1
                continue
            wanted += 1
            found = route(utg, names[0], [names[1]]).found
            if found:
                planned += 1
                lengths.append(len(found[0].steps))
                by_hand.append(acted - 1)
        print(
            f"tasks: last screen {least} for {known} of {total}, at once there {there}, way for {planned} of the "
            f"other {wanted}, mean {statistics.mean(lengths):.2f} steps, by hand {statistics.mean(by_hand):.2f}"
        )


def _left_out(folder: Path, data: Path) -> Iterator[tuple[UTG, list[Screen], int]]:
    """For each task the map without it, its first and last screen, and how many steps were made by hand."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        explored = data / "utg" / f"droidtask_{path.name.split('.')[0]}"
        if not explored.is_dir():
            continue
        try:
            walks = read_walks(path)
        except WalkError as error:
            raise SystemExit(str(error)) from error
        before, _ = recording_of(explored)
        parts = [recorded([walk], Reader()) for walk in walks]
        for number, walk in enumerate(walks):
            acted = [
                taken.screen
                for index in range(len(walk.steps))
                if (taken := walk.taken(index)).screen is not None
                and any(action.name != "finish" for action in taken.actions)
            ]
            if not acted:
                continue
            utg = EMPTY.learn(before, "log")
            for index, other in enumerate(parts):
                if index != number:
                    utg = utg.learn(other, "log")
            reader = Reader()
            ends = [reader.screen(screen, "") for screen in (acted[0], acted[-1]) if screen]
            yield utg, ends, len(acted)


# ---------------------------------------------------------------- DroidTask: the screen by the instruction


def target(data: Path) -> None:
    """The weights of `vsalang.planning.ranking` and `targets` were chosen on the first, third, .. app."""
    folder = data / "trajectories" / "droidtask"
    if not folder.is_dir():
        raise SystemExit(f"no recorded tasks in {folder}: name a folder with --data")
    halves: tuple[list[tuple[int, bool, int]], ...] = ([], [])
    for app, path in enumerate(path for path in sorted(folder.glob("*.jsonl.gz")) if read_walks(path)):
        halves[app % 2].extend(_targets(path, data))
    for name, ranks in (("chosen on", halves[0]), ("held out", halves[1]), ("all", halves[0] + halves[1])):
        shares = ", ".join(
            f"top {k} {100 * sum(rank <= k for rank, _, _ in ranks) / len(ranks):.0f} %" for k in (1, 3, 5)
        )
        spoken = [rank == 1 for rank, sure, _ in ranks if sure]
        candidates = statistics.mean(size for *_, size in ranks)
        print(
            f"target: {name}: {len(ranks)} tasks, {candidates:.0f} candidates, {shares}; "
            f"sure of {len(spoken)}, right {100 * statistics.mean(spoken):.0f} %"
        )


def _targets(path: Path, data: Path) -> Iterator[tuple[int, bool, int]]:
    """For each task whose last screen is known without it: its rank, whether one was sure, how many candidates."""
    walks = read_walks(path)
    explored = data / "utg" / f"droidtask_{path.name.split('.')[0]}"
    parts = [recorded([walk], Reader()) for walk in walks]
    known = EMPTY.learn(recording_of(explored)[0], "log") if explored.is_dir() else EMPTY
    for number, walk in enumerate(walks):
        acted = [
            taken.screen
            for index in range(len(walk.steps))
            if (taken := walk.taken(index)).screen is not None
            and any(action.name != "finish" for action in taken.actions)
        ]
        utg = known
        for index, other in enumerate(parts):
            if index != number:
                utg = utg.learn(other, "log")
        if not acted or (last := Reader().screen(acted[-1], "").name) not in utg.screens:
            continue
        order = [each.screen for each in ranked(walk.task, utg)]
        rank = order.index(last) + 1 if last in order else len(utg.screens)
        yield rank, bool(select(walk.task, utg)), len(utg.screens)


# ---------------------------------------------------------------- DroidBot: hints on right and wrong maps


def hints(folder: Path) -> None:
    """An agent that follows hints, beside one that does any known gesture, where a log is the machine.

    Each gesture leads to its usual target. Goals are at least two gestures away, at most 40 for an app. On wrong maps
    every tenth edge leads to another screen.
    """
    if not folder.is_dir():
        raise SystemExit(f"no recorded runs in {folder}: name a folder with --data")
    rng = random.Random(1)
    right, wrong, tapped = [], [], []
    most = lost = 0
    for path in sorted(folder.iterdir()):
        if not (path / "events.jsonl.gz").is_file() or path.name in NOT_APPS:
            continue
        seen: dict[tuple[str, Atom], Counter[str]] = {}
        moves = [move for part in sessions(recording_of(path)[0].moves) for move in part]
        for move in moves:
            seen.setdefault((move.source.name, move.gesture), Counter())[move.target.name] += 1
        machine = {key: usual(outcomes) for key, outcomes in seen.items()}
        screens = {end.name: end for move in moves for end in (move.source, move.target)}
        edges = [Edge(*key, target, (), 1, 1) for key, target in machine.items()]
        utg = UTG(screens, tuple(edges))
        pairs = [
            (start, goal)
            for start in sorted(screens)
            for goal, steps in sorted(utg.near(start, len(screens)).items())
            if steps >= 2
        ]
        names = sorted(screens)
        false = {edge.key for edge in rng.sample(edges, len(edges) // 10)}
        rewired = UTG(
            screens,
            tuple(replace(edge, target=rng.choice(names)) if edge.key in false else edge for edge in edges),
        )
        for start, goal in rng.sample(pairs, min(40, len(pairs))):
            right.append(led(utg, machine, start, goal)[0])
            tapped.append(wandered(machine, start, goal, rng))
            steps, tries, ended = led(rewired, machine, start, goal, MOST_STEPS_ASTRAY)
            wrong.append(steps)
            lost += goal not in utg.near(ended, len(screens))
            most = max(most, tries)
    for name, runs, limit in (
        ("any gesture", tapped, MOST_STEPS),
        ("hints", right, MOST_STEPS),
        ("hints, wrong maps", wrong, MOST_STEPS_ASTRAY),
    ):
        reached = [steps for steps in runs if steps is not None]
        mean = statistics.mean(min(MOST_STEPS if steps is None else steps, MOST_STEPS) for steps in runs)
        print(
            f"hints: {name}: {len(reached)} of {len(runs)} reached in {limit} steps; mean of the first 30 {mean:.1f}"
        )
    print(f"       wrong maps: {lost} ended on a screen from which no recorded gesture leads to the goal")
    print(f"       no edge led elsewhere from one screen more than {most} times")


def led(
    utg: UTG, machine: dict[tuple[str, Atom], str], here: str, goal: str, most: int = MOST_STEPS
) -> tuple[int | None, int, str]:
    """Steps that an agent needs that follows hints (None: too many), how often one edge surprised it, and its end."""
    navigator = Navigator(utg, [goal])
    surprises: Counter[tuple[str, Atom, str]] = Counter()
    for number in range(most + 1):
        if here == goal:
            return number, max(surprises.values(), default=0), here
        hint = navigator.hint(here)
        if not hint.steps:
            break
        edge = hint.steps[0].edge
        # of what the log never did on a screen nobody knows what would come of it: nothing does
        after = machine.get((here, edge.gesture), here)
        surprises[here, edge.gesture, edge.target] += after != edge.target
        navigator.saw(here, edge.gesture, after)
        here = after
    return None, max(surprises.values(), default=0), here


def wandered(machine: dict[tuple[str, Atom], str], here: str, goal: str, rng: random.Random) -> int | None:
    """How many steps an agent needs that does any gesture known on its screen; None: too many."""
    known: dict[str, list[str]] = {}
    for (source, _), target in machine.items():
        known.setdefault(source, []).append(target)
    for number in range(MOST_STEPS + 1):
        if here == goal:
            return number
        if here not in known:
            break
        here = rng.choice(known[here])
    return None


if __name__ == "__main__":
    main()
