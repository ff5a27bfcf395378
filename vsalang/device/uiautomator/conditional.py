"""Clicks that the device makes only if what was judged is still there: the selector that means it, and its check.

A node is meant by its text, description, resource id, class, package and state. The server on the device finds it and
clicks it in one request; a node that has another text by then is not found, and nothing is clicked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vsalang.core.action import Action
from vsalang.core.screen import Cells
from vsalang.device.errors import NotDelivered
from vsalang.device.tree import DumpError, Tree
from vsalang.device.tree.hit import hit
from vsalang.device.tree.source import parse
from vsalang.device.uiautomator.selecting import BOUNDS, EDGES, among

Box = tuple[int, int, int, int]
MOST_TRIED: Final = 20
"""So many texts in a node are tried, whether one of them is alone on the screen."""

_FIELDS: Final[Mapping[str, tuple[int, str]]] = {
    "text": (0x01, "text"),
    "className": (0x10, "class"),
    "description": (0x40, "content-desc"),
    "packageName": (0x080000, "package"),
    "resourceId": (0x200000, "resource-id"),
}
"""Field of a selector -> its bit in the mask, and the attribute of the dump."""
_FLAGS: Final[Mapping[str, tuple[int, str]]] = {
    "checked": (0x0800, "checked"),
    "enabled": (0x8000, "enabled"),
}
_TOLD: Final[Mapping[str, str]] = {
    "text": "text",
    "className": "className",
    "description": "contentDescription",
    "packageName": "packageName",
    "resourceId": "resourceName",
    "checked": "checked",
    "enabled": "enabled",
}
"""Field of a selector -> what the server calls it when it tells of an object."""


@dataclass(frozen=True, slots=True)
class OnlyThere:
    """A node that the device can be asked for.

    Attributes:
        selector: means it, and no other node of the screen.
        box: where it was when it was looked at last.
        middle: whether the place to be clicked is its middle, so that the device may click it; else the device only
            says whether it is there.
    """

    selector: Mapping[str, Any]
    box: Box
    middle: bool = True

    def check(self, found: Any) -> bool:
        """See that the device finds the node, alone, as it was and where it was.

        Returns:
            Whether the device would click the place that was looked at. It clicks the middle of what is to be seen of
            the node: of a row that a list cuts off that is another place, where another node may take the click.

        Raises:
            NotDelivered: it does not.
        """
        if not isinstance(found, Sequence) or len(found) != 1 or not isinstance(found[0], Mapping):
            count = len(found) if isinstance(found, Sequence) else "no"
            raise NotDelivered(
                f"the target is not what was judged: the device now finds {count} nodes like it"
            )
        told = found[0]
        for name, said in _TOLD.items():
            if name in self.selector and told.get(said) != self.selector[name]:
                raise NotDelivered(f"the target is not what was judged: its {said} has changed")
        visible = _box(told.get("visibleBounds"))
        if self.box not in (_box(told.get("bounds")), visible):
            raise NotDelivered("the target is not what was judged: it has moved")
        return self.middle and self.box == visible


def only_there(xml: str, tree: Tree, action: Action, target: Cells) -> OnlyThere | None:
    """How to ask the device for the node that takes a gesture; None: it has no name that means it alone.

    The device clicks the middle of what it finds. So it clicks the node itself, or a text in it, only where the same
    node takes a click there, and where the agent did not choose another point. Where the agent did, it is asked whether
    the node is there, and the point is clicked at once.

    Args:
        xml: the dump.
        tree: of this dump; the node was just found in it, as it was judged.
        action: the gesture.
        target: what was judged.
    """
    try:
        root, _, _ = parse(xml, "the screen")
    except DumpError:
        return None
    edges = tuple(target.get(edge) for edge in EDGES)
    x, y, number = target.get("x"), target.get("y"), target.get("node")
    if not all(isinstance(each, int) for each in (*edges, x, y)):
        return None
    nodes = [{str(k): str(v) for k, v in element.items()} for element in root.iterdescendants()]
    inside = [
        (each, box)
        for each in nodes
        if (box := _bounds(each.get("bounds", ""))) is not None
        and edges[0] <= box[0] < box[2] <= edges[2]  # type: ignore[operator]
        and edges[1] <= box[1] < box[3] <= edges[3]  # type: ignore[operator]
    ]
    own = [(each, box) for each, box in inside if box == edges]
    # what has a text of its own says best which node it is
    said = [one for one in (*own, *inside) if one[0].get("text") or one[0].get("content-desc")]
    aside: OnlyThere | None = None
    tried: set[tuple[object, ...]] = set()
    for attributes, box in said or own:
        selector = _selector(attributes)
        fields = {name: value for name, value in selector.items() if name in _TOLD}
        if (key := tuple(fields.items())) in tried:
            continue  # it means several
        if len(tried) == MOST_TRIED:
            break  # a page of very many texts must not keep everybody waiting
        tried.add(key)
        middle = (box[0] + box[2]) // 2, (box[1] + box[3]) // 2
        found = hit(tree, *middle)
        taker = (found.taker or found.leaf) if found is not None else None
        if found is None or found.covered or taker is None or taker.node != number:
            continue
        if len(among(nodes, fields)) != 1:
            continue
        if "x" not in action.args or middle == (x, y):
            return OnlyThere(selector, box)
        aside = aside or OnlyThere(selector, box, middle=False)
    return aside


def _selector(attributes: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"mask": 0, "childOrSibling": [], "childOrSiblingSelector": []}
    for name, (bit, attribute) in _FIELDS.items():
        if value := attributes.get(attribute, ""):
            found[name] = value
            found["mask"] |= bit
    for name, (bit, attribute) in _FLAGS.items():
        if (value := attributes.get(attribute, "")) in ("true", "false"):
            found[name] = value == "true"
            found["mask"] |= bit
    return found


def _bounds(text: str) -> Box | None:
    found = BOUNDS.fullmatch(text)
    if found is None:
        return None
    left, top, right, bottom = map(int, found.groups())
    return left, top, right, bottom


def _box(told: Any) -> tuple[Any, ...]:
    return tuple(told.get(edge) for edge in EDGES) if isinstance(told, Mapping) else ()
