"""Touches that the guard's own driver makes in the place of the agent's request: only where what was judged still is.

A request that names a place would be sent to that place, whatever stands there by then. The guard's driver looks once
more, and lets the server on the phone find the node by its text, description, id, class and state, and click it in the
same moment (`vsalang.device.uiautomator.conditional`). What is more than one touch is sent as it came; how old the last
look was then is bounded and recorded.
"""

import re
from collections.abc import Sequence
from typing import Final

from vsalang.core.action import Action
from vsalang.device.vocabulary.uiautomator2 import parse
from vsalang.gate.finger import Gesture

_BY_PLACE: Final = frozenset({"x", "y"})
_TAP: Final = re.compile(r"input tap \d{1,6} \d{1,6}", re.ASCII)


def touch_of_call(body: bytes, actions: Sequence[Action]) -> Action | None:
    """The touch that a call of uiautomator2's server is and nothing else; None: it is something else.

    Args:
        body: the call, written anew from what was judged.
        actions: what was judged.
    """
    method, params = parse(body)
    short = method == "click" and len(params) in (1, 2)
    long = method == "longClick" and len(params) == 1
    return _only(actions, "tap" if short else "long_press") if short or long else None


def touch_of_gesture(gesture: Gesture) -> Action | None:
    """The tap that a finger made in several requests; None: it was, or may have been, something else.

    Event by event it could be a long press on a phone that gets the last one late: it is made as one touch.
    """
    return _only(gesture.actions, "tap")


def touch_of_command(command: str, actions: Sequence[Action]) -> Action | None:
    """The touch that a command is and nothing else; None: it is something else. Arguments as of `touch_of_call`."""
    touch = _only(actions, "tap") if _TAP.fullmatch(command) else None
    return touch if touch is not None and touch.args.keys() == _BY_PLACE else None


def _only(actions: Sequence[Action], name: str) -> Action | None:
    return actions[0] if len(actions) == 1 and actions[0].name == name else None
