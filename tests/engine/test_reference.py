"""The reference evaluator against expectations written by hand, one literal form after the other."""

import datetime as dt
from typing import Any

import pytest

from tests.engine.reference_helpers import NO, YES, asked, certain, fill, start, values
from tests.engine.worlds import (
    COLOR,
    NOON,
    TODAY,
    a,
    agg,
    allow,
    ask,
    c,
    cmp,
    const,
    define,
    earlier,
    every,
    expect,
    first,
    fn,
    no,
    p,
    program,
    recognize,
)
from tests.oracle import ReferenceEvaluator
from vsalang.engine.api import Answer, Budget, BudgetExceeded, Commit, EngineError
from vsalang.program.ir import (
    BOOL,
    DATE,
    NUMBER,
    TEXT,
    TIME,
    Derive,
    License,
    Lit,
    Literal,
    Past,
    Regex,
    Rule,
    Spent,
    Type,
)
from vsalang.program.similarity import AssumedPairs
from vsalang.program.values import NONE

MIN = dt.timedelta(minutes=1)


# ---------------------------------------------------------------- atoms and constraints, plain


@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        (c("n", "=", 1), True),
        (c("n", "!=", 1), False),
        (c("n", "<", 2), True),
        (c("n", "in", 0, 1), True),
        (c("n", "not in", 0, 1), False),
        (c("n", "in", (1, 2)), True),
        (c("n", "not in", (2, 3)), True),
        (c("n", "=", fn("+", NUMBER, 0, 1)), True),
        (c("n", "=", fn("number", NUMBER, "one")), False),
        (c("n", "!=", fn("number", NUMBER, "one")), False),
        (c("n", "known"), True),
        (c("n", "unknown"), False),
        (c("on", "=", True), True),
        (c("on", "=", False), False),
        (c("who", "=", "Ann"), False),
        (c("who", "!=", "Ann"), False),
        (c("who", "not in", ("Ann",)), False),
        (c("who", "known"), False),
        (c("who", "unknown"), True),
    ],
)
def test_constraint_on_a_row_with_an_unknown_cell(constraint: Any, holds: bool) -> None:
    assert asked(p("Flag", constraint), Flag=[(True, 1, None)]) == (YES if holds else NO)


@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        (c("name", "contains", "ELL"), True),
        (c("name", "not contains", "x"), True),
        (c("name", "matches", Regex("^he")), True),
        (c("name", "not matches", Regex("^he")), False),
        (c("name", "~=", "hello!"), True),
        (c("name", "!~=", "bye"), True),
        (c("tags", "contains", "a"), True),
        (c("tags", "subset", frozenset({"a", "b"})), True),
        (c("tags", "not subset", frozenset({"b"})), True),
        (c("n", "=", NONE), True),
        (c("n", "!=", 3), True),
        (c("n", "<", 3), False),
        (c("n", ">=", 3), False),
        (c("n", "known"), True),
    ],
)
def test_constraint_on_texts_sets_and_none(constraint: Any, holds: bool) -> None:
    assert asked(p("Page", constraint), Page=[("hello", NONE, frozenset({"a"}))]) == (YES if holds else NO)


def test_a_keyless_atom_holds_once_the_row_exists() -> None:
    assert asked(p("Flag"), Flag=[]) == NO
    assert asked(p("Flag"), Flag=[(None, None, None)]) == YES


def test_variables_join_and_never_hold_unknown() -> None:
    rows = [(1, True, "x", 2), (2, False, "x", None), (3, None, "y", 1)]
    assert asked(p("Item", k="?k", n="?n"), Item=rows) == {(1, 2), (3, 1)}
    assert asked(p("Item", k="?k", n="?n"), p("Item", k="?n", t="?t"), Item=rows) == {
        (1, 2, "x"),
        (3, 1, "x"),
    }
    assert asked(p("Item", k="?k", n="?k"), Item=[(1, None, None, 1), (2, None, None, 3)]) == {(1,)}


