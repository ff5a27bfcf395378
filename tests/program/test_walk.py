"""Going through core programs."""

import dataclasses
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings

from tests.engine.generators import programs as random_programs
from vsalang.program import ir
from vsalang.program.walk import (
    _INSIDE,
    atoms,
    bound_by_row,
    literals,
    needed,
    outer_variables,
    parts,
    rewrite,
    rule_uses,
    uses,
    variables,
)

KINDS = [
    *get_args(ir.Term),
    *get_args(ir.Literal),
    *get_args(ir.Head),
    ir.Constraint,
    ir.Atom,
    ir.Past,
    ir.Rule,
]


def test_every_kind_is_known() -> None:
    assert set(_INSIDE) == set(KINDS)


def fields_holding_items(value: Any) -> set[str]:
    found = set()
    for field in dataclasses.fields(value):
        held = getattr(value, field.name)
        if any(type(part) in _INSIDE for part in (held if isinstance(held, tuple) else (held,))):
            found.add(field.name)
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(random_programs(wide=True))
def test_no_part_is_left_out(program: ir.Program) -> None:
    for rule in program.rules:
        for part in parts(rule):
            assert fields_holding_items(part) <= set(_INSIDE[type(part)])
        assert {id(use.atom) for use in rule_uses(rule)} <= {id(atom) for atom in atoms(rule)}
        assert rewrite(rule, lambda part: part) is rule


X, Y = ir.Var("x"), ir.Var("y")


def atom(name: str, *constraints: ir.Constraint) -> ir.Atom:
    return ir.Atom(name, constraints)


def same(attr: str, term: ir.Term) -> ir.Constraint:
    return ir.Constraint(attr, "=", term)


def test_uses_say_how_an_atom_stands() -> None:
    body = (
        ir.Then(((ir.Lit(atom("A")), ir.Lit(atom("B"), neg=True)), (ir.Lit(atom("C")),))),
        ir.Lit(atom("D"), past=ir.Past("since", other=atom("E"))),
        ir.Aggregate("sum", "n", ir.Lit(atom("F")), "<", X),
        ir.Every(atom("G"), (same("v", X),)),
    )
    found = {use.atom.relation: use for use in uses(body)}
    assert [found[name].done for name in "ABC"] == [True, True, False]
    assert [found[name].negated for name in "ABC"] == [False, True, False]
    assert [name for name in "ABCDEFG" if not found[name].monotone] == ["B", "F", "G"]
    assert found["E"].past == found["D"].past
    assert found["F"].asked == {"n"}
    assert found["G"].tests == (same("v", X),)
    assert [type(item) for item in literals(body)] == [ir.Lit] * 4 + [ir.Aggregate, ir.Every]


def test_variables() -> None:
    pattern = ir.Constraint("t", "matches", ir.Regex("(?<g>a)", groups=("g",)))
    aggregate = ir.Aggregate(
        "count", "", ir.Lit(atom("A", same("k", X), same("l", Y))), "=", ir.Var("n"), group=("x",)
    )
    assert variables(pattern) == {"g"}
    assert needed(pattern.term) == set()
    assert bound_by_row([pattern, same("a", X), ir.Constraint("b", "<", Y)]) == {"g", "x"}
    assert variables(aggregate) == {"x", "y", "n"}
    assert outer_variables(aggregate) == {"x", "n"}


def test_rewrite_changes_inner_parts_first() -> None:
    rule = ir.Rule("r", ir.Derive(atom("D", same("x", X))), (ir.Lit(atom("A", same("k", X), same("l", Y))),))
    renamed = rewrite(rule, lambda part: Y if part == X else part)
    assert variables(renamed) == {"y"}
    assert renamed.body[0] == ir.Lit(atom("A", same("k", Y), same("l", Y)))
