"""The touches and keys shortly before a gesture: with them it may be another one."""

import datetime as dt
import math
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.gestures.path import number
from vsalang.program.screen import Cells

DOUBLE: Final = 400
"""Pixels between two taps of a double tap: 100 dp at four pixels a dp."""
AGAIN: Final = dt.timedelta(seconds=1)
"""Two taps further apart in time are not a double tap: 300 ms on a phone; clocks of phones show whole seconds."""
MOST_TYPED: Final = 400
_TOUCHING: Final = frozenset({"tap", "double_tap", "long_press", "input_text", "clear_text", "swipe"})


@dataclass(frozen=True, slots=True)
class Recent:
    """The touches and keys before a gesture.

    Attributes:
        node: the number of the node that was touched last; None: unknown.
        x: where, with `y`; None: nothing was touched, or it is not known where.
        at: when that was over; None: it may not be over yet.
        field: the number of the node into which was typed last.
        typed: what was typed into it, one after the other.
    """

    node: int | None = None
    x: int | None = None
    y: int | None = None
    at: dt.datetime | None = None
    field: int | None = None
    typed: str = ""

    def at_time(self, now: dt.datetime) -> "Recent":
        """What of it counts at a time: a touch that is long over begins no double tap."""
        if self.at is None or now - self.at <= AGAIN:
            return self
        return Recent(field=self.field, typed=self.typed)

    def touched(self, cells: Cells) -> bool:
        """Whether a tap there is the second one of a double tap."""
        x, y = number(cells.get("x")), number(cells.get("y"))
        if self.node is not None and self.node == cells.get("node"):
            return True
        if x is None or y is None or self.x is None or self.y is None:
            return False
        return math.hypot(x - self.x, y - self.y) <= DOUBLE

    def text_of(self, cells: Cells) -> str:
        """What was typed into the field that takes a text, one after the other; empty if nothing."""
        return self.typed if self.field is not None and self.field == cells.get("node") else ""

    def after(
        self, gesture: str | None, cells: Cells, typed: Cells | None, at: dt.datetime | None
    ) -> "Recent":
        """What is recent once a gesture was made.

        Args:
            gesture: its name.
            cells: its cells.
            typed: what it types, if it does: the cells of an `input_text`.
            at: when it was over; None: it may not be over yet.
        """
        recent = self
        if gesture in _TOUCHING:
            node, x, y = (_whole(cells, name) for name in ("node", "x", "y"))
            recent = replace(recent, node=node, x=x, y=y, at=at)
        if typed is not None:
            into, value = _whole(typed, "node"), typed.get("value")
            text_after = value if isinstance(value, str) else ""
            text = (self.typed + text_after if into == self.field else text_after)[-MOST_TYPED:]
            return replace(recent, field=into, typed=text)
        return replace(recent, field=None, typed="") if gesture == "clear_text" else recent


NOTHING: Final = Recent()


def _whole(cells: Cells, name: str) -> int | None:
    value = number(cells.get(name))
    return None if value is None else int(value)
