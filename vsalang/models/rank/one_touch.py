"""Which texts are one touch, where the source does not tell what takes it (`vsalang.screen.tree.Tree.inherits`).

AutoDroid's HTML calls each text a button that stands in something that takes the touch: a row of a list with a name, a
size and a date is three. Texts are one touch if

* they stand in one row of a list, or
* one thing holds both and their ids say that they are its parts, as ``title`` and ``summary``, or ``theme_label`` and
  ``theme``, or
* a button holds them.

What has a description, such as an icon, or whose id says that it is a button, is a control of its own.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from vsalang.screen.control import Kind, Unit
from vsalang.screen.tree import Node, Tree

_LISTS: Final = re.compile(r"(RecyclerView|ListView|GridView)$")
_OWN: Final = re.compile(r"(^|_)(btn|button)")
_TOUCHED: Final[frozenset[Kind]] = frozenset({"button", "link", "opener"})
_PARTS: Final = frozenset(
    "title subtitle label name value summary description details detail text hint info type letters".split()
)
"""Last words of ids that say which part of one thing a text is."""


def one_touch(tree: Tree, units: Sequence[Unit]) -> Mapping[int, int]:
    """Node of a unit -> the node of the unit before it whose touch it shares; empty where the source tells."""
    if not tree.inherits:
        return {}
    buttons = {unit.node.node for unit in units if unit.kind in _TOUCHED}
    shared: dict[int, int] = {}
    leading: dict[tuple[str, int | None], list[Node]] = {}
    for unit in units:
        node = unit.node
        if not _is_text(tree, unit):
            continue
        if node.parent in buttons:
            shared[node.node] = node.parent
            continue
        row = _row(tree, node)
        place = ("in", node.parent) if row is None else ("row", row.node)
        before = leading.setdefault(place, [])
        first = next((one for one in before if row is not None or _are_parts(one.id, node.id)), None)
        if first is None:
            before.append(node)
        else:
            shared[node.node] = first.node
    return shared


def _is_text(tree: Tree, unit: Unit) -> bool:
    """Whether it is a text, and nothing more."""
    node = unit.node
    alone = unit.taker is node and node.node not in tree.children
    named = node.desc or (node.id and _OWN.search(node.id))
    return alone and unit.kind in _TOUCHED and bool(node.text) and not named


def _row(tree: Tree, node: Node) -> Node | None:
    """The row of a list in which a node stands; None: there is not one around it."""
    inner = node
    for outer in tree.around(node):
        if outer.scrollable is True or (outer.cls is not None and _LISTS.search(outer.cls)):
            return inner if inner is not node and _has_rows(tree, outer, inner) else None
        inner = outer
    return None


def _has_rows(tree: Tree, outer: Node, inner: Node) -> bool:
    """Whether the children of what scrolls are rows: by its class, or since another one is built alike.

    Of a plain ``View`` without an id nothing can be said: some toolkits make all of those.
    """
    if outer.cls is not None and _LISTS.search(outer.cls):
        return True
    if inner.id is None and inner.cls == "View":
        return False
    alike = [one for one in tree.children[outer.node] if (one.cls, one.id) == (inner.cls, inner.id)]
    return len(alike) > 1


def _are_parts(one: str | None, other: str | None) -> bool:
    """Whether two ids name parts of one thing."""
    if not one or not other or one == other:
        return False
    short, long = sorted((one, other), key=len)
    if long.startswith(f"{short}_"):
        return True
    (stem, _, end), (stem_, _, end_) = one.rpartition("_"), other.rpartition("_")
    return stem == stem_ and end in _PARTS and end_ in _PARTS
