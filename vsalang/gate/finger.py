"""A finger that an agent puts down, moves and lifts in several requests: one gesture, judged when it is lifted.

What a finger does is known only when it is lifted, and on a phone that is when a button is pressed. So its events wait,
the agent is told that they were made, and when the finger is lifted the whole gesture is judged and made at the same
pace; or it is blocked, and nothing of it was made: no finger is left on the screen. A phone has one finger, whoever
moves it: requests of adb, of uiautomator2 and of others are parts of one gesture.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from vsalang.core.action import Action
from vsalang.core.delivery import sending
from vsalang.core.gestures import Point, path
from vsalang.device.errors import DeviceLost, NotDelivered
from vsalang.device.vocabulary import base
from vsalang.device.vocabulary.uiautomator2 import parse

T = TypeVar("T")

METHOD: Final = "injectInputEvent"
KINDS: Final = {0: "DOWN", 1: "UP", 2: "MOVE"}
"""What uiautomator2 calls the events -> their kind."""
MOST_EVENTS: Final = 500
LONGEST: Final = 30.0
"""Seconds for which a finger may stay down."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a finger: what kind, where, when (seconds of a monotonic clock), and what makes it."""

    kind: str
    x: object
    y: object
    at: float
    make: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Gesture:
    """What a finger did from its first event to its last."""

    events: tuple[Event, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """All that it may be, each to be judged.

        Each event travels by itself, so the phone may see them nearer to one another than they came: what was held may
        be a tap there.

        Raises:
            VocabularyError: it is nowhere on a screen.
        """
        points: list[Point] = []
        for each in self.events:
            place = base.pixel(each.x, "x"), base.pixel(each.y, "y")
            at = _milliseconds(each.at - self.events[0].at)
            if points:  # it rests until the event that moves it
                points.append(replace(points[-1], at=at))
            points.append(Point(*place, at))
        held = path(points)
        at_once = path([replace(each, at=0) for each in points])
        return held + tuple(each for each in at_once if each.name == "tap" and each not in held)

    def make(self, last: Callable[[], T]) -> T:
        """Make its events, at the pace at which they came.

        Args:
            last: makes the last one.

        Raises:
            NotDelivered: nothing of it was made.
            Exception: what makes an event raises; a part of it may have been made.
        """
        begun = time.monotonic()
        with sending() as sent:
            try:
                for event in self.events[:-1]:
                    _wait(begun + event.at - self.events[0].at)
                    event.make()
                    sent.leaving()  # whoever made it: one event was made, so the gesture has begun
                _wait(begun + self.events[-1].at - self.events[0].at)
            except BaseException as error:  # an interrupt, too, leaves no finger on the screen
                if isinstance(error, Exception) and sent.delivered(error) is False:
                    raise
                if sent.left or isinstance(error, Exception):
                    with contextlib.suppress(Exception):
                        last()
                if isinstance(error, NotDelivered):
                    raise DeviceLost(f"a part of the gesture was made: {error}") from error
                raise
        return last()


class Finger:
    """The finger on one phone. Its methods may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._events: list[Event] = []

    def takes(self, kind: str, x: object, y: object, make: Callable[[], object]) -> Gesture | bool:
        """Take one event.

        Args:
            kind: ``DOWN``, ``MOVE`` or ``UP``.
            x: where, with `y`.
            make: makes it on the phone, if its gesture may be done.

        Returns:
            True: it waits. A gesture: the finger was lifted. False: it belongs to no gesture, and stands by itself.
        """
        event = Event(kind, x, y, self._clock(), make)
        with self._lock:
            if event.kind == "DOWN":
                self._events = [event]
                return True
            events = self._events
            late = events and event.at - events[0].at > LONGEST
            if not events or late or len(events) >= MOST_EVENTS:
                self._events = []
                return False
            if event.kind == "MOVE":
                events.append(event)
                return True
            self._events = []
            return Gesture((*events, event))

    def lift(self) -> bool:
        """Forget what waits, since another input comes; whether anything waited."""
        with self._lock:
            waited, self._events = bool(self._events), []
            return waited


def event_of(body: bytes) -> tuple[str, object, object]:
    """What an event of uiautomator2 is, of a call that was understood: its kind and place."""
    _, params = parse(body)
    return KINDS[int(params[0])], params[1], params[2]


def accepted(body: bytes) -> bytes:
    """The answer to an event that waits."""
    found = json.loads(body)
    return json.dumps({"jsonrpc": "2.0", "id": found.get("id"), "result": True}).encode()


def _milliseconds(seconds: float) -> int:
    return max(0, int(seconds * 1000))


def _wait(until: float) -> None:
    left = until - time.monotonic()
    if left > 0:
        time.sleep(min(left, LONGEST))
