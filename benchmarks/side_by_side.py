"""Every engine on every workload, side by side in one run: answers first, then times, interleaved.

    .venv/bin/pip install -r benchmarks/requirements.txt
    .venv/bin/python -m benchmarks.side_by_side [--workloads w1,w2] [--engines vsalang_,sqlite_] [--json FILE]

Each engine answers the first events and must answer what the reference answers (`benchmarks.compare`). Then rounds: in
each, every engine takes a slice of its own stream of events, in an order that changes, so that a slow minute of the
machine falls on all of them. The ratio to ours is the median of the rounds' ratios.
"""

import argparse
import gc
import importlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from benchmarks.compare import digest, oracle
from benchmarks.engines import python_
from benchmarks.workloads import Work, by_name

OURS = "vsalang_"
ENGINES = (
    OURS,
    "python_",
    "pydatalog_best",
    "pydatalog_manual",
    "clingo_",
    "clips_",
    "swi_",
    "sqlite_",
    "cedar_",
    "rego_",
    "reelay_",
    "rtamt_",
)
WORKLOADS = ("w1", "w2", "w3", "w4", "w5", "w5_data", "w6", "w6_10k")
MANY = (OURS, "python_", "sqlite_")
"""Engines of which 10,000 sessions fit into memory and open within a minute."""
WARM = {"w6": 4000, "w6_10k": 40_000}
"""Events before the first round, so that every session has had some."""
GOALS = {"w1": 1.5, "w2": 4.0, "w3": 100.0, "w4": 60.0, "w5": 1.0, "w6_10k": 3.0}
"""Microseconds per event."""


@dataclass
class Runner:
    """One engine on one workload."""

    module: str
    name: str
    step: Any
    events: list[Any]
    pace: float
    place: int = 0
    rounds: list[list[float]] = field(default_factory=list)
    checked: int = 0


def timed(runner: Runner, count: int, work: Work, right: list[str] | None) -> None:
    """Take the next `count` events of the stream; the last answer must be right.

    Raises:
        SystemExit: it is wrong.
    """
    answer: Any = None
    clock, step, times = time.perf_counter, runner.step, []
    gc.collect()
    for event in runner.events[runner.place : runner.place + count]:
        begin = clock()
        answer = step(event)
        took = clock() - begin
        times.append(getattr(step, "seconds", took))  # an engine in a process of its own times itself
    runner.place += count
    if right is not None and digest(work, answer) != right[runner.place - 1]:
        raise SystemExit(
            f"{runner.name} answers {work.name} wrongly while it is timed, at event {runner.place}"
        )
    runner.rounds.append(times)


def check(module: ModuleType, name: str, work: Work, answers: list[str], seconds: float) -> tuple[int, float]:
    """Compare with the reference, as far as the time goes: how many events, and seconds for each.

    Raises:
        SystemExit: an answer is wrong.
    """
    step = getattr(module, name)(work)
    begin = time.perf_counter()
    spent, number = 0.0, 0
    for number, (event, right) in enumerate(zip(work.events, answers, strict=False), 1):
        start = time.perf_counter()
        answer = step(event)
        spent += time.perf_counter() - start
        if digest(work, answer) != right:
            raise SystemExit(f"{module.NAME} answers {name} wrongly at event {number}: {event}")
        if time.perf_counter() - begin > seconds:
            break
    return number, spent / number


