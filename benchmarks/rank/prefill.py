"""What prompts cost a server that keeps a prefix cache, in characters, as a proxy of tokens."""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.rank.recorded import RecordedStep
from vsalang.models.rank.prompts import list_messages, prompts


@dataclass
class Prefill:
    """Characters of all steps.

    Attributes:
        whole: every prompt with the whole screen as HTML, which is how V-Droid shows it, nothing cached.
        reduced: every prompt as it is, nothing cached.
        in_step: the shared part once a step.
        across: only what differs from the prompt that was sent before.
        listed: one prompt that lists all candidates, nothing cached.
    """

    steps: int = 0
    whole: int = 0
    reduced: int = 0
    in_step: int = 0
    across: int = 0
    listed: int = 0

    def rows(self) -> Iterable[tuple[str, int, float]]:
        """Name, characters a step, and the share of `whole`."""
        for name, value in (
            ("every prompt, the whole screen as HTML, no cache", self.whole),
            ("every prompt, the screen reduced, no cache", self.reduced),
            ("the head once a step", self.in_step),
            ("only what differs from the prompt before", self.across),
            ("one prompt that lists all", self.listed),
        ):
            yield name, round(value / self.steps), value / self.whole


def prefill(steps: Iterable[RecordedStep]) -> Prefill:
    """The costs of the prompts of recorded steps, asked in their order."""
    total = Prefill()
    before = ""
    for step in steps:
        asked = prompts(step.decision)
        count = len(asked.questions)
        head, questions = len(asked.prefix), sum(map(len, asked.questions))
        shown = asked.context[asked.context.index("The screen") :]
        total.steps += 1
        total.whole += count * (head - len(shown) + len(step.html)) + questions
        total.reduced += count * head + questions
        total.in_step += head + questions
        for nth in asked.order:
            text = asked.text(nth)
            total.across += len(text) - shared(before, text)
            before = text
        listed = list_messages(step.decision, asked.order)
        total.listed += sum(len(one.content) for one in listed)
    return total


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
