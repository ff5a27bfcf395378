"""Plans on the map of an app: which gestures lead from screen to screen (a UI transition graph, UTG).

>>> from vsalang.agents.maps import UTG
>>> from vsalang.program.ir import Atom
>>> utg = UTG({}, ()).observe("state:Main", Atom("back"), "state:Home")
>>> [(edge.source, edge.target, edge.tried, edge.worked) for edge in utg.edges]
[('state:Main', 'state:Home', 1, 1)]

A plan is a hint: it never enters a verdict. See docs/commands/map.md.
"""

from vsalang.agents.maps.graph import EMPTY, UTG, Coverage, Diff
from vsalang.agents.maps.moves import Move, Recording
from vsalang.agents.maps.navigator import Hint, Navigator
from vsalang.agents.maps.policies import EdgeVerdict, GuardPolicies, Policies, SparingPolicies
from vsalang.agents.maps.programs import Reader
from vsalang.agents.maps.ranking import Ranker, ScreenFit, WordRanker
from vsalang.agents.maps.screen_graph import ANY, Edge, Screen, UTGError, Widget, anywhere
from vsalang.agents.maps.targets import Candidate, exact, ranked, select
from vsalang.agents.maps.ways import Missing, Router, Step, Way, Ways, route

__all__ = [
    "ANY",
    "EMPTY",
    "UTG",
    "Candidate",
    "Coverage",
    "Diff",
    "Edge",
    "EdgeVerdict",
    "GuardPolicies",
    "Hint",
    "Missing",
    "Move",
    "Navigator",
    "Policies",
    "Ranker",
    "Reader",
    "Recording",
    "Router",
    "Screen",
    "ScreenFit",
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
