"""How the control graph fits right runs: of each touch that was carried out, whether the graph had admitted it."""

from collections.abc import Callable, Iterable

from vsalang.guard import Guard
from vsalang.guard.graph.control_graph import ControlGraph
from vsalang.guard.graph.deriving import graph_of
from vsalang.program.action import POINTING, Action
from vsalang.program.screen import Screen, UnresolvedTarget
from vsalang.program.shares import Share


def admitted(guard: Guard, actions: Iterable[Action], act: Callable[[Action], bool]) -> Share:
    """The touches of a run that the graph of their screen admits, of all that were carried out.

    Args:
        guard: of the run; it has observed the first screen.
        actions: what is proposed, in order.
        act: proposes an action and carries it out, and says whether it was.
    """
    right = total = 0
    for action in actions:
        screen = guard.snapshot.screen
        graph = graph_of(guard) if action.name in POINTING else None
        key = _unit(graph, screen, action) if graph is not None and screen is not None else None
        admits = graph is not None and key is not None and bool(graph.admissible([key]))
        if act(action) and key is not None:
            total += 1
            right += admits
    return Share(right, total)


def _unit(graph: ControlGraph, screen: Screen, action: Action) -> str | None:
    """The unit that an action touches."""
    try:
        number = screen.target(action.name, action.args).get("node")
    except UnresolvedTarget:
        return None
    return next((unit.key for unit in graph.units if number in (unit.taker.node, unit.node.node)), None)
