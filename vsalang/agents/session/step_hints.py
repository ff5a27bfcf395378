"""Hints for the agent of a guarded session: follows its records, learns from them, and says the next steps on a map.

It hears what the guard has decided, and decides nothing. Whatever goes wrong here ends the hints, with one warning, and
nothing else. What takes time happens when somebody asks for a hint, after the verdict.
"""

import contextlib
import datetime as dt
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from vsalang.agents.maps import UTG, Navigator, Screen
from vsalang.agents.maps.gestures import atom, gesture_on
from vsalang.agents.maps.programs import named
from vsalang.agents.maps.signature import unnamed
from vsalang.agents.maps.ways import Step
from vsalang.base.names import EngineName
from vsalang.base.records import dataclass
from vsalang.guard import KnownWorld, ObservationResult, Settings, Verdict
from vsalang.guard.journal import Recorder as JournalRecorder
from vsalang.guard.recorder import CommitQuestion, Recorder, Relay
from vsalang.guard.say.agent_hints import AgentHint
from vsalang.guard.world.clock import Times
from vsalang.program.ir import Program
from vsalang.program.screen import Screen as Look
from vsalang.program.screen import knows
from vsalang.program.text import line
from vsalang.screen.screen import TreeScreen

SLOWEST: Final = 5.0
"""Seconds of computing, however busy the machine is: after a hint that took longer there are no more."""
_MOST_EVENTS: Final = 1000
_NOT_ITS_OWN: Final = frozenset({"no_screen", "running", "finished", "error"})
"""Kinds of reasons that say nothing of the gesture."""


@dataclass(frozen=True, slots=True)
class _VerdictEvent:
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class _CommitEvent:
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class _LookEvent:
    look: Look | None
    screens: frozenset[str]
    delivered: bool | None


@dataclass(frozen=True, slots=True)
class _Place:
    """A look, and which screen of the map it is."""

    look: Look
    screen: Screen


@dataclass(frozen=True, slots=True)
class _PendingAction:
    """An action that was committed where the place was; `after`: what was seen after it, and was still changing."""

    place: _Place
    verdict: Verdict
    after: _Place | None = None


