"""Contracts: what an action was expected to bring about, three-valued: met, violated, inconclusive.

A violation needs evidence: a row that fits and has another value, or the absence of a row where nothing is unseen.
"""

from collections.abc import Mapping
from typing import Literal as OneOf

from vsalang.core.ir import Aggregate, Atom, Compare, Derive, Every, Expect, Lit, Literal, Var
from vsalang.core.values import Value
from vsalang.guard.match import Facts, given, is_complete, match_row, matches, possible
from vsalang.guard.state import Awaited
from vsalang.guard.terms import value_of, variables
from vsalang.guard.verdict import Contract, Reason
from vsalang.guard.why import Explainer

_DEPTH = 5


def outcome(
    explainer: Explainer,
    awaited: Awaited,
    binding: Mapping[str, Value],
    *,
    met: bool,
    shown: frozenset[str],
    screens_count: bool,
) -> Contract:
    """What became of an expectation.

    Args:
        explainer: over the moment after the action.
        awaited: the rule and its answer before the action.
        binding: the answer as a binding.
        met: the engine's answer.
        shown: the screens that show.
        screens_count: whether it is known which screens show.
    """
    rule = awaited.rule
    assert isinstance(rule.head, Expect)
    result: OneOf["met", "violated", "inconclusive"] = "met"
    whys = explainer.unmet(rule.head.literals, binding, certain=False) if not met else ()
    if not met:
        evidence = _Evidence(explainer.facts, shown, screens_count)
        refuted = any(evidence.against(literal, binding, 0) for literal in rule.head.literals)
        result = "violated" if refuted else "inconclusive"
    words = {
        "met": "what was expected came about",
        "violated": "what was expected did not come about",
        "inconclusive": "whether what was expected came about was not seen",
    }[result]
    shown_whys = "; ".join(dict.fromkeys(why.text() for why in whys))
    reason = Reason(
        "contract",
        "allow",
        f"{words}: {shown_whys}" if shown_whys else words,
        rule=rule.id,
        module=rule.module,
        span=rule.head_span or rule.span,
        whys=whys,
        names=frozenset(name.rpartition(".")[2] for name in awaited.actions),
        annotations=dict(rule.annotations),
    )
    return Contract(rule.id, result, reason, awaited.actions)


class _Evidence:
    def __init__(self, facts: Facts, shown: frozenset[str], screens_count: bool) -> None:
        self.facts = facts
        self.shown = shown
        self.screens_count = screens_count

    def against(self, literal: Literal, binding: Mapping[str, Value], depth: int) -> bool:
        """Whether what is known refutes the literal, whatever its open variables are."""
        if isinstance(literal, Lit):
            if literal.past is not None:
                return False
            if literal.neg:
                rows = self.facts.of(literal.atom)
                return any(not match.failures for match in matches(self.facts, literal.atom, rows, binding))
            return self._absent(literal.atom, binding, depth)
        if isinstance(literal, Compare):
            return self._false(literal, binding)
        if isinstance(literal, Every):
            return self._exception(literal, binding)
        if isinstance(literal, Aggregate):
            return self._wrong(literal, binding)
        return False

    def _absent(self, atom: Atom, binding: Mapping[str, Value], depth: int) -> bool:
        relation = self.facts.program.relation(atom.relation)
        if relation.sort == "screen":
            others = {self.facts.program.relation(name).module for name in self.shown}
            return self.screens_count and relation.name not in self.shown and relation.module in others
        if relation.sort == "derived":
            if relation.name == "Screen" or depth >= _DEPTH:
                return False
            return self._underivable(atom, binding, depth)
        found = matches(self.facts, atom, self.facts.of(atom), binding)
        return is_complete(self.facts, atom, binding) and not any(possible(match) for match in found)

    def _underivable(self, atom: Atom, binding: Mapping[str, Value], depth: int) -> bool:
        cells = given(self.facts, atom, binding)
        rules = [
            r
            for r in self.facts.program.rules
            if isinstance(r.head, Derive) and r.head.atom.relation == atom.relation
        ]
        for rule in rules:
            assert isinstance(rule.head, Derive)
            inner: dict[str, Value] = {}
            clash = False
            for constraint in rule.head.atom.constraints:
                value = cells.get(constraint.attr)
                if value is None:
                    continue
                if isinstance(constraint.term, Var):
                    inner[constraint.term.name] = value
                elif not variables(constraint.term):
                    clash = clash or value_of(constraint.term, {}, self.facts.context) != value
            if not clash and not any(self.against(literal, inner, depth + 1) for literal in rule.body):
                return False
        return bool(rules)

    def _false(self, literal: Compare, binding: Mapping[str, Value]) -> bool:
        from vsalang.core.ops import holds

        names = variables(literal.left) | variables(literal.right) | variables(literal.hi)
        if names - binding.keys():
            return False
        sides = [
            value_of(term, binding, self.facts.context) for term in (literal.left, literal.right, literal.hi)
        ]
        similarity = self.facts.context.similarity
        return sides[0] is not None and not holds(literal.op, *sides, similarity=similarity)

    def _exception(self, literal: Every, binding: Mapping[str, Value]) -> bool:
        relation = self.facts.program.relation(literal.atom.relation)
        has = Atom(literal.atom.relation, literal.has)
        for match in matches(self.facts, literal.atom, self.facts.of(literal.atom), binding):
            if match.failures:
                continue
            tested = match_row(relation, has, match.row, match.binding, self.facts.context)
            if any(failure.cell is not None for failure in tested.failures):
                return True
        return False

    def _wrong(self, literal: Aggregate, binding: Mapping[str, Value]) -> bool:
        atom = literal.lit.atom
        if literal.lit.past is not None or literal.lit.neg:
            return False
        found = matches(self.facts, atom, self.facts.of(atom), binding)
        if any(match.failures and possible(match) for match in found):
            return False
        return is_complete(self.facts, atom, binding) and bool(
            Explainer(self.facts).unmet((literal,), binding, certain=False, holds=True)
        )
