"""The reference evaluator: `semantics.md` read literally, slowly and in plain sight, as the oracle for the others."""

from vsalang.engine.reference.evaluator import ReferenceEvaluator

__all__ = ["ReferenceEvaluator"]
