"""The nodes that say what an action is about: the device can check before the touch that they still show."""

import re
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Final, TypeAlias

from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen

NodesRead: TypeAlias = Mapping[int, frozenset[str]]
"""Nodes by their numbers, and the attributes of the relation ``Node`` that were read of them."""

_TEXTS: Final = ("text", "desc")
_SAYS: Final = (*_TEXTS, "resource_id", "package")
"""What a node says; of one that says none of it the empty text is compared."""
_IS: Final = ("class", "left", "top", "right", "bottom")
"""What a node that was read must be besides: a row that another one has taken the place of is not the same."""


def about_actions(actions: Collection[Action], read: NodesRead, screen: Screen | None) -> tuple[Cells, ...]:
    """The nodes that must still show when an action is sent, each with the attributes of ``Node`` that must be alike.

    These are the nodes that rules read, and those in whose texts a text or number stands that an action was judged
    with. What no node shows (dates and times apart, what was read on an earlier screen) the look after the touch tells
    alone (`vsalang.guard.world.other_parameters`).
    """
    if screen is None or not (read or actions):
        return ()
    readings = (screen,) if screen.otherwise is None else (screen, screen.otherwise)
    rows = {row.get("node"): row for each in reversed(readings) for row in each.rows("Node")}
    node_rows = [
        _cells(rows[number], (*_IS, *sorted(names))) for number, names in read.items() if number in rows
    ]
    patterns = [
        pattern
        for action in actions
        for value in action.args.values()
        if (pattern := _pattern(value)) is not None
    ]
    if patterns:
        node_rows += [
            _cells(row, ())
            for row in screen.rows("Node")
            if row.get("node") not in read
            and any(
                isinstance(cell := row.get(name), str) and pattern.search(cell)
                for name in _TEXTS
                for pattern in patterns
            )
        ]
    return tuple(node_rows)


def _cells(row: Cells, names: Iterable[str]) -> Cells:
    cells = {name: row.get(name, "") for name in _SAYS}
    return cells | {name: row[name] for name in names if name in row}


def _pattern(value: object) -> re.Pattern[str] | None:
    if isinstance(value, str) and value.strip():
        return re.compile(rf"(?<!\w){re.escape(value.strip())}(?!\w)")
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return re.compile(rf"(?<![\d.,]){re.escape(str(value))}(?![\d]|[.,]\d*[1-9])")
    return None
