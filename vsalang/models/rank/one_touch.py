"""Which texts are one touch, where the source does not tell what takes it (`vsalang.screen.tree.Tree.inherits`).

AutoDroid's HTML calls each text a button that stands in something that takes the touch: a row of a list with a name, a
size and a date is three. Texts are one touch if

* they stand in one row of a list, or
* one thing holds both and their ids say that they are its parts, as ``title`` and ``summary``, or ``theme_label`` and
  ``theme``, or
* a button holds them and few others, at whatever depth.

What has a description, such as an icon, or whose id says that it is a button, is a control of its own, but for what
only marks the button before it by its id, as ``notification_dot``. A radio button without words is one touch with the
one text that one thing holds besides it.

How often that is right is measured on UI dumps, of which the source tells what takes a touch (`benchmarks.rank`).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from vsalang.screen.control import Kind, Unit
from vsalang.screen.control.relevance import words
from vsalang.screen.tree import Node, Tree

_LISTS: Final = re.compile(r"(RecyclerView|ListView|GridView)$")
_OWN: Final = re.compile(r"(^|_)(btn|button)")
_MARKS: Final = re.compile(r"(^|_)(dot|badge)$")
_FEW: Final = 4
_TOUCHED: Final[frozenset[Kind]] = frozenset({"button", "link", "opener"})
_PARTS: Final = frozenset(
    "title subtitle label name value summary description details detail text hint info type letters size".split()
)
"""Last words of ids that say which part of one thing a text is."""


def one_touch(tree: Tree, units: Sequence[Unit]) -> Mapping[int, int]:
    """Node of a unit -> the node of the unit whose touch it shares; empty where the source tells."""
    if not tree.inherits:
        return {}
    buttons = {unit.node.node: unit.node for unit in units if unit.kind in _TOUCHED}
    shared: dict[int, int] = {}
    leading: dict[tuple[str, int | None], list[Node]] = {}
    for unit in units:
        node = unit.node
        if unit.kind not in _TOUCHED or node.node in tree.children or unit.taker is not node:
            continue
        if not _is_text(node):
            before = _marked(tree, node, buttons)
            if before is not None:
                shared[node.node] = shared.get(before.node, before.node)
            continue
        outer = next((one for one in tree.around(node) if one.node in buttons), None)
        if outer is not None and (node.parent == outer.node or _holds_few(tree, outer)):
            shared[node.node] = shared.get(outer.node, outer.node)
            continue
        row = _row(tree, node)
        place = ("in", node.parent) if row is None else ("row", row.node)
        mine = leading.setdefault(place, [])
        first = next((one for one in mine if row is not None or _are_parts(one.id, node.id)), None)
        if first is None:
            mine.append(node)
        else:
            shared[node.node] = first.node
    return {**shared, **_boxes(tree, units, shared)}


def _holds_few(tree: Tree, outer: Node) -> bool:
    """Whether it holds no more texts than one control has."""
    return sum(1 for one in tree.inside(outer) if one.text and one is not outer) <= _FEW


def _boxes(tree: Tree, units: Sequence[Unit], shared: Mapping[int, int]) -> Mapping[int, int]:
    """Text -> the radio button without words next to it, where one thing holds nothing else."""
    inside: dict[int | None, list[Unit]] = {}
    for unit in units:
        if unit.node.node not in shared:
            inside.setdefault(unit.node.parent, []).append(unit)
    joined: dict[int, int] = {}
    for mine in inside.values():
        boxes = [one for one in mine if one.kind == "choice" and one.node.cls == "RadioButton"]
        texts = [one for one in mine if one.kind in _TOUCHED and _is_text(one.node)]
        if len(mine) == 2 and len(boxes) == len(texts) == 1 and not words(boxes[0].node):
            joined[texts[0].node.node] = boxes[0].node.node
    return joined


def _is_text(node: Node) -> bool:
    """Whether it is a text, and nothing more."""
    return bool(node.text) and not node.desc and not _is_own(node)


def _is_own(node: Node) -> bool:
    """Whether its id says that it is a button."""
    return node.id is not None and _OWN.search(node.id) is not None


def _marked(tree: Tree, node: Node, buttons: Mapping[int, Node]) -> Node | None:
    """The button before it that it only marks, by its id."""
    if node.id is None or not _MARKS.search(node.id):
        return None
    siblings = tree.children.get(node.parent, ()) if node.parent is not None else ()
    before = [one for one in siblings if one.place < node.place and one.node in buttons]
    return before[-1] if before else None


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
