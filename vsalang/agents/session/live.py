"""The live recording: a session of a phone is recorded while an agent, a person or a program uses it."""

import signal
import threading
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from vsalang.agents.session.opening import open_guarded
from vsalang.base.source.private import write_out

if TYPE_CHECKING:
    from vsalang.agents.proposed import Proposed
    from vsalang.agents.recording import RecordingEntry
    from vsalang.agents.session.guarded_session import GuardedSession
    from vsalang.agents.session.options import SessionOptions
    from vsalang.guard import Verdict
    from vsalang.language.semantics import Loaded
    from vsalang.phone import Device
    from vsalang.program.screen import Screen


class RecordingListener(Protocol):
    """Hears what is recorded, to show it to people."""

    def begin(self, recording: "LiveRecording", device: "Device") -> None:
        """The session is open."""

    def hint(self, problem: str) -> None:
        """Actions cannot be seen, and why."""

    def seen(self, seen: "RecordingEntry", looks: int, done: int) -> None:
        """Something was seen: an action or a screen; with the numbers of looks and of actions so far."""

    def acted(self, verdict: "Verdict", problem: str, performed: bool) -> None:
        """The agent proposed an action."""

    def end(self, recording: "LiveRecording", completed: bool | None, head: str) -> None:
        """The session is over; `head` is the hash of the last line of its journal."""


@dataclass
class LiveRecording:
    """One recording of a device: everything that is to be known of it.

    Attributes:
        loaded: what is recorded is judged by it.
        device_name: the device: a serial, or ``sim:NAME``.
        chosen: the options of the session; its journal is what is recorded.
        listener: hears what is recorded.
        agent: a file of proposals; None: somebody else acts.
        inputs: how what they do is seen.
        every: seconds between two looks.
        seconds: after which it ends.
        screenshots: where pictures are saved; None: nowhere.
    """

    loaded: "Loaded"
    device_name: str
    chosen: "SessionOptions"
    listener: RecordingListener
    _: KW_ONLY
    agent: str | None = None
    agent_format: str = "auto"
    inputs: str = "auto"
    every: float | None = None
    seconds: float | None = None
    screenshots: Path | None = None
    _pictures: int = 0

    def record(self) -> bool | None:
        """Record until the agent ends, the time is over, or Ctrl-C; return whether the task was done, None without one.

        Raises:
            AgentError, DeviceError, GuardFailed, JournalError: it could not be recorded, or not to its end.
        """
        proposals = self._proposals()
        with ExitStack() as stack:
            session = stack.enter_context(open_guarded(self.loaded, self.device_name, self.chosen))
            if self.screenshots is not None:
                self.screenshots.mkdir(parents=True, exist_ok=True)
            self.listener.begin(self, session.device)
            ended = False
            try:
                if proposals is not None:
                    completed = self._acted(session, proposals)
                else:
                    completed = self._watched(stack, session)
                ended = True
            finally:
                if not ended and session.journal.number > 1:  # a journal with only its header has no session
                    session.end(None)
            session.end(completed)
            self.listener.end(self, completed, session.journal.head)
            return completed

    # ------------------------------------------------------------------ the beginning

    def _proposals(self) -> "tuple[Proposed, ...] | None":
        from vsalang.agents import ScriptedAgent

        assert self.loaded.program is not None
        if self.agent is None:
            return None
        return ScriptedAgent.read(self.agent, self.loaded.program, self.agent_format).proposals

    # ------------------------------------------------------------------ what happens

    def _acted(self, session: "GuardedSession", proposals: "tuple[Proposed, ...]") -> bool | None:
        """The agent acts."""
        from vsalang.agents import run_agent

        last = None
        with _StopEvent() as stop:
            watched = _Looking(session.device, lambda: self._look(session))
            for step in run_agent(session.guard, watched, proposals):  # type: ignore[arg-type]
                self.listener.acted(step.verdict, step.problem, step.performed)
                last = step
                if stop.is_set():
                    break
        if not self.chosen.task:
            return None
        done = last is not None and last.proposed.action.name == "finish" and last.performed
        return done and last is not None and last.verdict.level == "allow"

    def _watched(self, stack: ExitStack, session: "GuardedSession") -> bool | None:
        """Somebody else acts."""
        from vsalang.agents.inputs import KernelInputs, inputs_of
        from vsalang.agents.recording import Recording

        inputs = inputs_of(session.device, self.device_name, self.inputs, self.listener.hint)
        stack.callback(inputs.close)

        def look() -> "Screen":
            screen = self._look(session)
            if isinstance(inputs, KernelInputs):
                inputs.turned(*_size(screen))
            return screen

        simulated = self.device_name.startswith("sim:")
        every = self.every if self.every is not None else 0.05 if simulated else 0.5
        recording = Recording(
            session.guard, look, inputs, every=every, task=self.chosen.task, on_screen=session.clock.see
        )
        with _StopEvent() as stop:
            timer = threading.Timer(self.seconds, stop.set) if self.seconds is not None else None
            if timer is not None:
                timer.daemon = True
                timer.start()
            try:
                for seen in recording.run(stop):
                    self.listener.seen(seen, recording.looks, recording.done)
            finally:
                if timer is not None:
                    timer.cancel()
        return recording.end()

    def _look(self, session: "GuardedSession") -> "Screen":
        screen = session.look()
        if self.screenshots is not None:
            self._pictures += 1
            write_out(self.screenshots / f"{self._pictures:05}.png", session.device.screenshot())
        return screen


class _Looking:
    """A device that is observed by a function."""

    def __init__(self, device: "Device", look: "Any") -> None:
        self.observe = look
        self.perform = device.perform


def _size(screen: "Screen") -> tuple[int, int]:
    """The width and height of the largest window; 0 if there is none."""
    windows = [(row.get("right"), row.get("bottom")) for row in screen.rows("Window")]
    known = [(wide, high) for wide, high in windows if isinstance(wide, int) and isinstance(high, int)]
    return max(known, key=lambda size: size[0] * size[1], default=(0, 0))


class _StopEvent:
    """An event that the first Ctrl-C sets; a second one ends the process as usual."""

    def __enter__(self) -> threading.Event:
        stop = threading.Event()
        self._old: list[tuple[int, Any]] = []
        if threading.current_thread() is threading.main_thread():

            def on_signal(number: int, frame: object) -> None:
                self.__exit__()
                stop.set()

            for number in (signal.SIGINT, signal.SIGTERM):
                self._old.append((number, signal.signal(number, on_signal)))
        return stop

    def __exit__(self, *_: object) -> None:
        for number, old in self._old:
            signal.signal(number, old)
        self._old = []
