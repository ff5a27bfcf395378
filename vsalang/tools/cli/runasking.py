"""Asks the user questions for ``vsac run``, and remembers the answers."""

import math
import os
import select
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from vsalang.agents import Proposed
    from vsalang.guard import Question, Verdict

Way: TypeAlias = "Callable[[Verdict, Callable[[], float]], bool | None]"
"""A function that asks about a verdict; the second argument gives the seconds that are left. It returns None if nobody
answers in time, and raises `vsalang.guard.user.terminal.NobodyThere`."""


def ways(on_confirm: str | None, format: str) -> "tuple[Way | None, Way | None]":
    """How the user is asked if the guard does not ask itself, and how if it does; None: not at all.

    By default the user is asked on the terminal, if the standard input is one.
    """
    from vsalang.guard.user.terminal import ask

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


def by_script(verdict: "Verdict", left: "Callable[[], float]") -> bool | None:
    """Print the question on standard error; the next line of the standard input answers it. `yes` and `y` agree."""
    from vsalang.guard.user.terminal import NobodyThere, said_of

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

    def __init__(self, way: "Way | None", own: "Way | None") -> None:
        self._way = way
        self._own = own
        self._said = ""
        self._question: Question | None = None
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext

    def settle(self, verdict: "Verdict") -> bool | None:
        """See `vsalang.phone.gate.Confirm`; the caller has taken the terminal."""
        from vsalang.guard.user.terminal import NobodyThere, forever

        if self._way is None:
            return None
        try:
            return self._way(verdict, forever)
        except NobodyThere as error:
            _nobody(error)
            return None

    def confirm(self, proposed: "Proposed", verdict: "Verdict") -> bool | None:
        """See `vsalang.agents.loop.Confirm`."""
        agreed = self.settle(verdict)
        self._said = {True: "agreed", False: "refused", None: "nobody answered"}[agreed]
        return agreed

    def put(self, question: "Question") -> bool | None:
        """See `vsalang.guard.user.questions.Asker`."""
        from vsalang.guard.user.terminal import NobodyThere

        self._question = question
        if self._own is None:
            self._said = "nobody answered"
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
        said, question = self._said, self._question
        self._said, self._question = "", None
        if said or question is None:
            return said
        words = {"yes": "agreed", "no": "refused", "withdrawn": "withdrawn"}
        words |= dict.fromkeys(("timeout", "unasked"), "nobody answered")
        return words.get(str(question.outcome), "")


def _nobody(error: Exception) -> None:
    echo(f"      Nobody could be asked: {error}. The answer is no.", err=True)
