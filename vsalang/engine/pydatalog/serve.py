"""The worker's side of the pyDatalog back end: one session, asked over a socket, that ends itself when it hangs.

``python -m vsalang.engine.pydatalog.serve FD`` reads requests from the socket FD and answers each. Every request says
how long it may take; the kernel ends the process a little later (an alarm without a handler: pyDatalog may be in a loop
in which none would run), so that it ends even where nobody is left to end it. See `vsalang.engine.pydatalog.worker`.
"""

import contextlib
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any, Final

from vsalang.engine.api import BudgetExceeded, EngineError, Evaluator
from vsalang.engine.pydatalog.codec import dumps, loads

LENGTH: Final = struct.Struct(">Q")
MOST_BYTES: Final = 1 << 28
GRACE: Final = 2.0
"""Seconds after which the worker ends itself where its owner should have ended it."""

_QUESTIONS: Final = ("answers", "extra_answers", "expected", "witness", "rows", "variables")
_CHANGES: Final = ("assign", "now", "point", "savepoint", "rollback")


class PipeClosed(Exception):
    """The other side of the pipe has closed it."""


def message(value: Any) -> bytes:
    """A message, to be written to a pipe whole.

    Raises:
        EngineError: it is not a plain value, or too long.
    """
    data = dumps(value)
    if len(data) > MOST_BYTES:
        raise EngineError(f"a message of {len(data)} bytes is longer than the {MOST_BYTES} that are allowed")
    return LENGTH.pack(len(data)) + data


def receive(pipe: socket.socket, left: Callable[[], float] | None = None) -> Any:
    """Read one message.

    Args:
        pipe: the socket.
        left: how many seconds are left; None: as long as it takes.

    Raises:
        Gone: the other side has closed the pipe.
        TimeoutError: no time is left.
        EngineError: the message is too long or cannot be read.
    """
    (length,) = LENGTH.unpack(_read(pipe, LENGTH.size, left))
    if length > MOST_BYTES:
        raise EngineError(f"a message of {length} bytes is longer than the {MOST_BYTES} that are allowed")
    return loads(_read(pipe, length, left))


def _read(pipe: socket.socket, size: int, left: Callable[[], float] | None) -> bytes:
    parts: list[bytes] = []
    while size:
        if left is not None:
            seconds = left()
            if seconds <= 0:
                raise TimeoutError
            pipe.settimeout(seconds)
        part = pipe.recv(min(size, 1 << 20))
        if not part:
            raise PipeClosed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


# ---------------------------------------------------------------- the worker


class Fault(Exception):
    """The owner's ``~=`` raised an exception, which the owner keeps."""


class Remote:
    """Asks the owner what is similar; while it answers no time of ours passes."""

    def __init__(self, pipe: socket.socket) -> None:
        self.pipe = pipe

    def similar(self, text: str, constant: str) -> bool | None:
        left = alarm(0.0)
        self.pipe.sendall(message({"similar": (text, constant)}))
        reply = receive(self.pipe)
        alarm(left)
        if "fault" in reply:
            raise Fault
        answer: bool | None = reply["similar"]
        return answer


def alarm(seconds: float) -> float:
    """Let the kernel end this process after so many seconds (0: no longer); how many were left."""
    if not hasattr(signal, "setitimer"):
        return 0.0
    return signal.setitimer(signal.ITIMER_REAL, seconds)[0]


def limit_memory(bytes_: int) -> None:
    """Bound the memory of this process, where the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def _begin(request: dict[str, Any], pipe: socket.socket) -> Evaluator:
    limit_memory(request["memory"])
    from vsalang.engine.pydatalog.backend import PyDatalogEvaluator

    return PyDatalogEvaluator(
        request["program"],
        today=request["today"],
        similarity=Remote(pipe) if request["similarity"] else None,
        budget=request["budget"],
    )


def _do(session: Evaluator, request: dict[str, Any]) -> Any:
    """What the session answers to a request."""
    name, arguments = request["do"], request["with"]
    if name not in _QUESTIONS and name not in _CHANGES:
        raise EngineError(f"a session does not {name}")
    result = getattr(session, name)(*arguments)
    return tuple(result) if isinstance(result, frozenset) else result


def serve(pipe: socket.socket) -> None:
    """Answer requests until the owner closes the pipe."""
    session: Evaluator | None = None
    while True:
        try:
            request = receive(pipe)
        except PipeClosed:
            return
        alarm(request["seconds"] + GRACE)
        reply: dict[str, Any]
        try:
            if session is None:
                session = _begin(request, pipe)
                reply = {"ok": None}
            else:
                reply = {"ok": _do(session, request)}
        except BudgetExceeded as error:
            reply = {"error": "budget", "message": str(error)}
        except EngineError as error:
            reply = {"error": "engine", "message": str(error)}
        except Fault:
            reply = {"error": "similarity", "message": ""}
        except PipeClosed:
            return
        except Exception as error:  # the owner ends this process: nobody knows what state it is in
            reply = {"error": "internal", "message": f"{type(error).__name__}: {error}"}
        try:
            data = message(reply)
        except EngineError as error:
            data = message({"error": "budget", "message": str(error)})
        pipe.sendall(data)
        alarm(0.0)


def main() -> None:
    """Serve the socket that the owner gave this process."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C is for the owner, who ends this process
    pipe = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(pipe.fileno(), False)
    try:
        serve(pipe)
    except (PipeClosed, OSError, MemoryError):
        sys.exit(1)


if __name__ == "__main__":
    main()
