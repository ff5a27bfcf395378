"""How a screen was reached: the touches and the typing before it in the app in front, and what their screens showed.

What an act is about often stood on an earlier screen: a row is held, and a menu that names nothing has "Delete". So an
answer may name a node of an earlier screen. It counts only where the way from there was the same: the same touches of
the same controls, on screens that show the same, in the same order, but for what is in lists and typed into fields.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from vsalang.base.records import dataclass
from vsalang.models.effects.control import list_nodes, paths, still_nodes, unread
from vsalang.models.effects.places import counting_nodes, may_be_secret, node_at, spot_of, words_at
from vsalang.program.screen import in_front
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree

TOUCHES: Final = frozenset({"tap", "double_tap", "long_press"})
TYPING: Final = frozenset({"input_text", "clear_text"})
MOST_STEPS: Final = 6
"""So many steps back an answer may look."""
_FORM: Final = 2
"""Rises when the hash of a way changes."""
_MOST_OWN: Final = 4
_MOST_STILL: Final = 3
_MOST_FILLED: Final = 3
_MOST_TICKED: Final = 4
_LONGEST: Final = 200
_LARGE: Final = 0.4
"""What takes more of the screen than this may do another thing wherever it is touched."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was committed.

    Attributes:
        gesture: its name.
        screen: what it was judged on; None: not known.
        node: takes the touch, or what is typed; None: it is something else.
    """

    gesture: str = ""
    screen: TreeScreen | None = None
    node: Node | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A touch, or typing, on the way.

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
        """What people would call the control; empty: it has no name, is a field, or the name may be a secret."""
        node, label = self.node, " ".join((self.node.label or "").split())
        hides = node.editable is not False or node.password is not False or may_be_secret(label)
        return "" if hides else label[:_LONGEST]


@dataclass(frozen=True, slots=True)
class Way:
    """What led to a screen.

    Attributes:
        passages: the newest first, at most `MOST_STEPS`. They end where another app was in front, or where something
            else was done than to touch and to type: going back, scrolling and opening an app may change what a later
            touch is about.
        before: the step before them; None: there was none in this session.
    """

    passages: tuple[Passage, ...] = ()
    before: Step | None = None


def way_to(front: str | None, steps: Sequence[Step]) -> Way:
    """The way to a screen.

    Args:
        front: the app in front now; None: not known.
        steps: all that was committed in this session, in order.
    """
    passages = tuple(islice(_in_app(front, steps), MOST_STEPS))
    left = len(steps) - len(passages)
    return Way(passages, steps[left - 1] if left else None)


def _in_app(front: str | None, steps: Sequence[Step]) -> Iterator[Passage]:
    for step in reversed(steps):
        screen, node = step.screen, step.node
        if front is None or screen is None or node is None or {node.package, in_front(screen)} != {front}:
            return
        yield Passage(step.gesture, screen, node)


def own_nodes(passage: Passage) -> Sequence[Node]:
    """The nodes of what was touched that say something, or the control itself if it is called something."""
    tree, node = passage.screen.tree, passage.node
    if passage.gesture in TYPING or spot_of(tree, node) is None:
        return ()
    inside = [each for each in tree.inside(node) if words_at(each)]
    return inside[:_MOST_OWN] or ([node] if words_of(passage, node) else [])


def other_nodes(passage: Passage) -> Sequence[Node]:
    """Some nodes of a screen that say what it was about: what stands above, what is filled in, or ticked."""
    tree = passage.screen.tree
    seen = [node for node in counting_nodes(tree) if words_at(node) and not passage.node.encloses(node)]
    still = {node.node for node in still_nodes(tree, passage.node.window) if not node.takes_touch}
    chosen = [
        *islice((node for node in seen if node.node in still), _MOST_STILL),
        *islice((node for node in seen if node.editable and node.text != node.hint), _MOST_FILLED),
        *islice((node for node in seen if node.checked or node.selected), _MOST_TICKED),
    ]
    return [node for node in seen if any(node is each for each in chosen)]


def words_of(passage: Passage, node: Node) -> str | None:
    """What a node says; what was touched and says nothing itself, by what it is called. None: nothing that counts."""
    words = words_at(node)
    if words is None and node is passage.node and not node.text and not node.desc:
        return passage.name or None
    return words


def source_of(way: Way, back: int, spot: int) -> tuple[Passage, Node] | None:
    """The passage that lies so many steps back, and a node of its screen; None: nothing is there."""
    if not 1 <= back <= len(way.passages):
        return None
    passage = way.passages[back - 1]
    node = node_at(passage.screen.tree, spot)
    return None if node is None else (passage, node)


def way_hash(way: Way, back: int, spot: int, version: str, *, free: bool) -> str | None:
    """Equal for ways by the same touches of the same controls, from a screen with a node at the same place.

    Where the node is inside of what was touched, that may be another row, and nothing else may have been touched on its
    screen before: two things would be chosen then.

    Args:
        way: to the screen that shows now.
        back: how many steps before the screen with the node was.
        spot: which node of that screen it is.
        version: of the app.
        free: whether it may say something else.

    Returns:
        A hash; None: not all of it was read, something is not told from others, or nothing is there.
    """
    source = source_of(way, back, spot)
    if source is None:
        return None
    passage, node = source
    older = way.passages[back] if back < len(way.passages) else way.before
    if passage.node.encloses(node) and older is not None and _is_same_page(older.screen, passage.screen):
        return None
    rows: list[object] = [_FORM, version]
    for each in way.passages[:back]:
        row = _row(each, node if each is passage else None, free)
        if row is None:
            return None
        rows.append(row)
    return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _is_same_page(one: TreeScreen | None, other: TreeScreen) -> bool:
    """Whether two screens may be one page: they say the same outside of lists, or nobody knows."""
    return one is None or page_words(one) == page_words(other)


def page_words(screen: TreeScreen) -> frozenset[object]:
    """What a screen says outside of lists and fields, and whose it is."""
    still = (
        node
        for window in {each.window for each in screen.tree.nodes}
        for node in still_nodes(screen.tree, window)
    )
    words = {
        (text, node.package) for node in still for text in (node.text, node.desc) if text and text.strip()
    }
    return frozenset({*words, in_front(screen)})


def _row(passage: Passage, source: Node | None, free: bool) -> object:
    """What has to be the same of a passage; None: it was not read, or is not told from others."""
    tree, node = passage.screen.tree, passage.node
    in_lists = list_nodes(tree)
    inside = source is not None and node.encloses(source)
    if tree.partial or tree.other is not None or unread(node) or _is_large(tree, node):
        return None
    if source is not None and not inside and source.node in in_lists:
        return None
    typed = passage.gesture in TYPING
    name = None if free and inside else _called(node, typed)
    around = _around(tree, node)
    alike = [each for each in tree.nodes if _around(tree, each) == around and _called(each, typed) == name]
    if not inside and len(alike) > 1:
        return None  # nothing tells it from others, as a button in each row
    path_by_node = paths(tree)
    rows: list[object] = []
    for number, each in enumerate(counting_nodes(tree)):
        own = inside and node.encloses(each)
        ticks = (each.checkable, each.checked is True, each.selected is True)
        if each.node in in_lists and not own:
            rows += [(number, ticks)] if any(ticks[1:]) else []
        else:
            words = _kept_words(each, source, free, own)
            rows.append((path_by_node[each.node], words, ticks, each is node, each is source))
    return (passage.gesture, node.package, name, around, rows)


def _kept_words(node: Node, source: Node | None, free: bool, own: bool) -> object:
    """What has to be the same of what a node says: not what is typed, what the source says, and its row."""
    if node is source:
        words = (None, node.desc if node.text else None) if free else (node.text, node.desc)
        return (*words, node.hint)
    if own and free:
        return None
    if node.editable is not False or node.password is not False:
        return (bool(node.text) and node.text != node.hint, node.hint)
    return (node.text, node.desc, node.hint)


def _is_large(tree: Tree, node: Node) -> bool:
    """Whether it matters where it is touched: it scrolls, or takes much of the screen."""
    width, height = (
        max((getattr(each, name) for each in tree.nodes), default=0) for name in ("right", "bottom")
    )
    area = (node.right - node.left) * (node.bottom - node.top)
    return node.scrollable is not False or area > _LARGE * width * height


def _around(tree: Tree, node: Node) -> list[tuple[str | None, str | None]]:
    return [(each.cls, each.resource_id) for each in (node, *tree.around(node))]


def _called(node: Node, typed: bool) -> str | None:
    return node.hint if typed else node.label
