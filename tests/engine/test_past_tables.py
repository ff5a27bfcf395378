"""The past: earlier, within, for, since and milestones on milestones, in bounded memory."""

import datetime as dt
from typing import Any

import pytest

from tests.engine.agreeing import evaluator
from tests.engine.worlds import (
    NOON,
    TODAY,
    a,
    agg,
    allow,
    ask,
    c,
    define,
    earlier,
    lasting,
    no,
    p,
    program,
    since,
    within,
)
from vsalang.engine.api import Budget, BudgetExceeded, Commit, EngineError
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.program.ir import NUMBER, Aggregate, Lit, Past, Rule, Var

BOTH = pytest.mark.parametrize("engine", ["incremental", "pydatalog"])
MIN = dt.timedelta(minutes=1)


def start(*rules: Rule, engine: Any = "incremental", derived: Any = None, budget: Any = None) -> Any:
    session = evaluator(program(*rules, derived=derived), engine, budget=budget)
    session.now(NOON)
    return session


def values(session: Any, rule: str = "ask") -> set[Any]:
    return {answer.values for answer in session.answers(rule)}


def flag(session: Any, point: int, n: Any, minute: float | None = None) -> None:
    """A point of history at which Flag(n = n) holds."""
    if minute is not None:
        session.now(NOON + minute * MIN)
    session.assign("Flag", [] if n is None else [(None, n, None)])
    session.point(point)


@BOTH
def test_earlier_of_an_action_reads_its_commits(engine: Any) -> None:
    count = agg("count", "", earlier("Pay"), "=", "?n")
    session = start(ask(earlier("Pay", who="?w")), ask(count, rule="count"), engine=engine)
    session.assign("Pay", [("C", 9)])  # proposed, not done
    session.point(1)
    assert values(session) == set() and values(session, "count") == {(0,)}
    session.assign("commits Pay", [Commit(1, 1, ("A", 3)), Commit(2, 2, ("A", 3)), Commit(3, 2, ("B", None))])
    assert values(session) == {("A",), ("B",)} and values(session, "count") == {(3,)}
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])
    assert values(session) == {("A",)} and values(session, "count") == {(1,)}


@BOTH
def test_earlier_remembers_what_held_at_points_only(engine: Any) -> None:
    session = start(ask(earlier("Flag", n="?n")), engine=engine)
    session.assign("Flag", [(None, 1, None)])
    assert values(session) == set()
    session.point(1)
    assert values(session) == {(1,)}
    session.assign("Flag", [(None, 2, None)])  # between points: tentative
    assert values(session) == {(1,)}
    flag(session, 2, 3)
    assert values(session) == {(1,), (3,)}


@BOTH
def test_a_constraint_with_a_variable_of_another_literal(engine: Any) -> None:
    rule = ask(p("Page", n="?m"), earlier("Flag", c("n", "<", "?m"), who="?w"))
    session = start(rule, engine=engine)
    for number, (n, who) in enumerate(((1, "a"), (5, "b"), (None, "c")), 1):
        session.assign("Flag", [(None, n, who)])
        session.point(number)
    session.assign("Page", [("x", 5, None)])
    assert values(session) == {(5, "a")}


@BOTH
def test_a_milestone_on_a_milestone_holds_at_once(engine: Any) -> None:
    derived = {"M1": {"x": NUMBER}, "M2": {"x": NUMBER}, "M3": {"x": NUMBER}}
    rules = (
        define("M3", earlier("M2", x="?x"), x="?x"),  # in the wrong order: strata tell
        define("M2", earlier("M1", x="?x"), x="?x"),
        define("M1", p("Flag", n="?x"), x="?x"),
        ask(earlier("M3", x="?x")),
    )
    session = start(*rules, engine=engine, derived=derived)
    flag(session, 1, 7)
    assert values(session) == {(7,)}
    flag(session, 2, None)
    assert values(session) == {(7,)} and session.rows("M2") == {(7,)} and session.rows("M1") == set()


@BOTH
def test_milestones_that_rest_on_each_other(engine: Any) -> None:
    derived = {"M1": {"x": NUMBER}, "M2": {"x": NUMBER}}
    rules = (
        define("M1", p("Flag", n="?x"), x="?x"),
        define("M1", earlier("M2", x="?x"), x="?x"),
        define("M2", earlier("M1", x="?x"), x="?x"),
        ask(p("M2", x="?x")),
    )
    session = start(*rules, engine=engine, derived=derived)
    flag(session, 1, 7)
    flag(session, 2, None)
    assert values(session) == {(7,)}


