"""Controls: what a screen offers, reduced to what counts and typed.

from vsalang.control import controls, reduce
from vsalang.device.tree import read_tree

tree = read_tree("window_dump.xml")
for unit in controls(tree):
    print(unit.key, unit.kind, unit.label, unit.value)
reduce(tree, "control").saved          # the share of the nodes that was left out

Nothing here decides whether an action is allowed: the guard does not know this room.
"""

from vsalang.control.model import KINDS, LEVELS, Entry, Kind, Level, Part, Reduced, Role, Typed, Unit
from vsalang.control.reduce import controls, reduce

__all__ = [
    "KINDS",
    "LEVELS",
    "Entry",
    "Kind",
    "Level",
    "Part",
    "Reduced",
    "Role",
    "Typed",
    "Unit",
    "controls",
    "reduce",
]
