"""``--on-confirm``: who answers when the user must agree first."""

import math
import os
import select
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from vsalang.agents import Proposed
from vsalang.agents.session.transparent import AgentProgram
from vsalang.base.options import option
from vsalang.guard import Question, Verdict
from vsalang.guard.user.answering import AnsweringProgram, NoSocket, taken_over
from vsalang.guard.user.terminal import NobodyThere, ask, forever, said_of
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import echo

_WAYS: Final = ("ask", "no", "stdin", "fleet")
_DESCRIPTOR: Final = "fd:"


def on_confirm() -> Any:
    """The option ``--on-confirm`` (`str | None`)."""
    return option(
        "--on-confirm",
        read=_way,
        metavar="ask|no|stdin|fleet|fd:N",
        help="What to do when the user must agree first. ask: the terminal asks for a code. stdin: for scripts, each "
        "line of the standard input answers one question. fleet: people at the console of the --fleet server. fd:N: "
        "the program that started vsac answers, over a socket that it left open as descriptor N.",
        default_text="ask if the standard input is a terminal, else no",
        needs={"fleet": {"--fleet": "that server asks"}},
    )


def _way(text: str) -> str:
    number = text.removeprefix(_DESCRIPTOR)
    if text in _WAYS or (number != text and number.isascii() and number.isdecimal() and len(number) < 7):
        return text
    raise ValueError(f"{text!r} is not one of ask, no, stdin, fleet, fd:N (N: the number of an open socket)")


def answering_program(way: str | None) -> AnsweringProgram | None:
    """The program that answers questions; None: ``--on-confirm`` names none.

    The descriptor is taken over here: its number is closed, and nothing that is started from now on inherits it.

    Raises:
        Failure: it is not an open socket.
    """
    if way is None or not way.startswith(_DESCRIPTOR):
        return None
    number = int(way.removeprefix(_DESCRIPTOR))
    try:
        end = taken_over(number)
    except NoSocket as error:
        raise Failure(
            f"--on-confirm {way}: {error}",
            "the program that starts vsac makes a `socketpair`, keeps one end, and passes the other on",
        ) from error
    return AnsweringProgram(end, f"the program on fd {number}", lambda text: echo(f"      {text}", err=True))


def may_answer_itself(program: AgentProgram, name: str) -> None:
    """Say so if the agent's program could answer in place of the program that is asked."""
    others = set(program.users) - {os.getuid()}
    if program.isolate or others:
        return
    echo(
        f"Questions are answered by {name}. COMMAND runs as the same user, so that it could take over that program and "
        "answer for itself: use --isolate, or run COMMAND as another user (--allow-user).",
        err=True,
    )


Way: TypeAlias = Callable[[Verdict, Callable[[], float]], bool | None]
"""A function that asks about a verdict; the second argument gives the seconds that are left. It returns None if nobody
answers in time, and raises `vsalang.guard.user.terminal.NobodyThere`."""


def ways(on_confirm: str | None, format: str) -> tuple[Way | None, Way | None]:
    """How the user is asked if the guard does not ask itself, and how if it does; None: not at all.

    By default the user is asked on the terminal, if the standard input is one.
    """
    if on_confirm == "no":
        return None, None
    if on_confirm == "stdin":
        return by_script, by_script
    if on_confirm == "ask":
        return ask, ask
    there = sys.stdin is not None and sys.stdin.isatty()
    return ask if there and format == "text" else None, ask if there else None


def check_script(agent_file: str | None) -> None:
    """Refuse answers from a standard input that the agent writes.

    Raises:
        click.UsageError: the agent writes it.
    """
    try:
        shared = agent_file is None or os.path.samestat(Path(agent_file).stat(), os.fstat(0))
    except OSError:
        shared = agent_file in (None, "-")
    if shared:
        raise click.UsageError(
            "--on-confirm stdin: the standard input is the agent's, so no answer comes from there."
        )


def by_script(verdict: Verdict, left: Callable[[], float]) -> bool | None:
    """Print the question on standard error; the next line of the standard input answers it. `yes` and `y` agree."""
    seconds = left()
    limit = "" if seconds == math.inf else f", {seconds:.0f} s"
    echo(
        "\n" + "\n".join(f"      {text}" for text in said_of(verdict)) + f" [y/N{limit}, by a script]",
        err=True,
    )
    typed = b""
    try:
        handle = sys.stdin.fileno()
        # byte by byte: the next line answers the next question
        while not typed.endswith(b"\n"):
            if (seconds := left()) <= 0:
                echo("      Nobody answered in time: no.", err=True)
                return None
            if select.select([handle], [], [], min(0.2, seconds))[0]:
                byte = os.read(handle, 1)
                if not byte:
                    raise NobodyThere("the standard input is at its end")
                typed += byte
    except (OSError, ValueError, AttributeError) as error:
        raise NobodyThere("there is no standard input") from error
    return typed.strip().lower() in (b"y", b"yes")


class User:
    """Asks the user, and remembers the last answer.

    Args:
        way: how to ask if the guard does not ask itself; None: nobody is asked.
        own: how to ask if it does.
    """

    def __init__(self, way: Way | None, own: Way | None) -> None:
        self._way = way
        self._own = own
        self._answer = ""
        self._question: Question | None = None
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext

    def settle(self, verdict: Verdict) -> bool | None:
        """See `vsalang.phone.gate.Confirm`; the caller has taken the terminal."""
        if self._way is None:
            return None
        try:
            return self._way(verdict, forever)
        except NobodyThere as error:
            _nobody(error)
            return None

    def confirm(self, proposed: Proposed, verdict: Verdict) -> bool | None:
        """Whether the user agreed to a proposal; None: nobody answered."""
        agreed = self.settle(verdict)
        self._answer = {True: "agreed", False: "refused", None: "nobody answered"}[agreed]
        return agreed

    def put(self, question: Question) -> bool | None:
        """The user's answer to a yes-no question; None: there is none."""
        self._question = question
        if self._own is None:
            self._answer = "nobody answered"
            question.unasked()
            return None
        try:
            with self.around():
                return self._own(question.verdict, lambda: question.left.total_seconds())
        except NobodyThere as error:
            question.unasked()
            _nobody(error)
            return None

    def taken(self) -> str:
        """The answer to the question since the last call of this; empty if there was none."""
        answer, question = self._answer, self._question
        self._answer, self._question = "", None
        if answer or question is None:
            return answer
        words = {"yes": "agreed", "no": "refused", "withdrawn": "withdrawn"}
        words |= dict.fromkeys(("timeout", "unasked"), "nobody answered")
        return words.get(str(question.outcome), "")


def _nobody(error: Exception) -> None:
    echo(f"      Nobody could be asked: {error}. The answer is no.", err=True)
