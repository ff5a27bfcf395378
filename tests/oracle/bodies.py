"""What the reference needs to know of a body before it is read: its variables, a safe order, and the strata."""

from collections.abc import Iterable, Mapping

from vsalang.engine.api import EngineError
from vsalang.program.ir import (
    Aggregate,
    Compare,
    Const,
    Constraint,
    Derive,
    Fn,
    Literal,
    Program,
    Rule,
    Term,
    Then,
    Type,
)
from vsalang.program.reading import read_certainly
from vsalang.program.walk import binds, bound_by_row, outer_variables, terms, uses
from vsalang.program.walk import needed as needed_by

NOTHING: frozenset[str] = frozenset()
_MOST_ORDERS = 5_000


def _gives(literal: Literal) -> frozenset[str]:
    """The variables that a condition binds; those that group an aggregate are bound by others where they can be."""
    return binds(literal) - frozenset(literal.group if isinstance(literal, Aggregate) else ())


def safe_order(literals: Iterable[Literal], bound: frozenset[str]) -> tuple[Literal, ...]:
    """The literals in an order in which each has what it needs when it is read.

    Comparisons and positive atoms come as soon as the variables they need are bound; what asks about all rows
    (negations, aggregates, ``every``, ``first .. has``) waits for every variable that another literal can bind.

    Raises:
        EngineError: no order is safe.
    """
    waiting = [(literal, _gives(literal), outer_variables(literal)) for literal in literals]
    ordered: list[Literal] = []
    while waiting:
        for one in waiting:
            literal, gives, outer = one
            others = NOTHING.union(*(given for other, given, _ in waiting if other is not literal))
            mentioned = outer - bound
            if isinstance(literal, Aggregate) or not gives:
                # a condition about all rows, or one that only tests, waits for all that can still be bound
                needed = mentioned - (gives if isinstance(literal, Aggregate) else NOTHING)
                ready = not needed & others and (not isinstance(literal, Compare) or not mentioned)
            else:
                needed = mentioned - gives
                if isinstance(literal, Compare):  # ?u = lower(?u) binds nothing before ?u is bound
                    used = (literal.left,) if literal.op == "matches" else (literal.right, literal.hi)
                    needed |= needed_by(used) - bound
                ready = not needed if not isinstance(literal, Then) else not needed & others
            if ready:
                ordered.append(literal)
                waiting.remove(one)
                bound |= gives
                if isinstance(literal, Aggregate):
                    bound |= frozenset(literal.group)
                break
        else:
            raise EngineError("a body has no safe order: a variable is used that nothing binds")
    return tuple(ordered)


def constants(program: Program) -> tuple[Term, ...]:
    """The terms of the program's rules whose values are known before anything is read, heads included."""
    return tuple(
        term for term in terms(program.rules) if isinstance(term, Const | Fn) and not needed_by(term)
    )


def types_of(literals: Iterable[Literal], program: Program) -> dict[str, Type]:
    """The types of the variables that atoms bind."""
    types: dict[str, Type] = {}
    for use in uses(literals):
        types.update(constraint_types(use.atom.constraints, program, use.atom.relation))
    return types


def constraint_types(constraints: Iterable[Constraint], program: Program, relation: str) -> dict[str, Type]:
    """The types of the variables in ``attr = ?x`` and of the groups in ``attr matches /../``."""
    types: dict[str, Type] = {}
    for constraint in constraints:
        for name in bound_by_row([constraint]):
            types[name] = program.relation(relation).attr(constraint.attr).type
    return types


class Orders:
    """The safe orders of the bodies of a program, each found once for the variables that are bound before."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, frozenset[str]], tuple[object, tuple[Literal, ...]]] = {}

    def of(self, literals: Iterable[Literal], bound: frozenset[str]) -> tuple[Literal, ...]:
        """See `safe_order`."""
        key = id(literals), bound
        body, ordered = self._found.get(key, (None, ()))
        if body is not literals:
            ordered = safe_order(literals, bound)
            if isinstance(literals, tuple):
                if len(self._found) >= _MOST_ORDERS:  # bodies that are made for one question go with it
                    self._found.clear()
                self._found[key] = literals, ordered  # what is kept keeps its id
        return ordered


class Strata:
    """Which derived relations depend on which, and whether every negation looks downwards.

    Raises:
        EngineError: a relation depends on a negation or an aggregate of itself.
    """

    def __init__(self, program: Program) -> None:
        self.rules: dict[str, list[Rule]] = {}
        for rule in program.rules:
            if isinstance(rule.head, Derive):
                self.rules.setdefault(rule.head.atom.relation, []).append(rule)
        self.certain = {rule.id: read_certainly(rule) for rules in self.rules.values() for rule in rules}
        reads = {
            name: {(use.atom.relation, not use.monotone) for rule in rules for use in uses(rule.body)}
            for name, rules in self.rules.items()
        }
        edges = {name: {other for other, _ in used} for name, used in reads.items()}
        self.below = {name: _reachable(name, edges) for name in edges}
        for name, used in reads.items():
            for other, negative in used:
                if negative and name in self.below.get(other, frozenset({other})) | {other}:
                    raise EngineError(
                        f"the program is not stratified: {name} depends on a negation of itself"
                    )

    def component(self, relation: str) -> tuple[str, ...]:
        """The relations that depend on `relation` and on which it depends, itself included, sorted."""
        below = self.below.get(relation, frozenset())
        return tuple(sorted({relation} | {other for other in below if relation in self.below.get(other, ())}))


def _reachable(start: str, edges: Mapping[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return frozenset(found)
