"""Asks a program in place of the user: it holds the other end of a socket that was open when `vsac` was started.

One socket, JSON lines: a question out, an answer in, and whether the answer counts out. A question carries a hash of
all that it says: the verdict, the screen it was given on, and a number that nobody can guess. An answer names that
hash::

    {"kind": "question", "hash": "5f1c..", "screen": "9a0e..", "verdict": {..}, "message": "..", "seconds": 60.0, ..}
    {"hash": "5f1c..", "answer": "yes"}
    {"kind": "result", "hash": "5f1c..", "agreed": true, "reason": ""}

Whatever else arrives is a no, and the reason is told. The descriptor gets another number and is not inherited: no
program that `vsac` starts holds it, and its number stands in no environment and no file.
"""

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import select
import socket
import stat
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from vsalang.guard.say.verdict import Verdict
from vsalang.guard.say.verdict_document import document
from vsalang.guard.user.terminal import NobodyThere, said_of
from vsalang.program.text import safe
from vsalang.screen.secrets import Redactor

VERSION: Final = 1
MOST_OF_AN_ANSWER: Final = 1000
"""Bytes of an answer, with the end of its line."""
MOST_UNASKED: Final = 16_000
"""Bytes that may arrive while nothing is asked; a program that sends more is not listened to any more."""
_FIRST_FREE: Final = 3
_TICK: Final = 0.2


class NoSocket(Exception):
    """A descriptor over which no program can be asked; says why."""


def taken_over(number: int) -> socket.socket:
    """The open socket of a descriptor, under another number that no process inherits; the number itself is closed.

    Raises:
        NoSocket: it is not the connected UNIX socket that is needed.
    """
    if number < _FIRST_FREE:
        raise NoSocket(f"fd {number} is one of the standard streams, which COMMAND inherits")
    try:
        mode = os.fstat(number).st_mode
    except (OSError, OverflowError) as error:
        raise NoSocket(f"fd {number} is not open") from error
    if not stat.S_ISSOCK(mode):
        # a pipe or a file can be opened by others at /proc/PID/fd, and a socket cannot
        raise NoSocket(f"fd {number} is not a socket")
    moved = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    connection = socket.socket(fileno=moved)
    try:
        if connection.family != socket.AF_UNIX or connection.type != socket.SOCK_STREAM:
            raise NoSocket(f"fd {number} is not a UNIX stream socket, as `socketpair` makes it")
        connection.getpeername()
        connection.setblocking(False)
    except OSError as error:
        connection.close()
        raise NoSocket(f"fd {number} is a socket that is not connected") from error
    except NoSocket:
        connection.close()
        raise
    os.close(number)
    return connection


