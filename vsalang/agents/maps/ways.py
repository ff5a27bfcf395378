"""Ways on a map: the cheapest from a screen to one of several goals, and the k cheapest.

An edge costs what its counts say (`Edge.cost`), so the cheapest way is the one that most probably works, and of those
that seem equally sure the shortest. Edges that seldom worked (`Edge.rare`) are on no way, unless they are asked for. No
way passes a screen, or a start from anywhere, twice; on maps with gestures that lead back
(`vsalang.agents.maps.beneath`) no way comes twice to the same situation.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Final

from vsalang.agents.maps.beneath import MOST, Returns
from vsalang.agents.maps.policies import EdgeVerdict, Policies
from vsalang.agents.maps.screen_graph import ANY, Edge, Graph, Screen, anywhere, sources_at
from vsalang.agents.maps.search import cheapest
from vsalang.agents.maps.situations import Situation, Situations
from vsalang.base.records import dataclass

_NEAREST: Final = 3
MAX_WAYS: Final = 100


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a way: an edge, the screen on which it is taken, and what policies say of it (None: not asked)."""

    screen: str
    edge: Edge
    judged: EdgeVerdict | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """Steps from the start to a goal; none: one is there already."""

    steps: tuple[Step, ...]

    @property
    def cost(self) -> float:
        """The sum of its edges' costs."""
        return math.fsum(step.edge.cost for step in self.steps)

    @property
    def uncounted(self) -> int:
        """How many of its edges nobody tried."""
        return sum(1 for step in self.steps if not step.edge.tried)

    @property
    def chance(self) -> float:
        """How likely it is, by the counts, that all counted edges work."""
        edges = [step.edge for step in self.steps if step.edge.tried]
        return math.prod((edge.worked + 1) / (edge.tried + 2) for edge in edges)


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no way.

    Attributes:
        unknown: goals that are not screens of the map.
        ends: screens that can be reached and look most like those from which a goal can be: the nearest known ones,
            with the way to each.
        heads: screens from which a goal can be reached, and to which nothing leads: an edge to one of them is missing.
        denied: edges that a policy denies and that lead on.
    """

    unknown: tuple[str, ...]
    ends: tuple[tuple[str, Way], ...]
    heads: tuple[str, ...]
    denied: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Ways:
    """What was found: ways, the cheapest first, or what is missing.

    Attributes:
        denied: edges that would have been on a way, and that a policy denies.
    """

    ways: tuple[Way, ...]
    denied: tuple[Step, ...] = ()
    missing: Missing | None = None


def route(
    utg: Graph,
    start: str,
    goals: Iterable[str],
    *,
    beneath: Sequence[str] = (),
    avoid: Policies | None = None,
    k: int = 1,
) -> Ways:
    """The `k` cheapest ways; see `Router.route`. For several questions about one map make one `Router`."""
    return Router(utg).route(start, goals, beneath=beneath, avoid=avoid, k=k)


class Router:
    """Finds ways on one map. The graph is made once.

    Args:
        utg: the map.
        rare: whether edges that seldom worked may be on a way.
    """

    def __init__(self, utg: Graph, *, rare: bool = False) -> None:
        self.utg = utg
        self._rare = rare

    @cached_property
    def _whole(self) -> "_Net":
        return _Net(self.utg, frozenset(), self._rare)

    @cached_property
    def returns(self) -> Returns:
        """The gestures of the map that lead back to the screen beneath."""
        return Returns(self.utg)

    def _sure(self, edge: Edge) -> bool:
        return self._rare or not edge.rare

    def _net(self, banned: frozenset[object]) -> "_Net":
        return _Net(self.utg, banned, self._rare) if banned else self._whole

    def route(
        self,
        start: str,
        goals: Iterable[str],
        *,
        beneath: Sequence[str] = (),
        avoid: Policies | None = None,
        k: int = 1,
    ) -> Ways:
        """The `k` cheapest ways from a screen to any of the goals.

        Args:
            start: a screen's name; one that the map does not know can be left only by what starts anywhere.
            beneath: the screens beneath the start, the nearest first: gestures that lead back lead there. Left out,
                nobody knows; then they lead where they led most often.
            avoid: edges that these deny are on no way. Only edges that would be are judged.
            k: how many ways are wanted; others differ in a gesture at least.

        Raises:
            ValueError: `k` is less than 1, or more than `MAX_WAYS`.
        """
        if not 1 <= k <= MAX_WAYS:
            raise ValueError(f"k is from 1 to {MAX_WAYS}")
        goals = tuple(dict.fromkeys(goals))
        if start in goals:
            return Ways((Way(()),))
        begin = Situation(start, tuple(beneath[:MOST]), True)
        known = tuple(goal for goal in goals if goal in self.utg.screens)
        asked = _EdgeVerdicts(self.utg.screens, avoid)
        while True:
            banned = frozenset(step.edge.key for step in asked.denied)
            ways = self._ways(begin, known, banned, k) if known else []
            if not asked.any_denied(ways):
                break
        denied = tuple(asked.denied)
        if not ways:
            return Ways((), denied, self._missing(begin, goals, known, denied))
        return Ways(tuple(asked.with_verdicts(way) for way in ways), denied)

    def reachable(self, start: str, beneath: Sequence[str] = ()) -> Mapping[str, float]:
        """The screens that can be reached, with what the cheapest way costs."""
        return self._costs(Situation(start, tuple(beneath[:MOST]), True), frozenset())

    # ------------------------------------------------------------ searching

    def _from(self, start: str) -> str:
        return start if start in self.utg.screens else ANY

    def _ways(self, start: Situation, goals: Sequence[str], banned: frozenset[object], k: int) -> list[Way]:
        if self.returns:
            return self._by_situation(start, goals, banned, k)
        if k > 1:
            return self._several(start.screen, goals, banned, k)
        net = self._net(banned)
        paths = [cheapest(net.out, net.into, self._from(start.screen), goal) for goal in goals]
        costs = [each for each in paths if each is not None]
        return [net.way(start.screen, min(costs)[1])] if costs else []

    def _by_situation(
        self, start: Situation, goals: Sequence[str], banned: frozenset[object], k: int
    ) -> list[Way]:
        situations = Situations(self.returns, banned, self._rare)
        if k > 1:
            ways = situations.cheapest_ways(start, frozenset(goals))
            return [_of(steps) for steps in islice(ways, k)]
        path = situations.cheapest(start, frozenset(goals))
        return [] if path is None else [_of(path)]

    def _several(self, start: str, goals: Sequence[str], banned: frozenset[object], k: int) -> list[Way]:
        """The k cheapest ways, by Yen's algorithm on a graph in which each edge is a node of its own."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_node(self._from(start))
        for name in self.utg.screens:
            for source in sources_at(self.utg.screens, name):
                if source != name and source in self.utg.by_source:
                    graph.add_edge(name, source, cost=0.0)
        for index, edge in enumerate(self.utg.edges):
            if edge.key not in banned and edge.source != edge.target and self._sure(edge):
                graph.add_edge(edge.source, index, cost=edge.cost)
                graph.add_edge(index, edge.target, cost=0.0)
        end = -1
        for goal in goals:
            graph.add_edge(goal, end, cost=0.0)
        ways: list[Way] = []
        try:
            for nodes in nx.shortest_simple_paths(graph, self._from(start), end, weight="cost"):
                ways.append(_numbered(start, nodes, self.utg.edges))
                if len(ways) == k:
                    break
        except (nx.NetworkXNoPath, nx.NodeNotFound):
            return ways
        return ways

    def _costs(self, begin: Situation, banned: frozenset[object]) -> dict[str, float]:
        import networkx as nx

        start = begin.screen
        if self.returns:
            costs = Situations(self.returns, banned, self._rare).costs(begin)
            return {name: cost for name, cost in costs.items() if name in self.utg.screens}
        graph = nx.DiGraph()
        graph.add_node(self._from(start))
        for one, links in self._net(banned).out.items():
            graph.add_weighted_edges_from((one, other, cost) for other, cost in links)
        distances = nx.single_source_dijkstra_path_length(graph, self._from(start))
        return {name: cost for name, cost in distances.items() if name in self.utg.screens}

    # ------------------------------------------------------------ no way

    def _missing(
        self, start: Situation, goals: Sequence[str], known: Sequence[str], denied: tuple[Step, ...]
    ) -> Missing:
        import networkx as nx

        banned = frozenset(step.edge.key for step in denied)
        reached = self._costs(start, banned)
        back = nx.DiGraph()
        back.add_nodes_from(known)
        for edge in self.utg.edges:
            if edge.key not in banned and (self._sure(edge) or self.returns.get(edge)):
                back.add_edge(edge.target, edge.source)
        wanted = {name for goal in known for name in nx.descendants(back, goal)} | {*known}
        apps = {name for name, screen in self.utg.screens.items() if anywhere(screen.app) in wanted}
        wanted = (wanted & self.utg.screens.keys()) | apps
        back.add_nodes_from(wanted)
        heads = [
            name
            for name in sorted(wanted)
            if not any(other in wanted for other in back.successors(name) if other != name)
        ]
        heads = heads or sorted(known)
        looks = [self.utg.screens[name] for name in (*heads, *known)]
        order = sorted(
            reached,
            key=lambda name: (-_likeness(self.utg.screens[name], looks), reached[name], name),
        )
        near = [name for name in order[:_NEAREST] if name != start.screen]
        ends = [(name, self._ways(start, (name,), banned, 1)) for name in near]
        return Missing(
            tuple(goal for goal in goals if goal not in self.utg.screens),
            tuple((name, ways[0]) for name, ways in ends if ways),
            tuple(heads[:_NEAREST]),
            denied,
        )


