"""One workload, one engine, quickly: answers against the floor's, then times; `--profile` shows where time goes.

.venv/bin/python -m benchmarks.quick w2 [vsalang_] [--events 2000] [--profile]
"""

import argparse
import cProfile
import importlib
import pstats
import statistics
import time

from benchmarks.compare import plain
from benchmarks.engines import python_
from benchmarks.workloads import by_name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload")
    parser.add_argument("engine", nargs="?", default="vsalang_")
    parser.add_argument("--events", type=int)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    work = by_name(options.workload, options.events)
    name = options.workload.removesuffix("_10k")  # the same program with more sessions
    engine = importlib.import_module(f"benchmarks.engines.{options.engine}")
    step, floor = getattr(engine, name)(work), getattr(python_, name)(work)
    for number, event in enumerate(work.events):
        got, want = plain(work, step(event)), plain(work, floor(event))
        if got != want:
            raise SystemExit(f"event {number}, {event}: {engine.NAME} answers {got}, right is {want}")
    step = getattr(engine, name)(work)
    warm = len(work.events) // 10
    for event in work.events[:warm]:
        step(event)
    times = []
    clock = time.perf_counter
    profile = cProfile.Profile()
    if options.profile:
        profile.enable()
    for event in work.events[warm:]:
        begin = clock()
        step(event)
        times.append(clock() - begin)
    profile.disable()
    p95 = sorted(times)[int(0.95 * (len(times) - 1))]
    median, mean = statistics.median(times), statistics.mean(times)
    print(
        f"{name} {engine.NAME}: median {median * 1e6:.2f} µs, mean {mean * 1e6:.2f}, p95 {p95 * 1e6:.2f}, "
        f"n {len(times)}"
    )
    if options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
