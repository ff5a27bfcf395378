"""Clauses that add nothing, ends that come too early, effects that conflict, contracts that say nothing."""

from pathlib import Path

import pytest

from tests.oracle import ReferenceEvaluator as REFERENCE
from tests.proof.solver.smt_programs import APP, program
from tests.proof.solver.test_smt_branches import shop
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program
from vsalang.proof.solver import Conflict, CoveredClause, Disagreement, Early, Vacuous
from vsalang.proof.solver.contracts import vacuous_contracts
from vsalang.proof.solver.covered import covered_clauses
from vsalang.proof.solver.early import early_ends
from vsalang.proof.solver.effects import conflicting_effects
from vsalang.proof.worlds import interpreter


def spec(text: str, folder: Path) -> Program:
    return program(f'spec s "s"\nimport m\n{text}\n', folder)


# ---------------------------------------------------------------- clauses that others cover

COVERED = {
    "a narrower end": (
        "allow Act.\ndone when Act earlier.\ndone when Act earlier, Flag(on = true).",
        {"s:3": ("s:2",)},
    ),
    "two together": (
        "allow Act.\ndone when Flag(n < 3).\ndone when Flag(n >= 3).\ndone when Flag(n in 0..9).",
        {"s:4": ("s:2", "s:3")},
    ),
    "the same twice": (
        "allow Act.\ndone when Flag(on = true).\ndone when Flag(on = true).",
        {"s:2": ("s:3",)},
    ),
    "renamed and in another order": (
        "allow Act.\ndone when Item(k = ?a, b = true), Flag(n = ?a).\ndone when Flag(n = ?x), Item(k = ?x, b = true).",
        {"s:2": ("s:3",)},
    ),
    "through a definition": (
        "allow Act.\ndone when Small.\ndone when Item(k = ?k), ?k < 2.",
        {"s:3": ("s:2",)},
    ),
    "either": (
        "allow either Act(n = 1).\nallow either Act(n in 1..3).\ndone when all Act.",
        {"s:1": ("s:2",)},
    ),
    "each": ("allow each Act.\nallow each Act(n = 1).\ndone when Flag(on = true).", {"s:2": ("s:1",)}),
}
NOT_COVERED = [
    "allow 1 Act(n = 1).\nallow 2 Act.\ndone when all Act.",  # each has a number of its own
    "allow Act.\ndone when Act earlier.\ndone when no Item(b = true).",
    "allow Act.\ndone when Flag(n < 3).\ndone when Flag(n > 3).\ndone when Flag(n in 2..4).",
    "allow either Act(n = 1).\nallow either Act(n = 2).\ndone when all Act.",
    "allow Act.\ndone when Item(b = true, k < 9).\ndone when every Item has (b = true).",
]


@pytest.mark.parametrize("name", COVERED)
def test_clauses_that_others_cover(name: str, tmp_path: Path) -> None:
    text, wanted = COVERED[name]
    found = list(covered_clauses(spec(text, tmp_path)))
    assert all(isinstance(item, CoveredClause) for item in found)
    assert {item.rule: item.by for item in found if isinstance(item, CoveredClause)} == wanted


@pytest.mark.parametrize("text", NOT_COVERED)
def test_clauses_that_add_something(text: str, tmp_path: Path) -> None:
    assert list(covered_clauses(spec(text, tmp_path))) == []


# ---------------------------------------------------------------- ends that come too early


def test_a_task_that_may_be_finished_early(tmp_path: Path) -> None:
    made = shop("allow Order.\ndone when OrderResult(answer = Accepted).", tmp_path)
    (found,) = early_ends(made, interpreter(made))
    assert isinstance(found, Early)
    assert (found.rule, found.clause) == ("s:2", "s:1")
    assert not found.world.commits.get("shop.Order")
    assert interpreter(made, REFERENCE)(found.world, ("s:1", "s:2")) == {"s:1", "s:2"}


@pytest.mark.parametrize(
    "text",
    [
        "allow Order.\ndone when Order earlier, OrderResult(answer = Accepted).",
        "allow Order.\ndone when Ordered(item = \"soup\").",  # what is lasting need not be done again
        "allow Order when OrderResult(answer = Late).\ndone when OrderResult(answer = Refused).",  # nothing to do
        "allow Order.\ndone when all Order.",
        "allow Order.\ndone when Order then OrderResult(answer = Accepted).",
    ],
)  # fmt: skip
def test_ends_that_are_as_they_should_be(text: str, tmp_path: Path) -> None:
    made = shop(text, tmp_path)
    assert list(early_ends(made, interpreter(made))) == []