def test_a_boolean_is_no_number() -> None:
    assert asked(p("Item", k="?x", b="?y"), cmp("?x", "=", "?y"), Item=[(1, True, None, None)]) == NO


def test_captures_bind() -> None:
    found = asked(
        p("Page", c("name", "matches", Regex("^(?<first>[a-z]+) ", groups=("first",)))),
        Page=[("ab cd", 1, None)],
    )
    assert found == {("ab",)}


def test_comparisons_bind_and_test_in_any_order() -> None:
    body = (
        cmp("?y", "=", fn("+", NUMBER, "?x", 1)),
        cmp("?z", "in", (1, 2)),
        cmp("?z", "<", "?y"),
        p("Flag", n="?x"),
    )
    assert asked(*body, Flag=[(None, 1, None)]) == {(1, 2, 1)}
    assert (
        asked(cmp("?y", "=", fn("+", NUMBER, "?x", "?x")), p("Flag", n="?x"), Flag=[(None, NONE, None)]) == NO
    )


def test_negation_plain() -> None:
    assert asked(no("Item", b=True), Item=[(1, None, None, None)]) == YES
    assert (
        asked(p("Flag", n="?n"), no("Item", k="?n"), Flag=[(None, 1, None)], Item=[(1, None, None, None)])
        == NO
    )


def test_before_screens_and_gestures() -> None:
    both = (
        ask(p("Flag", n=2), p("Flag", n="?x", before=True)),
        Rule("s", Derive(a("Home")), (p("Node", id="home"),)),
    )
    engine = start(*both, Flag=[(None, 2, None)], before_Flag=[(None, 1, None)])
    assert values(engine) == {(1,)}
    assert engine.rows("Home") == frozenset()
    engine.assign("Node", [(1, "home", None, None)])
    assert engine.rows("Home") == {()}
    fill(engine, Node=[], given_Home=[()])
    assert engine.rows("Home") == {()}
    assert asked(p("Goto", name="m.Menu"), p("tap", id="x"), Goto=[("m.Menu",)], tap=[(1, "x")]) == YES


def test_spent() -> None:
    assert asked(Spent("Pay")) == NO
    assert asked(Spent("Pay"), spent_Pay=[()]) == YES


# ---------------------------------------------------------------- derived relations


def test_recursion() -> None:
    edge = {"From": {"x": NUMBER, "y": NUMBER}}
    rules = (
        define("From", p("Item", k="?x", n="?y"), x="?x", y="?y"),
        define("From", p("From", x="?x", y="?z"), p("From", x="?z", y="?y"), x="?x", y="?y"),
    )
    rows = [(1, None, None, 2), (2, None, None, 3), (3, None, None, 1)]
    engine = start(*rules, derived=edge, Item=rows)
    assert engine.rows("From") == {(x, y) for x in (1, 2, 3) for y in (1, 2, 3)}


def test_an_undefined_head_derives_nothing() -> None:
    rule = define("D", p("Item", t="?t"), x=fn("number", NUMBER, "?t"))
    assert start(rule, derived={"D": {"x": NUMBER}}, Item=[(1, None, "7", None), (2, None, "x", None)]).rows(
        "D"
    ) == {(7,)}


@pytest.mark.parametrize(
    "literal",
    [
        no("D", x="?x"),
        agg("count", "x", p("D", x="?x"), "=", 0, ["x"]),
        every(a("D"), c("x", "=", 1)),
        no("D", x="?x", past=Past("earlier")),
    ],
)
def test_a_negation_of_itself_is_refused(literal: Literal) -> None:
    with pytest.raises(EngineError, match="stratified"):
        start(define("D", p("Item", k="?x"), literal, x="?x"), derived={"D": {"x": NUMBER}})


# ---------------------------------------------------------------- aggregates, every, first

ITEMS = [(1, True, "x", 2), (2, False, "x", 3), (3, None, "y", None)]