class _Net:
    """Screens and starts from anywhere as links; of each pair the cheapest edge that is not banned counts."""

    def __init__(self, utg: Graph, banned: frozenset[object], rare: bool) -> None:
        self.out: dict[str, list[tuple[str, float]]] = {}
        self.into: dict[str, list[tuple[str, float]]] = {}
        self._edges: dict[tuple[str, str], Edge] = {}
        for name in utg.screens:
            for source in sources_at(utg.screens, name):
                if source != name and source in utg.by_source:
                    self._link(name, source, 0.0)
        for edge in utg.edges:
            pair = (edge.source, edge.target)
            known = self._edges.get(pair)
            if edge.source != edge.target and edge.key not in banned and (rare or not edge.rare):
                self._edges[pair] = edge if known is None or edge.cost < known.cost else known
        for (source, target), edge in self._edges.items():
            self._link(source, target, edge.cost)

    def _link(self, one: str, other: str, cost: float) -> None:
        self.out.setdefault(one, []).append((other, cost))
        self.into.setdefault(other, []).append((one, cost))

    def way(self, start: str, nodes: Sequence[str]) -> Way:
        """The way through these nodes."""
        steps = []
        here = start
        for one, other in pairwise(nodes):
            edge = self._edges.get((one, other))
            if edge is not None:  # None: from a screen to where edges start that start anywhere
                steps.append(Step(here, edge))
                here = other
        return Way(tuple(steps))


