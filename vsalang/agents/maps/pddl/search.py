"""Plans for a task by a classical planner; each was run by the guard, and what it refuses is planned around."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from vsalang.agents.maps.following import Move, begin, ends, followed
from vsalang.agents.maps.pddl.downward import MEGABYTES, PlannerError, Steps, solve
from vsalang.agents.maps.pddl.notation import Pddl, PddlOmission
from vsalang.agents.maps.pddl.programs import of_program
from vsalang.base.records import dataclass
from vsalang.guard.examples import Story
from vsalang.program.example import Turn
from vsalang.program.ir import Goto, Program, Rule
from vsalang.proof.prove.bounds import Bounds
from vsalang.proof.prove.runs import Goal, Plan, PlanSearchResult
from vsalang.proof.prove.time import Time, TimeIsUp

TRIES: Final = 12
"""So many plans are shown to the guard for each end, if it refuses them."""


@dataclass(frozen=True, slots=True)
class Result:
    """What was found.

    Attributes:
        planned: the plans, and what was not decided.
        problems: for each `done` clause its id, and its problem as the planner got it first.
        dropped: what these problems do not say.
    """

    planned: PlanSearchResult
    problems: tuple[tuple[str, Pddl], ...]
    dropped: tuple[PddlOmission, ...]


def problems(
    program: Program, *, start: Sequence[Turn] = (), bounds: Bounds | None = None
) -> tuple[tuple[str, Pddl], ...]:
    """The planning problem of each `done` clause.

    Raises:
        CannotStart: as of `begin`.
    """
    story = begin(program, start)
    level = (bounds or Bounds()).level
    return tuple((rule.id, of_program(program, story, rule, level=level)) for rule in ends(program))


def plan(
    program: Program,
    *,
    start: Sequence[Turn] = (),
    bounds: Bounds | None = None,
    megabytes: int = MEGABYTES,
    progress: Callable[[str], None] = lambda text: None,
) -> Result:
    """Runs to the end of a task with fewest gestures, one for each of its `done` clauses.

    Args:
        program: a spec with the policies in force.
        start: steps that lead to the state from which to plan.
        bounds: how long, and what runs are made of.
        megabytes: memory that the planner may have.
        progress: is told what is being looked at.

    Raises:
        CannotStart: as of `begin`.
        NotInstalled: Fast Downward is not.
    """
    bounds = bounds or Bounds()
    story = begin(program, start)
    search = _Search(program, tuple(start), story, bounds, megabytes, progress)
    return search.result()


class _Search:
    """A search for plans, by one planner, within bounds."""

    def __init__(
        self,
        program: Program,
        start: tuple[Turn, ...],
        story: Story,
        bounds: Bounds,
        megabytes: int,
        progress: Callable[[str], None],
    ) -> None:
        self.program = program
        self.start = start
        self.story = story
        self.bounds = bounds
        self.megabytes = megabytes
        self.progress = progress
        self.time: Time = bounds.time()
        self.open: dict[str, None] = {}
        self.problems: dict[str, Pddl] = {}
        self.dropped: dict[tuple[str, str], PddlOmission] = {}

    def result(self) -> Result:
        plans: list[Plan] = []
        without: list[str] = []
        undecided: list[str] = []
        for rule in ends(self.program):
            made = self.to(rule, acting=False)
            if isinstance(made, Plan):
                plans.append(made)
            else:
                (without if made else undecided).append(rule.id)
        if plans and not self.start and not any(one.acts for one in plans):
            for one in list(plans):
                rule = next(rule for rule in ends(self.program) if rule.id == one.rule)
                busy = self.to(rule, acting=True)
                if isinstance(busy, Plan):
                    plans.append(busy)
                    break
        planned = PlanSearchResult(
            tuple(plans), tuple(without), tuple(undecided), self.bounds.steps, 0, tuple(self.open)
        )
        return Result(planned, tuple(self.problems.items()), tuple(self.dropped.values()))

    def to(self, rule: Rule, *, acting: bool) -> Plan | bool:
        """A plan that ends by a clause; else whether there is none: False if that is not sure."""
        goal = Goal(rule.id, (rule,), "finish")
        bans: dict[str, frozenset[tuple[str, ...]]] = {}
        refused = 0
        while refused < TRIES:
            self.progress(f"{rule.id}: {refused} plans refused" if refused else rule.id)
            try:
                seconds = self.time.left()
                problem = of_program(
                    self.program, self.story, rule, level=self.bounds.level, acting=acting, banned=bans
                )
                self.problems.setdefault(rule.id, problem)
                self.dropped.update({(each.what, each.reason): each for each in problem.dropped})
                result = solve(problem.domain, problem.problem, seconds=seconds, megabytes=self.megabytes)
            except (PlannerError, TimeIsUp) as error:
                reason = f"the time was not enough ({error})" if isinstance(error, TimeIsUp) else str(error)
                self.open[f"{rule.id}: {reason}"] = None
                return False
            if result.steps is None:
                return not bans and not problem.dropped
            moves = moves_of(problem, result.steps)
            made = followed(self.program, self.start, moves, goal, self.bounds.level)
            if isinstance(made, Plan):
                if made.length > self.bounds.steps:
                    what = "gestures" if self.bounds.level == "gestures" else "actions"
                    self.open[
                        f"{rule.id}: a run of {made.length} {what} was found, and --steps is {self.bounds.steps}"
                    ] = None
                    return False
                return made
            refused += 1
            self.open[f"{rule.id}: the guard refused a plan: {made.why}"] = None
            name, *args = result.steps[min(made.step, len(result.steps) - 1)]
            if name == "finish":
                return False
            bans[name] = bans.get(name, frozenset()) | {tuple(args)}
        return False


def moves_of(problem: Pddl, steps: Steps) -> list[Move]:
    """The steps of a plan, with what their names stand for."""
    return [_move(problem, name, args) for name, *args in steps]


def _move(problem: Pddl, name: str, args: Sequence[str]) -> Move:
    meaning: Any = problem.operators[name].meaning
    named = {attr: args[at] if isinstance(at, int) else at for attr, at in meaning.args.items()}
    cells = {attr: value for attr, word in named.items() if (value := problem.objects[word]) is not None}
    match meaning.kind:
        case "screen" | "jump":
            return Move(meaning.kind, problem.objects[args[-1]], {})
        case "go":
            rule = problem.objects[args[1]]
            assert isinstance(rule.head, Goto)
            return Move("go", rule.head.screen, {}, rule)
        case "finish":
            return Move("do", "finish", {})
        case kind:
            return Move(kind, meaning.relation, cells, meaning.rule)