@pytest.mark.parametrize(
    ("literal", "found"),
    [
        (agg("count", "", p("Item"), "=", "?m"), {(3,)}),
        (agg("count", "", p("Item", t="z"), "=", "?m"), {(0,)}),
        (agg("sum", "n", p("Item", t="x"), "=", "?m"), {(5,)}),
        (agg("sum", "n", p("Item"), "=", "?m"), NO),
        (agg("sum", "n", p("Item", t="z"), "=", "?m"), NO),
        (agg("min", "k", p("Item"), "=", "?m"), {(1,)}),
        (agg("max", "k", p("Item"), "=", "?m"), {(3,)}),
        (agg("set", "t", p("Item"), "=", "?m"), {(frozenset({"x", "y"}),)}),
        (agg("count", "", p("Item", t="x"), "in", 1, hi=2), YES),
        (agg("count", "", p("Item", t="?t"), "=", "?m", ["t"]), {(2, "x"), (1, "y")}),
    ],
)
def test_aggregates(literal: Literal, found: set[Any]) -> None:
    assert asked(literal, Item=ITEMS) == found


def test_a_group_bound_outside_counts_nothing_as_zero() -> None:
    found = asked(
        p("Flag", who="?t"),
        agg("count", "", p("Item", t="?t"), "=", "?m", ["t"]),
        Flag=[(None, None, "z")],
        Item=ITEMS,
    )
    assert found == {(0, "z")}


def test_every() -> None:
    assert asked(every(a("Item", t="x"), c("n", ">", 1)), Item=ITEMS) == YES
    assert asked(every(a("Item"), c("n", ">", 1)), Item=ITEMS) == NO  # an unknown cell fails
    assert asked(every(a("Item", t="z"), c("n", ">", 1)), Item=ITEMS) == NO  # nothing matches
    assert asked(every(a("Item", k="?k", t="x"), c("n", ">", "?k")), Item=ITEMS) == YES


LIST = [("g", "a", 5, 1), ("g", "b", 7, 2), ("g", "a", 9, 3), ("h", "a", 1, 1), ("g", "a", 2, None)]


def test_first() -> None:
    one = first(1, a("L", g="g", name="a", price="?p"))
    assert asked(one, L=LIST) == {(5,)}
    assert asked(first(2, a("L", g="g", name="a", price="?p")), L=LIST) == {(5,), (9,)}
    assert asked(first(1, a("L", g="?g", price="?p")), L=LIST) == {("g", 5), ("h", 1)}
    # a constraint with a variable tests the row so chosen, it does not select
    tested = (p("Flag", n="?n"), first(1, a("L", c("price", ">", "?n"), g="g")))
    assert asked(*tested, Flag=[(None, 6, None)], L=LIST) == NO
    assert asked(*tested, Flag=[(None, 4, None)], L=LIST) == {(4,)}


def test_first_has() -> None:
    assert asked(first(2, a("L", g="g"), (c("price", "<", 8),)), L=LIST) == YES
    assert asked(first(3, a("L", g="g"), (c("price", "<", 8),)), L=LIST) == NO
    assert asked(first(3, a("L", g="z"), (c("price", "<", 8),)), L=LIST) == NO


# ---------------------------------------------------------------- the certain reading


def test_certain_negation_needs_completeness() -> None:
    assert not certain(no("Item", b=True))
    assert certain(no("Item", b=True), complete_Item=[(None,) * 4])
    assert not certain(no("Item", b=True), complete_Item=[(None,) * 4], Item=[(1, None, None, None)])
    assert certain(no("Item", b=True), complete_Item=[(None,) * 4], Item=[(1, False, None, None)])
    # complete for a value: only if the atom gives it
    part = [(None, None, "x", None)]
    assert certain(no("Item", t="x"), complete_Item=part)
    assert not certain(no("Item", t="y"), complete_Item=part)
    assert not certain(no("Item", c("t", "in", ("x",))), complete_Item=part)


