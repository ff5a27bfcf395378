"""A cell that is not known makes no verdict more permissive: random tasks, by each engine and by the definition."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.engine.explain import test_supposing as supposing
from tests.engine.explain.test_supposing import bodies, erased, worlds
from tests.oracle import REFERENCE, engine_of
from tests.oracle.supposed import holds_if_supposed
from tests.thorough import times
from vsalang.guard import Guard, KnownWorld, Proposal, Settings
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.beliefs import CellWrite
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.example import LEVELS
from vsalang.program.ir import Judge, Program
from vsalang.proof.solver import World

NOON = dt.datetime(2026, 1, 5, 12)
SAYS = {"deny": "block", "confirm": "confirm", "warn": "warn"}
SETTINGS = Settings(overrides=None, verdict_life=None, screens_count=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cells")
    (made / "m.vsa").write_text(supposing.APP, encoding="utf-8")
    return made


def task(folder: Path, permits: str, judged: list[str]) -> Program | None:
    """A task that permits an action, and judgements of it; None where a body has errors."""
    rules = [f'{level} "{level}" when Act, {body}.' for level, body in zip(SAYS, judged, strict=False)]
    clauses = [
        f"allow each Act when {permits}." if permits else "allow each Act.",
        "done when Act earlier.",
        *rules,
    ]
    return load_text("\n".join(['spec s "Act"', "import m", *clauses, ""]), path=folder / "s.vsa").program


def judged(made: Program, state: World, engine: str = "incremental") -> Verdict:
    """What the guard says of the action where the state's rows were seen."""
    guard = Guard(made, clock=lambda: NOON, engine=engine_of(engine), settings=SETTINGS)
    writes = []
    for name in ("m.Flag", "m.Item"):
        names = [attr.name for attr in made.relation(name).attrs]
        for row in state.rows[name]:
            cells = {attr: cell for attr, cell in zip(names, row, strict=True) if cell is not None}
            writes.append(CellWrite(name, cells))
    guard.observe(FactScreen(), seen=KnownWorld(writes=tuple(writes)))
    row = next(iter(state.rows["m.Act"]))
    return guard.propose(Proposal(attempts=(Action("m.Act", {"n": row[0]}),)))


def least(made: Program, state: World) -> int:
    """The least level that a judgement demands by the definition of its reading."""
    found = [
        LEVELS.index(SAYS[rule.head.level])
        for rule in made.rules
        if isinstance(rule.head, Judge) and holds_if_supposed(made, state, rule.id)
    ]
    return max([0, *found])


def can_be_told(state: World) -> bool:
    """Whether an action is proposed, and each row has a cell that a look can show."""
    return bool(state.rows["m.Act"]) and all(
        any(cell is not None for cell in row) for rows in state.rows.values() for row in rows
    )


proposing = worlds.filter(can_be_told)


@pytest.mark.slow
@given(
    permits=st.one_of(st.just(""), bodies),
    against=st.lists(bodies, min_size=1, max_size=3),
    state=proposing,
)
@settings(
    max_examples=times(25, 600),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
def test_a_cell_less_known_permits_nothing_more(
    folder: Path, permits: str, against: list[str], state: World
) -> None:
    made = task(folder, permits, against)
    assume(made is not None)
    assert made is not None
    verdict = judged(made, state)
    level = LEVELS.index(verdict.level)
    assert all(reason.kind != "error" for reason in verdict.reasons), verdict.reasons
    assert level >= least(made, state), (permits, against, state.rows)
    assert judged(made, state, REFERENCE).level == verdict.level
    for less in erased(state):
        if can_be_told(less):
            assert LEVELS.index(judged(made, less).level) >= level, (permits, against, state.rows, less.rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("level", SAYS)
@pytest.mark.parametrize(
    ("asked", "of_it"),
    [
        ("Flag(n > 3)", True),
        ("Flag(on = true, n > 3)", True),
        ("Flag(on = false, n > 3)", False),
        ("not Flag(n = 3)", True),
        ("Flag(n = ?u), not Item(k = ?u)", True),
        ("Item(k = 1)", False),
    ],
)
def test_judgements_hold_of_cells_not_known(folder: Path, level: str, asked: str, of_it: bool) -> None:
    rules = (
        f'spec s "Act"\nimport m\nallow each Act.\ndone when Act earlier.\n{level} "no" when Act, {asked}.\n'
    )
    made = load_text(rules, path=folder / "s.vsa").program
    assert made is not None
    state = supposing.world((True, None), (), (1,))
    said = [judged(made, state, engine) for engine in supposing.ALL]
    assert [verdict.level for verdict in said] == [SAYS[level] if of_it else "allow"] * len(said)
    assert (least(made, state) > 0) is of_it
