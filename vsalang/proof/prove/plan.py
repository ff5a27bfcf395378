"""Plans: shortest runs to the end of a task, or runs that break a policy; each was run by the guard.

The search goes forward over the guard itself, action by action, shortest runs first. At each point the solver proposes
what the app could show next so that a clause permits an action, and the instance of the action; the guard runs it. What
the guard believes is kept: the solver may only add what is not known yet, and, of relations that no effect of the app
module writes, what the app could show otherwise after an action. A run that is found is then made of gestures.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from vsalang.base.records import dataclass
from vsalang.guard.examples import DEFAULT_CLOCK, run_example
from vsalang.program.example import Example, ExpectedVerdict, Turn
from vsalang.program.ir import Program, Rule
from vsalang.program.walk import relations
from vsalang.proof.prove.bounds import Bounds, CannotStart
from vsalang.proof.prove.gestured import Gestures
from vsalang.proof.prove.pinned import Belief
from vsalang.proof.prove.proposing import Point, Proposer
from vsalang.proof.prove.runs import (
    Goal,
    Plan,
    PlanSearchResult,
    Turns,
    action_of,
    acts,
    clauses,
    denies,
    judges_gestures,
    passes,
    played,
    unhindered,
    without_gestures,
    written_by_gestures,
)
from vsalang.proof.prove.stories import shrunk
from vsalang.proof.prove.time import TimeIsUp
from vsalang.proof.prove.ways import missing_ways
from vsalang.proof.solver.scan import with_definitions


def plan(
    program: Program,
    *,
    start: Sequence[Turn] = (),
    bounds: Bounds | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> PlanSearchResult:
    """Shortest runs to `done`, one for each of its clauses, that no rule in force denies.

    Args:
        program: a spec with the policies in force.
        start: steps that lead to the state from which to plan.
        bounds: how far to look.
        progress: is told what is being looked at.

    Raises:
        CannotStart: there is no such state, or the task is over in it.
    """
    ends = [rule for rule in clauses(program) if action_of(rule) == "finish"]
    goals = [Goal(rule.id, (rule,), "finish") for rule in ends]
    return _Search(program, bounds or Bounds(), tuple(start), progress).plans_for(goals, acting=not start)


def violation(
    program: Program,
    guarded: Program,
    *,
    start: Sequence[Turn] = (),
    bounds: Bounds | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> PlanSearchResult:
    """Shortest runs that are allowed without a policy, and whose last step the policy denies; one for each `deny`.

    Args:
        program: a spec with the policies in force.
        guarded: the same with the policy that is to be broken.

    Raises:
        CannotStart: as of `plan`.
    """
    bounds = bounds or Bounds()
    known = {rule.id for rule in program.rules}
    goals = []
    search = _Search(
        guarded, bounds, tuple(start), progress, frozenset(rule.id for rule in guarded.rules) - known
    )
    for deny in [rule for rule in guarded.rules if denies(rule) and rule.id not in known]:
        of_gestures = judges_gestures(guarded, deny)
        reached = relations(tuple(rule.body for rule in with_definitions(guarded, [deny])))
        if of_gestures and bounds.level == "gestures":
            goals.append(Goal(deny.id, (deny,), "", program))
        elif of_gestures:
            search.undecided[deny.id] = f"{deny.id} judges gestures, and only actions were planned"
        goals += [
            Goal(deny.id, (clause, deny), action_of(clause), program)
            for clause in clauses(program)
            if not of_gestures or action_of(clause) in reached
        ]
    return search.plans_for(goals, acting=False)


@dataclass(eq=False)
class _Search:
    """One search.

    Attributes:
        program: decides what may be done.
        start: steps that were given.
        broken: the ids of the rules of the policy that is to be broken.
        tried: for each goal how many states seemed to reach it, and did not.
        denied: the rules that refused gestures of runs to a goal.
        undecided: why nothing is said of a goal.
        refused: whether gestures that lead to a point are not permitted, by its steps.
    """

    program: Program
    bounds: Bounds
    start: Turns
    progress: Callable[[str], None]
    broken: frozenset[str] = frozenset()
    tried: dict[str, int] = field(default_factory=dict)
    denied: dict[str, dict[str, None]] = field(default_factory=dict)
    undecided: dict[str, str] = field(default_factory=dict)
    refused: dict[Turns, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        free = written_by_gestures(self.program) if self.by_gestures else frozenset()
        self.asks = Proposer(self.program, self.bounds.time(), self.broken, free)

    @property
    def by_gestures(self) -> bool:
        """Whether runs are made of gestures."""
        return self.bounds.level == "gestures"

    def plans_for(self, goals: Sequence[Goal], *, acting: bool) -> PlanSearchResult:
        """Plans for goals, those with fewest actions first.

        Args:
            acting: where all that is found needs no action, one that acts is looked for, too.
        """
        shortest_plans: dict[str, Plan] = {}
        busy: Plan | None = None
        looked = -1
        points = [self._begin()]
        keys: set[Any] = set()
        try:
            self.asks.look_back(goals)
            for depth in range(self.bounds.steps + 1):
                self.progress(f"{depth} actions")
                for point in points:
                    for goal in goals:
                        if self.refused.get(point.turns):
                            break
                        if goal.rule in shortest_plans and (busy is not None or not acting or depth == 0):
                            continue
                        made = self._reached(point, goal)
                        if made is not None:
                            shortest_plans.setdefault(goal.rule, made)
                            busy = made if made.acts and busy is None else busy
                looked = depth
                if {goal.rule for goal in goals} <= set(shortest_plans) and (busy is not None or not acting):
                    break
                if depth < self.bounds.steps:
                    points = [
                        after
                        for point in points
                        if not self.refused.get(point.turns)
                        for after in self._after(point, keys)
                    ]
        except TimeIsUp as error:
            self.asks.open[f"the time was not enough ({error})"] = None
        plans = list(shortest_plans.values())
        if busy is not None and not any(one.acts for one in plans):
            plans.append(busy)
        wanted = dict.fromkeys([*self.undecided, *(goal.rule for goal in goals)])
        missing = tuple(rule for rule in wanted if rule not in shortest_plans)
        why = self._why(missing)
        open_ = bool(self.asks.open)
        return PlanSearchResult(
            tuple(plans),
            tuple(rule for rule in missing if not open_ and rule not in why),
            tuple(rule for rule in missing if open_ or rule in why),
            looked,
            self.asks.rows,
            (*why.values(), *self.asks.open),
        )

    def _why(self, missing: Sequence[str]) -> dict[str, str]:
        """Why nothing is said of goals to which no run was found."""
        why = {rule: text for rule, text in self.undecided.items() if rule in missing}
        for rule in missing if self.asks.open else ():
            gaps = missing_ways(self.program, rule)
            if gaps and rule not in why:
                why[rule] = f"{rule}: {'; '.join(gaps)}"
        for rule in missing:
            number = self.tried.get(rule, 0)
            if number and rule not in why:
                refused = ", ".join(self.denied.get(rule, {}))
                by = f"; gestures were refused by {refused}" if refused else ""
                why[rule] = (
                    f"{rule}: {number} state{'s' * (number != 1)} in which the solver saw the end of a run "
                    f"{'were' if number != 1 else 'was'} tried, and the guard did not confirm it in any{by}"
                )
        return why

    # ------------------------------------------------------------ from point to point

    def _begin(self) -> Point:
        story = played(self.program, self.start)
        if story is None:
            raise CannotStart("the steps to the start do not pass")
        if story.guard.finished:
            raise CannotStart("the task is over at the start")
        if any(turn.kind == "clock" for turn in self.start):
            return Point(self.start, Belief.of(story))
        # later steps may move the clock: the first step with a clock says when a story begins
        clock = DEFAULT_CLOCK if self.start else DEFAULT_CLOCK.replace(hour=0, minute=0)
        turns = (Turn("clock", clock=clock), *self.start)
        story = played(self.program, turns)
        assert story is not None
        return Point(turns, Belief.of(story))

    def _after(self, point: Point, keys: set[Any]) -> Iterator[Point]:
        """The points one action further."""
        for clause in clauses(self.program):
            action = action_of(clause)
            if action == "finish":
                continue
            for turns in self.asks.tries(point, (clause,), action):
                after = self._allowed(turns)
                if after is not None and after.belief.key not in keys:
                    keys.add(after.belief.key)
                    yield after

    def _allowed(self, turns: Turns) -> Point | None:
        """The point after these steps, of which the last one is allowed, if need be by somebody who is asked."""
        for level in ("allow", "confirm"):
            expected = replace(turns[-1], expected=ExpectedVerdict((level,)))
            tried = (*turns[:-1], expected, *([Turn("approve")] if level == "confirm" else []))
            story = played(self.program, tried)
            if story is not None:
                return Point(tried, Belief.of(story), moved=True)
        return None

    # ------------------------------------------------------------ the last step

    def _reached(self, point: Point, goal: Goal) -> Plan | None:
        """The run to a goal that ends with the next step."""
        if not goal.proposed:
            return self._broken_by_gesture(point, goal)
        for turns in self.asks.tries(point, goal.rules, goal.proposed, once=True):
            made = self._ended(turns, goal)
            if made is not None:
                return made
            self.tried[goal.rule] = self.tried.get(goal.rule, 0) + 1
            if self._refused(point, goal):
                return None
        return None

    def _refused(self, point: Point, goal: Goal) -> bool:
        """Whether gestures that lead to a point are not permitted, so that no run goes on from it."""
        if point.turns not in self.refused and self.denied.get(goal.rule):
            self.refused[point.turns] = (
                Gestures(self.program).made(point.turns, self._steps_before(point)) is None
            )
        return self.refused.get(point.turns, False)

    def _ended(self, turns: Turns, goal: Goal) -> Plan | None:
        """The run to a goal, if the guard decides of its last step as the solver says."""
        if goal.without is None:
            after = self._allowed(turns)
            return self._of_gestures(self._plan(after.turns, goal), goal) if after is not None else None
        denied = self._breaking(turns, goal)
        return self._of_gestures(self._plan(denied, goal), goal) if self._breaks(denied, goal) else None

    def _breaking(self, turns: Turns, goal: Goal) -> Turns:
        """The run with a last step that is denied by the rule."""
        return (*turns[:-1], replace(turns[-1], expected=ExpectedVerdict(("block",), (goal.rule,))))

    def _breaks(self, turns: Turns, goal: Goal) -> bool:
        """Whether the last step is denied by the rule, and would run without the policy."""
        assert goal.without is not None
        story = Example("a plan", self.program.main, turns)
        return played(self.program, turns) is not None and (
            played(goal.without, unhindered(story).turns) is not None
        )

    def _broken_by_gesture(self, point: Point, goal: Goal) -> Plan | None:
        """A run that goes on by a gesture which the rule denies: one that is not an action, or one of the task's."""
        (deny,) = goal.rules
        assert goal.without is not None
        for turns in Gestures(self.program).bare(point.turns, deny):
            denied = self._breaking(turns, goal)
            if self._breaks(denied, goal):
                return self._of_gestures(self._plan(denied, goal), goal)
            self.tried[goal.rule] = self.tried.get(goal.rule, 0) + 1
        rest = without_gestures(self.program, deny)
        for clause in clauses(goal.without):
            if action_of(clause) == "finish":
                continue
            for turns in self.asks.tries(point, (clause, rest), action_of(clause)):
                steps = len(point.turns) if not acts(point.turns) else self._steps_before(point)
                plan = Plan(Example("", self.program.main, self._breaking(turns, goal)), steps, goal.rule)
                made = self._of_gestures(plan, goal, also=(deny,))
                if made is not None:
                    return made
        return None

    def _steps_before(self, point: Point) -> int:
        """How many steps of a run lead to where it starts."""
        return len(self.start) + (point.turns[: len(self.start)] != self.start or not self.start)

    # ------------------------------------------------------------ as a plan

    def _plan(self, turns: Turns, goal: Goal) -> Plan:
        """The run without what it does not need to suppose; it starts where it was to start, and does the same."""
        done = acts(turns)
        name = goal.name(done[len(acts(self.start)) :])
        story = Example(name, self.program.main, turns)
        steps = len(self.start)
        if steps and turns[:steps] != self.start:  # the clock was put before it
            bare = replace(story, turns=turns[1:])
            if passes(self.program, bare, goal):
                story = bare
            else:
                steps += 1
        start = story.turns[:steps]

        def tells(shorter: Example) -> bool:
            same = shorter.turns[:steps] == start and acts(shorter.turns) == done
            return same and passes(self.program, shorter, goal)

        while True:
            shorter = shrunk(story, tells)
            if shorter == story:
                return Plan(story, steps, goal.rule, run_example(self.program, story).steps)
            story = shorter

    def _of_gestures(self, plan: Plan, goal: Goal, *, also: tuple[Rule, ...] = ()) -> Plan | None:
        """The run made of gestures; None if one of them is not permitted, or it is too long."""
        if not self.by_gestures:
            return plan
        gestures = Gestures(self.program, also)
        made = gestures.made(plan.story.turns, plan.steps_before)
        self.denied.setdefault(goal.rule, {}).update(gestures.denied)
        if made is None:
            return None
        story = Example(plan.story.name, self.program.main, made.turns)
        steps = plan.steps_before
        if not self.start and steps:  # the clock was put before it
            bare = replace(story, turns=story.turns[1:])
            story, steps = (bare, 0) if passes(self.program, bare, goal) else (story, steps)
        made_plan = Plan(story, steps, goal.rule, notes=made.notes)
        if made_plan.length > self.bounds.steps:
            self.undecided[goal.rule] = (
                f"{goal.rule}: a run of {made_plan.length} gestures was found, and --steps is {self.bounds.steps}"
            )
            return None
        if not passes(self.program, story, goal):
            return None
        named = replace(story, name=goal.name(acts(made_plan.steps)))
        return replace(made_plan, story=named, results=run_example(self.program, named).steps)