def test_the_whole_key_by_equality_needs_only_the_row() -> None:
    assert not certain(no("Item", k=1, b=True))
    assert certain(no("Item", k=1, b=True), Item=[(1, False, None, None)])
    assert not certain(no("Item", k=1, b=True), Item=[(1, None, None, None)])
    assert certain(no("Pair", a="x", b=1, c="Red"), Pair=[("x", 1, "Blue")])
    assert not certain(no("Pair", a="x", c="Red"), Pair=[("x", 1, "Blue")])
    for given in ({"g": "g", "at": 1}, {"g": "g", "at": 2}):
        assert certain(no("L", name="z", **given), L=LIST)
    assert not certain(no("L", g="g", at=4, name="z"), L=LIST)
    assert certain(no("K", id="i", price=1), K=[("i", 2, None)])
    assert certain(no("K", at=1, price=1), K=[("i", 2, 1)])


def test_keyless_observed_and_proposal() -> None:
    assert not certain(no("Flag", on=True))
    assert certain(no("Flag", on=True), Flag=[(False, None, None)])
    assert not certain(no("Page", n=1), Page=[("x", None, None)])
    assert not certain(no("Node", id="x"), Node=[(1, "y", None, None)])
    assert certain(no("App", package="x"), App=[("y", None)])
    assert not certain(no("App", package="x"), App=[(None, None)])
    assert certain(no("tap"))
    assert certain(no("Home"))
    assert certain(no("Pay", past=Past("earlier")))
    assert not certain(no("Pay", who="A", past=Past("earlier")), commits_Pay=[Commit(1, 1, (None, 3))])
    assert certain(no("Pay", who="A", past=Past("earlier")), commits_Pay=[Commit(1, 1, ("B", 3))])
    assert not certain(no("Flag", past=Past("earlier")))


def test_what_a_known_cell_refutes_is_certain() -> None:
    body = no("Item", c("n", "<", 5))
    assert certain(body, complete_Item=[(None,) * 4], Item=[(1, None, None, NONE), (2, None, None, 5)])
    assert not certain(no("Item", n=fn("number", NUMBER, "one")), complete_Item=[(None,) * 4], Item=ITEMS)


def test_an_unanswered_similarity_refutes_nothing() -> None:
    made = program(allow(a("finish"), no("Page", c("name", "~=", "nice"))))
    for pairs, holds in (([], False), ([("good", "nice", False)], True), ([("good", "nice", True)], False)):
        engine = ReferenceEvaluator(made, today=TODAY, similarity=AssumedPairs(pairs))
        fill(engine, finish=[()], Page=[("good", None, None)])
        assert bool(engine.answers("allow")) is holds


def test_certain_counts() -> None:
    some = {"Item": ITEMS}
    everything = {**some, "complete_Item": [(None,) * 4]}
    more = agg("count", "", p("Item", t="x"), ">=", 2)
    fewer = agg("count", "", p("Item", t="x"), "<=", 2)
    assert certain(more, **some)
    assert not certain(fewer, **some)
    assert certain(fewer, **everything)
    # a row that only possibly matches spoils every count but > and >=
    assert not certain(agg("count", "", p("Item", b=True), "=", 1), **everything)
    assert not certain(agg("count", "", p("Item", b=True), "<=", 3), **everything)
    assert certain(agg("count", "", p("Item", b=True), ">", 0), **everything)
    assert certain(agg("max", "n", p("Item", t="x"), "=", 3), **everything)
    assert not certain(agg("max", "n", p("Item", t="x"), "=", 3), **some)
    assert not certain(agg("max", "n", p("Item"), ">", 0), **everything)
    assert certain(
        agg("count", "", earlier("Pay"), "=", 2), commits_Pay=[Commit(1, 1, ("A", 1)), Commit(2, 2, ("A", 1))]
    )


def test_certain_every() -> None:
    rows = [(1, True, "x", 2), (2, True, "x", 3)]
    whole = {"complete_Item": [(None,) * 4]}
    assert not certain(every(a("Item"), c("b", "=", True)), Item=rows)
    assert certain(every(a("Item"), c("b", "=", True)), Item=rows, **whole)
    assert not certain(every(a("Item"), c("b", "=", True)), **whole)
    assert not certain(every(a("Item", t="x"), c("b", "=", True)), Item=[*rows, (3, False, None, 1)], **whole)
    # the whole key by in {..}: these rows must be there
    assert certain(every(a("Item", c("k", "in", (1, 2))), c("b", "=", True)), Item=rows)
    assert not certain(every(a("Item", c("k", "in", (1, 3))), c("b", "=", True)), Item=rows)


