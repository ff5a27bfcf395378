"""The compiler: strata, versions compiled where used, plans in any order of literals, and alphas."""

import datetime as dt
import itertools

import pytest

from tests.engine.worlds import TODAY, a, agg, allow, ask, c, cmp, define, earlier, no, p, program
from vsalang.engine.api import EngineError
from vsalang.engine.compile.atoms import plan_alpha
from vsalang.engine.compile.program import compile_program
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.engine.matching import Matcher, columns_of
from vsalang.engine.plan import AlphaSpec, Ref
from vsalang.engine.run.tables import AlphaMemory
from vsalang.engine.terms import ANYTHING, Ctx, possibly
from vsalang.program.ir import DATE, NUMBER, TEXT, Attr, Fn, License, Lit, Program, Regex, Relation, Rule, Var

X = {"x": NUMBER}


@pytest.fixture
def ctx() -> Ctx:
    return Ctx(TODAY, None)


# ---------------------------------------------------------------- strata


@pytest.mark.parametrize(
    "rules",
    [
        (define("D", p("Item", k="?x"), no("D", x="?x"), x="?x"),),
        (define("D", p("Item", k="?x"), no("E", x="?x"), x="?x"), define("E", p("D", x="?x"), x="?x")),
        (define("D", agg("count", "", p("D"), "=", "?x"), x="?x"),),
        (define("D", p("Item", k="?x"), Lit(a("D", x="?x"), True, earlier("D").past), x="?x"),),
    ],
)
def test_what_depends_on_a_negation_of_itself_is_refused(rules: tuple[Rule, ...]) -> None:
    with pytest.raises(EngineError, match="not stratified"):
        compile_program(program(*rules, derived={"D": X, "E": X}))


@pytest.mark.slow
def test_a_long_chain_of_relations_compiles_and_answers() -> None:
    count = 1500
    rules = [define("D0", p("Item", k="?x"), x="?x")]
    rules += [define(f"D{n}", p(f"D{n - 1}", x="?x"), x="?x") for n in range(1, count)]
    made = program(*rules, ask(p(f"D{count - 1}", x="?x")), derived={f"D{n}": X for n in range(count)})
    session = IncrementalEvaluator(made, today=TODAY)
    session.assign("Item", [(1, None, None, None)])
    assert {found.values for found in session.answers("ask")} == {(1,)}


def test_versions_are_compiled_only_where_they_are_read() -> None:
    rules = (define("D", no("Item", b=True)), define("E", p("Item", k="?x"), x="?x"))
    derived = {"D": {}, "E": X}
    plain = compile_program(program(*rules, ask(p("D")), derived=derived))
    assert {ref.reading for ref in plain.table_ids if ref.kind == "derived"} == {"plain"}
    kernel = compile_program(program(*rules, allow(a("finish"), p("D"), p("E", x=1)), derived=derived))
    assert Ref("derived", "D", "certain") in kernel.table_ids
    assert Ref("derived", "E", "certain") not in kernel.table_ids  # E reads alike in both
    kernel = compile_program(program(*rules, allow(a("finish"), no("E", x=1)), derived=derived))
    assert Ref("derived", "E", "possible") in kernel.table_ids


def test_a_licence_is_certain_whatever_its_literals_are_marked() -> None:
    made = program(Rule("allow", License(a("finish")), (no("Item", b=True),)))
    session = IncrementalEvaluator(made, today=TODAY)
    session.assign("finish", [()])
    assert not session.answers("allow")


def test_the_order_of_literals_never_matters() -> None:
    body = (
        p("Item", k="?x", n="?n"),
        cmp("?y", "=", Var("n")),
        no("Item", c("n", ">", "?y")),
        p("Flag", n="?y"),
        cmp("?x", "<", 3),
    )
    seen = set()
    for order in itertools.permutations(body):
        session = IncrementalEvaluator(program(ask(*order)), today=TODAY)
        session.assign("Item", [(1, None, None, 5), (2, None, None, 7), (4, None, None, 7)])
        session.assign("Flag", [(None, 7, None)])
        seen.add(frozenset(session.answers("ask")))
    assert len(seen) == 1
    assert {found.values for found in next(iter(seen))} == {(7, 2, 7)}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (ask(cmp("?x", "<", 1)), "nothing binds"),
        (ask(p("Nothing")), "no relation"),
        (ask(p("Item", nothing=1)), "no attribute"),
        (ask(Lit(a("Item", before=True), past=None), Lit(a("D", before=True))), "before"),
    ],
)
def test_what_the_checker_should_have_refused_is_an_error(rule: Rule, message: str) -> None:
    with pytest.raises(EngineError, match=message):
        compile_program(program(rule, define("D", p("Flag")), derived={"D": {}}))


def test_ids_are_unique() -> None:
    with pytest.raises(EngineError, match="two rules"):
        compile_program(program(ask(p("Flag")), ask(p("Page"))))


# ---------------------------------------------------------------- alphas


