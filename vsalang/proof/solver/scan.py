"""What is read off rules before they are encoded: names, texts, how many rows matter, which fragment they are in."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from math import ceil, prod
from typing import Any

from vsalang.base.records import dataclass
from vsalang.program import ir
from vsalang.program.ir import Atom, Const, Constraint, Lit, Program, Relation, Rule, Var
from vsalang.program.values import Value, show
from vsalang.program.walk import constants, needed, parts, relations, rewrite

SLOWER = 4
"""The clock ends a question after so many times its time: only where the limit of work did not end it long before."""
MOST_ROWS = 5
"""More slots than this are only made on request."""
_FEWEST_TRIED = 3
"""Where more rows could always make a difference, at least so many are tried."""
_MOST_SAMPLES = 40
_MOST_COUNTED = 40
"""No condition asks for more rows than this, for the sake of the solver: beyond it nothing is exact."""


def occurrences(rule: Rule) -> Counter[str]:
    """How often each variable stands in a rule."""
    return Counter(part.name for part in parts(rule) if isinstance(part, Var))


def defining(program: Program, name: str) -> list[Rule]:
    """The rules of a derived relation."""
    return [r for r in program.rules if isinstance(r.head, ir.Derive) and r.head.atom.relation == name]


def below(program: Program, name: str) -> frozenset[str]:
    """The relations that a derived relation depends on, itself only if it is recursive."""
    names: set[str] = set()
    todo = [name]
    while todo:
        for rule in defining(program, todo.pop()):
            for other in relations(rule.body) - names:
                names.add(other)
                todo.append(other)
    return frozenset(names)


def with_definitions(program: Program, rules: Iterable[Rule]) -> list[Rule]:
    """The rules and all that define what they read (not the rules of screens: a screen is taken as it shows)."""
    needed_rules = list(rules)
    names: set[str] = set()
    for rule in needed_rules:  # grows
        for name in relations(rule) - names:
            names.add(name)
            rel = program.relations.get(name)
            if rel is not None and rel.sort == "derived" and name != "Screen":
                needed_rules += [r for r in defining(program, name) if r not in needed_rules]
    return needed_rules


def spent_by(rules: Iterable[Rule]) -> frozenset[str]:
    """The actions of which the rules ask whether every licence is used up (``all A``)."""
    return frozenset(part.relation for rule in rules for part in parts(rule) if isinstance(part, ir.Spent))


def clauses_of(program: Program, action: str) -> list[Rule]:
    """The clauses whose head names an action."""
    return [r for r in program.rules if isinstance(r.head, ir.License) and r.head.atom.relation == action]


def licences_of(program: Program, action: str) -> list[Rule]:
    """The clauses that license an action: its own, and those of the effect that it refines."""
    clauses = clauses_of(program, action)
    relation = program.relation(action)
    if relation.refines is not None:
        translated = (
            _of_effect(rule, relation, relation.refines)
            for rule in clauses_of(program, relation.refines.action)
        )
        clauses += [rule for rule in translated if rule is not None]
    return clauses


def refining(program: Program, action: str) -> list[str]:
    """The actions that refine an effect: when they are done, it is."""
    return [
        relation.name
        for relation in program.relations.values()
        if relation.refines is not None and relation.refines.action == action
    ]


def _of_effect(rule: Rule, relation: ir.Relation, refines: ir.Refinement) -> Rule | None:
    """The clause of an effect as one of an action that refines it; None: no instance fits it."""
    assert isinstance(rule.head, ir.License)
    arguments = dict(refines.arguments)
    constraints: list[Constraint] = []
    tested: list[ir.Literal] = []
    read: set[str] = set()
    for each in rule.head.atom.constraints:
        term = arguments.get(each.attr)
        if term is None:
            return None  # it is unknown, and nothing that is asked of it holds
        if isinstance(term, Var):
            constraints.append(replace(each, attr=term.name))
        else:
            read |= {part.name for part in parts(term) if isinstance(part, Var)}
            tested.append(ir.Compare(rewrite(term, _own), each.op, each.term, each.hi))
    constraints += [Constraint(name, "=", _own(Var(name))) for name in sorted(read)]
    head = replace(rule.head, atom=ir.Atom(relation.name, tuple(constraints), span=rule.head.atom.span))
    return replace(rule, head=head, body=(*rule.body, *tested))


def _own(item: Any) -> Any:
    """A parameter of the action, under a name that no clause can write."""
    return replace(item, name=f"{item.name} of the action") if isinstance(item, Var) else item


def refined(program: Program, action: str) -> bool:
    """Whether an action refines an effect, or is an effect that something refines."""
    return program.relation(action).refines is not None or bool(refining(program, action))


def same_act(program: Program, action: str) -> frozenset[str]:
    """An action, and the effect that it is."""
    refines = program.relation(action).refines
    return frozenset((action,) if refines is None else (action, refines.action))


def asks_other(program: Program, rule: Rule, action: str) -> bool:
    """Whether a rule asks for the proposal of another action: where only this one is proposed, it does not hold."""
    own = same_act(program, action)
    return any(
        isinstance(item, Lit)
        and not item.neg
        and item.past is None
        and item.atom.relation not in own
        and program.relation(item.atom.relation).sort == "action"
        for item in rule.body
    )


def units(program: Program, action: str) -> list[tuple[Rule, int]]:
    """The clauses of the task for an action, each with how often; `either` counts at its first.

    Empty if one of them has no end. This is what ``all A`` asks for; what policies permit besides does not count.
    """
    pairs: list[tuple[Rule, int]] = []
    shared: set[str] = set()
    for rule in clauses_of(program, action):
        assert isinstance(rule.head, ir.License)
        quota = rule.head.quota
        if program.modules[rule.module].kind == "policy":
            continue
        if quota.kind == "each":
            return []
        if quota.kind == "either":
            pairs += [(rule, 1)] if rule.module not in shared else []
            shared.add(rule.module)
        else:
            pairs.append((rule, quota.n if quota.kind == "count" else 1))
    return pairs


def revocable(program: Program, action: str) -> bool:
    """Whether a contract may take the action's success back: then it is charged, and yet was not done."""
    contracts = [rule for rule in program.rules if isinstance(rule.head, ir.Expect)]
    return action in relations(tuple(rule.body for rule in with_definitions(program, contracts)))


