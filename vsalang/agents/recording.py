"""Records what others do on a phone: looks at it again and again, and journals what was done between two looks.

An input is judged on the screen that showed when it was done, where the phone reports that (a simulated one does). Else
on the last screen that was seen before it, and only if nothing else was done since: what it was done on is not known
otherwise, so that it cannot be judged, and that is what is recorded (an observation without a screen, an outcome that
says so). Nothing is held back; the guard only says what it would have said.
"""

import threading
import time
from collections.abc import Callable, Iterator

from vsalang.agents.inputs import InputEvent, Inputs, Nothing
from vsalang.base.records import dataclass
from vsalang.guard import Guard, Verdict
from vsalang.guard.step import Delivery, Effect, Kind, LookResult, Reply, Turn, guarded_step
from vsalang.guard.world.news import same
from vsalang.phone import DeviceError, DeviceLost
from vsalang.program.action import Action
from vsalang.program.screen import Screen
from vsalang.program.text import line

EMPTY = """spec recording "Whatever is done on this phone: there is no task."
allow answer.
"""
"""The spec of a recording without one. It asks for nothing, so what is recorded can be judged by another later."""
FINGER = 2.0
"""Seconds for which a finger that touches the screen keeps the outcome of what was done before it waiting."""
PATIENCE = 5
"""So often in a row the screen may not be taken before the recording ends."""


@dataclass(frozen=True, slots=True)
class RecordingEntry:
    """One thing that was recorded: a look (`action` is None), or what was done.

    Attributes:
        action: what was done.
        verdict: what the guard would have said.
        judged: whether the guard could say anything: a screen was known.
        problem: why a screen could not be taken, or what is odd about what was done; else empty.
        screens: the names of the screens that show now; None: nothing could be seen.
        app: the package of the app in front; empty if it is not known.
    """

    action: Action | None = None
    verdict: Verdict | None = None
    problem: str = ""
    screens: frozenset[str] | None = None
    app: str = ""
    judged: bool = True


