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


@dataclass(frozen=True, slots=True)
class _Needs:
    """How many rows conditions may need, of relations that are not derived.

    Attributes:
        rows: by relation.
        position: the last position in a list that is named.
        exact: as of `Size`.
    """

    rows: Counter[str]
    position: int = 0
    exact: bool = True

    def __add__(self, other: "_Needs") -> "_Needs":
        rows = self.rows + other.rows
        return _Needs(rows, max(self.position, other.position), self.exact and other.exact)


_NONE = _Needs(Counter())
_INEXACT = _Needs(Counter(), exact=False)


def size(program: Program, rule: Rule) -> Size:
    """How many rows per relation a rule's satisfiability may need."""
    needs = _Counting(program).of_rule(rule, (*rule.body, *rule.extra), needed(rule))
    return Size(max(1 if needs.exact else _FEWEST_TRIED, needs.position, *needs.rows.values()), needs.exact)


class _Counting:
    """Counts what conditions need; each definition once, however often it is read."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[str, _Needs] = {}

    def of_rule(self, rule: Rule, literals: Iterable[ir.Literal], outer: frozenset[str]) -> _Needs:
        """What some literals of a rule need.

        Args:
            outer: the variables of the rule.
        """
        return sum((self.of_literal(rule, literal, outer) for literal in literals), _NONE)

    def of_literal(self, rule: Rule, literal: ir.Literal, outer: frozenset[str]) -> _Needs:
        """What one literal needs; what shares variables with the rest may need more."""
        match literal:
            case Lit(atom, neg, past):
                shared = neg and past is None and bool(needed(atom) & outer)
                other = self.of_atom(past.other) if past and past.other else _NONE
                return self.of_atom(atom) + other + (_INEXACT if shared else _NONE)
            case ir.Aggregate():
                most, atom = most_counted(literal, rule), literal.lit.atom
                exact = most is not None and not needed(atom) & outer
                many = min(max(2 if most is None else most + 1, named(atom)), _MOST_COUNTED + 1)
                return self.of_atom(atom, many) + (_NONE if exact else _INEXACT)
            case ir.Every():
                exact = not needed((literal.atom, literal.has)) & outer
                of_rows = self.of_atom(literal.atom, min(named(literal.atom), _MOST_COUNTED))
                return of_rows + (_NONE if exact else _INEXACT)
            case ir.First():
                return self.of_atom(literal.atom) + _INEXACT
            case ir.Then():
                return sum((self.of_rule(rule, part, outer) for part in literal.parts), _NONE)
        return _NONE

    def of_atom(self, atom: Atom, times: int = 1) -> _Needs:
        """What an atom needs that is read so many times."""
        rel = self.program.relations[atom.relation]
        if not times:
            return _NONE
        if rel.sort != "derived" or atom.relation == "Screen":
            return _Needs(Counter({atom.relation: times}), max([0, *_positions(rel, atom)]))
        needs = self.of_definition(atom.relation)
        rows = Counter({name: times * number for name, number in needs.rows.items()})
        return _Needs(rows, needs.position, needs.exact)

    def of_definition(self, name: str) -> _Needs:
        """What all rules of a derived relation need; a recursive one may need any number."""
        if name not in self.known:
            self.known[name] = _INEXACT
            rules = defining(self.program, name)
            self.known[name] = sum(
                (self.of_rule(rule, rule.body, needed((rule.head, rule.body))) for rule in rules), _NONE
            )
        return self.known[name]