def with_licences(program: Program, rules: Iterable[Rule]) -> list[Rule]:
    """The rules, all that define what they read, and the clauses of the actions whose commits they may read."""
    needed_rules = with_definitions(program, rules)
    read = relations(tuple((rule.body, rule.extra) for rule in needed_rules)) | spent_by(needed_rules)
    read |= {other for name in read for other in refining(program, name)}
    return with_definitions(
        program,
        [
            *needed_rules,
            *(r for name in sorted(read) for r in licences_of(program, name) if r not in needed_rules),
        ],
    )


def texts_of(program: Program, rules: Iterable[Rule]) -> list[str]:
    """Every text that the rules name, and the names of screens."""
    texts: dict[str, None] = {}
    arguments = (relation.refines.arguments for relation in program.relations.values() if relation.refines)
    for item in (*rules, *([term for _, term in each] for each in arguments)):
        asked = tuple(item) if isinstance(item, list) else item
        texts.update((part.name, None) for part in parts(asked) if isinstance(part, ir.Names))
        for part in constants(asked):
            if part.type.kind == "Text" and isinstance(part.value, str):
                texts[part.value] = None
            elif part.type.kind == "set" and isinstance(part.value, frozenset):
                texts.update(dict.fromkeys(sorted(part.value)))
    for rel in program.relations.values():
        if rel.sort == "screen":
            texts[screen_name(rel.name)] = None
    return list(texts)


def samples_of(rules: Iterable[Rule]) -> list[str]:
    """Texts that the readers in the rules can read, made of the constants of the rules: what a screen might say."""
    rules = list(rules)
    readers = {part.name: part.type for rule in rules for part in parts(rule) if isinstance(part, ir.Fn)}
    known = [part.value for rule in rules for part in constants(rule)]
    texts: dict[str, None] = {}
    for name, type_ in sorted(readers.items()):
        numbers = [v for v in known if isinstance(v, int | Decimal) and not isinstance(v, bool)]
        values: list[Value] = {
            "number": [v + step for v in numbers or [7] for step in (0, 1, -1)],
            "bool": [True, False],
            "time": [v for v in known if isinstance(v, dt.time)] or [dt.time(10)],
            "date": [v for v in known if isinstance(v, dt.date)] or [dt.date(2026, 1, 5)],
            "duration": [v for v in known if isinstance(v, dt.timedelta)] or [dt.timedelta(minutes=5)],
            "member": [member.name for member in type_.members],
        }.get(name, [])  # type: ignore[assignment]
        texts.update((value if isinstance(value, str) else show(value), None) for value in values)
    return list(texts)[:_MOST_SAMPLES]


