"""The incremental evaluator: the engine that decides.

Slots change by differences; atom occurrences hold counted tuples of their variables, joined through hash indexes that
exist only where something uses them. What is asked for again and again is kept up to date by generated code; the rest
is computed when asked for, and again only if something it read has changed; a tentative change is undone by a log.
"""

import datetime as dt
import threading
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from vsalang.core.ir import Program
from vsalang.core.similarity import Similarity
from vsalang.engine.api import Answer, Budget, Commit, EngineError, Row, Stamped
from vsalang.engine.compile.cache import kernel_of
from vsalang.engine.plan import Body, Tuple
from vsalang.engine.run.session import Session
from vsalang.engine.run.snapshot import restored, snapshot

P = ParamSpec("P")
R = TypeVar("R")


def _alone(
    method: "Callable[Concatenate[IncrementalEvaluator, P], R]",
) -> "Callable[Concatenate[IncrementalEvaluator, P], R]":
    """The method, refused while another thread is inside the session."""

    @wraps(method)
    def call(self: "IncrementalEvaluator", *args: P.args, **kwargs: P.kwargs) -> R:
        if not self._lock.acquire(False):
            raise _busy()
        try:
            return method(self, *args, **kwargs)
        finally:
            self._lock.release()

    return cast("Callable[Concatenate[IncrementalEvaluator, P], R]", call)


def _busy() -> EngineError:
    return EngineError(
        "two threads use one session at once: give each its own, or hold a lock of your own around its calls"
    )


class IncrementalEvaluator(Session):
    """See `vsalang.engine.api.Evaluator`.

    A session belongs to one thread at a time: while a call runs, calls from other threads raise `EngineError` and
    change nothing. Different sessions may be used in different threads freely. Calls never wait for anything, so in
    asyncio they are atomic.

    Args:
        program: a checked program.
        today: the day of the instruction, what ``today`` means.
        similarity: who answers ``~=``; its answers must not change during the session. Default: `Folded`.
        budget: bounds; what goes beyond them raises `BudgetExceeded`.

    Raises:
        EngineError: the program is not stratified or a body is not safe.
    """

    __slots__ = ("_lock",)
    maintains = True

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(kernel_of(program), today=today, similarity=similarity, budget=budget)
        self._lock = threading.RLock()

    def run(self, body: Body, envs: list[Tuple] | None = None) -> list[Tuple]:
        """The bindings of a body. See `Session.run`.

        The counters of its atom occurrences are asked first: where one of them is empty there is nothing to join.
        """
        alphas = self.alphas
        for number in body.required:
            if not alphas[number].counts:
                return []
        return super().run(body, envs)

    def write(self, slot: str, attr: str, value: Any) -> None:
        """Write one cell of a relation without a key. See `Session.write`."""
        if not self._lock.acquire(False):
            raise _busy()
        try:
            Session.write(self, slot, attr, value)
        finally:
            self._lock.release()

    @_alone
    def assign(self, slot: str, rows: "Iterable[Row] | Iterable[Commit] | Iterable[Stamped]") -> None:
        """Replace the rows of a slot. See `Session.assign`."""
        super().assign(slot, rows)

    @_alone
    def update(
        self,
        slot: str,
        added: "Iterable[Row] | Iterable[Commit] | Iterable[Stamped]" = (),
        removed: "Iterable[Row] | Iterable[Commit] | Iterable[Stamped]" = (),
    ) -> None:
        """Change the rows of a slot. See `Session.update`."""
        super().update(slot, added, removed)

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the device's clock and the timeline. See `Session.now`."""
        if not self._lock.acquire(False):
            raise _busy()
        try:
            Session.now(self, moment, timeline)
        finally:
            self._lock.release()

    def point(self, number: int) -> None:
        """Make now a history point. See `Session.point`."""
        if not self._lock.acquire(False):
            raise _busy()
        try:
            Session.point(self, number)
        finally:
            self._lock.release()

    @_alone
    def mark(self) -> int:
        """Begin a tentative change. See `Session.mark`."""
        return super().mark()

    @_alone
    def rollback(self, mark: int) -> None:
        """Undo everything since the mark. See `Session.rollback`."""
        super().rollback(mark)

    @_alone
    def answers(self, rule: str) -> frozenset[Answer]:
        """Every way in which a rule's body holds. See `Session.answers`."""
        return super().answers(rule)

    @_alone
    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """Of `recognize`, with what stands after ``with``. See `Session.extra_answers`."""
        return super().extra_answers(rule)

    @_alone
    def expected(self, rule: str, answer: Answer) -> bool:
        """Whether an expectation holds now. See `Session.expected`."""
        return super().expected(rule, answer)

    @_alone
    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a relation, plainly read. See `Session.rows`."""
        return super().rows(relation)

    @_alone
    def current(self, number: int) -> None:
        """Bring a derived table up to date. See `Session.current`."""
        super().current(number)

    @_alone
    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain data: see `vsalang.engine.run.snapshot`."""
        return snapshot(self)


def restore(
    program: Program, data: Any, *, similarity: Similarity | None = None, budget: Budget | None = None
) -> IncrementalEvaluator:
    """A new session in the state of a snapshot: see `vsalang.engine.run.snapshot.restored`."""
    return restored(IncrementalEvaluator, program, data, similarity=similarity, budget=budget)
