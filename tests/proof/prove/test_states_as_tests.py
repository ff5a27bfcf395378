"""A state of the solver's, printed as a test: it is read back, and the guard allows in it what the solver says."""

from pathlib import Path

import pytest

from tests.programs.files import ALONE
from tests.proof.solver.smt_programs import APP
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import License, Program
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.stories import ActionCall, expecting
from vsalang.proof.prove.teller import Teller
from vsalang.proof.solver import Alive
from vsalang.proof.solver.dead import dead_rule
from vsalang.proof.solver.results import World

CLAUSES = [
    "allow Act(n = 2).",
    "allow Act(n = ?k) when Item(k = ?k, b = true), no Item(k > ?k).",
    "allow Act when Flag(on = true, n in 3..4), Event(day = today, start < 10:00).",
    'allow Act when Page(t = "a \\"b\\"", c = Blue, tags contains Red, words = {"x", "y"}).',
    "allow Act when L(g = 2, at = 1, p > 5), no L(g = 2, p = 7).",
    "allow Other when no Page, no Flag.",
    "allow 2 Act(n = 1).\nallow Other when Act earlier, Flag(on = true).",
    'allow Act when App(package = ?p), Node(id = "x", text = ?p).',
    'allow Act when Page(t ~= "a walk").',
]


def block(program: Program, world: World) -> str:
    """The state as a test; empty if it has no form as one."""
    ((name, row),) = [
        (name, row)
        for name, rows in world.rows.items()
        for row in rows
        if program.relation(name).sort in ("action", "gesture")
    ]
    kind = "gesture" if program.relation(name).sort == "gesture" else "attempt"
    story = Teller([program]).story("a state of the solver's", world, ActionCall(name, row, kind))
    return source(program, [expecting(story, "allow")]) if story is not None else ""


def played(text: str, program: Program, folder: Path, clause: int) -> None:
    rule = [rule for rule in program.rules if rule.module == program.main][clause]
    found = dead_rule(program, rule, witness=True)
    assert isinstance(found, Alive)
    assert found.world is not None
    made = block(program, found.world)
    assert made
    again = load_text(f"{text}\n{made}", file="main.vsa", path=folder / "main.vsa")
    assert again.program is not None, ([item.message for item in again.diagnostics], made)
    result = run_example(again.program, again.own[-1])
    assert result.passed, (made, result.failure)


@pytest.mark.parametrize("clause", CLAUSES)
def test_states_are_read_back_and_pass(clause: str, tmp_path: Path) -> None:
    (tmp_path / "m.vsa").write_text(APP, encoding="utf-8")
    text = f'spec s "s"\nimport m\n{clause}\n'
    program = load_text(text, file="main.vsa", path=tmp_path / "main.vsa").program
    assert program is not None
    played(text, program, tmp_path, clause.count("\n"))


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in ALONE if path.stem[:2] in ("h_", "ho")],
    ids=lambda p: p.stem,
)
def test_states_of_programs(path: Path) -> None:
    """Where a state has a form as a test, it is read back; whether the guard gets there is for who shows it to try."""
    program = load(path).program
    assert program is not None
    for rule in program.rules:
        if rule.module != program.main or not isinstance(rule.head, License):
            continue
        found = dead_rule(program, rule, witness=True, timeout=500)
        if not isinstance(found, Alive) or found.world is None:
            continue
        made = block(program, found.world)
        text = f"{path.read_text(encoding='utf-8')}\n{made}"
        again = load_text(text, file=path.name, path=path)
        assert again.program is not None, ([item.message for item in again.diagnostics], made)