class Hints:
    """The hints of one session.

        hints = Hints(Navigator(utg, ["apps.settings:Network"]))
        with open_guarded("task.vsa", "sim:settings", SessionOptions(hints=hints)) as session:
            session.step(Action("back"))
            print(session.hint())

    A guard that is made by hand gets them by its recorder: ``Guard(program, recorder=hints.recording())``; the adapters
    of `vsalang.agents`, the gate and the server show the hints of the guard that they are given.

    Args:
        navigator: leads along a map to goals. Once a critical action was done on a goal, this one is not led to any
            more, as long as another is left.
        warn: is told, once, why there are no more hints.

    Attributes:
        navigator: with the map as it was corrected (`Navigator.utg`).
        problem: why there are no more hints; empty: there are.
    """

    def __init__(self, navigator: Navigator, *, warn: Callable[[str], None] = lambda text: None) -> None:
        self.navigator = navigator
        self.problem = ""
        self._warn = warn
        self._lock = threading.Lock()
        self._events: deque[_VerdictEvent | _CommitEvent | _LookEvent] = deque(maxlen=_MOST_EVENTS)
        self._program: Program | None = None
        self._here: _Place | None = None
        self._made: _PendingAction | None = None
        self._refused: tuple[_Place, Verdict] | None = None
        self._newest: AgentHint | None = None
        self._route: tuple[Step, ...] = ()
        self._unrecorded: deque[AgentHint] = deque(maxlen=_MOST_EVENTS)

    def recording(self, recorder: Recorder | None = None) -> "HintRecorder":
        """What a guard is given as its recorder, so that its session gets these hints.

        Args:
            recorder: records the session (a journal's: the hints, too); None: nobody does.
        """
        return HintRecorder(self, recorder)

    # ------------------------------------------------------------------ hints

    def hint(self) -> AgentHint | None:
        """The next steps from the screen that shows; None: it is not known which does, or there are no more hints."""
        with self._lock:
            if self.problem:
                return None
            begun = time.thread_time()
            try:
                fresh = self._catch_up() or (self._newest is None and self._here is not None)
                self._count_refusal()
                if fresh and self._here is not None:
                    name = self._here.screen.name
                    hint = self.navigator.hint(name)
                    self._newest = hint.agent_hint(name)
                    self._route = hint.steps if hint.aim == "way" else ()
                    self._unrecorded.append(self._newest)
                elif fresh:
                    self._newest, self._route = None, ()
            except Exception as error:
                self._end(f"{type(error).__name__}: {line(str(error), 200)}")
                return None
            if time.thread_time() - begun > SLOWEST:
                self._end(f"the map is too large: a hint took longer than {SLOWEST:g} seconds of computing")
            return self._newest

    def route(self) -> tuple[Step, ...]:
        """The steps of the way to a goal from the screen that shows; empty: none is known, or it is a goal."""
        self.hint()
        return self._route

    def corrected(self) -> UTG:
        """The map, corrected by all that the session showed until now."""
        with self._lock:
            if not self.problem:
                try:
                    self._catch_up()
                    self._settled()
                except Exception as error:
                    self._end(f"{type(error).__name__}: {line(str(error), 200)}")
            return self.navigator.utg

    def _end(self, problem: str) -> None:
        self.problem = problem
        self._newest, self._route = None, ()
        self._events.clear()
        with contextlib.suppress(
            Exception
        ):  # that nobody hears the warning is not a reason to stop a session
            self._warn(problem)

    # ------------------------------------------------------------------ what is heard; cheap, and never raises

    def began(self, program: Program) -> None:
        """A session of this program begins."""
        self._program = program

    def heard(self, event: _VerdictEvent | _CommitEvent | _LookEvent) -> None:
        """Something was recorded; it is thought about when a hint is asked for."""
        if not self.problem:
            self._events.append(event)

    def write(self, recorder: Recorder | None) -> None:
        """Write the hints that were given since the last time to a journal, if it is one.

        Nothing is raised: that a journal cannot be written is a matter of what must be in it.
        """
        while self._unrecorded:
            hint = self._unrecorded.popleft()
            if isinstance(recorder, JournalRecorder):
                try:
                    recorder.hinted(hint.aim, hint.screen, hint.left, hint.text)
                except Exception:
                    return

    # ------------------------------------------------------------------ what is learnt

    def _catch_up(self) -> bool:
        """Take in what was heard; whether there was anything."""
        any_ = False
        while True:
            try:
                event = self._events.popleft()
            except IndexError:
                return any_
            any_ = True
            match event:
                case _VerdictEvent(verdict):
                    self._settled()
                    self._count_refusal()
                    held = verdict.binding and verdict.level != "allow"
                    own = any(reason.kind not in _NOT_ITS_OWN for reason in verdict.reasons)
                    self._refused = (self._here, verdict) if held and own and self._here is not None else None
                case _CommitEvent(verdict):
                    self._refused = None
                    self._settled()
                    self._made = _PendingAction(self._here, verdict) if self._here is not None else None
                    self._arrived(verdict)
                case _LookEvent(look, screens, delivered):
                    self._saw(look, screens, delivered)

    def _saw(self, look: Look | None, screens: frozenset[str], delivered: bool | None) -> None:
        self._here = self._place(look, screens) if look is not None else None
        made = self._made
        if made is None:
            return
        if self._here is None or (made.after is None and delivered is not True):
            self._made = None  # the result is not known
            return
        self._made = replace(made, after=self._here)
        if _still(self._here.look):
            self._settled()

    def _settled(self) -> None:
        """What was seen last after an action is its result."""
        made, self._made = self._made, None
        if made is None or made.after is None:
            return
        gesture = made.verdict.proposal.gesture
        named = gesture_on(gesture, _tree(made.place.look)) if gesture is not None else None
        if named is not None:
            self.navigator.saw(
                made.place.screen, named[0], made.after.screen, cells=named[1], predicted=made.verdict.screens
            )

    def _count_refusal(self) -> None:
        refused, self._refused = self._refused, None
        gesture = refused[1].proposal.gesture if refused is not None else None
        if refused is None or gesture is None:
            return
        place, verdict = refused
        # what is done to nothing that is there is what the agent says
        texts = {key: value for key, value in gesture.args.items() if isinstance(value, str)}
        pattern, cells = gesture_on(gesture, _tree(place.look)) or (
            atom(gesture.name, texts),
            texts,
        )
        self.navigator.refused(place.screen, pattern, cells=cells, predicted=verdict.screens)

    def _arrived(self, verdict: Verdict) -> None:
        """A critical action was done on a goal: the others are left."""
        goals = self.navigator.goals
        here = self._here.screen.name if self._here is not None else ""
        if verdict.actions and here in goals and len(goals) > 1:
            self.navigator.goals = tuple(goal for goal in goals if goal != here)

    def _place(self, look: Look, screens: Iterable[str]) -> _Place | None:
        """Which screen of the map a look is: by the rules of the program, else by its usable widgets, or nearly."""
        tree = _tree(look)
        plain = unnamed(tree) if tree is not None else None
        by_rule = named(self._program, sorted(screens), plain, tree) if self._program is not None else None
        if by_rule is not None and by_rule.kind == "screen":
            known = self.navigator.utg.screens
            if plain is None or by_rule.name in known or plain.name not in known:
                return _Place(look, by_rule)
        return _Place(look, self.navigator.placed(plain)) if plain is not None else None


def _tree(look: Look) -> TreeScreen | None:
    return look if isinstance(look, TreeScreen) else None


def _still(look: Look) -> bool:
    """Whether the screen has settled, as far as the look says."""
    return not knows(look, "Settled") or any(True for _ in look.rows("Settled"))


class HintRecorder(Relay):
    """Passes on what a guard has recorded, and lets `Hints` hear it after that.

    Args:
        hints: hear it.
        recorder: what it raises is raised here too; None: nobody records.
    """

    def __init__(self, hints: Hints, recorder: Recorder | None) -> None:
        super().__init__(recorder)
        self.hints: Final = hints

    def begin(
        self,
        program: Program,
        settings: Settings,
        engine: EngineName,
        today: dt.date | None,
        now: Times,
        instruction: str | None = None,
    ) -> None:
        super().begin(program, settings, engine, today, now, instruction)
        self.hints.began(program)

    def proposed(self, verdict: Verdict, note: str) -> None:
        self.hints.write(self.recorder)  # here, for only one thread writes to a journal at a time
        super().proposed(verdict, note)
        self.hints.heard(_VerdictEvent(verdict))

    def committed(self, answered: CommitQuestion) -> None:
        super().committed(answered)
        self.hints.heard(_CommitEvent(answered.verdict))

    def observed(
        self,
        screen: Look | None,
        delivered: bool | None,
        seen: KnownWorld | None,
        at: Times,
        *,
        today: dt.date,
        screens: frozenset[str],
        observed: ObservationResult,
    ) -> None:
        super().observed(screen, delivered, seen, at, today=today, screens=screens, observed=observed)
        moved = seen is not None and seen.touched == "moved"  # something else may have taken the touch
        self.hints.heard(_LookEvent(screen, screens, None if moved else delivered))

    def closed(self) -> None:
        self.hints.write(self.recorder)  # here, for only one thread writes to a journal at a time
        super().closed()
