"""The incremental evaluator: every literal form in both readings, what is not computed again, rollback, budgets."""

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
    define,
    every,
    expect,
    first,
    fn,
    no,
    p,
    program,
    recognize,
)
from vsalang.engine.api import Commit
from vsalang.program.ir import NUMBER, TIME, Literal, Past, Regex, Rule, Spent
from vsalang.program.similarity import AssumedPairs
from vsalang.program.values import NONE

BOTH = pytest.mark.parametrize("engine", ["incremental", "pydatalog"])
ALL = (None, None, None, None)


def start(*rules: Rule, engine: Any = "incremental", derived: Any = None, **inputs: Any) -> Any:
    session = evaluator(program(*rules, derived=derived), engine)
    session.now(NOON)
    for name, rows in inputs.items():
        session.assign(name.replace("_", " "), rows)
    return session


def values(session: Any, rule: str = "ask") -> set[Any]:
    return {answer.values for answer in session.answers(rule)}


def plainly(engine: Any, *body: Literal, rules: Any = (), derived: Any = None, **inputs: Any) -> bool:
    return bool(start(ask(*body), *rules, engine=engine, derived=derived, **inputs).answers("ask"))


def surely(engine: Any, *body: Literal, rules: Any = (), derived: Any = None, **inputs: Any) -> bool:
    session = start(allow(a("finish"), *body), *rules, engine=engine, derived=derived, finish=[()], **inputs)
    return bool(session.answers("allow"))


# ---------------------------------------------------------------- atoms, comparisons, joins


@BOTH
@pytest.mark.parametrize(
    ("constraint", "cell", "holds"),
    [
        (c("n", "=", 3), 3, True),
        (c("n", "!=", 3), 3, False),
        (c("n", "!=", 3), None, False),
        (c("n", "<", 3), 2, True),
        (c("n", "<=", 3), NONE, False),
        (c("n", "=", NONE), NONE, True),
        (c("n", "in", 1, 3), 3, True),
        (c("n", "not in", 1, 3), 3, False),
        (c("n", "in", (1, 4)), 4, True),
        (c("n", "not in", (1, 4)), None, False),
        (c("n", "known"), NONE, True),
        (c("n", "known"), None, False),
        (c("n", "unknown"), None, True),
        (c("n", "unknown"), 1, False),
    ],
)
def test_constraints(engine: Any, constraint: Any, cell: Any, holds: bool) -> None:
    assert plainly(engine, p("Flag", constraint), Flag=[(None, cell, None)]) == holds


@BOTH
@pytest.mark.parametrize(
    ("constraint", "cell", "holds"),
    [
        (c("who", "contains", "BO"), "a bob", True),
        (c("who", "not contains", "bo"), "a bob", False),
        (c("who", "matches", Regex("^a")), "a bob", True),
        (c("who", "not matches", Regex("^a")), "a bob", False),
        (c("who", "~=", "A Bob!"), "a bob", True),
        (c("who", "!~=", "A Bob!"), "a bob", False),
        (c("who", "~=", "A, Bob!"), "a bob", False),
        (c("who", "~=", "x"), None, False),
        (c("who", "=", "True"), "True", True),
    ],
)
def test_constraints_on_text(engine: Any, constraint: Any, cell: Any, holds: bool) -> None:
    assert plainly(engine, p("Flag", constraint), Flag=[(None, None, cell)]) == holds


@BOTH
def test_sets(engine: Any) -> None:
    page = {"Page": [("x", None, frozenset({"a", "b"}))]}
    assert plainly(engine, p("Page", c("tags", "contains", "a")), **page)
    assert plainly(engine, p("Page", c("tags", "=", frozenset({"b", "a"}))), **page)
    assert not plainly(engine, p("Page", c("tags", "subset", frozenset({"a"}))), **page)


@BOTH
def test_joins_bind_and_variables_never_hold_unknown(engine: Any) -> None:
    rule = ask(p("Item", k="?k", n="?n"), p("Node", node="?n", text="?t"))
    items = [(1, None, None, 5), (2, None, None, None), (3, None, None, 6)]
    session = start(rule, engine=engine, Item=items, Node=[(5, "i", "five", None), (6, "i", None, None)])
    assert values(session) == {(1, 5, "five")}


