"""Plans: shortest runs to the end of a task, or runs that break a policy; each was run by the guard.

The search goes forward over the guard itself, step by step, shortest runs first. At each point the solver proposes what
the app could show next so that a clause permits an action, and the instance of the action; the guard runs it. What the
guard believes is kept: the solver may only add what is not known yet, and, of relations that no effect of the app
module writes, what the app could show otherwise after an action.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from vsalang.core.example import LEVELS, Example, Expected, Turn
from vsalang.core.ir import Judge, License, Program, Rule
from vsalang.guard.examples import DEFAULT_CLOCK, Story, run_example
from vsalang.prove.conflicts import judges_gestures
from vsalang.prove.pinned import Belief, says
from vsalang.prove.stories import Asked, Teller, shrunk, texts_in
from vsalang.prove.time import Time, TimeIsUp
from vsalang.smt.joint import Joint, holds
from vsalang.smt.query import NoAnswer
from vsalang.smt.results import Row, Unsupported, World
from vsalang.smt.scan import size
from vsalang.smt.sorts import Cell, conj, neg

INSTANCES = 3
"""How many instances of each clause are tried at each point."""
ENDS = 12
"""How many are tried at each point for the last step: a run is lost if the guard decides otherwise in all of them."""
_MOST_ROWS = 12

Turns: TypeAlias = tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that the guard made.

    Attributes:
        story: passes as a test.
        given: how many of its steps lead to the state from which it starts.
        rule: the id of the `done` clause by which it ends, or of the rule of the policy that it breaks.
    """

    story: Example
    given: int
    rule: str

    @property
    def steps(self) -> Turns:
        """What is planned, without what was given."""
        return self.story.turns[self.given :]

    @property
    def actions(self) -> int:
        """How many actions are planned; the end of the task is none."""
        return len(_acts(self.steps))


@dataclass(frozen=True, slots=True)
class Planned:
    """What a search found.

    Attributes:
        plans: at most one for each rule, and one that acts where the first one needs no action.
        without: the ids of the rules for which nothing was found.
        steps: how many actions were looked at, one after the other; -1: not even the start.
        rows: up to so many rows of each relation were supposed.
        open: what the solver could not look into, and where the time was not enough.
    """

    plans: tuple[Plan, ...]
    without: tuple[str, ...]
    steps: int
    rows: int
    open: tuple[str, ...] = ()


class CannotStart(ValueError):
    """The steps to the start do not pass, or the task is over there."""


def plan(
    program: Program,
    *,
    start: Sequence[Turn] = (),
    steps: int = 6,
    seconds: float = 120.0,
    each: float = 5.0,
    progress: Callable[[str], None] = lambda text: None,
) -> Planned:
    """Shortest runs to `done`, one for each of its clauses, that no rule in force denies.

    Args:
        program: a spec with the policies in force.
        start: steps that lead to the state from which to plan.
        steps: how many actions a run has at most.
        seconds: for all questions to the solver together.
        each: seconds for one.
        progress: is told what is being looked at.

    Raises:
        CannotStart: there is no such state, or the task is over in it.
    """
    ends = [rule for rule in _clauses(program) if _action(rule) == "finish"]
    goals = [Goal(rule.id, (rule,), "finish") for rule in ends]
    search = _Search(program, Time(seconds, round(each * 1000)), tuple(start), progress)
    return search.found(goals, steps, acting=not start)


def violation(
    program: Program,
    guarded: Program,
    *,
    start: Sequence[Turn] = (),
    steps: int = 6,
    seconds: float = 120.0,
    each: float = 5.0,
    progress: Callable[[str], None] = lambda text: None,
) -> Planned:
    """Shortest runs that are allowed without a policy, and whose last step the policy denies; one for each `deny`.

    Args:
        program: a spec with the policies in force.
        guarded: the same with the policy that is to be broken.

    Raises:
        CannotStart: as of `plan`.
    """
    known = {rule.id for rule in program.rules}
    denies = [r for r in guarded.rules if _denies(r) and r.id not in known]
    goals = [
        Goal(deny.id, (clause, deny), _action(clause), program)
        for deny in denies
        for clause in _clauses(program)
        if not judges_gestures(guarded, deny)
    ]
    broken = frozenset(rule.id for rule in guarded.rules) - known
    search = _Search(guarded, Time(seconds, round(each * 1000)), tuple(start), progress, broken)
    for deny in denies:
        if judges_gestures(guarded, deny):
            search.open[f"{deny.id} judges gestures, and which ones the task needs only the screens say"] = (
                None
            )
    return search.found(goals, steps, acting=False)


