"""A finger that an agent puts down, moves and lifts in several calls: one gesture, judged when it is lifted.

What a finger does is known only when it is lifted, and on a phone that is when a button is pressed. So its events wait,
the agent is told that they were made, and when the finger is lifted the whole gesture is judged and made at the same
pace; or it is blocked, and nothing of it was made: no finger is left on the screen.
"""

import contextlib
import itertools
import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from vsalang.core.action import Action
from vsalang.core.delivery import sending
from vsalang.device.errors import DeviceLost, NotDelivered
from vsalang.device.vocabulary import base
from vsalang.device.vocabulary.uiautomator2 import parse

T = TypeVar("T")

METHOD: Final = "injectInputEvent"
DOWN, UP, MOVE = 0, 1, 2
MOST_EVENTS: Final = 500
LONGEST: Final = 30.0
"""Seconds for which a finger may stay down."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a finger: what kind, where, when (seconds of a monotonic clock), and the call that says it."""

    kind: int
    x: object
    y: object
    at: float
    call: bytes


@dataclass(frozen=True, slots=True)
class Gesture:
    """What a finger did from its first event to its last."""

    events: tuple[Event, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """All that it may be, each to be judged.

        Raises:
            VocabularyError: it is nowhere on a screen.
        """
        first, last = self.events[0], self.events[-1]
        points = [(each.x, each.y) for each in self.events]
        held = _milliseconds(last.at - first.at)
        found: list[Action] = []
        for (x, y), (x2, y2) in itertools.pairwise(points):
            found += (each for each in base.stroke(x, y, x2, y2, held=held) if each.name == "swipe")
        whole = base.stroke(first.x, first.y, last.x, last.y, held=held)
        # many short ways are one long one, also if it leads back
        far = max(points, key=lambda point: _apart(points[0], point))
        for ends in ((points[0], far), (far, points[-1])):
            found += (each for each in base.stroke(*ends[0], *ends[1], held=held) if each.name == "swipe")
        if not found:
            return whole
        # one that rests before it moves may also be held there; a finger that rests trembles
        away = (each.at for each in self.events if _apart(points[0], (each.x, each.y)) > base.SLOP)
        rested = base.touch(first.x, first.y, _milliseconds(next(away, last.at) - first.at))
        found += (each for each in rested if each.name == "long_press")
        found += (each for each in whole if each not in found)
        return tuple({_hashed(each): each for each in found}.values())

    def make(self, earlier: Callable[[bytes], object], last: Callable[[], T]) -> T:
        """Make its events, at the pace at which they came.

        Args:
            earlier: makes one event but the last.
            last: makes the last one.

        Raises:
            NotDelivered: nothing of it was made.
            Exception: what `earlier` and `last` raise; a part of it may have been made.
        """
        begun = time.monotonic()
        with sending() as sent:
            for event in self.events[:-1]:
                _wait(begun + event.at - self.events[0].at)
                try:
                    earlier(event.call)
                    sent.leaving()  # whoever made it: one event was made, so the gesture has begun
                except Exception as error:
                    if sent.delivered(error) is False:
                        raise
                    with contextlib.suppress(Exception):
                        last()  # the finger is not left on the screen
                    if isinstance(error, NotDelivered):
                        raise DeviceLost(f"a part of the gesture was made: {error}") from error
                    raise
        _wait(begun + self.events[-1].at - self.events[0].at)
        return last()


class Finger:
    """The finger of one agent."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._events: list[Event] = []

    def takes(self, body: bytes) -> Gesture | bool:
        """Take one event, of a call that was understood.

        Returns:
            True: it waits. A gesture: the finger was lifted. False: it belongs to no gesture, and stands by itself.
        """
        _, params = parse(body)
        event = Event(int(params[0]), params[1], params[2], self._clock(), body)
        with self._lock:
            if event.kind == DOWN:
                self._events = [event]
                return True
            events = self._events
            late = events and event.at - events[0].at > LONGEST
            if not events or late or len(events) >= MOST_EVENTS:
                self._events = []
                return False
            if event.kind == MOVE:
                events.append(event)
                return True
            self._events = []
            return Gesture((*events, event))

    def lift(self) -> bool:
        """Forget what waits, since another input comes; whether anything waited."""
        with self._lock:
            waited, self._events = bool(self._events), []
            return waited


def accepted(body: bytes) -> bytes:
    """The answer to an event that waits."""
    found = json.loads(body)
    return json.dumps({"jsonrpc": "2.0", "id": found.get("id"), "result": True}).encode()


def _milliseconds(seconds: float) -> int:
    return max(0, int(seconds * 1000))


def _apart(one: tuple[object, object], other: tuple[object, object]) -> float:
    return math.dist([base.pixel(each, "x") for each in one], [base.pixel(each, "x") for each in other])


def _wait(until: float) -> None:
    left = until - time.monotonic()
    if left > 0:
        time.sleep(min(left, LONGEST))


def _hashed(action: Action) -> tuple[str, frozenset[tuple[str, object]]]:
    return action.name, frozenset(action.args.items())
