"""Ways on maps with gestures that lead back: searched are screens together with what is beneath them.

Only the screens that were beneath at the start matter: what a way itself passed lies beneath what it came to later, and
to go back to it is not a way on. So a situation is a screen, those screens of the start that are still beneath it, and
whether the nearest of them lies directly beneath.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from vsalang.agents.maps.beneath import Returns
from vsalang.agents.maps.screen_graph import Edge


class Situation(NamedTuple):
    """A screen that shows.

    Attributes:
        beneath: the screens that were beneath at the start and are so still, the nearest first.
        bare: whether the nearest lies directly beneath; nobody knows what is beneath the last.
    """

    screen: str
    beneath: tuple[str, ...]
    bare: bool


class Situations:
    """What can be done in each situation.

    Args:
        returns: of the map.
        banned: keys of edges that no way takes.
        rare: whether edges that seldom worked are taken.
    """

    def __init__(self, returns: Returns, banned: frozenset[object], rare: bool = False) -> None:
        self._returns = returns
        self._rare = rare
        self._banned = banned

    def leaving(self, here: Situation) -> Iterator[tuple[Edge, Situation]]:
        """The edges that can be taken, and where they lead."""
        beneath: str | None = None
        if here.bare:
            beneath = here.beneath[0] if here.beneath else ""
        for edge in self._returns.leaving(here.screen, beneath):
            if edge.target == here.screen or edge.key in self._banned or (edge.rare and not self._rare):
                continue
            yield edge, _after(here, edge)

    def cheapest(self, start: Situation, goals: frozenset[str]) -> list[tuple[str, Edge]] | None:
        """The edges of the cheapest way, each with the screen on which it is taken; None: there is none."""
        for here, parents in self._reached(start):
            if here.screen in goals:
                steps: list[tuple[str, Edge]] = []
                while here in parents:
                    here, edge = parents[here]
                    steps.append((here.screen, edge))
                return steps[::-1]
        return None

    def cheapest_ways(self, start: Situation, goals: frozenset[str]) -> Iterator[list[tuple[str, Edge]]]:
        """The ways, the cheapest first, by Yen's algorithm on a graph in which each edge is a node of its own."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_node(start)
        end = "end"
        graph.add_node(end)
        for here, _ in self._reached(start):
            if here.screen in goals:
                graph.add_edge(here, end, cost=0.0)
                continue
            for edge, after in self.leaving(here):
                graph.add_edge(here, (here, edge.key), cost=edge.cost, edge=edge)
                graph.add_edge((here, edge.key), after, cost=0.0)
        try:
            for nodes in nx.shortest_simple_paths(graph, start, end, weight="cost"):
                links = zip(nodes[:-2:2], nodes[1:-1:2], strict=True)
                yield [(here.screen, graph.edges[here, made]["edge"]) for here, made in links]
        except nx.NetworkXNoPath:
            return

    def costs(self, start: Situation) -> dict[str, float]:
        """What the cheapest way to each screen costs that can be reached."""
        costs_by_screen: dict[str, float] = {}
        for here, parents in self._reached(start):
            if here.screen not in costs_by_screen:
                costs_by_screen[here.screen] = 0.0
                if here in parents:
                    before, edge = parents[here]
                    costs_by_screen[here.screen] = self._paid[before] + edge.cost
        return costs_by_screen

    def _reached(
        self, start: Situation
    ) -> Iterator[tuple[Situation, dict[Situation, tuple[Situation, Edge]]]]:
        """The situations in the order of what they cost, with the edges that led to each (Dijkstra's algorithm)."""
        self._paid: dict[Situation, float] = {start: 0.0}
        parents: dict[Situation, tuple[Situation, Edge]] = {}
        done: set[Situation] = set()
        heap: list[tuple[float, Situation]] = [(0.0, start)]
        while heap:
            cost, here = heappop(heap)
            if here in done:
                continue
            done.add(here)
            yield here, parents
            for edge, after in self.leaving(here):
                through = cost + edge.cost
                if through < self._paid.get(after, float("inf")):
                    self._paid[after] = through
                    parents[after] = (here, edge)
                    heappush(heap, (through, after))


def _after(here: Situation, edge: Edge) -> Situation:
    """The situation after a screen came; `vsalang.agents.maps.beneath.screens_after` says how."""
    if edge.target in here.beneath:
        return Situation(edge.target, here.beneath[here.beneath.index(edge.target) + 1 :], True)
    return Situation(edge.target, here.beneath, here.bare and edge.gesture.relation == "back")
