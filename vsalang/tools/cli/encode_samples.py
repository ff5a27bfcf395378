"""``vsac encode --samples``: several conversations about one instruction, and the vote of their specs."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli.output import ask_if_meant

if TYPE_CHECKING:
    from vsalang.models.encode import Formalized
    from vsalang.models.encode.voting import Vote


def sampled(
    number: int, once: "Callable[[int], Formalized]", say: Callable[[str], None]
) -> "dict[int, Formalized]":
    """The results of so many conversations by their numbers; one that the model breaks off is left out.

    Args:
        once: holds the conversation with this number, from 1.

    Raises:
        ModelError: the model broke off all of them; the first error.
    """
    from vsalang.models.encode import BudgetUsedUp, ModelError

    found: dict[int, Formalized] = {}
    failed: ModelError | None = None
    for place in range(1, number + 1):
        if number > 1:
            say(f"sample {place} of {number}")
        try:
            found[place] = once(place)
        except ModelError as error:
            failed = failed or error
            if number > 1:
                say(f"sample {place} of {number}: {error}")
            if isinstance(error, BudgetUsedUp):
                break
    if not found and failed is not None:
        raise failed
    return found


def voted(
    samples: "dict[int, Formalized]", interactive: bool, say: Callable[[str], None]
) -> "tuple[Formalized, Vote | None]":
    """The spec that most samples agree on, and the vote; without an accepted sample the last one."""
    from vsalang.models.encode.voting import vote

    found = vote(samples, ask=_ask if interactive else None)
    if found is None:
        return samples[max(samples)], None
    accepted = f"{count(found.of, 'sample')} accepted"
    agree = len(found.winner.numbers)
    say(f"{accepted}; {agree} of them {'decides' if agree == 1 else 'decide'} as what is written")
    return found.result, found


def _ask(question: str) -> bool | None:
    try:
        return ask_if_meant(question)
    except click.Abort:
        return None  # nobody is there: the specs that were paid for are not lost
