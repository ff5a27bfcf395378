"""Which relations depend on which: strongly connected components, an order of evaluation."""

from collections import deque

from vsalang.engine.api import EngineError
from vsalang.program.graph import components


def components_of(graph: dict[str, set[str]]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """For each vertex the number and the members of its strongly connected component.

    Numbers count from the sinks: what a component depends on has a smaller number.
    """
    inner = {vertex: sorted(other for other in others if other in graph) for vertex, others in graph.items()}
    return {
        vertex: (number, tuple(sorted(members)))
        for number, members in enumerate(components(graph, inner))
        for vertex in members
    }


def topological(needs: list[set[int]]) -> list[int]:
    """The strata so that each comes after those it needs (there are no cycles between strata)."""
    users: list[list[int]] = [[] for _ in needs]
    missing = [len(need) for need in needs]
    for stratum, need in enumerate(needs):
        for other in need:
            users[other].append(stratum)
    ready = deque(stratum for stratum, count in enumerate(missing) if not count)
    order: list[int] = []
    while ready:
        stratum = ready.popleft()
        order.append(stratum)
        for user in users[stratum]:
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    if len(order) != len(needs):
        raise EngineError("the program is not stratified")
    return order
