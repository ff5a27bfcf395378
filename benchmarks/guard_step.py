"""A whole guard step: propose, verdict, commit, observe; over cells (w1) and over a screen; each engine side by side.

    .venv/bin/python -m benchmarks.guard_step [--steps 300]

The answers are compared before anything is timed: the engines must give the same verdicts.
"""

import argparse
import datetime as dt
import statistics
import time
from collections import Counter
from pathlib import Path

from benchmarks.workloads import NOON, TODAY, checked, w1
from tests.oracle import engine_of
from vsalang.guard import Guard, KnownWorld, Proposal, Settings
from vsalang.guard.world.beliefs import CellWrite
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.example import Fact
from vsalang.program.ir import Program
from vsalang.program.vocabulary import VOCABULARY

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("incremental", "reference", "pydatalog")
"""The engine first: the others are measured against it."""


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
        engine=engine_of(engine),
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


def cells_session(engine: str) -> Guard:
    """A guard of w1: the same task over five cells, whose changes an agent predicts and attempts directly."""
    guard = Guard(
        checked("w1_spec"),
        clock=lambda: NOON,
        today=TODAY,
        engine=engine_of(engine),
        settings=Settings(overrides=None, verdict_life=None, screens_count=False),
    )
    guard.observe(FactScreen())
    return guard


def cells_run(guard: Guard, events: list[w1.Event]) -> tuple[list[str], list[float]]:
    """Each event proposes to write a cell, every tenth to reserve; what is allowed is committed and then seen."""
    levels, times = [], []
    empty = FactScreen()
    for number, (cell, value) in enumerate(events):
        if number % 10 == 9:
            time_ = dt.time(18, number % 60)
            proposal = Proposal(
                attempts=(Action("w1_app.Reserve", {"restaurant": "R", "date": TODAY, "time": time_}),)
            )
            seen = KnownWorld()
        else:
            written = {w1.CELLS[cell]: value}
            proposal = Proposal(writes=(Fact("w1_app.Form", written),))
            seen = KnownWorld(writes=(CellWrite("w1_app.Form", written),))
        begin = time.perf_counter()
        verdict = guard.propose(proposal)
        if verdict.allowed:
            guard.commit(verdict)
            guard.observe(empty, seen=seen)
        times.append(time.perf_counter() - begin)
        levels.append(verdict.level)
    return levels, times


def print_figures(name: str, times: list[float], base: float) -> float:
    """Print one engine's figures; its median."""
    median = statistics.median(times)
    p95 = sorted(times)[int(0.95 * (len(times) - 1))]
    print(
        f"{name:<12} median {median * 1e6:8.0f} µs   p95 {p95 * 1e6:8.0f} µs   ratio {median / (base or median):6.1f}"
    )
    return median


def main() -> None:
    """Compare, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    print("w1: predicted writes of five cells, and reservations")
    events = w1.events(options.steps + 60)
    answers = {engine: cells_run(cells_session(engine), events[:60])[0] for engine in ENGINES}
    agree(answers)
    base = 0.0
    for engine in ENGINES:
        guard = cells_session(engine)
        cells_run(guard, events[:60])
        steps = options.steps if engine == "incremental" else 40
        median = print_figures(engine, cells_run(guard, events[60 : 60 + steps])[1], base)
        base = base or median
    print("reserve_r: taps on a page of 22 nodes")
    program = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa").program
    assert program is not None
    agree({engine: run(session(program, engine), 12)[0] for engine in ENGINES})
    base = 0.0
    for engine in ENGINES:
        guard = session(program, engine)
        run(guard, 6)
        median = print_figures(engine, run(guard, options.steps if engine == "incremental" else 40)[1], base)
        base = base or median


def agree(answers: dict[str, list[str]]) -> None:
    """Stop if the engines gave different verdicts."""
    if len({tuple(levels) for levels in answers.values()}) != 1:
        raise SystemExit(f"the engines disagree: {answers}")
    counts = Counter(answers["incremental"])
    print(f"verdicts agree: {', '.join(f'{count} {level}' for level, count in counts.items())}")


if __name__ == "__main__":
    main()
