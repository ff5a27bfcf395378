"""What may take a touch instead of the node that is said to take it, where the screen does not show which does."""

from collections.abc import Mapping
from typing import Final

from vsalang.program.screen import Cells, Screen
from vsalang.program.values import Value

_EDGES: Final = ("left", "top", "right", "bottom")


def covering(screen: Screen, cells: Cells) -> Cells:
    """The cells of a gesture if another node takes it; only the point, if no node is known that might.

    That is the node drawn last at the point (``leaf``) where it lies outside of what takes the touch, or where that is
    not known to take any; else the last one there that does not say whether it is clickable; else the last one outside
    that takes touches, and else the last one outside. "Last" is by the order in which the screen gives its nodes:
    numbers say which node it is, not where it is.

    Args:
        screen: on which it was resolved.
        cells: as `Screen.target` gave them.
    """
    point = {name: value for name in ("x", "y") if (value := cells.get(name)) is not None}
    x, y, taker = cells.get("x"), cells.get("y"), cells.get("node")
    rows = {number: row for row in screen.rows("Node") if isinstance(number := row.get("node"), int)}
    leaf = cells.get("leaf")
    sure = isinstance(taker, int) and taker in rows and _takes(rows[taker])
    if isinstance(leaf, int) and leaf in rows and leaf != taker and not (sure and _inside(rows, leaf, taker)):
        return {**rows[leaf], **point}
    here = [
        (number, row)
        for number, row in rows.items()
        if number != taker and _holds(row, x, y) and not _inside(rows, taker, number)
    ]
    outside = [(number, row) for number, row in here if not _inside(rows, number, taker)]
    for found in (
        [row for _, row in here if row.get("clickable") is None],
        [row for _, row in outside if _takes(row)],
        [row for _, row in outside],
    ):
        if found:
            return {**found[-1], **point}
    return point


def _takes(row: Cells) -> bool:
    return row.get("clickable") is True or row.get("long_clickable") is True


def _inside(rows: Mapping[int, Cells], node: Value | None, outer: Value | None) -> bool:
    """Whether a node is another one or lies in it. Parents that go round in a circle count as inside."""
    for _ in range(len(rows) + 1):
        if node is None:
            return False
        if node == outer:
            return True
        row = rows.get(node) if isinstance(node, int) else None
        if row is None:
            return False
        node = row.get("parent")
    return True


def _holds(row: Cells, x: Value | None, y: Value | None) -> bool:
    edges = [row.get(name) for name in _EDGES]
    if not all(isinstance(value, int) for value in (x, y, *edges)):
        return False
    left, top, right, bottom = edges
    return left <= x < right and top <= y < bottom  # type: ignore[operator]
