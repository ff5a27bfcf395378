"""P1, P2: are ways the cheapest, by exhaustive search and Fast Downward, and how fast are they found?"""

import random
import resource
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from pathlib import Path

from benchmarks.planning.rows import NOT_APPS, Row, tell
from vsalang.agents.maps import UTG, Edge, Router, Screen, UTGError, route
from vsalang.agents.maps.beneath import Returns, screens_after
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.pddl import NotInstalled, of_map, solve
from vsalang.agents.maps.screen_graph import sources_at
from vsalang.program.ir import Atom


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


def with_returns(rng: random.Random, utg: UTG) -> UTG:
    """The map with one to three gestures that lead back to the screen beneath."""
    names = sorted(utg.screens)
    found = {edge.key: edge for edge in utg.edges}
    for source in rng.sample(names, min(len(names), rng.randint(1, 3))):
        gesture = rng.choice([Atom("back"), atom("tap", {"id": "cancel"})])
        for target in rng.sample(names, 2):
            edge = Edge(source, gesture, target, (), 9, 3, returned=rng.randint(2, 3))
            found[edge.key] = edge
    return UTG(utg.screens, tuple(found.values()))


def exhaustive(utg: UTG, start: str, goal: str) -> list[float]:
    """The costs of all ways that pass no screen and no start from anywhere twice, the cheapest first."""

    def all_ways(here: str, passed: frozenset[str], cost: float) -> Iterator[float]:
        if here == goal:
            yield cost
            return
        for begin in sources_at(utg.screens, here):
            if begin == here or begin not in passed:
                for edge in utg.by_source.get(begin, ()):
                    if edge.target not in passed and not edge.rare:
                        yield from all_ways(edge.target, passed | {begin, edge.target}, cost + edge.cost)

    return sorted(all_ways(start, frozenset({start}), 0.0))


def cheapest_stacked(utg: UTG, shown: tuple[str, ...], goal: str) -> float | None:
    """The cost of the cheapest way, where all screens that lie one on another are told apart."""
    returns, number = Returns(utg), count()
    heap = [(0.0, next(number), shown)]
    done: set[tuple[str, ...]] = set()
    while heap:
        cost, _, here = heappop(heap)
        if here[0] == goal:
            return cost
        if here in done:
            continue
        done.add(here)
        for edge in returns.leaving(here[0], here[1] if len(here) > 1 else ""):
            if not edge.rare:
                heappush(
                    heap, (cost + edge.cost, next(number), screens_after(here, edge.gesture, edge.target))
                )
    return None


def ways(graphs: int) -> Iterator[Row]:
    """P1 by exhaustive search."""
    rng = random.Random(1)
    compared = differ = 0
    for _ in range(graphs):
        size = rng.randint(2, 7)
        utg = random_map(rng, size, rng.randint(1, 2 * size))
        k = rng.choice([1, 1, 3])
        want = exhaustive(utg, "S0", "S1")[:k]
        got = [way.cost for way in route(utg, "S0", ["S1"], k=k).ways]
        compared += len(want)
        differ += len(got) != len(want) or any(
            abs(one - other) > 1e-9 for one, other in zip(got, want, strict=True)
        )
    asked = f"cheapest ways on {graphs} random maps, against exhaustive search: differences"
    yield Row("P1", asked, "0", f"{differ}; {compared} ways", differ == 0)
    differ = compared = 0
    for _ in range(graphs):
        size = rng.randint(2, 7)
        utg = with_returns(rng, random_map(rng, size, rng.randint(1, 2 * size)))
        shown = tuple(rng.sample(sorted(utg.screens), rng.randint(1, size)))
        goal = rng.choice(sorted(utg.screens))
        cost = cheapest_stacked(utg, shown, goal)
        found = route(utg, shown[0], [goal], beneath=shown[1:]).ways
        compared += cost is not None
        differ += bool(found) != (cost is not None) or (cost is not None and abs(found[0].cost - cost) > 1e-9)
    asked = f"the same on {graphs} maps with gestures that lead back to the screen beneath"
    yield Row("P1", asked, "0", f"{differ}; {compared} ways", differ == 0)


