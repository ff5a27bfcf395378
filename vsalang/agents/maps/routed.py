"""Plans for a task by its map alone: for `done` clauses that ask for a screen and nothing else."""

from collections.abc import Iterable, Sequence
from typing import Final

from vsalang.agents.maps.following import Move, RefusedStep, begin, ends, followed
from vsalang.agents.maps.graph import UTG
from vsalang.agents.maps.policies import EdgeVerdict
from vsalang.agents.maps.screen_graph import Edge, Screen
from vsalang.agents.maps.ways import Router, Way
from vsalang.program.example import Turn
from vsalang.program.ir import Lit, Program, Rule
from vsalang.program.show import short_name, source
from vsalang.proof.prove.bounds import Bounds
from vsalang.proof.prove.runs import Goal, Plan, PlanSearchResult

TRIES: Final = 12
"""So many ways are shown to the guard for each end, if it refuses them."""


def plan(
    program: Program, *, start: Sequence[Turn] = (), bounds: Bounds | None = None, k: int = 1
) -> PlanSearchResult:
    """Runs with fewest gestures to the screens that `done` clauses ask for; other clauses are not decided.

    Args:
        program: a spec with the policies in force.
        start: steps that lead to the state from which to plan.
        bounds: how many gestures a run may have.
        k: how many runs are wanted for each clause, the shortest first; they differ in a gesture at least.

    Raises:
        CannotStart: the steps do not pass, or the task is over after them.
    """
    bounds = bounds or Bounds()
    screens = begin(program, start).guard.snapshot.screens
    here = next(iter(screens)) if len(screens) == 1 else ""
    search = _Search(program, tuple(start), here, bounds)
    plans: list[Plan] = []
    undecided: list[str] = []
    for rule in ends(program):
        screen = asked_screen(program, rule)
        if screen is None:
            reading = source(rule).partition(" when ")[2].rstrip(".") or "nothing"
            search.open[f"{rule.id} asks for more than one screen ({reading}): plan with z3 or pddl"] = None
            undecided.append(rule.id)
            continue
        made = search.to(rule, screen, k)
        plans += made
        if not made:
            undecided.append(rule.id)
    return PlanSearchResult(tuple(plans), (), tuple(undecided), bounds.steps, 0, tuple(search.open))


def asked_screen(program: Program, rule: Rule) -> str | None:
    """The screen that a clause asks for; None if it asks for anything else."""
    if len(rule.body) != 1:
        return None
    (literal,) = rule.body
    if not isinstance(literal, Lit) or literal.neg or literal.past is not None:
        return None
    name = literal.atom.relation
    return name if program.relation(name).sort == "screen" else None


class _Search:
    """Ways on the map of one program."""

    def __init__(self, program: Program, start: tuple[Turn, ...], here: str, bounds: Bounds) -> None:
        self.program = program
        self.start = start
        self.here = here
        self.bounds = bounds
        self.router = Router(UTG.from_program(program))
        self.rules = {rule.id: rule for rule in program.rules}
        self.open: dict[str, None] = {}

    def to(self, rule: Rule, end: str, number: int) -> list[Plan]:
        """The shortest plans to a screen, `number` at most; why there is none is added to `open`."""
        banned: set[object] = set()
        made: dict[Way, Plan] = {}

        def avoid(edge: Edge, screen: Screen | None) -> EdgeVerdict:
            action = self.program.relation(edge.gesture.relation).sort == "action"
            return EdgeVerdict("deny") if edge.key in banned or action else EdgeVerdict()

        while len(banned) <= TRIES:
            ways = self.router.route(self.here or end, [end], avoid=avoid, k=number).ways
            if not ways and not banned:
                ends = f"from {short_name(self.here)} to {short_name(end)}"
                self.open[f"{rule.id}: no way without critical actions is known {ends}"] = None
            for way in ways:
                one = made.get(way) or self._followed(rule, way, end)
                if isinstance(one, RefusedStep):
                    self.open[f"{rule.id}: the guard refused a plan: {one.why}"] = None
                    if not self._learnt(banned, way, one):
                        return self._short(rule, made.values())
                    break
                made[way] = one
            else:
                return self._short(rule, [made[way] for way in ways])
        return self._short(rule, made.values())

    def _followed(self, rule: Rule, way: Way, end: str) -> Plan | RefusedStep:
        goal = Goal(rule.id, (rule,), "finish")
        return followed(self.program, self.start, self._moves(way, end), goal, "gestures")

    def _short(self, rule: Rule, made: Iterable[Plan]) -> list[Plan]:
        """The plans that are not too long; if all are, it is said how long the shortest is."""
        plans = sorted(made, key=lambda plan: plan.length)
        steps = self.bounds.steps
        if plans and plans[0].length > steps:
            length = plans[0].length
            text = f"a run of {length} gesture{'s' * (length != 1)} was found, and --steps is {steps}"
            self.open[f"{rule.id}: {text}"] = None
        return [plan for plan in plans if plan.length <= steps]

    def _moves(self, way: Way, screen: str) -> list[Move]:
        first = [] if self.here else [Move("screen", screen, {})]
        moves = [Move("go", step.edge.target, {}, self.rules[step.edge.rule]) for step in way.steps]
        return [*first, *moves, Move("do", "finish", {})]

    def _learnt(self, banned: set[object], way: Way, refused: RefusedStep) -> bool:
        """Whether the refused step is an edge, which no other way takes then."""
        number = refused.step - (0 if self.here else 1)
        if not 0 <= number < len(way.steps):
            return False
        banned.add(way.steps[number].edge.key)
        return True
