"""``vsac record --device``: records a session of a phone while an agent, a person or a program uses it."""

import shlex
import signal
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.source.private import write_out
from vsalang.tools.cli import options, sessions
from vsalang.tools.cli.common import Failure, use_color
from vsalang.tools.cli.output import echo, echo_json

if TYPE_CHECKING:
    from vsalang.agents.proposed import Proposed
    from vsalang.agents.recording import Seen
    from vsalang.agents.session import GuardedSession, SessionOptions
    from vsalang.base.config import Config
    from vsalang.guard import Verdict
    from vsalang.language.semantics import Loaded
    from vsalang.phone import Device
    from vsalang.program.screen import Screen

_LEVELS = {
    "allow": ("✓", "passes", "green"),
    "warn": ("!", "would be warned of", "yellow"),
    "confirm": ("?", "would be asked about", "cyan"),
    "block": ("✗", "would be BLOCKED", "red"),
}
_ENFORCED = {"allow": "passes", "warn": "warned of", "confirm": "asked about", "block": "BLOCKED"}
_UNJUDGED = ("·", "not judged: done before the screen was looked at", "magenta")


@dataclass
class Live:
    """One recording of a device: everything that the command's options say of it.

    Attributes:
        loaded: what is recorded is judged by it.
        device_name: of the device.
        output: the journal.
        chosen: of the session.
        agent: a file of proposals; None: somebody else acts.
        inputs: how what they do is seen.
        every: seconds between two looks.
        seconds: after which it ends.
        screenshots: where pictures are saved.
    """

    loaded: "Loaded"
    device_name: str
    output: Path
    chosen: "SessionOptions"
    _: KW_ONLY
    agent: str | None
    agent_format: str
    inputs: str
    every: float | None
    seconds: float | None
    screenshots: Path | None
    as_json: bool
    _pictures: int = 0

    def __post_init__(self) -> None:
        self._show = _Show(self.as_json)

    def record(self) -> bool | None:
        """Record until the agent ends, the time is over, or Ctrl-C; return whether the task was done, None without one.

        Raises:
            AgentError, DeviceError, GuardFailed, JournalError: it could not be recorded, or not to its end.
        """
        from vsalang.agents.session import open_guarded

        proposals = self._proposals()
        chosen = replace(self.chosen, connect=self._connected)
        with ExitStack() as stack:
            session = stack.enter_context(open_guarded(self.loaded, self.device_name, chosen))
            self._show.begin(self, session.device)
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
            self._show.end(self, completed, session.journal.head)
            return completed

    def _connected(self, name: str, config: "Config | None") -> "Device":
        device: Device = options.open_device(name, config)
        if self.screenshots is not None:
            self.screenshots.mkdir(parents=True, exist_ok=True)
        return device

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
        with _Stopped() as stop:
            watched = _Looking(session.device, lambda: self._look(session))
            for step in run_agent(session.guard, watched, proposals):  # type: ignore[arg-type]
                self._show.acted(step.verdict, step.problem, step.performed)
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

        inputs = inputs_of(session.device, self.device_name, self.inputs, self._show.hint)
        stack.callback(inputs.close)

        def look() -> "Screen":
            screen = self._look(session)
            if isinstance(inputs, KernelInputs):
                inputs.turned(*_size(screen))
            return screen

        simulated = self.device_name.startswith("sim:")
        every = self.every if self.every is not None else 0.05 if simulated else 0.5
        recording = Recording(
            session.guard, look, inputs, every=every, task=self.chosen.task, shown=session.clock.see
        )
        with _Stopped() as stop:
            timer = threading.Timer(self.seconds, stop.set) if self.seconds is not None else None
            if timer is not None:
                timer.daemon = True
                timer.start()
            try:
                for seen in recording.run(stop):
                    self._show.seen(seen, recording.looks, recording.done)
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


class _Stopped:
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


# ---------------------------------------------------------------------- what is shown


