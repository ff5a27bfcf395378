"""Random constraints, atoms and literals over the schema of `worlds`, safe by construction."""

import datetime as dt
from dataclasses import replace
from typing import Any

from tests.engine.random_values import (
    CAPTURES,
    COLOR_SETS,
    KIND,
    LASTING,
    ORDERED,
    PATTERNS,
    READINGS,
    TYPES,
    VALUES,
    VARIABLES,
    WIDE_PATTERNS,
    WORD_LISTS,
    Scope,
    function,
    is_colors,
    typed,
)
from tests.engine.worlds import COLOR, COLORS, agg, c, cmp, const, fn
from vsalang.program.ir import (
    NUMBER,
    Aggregate,
    Atom,
    Choice,
    Compare,
    Constraint,
    Every,
    First,
    Lit,
    Literal,
    Past,
    Regex,
    Spent,
    Then,
    Type,
    Var,
    Words,
)
from vsalang.program.values import NONE
from vsalang.program.walk import needed

# ---------------------------------------------------------------- constraints and atoms


def constant_constraint(scope: Scope, attr: str, kind: Type) -> Constraint:
    """A constraint with constants only, by any operator of the type."""
    value = lambda: typed(kind, scope.value(kind))  # noqa: E731
    shapes = ["=", "=", "!=", "known"]
    if scope.plain:
        shapes.append("unknown")
    if kind.kind in ORDERED:
        shapes += ["<", "<=", ">", ">=", "range", "not range"]
    if kind.kind == "Text":
        shapes += ["contains", "not contains", "matches", "not matches", "~=", "!~="]
    if kind.kind == "set":
        shapes += ["element", "subset", "not subset"]
    else:
        shapes += ["in", "not in"]
    op = scope.pick(shapes)
    if op in ("known", "unknown"):
        return c(attr, op)
    if op in ("range", "not range"):
        low, high = sorted((scope.value(kind), scope.value(kind)))
        return c(attr, op.replace("range", "in"), const(low), const(high))
    if op in ("in", "not in"):
        items = [value(), value()] if scope.chance(60) else [value()]
        if scope.rarely(15):
            items = [function(scope, kind.kind, closed=True) or items[0], *items]
        return Constraint(attr, op, Choice(tuple(items)))
    if op in ("matches", "not matches"):
        if scope.rarely(30):
            words = Words("test.Some", scope.pick(WORD_LISTS), scope.chance(30), scope.pick(READINGS))
            return Constraint(attr, op, words)
        source = scope.pick(WIDE_PATTERNS if scope.rarely(40) else PATTERNS)
        return Constraint(attr, op, Regex(source, reading=scope.pick(READINGS)))
    if op == "element":
        elements = (
            [typed(COLOR, "Red"), typed(COLOR, "Blue")] if is_colors(kind) else [const("a"), const("b 2")]
        )
        return c(attr, scope.pick(["contains", "not contains"]), scope.pick(elements))
    if op in ("=", "!=") and scope.chance(8):
        return c(attr, op, const(NONE))
    if op in ("=", "!=", "<", ">=") and scope.rarely(8):
        made = function(scope, kind.kind, closed=True)
        if made is not None:
            return Constraint(attr, op, made)
    return Constraint(attr, op, value())


def test_of_variables(scope: Scope, attr: str, kind: Type) -> Constraint | None:
    """A constraint by an operator other than ``=`` with bound variables."""
    names = scope.bound_of(kind.kind)
    if kind.kind in ORDERED and names:
        if scope.rarely(25):
            high = Var(scope.pick(names)) if scope.chance(50) else typed(kind, scope.value(kind))
            return Constraint(attr, scope.pick(["in", "not in"]), Var(scope.pick(names)), high)
        return c(attr, scope.pick(["<", ">=", "!="]), Var(scope.pick(names)))
    if not scope.rarely(30):
        return None
    if kind.kind == "Text" and names:
        return c(attr, scope.pick(["contains", "not contains", "!="]), Var(scope.pick(names)))
    if kind.kind == "set" and not is_colors(kind) and (names or scope.bound_of("Text")):
        if names and scope.chance(50):
            return c(attr, scope.pick(["subset", "not subset", "!="]), Var(scope.pick(names)))
        if scope.bound_of("Text"):
            return c(attr, scope.pick(["contains", "not contains"]), Var(scope.pick(scope.bound_of("Text"))))
    if kind.kind in ("Bool", "enum") and names:
        return c(attr, "!=", Var(scope.pick(names)))
    return None


