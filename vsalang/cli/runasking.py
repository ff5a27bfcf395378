"""How ``vsac run`` asks the user, and knows what they answered."""

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from vsalang.cli import guarded

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from vsalang.agents import Proposed
    from vsalang.guard import Asker, Question, Verdict


def no_answer(question: "Question") -> None:
    """Say that nobody can be asked (`vsalang.guard.asking.Asker`)."""
    question.unasked()


class User:
    """Asks the user, and knows how they answered.

    Args:
        asks: whether there is somebody to ask in a mode in which the guard does not ask itself.
        asker: who asks when it does; None: the terminal.
    """

    def __init__(self, asks: bool, asker: "Asker | None") -> None:
        self._asks = asks
        self._asker = asker
        self._said = ""
        self._question: Question | None = None
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext

    def settle(self, verdict: "Verdict") -> bool | None:
        """See `vsalang.gate.Confirm`; the terminal is ours already."""
        return guarded.ask_user(verdict) if self._asks else None

    def confirm(self, proposed: "Proposed", verdict: "Verdict") -> bool | None:
        """See `vsalang.agents.loop.Confirm`."""
        if not self._asks:
            self._said = "nobody answered"
            return None
        agreed = _ask(proposed, verdict)
        if not sys.stdin.isatty():
            click.echo("")  # nobody typed the end of the line
        self._said = "agreed" if agreed else "refused"
        return agreed

    def put(self, question: "Question") -> bool | None:
        """See `vsalang.guard.asking.Asker`."""
        from vsalang.guard.asking import terminal

        self._question = question
        if self._asker is not None:
            self._said = "nobody answered"
            return self._asker(question)
        with self.around():
            agreed = terminal(question)
        if question.outcome is None and not sys.stdin.isatty():
            click.echo("", err=True)
        return agreed

    def taken(self) -> str:
        """How the question was answered, if one was asked since this was called; else empty."""
        said, question = self._said, self._question
        self._said, self._question = "", None
        if said or question is None:
            return said
        words = {"yes": "agreed", "no": "refused", "withdrawn": "withdrawn"}
        words |= dict.fromkeys(("timeout", "unasked"), "nobody answered")
        return words.get(str(question.outcome), "")


def _ask(proposed: "Proposed", verdict: "Verdict") -> bool:
    from vsalang.core.text import line

    click.echo("")
    for reason in verdict.reasons:
        click.echo(f"      {line(reason.message)}")
    # all of it: what is cut off cannot have been agreed to
    for recognized in verdict.actions:
        click.echo(f"      it does: {line(str(recognized), 20_000)}")
    return click.confirm(f"      Let the agent do it: {line(str(verdict.proposal), 20_000)}?", default=False)
