"""What an agent plans on a screen, held against the rules; contracts that were mined; and looks where one is open.

The order of a screen's controls, and several actions as one plan:

    found = graph(TreeScreen(read_tree("login.xml")), load("log_in.vsa").checked())
    for edge in found.edges:
        print(found.why(edge))
    found.frontier()                      # the controls that can be used now
    found.admissible(["a1b2c3d4e5"])      # whether this may come first, and why not

    outcome = commit_all(guard, actions)  # done one by one, until one is not done as planned
    outcome.done, outcome.stopped, outcome.remains

Nothing of this permits anything: the guard judges each action. What was mined, and how good it is:

    steps = [step for walk in read_walks("run") for step in passed(walk)]
    mining = mine(steps, "com.example.notes", Least())
    print(module(mining, [each.name for each in proposals(mining)], name="mined", source="run"))

How the contracts of a program come out on recorded walks of an app, the standard ones if none is named:

    found = experiment([[walk.taken(i) for i in range(len(walk.steps))] for walk in walks])
    found.count("STD-FIELD-TYPED", "recorded").met
"""

from vsalang.contracts.commitment import Committed, Done, Intended, Stop, commit_all
from vsalang.contracts.control_graph import FINISH, Admission, ControlGraph, Edge, Missing
from vsalang.contracts.deriving import graph, graph_of
from vsalang.contracts.experiment import After, Count, Experiment, Result, Shown, experiment
from vsalang.contracts.look import Look, Looked, Looking, Region, questions, resolved
from vsalang.contracts.mined_figures import MinedFigures, figures, packages
from vsalang.contracts.mining import Control, Least, Mined, Mining, Passed, Screens, Target, mine
from vsalang.contracts.signatures import Face, Signature, face_of, signatures
from vsalang.contracts.surface import SurfaceVerdict, Touch, surface
from vsalang.contracts.wants import Cell
from vsalang.contracts.written import Proposed, module, proposals

__all__ = [
    "FINISH",
    "Admission",
    "After",
    "Cell",
    "Committed",
    "Control",
    "ControlGraph",
    "Count",
    "Done",
    "Edge",
    "Experiment",
    "Face",
    "Intended",
    "Least",
    "Look",
    "Looked",
    "Looking",
    "Mined",
    "MinedFigures",
    "Mining",
    "Missing",
    "Passed",
    "Proposed",
    "Region",
    "Result",
    "Screens",
    "Shown",
    "Signature",
    "Stop",
    "SurfaceVerdict",
    "Target",
    "Touch",
    "commit_all",
    "experiment",
    "face_of",
    "figures",
    "graph",
    "graph_of",
    "mine",
    "module",
    "packages",
    "proposals",
    "questions",
    "resolved",
    "signatures",
    "surface",
]
