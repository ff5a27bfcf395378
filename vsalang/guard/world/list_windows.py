"""Windows of lists: which position each row that is shown has, and which ends of its list are known. Pure.

An observation gives ``row = node``. The rows of one list (equal ``in`` values), in the order in which the screen gives
their nodes, are a window (numbers say which node it is, not where it is: a row that scrolls in has the newest). It
is numbered from 1 where its first row is known to be the list's first: the node that holds the rows `Fits`, `Bounds` or
`Scrolled` says so, or a `top` rule of the app held; not where a row may be missing (`gaps`). A window whose place is
not known has rows without position: they are there, and nothing is guessed (`semantics.md#windows-of-lists`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vsalang.base.records import dataclass
from vsalang.guard.world.beliefs import CellWrite, Ident, World, row_of
from vsalang.program.ir import Relation
from vsalang.program.screen import Screen, knows
from vsalang.program.values import Value


@dataclass(frozen=True, slots=True)
class Place:
    """What the screen says of one container of rows: whether its first and last row are shown, and the position of the
    first row shown, if known."""

    top: bool = False
    end: bool = False
    first: int | None = None


def _order(screen: Screen) -> Mapping[Value, int]:
    order: dict[Value, int] = {}
    for row in screen.rows("Node") if knows(screen, "Node") else ():
        order.setdefault(row.get("node", 0), len(order))
    return order


def places(screen: Screen) -> tuple[Mapping[int, int], Mapping[int, Place]]:
    """Of a screen: the parent of each node, and what is known of the containers."""
    parents = {
        node: parent
        for row in (screen.rows("Node") if knows(screen, "Node") else ())
        if isinstance(node := row.get("node"), int) and isinstance(parent := row.get("parent"), int)
    }
    places: dict[int, Place] = {}
    for row in screen.rows("Fits") if knows(screen, "Fits") else ():
        if isinstance(node := row.get("node"), int):
            places[node] = Place(True, True, 1)
    for row in screen.rows("Bounds") if knows(screen, "Bounds") else ():
        if isinstance(node := row.get("list"), int):
            old = places.get(node, Place())
            top = old.top or row.get("top") is True
            places[node] = Place(top, old.end or row.get("end") is True, 1 if top else old.first)
    for row in screen.rows("Scrolled") if knows(screen, "Scrolled") else ():
        node, first, last, count = (row.get(name) for name in ("node", "first", "last", "count"))
        if isinstance(node, int) and isinstance(first, int) and first >= 1:
            old = places.get(node, Place())
            end = old.end or (isinstance(last, int) and last == count)
            places[node] = Place(old.top or first == 1, end, first)
    return parents, places


def gaps(screen: Screen | None) -> frozenset[int]:
    """The nodes in which something may show that is not in ``Node``, since its box cannot be right."""
    other = None if screen is None else screen.otherwise
    if screen is None or other is None:
        return frozenset()
    mine = {row.get("node") for row in screen.rows("Node")}
    return frozenset(
        holder
        for row in other.rows("Node")
        if row.get("node") not in mine and isinstance(holder := row.get("parent"), int)
    )


def skipping(screen: Screen | None) -> frozenset[int]:
    """The nodes of which the source counts a child, between others, that it does not give."""
    indexes: dict[int, list[int]] = {}
    for row in screen.rows("Node") if screen is not None and knows(screen, "Node") else ():
        holder, index = row.get("parent"), row.get("index")
        if isinstance(holder, int) and isinstance(index, int):
            indexes.setdefault(holder, []).append(index)
    return frozenset(
        holder for holder, numbers in indexes.items() if len(set(numbers)) <= max(numbers) - min(numbers)
    )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where the nodes of a screen are: all that windows of lists depend on besides what was read of their rows.

    Attributes:
        order: of each node its number in the order in which the screen gives them.
        parents: the parent of each node.
        places: what is known of the containers.
        broken: the nodes in which a row may be missing.
        wholes: the nodes that are shown whole.
    """

    order: Mapping[Value, int]
    parents: Mapping[int, int]
    places: Mapping[int, Place]
    broken: frozenset[int]
    wholes: frozenset[Value | None]

    @classmethod
    def of(cls, screen: Screen | None) -> "Arrangement":
        """That of a screen."""
        if screen is None:
            return cls({}, {}, {}, frozenset(), frozenset())
        wholes = screen.rows("Whole") if knows(screen, "Whole") else ()
        return cls(
            _order(screen),
            *places(screen),
            gaps(screen) | skipping(screen),
            frozenset(row.get("node") for row in wholes),
        )

    def in_order(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Nodes in the order in which the screen gives them; those that it does not have come last, by number."""
        order = self.order
        return tuple(sorted(nodes, key=lambda node: (order.get(node, len(order)), node)))

    def holder(self, nodes: Iterable[int]) -> int | None:
        """The parent of nodes, if they have the same."""
        holders = {self.parents.get(node) for node in nodes}
        return holders.pop() if len(holders) == 1 else None


@dataclass(frozen=True, slots=True)
class ListWindow:
    """The rows of one list on one screen: nodes in the screen's order, the position of the first if known, the ends."""

    group: Ident
    nodes: tuple[int, ...]
    first: int | None
    top: bool
    end: bool


def windows(
    relation: Relation,
    writes: Iterable[CellWrite],
    arrangement: Arrangement,
    tops: frozenset[Ident],
    ends: frozenset[Ident],
    doubtful: frozenset[int] = frozenset(),
) -> list[ListWindow]:
    """The windows that the writes of one observation make.

    Args:
        relation: the list.
        writes: with ``row``.
        arrangement: of the screen that was observed.
        tops: the lists of which a `top` rule says that the window begins with their first row.
        ends: the same of `end`.
        doubtful: nodes that may show a row, and are not known to.
    """
    rows: dict[Ident, set[int]] = {}
    for write in writes:
        values = [write.cells.get(name) for name in relation.within]
        if write.row is not None and all(value is not None for value in values):
            rows.setdefault(tuple(v for v in values if v is not None), set()).add(write.row)
    broken = arrangement.broken | {arrangement.parents.get(node) for node in doubtful}
    windows = []
    for group, nodes in rows.items():
        holder, in_order = arrangement.holder(nodes), arrangement.in_order(nodes)
        place = arrangement.places.get(holder, Place()) if holder is not None else Place()
        if holder in broken:
            windows.append(ListWindow(group, in_order, None, top=False, end=False))
            continue
        top = place.top or group in tops
        first = 1 if top else place.first
        windows.append(ListWindow(group, in_order, first, top, place.end or group in ends))
    return windows


def placed(relation: Relation, writes: Iterable[CellWrite], windows: Iterable[ListWindow]) -> list[CellWrite]:
    """The writes with the positions that their windows give."""
    positions = {
        (window.group, node): window.first + number
        for window in windows
        if window.first is not None
        for number, node in enumerate(window.nodes)
    }
    result = []
    for write in writes:
        group = tuple(write.cells.get(name) for name in relation.within)
        at = None if write.row is None or None in group else positions.get((group, write.row))  # type: ignore[arg-type]
        result.append(write if at is None else replace(write, cells={**write.cells, "at": at}))
    return result


def opened(world: World, relation: Relation, windows: Iterable[ListWindow]) -> World:
    """The world in which these windows begin, before their rows are written.

    Rows without position of a list without `key` go: nothing tells whether the new window shows them again. Where the
    new window's place is unknown, rows with a position lose it; without `key` that is all they were, so they go.
    """
    table = world.table(relation.name)
    rows = dict(table.rows)
    for window in windows:
        for ident, entry in list(rows.items()):
            if ident[: len(window.group)] != window.group:
                continue
            if not relation.key and (window.first is None or isinstance(ident[-1], str)):
                del rows[ident]
            elif relation.key and window.first is None and entry.cells[-1] is not None:
                rows[ident] = entry.unplaced()
    return world.put(relation.name, table.with_contents(rows, table.complete, table.tops, table.ends))


def closed(world: World, relation: Relation, windows: Iterable[ListWindow]) -> World:
    """The world with the ends that these windows show; a list is complete when both ends are known and every position
    between was seen. Rows beyond the last position are gone."""
    table = world.table(relation.name)
    tops, ends, complete, rows = set(table.tops), dict(table.ends), set(table.complete), dict(table.rows)
    for window in windows:
        if window.first is None:
            tops.discard(window.group)
            ends.pop(window.group, None)
            continue
        if window.top:
            tops.add(window.group)
        if window.end:
            ends[window.group] = window.first + len(window.nodes) - 1
        last = ends.get(window.group)
        if last is None:
            continue
        at: set[int] = set()
        for ident, entry in list(rows.items()):
            if ident[: len(window.group)] == window.group:
                position = entry.cells[-1]
                if isinstance(position, int) and position <= last:
                    at.add(position)
                else:
                    del rows[ident]
        if window.group in tops and at >= set(range(1, last + 1)):
            cells: dict[str, Value] = dict(zip(relation.within, window.group, strict=True))
            complete.add(row_of(relation, cells))
    return world.put(relation.name, table.with_contents(rows, frozenset(complete), frozenset(tops), ends))
