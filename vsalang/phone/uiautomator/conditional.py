"""Conditional clicks: the device clicks only if the judged node is still there.

The node is selected by its text, description, resource id, class, package and state. The server on the device finds and
clicks it in one request; if its text has changed meanwhile, it is not found, and nothing is clicked.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.phone.errors import NotDelivered
from vsalang.phone.uiautomator.selecting import BOUNDS, EDGES, among
from vsalang.program.action import Action
from vsalang.program.screen import Cells
from vsalang.program.text import canonical
from vsalang.program.values import Value
from vsalang.screen.tree import DumpError, Tree
from vsalang.screen.tree.hit import hit
from vsalang.screen.tree.source import parse

Box = tuple[int, int, int, int]
MOST_TRIED: Final = 20
"""How many texts in a node are tried, to find one that is unique on the screen."""

MOST_ASKED: Final = 5
"""About how many nodes, beside the one that is touched, the device is asked right before the touch."""
_LONGEST: Final = 60
_ABOUT: Final[Mapping[str, str]] = {
    "text": "text",
    "desc": "content-desc",
    "resource_id": "resource-id",
    "package": "package",
}
"""Attribute of a row of ``Node`` -> that of the dump."""

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
"""Field of a selector -> its name in the server's description of an object."""


@dataclass(frozen=True, slots=True)
class OnlyThere:
    """A node that the device can find itself.

    Attributes:
        selector: selects it, and no other node of the screen.
        box: its bounds at the last observation.
        middle: whether its middle must be clicked, so that the device can click it; else the device only says whether
            it is there.
    """

    selector: Mapping[str, Any]
    box: Box
    middle: bool = True

    def check(self, found: Any) -> bool:
        """Check that the device finds exactly this node, unchanged and at the same position.

        Returns:
            Whether the device would click the judged point. It clicks the middle of the visible part of the node: for
            a row that is cut off that is another point, where another node may take the click.

        Raises:
            NotDelivered: it does not.
        """
        if not isinstance(found, Sequence) or len(found) != 1 or not isinstance(found[0], Mapping):
            count = len(found) if isinstance(found, Sequence) else "no"
            raise NotDelivered(
                f"the target is not what was judged: the device now finds {count} nodes like it"
            )
        info = found[0]
        for name, said in _TOLD.items():
            if name in self.selector and info.get(said) != self.selector[name]:
                raise NotDelivered(f"the target is not what was judged: its {said} has changed")
        visible = _box(info.get("visibleBounds"))
        if self.box not in (_box(info.get("bounds")), visible):
            raise NotDelivered("the target is not what was judged: it has moved")
        return self.middle and self.box == visible


@dataclass(frozen=True, slots=True)
class Shown:
    """A node that says what an action is about, and how often the device must find it.

    Attributes:
        selector: selects it, and those that are like it.
        count: how many there were.
        said: what it says.
    """

    selector: Mapping[str, Any]
    count: int
    said: str

    def check(self, found: Any) -> None:
        """Check that the device still finds as many. Raises `NotDelivered`: it does not."""
        texts = {"text": "text", "description": "contentDescription"}
        like = [
            info
            for info in (found if isinstance(found, Sequence) else ())
            if isinstance(info, Mapping)
            and all(info.get(said) == self.selector[n] for n, said in texts.items() if n in self.selector)
        ]
        if len(like) < self.count:
            raise _changed(self.said)


def still_about(xml: str, tree: Tree, judged: Sequence[Cells]) -> tuple[Shown, ...]:
    """The nodes that say what an action is about, found in a dump as they were judged.

    Returns:
        The first `MOST_ASKED` of them, for the device to be asked about once more.

    Raises:
        NotDelivered: one of them does not show any more, or says something else.
    """
    if not judged:
        return ()
    try:
        root, _, _ = parse(xml, "the screen")
    except DumpError as error:
        raise NotDelivered(f"the target cannot be checked: {error}") from error
    raw: dict[tuple[Value, ...], dict[str, str]] = {}
    for element in root.iterdescendants():
        attributes = {str(k): str(v) for k, v in element.items()}
        raw.setdefault(tuple(canonical(attributes.get(name, "")) for name in _ABOUT.values()), attributes)
    here = Counter(tuple(canonical(getattr(node, name) or "") for name in _ABOUT) for node in tree.nodes)
    wanted = Counter(tuple(row.get(name) or "" for name in _ABOUT) for row in judged)
    found: list[Shown] = []
    for key, count in wanted.items():
        said = next((str(each) for each in key[:2] if each), "")
        if here[key] < count:  # type: ignore[index]
            raise _changed(said)
        if key in raw:
            found.append(Shown(_selector(raw[key]), count, said))
    return tuple(found[:MOST_ASKED])


def _changed(said: str) -> NotDelivered:
    words = said if len(said) <= _LONGEST else said[:_LONGEST] + "..."
    return NotDelivered(f"what the action is about is not what was judged: {words!r} does not show any more")


def only_there(xml: str, tree: Tree, action: Action, target: Cells) -> OnlyThere | None:
    """How the device can find the node that takes a gesture; None: nothing identifies it uniquely.

    The device clicks the middle of the node that it finds. So it clicks the node itself, or a text in it, only if the
    same node takes a click there, and the agent did not choose another point. If the agent did, the device is asked
    whether the node is there, and the point is clicked at once.

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
    # a node with its own text is identified best
    said = [one for one in (*own, *inside) if one[0].get("text") or one[0].get("content-desc")]
    aside: OnlyThere | None = None
    tried: set[tuple[object, ...]] = set()
    for attributes, box in said or own:
        selector = _selector(attributes)
        fields = {name: value for name, value in selector.items() if name in _TOLD}
        if (key := tuple(fields.items())) in tried:
            continue  # it selects several
        if len(tried) == MOST_TRIED:
            break  # a page with very many texts must not take too long
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


def _box(info: Any) -> tuple[Any, ...]:
    return tuple(info.get(edge) for edge in EDGES) if isinstance(info, Mapping) else ()
