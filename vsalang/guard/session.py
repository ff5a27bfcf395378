"""A guarded session: its parts and its state. `vsalang.guard.machine` moves it."""

import datetime as dt
import threading
from collections.abc import Callable
from typing import Final, TypedDict

from vsalang.base.collector import no_collection
from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.base.records import dataclass
from vsalang.engine import Opens, open_session
from vsalang.engine.explain.terms import Context
from vsalang.guard.courses import Courses, KnownJudgement, Lane
from vsalang.guard.judge.charter_bounds import charter_bounds
from vsalang.guard.judge.judgement import Watch
from vsalang.guard.judge.judging_steps import Judging
from vsalang.guard.judge.program_analysis import analysis
from vsalang.guard.parts import Parts
from vsalang.guard.patience import patient
from vsalang.guard.recorder import Recorder
from vsalang.guard.say.verdict import Verdict, Why
from vsalang.guard.settings import Settings, check_authority
from vsalang.guard.world.clock import Clock, HandClock, ScreenClock, Times
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.observing import Observing
from vsalang.guard.world.outcome import Outcomes
from vsalang.guard.world.row_rules import asked_with_rows
from vsalang.guard.world.session_state import JudgedProposal, Running, Snapshot
from vsalang.program.ir import Program, Rule
from vsalang.program.ops import DEFAULT_SIMILARITY
from vsalang.program.phrases import FIRST, catalogue
from vsalang.program.similarity import Similarity
from vsalang.program.text import canonical
from vsalang.screen.secrets import Lexicon

MAX_INSTRUCTION: Final = 20_000
"""A longer instruction is refused: rules search it for words at each proposal."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A clause of the task and whether it holds now, for feedback.

    Attributes:
        rule: the clause; its head says which action it allows (``finish`` for `done`).
        action: qualified name of the action.
        holds: as far as can be told, its conditions are met now.
        left: whether it has licence left.
        whys: every condition that is not met.
        sent: what is known of each action that used a licence of it and does not simply count as done: the action as
            source text, and the answer.
    """

    rule: Rule
    action: str
    holds: bool
    left: bool
    whys: tuple[Why, ...]
    sent: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """The newest verdict, with what was found out for it, and the version of the snapshot that it was given on."""

    judged: JudgedProposal
    verdict: Verdict
    version: int


class Options(TypedDict, total=False):
    """What a guard may be given by name; see `Session`."""

    today: dt.date | None
    clock: Callable[[], dt.datetime] | Clock | None
    engine: EngineName | Opens
    settings: Settings | None
    similarity: Similarity | None
    recorder: Recorder | None
    watch: Watch | None
    language: str
    instruction: str | None
    courses: Courses | None


def _require_program(program: object) -> None:
    if program is None:  # what `load(..).program` is if there are errors
        raise ValueError(
            "a guard needs a program, and was given None: the spec that was loaded has errors; "
            "run `vsac check FILE`, or take `load(FILE).checked()`"
        )
    if not isinstance(program, Program):
        raise ValueError(f"a guard needs a program, and was given {type(program).__name__}")


def _instruction(program: Program) -> str | None:
    """What the spec of a program says that the user asked for; None: there is no spec, or it says nothing."""
    main = program.modules.get(program.main)
    return _words(main.doc) if main is not None and main.kind == "spec" else None


def _words(text: str) -> str | None:
    """An instruction as rules compare it, on one line; None if it is empty.

    Raises:
        ValueError: it is too long.
    """
    if len(text) > MAX_INSTRUCTION:
        raise ValueError(f"an instruction has at most {MAX_INSTRUCTION} characters, this one {len(text)}")
    return canonical(" ".join(text.split())) or None