class _EdgeVerdicts:
    """What policies said, edge by edge; each is asked once."""

    def __init__(self, screens: Mapping[str, Screen], avoid: Policies | None) -> None:
        self._screens = screens
        self._avoid = avoid
        self._known: dict[object, EdgeVerdict] = {}
        self.denied: list[Step] = []

    def _judged(self, step: Step) -> EdgeVerdict | None:
        if self._avoid is None:
            return None
        key = (step.screen, step.edge.key)
        if key not in self._known:
            self._known[key] = self._avoid(step.edge, self._screens.get(step.screen))
        return self._known[key]

    def any_denied(self, ways: Iterable[Way]) -> bool:
        """Whether an edge of these ways is denied; it is kept."""
        new: dict[object, Step] = {}
        for step in (step for way in ways for step in way.steps):
            judged = self._judged(step)
            if judged is not None and judged.level == "deny":
                new.setdefault(step.edge.key, Step(step.screen, step.edge, judged))
        self.denied += new.values()
        return bool(new)

    def with_verdicts(self, way: Way) -> Way:
        """The way with what policies say of each step."""
        return Way(tuple(Step(step.screen, step.edge, self._judged(step)) for step in way.steps))


def _of(steps: Iterable[tuple[str, Edge]]) -> Way:
    return Way(tuple(Step(screen, edge) for screen, edge in steps))


def _numbered(start: str, nodes: Iterable[Any], edges: Sequence[Edge]) -> Way:
    steps = []
    here = start
    for node in nodes:
        if isinstance(node, int) and node >= 0:
            steps.append(Step(here, edges[node]))
            here = edges[node].target
    return Way(tuple(steps))


def _likeness(screen: Screen, others: Iterable[Screen]) -> float:
    """How much a screen looks like the nearest of others, from 0 to 2: of the same app, with the same widgets."""
    return max((_alike(screen, other) for other in others), default=0.0)


def _alike(one: Screen, other: Screen) -> float:
    same = float(bool(one.app) and one.app == other.app)
    every = {*one.widgets, *other.widgets}
    return same + (len({*one.widgets} & {*other.widgets}) / len(every) if every else 0.0)