@BOTH
def test_points_of_a_relation_without_attributes_are_counted(engine: Any) -> None:
    rules = (
        define("Found", p("Flag", n=1)),
        ask(p("Found")),
        ask(agg("count", "", earlier("Found"), "=", "?n"), rule="count"),
    )
    session = start(*rules, engine=engine, derived={"Found": {}})
    for point, (n, counted) in enumerate([(0, 0), (1, 1), (0, 1), (1, 1), (0, 1), (1, 1)], 1):
        savepoint = session.savepoint()
        flag(session, point, 1)
        assert values(session) == {()} and values(session, "count") == {(1,)}
        session.rollback(savepoint)
        flag(session, point, n)
        assert values(session) == ({()} if n else set()) and values(session, "count") == {(counted,)}


@BOTH
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_a_ring_of_milestones_holds_at_once(engine: Any, order: tuple[int, ...]) -> None:
    ring = [define(f"M{n}", earlier(f"M{(n + 1) % 4}", x="?x"), x="?x") for n in range(4)]
    rules = [*(ring[n] for n in order), define("M0", p("Flag", n="?x"), x="?x")]
    asked = [ask(earlier(f"M{n}", x="?x"), rule=f"ask{n}") for n in range(4)]
    session = start(*rules, *asked, engine=engine, derived={f"M{n}": {"x": NUMBER} for n in range(4)})
    flag(session, 1, 7)
    assert [values(session, f"ask{n}") for n in range(4)] == [{(7,)}] * 4


def test_not_earlier_of_itself_is_refused() -> None:
    rule = define("M", p("Flag"), no("M", past=Past("earlier")))
    with pytest.raises(EngineError, match="not stratified"):
        start(rule, derived={"M": {}})


@BOTH
def test_not_earlier(engine: Any) -> None:
    session = start(ask(p("Item", k="?k"), no("Flag", n="?k", past=Past("earlier"))), engine=engine)
    session.assign("Item", [(1, None, None, None), (2, None, None, None)])
    flag(session, 1, 1)
    flag(session, 2, None)
    assert values(session) == {(2,)}


@BOTH
def test_within_depends_on_the_clock(engine: Any) -> None:
    session = start(ask(within(2 * MIN, "Flag", n="?n")), engine=engine)
    flag(session, 1, 1, minute=0)
    flag(session, 2, 2, minute=1)
    flag(session, 3, None, minute=2)
    assert values(session) == {(1,), (2,)}
    session.now(NOON + 2.5 * MIN)
    assert values(session) == {(2,)}
    session.now(NOON + 4 * MIN)
    assert values(session) == set()
    session.now(NOON + 1 * MIN)  # clocks go back
    assert values(session) == {(1,), (2,)}


@BOTH
def test_within_of_an_action(engine: Any) -> None:
    rules = (ask(within(MIN, "Pay", who="?w")), ask(no("Pay", past=within(MIN, "Pay").past), rule="none"))
    session = start(*rules, engine=engine)
    session.assign("commits Pay", [Commit(1, 1, ("A", 1))])
    session.point(1)
    session.now(NOON + MIN)
    assert values(session) == {("A",)} and not session.answers("none")
    session.now(NOON + 2 * MIN)
    assert values(session) == set() and session.answers("none")
    session.now(NOON)
    session.assign("commits Pay", [])
    assert values(session) == set()


@BOTH
def test_for_is_an_unbroken_run_up_to_now(engine: Any) -> None:
    session = start(ask(lasting(2 * MIN, "Flag", n="?n")), engine=engine)
    flag(session, 1, 1, minute=0)
    flag(session, 2, 1, minute=1)
    assert values(session) == set()
    flag(session, 3, 1, minute=2)
    assert values(session) == {(1,)}
    flag(session, 4, None, minute=2.5)
    assert values(session) == set()
    flag(session, 5, 1, minute=3)
    session.now(NOON + 4 * MIN)
    assert values(session) == set()
    session.now(NOON + 5 * MIN)
    assert values(session) == {(1,)}


def test_for_is_not_for_actions() -> None:
    with pytest.raises(EngineError, match="for"):
        start(ask(lasting(MIN, "Pay")))


@BOTH
def test_since(engine: Any) -> None:
    session = start(ask(since(a("Page", n="?n"), a("Flag", n="?n"))), engine=engine)

    def moment(number: int, page: Any, n: Any) -> set[Any]:
        session.assign("Page", [] if page is None else [("x", page, None)])
        flag(session, number, n)
        return values(session)

    assert moment(1, None, 1) == {(1,)}  # B holds: A is asked only after it
    assert moment(2, 1, None) == {(1,)}
    assert moment(3, 1, 2) == {(1,), (2,)}
    assert moment(4, 2, None) == {(2,)}
    assert moment(5, None, None) == set()
    assert moment(6, 2, None) == set()


