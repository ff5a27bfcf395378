"""The incremental evaluator: what is not computed again, what a rollback brings back, budgets and faults."""

import datetime as dt
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.generators import apply, programs, streams
from tests.engine.worlds import NOON, TODAY, a, agg, allow, ask, c, define, no, p, program
from tests.thorough import times
from vsalang.engine.api import Budget, BudgetExceeded, EngineError
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.engine.run.goals import CertainNot
from vsalang.engine.run.steps import RUNNERS
from vsalang.engine.steps import Join
from vsalang.program.ir import NUMBER, Expect, Program, Recognize, Rule

DERIVED: dict[str, Any] = {"D": {"x": NUMBER}, "E": {"x": NUMBER}}
EDGES = (
    define("D", p("Flag", n="?x"), x="?x"),
    define("D", p("D", x="?y"), p("Item", k="?y", n="?x"), x="?x"),
)


def start(*rules: Rule, derived: Any = None, **inputs: Any) -> IncrementalEvaluator:
    session = IncrementalEvaluator(program(*rules, derived=derived), today=TODAY)
    session.now(NOON)
    for name, rows in inputs.items():
        session.assign(name.replace("_", " "), rows)
    return session


def values(session: Any, rule: str = "ask") -> set[Any]:
    return {answer.values for answer in session.answers(rule)}


# ---------------------------------------------------------------- what is computed again


