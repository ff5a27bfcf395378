"""What the reference needs to know of a body before it is read: its variables, a safe order, and the strata."""

from collections.abc import Iterable, Iterator, Mapping

from vsalang.core.ir import (
    Aggregate,
    Atom,
    Choice,
    Compare,
    Constraint,
    Derive,
    Every,
    First,
    Fn,
    Lit,
    Literal,
    Program,
    Recognize,
    Regex,
    Rule,
    Term,
    Then,
    Type,
    Var,
)
from vsalang.engine.api import EngineError

NOTHING: frozenset[str] = frozenset()


def term_variables(term: Term | None) -> frozenset[str]:
    """The variables that a term needs; the groups of a regular expression are bound by it, not needed."""
    if isinstance(term, Var):
        return frozenset({term.name})
    if isinstance(term, Fn):
        return NOTHING.union(*map(term_variables, term.args))
    if isinstance(term, Choice):
        return NOTHING.union(*map(term_variables, term.items))
    return NOTHING


def binders(constraints: Iterable[Constraint]) -> frozenset[str]:
    """The variables that a positive atom with these constraints binds: ``attr = ?x`` and the groups of ``matches``."""
    found: set[str] = set()
    for constraint in constraints:
        if constraint.op == "=" and isinstance(constraint.term, Var):
            found.add(constraint.term.name)
        elif constraint.op == "matches" and isinstance(constraint.term, Regex):
            found.update(constraint.term.groups)
    return frozenset(found)


def constraint_variables(constraints: Iterable[Constraint]) -> frozenset[str]:
    """All variables of the constraints."""
    constraints = tuple(constraints)
    return binders(constraints).union(
        *(term_variables(c.term) | term_variables(c.hi) for c in constraints), NOTHING
    )


def lit_variables(lit: Lit) -> frozenset[str]:
    """All variables of a literal on an atom, those of ``since`` included."""
    own = constraint_variables(lit.atom.constraints)
    if lit.past is None:
        return own
    other = constraint_variables(lit.past.other.constraints) if lit.past.other else NOTHING
    return own | other | term_variables(lit.past.duration)


def atoms_of(literal: Literal) -> Iterator[tuple[Atom, bool]]:
    """The atoms of a literal, each with whether it is used other than as a positive atom."""
    if isinstance(literal, Lit):
        yield literal.atom, literal.neg
        if literal.past is not None and literal.past.other is not None:
            yield literal.past.other, literal.neg
    elif isinstance(literal, Aggregate):
        for atom, _ in atoms_of(literal.lit):
            yield atom, True
    elif isinstance(literal, Every | First):
        yield literal.atom, True
    elif isinstance(literal, Then):
        for part in literal.parts:
            for inner in part:
                yield from atoms_of(inner)


def variables(literal: Literal) -> frozenset[str]:
    """All variables of a literal but those local to an aggregate."""
    if isinstance(literal, Lit):
        return lit_variables(literal)
    if isinstance(literal, Compare):
        groups = binders([Constraint("", literal.op, literal.right)]) if literal.op == "matches" else NOTHING
        return (
            term_variables(literal.left) | term_variables(literal.right) | term_variables(literal.hi) | groups
        )
    if isinstance(literal, Aggregate):
        return frozenset(literal.group) | term_variables(literal.right) | term_variables(literal.hi)
    if isinstance(literal, Every):
        return constraint_variables(literal.atom.constraints + literal.has)
    if isinstance(literal, First):
        return constraint_variables(literal.atom.constraints + (literal.has or ()))
    if isinstance(literal, Then):
        return NOTHING.union(*(variables(inner) for part in literal.parts for inner in part))
    return NOTHING


def split_extra(rule: Rule) -> tuple[list[Literal], list[list[Literal]]]:
    """What stands after ``with``: what must hold for all sources, and the sources.

    Conditions belong together that share a variable which nothing before ``with`` binds, also through others. Those
    that give no parameter a value must hold for all.
    """
    before = NOTHING.union(*map(variables, rule.body))
    parameters = (
        constraint_variables(rule.head.atom.constraints) if isinstance(rule.head, Recognize) else NOTHING
    )
    waiting, of_all, sources = list(rule.extra), [], []
    while waiting:
        together, names = [waiting.pop(0)], NOTHING
        while True:
            names = NOTHING.union(*map(variables, together)) - before
            joined = [literal for literal in waiting if variables(literal) & names]
            if not joined:
                break
            together += joined
            waiting = [literal for literal in waiting if literal not in joined]
        if names & parameters:
            sources.append(together)
        else:
            of_all += together
    return of_all, sources


