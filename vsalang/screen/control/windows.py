"""Joins two windows of one list across a scroll, by the strict rule of `list`: better nothing than a wrong answer.

The rows before and after are joined if exactly one shift agrees on the beginning of every row that both show whole, and
both show at least two rows, one of which is whole, and unique in both. (Of a row that is shown in part the beginning
may be hidden.) Rows are then the same by their position, even if several of them look alike.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from vsalang.base.records import dataclass
from vsalang.screen.control.keys import Mark
from vsalang.screen.control.relevance import holds_rows
from vsalang.screen.tree import Node, Tree

_LEAST: Final = 2
"""How many rows both windows must show."""

MAX_ROWS: Final = 500
"""Lists with more rows on one screen are not joined."""


@dataclass(frozen=True, slots=True)
class ListShift:
    """A list that both screens show.

    Attributes:
        before, after: the node that holds its rows.
        shift: how many rows went out at the top; negative: came in there. 0: none.
        rows: the rows that both show, before and after.
    """

    before: Node
    after: Node
    shift: int
    rows: tuple[tuple[Node, Node], ...]


def joined(
    before: Tree,
    after: Tree,
    old: Mapping[int, Mark],
    new: Mapping[int, Mark],
    lists: Iterable[tuple[int, int]],
) -> Iterator[ListShift]:
    """The lists whose windows can be joined.

    Args:
        before, after: the two screens.
        old, new: the marks of their nodes.
        lists: nodes that are the same on both, before and after.
    """
    for one, other in lists:
        holder, holding = before.by_number[one], after.by_number[other]
        if not (holds_rows(holder) and holds_rows(holding)):
            continue
        rows, now = before.children[one], after.children[other]
        if max(len(rows), len(now)) > MAX_ROWS:
            continue
        shift = _shift(
            [old[row.node].row_key for row in rows],
            [new[row.node].row_key for row in now],
            partial(_partly, rows, holder, now, holding),
        )
        if shift is not None:
            both = tuple((rows[at + shift], row) for at, row in enumerate(now) if 0 <= at + shift < len(rows))
            yield ListShift(holder, holding, shift, both)


def _partly(
    rows: Sequence[Node], holder: Node, now: Sequence[Node], holding: Node, one: int, other: int
) -> bool:
    """Whether the row is shown in part on one of the screens: most sources cut its bounds, so it is lower there."""
    before, after = rows[one], now[other]
    pairs = ((before, holder), (after, holding))
    at_edge = any(row.top <= of.top or row.bottom >= of.bottom for row, of in pairs)
    lower = before.bottom - before.top != after.bottom - after.top
    return before.cut or after.cut or (at_edge and lower)


def _shift(
    old: Sequence[str | None], new: Sequence[str | None], partly: Callable[[int, int], bool]
) -> int | None:
    """The one shift under which all rows agree that both windows show whole."""
    before, after = Counter(old), Counter(new)
    anchors = {
        key for key in before.keys() & after.keys() if key is not None and before[key] == 1 == after[key]
    }
    shifts = {old.index(key) - new.index(key) for key in anchors}
    if len(shifts) != 1:
        return None
    (shift,) = shifts
    overlap = [(at + shift, at) for at in range(len(new)) if 0 <= at + shift < len(old)]
    whole = [pair for pair in overlap if not partly(*pair)]
    agree = all(old[one] is not None and old[one] == new[other] for one, other in whole)
    unique = any(old[one] in anchors for one, _ in whole)
    return shift if agree and unique and len(overlap) >= _LEAST else None
