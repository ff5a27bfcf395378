"""Contracts of actions: what was mined from recordings, and how good it is.

from vsalang.agents.walks import passed, read_walks
from vsalang.contracts import Least, mine, module, proposals

steps = [step for walk in read_walks("run") for step in passed(walk)]
mining = mine(steps, "com.example.notes", Least())
print(module(mining, [each.name for each in proposals(mining)], name="mined", source="run"))
"""

from vsalang.contracts.mined_figures import MinedFigures, figures, packages
from vsalang.contracts.mining import Control, Least, Mined, Mining, Passed, Screens, Target, mine
from vsalang.contracts.signatures import Face, Signature, face_of, signatures
from vsalang.contracts.written import Proposed, module, proposals

__all__ = [
    "Control",
    "Face",
    "Least",
    "Mined",
    "MinedFigures",
    "Mining",
    "Passed",
    "Proposed",
    "Screens",
    "Signature",
    "Target",
    "face_of",
    "figures",
    "mine",
    "module",
    "packages",
    "proposals",
    "signatures",
]
