"""A pyDatalog session in a process of its own, which is ended when it does not answer in time.

A query of pyDatalog cannot be interrupted: on some programs it never answers, and no handler and no other thread runs
meanwhile. So that it can hang nobody, users' commands and the guard get this evaluator: every call has a deadline;
a call that takes longer ends the process and raises `BudgetExceeded`, and from then on every call raises, so that a
guard blocks. Only plain data goes over the pipe (`vsalang.engine.pydatalog.codec`), and the process has bounded memory.
The process ends with its owner, however that ends.

Calls may come from any thread, one at a time. A process that was forked from the owner cannot use the session.
"""

import contextlib
import datetime as dt
import importlib.util
import os
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Final

from vsalang.engine.api import Answer, Budget, BudgetExceeded, Commit, EngineError, Input, Row, TimedRow
from vsalang.engine.pydatalog.backend import MISSING
from vsalang.engine.pydatalog.serve import PipeClosed, message, receive
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity

SECONDS: Final = 30.0
"""How long a call may take where the budget says nothing."""

GRACE: Final = 1.0
"""Seconds beyond the budget, in which the worker may still say by itself that it is used up."""

TO_START: Final = 60.0
"""How long the process may take to start and to compile the program."""

MEMORY: Final = 2 << 30
"""How many bytes of address space the process may use (where the system can bound them)."""

_SOCKETS: "weakref.WeakSet[socket.socket]" = weakref.WeakSet()


def _forked() -> None:
    """In a forked process: let go of the pipes, so that workers see when their owner ends."""
    for pipe in list(_SOCKETS):
        pipe.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _end(process: "subprocess.Popen[bytes]", pipe: socket.socket, owner: int) -> None:
    """End the process and reap it, once and for all."""
    if os.getpid() != owner:
        return
    pipe.close()
    process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=5)


