"""Which control it is: by app, version, id, class, label, and the screen around it.

An answer about one control says nothing of another. So the screen counts by its structure and by the words that stand
still on it: a dialog "Delete all?" and a dialog "Save?" are built alike, and their OK is not one control. The rows of
lists, and what is typed, change without making it another screen.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Final

from vsalang.base.records import dataclass
from vsalang.models.effects.places import may_be_secret
from vsalang.program.text import line
from vsalang.screen.tree import Node, Tree

ASKED: Final = frozenset({"tap", "long_press"})
"""The gestures about which there are answers."""
_FORM: Final = 1
"""Rises when the identity of screens changes: answers of before are about other controls then."""
_LISTS: Final = ("RecyclerView", "ListView", "GridView", "ViewPager", "ViewPager2")
_DIGITS: Final = re.compile(r"\d+")
MAX_NAME: Final = 1000
"""A control whose label or id has more characters is not told from others."""
_LONGEST: Final = 200
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class ControlKey:
    """What tells a control from every other one. A value that is not known is empty.

    Attributes:
        package: of the app that shows it.
        version: of that app.
        id: its resource id.
        cls: its class.
        label: what it is called.
        screen: a hash of the screen that it is on, and of its place there.
        gesture: what touches it: ``tap`` or ``long_press``.
    """

    package: str
    version: str
    id: str
    cls: str
    label: str
    screen: str
    gesture: str = "tap"

    @property
    def ref(self) -> str:
        """A short name for it, of 12 hexadecimal digits."""
        parts = (self.package, self.version, self.id, self.cls, self.label, self.screen, self.gesture)
        return _digest(*parts)[:12]


def control_key(tree: Tree, node: Node, version: str, gesture: str = "tap") -> ControlKey | None:
    """The key of a control; None: nothing tells it from others, or not all of this was read.

    Args:
        tree: where it is.
        node: what takes its touch.
        version: of its app; empty: not known.
        gesture: what touches it.
    """
    if unread(node) or not node.package or not (node.resource_id or node.label):
        return None
    names = (node.package, version, node.resource_id or "", node.cls or "", node.label or "")
    if not all(map(_can_be_kept, names)):
        return None
    return ControlKey(*names, place_hash(tree, node), gesture)


def unread(node: Node) -> bool:
    """Whether something of a node was not read by which it is told from others."""
    return bool({"package", "id", "resource_id", "class", "text", "desc", "label"} & node.unread)


def _can_be_kept(text: str) -> bool:
    """Whether a text is not too long, and has no halves of surrogate pairs, which no file can hold."""
    return len(text) <= MAX_NAME and text == text.encode("utf-8", "replace").decode("utf-8")


def place_hash(tree: Tree, node: Node) -> str:
    """Equal for screens that are built alike and show the same words outside of lists and fields, and one place there.

    Only the window of the node counts. Numbers in words do not: "3 unread" and "4 unread" are one screen.
    """
    known: Mapping[int, str] = tree.memory.get("place_hashes", {})
    window = known.get(node.window)
    if window is None:
        path_by_node = paths(tree)
        seen = {path_by_node[each.node] for each in tree.nodes if each.window == node.window}
        words = {_DIGITS.sub("0", text).casefold() for text in _still(tree, node.window)}
        window = _digest(_FORM, *sorted(seen), "", *sorted(words))
        tree.memory["place_hashes"] = {**known, node.window: window}
    chain = [node, *tree.around(node)]
    return _digest(window, *((each.cls, each.resource_id) for each in chain))


def paths(tree: Tree) -> Mapping[int, str]:
    """A hash for each node of what it is and what is around it, by the number of the node."""
    known: Mapping[int, str] | None = tree.memory.get("paths")
    if known is None:
        made: dict[int | None, str] = {None: ""}
        for each in tree.nodes:
            made[each.node] = _digest(made.get(each.parent, ""), each.package, each.cls, each.resource_id)
        known = tree.memory["paths"] = {number: path for number, path in made.items() if number is not None}
    return known


def words_around(tree: Tree, node: Node) -> tuple[str, ...]:
    """What people would call the place of a control: the first words of its window that stand still, at most three."""
    own = node.label or ""
    texts = {each.text for each in tree.nodes}
    texts_still = (text for text in _still(tree, node.window) if text != own and text in texts)
    words = (line(text, _LONGEST) for text in texts_still if not may_be_secret(text))
    return tuple(dict.fromkeys(words))[:_SHOWN]


def _still(tree: Tree, window: int) -> Iterator[str]:
    """The texts of a window outside of lists and fields."""
    for node in still_nodes(tree, window):
        for text in (node.text, node.desc):
            if text and text.strip():
                yield text


def still_nodes(tree: Tree, window: int) -> Iterator[Node]:
    """The nodes of a window outside of lists, without fields."""
    in_lists = list_nodes(tree)
    for node in tree.nodes:
        if node.window == window and node.node not in in_lists and not node.editable and not node.password:
            yield node


def list_nodes(tree: Tree) -> frozenset[int]:
    """The numbers of the nodes that are lists, or in one."""
    known: frozenset[int] | None = tree.memory.get("list_nodes")
    if known is None:
        lists = [node for node in tree.nodes if node.cls is not None and node.cls.endswith(_LISTS)]
        known = frozenset(node.node for each in lists for node in tree.inside(each))
        tree.memory["list_nodes"] = known
    return known


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