@BOTH
def test_comparisons_bind_test_and_enumerate(engine: Any) -> None:
    session = start(
        ask(
            cmp("?m", "=", fn("+", NUMBER, "?n", 1)),
            p("Flag", n="?n"),
            cmp("?c", "in", (5, 6, 9)),
            cmp("?c", ">=", "?m"),
        ),
        engine=engine,
        Flag=[(None, 5, None)],
    )
    assert values(session) == {(6, 6, 5), (9, 6, 5)}


@BOTH
def test_functions_are_partial(engine: Any) -> None:
    rule = ask(p("Node", text="?t"), cmp("?x", "=", fn("time", TIME, "?t")))
    session = start(rule, engine=engine, Node=[(1, "a", "19:05", None), (2, "a", "soon", None)])
    assert values(session) == {("19:05", dt.time(19, 5))}


@BOTH
def test_captures_bind_and_join(engine: Any) -> None:
    regex = Regex("by (?<w>[a-z]+)", "", ("w",))
    session = start(
        ask(p("Node", c("text", "matches", regex)), p("Flag", who="?w")),
        engine=engine,
        Node=[(1, "a", "by bob", None), (2, "a", "by eve", None)],
        Flag=[(None, None, "eve")],
    )
    assert values(session) == {("eve",)}


@BOTH
def test_plain_negation(engine: Any) -> None:
    rule = ask(p("Item", k="?k", n="?n"), no("Item", c("n", ">", "?n")))
    session = start(rule, engine=engine, Item=[(1, None, None, 5), (2, None, None, 7), (3, None, None, None)])
    assert values(session) == {(2, 7)}
    assert plainly(engine, no("Flag"))
    assert not plainly(engine, no("Flag"), Flag=[(None, None, None)])
    assert plainly(engine, no("Flag", on=True), Flag=[(None, None, None)])


@BOTH
def test_before_given_screens_and_spent(engine: Any) -> None:
    assert values(
        start(ask(p("Flag", before=True, n="?b"), p("Flag", n="?n")), engine=engine,
              Flag=[(None, 2, None)], before_Flag=[(None, 1, None)])
    ) == {(1, 2)}  # fmt: skip
    assert plainly(engine, p("Menu"), given_Menu=[()])
    assert not plainly(engine, p("Menu"))
    assert plainly(engine, p("Home"), rules=(define("Home", p("Node", id="x")),), Node=[(1, "x", None, None)])
    assert surely(engine, Spent("Pay"), spent_Pay=[()])
    assert not surely(engine, Spent("Pay"))


# ---------------------------------------------------------------- the certain reading


@BOTH
def test_no_input_needs_every_row_and_every_cell(engine: Any) -> None:
    body = no("L", c("price", "<", 7), g="R")
    done = {"complete_L": [("R", None, None, None)]}
    assert not surely(engine, body)  # never looked
    assert not surely(engine, body, L=[("R", "a", 9, 1)])  # there may be more
    assert surely(engine, body, L=[("R", "a", 9, 1)], **done)
    assert surely(engine, body, **done)  # seen to be empty
    assert not surely(engine, body, L=[("R", "a", None, 1)], **done)  # not read
    assert not surely(engine, body, L=[(None, "a", 5, 1)], **done)  # whose list it is was not read
    assert not surely(engine, body, L=[("R", "a", 5, 1)], **done)
    assert surely(engine, body, L=[("Q", "a", 5, 1)], **done)
    assert not surely(engine, body, L=[], complete_L=[("Q", None, None, None)])
    assert plainly(engine, body)


@BOTH
def test_what_is_complete(engine: Any) -> None:
    assert not surely(engine, no("Flag", on=True))
    assert surely(engine, no("Flag", on=True), Flag=[(False, None, None)])
    assert not surely(engine, no("Page", n=1)) and surely(engine, no("Page", n=1), Page=[("x", 2, None)])
    assert surely(engine, no("Item", k=1, b=True), Item=[(1, False, None, None)])
    assert not surely(engine, no("Item", k=2, b=True), Item=[(1, False, None, None)])
    assert not surely(engine, no("Item", b=True), Item=[(1, False, None, None)])
    assert surely(engine, no("Item", b=True), Item=[(1, False, None, None)], complete_Item=[ALL])
    assert surely(engine, no("K", id="x", price=3), K=[("x", 4, 1)])
    assert surely(engine, no("K", at=1, price=3), K=[("x", 4, 1)])
    assert not surely(engine, no("K", at=2, price=3), K=[("x", 4, 1)])
    assert not surely(engine, no("Node", id="x"), Node=[(1, "y", None, None)])
    assert surely(engine, no("App", package="p")) and surely(engine, no("tap")) and surely(engine, no("Goto"))


