"""One-edit changes of a program's rules: a condition left out, an edge moved, an operator or a number changed."""

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.language.semantics.safety import order
from vsalang.program import ir
from vsalang.program.ir import Const, Constraint, Judge, License, Lit, Program, Rule, Var
from vsalang.program.show import short_name, source
from vsalang.program.walk import atoms, needed

Way: TypeAlias = Literal["weaker", "stronger", "other"]
"""How the rule's body changes: it holds in more states, in fewer, or in others."""

_EDGES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_FLIPPED = {"=": "!=", "!=": "=", "contains": "not contains", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Edit:
    """A program that differs in one thing.

    Attributes:
        kind: ``drop`` (a condition), ``edge`` (``<`` for ``<=``), ``flip`` (``=`` for ``!=``), ``value`` (another
            constant), ``similar`` (``~=`` for ``=``), ``often`` (more often), ``rule`` (the rule left out).
        rule: the id of the rule.
        text: the edit in words, with the condition as it is written.
        way: how the rule's body is changed.
        program: with the edit.
        condition: the condition as it is written; empty where the edit is about none.
        about: names by which reasons may name the condition.
    """

    kind: str
    rule: str
    text: str
    way: Way
    program: Program
    span: Span | None = None
    condition: str = ""
    about: tuple[str, ...] = ()


def edits(program: Program, rules: Sequence[Rule]) -> Iterator[Edit]:
    """Every edit of these rules after which every variable still has something that gives it a value."""
    for rule in rules:
        for kind, changed, text, way, item in _changes(rule):
            ordered = in_order(changed)
            if ordered is not None:
                made = with_rule(program, rule, ordered)
                yield Edit(kind, rule.id, text, way, made, item.span, source(item), _about(item))
        if isinstance(rule.head, License | Judge):
            yield Edit(
                "rule", rule.id, "the rule left out", "stronger", with_rule(program, rule, None), rule.span
            )


def with_rule(program: Program, rule: Rule, changed: Rule | None) -> Program:
    """The program with another rule, or none, in place of one."""
    rules = tuple(new for old in program.rules if (new := changed if old.id == rule.id else old) is not None)
    key = f"{program.digest} {rule.id} {changed!r}"
    return replace(program, rules=rules, digest=hashlib.sha256(key.encode()).hexdigest())


def in_order(rule: Rule) -> Rule | None:
    """The rule with its conditions in an order in which each has what it needs; None if there is no such order.

    What a condition that is left out gave a value, another one may have to give now, before it is asked for.
    """
    license = rule.head if isinstance(rule.head, License) else None
    pattern = Lit(license.atom) if license else None
    head = frozenset() if license else needed(rule.head)
    literals = (pattern,) if pattern else ()
    ordered, bound, problems = order((*literals, *rule.body), set(), head)
    if problems or not head <= bound:
        return None
    return replace(rule, body=tuple(item for item in ordered if item is not pattern))


def _about(item: "ir.Literal | Constraint | ir.Atom") -> tuple[str, ...]:
    names = [a.relation for a in atoms(item)]
    own = (item.attr,) if isinstance(item, Constraint) else ()
    return (*own, *(short_name(name) for name in names))


_Item: TypeAlias = "ir.Literal | Constraint | ir.Atom"
_Change: TypeAlias = tuple[str, Rule, str, Way, _Item]


def _changes(rule: Rule) -> Iterator[_Change]:
    for index, literal in enumerate(rule.body):
        rest = rule.body[:index] + rule.body[index + 1 :]
        text = f"without `{source(literal)}`"
        yield "drop", replace(rule, body=rest), text, "weaker", literal
        for kind, changed, description, way, item in _of_literal(literal):
            body = (*rule.body[:index], changed, *rule.body[index + 1 :])
            yield kind, replace(rule, body=body), description, way, item
    if isinstance(rule.head, License):
        atom = rule.head.atom
        for kind, constraints, description, way, item in _of_constraints(atom.constraints):
            head = replace(rule.head, atom=replace(atom, constraints=constraints))
            yield kind, replace(rule, head=head), description, way, item
        if rule.head.quota.kind in ("one", "count") and atom.relation != "finish":
            licence = replace(rule.head, quota=ir.Quota("each"))
            yield "often", replace(rule, head=licence), "any number of times", "weaker", atom


def _of_literal(literal: ir.Literal) -> Iterator[tuple[str, ir.Literal, str, Way, _Item]]:
    if isinstance(literal, Lit):
        for kind, constraints, description, way, item in _of_constraints(literal.atom.constraints):
            turned: Way = way if not literal.neg else _opposite(way)
            yield (
                kind,
                replace(literal, atom=replace(literal.atom, constraints=constraints)),
                description,
                turned,
                item,
            )
        if literal.past is None:
            words = f"`{source(replace(literal, neg=not literal.neg))}` for `{source(literal)}`"
            yield "flip", replace(literal, neg=not literal.neg), words, "other", literal
    elif isinstance(literal, ir.Compare):
        one = Constraint("", literal.op, literal.right, literal.hi, literal.span)
        for kind, changed, way in _of_operator(one):
            new = replace(literal, op=changed.op, right=changed.term)
            yield kind, new, f"`{source(new)}` for `{source(literal)}`", way, literal


def _of_constraints(
    constraints: tuple[Constraint, ...],
) -> Iterator[tuple[str, tuple[Constraint, ...], str, Way, _Item]]:
    for index, one in enumerate(constraints):
        before, after = constraints[:index], constraints[index + 1 :]
        if one.span is None:
            continue  # nobody wrote it
        joins = one.op == "=" and isinstance(one.term, Var)
        yield "drop", before + after, f"without `{source(one)}`", "weaker", one
        if joins:
            continue
        for kind, changed, way in _of_operator(one):
            yield kind, (*before, changed, *after), f"`{source(changed)}` for `{source(one)}`", way, one


def _of_operator(one: Constraint) -> Iterator[tuple[str, Constraint, Way]]:
    if one.op in _EDGES:
        yield "edge", replace(one, op=_EDGES[one.op]), "weaker" if len(one.op) == 1 else "stronger"
    if one.op in _FLIPPED and not (one.op == "=" and isinstance(one.term, Var)):
        yield "flip", replace(one, op=_FLIPPED[one.op]), "other"
    if isinstance(one.term, Const):
        if one.op == "=" and one.term.type.kind == "Text" and isinstance(one.term.value, str):
            yield "similar", replace(one, op="~="), "weaker"
        other = _other(one.term)
        if other is not None:
            yield "value", replace(one, term=other), "other"


def _other(constant: Const) -> Const | None:
    """A constant near by."""
    value = constant.value
    if isinstance(value, bool):
        return replace(constant, value=not value)
    if isinstance(value, int | Decimal):
        return replace(constant, value=value + 1)
    if isinstance(value, dt.date) and value < dt.date.max:
        return replace(constant, value=value + dt.timedelta(days=1))
    if isinstance(value, dt.time):
        return replace(constant, value=value.replace(hour=(value.hour + 1) % 24))
    if isinstance(value, str) and constant.type.kind == "enum":
        names = [member.name for member in constant.type.members]
        return (
            replace(constant, value=names[(names.index(value) + 1) % len(names)]) if len(names) > 1 else None
        )
    if isinstance(value, str):
        return replace(constant, value=f"{value} 2")
    return None


def _opposite(way: Way) -> Way:
    turned: dict[Way, Way] = {"weaker": "stronger", "stronger": "weaker", "other": "other"}
    return turned[way]
