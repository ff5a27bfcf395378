"""Proofs for answers: each rule with its conditions as source text, and the source of each fact."""

from collections.abc import Mapping

from vsalang.engine.api import Evaluator, Row
from vsalang.engine.explain.match import Facts
from vsalang.engine.explain.proof import DEEPEST, Ground, Probes, Proof, Prover, place_of
from vsalang.engine.explain.terms import Binding
from vsalang.program.ir import Literal, Rule
from vsalang.program.values import Value
from vsalang.tools.ask.answer import Clause, Condition
from vsalang.tools.ask.wording import Wording


class ProofWriter:
    """Proves rows of one moment."""

    def __init__(self, probes: Probes, evaluator: Evaluator, facts: Facts) -> None:
        self.facts = facts
        self.words = Wording(facts)
        self._prover = Prover(probes, evaluator, facts)

    def prove(self, rule: Rule, binding: Mapping[str, Value]) -> Clause:
        """The proof of a rule's head under a binding with which the rule holds."""
        return self._clause(self._prover.prove(rule, binding))

    def why(self, relation: str, row: Row) -> Clause | None:
        """The proof of a row of a derived relation, or of a screen; None if no rule derives it."""
        proof = self._prover.why(relation, row)
        return self._clause(proof) if proof is not None else None

    def shallow(self, literal: Literal, binding: Binding) -> Condition:
        """A condition that holds, without the proof of its fact."""
        return self._condition(self._prover.ground(literal, binding, DEEPEST), binding, "derived")

    def _clause(self, proof: Proof) -> Clause:
        rule = proof.rule
        conditions = tuple(self._condition(ground, proof.binding) for ground in proof.grounds)
        return Clause(
            rule.id, self.words.head(rule, proof.binding), True, proof.binding, conditions, rule.span
        )

    def _condition(
        self, ground: Ground, binding: Binding, long: str = "derived; why is too long to show"
    ) -> Condition:
        text = self.words.literal(ground.literal, binding)
        atom = ground.atom
        if atom is None:
            return Condition(
                "met", text, self.words.note(ground.literal, binding), "", place_of(ground.literal)
            )
        relation = self.facts.program.relation(atom.relation)
        origin = {
            "given": self.words.source(relation),
            "derived": "",
            "long": long,
            "state": "said by the state",
        }[ground.kind]
        fact = self.words.fact(relation, ground.row, atom) if ground.row is not None else ""
        parts = (self._clause(ground.proof),) if ground.proof is not None else ()
        origin = "; ".join(filter(None, (origin, self.words.by_words(relation, atom, ground.row))))
        return Condition("met", text, origin, fact, place_of(atom), parts)