class Recording:
    """Records one phone until `stop` is called.

        recording = Recording(guard, device.observe, inputs)
        for seen in recording.run(stop):
            print(seen)
        recording.end()

    Args:
        guard: fresh, in the mode ``shadow``; its recorder writes the journal.
        look: takes a screen.
        inputs: reports what was done.
        every: seconds between two looks at a screen that does not change.
        task: whether the guard's program is a task, and not `EMPTY`.
        on_screen: called with each screen that the phone reported with an input, before the input is judged.

    Attributes:
        looks: how many screens were taken.
        done: how many things were done.
        unjudged: how many of them could not be judged.
    """

    def __init__(
        self,
        guard: Guard,
        look: Callable[[], Screen],
        inputs: Inputs | None = None,
        *,
        every: float = 0.5,
        task: bool = True,
        on_screen: Callable[[Screen], None] = lambda screen: None,
    ) -> None:
        if guard.settings.mode != "shadow":
            raise ValueError('what others do cannot be held back: Settings(mode="shadow")')
        self.looks = self.done = self.unjudged = 0
        self._guard = guard
        self._look = look
        self._inputs = inputs or Nothing()
        self._every = every
        self._task = task
        self._on_screen = on_screen
        self._screen: Screen | None = None
        self._failed = 0
        self._turn: Turn | None = None  # what was done waits for a look that shows its result

    def run(self, stop: threading.Event) -> Iterator[RecordingEntry]:
        """Record until `stop` is set.

        Raises:
            DeviceError: the phone is lost, or its screen could not be taken several times in a row.
            GuardFailed: the guard met an internal error.
            JournalError: the journal cannot be written.
        """
        self._inputs.taken()  # what was done before is not part of it
        yield self._observe(*self._taken())
        while True:
            stopping = stop.is_set()
            screen, problem = self._taken()
            done, underway = self._meanwhile()
            if done:
                yield from self._follow(done)
            elif not underway and (problem or not _same(self._screen, screen)):
                yield self._observe(screen, problem)
            elif not stopping:
                stop.wait(self._every)
            if stopping:
                return

    def end(self) -> bool | None:
        """The recording is over: what the guard would say if the task were called done now; None without a task.

        Raises:
            JournalError: the journal cannot be written.
        """
        verdict = self._guard.propose(Action("finish"), note="the recording ended here")
        allowed = verdict.level == "allow"
        if allowed:
            steps = guarded_step(self._guard, lambda: verdict, Kind(past=True))
            turn = Turn(steps, lambda effect: LookResult(self._screen))
            allowed = turn.until_delivery() is not None
            turn.close()  # nobody looks at its result
        return allowed if self._task else None

    # ------------------------------------------------------------------ looks

    def _taken(self) -> tuple[Screen | None, str]:
        """A screen, or why there is none."""
        try:
            screen = self._look()
        except DeviceLost:
            raise
        except DeviceError as error:
            self._failed += 1
            if self._failed >= PATIENCE:
                raise
            return None, line(str(error), 600)
        self._failed = 0
        self.looks += 1
        return screen, ""

    def _observe(
        self, screen: Screen | None, problem: str = "", delivered: bool | None = True
    ) -> RecordingEntry:
        turn, self._turn = self._turn, None
        if turn is None:
            self._guard.observe(screen, delivered)
        else:
            turn.reply(LookResult(screen))
        self._screen = screen
        screens = self._guard.snapshot.screens if screen is not None else None
        return RecordingEntry(problem=problem, screens=screens, app=_app(screen))

    # ------------------------------------------------------------------ what was done

    def _follow(self, done: list[InputEvent]) -> Iterator[RecordingEntry]:
        """Judge what was done, until a look shows its result and nothing else was done meanwhile."""
        before = done[0].screen
        if before is not None:
            self._on_screen(before)  # the look was too late and has a later time
            if not _same(self._screen, before):
                yield self._observe(before)
        while True:
            for number, item in enumerate(done):
                yield self._judged(item)
                if number + 1 < len(done):
                    yield from self._between(done[number + 1], item.delivered)
            last = done[-1]
            screen, problem = self._taken()
            done, underway = self._meanwhile()
            # a finger is on the screen: what it does may have begun to show
            until = time.monotonic() + FINGER
            while underway and not done and time.monotonic() < until:
                time.sleep(0.02)
                done, underway = self._meanwhile()
            if not done:
                yield self._observe(screen, problem, last.delivered)
                return
            yield from self._between(done[0], last.delivered)

    def _between(self, following: InputEvent, delivered: bool) -> Iterator[RecordingEntry]:
        """The screens between two inputs: if the phone does not report them, nobody saw them."""
        if following.screen is None:
            self._observe(None, delivered=delivered)
        else:
            yield self._entry(following.screen, delivered)

    def _entry(self, screen: Screen, delivered: bool | None = True) -> RecordingEntry:
        self._on_screen(screen)
        return self._observe(screen, delivered=delivered)

    def _meanwhile(self) -> tuple[list[InputEvent], bool]:
        """What was done by now, and whether something is being done that is not known yet."""
        underway = self._inputs.underway  # asked first: what is complete after this is among what was done
        return self._inputs.taken(), underway

    def _judged(self, item: InputEvent) -> RecordingEntry:
        self.done += 1
        turn = Turn(
            guarded_step(self._guard, lambda: self._guard.propose(item.action), Kind(looks=False, past=True)),
            _unanswered,
        )
        deliver = turn.until_delivery()
        verdict = deliver.verdict if deliver is not None else turn.end().verdict
        judged = any(reason.kind != "no_screen" for reason in verdict.reasons) or verdict.level == "allow"
        self.unjudged += not judged
        problem = item.problem
        if deliver is None:
            problem = line(turn.end().problem)
        else:
            turn.reply(Delivery(item.delivered, item.problem, judged=judged))
            self._turn = turn
        return RecordingEntry(item.action, verdict, problem, self._guard.snapshot.screens, judged=judged)


def _unanswered(effect: Effect) -> Reply:
    """Nobody acts here: the inputs say what was done."""
    raise AssertionError(f"nobody does what is asked for: {effect}")


def _app(screen: Screen | None) -> str:
    rows = screen.rows("App") if screen is not None and "App" in screen.relations() else ()
    return next((str(row["package"]) for row in rows if "package" in row), "")


def _same(known: Screen | None, screen: Screen | None) -> bool:
    """Whether the second look brought no news."""
    return known is None if screen is None else same(known, screen)
