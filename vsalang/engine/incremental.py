"""The incremental evaluator: the engine that decides. It compiles a program (`compile`) and runs its plan (`run`).

Inputs change by differences; alpha memories hold counted tuples, joined through hash indexes that exist only where a
plan uses them. What is asked for again and again is maintained by generated code; the rest is computed when it is
asked for, and again only if something that it read has changed; a tentative change is undone from an undo log.
"""

import datetime as dt
from typing import Any

from vsalang.engine.api import Budget
from vsalang.engine.compile.cache import plan_of
from vsalang.engine.run.engine_session import Session
from vsalang.engine.run.evaluate import Native
from vsalang.engine.run.snapshot import restore_state
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity


class IncrementalEvaluator(Session):
    """A session of the incremental engine; its calls are those of `Session`.

    Args:
        program: a checked program.
        today: the day of the instruction, what ``today`` means.
        similarity: who answers ``~=``; its answers must not change during the session.
            Default: `vsalang.program.similarity.DEFAULT`.
        budget: bounds; what goes beyond them raises `BudgetExceeded`.

    Raises:
        EngineError: the program is not stratified or a body is not safe.
    """

    __slots__ = ()

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(
            plan_of(program), Native(), today=today, similarity=similarity, budget=budget, maintains=True
        )


def restore(
    program: Program, data: Any, *, similarity: Similarity | None = None, budget: Budget | None = None
) -> IncrementalEvaluator:
    """A new session in the state of a snapshot: see `vsalang.engine.run.snapshot`.

    Raises:
        EngineError: the data is not a snapshot, is damaged, or is of another program.
        BudgetExceeded: it holds more rows than the budget allows.
    """

    def begin(today: dt.date) -> IncrementalEvaluator:
        return IncrementalEvaluator(program, today=today, similarity=similarity, budget=budget)

    return restore_state(program, data, begin)
