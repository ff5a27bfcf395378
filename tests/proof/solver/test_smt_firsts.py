"""``first n``: the solver finds a state exactly if there is one, by the reference and by enumeration."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.oracle import ReferenceEvaluator as REFERENCE
from tests.proof.solver.smt_programs import APP, ask, clause
from tests.proof.solver.test_smt_agreement import SETTINGS, TODAY, loaded
from vsalang.program.ir import Program
from vsalang.proof.solver import Alive, Dead, World
from vsalang.proof.solver.dead import dead_rule
from vsalang.proof.solver.results import Row
from vsalang.proof.worlds import interpreter

selected = st.lists(st.sampled_from(["g = 1", "p > 1", "p = 2", "p != 1"]), max_size=2, unique=True)
tested = st.sampled_from(["p = 1", "p = 2", "p > 1", "p known", "p != 1"])


def form(n: int, selecting: list[str], test: str, kind: str) -> str:
    atom = f"L({', '.join(selecting)})"
    if kind == "each":
        return f"first {n} {atom} has ({test})"
    if kind == "defined":
        return f"not Low{n}"
    return f"first {n} L({', '.join([*selecting, 'p = ?x'])}), ?x > {n - 1}"


firsts = st.builds(
    form, st.sampled_from([1, 2]), selected, tested, st.sampled_from(["each", "one", "defined"])
)
more = st.sampled_from(
    ["L(g = 1, at = 1, p = 1)", "L(g = 1, at = 2)", "no L(g = 1, p = 2)", "L(p = ?y)", "count(L(g = 1)) > 1"]
)
bodies = st.tuples(firsts, st.lists(more, max_size=2, unique=True)).map(
    lambda parts: ", ".join([parts[0], *parts[1]])
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("firsts")
    lows = (
        "define Low1 when first 1 L(g = 1, p = ?p), ?p < 2.\n"
        "define Low2 when first 2 L(g = 1, p > 0) has (p = 1).\n"
    )
    (made / "m.vsa").write_text(APP + lows, encoding="utf-8")
    return made


def states() -> Iterator[World]:
    """Every state with up to three rows of one list, at known places or not, and whether it is complete."""
    cells = [(1, p, at) for p in (None, 1, 2) for at in (None, 1, 2, 3)]
    for count in range(4):
        for rows in combinations(cells, count):
            places = [row[2] for row in rows if row[2] is not None]
            if len(set(places)) < len(places):
                continue
            for complete in (False, True):
                found: frozenset[Row] = frozenset(rows)
                yield World(
                    TODAY,
                    rows={"m.L": found, "finish": frozenset({()})},
                    complete={"m.L": frozenset({(1, None, None)} if complete else ())},
                )


def check(program: Program, rule_id: str, stride: int) -> None:
    rule = next(rule for rule in program.rules if rule.id == rule_id)
    found = dead_rule(program, rule, rows=3, timeout=5000, witness=True)
    replay = interpreter(program, REFERENCE)
    if isinstance(found, Alive):
        assert found.world is not None
        assert replay(found.world, (rule_id,)) == {rule_id}, found.world
    else:
        assert isinstance(found, Dead), found
        for index, world in enumerate(states()):
            if index % stride == 0:
                assert replay(world, (rule_id,)) == frozenset(), world


@pytest.mark.slow
@given(body=bodies, certain=st.booleans(), stride=st.integers(3, 11))
@SETTINGS
def test_firsts(folder: Path, body: str, certain: bool, stride: int) -> None:
    text = f"allow each Act.\ndone when {body}." if certain else f'deny "no" when {body}.'
    kind, rule = ("spec", "s:2") if certain else ("policy", "s:1")
    program = loaded(f'{kind} s "s"\nimport m\n{text}\n', folder)
    assume(program is not None)
    assert program is not None
    check(program, rule, stride)


def test_states_of_the_enumeration_hold_some_bodies(folder: Path) -> None:
    """The enumeration would notice a rule that is wrongly said to be dead."""
    program = loaded(
        'spec s "s"\nimport m\nallow each Act.\ndone when first 2 L(g = 1) has (p = 1).\n', folder
    )
    assert program is not None
    replay = interpreter(program, REFERENCE)
    assert sum(replay(world, ("s:2",)) == {"s:2"} for world in states()) > 5


def test_certainly_the_first(tmp_path: Path) -> None:
    alive = clause("done when first 2 L(g = 1, p = ?p), ?p > 3, L(g = 1, at = 1, p = 1).", tmp_path)
    assert isinstance(alive, Alive)
    assert alive.world is not None
    each = clause("done when first 2 L(g = 1) has (p > 3), L(g = 1, at = 1, p = 1).", tmp_path)
    assert isinstance(each, Dead)
    assert each.bound is not None


def test_each_of_one_list_is_enough(tmp_path: Path) -> None:
    """Without `in` values there are many lists: in one of them the first must fit."""
    assert isinstance(ask("first 1 L has (p = 1), L(g = 2, at = 1, p = 2)", tmp_path), Alive)
