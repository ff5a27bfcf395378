"""``--on-confirm``: who answers when the user must agree first."""

import os
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from vsalang.agents.session.transparent import AgentProgram
    from vsalang.guard.user.answering import AnsweringProgram

_WAYS: Final = ("ask", "no", "stdin")
_DESCRIPTOR: Final = "fd:"


class OnConfirm(click.ParamType):
    """``ask``, ``no``, ``stdin``, or ``fd:N`` with the number of an open descriptor."""

    name = "way"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The way as it was written."""
        text = str(value)
        number = text.removeprefix(_DESCRIPTOR)
        if text in _WAYS or (number != text and number.isascii() and number.isdecimal() and len(number) < 7):
            return text
        return self.fail(
            f"{text!r} is not one of ask, no, stdin, fd:N (N: the number of an open socket)", param, ctx
        )


def answering_program(way: str | None) -> "AnsweringProgram | None":
    """The program that answers questions; None: ``--on-confirm`` names none.

    The descriptor is taken over here: its number is closed, and nothing that is started from now on inherits it.

    Raises:
        Failure: it is not an open socket.
    """
    if way is None or not way.startswith(_DESCRIPTOR):
        return None
    from vsalang.guard.user.answering import AnsweringProgram, NoSocket, taken_over

    number = int(way.removeprefix(_DESCRIPTOR))
    try:
        end = taken_over(number)
    except NoSocket as error:
        raise Failure(
            f"--on-confirm {way}: {error}",
            "the program that starts vsac makes a `socketpair`, keeps one end, and passes the other on",
        ) from error
    return AnsweringProgram(end, f"the program on fd {number}", lambda text: echo(f"      {text}", err=True))


def may_answer_itself(program: "AgentProgram", name: str) -> None:
    """Say so if the agent's program could answer in place of the program that is asked."""
    others = set(program.users) - {os.getuid()}
    if program.isolate or others:
        return
    echo(
        f"Questions are answered by {name}. COMMAND runs as the same user, so that it could take over that program and "
        "answer for itself: use --isolate, or run COMMAND as another user (--allow-user).",
        err=True,
    )