@dataclass(frozen=True, slots=True)
class Goal:
    """What the last step of a run is to show.

    Attributes:
        rule: the id that a plan is known by.
        rules: all must hold in the last step.
        proposed: the action of the last step.
        without: the program without the policy that is to be broken; None: the last step is to be allowed.
    """

    rule: str
    rules: tuple[Rule, ...]
    proposed: str
    without: Program | None = None


@dataclass(frozen=True, slots=True)
class _Point:
    """Where a run has come to."""

    turns: Turns
    belief: Belief
    moved: bool = False


@dataclass(eq=False)
class _Search:
    """One search.

    Attributes:
        program: decides what may be done.
        start: steps that were given.
        broken: the ids of the rules of the policy that is to be broken.
    """

    program: Program
    time: Time
    start: Turns
    progress: Callable[[str], None]
    broken: frozenset[str] = frozenset()
    rows: int = 0
    open: dict[str, None] = field(default_factory=dict)
    hints: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def judges(self) -> list[Rule]:
        """The rules that deny or ask."""
        return [rule for rule in self.program.rules if _denies(rule) or _asks(rule)]

    def found(self, goals: Sequence[Goal], steps: int, *, acting: bool) -> Planned:
        """Plans for goals, those with fewest actions first.

        Args:
            acting: where all that is found needs no action, one that acts is looked for, too.
        """
        found: dict[str, Plan] = {}
        acts: Plan | None = None
        looked = -1
        points = [self._begin()]
        told: set[Any] = set()
        try:
            self._look_back(goals)
            for depth in range(steps + 1):
                self.progress(f"{depth} actions")
                for point in points:
                    for goal in goals:
                        if goal.rule in found and (acts is not None or not acting or depth == 0):
                            continue
                        made = self._reached(point, goal)
                        if made is not None:
                            found.setdefault(goal.rule, made)
                            acts = made if made.actions and acts is None else acts
                looked = depth
                if {goal.rule for goal in goals} <= set(found) and (acts is not None or not acting):
                    break
                if depth < steps:
                    points = [after for point in points for after in self._after(point, told)]
        except TimeIsUp as error:
            self.open[f"the time was not enough ({error})"] = None
        plans = list(found.values())
        if acts is not None and not any(one.actions for one in plans):
            plans.append(acts)
        return Planned(
            tuple(plans),
            tuple(dict.fromkeys(goal.rule for goal in goals if goal.rule not in found)),
            looked,
            self.rows,
            tuple(self.open),
        )

    # ------------------------------------------------------------ from point to point

    def _begin(self) -> _Point:
        story = _played(self.program, self.start)
        if story is None:
            raise CannotStart("the steps to the start do not pass")
        if story.guard.finished:
            raise CannotStart("the task is over at the start")
        if any(turn.kind == "clock" for turn in self.start):
            return _Point(self.start, Belief.of(story))
        # later steps may move the clock: the first step with a clock says when a story begins
        clock = DEFAULT_CLOCK if self.start else DEFAULT_CLOCK.replace(hour=0, minute=0)
        turns = (Turn("clock", clock=clock), *self.start)
        story = _played(self.program, turns)
        assert story is not None
        return _Point(turns, Belief.of(story))

    def _after(self, point: _Point, told: set[Any]) -> Iterator[_Point]:
        """The points one action further."""
        for clause in _clauses(self.program):
            action = _action(clause)
            if action == "finish":
                continue
            for turns in self._tries(point, (clause,), action):
                after = self._allowed(turns)
                if after is None:
                    continue
                key = (repr(sorted(after.belief.rows.items())), repr(sorted(after.belief.done.items())))
                if key not in told:
                    told.add(key)
                    yield after

    def _allowed(self, turns: Turns) -> _Point | None:
        """The point after these steps, of which the last one is allowed, if need be by somebody who is asked."""
        for level in ("allow", "confirm"):
            expected = replace(turns[-1], expected=Expected((level,)))
            tried = (*turns[:-1], expected, *([Turn("approve")] if level == "confirm" else []))
            story = _played(self.program, tried)
            if story is not None:
                return _Point(tried, Belief.of(story), moved=True)
        return None

    def _reached(self, point: _Point, goal: Goal) -> Plan | None:
        """The run to a goal that ends with the next step."""
        for turns in self._tries(point, goal.rules, goal.proposed, once=True):
            if goal.without is None:
                after = self._allowed(turns)
                if after is not None:
                    return self._plan(after.turns, goal)
            elif self._breaks(turns, goal):
                expected = Expected(("block",), (goal.rule,))
                return self._plan((*turns[:-1], replace(turns[-1], expected=expected)), goal)
        return None

    def _breaks(self, turns: Turns, goal: Goal) -> bool:
        """Whether the last step is denied by the rule, and would run without the policy."""
        assert goal.without is not None
        denied = replace(turns[-1], expected=Expected(("block",), (goal.rule,)))
        runs = replace(turns[-1], expected=Expected(("allow", "confirm")))
        return (
            _played(self.program, (*turns[:-1], denied)) is not None
            and _played(goal.without, (*turns[:-1], runs)) is not None
        )

    def _plan(self, turns: Turns, goal: Goal) -> Plan:
        """The run without what it does not need to suppose; it starts where it was to start, and does the same."""
        acts = _acts(turns)
        story = Example(_name(goal, len(acts) - len(_acts(self.start))), self.program.main, turns)
        given = len(self.start)
        if given and turns[:given] != self.start:  # the clock was put before it
            bare = replace(story, turns=turns[1:])
            if _passes(self.program, bare, goal):
                story = bare
            else:
                given += 1
        start = story.turns[:given]

        def tells(shorter: Example) -> bool:
            same = shorter.turns[:given] == start and _acts(shorter.turns) == acts
            return same and _passes(self.program, shorter, goal)

        while True:
            shorter = shrunk(story, tells)
            if shorter == story:
                return Plan(story, given, goal.rule)
            story = shorter

    # ------------------------------------------------------------ what the solver proposes

    def _tries(
        self, point: _Point, rules: tuple[Rule, ...], proposed: str, *, once: bool = False
    ) -> Iterator[Turns]:
        """Runs that go on from a point by what the app shows, and a proposal by which all rules hold."""
        try:
            for world, row in self._worlds(point, rules, proposed, once=once):
                yield (*point.turns, *self._shown(point, world), self._proposal(proposed, row, world))
        except Unsupported as error:
            self.open[f"the solver does not look into {error}"] = None
        except NoAnswer as error:
            self.open[f"a question has no answer: {error.sentence}"] = None

    def _worlds(
        self, point: _Point, rules: tuple[Rule, ...], proposed: str, *, once: bool
    ) -> Iterator[tuple[World, Row]]:
        query = self._query(point.belief, rules)
        state = query.states[0]
        rel = self.program.relation(proposed)
        base = [holds(state, rule, []) for rule in rules]
        breaking = self.broken if any(map(_denies, rules)) else frozenset()
        undenied = self._unmet(query, [r for r in self.judges if _denies(r) and r.id not in breaking])
        unasked = self._unmet(query, [r for r in self.judges if _asks(r) and r.id not in breaking])
        base += [*query.told(proposed), *point.belief.keeps(query, moved=point.moved)]
        base.append(state.slots("now", proposed)[0].present)
        cells = state.slots("now", proposed)[0].cells
        hints = [] if once else self.hints.get(proposed, [])
        wanted = [[says(query, rel, cells, row)] for row in hints]
        found, most = 0, ENDS if once else INSTANCES
        for wish in (*wanted, *([[]] * most)):
            for without in (unasked, []) if unasked else ([],):
                query.timeout = self.time.next()
                solver = query.solver([*base, *undenied, *without, *wish])
                if query.check(solver):
                    break
            else:
                continue
            world = query.example(solver)
            row = next(iter(world.rows.get(proposed, ())), (None,) * len(rel.attrs))
            yield world, row
            found += 1
            if found == most or (not rel.attrs and not once):
                return
            base.append(_otherwise(query, cells) if rel.attrs else _other(query))

    def _query(self, belief: Belief, rules: tuple[Rule, ...]) -> Joint:
        rows = min(sum(size(self.program, rule).rows for rule in rules) + belief.most(), _MOST_ROWS)
        self.rows = max(self.rows, rows)
        asked = [*rules, *(rule for rule in self.judges if rule not in rules)]
        hints = {text for known in self.hints.values() for row in known for text in texts_in(row)}
        texts = sorted(hints | belief.texts())
        return Joint(self.program, asked, rows, self.time.next(), texts=texts)

    def _unmet(self, query: Joint, rules: Sequence[Rule]) -> list[Any]:
        """That none of these rules holds, as far as the solver looks into them; the guard has the last word."""
        found = []
        for rule in rules:
            try:
                found.append(neg(holds(query.states[0], rule, [])))
            except Unsupported:
                continue
        return found

    def _look_back(self, goals: Sequence[Goal]) -> None:
        """Notes which instances the ends of the task ask for: they are tried first."""
        for goal in goals:
            if goal.proposed != "finish" or goal.without is not None:
                continue
            try:
                query = Joint(
                    self.program, goal.rules, size(self.program, goal.rules[0]).rows, self.time.next()
                )
                formulas = [holds(query.states[0], rule, []) for rule in goal.rules]
                solver = query.solver([*formulas, *query.allowed_history(), *query.told("finish")])
                if query.check(solver):
                    for action, commits in query.example(solver).commits.items():
                        self.hints.setdefault(action, []).extend(commit.row for commit in commits)
            except (Unsupported, NoAnswer):
                continue  # hints only save time

    # ------------------------------------------------------------ as steps

    def _shown(self, point: _Point, world: World) -> list[Turn]:
        """What the app shows so that the state is as the solver proposes."""
        turns = [Turn("assume", assumed=pair) for pair in world.similar if pair[0] != pair[1]]
        turns = [turn for turn in turns if turn not in point.turns]
        clock = next((row[0] for row in world.rows.get("Clock", ()) if row[0] is not None), None)
        if clock is not None and clock != point.belief.now:
            turns.append(Turn("clock", clock=DEFAULT_CLOCK.combine(world.today, clock)))  # type: ignore[arg-type]
        teller = Teller([self.program])
        return [*turns, *teller.state(world, point.belief.shown(self.program))]

    def _proposal(self, proposed: str, row: Row, world: World) -> Turn:
        turn = Teller([self.program]).proposal(Asked(proposed, row), world)
        return replace(turn, expected=Expected(LEVELS))


