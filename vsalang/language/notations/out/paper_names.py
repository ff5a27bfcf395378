"""Rules that import and export of the paper's notation share: names, and which conditions bind an action."""

import re
from collections.abc import Sequence
from typing import Final

from vsalang.program.ir import Attr, Relation

DONE: Final = "Done"
REPEAT: Final = re.compile(r"(?P<name>.*[^\W_])Repeat(?P<times>[0-9]{1,9})")
ALL: Final = re.compile(r"(?P<name>.*[^\W_])All")
ONCE: Final = "Once"
"""The suffix for the repeated part of an objective: ``define XOnce when ..``, ``define X when XOnce then XOnce``."""


def bound(
    parameters: Sequence[Attr], conditions: Sequence[tuple[Relation, frozenset[str]]]
) -> dict[str, int]:
    """The condition that determines each parameter of the action: parameter -> index of the condition.

    Heads of the notation have no arguments. A parameter is bound by a condition that constrains an attribute of the
    same name and type, if it is the only one.

    Args:
        parameters: of the action.
        conditions: the relation of each condition and the names of the attributes it constrains.
    """
    places: dict[str, int] = {}
    for parameter in parameters:
        having = [
            index
            for index, (relation, names) in enumerate(conditions)
            if parameter.name in names
            and any(each.name == parameter.name and each.type == parameter.type for each in relation.attrs)
        ]
        if len(having) == 1:
            places[parameter.name] = having[0]
    return places