class _Show:
    """Shows people, or machines, what is recorded."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json
        self._color = use_color(sys.stdout)
        self._line = not as_json and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._number = self._unjudged = 0
        self._place: tuple[frozenset[str] | None, str] | None = None
        self._judges = True

    def begin(self, live: Live, device: "Device") -> None:
        info = device.info
        port = getattr(device, "adb_port", None)
        if self._json:
            self._out(
                {
                    "event": "begin",
                    "device": live.device_name,
                    "journal": str(live.output),
                    "mode": live.chosen.mode,
                }
            )
            return
        echo(f"recording {live.device_name} ({info.model}) into {live.output}")
        if live.agent is None:
            if port is not None:
                echo(
                    f"  use it:  ANDROID_ADB_SERVER_PORT={port} ANDROID_SERIAL={info.serial}  (any adb client)"
                )
            until = f"after {live.seconds:g} s, or with Ctrl-C" if live.seconds is not None else "with Ctrl-C"
            echo(f"  it ends {until}")
        self._judges = live.chosen.task
        if live.chosen.task and live.chosen.mode == "shadow":
            echo("  SHADOW: nothing is held back; verdicts are what the guard would have said")

    def hint(self, problem: str) -> None:
        """Show why actions cannot be seen."""
        self._clear()
        text = f"only screens are recorded, not what is done: {problem}"
        if self._json:
            self._out({"event": "hint", "message": text})
        else:
            shown = click.style(f"  {text}", fg="yellow") if use_color(sys.stderr) else f"  {text}"
            echo(shown, err=True, color=True)

    def seen(self, seen: "Seen", looks: int, done: int) -> None:
        if seen.action is not None and seen.verdict is not None:
            self.acted(seen.verdict, seen.problem, True, judged=seen.judged)
        elif seen.problem or (seen.shown, seen.app) != self._place:
            self._place = seen.shown, seen.app
            self._screen(seen)
        if self._line:
            passed = int(time.monotonic() - self._begun)
            echo(f"\r\x1b[K  {looks} looks, {done} actions, {passed} s", nl=False, err=True)

    def _screen(self, seen: "Seen") -> None:
        from vsalang.program.text import line

        names = sorted(seen.shown or ())
        if self._json:
            self._out({"event": "screen", "shown": names, "app": seen.app or None, "problem": seen.problem})
            return
        self._clear()
        what = ", ".join(names) or (f"a screen of {line(seen.app, 80)}" if seen.app else "an unknown screen")
        if seen.problem:
            what = f"no screen: {line(seen.problem)}"
        echo(self._style(f"      ─ {what}", dim=True), color=self._color)

    def acted(self, verdict: "Verdict", problem: str, performed: bool, *, judged: bool = True) -> None:
        from vsalang.program.text import line

        self._number += 1
        self._unjudged += not judged
        if self._json:
            self._out(
                {
                    "event": "action",
                    "number": self._number,
                    "performed": performed,
                    "problem": problem,
                    "judged": judged,
                    "verdict": verdict.to_json() if judged else None,
                }
            )
            return
        self._clear()
        if not self._judges:
            clock = self._style(f"{verdict.at:%H:%M:%S}", dim=True)
            echo(f"{self._number:>4}  {clock}  {line(str(verdict.proposal), 120)}", color=self._color)
            if problem:
                echo(f"      → {line(problem)}")
            return
        icon, words, color = _LEVELS.get(verdict.level, _LEVELS["block"])
        if not judged:
            icon, words, color = _UNJUDGED
        elif verdict.mode != "shadow":
            words = _ENFORCED.get(verdict.level, _ENFORCED["block"])
        what = line(str(verdict.proposal), 80)
        clock = self._style(f"{verdict.at:%H:%M:%S}", dim=True)
        text = f"{self._number:>4}  {clock}  {what:<44}  {self._style(f'{icon} {words}', fg=color)}"
        echo(text, color=self._color)
        if problem:
            echo(f"      → {line(problem)}")

    def end(self, live: Live, completed: bool | None, head: str) -> None:
        self._clear()
        if self._json:
            self._out(
                {
                    "event": "end",
                    "completed": completed,
                    "actions": self._number,
                    "not_judged": self._unjudged,
                    "journal": str(live.output),
                    "head": head,
                }
            )
            return
        done = {True: "The task is done. ", False: "The task is not done. ", None: ""}[completed]
        count = f"{self._number} action{'s' * (self._number != 1)}"
        if live.chosen.task and self._unjudged:
            count += f", {self._unjudged} not judged"
        echo(f"{done}{count}; the journal is {live.output}")
        if live.chosen.task and self._unjudged:
            echo("  what comes faster than looks at the screen can be judged where it passes the guard:")
            echo(f"  vsac run {shlex.quote(live.loaded.file)} --mode shadow -- COMMAND")
        echo(f"  vsac show {shlex.quote(str(live.output))}          what happened")
        spec = "another spec" if live.chosen.task else "a spec"
        echo(f"  vsac replay {shlex.quote(str(live.output))} --all --spec SPEC   what {spec} would have said")

    def _clear(self) -> None:
        if self._line:
            echo("\r\x1b[K", nl=False, err=True)

    def _out(self, data: dict[str, Any]) -> None:
        echo_json(data)
        sys.stdout.flush()

    def _style(self, text: str, **how: Any) -> str:
        return click.style(text, **how) if self._color else text


def record(live: Live) -> bool | None:
    """Record, and report errors in words for people."""
    try:
        with sessions.failing():
            return live.record()
    except Failure as failure:
        if live.output.exists() and not failure.hint:
            failure.hint = f"what was recorded until then is in {live.output}"
        raise
