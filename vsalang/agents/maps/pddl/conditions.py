"""Conditions of rules as PDDL formulas over what is believed, what was done, and the screen that shows."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import product
from typing import Final

from vsalang.agents.maps.pddl.notation import FALSE, TRUE, Draft, Form, Names, conj, disj, exists, neg
from vsalang.agents.maps.pddl.values import Node, Objects, ground, on_day
from vsalang.base.records import dataclass
from vsalang.engine.explain.terms import value_of
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.ir import (
    Atom,
    Compare,
    Constraint,
    Derive,
    Lit,
    Literal,
    Program,
    Regex,
    Relation,
    Rule,
    Spent,
    Term,
    Var,
)
from vsalang.program.ops import holds
from vsalang.program.show import source
from vsalang.program.values import Value
from vsalang.program.walk import relations, terms
from vsalang.proof.solver.scan import defining, with_definitions

MAX_CASES: Final = 4000
"""More combinations of values are not tried for one comparison."""
_MAX_DEEP: Final = 6
_WORDS: Final = {
    "=": "is", "!=": "is-not", "<": "below", "<=": "at-most", ">": "above", ">=": "at-least", "in": "in",
    "not in": "not-in", "~=": "like", "!~=": "unlike",
}  # fmt: skip


class CannotSay(Exception):
    """PDDL, as it is made here, has no formula for this; the message says for what."""


@dataclass(frozen=True, slots=True)
class TypedTerm:
    """What a variable of a rule stands for: a variable or object of PDDL, and its class."""

    name: str
    root: Node


Bindings = dict[str, TypedTerm]


@dataclass(frozen=True, slots=True)
class Fluent:
    """A relation as predicates.

    Attributes:
        keys: the attributes that tell its rows apart.
        cells: the other attributes that rules read.
    """

    relation: Relation
    keys: tuple[str, ...]
    cells: tuple[str, ...]
    there: str
    """That there is a row: a predicate over the keys."""
    predicted: str
    """That an action is said to have written the row, and nobody saw it since; empty: no contract is about it."""
    holds: Mapping[str, str] = field(default_factory=dict)
    """For each cell the predicate over the keys and a value."""


@dataclass(frozen=True, slots=True)
class ProposedAction:
    """The action that is proposed: its relation, and its parameters."""

    relation: str
    args: Mapping[str, TypedTerm] = field(default_factory=dict)


class Conditions:
    """Makes formulas for the rules of one program.

    Attributes:
        fluents: by relation.
        done: for each action the predicate that it was done, and its parameters.
        spent: for each action the formulas that say that a licence of it is used up.
        screens: for each screen its object.
    """

    def __init__(
        self, program: Program, objects: Objects, draft: Draft, names: Names, today: dt.date
    ) -> None:
        self.program = program
        self.objects = objects
        self.draft = draft
        self.names = names
        self.today = today
        self.fluents: dict[str, Fluent] = {}
        self.done: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.spent: dict[str, list[Form]] = {}
        self.screens: dict[str, str] = {}
        self._fresh = 0
        self._variables = Names()

    def of_screen(self, literal: Literal) -> bool:
        """Whether a condition is about what the screen shows, and about nothing that is believed."""
        rule = Rule("", Derive(Atom("")), (literal,))
        names = [n for n in relations(tuple(r.body for r in with_definitions(self.program, [rule]))) if n]
        sorts = {self.program.relation(name).sort for name in names}
        return bool(sorts) and not sorts & {*BELIEVED, "action", "screen"} and "observed" in sorts

    def formula(
        self,
        rule: Rule,
        body: Iterable[Literal],
        known: Bindings,
        *,
        proposed: ProposedAction,
        certain: bool = False,
    ) -> Form:
        """That conditions of a rule hold for some values of the variables that are not bound yet.

        Args:
            known: what variables stand for.
            certain: as `allow` and `done` are read.

        Raises:
            CannotSay: one of them cannot be said.
        """
        return _Body(self, rule, dict(known), proposed, certain).of(body)

    def fresh(self, base: str, root: Node) -> TypedTerm:
        """A new variable."""
        self._fresh += 1
        return TypedTerm(f"?{self._variables.of(base, base)}-{self._fresh}", root)

    def value(self, term: Term | None, known: Bindings, root: Node) -> TypedTerm | None:
        """What a term stands for; None if it needs a computation.

        Raises:
            CannotSay: its value is none that the planner takes into account.
        """
        if isinstance(term, Var):
            return known.get(term.name)
        value = ground(term, self.today)
        if value is None:
            return None
        name = self.objects.of(root, value)
        if name is None:
            raise CannotSay(f"the value {source(term) if term is not None else ''}")
        return TypedTerm(name, root)

    def compared(self, left: Term, op: str, right: Term | None, hi: Term | None, known: Bindings) -> Form:
        """That a comparison holds: a static predicate over its variables, with a fact for each case in which it does.

        Raises:
            CannotSay: it has too many cases, or it binds variables.
        """
        names = [part.name for part in dict.fromkeys(terms((left, right, hi))) if isinstance(part, Var)]
        if any(name not in known for name in names) or (isinstance(right, Regex) and right.groups):
            raise CannotSay(f"the comparison {source(Compare(left, op, right, hi))}")
        bound = [known[name] for name in names]
        cases = [
            [each.name] if each.name in self.objects.values else self.objects.all(each.root) for each in bound
        ]
        number = 1
        for case in cases:
            number *= len(case)
        if number > MAX_CASES:
            raise CannotSay(
                f"the comparison {source(Compare(left, op, right, hi))}, which has {number} cases"
            )
        true = []
        for chosen in product(*cases):
            values = {name: self.objects.values[each] for name, each in zip(names, chosen, strict=True)}
            if self._true(left, op, right, hi, values):
                true.append(chosen)
        if len(true) == number:
            return TRUE
        if not true:
            return FALSE
        free = [index for index, each in enumerate(bound) if each.name not in self.objects.values]
        text = source(Compare(left, op, right, hi))
        base = f"{_WORDS.get(op, op)} {source(right) if right is not None else ''}"
        key = (
            "test",
            text,
            tuple(each.root for each in bound),
            tuple(case[0] for case in cases if len(case) == 1),
        )
        name = self.names.of(key, base)
        arguments = [
            (f"?{chr(97 + at)}", self.objects.type_of(bound[index].root)) for at, index in enumerate(free)
        ]
        self.draft.predicate(name, arguments, text)
        for chosen in true:
            self.draft.fact(name, *(chosen[index] for index in free))
        return (name, *(bound[index].name for index in free))

    def _true(
        self, left: Term, op: str, right: Term | None, hi: Term | None, values: Mapping[str, Value | None]
    ) -> bool:
        binding = {name: value for name, value in values.items() if value is not None}
        one, other, end = (value_of(term, binding, on_day(self.today)) for term in (left, right, hi))
        if one is None or (other is None and right is not None) or (end is None and hi is not None):
            return False
        return holds(op, one, other, end)


class _Body:
    """The conditions of one body, one after the other."""

    def __init__(
        self,
        conditions: Conditions,
        rule: Rule,
        known: Bindings,
        proposed: ProposedAction,
        certain: bool,
        deep: int = 0,
    ) -> None:
        self.conditions = conditions
        self.rule = rule
        self.known = known
        self.proposed = proposed
        self.certain = certain
        self.deep = deep
        self.free: list[tuple[str, str]] = []

    def of(self, body: Iterable[Literal]) -> Form:
        """That all conditions hold."""
        parts = [self.literal(literal) for literal in body]
        return exists(self.free, conj(parts))

    def literal(self, literal: Literal) -> Form:
        """That one condition holds."""
        match literal:
            case Compare():
                return self.compare(literal)
            case Spent():
                if literal.relation not in self.conditions.spent:
                    raise CannotSay(source(literal))
                return conj(self.conditions.spent[literal.relation])
            case Lit(neg=True):
                return self.negated(literal)
            case Lit():
                return self.positive(literal)
            case _:
                raise CannotSay(source(literal))

    def positive(self, literal: Lit) -> Form:
        atom = literal.atom
        relation = self.conditions.program.relation(atom.relation)
        if atom.before:
            raise CannotSay(source(literal))
        if literal.past is not None:
            if literal.past.op != "earlier" or atom.relation not in self.conditions.done:
                raise CannotSay(source(literal))
            return self.earlier(atom)
        if relation.sort == "screen" and relation.name in self.conditions.screens:
            return ("at", self.conditions.screens[relation.name])
        if relation.sort in ("action", "gesture"):
            return self.action(atom)
        if relation.name in self.conditions.fluents:
            return self.believed(atom, self.conditions.fluents[relation.name])
        if relation.sort == "derived":
            return self.derived(atom, literal)
        raise CannotSay(source(literal))

    def negated(self, literal: Lit) -> Form:
        atom = literal.atom
        inner = _Body(self.conditions, self.rule, dict(self.known), self.proposed, self.certain, self.deep)
        plain = Lit(atom, past=literal.past)
        fluent = self.conditions.fluents.get(atom.relation) if literal.past is None else None
        if fluent is None and self.certain and literal.past is None:
            relation = self.conditions.program.relation(atom.relation)
            if relation.sort not in ("screen", "action", "gesture"):
                raise CannotSay(source(literal))
        if fluent is None or not self.certain:
            form = inner.positive(plain)
            return neg(exists(inner.free, form))
        return self.refuted(literal, fluent)

    def refuted(self, literal: Lit, fluent: Fluent) -> Form:
        """That the row which the condition names was seen, and that a known cell speaks against the condition."""
        terms = {each.attr: each.term for each in literal.atom.constraints if each.op == "="}
        keys = []
        for key in fluent.keys:
            bound = (
                self.conditions.value(terms.get(key), self.known, self.root(fluent, key))
                if key in terms
                else None
            )
            if bound is None:
                raise CannotSay(f"{source(literal)} (are there other rows?)")
            keys.append(bound.name)
        against = []
        for each in literal.atom.constraints:
            if each.attr in fluent.keys:
                continue
            inner = _Body(
                self.conditions, self.rule, dict(self.known), self.proposed, self.certain, self.deep
            )
            cell = self.conditions.fresh(each.attr, self.root(fluent, each.attr))
            inner.free.append((cell.name, self.conditions.objects.type_of(cell.root)))
            test = inner.constrained(each, cell)
            if len(inner.free) > 1:
                raise CannotSay(source(literal))
            against.append(exists(inner.free, conj([(fluent.holds[each.attr], *keys, cell.name), neg(test)])))
        seen: list[Form] = [("not", (fluent.predicted, *keys))] if self.reads_seen(fluent) else []
        return conj([*seen, (fluent.there, *keys), disj(against)])

    # ------------------------------------------------------------ atoms

    def root(self, fluent: Fluent, attr: str) -> Node:
        return self.conditions.objects.classes.column(fluent.relation.name, attr)

    def reads_seen(self, fluent: Fluent) -> bool:
        """Whether what an action is said to have written counts only once it was seen."""
        return bool(fluent.predicted) and self.certain and self.proposed.relation == "finish"

    def believed(self, atom: Atom, fluent: Fluent) -> Form:
        """That some row fits."""
        parts: list[Form] = []
        keys = []
        for key in fluent.keys:
            bound, more = self.cell(atom, key, self.root(fluent, key), always=True)
            assert bound is not None
            keys.append(bound.name)
            parts += more
        cells: list[Form] = []
        for attr in fluent.cells:
            constraints = [each for each in atom.constraints if each.attr == attr]
            unknown = [each for each in constraints if each.op == "unknown"]
            if unknown:
                cells.append(
                    (fluent.holds[attr], *keys, self.conditions.objects.unknown(self.root(fluent, attr)))
                )
                continue
            bound, more = self.cell(atom, attr, self.root(fluent, attr))
            if bound is not None:
                cells.append((fluent.holds[attr], *keys, bound.name))
                parts += more
        seen: list[Form] = [("not", (fluent.predicted, *keys))] if self.reads_seen(fluent) else []
        return conj([*(cells or [(fluent.there, *keys)]), *parts, *seen])

    def cell(
        self, atom: Atom, attr: str, root: Node, *, always: bool = False
    ) -> tuple[TypedTerm | None, list[Form]]:
        """What stands for a cell, and what is asked of it; None if nothing is asked."""
        constraints = [each for each in atom.constraints if each.attr == attr]
        if not constraints and not always:
            return None, []
        bound = None
        rest = list(constraints)
        for each in constraints:
            if each.op == "=" and bound is None:
                bound = self.conditions.value(each.term, self.known, root)
                if bound is not None:
                    rest.remove(each)
        if bound is None:
            bound = self.conditions.fresh(attr, root)
            self.free.append((bound.name, self.conditions.objects.type_of(root)))
        return bound, [self.constrained(each, bound) for each in rest]

    def constrained(self, each: Constraint, cell: TypedTerm) -> Form:
        """That a constraint holds of a cell whose value is known."""
        if each.op == "known":
            return TRUE
        if each.op == "unknown":
            return FALSE
        if each.op == "=" and isinstance(each.term, Var) and each.term.name not in self.known:
            self.known[each.term.name] = cell
            return TRUE
        if each.op == "=":
            other = self.conditions.value(each.term, self.known, cell.root)
            if other is not None and other.root == cell.root:
                return TRUE if other.name == cell.name else self._equal(cell, other)
        name = f"{each.attr}#"
        return self.conditions.compared(Var(name), each.op, each.term, each.hi, {**self.known, name: cell})

    def _equal(self, one: TypedTerm, other: TypedTerm) -> Form:
        known = self.conditions.objects.values
        return FALSE if one.name in known and other.name in known else ("=", one.name, other.name)

    def action(self, atom: Atom) -> Form:
        """That the action is proposed."""
        if atom.relation != self.proposed.relation:
            return FALSE
        parts = []
        for each in atom.constraints:
            if each.attr not in self.proposed.args:
                raise CannotSay(f"{source(atom)}: the parameter {each.attr} is not known")
            parts.append(self.constrained(each, self.proposed.args[each.attr]))
        return conj(parts)

    def earlier(self, atom: Atom) -> Form:
        """That the action was done."""
        name, attrs = self.conditions.done[atom.relation]
        parts: list[Form] = []
        args = []
        for attr in attrs:
            root = self.conditions.objects.classes.column(atom.relation, attr)
            bound, more = self.cell(atom, attr, root, always=True)
            assert bound is not None
            args.append(bound.name)
            parts += more
        if any(each.attr not in attrs for each in atom.constraints):
            raise CannotSay(f"{source(atom)} earlier")
        return conj([(name, *args), *parts])

    def derived(self, atom: Atom, literal: Lit) -> Form:
        """That one of the rules that define it holds."""
        if self.deep >= _MAX_DEEP:
            raise CannotSay(f"{source(literal)}, which is defined by itself or very deep")
        rules = defining(self.conditions.program, atom.relation)
        if not rules:
            raise CannotSay(source(literal))
        outer: dict[str, TypedTerm] = {}
        parts: list[Form] = []
        for attr in dict.fromkeys(each.attr for each in atom.constraints):
            root = self.conditions.objects.classes.column(atom.relation, attr)
            bound, more = self.cell(atom, attr, root)
            assert bound is not None
            outer[attr] = bound
            parts += more
        return conj([disj(self.defined(rule, outer) for rule in rules), *parts])

    def defined(self, rule: Rule, outer: Mapping[str, TypedTerm]) -> Form:
        """That a rule gives these cells."""
        assert isinstance(rule.head, Derive)
        inner = _Body(self.conditions, rule, {}, self.proposed, self.certain, self.deep + 1)
        late: list[tuple[Constraint, TypedTerm]] = []
        parts: list[Form] = []
        for each in rule.head.atom.constraints:
            if each.attr not in outer:
                continue
            if isinstance(each.term, Var) and each.term.name not in inner.known:
                inner.known[each.term.name] = outer[each.attr]
            else:
                late.append((each, outer[each.attr]))
        parts += [inner.literal(literal) for literal in rule.body]
        parts += [inner.constrained(each, bound) for each, bound in late]
        return exists(inner.free, conj(parts))

    def compare(self, literal: Compare) -> Form:
        left, right = literal.left, literal.right
        if isinstance(left, Var) and left.name not in self.known:
            root = self.conditions.objects.classes.root(("var", self.rule.id, left.name))
            if literal.op == "=" and (
                isinstance(right, Var) or ground(right, self.conditions.today) is not None
            ):
                bound = self.conditions.value(right, self.known, root)
                if bound is None:
                    raise CannotSay(source(literal))
                self.known[left.name] = bound
                return TRUE
            raise CannotSay(source(literal))
        return self.conditions.compared(left, literal.op, right, literal.hi, self.known)
