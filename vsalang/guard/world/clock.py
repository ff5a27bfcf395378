"""The time of a session: the device's clock as last observed, and the timeline on which durations are measured.

The device's clock jumps: somebody sets it, or moves the phone to another time zone. So that no duration passes by that,
``within`` and ``for`` read the *timeline*: it goes on as the slower of two clocks does, the device's and a steady one
that nobody can set, and never goes back.
"""

import datetime as dt
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol, runtime_checkable

from vsalang.base.records import dataclass
from vsalang.program.screen import Screen

APART: Final = dt.timedelta(minutes=1)
"""The device's clock and the steady one go together while they are no further apart than this: a look takes time, and
some devices tell no seconds. Beyond it one of them was set."""

_NO_TIME: Final = dt.timedelta(0)


@dataclass(frozen=True, slots=True)
class Times:
    """What the clocks of a session say at one moment (naive).

    Attributes:
        clock: the device's local time. It may jump.
        timeline: the time as durations measure it.
        steady: a clock that nobody can set; the life of a verdict is measured on it too.

    The timeline and the steady clock began at the first local time of the session; only differences count.
    """

    clock: dt.datetime
    timeline: dt.datetime
    steady: dt.datetime

    @classmethod
    def all_at(cls, moment: dt.datetime) -> "Times":
        """All three say the same."""
        return cls(moment, moment, moment)


class Timeline:
    """Advances by no more than the device's clock and the steady one did.

    Between two moments it never goes on by more than the steady clock does. Since the two clocks were last found
    together it has gone on by no more than the device's.
    """

    def __init__(self, last: Times) -> None:
        self.last = self._together = last
        self._behind = _NO_TIME

    def to(self, clock: dt.datetime, steady: dt.datetime) -> Times:
        """The times at the moment when the two clocks say this."""
        last, since = self.last, self._together
        steady = max(steady, last.steady)
        ran, by_screen = steady - since.steady, clock - since.clock
        # What was lost is not caught up: else time would go on by more than the steady clock does.
        self._behind = max(self._behind, ran - by_screen)
        self.last = Times(clock, max(last.timeline, since.timeline + ran - self._behind), steady)
        if abs(ran - by_screen) > APART:
            self._together, self._behind = self.last, _NO_TIME
        return self.last

    def by_steps(self, clock: dt.datetime) -> Times:
        """The times after somebody moved a clock by hand: all go with it, and only that clock may go back."""
        last = self.last
        step = max(clock - last.clock, _NO_TIME)
        self.last = self._together = Times(clock, last.timeline + step, last.steady + step)
        self._behind = _NO_TIME
        return self.last


@runtime_checkable
class Clock(Protocol):
    """What a session asks of a clock."""

    def see(self, screen: Screen | None) -> None:
        """A screen is observed, which may show the device's clock."""
        ...

    def read(self) -> Times:
        """What the clocks say now."""
        ...


class ScreenClock:
    """Tells the device's local time (naive, whole seconds), and the session's timeline.

    Until a screen showed the device's clock it is the host's.

    Args:
        live: whether time passes between observations; False for simulated phones, whose time only inputs move.
    """

    def __init__(self, *, live: bool = True) -> None:
        self._live = live
        self._seen = dt.datetime.now().replace(microsecond=0)
        self._last_time: dt.datetime | None = None
        self._at = self._origin = time.monotonic()
        self._begun: dt.datetime | None = None
        self._line: Timeline | None = None
        self._unseen: Times | None = None
        self._lock = threading.Lock()

    def see(self, screen: Screen | None) -> None:
        """Take over the clock that a screen shows, if it shows one."""
        screen_time = shown_clock(screen)
        if screen_time is not None and (self._live or screen_time != self._last_time):
            with self._lock:
                self._seen, self._at, self._unseen = screen_time, time.monotonic(), None
                self._last_time = screen_time

    def wait(self, time_passed: dt.timedelta) -> None:
        """Let time pass on a clock that only inputs move, until a screen shows another time than the last one did.

        It is less than a minute in all: clocks of phones tell no seconds.
        """
        with self._lock:
            room = dt.datetime.max - self._seen
            if self._last_time is not None:
                room = min(room, APART - dt.timedelta(seconds=1) - (self._seen - self._last_time))
            self._seen += min(time_passed, room)

    def __call__(self) -> dt.datetime:
        """The device's local time now."""
        passed = int(time.monotonic() - self._at) if self._live else 0
        return self._seen + dt.timedelta(seconds=passed)

    def read(self) -> Times:
        """What the clocks say now."""
        with self._lock:
            clock = self()
            if self._line is None or self._begun is None:
                self._begun, self._line = clock, Timeline(Times.all_at(clock))
                self._origin = time.monotonic()
            if not self._live:
                return self._line.by_steps(clock)
            if self._unseen is not None:
                # What is done now would grow old by all that a later look tells of the time before it.
                self._line, self._begun = Timeline(replace(self._unseen, clock=clock)), self._unseen.steady
                self._unseen = None
            steady = self._begun + dt.timedelta(seconds=time.monotonic() - self._origin)
            return self._line.to(clock, steady)

    def go_on(self, last: Times, gap: dt.timedelta, screen: Screen | None) -> None:
        """Go on with the time of a session whose guard is gone.

        Args:
            last: what the clocks said last.
            gap: how long ago that was, by a clock that knows of no time zones.
            screen: what was observed last.

        The time between counts by the device's clock, and by no more than the gap. Where the device tells its clock and
        time is read before a look has shown it again, it does not count.
        """
        self.see(screen)
        with self._lock:
            self._line, self._begun = Timeline(last), last.steady + max(gap, _NO_TIME)
            self._origin = time.monotonic()
            self._unseen = last if shown_clock(screen) is not None else None


class HandClock:
    """The time of a clock that the caller gives: it is used as the steady one too, so it should not jump.

    Args:
        clock: tells the device's local time.
        last: what the clocks of the session said last; None: it begins.
    """

    def __init__(self, clock: Callable[[], dt.datetime], last: Times | None = None) -> None:
        self._clock = clock
        self._line = Timeline(last) if last is not None else None

    def see(self, screen: Screen | None) -> None:
        """Nothing: what screens show is not the caller's time."""

    def read(self) -> Times:
        """What the clock says now."""
        now = self._clock()
        if self._line is None:
            self._line = Timeline(Times.all_at(now))
        return self._line.by_steps(now)


def shown_clock(screen: Screen | None) -> dt.datetime | None:
    """The device's clock as a screen shows it; None if it shows none."""
    screen_time = None
    for row in screen.rows("Clock") if screen is not None else ():
        now, day = row.get("now"), row.get("today")
        if isinstance(now, dt.time) and isinstance(day, dt.date):
            screen_time = dt.datetime.combine(day, now)
    return screen_time