def binds(literal: Literal) -> frozenset[str]:
    """The variables that a literal can bind for others."""
    if isinstance(literal, Lit):
        if literal.neg:
            return NOTHING
        found = binders(literal.atom.constraints)
        if literal.past is not None and literal.past.op == "since" and literal.past.other is not None:
            return binders(literal.past.other.constraints)  # vars(A) ⊆ vars(B)
        return found
    if isinstance(literal, Compare):
        if isinstance(literal.left, Var) and (
            literal.op == "=" or (literal.op == "in" and isinstance(literal.right, Choice))
        ):
            return frozenset({literal.left.name})
        return binders([Constraint("", literal.op, literal.right)]) if literal.op == "matches" else NOTHING
    if isinstance(literal, Aggregate):
        return (
            term_variables(literal.right) if literal.op == "=" and isinstance(literal.right, Var) else NOTHING
        )
    if isinstance(literal, First) and literal.has is None:
        return binders(literal.atom.constraints)
    if isinstance(literal, Then):
        return NOTHING.union(*(binds(inner) for part in literal.parts for inner in part))
    return NOTHING


def safe_order(literals: Iterable[Literal], bound: frozenset[str]) -> tuple[Literal, ...]:
    """The literals in an order in which each has what it needs when it is read.

    Comparisons and positive atoms come as soon as the variables they need are bound; what asks about all rows
    (negations, aggregates, ``every``, ``first .. has``) waits for every variable that another literal can bind.

    Raises:
        EngineError: no order is safe.
    """
    waiting = list(literals)
    ordered: list[Literal] = []
    while waiting:
        for literal in waiting:
            others = NOTHING.union(*(binds(other) for other in waiting if other is not literal))
            mentioned = variables(literal) - bound
            if isinstance(literal, Aggregate) or not binds(literal):
                # whoever asks about all rows, or only tests, waits for all that can still be bound
                needed = mentioned - (binds(literal) if isinstance(literal, Aggregate) else NOTHING)
                ready = not needed & others and (not isinstance(literal, Compare) or not mentioned)
            else:
                needed = mentioned - binds(literal)
                if isinstance(literal, Compare):  # ?u = lower(?u) binds nothing before ?u is bound
                    used = (literal.left,) if literal.op == "matches" else (literal.right, literal.hi)
                    needed |= NOTHING.union(*map(term_variables, used)) - bound
                ready = not needed if not isinstance(literal, Then) else not needed & others
            if ready:
                ordered.append(literal)
                waiting.remove(literal)
                bound |= binds(literal)
                if isinstance(literal, Aggregate):
                    bound |= frozenset(literal.group)
                break
        else:
            raise EngineError("a body has no safe order: a variable is used that nothing binds")
    return tuple(ordered)


def constants(program: Program) -> Iterator[Term]:
    """All terms of the program's rules, heads included."""

    def of_constraints(constraints: Iterable[Constraint]) -> Iterator[Term]:
        for constraint in constraints:
            yield from (term for term in (constraint.term, constraint.hi) if term is not None)

    def of_literal(literal: Literal) -> Iterator[Term]:
        for atom, _ in atoms_of(literal):
            yield from of_constraints(atom.constraints)
        if isinstance(literal, Compare | Aggregate):
            yield from (
                t for t in (getattr(literal, "left", None), literal.right, literal.hi) if t is not None
            )
        elif isinstance(literal, Every | First):
            yield from of_constraints(literal.has or ())
        elif isinstance(literal, Then):
            for part in literal.parts:
                for inner in part:
                    yield from of_literal(inner)

    for rule in program.rules:
        head_atom = getattr(rule.head, "atom", None)
        if isinstance(head_atom, Atom):
            yield from of_constraints(head_atom.constraints)
        for literal in rule.body + rule.extra + tuple(getattr(rule.head, "literals", ())):
            yield from of_literal(literal)


def types_of(literals: Iterable[Literal], program: Program) -> dict[str, Type]:
    """The types of the variables that atoms bind."""
    types: dict[str, Type] = {}
    for literal in literals:
        for atom, _ in atoms_of(literal):
            types.update(constraint_types(atom.constraints, program, atom.relation))
    return types


def constraint_types(constraints: Iterable[Constraint], program: Program, relation: str) -> dict[str, Type]:
    """The types of the variables in ``attr = ?x`` and of the groups in ``attr matches /../``."""
    types: dict[str, Type] = {}
    for constraint in constraints:
        for name in binders([constraint]):
            types[name] = program.relation(relation).attr(constraint.attr).type
    return types


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
        uses = {
            name: {
                (atom.relation, negative)
                for rule in rules
                for lit in rule.body
                for atom, negative in atoms_of(lit)
            }
            for name, rules in self.rules.items()
        }
        edges = {name: {other for other, _ in used} for name, used in uses.items()}
        self.below = {name: _reachable(name, edges) for name in edges}
        for name, used in uses.items():
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
