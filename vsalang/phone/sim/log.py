"""The log of a simulated phone: its lines, with one for each input that reached it."""

import datetime as dt
import threading
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.running import Input

MOST_LINES: Final = 10_000
LEVELS: Final = ("V", "D", "I", "W", "E", "F")
"""From the least to the most important."""
SYSTEM_PID: Final = 700
"""The process id of the system in it."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: the phone's time, the process, one of `LEVELS`, and the tag."""

    time: dt.datetime
    pid: int
    level: str
    tag: str
    text: str


class Log:
    """The newest lines of one phone. May be used from any thread."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._lock = threading.Lock()
        self._inputs = 0
        self._dropped = 0
        self._lines = [
            LogLine(phone.clock, SYSTEM_PID, "I", "SystemServer", "The simulated phone has started")
        ]

    def write(self, level: str, tag: str, text: str, pid: int = 2000) -> None:
        """Add a line."""
        with self._lock:
            self._catch_up()
            self._add(LogLine(self._phone.clock, pid, level, tag[:100], text[:4000]))

    def clear(self) -> None:
        """Forget all lines."""
        with self._lock:
            self._catch_up()
            self._dropped += len(self._lines)
            self._lines.clear()

    def after(self, place: int) -> tuple[int, list[LogLine]]:
        """The lines after a place, and the place after them; 0 is the beginning."""
        with self._lock:
            self._catch_up()
            return self._dropped + len(self._lines), self._lines[max(0, place - self._dropped) :]

    def _add(self, line: LogLine) -> None:
        self._lines.append(line)
        if len(self._lines) > MOST_LINES:
            del self._lines[0]
            self._dropped += 1

    def _catch_up(self) -> None:
        inputs = self._phone.inputs
        for made in inputs[self._inputs :]:
            self._add(_line(made))
        self._inputs = len(inputs)


def _line(made: Input) -> LogLine:
    if made.kind == "open_app":
        return LogLine(made.time, SYSTEM_PID, "I", "ActivityTaskManager", f"START u0 {{pkg={made.text}}}")
    where = f" at {made.x},{made.y}" if made.x >= 0 else ""
    text = made.text if made.kind not in ("text", "set_text") else f"{len(made.text)} characters"
    return LogLine(made.time, SYSTEM_PID, "D", "InputDispatcher", f"{made.kind}{where} {text[:200]}".rstrip())
