"""Plans by a classical planner: are ways as long as those of `route`, how fast, and does the guard pass every plan?

.venv/bin/python -m benchmarks.plans [--data FOLDER] [--maps N] [--only maps|speed|guard]

    maps    the 20 smallest maps of recorded apps, and random maps: Fast Downward against `route`: any difference
            ends the run
    speed   one way on a map of 1,000 screens
    guard   the shipped specs with and without policies: every plan is run again by two engines of the guard

It needs Fast Downward (`pip install 'vsalang[pddl]'`). The maps of apps are not part of the repository
(`CONTRIBUTING.md`, "Data for tests").
"""

import argparse
import random
import resource
import statistics
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.planning import DATA, NOT_APPS, random_map
from vsalang.core.ir import Judge
from vsalang.guard import run_example
from vsalang.planning import UTG, Router, UTGError
from vsalang.planning.pddl import of_map, plan, solve
from vsalang.prove.plan import Bounds
from vsalang.semantics import load

EXAMPLES = Path(__file__).resolve().parents[1] / "app_specs" / "examples"
SPECS = ("quiet_evening", "reserve_r", "switch_one", "dollars_for_five")
PARTS = ("maps", "speed", "guard")
_PAIRS = 1


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--maps", type=int, default=40)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    chosen = [options.only] if options.only else PARTS
    if "maps" in chosen:
        maps(options.data / "utg", options.maps)
    if "speed" in chosen:
        speed()
    if "guard" in chosen:
        guard()


def uncounted(utg: UTG) -> UTG:
    """The map with edges that all cost 1."""
    return UTG(utg.screens, tuple(replace(edge, tried=0, worked=0) for edge in utg.edges))


def recorded_maps(folder: Path) -> list[tuple[str, UTG]]:
    found = []
    for place in sorted(folder.iterdir()):
        if not place.is_dir() or place.name in NOT_APPS:
            continue
        try:
            utg = UTG.from_log(place)
        except UTGError as error:
            print(f"maps: {place.name} is left out: {error}")
            continue
        if utg.edges:
            found.append((place.name, utg))
    return sorted(found, key=lambda item: len(item[1].edges))[:20]


def maps(folder: Path, number: int) -> None:
    rng = random.Random(1)
    chosen = recorded_maps(folder) if folder.is_dir() else []
    recorded = len(chosen)
    chosen += [
        (f"random {n}", random_map(rng, rng.randint(5, 15), rng.randint(5, 40))) for n in range(number)
    ]
    asked = none = 0
    times = []
    for name, counted in chosen:
        utg = uncounted(counted)
        router = Router(utg)
        for _ in range(_PAIRS):
            start, goal = rng.sample(sorted(utg.screens), 2)
            want = router.route(start, [goal]).found
            problem = of_map(utg, start, [goal], unit=True)
            found = solve(problem.domain, problem.problem)
            times.append(found.seconds)
            length = None if found.steps is None else len(found.steps)
            if length != (len(want[0].steps) if want else None):
                raise SystemExit(f"differs on {name}: {want} by route, {found} by Fast Downward")
            asked += 1
            none += length is None
    print(
        f"maps: {recorded} recorded and {number} random maps, {asked} ways, {none} of them impossible: no difference "
        f"in length; Fast Downward median {statistics.median(times):.2f} s"
    )


# ---------------------------------------------------------------- speed


def speed() -> None:
    rng = random.Random(1)
    utg = uncounted(random_map(rng, 1000, 3000))
    router = Router(utg)
    walls, processor = [], []
    while len(walls) < 10:
        start, goal = rng.sample(sorted(utg.screens), 2)
        if not router.route(start, [goal]).found:
            continue
        begin, used = time.perf_counter(), spent()
        problem = of_map(utg, start, [goal], unit=True)
        found = solve(problem.domain, problem.problem)
        assert found.steps is not None
        walls.append(time.perf_counter() - begin)
        processor.append(spent() - used)
    middle, clock = statistics.median(processor), statistics.median(walls)
    print(
        f"speed: 1,000 screens, {len(utg.edges)} edges, {len(walls)} ways: median {middle:.2f} s of processor time, "
        f"worst {max(processor):.2f} s; by the clock {clock:.2f} s"
    )


def spent() -> float:
    """Seconds of processor time so far, with those of the planner's processes."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


# ---------------------------------------------------------------- the guard


def guard() -> None:
    plans = passed = denied = refused = 0
    for name in SPECS:
        for policies in ([], ["payments"], ["careful"], ["payments", "careful"]):
            program = load(
                EXAMPLES / f"{name}.vsa", policies=[str(EXAMPLES / f"{p}.vsa") for p in policies]
            ).checked()
            denies = {r.id for r in program.rules if isinstance(r.head, Judge) and r.head.level == "deny"}
            for level in ("gestures", "actions"):
                found = plan(program, bounds=Bounds(level=level)).planned  # type: ignore[arg-type]
                refused += sum("the guard refused a plan" in why for why in found.open)
                for one in found.plans:
                    plans += 1
                    results = [
                        run_example(program, one.story, engine=e) for e in ("incremental", "reference")
                    ]  # type: ignore[arg-type]
                    passed += all(result.passed for result in results)
                    denied += any(
                        r.rule in denies for result in results for s in result.steps for r in s.reasons
                    )
    print(
        f"guard: {len(SPECS)} specs, each with 4 sets of policies, 2 levels: {plans} plans, {passed} pass in both "
        f"engines, {denied} have a step that a policy denies; {refused} plans were refused before they were shown"
    )


if __name__ == "__main__":
    main()
