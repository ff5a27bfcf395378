"""The face of one session: every call of `vsalang.engine.api.Evaluator`, each for one thread at a time."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from vsalang.engine.api import Answer, Budget, Commit, Input, Row, TimedRow
from vsalang.engine.plan import Plan
from vsalang.engine.run import answers, history, inputs, undo
from vsalang.engine.run.snapshot import snapshot
from vsalang.engine.run.state import Executor, State, busy
from vsalang.engine.run.watch import Watch
from vsalang.engine.terms import Ctx
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity

P = ParamSpec("P")
R = TypeVar("R")


def _alone(method: "Callable[Concatenate[Session, P], R]") -> "Callable[Concatenate[Session, P], R]":
    """The method, refused while another thread is inside the session."""

    @wraps(method)
    def call(self: "Session", *args: P.args, **kwargs: P.kwargs) -> R:
        if not self._lock.acquire(False):
            raise busy()
        try:
            return method(self, *args, **kwargs)
        finally:
            self._lock.release()

    return cast("Callable[Concatenate[Session, P], R]", call)


class Session:
    """One session over a plan. See `vsalang.engine.api.Evaluator`.

    A session belongs to one thread at a time: while a call runs, calls from other threads raise `EngineError` and
    change nothing. Different sessions may be used in different threads freely. Calls never wait for anything, so in
    asyncio they are atomic.

    Args:
        plan: of the program.
        executor: runs what is computed from nothing.
        today: the day of the instruction, what ``today`` means.
        similarity: who answers ``~=``; its answers must not change during the session.
            Default: `vsalang.program.similarity.DEFAULT`.
        budget: bounds; what goes beyond them raises `BudgetExceeded`.
        maintains: whether hot strata are maintained by generated code.
    """

    __slots__ = ("_lock", "program", "state")

    def __init__(
        self,
        plan: Plan,
        executor: Executor,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
        maintains: bool,
    ) -> None:
        self.state = State(plan, executor, Ctx(today, similarity), budget=budget, maintains=maintains)
        self.program: Program = plan.program
        self._lock = self.state.lock

    # ------------------------------------------------------------ what the caller sets

    def _input(self, relation: Input | str) -> Input:
        if isinstance(relation, str):
            return self.state.plan.names.get(relation) or Input.read(relation)
        return relation

    @property
    def inputs(self) -> frozenset[Input]:
        """The inputs that the program reads; assigning others costs nothing."""
        return frozenset(self.state.plan.inputs)

    @_alone
    def assign(
        self, relation: Input | str, rows: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]"
    ) -> None:
        """Replace the rows of an input. See `Evaluator` and `inputs.assign`."""
        inputs.assign(self.state, self._input(relation), rows)

    @_alone
    def update(
        self,
        relation: Input | str,
        added: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]" = (),
        removed: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]" = (),
    ) -> None:
        """Insert rows into an input and delete rows from it. See `inputs.update`."""
        inputs.update(self.state, self._input(relation), added, removed)

    def write(self, relation: str, attr: str, value: Any) -> None:
        """Write one cell of a relation without a key. See `inputs.write_cell`."""
        if not self._lock.acquire(False):
            raise busy()
        try:
            inputs.write_cell(self.state, relation, attr, value)
        finally:
            self._lock.release()

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the device's clock and the timeline. See `Evaluator`."""
        if not self._lock.acquire(False):
            raise busy()
        try:
            inputs.set_clock(self.state, moment, timeline)
        finally:
            self._lock.release()

    def point(self, number: int) -> None:
        """Make the present state a history point. See `Evaluator`."""
        if not self._lock.acquire(False):
            raise busy()
        try:
            history.point(self.state, number)
        finally:
            self._lock.release()

    @_alone
    def rewind(self, number: int) -> None:
        """Make the history point of that number the last one, for another session. See `history.rewind`."""
        history.rewind(self.state, number)

    @_alone
    def savepoint(self) -> int:
        """Begin a tentative change: the number of a savepoint. See `Evaluator`."""
        return history.savepoint(self.state)

    @_alone
    def rollback(self, savepoint: int) -> None:
        """Undo everything since a savepoint. See `Evaluator`."""
        undo.rollback(self.state, savepoint)

    @_alone
    def release(self, savepoint: int) -> None:
        """Keep what was done since a savepoint. See `undo.release`."""
        undo.release(self.state, savepoint)

    # ------------------------------------------------------------ what the caller asks

    def variables(self, rule: str) -> tuple[str, ...]:
        """The names of a rule's answer variables. See `Evaluator`."""
        return answers.variables(self.state, rule)

    @_alone
    def answers(self, rule: str) -> frozenset[Answer]:
        """Every way in which a rule's body holds; the same object while nothing changed. See `Evaluator`."""
        return answers.answers(self.state, rule)

    @_alone
    def answers_of(self, rules: Sequence[str]) -> list[frozenset[Answer]]:
        """`answers` of several rules, in one call."""
        state = self.state
        return [answers.answers(state, rule) for rule in rules]

    @_alone
    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """Of `recognize`, with the conditions after ``with``. See `Evaluator`."""
        return answers.extra_answers(self.state, rule)

    @_alone
    def expected(self, rule: str, answer: Answer) -> bool:
        """Whether an expectation holds now. See `Evaluator`."""
        return answers.expected(self.state, rule, answer)

    @_alone
    def witness(self, rule: str, answer: Answer) -> dict[str, Any] | None:
        """Of a judging rule or a licence: one way in which its body holds, as a binding. See `Evaluator`."""
        return answers.witness(self.state, rule, answer)

    @_alone
    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a relation, plainly read; the same object while nothing changed. See `Evaluator`."""
        return answers.rows(self.state, relation)

    @_alone
    def watch(self, names: Iterable[str]) -> Watch:
        """Watch which of some rules (by id) and derived relations hold. See `Watch`."""
        self.state.check()
        return Watch(self.state, names)

    @_alone
    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain data. See `vsalang.engine.run.snapshot`."""
        return snapshot(self.state)
