"""Several conversations about one instruction, and the vote of their specs."""

from collections.abc import Callable

from vsalang.base.diagnostics.display import count
from vsalang.models.client.language_model import ModelError
from vsalang.models.client.ledger import BudgetUsedUp
from vsalang.models.encode.encoder import Formalization
from vsalang.models.encode.voting import Vote, vote


def sampled(
    number: int, once: Callable[[int], Formalization], say: Callable[[str], None]
) -> dict[int, Formalization]:
    """The results of so many conversations by their numbers; one that the model breaks off is left out.

    Args:
        once: holds the conversation with this number, from 1.

    Raises:
        ModelError: the model broke off all of them; the first error.
    """
    results: dict[int, Formalization] = {}
    failed: ModelError | None = None
    for place in range(1, number + 1):
        if number > 1:
            say(f"sample {place} of {number}")
        try:
            results[place] = once(place)
        except ModelError as error:
            failed = failed or error
            if number > 1:
                say(f"sample {place} of {number}: {error}")
            if isinstance(error, BudgetUsedUp):
                break
    if not results and failed is not None:
        raise failed
    return results


def voted(
    samples: dict[int, Formalization], ask: Callable[[str], bool | None] | None, say: Callable[[str], None]
) -> tuple[Formalization, Vote | None]:
    """The spec that most samples agree on, and the vote; without an accepted sample the last one.

    Args:
        ask: asks a person whether something is meant (None: they cannot say); None: nobody is asked.
    """
    outcome = vote(samples, ask=ask)
    if outcome is None:
        return samples[max(samples)], None
    accepted = f"{count(outcome.of, 'sample')} accepted"
    agree = len(outcome.winner.numbers)
    say(f"{accepted}; {agree} of them {'decides' if agree == 1 else 'decide'} as what is written")
    return outcome.result, outcome
