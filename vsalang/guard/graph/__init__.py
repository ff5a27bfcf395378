"""What an agent plans on a screen, checked by the rules.

The order of a screen's controls, and several actions as one plan:

    found = graph(TreeScreen(read_tree("login.xml")), load("log_in.vsa").checked())
    for edge in found.edges:
        print(found.why(edge))
    found.frontier()                      # the controls that can be used now
    found.admissible(["a1b2c3d4e5"])      # whether this may come first, and why not

    outcome = commit_all(guard, actions)  # done one by one, until one is not done as planned
    outcome.done, outcome.stopped, outcome.remains

Nothing of this permits anything: the guard judges each action.
"""

from vsalang.guard.graph.commitment import CommitmentResult, PerformedAction, PlannedAction, Stop, commit_all
from vsalang.guard.graph.control_graph import FINISH, Admission, ControlGraph, Edge, Missing
from vsalang.guard.graph.deriving import graph, graph_of
from vsalang.guard.graph.surface import SurfaceVerdict, Touch, surface
from vsalang.guard.graph.wants import Cell

__all__ = [
    "FINISH",
    "Admission",
    "Cell",
    "CommitmentResult",
    "ControlGraph",
    "Edge",
    "Missing",
    "PerformedAction",
    "PlannedAction",
    "Stop",
    "SurfaceVerdict",
    "Touch",
    "commit_all",
    "graph",
    "graph_of",
    "surface",
]
