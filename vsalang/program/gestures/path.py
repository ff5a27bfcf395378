"""What the way of one finger may be: a tap, a long press, a swipe, each with all that the way says of it.

Phones differ in how far a finger may move and still rests, and in how long it rests until that is a long press. Where
they may differ, the way is both.
"""

import datetime as dt
import itertools
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.action import Action
from vsalang.program.screen import Cells
from vsalang.program.values import Value

STILL: Final = 8
"""Pixels: no device takes a shorter movement for a swipe: Android's touch slop is 8 dp, never less than that."""
SLOP: Final = 48
"""Pixels: every device takes a longer movement for a swipe. 8 dp are 32 pixels at four pixels a dp."""
PRESSED: Final = 300
"""Milliseconds: a touch that rests shorter is a tap on every device."""
HELD: Final = 500
"""Milliseconds: a touch that rests as long is a long press; between the two it depends on the device."""
OPPOSITE: Final = {"up": "down", "down": "up", "left": "right", "right": "left"}
"""Where the finger moves, and where the view then looks: a finger that moves up shows what is below."""


@dataclass(frozen=True, slots=True)
class Point:
    """Where the finger is at a time, in milliseconds since it touched the screen."""

    x: int
    y: int
    at: int = 0

    def apart(self, other: "Point") -> float:
        """How far it is from another, in pixels."""
        return math.hypot(self.x - other.x, self.y - other.y)


def rest(at: Mapping[str, Value], held: int = 0) -> tuple[Action, ...]:
    """What a finger that rests is: a tap, or a long press, or, between the two, either.

    Args:
        at: what selects the target.
        held: for how many milliseconds.
    """
    if held < PRESSED:
        return (Action("tap", at),)
    if held < HELD:
        return (Action("tap", at), Action("long_press", at))
    return (Action("long_press", at),)


def path(points: Sequence[Point], *, timed: bool = True) -> tuple[Action, ...]:
    """Everything that the way of a finger may be.

    A way of many short parts may be one long one, to its end or to its farthest point; one that leads back may be a
    touch of the place; one that leaves the place late may be a long press there.

    Args:
        points: from where it comes down to where it is lifted; between two of them it moves evenly.
        timed: whether the times are known.
    """
    first, last = points[0], points[-1]
    held = last.at if timed else 0
    at: dict[str, Value] = {"x": first.x, "y": first.y}
    far = max(points, key=first.apart)
    if first.apart(far) <= STILL:
        return rest(at, held)
    actions: list[Action] = []
    if first.apart(last) <= STILL:
        actions += rest(at, held)
    elif _left(points, SLOP) >= HELD or _left(points, STILL) >= PRESSED:
        actions.append(Action("long_press", at))
    for one, other in ((first, far), (far, last), (first, last), *itertools.pairwise(points)):
        if one.apart(other) > STILL:
            ends: dict[str, Value] = {"x": one.x, "y": one.y, "x2": other.x, "y2": other.y}
            if timed:
                ends["duration"] = dt.timedelta(milliseconds=held)
            actions.append(Action("swipe", ends))
    return tuple({(each.name, frozenset(each.args.items())): each for each in actions}.values())


def _left(points: Sequence[Point], most: int) -> float:
    """When the finger is first farther than `most` pixels from where it touched first, in milliseconds."""
    first = points[0]
    for one, other in itertools.pairwise(points):
        if first.apart(other) <= most:
            continue
        # |one + part * (other - one) - first| = most
        dx, dy = other.x - one.x, other.y - one.y
        fx, fy = one.x - first.x, one.y - first.y
        a, b, c = dx * dx + dy * dy, fx * dx + fy * dy, fx * fx + fy * fy - most * most
        part = (-b + math.sqrt(max(0.0, b * b - a * c))) / a
        return one.at + min(max(part, 0.0), 1.0) * (other.at - one.at)
    return points[-1].at


def number(value: Value | None) -> Decimal | None:
    """A number; None if it is none, or unknown."""
    return Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


def directions(cells: Cells) -> tuple[str, ...]:
    """Where a swipe goes: what is said of it first, then as its ends say, the longer part first.

    What scrolls looks at its own axis alone: a slanting swipe moves a list and a row of pages. So each part of it that
    is longer than a finger trembles counts.
    """
    direction = cells.get("direction")
    ways = [direction] if isinstance(direction, str) else []
    x, y, x2, y2 = (number(cells.get(name)) for name in ("x", "y", "x2", "y2"))
    if x is not None and y is not None and x2 is not None and y2 is not None:
        across, along = x2 - x, y2 - y
        parts = [
            (abs(across), "left" if across < 0 else "right"),
            (abs(along), "up" if along < 0 else "down"),
        ]
        parts.sort(key=lambda part: -part[0])
        ways += [way for length, way in parts if length > STILL or (length == parts[0][0] and length > 0)]
    return tuple(dict.fromkeys(ways))
