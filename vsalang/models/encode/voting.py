"""Several specs for one instruction: those that are proved to decide alike vote together, and the most votes win."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from vsalang.base.records import dataclass
from vsalang.models.encode.encoder import Formalization
from vsalang.models.encode.meaning import Doubt
from vsalang.program.example import Example
from vsalang.program.ir import Program
from vsalang.proof.prove.filler import readable, texts_of
from vsalang.proof.prove.stories import run

Ask = Callable[[str], bool | None]
"""Asks a person whether a sentence is meant; None: they cannot say."""


@dataclass(frozen=True, slots=True)
class Group:
    """Samples that decide alike; the first one stands for them.

    Attributes:
        numbers: of the samples, from 1.
        bound: rows per relation up to which they were compared; None: in every state.
    """

    first: Formalization
    numbers: tuple[int, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A state in which another group decides otherwise than the one that won.

    Attributes:
        story: the state as a test that passes with the spec that won; None if no state was found.
        question: what that spec decides there, as a question; empty without a state.
    """

    other: Group
    story: Example | None = None
    question: str = ""


@dataclass(frozen=True, slots=True)
class Vote:
    """The result of a vote.

    Attributes:
        winner: the group with most samples, of equal ones that with the first sample.
        others: each other group, and where it disagrees.
        of: how many samples were accepted.
    """

    winner: Group
    others: tuple[Disagreement, ...]
    of: int

    @property
    def result(self) -> Formalization:
        """The spec that won; who decides otherwise is a doubt about it."""
        doubts = tuple(self._doubt(each) for each in self.others)
        return replace(self.winner.first, doubts=(*self.winner.first.doubts, *doubts))

    def _doubt(self, disagreement: Disagreement) -> Doubt:
        count = len(disagreement.other.numbers)
        if disagreement.story is None:
            text = f"{count} of {self.of} samples may decide otherwise: whether they do was not proved"
        else:
            text = f"{count} of {self.of} samples decide otherwise: {disagreement.question}"
        return Doubt("vote", text, text)


def vote(
    samples: Sequence[Formalization] | Mapping[int, Formalization],
    *,
    ask: Ask | None = None,
    seconds: float = 10.0,
) -> Vote | None:
    """Let accepted specs vote; None if none was accepted.

    Two specs are in one group if it is proved that they decide alike; what is not decided joins no group. A person who
    is asked about a disagreement decides between the groups, whatever their size.

    Args:
        samples: the results of separate conversations about one instruction, with or without their numbers.
        ask: answers questions about disagreements.
        seconds: for each comparison of two specs.

    Raises:
        ImportError: Z3 is not installed.
    """
    groups: list[Group] = []
    numbered = samples if isinstance(samples, Mapping) else dict(enumerate(samples, 1))
    for number, sample in numbered.items():
        if sample.accepted and sample.loaded is not None:
            _join(groups, sample, number, seconds)
    if not groups:
        return None
    vote = _counted(groups, seconds)
    while ask is not None and len(groups) > 1:
        asked = next((each for each in vote.others if each.story is not None), None)
        meant = ask(asked.question) if asked is not None else None
        if asked is None or asked.story is None or meant is None:
            break
        as_winner = [group for group in groups if _passes(group, asked.story)]
        groups = as_winner if meant else [group for group in groups if group not in as_winner]
        vote = _counted(groups, seconds)
    return vote


def _join(groups: list[Group], sample: Formalization, number: int, seconds: float) -> None:
    for place, group in enumerate(groups):
        from vsalang.proof.prove.diff import equivalent  # Z3 may not be installed

        same = equivalent(_program(group.first), _program(sample), seconds=seconds)
        if same.word == "equal":
            bounds = [bound for bound in (group.bound, same.bound) if bound is not None]
            groups[place] = replace(group, numbers=(*group.numbers, number), bound=min(bounds, default=None))
            return
    groups.append(Group(sample, (number,)))


def _counted(groups: Sequence[Group], seconds: float) -> Vote:
    winner = max(groups, key=lambda group: (len(group.numbers), -group.numbers[0]))
    others = sorted((group for group in groups if group is not winner), key=lambda group: -len(group.numbers))
    return Vote(
        winner,
        tuple(_disagreement(winner, other, seconds) for other in others),
        sum(len(group.numbers) for group in groups),
    )


def _disagreement(winner: Group, other: Group, seconds: float) -> Disagreement:
    from vsalang.proof.prove.diff import equivalent  # Z3 may not be installed

    witness = equivalent(_program(winner.first), _program(other.first), seconds=seconds).witness
    if witness is None:
        return Disagreement(other)
    from vsalang.proof.prove.probes import sentence  # Z3 may not be installed

    ours, theirs = _program(winner.first), _program(other.first)
    story = readable(
        witness.story, lambda tried: run(ours, tried).passed and not run(theirs, tried).passed, texts_of(ours)
    )
    return Disagreement(other, story, sentence(story))


def _passes(group: Group, story: Example) -> bool:
    return run(_program(group.first), story).passed


def _program(sample: Formalization) -> Program:
    assert sample.loaded is not None
    return sample.loaded.checked()
