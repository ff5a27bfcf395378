"""What is missing is data: kinds of findings, the nearest binding, and what the rules below lack."""

import datetime as dt
from collections.abc import Mapping

import pytest

from vsalang.engine.explain import Context, Facts, Finding, Nearest
from vsalang.engine.explain.finding import head_binding
from vsalang.engine.explain.match import bound_values
from vsalang.language.semantics import load_text
from vsalang.program import ir
from vsalang.program.values import NONE
from vsalang.program.walk import head_atom

NOON = dt.datetime(2030, 5, 17, 12)
APP = (
    'app a package "a" "A"\n'
    "state Item key (name) { name: Text, price: Number }\n"
    "list Row key (name) { name: Text, price: Number }\n"
    "action Pay(total: Number)\n"
    'screen Home "home" when Node(text = "home").\n'
    "define Dear(name = ?n) when Item(name = ?n, price > 5).\n"
    "define Pair(one = ?x, other = ?x) when Item(name = ?x).\n"
    'define Pair(one = "Tea", other = "Nut") when Item(price > 100).\n'
)
ITEMS = {"Item": [("Nut", 3), ("Tea", 12)], "Row": [("Nut", 3, 1), ("Tea", 12, 3)]}


def rule_of(condition: str, program: str = APP) -> tuple[ir.Program, ir.Rule]:
    loaded = load_text(f"{program}define Asked when {condition}.\n", file="a.vsa")
    assert loaded.program is not None, loaded.diagnostics
    (rule,) = (r for r in loaded.program.rules if (head_atom(r) or ir.Atom("")).relation == "a.Asked")
    return loaded.program, rule


def facts_of(program: ir.Program, rows: Mapping[str, list[tuple[object, ...]]], complete: bool) -> Facts:
    def rows_of(name: str) -> list[tuple[object, ...]]:
        return rows.get(name.rpartition(".")[2], [])

    def complete_of(name: str) -> list[tuple[None, ...]]:
        return [(None,) * len(program.relation(name).attrs)] if complete else []

    return Facts(
        program,
        Context(NOON.date(), NOON),
        rows_of,
        rows_of,
        complete_of,
        lambda name: [],
        lambda name: False,
    )


def missing(condition: str, *, complete: bool = True) -> list[Finding]:
    program, rule = rule_of(condition)
    nearest = Nearest(facts_of(program, ITEMS, complete))
    return list(nearest.ways(rule.body, {}, certain=True)[0].findings)


@pytest.mark.parametrize(
    ("condition", "kinds"),
    [
        ('Item(name = "Tea", price > 20)', ["cell unmet"]),
        ('Item(name = "Fig")', ["absent unmet no_row"]),
        ("screen Home", ["screen unmet"]),
        ('no Item(name = "Tea")', ["present unmet"]),
        ("Item(price = ?p), ?p > 20", ["comparison unmet"]),
        ("count(Item) > 2", ["aggregate unmet"]),
        ('sum(price of Item(name = "Fig")) > 2', ["aggregate unmet no_row"]),
        ("every Item has (price < 10)", ["cell unmet"]),
        ("every Item(price > 50) has (price < 10)", ["rows unmet no_row"]),
        ('first 1 Row(name = ?n), ?n = "Tea"', ["place unmet"]),
        ('first 2 Row(name = ?n), ?n = "Tea"', ["gap unknown gap"]),
        ('first 3 Row(name = ?n), ?n = "Tea"', []),
        ("Pay earlier", ["absent unmet not_done"]),
        ("Item earlier", ["past unmet"]),
        ("Item then Item", ["order unmet"]),
        ("Item(price > 5), Item(price < 5)", []),
        # what a pattern captures must be what the variable has, and binds it where it has nothing
        ("Item(name = ?n, price > 5), Row(name matches /^(?<n>.*)$/, at = 1)", ["cell unmet"]),
        ("Item(name = ?n), ?n matches /^(?<c>T.*)$/, Item(name = ?c, price < 5)", ["comparison unmet"]),
    ],
)
def test_kinds_of_findings(condition: str, kinds: list[str]) -> None:
    found = missing(condition)
    assert [f"{item.kind} {item.state} {item.seen}".rstrip() for item in found] == kinds


@pytest.mark.parametrize(
    ("condition", "finding"),
    [
        ('Item(name = "Fig")', "absent unknown not_seen"),
        ('no Item(name = "Fig")', "rows unknown not_all"),
        ("count(Item) < 9", "aggregate unknown not_all"),
        ("first 2 Row has (price < 19)", "gap unknown gap"),
    ],
)
def test_what_was_not_seen_is_unknown(condition: str, finding: str) -> None:
    found = missing(condition, complete=False)
    assert [f"{item.kind} {item.state} {item.seen}" for item in found] == [finding]


def test_findings_stand_with_their_conditions() -> None:
    program, rule = rule_of('Item(name = "Tea"), Item(name = "Fig"), count(Item) > 2')
    way = Nearest(facts_of(program, ITEMS, True)).ways(rule.body, {}, certain=False)[0]
    assert [[item.kind for item in each] for each in way.of_each()] == [[], ["absent"], ["aggregate"]]


def test_the_binding_that_fails_least_is_chosen() -> None:
    program, rule = rule_of('Item(name = ?n, price = ?p), ?p > 5, ?n = "Tea", ?p > 20')
    way = Nearest(facts_of(program, ITEMS, True)).ways(rule.body, {}, certain=False)[0]
    assert way.binding["n"] == "Tea"
    assert [item.value for item in way.findings] == [12]


def test_a_repeated_head_variable_derives_no_two_values() -> None:
    program, rule = rule_of('Pair(one = "Nut", other = "Tea")')
    first, second = (r for r in program.rules if (head_atom(r) or ir.Atom("")).relation == "a.Pair")
    context = Context(NOON.date(), NOON)
    (literal,) = rule.body
    assert isinstance(literal, ir.Lit)
    wanted = bound_values(facts_of(program, ITEMS, True), literal.atom, {})
    binding, (clash,) = head_binding(first, wanted, context)
    assert (binding, clash.value, clash.other) == ({"x": "Nut"}, "Nut", "Tea")
    assert [item.value for item in head_binding(second, wanted, context)[1]] == ["Tea", "Nut"]
    found = missing('Pair(one = "Nut", other = "Tea")')
    assert [item.kind for item in found] == ["underived", "head", "head", "head", "cell"]


def test_the_past_is_asked_where_somebody_can_answer() -> None:
    program, rule = rule_of("Item(name = ?n) earlier")
    facts = facts_of(program, ITEMS, True)
    (held, *_) = Nearest(facts, lambda literal, binding: [{"n": "Fig"}]).ways(rule.body, {}, certain=False)
    assert (held.binding, held.findings) == ({"n": "Fig"}, ())
    (never, *_) = Nearest(facts, lambda literal, binding: []).ways(rule.body, {}, certain=False)
    assert [item.kind for item in never.findings] == ["never"]


def test_an_aggregate_over_an_absent_price_is_undefined() -> None:
    """As the engine says: a row whose price is `none` leaves no least price."""
    program, rule = rule_of("min(price of Item) < 20")
    rows = {"Item": [("Tea", 12), ("Nut", NONE)]}
    (finding,) = Nearest(facts_of(program, rows, True)).ways(rule.body, {}, certain=False)[0].findings
    assert (finding.kind, finding.value) == ("aggregate", None)