def uncounted(utg: UTG) -> UTG:
    """The map with edges that all cost 1."""
    edges = (replace(edge, tried=0, worked=0, returned=0) for edge in utg.edges)
    return UTG(utg.screens, tuple(edges))


def _recorded_maps(folder: Path) -> list[tuple[str, UTG]]:
    found = []
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not place.is_dir() or place.name in NOT_APPS:
            continue
        try:
            utg = UTG.from_log(place)
        except UTGError as error:
            tell(f"P1: {place.name} is left out: {error}")
            continue
        if utg.edges:
            found.append((place.name, utg))
    return sorted(found, key=lambda item: len(item[1].edges))[:20]


def planner_lengths(folder: Path, number: int) -> Iterator[Row]:
    """P1 by Fast Downward."""
    rng = random.Random(1)
    chosen = _recorded_maps(folder)
    recorded = len(chosen)
    chosen += [
        (f"random {n}", random_map(rng, rng.randint(5, 15), rng.randint(5, 40))) for n in range(number)
    ]
    none = differ = 0
    times = []
    asked = f"ways on {recorded} recorded and {number} random maps as long as Fast Downward's: differences"
    try:
        for name, counted in chosen:
            tell(f"P1: Fast Downward on {name}")
            utg = uncounted(counted)
            start, goal = rng.sample(sorted(utg.screens), 2)
            want = route(utg, start, [goal]).ways
            problem = of_map(utg, start, [goal], unit=True)
            found = solve(problem.domain, problem.problem)
            times.append(found.seconds)
            length = None if found.steps is None else len(found.steps)
            differ += length != (len(want[0].steps) if want else None)
            none += length is None
    except NotInstalled as error:
        yield Row("P1", asked, "0", f"not measured: {error}")
        return
    measured = f"{differ}; {len(chosen)} ways, {none} impossible; median {statistics.median(times):.2f} s"
    yield Row("P1", asked, "0", measured, differ == 0)


def speed() -> Iterator[Row]:
    """P2 by graph search, and by Fast Downward."""
    rng = random.Random(1)
    utg = random_map(rng, 10_000, 30_000)
    router = Router(utg)
    router.route("S0", ["S1"])
    pairs = []
    for start in rng.sample(sorted(utg.screens), 20):
        reached = sorted(router.reachable(start).keys() - {start})
        pairs += [(start, goal) for goal in rng.sample(reached, min(50, len(reached)))]
    times = []
    for start, goal in pairs:
        begin = time.process_time()
        assert router.route(start, [goal]).ways
        times.append((time.process_time() - begin) * 1000)
    times.sort()
    median = statistics.median(times)
    measured = f"median {median:.2f} ms of processor time, 95 % {times[len(times) * 95 // 100]:.2f} ms"
    yield Row("P2", "one way on 10,000 screens, 30,000 edges", "1 ms", measured, median <= 1)
    asked = "one way on 1,000 screens, 3,000 edges, by Fast Downward"
    utg = uncounted(random_map(rng, 1000, 3000))
    router = Router(utg)
    spent: list[float] = []
    try:
        while len(spent) < 10:
            start, goal = rng.sample(sorted(utg.screens), 2)
            if not router.route(start, [goal]).ways:
                continue
            begin = processor()
            problem = of_map(utg, start, [goal], unit=True)
            assert solve(problem.domain, problem.problem).steps is not None
            spent.append(processor() - begin)
    except NotInstalled as error:
        yield Row("P2", asked, "1 s", f"not measured: {error}")
        return
    median = statistics.median(spent)
    measured = f"median {median:.2f} s of processor time, worst {max(spent):.2f} s"
    yield Row("P2", asked, "1 s", measured, median <= 1)


def processor() -> float:
    """Seconds of processor time so far, with those of the planner's processes."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
