"""A guarded session: what it is made of, what it stands at, and what can be read of it."""

import datetime as dt
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from vsalang.core.ir import License, Program, Rule
from vsalang.core.similarity import Similarity
from vsalang.core.values import Value
from vsalang.engine import open_session
from vsalang.engine.api import Evaluator
from vsalang.explain.terms import Context
from vsalang.guard.clock import HandClock, ScreenClock, Times
from vsalang.guard.effects import rule_book
from vsalang.guard.frontier import Frontier
from vsalang.guard.judging import Judging, Watch
from vsalang.guard.licences import Licences
from vsalang.guard.moments import Moments
from vsalang.guard.observing import Observing
from vsalang.guard.outcome import Outcomes
from vsalang.guard.patience import patient
from vsalang.guard.recorder import Recorder
from vsalang.guard.settings import Settings, check_authority
from vsalang.guard.state import Charge, Judged, Running, Snapshot
from vsalang.guard.store import known_cells
from vsalang.guard.texts import FIRST, catalogue
from vsalang.guard.verdict import Verdict, Why
from vsalang.names import DEFAULT_ENGINE, EngineName


@dataclass(frozen=True, slots=True)
class Goal:
    """A clause of the task as it stands now, for feedback.

    Attributes:
        rule: the clause; its head says which action it allows (``finish`` for `done`).
        action: qualified name of the action.
        holds: as far as can be told, its conditions are met now.
        left: whether it has licence left.
        whys: every condition that is not met.
    """

    rule: Rule
    action: str
    holds: bool
    left: bool
    whys: tuple[Why, ...]


def _require_program(given: object) -> None:
    if given is None:  # what `load(..).program` is if there are errors
        raise ValueError(
            "a guard needs a program, and was given None: the spec that was loaded has errors; "
            "run `vsac check FILE`, or take `load(FILE).checked()`"
        )
    if not isinstance(given, Program):
        raise ValueError(f"a guard needs a program, and was given {type(given).__name__}")


