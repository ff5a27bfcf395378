"""Finds the target of a gesture: the node that receives it, from the point or attributes that the agent gave."""

import difflib
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from vsalang.program.action import GESTURES, POINTING
from vsalang.program.screen import UnresolvedTarget
from vsalang.program.text import canonical, safe
from vsalang.program.values import Value, same, show
from vsalang.program.vocabulary import ANDROID
from vsalang.screen.tree.hit import Hit, hit, is_keyboard
from vsalang.screen.tree.node import ATTRIBUTES, Node, Tree

_SELECTING: Final = frozenset(ATTRIBUTES)
_RESULTS: Final = frozenset({"leaf", "covered"})
_TYPING: Final = frozenset({"input_text", "clear_text"})
_MOVING: Final = frozenset({"swipe", "scroll"})
_SHOWN: Final = 5
_CLOSE: Final = {"id": 0.85, "label": 0.75, "text": 0.75, "desc": 0.75}
"""The similarity (`difflib`) from which a name is suggested for another; ids of a screen have similar ends."""


def resolve(tree: Tree, kind: str, args: Mapping[str, Value]) -> dict[str, Value]:
    """The cells of a gesture.

    A pointing gesture gets the attributes of the node that takes the touch at the given point, or at the middle of the
    one node with the given attributes; ``scroll`` gets those of the innermost scrollable node there, if there is one.
    If no node is known to take the touch, they are those of the deepest node there. Typing without a target goes to
    the focused node. Other gestures get what the agent gave.

    Raises:
        Unresolved: no such node, several of them, a point that lies on no window, or arguments that the
            gesture does not have.
    """
    cells = {name: canonical(value) if isinstance(value, str) else value for name, value in args.items()}
    if kind not in POINTING:
        if kind not in GESTURES:
            raise UnresolvedTarget(f"{kind} is not a gesture")
        return cells
    known = ANDROID[kind].attrs
    unknown = sorted(set(cells) - {attr.name for attr in known} | set(cells) & _RESULTS)
    if unknown:
        raise UnresolvedTarget(f"{kind} takes no argument {safe(unknown[0], 40)[1:-1]}")
    wanted = {name: value for name, value in cells.items() if name in _SELECTING}
    rest = {name: value for name, value in cells.items() if name not in _SELECTING and name not in ("x", "y")}
    if "x" in cells or "y" in cells:
        return {**_at_point(tree, kind, cells, wanted), **rest}
    if wanted:
        node = _select(tree, wanted)
        return {**_at(tree, kind, *node.centre, selected=node), **rest}
    if kind in _TYPING:
        return {**_focused(tree, kind), **rest}
    if kind in _MOVING:
        return rest
    raise UnresolvedTarget(
        f"{kind} needs a target: a point (x and y) or attributes of one node, such as node or id"
    )


def _at_point(
    tree: Tree, kind: str, cells: Mapping[str, Value], wanted: Mapping[str, Value]
) -> dict[str, Value]:
    if "x" not in cells or "y" not in cells:
        raise UnresolvedTarget(f"{kind} needs both x and y")
    x, y = _pixel(cells["x"], "x"), _pixel(cells["y"], "y")
    if wanted and not (node := _select(tree, wanted)).holds(x, y):
        raise UnresolvedTarget(
            f"the point ({x}, {y}) does not lie in {_name(node)}, which the attributes select"
        )
    return _at(tree, kind, x, y)


