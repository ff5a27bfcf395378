"""Where the screens of a graph stand in a picture: columns by how many gestures away they are.

A small graph is drawn as the tree of its shortest ways, whose lines do not cross; each other edge is a thin line. Of a
large graph long columns are broken into several, and many columns into bands, so that it has the shape of a page.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Final

from vsalang.agents.maps.screen_graph import Edge, Graph, is_anywhere
from vsalang.base.records import dataclass

SMALL: Final = 45
"""Graphs with at most so many screens say on their picture by which gesture each way goes."""
_ROWS: Final = 24
"""The least number of screens in a column before it is broken."""
_COLUMNS: Final = 12
"""How many columns stand side by side."""
_NEAR: Final = 2
"""Lines of a large graph cross at most so many columns."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a screen stands: column and row, from 0. `parent`: the edge by which it is reached first."""

    column: int
    row: float
    parent: Edge | None


@dataclass(frozen=True, slots=True)
class Layout:
    """A picture's plan.

    Attributes:
        spots: by the screens' names, and by the sources of edges that start anywhere.
        heads: where the screens of each distance begin: column, row, and how many gestures it is.
    """

    spots: Mapping[str, Spot]
    heads: tuple[tuple[int, float, int], ...]
    columns: int
    rows: float
    small: bool

    def far(self, one: str, other: str) -> bool:
        """Whether a line between two screens would cross half of the page."""
        here, there = self.spots[one], self.spots[other]
        return abs(here.column - there.column) > _NEAR or abs(here.row - there.row) > _ROWS


def laid_out(graph: Graph) -> Layout:
    """The plan of a graph's picture."""
    names = [*dict.fromkeys(edge.source for edge in graph.edges if is_anywhere(edge.source)), *graph.screens]
    parents, distance, order = _tree(graph, names)
    if len(graph.screens) <= SMALL:
        rows = _as_tree(order, parents)
        spots = {name: Spot(distance[name], rows[name], parents[name]) for name in order}
        deepest = max(distance.values(), default=0)
        highest = max(rows.values(), default=0.0)
        heads = tuple((depth, 0.0, depth) for depth in range(deepest + 1))
        return Layout(spots, heads, deepest + 1, highest + 1, True)
    return _in_columns(order, parents, distance)


def _tree(graph: Graph, names: Sequence[str]) -> tuple[dict[str, Edge | None], dict[str, int], list[str]]:
    """For each name the edge by which it is reached first, how many gestures that takes, and an order of visits."""
    parents: dict[str, Edge | None] = {}
    distance: dict[str, int] = {}
    order: list[str] = []
    for root in _roots(graph, names):
        if root in parents:
            continue
        parents[root], distance[root] = None, 0
        waiting = deque([root])
        while waiting:
            name = waiting.popleft()
            order.append(name)
            for edge in sorted(graph.by_source.get(name, ()), key=lambda edge: edge.cost):
                if edge.target not in parents and not edge.refuted:
                    parents[edge.target], distance[edge.target] = edge, distance[name] + 1
                    waiting.append(edge.target)
    return parents, distance, order


def _roots(graph: Graph, names: Sequence[str]) -> list[str]:
    """Where to begin: where one can begin anyhow, then screens to which nothing leads, then those with most edges."""
    entered = Counter(edge.target for edge in graph.edges if edge.target != edge.source)
    left = Counter(edge.source for edge in graph.edges if edge.target != edge.source)
    return sorted(
        names,
        key=lambda name: (not is_anywhere(name), name in entered, -entered[name] - left[name], name),
    )


def _as_tree(order: Sequence[str], parents: Mapping[str, Edge | None]) -> dict[str, float]:
    """The rows: leaves one below the other, the others level with the middle of what they lead to."""
    children: dict[str, list[str]] = {name: [] for name in order}
    for name in order:
        edge = parents[name]
        if edge is not None:
            children[edge.source].append(name)
    rows: dict[str, float] = {}
    height = 0
    stack = [(name, False) for name in reversed(order) if parents[name] is None]
    while stack:
        name, done = stack.pop()
        below = children[name]
        if not below:
            rows[name] = float(height)
            height += 1
        elif done:
            rows[name] = (rows[below[0]] + rows[below[-1]]) / 2
        else:
            stack.append((name, True))
            stack += [(each, False) for each in reversed(below)]
    return rows


def _in_columns(
    order: Sequence[str], parents: Mapping[str, Edge | None], distance: Mapping[str, int]
) -> Layout:
    """Each distance in as many columns as it needs; screens stand in the order of those they are reached from."""
    layers: dict[int, list[str]] = {}
    for name in order:
        layers.setdefault(distance[name], []).append(name)
    most = max(_ROWS, round(1.6 * len(order) ** 0.5))
    spots: dict[str, Spot] = {}
    begins: dict[int, int] = {}
    column = 0
    for depth in sorted(layers):
        begins[column] = depth
        layer = layers[depth]
        if depth:
            layer.sort(key=lambda name: _place(spots, parents[name]))
        for index, name in enumerate(layer):
            broken, row = divmod(index, most)
            spots[name] = Spot(column + broken, float(row), parents[name])
        column += -(-len(layer) // most)
    return _in_bands(spots, begins, column)


def _in_bands(spots: Mapping[str, Spot], begins: Mapping[int, int], columns: int) -> Layout:
    """Columns beyond the page's width go on below those before."""
    high: dict[int, float] = {}
    for spot in spots.values():
        band = spot.column // _COLUMNS
        high[band] = max(high.get(band, 0.0), spot.row + 1)
    above: dict[int, float] = {}
    total = 0.0
    for band in sorted(high):
        above[band] = total
        total += high[band] + 1.5
    placed = {
        name: Spot(spot.column % _COLUMNS, spot.row + above[spot.column // _COLUMNS], spot.parent)
        for name, spot in spots.items()
    }
    bands = dict(begins)
    for first in range(_COLUMNS, columns, _COLUMNS):  # a band says where it begins, too
        bands.setdefault(first, max(depth for column, depth in begins.items() if column <= first))
    heads = tuple((column % _COLUMNS, above[column // _COLUMNS], depth) for column, depth in bands.items())
    return Layout(placed, heads, min(columns, _COLUMNS), max(total - 1.5, 1.0), False)


def _place(spots: Mapping[str, Spot], edge: Edge | None) -> tuple[int, float]:
    if edge is None or edge.source not in spots:
        return (-1, 0.0)
    return spots[edge.source].column, spots[edge.source].row
