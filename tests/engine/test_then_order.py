"""`then`: the last side holds now and depends on something younger than when the left side first held."""

import datetime as dt
from typing import Any

import pytest

from tests.engine.agreeing import evaluator
from tests.engine.worlds import (
    NOON,
    a,
    agg,
    allow,
    ask,
    c,
    cmp,
    const,
    define,
    earlier,
    first,
    no,
    p,
    program,
    then,
)
from vsalang.engine.api import Commit, TimedRow
from vsalang.program.ir import NUMBER, Lit, Past, Rule

BOTH = pytest.mark.parametrize("engine", ["incremental", "pydatalog"])


def start(*rules: Rule, engine: Any, derived: Any = None) -> Any:
    session = evaluator(program(*rules, derived=derived), engine)
    session.now(NOON)
    return session


def put(session: Any, name: str, row: tuple[Any, ...] | None, *points: int) -> None:
    """One row of a relation, with the points at which its cells were written."""
    session.assign(name, [] if row is None else [row])
    session.assign(f"timestamps {name}", [] if row is None else [TimedRow(row, points)])


def values(session: Any, rule: str = "ask") -> set[Any]:
    return {answer.values for answer in session.answers(rule)}


@BOTH
def test_an_action_then_what_is_shown_after_it(engine: Any) -> None:
    session = start(ask(then(p("Pay", who="?w"), p("Page", n=1))), engine=engine)
    put(session, "Page", ("x", 1, None), 2, 1, 0)
    assert values(session) == set()
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])
    session.point(1)
    assert values(session) == set()  # the cell that is read was there when A was committed
    put(session, "Page", ("x", 1, None), 1, 2, 0)
    assert values(session) == {("A",)}
    session.assign("commits Pay", [])  # taken back
    assert values(session) == set()


@BOTH
def test_the_first_time_counts(engine: Any) -> None:
    session = start(ask(then(p("Flag", n="?n"), p("Page", name="x"))), engine=engine)
    put(session, "Flag", (None, 1, None), 0, 1, 0)
    session.point(1)
    session.point(2)
    put(session, "Page", ("x", None, None), 2, 0, 0)
    assert values(session) == {(1,)}


@BOTH
def test_undone_state_does_not_count_and_views_are_remembered(engine: Any) -> None:
    rules = (
        ask(then(p("Flag", n=1), p("K", id="k"))),
        ask(then(p("Page", n=1), p("K", id="k")), rule="view"),
        ask(then((p("Flag", n=1), p("Page", n=1)), p("K", id="k")), rule="both"),
        ask(then(p("D", x=1), p("K", id="k")), rule="derived"),
    )
    define_d = define("D", p("Flag", n="?x"), x="?x")
    session = start(*rules, define_d, engine=engine, derived={"D": {"x": NUMBER}})
    put(session, "Flag", (None, 1, None), 0, 1, 0)
    put(session, "Page", ("x", 1, None), 1, 1, 0)
    session.point(1)
    put(session, "K", ("k", 1, 1), 2, 2, 2)
    every = ("ask", "view", "both", "derived")
    assert all(session.answers(rule) for rule in every)
    put(session, "Page", None)
    assert all(session.answers(rule) for rule in every)
    put(session, "Flag", (None, 2, None), 0, 2, 0)
    assert [bool(session.answers(rule)) for rule in every] == [False, True, False, False]
    put(session, "Flag", (None, 1, None), 0, 3, 0)
    assert all(session.answers(rule) for rule in every)


@BOTH
def test_chains_go_one_after_the_other(engine: Any) -> None:
    session = start(ask(then(p("Flag", n="?n"), p("Page", n="?n"), p("K", price="?n"))), engine=engine)
    put(session, "K", ("k", 1, 1), 1, 1, 1)
    put(session, "Page", ("x", 1, None), 1, 1, 0)
    put(session, "Flag", (None, 1, None), 0, 1, 0)
    session.point(1)
    put(session, "K", ("k", 1, 1), 2, 2, 2)
    session.point(2)
    assert values(session) == set()  # the page was there before
    put(session, "Page", ("x", 1, None), 0, 3, 0)
    session.point(3)
    assert values(session) == set()  # the price was there before the page
    put(session, "K", ("k", 1, 1), 0, 4, 0)
    assert values(session) == {(1,)}


