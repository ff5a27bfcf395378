"""What recordings say: moves from screen to screen."""

from collections.abc import Callable
from dataclasses import field
from typing import TypeAlias

from vsalang.agents.maps.gestures import fits
from vsalang.agents.maps.screen_graph import Edge, Screen
from vsalang.base.records import dataclass
from vsalang.program.action import GESTURES
from vsalang.program.ir import Atom
from vsalang.program.screen import Cells

Told: TypeAlias = Callable[[str], None]
"""Is told in words what is being done."""


@dataclass(frozen=True, slots=True)
class Move:
    """One recorded step: a gesture on a screen, and the screen that came of it.

    Attributes:
        gesture: with the fewest attributes that name its widget.
        cells: all that is known of the gesture.
        predicted: the screens to which `goto` rules say that it leads.
        beneath: the name of the screen beneath the source (`vsalang.agents.maps.beneath`); empty: nobody knows.
    """

    source: Screen
    gesture: Atom
    target: Screen
    cells: Cells = field(default_factory=dict)
    predicted: frozenset[str] = frozenset()
    beneath: str = ""

    def by(self, edge: Edge) -> bool:
        """Whether this is a try of an edge that can be taken here, no matter with what result."""
        if edge.gesture == self.gesture:
            return True
        if edge.origin == "rule" and edge.target in self.predicted:
            # by that gesture, or by an action that was recognised in it
            return edge.gesture.relation == self.gesture.relation or edge.gesture.relation not in GESTURES
        return not edge.when and fits(edge.gesture, self.gesture.relation, self.cells)


@dataclass(frozen=True, slots=True)
class Recording:
    """What was recorded: steps between screens, and how many steps say nothing.

    Attributes:
        screens: those that were seen, with what was seen on them.
        unsettled: how many steps ended on a screen that went on changing by itself.
        unclear: how many were done to nothing that can be named, or led to a screen that was not kept.
    """

    screens: tuple[Screen, ...]
    moves: tuple[Move, ...]
    unsettled: int = 0
    unclear: int = 0
