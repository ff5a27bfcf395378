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
    candidate leads by the `goto` rules of its app. `back` is meant by a tap on what it stands for, too.
    """
    if not steps:
        return ()
    edge = steps[0].edge
    actions = []
    for candidate, verdict in judged:
        action = candidate.action
        if candidate.kind == "back" and edge.gesture.constraints:
            taps = (Action("tap", {"node": node}) for node in candidate.same)
            if any(_named(edge.gesture, tap, screen) for tap in taps):
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


def _named(gesture: Atom, action: Action, screen: TreeScreen) -> bool:
    try:
        return fits(gesture, action.name, screen.target(action.name, action.args))
    except UnresolvedTarget:
        return False
