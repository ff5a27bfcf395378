"""The native relations of `std.tree` and `std.lists`, computed from one tree.

Each function returns all rows of a relation; `Caption` and `Band` are in `vsalang.screen.tree.caption`.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from vsalang.screen.tree.face import wording
from vsalang.screen.tree.node import Node, Tree

_VERTICAL: Final = frozenset({"ScrollView", "NestedScrollView", "ListView", "ExpandableListView"})
_HORIZONTAL: Final = frozenset({"HorizontalScrollView", "ViewPager", "HorizontalGridView"})


def texts(nodes: Iterable[Node]) -> Iterator[tuple[int, Node]]:
    """The nodes with visible words of their own, counted from 1; icon glyphs and blanks are not words."""
    nth = 0
    for node in nodes:
        if node.text is not None and wording(node.text):
            nth += 1
            yield nth, node


def siblings(tree: Tree) -> Iterator[tuple[Node, Node]]:
    """Each node with the sibling shown after it. Windows are not siblings."""
    for parent, nodes in tree.children.items():
        if parent is not None:
            yield from pairwise(nodes)


def fitting(tree: Tree) -> frozenset[int]:
    """The numbers of the nodes that are shown completely.

    Such a node is enabled; neither it nor an ancestor nor a node inside scrolls, and nothing inside is cut off,
    without a visible area or elsewhere in the other reading. A node that does not say whether it scrolls may scroll.
    """
    broken = {node.node for node in tree.nodes if node.scrollable is not False}
    inner = broken | {node.node for node in tree.nodes if node.cut} | tree.gaps | _elsewhere(tree)
    around: set[int] = set()
    for node in tree.nodes:
        if node.node in broken or node.parent in around:
            around.add(node.node)
    for node in reversed(tree.nodes):
        if node.node in inner and node.parent is not None:
            inner.add(node.parent)
    return frozenset(
        node.node
        for node in tree.nodes
        if node.enabled and node.node not in around and node.node not in inner
    )


def _elsewhere(tree: Tree) -> frozenset[int]:
    """The numbers of the nodes that may show elsewhere, or further, than they do."""
    return frozenset(node.node for node in tree.doubtful)


def whole(tree: Tree, fits: frozenset[int]) -> Iterator[Node]:
    """The rows that are shown completely.

    A row in a scrolling container is whole when it touches neither of the container's edges in the
    direction in which it scrolls, of each container around it; elsewhere when the node it hangs in fits. A
    row in which something scrolls, is cut off or has no visible area is never whole.
    """
    inner: set[int] = {*tree.gaps, *_elsewhere(tree)}
    for node in reversed(tree.nodes):
        if (node.scrollable is not False or node.cut or node.node in inner) and node.parent is not None:
            inner.add(node.parent)
    axes: dict[int, str] = {}
    for node in tree.nodes:
        if node.parent is None or node.scrollable is not False or node.cut or node.node in inner:
            continue
        if node.parent in fits:
            yield node
            continue
        scrolling = False
        for outer in tree.around(node):
            if outer.scrollable is False:
                continue
            if outer.scrollable is None:
                break
            scrolling = True
            if outer.node not in axes:
                axes[outer.node] = axis(outer, tree.children.get(outer.node, ()))
            if _touches(node, outer, axes[outer.node]):
                break
        else:
            if scrolling:
                yield node


def axis(container: Node, rows: tuple[Node, ...]) -> str:
    """The direction in which a container scrolls: ``vertical``, ``horizontal``, or ``both`` (unknown).

    The class says it, or the rows: in a list that scrolls down, some row is completely below another.
    """
    if container.cls in _VERTICAL:
        return "vertical"
    if container.cls in _HORIZONTAL:
        return "horizontal"
    if not rows:
        return "both"
    stacked = max(row.top for row in rows) >= min(row.bottom for row in rows)
    is_horizontal = max(row.left for row in rows) >= min(row.right for row in rows)
    if stacked == is_horizontal:
        return "both"
    return "vertical" if stacked else "horizontal"


def _touches(row: Node, container: Node, direction: str) -> bool:
    upright = row.top <= container.top or row.bottom >= container.bottom
    across = row.left <= container.left or row.right >= container.right
    if direction == "vertical":
        return upright
    if direction == "horizontal":
        return across
    return upright or across
