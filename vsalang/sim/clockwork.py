"""The time of a simulated phone: a clock that moves only when it is told to, and the events that are planned."""

import datetime as dt
import heapq
import threading
from collections.abc import Callable

from vsalang.sim.model import Window

MOST_PENDING = 10_000
Pending = tuple[dt.datetime, int, Callable[[], None]]
"""Due time, order, and the function to call."""


class Clockwork:
    """Clock, lock, and planned events.

    Attributes:
        clock: the phone's local time.
        changed: the lock of all state; notified at every change.
    """

    def __init__(self, clock: dt.datetime) -> None:
        self.clock = clock
        self.changed = threading.Condition(threading.RLock())
        self._pending: list[Pending] = []
        self._order = 0
        self._cache: tuple[Window, ...] | None = None

    def _moved(self, step: dt.timedelta) -> None:
        """Let time pass; each planned event happens at its time."""
        end = self.clock + step
        while self._pending and self._pending[0][0] <= end:
            due, _, happen = heapq.heappop(self._pending)
            self.clock = max(self.clock, due)
            self._cache = None
            happen()
        self.clock = end
        self._cache = None
        self.changed.notify_all()

    def _later(self, seconds: float, happen: Callable[[], None]) -> None:
        if len(self._pending) < MOST_PENDING:
            self._order += 1
            heapq.heappush(self._pending, (self.clock + dt.timedelta(seconds=seconds), self._order, happen))

    def sleep(self, seconds: float) -> None:
        """Let the phone's time pass; real time does not."""
        with self.changed:
            self._moved(dt.timedelta(seconds=min(max(0.0, seconds), 86400.0)))

    def wait_for(self, test: Callable[[], bool], seconds: float) -> bool:
        """Whether `test` holds within this time: planned events happen at once, by the phone's clock.

        If none is planned, real time passes until another input changes something.
        """
        with self.changed:
            end = self.clock + dt.timedelta(seconds=seconds)
            while not test():
                if not self._pending or self._pending[0][0] > end:
                    return self.changed.wait_for(test, seconds)
                self._moved(max(self._pending[0][0] - self.clock, dt.timedelta()))
            return True