@BOTH
def test_a_certain_negation_about_commits(engine: Any) -> None:
    body = no("Pay", amount=5, past=Past("earlier"))
    assert surely(engine, body)
    assert surely(engine, body, commits_Pay=[Commit(1, 1, ("A", 4))])
    assert not surely(engine, body, commits_Pay=[Commit(1, 1, ("A", None))])
    assert not surely(engine, body, commits_Pay=[Commit(1, 1, ("A", 5))])


@BOTH
def test_an_unanswered_similarity_refutes_nothing(engine: Any) -> None:
    made = program(allow(a("finish"), no("Flag", c("who", "~=", "a good friend"))))
    for backend, holds in (
        (AssumedPairs([]), False),
        (AssumedPairs([("bob", "a good friend", False)]), True),
    ):
        session = evaluator(made, engine, similarity=backend)
        session.assign("finish", [()])
        session.assign("Flag", [(None, None, "bob")])
        assert bool(session.answers("allow")) == holds


@BOTH
def test_aggregates(engine: Any) -> None:
    items = [(1, True, "a", 5), (2, True, "b", 7), (3, False, "c", None)]
    body = p("Item", b=True)
    for literal, found in (
        (agg("count", "", body, "=", "?x"), {(2,)}),
        (agg("sum", "n", body, "=", "?x"), {(12,)}),
        (agg("min", "n", body, "=", "?x"), {(5,)}),
        (agg("max", "n", body, "=", "?x"), {(7,)}),
        (agg("set", "t", body, "=", "?x"), {(frozenset({"a", "b"}),)}),
        (agg("sum", "n", p("Item"), "=", "?x"), set()),  # one has no value
        (agg("sum", "n", p("Item", k=9), "=", "?x"), set()),
        (agg("count", "", p("Item", k=9), "=", "?x"), {(0,)}),
    ):
        assert values(start(ask(literal), engine=engine, Item=items)) == found
    grouped = ask(agg("count", "", p("Item", b="?b"), "=", "?x", ["b"]))
    assert values(start(grouped, engine=engine, Item=items)) == {(True, 2), (False, 1)}
    bound = ask(p("Flag", on="?b"), agg("count", "", p("Item", b="?b", k=9), "=", "?x", ["b"]))
    assert values(start(bound, engine=engine, Item=items, Flag=[(True, None, None)])) == {(True, 0)}


@BOTH
def test_certain_aggregates(engine: Any) -> None:
    some = {"Item": [(1, True, "a", 5), (2, True, "b", 7)]}
    done = {"complete_Item": [ALL]}
    at_least, at_most = (
        agg("count", "", p("Item", b=True), ">=", 2),
        agg("count", "", p("Item", b=True), "<=", 2),
    )
    assert surely(engine, at_least, **some)
    assert not surely(engine, at_most, **some) and surely(engine, at_most, **some, **done)
    assert not surely(engine, at_most, Item=[(1, True, "a", 5), (2, None, "b", 7)], **done)
    total = agg("sum", "n", p("Item", b=True), "<=", 12)
    assert not surely(engine, total, **some) and surely(engine, total, **some, **done)
    assert not surely(engine, total, Item=[(1, True, "a", 5), (2, True, "b", None)], **done)


@BOTH
def test_every(engine: Any) -> None:
    body = every(a("Item", b=True), c("n", ">", 3))
    good, bad = [(1, True, None, 5)], [(1, True, None, 5), (2, True, None, None)]
    assert (
        plainly(engine, body, Item=good) and not plainly(engine, body, Item=bad) and not plainly(engine, body)
    )
    assert not surely(engine, body, Item=good)
    assert surely(engine, body, Item=good, complete_Item=[ALL])
    assert not surely(engine, body, Item=[*good, (2, None, None, 1)], complete_Item=[ALL])
    assert surely(engine, body, Item=[*good, (2, None, None, 4)], complete_Item=[ALL])
    named = every(a("Item", c("k", "in", (1, 2))), c("n", ">", 3))
    assert surely(engine, named, Item=[(1, None, None, 5), (2, None, None, 6)])
    assert not surely(engine, named, Item=[(1, None, None, 5)])


