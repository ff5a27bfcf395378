"""The reference evaluator: the semantics read literally, slowly and in plain sight, as the oracle for the engines.

A guard, a story or a replay runs over it where it is given `engine_of("reference")` as its engine.
"""

import datetime as dt
from typing import Final

from tests.oracle.evaluator import ReferenceEvaluator
from vsalang.base.names import DEFAULT_ENGINE, ENGINES, EngineName
from vsalang.engine import Budget, Evaluator, Opens
from vsalang.engine import open_session as open_engine
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity

__all__ = ["ALL", "REFERENCE", "ReferenceEvaluator", "engine_of", "open_session"]

REFERENCE: Final = "reference"
ALL: Final = (*ENGINES, REFERENCE)
"""The engines by name, and the reference."""


def engine_of(name: str) -> EngineName | Opens:
    """What is given as an engine: the name of one, or what opens the reference."""
    return ReferenceEvaluator if name == REFERENCE else name  # type: ignore[return-value]


def open_session(
    program: Program,
    *,
    engine: str = DEFAULT_ENGINE,
    today: dt.date,
    similarity: Similarity | None = None,
    budget: Budget | None = None,
) -> Evaluator:
    """A new session, as `vsalang.engine.open_session` opens it, also of the reference."""
    return open_engine(program, engine=engine_of(engine), today=today, similarity=similarity, budget=budget)
