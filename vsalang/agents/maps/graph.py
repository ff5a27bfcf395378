"""`UTG`: a UI transition graph as one frozen value: made, joined, corrected by what is observed, compared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from vsalang.agents.maps.beneath import Returns
from vsalang.agents.maps.gestures import cells_of, starts_anywhere
from vsalang.agents.maps.logs import bare, recording_of, states
from vsalang.agents.maps.moves import Move, Recording, Told
from vsalang.agents.maps.nearness import nearest
from vsalang.agents.maps.programs import Reader, graph_of
from vsalang.agents.maps.screen_graph import ANY, ORIGINS, Edge, Graph, Origin, Screen, sources_at
from vsalang.agents.maps.static import graph_of_app
from vsalang.base.records import dataclass
from vsalang.program.ir import Atom, Program
from vsalang.program.screen import Cells


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a recording a graph knows.

    Attributes:
        screens, screens_known: how many screens were seen, and are known.
        moves, moves_known: how many steps were made, and have an edge.
        surprises: steps with an edge of the same gesture that leads elsewhere, and none that leads there.
    """

    screens: int
    screens_known: int
    moves: int
    moves_known: int
    surprises: int


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs from one graph to another.

    Attributes:
        recounted: edges that are in both, with other counts: before and after.
        unreachable: screens of both to which a way led before, and none does now.
    """

    screens_added: tuple[Screen, ...]
    screens_removed: tuple[Screen, ...]
    edges_added: tuple[Edge, ...]
    edges_removed: tuple[Edge, ...]
    recounted: tuple[tuple[Edge, Edge], ...]
    unreachable: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs, counts apart."""
        return not (self.screens_added or self.screens_removed or self.edges_added or self.edges_removed)


class UTG(Graph):
    """A UI transition graph: screens, and the gestures that lead from one to another. Frozen."""

    @staticmethod
    def of(graph: Graph) -> "UTG":
        """The same screens and edges."""
        return UTG(graph.screens, graph.edges)

    @staticmethod
    def from_program(program: Program) -> "UTG":
        """The graph of the `screen` and `goto` rules of a program's app modules."""
        return UTG.of(graph_of(program))

    @staticmethod
    def from_journal(path: str | Path, reader: Reader | None = None) -> "UTG":
        """The graph of what a journal recorded; see `from_log`."""
        return UTG.from_log(path, reader)

    @staticmethod
    def from_log(path: str | Path, reader: Reader | None = None, *, tell: Told | None = None) -> "UTG":
        """The graph of recorded walks of any format, or of DroidBot's ``utg.js`` alone.

        Args:
            path: a file or folder.
            reader: says which screen a look is; left out, screens are known by their usable widgets.
            tell: is told how far it is.

        Raises:
            UTGError: it cannot be read, or holds neither.
        """
        alone = bare(Path(path))
        if alone is not None:
            return UTG.of(states(alone))
        return EMPTY.learn(*recording_of(Path(path), reader, tell))

    @staticmethod
    def from_static(path: str | Path) -> "UTG":
        """The graph of an APK's manifest and navigation resources, or of a folder of them, decoded.

        Raises:
            UTGError: it cannot be read, or `androguard` is not installed, which APKs need.
        """
        return UTG.of(graph_of_app(Path(path)))

    def merge(self, *others: Graph) -> "UTG":
        """This graph with the screens, edges and counts of others."""
        screens = dict(self.screens)
        tries: dict[object, int] = {}
        edges: dict[object, Edge] = {}
        for graph in (self, *others):
            if graph is not self:
                for name, screen in graph.screens.items():
                    screens[name] = screens[name].joined(screen) if name in screens else screen
            tried: dict[object, int] = {}
            for edge in graph.edges:
                pair: object = (edge.source, edge.gesture, edge.when)
                tried[pair] = max(tried.get(pair, 0), edge.tried)
                known = edges.get(edge.key)
                edges[edge.key] = _joined(known, edge) if known is not None else edge
            for pair, number in tried.items():
                tries[pair] = tries.get(pair, 0) + number
        return UTG(
            screens,
            tuple(
                replace(edge, tried=tries[edge.source, edge.gesture, edge.when]) for edge in edges.values()
            ),
        )

    def move(
        self,
        source: Screen | str,
        gesture: Atom,
        target: Screen | str,
        *,
        cells: Cells | None = None,
        predicted: Iterable[str] = (),
        beneath: str = "",
    ) -> Move:
        """One step between screens of this graph; a name that it does not have is a screen of which nothing is known.

        Args:
            gesture: with the fewest attributes that name its widget.
            cells: all that is known of the gesture; left out, what the pattern says by constants.
            predicted: the screens to which `goto` rules say that it leads.
            beneath: the name of the screen beneath the source; empty: nobody knows.
        """
        known = cells_of(gesture) if cells is None else cells
        return Move(self._screen(source), gesture, self._screen(target), known, frozenset(predicted), beneath)

    def observe(
        self,
        source: Screen | str,
        gesture: Atom,
        target: Screen | str,
        *,
        cells: Cells | None = None,
        predicted: Iterable[str] = (),
        beneath: str = "",
    ) -> "UTG":
        """This graph, corrected by one observed step; see `move` for what is given.

        The edge that foretold it worked once more; edges of the same gesture that lead elsewhere were tried once more
        (and so refuted, in the end); without such an edge there is a new one; without such a screen a new screen.
        """
        return self.made(
            self.move(source, gesture, target, cells=cells, predicted=predicted, beneath=beneath)
        )

    def made(self, move: Move) -> "UTG":
        """This graph, corrected by one step; see `observe`."""
        return self.learn(Recording((), (move,)), "journal")

    def learn(self, recording: Recording, origin: Origin) -> "UTG":
        """This graph, corrected by all steps of a recording."""
        screens = dict(self.screens)
        for screen in recording.screens:
            screens[screen.name] = screens[screen.name].joined(screen) if screen.name in screens else screen
        for move in recording.moves:
            for end in (move.source, move.target):
                screens.setdefault(end.name, end)
        counted = _EdgeCounter(self.edges, origin)
        for move in recording.moves:
            counted.add(move, sources_at(screens, move.source.name))
        return UTG(screens, tuple(counted.edges))

    def near(self, screen: str, k: int) -> Mapping[str, int]:
        """The screens that at most `k` gestures lead to, with how many it takes; itself: 0."""
        distances = {screen: 0}
        begun = [screen]
        for steps in range(1, k + 1):
            further = {edge.target for name in begun for edge in self.leaving(name)} - distances.keys()
            distances.update(dict.fromkeys(sorted(further), steps))
            begun = sorted(further)
        return distances

    def nearest(self, screen: Screen) -> Screen | None:
        """The screen of this graph that a look is, or nearly is: see `vsalang.agents.maps.nearness`."""
        return nearest(self.screens, screen)

    def coverage(self, recording: Recording) -> Coverage:
        """How much of a recording this graph knows."""
        known = surprises = 0
        returns = Returns(self)
        for move in recording.moves:
            tries = [edge for edge in self.leaving(move.source.name) if move.by(edge)]
            back = move.beneath == move.target.name and any(returns.get(edge) for edge in tries)
            if back or any(edge.target == move.target.name for edge in tries):
                known += 1
            elif tries:
                surprises += 1
        seen = {screen.name for screen in recording.screens}
        return Coverage(len(seen), len(seen & self.screens.keys()), len(recording.moves), known, surprises)

    def diff(self, other: Graph) -> Diff:
        """What differs from this graph to another."""
        mine, theirs = ({edge.key: edge for edge in graph.edges} for graph in (self, other))
        both = self.screens.keys() & other.screens.keys()
        lost = (_led_to(self) - _led_to(other)) & both
        return Diff(
            tuple(screen for name, screen in other.screens.items() if name not in self.screens),
            tuple(screen for name, screen in self.screens.items() if name not in other.screens),
            tuple(edge for key, edge in theirs.items() if key not in mine),
            tuple(edge for key, edge in mine.items() if key not in theirs),
            tuple(
                (edge, theirs[key])
                for key, edge in mine.items()
                if key in theirs and (edge.tried, edge.worked) != (theirs[key].tried, theirs[key].worked)
            ),
            tuple(sorted(lost)),
        )

    def _screen(self, end: Screen | str) -> Screen:
        if isinstance(end, Screen):
            return end
        return self.screens.get(end) or Screen(end, "state")