def _pixel(value: Value, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise UnresolvedTarget(f"{name} is a number of pixels, not {safe(show(value, bare=True), 40)}")
    return math.floor(value)


def _at(tree: Tree, kind: str, x: int, y: int, selected: Node | None = None) -> dict[str, Value]:
    touch = hit(tree, x, y)
    if touch is None:
        raise UnresolvedTarget(_off(tree, x, y))
    node = touch.taker
    covered = touch.covered
    if kind == "scroll":
        scroller = _scroller(tree, touch, selected)
        if scroller is not None:
            covered = touch.leaf is None or not scroller.encloses(touch.leaf)
            node = scroller
    return _cells(node, touch, covered)


def perhaps(tree: Tree, kind: str, cells: Mapping[str, Value]) -> list[dict[str, Value]]:
    """The cells that a gesture may have in the other reading of the tree, where some boxes cannot be right.

    These are those of what takes the gesture, as it is in the other reading, and of every node that may lie at the
    point there; not of what takes no touch and lies inside of what does. Typing may go to whatever has the focus,
    or is not known to be without it.

    Args:
        cells: what `resolve` gave.
    """
    other, (x, y) = tree.other, (cells.get("x"), cells.get("y"))
    if other is None or not isinstance(x, int) or not isinstance(y, int):
        return []
    target = cells.get("node")
    taker = other.by_number.get(target) if isinstance(target, int) else None
    nodes = [taker] if taker is not None else []
    touched = next((n for n in tree.nodes if n.node == target), None)
    keyboards = {window.window for window in tree.windows if is_keyboard(window)}
    typed = touched is not None and touched.takes_touch and touched.window in keyboards
    # as `hit`: sources do not reliably say which window is above, but the keys of a keyboard are above all
    reached = keyboards if typed else {window.window for window in tree.windows}
    for node in tree.doubtful:
        here = node.holds(x, y) and (node.window in reached or node.window not in tree.drawn)
        focused = node.focused is True or "focused" in node.unread
        if (here or (kind in _TYPING and focused)) and node is not taker:
            inert = node.clickable is False and node.long_clickable is not True
            if not (inert and any(outer.takes_touch and outer.holds(x, y) for outer in other.around(node))):
                nodes.append(node)
    return [
        {**node.cells(), "x": x, "y": y, "covered": True, "leaf": nodes[-1].node}
        if node is not taker or len(nodes) > 1
        else {
            **node.cells(),
            **{name: cells[name] for name in ("x", "y", "covered", "leaf") if name in cells},
        }
        for node in nodes
    ]


def _scroller(tree: Tree, hit: Hit, selected: Node | None) -> Node | None:
    """The node that scrolls: the one that was named, else the innermost scrollable one at the point."""
    inner = selected or hit.leaf
    if inner is None:
        return None
    if inner.scrollable:
        return inner
    return next((node for node in tree.around(inner) if node.scrollable), None)


def _focused(tree: Tree, kind: str) -> dict[str, Value]:
    """The cells of the node that has the focus, which typing reaches without a touch."""
    nodes = [node for node in tree.nodes if node.focused]
    fields = [node for node in nodes if node.editable]
    nodes = fields or nodes
    if not nodes:
        raise UnresolvedTarget(f"{kind} needs a target: no node has the focus")
    if len(nodes) > 1:
        raise UnresolvedTarget(f"{kind} needs a target: {len(nodes)} nodes have the focus: {_names(nodes)}")
    node = nodes[0]
    x, y = node.centre
    touch = hit(tree, x, y)
    if touch is None:
        raise UnresolvedTarget(_off(tree, x, y))
    return _cells(node, touch, touch.leaf is None or not node.encloses(touch.leaf))


def _cells(node: Node | None, hit: Hit, covered: bool) -> dict[str, Value]:
    node = node or hit.leaf  # a slider or a custom view takes touches, and may not say so
    cells: dict[str, Value] = node.cells() if node is not None else {}
    cells.update(x=hit.x, y=hit.y, covered=covered)
    if hit.leaf is not None:
        cells["leaf"] = hit.leaf.node
    return cells


def _select(tree: Tree, wanted: Mapping[str, Value]) -> Node:
    """The one visible node with these attributes; of a control and its parts, the control."""
    rows = [(node, node.cells()) for node in _candidates(tree, wanted)]
    nodes = [
        node for node, cells in rows if all(same(cells.get(name), value) for name, value in wanted.items())
    ]
    control = _one_control(tree, nodes)
    if control is not None:
        return control
    pattern = ", ".join(f"{name} = {_show(value)}" for name, value in wanted.items())
    if nodes:
        raise UnresolvedTarget(
            f"{len(nodes)} nodes have {pattern}: {_names(nodes)}; say which, by node or by a point"
        )
    raise UnresolvedTarget(f"no node that shows has {pattern}{_why(tree, wanted)}")


def _one_control(tree: Tree, nodes: list[Node]) -> Node | None:
    """The node that these mean: the only one, or the one that takes the touch of all (a button and its text)."""
    if len(nodes) < 2:
        return nodes[0] if nodes else None
    takers = {_around_touch(tree, node) for node in nodes}
    taker = takers.pop()
    return (
        tree.by_number[taker]
        if not takers and taker is not None and taker in {n.node for n in nodes}
        else None
    )


def _around_touch(tree: Tree, node: Node) -> int | None:
    """The number of the nearest node that takes touches: the node itself or an ancestor."""
    return next((outer.node for outer in (node, *tree.around(node)) if outer.takes_touch), None)


def _candidates(tree: Tree, wanted: Mapping[str, Value]) -> tuple[Node, ...]:
    number = wanted.get("node")
    if isinstance(number, int) and not isinstance(number, bool):
        node = tree.by_number.get(number)
        return (node,) if node is not None else ()
    return tree.nodes


def _why(tree: Tree, wanted: Mapping[str, Value]) -> str:
    """The hint after "no such node"."""
    number = wanted.get("node")
    if isinstance(number, int) and not isinstance(number, bool) and number not in tree.by_number:
        if tree.highest > tree.total and 1 <= number <= tree.highest:
            return ": it was on an earlier screen, or no part of it is visible; look again"
        if 1 <= number <= tree.total:
            return ": it is in the tree, but no part of it is visible"
        return f": nodes go from 1 to {tree.highest}" if tree.total else ": the tree is empty"
    for name in ("id", "label", "text", "desc"):
        value = wanted.get(name)
        if isinstance(value, str) and len(value) <= 100:
            there = sorted(
                {v for node in tree.nodes if isinstance(v := getattr(node, name), str) and len(v) <= 100}
            )
            close = [other for other in there if other != value]
            close = difflib.get_close_matches(value, close[:2000], n=3, cutoff=_CLOSE[name])
            close = [other for other in close if _really(value, other)]
            if close:
                return f"; did you mean {name} = {_show(close[0])}?"
    return ""


def _really(value: str, other: str) -> bool:
    """Whether one name may be a misspelling of the other; with another number or time it means another thing."""
    if re.findall(r"\d+", value) == re.findall(r"\d+", other):
        return True
    if len(value) == len(other):
        return sum(a != b for a, b in zip(value, other, strict=True)) == 1
    short, long = sorted((value, other), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _off(tree: Tree, x: int, y: int) -> str:
    if not tree.windows:
        return f"the point ({x}, {y}) lies on nothing: the tree is empty"
    left, top = min(w.left for w in tree.windows), min(w.top for w in tree.windows)
    right, bottom = max(w.right for w in tree.windows), max(w.bottom for w in tree.windows)
    extent = f"from ({left}, {top}) to ({right - 1}, {bottom - 1})"
    return f"the point ({x}, {y}) lies on no window; the screen goes {extent}"


def _show(value: Value) -> str:
    return safe(value, 60) if isinstance(value, str) else show(value)


def _names(nodes: list[Node]) -> str:
    names = "; ".join(_name(node) for node in nodes[:_SHOWN])
    return f"{names}; and {len(nodes) - _SHOWN} more" if len(nodes) > _SHOWN else names


def _name(node: Node) -> str:
    """A node, as messages name it."""
    parts = [f"node {node.node}"]
    if node.cls:
        parts.append(safe(node.cls, 40)[1:-1])
    if node.label:
        parts.append(safe(node.label, 40))
    elif node.id:
        parts.append(f"id {safe(node.id, 40)}")
    return " ".join(parts) + f" at ({node.centre[0]}, {node.centre[1]})"