@BOTH
def test_the_proposal_is_after_every_point(engine: Any) -> None:
    rules = (ask(then(p("Page", n="?n"), p("tap"))), ask(then(p("Page"), p("Pay", who="?w")), rule="pay"))
    session = start(*rules, engine=engine)
    put(session, "Page", ("x", 1, None), 1, 1, 0)
    session.assign("tap", [(1, "x")])
    assert values(session) == set()
    session.point(1)
    assert values(session) == {(1,)}
    session.assign("Pay", [("A", 1)])
    assert values(session, "pay") == {("A",)}


@BOTH
def test_commits_in_the_middle_and_at_the_end(engine: Any) -> None:
    rules = (
        ask(then(p("Page", n=1), earlier("Pay", who="?w"))),
        ask(then(p("Page", n=1), p("Pay", who="?w"), p("K", price="?p")), rule="middle"),
        ask(then((p("Pay", who="?w"), p("Page", n=1)), p("K", price="?p")), rule="group"),
    )
    session = start(*rules, engine=engine)
    put(session, "Page", ("x", 1, None), 1, 1, 0)
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])
    session.point(1)
    assert values(session) == set()  # at the same point, not after it
    session.assign("commits Pay", [Commit(1, 1, ("A", 3)), Commit(2, 2, ("B", 3))])
    session.point(2)
    assert values(session) == {("B",)}
    put(session, "K", ("k", 5, 1), 3, 3, 3)
    assert values(session, "middle") == {(5, "B")}
    assert values(session, "group") == {(5, "A"), (5, "B")}
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])  # B taken back
    assert values(session) == set() and values(session, "middle") == set()
    assert values(session, "group") == {(5, "A")}
    session.assign("commits Pay", [])
    assert values(session, "group") == set()


@BOTH
def test_derived_evidence_is_as_young_as_its_ground(engine: Any) -> None:
    derived = {"D": {"x": NUMBER}, "E": {"x": NUMBER}}
    rules = (
        ask(then(p("Flag", n=1), p("E", x="?x"))),
        define("E", p("D", x="?x"), no("Node"), x="?x"),
        define("D", p("Item", k="?x", b=True), x="?x"),
        define("D", p("D", x="?y"), p("Pair", b="?y", c="Red"), cmp("?x", "=", 9), x="?x"),
    )
    session = start(*rules, engine=engine, derived=derived)
    put(session, "Flag", (None, 1, None), 0, 1, 0)
    session.point(1)
    put(session, "Item", (1, True, "t", None), 0, 1, 5, 0)  # what is younger is not read
    put(session, "Pair", ("a", 1, "Red"), 0, 1, 2)
    assert values(session) == {(9,)}
    put(session, "Item", (1, True, "t", None), 0, 2, 0, 0)
    assert values(session) == {(1,), (9,)}


@BOTH
def test_counted_and_chosen_rows_are_evidence(engine: Any) -> None:
    rules = (
        ask(then(p("Flag"), agg("count", "", p("K", price=1), ">=", 1))),
        ask(then(p("Flag"), first(1, a("K", price=1))), rule="first"),
        ask(then(p("Flag"), no("K", price=7)), rule="absent"),
    )
    session = start(*rules, engine=engine)
    put(session, "Flag", (None, None, None), 1, 1, 1)
    session.point(1)
    old, new = ("a", 1, 1), ("b", 1, 2)
    session.assign("K", [old, new])
    session.assign("timestamps K", [TimedRow(old, (1, 1, 1)), TimedRow(new, (2, 2, 2))])
    assert session.answers("ask")
    assert not session.answers("first")  # the row that is younger is not the first
    assert not session.answers("absent")  # absence was not written by anything
    session.assign("timestamps K", [TimedRow(old, (1, 2, 1)), TimedRow(new, (2, 2, 2))])
    assert session.answers("first")


@BOTH
def test_a_licence_reads_both_sides_certainly(engine: Any) -> None:
    rules = (
        allow(a("finish"), then(no("Item", b=True), p("Page", n=1))),
        ask(then(no("Item", b=True), p("Page", n=1))),
    )
    session = start(*rules, engine=engine)
    session.assign("finish", [()])
    session.point(1)
    put(session, "Page", ("x", 1, None), 2, 2, 0)
    assert session.answers("ask") and not session.answers("allow")
    session.assign("complete Item", [(None, None, None, None)])
    session.point(2)
    put(session, "Page", ("x", 1, None), 3, 3, 0)
    assert session.answers("allow")
    session.assign("complete Item", [])  # a state may have a row by now
    assert not session.answers("allow")


