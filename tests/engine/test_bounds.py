"""Bounds: hostile programs and screens are stopped in time, and the session can be trusted afterwards."""

import datetime as dt
import random
import tracemalloc
from typing import Any

import pytest

from tests.engine.worlds import (
    NOON,
    TODAY,
    a,
    agg,
    allow,
    ask,
    c,
    cmp,
    define,
    earlier,
    every,
    no,
    p,
    program,
    within,
)
from vsalang.engine.api import Answer, Budget, BudgetExceeded
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.engine.run import maintain, state
from vsalang.program.ir import NUMBER, Program

XY = {"x": NUMBER, "y": NUMBER}
ABOVE = (
    define("T", p("L", price="?x", at="?y"), x="?x", y="?y"),
    define("T", p("T", x="?x", y="?z"), p("L", price="?z", at="?y"), x="?x", y="?y"),
)


def opened(made: Program, **bounds: Any) -> IncrementalEvaluator:
    session = IncrementalEvaluator(made, today=TODAY, budget=Budget(**bounds))
    session.now(NOON)
    return session


def nodes(count: int, text: str = "x") -> list[Any]:
    return [(n, None, f"{text} {n}", n % 2 == 0) for n in range(count)]


# ---------------------------------------------------------------- large, and answered


def test_ten_thousand_nodes_are_no_more_than_that() -> None:
    made = program(
        ask(p("Node", node="?n", text="x 77"), rule="one"),
        ask(
            p("Node", node="?n", id="?i"), p("Node", node="?m", id="?i"), cmp("?n", "!=", "?m"), rule="pairs"
        ),
        ask(agg("count", "", p("Node", checked=True), ">", 100), rule="many"),
    )
    session = opened(made)
    for _ in range(3):
        session.assign("Node", nodes(10_000))
        assert {x.values for x in session.answers("one")} == {(77,)}
        assert session.answers("many") and not session.answers("pairs")
        session.assign("Node", [])
        assert not session.answers("one") and not session.answers("many")


def test_a_text_of_a_megabyte() -> None:
    text = "ab " * 350_000
    made = program(
        ask(p("Node", c("text", "contains", "needle"), node="?n"), rule="contains"),
        ask(p("Node", c("text", "~=", "needle"), node="?n"), rule="similar"),
    )
    session = opened(made)
    for more in ("", "needle", ""):
        session.assign("Node", [(1, None, text + more, None)])
        assert bool(session.answers("contains")) == bool(more) and not session.answers("similar")


def test_a_tree_of_depth_5000_is_walked_without_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintain, "HOT", 1)
    rules = (
        define("R", p("Flag", n="?x"), x="?x"),
        define("R", p("R", x="?y"), p("L", price="?y", at="?x"), x="?x"),
    )
    session = opened(program(*rules, derived={"R": {"x": NUMBER}}))
    chain = [("g", None, n, n + 1) for n in range(5000)]
    session.assign("L", chain)
    session.assign("Flag", [(None, 0, None)])
    assert len(session.rows("R")) == 5001
    session.update("L", (), [chain[2500]])
    assert len(session.rows("R")) == 2501
    session.update("L", [chain[2500]])
    assert len(session.rows("R")) == 5001


# ---------------------------------------------------------------- too much, and refused


@pytest.mark.slow
@pytest.mark.parametrize("warm", [1, 2, 100])
def test_all_ancestors_of_a_deep_tree_are_too_many(monkeypatch: pytest.MonkeyPatch, warm: int) -> None:
    monkeypatch.setattr(maintain, "HOT", warm)
    made = program(*ABOVE, ask(p("T", x=0, y="?y"), rule="below"), derived={"T": XY})
    session = opened(made, rows=20_000)
    small = [("g", None, n, n + 1) for n in range(10)]
    for _ in range(2):
        session.assign("L", small)
        assert len(session.answers("below")) == 10
        session.assign("L", [("g", None, n, n + 1) for n in range(5000)])
        with pytest.raises(BudgetExceeded):
            session.answers("below")
    session.assign("L", small[:4])
    assert len(session.answers("below")) == 4


@pytest.mark.parametrize("warm", [1, 2])
def test_an_exponential_join_is_stopped_alone(monkeypatch: pytest.MonkeyPatch, warm: int) -> None:
    monkeypatch.setattr(maintain, "HOT", warm)
    body = [p("Item", n=f"?v{i}", k=f"?w{i}") for i in range(10)]
    made = program(ask(*body, rule="bomb"), ask(p("Item", k=3), rule="fine"))
    session = opened(made, steps=50_000)
    for count in (1, 2, 30, 2, 30):
        session.assign("Item", [(n, None, None, n) for n in range(count)])
        assert bool(session.answers("fine")) == (count > 3)
        if count < 30:
            assert len(session.answers("bomb")) == count**10
        else:
            with pytest.raises(BudgetExceeded):
                session.answers("bomb")


