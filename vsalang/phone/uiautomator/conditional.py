"""Conditional clicks: the device clicks only if the judged node is still there.

The node is selected by its text, description, resource id, class, package and state. The server on the device finds and
clicks it in one request; if its text has changed meanwhile, it is not found, and nothing is clicked. Other nodes that
were judged (`vsalang.program.delivery.about`) are part of the same selector if it can express how they hang together;
about the others the device is asked right before.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.phone.errors import NotDelivered
from vsalang.phone.uiautomator.selecting import BOUNDS, EDGES, among
from vsalang.program.action import Action
from vsalang.program.delivery import alike, not_as_judged, unlike
from vsalang.program.screen import Cells
from vsalang.screen.tree import DumpError, Node, Tree
from vsalang.screen.tree.hit import hit
from vsalang.screen.tree.source import parse
from vsalang.screen.tree.target import perhaps, resolve

Box = tuple[int, int, int, int]
MOST_TRIED: Final = 20
"""How many texts in a node are tried, to find one that is unique on the screen."""

MOST_ASKED: Final = 5
"""About how many nodes, in addition to the one that is touched, the device is asked right before the touch."""
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
_STATES: Final[Mapping[str, tuple[int, str]]] = {
    **_FLAGS,
    "focused": (0x020000, "focused"),
    "selected": (0x040000, "selected"),
}
"""As `_FLAGS`: what may matter of a node that is not touched."""
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
_SAID: Final = ("text", "description")


@dataclass(frozen=True, slots=True)
class OnlyThere:
    """A node that the device can find itself.

    Attributes:
        selector: selects it, and no other node of the screen.
        box: its bounds at the last observation.
        middle: whether its middle must be clicked, so that the device can click it; else the device only says whether
            it is there.
        within: the places of what is around it in the dump, the outermost first.
    """

    selector: Mapping[str, Any]
    box: Box
    middle: bool = True
    within: tuple[int, ...] = ()

    def check(self, found_nodes: Any) -> bool:
        """Check that the device finds exactly this node, unchanged and at the same position.

        Returns:
            Whether the device would click the judged point. It clicks the middle of the visible part of the node: for
            a row that is cut off that is another point, where another node may take the click.

        Raises:
            NotDelivered: it does not.
        """
        if (
            not isinstance(found_nodes, Sequence)
            or len(found_nodes) != 1
            or not isinstance(found_nodes[0], Mapping)
        ):
            count = len(found_nodes) if isinstance(found_nodes, Sequence) else "no"
            raise NotDelivered(
                f"the target is not what was judged: the device now finds {count} nodes like it"
            )
        info = found_nodes[0]
        for name, description in _TOLD.items():
            if name in self.selector and info.get(description) != self.selector[name]:
                raise NotDelivered(f"the target is not what was judged: its {description} has changed")
        visible = _box(info.get("visibleBounds"))
        if self.box not in (_box(info.get("bounds")), visible):
            raise NotDelivered("the target is not what was judged: it has moved")
        return self.middle and self.box == visible


@dataclass(frozen=True, slots=True)
class JudgedNode:
    """A node that was judged besides the one that is touched, and how often the device must find it.

    Attributes:
        selector: selects it, and those that are like it.
        judged: what was judged of it.
        count: how many there were.
        boxes: where they were, if that matters; else empty.
        within: the places of its parent's ancestors, and of its parent itself, the outermost first.
        only: whether the selector selects nothing else.
    """

    selector: Mapping[str, Any]
    judged: Cells
    count: int
    boxes: tuple[Box, ...]
    within: tuple[int, ...]
    only: bool

    def check(self, infos: Any, *, anywhere: bool = False) -> None:
        """Check that the device still finds as many.

        Args:
            infos: what it finds by the selector.
            anywhere: also at another place: a keyboard may have opened.

        Raises:
            NotDelivered: it does not.
        """
        like = [
            info
            for info in (infos if isinstance(infos, Sequence) else ())
            if isinstance(info, Mapping)
            and all(info.get(_TOLD[name]) == self.selector[name] for name in _SAID if name in self.selector)
            and (
                anywhere
                or not self.boxes
                or {_box(info.get("bounds")), _box(info.get("visibleBounds"))} & {*self.boxes}
            )
        ]
        if len(like) < self.count:
            raise NotDelivered(not_as_judged(self.judged))


def still_about(xml: str, tree: Tree, judged: Sequence[Cells]) -> tuple[JudgedNode, ...]:
    """Check that the nodes that were judged besides the touched one are in a dump as they were judged.

    Args:
        xml: the dump.
        tree: of this dump.
        judged: of each node the attributes that must be as they were; see `vsalang.guard.say.verdict.Verdict.read`.

    Returns:
        The first `MOST_ASKED` of those that say something, for the device to be asked about once more.

    Raises:
        NotDelivered: one of them does not show any more, or is otherwise.
    """
    if not judged:
        return ()
    trees = (tree,) if tree.other is None else (tree, tree.other)
    readings = [[(node, node.cells()) for node in each.nodes] for each in trees]
    changed = unlike(judged, [[cells for _, cells in rows] for rows in readings])
    if changed is not None:
        raise NotDelivered(not_as_judged(changed))
    dump = _Dump.of(xml)
    counts = Counter(tuple(row.items()) for row in judged if row.get("text") or row.get("desc"))
    nodes: list[JudgedNode] = []
    for row, count in [(dict(key), count) for key, count in counts.items()][:MOST_ASKED]:
        there = [[node for node, cells in rows if alike(cells, row)] for rows in readings]
        nodes.append(dump.judged_node(row, max(there, key=len), count))
    return tuple(nodes)


@dataclass(frozen=True, slots=True)
class _Dump:
    """The elements of a dump, in document order: their attributes, and the places of their ancestors."""

    nodes: tuple[Mapping[str, str], ...]
    within: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, xml: str) -> "_Dump":
        try:
            root, _, _ = parse(xml, "the screen")
        except DumpError as error:
            raise NotDelivered(f"the target cannot be checked: {error}") from error
        elements = list(root.iterdescendants())
        places = {element: place for place, element in enumerate(elements)}
        return cls(
            tuple({str(k): str(v) for k, v in element.items()} for element in elements),
            tuple(
                tuple(places[outer] for outer in element.iterancestors() if outer in places)[::-1]
                for element in elements
            ),
        )

    def judged_node(self, row: Cells, nodes: Sequence[Node], count: int) -> JudgedNode:
        """What the device is asked of a node that was judged, and that these nodes of the dump are like."""
        places = [node.place - 1 for node in nodes]
        attributes = self.nodes[places[0]]
        selector = _selector(attributes, {name: flag for name, flag in _STATES.items() if name in row})
        boxes = [_bounds(self.nodes[place].get("bounds", "")) for place in places]
        return JudgedNode(
            selector,
            row,
            count,
            tuple(box for box in boxes if box is not None and "left" in row),
            self.within[places[0]],
            len(among(self.nodes, selector)) == 1,
        )


def together(only: OnlyThere, nodes: Sequence[JudgedNode]) -> Mapping[str, Any] | None:
    """A selector of the touched node that finds it only where others show that hang next to it or what is around it.

    None: no such node is told from all others.
    """
    own_nodes = [each for each in nodes if _hangs(each, only)]
    if not own_nodes:
        return None
    first, *others = sorted(own_nodes, key=lambda each: len(each.within))
    return {
        **first.selector,
        "childOrSibling": ["sibling"] * len(own_nodes),
        "childOrSiblingSelector": [*(each.selector for each in others), only.selector],
    }


def apart(only: OnlyThere, nodes: Sequence[JudgedNode]) -> list[JudgedNode]:
    """The nodes that `together` does not name: about these the device has to be asked by themselves."""
    return [each for each in nodes if not _hangs(each, only)]


def _hangs(node: JudgedNode, only: OnlyThere) -> bool:
    """Whether a node hangs next to the touched one, or to what is around it, and is told from all others."""
    return node.only and bool(node.within) and node.within[-1] in only.within


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
    dump = _Dump.of(xml)
    edges = tuple(target.get(edge) for edge in EDGES)
    x, y, number = target.get("x"), target.get("y"), target.get("node")
    if not all(isinstance(each, int) for each in (*edges, x, y)):
        return None
    inside = [
        (each, box, within)
        for each, within in zip(dump.nodes, dump.within, strict=True)
        if (box := _bounds(each.get("bounds", ""))) is not None
        and edges[0] <= box[0] < box[2] <= edges[2]  # type: ignore[operator]
        and edges[1] <= box[1] < box[3] <= edges[3]  # type: ignore[operator]
    ]
    own = [one for one in inside if one[1] == edges]
    # a node with its own text is identified best
    candidates = [one for one in (*own, *inside) if one[0].get("text") or one[0].get("content-desc")]
    aside: OnlyThere | None = None
    tried: set[tuple[object, ...]] = set()
    for attributes, box, within in candidates or own:
        selector = _selector(attributes, _FLAGS)
        fields = {name: value for name, value in selector.items() if name in _TOLD}
        if (key := tuple(fields.items())) in tried:
            continue  # it selects several
        if len(tried) == MOST_TRIED:
            break  # a page with very many texts must not take too long
        tried.add(key)
        middle = (box[0] + box[2]) // 2, (box[1] + box[3]) // 2
        if not _takes(tree, action.name, middle, number, judged=middle == (x, y)):
            continue
        if len(among(dump.nodes, fields)) != 1:
            continue
        if "x" not in action.args or middle == (x, y):
            return OnlyThere(selector, box, within=within)
        aside = aside or OnlyThere(selector, box, middle=False, within=within)
    return aside


def _takes(tree: Tree, gesture: str, point: tuple[int, int], number: object, *, judged: bool) -> bool:
    """Whether the judged node, and no other one, takes a gesture at a point, in each reading of the screen.

    Args:
        judged: it is the point that was judged: what else may lie there in the other reading is judged, too.
    """
    target = hit(tree, *point)
    taker = (target.taker or target.leaf) if target is not None else None
    if target is None or target.covered or taker is None or taker.node != number:
        return False
    if tree.other is None or judged:
        return True
    x, y = point
    may = perhaps(tree, gesture, resolve(tree, gesture, {"x": x, "y": y}))
    return all(cells.get("node") == number for cells in may)


def _selector(attributes: Mapping[str, str], flags: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    fields: dict[str, Any] = {"mask": 0, "childOrSibling": [], "childOrSiblingSelector": []}
    for name, (bit, attribute) in _FIELDS.items():
        if value := attributes.get(attribute, ""):
            fields[name] = value
            fields["mask"] |= bit
    for name, (bit, attribute) in flags.items():
        if (value := attributes.get(attribute, "")) in ("true", "false"):
            fields[name] = value == "true"
            fields["mask"] |= bit
    return fields


def _bounds(text: str) -> Box | None:
    match = BOUNDS.fullmatch(text)
    if match is None:
        return None
    left, top, right, bottom = map(int, match.groups())
    return left, top, right, bottom


def _box(info: Any) -> tuple[Any, ...]:
    return tuple(info.get(edge) for edge in EDGES) if isinstance(info, Mapping) else ()