@BOTH
def test_first(engine: Any) -> None:
    rows = [("g", "a", 5, 1), ("g", "b", 6, 2), ("g", "b", 7, 3), ("h", "b", 1, 9)]
    rule = ask(first(1, a("L", name="b", g="?g", price="?p")))
    assert values(start(rule, engine=engine, L=rows)) == {("g", 6), ("h", 1)}
    assert surely(engine, first(1, a("L", g="g", name="b", price=6)), L=rows)
    assert not surely(engine, first(1, a("L", g="g", name="b")), L=[("g", None, 5, 1), ("g", "b", 6, 2)])
    assert not surely(
        engine, first(1, a("L", g="g", name="b")), L=[("g", "b", 6, 2)]
    )  # the first was not seen
    assert not surely(engine, first(1, a("L", g="h", name="b")), L=rows)
    both = first(3, a("L", g="g"), (c("price", "<", 9),))
    assert plainly(engine, both, L=rows) and not surely(engine, both, L=rows[:2])
    assert surely(engine, both, L=rows)
    assert surely(engine, both, L=rows[:2], complete_L=[("g", None, None, None)])
    assert not surely(engine, both, L=[], complete_L=[("g", None, None, None)])


DERIVED: dict[str, Any] = {"D": {"x": NUMBER}, "E": {"x": NUMBER}}


@BOTH
def test_a_define_is_read_as_its_reader_reads(engine: Any) -> None:
    rules = (
        define("D", p("Item", k="?x"), no("Item", k="?x", b=True), x="?x"),
        define("E", p("D", x="?x"), x="?x"),
    )
    world = {"Item": [(1, False, None, None), (2, None, None, None), (3, True, None, None)]}
    plain = start(ask(p("E", x="?x")), *rules, engine=engine, derived=DERIVED, **world)
    assert values(plain) == {(1,), (2,)}
    assert plain.rows("D") == {(1,), (2,)}
    for x, holds in ((1, True), (2, False), (3, False)):
        assert surely(engine, p("E", x=x), rules=rules, derived=DERIVED, **world) == holds
    for x, holds in ((1, False), (2, False), (3, True), (4, False)):
        assert surely(engine, no("E", x=x), rules=rules, derived=DERIVED, **world) == holds


@BOTH
def test_wrapping_a_condition_changes_nothing(engine: Any) -> None:
    rules = (define("D", p("Item", k="?x", b=True), cmp("?x", ">", 0), x="?x"),)
    for rows in ([], [(1, False, None, None)], [(1, None, None, None)], [(1, True, None, None)]):
        direct = surely(engine, no("Item", k=1, b=True), Item=rows)
        assert surely(engine, no("D", x=1), rules=rules, derived=DERIVED, Item=rows) == direct
    assert surely(engine, no("D", x=0), rules=rules, derived=DERIVED)  # no row can make it so


@BOTH
def test_a_wrapped_condition_notices_what_changes_beneath_it(engine: Any) -> None:
    rules = (define("E", p("D", x="?x"), x="?x"), define("D", p("Item", k="?x", b=True), x="?x"))
    session = start(allow(a("finish"), no("E", x=1)), *rules, engine=engine, derived=DERIVED, finish=[()])
    for cell, holds in ((None, False), (False, True), (True, False), (None, False), (False, True)):
        session.assign("Item", [(1, cell, None, None)])
        assert bool(session.answers("allow")) == holds
    session.assign("Item", [])
    assert not session.answers("allow")
    session.assign("complete Item", [ALL])
    assert session.answers("allow")


@BOTH
def test_what_first_or_aggregate_binds_is_compared_possibly_too(engine: Any) -> None:
    for literal in (first(1, a("L", g="g", price="?x")), agg("max", "price", p("L", g="g"), "=", "?x")):
        rules = (define("D", literal, cmp("?x", "<", 3), x="?x"),)
        for price, holds in ((5, True), (2, False), (None, False)):
            rows = {"L": [("g", "a", price, 1)], "complete_L": [("g", None, None, None)]}
            assert surely(engine, no("D"), rules=rules, derived=DERIVED, **rows) == holds


# ---------------------------------------------------------------- recursion