def atom(
    scope: Scope,
    name: str,
    *,
    binding: bool,
    fewest: int = 0,
    most: int = 2,
    tested: bool = False,
    functions: bool = True,
) -> Atom:
    """An atom on a relation.

    Args:
        binding: ``attr = ?x`` may stand with any variable, which is bound then; else with bound ones only.
        tested: operators other than ``=`` may stand with bound variables too.
    """
    rel = scope.relations[name]
    count = scope.number(min(fewest, len(rel.attrs)), min(most + scope.rarely(20), len(rel.attrs)))
    found: list[Constraint] = []
    for attr in scope.chance_.shuffled(rel.attrs)[:count]:
        kind = attr.type.kind
        names = VARIABLES[kind] if binding else scope.bound_of(kind)
        if is_colors(attr.type):
            names = []  # one variable, one type
        if names and scope.chance(60 if binding else 50):
            found.append(c(attr.name, "=", Var(scope.pick(names))))
            continue
        test = test_of_variables(scope, attr.name, attr.type) if tested else None
        if test is not None:
            found.append(test)
        elif kind == "Text" and binding and scope.chance(8):
            source = scope.pick(CAPTURES) if scope.wide else CAPTURES[0]
            groups = tuple(name for name in ("t", "u") if f"(?P<{name}>" in source)
            found.append(Constraint(attr.name, "matches", Regex(source, "", groups, scope.pick(READINGS))))
        elif functions and scope.chance(5) and kind == "Number" and scope.bound_of(kind):
            found.append(c(attr.name, "=", fn("+", NUMBER, Var(scope.pick(scope.bound_of(kind))), 1)))
        elif functions and scope.rarely(8) and kind in TYPES:
            made = function(scope, kind)
            assert made is not None
            found.append(Constraint(attr.name, scope.pick(["=", "=", "!="]), made))
        else:
            found.append(constant_constraint(scope, attr.name, attr.type))
            if scope.rarely(5):  # two constraints on one cell
                found.append(constant_constraint(scope, attr.name, attr.type))
    before = rel.sort in ("state", "view", "list") and scope.chance(8)
    return Atom(name, tuple(found), before)


def bound_by(found: Atom) -> list[str]:
    names = [x.term.name for x in found.constraints if x.op == "=" and isinstance(x.term, Var)]
    return names + [g for x in found.constraints if isinstance(x.term, Regex) for g in x.term.groups]


def bind(scope: Scope, found: Atom) -> None:
    for name in bound_by(found):
        if name not in scope.bound:
            scope.bound.append(name)


# ---------------------------------------------------------------- literals


def positive(scope: Scope) -> Lit:
    found = atom(scope, scope.pick(scope.positive), binding=True, fewest=1)
    bind(scope, found)
    return Lit(found)


def past_of(scope: Scope, subject: str) -> Past:
    shapes = ["earlier", "within"]
    if scope.relations[subject].sort != "action":
        shapes.append("for")
    op = scope.pick(shapes)
    return Past(op, None if op == "earlier" else const(dt.timedelta(minutes=scope.pick([0, 2, 5]))))


def past_subjects(scope: Scope) -> list[str]:
    names = [*LASTING, "Pay", "Node"]
    if scope.wide:
        names += ["K", "Pair", "Event", "App", "Home", "Opts"]
    return names + [n for n in scope.any_use if scope.relations[n].sort == "derived"]


