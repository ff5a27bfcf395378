"""Joins two windows of one list across a scroll, by the strict rule: better no position than a wrong one.

Two windows are joined if only a scroll of that list (or nothing) came between, and exactly one shift in its direction
agrees on every overlapping row: on at least two that could be read, one of them whole and unique in both.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vsalang.base.records import dataclass
from vsalang.engine.api import Cell, Row
from vsalang.guard.world.beliefs import CellWrite, Ident, row_of
from vsalang.guard.world.list_windows import Arrangement, ListWindow
from vsalang.program.ir import Relation
from vsalang.program.values import same


@dataclass(frozen=True, slots=True)
class Motion:
    """What came between two observations: a scroll of a node, or nothing that moves anything.

    Attributes:
        direction: where the content moved to; empty: nothing moved.
        node: the node that was scrolled, by its number on the screen before.
    """

    direction: str = ""
    node: int | None = None


@dataclass(frozen=True, slots=True)
class WindowState:
    """A window as it was last shown: its rows, which of them were whole, the position of the first, its container."""

    rows: tuple[Row, ...]
    whole: tuple[bool, ...]
    first: int | None
    holder: int | None


def window_state(
    relation: Relation, window: ListWindow, writes: Iterable[CellWrite], arrangement: Arrangement
) -> WindowState:
    """What a window shows; a cell for which two writes disagree counts as not read."""
    cells: dict[int, dict[str, Cell]] = {node: {} for node in window.nodes}
    clashing: set[tuple[int, str]] = set()
    for write in writes:
        if write.row in cells:
            for name, value in write.cells.items():
                old = cells[write.row].setdefault(name, value)
                if not same(old, value):
                    clashing.add((write.row, name))
    for node, name in clashing:
        cells[node][name] = None
    rows = tuple(row_of(relation, cells[node]) for node in window.nodes)
    whole = tuple(node in arrangement.wholes for node in window.nodes)
    return WindowState(rows, whole, window.first, arrangement.holder(window.nodes))


def joined(
    relation: Relation,
    window: ListWindow,
    now: WindowState,
    before: Mapping[tuple[str, Ident], WindowState],
    motion: Motion | None,
) -> ListWindow:
    """The window with the position that joining it to the last one gives, if it has none of its own."""
    last = before.get((relation.name, window.group))
    if window.first is not None or last is None or last.first is None or motion is None:
        return window
    if motion.direction and (motion.node is None or motion.node != last.holder):
        return window
    shifts: Iterable[int]
    if motion.direction == "up":
        shifts = range(0, len(last.rows))
    elif motion.direction == "down":
        shifts = range(1 - len(now.rows), 1)
    elif not motion.direction:
        shifts = (0,)
    else:
        return window
    # Every shift that could be right counts: one that is certain does not rule out another that agrees too.
    shifts_found = [
        (shift, certain) for shift in shifts if (certain := _agree(relation, last, now, shift)) is not None
    ]
    if len(shifts_found) != 1 or not shifts_found[0][1] or last.first + shifts_found[0][0] < 1:
        return window
    return replace(window, first=last.first + shifts_found[0][0])


def _agree(relation: Relation, last: WindowState, now: WindowState, shift: int) -> bool | None:
    """Whether the rows certainly agree if the new window begins `shift` rows after the last one.

    None if they do not, or have fewer than two readable rows in common; False if no row among those is whole, and the
    only one of its kind in both windows.
    """
    own = [index for index, attr in enumerate(relation.attrs) if attr.name not in (*relation.within, "at")]
    readable, certain = 0, False
    for index, row in enumerate(now.rows):
        place = index + shift
        if not 0 <= place < len(last.rows):
            continue
        other = last.rows[place]
        pairs = [(other[column], row[column]) for column in own]
        if any(a is not None and b is not None and not same(a, b) for a, b in pairs):
            return None
        both_whole = last.whole[place] and now.whole[index]
        if both_whole and any((a is None) != (b is None) for a, b in pairs):
            return None
        if any(a is not None and b is not None for a, b in pairs):
            readable += 1
            unique = last.rows.count(other) == 1 and now.rows.count(row) == 1
            certain = certain or (both_whole and unique)
    return certain if readable >= 2 else None
