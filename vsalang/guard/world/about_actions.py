"""The nodes of a screen that say what an action is about, so that whoever touches can check that they still show."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen

_TEXTS: Final = ("text", "desc")


def about_actions(actions: Iterable[Action], screen: Screen | None) -> tuple[Cells, ...]:
    """The rows of ``Node`` in whose texts a text or number stands that an action was judged with.

    Where a parameter was read of none of these (a date, a time) the look after the touch tells alone
    (`vsalang.guard.world.other_parameters`).
    """
    if screen is None:
        return ()
    patterns = [
        pattern
        for action in actions
        for value in action.args.values()
        if (pattern := _pattern(value)) is not None
    ]
    if not patterns:
        return ()
    return tuple(
        row
        for row in screen.rows("Node")
        if any(
            isinstance(said := row.get(name), str) and pattern.search(said)
            for name in _TEXTS
            for pattern in patterns
        )
    )


def _pattern(value: object) -> re.Pattern[str] | None:
    if isinstance(value, str) and value.strip():
        return re.compile(rf"(?<!\w){re.escape(value.strip())}(?!\w)")
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return re.compile(rf"(?<![\d.,]){re.escape(str(value))}(?![\d]|[.,]\d*[1-9])")
    return None