class AnsweringProgram:
    """The program at the other end.

    Args:
        end: a connected stream socket that nobody else reads; it is closed with this.
        name: how it is called in messages and records, such as ``the program on fd 3``.
        tell: hears in a sentence why an answer does not count.

    Attributes:
        limit: seconds for an answer where the guard itself sets no limit.
        redactor: replaces secrets in what is asked, if others than the owner of the device read it; None: they stay.
    """

    def __init__(
        self, end: socket.socket, name: str, tell: Callable[[str], None], limit: float = 60.0
    ) -> None:
        end.setblocking(False)
        self.name = name
        self.limit = limit
        self.redactor: Redactor | None = None
        self._asked: tuple[Verdict | None, Mapping[str, str]] = (None, {})
        self._end = end
        self._tell = tell
        self._one = threading.Lock()
        self._number = 0
        self._closed = ""

    def ask(self, verdict: Verdict, left: Callable[[], float]) -> bool | None:
        """Ask whether the agent may do exactly what a verdict is about.

        Args:
            verdict: what is asked about.
            left: how many seconds there still are to answer; infinite: `limit` holds.

        Returns:
            None: there was no answer in time.

        Raises:
            NobodyThere: the program cannot be asked.
        """
        until = time.monotonic() + self.limit

        def remaining() -> float:
            return min(left(), until - time.monotonic())

        if not self._one.acquire(timeout=max(0.0, remaining())):
            return None
        try:
            return self._ask(verdict, remaining)
        finally:
            self._one.release()

    def agree(
        self, subject: Mapping[str, Any], message: str, left: Callable[[], float]
    ) -> tuple[bool | None, Mapping[str, str]]:
        """Ask whether somebody agrees to something before any session; as `ask`.

        Args:
            subject: what the question carries in place of a verdict.
            message: all of it in words.
            left: how many seconds there still are to answer; infinite: `limit` holds.

        Returns:
            The answer (None: there was none in time), and who gave it, for the record.

        Raises:
            NobodyThere: the program cannot be asked.
        """
        until = time.monotonic() + self.limit

        def remaining() -> float:
            return min(left(), until - time.monotonic())

        with self._one:
            self._forget()
            agreed = self._put(
                self._question({"screen": "", "message": message, **subject}, remaining()), None, remaining
            )
        return agreed, self.about(None)

    def about(self, verdict: Verdict | None) -> Mapping[str, str]:
        """Who was asked about a verdict, for the record: `by`, and of what was asked last the `question` (its hash) and
        the `reason` why the answer is a no although the program did not say so."""
        asked, about = self._asked
        return {"by": self.name, **(about if asked is verdict else {})}

    def close(self) -> None:
        """Tell the program, by the end of the stream, that nothing more is asked. May be called twice."""
        self._closed = self._closed or "nothing more is asked"
        self._end.close()

    def _ask(self, verdict: Verdict, left: Callable[[], float]) -> bool | None:
        self._asked = (verdict, {})
        self._forget()
        subject = {
            "screen": verdict.fingerprint,
            "message": "\n".join(said_of(verdict)),
            "verdict": document(verdict),
        }
        if self.redactor is not None:
            subject = self.redactor.record(subject)
        return self._put(self._question(subject, left()), verdict, left)

    def _put(
        self, question: dict[str, Any], verdict: Verdict | None, left: Callable[[], float]
    ) -> bool | None:
        mark = question["hash"]
        self._asked = (verdict, {"question": mark})
        agreed, reason = self._answer(question, mark, left)
        if self._closed:
            self._end.close()  # the program is told by the end of the stream
        if reason:
            self._asked = (verdict, {"question": mark, "reason": reason})
        if agreed is None and self._closed:
            raise NobodyThere(f"{self.name}: {reason}")
        if reason:
            self._tell(f"{self.name}: {reason}. The answer is no.")
        self._send({"kind": "result", "hash": mark, "agreed": agreed is True, "reason": reason}, lambda: 1.0)
        return agreed

    def _question(self, subject: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        self._number += 1
        question: dict[str, Any] = {
            "kind": "question",
            "version": VERSION,
            "number": self._number,
            "nonce": secrets.token_hex(16),
            "seconds": round(max(0.0, seconds), 3),
            **subject,
        }
        return {**question, "hash": hash_of(question)}

    def _answer(
        self, question: dict[str, Any], mark: str, left: Callable[[], float]
    ) -> tuple[bool | None, str]:
        """What was answered, and why that does not count; None: nothing was."""
        if self._closed:
            return None, self._closed
        if not self._send(question, left):
            return None, self._closed
        typed = b""
        while True:
            if left() <= 0:
                return None, "it did not answer in time"
            try:
                ready = select.select([self._end], [], [], min(_TICK, max(0.0, left())))[0]
            except (OSError, ValueError) as error:
                self._closed = f"it cannot be read ({error})"
                return None, self._closed
            if not ready:
                continue
            data = self._receive(MOST_OF_AN_ANSWER + 1 - len(typed))
            if data is None:
                return None, self._closed
            typed += data
            whole, end, more = typed.partition(b"\n")
            if len(whole) + len(end) > MOST_OF_AN_ANSWER:
                self._closed = f"it said more than {MOST_OF_AN_ANSWER} bytes to one question"
                return False, self._closed
            if not end:
                continue
            if more:
                return False, "it gave more than one answer"
            if left() <= 0:
                return None, "it did not answer in time"
            return _read(whole, mark)

    def _receive(self, most: int) -> bytes | None:
        """What has arrived; None: the stream is at its end."""
        try:
            data = self._end.recv(most)
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError as error:
            self._closed = f"it cannot be read ({error.strerror or error})"
            return None
        if not data:
            self._closed = "it has closed its end"
            return None
        return data

    def _forget(self) -> None:
        """Throw away what was said while nothing was asked: a late answer, or a second one. It counts for nothing."""
        size = 0
        while not self._closed:
            data = self._receive(MOST_UNASKED)
            if not data:
                break
            size += len(data)
            if size > MOST_UNASKED:
                self._closed = f"it said more than {MOST_UNASKED} bytes without being asked"
        if size:
            self._tell(f"{self.name}: an answer came too late, or twice, or unasked: it does not count.")

    def _send(self, message: Mapping[str, Any], left: Callable[[], float]) -> bool:
        """Send a line; False: it was not read in time, and nothing more is sent."""
        data = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        until = time.monotonic() + left()
        while data and not self._closed:
            seconds = min(left(), until - time.monotonic())
            if seconds <= 0:
                # half a line is out: what would follow could not be read
                self._closed = "it did not read what was asked"
                break
            try:
                if select.select([], [self._end], [], min(_TICK, seconds))[1]:
                    data = data[self._end.send(data, socket.MSG_NOSIGNAL) :]
            except (BlockingIOError, InterruptedError):
                continue
            except (OSError, ValueError) as error:
                self._closed = f"it cannot be reached ({getattr(error, 'strerror', None) or error})"
        return not self._closed


def hash_of(question: Mapping[str, Any]) -> str:
    """The hash of a question: SHA-256 of it without `hash`, as JSON with sorted names and without blanks."""
    fields = {name: value for name, value in question.items() if name != "hash"}
    data = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(data.encode()).hexdigest()


def _read(data: bytes, mark: str) -> tuple[bool, str]:
    """Whether a line agrees to the question of a hash, and why it does not count."""
    answer: object = None
    with contextlib.suppress(ValueError, RecursionError):
        answer = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    if not isinstance(answer, dict) or set(answer) != {"hash", "answer"}:
        return False, "its answer cannot be read: " + safe(data.decode("utf-8", "replace"))
    named, word = answer["hash"], answer["answer"]
    if not isinstance(named, str) or not hmac.compare_digest(named.encode("utf-8", "replace"), mark.encode()):
        return False, "its answer names another question"
    if word not in ("yes", "no") or not isinstance(word, str):
        return False, "its answer is neither yes nor no"
    return word == "yes", ""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names each stand once. Raises `ValueError`."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name stands twice")
    return result
