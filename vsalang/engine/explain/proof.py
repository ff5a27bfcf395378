"""Why a row is there, as data: the rule, the bindings, and the rows below it; the engine gives the bindings.

A row of a recursive relation is proved by rows that were derivable before it (the round in which a naive evaluation
would first derive a row is its rank), so that no proof depends on itself and each is as short as can be.
"""

from collections.abc import Mapping
from math import inf
from typing import Final, TypeAlias
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.engine.api import Evaluator, Row
from vsalang.engine.explain.match import Facts, fitting
from vsalang.engine.explain.terms import Binding, value_of
from vsalang.program.ir import Aggregate, Atom, Derive, First, Lit, Literal, Program, Quantified, Rule
from vsalang.program.screen_rules import match_relation
from vsalang.program.values import Value, row_order, without_unknown

DEEPEST: Final = 200
"""How deeply the rules of a proof are nested."""
_MOST_CLAUSES: Final = 1000
_MOST_INSTANCES: Final = 3000

Instance: TypeAlias = tuple[Rule, Mapping[str, Value]]
Key: TypeAlias = tuple[str, Row]


@dataclass(frozen=True)
class Probes:
    """What was added to a program.

    Attributes:
        program: with everything added.
        rules: of each derived relation (or screen) that matters, its rules in order.
        instances: by rule id, the relation of its bindings and the variables in order.
        past: the relation and variables of each condition on the past.
        group: of each derived relation, a number; relations that depend on each other have the same.
    """

    program: Program
    rules: Mapping[str, tuple[Rule, ...]]
    instances: Mapping[str, tuple[str, tuple[str, ...]]]
    past: Mapping[Literal, tuple[str, tuple[str, ...]]]
    group: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ground:
    """A condition that is met.

    Attributes:
        kind: ``given``: by a row that no rule derives; ``derived``: by a row with a proof; ``long``: by one whose proof
            is too long to show; ``state``: by a row of a derived relation that the state says; ``all``: it is about
            more, or other, than one row.
        row: the row that meets it, if that is one.
    """

    literal: Literal
    kind: OneOf["given", "derived", "long", "state", "all"]
    row: Row | None = None
    proof: "Proof | None" = None

    @property
    def atom(self) -> Atom | None:
        """The atom that a row meets; None if it is about more, or other, than one row."""
        return self.literal.atom if self.kind != "all" and isinstance(self.literal, Lit | First) else None


@dataclass(frozen=True, slots=True)
class Proof:
    """A rule under a binding under which it holds; `grounds` in the order in which its conditions are written."""

    rule: Rule
    binding: Mapping[str, Value]
    grounds: tuple[Ground, ...]


