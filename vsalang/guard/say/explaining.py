"""Tidies explanations: equal conditions are merged, and conditions get the names that `because` may use."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from vsalang.guard.say.texts import Joined, joined, say
from vsalang.guard.say.verdict import Why
from vsalang.program.ir import (
    Compare,
    First,
    License,
    Lit,
    Literal,
    Program,
    Relation,
    Rule,
    Var,
)
from vsalang.program.walk import needed


def named_by_parameters(rule: Rule, why: Why) -> Why:
    """A condition on a variable that a parameter of the action binds may be named by that parameter too."""
    assert isinstance(rule.head, License)
    if why.span is None:
        return why
    short = rule.head.atom.relation.rpartition(".")[2]
    parameters = {
        c.term.name: c.attr for c in rule.head.atom.constraints if c.op == "=" and isinstance(c.term, Var)
    }
    used: set[str] = set()
    for literal in rule.body:
        if isinstance(literal, Compare) and literal.span == why.span:
            used |= needed(literal)
        elif isinstance(literal, Lit):
            for c in literal.atom.constraints:
                if c.span == why.span:
                    used |= needed(c)
    names = {
        name for var in used if var in parameters for name in (parameters[var], f"{short}.{parameters[var]}")
    }
    return replace(why, names=why.names | names) if names else why


def merged(whys: Iterable[Why]) -> tuple[Why, ...]:
    """The conditions, those that differ only in what was seen made one: rows that are equally near."""
    found: dict[tuple[object, ...], Why] = {}
    for why in whys:
        key = (why.state, why.relation, why.attr, why.wanted, why.literal, why.incomplete, why.span)
        old = found.get(key)
        if old is None:
            found[key] = why
        else:
            seen = old.seen.parts if isinstance(old.seen, Joined) else (old.seen,)
            if why.seen not in seen:
                found[key] = replace(old, seen=joined(say("or"), [*seen, why.seen]))
    return tuple(found.values())


Cells: TypeAlias = Mapping[str, Sequence[tuple[Relation, str]]]
"""For variables the attributes whose cells bind them."""


def cells_of(program: Program, body: Iterable[Literal]) -> Cells:
    """The attributes that bind the variables of a body: a variable is the cell that binds it."""
    found: dict[str, list[tuple[Relation, str]]] = {}
    for literal in body:
        if isinstance(literal, First) or (isinstance(literal, Lit) and not literal.neg):
            relation = program.relation(literal.atom.relation)
            for c in literal.atom.constraints:
                if c.op == "=" and isinstance(c.term, Var):
                    found.setdefault(c.term.name, []).append((relation, c.attr))
    return found


def sourced(why: Why, cells: Cells) -> Why:
    """A comparison of variables, named by the cells that bind them."""
    if why.relation or not why.names & cells.keys():
        return why
    names = set(why.names)
    for name in why.names & cells.keys():
        for relation, attr in cells[name]:
            names |= {
                attr,
                relation.short,
                relation.name,
                f"{relation.short}.{attr}",
                f"{relation.name}.{attr}",
            }
    return replace(why, names=frozenset(names))