def test_an_alpha_says_when_its_tuples_change(ctx: Ctx) -> None:
    relation = Relation("R", "state", (Attr("k", NUMBER), Attr("t", TEXT)), key=("k",))
    plan = plan_alpha(columns_of(relation), (c("t", "=", "?t"), c("k", ">", 0)), lambda name: True)
    alpha = AlphaMemory(0, AlphaSpec(0, plan.make()[0], plan.names), ctx)
    index = alpha.index((0,))
    assert alpha.apply([(1, "a"), (0, "z"), (3, None)], []) == ([("a",)], [])
    assert alpha.counts == {("a",): 1} and index == {("a",): {("a",): None}}
    assert alpha.apply([(2, "a")], []) == ([], [])  # the same tuple from another row
    assert alpha.counts == {("a",): 2}
    assert alpha.apply([], [(1, "a")]) == ([], [])
    assert alpha.apply([], [(2, "a")]) == ([], [("a",)])
    assert not alpha.counts and not index
    alpha.apply([(1, "a")], [])
    assert alpha.apply([(2, "a"), (3, "b")], [(1, "a")]) == ([("b",)], [])  # a goes and comes back at once


def test_an_unused_variable_only_needs_a_known_cell(ctx: Ctx) -> None:
    plan = plan_alpha({"a": 0, "b": 1}, (c("a", "=", "?x"), c("b", "=", "?y")), lambda name: name == "y")
    assert plan.names == ("y",)
    assert plan.make()[0]((1, 2), ctx) == (2,)
    assert plan.make()[0]((None, 2), ctx) is None


def test_a_variable_twice_in_an_atom_joins_the_row(ctx: Ctx) -> None:
    plan = plan_alpha({"a": 0, "b": 1}, (c("a", "=", "?x"), c("b", "=", "?x")), lambda name: True)
    assert plan.make()[0]((1, 1), ctx) == (1,)
    assert plan.make()[0]((1, 2), ctx) is None


def test_captures_are_columns(ctx: Ctx) -> None:
    regex = Regex("(?<n>[0-9]+) of (?<m>[0-9]+)", "", ("n", "m"))
    plan = plan_alpha({"t": 0}, (c("t", "matches", regex),), lambda name: True)
    assert plan.make()[0](("3 of 7",), ctx) == ("3", "7")
    assert plan.make()[0](("none",), ctx) is None and plan.make()[0]((None,), ctx) is None


# ---------------------------------------------------------------- matching under bindings


def test_matching_plainly_and_possibly(ctx: Ctx) -> None:
    matcher = Matcher({"a": 0, "b": 1}, (c("a", "=", "?x"), c("b", "<", "?y")))
    assert matcher.plain((1, 2), {"y": 3}, ctx) == {"x": 1, "y": 3}
    assert matcher.plain((None, 2), {"y": 3}, ctx) is None
    assert matcher.plain((1, 2), {"x": ANYTHING, "y": 3}, ctx) is None  # of some value nothing is certain
    assert matcher.plain((1, 2), {"y": ANYTHING}, ctx) is None
    assert matcher.possible((None, None), {"y": 3}, ctx) == {"y": 3}
    assert matcher.possible((1, 2), {"x": ANYTHING, "y": ANYTHING}, ctx) == {"x": 1, "y": ANYTHING}
    assert matcher.possible((1, 5), {"y": 3}, ctx) is None
    assert matcher.possible((1, 2), {"x": 2, "y": 3}, ctx) is None


@pytest.mark.parametrize("op", ["=", "!=", "<", ">=", "in", "not in", "contains", "subset", "~=", "!~="])
def test_only_what_is_known_refutes(ctx: Ctx, op: str) -> None:
    for left, right in ((None, 1), (ANYTHING, 1), (1, None), (1, ANYTHING)):
        assert possibly(ctx, op, left, right, None, has_hi=False)
    assert possibly(ctx, "in", 1, 0, None, has_hi=True) and possibly(ctx, "in", 1, 0, ANYTHING, has_hi=True)
    assert not possibly(ctx, "in", 5, 0, 3, has_hi=True)
    assert not possibly(ctx, "<", "text", 3, None, has_hi=False)  # a value of another type is known to be so


def test_today_is_frozen_and_the_clock_is_not() -> None:
    made = program(
        ask(p("Event", day="?d"), cmp("?d", "=", Fn("today", (), DATE)), rule="today"),
        ask(p("Node", text="?t"), cmp("?d", "=", Fn("date", (Var("t"),), DATE)), rule="read"),
    )
    session = IncrementalEvaluator(made, today=TODAY)
    session.assign("Event", [(TODAY, None, None)])
    session.assign("Node", [(1, None, "3 May", None)])
    for year in (2026, 2027):  # a date without a year is the one nearest to the clock
        session.now(dt.datetime(year, 5, 1))
        assert {x.values for x in session.answers("today")} == {(TODAY,)}
        assert {x.values[0] for x in session.answers("read")} == {dt.date(year, 5, 3)}


def test_assigning_what_nobody_reads_costs_nothing() -> None:
    session = IncrementalEvaluator(Program("m", {}, {}, (), ""), today=TODAY)
    session.assign("anything", [(1,), (2, 3)])
    assert session.inputs == frozenset()
