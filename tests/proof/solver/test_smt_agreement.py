"""Random small bodies: the solver finds a state exactly if there is one, by the reference and by enumeration."""

import datetime as dt
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.oracle import ReferenceEvaluator as REFERENCE
from tests.proof.solver.smt_programs import APP
from tests.thorough import times
from vsalang.engine import EngineError
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program
from vsalang.program.values import NONE
from vsalang.proof.solver import Alive, Commit, Dead, World
from vsalang.proof.solver.dead import dead_rule
from vsalang.proof.solver.results import Row
from vsalang.proof.worlds import interpreter

NUMBERS = (1, 2, 3)
CELLS = (None, NONE, True, False)
TODAY = dt.date(2026, 1, 5)

number = st.sampled_from(["1", "2", "3"])
compared = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
flag_constraint = st.one_of(
    st.builds("n {} {}".format, compared, number),
    st.sampled_from(["on = true", "on = false", "on != true", "n = none", "n != none", "on known", "n = ?x"]),
    st.sampled_from(["n in 1..2", "n not in {1, 3}", "n < ?x", "n = ?y"]),
)
item_constraint = st.one_of(
    st.builds("k {} {}".format, compared, number),
    st.sampled_from(["b = true", "b = false", "b != true", "b known", "k = ?x", "k = ?y", "k > ?x"]),
)


FUNCTIONS = st.sampled_from(["min", "max", "sum"])


def atom(name: str, constraint: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(constraint, max_size=2, unique=True).map(lambda parts: f"{name}({', '.join(parts)})")


atoms = st.one_of(atom("Flag", flag_constraint), atom("Item", item_constraint))
derived = st.sampled_from(["Small(k = 1)", "Small(k = ?x)", "Marked", "Free(k = ?x)", "Free(k = 2)"])
literals = st.one_of(
    atoms,
    st.builds("not {}".format, atoms),
    derived,
    st.builds("not {}".format, derived),
    st.builds("count({}) {} {}".format, atom("Item", item_constraint), compared, st.sampled_from("012")),
    st.builds("{}(k of {}) {} {}".format, FUNCTIONS, atom("Item", item_constraint), compared, number),
    st.builds("every {} has ({})".format, atom("Item", item_constraint), item_constraint),
    st.builds("?x {} {}".format, compared, number),
    st.builds("?x {} ?y".format, compared),
    st.sampled_from(["Act earlier", "not Act(n = 1) earlier", "Act(n = ?x) earlier", "count(Act earlier) < 2"]),
)  # fmt: skip
bodies = st.lists(literals, min_size=1, max_size=4, unique=True).map(", ".join)

APP_WITH_FREE = APP + "define Free(k = ?k) when Item(k = ?k), not Item(k = ?k, b = true).\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("agreement")
    (made / "m.vsa").write_text(APP_WITH_FREE, encoding="utf-8")
    return made


def loaded(text: str, folder: Path) -> Program | None:
    """The program, None where the text has errors or the engine knows no safe order of a body."""
    program = load_text(text, file=str(folder / "main.vsa"), path=folder / "main.vsa").program
    if program is not None:
        try:
            interpreter(program)(World(TODAY), ())
        except EngineError:
            return None
    return program


def states() -> Iterator[World]:
    """Every state with one flag, up to two items, and one commit, over a small domain."""
    items = [((1, b), (2, c)) for b, c in product((*CELLS, "gone"), repeat=2)]
    flags: list[frozenset[Row]] = [frozenset()]
    flags += [frozenset({(on, n)}) for on in CELLS for n in (None, NONE, 0, *NUMBERS, 4)]
    for flag, pair, complete, commit in product(flags, items, (False, True), (None, 1, 2)):
        rows: frozenset[Row] = frozenset((k, b) for k, b in pair if b != "gone")  # type: ignore[misc]
        yield World(
            TODAY,
            rows={"m.Flag": flag, "m.Item": rows, "finish": frozenset({()})},
            complete={"m.Item": frozenset({(None, None)} if complete else ())},
            commits={"m.Act": () if commit is None else (Commit((commit,)),)},
        )


def check(program: Program, rule_id: str, stride: int) -> None:
    rule = next(rule for rule in program.rules if rule.id == rule_id)
    found = dead_rule(program, rule, rows=3, timeout=5000, witness=True)
    if isinstance(found, Alive):
        if found.world is not None and not found.world.assumed:
            assert interpreter(program, REFERENCE)(found.world, (rule_id,)) == {rule_id}
    elif isinstance(found, Dead):
        replay = interpreter(program, REFERENCE)
        for index, world in enumerate(states()):
            if index % stride == 0:
                assert replay(world, (rule_id,)) == frozenset(), world


SETTINGS = settings(
    max_examples=times(15, 1000),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@pytest.mark.slow
@given(body=bodies, offset=st.integers(13, 41))
@SETTINGS
def test_plain_bodies(folder: Path, body: str, offset: int) -> None:
    program = loaded(f'policy p "p"\nimport m\ndeny "no" when {body}.\n', folder)
    assume(program is not None)
    assert program is not None
    check(program, "p:1", offset)


@pytest.mark.slow
@given(body=bodies, offset=st.integers(13, 41))
@SETTINGS
def test_certain_bodies(folder: Path, body: str, offset: int) -> None:
    program = loaded(f'spec s "s"\nimport m\nallow each Act.\ndone when {body}.\n', folder)
    assume(program is not None)
    assert program is not None
    check(program, "s:2", offset)
