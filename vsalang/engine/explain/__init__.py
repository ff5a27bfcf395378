"""Explanations next to the engine: why a body does not hold in the facts of one moment, as data.

The engine decides. This folder looks for the binding under which a body comes nearest to holding, and says what is
missing under it; the guard says it to agents, `vsalang.tools.ask` to people::

    way = Nearest(facts).ways(rule.body, {}, certain=True)[0]
    for finding in way.found:
        print(finding.kind, finding.state, finding.literal)
"""

from vsalang.engine.explain.finding import Finding, State
from vsalang.engine.explain.match import Facts
from vsalang.engine.explain.nearest import Nearest, Way
from vsalang.engine.explain.terms import Context

__all__ = ["Context", "Facts", "Finding", "Nearest", "State", "Way"]