def test_certain_first() -> None:
    top = first(1, a("L", g="g", name="a"))
    assert certain(top, L=[("g", "a", 5, 1)])
    assert not certain(top, L=[("g", "a", 5, 2)])
    assert certain(top, L=[("g", "b", 5, 1), ("g", "a", 5, 2)])
    assert not certain(top, L=[("g", None, 5, 1), ("g", "a", None, 2)])
    assert certain(first(2, a("L", g="g", name="a")), L=[("g", "a", 5, 2)])
    assert certain(
        first(1, a("L", g="g", price=5)), L=[("g", "b", 5, 2)], complete_L=[("g", None, None, None)]
    )
    each = first(1, a("L", g="g"), (c("price", "=", 5),))
    assert certain(each, L=[("g", "a", 5, 1)])
    assert not certain(each, L=[("g", "a", 5, 2)])
    assert certain(each, L=[("g", "a", 5, 1)], complete_L=[("g", None, None, None)])


def test_wrapping_changes_nothing() -> None:
    derived = {"D": {"x": NUMBER}, "E": {"x": NUMBER}}
    rules = (
        define("D", p("Item", k="?x", b=True), x="?x"),
        define("E", p("D", x="?x"), no("Item", k="?x", t="z"), x="?x"),
    )
    given = {"derived": derived, "rules": rules}
    assert not certain(no("D", x=1), **given)
    assert certain(no("D", x=1), Item=[(1, False, None, None)], **given)
    assert not certain(no("D", x=1), Item=[(1, None, None, None)], **given)
    assert not certain(no("D"), Item=[(1, False, None, None)], **given)
    assert not certain(no("D", x=2), Item=[(1, False, None, None)], **given)
    assert not certain(p("E", x=1), Item=[(1, True, None, None)], **given)
    assert certain(p("E", x=1), Item=[(1, True, "y", None)], **given)
    assert certain(no("E", x=1), Item=[(1, True, "z", None)], **given)
    assert not certain(no("E", x=1), Item=[(1, True, None, None)], **given)


def test_a_possible_join_over_unknown_cells() -> None:
    derived = {"D": {"x": NUMBER}}
    rules = (define("D", p("Flag", n="?x"), p("Item", k="?x"), x="?x"),)
    given = {
        "derived": derived,
        "rules": rules,
        "complete_Item": [(None,) * 4],
        "Item": [(1, None, None, None)],
    }
    assert not certain(no("D"), Flag=[(None, None, None)], **given)
    assert not certain(no("D", x=1), Flag=[(None, None, None)], **given)
    assert certain(no("D", x=2), Flag=[(None, None, None)], **given)
    assert certain(no("D"), Flag=[(None, 2, None)], **given)


# ---------------------------------------------------------------- rules


def test_licence_answers_name_instance_and_head_variables() -> None:
    rule = allow(a("Pay", c("amount", "<", "?m"), who="?w"), p("Flag", who="?w", n="?m"))
    engine = start(rule, Flag=[(None, 5, "A")], Pay=[("A", 3), ("A", None), ("B", 1), (None, 1)])
    assert engine.variables("allow") == ("m", "w")
    assert engine.answers("allow") == {Answer((5, "A"), ("A", 3))}


def test_a_licence_is_read_certainly_through_define() -> None:
    rules = (Rule("allow", License(a("finish")), (p("D"),)), define("D", no("Item", b=True)))
    engine = start(*rules, derived={"D": {}}, finish=[()])
    assert engine.rows("D") == {()}
    assert engine.answers("allow") == frozenset()