def since(scope: Scope, subject: str) -> Lit:
    other_name = scope.pick([*LASTING, "Pay"])
    other = replace(atom(scope, other_name, binding=True, fewest=1, functions=False), before=False)
    inner = replace(scope, bound=bound_by(other))
    held = replace(atom(inner, subject, binding=False, functions=False), before=False)
    bind(scope, other)
    return Lit(held, past=Past("since", other=other))


def past(scope: Scope) -> Lit:
    subject = scope.pick(past_subjects(scope))
    if scope.chance(20):
        return since(scope, subject)
    found = replace(atom(scope, subject, binding=True, fewest=1, functions=False), before=False)
    bind(scope, found)
    return Lit(found, past=past_of(scope, subject))


def then(scope: Scope) -> Then:
    parts: list[tuple[Literal, ...]] = []
    for index in range(2 if scope.chance(75) else 3):
        group: list[Literal] = []
        if index == 0:
            names = ["Flag", "Item", "Page", "Pay"] + (["Node", "Event", "L"] if scope.wide else [])
            names += derived_names(scope) if scope.wide else []
            for _ in range(1 if scope.chance(70) else 2):
                found = atom(scope, scope.pick(names), binding=True, fewest=1, functions=False)
                found = replace(found, before=False)
                bind(scope, found)
                group.append(Lit(found))
        else:
            names = ["Flag", "Item", "Page", "Pay", "tap", *derived_names(scope)]
            found = atom(scope, scope.pick(names), binding=True, fewest=1, functions=False)
            found = replace(found, before=False)
            bind(scope, found)
            action = found.relation == "Pay" and scope.chance(60)
            group.append(Lit(found, past=Past("earlier") if action else None))
        own = [name for lit in group if isinstance(lit, Lit) for name in bound_by(lit.atom)]
        inner = replace(scope, bound=own)  # the left side is read by itself, long before
        if scope.rarely(15) and own:
            group.append(comparison(inner))
            scope.bound += [name for name in own if name not in scope.bound]
        if scope.rarely(10):
            subject = scope.pick(["Flag", "Item", "Page"])
            group.append(
                Lit(replace(atom(inner, subject, binding=False, functions=False), before=False), neg=True)
            )
        parts.append(tuple(group))
    return Then(tuple(parts))


def derived_names(scope: Scope) -> list[str]:
    return [n for n in scope.any_use if scope.relations[n].sort == "derived" and scope.relations[n].attrs]


def comparison(scope: Scope) -> Compare:
    name = scope.pick(scope.bound)
    kind = KIND[name]
    others = [other for other in scope.bound_of(kind) if other != name]
    if kind == "Number" and scope.chance(25):
        free = [v for v in VARIABLES["Number"] if v not in scope.bound]
        if free:
            scope.bound.append(free[0])
            return cmp(Var(free[0]), "=", fn("+", NUMBER, Var(name), 1))
    if scope.rarely(35):
        made = wide_comparison(scope, name, kind, others)
        if made is not None:
            return made
    if others and scope.chance(60):
        ops = ["=", "!="] + (["<", "<="] if kind in ORDERED else [])
        return cmp(Var(name), scope.pick(ops), Var(others[0]))
    found = constant_constraint(replace(scope, plain=False), "", COLOR if kind == "enum" else Type(kind))
    return (
        Compare(Var(name), found.op, found.term, found.hi)
        if found.op != "known"
        else cmp(Var(name), "!=", const(NONE))
    )