@BOTH
def test_comparisons_within_a_side(engine: Any) -> None:
    rule = ask(then((p("Pay", amount="?n"), cmp("?n", ">", 2)), (p("Page", n="?m"), cmp("?m", ">", "?n"))))
    session = start(rule, engine=engine)
    put(session, "Page", ("x", 5, None), 2, 2, 0)
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])
    assert values(session) == set()  # its point is not recorded yet
    session.point(1)
    for amount, found in ((2, set()), (3, {(5, 3)}), (5, set())):
        session.assign("commits Pay", [Commit(1, 1, ("A", amount))])
        assert values(session) == found


@BOTH
def test_two_memories_in_one_body_share_no_commits(engine: Any) -> None:
    one = then((p("Pay", who="A"), p("Page", n=1)), p("K", price=1))
    two = then((p("Pay", who="B"), p("Page", n=1)), p("K", price=1))
    session = start(ask(one, two), engine=engine)
    put(session, "Page", ("x", 1, None), 1, 1, 0)
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])
    session.point(1)
    session.assign("commits Pay", [Commit(1, 1, ("A", 3)), Commit(2, 2, ("B", 3))])
    session.point(2)
    put(session, "K", ("k", 1, 1), 3, 3, 3)
    assert values(session) == {()}


@BOTH
def test_a_commit_that_is_taken_back_tentatively_comes_back(engine: Any) -> None:
    session = start(
        ask(then((p("Pay", who="?w"), p("Page", n=1)), p("K", c("price", ">", 0)))), engine=engine
    )
    put(session, "Page", ("x", 1, None), 1, 1, 0)
    session.assign("commits Pay", [Commit(1, 1, ("A", 3))])
    session.point(1)
    put(session, "K", ("k", 5, 1), 3, 3, 3)
    savepoint = session.savepoint()
    session.assign("commits Pay", [])
    assert values(session) == set()
    session.rollback(savepoint)
    assert values(session) == {("A",)}


@BOTH
def test_a_proposal_that_became_history_is_of_its_point(engine: Any) -> None:
    session = start(ask(then(p("Page"), p("tap", node="?n"), p("K", price=1))), engine=engine)
    put(session, "Page", ("x", 1, None), 1, 1, 0)
    session.assign("tap", [(1, "x")])
    session.point(1)  # both at one point: not one after the other
    put(session, "K", ("k", 1, 1), 9, 9, 9)
    assert values(session) == set()
    session.point(2)
    put(session, "K", ("k", 1, 1), 10, 10, 10)
    assert values(session) == {(1,)}


ALL = pytest.mark.parametrize("engine", ["reference", "incremental", "pydatalog"])


def items(session: Any, written: dict[int, int]) -> None:
    """The rows of a keyed state, with the points at which they were written."""
    rows = {(key, None, None, None): point for key, point in written.items()}
    session.assign("Item", list(rows))
    session.assign("timestamps Item", [TimedRow(row, (point, 0, 0, 0)) for row, point in rows.items()])


@ALL
def test_undone_work_does_not_count_behind_a_definition_either(engine: Any) -> None:
    """`D then C` is `A then B then C`: what either says of states must still hold."""
    one, two, three = (p("Item", k=key) for key in (1, 2, 3))
    session = start(
        define("D", then(one, two)),
        define("E", p("D")),
        ask(then(one, two, three), rule="direct"),
        ask(then(p("D"), three), rule="defined"),
        ask(then(p("E"), three), rule="twice"),
        allow(a("finish"), then(p("D"), three), rule="allow"),
        engine=engine,
        derived={"D": {}, "E": {}},
    )
    session.assign("finish", [()])
    rules = ("direct", "defined", "twice", "allow")
    done = {1: 1, 2: 2, 3: 3}
    for point, written in enumerate(({1: 1}, {1: 1, 2: 2}, done), 1):
        items(session, written)
        session.point(point)
    assert all(session.answers(rule) for rule in rules)
    for undone in (1, 2, 3):
        items(session, {key: point for key, point in done.items() if key != undone})
        assert not any(session.answers(rule) for rule in rules), undone


@ALL
def test_what_a_definition_says_of_the_past_is_remembered(engine: Any) -> None:
    recent = Lit(a("Item", k=1), past=Past("within", const(dt.timedelta(minutes=2))))
    session = start(
        define("Recent", recent),
        ask(then(recent, p("Item", k=3)), rule="direct"),
        ask(then(p("Recent"), p("Item", k=3)), rule="defined"),
        engine=engine,
        derived={"Recent": {}},
    )
    for point, written in enumerate(({1: 1}, {}, {3: 3}), 1):
        session.now(NOON + dt.timedelta(minutes=point))
        items(session, written)
        session.point(point)
    session.now(NOON + dt.timedelta(minutes=9))
    assert session.answers("direct") and session.answers("defined")