class Prover:
    """Proves rows of one moment."""

    def __init__(self, probes: Probes, evaluator: Evaluator, facts: Facts) -> None:
        self.probes = probes
        self.evaluator = evaluator
        self.facts = facts
        self._instances: dict[str, dict[Row, list[Instance]]] = {}
        self._ranks: dict[int, dict[Key, int]] = {}
        self._circular: dict[str, bool] = {}
        self._sets: dict[tuple[str, bool], frozenset[Row]] = {}
        self._opened = 0

    def prove(self, rule: Rule, binding: Mapping[str, Value], depth: int = 0) -> Proof:
        """The proof of what a rule derives under a binding under which it holds."""
        self._opened = self._opened + 1 if depth else 0
        grounds = tuple(self.ground(literal, binding, depth) for literal in written(rule.body))
        return Proof(rule, dict(binding), grounds)

    def why(self, relation: str, row: Row, depth: int = 0) -> Proof | None:
        """The proof of a row of a derived relation, or of a screen; None if no rule derives it."""
        if self.facts.program.relation(relation).sort == "screen":
            # what shows does so by its own rules; that no other screen matches is a rule that every screen has
            relation = next(
                (
                    literal.atom.relation
                    for rule in self.probes.rules.get(relation, ())
                    for literal in rule.body
                    if isinstance(literal, Lit) and literal.atom.relation == match_relation(relation)
                ),
                relation,
            )
        instance = self.instance(relation, row)
        return self.prove(*instance, depth) if instance is not None else None

    def ground(self, literal: Literal, binding: Binding, depth: int) -> Ground:
        """What meets a condition that holds; from a `depth` of `DEEPEST` rules on no rule is opened."""
        if isinstance(literal, Lit) and not literal.neg and literal.past is None:
            return self._fact(literal, literal.atom, binding, depth)
        if isinstance(literal, First) and literal.has is None:
            return self._fact(literal, literal.atom, binding, depth)
        return Ground(literal, "all")

    def _fact(self, literal: Literal, atom: Atom, binding: Binding, depth: int) -> Ground:
        row = self._row(atom, binding)
        if atom.relation not in self.probes.rules or row is None or atom.before:
            return Ground(literal, "given", row)
        if depth >= DEEPEST or self._opened >= _MOST_CLAUSES or not self._provable(atom.relation):
            return Ground(literal, "long", row)
        proof = self.why(atom.relation, row, depth + 1)
        return Ground(literal, "derived" if proof is not None else "state", row, proof)

    def _row(self, atom: Atom, binding: Binding) -> Row | None:
        """The row that meets an atom; of a recursive relation the one that was derivable first."""
        met = fitting(self.facts, atom, self._candidates(atom, binding), binding)
        if len(met) > 1 and atom.relation in self.probes.rules:
            ranks = self._ranked(atom.relation)
            met.sort(key=lambda row: ranks.get((atom.relation, row), 0))
        return met[0] if met else None

    # ------------------------------------------------------------------ instances

    def instance(self, relation: str, row: Row) -> Instance | None:
        """The rule and binding that derive a row, the earliest in rank, then in the order of rules and values."""
        instances = self.instances(relation).get(row, [])
        if len(instances) <= 1 or not self._recursive(relation):
            return instances[0] if instances else None
        ranks = self._ranked(relation)
        return min(instances, key=lambda item: _latest(self._needs(item, relation), ranks))

    def instances(self, relation: str) -> dict[Row, list[Instance]]:
        """Every rule and binding that derives a row of a relation, by row."""
        if relation in self._instances:
            return self._instances[relation]
        instances: dict[Row, list[Instance]] = {}
        declared = self.facts.program.relation(relation)
        for rule in self.probes.rules.get(relation, ()):
            assert isinstance(rule.head, Derive)
            name, names = self.probes.instances[rule.id]
            for values in sorted(self.evaluator.rows(name), key=row_order):
                binding = without_unknown(zip(names, values, strict=True))
                cells = {
                    c.attr: value_of(c.term, binding, self.facts.context) for c in rule.head.atom.constraints
                }
                row = tuple(cells.get(attr.name) for attr in declared.attrs)
                instances.setdefault(row, []).append((rule, binding))
        self._instances[relation] = instances
        return instances

    def _recursive(self, relation: str) -> bool:
        """Whether a relation depends on itself."""
        if relation not in self._circular:
            self._circular[relation] = self._depends_on_itself(relation)
        return self._circular[relation]

    def _depends_on_itself(self, relation: str) -> bool:
        own = self.probes.group.get(relation)
        return any(
            self.probes.group.get(literal.atom.relation) == own
            for name, number in self.probes.group.items()
            if number == own
            for rule in self.probes.rules[name]
            for literal in rule.body
            if isinstance(literal, Lit)
        )

    def _provable(self, relation: str) -> bool:
        """Whether it is known which rows came first, where a relation depends on itself."""
        return not self._recursive(relation) or bool(self._ranked(relation))

    def _ranked(self, relation: str) -> dict[Key, int]:
        """For each row of a relation and of its mutually recursive ones, the round that first derives it."""
        number = self.probes.group[relation]
        known = self._ranks.get(number)
        if known is not None:
            return known
        ranks: dict[Key, int] = {}
        self._ranks[number] = ranks
        if not self._recursive(relation):
            return ranks
        members = [name for name, own in self.probes.group.items() if own == number]
        waiting = [
            ((name, row), self._needs(item, name))
            for name in members
            for row, items in self.instances(name).items()
            for item in items
        ]
        if len(waiting) > _MOST_INSTANCES:
            return ranks
        turn = 0
        while waiting:
            turn += 1
            ready = [key for key, needs in waiting if _latest(needs, ranks) < turn]
            if not ready:
                break
            for key in ready:
                ranks.setdefault(key, turn)
            waiting = [entry for entry in waiting if entry[0] not in ranks]
        return ranks

    def _needs(self, item: Instance, relation: str) -> list[list[Key]]:
        """For each condition of an instance on its own recursive relations, the rows that meet it."""
        rule, binding = item
        own = self.probes.group.get(relation)
        needs: list[list[Key]] = []
        for literal in rule.body:
            if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
                continue
            atom = literal.atom
            if self.probes.group.get(atom.relation) != own:
                continue
            met = fitting(self.facts, atom, self._candidates(atom, binding), binding)
            needs.append([(atom.relation, row) for row in met])
        return needs

    def _candidates(self, atom: Atom, binding: Binding) -> list[Row]:
        """The rows that an atom may match: at most one if the binding gives all cells, else all."""
        relation = self.facts.program.relation(atom.relation)
        cells: dict[str, Value] = {}
        for c in atom.constraints:
            value = value_of(c.term, binding, self.facts.context) if c.op == "=" else None
            if value is not None and not isinstance(value, tuple):
                cells.setdefault(c.attr, value)
        if len(cells) == len(relation.attrs):
            row = tuple(cells[attr.name] for attr in relation.attrs)
            return [row] if row in self._known(atom) else []
        return list(self.facts.of(atom))

    def _known(self, atom: Atom) -> frozenset[Row]:
        """The rows that an atom ranges over, to look one up."""
        key = (atom.relation, atom.before)
        if key not in self._sets:
            self._sets[key] = frozenset(self.facts.of(atom))
        return self._sets[key]


def _latest(needs: list[list[Key]], ranks: Mapping[Key, int]) -> float:
    """The round in which the last of the conditions is met; infinite if one has no row that was derived yet."""
    return max((min((ranks.get(key, inf) for key in keys), default=inf) for keys in needs), default=0.0)


def written(body: tuple[Literal, ...]) -> list[Literal]:
    """The conditions of a body in the order in which they are written, where that is known."""
    places = [place_of(literal) for literal in body]
    if any(place is None for place in places):
        return list(body)
    return [
        literal
        for _, _, literal in sorted(
            (place.start, n, literal)
            for n, (place, literal) in enumerate(zip(places, body, strict=True))
            if place
        )
    ]


def place_of(item: Literal | Atom) -> Span | None:
    """Where a condition is written."""
    if isinstance(item, Aggregate):
        return item.span or item.lit.span
    if isinstance(item, Lit | Quantified):
        return item.span or item.atom.span
    return item.span
