"""Asks the user on their terminal: who agrees types a code that was made for this one question.

A `y` that was typed for somebody else's question, before or after ours was printed, is not an agreement: nobody types a
code that they have not read. The question is printed on the controlling terminal and answered there, never on the
standard input: that may be a pipe, and it may be the agent's, too.
"""

import contextlib
import hmac
import math
import os
import secrets
import select
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from vsalang.guard.say.verdict import Verdict
from vsalang.guard.user.questions import Question
from vsalang.program.text import line

TERMINAL: Final = "/dev/tty"
CODE: Final = 4
"""Characters of a code."""
LETTERS: Final = "cdfhjkmnprtvwxy3479"
"""What codes are made of: nothing that looks like something else, and no vowels, so that they are not words."""
_TICK: Final = 0.2
_MOST_TYPED: Final = 1000
_MOST_SHOWN: Final = 20_000
_ONE = threading.Lock()


class NobodyThere(Exception):
    """There is no terminal on which somebody could be asked; says why."""


def forever() -> float:
    """How many seconds are left when there is no limit."""
    return math.inf


def said_of(verdict: Verdict) -> list[str]:
    """What is asked about, as lines to print. All of it: what is cut off cannot have been agreed to.

    Raises:
        NobodyThere: it is too long to be shown whole.
    """
    lines = [_whole(reason.message) for reason in verdict.reasons]
    lines += [f"it does: {_whole(str(action))}" for action in verdict.actions]
    return [*lines, f"Let the agent do it: {_whole(str(verdict.proposal))}?"]


def _whole(text: str) -> str:
    printable = line(text, 10 * len(text) + 1)  # no character is longer once it can be printed
    if len(printable) > _MOST_SHOWN:
        raise NobodyThere(f"what it does is too long to be read: {len(printable)} characters")
    return printable


def ask(verdict: Verdict, left: Callable[[], float] = forever) -> bool | None:
    """Ask on the controlling terminal whether the agent may do exactly what a verdict is about.

    What was typed before the code was printed is thrown away. Anything but the code is a no.

    Args:
        verdict: what is asked about.
        left: how many seconds there still are to answer; 0: it is too late, or nobody needs the answer any more.

    Returns:
        None: there was no answer in time.

    Raises:
        NobodyThere: nobody can be asked.
    """
    return agreed_to(said_of(verdict), left)


def whole(lines: Sequence[str]) -> list[str]:
    """Lines that somebody is to agree to, printable.

    Raises:
        NobodyThere: they are too long to be read.
    """
    result = [line(text, 10 * len(text) + 1) for text in lines]
    if (size := sum(map(len, result))) > _MOST_SHOWN:
        raise NobodyThere(f"what is to be agreed to is too long to be read: {size} characters")
    return result


def there() -> bool:
    """Whether there is a terminal on which somebody can be asked now."""
    try:
        with _opened():
            return True
    except NobodyThere:
        return False


def agreed_to(lines: Sequence[str], left: Callable[[], float] = forever) -> bool | None:
    """Ask on the controlling terminal whether somebody agrees to what these lines say; as `ask`.

    Args:
        lines: printable, the question last.

    Raises:
        NobodyThere: nobody can be asked.
    """
    with _alone(left) as free:
        if not free:
            return None
        with _opened() as terminal, _ready(terminal):
            code = "".join(secrets.choice(LETTERS) for _ in range(CODE))
            seconds = left()
            limit = "" if seconds == math.inf else f" [{seconds:.0f} s]"
            indented = ["", *(f"      {text}" for text in lines)]
            _forget(terminal)
            _print(
                terminal,
                "\n".join(indented) + f"\n      Type {code} to agree; anything else is a no{limit}: ",
            )
            _forget(terminal)
            typed = _line(terminal, left)
            if typed is None:
                _forget(terminal)  # half an answer is not for the next reader
                _print(terminal, "\n      Nobody answered in time: no.\n")
                return None
            agreed = hmac.compare_digest(typed.strip().lower(), code.encode())
            if not agreed and typed.strip().lower() not in (b"", b"n", b"no"):
                _print(terminal, "      That is not the code: no.\n")
            return agreed


def terminal(question: Question) -> bool | None:
    """Ask on the terminal of this process (`vsalang.guard.user.questions.Asker`)."""
    try:
        return ask(question.verdict, lambda: question.left.total_seconds())
    except NobodyThere as error:
        question.unasked()
        print(f"      Nobody could be asked: {error}. The answer is no.", file=sys.stderr, flush=True)
        return None


@contextlib.contextmanager
def _alone(left: Callable[[], float]) -> Iterator[bool]:
    """One question at a time; gives whether it is our turn, and there is time."""
    taken = False
    try:
        while left() > 0 and not taken:
            taken = _ONE.acquire(timeout=_TICK)
        yield taken and left() > 0
    finally:
        if taken:
            _ONE.release()


@contextlib.contextmanager
def _opened() -> Iterator[int]:
    try:
        handle = os.open(TERMINAL, os.O_RDWR | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise NobodyThere("there is no terminal") from error
    try:
        if os.tcgetpgrp(handle) != os.getpgrp():
            raise NobodyThere("this program runs in the background of its terminal")
        yield handle
    except OSError as error:
        raise NobodyThere(f"the terminal cannot be used ({error.strerror or error})") from error
    finally:
        os.close(handle)


@contextlib.contextmanager
def _ready(terminal: int) -> Iterator[None]:
    """While it is asked, the terminal gives whole lines and shows what is typed, however the agent left it."""
    import termios

    try:
        before: list[Any] = termios.tcgetattr(terminal)
        now = [*before[:6], list(before[6])]
        now[0] |= termios.ICRNL
        now[1] |= termios.OPOST | termios.ONLCR
        now[3] |= termios.ICANON | termios.ECHO | termios.ISIG
        termios.tcsetattr(terminal, termios.TCSADRAIN, now)
    except termios.error as error:
        raise NobodyThere("the terminal cannot be used") from error
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _print(terminal: int, text: str) -> None:
    """Print all of a text, and wait until it has left for the terminal."""
    import termios

    for stream in (sys.stdout, sys.stderr):  # what was printed before comes first
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(terminal, data) :]
    with contextlib.suppress(termios.error):
        termios.tcdrain(terminal)


def _forget(terminal: int) -> None:
    """Throw away what was typed until now."""
    import termios

    try:
        termios.tcflush(terminal, termios.TCIFLUSH)
    except termios.error as error:
        raise NobodyThere("what was typed before cannot be thrown away") from error


def _line(terminal: int, left: Callable[[], float]) -> bytes | None:
    """The next line that is typed; None if there is none in time."""
    typed = b""
    # byte by byte: what comes after the line is not part of this answer
    while not typed.endswith((b"\n", b"\r")):
        seconds = left()
        if seconds <= 0:
            return None
        if select.select([terminal], [], [], min(_TICK, seconds))[0]:
            byte = os.read(terminal, 1)
            if not byte:
                return b""  # Ctrl-D
            typed += byte
            if len(typed) > _MOST_TYPED:
                return b""
    return typed
