"""What is known when an action is to be chosen: the task, the screen, and what was done before."""

import hashlib
from collections.abc import Iterable
from typing import Final

from vsalang.base.records import dataclass
from vsalang.models.rank.candidate import Candidate, CandidateKind
from vsalang.program.action import Action
from vsalang.screen.control import Kind, Transition, controls
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
        control: the kind of the control; None: it was done on none, or nobody knows.
        label: what the control is called; empty: nothing.
        value: what was typed, opened or answered; empty: nothing.
        place: what tells the screen on which it was done from others (`place_of`); empty: not known.
        offered: the keys of all controls of that screen.
        effect: how much of the screen changed; None: nobody saw.
        undone: whether it was taken back afterwards.
    """

    key: str
    kind: CandidateKind
    text: str
    control: Kind | None = None
    label: str = ""
    value: str = ""
    place: str = ""
    offered: frozenset[str] = frozenset()
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


def past_step(
    screen: TreeScreen, candidate: Candidate, value: str = "", effect: Transition | None = None
) -> PastStep:
    """A candidate that was done, for the history.

    Args:
        screen: on which it was done.
        value: what was typed, opened or answered.
        effect: how much of the screen changed.
    """
    unit = candidate.unit
    return PastStep(
        candidate.key,
        candidate.kind,
        candidate.text,
        candidate.control,
        (unit.label or unit.node.id or "") if unit is not None else "",
        value,
        place_of(screen),
        frozenset(one.key for one in controls(screen.tree)),
        effect,
    )


def place_of(screen: TreeScreen) -> str:
    """What tells a screen from others: its controls outside of lists, by name; not what they hold."""
    known: str | None = screen.tree.memory.get("rank place")
    if known is None:
        keys = sorted(one.key for one in controls(screen.tree) if one.certain and one.section is None)
        known = hashlib.sha256(repr((screen.app, keys)).encode()).hexdigest()[:16]
        screen.tree.memory["rank place"] = known
    return known


def recent(history: Iterable[PastStep]) -> tuple[PastStep, ...]:
    """The last `MAX_HISTORY` steps that were not taken back."""
    return tuple(step for step in history if not step.undone)[-MAX_HISTORY:]
