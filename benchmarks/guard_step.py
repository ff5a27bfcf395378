"""A whole guard step on the running example: propose, verdict, commit, observe; each engine side by side.

    .venv/bin/python benchmarks/guard_step.py [--steps 200]

The answers are compared before anything is timed: the engines must give the same verdicts.
"""

import argparse
import datetime as dt
import statistics
import time
from pathlib import Path

from vsalang.core.action import Action
from vsalang.core.ir import Program
from vsalang.core.vocabulary import VOCABULARY
from vsalang.guard import Guard, Settings
from vsalang.guard.fact_screen import FactScreen
from vsalang.semantics import load

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("incremental", "reference", "pydatalog")


def screen(marked: bool) -> FactScreen:
    """The page of restaurant R with six slots."""
    made = FactScreen().seen(VOCABULARY["App"], {"package": "com.opentable"})
    nodes = [
        {"id": "restaurant_name", "text": "R"},
        {"id": "day_chip", "text": "2026-04-01", "selected": True},
        {"id": "reserve_button", "clickable": True, "enabled": marked},
        {"id": "slots"},
    ]
    for number in range(6):
        row = 10 * (number + 1)
        nodes += [
            {"node": row, "parent": 4, "clickable": True, "id": "slot"},
            {"node": row + 1, "parent": row, "id": "slot_time", "text": f"{17 + number}:30"},
            {"node": row + 2, "parent": row, "id": "slot_button", "enabled": number % 2 == 0},
        ]
    for number, cells in enumerate(nodes, 1):
        node = {"node": number, "package": "com.opentable", "scrollable": False, "enabled": True, **cells}
        made = made.seen(VOCABULARY["Node"], node)
    return made


def session(program: Program, engine: str) -> Guard:
    """A guard at the page."""
    guard = Guard(
        program,
        clock=lambda: dt.datetime(2026, 4, 1, 12),
        engine=engine,  # type: ignore[arg-type]
        settings=Settings(overrides=None),
    )
    guard.observe(screen(False))
    return guard


def run(guard: Guard, steps: int) -> tuple[list[str], list[float]]:
    """Steps of marking one slot after another; verdicts and seconds."""
    levels, times = [], []
    screens = [screen(False), screen(True)]
    for number in range(steps):
        row = 10 * (number % 6 + 1)
        begin = time.perf_counter()
        verdict = guard.propose(Action("tap", {"node": row}))
        if verdict.allowed:
            guard.commit(verdict)
            guard.observe(screens[number % 2])
        times.append(time.perf_counter() - begin)
        levels.append(verdict.level)
    return levels, times


def main() -> None:
    """Compare, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    program = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa").program
    assert program is not None
    answers = {engine: run(session(program, engine), 12)[0] for engine in ENGINES}
    if len({tuple(levels) for levels in answers.values()}) != 1:
        raise SystemExit(f"the engines disagree: {answers}")
    print(f"verdicts agree: {' '.join(answers['incremental'])}")
    medians = {}
    for engine in ENGINES:
        guard = session(program, engine)
        run(guard, 6)
        times = run(guard, options.steps if engine == "incremental" else min(options.steps, 40))[1]
        medians[engine] = statistics.median(times)
        p95 = sorted(times)[int(0.95 * (len(times) - 1))]
        ratio = medians[engine] / medians["incremental"]
        print(
            f"{engine:<12} median {medians[engine] * 1000:8.2f} ms   p95 {p95 * 1000:8.2f} ms   ratio {ratio:6.1f}"
        )


if __name__ == "__main__":
    main()
