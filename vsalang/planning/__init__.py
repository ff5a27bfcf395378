"""Plans on the map of an app: which gestures lead from screen to screen (a UI transition graph, UTG).

>>> from vsalang.planning import UTG
>>> from vsalang.core.ir import Atom
>>> utg = UTG({}, ()).observe("state:Main", Atom("back"), "state:Home")
>>> [(edge.source, edge.target, edge.tried, edge.worked) for edge in utg.edges]
[('state:Main', 'state:Home', 1, 1)]

A plan is a hint: it never enters a verdict. See docs/reference/utg.md.
"""

from vsalang.planning.graph import EMPTY, UTG, Coverage, Diff
from vsalang.planning.model import ANY, Edge, Screen, UTGError, Widget, anywhere
from vsalang.planning.moves import Move, Recording
from vsalang.planning.navigator import Hint, Navigator
from vsalang.planning.policies import GuardPolicies, Judged, Policies, SparingPolicies
from vsalang.planning.programs import Reader
from vsalang.planning.ranking import Fit, Ranker, WordRanker
from vsalang.planning.targets import Candidate, exact, ranked, select
from vsalang.planning.ways import Missing, Router, Step, Way, Ways, route

__all__ = [
    "ANY",
    "EMPTY",
    "UTG",
    "Candidate",
    "Coverage",
    "Diff",
    "Edge",
    "Fit",
    "GuardPolicies",
    "Hint",
    "Judged",
    "Missing",
    "Move",
    "Navigator",
    "Policies",
    "Ranker",
    "Reader",
    "Recording",
    "Router",
    "Screen",
    "SparingPolicies",
    "Step",
    "UTGError",
    "Way",
    "Ways",
    "Widget",
    "WordRanker",
    "anywhere",
    "exact",
    "ranked",
    "route",
    "select",
]
