"""How a screen was reached: the touches and the typing before it in the app in front, and what their screens showed.

What an act is about often stood on an earlier screen: a row is held, and a menu that names nothing has "Delete". So an
answer may name a node of an earlier screen. It counts only where the way from there was the same: the same touches of
the same controls, on screens that are built alike and show the same words outside of lists.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from vsalang.base.records import dataclass
from vsalang.models.effects.control import paths, still_nodes, unread
from vsalang.models.effects.places import counting_nodes, node_at, spot_of, words_at
from vsalang.program.screen import in_front
from vsalang.program.text import line
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree

TOUCHES: Final = frozenset({"tap", "double_tap", "long_press"})
TYPING: Final = frozenset({"input_text", "clear_text"})
MOST_STEPS: Final = 6
"""So many steps back an answer may look."""
_FORM: Final = 1
"""Rises when the hash of a way changes."""
_MOST_OWN: Final = 4
_MOST_STILL: Final = 3
_MOST_FILLED: Final = 3
_MOST_TICKED: Final = 4
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Step:
    """A touch, or typing, that was carried out.

    Attributes:
        gesture: its name.
        screen: what it was judged on.
        node: takes it.
    """

    gesture: str
    screen: TreeScreen
    node: Node

    @property
    def name(self) -> str:
        """What people would call the control, on one line; empty: it has no name, or is a field."""
        return "" if self.gesture in TYPING else line(self.node.label or "", _LONGEST)


def way_to(front: str | None, steps: Sequence[Step | None]) -> tuple[Step, ...]:
    """The steps that led to a screen, the newest first, at most `MOST_STEPS`.

    They end where another app was in front, or where something else was done than to touch and to type: going back,
    scrolling and opening an app may change what a later touch is about.

    Args:
        front: the app in front now; None: not known.
        steps: all that was done in this session, in order; None: neither a touch nor typing.
    """
    return tuple(islice(_in_app(front, steps), MOST_STEPS))


def _in_app(front: str | None, steps: Sequence[Step | None]) -> Iterator[Step]:
    for step in reversed(steps):
        if front is None or step is None or front not in {step.node.package} & {in_front(step.screen)}:
            return
        yield step


def own_nodes(step: Step) -> Sequence[Node]:
    """The nodes of what was touched that say something, or the control itself if it is called something."""
    tree, node = step.screen.tree, step.node
    if step.gesture in TYPING or spot_of(tree, node) is None:
        return ()
    inside = [each for each in tree.inside(node) if words_at(each)]
    return inside[:_MOST_OWN] or ([node] if _words(step, node) else [])


def other_nodes(step: Step) -> Sequence[Node]:
    """Some nodes of a step's screen that say what it was about: what stands above, what is filled in, or ticked."""
    tree = step.screen.tree
    seen = [node for node in counting_nodes(tree) if words_at(node) and not step.node.encloses(node)]
    still = {node.node for node in still_nodes(tree, step.node.window) if not node.takes_touch}
    chosen = [
        *islice((node for node in seen if node.node in still), _MOST_STILL),
        *islice((node for node in seen if node.editable and node.text != node.hint), _MOST_FILLED),
        *islice((node for node in seen if node.checked or node.selected), _MOST_TICKED),
    ]
    return [node for node in seen if any(node is each for each in chosen)]


def words_of_step(step: Step, node: Node) -> str | None:
    """What a node says; what was touched, by what it is called. None: nothing that counts."""
    return _words(step, node)


def words_on_way(steps: Sequence[Step], back: int, spot: int) -> tuple[Step, Node] | None:
    """The step that lies so many steps back, and a node of its screen; None: there is no such one."""
    if not 1 <= back <= len(steps):
        return None
    step = steps[back - 1]
    node = node_at(step.screen.tree, spot)
    return None if node is None else (step, node)


def way_hash(steps: Sequence[Step], spot: int, version: str, *, free: bool) -> str | None:
    """Equal for ways by the same touches of the same controls, from a screen with a node at the same place.

    Where the node is inside of what was touched, that may be another row; else all before it is built alike.

    Args:
        steps: the newest first; the last one is of the screen with the node.
        spot: which node of that screen it is.
        version: of the app.
        free: whether it may say something else.

    Returns:
        A hash; None: not all of it was read, or there is no such node.
    """
    source = words_on_way(steps, len(steps), spot)
    if source is None:
        return None
    rows: list[object] = [_FORM, version]
    for step in steps:
        row = _row(step, source[1] if step is source[0] else None, free)
        if row is None:
            return None
        rows.append(row)
    return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _row(step: Step, source: Node | None, free: bool) -> object:
    """What has to be the same of a step; None: it was not read."""
    tree, node = step.screen.tree, step.node
    if tree.partial or tree.other is not None or unread(node):
        return None
    inside = source is not None and node.encloses(source)
    typed = step.gesture in TYPING
    name = None if free and inside else _called(node, typed)
    around = _around(tree, node)
    alike = [each for each in tree.nodes if _around(tree, each) == around and _called(each, typed) == name]
    if not inside and len(alike) > 1:
        return None  # nothing tells it from others, as a button in each row
    left_out = source if free else None
    still = {
        text.casefold()
        for each in still_nodes(tree, node.window)
        if each is not left_out and not (free and inside and each is node)
        for text in (each.text, each.desc)
        if text and text.strip()
    }
    path_by_node = paths(tree)
    ticks = sorted(
        (path_by_node[each.node], each.checked is True, each.selected is True)
        for each in tree.nodes
        if each.window == node.window and (each.checked or each.selected)
    )
    return (step.gesture, node.package, name, around, sorted(still), ticks, _place(step, source, inside))


def _around(tree: Tree, node: Node) -> list[tuple[str | None, str | None]]:
    return [(each.cls, each.resource_id) for each in (node, *tree.around(node))]


def _called(node: Node, typed: bool) -> str | None:
    return node.hint if typed else node.label


def _place(step: Step, source: Node | None, inside: bool) -> object:
    """Where the source is: among the nodes of what was touched, or after all nodes before it."""
    if source is None:
        return None
    path_by_node = paths(step.screen.tree)
    nodes = [
        (path_by_node[each.node], each.checked is True, each.selected is True)
        for each in counting_nodes(step.screen.tree)
        if each.place <= source.place and (not inside or step.node.encloses(each))
    ]
    return (inside, nodes)


def _words(step: Step, node: Node) -> str | None:
    return words_at(node) or (node.label if node is step.node and step.gesture in TOUCHES else None) or None
