"""Where a control is touched, and what led there."""

from vsalang.base.records import dataclass
from vsalang.models.effects.control import ControlKey, control_key
from vsalang.models.effects.way import Way
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree


@dataclass(frozen=True, slots=True)
class Place:
    """Where a control is touched.

    Attributes:
        screen: that has it.
        node: the control.
        version: of its app; empty: not known.
        gesture: that touches it.
        way: that led to the screen.
    """

    screen: TreeScreen
    node: Node
    version: str = ""
    gesture: str = "tap"
    way: Way = Way()

    @property
    def tree(self) -> Tree:
        """The screen's nodes."""
        return self.screen.tree

    @property
    def key(self) -> ControlKey | None:
        """What tells the control from others (`control_key`); None: nothing does."""
        if self.node.package is None:
            return None
        return control_key(self.tree, self.node, self.version, self.gesture)