# ---------------------------------------------------------------- helpers


def _played(program: Program, turns: Turns) -> Story | None:
    """A story after these steps; None if one of them does not come out as it says."""
    example = Example("a plan", program.main, turns)
    try:
        story = Story.begin(program, example)
        return story if all(story.step(turn).passed for turn in turns) else None
    except Exception:  # a step that cannot be run: it is no plan
        return None


def _passes(program: Program, story: Example, goal: Goal) -> bool:
    """Whether a run passes as `vsac test` runs it; one that breaks a policy runs without the policy, too."""
    if not run_example(program, story).passed:
        return False
    if goal.without is None:
        return True
    last = replace(story.turns[-1], expected=Expected(("allow", "confirm")))
    return run_example(goal.without, replace(story, turns=(*story.turns[:-1], last))).passed


def _acts(turns: Turns) -> list[Any]:
    return [
        part
        for turn in turns
        for part in turn.parts
        if part.kind == "attempt" and part.fact.relation != "finish"
    ]


def _name(goal: Goal, actions: int) -> str:
    if goal.without is not None:
        return f"a run that breaks {goal.rule}"
    return f"done after {actions} action{'s' * (actions != 1)}" if actions else "done at once"


def _clauses(program: Program) -> list[Rule]:
    """The clauses of the task; what policies permit besides is none of it."""
    licences = [rule for rule in program.rules if isinstance(rule.head, License)]
    return [rule for rule in licences if program.modules[rule.module].kind != "policy"]


def _action(rule: Rule) -> str:
    assert isinstance(rule.head, License)
    return rule.head.atom.relation


def _denies(rule: Rule) -> bool:
    return isinstance(rule.head, Judge) and rule.head.level == "deny"


def _asks(rule: Rule) -> bool:
    return isinstance(rule.head, Judge) and rule.head.level == "confirm"


def _otherwise(query: Joint, cells: Sequence[Cell]) -> Any:
    """That cells do not all hold what they held in the last model."""
    parts: list[Any] = []
    for cell in cells:
        parts += [cell.known, cell.none, *(cell.value if isinstance(cell.value, tuple) else [cell.value])]
    return neg(conj([part == query.model.eval(part, model_completion=True) for part in parts]))


def _other(query: Joint) -> Any:
    """That which rows there are, or which screens show, is not as in the last model."""
    flags = [slot.present for slots in query.state.made.values() for slot in slots]
    flags += query.state.screens.values()
    return neg(conj([flag == query.model.eval(flag, model_completion=True) for flag in flags]))
