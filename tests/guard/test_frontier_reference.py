"""The guard warns of exactly what a literal reading of the semantics warns of, on random tasks and steps.

Many more examples: ``VSALANG_FRONTIER_EXAMPLES=5000 pytest tests/guard/test_frontier_reference.py``.
"""

import datetime as dt
import os
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.guard.frontier_reference import Point, Reference
from tests.guard.frontier_tasks import ACTIONS, APP, RELATIONS, Maker, Step, Task
from tests.thorough import times
from vsalang.guard import Guard, KnownWorld, Proposal, Settings
from vsalang.guard.world.beliefs import CellWrite, RowDelete
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.example import Fact
from vsalang.program.ir import Program

NOON = dt.datetime(2026, 4, 1, 12)
EXAMPLES = int(os.environ.get("VSALANG_FRONTIER_EXAMPLES", times(20, 40)))


def loaded(task: Task) -> Program | None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "shop.vsa").write_text(APP, encoding="utf-8")
        file = Path(folder) / "task.vsa"
        file.write_text(task.text(), encoding="utf-8")
        found = load(file)
        errors = {item.code for item in found.diagnostics if item.severity.value == "error"}
        for code in sorted(errors):
            event(f"refused: {code}")
        return found.program


def point(guard: Guard) -> Point:
    world = guard.snapshot.world
    rows = {}
    for name, attrs in RELATIONS.items():
        rows[name] = [
            (
                {attr: cell for attr, cell in zip(attrs, entry.cells, strict=True) if cell is not None},
                dict(zip(attrs, entry.points, strict=True)),
            )
            for entry in world.table(f"shop.{name}").rows.values()
        ]
    return Point(guard.snapshot.points, rows)


def sees(guard: Guard, step: Step) -> None:
    """The device shows what the step would write."""
    name = f"shop.{step.relation}"
    if step.delete:
        guard.observe(FactScreen(), seen=KnownWorld(gone=(RowDelete(name, step.cells),)))
    else:
        guard.observe(FactScreen(), seen=KnownWorld(writes=(CellWrite(name, step.cells),)))


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(st.randoms(use_true_random=False))
def test_the_guard_agrees_with_the_paragraph(random: Random) -> None:
    maker = Maker(random)
    task = maker.task()
    program = loaded(task)
    assume(program is not None)
    assert program is not None
    limits = Settings(overrides=0, verdict_life=None, screens_count=False)
    guard = Guard(program, today=NOON.date(), clock=lambda: NOON, settings=limits)
    guard.observe(FactScreen())
    reference = Reference(task)
    points, done = [point(guard)], dict[str, int]()
    for _ in range(8):
        draw = random.random()
        if draw < 0.15:
            action = random.choice(ACTIONS)
            verdict = guard.propose(Action(action))
            if verdict.level == "allow":
                guard.commit(verdict)
                points.append(Point(points[-1].number + 1, points[-1].rows))
                done[action] = points[-1].number
                event("committed")
                guard.observe(FactScreen())
                points.append(point(guard))
            continue
        step = maker.step()
        fact = Fact(f"shop.{step.relation}", dict(step.cells))
        verdict = guard.propose(Proposal(deletes=(fact,)) if step.delete else Proposal(writes=(fact,)))
        wanted = reference.warns(step, points, done)
        event("warned" if wanted else "allowed")
        story = f"{task.text()}\n{[p.rows for p in points]}\ndone: {done}\n{step}\n{verdict.reasons}"
        assert verdict.level == ("warn" if wanted else "allow"), story
        if draw < 0.6:
            sees(guard, step)
        elif verdict.level == "allow":
            guard.commit(verdict)
            points.append(Point(points[-1].number + 1, points[-1].rows))
            guard.observe(FactScreen())
        else:
            continue
        points.append(point(guard))
