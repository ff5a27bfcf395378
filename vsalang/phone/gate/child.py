"""Runs the agent's program in a process group: passes signals on, and ends it with all its processes."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Final

from vsalang.phone.gate.keeper import Keeper

GRACE: Final = 3.0
"""Seconds between SIGTERM and SIGKILL."""
_FORWARDED: Final = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH")
    if hasattr(signal, name)
)
_ENDING: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_LISTENS: Final = """
import os, signal
signal.signal(signal.SIGINT, lambda *_: os.write(1, b"."))
signal.signal(signal.SIGQUIT, lambda *_: None)
signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"s"))
os.write(1, b"r")
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1})
while True:
    signal.pause()
"""
"""A process that notices Ctrl-C of the terminal, which is sent to the program's group and not to ours.

SIGUSR1 asks whether there was one: pending signals are handled in the order of their numbers, so Ctrl-C comes first.
It starts with these signals blocked, so that none is lost until it can report them.
"""


class Child:
    """A program with its group of processes.

    Args:
        command: the program and its arguments.
        environment: all of it.
        files: descriptors that it inherits.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], *, files: Sequence[int] = ()
    ) -> None:
        self.interrupted = 0
        """The signal with which the user asked it to end; 0: none."""
        self._heard = threading.Event()
        self._asked = 0
        self._ending: threading.Timer | None = None
        self._tty = _terminal()
        self._listener: subprocess.Popen[bytes] | None = None
        self._process = subprocess.Popen(
            list(command), env=dict(environment), process_group=0, pass_fds=tuple(files)
        )
        self.group = self._process.pid
        self._keeper = Keeper(self.group)  # should this process be killed
        self._ours = os.getpgrp()
        self._front(self.group)
        self._signal(getattr(signal, "SIGCONT", 0))  # should it have read from the terminal too early
        if self._tty is not None:
            self._listen()

    def wait(self) -> int:
        """Wait until the program ends; return its exit status, or minus the number of the signal that ended it.

        Signals that arrive in that time are passed on to the group.
        """
        with self._forwarding():
            while True:
                try:
                    status = self._process.wait()
                except InterruptedError:
                    continue
                self._hear_out()
                return status

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Take the terminal while the user is asked; a process of the agent that reads from it waits."""
        self._front(self._ours)
        try:
            yield
        finally:
            if self._process.poll() is None:
                self._front(self.group)
                self._signal(getattr(signal, "SIGCONT", 0))

    def end(self) -> None:
        """Ask the program to end: SIGTERM, to its group. `close` ends what does not."""
        self._signal(signal.SIGTERM)
        self._signal(getattr(signal, "SIGCONT", 0))
        kill = threading.Timer(GRACE, self._signal, [getattr(signal, "SIGKILL", signal.SIGTERM)])
        kill.daemon = True
        kill.start()
        self._ending = kill

    def close(self) -> None:
        """End the remaining processes of the group: SIGTERM, then SIGKILL. May be called twice."""
        self._keeper.close()
        if self._ending is not None:
            self._ending.cancel()
        if self._signal(signal.SIGTERM):
            self._signal(getattr(signal, "SIGCONT", 0))
            until = time.monotonic() + GRACE
            while time.monotonic() < until:
                self._process.poll()
                if self._listener is not None:
                    self._listener.poll()
                if not self._signal(0):
                    break
                time.sleep(0.02)
            else:
                self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        for process in (self._process, self._listener):
            if process is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=GRACE)
        self._front(self._ours)
        if self._tty is not None:
            os.close(self._tty)
            self._tty = None

    # ------------------------------------------------------------------ how

    def _end(self, number: int, *, sent: bool) -> None:
        """Pass on the user's wish to end it: the second time with SIGTERM, then with SIGKILL.

        Args:
            number: the signal.
            sent: whether the group has got it already.
        """
        self.interrupted = self.interrupted or number
        self._asked += 1
        if self._asked > 2:
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        elif self._asked == 2:
            self._signal(signal.SIGTERM)
        elif not sent:
            self._signal(number)

    def _listen(self) -> None:
        """Notice the signals that the terminal sends to the group."""
        heard = {signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1}
        with contextlib.suppress(OSError):  # it may have ended already
            with _blocked(heard):
                self._listener = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _LISTENS],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    process_group=self.group,
                )
            out = self._listener.stdout
            assert out is not None

            def hear() -> None:
                out.read(1)
                while byte := out.read(1):
                    if byte == b"s":
                        self._heard.set()
                    else:
                        self._end(signal.SIGINT, sent=True)
                self._heard.set()

            threading.Thread(target=hear, name="gate-interrupts", daemon=True).start()

    def _hear_out(self) -> None:
        """Wait for a late report of a Ctrl-C that ended the program."""
        if self._listener is None:
            return
        if self._listener.poll() is None:
            self._heard.clear()
            self._listener.send_signal(signal.SIGUSR1)
        self._heard.wait(GRACE)

    def _signal(self, number: int) -> bool:
        """Send a signal to the group; return whether it has a process."""
        try:
            os.killpg(self.group, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    @contextlib.contextmanager
    def _forwarding(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def forward(number: int, frame: FrameType | None) -> None:
            if signal.Signals(number).name in _ENDING:
                self._end(number, sent=False)
            else:
                self._signal(number)

        before = {number: signal.signal(number, forward) for number in _FORWARDED}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _front(self, group: int) -> None:
        """Make a group the foreground group of the terminal, if there is one and ours is in the foreground."""
        if self._tty is None:
            return
        with _blocked({signal.SIGTTOU}), contextlib.suppress(OSError):
            os.tcsetpgrp(self._tty, group)


@contextlib.contextmanager
def _blocked(signals: set[signal.Signals]) -> Iterator[None]:
    """Signals that this thread, and a process that it starts, does not get meanwhile."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _terminal() -> int | None:
    """The terminal, if this is its foreground group."""
    if not hasattr(os, "tcgetpgrp") or sys.stdin is None:
        return None
    try:
        if not sys.stdin.isatty():
            return None
        tty = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        if os.tcgetpgrp(tty) == os.getpgrp():
            return tty
    except OSError:
        pass
    os.close(tty)
    return None