def screen_name(name: str) -> str:
    """A screen's name without its app."""
    return name.rpartition(":")[2]


def most_counted(literal: ir.Aggregate, rule: Rule) -> int | None:
    """The greatest number that a count is compared with; None where it is not compared with numbers alone."""
    if literal.fn != "count":
        return None
    items: list[ir.Term | None] = []
    sides: list[tuple[ir.Term | None, ir.Term | None]] = [(literal.right, literal.hi)]
    if literal.op == "=" and isinstance(literal.right, Var):
        name = literal.right
        tests = [part for part in parts(rule) if isinstance(part, ir.Compare) and part.left == name]
        read = rule.body if isinstance(rule.head, ir.Judge) else (rule.head, rule.body, rule.extra)
        if sum(part == name for part in parts(read)) != len(tests) + 1:
            return None
        sides = [(test.right, test.hi) for test in tests]
    for right, hi in sides:
        items += [*right.items, hi] if isinstance(right, ir.Choice) else [right, hi]
    most = 0
    for item in items:
        if isinstance(item, Const) and isinstance(item.value, int | Decimal):
            most = max(most, ceil(item.value))
        elif item is not None:
            return None
    return most


def named(atom: Atom) -> int:
    """How many rows an atom names by ``in {..}``: each must be there for all of them to be known."""
    return prod(
        len(constraint.term.items)
        for constraint in atom.constraints
        if constraint.op == "in" and isinstance(constraint.term, ir.Choice)
    )


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows matter.

    Attributes:
        rows: slots per relation that suffice for the rules' positive and negated atoms.
        exact: whether nothing is lost with that many (`docs`: the table of fragments).
    """

    rows: int
    exact: bool


def _positions(rel: Relation, atom: Atom) -> Iterator[int]:
    """The positions in a list that an atom names: so many rows of it there must be."""
    for constraint in atom.constraints if rel.sort == "list" else ():
        value = constraint.term.value if isinstance(constraint.term, Const) else None
        if constraint.attr == "at" and isinstance(value, int | Decimal) and value > 0:
            yield int(value)


def size(program: Program, rule: Rule) -> Size:
    """How many rows per relation a rule's satisfiability may need."""
    need: Counter[str] = Counter()
    positions: list[int] = []
    exact = True

    def walk(literals: Iterable[ir.Literal], outer: frozenset[str], path: tuple[str, ...]) -> None:
        nonlocal exact
        for literal in literals:
            match literal:
                case Lit():
                    if literal.neg and (literal.past is None) and shares(literal.atom, outer):
                        exact = False
                    if literal.past and literal.past.other:
                        count(literal.past.other, path)
                    count(literal.atom, path)
                case ir.Aggregate():
                    most = most_counted(literal, rule_of[-1])
                    exact = exact and most is not None and not shares(literal.lit.atom, outer)
                    many = 2 if most is None else most + 1
                    for _ in range(min(max(many, named(literal.lit.atom)), _MOST_COUNTED + 1)):
                        count(literal.lit.atom, path)
                case ir.Every():
                    exact = exact and not shares((literal.atom, literal.has), outer)
                    for _ in range(min(named(literal.atom), _MOST_COUNTED)):
                        count(literal.atom, path)
                case ir.First():
                    exact = False
                    count(literal.atom, path)
                case ir.Then():
                    for part in literal.parts:
                        walk(part, outer, path)
                case _:
                    pass

    def shares(item: object, outer: frozenset[str]) -> bool:
        return bool(needed(item) & outer)

    def count(atom: Atom, path: tuple[str, ...]) -> None:
        nonlocal exact
        rel = program.relations[atom.relation]
        if rel.sort != "derived" or atom.relation == "Screen":
            need[atom.relation] += 1
            positions.extend(_positions(rel, atom))
            return
        if atom.relation in path:
            exact = False
            return
        for defined in defining(program, atom.relation):
            rule_of.append(defined)
            walk(defined.body, needed((defined.head, defined.body)), (*path, atom.relation))
            rule_of.pop()

    rule_of = [rule]
    walk((*rule.body, *rule.extra), needed(rule), ())
    return Size(max([1 if exact else _FEWEST_TRIED, *need.values(), *positions]), exact)