class Session:
    """A session as it stands; `vsalang.guard.machine.Machine` says how it goes on.

    Calls from several threads wait for one another; one action is under way at a time.

    Args:
        program: the task with its apps, and the policies in force.
        today: the day of the instruction; if none is given the clock's day.
        clock: the device's local time; if none is given the clock that screens show, and the host's until then.
            A clock that is given measures durations too (unless it is a `ScreenClock`), so it should not jump.
        engine: which evaluator decides (`vsalang.engine.open_session`).
        settings: what the owner may set.
        similarity: who answers ``~=``.
        evaluator: instead of `engine`: an evaluator of `vsalang.guard.remembering(program)` that nothing was assigned
            to.
        recorder: is told everything before it takes effect (`vsalang.journal.Recorder` writes a journal).
        watch: is shown every moment in which rules are read.
        language: in which `Guard.feedback` and `Guard.roadmap_text` speak (`vsalang.guard.texts.LANGUAGES`).

    Raises:
        ValueError: there is no program (what was loaded has errors), or a setting is wrong.
    """

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date | None = None,
        clock: Callable[[], dt.datetime] | None = None,
        engine: EngineName = DEFAULT_ENGINE,
        settings: Settings | None = None,
        similarity: Similarity | None = None,
        evaluator: Evaluator | None = None,
        recorder: Recorder | None = None,
        watch: Watch | None = None,
        language: str = FIRST,
    ) -> None:
        _require_program(program)
        catalogue(language)
        self.language = language
        self._watch = watch
        self.program = program
        self.settings = settings or Settings()
        self._clock = (
            ScreenClock() if clock is None else clock if isinstance(clock, ScreenClock) else HandClock(clock)
        )
        self._recorder = recorder
        if similarity is not None:
            similarity = patient(similarity, self.settings.budget.seconds)
            if recorder is not None:
                similarity = recorder.listening(similarity)
        self._similarity = similarity
        check_authority(program, self.settings)
        self._state = Snapshot(screens_count=self.settings.screens_count)
        self._lock = threading.RLock()
        self._tokens = 0
        self._pending: tuple[Judged, Verdict, int] | None = None
        self._warned: tuple[object, int] | None = None
        self._warned_of: frozenset[tuple[str, str]] = frozenset()
        self._running: Running | None = None
        self._finished = False
        self._task_done = False  # it has ended because the task was
        self._failed = ""
        self._engine: EngineName = engine
        # The day of the instruction is the device's: without a clock of the caller's, the first screen tells it.
        self._day_is_open = today is None and clock is None and evaluator is None
        self._begin(today or self._clock.read().clock.date(), evaluator)
        if recorder is not None:
            day = None if self._day_is_open else self._today
            recorder.begin(program, self.settings, engine, day, self._clock.read())

    def _begin(self, today: dt.date, evaluator: Evaluator | None) -> None:
        """Open the session for an instruction of that day."""
        program = self.program
        self._today = today
        book = rule_book(program)
        self._licences = Licences(program)
        self._frontier = Frontier(program, self._licences)
        if evaluator is None:
            evaluator = open_session(
                self._frontier.asked,
                engine=self._engine,
                today=today,
                similarity=self._similarity,
                budget=self.settings.budget,
            )
        self._evaluator = evaluator
        self._moments = Moments(program, evaluator, book)
        self._judging = Judging(
            program,
            evaluator,
            book,
            self._moments,
            self._licences,
            frontier=self._frontier,
            unknown_screen=self.settings.unknown_screen,
            task=self.settings.task,
            watch=self._watch,
        )
        self._observing = Observing(program, evaluator, book, self._moments)
        self._outcomes = Outcomes(
            program,
            evaluator,
            self._moments,
            self._licences,
            judging=self._judging,
            observing=self._observing,
            today=today,
            similarity=self._similarity,
            watch=self._watch,
        )
        now = self._clock.read()
        self._moments.clock(now.clock, now.timeline)
        self._outcomes.assign(self._state)

    # ------------------------------------------------------------------ what can be read

    @property
    def snapshot(self) -> Snapshot:
        """All that is committed, as a value; two are equal if nothing happened between."""
        return self._state

    @property
    def recorder(self) -> Recorder | None:
        """Who records the session; None: nobody."""
        return self._recorder

    @property
    def today(self) -> dt.date:
        """The day of the instruction."""
        return self._today

    @property
    def finished(self) -> bool:
        """Whether the session has ended: by an allowed `finish`, by `give_up`, or because it was closed."""
        return self._finished

    @property
    def done(self) -> bool:
        """Whether the task is done: the session has ended by a `finish` that the task allowed."""
        return self._finished and self._task_done

    @property
    def running(self) -> bool:
        """Whether an action is under way: committed, its outcome not yet observed."""
        return self._running is not None

    @property
    def failed(self) -> str:
        """The internal error that ended the session; empty if there was none."""
        return self._failed

    @property
    def ledger(self) -> tuple[Charge, ...]:
        """The licences that critical actions have used, in order; `Machine.give_back` takes an entry's number."""
        return self._state.ledger

    @property
    def screens(self) -> frozenset[str]:
        """The qualified names of the screens that show; empty if none of the program's is known to."""
        return self._state.shown

    def rows(self, relation: str) -> list[dict[str, Value]]:
        """The rows of a relation as they are believed, seen or derived now, known cells only; a list by position.

        Raises:
            KeyError: the program has no relation of that (qualified) name.
        """
        declared = self.program.relation(relation)
        with self._lock:
            found = [known_cells(declared, row) for row in self._evaluator.rows(relation)]
        return sorted(found, key=_place)

    def roadmap(self) -> tuple[Goal, ...]:
        """What each clause of the task still needs. Raises what the engine raises."""
        with self._lock:
            found = []
            try:
                goals = self._judging.goals(self._state, self._context())
            except BaseException as error:
                self._restore(error)
                raise
            for rule, holds, whys in goals:
                assert isinstance(rule.head, License)
                left = self._licences.left(rule.id, self._state.grants)
                found.append(Goal(rule, rule.head.atom.relation, holds, left, whys))
            return tuple(found)

    def runs(self, verdict: Verdict) -> bool:
        """Whether the action that was committed on this verdict is under way."""
        with self._lock:
            return self._running is not None and self._running.verdict is verdict

    def interrupted(self, delivered: bool | None, verdict: Verdict | None = None) -> None:
        """Take note that whoever carried out the action under way is gone, and of the verdict given last.

        Args:
            delivered: what they left word of about its delivery; None: nothing. The next `observe` need not know it,
                and cannot know better: whatever it says, without a word the licence stays used.
            verdict: of the action that they carried out; if another one is under way by now, nothing is noted. None:
                whatever is under way.
        """
        with self._lock:
            if verdict is not None and (self._running is None or self._running.verdict is not verdict):
                return
            self._pending = None
            if self._running is not None:
                self._running = replace(self._running, lost=True, delivered=delivered)

    def _restore(self, error: BaseException) -> None:
        """After an error in judging: assign the committed moment again, or give the session up."""
        try:
            self._outcomes.assign(self._state)
        except BaseException as again:
            self._failed = f"{type(error).__name__}: {error}"
            if not isinstance(again, Exception):
                raise

    def _context(self, now: Times | None = None) -> Context:
        now = now or self._clock.read()
        return Context(self._today, now.clock, self._similarity, now.timeline)


def _place(cells: dict[str, Value]) -> tuple[float, str]:
    """Rows of a list by position, others by what they hold."""
    at = cells.get("at")
    return (float(at) if isinstance(at, int) else float("inf")), repr(sorted(cells.items()))
