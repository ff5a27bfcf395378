"""What each clause of a task asks of the believed relations: its demands and objections, opened through `define`.

Made once per program; `vsalang.guard.frontier` holds written rows against them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from vsalang.core.ir import (
    Atom,
    Constraint,
    Derive,
    Every,
    License,
    Lit,
    Literal,
    Program,
    Recognize,
    Rule,
    Term,
    Then,
    Var,
)
from vsalang.guard.store import BELIEVED
from vsalang.guard.terms import variables

_MOST = 64
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Demand:
    """A row that a clause wants.

    Attributes:
        until: number of the past condition it stands under: no demand once that has held. None: always.
    """

    atom: Atom
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Need:
    """One reading of a clause: a choice of one rule for every defined relation that it rests on.

    Attributes:
        rule: the clause.
        demands: what it wants to be so.
        against: negated atoms: what it wants not to be so.
        every: conditions on every row of a kind.
        after: critical actions that must have been committed before it is enabled.
    """

    rule: Rule
    demands: tuple[Demand, ...] = ()
    against: tuple[Atom, ...] = ()
    every: tuple[Every, ...] = ()
    after: tuple[Atom, ...] = ()


@dataclass(frozen=True)
class Needs:
    """The needs of all clauses, and the past conditions among them, by number."""

    clauses: tuple[Need, ...]
    past: Mapping[int, tuple[Literal, ...]]


@dataclass(frozen=True, slots=True)
class _Part:
    demands: tuple[Demand, ...] = ()
    against: tuple[Atom, ...] = ()
    every: tuple[Every, ...] = ()
    after: tuple[Atom, ...] = ()

    def __add__(self, other: "_Part") -> "_Part":
        return _Part(
            self.demands + other.demands,
            self.against + other.against,
            self.every + other.every,
            self.after + other.after,
        )


_Limits = Mapping[str, tuple[tuple[str, Term | None, Term | None], ...]]


@dataclass
class _Opener:
    program: Program
    defines: dict[str, list[Rule]]
    past: dict[int, tuple[Literal, ...]] = field(default_factory=dict)

    def body(
        self, literals: Sequence[Literal], limits: _Limits, until: int | None, depth: int
    ) -> list[_Part]:
        """Every reading of a body."""
        choices = [self.literal(literal, limits, until, depth) for literal in literals]
        found = []
        for combination in islice(product(*choices), _MOST):
            part = _Part()
            for item in combination:
                part = part + item
            found.append(part)
        return found or [_Part()]

    def literal(self, literal: Literal, limits: _Limits, until: int | None, depth: int) -> list[_Part]:
        if isinstance(literal, Lit):
            return self.lit(literal, limits, until, depth)
        if isinstance(literal, Every):
            return [self.every_(literal, limits, until)]
        if isinstance(literal, Then):
            return self.then(literal, limits, until, depth)
        return [_Part()]

    def lit(self, literal: Lit, limits: _Limits, until: int | None, depth: int) -> list[_Part]:
        relation = self.program.relation(literal.atom.relation)
        atom = _limited(literal.atom, limits)
        if literal.neg:
            if literal.past is None and relation.sort in BELIEVED:
                return [_Part(against=(atom,))]
            return [_Part()]
        if literal.past is not None:
            if relation.sort == "action":
                return [_Part(after=(atom,))] if literal.past.op == "earlier" else [_Part()]
            if literal.past.op in ("earlier", "within"):
                until = self.remember((replace(literal, past=None, atom=atom),))
        if relation.sort in BELIEVED:
            return [_Part(demands=(Demand(atom, until),))]
        if relation.sort in ("derived", "screen") and depth < _DEPTH:
            return self.opened(atom, until, depth)
        return [_Part()]

    def remember(self, literals: tuple[Literal, ...]) -> int:
        self.past[len(self.past) + 1] = literals
        return len(self.past)

    def opened(self, atom: Atom, until: int | None, depth: int) -> list[_Part]:
        found: list[_Part] = []
        for rule in self.defines.get(atom.relation, ()):
            assert isinstance(rule.head, Derive)
            limits: dict[str, list[tuple[str, Term | None, Term | None]]] = {}
            for given in rule.head.atom.constraints:
                for asked in atom.constraints:
                    if asked.attr == given.attr and isinstance(given.term, Var):
                        limits.setdefault(given.term.name, []).append((asked.op, asked.term, asked.hi))
            fixed = {name: tuple(items) for name, items in limits.items()}
            found += self.body(rule.body, fixed, until, depth + 1)
            if len(found) >= _MOST:
                break
        return found[:_MOST] or [_Part()]

    def every_(self, literal: Every, limits: _Limits, until: int | None) -> _Part:
        relation = self.program.relation(literal.atom.relation)
        if relation.sort not in BELIEVED:
            return _Part()
        literal = replace(literal, atom=_limited(literal.atom, limits))
        key = {c.attr for c in literal.atom.constraints if c.op == "in" and c.hi is None}
        if key and key <= set(relation.identity):
            demand = Demand(replace(literal.atom, constraints=literal.atom.constraints + literal.has), until)
            return _Part(demands=(demand,), every=(literal,))
        return _Part(every=(literal,))

    def then(self, literal: Then, limits: _Limits, until: int | None, depth: int) -> list[_Part]:
        readings = self.body(literal.parts[-1], limits, until, depth)
        for part in literal.parts[:-1]:
            number = self.remember(part)
            left = self.body(part, limits, number, depth)
            # What the left side says of a state must go on holding, so it stays a demand.
            left = [
                replace(
                    reading,
                    demands=tuple(
                        replace(demand, until=until)
                        if self.program.relation(demand.atom.relation).sort == "state"
                        else demand
                        for demand in reading.demands
                    ),
                )
                for reading in left
            ]
            readings = [one + other for one, other in islice(product(left, readings), _MOST)]
        return readings


def _limited(atom: Atom, limits: _Limits) -> Atom:
    """The atom with what is asked of variables asked of the cells that bind them."""
    added = [
        Constraint(c.attr, op, term, hi, c.span)
        for c in atom.constraints
        if c.op == "=" and isinstance(c.term, Var)
        for op, term, hi in limits.get(c.term.name, ())
        if not (variables(term) or variables(hi))
    ]
    return replace(atom, constraints=(*atom.constraints, *added)) if added else atom


def needs(program: Program) -> Needs:
    """The needs of every `allow` and `done` clause of a program."""
    defines: dict[str, list[Rule]] = {}
    for rule in program.rules:
        if isinstance(rule.head, Derive):
            defines.setdefault(rule.head.atom.relation, []).append(rule)
    opener = _Opener(program, defines)
    clauses = []
    for rule in program.rules:
        if isinstance(rule.head, License):
            copied = _copied(program, rule.head)
            for part in opener.body(rule.body, {}, None, 0):
                clauses.append(Need(rule, copied + part.demands, part.against, part.every, part.after))
    return Needs(tuple(clauses), dict(opener.past))


def _copied(program: Program, head: License) -> tuple[Demand, ...]:
    """Demands on the cells from which `recognize` copies the parameters that the head constrains."""
    found: list[Demand] = []
    for rule in program.rules:
        if not isinstance(rule.head, Recognize) or rule.head.atom.relation != head.atom.relation:
            continue
        sources = {c.term.name: c.attr for c in rule.head.atom.constraints if isinstance(c.term, Var)}
        for literal in (*rule.body, *rule.extra):
            if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
                continue
            if program.relation(literal.atom.relation).sort not in BELIEVED:
                continue
            asked = [
                replace(wanted, attr=cell.attr)
                for cell in literal.atom.constraints
                if cell.op == "=" and isinstance(cell.term, Var) and cell.term.name in sources
                for wanted in head.atom.constraints
                if wanted.attr == sources[cell.term.name]
            ]
            if asked:
                demand = Demand(Atom(literal.atom.relation, tuple(asked), span=head.atom.span))
                if demand not in found:
                    found.append(demand)
    return tuple(found)
