"""Parts of explanations: conditions that are met, what aggregates give, and conditions made one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from vsalang.core import ops
from vsalang.core.ir import (
    Aggregate,
    Compare,
    Constraint,
    Every,
    First,
    License,
    Lit,
    Literal,
    Program,
    Relation,
    Rule,
    Var,
)
from vsalang.core.patterns import Pattern
from vsalang.core.values import Value, tag
from vsalang.core.walk import needed
from vsalang.guard.conditions import Words
from vsalang.guard.match import Facts, matches
from vsalang.guard.store import Row
from vsalang.guard.terms import Binding, quoted, term_text, value_of, wanted_text
from vsalang.guard.texts import Joined, joined, say
from vsalang.guard.verdict import Why


def matched(facts: Facts, words: Words, literal: Literal, binding: Binding) -> list[Why]:
    """A condition that is met, with the values seen wherever it has any."""
    if isinstance(literal, Compare):
        value = value_of(literal.left, binding, facts.context)
        constraint = Constraint("", literal.op, literal.right, literal.hi)
        text = term_text(literal.left, {}, facts.context)
        return [
            Why(
                "met",
                label=text,
                seen=quoted(value) if value is not None and not isinstance(value, tuple | Pattern) else "",
                wanted=wanted_text(constraint, binding, facts.context),
                literal=f"{text} {wanted_text(constraint, {}, facts.context)}",
                span=literal.span,
            )
        ]
    if isinstance(literal, Aggregate) and literal.lit.past is None:
        atom = literal.lit.atom
        relation = facts.program.relation(atom.relation)
        inner = {k: v for k, v in binding.items() if k in literal.group or k not in needed(atom)}
        rows = [m.row for m in matches(facts, atom, facts.of(atom), inner) if not m.failures]
        constraint = Constraint("", literal.op, literal.right, literal.hi)
        why = words.why(
            relation,
            literal.attr,
            "met",
            quoted(folded(relation, literal, rows)),
            wanted_text(constraint, binding, facts.context),
            {},
            literal.span,
        )
        return [replace(why, literal=words.literal_text(literal, inner))]
    text = words.literal_text(literal, binding)
    return [replace(why, literal=text) for why in words.witness(literal, binding)]


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


def folded(relation: Relation, literal: Aggregate, rows: list[Row]) -> Value | None:
    """The aggregate's value over rows; None where it is undefined."""
    if literal.fn == "count":
        return len(rows)
    cells = [row[relation.column(literal.attr)] for row in rows]
    known = [cell for cell in cells if cell is not None]
    if not rows or len(known) < len(cells):
        return None
    if literal.fn == "set":
        return frozenset(cell for cell in known if isinstance(cell, str))
    result = known[0]
    for cell in known[1:]:
        if literal.fn == "sum":
            total = ops.call("+", (result, cell))
            if total is None:
                return None
            result = total
        elif tag(cell) == tag(result) and ops.holds("<" if literal.fn == "min" else ">", cell, result):
            result = cell
    return result


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


def asks_about_all(literal: Literal) -> bool:
    """Whether rows that were not seen may speak against the literal."""
    return isinstance(literal, Aggregate | Every | First) or (isinstance(literal, Lit) and literal.neg)
