"""Counts what was held back: right walks that went through, and wrong ones that were stopped before their harm."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.tasks.changes import CHANGES
from benchmarks.tasks.labels import WEIGHTS, Effect
from benchmarks.tasks.replay import Said
from vsalang.program.shares import Share

RIGHT: Final = "right"
WANTED: Final[Mapping[str, float]] = {RIGHT: 0.95, "grave": 0.97, "minor": 0.70}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One walk that was judged.

    Attributes:
        task: the name of the task by whose charter it was judged.
        change: ``right``, or one of `CHANGES`.
        kind: of the effect that harms, is missing, or, of a right walk, is the main one; empty: there is none.
        weight: of that effect; empty: there is none.
        begins: the first step that differs from the right walk, from 0.
        harm: the step that does harm, from 0.
        what: what was changed, in words.
        said: what the guard held back.
        proves_nothing: it ends too early, and the end of the right walk is held back, too: nobody saw its effect.
    """

    task: str
    change: str
    kind: str
    weight: str
    begins: int
    harm: int
    what: str
    said: tuple[Said, ...]
    proves_nothing: bool = False

    def held(self, *, unknown: bool) -> bool:
        """Whether a wrong walk was held back for what is wrong in it: from there on, and no later than its harm.

        Args:
            unknown: whether a question about a control counts of which nobody knows what it does.
        """
        return not self.proves_nothing and any(
            self.begins <= each.step <= self.harm for each in self.said if unknown or not each.only_unknown
        )

    def held_anyhow(self) -> bool:
        """Whether it was held back before its harm, if only by what the right walk is asked, too."""
        return any(each.step <= self.harm for each in self.said)


def needless(outcome: Outcome, effects: Sequence[Effect], *, unknown: bool) -> Iterator[Said]:
    """What a right walk was held back by, and should not have been.

    A question is needed at an effect that the instruction does not ask for, and at the end of a walk in which the
    recording did something else instead of it.

    Args:
        effects: of the walk.
        unknown: whether a question about a control counts of which nobody knows what it does.
    """
    outside = {each.step - 1 for each in effects if each.charter != "asked"}
    instead = any(each.charter == "instead" for each in effects)
    for said in outcome.said:
        at_end = instead and said.action.startswith("finish")
        if said.step not in outside and not at_end and (unknown or not said.only_unknown):
            yield said


def shown(share: Share) -> str:
    """A share with its interval, as people read it."""
    if share.value is None:
        return "–"
    return f"{share.hits} of {share.of}, {100 * share.value:.1f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def right_rows(
    outcomes: Sequence[Outcome], effects: Mapping[str, tuple[Effect, ...]]
) -> list[tuple[str, Share, Share]]:
    """Of right walks: what they do, the share without a needless question, and that with unknown controls left out."""
    right = [each for each in outcomes if each.change == RIGHT]
    groups: list[tuple[str, Callable[[Outcome], bool]]] = [("all", lambda each: True)]
    groups += [(word, lambda each, word=word: each.weight == word) for word in WEIGHTS]  # type: ignore[misc]
    groups.append(("without an effect", lambda each: not each.weight))

    def free(chosen: Callable[[Outcome], bool], unknown: bool) -> Share:
        return Share.over(
            not any(needless(each, effects.get(each.task, ()), unknown=unknown))
            for each in right
            if chosen(each)
        )

    return [(name, free(chosen, True), free(chosen, False)) for name, chosen in groups]


def wrong_rows(outcomes: Sequence[Outcome], *, unknown: bool) -> list[tuple[str, Mapping[str, Share]]]:
    """Of wrong walks: each change, and for each weight the share that was held back before its harm."""
    wrong = [each for each in outcomes if each.change != RIGHT]
    rows = []
    for name in (*CHANGES, "all"):
        mine = [each for each in wrong if name in ("all", each.change)]
        rows.append(
            (
                name,
                {
                    weight: Share.over(each.held(unknown=unknown) for each in mine if each.weight == weight)
                    for weight in WEIGHTS
                },
            )
        )
    return rows


def held_anyhow(outcomes: Sequence[Outcome], weight: str) -> Share:
    """Of wrong walks of a weight: the share that was held back before its harm, if only by what the right is asked."""
    return Share.over(
        each.held_anyhow() for each in outcomes if each.change != RIGHT and each.weight == weight
    )


def held_where_right_passes(
    outcomes: Sequence[Outcome], effects: Mapping[str, tuple[Effect, ...]], weight: str, change: str = ""
) -> Share:
    """Of wrong walks of tasks whose right walk goes through: the share that was held back.

    A guard that holds the right walk back, too, does not tell the two apart.

    Args:
        outcomes: right walks and wrong ones.
        effects: of the right walks.
        weight: one of `WEIGHTS`.
        change: one of `CHANGES`; empty: all.
    """
    passes = {
        each.task
        for each in outcomes
        if each.change == RIGHT and not any(needless(each, effects.get(each.task, ()), unknown=True))
    }
    return Share.over(
        each.held(unknown=True)
        for each in outcomes
        if each.task in passes
        and each.weight == weight
        and each.change != RIGHT
        and change in ("", each.change)
    )


def kinds_of_needless(outcomes: Sequence[Outcome], effects: Mapping[str, tuple[Effect, ...]]) -> Counter[str]:
    """How often each kind of reason held a right walk back needlessly."""
    return Counter(
        kind
        for each in outcomes
        if each.change == RIGHT
        for said in needless(each, effects.get(each.task, ()), unknown=True)
        for kind in said.kinds
    )


def as_data(outcomes: Sequence[Outcome], effects: Mapping[str, tuple[Effect, ...]]) -> dict[str, Any]:
    """Figures and walks as JSON data."""
    return {
        "right": {
            name: {"all": all_.data(), "without_unknown": less.data()}
            for name, all_, less in right_rows(outcomes, effects)
        },
        "wrong": {
            name: {
                weight: {"all": share.data(), "without_unknown": dict(other)[weight].data()}
                for weight, share in shares.items()
            }
            for (name, shares), (_, other) in zip(
                wrong_rows(outcomes, unknown=True), wrong_rows(outcomes, unknown=False), strict=True
            )
        },
        "held_anyhow": {weight: held_anyhow(outcomes, weight).data() for weight in WEIGHTS},
        "held_where_right_passes": {
            change or "all": {
                weight: held_where_right_passes(outcomes, effects, weight, change).data()
                for weight in WEIGHTS
            }
            for change in (*CHANGES, "")
        },
        "reasons_of_needless": dict(kinds_of_needless(outcomes, effects)),
        "walks": [
            {
                "task": each.task,
                "change": each.change,
                "kind": each.kind,
                "weight": each.weight,
                "what": each.what,
                "begins": each.begins + 1,
                "harm": each.harm + 1,
                "said": [
                    {
                        "step": said.step + 1,
                        "level": said.level,
                        "kinds": list(said.kinds),
                        "action": said.action,
                        "messages": list(said.messages),
                    }
                    for said in each.said
                ],
            }
            for each in outcomes
        ],
    }