@pytest.fixture
def joins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The alphas that joins ran over."""
    ran: list[int] = []
    run = RUNNERS[Join]

    def counting(state: Any, step: Join, envs: Any) -> Any:
        ran.append(step.alpha)
        return run(state, step, envs)

    monkeypatch.setitem(RUNNERS, Join, counting)  # type: ignore[arg-type]
    return ran


def test_a_rule_that_is_not_affected_costs_nothing(joins: list[int]) -> None:
    rules = (
        ask(p("Flag", n="?n"), p("D", x="?n"), rule="one"),
        ask(p("Page", name="?p"), rule="two"),
        define("D", p("Item", k="?x", b=True), x="?x"),
    )
    session = start(*rules, derived=DERIVED, Flag=[(None, 1, None)], Item=[(1, True, None, None)])
    assert values(session, "one") == {(1,)} and not values(session, "two")
    joins.clear()
    session.assign("Page", [("x", None, None)])
    assert values(session, "one") == {(1,)}
    assert joins == []
    session.assign("Item", [(1, True, None, None), (2, False, None, None)])  # no constraint of D lets it in
    session.assign("Flag", [(True, 1, "w")])  # no cell that is read has changed
    assert values(session, "one") == {(1,)}
    assert joins == []
    session.assign("Item", [(2, True, None, None)])
    assert values(session, "one") == set()
    assert joins == []  # asked for the second time: from now on the difference is joined, not everything
    session.assign("Item", [(1, True, None, None)])
    assert values(session, "one") == {(1,)}
    session.assign("Item", [])
    assert values(session, "one") == set()
    assert joins == []


def test_what_was_known_before_a_tentative_change_stays_known(joins: list[int]) -> None:
    session = start(ask(p("Flag", n="?n"), p("D", x="?n")), *EDGES, derived=DERIVED, Flag=[(None, 1, None)])
    before = session.answers("ask")
    savepoint = session.savepoint()
    session.assign("Flag", [(None, 7, None)])
    assert session.answers("ask") != before
    session.rollback(savepoint)
    joins.clear()
    assert session.answers("ask") == before
    assert joins == []


def test_a_certain_negation_is_kept_over_a_rollback(monkeypatch: pytest.MonkeyPatch) -> None:
    session = start(allow(a("finish"), no("Item", b=True)), finish=[()], complete_Item=[(None,) * 4])
    assert session.answers("allow")
    savepoint = session.savepoint()
    session.assign("Item", [(1, True, None, None)])
    assert not session.answers("allow")
    session.rollback(savepoint)

    def fails(self: Any, session: Any, env: Any) -> Any:
        raise AssertionError("asked again")

    monkeypatch.setattr(CertainNot, "__call__", fails)
    assert session.answers("allow")


# ---------------------------------------------------------------- rollback


def state(session: Any, made: Program) -> dict[str, Any]:
    """Everything a session says, and all that is inside it."""
    found: dict[str, Any] = {"now": session.state.ctx.now, "point": session.state.last_point}
    for rule in made.rules:
        found[f"answers {rule.id}"] = session.answers(rule.id)
        if isinstance(rule.head, Recognize):
            found[f"extra {rule.id}"] = session.extra_answers(rule.id)
        if isinstance(rule.head, Expect):
            found[f"expected {rule.id}"] = {x: session.expected(rule.id, x) for x in session.answers(rule.id)}
    found |= {f"rows {name}": session.rows(name) for name in made.relations}
    found |= {
        f"table {spec.key}": frozenset(t.rows)
        for spec, t in zip(session.state.plan.tables, session.state.tables, strict=True)
    }
    found |= {f"alpha {alpha.id}": dict(alpha.counts) for alpha in session.state.alphas}
    return found


def check_indexes(session: Any) -> None:
    """Every index says what its table says, and every alpha what its rows give."""
    for spec, table in zip(session.state.plan.tables, session.state.tables, strict=True):
        for column, index in (table.indexes or {}).items():
            rows = {row for bucket in index.values() for row in bucket}
            assert rows == set(table.rows) and all(
                row[column] == key for key, b in index.items() for row in b
            )
        for alpha in (session.state.alphas[number] for number in spec.alphas):
            counted: dict[Any, int] = {}
            for row in table.rows:
                out = alpha.spec.fn(row, session.state.ctx)
                if out is not None:
                    counted[out] = counted.get(out, 0) + 1
            assert counted == alpha.counts
            for columns, index in (alpha.indexes or {}).items():
                assert {t for bucket in index.values() for t in bucket} == set(alpha.counts)
                assert all(tuple(t[i] for i in columns) == key for key, b in index.items() for t in b)


@pytest.mark.slow
@settings(max_examples=times(15, 40))
@given(st.data())
def test_after_rollback_everything_is_as_before(data: st.DataObject) -> None:
    made = data.draw(programs())
    session = IncrementalEvaluator(made, today=TODAY)
    session.now(NOON)
    savepoints: list[int] = []
    for step in data.draw(streams(made, most=4)):
        apply(session, step, savepoints)
    before = state(session, made)
    look = data.draw(st.booleans())
    savepoint = session.savepoint()
    inner: list[int] = []
    for step in data.draw(streams(made, most=4)):
        if step[0] == "point":
            step = ("point", session.state.last_point + 1)
        apply(session, step, inner)
        if look:
            for rule in made.rules:
                session.answers(rule.id)
    session.rollback(savepoint)
    check_indexes(session)
    assert state(session, made) == before


def test_savepoints_nest_and_must_exist() -> None:
    session = start(ask(p("Flag", n="?n")), Flag=[(None, 1, None)])
    outer = session.savepoint()
    session.assign("Flag", [(None, 2, None)])
    session.savepoint()
    session.assign("Flag", [(None, 3, None)])
    session.now(NOON + dt.timedelta(hours=1))
    session.rollback(outer)
    assert values(session) == {(1,)} and session.state.ctx.now == NOON
    with pytest.raises(EngineError, match="no savepoint"):
        session.rollback(outer)


def test_a_released_savepoint_is_undone_by_an_outer_one() -> None:
    session = start(ask(p("Flag", n="?n")), Flag=[(None, 1, None)])
    outer = session.savepoint()
    inner = session.savepoint()
    session.assign("Flag", [(None, 2, None)])
    session.release(inner)
    session.rollback(outer)
    assert values(session) == {(1,)}


# ---------------------------------------------------------------- budgets and faults


def test_budgets_leave_a_state_that_can_be_rolled_back() -> None:
    made = program(
        ask(p("D", x="?x")), *EDGES, ask(p("Item", k="?a"), p("Item", k="?b"), rule="pairs"), derived=DERIVED
    )
    session = IncrementalEvaluator(made, today=TODAY, budget=Budget(rows=50, steps=400))
    session.assign("Flag", [(None, 0, None)])
    session.assign("Item", [(0, None, None, 1)])
    before = state(session, made)
    savepoint = session.savepoint()
    with pytest.raises(BudgetExceeded):
        session.assign("Item", [(n, None, None, n + 1) for n in range(51)])
    session.assign("Item", [(n, None, None, n + 1) for n in range(50)])
    with pytest.raises(BudgetExceeded):
        session.answers("ask")
    with pytest.raises(BudgetExceeded):
        session.answers("ask")  # it is not taken for known what could not be computed
    session.rollback(savepoint)
    assert state(session, made) == before
    session.assign("Item", [(n, None, None, n + 1) for n in range(40)])
    with pytest.raises(BudgetExceeded, match="steps"):
        session.answers("pairs")


def test_an_exponential_join_is_stopped() -> None:
    body = [p("Item", n=f"?v{i}", k=f"?w{i}") for i in range(12)]
    made = program(ask(*body))
    session = IncrementalEvaluator(made, today=TODAY, budget=Budget(steps=20_000))
    session.assign("Item", [(n, None, None, n) for n in range(30)])
    with pytest.raises(BudgetExceeded):
        session.answers("ask")


def test_rows_must_fit_their_relation() -> None:
    session = start(ask(p("Flag"), p("D", x="?x")), define("D", p("Item", k="?x"), x="?x"), derived=DERIVED)
    with pytest.raises(EngineError, match="cells"):
        session.assign("Flag", [(1,)])
    with pytest.raises(EngineError, match="derived"):
        session.assign("D", [(1,)])
    with pytest.raises(EngineError, match="no rule"):
        session.answers("nothing")
    with pytest.raises(EngineError, match="no relation"):
        session.rows("Nothing")


def test_a_fault_while_taking_rows_is_no_stale_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    session = start(
        allow(a("finish"), no("Flag", c("who", "~=", "x"))), finish=[()], Flag=[(None, None, "y")]
    )
    assert session.answers("allow")

    class Fault(Exception):
        pass

    def fails(self: Any, added: Any, removed: Any) -> Any:
        raise Fault

    with monkeypatch.context() as patch:
        patch.setattr("vsalang.engine.run.tables.Table.apply", fails)
        with pytest.raises(Fault):
            session.assign("Flag", [(None, None, "x")])
    with pytest.raises(EngineError, match="begin a new one"):
        session.answers("allow")
    with pytest.raises(EngineError, match="begin a new one"):
        session.savepoint()


def test_sessions_share_nothing_but_the_program() -> None:
    made = program(ask(p("Flag", n="?n")))
    one, other = (IncrementalEvaluator(made, today=TODAY) for _ in range(2))
    one.assign("Flag", [(None, 1, None)])
    assert values(one) == {(1,)} and values(other) == set()


def test_a_random_walk_equals_a_session_made_anew() -> None:
    """What was kept up to date by differences is what a new session finds."""
    draw = random.Random(7)
    rules = (
        ask(p("D", x="?x"), no("E", x="?x")),
        *EDGES,
        define("E", p("Item", k="?x", b=True), agg("count", "", p("Item", n="?x"), ">", 0, ["x"]), x="?x"),
    )
    session = start(*rules, derived=DERIVED)
    for _ in range(150):
        rows = [(k, draw.choice((True, None)), None, draw.choice((0, 1, 2, 3, None))) for k in range(4)]
        flag = [(None, draw.choice((0, 1, 2, None)), None)]
        session.assign("Item", draw.sample(rows, draw.randint(0, 4)))
        session.assign("Flag", flag)
        item = session.rows("Item")
        assert values(session) == values(start(*rules, derived=DERIVED, Item=item, Flag=flag))
        check_indexes(session)
