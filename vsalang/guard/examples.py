"""Runs stories (`vsalang.program.example.Example`) against a guard: the `test` blocks of the language."""

import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import replace

from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.engine import Opens
from vsalang.guard.api import Guard
from vsalang.guard.courses import Courses
from vsalang.guard.judge.judgement import Watch
from vsalang.guard.say.verdict import NotAllowed, ObservationResult, Proposal, Reason, Verdict
from vsalang.guard.settings import Settings
from vsalang.guard.world.beliefs import BELIEVED, CellWrite, RowDelete
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.observing import KnownWorld
from vsalang.program.action import GESTURES, Action
from vsalang.program.example import PROPOSALS, Example, ExpectedVerdict, Fact, Today, Turn
from vsalang.program.example import Part as StoryPart
from vsalang.program.ir import Program, Relation
from vsalang.program.similarity import DEFAULT, AssumedPairs, Similarity
from vsalang.program.values import Value, without_unknown

DEFAULT_CLOCK = dt.datetime(2026, 1, 5, 9, 0)
"""The clock of a story that sets none."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step of a story.

    Attributes:
        passed: whether everything expected of it was so.
        wanted: the verdict and reasons expected, in words; empty for a step that proposes nothing.
        got: the verdict given.
        problem: what is wrong; empty if it passed.
        reasons: the verdict's.
        verdict: None for a step that proposes nothing.
        observed: what the observation after it did.
    """

    turn: Turn
    passed: bool
    wanted: str = ""
    got: str = ""
    problem: str = ""
    reasons: tuple[Reason, ...] = ()
    verdict: Verdict | None = None
    observed: ObservationResult | None = None

    @property
    def span(self) -> Span | None:
        """Where the step is written."""
        return self.turn.span or self.turn.expected.span


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """A story that was run; it ends at its first step that fails."""

    example: Example
    steps: tuple[StepResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every step did."""
        return all(step.passed for step in self.steps)

    @property
    def failure(self) -> StepResult | None:
        """The step that failed."""
        return next((step for step in self.steps if not step.passed), None)


class StoryError(Exception):
    """A story that cannot be run as it is written."""


def run_example(
    program: Program,
    example: Example,
    *,
    engine: EngineName | Opens = DEFAULT_ENGINE,
    watch: Watch | None = None,
    similarity: Similarity = DEFAULT,
    end: float | None = None,
    courses: Courses | None = None,
) -> ExampleResult:
    """Run a story from the beginning, each step one turn, up to the first step that fails.

    A step that would begin after `end` (of `time.monotonic`) fails. `watch` is shown every moment in which rules are
    read; `similarity` answers ``~=`` where the story assumes nothing; `courses` is the outcome of the same in stories
    before this one.

    In the tests of apps and policies, actions that no clause of the program mentions need no licence: there is no
    task.
    """
    try:
        story = Story.begin(
            program, example, engine=engine, watch=watch, similarity=similarity, courses=courses
        )
    except Exception as error:
        turn = example.turns[0] if example.turns else Turn("given")
        return ExampleResult(example, (StepResult(turn, False, problem=_problem(error)),))
    steps: list[StepResult] = []
    for turn in example.turns:
        try:
            if end is not None and time.monotonic() > end:
                raise StoryError("the tests take too long: no time is left for this step")
            step = story.step(turn)
        except Exception as error:
            step = StepResult(turn, False, wanted=_wanted(turn.expected), problem=_problem(error))
        steps.append(step)
        if not step.passed:
            break
    return ExampleResult(example, tuple(steps))


def _problem(error: Exception) -> str:
    return str(error) if isinstance(error, StoryError | NotAllowed) else f"{type(error).__name__}: {error}"


def _wanted(expected: ExpectedVerdict) -> str:
    words = " or ".join(expected.levels)
    return words + (f" because {', '.join(expected.because)}" if expected.because else "")


def _has_task(program: Program) -> bool:
    """Whether critical actions need a licence: not in the tests of apps and policies, which know of no task."""
    return any(module.kind == "spec" for module in program.modules.values())


def _on_day(clock: dt.datetime, day: dt.date) -> dt.datetime:
    """The time of a clock step; one without a date (`dt.date.min` stands for none) keeps the day."""
    return clock if clock.date() != dt.date.min else dt.datetime.combine(day, clock.time())


def _instruction(example: Example) -> str | None:
    """What is given as the user's words; None: the description of the spec."""
    for part in (part for turn in example.turns for part in turn.parts):
        if part.fact.relation == "Instruction":
            if part.kind != "given":
                raise StoryError("what the user asked for is said by `given Instruction(text = ..)` only")
            return str(part.fact.cells.get("text") or "")
    return None


class StoryClock:
    """The device's clock in a story: it stands still until a step moves it."""

    def __init__(self, now: dt.datetime) -> None:
        self.now = now

    def __call__(self) -> dt.datetime:
        """The device's local time now."""
        return self.now


class Story:
    """A session that goes on by the steps of stories.

    Args:
        guard: its clock is `clock`.
        clock: is moved by steps.
        screen: shows; steps put device facts on it.

    Attributes:
        screen: shows now.
    """

    def __init__(self, guard: Guard, clock: StoryClock, screen: FactScreen) -> None:
        self.guard = guard
        self.clock = clock
        self.screen = screen
        self._asked: tuple[Turn, Verdict] | None = None

    @classmethod
    def begin(
        cls,
        program: Program,
        example: Example,
        *,
        engine: EngineName | Opens = DEFAULT_ENGINE,
        watch: Watch | None = None,
        similarity: Similarity = DEFAULT,
        courses: Courses | None = None,
    ) -> "Story":
        """A story before its first step; what is given is so. See `run_example`.

        Raises:
            StoryError: something cannot be given.
        """
        clocks = [turn.clock for turn in example.turns if turn.kind == "clock" and turn.clock is not None]
        clock = StoryClock(_on_day(clocks[0], DEFAULT_CLOCK.date()) if clocks else DEFAULT_CLOCK)
        today = clock.now.date()
        pairs = [turn.assumed for turn in example.turns if turn.kind == "assume" and turn.assumed is not None]
        similarity = AssumedPairs(pairs, similarity)
        guard = Guard(
            program,
            today=today,
            clock=clock,
            engine=engine,
            settings=Settings(
                overrides=None,
                verdict_life=None,
                screens_count=False,
                task=_has_task(program),
                lowering=tuple(rule.module for rule in program.lowered),
            ),
            similarity=similarity,
            watch=watch,
            instruction=_instruction(example),
            courses=courses,
        )
        story = cls(guard, clock, FactScreen())
        parts = [part for turn in example.turns if turn.kind == "given" for part in turn.parts]
        seen = story._known_world(parts)  # puts device rows on the first screen
        guard.observe(story.screen, seen=seen)
        return story

    # ------------------------------------------------------------------ steps

    def step(self, turn: Turn) -> StepResult:
        if turn.kind == "clock":
            assert turn.clock is not None
            self.clock.now = _on_day(turn.clock, self.clock.now.date())
        elif turn.kind == "approve":
            return self._approve(turn)
        elif turn.kind == "refuse":
            self._asked = None
        elif turn.kind == "turn":
            return self._turn(turn)
        return StepResult(turn, True)

    def _turn(self, turn: Turn) -> StepResult:
        self._asked = None
        if not any(part.kind in PROPOSALS for part in turn.parts):
            return StepResult(turn, True, observed=self._observe(turn))
        verdict = self.guard.propose(self.proposal(turn))
        expected = turn.expected
        result = StepResult(
            turn, True, _wanted(expected), verdict.level, reasons=verdict.reasons, verdict=verdict
        )
        problem = ""
        if verdict.level not in expected.levels:
            problem = f"wanted {_wanted(expected)}, got {verdict.level}"
        else:
            missing = [word for word in expected.because if not verdict.because(word)]
            if missing:
                problem = f"no reason of the {verdict.level} is {', '.join(missing)}"
        if problem:
            return StepResult(turn, False, result.wanted, result.got, problem, verdict.reasons, verdict)
        if verdict.level == "confirm":
            self._asked = (turn, verdict)
        if verdict.level != "allow":
            return result
        self.guard.commit(verdict)
        return StepResult(
            turn, True, result.wanted, result.got, "", verdict.reasons, verdict, self._observe(turn)
        )

    def _approve(self, turn: Turn) -> StepResult:
        if self._asked is None:
            raise StoryError(
                "approve is written where nothing was asked: it follows a step that is => confirm"
            )
        (asked, verdict), self._asked = self._asked, None
        try:
            self.guard.commit(verdict, approved=True)
        except NotAllowed as error:
            reasons = error.verdict.reasons if error.verdict is not None else ()
            return StepResult(
                turn, False, "allow", "block", f"after the approval: {error}", reasons, error.verdict
            )
        return StepResult(turn, True, "allow", "allow", observed=self._observe(asked))

    # ------------------------------------------------------------------ facts

    def _cells(self, fact: Fact) -> dict[str, Value | None]:
        return {
            name: self.guard.today + dt.timedelta(days=value.days) if isinstance(value, Today) else value
            for name, value in fact.cells.items()
        }

    def _relation(self, fact: Fact) -> Relation:
        relation = self.guard.program.relations.get(fact.relation)
        if relation is None:
            raise StoryError(f"{fact.relation} is not a relation of the program")
        return relation

    def _action(self, fact: Fact) -> Action:
        return Action(fact.relation, {n: v for n, v in self._cells(fact).items() if v is not None})

    def proposal(self, turn: Turn) -> Proposal:
        """What a step proposes.

        Raises:
            StoryError: it cannot be proposed.
        """

        def of(kind: str) -> list[Fact]:
            return [part.fact for part in turn.parts if part.kind == kind]

        gestures = [self._action(fact) for fact in of("gesture")]
        attempts = [self._action(fact) for fact in of("attempt")]
        gestures += [action for action in attempts if action.name in GESTURES]
        if len(gestures) > 1:
            raise StoryError("a step can make one gesture only")
        for fact in (*of("update"), *of("delete")):
            if self._relation(fact).sort not in BELIEVED:
                raise StoryError(f"{fact.relation} is not a state, view or list: it cannot be written")
        return Proposal(
            gestures[0] if gestures else None,
            tuple(action for action in attempts if action.name not in GESTURES),
            tuple(self._action(fact) for fact in of("claim")),
            tuple(replace(fact, cells=self._cells(fact), span=None) for fact in of("update")),
            tuple(Fact(fact.relation, self._cells(fact)) for fact in of("delete")),
        )

    def _known_world(self, parts: list[StoryPart]) -> KnownWorld:
        writes = []
        for part in parts:
            relation = self._relation(part.fact)
            if relation.sort in BELIEVED:
                writes.append(CellWrite(relation.name, self._cells(part.fact)))
            elif relation.sort == "observed":
                self.screen = self.screen.seen(relation, self._cells(part.fact))
            else:
                raise StoryError(
                    f"{relation.short} cannot be given: it is not a state, view, list or device fact"
                )
        return KnownWorld(writes=tuple(writes), rules=False)

    def _observe(self, turn: Turn) -> ObservationResult:
        """What is seen after the turn."""
        writes: list[CellWrite] = []
        gone: list[RowDelete] = []
        complete: list[tuple[str, Mapping[str, Value]]] = []
        screens: set[str] | None = None
        device = False
        for part in turn.parts:
            if not part.kind.startswith("observe"):
                continue
            relation, cells = self._relation(part.fact), self._cells(part.fact)
            known = without_unknown(cells.items())
            if relation.sort == "screen":
                screens = {*(screens or ()), relation.name}
            elif relation.sort == "observed":
                device = True
                if part.kind == "observe":
                    self.screen = self.screen.seen(relation, cells)
                elif part.kind == "observe no":
                    self.screen = self.screen.gone(relation.name, cells)
                else:
                    raise StoryError(f"{relation.short} is never complete")
            elif relation.sort not in BELIEVED:
                raise StoryError(
                    f"{relation.short} cannot be observed: it is not a state, view, list or device fact"
                )
            elif part.kind == "observe":
                writes.append(CellWrite(relation.name, cells))
            elif part.kind == "observe no":
                gone.append(RowDelete(relation.name, known))
            else:
                complete.append((relation.name, known))
        seen = KnownWorld(
            tuple(writes),
            tuple(gone),
            tuple(complete),
            frozenset(screens) if screens is not None else None,
            device,
        )
        return self.guard.observe(self.screen, seen=seen)