class PyDatalogWorker:
    """See `vsalang.engine.api.Evaluator`.

    Args:
        program: a checked program.
        today: the day of the instruction.
        similarity: who answers ``~=``, asked in this process; the time that takes is not the worker's.
        budget: bounds; the session's and, if it has ``seconds``, of each call.
        memory: bytes of address space that the process may use.

    Raises:
        EngineError: the process cannot be started, pyDatalog is not installed, or the program cannot be evaluated.
    """

    module: ClassVar[str] = "vsalang.engine.pydatalog.serve"

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
        memory: int = MEMORY,
    ) -> None:
        if importlib.util.find_spec("pyDatalog") is None:
            raise EngineError(MISSING)
        self.program = program
        self._similarity = similarity
        bounds = budget or Budget()
        self._seconds: float = (bounds.seconds or SECONDS) + GRACE
        self._lock = threading.RLock()
        self._busy = False
        self._ended = ""
        self._names: dict[str, tuple[str, ...]] = {}
        self._owner = os.getpid()
        process, self._pipe = self._start()
        self.pid: int = process.pid
        self._end = weakref.finalize(self, _end, process, self._pipe, self._owner)
        try:
            self._call(
                {
                    "program": program,
                    "today": today,
                    "budget": bounds,
                    "similarity": similarity is not None,
                    "memory": memory,
                    "seconds": TO_START,
                }
            )
        except BaseException:
            self._stop("it could not begin")
            raise

    def _start(self) -> "tuple[subprocess.Popen[bytes], socket.socket]":
        if os.name != "posix":
            raise EngineError(
                "the engine pydatalog runs in a process that can be ended in time, which needs Linux or macOS: "
                "use the engine incremental"
            )
        root = str(Path(__file__).resolve().parents[3])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        mine, theirs = socket.socketpair()
        try:
            process = subprocess.Popen(
                # -P: never import from the directory that the user happens to be in
                [sys.executable, "-P", "-m", self.module, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )
        except OSError as error:
            mine.close()
            raise EngineError(f"the process of the engine pydatalog cannot be started: {error}") from error
        finally:
            theirs.close()
        _SOCKETS.add(mine)
        return process, mine

    # ------------------------------------------------------------ the pipe

    def _call(self, request: dict[str, Any]) -> Any:
        """What the worker answers; it is ended where it does not answer as it should."""
        if os.getpid() != self._owner:
            raise EngineError(
                f"this session belongs to process {self._owner}; after a fork open one for the new process"
            )
        request = {"seconds": self._seconds, **request}
        data, seconds = message(request), request["seconds"]
        with self._lock:
            if self._ended:
                raise EngineError(
                    f"the session of the engine pydatalog has ended: {self._ended}; begin a new one"
                )
            if self._busy:
                raise EngineError("the session was asked by who answers ~= for it")
            self._busy = True
            try:
                return self._exchange(data, seconds)
            except TimeoutError:
                self._stop(f"it did not answer within {seconds:g} s")
                raise BudgetExceeded(
                    f"pyDatalog did not answer within {seconds:g} s, and its process was ended; "
                    "begin a new session, raise the bound, or use the engine incremental"
                ) from None
            except (PipeClosed, OSError):
                self._stop("its process ended unexpectedly")
                raise EngineError(
                    "the process of the engine pydatalog ended unexpectedly (killed, or out of memory); "
                    "begin a new session, or use the engine incremental"
                ) from None
            except _WorkerError as refused:
                raise refused.error from None
            except BaseException:  # nobody knows what is still in the pipe
                self._stop("a call was broken off")
                raise
            finally:
                self._busy = False

    def _exchange(self, data: bytes, seconds: float) -> Any:
        deadline = time.monotonic() + seconds

        def left() -> float:
            return deadline - time.monotonic()

        self._pipe.settimeout(seconds)
        self._pipe.sendall(data)
        fault: BaseException | None = None
        while True:
            received = receive(self._pipe, left)
            if not isinstance(received, dict):
                raise EngineError("the process of the engine pydatalog said something that is not an answer")
            if "similar" in received:
                asked = time.monotonic()
                reply: dict[str, Any] = {"fault": None}
                try:
                    assert self._similarity is not None
                    reply = {"similar": self._similarity.similar(*received["similar"])}
                except Exception as error:
                    fault = error
                deadline += time.monotonic() - asked
                self._pipe.settimeout(max(left(), 0.001))
                self._pipe.sendall(message(reply))
                continue
            if "ok" in received:
                return received["ok"]
            kind, why = received.get("error"), str(received.get("message"))
            if kind == "similarity" and fault is not None:
                raise _WorkerError(fault)
            if kind == "budget":
                raise _WorkerError(BudgetExceeded(why))
            if kind == "engine":
                raise _WorkerError(EngineError(why))
            raise EngineError(f"the process of the engine pydatalog failed: {why}")

    def _stop(self, why: str) -> None:
        self._ended = self._ended or why
        self._end()

    def close(self) -> None:
        """End the process. Every later call raises `EngineError`; closing again does nothing."""
        if os.getpid() == self._owner:
            with self._lock:
                self._stop("it was closed")

    def __enter__(self) -> "PyDatalogWorker":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _ask(self, name: str, *arguments: Any) -> Any:
        return self._call({"do": name, "with": arguments})

    # ------------------------------------------------------------ the session

    def assign(
        self, relation: Input | str, rows: "Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]"
    ) -> None:
        """Replace the rows of an input. See `vsalang.engine.api.Evaluator`."""
        self._ask("assign", str(relation), tuple(rows))

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the device's clock and the timeline. See `vsalang.engine.api.Evaluator`."""
        self._ask("now", moment, timeline)

    def variables(self, rule: str) -> tuple[str, ...]:
        """The names of a rule's answer variables. See `vsalang.engine.api.Evaluator`."""
        names = self._names.get(rule)
        if names is None:
            names = self._names[rule] = tuple(self._ask("variables", rule))
        return names

    def answers(self, rule: str) -> frozenset[Answer]:
        """Every way in which a rule's body holds. See `vsalang.engine.api.Evaluator`."""
        return frozenset(self._ask("answers", rule))

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """Of `recognize`, with the conditions after ``with``. See `vsalang.engine.api.Evaluator`."""
        return frozenset(self._ask("extra_answers", rule))

    def expected(self, rule: str, answer: Answer) -> bool:
        """Whether an expectation holds now. See `vsalang.engine.api.Evaluator`."""
        return self._ask("expected", rule, answer) is True

    def witness(self, rule: str, answer: Answer) -> dict[str, Any] | None:
        """One way in which the body of a rule holds. See `vsalang.engine.api.Evaluator`."""
        bindings: dict[str, Any] | None = self._ask("witness", rule, answer)
        return bindings

    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a relation, plainly read. See `vsalang.engine.api.Evaluator`."""
        return frozenset(self._ask("rows", relation))

    def point(self, number: int) -> None:
        """Make now a history point. See `vsalang.engine.api.Evaluator`."""
        self._ask("point", number)

    def savepoint(self) -> int:
        """Begin a tentative change. See `vsalang.engine.api.Evaluator`."""
        return int(self._ask("savepoint"))

    def rollback(self, savepoint: int) -> None:
        """Undo everything since the savepoint. See `vsalang.engine.api.Evaluator`."""
        self._ask("rollback", savepoint)


class _WorkerError(Exception):
    """The worker answered with an error; it is as well as before."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
