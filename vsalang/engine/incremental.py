"""The incremental evaluator: the engine that decides.

Slots change by differences; atom occurrences hold counted tuples of their variables, joined through hash indexes that
exist only where a plan uses them. What is derived is computed when asked for, and again only if something it read has
changed; a tentative change is undone by a log, and what had been computed before it holds again.
"""

import datetime as dt

from vsalang.core.ir import Program
from vsalang.core.similarity import Similarity
from vsalang.engine.api import Budget
from vsalang.engine.compile import compile_program
from vsalang.engine.kernel import Body, Tuple
from vsalang.engine.session import Session


class IncrementalEvaluator(Session):
    """See `vsalang.engine.api.Evaluator`.

    Args:
        program: a checked program.
        today: the day of the instruction, what ``today`` means.
        similarity: who answers ``~=``; its answers must not change during the session. Default: `Folded`.
        budget: bounds; what goes beyond them raises `BudgetExceeded`.

    Raises:
        EngineError: the program is not stratified or a body is not safe.
    """

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(compile_program(program), today=today, similarity=similarity, budget=budget)

    def run(self, body: Body, envs: list[Tuple] | None = None) -> list[Tuple]:
        """The bindings of a body. See `Session.run`.

        The counters of its atom occurrences are asked first: where one of them is empty there is nothing to join.
        """
        alphas = self.alphas
        for number in body.required:
            if not alphas[number].counts:
                return []
        return super().run(body, envs)