class Session:
    """The state of a session. Only its `Machine` changes it; others may read it while they hold `lock`.

    Args:
        program: the task with its apps, and the policies in force.
        today: the day of the instruction; if none is given the clock's day.
        clock: the device's local time; if none is given the clock that screens show, and the host's until then.
            A function measures durations too, so it should not jump; a `vsalang.guard.world.clock.Clock` has its own
            way.
        engine: which evaluator decides, or a function that opens it (`vsalang.engine.open_session`).
        settings: what the owner may set.
        similarity: who answers ``~=``.
        recorder: is told everything before it takes effect (`vsalang.guard.journal.Recorder` writes a journal).
        watch: is shown every moment in which rules are read.
        language: in which `Guard.feedback` and `Guard.roadmap_text` speak (`vsalang.base.names.LANGUAGES`).
        instruction: what the user asked for, in their words (the relation ``Instruction``); None: the description of
            the spec, if the program has one.
        courses: the outcome of the same before, for sessions that are judged one after the other by one thread; None:
            it is not asked. With a recorder or a watch, or an engine or a backend of ``~=`` of the caller's, it is
            not asked either.

    Attributes:
        state: all that is committed, as a value.
        pending: the newest verdict, if it may still be committed.
        warned: the newest verdict ``warn``: what was proposed, and the version of the state.
        warned_of: the reasons of it.
        tokens: how many verdicts were given.
        proposals: how many proposals were judged; what is judged again is not counted again.
        running: the action under way.
        finished: whether the session has ended.
        task_done: whether it has ended because the task was done.
        failed: the internal error that ended it; empty if there was none.
        licences: what its clauses permit, and how often.
        lock: held while anything of it changes.
        lane: of the courses, if they are asked.
        place: stands for `state` there; None: nothing is known of it.
        judged_at: of the newest judgement of a proposal, its key and what is kept of it.
        running_at: the key of the action under way, with whether it was committed as it was judged.

    Raises:
        ValueError: there is no program (what was loaded has errors), a setting is wrong, or what is recorded would
            not name its engine.
    """

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date | None = None,
        clock: Callable[[], dt.datetime] | Clock | None = None,
        engine: EngineName | Opens = DEFAULT_ENGINE,
        settings: Settings | None = None,
        similarity: Similarity | None = None,
        recorder: Recorder | None = None,
        watch: Watch | None = None,
        language: str = FIRST,
        instruction: str | None = None,
        courses: Courses | None = None,
    ) -> None:
        _require_program(program)
        catalogue(language)
        self.language = language
        self.program = program
        self.settings = settings or Settings()
        self.clock: Clock = (
            ScreenClock() if clock is None else clock if isinstance(clock, Clock) else HandClock(clock)
        )
        self.recorder = recorder
        plain = recorder is None and watch is None
        asks = similarity is not None
        if similarity is None:
            similarity = DEFAULT_SIMILARITY
        else:
            similarity = patient(similarity, self.settings.budget.seconds)
            if recorder is not None:
                similarity = recorder.listening(similarity)
        check_authority(program, self.settings)
        self.instruction = _instruction(program) if instruction is None else _words(instruction)
        self.state = Snapshot(screens_count=self.settings.screens_count)
        self.pending: Pending | None = None
        self.warned: tuple[object, int] | None = None
        self.warned_of: frozenset[tuple[str, str]] = frozenset()
        self.tokens = 0
        self.proposals = 0
        self.running: Running | None = None
        self.finished = False
        self.task_done = False
        self.failed = ""
        self.lock = threading.RLock()
        self._engine = engine
        self._similarity = similarity
        self._watch = watch
        # The day of the instruction is the device's: without a clock of the caller's, the first screen tells it.
        self._day_is_open = today is None and clock is None
        self.today = today or self.clock.read().clock.date()
        self.licences = analysis(program).licences
        self.lane: Lane | None = None
        self.place: object | None = None
        self.judged_at: tuple[object, KnownJudgement] | None = None
        self.running_at: object | None = None
        shared = courses if plain and engine == DEFAULT_ENGINE else None
        lane = None if shared is None else shared.lane(program, self.settings)
        if lane is not None and lane.shares and not (asks and lane.asks):
            self.lane = lane
            self.goes_on(self.state, assigned=False)
        else:
            self._parts = self.opened()
        if recorder is not None:
            day = None if self._day_is_open else self.today
            text = None if instruction is None else self.instruction or ""
            if not isinstance(engine, str):
                raise ValueError(
                    "what is recorded names its engine: with a recorder, give the engine by its name"
                )
            recorder.begin(program, self.settings, engine, day, self.clock.read(), text)

    @property
    def parts(self) -> Parts:
        """What reads the program, with the moment of `state` assigned."""
        if self.lane is None:
            return self._parts
        return self.lane.parts_for(self)

    def goes_on(self, state: Snapshot, place: object | None = None, *, assigned: bool) -> None:
        """What is committed now; `assigned`: the evaluator holds its moment.

        Args:
            place: of it, where it is known; None: only if nothing is remembered but the look.
        """
        self.state = state
        if self.lane is not None:
            self.place = place or self.lane.place(state, self.instruction)
            if assigned:
                self.lane.holds(self, state)

    @no_collection()
    def opened(self) -> Parts:
        """What reads the program for an instruction of `today`."""
        program = self.program
        read = analysis(program)
        licences, frontier = read.licences, read.frontier
        evaluator = open_session(
            asked_with_rows(frontier.asked, read.book.rows),
            engine=self._engine,
            today=self.today,
            similarity=self._similarity,
            budget=self.settings.budget,
        )
        lexicon = Lexicon(self.settings.lexicon)
        moments = Moments(program, evaluator, read.book, lexicon, fresh=isinstance(self._engine, str))
        judging = Judging(
            read,
            evaluator,
            moments,
            unknown_screen=self.settings.unknown_screen,
            unknown_touch=self.settings.unknown_touch,
            lowering=self.settings.lowering,
            overrides=self.settings.overrides,
            task=self.settings.task,
            watch=self._watch,
        )
        observing = Observing(program, read.book, moments)
        outcomes = Outcomes(
            program,
            evaluator,
            moments,
            licences,
            judging=judging,
            observing=observing,
            today=self.today,
            similarity=self._similarity,
            watch=self._watch,
        )
        now = self.clock.read()
        moments.clock(now.clock, now.timeline)
        moments.instruction(self.instruction)
        moments.charter(charter_bounds(read) if self.settings.task else ())
        outcomes.assign(self.state, again=False)
        return Parts(evaluator, licences, frontier, moments, judging, observing, outcomes)

    def first_seen(self, now: Times) -> None:
        """The first screen was taken: if nobody has told the day of the instruction, it is told by this clock."""
        if self._day_is_open and self.state.points == 0 and self.running is None:
            self._day_is_open = False
            if now.clock.date() != self.today:
                self.today = now.clock.date()
                if self.lane is None:
                    self._parts = self.opened()

    def context(self, now: Times | None = None) -> Context:
        """What conditions are explained in."""
        now = now or self.clock.read()
        return Context(self.today, now.clock, self._similarity, now.timeline)

    def judged(self, verdict: Verdict) -> JudgedProposal | None:
        """What was found out for a verdict; None: it is not the newest any more."""
        pending = self.pending
        return pending.judged if pending is not None and pending.verdict is verdict else None

    def runs(self, verdict: Verdict) -> bool:
        """Whether the action that was committed on this verdict is under way."""
        return self.running is not None and self.running.verdict is verdict

    def broke(self, error: BaseException) -> None:
        """An error ended the session, whatever it was in the middle of."""
        if self.lane is not None:
            self.lane.lost()
        self.failed = f"{type(error).__name__}: {error}"

    def restore(self, error: BaseException) -> None:
        """After an error in judging: assign the committed moment again, or give the session up."""
        try:
            self.parts.outcomes.assign(self.state)
        except BaseException as again:
            self.broke(error)
            if not isinstance(again, Exception):
                raise