def test_what_counting_cannot_bear_is_computed_anew() -> None:
    """Paths are exponential, the vertices at their ends few: bindings are projected where they are not counted."""
    hops = [p("L", price=f"?v{i}", at=f"?v{i + 1}") for i in range(9)]
    made = program(define("D", *hops, x="?v0", y="?v9"), ask(p("D", x="?x", y="?y")), derived={"D": XY})
    session = opened(made, steps=20_000)
    for count in (2, 3, 8, 3, 8):
        session.assign("L", [("g", None, n, m) for n in range(count) for m in range(count)])
        assert len(session.answers("ask")) == count**2


@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_a_call_takes_no_longer_than_allowed(seconds: float) -> None:
    body = [p("Item", n=f"?v{i}", k=f"?w{i}") for i in range(10)]
    session = opened(program(ask(*body)), steps=10**12, rows=10**9, seconds=seconds)
    session.assign("Item", [(n, None, None, n) for n in range(30)])
    with pytest.raises(BudgetExceeded, match="seconds"):
        session.answers("ask")
    session.assign("Item", [(1, None, None, 1)])
    assert len(session.answers("ask")) == 1


def test_time_between_calls_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(state, "monotonic", lambda: now)
    made = program(ask(p("Item", k="?a"), p("Item", n="?b"), rule="pairs"))
    session = opened(made, seconds=0.2)
    session.assign("Item", [(n, None, None, n) for n in range(40)])
    assert len(session.answers("pairs")) == 1600
    now = 0.25
    assert len(session.answers("pairs")) == 1600
    session.assign("Item", [(n, None, None, n) for n in range(30)])
    assert len(session.answers("pairs")) == 900
    now = 0.5
    session.assign("Item", [(n, None, None, n) for n in range(40)])
    assert len(session.answers("pairs")) == 1600


def test_a_cyclic_graph_ends() -> None:
    made = program(*ABOVE, derived={"T": XY})
    session = opened(made)
    draw = random.Random(3)
    edges = {("g", None, draw.randrange(40), draw.randrange(40)) for _ in range(200)}
    for _ in range(5):
        session.assign("L", edges)
        assert session.rows("T")
        edges ^= {("g", None, draw.randrange(40), draw.randrange(40))}


def test_an_exceeded_budget_can_be_rolled_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(maintain, "HOT", 1)
    made = program(
        *ABOVE,
        ask(p("T", x="?x", y="?y")),
        ask(p("Item", k="?k"), no("T", x="?k"), rule="free"),
        derived={"T": XY},
    )
    session = opened(made, rows=100)
    session.assign("L", [("g", None, n, n + 1) for n in range(8)])
    session.assign("Item", [(3, None, None, None), (30, None, None, None)])
    before = session.answers("ask"), session.answers("free"), session.rows("T")
    assert any(session.state.maintained)
    savepoint = session.savepoint()
    session.update("L", [("g", None, n, n + 1) for n in range(8, 60)])
    with pytest.raises(BudgetExceeded):
        session.rows("T")
    session.rollback(savepoint)
    assert (session.answers("ask"), session.answers("free"), session.rows("T")) == before


# ---------------------------------------------------------------- the past, in bounded memory


def test_the_past_keeps_to_its_memory_over_many_points() -> None:
    made = program(
        ask(earlier("Flag", n="?n"), rule="earlier"),
        ask(within(dt.timedelta(minutes=5), "Flag", who="?w"), rule="within"),
        ask(within(dt.timedelta(minutes=5), "Pay"), rule="paid"),
    )
    session = opened(made)
    draw = random.Random(1)

    def go(points: int) -> None:
        for _ in range(points):
            session.write("Flag", "n", draw.randrange(5))
            session.write("Flag", "who", draw.choice(("a", "b", None)))
            session.now(session.state.ctx.now + dt.timedelta(seconds=1))
            session.point(session.state.last_point + 1)

    session.assign("Flag", [(None, 0, None)])
    go(2500)
    tracemalloc.start()
    try:
        go(100)
        before = tracemalloc.get_traced_memory()[0]
        go(2500)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 300_000  # the times of the latest points at most
    assert len(session.state.ctx.times) <= 2000
    assert session.answers("earlier") == {Answer((n,)) for n in range(5)}
    assert session.answers("within") == {Answer(("a",)), Answer(("b",))}


def test_every_and_certain_negation_stay_within_the_budget() -> None:
    made = program(
        allow(a("finish"), no("Item", n=5), every(a("Item"), c("b", "=", True)), rule="allow"),
    )
    session = opened(made, steps=100_000)
    session.assign("finish", [()])
    session.assign("complete Item", [(None,) * 4])
    session.assign("Item", [(n, True, None, 1) for n in range(10_000)])
    assert session.answers("allow")
    session.update("Item", [(10_001, True, None, None)])
    assert not session.answers("allow")