def wide_comparison(scope: Scope, name: str, kind: str, others: list[str]) -> Compare | None:
    """A rarer comparison: one that binds, one of functions, a range of variables, a capture."""
    shape = scope.pick(["binds", "choice", "function", "range", "capture"])
    wanted = scope.pick(list(TYPES))
    free = [v for v in VARIABLES[wanted] if v not in scope.bound]
    if shape == "binds" and free:
        made = function(scope, wanted)
        assert made is not None
        scope.bound.append(free[0])
        return Compare(Var(free[0]), "=", made)
    if shape == "choice" and free:
        items = tuple(typed(TYPES[wanted], scope.value(TYPES[wanted])) for _ in range(scope.number(1, 3)))
        scope.bound.append(free[0])
        return Compare(Var(free[0]), "in", Choice(items))
    if shape == "function" and kind in TYPES:
        left, right = function(scope, kind), Var(name)
        assert left is not None
        ops = ["=", "!="] + (["<", ">="] if kind in ORDERED else [])
        return cmp(right, scope.pick(ops), left) if scope.chance(50) else cmp(left, scope.pick(ops), right)
    if shape == "range" and kind in ORDERED and others:
        high = function(scope, kind)
        return Compare(Var(name), scope.pick(["in", "not in"]), Var(others[0]), high)
    if shape == "capture" and kind == "Text":
        source = scope.pick(CAPTURES)
        groups = tuple(g for g in ("t", "u") if f"(?P<{g}>" in source)
        if name not in groups:
            scope.bound += [g for g in groups if g not in scope.bound]
            return Compare(Var(name), "matches", Regex(source, "", groups, scope.pick(READINGS)))
    return None


def negation(scope: Scope) -> Lit:
    if scope.chance(20):
        subject = scope.pick([*LASTING, "Pay", "Pay"] + (derived_names(scope) if scope.wide else []))
        # tables of the past hold bindings of ``attr = ?x`` only
        free = scope.relations[subject].sort == "action"
        found = replace(atom(scope, subject, binding=False, tested=free, functions=free), before=False)
        return Lit(found, neg=True, past=past_of(scope, subject))
    return Lit(atom(scope, scope.pick(scope.any_use), binding=False, most=3, tested=True), neg=True)


# ---------------------------------------------------------------- literals on all rows


def with_inner_variable(scope: Scope, lit: Lit, group: list[str]) -> tuple[Lit, list[str]]:
    """Perhaps one more variable in the aggregate: a local one, or one that groups and is bound by nothing else."""
    free = [
        x
        for x in scope.relations[lit.atom.relation].attrs
        if x.name not in {y.attr for y in lit.atom.constraints} and not is_colors(x.type)
    ]
    if not free or not scope.chance(30):
        return lit, group
    attr = scope.pick(free)
    names = [v for v in VARIABLES[attr.type.kind] if v not in scope.bound and v + "g" not in scope.grouped]
    grouping = bool(names) and scope.chance(50)
    name = names[0] + "g" if grouping else "local"
    if grouping:
        scope.grouped.append(name)
        group = sorted([*group, name])
    constraints = (*lit.atom.constraints, c(attr.name, "=", Var(name)))
    return replace(lit, atom=replace(lit.atom, constraints=constraints)), group


