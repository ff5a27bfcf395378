"""The screens beneath the one that shows, and the gestures that lead back to the nearest of them, whichever it is.

`back` on a dialog, or its *Cancel*, leads to what was shown before. As an edge to one screen that is known by chance
only; as a return it is known wherever the dialog came up.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, TypeAlias

from vsalang.agents.maps.screen_graph import Edge, Graph, sources_at
from vsalang.base.records import dataclass
from vsalang.program.ir import Atom
from vsalang.program.ir import Literal as Condition

MOST: Final = 8
"""So many screens are remembered: what is further down is hardly ever gone back to."""

Gesture: TypeAlias = tuple[str, Atom, tuple[Condition, ...]]
"""A gesture where it is made: source, gesture and conditions of edges."""


def screens_after(screens: Sequence[str], gesture: Atom | None, target: str) -> tuple[str, ...]:
    """The screens after one came to another: first the one that shows, then those beneath it, the nearest first.

    To come to a screen that is beneath uncovers it. What `back` leads to takes the place of the screen that was left.

    Args:
        screens: the screens before; empty: nothing is known.
        gesture: that led there; None: the screen changed by itself, or nobody knows how.
    """
    if target in screens:
        return tuple(screens[screens.index(target) :])
    if gesture is not None and gesture.relation == "back":
        return (target, *screens[1:])
    return (target, *screens)[:MOST]


def pair(edge: Edge) -> Gesture:
    """What edges have in common that are tries of the same gesture at the same place."""
    return edge.source, edge.gesture, edge.when


@dataclass(frozen=True, slots=True)
class Return:
    """A gesture that leads back to the screen beneath.

    Attributes:
        like: one of its edges.
        returned: how often it led to the screen beneath.
    """

    like: Edge
    returned: int

    def to(self, target: str) -> Edge:
        """The edge that it is where this screen is beneath."""
        return replace(self.like, target=target, worked=self.returned, returned=self.returned)


class Returns:
    """The gestures of a map that lead back: those that led to the screen beneath more often than to any one screen.

    They were seen to lead back to two screens at least: what leads to one screen only is an edge as others are.

    Args:
        graph: the map.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        groups: dict[Gesture, list[Edge]] = {}
        for edge in graph.edges:
            if edge.tried:
                groups.setdefault(pair(edge), []).append(edge)
        self._known: dict[Gesture, Return] = {}
        for key, edges in groups.items():
            back = [edge for edge in edges if edge.returned]
            returned = sum(edge.returned for edge in back)
            if len(back) > 1 and returned > max(edge.worked for edge in edges):
                self._known[key] = Return(back[0], returned)

    def __bool__(self) -> bool:
        return bool(self._known)

    def get(self, edge: Edge) -> Return | None:
        """The return that an edge's gesture is; None: it is none."""
        return self._known.get(pair(edge))

    @cached_property
    def by_source(self) -> Mapping[str, Sequence[Return]]:
        """The returns of each source of edges."""
        returns: dict[str, list[Return]] = {}
        for (source, *_), each in self._known.items():
            returns.setdefault(source, []).append(each)
        return returns

    def at(self, screen: str) -> Iterator[Return]:
        """The returns that can be made on a screen."""
        for source in sources_at(self._graph.screens, screen):
            yield from self.by_source.get(source, ())

    def elsewhere(self, edge: Edge) -> Edge | None:
        """An edge without the times that its gesture led back; None: it did each time. Others are as they are."""
        if self.get(edge) is None:
            return edge
        others = edge.worked - edge.returned
        return replace(edge, worked=others, returned=0) if others else None

    def leaving(self, screen: str, beneath: str | None) -> Iterator[Edge]:
        """The edges that can be taken on a screen.

        Args:
            beneath: the screen beneath it; empty: nobody knows which; None: one that is of no use. Where something is
                beneath, a return leads to it, and of other edges counts only how often they led elsewhere.
        """
        if not self._known or beneath == "":
            yield from self._graph.leaving(screen)
            return
        for edge in self._graph.leaving(screen):
            other = self.elsewhere(edge)
            if other is edge or (other is not None and edge.target != beneath):
                yield other
        if beneath is not None:
            yield from (each.to(beneath) for each in self.at(screen) if beneath in self._graph.screens)
