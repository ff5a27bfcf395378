"""Why a row is there: the rule, the bindings, and the facts, down to what was seen; the engine gives the bindings.

A row of a recursive relation is proved by rows that were derivable before it (the round in which a naive evaluation
would first derive a row is its rank), so that no proof rests on itself and each is as short as can be.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TypeAlias

from vsalang.ask.model import Clause, Condition
from vsalang.ask.probes import Probes
from vsalang.ask.wording import Wording, place_of
from vsalang.core.ir import Atom, Derive, First, Lit, Literal, Rule
from vsalang.core.values import Value
from vsalang.core.vocabulary import match_relation
from vsalang.engine.api import Evaluator
from vsalang.explain.match import Facts, match_row
from vsalang.explain.terms import Binding, value_of
from vsalang.guard.store import Row

_DEEPEST = 200
_MOST_CLAUSES = 1000
_MOST_INSTANCES = 3000
_TOO_LONG = "derived; why is too long to show"

Instance: TypeAlias = tuple[Rule, Mapping[str, Value]]
Key: TypeAlias = tuple[str, Row]


class Prover:
    """Proves rows of one moment."""

    def __init__(self, probes: Probes, evaluator: Evaluator, facts: Facts) -> None:
        self.probes = probes
        self.evaluator = evaluator
        self.facts = facts
        self.words = Wording(facts)
        self._instances: dict[str, dict[Row, list[Instance]]] = {}
        self._ranks: dict[int, dict[Key, int]] = {}
        self._circular: dict[str, bool] = {}
        self._sets: dict[tuple[str, bool], frozenset[Row]] = {}
        self._opened = 0

    def prove(self, rule: Rule, binding: Mapping[str, Value], depth: int = 0) -> Clause:
        """The proof of what a rule derives under a binding under which it holds."""
        assert isinstance(rule.head, Derive)
        self._opened = self._opened + 1 if depth else 0
        conditions = tuple(self._condition(literal, binding, depth) for literal in written(rule.body))
        text = self.words.head(rule, binding)
        return Clause(rule.id, text, True, dict(binding), conditions, rule.span)

    def why(self, relation: str, row: Row, depth: int = 0) -> Clause | None:
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
        found = self.instance(relation, row)
        return self.prove(*found, depth) if found is not None else None

    def shallow(self, literal: Literal, binding: Binding) -> Condition:
        """A condition that holds, without the proof of its fact."""
        condition = self._condition(literal, binding, _DEEPEST)
        return replace(condition, said="derived") if condition.said == _TOO_LONG else condition

    # ------------------------------------------------------------------ conditions

    def _condition(self, literal: Literal, binding: Binding, depth: int) -> Condition:
        text = self.words.literal(literal, binding)
        span = place_of(literal)
        if isinstance(literal, Lit) and not literal.neg and literal.past is None:
            return self._fact(literal.atom, text, binding, depth, span)
        if isinstance(literal, First) and literal.has is None:
            return self._fact(literal.atom, text, binding, depth, span)
        return Condition("met", text, self.words.found(literal, binding), "", span)

    def _fact(self, atom: Atom, text: str, binding: Binding, depth: int, span: object) -> Condition:
        relation = self.facts.program.relation(atom.relation)
        row = self._row(atom, binding)
        parts: tuple[Clause, ...] = ()
        said = self.words.source(relation)
        if relation.name in self.probes.rules and row is not None and not atom.before:
            said = ""
            if depth >= _DEEPEST or self._opened >= _MOST_CLAUSES or not self._provable(relation.name):
                said = _TOO_LONG
            elif (clause := self.why(relation.name, row, depth + 1)) is not None:
                parts = (clause,)
            else:
                said = "said by the state"
        fact = self.words.fact(relation, row, atom) if row is not None else ""
        return Condition("met", text, said, fact, place_of(atom), parts)

    def _row(self, atom: Atom, binding: Binding) -> Row | None:
        """The row that meets an atom; of a recursive relation the one that was derivable first."""
        relation = self.facts.program.relation(atom.relation)
        met = [
            row
            for row in self._candidates(atom, binding)
            if not match_row(relation, atom, row, binding, self.facts.context).failures
        ]
        if len(met) > 1 and relation.name in self.probes.rules:
            ranks = self._ranked(relation.name)
            met.sort(key=lambda row: ranks.get((relation.name, row), 0))
        return met[0] if met else None

    # ------------------------------------------------------------------ instances

    def instance(self, relation: str, row: Row) -> Instance | None:
        """The rule and binding that derive a row, the earliest in rank, then in the order of rules and values."""
        found = self.instances(relation).get(row, [])
        if len(found) <= 1 or not self._recursive(relation):
            return found[0] if found else None
        ranks = self._ranked(relation)
        return min(found, key=lambda item: _latest(self._rests(item, relation), ranks))

    def instances(self, relation: str) -> dict[Row, list[Instance]]:
        """Every rule and binding that derives a row of a relation, by row."""
        known = self._instances.get(relation)
        if known is not None:
            return known
        found: dict[Row, list[Instance]] = {}
        declared = self.facts.program.relation(relation)
        for rule in self.probes.rules.get(relation, ()):
            assert isinstance(rule.head, Derive)
            name, names = self.probes.instances[rule.id]
            for values in sorted(self.evaluator.rows(name), key=repr):
                binding = {n: v for n, v in zip(names, values, strict=True) if v is not None}
                cells = {
                    c.attr: value_of(c.term, binding, self.facts.context) for c in rule.head.atom.constraints
                }
                row = tuple(cells.get(attr.name) for attr in declared.attrs)
                found.setdefault(row, []).append((rule, binding))
        self._instances[relation] = found
        return found

    def _recursive(self, relation: str) -> bool:
        """Whether a relation rests on itself."""
        if relation not in self._circular:
            self._circular[relation] = self._rests_on_itself(relation)
        return self._circular[relation]

    def _rests_on_itself(self, relation: str) -> bool:
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
        """Whether it is known which rows came first, where a relation rests on itself."""
        return not self._recursive(relation) or bool(self._ranked(relation))

    def _ranked(self, relation: str) -> dict[Key, int]:
        """For each row of a relation and those it rests on mutually, the round that first derives it."""
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
            ((name, row), self._rests(item, name))
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

    def _rests(self, item: Instance, relation: str) -> list[list[Key]]:
        """For each condition of an instance on its own recursive relations, the rows that meet it."""
        rule, binding = item
        own = self.probes.group.get(relation)
        found: list[list[Key]] = []
        for literal in rule.body:
            if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
                continue
            atom = literal.atom
            if self.probes.group.get(atom.relation) != own:
                continue
            declared = self.facts.program.relation(atom.relation)
            found.append(
                [
                    (atom.relation, row)
                    for row in self._candidates(atom, binding)
                    if not match_row(declared, atom, row, binding, self.facts.context).failures
                ]
            )
        return found

    def _candidates(self, atom: Atom, binding: Binding) -> list[Row]:
        """The rows that an atom may match: at most one if the binding gives all cells, else all."""
        relation = self.facts.program.relation(atom.relation)
        given: dict[str, Value] = {}
        for c in atom.constraints:
            value = value_of(c.term, binding, self.facts.context) if c.op == "=" else None
            if value is not None and not isinstance(value, tuple):
                given.setdefault(c.attr, value)
        if len(given) == len(relation.attrs):
            row = tuple(given[attr.name] for attr in relation.attrs)
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