def run(name: str, engines: list[str], rounds: int, seconds: float) -> dict[str, Any]:
    """One workload."""
    work = by_name(name)
    many = name == "w6_10k"
    if (
        many
    ):  # the reference would need minutes to open so many sessions: Python, whose w6 was compared, stands in
        name = "w6"
        engines = [engine for engine in engines if engine in MANY]
        floor = python_.w6(work)
        answers = [digest(work, floor(event)) for event in work.events[:5000]]
    else:
        answers = oracle(name, work)
    runners, missing = [], {}
    for engine in engines:
        try:
            module = importlib.import_module(f"benchmarks.engines.{engine}")
        except ImportError as error:
            missing[engine] = f"not installed ({error}): pip install -r benchmarks/requirements.txt"
            continue
        if not hasattr(module, name):
            missing[module.NAME] = module.CANNOT[name]
            continue
        mine = work
        if name == "w6" and hasattr(module, "SESSIONS"):
            mine = importlib.import_module("benchmarks.workloads.w6").work(len(work.events), module.SESSIONS)
            checked, pace = check(module, "w1", by_name("w1"), oracle("w1", by_name("w1")), 5.0)
        else:
            checked, pace = check(module, name, work, answers, 20.0)
        print(f"  {module.NAME}: {checked} answers are right", file=sys.stderr)
        step = getattr(module, name)(mine)
        runners.append(Runner(engine, module.NAME, step, mine.events, pace, checked=checked))
    warm = WARM.get("w6_10k" if many else name, 0)
    for runner in runners:
        for event in runner.events[:warm]:
            runner.step(event)
        runner.place = warm
    floor = getattr(python_, name)(work)
    right = [digest(work, floor(event)) for event in work.events]
    shuffled = random.Random(0)
    gc.freeze()
    for number in range(-1, rounds):  # the first round warms up
        shuffled.shuffle(runners)
        for runner in runners:
            count = max(3, min(int(seconds / runner.pace), (len(work.events) - warm) // (rounds + 1)))
            timed(runner, count, work, right if runner.events is work.events else None)
            if number < 0:
                runner.rounds.clear()
    gc.unfreeze()
    ours = next((runner for runner in runners if runner.module == OURS), runners[0])
    base = [statistics.median(times) for times in ours.rounds]
    results = []
    for runner in sorted(runners, key=lambda one: engines.index(one.module)):
        every = sorted(one for times in runner.rounds for one in times)
        medians = [statistics.median(times) for times in runner.rounds]
        results.append(
            {
                "engine": runner.name,
                "median_us": statistics.median(every) * 1e6,
                "p95_us": every[int(0.95 * (len(every) - 1))] * 1e6,
                "mean_us": statistics.mean(every) * 1e6,
                "noise": (max(medians) - min(medians)) / statistics.median(medians),
                "ratio": statistics.median(mine / one for mine, one in zip(medians, base, strict=True)),
                "events": len(every),
                "checked": runner.checked,
            }
        )
    if many:
        name = "w6_10k"
    return {"workload": name, "goal_us": GOALS.get(name), "results": results, "cannot": missing}


# ---------------------------------------------------------------- memory


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a file of a folder
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def weigh(engine: str, sessions: int) -> None:
    """Print the bytes of one more session of w1, to which ten events happened. Runs in a process of its own."""
    module = importlib.import_module(f"benchmarks.engines.{engine}")
    work = by_name("w1", 100)
    kept = [module.w1(work) for _ in range(20)]
    for step in kept:
        for event in work.events[:10]:
            step(event)
    gc.collect()
    before = resident()
    for number in range(sessions):
        step = module.w1(work)
        for event in work.events[number % 80 : number % 80 + 10]:
            step(event)
        kept.append(step)
    gc.collect()
    print((resident() - before) / sessions, flush=True)
    os._exit(0)  # some engines take long to free what they hold


def memory(engines: list[str]) -> dict[str, float]:
    """Resident bytes for each session, by engine."""
    found = {}
    for engine in engines:
        try:
            module = importlib.import_module(f"benchmarks.engines.{engine}")
        except ImportError:
            continue
        if not hasattr(module, "w6") or engine == "pydatalog_manual":
            continue
        sessions = {"clips_": 100, "clingo_": 300, "rego_": 300, "pydatalog_best": 1000}.get(engine, 10_000)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.side_by_side", "--weigh", engine, str(sessions)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"  {module.NAME}: {done.stderr[-300:]}", file=sys.stderr)
            continue
        found[module.NAME] = float(done.stdout.split()[0])
    return found


# ---------------------------------------------------------------- the report


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(report: dict[str, Any]) -> str:
    """Markdown: one row for each engine, one column for each workload."""
    names = [one["workload"] for one in report["workloads"]]
    engines: dict[str, dict[str, Any]] = {}
    for one in report["workloads"]:
        for result in one["results"]:
            engines.setdefault(result["engine"], {})[one["workload"]] = result
    lines = ["| engine | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for engine, results in engines.items():
        cells = []
        for name in names:
            result = results.get(name)
            cells.append(
                "–"
                if result is None
                else f"{number(result['median_us'])} ({number(result['p95_us'])}) ×{number(result['ratio'])}"
            )
        lines.append(f"| {engine} | " + " | ".join(cells) + " |")
    lines.append("| goal | " + " | ".join(str(one["goal_us"] or "–") for one in report["workloads"]) + " |")
    noise = []
    for one in report["workloads"]:
        mine = next((result for result in one["results"] if result["engine"] == "vsalang"), None)
        noise.append(f"±{mine['noise'] * 50:.0f} %" if mine else "–")
    lines.append("| noise of ours | " + " | ".join(noise) + " |")
    lines += ["", "| mean | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for engine, results in engines.items():
        cells = []
        for name in names:
            result, mine = results.get(name), engines.get("vsalang", {}).get(name)
            ratio = f" ×{number(result['mean_us'] / mine['mean_us'])}" if result and mine else ""
            cells.append(number(result["mean_us"]) + ratio if result else "–")
        lines.append(f"| {engine} | " + " | ".join(cells) + " |")
    if report["memory"]:
        lines += ["", "| engine | KB for each session |", "|---|---|"]
        lines += [f"| {engine} | {size / 1024:,.1f} |" for engine, size in report["memory"].items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each engine in each round")
    parser.add_argument("--json", help="where to write all figures")
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--weigh", nargs=2, metavar=("ENGINE", "SESSIONS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.weigh:
        weigh(options.weigh[0], int(options.weigh[1]))
    engines = options.engines.split(",")
    workloads: list[dict[str, Any]] = []
    report: dict[str, Any] = {
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "processors": os.cpu_count(),
            "when": time.strftime("%Y-%m-%d %H:%M"),
        },
        "workloads": workloads,
        "memory": {},
    }

    def keep() -> None:
        report["machine"]["load"] = os.getloadavg()
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:  # noqa: PTH123
                json.dump(report, file, indent=1)

    for name in options.workloads.split(","):
        print(name, file=sys.stderr)
        workloads.append(run(name, engines, options.rounds, options.seconds))
        keep()
    if not options.no_memory:
        report["memory"] = memory(engines)
        keep()
    print(table(report))
    for one in workloads:
        for engine, why in one["cannot"].items():
            print(f"{one['workload']}: not {engine}: {why}")
    sys.stdout.flush()
    os._exit(0)  # CLIPS complains about environments that are still in use


if __name__ == "__main__":
    main()
