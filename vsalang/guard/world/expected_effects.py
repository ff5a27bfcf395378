"""Contracts: the effects expected of an action, three-valued: met, violated, inconclusive.

A violation needs evidence: a row that fits and has another value, or the absence of a row where nothing is unseen.
Only what was observed after the action is evidence, for it and against it: what was seen before it, or only predicted,
says nothing of what it brought about. A commit that is taken back may be made again; and an action whose effect nobody
saw did not come out as expected (`semantics.md#what-a-contract-needs`).
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Literal as OneOf

from vsalang.engine.api import Row
from vsalang.engine.explain.finding import head_binding
from vsalang.engine.explain.match import (
    Facts,
    Failure,
    bound_values,
    covered,
    identified,
    match_row,
    matches,
    possible,
)
from vsalang.engine.explain.terms import value_of
from vsalang.guard.say.sent_actions import contract_message
from vsalang.guard.say.verdict import Contract, ExpectedCondition, Reason, WantedValue
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.guard.world.observing import Reconciliation
from vsalang.guard.world.rule_book import relations_read
from vsalang.guard.world.session_state import Expectation
from vsalang.guard.world.traces import Traces
from vsalang.program.extent import TRACED
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Compare,
    Const,
    Derive,
    Every,
    Expect,
    Lit,
    Literal,
    Program,
    Quantified,
    Relation,
    Rule,
    Then,
)
from vsalang.program.ops import holds
from vsalang.program.phrases import joined, say
from vsalang.program.screen import Screen, in_front, knows
from vsalang.program.values import Value
from vsalang.program.vocabulary import OF_AN_APP, SINCE
from vsalang.program.walk import atoms, needed

_DEPTH = 5


def outcome(
    explainer: Explainer,
    awaited: Expectation,
    binding: Mapping[str, Value],
    *,
    met: bool,
    after: Reconciliation,
    screens_count: bool,
    screen: Screen | None,
    acted_on: Screen | None = None,
    first: Contract | None = None,
) -> Contract:
    """The outcome of an expectation.

    Args:
        explainer: over the moment after the action.
        awaited: the rule and its answer before the action.
        binding: the answer as a binding.
        met: the engine's answer.
        after: the observation after the action.
        screens_count: whether it is known which screens show.
        screen: what was looked at; None: nothing was.
        acted_on: the screen on which the action was done; None: there was none.
        first: its outcome in the first reading of the screen, if this is the other one: where they differ it is
            inconclusive.
    """
    rule = awaited.rule
    assert isinstance(rule.head, Expect)
    result: OneOf["met", "violated", "inconclusive"] = "met"
    whys = explainer.unmet(rule.head.literals, binding, certain=False) if not met else ()
    elsewhere = _elsewhere(explainer.program, rule, binding, acted_on, screen)
    evidence = _Evidence(explainer.facts, after, screen, screens_count=screens_count, elsewhere=elsewhere)
    if not met:
        refuted = any(evidence.against(literal, binding, 0) for literal in rule.head.literals)
        result = "violated" if refuted else "inconclusive"
    elif not all(evidence.bears_on(literal, binding) for literal in rule.head.literals):
        result = "inconclusive"
    if first is not None:
        if first.outcome == result:
            return first
        result = "inconclusive"
    same = acted_on is not None and screen is not None and acted_on.fingerprint == screen.fingerprint
    unchanged = same and result == "violated" and bool(whys)
    words: str
    if rule.refusal:
        evidence_text = joined(
            "; ", [explainer.words.literal_text(each, binding) for each in rule.head.literals]
        )
        words, wanted = say("contract.refused", shown=evidence_text), ""
    else:
        words, wanted = contract_message(result, whys, unchanged=unchanged)
    reason = Reason(
        "contract",
        "allow",
        words,
        rule=rule.id,
        module=rule.module,
        span=rule.head_span or rule.span,
        whys=whys,
        names=frozenset(name.rpartition(".")[2] for name in awaited.actions),
        annotations=dict(rule.annotations),
    )
    answered = result == "violated" and any(evidence.answered(each, binding) for each in rule.head.literals)
    open_ = rule.head.literals if result == "inconclusive" else ()
    expected = tuple(_expected(explainer, literal, binding) for literal in open_)
    return Contract(rule.id, result, reason, awaited.actions, answered, expected, wanted, unchanged)


def _expected(explainer: Explainer, literal: Literal, binding: Mapping[str, Value]) -> ExpectedCondition:
    text = explainer.words.literal_text(literal, binding)
    if not isinstance(literal, Lit) or literal.past is not None or literal.atom.before:
        return ExpectedCondition(text)
    relation = explainer.program.relation(literal.atom.relation)
    context = explainer.facts.context
    wanted = []
    for each in literal.atom.constraints:
        value = None if each.hi is not None else value_of(each.term, binding, context)
        known = value if isinstance(value, str | int | Decimal) else None
        wanted.append(WantedValue(each.attr, each.op, known, relation.attr(each.attr).doc))
    return ExpectedCondition(text, relation.name, relation.sort, relation.doc, literal.neg, tuple(wanted))


def _elsewhere(
    program: Program,
    rule: Rule,
    binding: Mapping[str, Value],
    acted_on: Screen | None,
    screen: Screen | None,
) -> bool:
    """Whether another app is in front than the action was done in, and the rule does not name that app.

    An app module names its own packages; a rule about `open_app`, of the app that is opened.
    """
    before, now = in_front(acted_on), in_front(screen)
    if before is None or before == now:
        return False
    opened = {
        each.term.value if isinstance(each.term, Const) else binding.get(getattr(each.term, "name", ""))
        for atom in atoms(rule.body)
        if atom.relation == "open_app"
        for each in atom.constraints
        if (each.attr, each.op) == ("package", "=")
    }
    module = program.modules.get(rule.module)
    return now is None or now not in {*(module.packages if module is not None else ()), *opened}


def reads_before(rule: Rule) -> bool:
    """Whether what a rule expects reads the state before the action, which is known only right after the action."""
    assert isinstance(rule.head, Expect)
    return any(atom.before for atom in atoms(rule.head.literals))


class _Evidence:
    """What the observation after an action says of literals.

    The engine reads a literal in everything that is believed, also in what was seen earlier or predicted of the action.
    Here only rows and cells count that were observed after the action, so that a literal which the engine finds false
    may be neither met nor refuted.
    """

    def __init__(
        self,
        facts: Facts,
        after: Reconciliation,
        screen: Screen | None,
        *,
        screens_count: bool,
        elsewhere: bool,
    ) -> None:
        self.facts = facts
        self.after = after
        self.screens = after.screens
        self.screen = screen
        self.traces = Traces(facts, screen)
        self.screens_count = screens_count
        self.elsewhere = elsewhere

    def against(self, literal: Literal, binding: Mapping[str, Value], depth: int) -> bool:
        """Whether what is known refutes the literal, whatever its open variables are."""
        if isinstance(literal, Lit):
            if literal.past is not None or literal.atom.before:
                return False
            if literal.neg:
                return self._present(literal.atom, binding)
            return self._absent(literal.atom, binding, depth)
        if isinstance(literal, Compare):
            return self._false(literal, binding)
        if isinstance(literal, Every):
            return self._exception(literal, binding)
        if isinstance(literal, Aggregate):
            return self._wrong(literal, binding)
        return False

    def answered(self, literal: Literal, binding: Mapping[str, Value]) -> bool:
        """Whether a view newly shows another value than the literal expects: the app has answered the action."""
        if not isinstance(literal, Lit) or literal.neg or literal.past is not None or literal.atom.before:
            return False
        relation = self.facts.program.relation(literal.atom.relation)
        if relation.sort != "view":
            return False  # what lasts may still be as it was before the action
        before = set(self.facts.before(relation.name))
        return any(
            match.row not in before and self._refuted(relation, match.row, match.failures)
            for match in matches(self.facts, literal.atom, self.facts.of(literal.atom), binding)
        )

    def bears_on(self, literal: Literal, binding: Mapping[str, Value]) -> bool:
        """Whether a literal holds because of what was observed after the action, not because of a prediction."""
        if not self.traces.show((literal,), binding):
            return False
        if self.elsewhere and self._of_the_page(literal):
            return False
        if isinstance(literal, Lit):
            if literal.past is not None or literal.atom.before:
                return True
            relation = self.facts.program.relation(literal.atom.relation)
            if relation.sort == "derived":
                return self._looked_at(relation)
            if relation.sort not in BELIEVED:
                return self.screen is not None and (
                    relation.name not in SINCE or knows(self.screen, relation.name)
                )
            if literal.neg:
                return self._absent(literal.atom, binding, 0)
            return self._present(literal.atom, binding)
        if isinstance(literal, Quantified | Aggregate):
            atom = literal.atom if isinstance(literal, Quantified) else literal.lit.atom
            return atom.before or self._looked_at(self.facts.program.relation(atom.relation))
        if isinstance(literal, Then):
            return all(self.bears_on(each, binding) for each in literal.parts[-1])
        return True

    def _absent(self, atom: Atom, binding: Mapping[str, Value], depth: int) -> bool:
        relation = self.facts.program.relation(atom.relation)
        if relation.sort == "screen":
            others = {self.facts.program.relation(name).module for name in self.screens}
            return self.screens_count and relation.name not in self.screens and relation.module in others
        if relation.sort == "derived":
            if relation.name == "Screen" or depth >= _DEPTH:
                return False
            return self._underivable(atom, binding, depth)
        if relation.name in TRACED:
            return self.traces.none(atom, binding)
        if relation.sort not in BELIEVED:
            return False
        candidates = matches(self.facts, atom, self.facts.of(atom), binding)
        if any(possible(match) for match in candidates):
            return False
        if self._all_seen(atom, binding):
            return all(self._refuted(relation, match.row, match.failures) for match in candidates)
        # Where the atom says which row it means, that row must have been looked at.
        values = bound_values(self.facts, atom, binding)
        return any(
            identified(relation, match.row, values) and self._refuted(relation, match.row, match.failures)
            for match in candidates
        )

    def _present(self, atom: Atom, binding: Mapping[str, Value]) -> bool:
        """Whether a row that the atom matches was observed after the action."""
        relation = self.facts.program.relation(atom.relation)
        if relation.sort not in BELIEVED and not self._looked_at(relation):
            return False
        if not self.traces.show((Lit(atom),), binding):
            return False
        names = {c.attr for c in atom.constraints} - set(relation.identity)
        for match in matches(self.facts, atom, self.facts.of(atom), binding):
            if match.failures:
                continue
            if relation.sort not in BELIEVED:
                return True
            observed = self._observed(relation, match.row)
            if observed is not None and names <= observed:
                return True
        return False

    def _observed(self, relation: Relation, row: Row) -> frozenset[str] | None:
        """The attributes of a believed row that were observed after the action; None if the row was not."""
        seen = self.after.observed.get(relation.name, {})
        attributes = [
            seen.get(ident)
            for ident, entry in self.after.world.table(relation.name).rows.items()
            if entry.cells == row
        ]
        return attributes[0] if len(attributes) == 1 else None

    def _refuted(self, relation: Relation, row: Row, failures: tuple[Failure, ...]) -> bool:
        """Whether a cell that identifies a row, or was observed after the action, shows that another is meant."""
        observed = self._observed(relation, row) or frozenset()
        return any(
            failure.cell is not None
            and (failure.constraint.attr in observed or failure.constraint.attr in relation.identity)
            for failure in failures
        )

    def _all_seen(self, atom: Atom, binding: Mapping[str, Value]) -> bool:
        """Whether the observation after the action showed that no row is unseen for the values that the atom gives."""
        relation = self.facts.program.relation(atom.relation)
        patterns = [pattern for name, pattern in self.after.completed if name == relation.name]
        return covered(relation, patterns, bound_values(self.facts, atom, binding))

    def _looked_at(self, relation: Relation) -> bool:
        """Whether all relations on which a relation depends were observed after the action."""
        return all(
            self.after.observed.get(name) or any(name == other for other, _ in self.after.completed)
            for name in self._depends({relation.name})
            if self.facts.program.relation(name).sort in BELIEVED
        )

    def _of_the_page(self, literal: Literal) -> bool:
        """Whether a literal asks what the page itself shows: another app's page says nothing of that."""
        return not self._depends(relations_read((literal,))).isdisjoint(OF_AN_APP | SINCE)

    def _depends(self, names: Iterable[str]) -> frozenset[str]:
        """These relations, and those that the derived ones of them are made of."""
        rules = [r for r in self.facts.program.rules if isinstance(r.head, Derive)]
        opened = set(names)
        todo = list(opened)
        while todo:
            name = todo.pop()
            for rule in rules:
                if isinstance(rule.head, Derive) and rule.head.atom.relation == name:
                    new = relations_read(rule.body) - opened
                    opened |= new
                    todo += new
        return frozenset(opened)

    def _underivable(self, atom: Atom, binding: Mapping[str, Value], depth: int) -> bool:
        cells = bound_values(self.facts, atom, binding)
        rules = [
            r
            for r in self.facts.program.rules
            if isinstance(r.head, Derive) and r.head.atom.relation == atom.relation
        ]
        for rule in rules:
            inner, clashes = head_binding(rule, cells, self.facts.context)
            if not clashes and not any(self.against(literal, inner, depth + 1) for literal in rule.body):
                return False
        return bool(rules)

    def _false(self, literal: Compare, binding: Mapping[str, Value]) -> bool:
        if needed(literal) - binding.keys():
            return False
        sides = [
            value_of(term, binding, self.facts.context) for term in (literal.left, literal.right, literal.hi)
        ]
        similarity = self.facts.context.similarity
        return sides[0] is not None and not holds(literal.op, *sides, similarity=similarity)

    def _exception(self, literal: Every, binding: Mapping[str, Value]) -> bool:
        relation = self.facts.program.relation(literal.atom.relation)
        if literal.atom.before or (relation.sort not in BELIEVED and not self._looked_at(relation)):
            return False
        if not self.traces.show((Lit(literal.atom),), binding):
            return False
        has = Atom(literal.atom.relation, literal.has)
        for match in matches(self.facts, literal.atom, self.facts.of(literal.atom), binding):
            if match.failures:
                continue
            tested = match_row(relation, has, match.row, match.binding, self.facts.context)
            if relation.sort not in BELIEVED:
                if any(failure.cell is not None for failure in tested.failures):
                    return True
            elif self._refuted(relation, match.row, tested.failures):
                return True
        return False

    def _wrong(self, literal: Aggregate, binding: Mapping[str, Value]) -> bool:
        atom = literal.lit.atom
        relation = self.facts.program.relation(atom.relation)
        if literal.lit.past is not None or literal.lit.neg or atom.before or relation.sort not in BELIEVED:
            return False
        candidates = matches(self.facts, atom, self.facts.of(atom), binding)
        if not self._all_seen(atom, binding):
            return False
        needed = ({c.attr for c in atom.constraints} | {literal.attr}) - {"", *relation.identity}
        for match in candidates:
            observed = self._observed(relation, match.row)
            if match.failures and not self._refuted(relation, match.row, match.failures):
                return False
            if not match.failures and (observed is None or not needed <= observed):
                return False
        return bool(Explainer(self.facts).unmet((literal,), binding, certain=False, holds=True))