EMPTY: Final = UTG({}, ())


def _led_to(graph: Graph) -> set[str]:
    return {edge.target for edge in graph.edges if edge.target != edge.source and not edge.refuted}


def _joined(one: Edge, other: Edge) -> Edge:
    first = min((one, other), key=lambda edge: ORIGINS.index(edge.origin))
    return replace(
        one,
        worked=one.worked + other.worked,
        origin=first.origin,
        rule=one.rule or other.rule,
        returned=one.returned + other.returned,
    )


class _EdgeCounter:
    """Edges whose counts go up, step by step."""

    def __init__(self, edges: Sequence[Edge], origin: Origin) -> None:
        self.edges: list[Edge] = list(edges)
        self._origin: Origin = origin
        self._leaving: dict[str, list[int]] = {}
        for index, edge in enumerate(edges):
            self._leaving.setdefault(edge.source, []).append(index)

    def add(self, move: Move, sources: Iterable[str]) -> None:
        here = [index for source in sources for index in self._leaving.get(source, ())]
        tries = [index for index in here if move.by(self.edges[index])]
        known = 0
        back = move.beneath == move.target.name
        for index in tries:
            edge = self.edges[index]
            if edge.gesture == move.gesture:
                known = max(known, edge.tried)
            worked = edge.target == move.target.name
            self.edges[index] = replace(
                edge,
                tried=edge.tried + 1,
                worked=edge.worked + worked,
                returned=edge.returned + (worked and back),
            )
        if any(self.edges[index].target == move.target.name for index in tries):
            return
        source = ANY if starts_anywhere(move.gesture) else move.source.name
        self._leaving.setdefault(source, []).append(len(self.edges))
        self.edges.append(
            Edge(source, move.gesture, move.target.name, (), known + 1, 1, self._origin, returned=int(back))
        )
