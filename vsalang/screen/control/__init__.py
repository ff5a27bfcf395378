"""Controls: what a screen offers, reduced to what counts and typed, and what an action did to it.

from vsalang.screen.control import controls, delta, reduce
from vsalang.screen.tree import read_tree

before = read_tree("window_dump_before.xml")
tree = read_tree("window_dump.xml")
for unit in controls(tree):
    print(unit.key, unit.kind, unit.label, unit.value)
reduce(tree, "control").saved          # the share of the nodes that was left out
delta(before, tree).transition         # NoChange, PartialChange or NewPage

Nothing here decides whether an action is allowed: the guard does not know this room.
"""

from vsalang.screen.control.delta import Change, Delta, NodeRef, Transition, delta
from vsalang.screen.control.reduce import controls, reduce
from vsalang.screen.control.unit import (
    KINDS,
    LEVELS,
    Entry,
    Kind,
    Level,
    NodeKind,
    Part,
    ReducedTree,
    Role,
    Unit,
)
from vsalang.screen.control.windows import ListShift

__all__ = [
    "KINDS",
    "LEVELS",
    "Change",
    "Delta",
    "Entry",
    "Kind",
    "Level",
    "ListShift",
    "NodeKind",
    "NodeRef",
    "Part",
    "ReducedTree",
    "Role",
    "Transition",
    "Unit",
    "controls",
    "delta",
    "reduce",
]