def test_recognize_body_and_extra() -> None:
    rule = recognize(
        a("Pay", who="?w", amount="?n"), (p("tap", id="pay", node="?n"),), (p("Page", name="?w"),)
    )
    engine = start(rule, tap=[(7, "pay")])
    assert engine.answers("recognize") == {Answer((7, None))}
    assert engine.extra_answers("recognize") == {
        Answer((7, None))
    }  # a source that does not hold gives nothing
    engine.assign("Page", [("A", None, None)])
    assert engine.extra_answers("recognize") == {Answer((7, "A"))}
    with pytest.raises(EngineError):
        start(ask(p("Flag"))).extra_answers("ask")


def test_expect() -> None:
    rule = expect((p("Flag", who="?w", n="?free"), no("Item", t="?w")), p("Pay", who="?w"))
    engine = start(rule, Pay=[("A", 1)])
    (answer,) = engine.answers("expect")
    assert engine.variables("expect") == ("free", "w")
    assert answer == Answer((None, "A"))
    assert not engine.expected("expect", answer)
    fill(engine, Flag=[(None, 1, "A")], Pay=[])
    assert engine.expected("expect", answer)
    engine.assign("Item", [(1, None, "A", None)])
    assert not engine.expected("expect", answer)


def test_unknown_names_are_errors() -> None:
    engine = start(ask(p("Flag")))
    with pytest.raises(EngineError):
        engine.rows("Nothing")
    with pytest.raises(EngineError):
        engine.answers("nothing")
    with pytest.raises(EngineError):
        engine.assign("Flag", [(1,)])
    with pytest.raises(EngineError, match="safe order"):
        values(start(ask(cmp("?x", "<", 1))))


def test_functions_types_and_clock() -> None:
    engine = start(
        ask(p("Page", name="?t"), cmp("?d", "=", fn("date", DATE, "?t"))),
        ask(cmp("?d", "=", fn("today", DATE)), rule="today"),
        ask(p("Page", name="?t"), cmp("?e", "=", fn("member", COLOR, "?t")), rule="member"),
        ask(
            p("Event", day="?day", start="?s", span="?l"),
            cmp("?end", "=", fn("+", TIME, "?s", "?l")),
            rule="end",
        ),
        Page=[("tomorrow", None, None)],
        Event=[(TODAY, dt.time(23), 60 * MIN), (dt.date(2026, 1, 1), dt.time(9), 30 * MIN)],
    )
    assert values(engine) == {(dt.date(2026, 4, 2), "tomorrow")}
    engine.now(NOON + dt.timedelta(days=1))
    assert values(engine) == {(dt.date(2026, 4, 3), "tomorrow")}
    assert values(engine, "today") == {(TODAY,)}
    assert values(engine, "member") == NO
    engine.assign("Page", [("rot", None, None)])
    assert values(engine, "member") == {("Red", "rot")}
    assert values(engine, "end") == {(dt.date(2026, 1, 1), dt.time(9, 30), 30 * MIN, dt.time(9))}
    assert Type("Text") == TEXT and BOOL != NUMBER


# ---------------------------------------------------------------- bounds


def test_budgets() -> None:
    made = program(ask(p("Item", k="?x"), p("Item", k="?y")), ask(earlier("Item", k="?k"), rule="past"))
    rows = [(n, None, None, None) for n in range(20)]
    engine = ReferenceEvaluator(made, today=TODAY, budget=Budget(steps=100, bindings=10))
    engine.assign("Item", rows)
    with pytest.raises(BudgetExceeded):
        engine.answers("ask")
    with pytest.raises(BudgetExceeded):
        ReferenceEvaluator(made, today=TODAY, budget=Budget(rows=19)).assign("Item", rows)
    engine.point(1)
    with pytest.raises(BudgetExceeded):
        engine.answers("past")


def test_points_only_grow() -> None:
    engine = start(ask(p("Flag")))
    engine.point(2)
    with pytest.raises(EngineError):
        engine.point(2)


def test_a_certain_literal_with_a_constant_term() -> None:
    assert certain(Lit(a("Item", k=const(1), b=True), neg=True), Item=[(1, False, None, None)])
