"""Plans by a classical planner: maps and programs as PDDL, and Fast Downward in its own processes.

>>> from vsalang.program.ir import Atom
>>> from vsalang.agents.maps import UTG
>>> from vsalang.agents.maps.pddl import of_map
>>> utg = UTG({}, ()).observe("Main", Atom("tap"), "Cart").observe("Cart", Atom("back"), "Main")
>>> print(of_map(utg, "Main", ["Cart"], unit=True).domain.split("(:action go")[1])
<BLANKLINE>
    :parameters (?from - screen ?by - gesture ?to - screen)
    :precondition (and (at ?from) (edge ?from ?by ?to))
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) 1))
  )
)
<BLANKLINE>

A plan is a proposal: the guard runs it before anybody sees it. See docs/commands/prove.md.
"""

from vsalang.agents.maps.pddl.downward import NotInstalled, PlannerError, PlannerResult, solve
from vsalang.agents.maps.pddl.maps import of_map, way_of
from vsalang.agents.maps.pddl.notation import Pddl, PddlOmission
from vsalang.agents.maps.pddl.programs import of_program
from vsalang.agents.maps.pddl.search import Result, plan, problems

__all__ = [
    "NotInstalled",
    "Pddl",
    "PddlOmission",
    "PlannerError",
    "PlannerResult",
    "Result",
    "of_map",
    "of_program",
    "plan",
    "problems",
    "solve",
    "way_of",
]
