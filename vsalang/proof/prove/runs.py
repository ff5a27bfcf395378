"""Runs of a guard that lead somewhere: what was found, and how runs are played."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard.examples import StepResult, Story, run_example
from vsalang.program.example import Example, ExpectedVerdict, Part, Turn
from vsalang.program.ir import Judge, License, Literal, Program, Rule, Write
from vsalang.program.walk import needed, present, relations, variables
from vsalang.proof.solver.scan import with_definitions

Turns: TypeAlias = tuple[Turn, ...]
_MADE = ("attempt", "gesture")


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that the guard made.

    Attributes:
        story: passes as a test.
        steps_before: how many of its steps lead to the state from which it starts.
        rule: the id of the `done` clause by which it ends, or of the rule of the policy that it breaks.
        results: the result of each step of the story.
        notes: what it supposes because the app module does not say it.
    """

    story: Example
    steps_before: int
    rule: str
    results: tuple[StepResult, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def steps(self) -> Turns:
        """What is planned, without what was given."""
        return self.story.turns[self.steps_before :]

    @property
    def length(self) -> int:
        """How many gestures and actions are planned; the end of the task is none."""
        return len(acts(self.steps))

    @property
    def acts(self) -> bool:
        """Whether a critical action is planned, in addition to the end of the task."""
        verdicts = [
            result.verdict for result in self.results[self.steps_before :] if result.verdict is not None
        ]
        return any(action.name != "finish" for verdict in verdicts for action in verdict.actions)


@dataclass(frozen=True, slots=True)
class PlanSearchResult:
    """What a search found.

    Attributes:
        plans: one for each rule, if no more are asked for, and one that acts where the first one needs no action.
        without: the ids of the rules for which there is no run within the bound.
        undecided: the ids of the rules for which none was found, though not all within the bound was looked at.
        steps: how many actions were looked at, one after the other; -1: not even the start.
        rows: up to so many rows of each relation were supposed.
        open: what was not looked at, and why.
    """

    plans: tuple[Plan, ...]
    without: tuple[str, ...]
    undecided: tuple[str, ...]
    steps: int
    rows: int
    open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """What the last step of a run is to show.

    Attributes:
        rule: the id that a plan is known by.
        rules: all must hold in the last step.
        proposed: the action of the last step; empty: a gesture, whatever it does.
        without: the program without the policy that is to be broken; None: the last step is to be allowed.
    """

    rule: str
    rules: tuple[Rule, ...]
    proposed: str
    without: Program | None = None

    def name(self, done: Sequence[Part]) -> str:
        """What a run to it is called in which this is done."""
        if self.without is not None:
            return f"a run that breaks {self.rule}"
        kinds = {part.kind for part in done}
        what = {"gesture": "gesture", "attempt": "action"}[kinds.pop()] if len(kinds) == 1 else "step"
        return f"done after {len(done)} {what}{'s' * (len(done) != 1)}" if done else "done at once"


def played(program: Program, turns: Iterable[Turn]) -> Story | None:
    """A story after these steps; None if one of them does not come out as it says."""
    run_state = _run(program, tuple(turns))
    return run_state[0] if run_state is not None else None


def last_step(program: Program, turns: Iterable[Turn]) -> StepResult | None:
    """The result of the last step; None if a step has another result than it says."""
    run_state = _run(program, tuple(turns))
    return run_state[1] if run_state is not None else None


def _run(program: Program, turns: Turns) -> tuple[Story, StepResult | None] | None:
    try:
        story = Story.begin(program, Example("a plan", program.main, turns))
        last = None
        for turn in turns:
            last = story.step(turn)
            if not last.passed:
                return None
    except Exception:  # a step that cannot be run: it is not a plan
        return None
    return story, last


def passes(program: Program, story: Example, goal: Goal) -> bool:
    """Whether a run passes as `vsac test` runs it; one that breaks a policy runs without the policy, too."""
    if not run_example(program, story).passed:
        return False
    return goal.without is None or run_example(goal.without, unhindered(story)).passed


def unhindered(story: Example) -> Example:
    """The story with a last step that is allowed, if need be by somebody who is asked."""
    last = replace(story.turns[-1], expected=ExpectedVerdict(("allow", "confirm")))
    return replace(story, turns=(*story.turns[:-1], last))


def acts(turns: Iterable[Turn]) -> list[Part]:
    """The gestures and actions of steps; the end of the task is none."""
    made = [part for turn in turns for part in turn.parts if part.kind in _MADE]
    return [part for part in made if part.fact.relation != "finish"]


def clauses(program: Program) -> list[Rule]:
    """The clauses of the task; what policies permit besides is none of it."""
    licences = [rule for rule in program.rules if isinstance(rule.head, License)]
    return [rule for rule in licences if program.modules[rule.module].kind != "policy"]


def action_of(rule: Rule) -> str:
    """The action that a clause permits."""
    assert isinstance(rule.head, License)
    return rule.head.atom.relation


def written_by_gestures(program: Program) -> frozenset[str]:
    """The relations into which typing and choosing write."""
    return frozenset(
        rule.head.atom.relation
        for rule in program.rules
        if rule.trigger == "input" and isinstance(rule.head, Write)
    )


def cells_written(rule: Rule) -> set[str]:
    """The cells to which an effect gives a value."""
    assert isinstance(rule.head, Write)
    return {c.attr for c in rule.head.atom.constraints if c.term is not None}


def denies(rule: Rule) -> bool:
    """Whether it is a `deny`."""
    return isinstance(rule.head, Judge) and rule.head.level == "deny"


def asks(rule: Rule) -> bool:
    """Whether it is a `confirm`."""
    return isinstance(rule.head, Judge) and rule.head.level == "confirm"


def without_gestures(program: Program, rule: Rule) -> Rule:
    """The rule without the conditions about a gesture, and those that need what these give."""

    def of_gesture(literal: Literal) -> bool:
        reached = with_definitions(program, [replace(rule, body=(literal,))])
        return any(
            program.relation(name).sort == "gesture" for name in relations(tuple(r.body for r in reached))
        )

    kept = [literal for literal in rule.body if not of_gesture(literal)]
    names = {name for literal in present(kept) for name in variables(literal)}
    return replace(rule, body=tuple(literal for literal in kept if needed(literal) <= names))


def judges_gestures(program: Program, rule: Rule) -> bool:
    """Whether the rule looks at the gesture itself."""
    reached = relations(tuple(r.body for r in with_definitions(program, [rule])))
    return any(program.relations[name].sort == "gesture" for name in reached)
