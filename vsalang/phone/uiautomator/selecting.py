"""Ensures that the server on the device finds the judged node for a selector, and no other one.

The server takes the first node that matches, visible or not, and compares its exact text. The judged node is the one
visible node (`vsalang.screen.tree.target`). If these two may differ, nothing is sent.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from vsalang.phone.errors import NotDelivered
from vsalang.phone.uiautomator.link import short
from vsalang.program.screen import Cells
from vsalang.screen.tree import DumpError
from vsalang.screen.tree.source import parse

_ATTRIBUTES: Final[Mapping[str, str]] = {
    "text": "text",
    "className": "class",
    "description": "content-desc",
    "checkable": "checkable",
    "checked": "checked",
    "clickable": "clickable",
    "longClickable": "long-clickable",
    "scrollable": "scrollable",
    "enabled": "enabled",
    "focused": "focused",
    "selected": "selected",
    "packageName": "package",
    "resourceId": "resource-id",
}
"""Field of a selector -> attribute of a node of the dump."""
_BESIDE: Final = frozenset({"mask", "childOrSibling", "childOrSiblingSelector", "instance"})
INSTANCE: Final = 0x1000000
"""The bit of a selector's mask that says that it has an `instance`, which is handled separately."""
BOUNDS: Final = re.compile(r"\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]", re.ASCII)
EDGES: Final = ("left", "top", "right", "bottom")


def matching(xml: str, selector: Mapping[str, Any]) -> tuple[Mapping[str, str], ...]:
    """The attributes of each node of a dump that matches a selector, in the order in which the server searches.

    All nodes count, also invisible ones, those in windows below others, and those whose text is only a hint.

    Raises:
        NotDelivered: the selector uses more than the attributes of one node, or the dump cannot be read.
    """
    try:
        root, _, _ = parse(xml, "the screen")
    except DumpError as error:
        raise NotDelivered(f"the screen cannot be read: {error}") from error
    nodes = ({str(name): str(value) for name, value in each.items()} for each in root.iterdescendants())
    return among(nodes, selector)


def among(nodes: Iterable[Mapping[str, str]], selector: Mapping[str, Any]) -> tuple[Mapping[str, str], ...]:
    """Those of some nodes that match a selector. Arguments and errors as of `matching`."""
    fields = {name: value for name, value in selector.items() if name not in _BESIDE}
    unknown = sorted(set(fields) - set(_ATTRIBUTES))
    if unknown or not fields or selector.get("childOrSibling") or selector.get("childOrSiblingSelector"):
        raise NotDelivered(f"the selector cannot be compared with the screen: {short(ValueError(selector))}")
    wanted = {
        _ATTRIBUTES[name]: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in fields.items()
    }
    return tuple(node for node in nodes if all(node.get(name) == value for name, value in wanted.items()))


def see_the_only(u2: Any, xml: str, selector: Mapping[str, Any], target: Cells) -> None:
    """Ensure that a selector matches only the judged node: in the dump, and by the server's own search.

    Args:
        u2: the client; only read from.
        xml: the current dump.
        target: the judged cells.

    Raises:
        NotDelivered: it matches several nodes, none, or another one.
        Exception: as uiautomator2 raises it.
    """
    nodes = matching(xml, selector)
    if len(nodes) == 1:
        bounds = BOUNDS.fullmatch(nodes[0].get("bounds", ""))
        box = tuple(map(int, bounds.groups())) if bounds is not None else ()
        alike = nodes[0].get("resource-id", "") == (target.get("resource_id") or "")
        if not alike or not holds(box, target):
            raise _other()
        every = {name: value for name, value in selector.items() if name != "instance"}
        every["mask"] = int(selector.get("mask", 0)) & ~INSTANCE
        count = u2.jsonrpc_call("count", [every], 10)
        if count == 1:
            there = u2.jsonrpc_call("objInfo", [every], 10)["bounds"]
            if not holds(tuple(there[edge] for edge in EDGES), target):
                raise _other()
            return
    else:
        count = len(nodes)
    raise NotDelivered(
        f"the selector means {count} nodes for the server on the phone, which takes the first, seen or not: select by "
        "more, or act at the place of the node"
    )


def _other() -> NotDelivered:
    return NotDelivered("for the server on the phone the selector means another node than was judged")


def holds(box: tuple[Any, ...], target: Cells) -> bool:
    """Whether a box contains the visible part of the judged node, and its point."""
    cells = [target.get(name) for name in (*EDGES, "x", "y")]
    if len(box) != 4 or not all(isinstance(value, int) for value in (*box, *cells)):
        return False
    left, top, right, bottom, x, y = cells
    inside = box[0] <= left <= x < right <= box[2] and box[1] <= top <= y < bottom <= box[3]  # type: ignore[operator]
    return bool(inside)
