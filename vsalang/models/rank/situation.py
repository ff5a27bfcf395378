"""What is known when an action is to be chosen: the task, the screen, and what was done before."""

from collections.abc import Iterable
from typing import Final

from vsalang.base.records import dataclass
from vsalang.models.rank.candidate import CandidateKind
from vsalang.program.action import Action
from vsalang.screen.control import Transition
from vsalang.screen.screen import TreeScreen

MAX_HISTORY: Final = 1000
"""So many steps before are looked at; earlier ones are left out."""


@dataclass(frozen=True, slots=True)
class PastStep:
    """One step that was done.

    Attributes:
        key: of the candidate.
        kind: what was done.
        text: in a person's words.
        place: a hash of the screen's structure on which it was done (`vsalang.models.rank.features.place_of`).
        effect: how much of the screen changed; None: nobody saw.
        undone: whether it was taken back afterwards.
    """

    key: str
    kind: CandidateKind
    text: str
    place: str = ""
    effect: Transition | None = None
    undone: bool = False


@dataclass(frozen=True, slots=True)
class AppChoice:
    """An app that may be opened: its package, what people call it, and what it is for."""

    package: str
    name: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """The moment of a choice.

    Attributes:
        task: what the user asked for.
        screen: what shows.
        history: what was done before, in order.
        memory: one line a step for prompts, append-only, so that an earlier prompt is the head of a later one; left
            empty, the texts of `history` stand for it.
        roadmap: the parts of the task's clauses, the same lines in all steps.
        apps: those that may be opened.
        next_steps: what a planner would do next; only a feature of the ranking.
        wanted: texts that the task's clauses name, such as the value of a field; only a feature of the ranking.
        done: whether the guard would let the task end; None: nobody asked it.
    """

    task: str
    screen: TreeScreen
    history: tuple[PastStep, ...] = ()
    memory: tuple[str, ...] = ()
    roadmap: tuple[str, ...] = ()
    apps: tuple[AppChoice, ...] = ()
    next_steps: tuple[Action, ...] = ()
    wanted: tuple[str, ...] = ()
    done: bool | None = None


def recent(history: Iterable[PastStep]) -> tuple[PastStep, ...]:
    """The last `MAX_HISTORY` steps that were not taken back."""
    return tuple(step for step in history if not step.undone)[-MAX_HISTORY:]
