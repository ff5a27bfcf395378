"""A small schema with one relation of each sort, and short ways to write core programs, for the engine's tests."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from vsalang.program.ir import (
    BOOL,
    DATE,
    DURATION,
    NUMBER,
    TEXT,
    TIME,
    Aggregate,
    Atom,
    Attr,
    Choice,
    Compare,
    Const,
    Constraint,
    Derive,
    Every,
    Expect,
    First,
    Fn,
    Judge,
    License,
    Lit,
    Literal,
    Member,
    ModuleInfo,
    Past,
    Program,
    Recognize,
    Regex,
    Relation,
    Rule,
    Term,
    Then,
    Type,
    Var,
)
from vsalang.program.show import Notation
from vsalang.program.values import tag

TODAY = dt.date(2026, 4, 1)
NOON = dt.datetime(2026, 4, 1, 12, 0)
COLOR = Type("enum", "m.Color", (Member("Red", ("rot",)), Member("Blue")))
TEXTS = Type("set", elem=TEXT)
COLORS = Type("set", elem=COLOR)
_TYPES = {
    "text": TEXT,
    "number": NUMBER,
    "bool": BOOL,
    "date": DATE,
    "time": TIME,
    "duration": DURATION,
    "set": TEXTS,
}


def relation(
    name: str, sort: Any, /, key: Iterable[str] = (), within: Iterable[str] = (), **attrs: Type
) -> Relation:
    items = tuple(Attr(attr, kind) for attr, kind in attrs.items())
    if sort == "list":
        items += (Attr("at", NUMBER),)
    return Relation(name, sort, items, key=tuple(key), within=tuple(within), module="m")


SCHEMA = (
    relation("Flag", "state", on=BOOL, n=NUMBER, who=TEXT),
    relation("Item", "state", key=["k"], k=NUMBER, b=BOOL, t=TEXT, n=NUMBER),
    relation("Pair", "state", key=["a", "b"], a=TEXT, b=NUMBER, c=COLOR),
    relation("Event", "state", key=["day"], day=DATE, start=TIME, span=DURATION),
    relation("Opts", "state", level=COLOR, kinds=COLORS, day=DATE, since=TIME),
    relation("Page", "view", name=TEXT, n=NUMBER, tags=TEXTS),
    relation("L", "list", within=["g"], g=TEXT, name=TEXT, price=NUMBER),
    relation("K", "list", key=["id"], id=TEXT, price=NUMBER),
    relation("Node", "observed", node=NUMBER, id=TEXT, text=TEXT, checked=BOOL),
    relation("App", "observed", package=TEXT, activity=TEXT),
    relation("Goto", "observed", name=TEXT),
    relation("Clock", "observed", now=TIME, today=DATE),
    relation("tap", "gesture", node=NUMBER, id=TEXT),
    relation("Pay", "action", who=TEXT, amount=NUMBER),
    relation("finish", "action"),
    relation("Home", "screen"),
    relation("Menu", "screen"),
)


def const(value: Any) -> Const:
    return Const(value, _TYPES.get(tag(value), Type("None")))


def term(value: Any) -> Term | None:
    """``"?x"`` is a variable, a tuple a choice; terms stay as they are."""
    if isinstance(value, str) and value.startswith("?"):
        return Var(value[1:])
    if isinstance(value, tuple):
        return Choice(tuple(t for v in value if (t := term(v)) is not None))
    if value is None or isinstance(value, Var | Const | Fn | Choice | Regex):
        return value
    return const(value)


def c(attr: str, op: str = "=", right: Any = None, hi: Any = None) -> Constraint:
    return Constraint(attr, op, term(right), term(hi))


def a(name: str, /, *constraints: Constraint, before: bool = False, **equal: Any) -> Atom:
    """An atom: constraints as given, then ``attr = value`` for each keyword (``type_`` for ``type``)."""
    return Atom(name, constraints + tuple(c(attr, "=", value) for attr, value in equal.items()), before)


def p(name: str, /, *constraints: Constraint, before: bool = False, **equal: Any) -> Lit:
    return Lit(a(name, *constraints, before=before, **equal))


def no(
    name: str, /, *constraints: Constraint, past: Past | None = None, before: bool = False, **equal: Any
) -> Lit:
    return Lit(a(name, *constraints, before=before, **equal), neg=True, past=past)


def earlier(name: str, /, *constraints: Constraint, **equal: Any) -> Lit:
    return Lit(a(name, *constraints, **equal), past=Past("earlier"))


def within(span: dt.timedelta, name: str, /, *constraints: Constraint, **equal: Any) -> Lit:
    return Lit(a(name, *constraints, **equal), past=Past("within", const(span)))


def lasting(span: dt.timedelta, name: str, /, *constraints: Constraint, **equal: Any) -> Lit:
    return Lit(a(name, *constraints, **equal), past=Past("for", const(span)))


def since(atom: Atom, other: Atom) -> Lit:
    return Lit(atom, past=Past("since", other=other))


def cmp(left: Any, op: str, right: Any, hi: Any = None) -> Compare:
    found = term(left)
    assert found is not None
    return Compare(found, op, term(right), term(hi))


def agg(
    fn: Any, attr: str, lit: Lit, op: str, right: Any, group: Iterable[str] = (), hi: Any = None
) -> Aggregate:
    found = term(right)
    assert found is not None
    return Aggregate(fn, attr, lit, op, found, term(hi), tuple(group))


def every(atom: Atom, *has: Constraint) -> Every:
    return Every(atom, has)


def first(n: int, atom: Atom, has: tuple[Constraint, ...] | None = None) -> First:
    return First(n, atom, has)


def then(*parts: Literal | tuple[Literal, ...]) -> Then:
    return Then(tuple(part if isinstance(part, tuple) else (part,) for part in parts))


def fn(name: str, kind: Type, *args: Any) -> Fn:
    return Fn(name, tuple(t for arg in args if (t := term(arg)) is not None), kind)


def certainly(literal: Literal) -> Literal:
    """The literal marked as read certainly."""
    if isinstance(literal, Lit):
        return Lit(literal.atom, literal.neg, literal.past, "certain")
    if isinstance(literal, Aggregate):
        lit = certainly(literal.lit)
        assert isinstance(lit, Lit)
        return Aggregate(
            literal.fn, literal.attr, lit, literal.op, literal.right, literal.hi, literal.group, "certain"
        )
    if isinstance(literal, Every):
        return Every(literal.atom, literal.has, "certain")
    if isinstance(literal, First):
        return First(literal.n, literal.atom, literal.has, "certain")
    if isinstance(literal, Then):
        return Then(tuple(tuple(map(certainly, part)) for part in literal.parts), "certain")
    return literal


def define(name: str, /, *body: Literal, rule: str = "", **terms: Any) -> Rule:
    return Rule(rule, Derive(a(name, **terms)), body, module="m")


def ask(*body: Literal, rule: str = "ask") -> Rule:
    """A judgement whose answers are read plainly; all variables that its atoms bind are in the message."""
    names = sorted({v.name for literal in body for v in _bound(literal)})
    return Rule(rule, Judge("deny", tuple(Var(name) for name in names)), body, module="m")


def allow(head: Atom, *body: Literal, rule: str = "allow") -> Rule:
    return Rule(rule, License(head), tuple(map(certainly, body)), module="m")


def expect(literals: tuple[Literal, ...], *body: Literal, rule: str = "expect") -> Rule:
    return Rule(rule, Expect(literals), body, module="m")


def recognize(
    head: Atom, body: tuple[Literal, ...], extra: tuple[Literal, ...], rule: str = "recognize"
) -> Rule:
    return Rule(rule, Recognize(head), body, extra, module="m")


def _bound(literal: Literal) -> Iterable[Var]:
    if isinstance(literal, Lit) and not literal.neg:
        atoms = [literal.atom]
        if literal.past is not None and literal.past.other is not None:
            atoms.append(literal.past.other)
        for atom in atoms:
            yield from _of_atom(atom)
    elif isinstance(literal, Compare) and isinstance(literal.left, Var):
        yield literal.left
    elif isinstance(literal, Aggregate):
        yield from map(Var, literal.group)
        if literal.op == "=" and isinstance(literal.right, Var):
            yield literal.right
    elif isinstance(literal, First) and literal.has is None:
        yield from _of_atom(literal.atom)
    elif isinstance(literal, Then):
        for part in literal.parts:
            for inner in part:
                yield from _bound(inner)


def _of_atom(atom: Atom) -> Iterable[Var]:
    for constraint in atom.constraints:
        if constraint.op == "=" and isinstance(constraint.term, Var):
            yield constraint.term
        elif isinstance(constraint.term, Regex):
            yield from map(Var, constraint.term.groups)


def program(*rules: Rule, derived: Mapping[str, Mapping[str, Type]] | None = None) -> Program:
    """A program over `SCHEMA` and derived relations given by their attributes; rules without id are numbered."""
    relations = {r.name: r for r in SCHEMA}
    for name, attrs in (derived or {}).items():
        relations[name] = relation(name, "derived", **attrs)
    numbered = tuple(
        Rule(r.id or f"m:{n}", r.head, r.body, r.extra, r.trigger, r.module) for n, r in enumerate(rules, 1)
    )
    return Program("m", {"m": ModuleInfo("m", "app")}, relations, numbered, "digest")


# ---------------------------------------------------------------- failures that people can read


def listing(found: Program) -> str:
    """The rules of a program, one a line."""
    words = Notation(name=str)
    return "\n".join(f"[{rule.id}] {words.rule(rule)}" for rule in found.rules)
