"""Dijkstra's algorithm from both ends at once, for the one question that is asked at every step of an agent.

networkx has it too (`bidirectional_dijkstra`), and takes twice the time: its graphs may be of any kind. Everything else
about ways is asked of networkx.
"""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

Links: TypeAlias = Mapping[str, Sequence[tuple[str, float]]]
"""For each node where it leads, with what that costs; no node twice."""


def cheapest(out: Links, into: Links, start: str, goal: str) -> tuple[float, list[str]] | None:
    """The cheapest path and its cost; None if there is none.

    Args:
        out: what leads away from nodes.
        into: the same links, turned round.
    """
    if start == goal:
        return 0.0, [start]
    links = (out, into)
    costs: tuple[dict[str, float], dict[str, float]] = ({start: 0.0}, {goal: 0.0})
    before: tuple[dict[str, str], dict[str, str]] = ({}, {})
    done: tuple[set[str], set[str]] = (set(), set())
    heaps: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([(0.0, start)], [(0.0, goal)])
    best, meeting = float("inf"), ""
    while heaps[0] and heaps[1] and heaps[0][0][0] + heaps[1][0][0] < best:
        side = 0 if len(heaps[0]) <= len(heaps[1]) else 1
        cost, node = heappop(heaps[side])
        if node in done[side]:
            continue
        done[side].add(node)
        mine, theirs, parents, heap = costs[side], costs[1 - side], before[side], heaps[side]
        for other, more in links[side].get(node, ()):
            through = cost + more
            if through < mine.get(other, float("inf")):
                mine[other] = through
                parents[other] = node
                heappush(heap, (through, other))
                if other in theirs and through + theirs[other] < best:
                    best, meeting = through + theirs[other], other
    if not meeting:
        return None
    path = [meeting]
    while path[-1] in before[0]:
        path.append(before[0][path[-1]])
    path.reverse()
    while path[-1] in before[1]:
        path.append(before[1][path[-1]])
    return best, path
