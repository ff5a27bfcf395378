"""Which candidates a planner would do next: those that the next step of a way on a map names."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from vsalang.agents.maps.gestures import fits
from vsalang.agents.maps.ways import Step
from vsalang.guard import Verdict
from vsalang.models.rank import Candidate
from vsalang.program.action import Action
from vsalang.program.ir import Atom
from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.screen import TreeScreen

Planner: TypeAlias = Callable[[], Sequence[Step]]
"""The next steps on a map from the screen that shows; empty: it knows none. It permits nothing."""


def nobody_plans() -> Sequence[Step]:
    """No planner."""
    return ()


def planned(
    steps: Sequence[Step], judged: Iterable[tuple[Candidate, Verdict]], screen: TreeScreen
) -> tuple[Action, ...]:
    """The actions of the candidates that the first of these steps means.

    Where the map's edge says by constants what it is done to, these must fit. Else the guard says where the
    candidate leads by the `goto` rules of its app. A tap means what stands for it, too: `back` of an arrow, typing of a
    field.
    """
    if not steps:
        return ()
    edge = steps[0].edge
    actions = []
    for candidate, verdict in judged:
        action = candidate.action
        if edge.gesture.constraints and any(
            _named(edge.gesture, tap, screen) for tap in _stands_for(candidate)
        ):
            actions.append(action)
            continue
        if action.name != edge.gesture.relation:
            continue
        if (
            edge.target in verdict.screens
            or (edge.gesture.constraints and _named(edge.gesture, action, screen))
            or action.name in ("back", "home")
        ):
            actions.append(action)
    return tuple(actions)


def _stands_for(candidate: Candidate) -> Sequence[Action]:
    """The taps that are not candidates since this one does the same, or begins with it."""
    if candidate.kind == "back":
        return [Action("tap", {"node": node}) for node in candidate.same]
    return [candidate.only("tap").action] if candidate.includes("tap") else []


def _named(gesture: Atom, action: Action, screen: TreeScreen) -> bool:
    try:
        return fits(gesture, action.name, screen.target(action.name, action.args))
    except UnresolvedTarget:
        return False
