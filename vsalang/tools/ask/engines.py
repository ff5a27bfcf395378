"""Answers by any evaluator: records the inputs of a session, and gives them to another evaluator."""

import datetime as dt
import os
import signal
import threading
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from vsalang.base.names import EngineName
from vsalang.engine import EngineError, open_session
from vsalang.engine.api import Answer, BudgetExceeded, Commit, Evaluator, Input, Row, TimedRow
from vsalang.engine.pydatalog.worker import PyDatalogWorker
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity
from vsalang.program.values import Value

Call: TypeAlias = tuple[str, Any, Any]
"""An input of an evaluator: ``assign`` input rows, ``now`` moment timeline, ``point`` number."""


class AskError(Exception):
    """The question could not be answered; the message says why."""


@dataclass
class Recorder:
    """An evaluator that records its inputs (without those rolled back), so that another one can get the same."""

    inner: Evaluator
    today: dt.date
    similarity: Similarity
    calls: list[Call] = field(default_factory=list)
    _savepoints: list[tuple[int, int]] = field(default_factory=list)

    @property
    def program(self) -> Program:
        return self.inner.program

    @program.setter
    def program(self, program: Program) -> None:
        raise AttributeError("an evaluator keeps its program")

    def assign(
        self, relation: Input | str, rows: Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]
    ) -> None:
        kept = cast("list[Row]", list(rows))
        self.inner.assign(relation, kept)
        self.calls.append(("assign", str(relation), kept))

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        self.inner.now(moment, timeline)
        self.calls.append(("now", moment, timeline))

    def point(self, number: int) -> None:
        self.inner.point(number)
        self.calls.append(("point", number, None))

    def savepoint(self) -> int:
        savepoint = self.inner.savepoint()
        self._savepoints.append((savepoint, len(self.calls)))
        return savepoint

    def rollback(self, savepoint: int) -> None:
        self.inner.rollback(savepoint)
        for at, (known, length) in enumerate(self._savepoints):
            if known == savepoint:
                del self.calls[length:]
                del self._savepoints[at:]
                return

    def variables(self, rule: str) -> tuple[str, ...]:
        return self.inner.variables(rule)

    def answers(self, rule: str) -> frozenset[Answer]:
        return self.inner.answers(rule)

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        return self.inner.extra_answers(rule)

    def expected(self, rule: str, answer: Answer) -> bool:
        return self.inner.expected(rule, answer)

    def witness(self, rule: str, answer: Answer) -> Mapping[str, Value] | None:
        return self.inner.witness(rule, answer)

    def rows(self, relation: str) -> frozenset[Row]:
        return self.inner.rows(relation)

    def moments(self) -> list[Call]:
        """The recorded inputs; of several assignments between two points only the last."""
        kept: list[Call] = []
        waiting: dict[tuple[str, str], Call] = {}
        for call in self.calls:
            kind, what, _ = call
            waiting[(kind, what if kind == "assign" else "")] = call
            if kind == "point":
                kept += waiting.values()
                waiting = {}
        return [*kept, *waiting.values()]


def rows_by(
    engine: EngineName, program: Program, recorder: Recorder, relation: str, timeout: float
) -> frozenset[Row]:
    """The rows of a relation as another evaluator derives them from the same history.

    Args:
        engine: which evaluator. pyDatalog may never answer and cannot be interrupted, so it runs in its own process;
            the others can be interrupted, and have a budget.
        program: for which it is opened; it has the same inputs as the recorder's.
        recorder: gives the inputs.
        relation: qualified name.
        timeout: seconds after which a process is killed.

    Raises:
        AskError: it did not answer in time, or failed.
    """
    with ExitStack() as stack:
        late = threading.Event()
        try:
            session = open_session(
                program, engine=engine, today=recorder.today, similarity=recorder.similarity
            )
            if isinstance(session, PyDatalogWorker):
                stack.enter_context(session)
                session._seconds = timeout  # for one call; the timer limits all of them together
                stack.callback(_watch(session.pid, timeout, late).cancel)
            tell(session, recorder)
            return session.rows(relation)
        except EngineError as error:
            if late.is_set() or isinstance(error, BudgetExceeded):
                raise AskError(
                    f"{engine} gave no answer in time ({timeout:g} s) or within its bounds; --timeout gives it longer"
                ) from error
            raise AskError(f"{engine}: {error}") from error


def tell(session: Evaluator, recorder: Recorder) -> None:
    """Bring a new session of the same program to the state of the recorder's. Raises the session's errors."""
    for kind, what, rows in recorder.moments():
        if kind == "assign":
            session.assign(what, rows)
        elif kind == "now":
            session.now(what, rows)
        else:
            session.point(what)


def _watch(process: int, timeout: float, late: threading.Event) -> threading.Timer:
    """Kills a process after a time limit."""

    def stop() -> None:
        late.set()
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)

    timer = threading.Timer(timeout, stop)
    timer.daemon = True
    timer.start()
    return timer
