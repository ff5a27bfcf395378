"""Whether the program of a run went around the guard: its requests did not arrive, or the phone changed without them.

A program that knows another adb server (a fixed port, a daemon that was started before) acts on the phone and the guard
sees nothing of it. What the guard does see: that nothing was asked of it, or that the phone shows something else than
when it was judged last, though no act passed since.
"""

import datetime as dt
import re
from collections import Counter
from typing import Final

from vsalang.program.screen import Screen

SILENT: Final = (
    "No request for the phone reached the guard: the program used no phone, or another way to it "
    "(`vsac phone doctor` names those that are open)."
)
CHANGED: Final = (
    "The screen is another one than was judged last, and no act passed the guard since: the phone changed by itself, "
    "or something acted on it around the guard (`vsac phone doctor` names the ways that are open)."
)
ENDS: Final = frozenset({"finish", "answer"})
"""Actions that say that the task is done; they are not taken from a run that went around the guard."""
_SYSTEM: Final = "com.android.systemui"
"""It draws the clock, the icons of the status bar, and notifications that pop up."""
_NUMBERS: Final = frozenset({"node", "parent"})
"""Attributes that number nodes: they differ between two looks at the same screen."""
_TIME: Final = re.compile(r"(\d{1,2})[:.](\d{2})(?:\s?([AaPp])\.?[Mm]\.?)?", re.ASCII)
_DAY: Final = 24 * 60
_LATE: Final = frozenset({0, 1, _DAY - 1})
"""By how many minutes a clock on the screen may differ from the phone's own: they are read one after the other."""


class Around:
    """What is known of a run that may have gone around the guard.

    Attributes:
        requests: how many services of the phone the agent opened at the guard.
    """

    def __init__(self) -> None:
        self.requests = 0
        self._acted = False
        self._judged: Screen | None = None

    def arrived(self) -> None:
        """A request for the phone arrived."""
        self.requests += 1

    def judged(self, screen: Screen) -> None:
        """A proposal was judged on this screen, or the run began with it.

        Until an act passes the first screen counts: what changes then changes without the guard, whatever is judged.
        """
        if self._acted or self._judged is None:
            self._judged = screen

    def acted(self) -> None:
        """An act passed, or may have: until the next judgement the screen may change by it."""
        self._acted = True
        self._judged = None

    @property
    def needs_look(self) -> bool:
        """Whether a look at the screen can tell something."""
        return self.requests > 0 and self._judged is not None

    def reason(self, screen: Screen | None) -> str:
        """Why the run is taken to have gone around the guard, in one sentence; empty: it is not.

        Args:
            screen: a new look; None: there is none, and nothing is said about the screen.
        """
        if not self.requests:
            return SILENT
        if screen is not None and self._judged is not None and differs(self._judged, screen):
            return CHANGED
        return ""


def differs(before: Screen, after: Screen) -> bool:
    """Whether two screens differ by more than the time of day and what notifications draw.

    A message that popped up since (``Toast``) counts, whatever else shows.
    """
    if any(True for _ in after.rows("Toast")):
        return True
    return before.fingerprint != after.fingerprint and _contents(before) != _contents(after)


def _contents(screen: Screen) -> tuple[object, object]:
    """What a screen shows, without what a clock and notifications change."""
    now = next((row.get("now") for row in screen.rows("Clock")), None)
    nodes = Counter(
        frozenset(
            (name, type(value).__name__, _timeless(value, now))
            for name, value in row.items()
            if name not in _NUMBERS
        )
        for row in screen.rows("Node")
        if row.get("package") != _SYSTEM
    )
    return nodes, Counter(frozenset(row.items()) for row in screen.rows("App"))


def _timeless(value: object, now: object) -> object:
    """A value of a node; of a text that is the phone's time, only that it is."""
    if not isinstance(value, str) or not isinstance(now, dt.time):
        return value
    match = _TIME.fullmatch(value.strip())
    if match is None:
        return value
    hour, minute, half = int(match[1]), int(match[2]), (match[3] or "").lower()
    hours = {hour % 12 + 12 * (half == "p")} if half else {hour, hour % 12, hour % 12 + 12}
    passed = {(now.hour * 60 + now.minute - each * 60 - minute) % _DAY for each in hours}
    return "<the time>" if minute < 60 and passed & _LATE else value
