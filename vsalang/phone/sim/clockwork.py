"""The time of a simulated phone: a clock that moves only when it is moved, and the events that are planned."""

import datetime as dt
import heapq
import threading
import time
from collections.abc import Callable

MOST_PENDING = 10_000
MOST_REAL: float = 120.0
"""In seconds: for how long one command or gesture makes its client wait."""
Pending = tuple[dt.datetime, int, Callable[[], None]]
"""Due time, order, and the function to call."""


def take_time(seconds: float) -> None:
    """Let real time pass, as long as a gesture or a command takes on a phone; the phone's clock does not move."""
    time.sleep(min(max(0.0, seconds), MOST_REAL))


class Clockwork:
    """A clock with planned events. Its caller holds the lock, except in `wait_for`.

    Attributes:
        now: the phone's local time.
        pending: the planned events, a heap.
    """

    def __init__(self, now: dt.datetime, changed: threading.Condition, on_change: Callable[[], None]) -> None:
        """Start the clock.

        Args:
            changed: the lock of the phone's state, notified at every change.
            on_change: called when time has passed, before an event happens.
        """
        self.now = now
        self.pending: list[Pending] = []
        self._order = 0
        self._changed = changed
        self._on_change = on_change

    def move(self, step: dt.timedelta) -> None:
        """Let time pass; each planned event happens at its time."""
        end = self.now + step
        while self.pending and self.pending[0][0] <= end:
            due, _, happen = heapq.heappop(self.pending)
            self.now = max(self.now, due)
            self._on_change()
            happen()
        self.now = end
        self._on_change()
        self._changed.notify_all()

    def plan(self, seconds: float, happen: Callable[[], None]) -> None:
        """Call `happen` after some time; an event too many is dropped."""
        if len(self.pending) < MOST_PENDING:
            self._order += 1
            heapq.heappush(self.pending, (self.now + dt.timedelta(seconds=seconds), self._order, happen))

    def wait_for(self, test: Callable[[], bool], seconds: float) -> bool:
        """Whether `test` holds within this time: planned events happen at once, by the phone's clock.

        If none is planned, real time passes until another input changes something.
        """
        with self._changed:
            end = self.now + dt.timedelta(seconds=seconds)
            while not test():
                if not self.pending or self.pending[0][0] > end:
                    return self._changed.wait_for(test, seconds)
                self.move(max(self.pending[0][0] - self.now, dt.timedelta()))
            return True
