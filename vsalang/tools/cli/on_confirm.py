"""``--on-confirm``: who answers when the user must agree first."""

import os
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from vsalang.agents.session.transparent import AgentProgram
    from vsalang.guard.user.answering import AnsweringProgram

_WAYS: Final = ("ask", "no", "stdin")
_DESCRIPTOR: Final = "fd:"


class OnConfirm(click.types.StringParamType):
    """The values of ``--on-confirm``, for completion; `on_confirm_way` checks them."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The ways that begin so."""
        return [CompletionItem(way) for way in (*_WAYS, _DESCRIPTOR) if way.startswith(incomplete)]


def on_confirm_way(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Check a value of ``--on-confirm``: ``ask``, ``no``, ``stdin``, or ``fd:N`` with the number of a descriptor."""
    number = (value or "").removeprefix(_DESCRIPTOR)
    if value is None or value in _WAYS:
        return value
    if number != value and number.isascii() and number.isdecimal() and len(number) < 7:
        return value
    raise click.BadParameter(
        f"{value!r} is not one of ask, no, stdin, fd:N (N: the number of an open socket)", ctx, param
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