EDGES = (
    define("D", p("Flag", n="?x"), x="?x"),
    define("D", p("D", x="?y"), p("Item", k="?y", n="?x"), x="?x"),
)


@BOTH
def test_recursion_over_cycles_ends(engine: Any) -> None:
    session = start(ask(p("D", x="?x")), *EDGES, engine=engine, derived=DERIVED, Flag=[(None, 1, None)])
    session.assign("Item", [(1, None, None, 2), (2, None, None, 3), (3, None, None, 1), (8, None, None, 9)])
    assert values(session) == {(1,), (2,), (3,)}
    session.assign("Item", [(1, None, None, 2), (3, None, None, 1)])
    assert values(session) == {(1,), (2,)}


def test_a_chain_of_5000_is_no_recursion_in_python() -> None:
    session = start(ask(p("D", x="?x")), *EDGES, derived=DERIVED, Flag=[(None, 0, None)])
    session.assign("Item", [(n, None, None, n + 1) for n in range(5000)])
    assert len(session.answers("ask")) == 5001
    assert surely("incremental", p("D", x=3), rules=EDGES, derived=DERIVED,
                  Flag=[(None, 0, None)], Item=[(n, None, None, n + 1) for n in range(4)])  # fmt: skip


@BOTH
def test_mutual_and_nonlinear_recursion(engine: Any) -> None:
    rules = (
        define("D", p("Item", k="?x", n=0), x="?x"),
        define("D", p("E", x="?y"), p("Item", k="?x", n="?y"), x="?x"),
        define("E", p("D", x="?y"), p("Item", k="?x", n="?y"), x="?x"),
    )
    rows = [(1, None, None, 0), (2, None, None, 1), (3, None, None, 2), (4, None, None, 3)]
    session = start(ask(p("D", x="?x")), *rules, engine=engine, derived=DERIVED, Item=rows)
    assert values(session) == {(1,), (3,)}
    paths = {"T": {"a": NUMBER, "b": NUMBER}}
    twice = (
        define("T", p("Item", k="?a", n="?b"), a="?a", b="?b"),
        define("T", p("T", a="?a", b="?m"), p("T", a="?m", b="?b"), a="?a", b="?b"),
    )
    loop = [(1, None, None, 2), (2, None, None, 3), (3, None, None, 1)]
    session = start(ask(p("T", a=1, b="?b")), *twice, engine=engine, derived=paths, Item=loop)
    assert values(session) == {(1,), (2,), (3,)}


# ---------------------------------------------------------------- answers


@BOTH
def test_licences_name_the_instance(engine: Any) -> None:
    rule = allow(a("Pay", c("amount", "<", "?m"), who="?w"), p("Flag", who="?w", n="?m"))
    session = start(rule, engine=engine, Flag=[(None, 5, "A")], Pay=[("A", 3), ("A", None), ("B", 1)])
    assert session.variables("allow") == ("m", "w")
    assert [(x.values, x.instance) for x in session.answers("allow")] == [((5, "A"), ("A", 3))]


@BOTH
def test_recognize_and_expect(engine: Any) -> None:
    rule = recognize(a("Pay", who="?w", amount="?n"), (p("tap", node="?n"),), (p("Page", name="?w"),))
    session = start(rule, expect((p("Flag", n="?n", who="?free"),), p("tap", node="?n")), engine=engine)
    session.assign("tap", [(4, "x")])
    assert values(session, "recognize") == {(4, None)}
    assert {x.values for x in session.extra_answers("recognize")} == {(4, None)}
    session.assign("Page", [("bob", None, None)])
    assert {x.values for x in session.extra_answers("recognize")} == {(4, "bob")}
    (answer,) = session.answers("expect")
    assert not session.expected("expect", answer)
    session.assign("tap", [])
    session.assign("Flag", [(None, 4, "w")])
    assert session.expected("expect", answer)


@BOTH
def test_a_boolean_is_no_number(engine: Any) -> None:
    session = start(
        ask(p("Item", b="?b", k="?k")), engine=engine, Item=[(1, True, None, None), (0, False, None, None)]
    )
    assert {(type(b), type(k)) for b, k in values(session)} == {(bool, int)}
    assert values(start(ask(p("Flag", on="?x"), p("Item", n="?x")), engine=engine,
                        Flag=[(True, None, None)], Item=[(1, None, None, 2)])) == set()  # fmt: skip