@BOTH
def test_since_an_action_is_since_its_commit(engine: Any) -> None:
    session = start(ask(since(a("Page", n=1), a("Pay", who="?w"))), engine=engine)
    session.assign("Pay", [("X", 1)])  # proposed only
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])
    session.point(1)
    session.assign("Page", [("x", 1, None)])
    session.assign("commits Pay", [Commit(1, 1, ("A", 3)), Commit(2, 2, ("B", 3))])
    session.point(2)
    assert values(session) == {("A",), ("B",)}
    session.assign("commits Pay", [Commit(2, 2, ("B", 3))])  # A taken back
    assert values(session) == {("B",)}
    session.assign("Page", [])
    session.point(3)
    assert values(session) == set()


def test_since_needs_its_variables_on_the_right() -> None:
    with pytest.raises(EngineError, match="since"):
        start(ask(since(a("Page", name="?w"), a("Flag", n="?n"))))


@BOTH
def test_what_a_licence_remembers_was_certain(engine: Any) -> None:
    rules = (
        define("D", no("Item", b=True)),
        allow(a("finish"), earlier("D")),
        ask(earlier("D"), rule="plain"),
    )
    session = start(*rules, engine=engine, derived={"D": {}})
    session.assign("finish", [()])
    session.point(1)
    assert session.answers("plain") and not session.answers("allow")
    session.assign("complete Item", [(None, None, None, None)])
    session.point(2)
    assert session.answers("allow")
    session.assign("complete Item", [])
    assert session.answers("allow")


@BOTH
def test_only_actions_are_complete_in_the_past(engine: Any) -> None:
    session = start(allow(a("finish"), no("Flag", n=1, past=Past("earlier"))), engine=engine)
    session.assign("finish", [()])
    session.point(1)
    assert not session.answers("allow")


def test_rows_of_the_past_are_counted_once() -> None:
    count = Aggregate("count", "", earlier("Flag", on=True), "=", Var("n"))
    session = start(ask(count))
    for number, row in enumerate(((True, 1, "a"), (True, 1, "a"), (False, 2, "a"), (True, 2, "a")), 1):
        session.assign("Flag", [row])
        session.point(number)
    assert values(session) == {(2,)}


# ---------------------------------------------------------------- memory


def test_what_is_remembered_is_bounded_and_never_dropped() -> None:
    session = start(ask(earlier("Flag", n="?n")), budget=Budget(bindings=3))
    for number in (1, 2, 3):
        flag(session, number, number)
    session.assign("Flag", [(None, 4, None)])
    with pytest.raises(BudgetExceeded, match="bindings"):
        session.point(4)
    assert values(session) == {(1,), (2,), (3,)} and session.state.last_point == 3
    flag(session, 4, 1)
    assert values(session) == {(1,), (2,), (3,)}


def test_within_forgets_what_left_the_window_instead_of_overflowing() -> None:
    session = start(ask(within(2 * MIN, "Flag", n="?n")), budget=Budget(bindings=8))
    for number in range(1, 200):
        flag(session, number, number, minute=number)
    assert values(session) == {(197,), (198,), (199,)}


def test_a_point_is_rolled_back_with_its_memory() -> None:
    rules = (
        ask(earlier("Flag", n="?n")),
        ask(within(MIN, "Flag", n="?n"), rule="within"),
        ask(within(MIN, "Pay", who="?w"), rule="paid"),
    )
    session = start(*rules)
    flag(session, 1, 1)
    session.assign("commits Pay", [Commit(1, 2, ("A", 1))])
    savepoint = session.savepoint()
    flag(session, 2, 2, minute=5)
    assert values(session) == {(1,), (2,)} and values(session, "within") == {(2,)}
    session.rollback(savepoint)
    assert values(session) == {(1,)} and values(session, "within") == {(1,)} and session.state.last_point == 1
    flag(session, 2, 3)
    assert values(session) == {(1,), (3,)}


def test_points_only_grow() -> None:
    session = IncrementalEvaluator(program(ask(p("Flag"))), today=TODAY)
    session.point(2)
    for number in (2, 1):
        with pytest.raises(EngineError, match="grow"):
            session.point(number)


@BOTH
def test_a_negated_past_define_is_not_certain_unseen(engine: Any) -> None:
    derived = {"D": {"x": NUMBER}, "E": {"x": NUMBER}}
    flags = p("Item", k="?x")
    for past in (
        Past("earlier"),
        Past("since", other=a("Page", n="?x")),
        Past("within", within(MIN, "Flag").past.duration),
    ):
        rules = (
            define("D", flags, no("Flag", n="?x", past=past), x="?x"),
            define("E", flags, Lit(a("Flag", n="?x"), past=past), x="?x"),
            allow(a("finish"), no("D", x=1), rule="not D"),
            allow(a("finish"), no("E", x=1), rule="not E"),
        )
        session = start(*rules, engine=engine, derived=derived)
        session.assign("finish", [()])
        session.assign("Item", [(1, None, None, None)])
        session.assign("complete Item", [(None, None, None, None)])
        session.point(1)
        assert not session.answers("not D") and not session.answers("not E")
        session.assign("Item", [])
        assert session.answers("not D") and session.answers("not E")
