"""Random core programs over the schema of `worlds`, and random streams of updates, for properties of the evaluators.

Programs are range-restricted, stratified and safe by construction; the domains have two or three values per type, so
that rows match, join and contradict each other often.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from tests.engine.worlds import (
    COLOR,
    NOON,
    SCHEMA,
    TODAY,
    a,
    agg,
    allow,
    c,
    certainly,
    cmp,
    const,
    fn,
    program,
)
from vsalang.core.ir import (
    NUMBER,
    Aggregate,
    Atom,
    Choice,
    Compare,
    Constraint,
    Derive,
    Every,
    Expect,
    First,
    Judge,
    Lit,
    Literal,
    Past,
    Program,
    Recognize,
    Regex,
    Relation,
    Rule,
    Spent,
    Then,
    Type,
    Var,
)
from vsalang.core.values import NONE
from vsalang.engine.api import Commit, Evaluator, Stamped

Draw = Callable[[Any], Any]

VALUES: dict[str, list[Any]] = {
    "Number": [1, 2, 3],
    "Text": ["a", "b 2"],
    "Bool": [True, False],
    "Date": [TODAY, TODAY + dt.timedelta(days=1)],
    "Time": [dt.time(9), dt.time(12)],
    "Duration": [dt.timedelta(minutes=5), dt.timedelta(hours=1)],
    "enum": ["Red", "Blue"],
    "set": [frozenset(), frozenset({"a"}), frozenset({"a", "b 2"})],
}
VARIABLES = {
    "Number": ["n", "m"],
    "Text": ["t", "u"],
    "Bool": ["b"],
    "Date": ["d"],
    "Time": ["s"],
    "Duration": ["l"],
    "enum": ["c"],
    "set": ["z"],
}
KIND = {name + g: kind for kind, names in VARIABLES.items() for name in names for g in ("", "g")}
ORDERED = ("Number", "Date", "Time", "Duration")
BASE = {r.name: r for r in SCHEMA}
BELIEVED = ("Flag", "Item", "Pair", "Event", "Page", "L", "K")
LASTING = ("Flag", "Item", "Page", "L")  # those that the tests of the past use most
OBSERVED = ("Node", "App", "Goto")


def typed(kind: Type, value: Any) -> Any:
    return replace(const(value), type=kind) if kind.kind == "enum" else const(value)


@dataclass
class Scope:
    """What may stand in a body: relations, and which variables are bound so far."""

    draw: Draw
    relations: dict[str, Relation]
    positive: tuple[str, ...]  # relations that may stand in positive atoms
    any_use: tuple[str, ...]  # relations that may stand anywhere
    plain: bool = True  # whether `unknown` may be asked
    bound: list[str] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)  # bound by an aggregate's groups: for heads only

    def pick(self, items: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(list(items)))

    def chance(self, percent: int) -> bool:
        return bool(self.draw(st.integers(0, 99)) >= 100 - percent)

    def bound_of(self, kind: str) -> list[str]:
        return [name for name in self.bound if KIND[name] == kind]


# ---------------------------------------------------------------- constraints and atoms


def constant_constraint(scope: Scope, attr: str, kind: Type) -> Constraint:
    """A constraint with constants only, by any operator of the type."""
    value = lambda: typed(kind, scope.pick(VALUES[kind.kind]))  # noqa: E731
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
        low, high = sorted((scope.pick(VALUES[kind.kind]), scope.pick(VALUES[kind.kind])))
        return c(attr, op.replace("range", "in"), const(low), const(high))
    if op in ("in", "not in"):
        return Constraint(attr, op, Choice((value(), value()) if scope.chance(60) else (value(),)))
    if op in ("matches", "not matches"):
        return Constraint(attr, op, Regex(scope.pick(["^a", "[0-9]", "."])))
    if op == "element":
        return c(attr, scope.pick(["contains", "not contains"]), const(scope.pick(["a", "b 2"])))
    if op in ("=", "!=") and scope.chance(8):
        return c(attr, op, const(NONE))
    return Constraint(attr, op, value())


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
    count = scope.draw(st.integers(min(fewest, len(rel.attrs)), min(most, len(rel.attrs))))
    chosen = scope.draw(st.permutations(rel.attrs))[:count]
    found: list[Constraint] = []
    for attr in chosen:
        kind = attr.type.kind
        names = VARIABLES[kind] if binding else scope.bound_of(kind)
        if names and scope.chance(60 if binding else 50):
            found.append(c(attr.name, "=", Var(scope.pick(names))))
        elif tested and scope.bound_of(kind) and kind in ORDERED:
            found.append(c(attr.name, scope.pick(["<", ">=", "!="]), Var(scope.pick(scope.bound_of(kind)))))
        elif kind == "Text" and binding and "w" not in scope.bound and scope.chance(8):
            found.append(Constraint(attr.name, "matches", Regex("(?P<u>[a-z])", "", ("u",))))
        elif functions and scope.chance(5) and kind == "Number" and scope.bound_of(kind):
            found.append(c(attr.name, "=", fn("+", NUMBER, Var(scope.pick(scope.bound_of(kind))), 1)))
        else:
            found.append(constant_constraint(scope, attr.name, attr.type))
    before = rel.sort in ("state", "view", "list") and scope.chance(8)
    return Atom(name, tuple(found), before)


def bind(scope: Scope, found: Atom) -> None:
    for constraint in found.constraints:
        names = (constraint.term.name,) if isinstance(constraint.term, Var) and constraint.op == "=" else ()
        if isinstance(constraint.term, Regex):
            names = constraint.term.groups
        scope.bound += [name for name in names if name not in scope.bound]


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


def past(scope: Scope) -> Lit:
    names = [*LASTING, "Pay", "Node"] + [n for n in scope.any_use if scope.relations[n].sort == "derived"]
    subject = scope.pick(names)
    if scope.chance(20):
        other = replace(
            atom(scope, scope.pick([*LASTING, "Pay"]), binding=True, fewest=1, functions=False), before=False
        )
        bind(scope, other)
        inner = replace(scope, bound=bound_by(other))
        held = replace(atom(inner, subject, binding=False, functions=False), before=False)
        return Lit(held, past=Past("since", other=other))
    found = replace(atom(scope, subject, binding=True, fewest=1, functions=False), before=False)
    bind(scope, found)
    return Lit(found, past=past_of(scope, subject))


def bound_by(found: Atom) -> list[str]:
    names = [x.term.name for x in found.constraints if x.op == "=" and isinstance(x.term, Var)]
    return names + [g for x in found.constraints if isinstance(x.term, Regex) for g in x.term.groups]


def then(scope: Scope) -> Then:
    parts: list[tuple[Literal, ...]] = []
    for index in range(2 if scope.chance(75) else 3):
        if index == 0:
            group: list[Literal] = []
            for _ in range(1 if scope.chance(70) else 2):
                found = replace(
                    atom(
                        scope,
                        scope.pick(["Flag", "Item", "Page", "Pay"]),
                        binding=True,
                        fewest=1,
                        functions=False,
                    ),
                    before=False,
                )
                bind(scope, found)
                group.append(Lit(found))
            parts.append(tuple(group))
        else:
            names = ["Flag", "Item", "Page", "Pay", "tap"] + [
                n for n in scope.any_use if scope.relations[n].sort == "derived" and scope.relations[n].attrs
            ]
            found = replace(
                atom(scope, scope.pick(names), binding=True, fewest=1, functions=False), before=False
            )
            bind(scope, found)
            action = found.relation == "Pay" and scope.chance(60)
            parts.append((Lit(found, past=Past("earlier") if action else None),))
    return Then(tuple(parts))


def comparison(scope: Scope) -> Compare:
    name = scope.pick(scope.bound)
    kind = KIND[name]
    others = [other for other in scope.bound_of(kind) if other != name]
    if kind == "Number" and scope.chance(25):
        free = [v for v in VARIABLES["Number"] if v not in scope.bound]
        if free:
            scope.bound.append(free[0])
            return cmp(Var(free[0]), "=", fn("+", NUMBER, Var(name), 1))
    if others and scope.chance(60):
        ops = ["=", "!="] + (["<", "<="] if kind in ORDERED else [])
        return cmp(Var(name), scope.pick(ops), Var(others[0]))
    kinds = {"enum": COLOR}
    found = constant_constraint(replace(scope, plain=False), "", kinds.get(kind, Type(kind)))
    return (
        Compare(Var(name), found.op, found.term, found.hi)
        if found.op != "known"
        else cmp(Var(name), "!=", const(NONE))
    )


def negation(scope: Scope) -> Lit:
    if scope.chance(20):
        subject = scope.pick([*LASTING, "Pay", "Pay"])
        free = (
            scope.relations[subject].sort == "action"
        )  # tables of the past hold bindings of ``attr = ?x`` only
        found = replace(atom(scope, subject, binding=False, tested=free, functions=free), before=False)
        return Lit(found, neg=True, past=past_of(scope, subject))
    return Lit(atom(scope, scope.pick(scope.any_use), binding=False, most=3, tested=True), neg=True)


def with_inner_variable(scope: Scope, lit: Lit, group: list[str]) -> tuple[Lit, list[str]]:
    """Perhaps one more variable in the aggregate: a local one, or one that groups and is bound by nothing else."""
    free = [
        x
        for x in scope.relations[lit.atom.relation].attrs
        if x.name not in {y.attr for y in lit.atom.constraints}
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
        lit = Lit(atom(scope, "Pay", binding=False), past=Past("earlier"))
    else:
        lit = Lit(atom(scope, scope.pick(scope.any_use), binding=False))
    group = sorted(set(bound_by(lit.atom)))
    lit, group = with_inner_variable(scope, lit, group)
    attrs = [
        at
        for at in scope.relations[lit.atom.relation].attrs
        if at.type.kind in ("Number", "Duration", "Text")
    ]
    function = scope.pick(["count", "count", "sum", "min", "max", "set"]) if attrs else "count"
    if function == "count":
        return agg(
            "count", "", lit, scope.pick(["=", "!=", "<", "<=", ">", ">="]), scope.pick([0, 1, 2]), group
        )
    usable = [at for at in attrs if (at.type.kind == "Text") == (function == "set")]
    if not usable:
        return agg("count", "", lit, "=", 0, group)
    attr = scope.pick(usable)
    if function == "set":
        return agg(
            "set",
            attr.name,
            lit,
            scope.pick(["=", "subset"]),
            frozenset(scope.pick([{"a"}, {"a", "b 2"}])),
            group,
        )
    free = [v for v in VARIABLES[attr.type.kind] if v not in scope.bound]
    if free and scope.chance(30):
        scope.bound.append(free[0])
        return agg(function, attr.name, lit, "=", Var(free[0]), group)
    return agg(
        function, attr.name, lit, scope.pick(["=", "<=", ">"]), scope.pick(VALUES[attr.type.kind]), group
    )


def every(scope: Scope) -> Every:
    name = scope.pick([n for n in scope.any_use if scope.relations[n].attrs])
    over = atom(scope, name, binding=False)
    has = atom(scope, name, binding=False, fewest=1, tested=True)
    return Every(over, has.constraints)


def first(scope: Scope) -> First:
    name = scope.pick(["L", "K"])
    n = scope.pick([1, 1, 2])
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
    for _ in range(scope.draw(st.integers(0, 2))):
        shape = scope.draw(st.integers(0, 99))
        if temporal and shape >= 88:
            found.append(then(scope))
        elif temporal and shape >= 70:
            found.append(past(scope))
        elif shape >= 60:
            found.append(first(scope))
        else:
            found.append(positive(scope))
    tests: list[Literal] = []
    for _ in range(scope.draw(st.integers(0 if found else 1, 2))):
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
    return tuple(found + tests)


# ---------------------------------------------------------------- programs


@st.composite
def programs(draw: Draw, *, temporal: bool = True, licences: int = 2) -> Program:
    """A program: up to three derived relations in levels, a screen, licences, a judgement, an expectation."""
    levels = draw(st.integers(0, 3))
    kinds = [NUMBER, BASE["Item"].attr("t").type]
    derived: dict[str, dict[str, Type]] = {}
    for level in range(levels):
        count = draw(st.integers(0, 2))
        derived[f"D{level}"] = {f"x{i}": draw(st.sampled_from(kinds)) for i in range(count)}
    relations = program(derived=derived).relations
    base = (*BELIEVED, *OBSERVED, "tap")
    rules: list[Rule] = []

    def scope(level: int, *, plain: bool, own: bool = False, action: bool = False) -> Scope:
        below = tuple(f"D{i}" for i in range(level)) * 3
        extra = (f"D{level}",) if own else ()
        more = ("Pay",) if action else ()
        usable = tuple(n for n in below + extra if relations[n].attrs)
        return Scope(draw, dict(relations), base + usable * 2 + more, base + below + more, plain)

    for level in range(levels):
        for _ in range(draw(st.integers(1, 2))):
            here = scope(level, plain=False, own=draw(st.booleans()))
            literals = body(here, temporal=temporal)
            recursive = any(isinstance(x, Lit) and x.atom.relation == f"D{level}" for x in literals)
            terms: dict[str, Any] = {}
            for name, kind in derived[f"D{level}"].items():
                bound = here.bound_of(kind.kind)
                if bound and here.chance(85):
                    terms[name] = Var(here.pick(bound))
                    if kind == NUMBER and not recursive and here.chance(10):
                        terms[name] = fn("+", NUMBER, terms[name], 1)
                else:
                    terms[name] = const(here.pick(VALUES[kind.kind]))
            rules.append(Rule("", Derive(a(f"D{level}", **terms)), literals, module="m"))
    rules.append(
        Rule("", Derive(a("Home")), (Lit(atom(scope(0, plain=True), "Node", binding=True)),), module="m")
    )
    for number in range(licences):
        here = scope(levels, plain=False)
        literals = body(here, temporal=temporal)
        here.bound += [v for v in ("t", "n") if v not in here.bound]
        head = draw(
            st.sampled_from(
                [
                    a("finish"),
                    a("Pay", who="?t"),
                    a("Pay", c("amount", "in", 1, 2), who="?t"),
                    a("Pay", amount="?n"),
                ]
            )
        )
        rules.append(allow(head, *map(certainly, literals), rule=f"allow{number}"))
    here = scope(levels, plain=True, action=True)
    literals = body(here, temporal=temporal)
    rules.append(Rule("deny", Judge("deny", tuple(map(Var, sorted(here.bound)))), literals, module="m"))
    here = scope(levels, plain=True, action=True)
    head, tail = (positive(here),), body(here, temporal=temporal)
    rules.append(Rule("expect", Expect(tail), head, module="m"))
    here = scope(levels, plain=True)
    tapped = atom(here, "tap", binding=True, fewest=1)
    bind(here, tapped)
    page = positive(here)
    params = {"who": here.bound_of("Text"), "amount": here.bound_of("Number")}
    pay = a("Pay", **{attr: Var(names[0]) for attr, names in params.items() if names})
    rules.append(Rule("recognize", Recognize(pay), (Lit(tapped),), (page,), module="m"))
    return program(*rules, derived=derived)


# ---------------------------------------------------------------- worlds and streams

Step = tuple[Any, ...]
"""``("assign", slot, rows)``, ``("now", time)``, ``("point", number)``, ``("mark",)``, ``("rollback",)``."""


def cell(kind: Type, *, unknown: int = 25) -> st.SearchStrategy[Any]:
    known = st.sampled_from(VALUES[kind.kind])
    return st.integers(0, 99).flatmap(
        lambda n: st.none() if n >= 100 - unknown else (st.just(NONE) if n >= 97 - unknown else known)
    )


@st.composite
def rows_of(draw: Draw, rel: Relation, *, most: int = 3, unknown: int = 25) -> list[tuple[Any, ...]]:
    """Rows with one row per key, total on the key (a list's position may be unknown)."""
    single = rel.name in ("App", "tap", "Flag", "Page", "Goto")
    keys = set(rel.key) | set(rel.within) | ({"node"} if rel.name == "Node" else set())
    found: dict[Any, tuple[Any, ...]] = {}
    for _ in range(draw(st.integers(0, 1 if single else most))):
        row = tuple(
            draw(st.sampled_from(VALUES[at.type.kind]))
            if at.name in keys
            else draw(cell(at.type, unknown=unknown))
            for at in rel.attrs
        )
        row = tuple(
            None if at.name == "at" and x is NONE else x for at, x in zip(rel.attrs, row, strict=True)
        )
        found[
            tuple(x for at, x in zip(rel.attrs, row, strict=True) if at.name in keys)
            if not rel.within
            else len(found)
        ] = row
    if rel.sort == "list":
        places: set[Any] = set()
        kept = []
        for row in found.values():
            place = (*(row[rel.column(name)] for name in rel.within), row[rel.column("at")])
            if place[-1] is None or place not in places:
                kept.append(row)
            places.add(place)
        return sorted(set(kept), key=repr)
    return sorted(set(found.values()), key=repr)


@st.composite
def completeness(draw: Draw, rel: Relation) -> list[tuple[Any, ...]]:
    """Rows of the slot ``complete R``: everything, or what has certain values in one attribute."""
    if draw(st.booleans()):
        return [(None,) * len(rel.attrs)]
    rows = set()
    for _ in range(draw(st.integers(0, 2))):
        names = draw(
            st.sampled_from([x.name for x in rel.attrs if x.name in rel.identity] or [rel.attrs[0].name])
        )
        rows.add(
            tuple(draw(st.sampled_from(VALUES[x.type.kind])) if x.name == names else None for x in rel.attrs)
        )
    return sorted(rows, key=repr)


def slots_used(made: Program) -> list[str]:
    from vsalang.engine.reference.bodies import atoms_of

    names = {
        atom.relation
        for rule in made.rules
        for literal in rule.body + rule.extra + tuple(getattr(rule.head, "literals", ()))
        for atom, _ in atoms_of(literal)
    }
    return sorted(name for name in names if name in BASE and BASE[name].sort not in ("screen", "action"))


@st.composite
def streams(draw: Draw, made: Program, *, most: int = 8) -> list[Step]:
    """A stream of updates: slots that the program reads, completeness, commits, stamps, points, the clock, marks."""
    used = slots_used(made) or ["Flag"]
    steps: list[Step] = []
    point = number = 0
    commits: list[Commit] = []
    open_marks = 0
    now = NOON

    def assign(name: str) -> None:
        rel = BASE[name]
        rows = draw(rows_of(rel))
        steps.append(("assign", name, rows))
        if rel.sort in ("state", "view", "list", "observed"):
            stamps = [
                Stamped(row, tuple(0 if x is None else draw(st.integers(0, point + 1)) for x in row))
                for row in rows
            ]
            steps.append(("assign", f"stamps {name}", stamps))

    for name in used:
        assign(name)
        if name in BELIEVED and draw(st.integers(0, 2)):
            steps.append(("assign", f"complete {name}", draw(completeness(BASE[name]))))
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.integers(0, 99))
        believed = [name for name in used if name in BELIEVED]
        if kind < 35:
            assign(draw(st.sampled_from(used)))
        elif kind < 50 and believed:
            name = draw(st.sampled_from(believed))
            steps.append(("assign", f"complete {name}", draw(completeness(BASE[name]))))
        elif kind < 57 and believed:
            rel = BASE[draw(st.sampled_from(believed))]
            steps.append(("assign", f"before {rel.name}", draw(rows_of(rel))))
        elif kind < 70 and not open_marks:
            point += 1
            steps.append(("point", point))
        elif kind < 80 and not open_marks:
            row = draw(rows_of(BASE["Pay"], most=1)) or [("a", 1)]
            point, number = point + 1, number + 1
            commits.append(Commit(number, point, row[0]))
            steps += [
                ("assign", "Pay", row),
                ("assign", "commits Pay", list(commits)),
                ("point", point),
                ("assign", "Pay", []),
            ]
        elif kind < 82 and commits and not open_marks:
            commits.remove(draw(st.sampled_from(commits)))
            steps.append(("assign", "commits Pay", list(commits)))
        elif kind < 88:
            now += dt.timedelta(minutes=draw(st.integers(0, 4)))
            steps.append(("now", now))
        elif kind < 92:
            steps.append(("assign", "Pay", draw(rows_of(BASE["Pay"], most=2))))
        elif kind < 94:
            steps.append(
                (
                    "assign",
                    draw(st.sampled_from(["given Menu", "spent Pay", "finish"])),
                    draw(st.sampled_from([[()], []])),
                )
            )
        elif kind < 97 or not open_marks:
            steps.append(("mark",))
            open_marks += 1
        else:
            steps.append(("rollback",))
            open_marks -= 1
            # the clock goes back as well; a later ("now", ..) sets it anew
    steps += [("rollback",)] * open_marks
    return [("assign", "finish", [()]), ("assign", "Pay", draw(rows_of(BASE["Pay"], most=2))), *steps]


def apply(engine: Evaluator, step: Step, marks: list[int]) -> None:
    """Do one step of a stream."""
    match step:
        case ("assign", slot, rows):
            engine.assign(slot, rows)
        case ("now", moment):
            engine.now(moment)
        case ("point", number):
            engine.point(number)
        case ("mark",):
            marks.append(engine.mark())
        case ("rollback",):
            engine.rollback(marks.pop())
        case _:
            raise AssertionError(step)
