"""Finds requests that are a single touch, which the guard's own driver can make, only if the judged node is still
there.

A request with a position would touch whatever is there by then. The guard's driver observes once more, and makes the
server on the phone find the node by its text, description, id, class and state, and click it in the same moment
(`vsalang.phone.uiautomator.conditional`). A request with more than one touch is sent unchanged; the age of the last
observation is bounded and recorded then.
"""

import re
from collections.abc import Sequence
from typing import Final

from vsalang.phone.gate.finger import Gesture
from vsalang.phone.vocabulary.uiautomator2 import parse
from vsalang.program.action import Action

_BY_PLACE: Final = frozenset({"x", "y"})
_TAP: Final = re.compile(r"input tap \d{1,6} \d{1,6}", re.ASCII)


def touch_of_call(body: bytes, actions: Sequence[Action]) -> Action | None:
    """The touch that is all that a call of uiautomator2's server does; None: it does something else.

    Args:
        body: the call, written again from what was judged.
        actions: the judged actions.
    """
    method, params = parse(body)
    short = method == "click" and len(params) in (1, 2)
    long = method == "longClick" and len(params) == 1
    return _only(actions, "tap" if short else "long_press") if short or long else None


def touch_of_gesture(gesture: Gesture) -> Action | None:
    """The tap that a finger made in several requests; None: it was, or may have been, something else.

    Sent as single events it could become a long press if the last one arrives late, so it is made as one touch.
    """
    return _only(gesture.actions, "tap")


def touch_of_command(command: str, actions: Sequence[Action]) -> Action | None:
    """The touch that is all that a command does; None: it does something else. Arguments as of `touch_of_call`."""
    touch = _only(actions, "tap") if _TAP.fullmatch(command) else None
    return touch if touch is not None and touch.args.keys() == _BY_PLACE else None


def _only(actions: Sequence[Action], name: str) -> Action | None:
    return actions[0] if len(actions) == 1 and actions[0].name == name else None
