"""Collects the events of a finger (down, move, up) to one gesture, which is judged when the finger is lifted.

The gesture is known only when the finger is lifted, which is also when a phone reacts. So the events wait, and the
agent gets the answer of success; when the finger is lifted, the whole gesture is judged and made with the same timing,
or it is blocked and nothing was done: no finger stays on the screen. A phone has one finger: events from adb,
uiautomator2 and others are parts of one gesture.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from vsalang.base.records import dataclass
from vsalang.phone.errors import DeviceLost, NotDelivered
from vsalang.phone.vocabulary import base
from vsalang.phone.vocabulary.uiautomator2 import parse
from vsalang.program.action import Action
from vsalang.program.delivery import sending
from vsalang.program.gestures import Point, path

T = TypeVar("T")

METHOD: Final = "injectInputEvent"
KINDS: Final = {0: "DOWN", 1: "UP", 2: "MOVE"}
"""uiautomator2's names of the events -> their kind."""
MOST_EVENTS: Final = 500
LONGEST: Final = 30.0
"""Seconds for which a finger may stay down."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a finger: kind, position, time (monotonic, in seconds), and the function that makes it."""

    kind: str
    x: object
    y: object
    at: float
    make: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Gesture:
    """The events of a finger from down to up."""

    events: tuple[Event, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """All gestures that it may be; each must be judged.

        The events are sent one by one, so the phone may receive them closer together: a long press may become a tap.

        Raises:
            VocabularyError: its position is on no screen.
        """
        points: list[Point] = []
        for each in self.events:
            place = base.pixel(each.x, "x"), base.pixel(each.y, "y")
            at = _milliseconds(each.at - self.events[0].at)
            if points:  # the finger is at rest until the next event
                points.append(replace(points[-1], at=at))
            points.append(Point(*place, at))
        held = path(points)
        at_once = path([replace(each, at=0) for each in points])
        return held + tuple(each for each in at_once if each.name == "tap" and each not in held)

    def make(self, last: Callable[[], T]) -> T:
        """Make its events with their original timing.

        Args:
            last: makes the last one.

        Raises:
            NotDelivered: no event was made.
            Exception: the error of an event; a part of the gesture may have been made.
        """
        begun = time.monotonic()
        with sending() as sent:
            try:
                for event in self.events[:-1]:
                    _wait(begun + event.at - self.events[0].at)
                    event.make()
                    sent.leaving()  # one event was made, so the gesture has begun
                _wait(begun + self.events[-1].at - self.events[0].at)
            except BaseException as error:  # lift the finger also after an interrupt
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
            make: makes it on the phone, if its gesture is allowed.

        Returns:
            True: it waits. A gesture: the finger was lifted. False: it belongs to no gesture.
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
        """Drop the waiting events, because of another input; return whether there were any."""
        with self._lock:
            waited, self._events = bool(self._events), []
            return waited


def event_of(body: bytes) -> tuple[str, object, object]:
    """The kind and position of an event, from a call to uiautomator2 that was understood."""
    _, params = parse(body)
    return KINDS[int(params[0])], params[1], params[2]


def accepted(body: bytes) -> bytes:
    """The answer to an event that waits."""
    data = json.loads(body)
    return json.dumps({"jsonrpc": "2.0", "id": data.get("id"), "result": True}).encode()


def _milliseconds(seconds: float) -> int:
    return max(0, int(seconds * 1000))


def _wait(until: float) -> None:
    left = until - time.monotonic()
    if left > 0:
        time.sleep(min(left, LONGEST))
