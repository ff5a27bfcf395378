"""Judgements are read by the solver as by the guard: in each state that is given both say the same."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.engine.explain import test_supposing as supposing
from tests.engine.explain.supposing_at import holds as guard_says
from tests.engine.explain.test_supposing import SOME, bodies, denying, world, worlds
from tests.oracle.supposed import holds_if_supposed
from tests.thorough import times
from vsalang.program.ir import Program
from vsalang.proof.solver import UnsupportedConstruct, World
from vsalang.proof.solver.joint import Joint, holds
from vsalang.proof.solver.sorts import neg


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("supposed")
    (made / "m.vsa").write_text(supposing.APP, encoding="utf-8")
    return made


def solver_says(made: Program, state: World, rule_id: str) -> bool | None:
    """Whether a judgement holds in a state, by the solver; None if it does not look into all of it."""
    rule = next(one for one in made.rules if one.id == rule_id)
    query = Joint(made, [rule], 3, 5000)
    try:
        asked = holds(query.state, rule, cut := [])
    except UnsupportedConstruct:
        return None
    if cut or query.terms.approximated or query.terms.free:
        return None
    return query.check(query.solver([asked, query.on_day(state.today), *pinned(query, state)]))


def pinned(query: Joint, state: World) -> list[Any]:
    """That the rows are just those of the state."""
    found: list[Any] = list(query.history({}))
    for (kind, name), slots in list(query.state.made.items()):
        rows = list(state.rows.get(name, ())) if kind == "now" else []
        for index, slot in enumerate(slots):
            if index < len(rows):
                relation = query.state.program.relation(name)
                found += [slot.present, query.row(relation, slot.cells, rows[index])]
            else:
                found.append(neg(slot.present))
    return found


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ("Flag(n = 3)", SOME),
        ("Flag(n = 3, on = false)", SOME),
        ("Flag(n = ?u), not Item(k = ?u)", SOME),
        ("Flag(n = ?u), count(Item(k = ?u)) < 1", SOME),
        ("Flag(n = ?u), Item(d = ?u), ?u > 2", SOME),
        ("Flag(n = ?n), ?m = ?n + 1, not Item(k = ?m)", SOME),
        ("Act(n = ?u), not Item(k = ?u, b = true)", world(None, ((1, True, 2),), (None,))),
        ("not All", world(None, ((1, None, 2),))),
        ("not All", world(None, ((1, True, None), (2, True, 3)))),
        ("not Few", world(None, ((1, None, 2), (2, True, 2), (3, True, 3)))),
        ("not Few", world(None, ((1, None, 2), (2, True, 2)))),
        ("sum(d of Item) > 5", world(None, ((1, True, 2), (2, True, None)))),
        ("every Item(d > 1) has (b = true)", world(None, ((1, False, 2), (2, True, None)))),
        ("every Item(d > 1) has (b = true)", world(None, ((1, None, 2), (2, True, None)))),
    ],
)
def test_unknown_cells_are_read_as_the_guard_does(folder: Path, body: str, state: World) -> None:
    made = denying(body, folder)
    assert made is not None
    said = (solver_says(made, state, "p:1"), guard_says(made, state, "p:1"))
    assert said == (holds_if_supposed(made, state, "p:1"),) * 2


@pytest.mark.slow
@given(body=bodies, states=st.lists(worlds, min_size=3, max_size=3))
@settings(
    max_examples=times(20, 1500),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
def test_random_judgements_are_read_alike(folder: Path, body: str, states: list[World]) -> None:
    made = denying(body, folder)
    assume(made is not None)
    assert made is not None
    for state in states:
        said = solver_says(made, state, "p:1")
        assert said is None or said is guard_says(made, state, "p:1"), (body, state.rows, said)
