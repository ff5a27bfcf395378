"""What the reader and the writer of the paper's notation agree on: its names, and which conditions bind an action."""

import re
from collections.abc import Sequence
from typing import Final

from vsalang.core.ir import Attr, Relation

DONE: Final = "Done"
REPEAT: Final = re.compile(r"(?P<name>.*[^\W_])Repeat(?P<times>[0-9]{1,9})")
ALL: Final = re.compile(r"(?P<name>.*[^\W_])All")
ONCE: Final = "Once"
"""Ends the name of what a repeated objective repeats: ``define XOnce when ..``, ``define X when XOnce then XOnce``."""


def bound(
    parameters: Sequence[Attr], conditions: Sequence[tuple[Relation, frozenset[str]]]
) -> dict[str, int]:
    """Which condition says what a parameter of the action must be: parameter -> index of the condition.

    The notation gives heads no arguments. A parameter is taken to be what the conditions call by the same name: it
    is bound by a condition that constrains an attribute of its name and type, if no other condition does.

    Args:
        parameters: of the action.
        conditions: the relation of each condition and the names of the attributes it constrains.
    """
    found: dict[str, int] = {}
    for parameter in parameters:
        having = [
            index
            for index, (relation, names) in enumerate(conditions)
            if parameter.name in names
            and any(each.name == parameter.name and each.type == parameter.type for each in relation.attrs)
        ]
        if len(having) == 1:
            found[parameter.name] = having[0]
    return found
