"""Limits of the solver: what is not decided because of them is said, and other questions do not use them up.

Work ends a question, at the same point on every machine; the clock does only long after.
"""

from pathlib import Path
from typing import Any

import pytest
import z3

from vsalang.language.semantics import load_text
from vsalang.proof.solver import query
from vsalang.proof.solver.joint import Joint
from vsalang.proof.solver.query import UNITS, NoAnswer, Query, limited
from vsalang.tools.cli.main import run

SPEC = (
    'spec s "s"\nallow answer(text = "a").\ndeny "no" when answer(text = "b").\ndone when answer earlier.\n'
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Query, Joint])
def test_memory_of_other_questions_does_not_count(kind: type[Query], monkeypatch: pytest.MonkeyPatch) -> None:
    others = [z3.Int(f"n{number}") for number in range(40_000)]
    monkeypatch.setattr(kind, "megabytes", 30)
    program = load_text(SPEC, file="s.vsa").checked()
    query = kind(program, program.rules, 1, 5000)
    assert query.check(query.solver([]))
    assert others


@pytest.mark.parametrize(
    ("why", "reason", "sentence"),
    [
        ("max. memory exceeded", "memory", "the memory was not enough"),
        ("timeout", "time", "the time was not enough"),
        ("canceled", "time", "the time was not enough"),
        ("(incomplete (theory seq))", "incomplete", "the solver gave up (incomplete (theory seq))"),
    ],
)
def test_why_there_is_no_answer(
    why: str, reason: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "_solver_answer", lambda *_: z3.unknown)
    monkeypatch.setattr(z3.Solver, "reason_unknown", lambda _: why)
    program = load_text(SPEC, file="s.vsa").checked()
    asked = Query(program, program.rules, 1, 5000)
    with pytest.raises(NoAnswer) as raised:
        asked.check(asked.solver([]))
    assert (raised.value.reason, raised.value.sentence) == (reason, sentence)


def test_too_little_memory_is_said_by_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Query, "megabytes", 0)
    path = tmp_path / "s.vsa"
    path.write_text(SPEC, encoding="utf-8")
    assert run(["prove", "verify", str(path)]) == 0
    out = capsys.readouterr()
    assert "was not decided with 0 MB of memory" in out.out + out.err


def hard() -> Any:
    """A question that takes minutes: fourteen numbers below thirteen that all differ."""
    solver = z3.Solver()
    numbers = [z3.Int(f"n{index}") for index in range(14)]
    for index, one in enumerate(numbers):
        solver.add(one >= 0, one < 13, *(one != other for other in numbers[:index]))
    return solver


def units(solver: Any) -> int:
    return int(next(value for name, value in solver.statistics() if name == "rlimit count"))


def test_a_question_ends_at_the_same_point() -> None:
    spent = []
    for _ in range(2):
        solver = hard()
        limited(solver, 60)
        before = units(solver)
        assert solver.check() == z3.unknown
        spent.append(units(solver) - before)
    assert min(spent) >= UNITS * 60
    assert abs(spent[0] - spent[1]) < UNITS