def test_the_interpreter_has_the_last_word(tmp_path: Path) -> None:
    made = shop("allow Order.\ndone when OrderResult(answer = Accepted).", tmp_path)
    with pytest.raises(Disagreement):
        list(early_ends(made, lambda world, rules: frozenset()))


# ---------------------------------------------------------------- effects that conflict


def app(text: str, folder: Path) -> Program:
    found = load_text(APP + text, file=str(folder / "m.vsa"), path=folder / "m.vsa")
    assert found.program is not None, [item.message for item in found.diagnostics]
    return found.program


CONFLICTS = {
    "overlapping conditions": (
        'update Flag(n = 1) when tap(id = "a"), Page(c = Red).\n'
        'update Flag(n = 2) when tap(text = "b"), Page(t = "x").\n',
        "n",
    ),
    "one row": (
        'update Item(k = ?k, b = true) when tap(index = ?k), Flag(on = true).\n'
        "update Item(k = ?k, b = false) when tap(index = ?k), Flag(n > 3).\n",
        "b",
    ),
    "two bindings of one effect": ('update Flag(n = ?k) when tap(id = "a"), Item(k = ?k, b = true).\n', "n"),
    "consequences": ("update Flag(n = ?n) when Act(n = ?n).\nupdate Flag(n = 7) when Act, Page(c = Red).\n", "n"),
}  # fmt: skip
APART = [
    'update Flag(n = 1) when tap(id = "a").\nupdate Flag(n = 2) when tap(id = "b").\n',
    'update Flag(n = 1) when tap(id = "a").\nupdate Flag(n = 2) when long_press(id = "a").\n',
    'update Flag(n = 1) when tap(id = "a").\nupdate Flag(on = true) when tap(id = "a").\n',
    "update Item(k = 1, b = true) when tap(index = 4).\nupdate Item(k = 2, b = false) when tap(index = 4).\n",
    'update Flag(n = ?n) when tap(id = "a"), Flag(n = ?n).\n',
    'update Flag(n = 1) when tap(id = "a"), Page(c = Red).\nupdate Flag(n = 1) when tap(id = "a"), Page(c = Blue).\n',
]


@pytest.mark.parametrize("name", CONFLICTS)
def test_effects_that_conflict(name: str, tmp_path: Path) -> None:
    text, attr = CONFLICTS[name]
    made = app(text, tmp_path)
    (found,) = conflicting_effects(made, interpreter(made))
    assert isinstance(found, Conflict)
    assert found.attr == attr
    both = (found.rule, found.other)
    assert interpreter(made, REFERENCE)(found.world, both) == set(both)


@pytest.mark.parametrize("text", APART)
def test_effects_that_never_conflict(text: str, tmp_path: Path) -> None:
    made = app(text, tmp_path)
    assert list(conflicting_effects(made, interpreter(made))) == []


# ---------------------------------------------------------------- contracts that say nothing


def contracts(text: str, folder: Path) -> list[Vacuous]:
    found = list(vacuous_contracts(app(text, folder), frozenset({"m"})))
    assert all(isinstance(item, Vacuous) for item in found)
    return [item for item in found if isinstance(item, Vacuous)]


def test_contracts_that_can_never_be_met(tmp_path: Path) -> None:
    (found,) = contracts("expect Flag(n < 3, n > 5) when Act.\n", tmp_path)
    assert not found.always
    assert {clash.text for clash in found.clashes} == {"n < 3", "n > 5"}
    (bound,) = contracts("expect Flag(n = ?n), ?n > 3, ?n < 2 when Act.\n", tmp_path)
    assert not bound.always


def test_contracts_that_are_always_met(tmp_path: Path) -> None:
    (found,) = contracts("expect no Flag(n < 3, n > 5) when Act.\n", tmp_path)
    assert found.always


def test_contracts_that_say_something(tmp_path: Path) -> None:
    assert (
        contracts("expect Flag(n = ?n) when Act(n = ?n).\nexpect Flag(on = true) when Other.\n", tmp_path)
        == []
    )
    assert contracts("expect no Item(k = ?n) when Act(n = ?n).\n", tmp_path) == []