def aggregate(scope: Scope) -> Aggregate:
    if scope.chance(20):
        when = Past("earlier")
        if scope.rarely(30):
            when = Past("within", const(dt.timedelta(minutes=scope.pick([0, 2, 5]))))
        lit = Lit(atom(scope, "Pay", binding=False), past=when)
    else:
        lit = Lit(atom(scope, scope.pick(scope.any_use), binding=False, tested=scope.rarely(20)))
    group = sorted({*bound_by(lit.atom)})
    lit, group = with_inner_variable(scope, lit, group)
    # variables in other operators are bound outside, and so group as well
    for constraint in lit.atom.constraints:
        names = needed(constraint.term) | needed(constraint.hi)
        group = sorted({*group, *(names - {"local"})})
    kinds = ("Number", "Duration", "Text") + (("Date", "Time", "enum") if scope.wide else ())
    attrs = [at for at in scope.relations[lit.atom.relation].attrs if at.type.kind in kinds]
    name = scope.pick(["count", "count", "sum", "min", "max", "set"]) if attrs else "count"
    if name == "count":
        if scope.rarely(15):
            low = scope.number(0, 1)
            return agg("count", "", lit, scope.pick(["in", "not in"]), low, group, hi=low + 1)
        bound = scope.bound_of("Number")
        right: Any = Var(scope.pick(bound)) if scope.rarely(15) and bound else scope.pick([0, 1, 2])
        return agg("count", "", lit, scope.pick(["=", "!=", "<", "<=", ">", ">="]), right, group)
    wanted = {"set": ("Text", "enum"), "sum": ("Number", "Duration")}.get(name, ORDERED)
    usable = [at for at in attrs if at.type.kind in wanted]
    if not usable:
        return agg("count", "", lit, "=", 0, group)
    attr = scope.pick(usable)
    if name == "set":
        if attr.type.kind == "enum":
            return agg(
                "set",
                attr.name,
                lit,
                scope.pick(["=", "subset"]),
                typed(COLORS, scope.pick(COLOR_SETS)),
                group,
            )
        value = frozenset(scope.pick([{"a"}, {"a", "b 2"}]))
        return agg("set", attr.name, lit, scope.pick(["=", "subset"]), value, group)
    free = [v for v in VARIABLES[attr.type.kind] if v not in scope.bound]
    if free and scope.chance(30):
        scope.bound.append(free[0])
        return agg(name, attr.name, lit, "=", Var(free[0]), group)
    if scope.rarely(20) and attr.type.kind in TYPES:
        right = function(scope, attr.type.kind)
        return agg(name, attr.name, lit, scope.pick(["=", "<=", ">", "!="]), right, group)
    return agg(name, attr.name, lit, scope.pick(["=", "<=", ">"]), const(scope.value(attr.type)), group)


def every(scope: Scope) -> Every:
    name = scope.pick([n for n in scope.any_use if scope.relations[n].attrs])
    over = atom(scope, name, binding=False)
    has = atom(scope, name, binding=False, fewest=1, tested=True)
    return Every(over, has.constraints)


def first(scope: Scope) -> First:
    name = scope.pick(["L", "K"])
    n = scope.pick([1, 1, 2, 3] if scope.wide else [1, 1, 2])
    if scope.chance(30):
        given = (c("g", "=", scope.pick(VALUES["Text"])),) if name == "L" else ()
        over = atom(scope, name, binding=False, most=1)
        constants = tuple(
            x for x in over.constraints if not isinstance(x.term, Var) and x.attr not in ("g", "at")
        )
        has = atom(scope, name, binding=False, fewest=1, tested=True)
        return First(n, Atom(name, given + constants), has.constraints)
    found = replace(atom(scope, name, binding=True, fewest=1), before=False)
    found = replace(found, constraints=tuple(x for x in found.constraints if not isinstance(x.term, Regex)))
    bind(scope, found)
    return First(n, found)


def body(scope: Scope, *, temporal: bool = True) -> tuple[Literal, ...]:
    """One to four literals in a safe order."""
    found: list[Literal] = []
    for _ in range(scope.number(0, 2)):
        shape = scope.number(0, 99)
        if temporal and shape >= 88:
            found.append(then(scope))
        elif temporal and shape >= 70:
            found.append(past(scope))
        elif shape >= 60:
            found.append(first(scope))
        else:
            found.append(positive(scope))
    tests: list[Literal] = []
    for _ in range(scope.number(0 if found else 1, 2)):
        shape = scope.pick(["not", "not", "compare", "aggregate", "every", "screen"])
        if shape == "compare" and scope.bound:
            found.append(comparison(scope))
        elif shape == "aggregate":
            found.append(aggregate(scope))
        elif shape == "every":
            tests.append(every(scope))
        elif shape == "screen":
            tests.append(
                scope.pick([Lit(Atom("Home")), Lit(Atom("Home"), neg=True), Spent("Pay"), Lit(Atom("Menu"))])
            )
        else:
            tests.append(negation(scope))
    scope.bound += scope.grouped
    literals = tuple(found + tests)
    if scope.rarely(30):  # order never matters
        literals = tuple(scope.chance_.shuffled(literals))
    return literals
