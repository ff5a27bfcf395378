"""What all of this room asks of a tree, gathered once: who takes touches, what is inside, how large the screen is."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from vsalang.screen.control.kinds import Groups, kind_of
from vsalang.screen.control.relevance import touchable, words
from vsalang.screen.control.unit import NodeKind
from vsalang.screen.forms.words import phrase
from vsalang.screen.tree import Node, Tree

LONGEST: Final = 300
"""A title, label or detail that would be longer, in characters, is cut."""

_FULL: Final = 0.9
"""What is at least this part of the screen's width is as wide."""
_LEVEL: Final = 3
"""Two nodes stand on one line if their middles are not further apart than this part of the lower one's height."""


class Outline:
    """A tree with what is asked of it again and again. Everything is computed when it is asked for.

    Args:
        tree: the tree of one screen.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def takers(self) -> tuple[Node, ...]:
        """The nodes that take a touch, can be checked or typed into; without boxes that belong to a row around."""
        inner = {node.node for node in self.boxes.values()}
        touched = self.touched
        return tuple(
            node
            for node in self.tree.nodes
            if (node.node in touched or node.checkable is True or node.editable is True)
            and node.node not in inner
        )

    @cached_property
    def touched(self) -> frozenset[int]:
        """The nodes that take touches."""
        return frozenset(node.node for node in self.tree.nodes if touchable(node))

    @cached_property
    def boxes(self) -> Mapping[int, Node]:
        """What takes touches -> the one node inside that can be checked and takes no touch itself."""
        result: dict[int, list[Node]] = {}
        for node in self.tree.nodes:
            if node.checkable is not True or node.node in self.touched or node.editable is True:
                continue
            outer = next((one for one in self.tree.around(node) if one.node in self.touched), None)
            if outer is not None and outer.checkable is not True and outer.editable is not True:
                result.setdefault(outer.node, []).append(node)
        return {number: nodes[0] for number, nodes in result.items() if len(nodes) == 1}

    @cached_property
    def kinds(self) -> Mapping[int, NodeKind]:
        """Taker -> its kind among `vsalang.screen.control.kinds`."""
        groups = Groups(self.tree)
        result = {}
        for node in self.takers:
            kind = kind_of(self.tree, groups, node, self.boxes.get(node.node))
            if kind is not None:
                result[node.node] = kind
        return result

    @cached_property
    def taker_of(self) -> Mapping[int, int]:
        """Node -> the innermost taker around it, itself too; no entry where there is none, or only a ground."""
        taking = {node.node for node in self.takers}
        nearest: dict[int, int] = {}
        for node in self.tree.nodes:
            if node.node in taking:
                nearest[node.node] = node.node
            elif node.parent is not None and node.parent in nearest and node.parent not in self.grounds:
                nearest[node.node] = nearest[node.parent]
        return nearest

    @cached_property
    def grounds(self) -> frozenset[int]:
        """The takers under all others: they fill the screen and hold other takers; what is in them is not theirs."""
        width, height = self.screen
        return frozenset(
            node.node
            for node in self.takers
            if self.inner_takers.get(node.node)
            and node.right - node.left >= _FULL * width
            and 2 * (node.bottom - node.top) >= height
        )

    @cached_property
    def inner_takers(self) -> Mapping[int, int]:
        """Node -> how many takers are inside it, without itself."""
        counts: dict[int, int] = {}
        taking = {node.node for node in self.takers}
        for node in reversed(self.tree.nodes):
            if node.parent is not None:
                counts[node.parent] = (
                    counts.get(node.parent, 0) + counts.get(node.node, 0) + (node.node in taking)
                )
        return counts

    @cached_property
    def screen(self) -> tuple[int, int]:
        """Width and height of the screen as far as they can be seen: all that shows lies in it.

        A window that stands free at its left is taken to be in the middle: as much is free on its other sides.
        """
        boxes = [node.box for node in self.tree.nodes if node.parent is None]
        boxes += [(window.left, window.top, window.right, window.bottom) for window in self.tree.windows]
        width = max((box[2] for box in boxes), default=0)
        height = max((box[3] for box in boxes), default=0)
        if boxes and min(box[0] for box in boxes) > 0:
            width += min(box[0] for box in boxes)
            height += min(box[1] for box in boxes)
        return max(width, 1), max(height, 1)

    @cached_property
    def texts(self) -> Mapping[int, str]:
        """Node -> what it says itself, on one line and not longer than `LONGEST`; no entry where it says nothing."""
        return {node.node: text for node in self.tree.nodes if (text := shorten(words(node)))}

    def texts_in(self, node: Node) -> Iterator[Node]:
        """The nodes inside that say something, in the order of the document, itself first."""
        return (one for one in self.tree.inside(node) if one.node in self.texts)

    def label(self, node: Node) -> str:
        """The words that name a control: its own, the first inside, else its label; empty where there are none."""
        own = self.texts.get(node.node)
        if own is None:
            own = next((self.texts[one.node] for one in self.texts_in(node)), None)
        return own if own is not None else shorten(node.label or "")

    def phrase(self, node: Node) -> str:
        """The words that name a control, as the tables of words have them."""
        return phrase(self.label(node))

    def glyph(self, node: Node) -> bool:
        """Whether it shows no words: an icon, with or without a description.

        Toolkits that draw themselves describe buttons and icons alike: there what is about as wide as high is an icon.
        """
        if any(one.text is not None and words_shown(one) for one in self.tree.inside(node)):
            return False
        image = node.cls is not None and node.cls.startswith("Image")
        wide, high = size(node)
        return image or node.node not in self.texts or 4 * wide < 5 * high

    def window_root(self, node: Node) -> Node:
        """The outermost node around a node."""
        outer = node
        for one in self.tree.around(node):
            outer = one
        return outer


def outline(tree: Tree) -> Outline:
    """The outline of a tree, made once for it."""
    known: Outline | None = tree.memory.get("outline")
    if known is None:
        known = tree.memory["outline"] = Outline(tree)
    return known


def words_shown(node: Node) -> bool:
    """Whether what it says has a letter or digit: icon fonts and bullets have none."""
    texts = (node.desc, node.text, node.hint, node.label if node.clickable is None else None)
    return any(text is not None and any(map(str.isalnum, text)) for text in texts)


def shorten(text: str) -> str:
    """A text on one line, at most `LONGEST` characters long."""
    short = " ".join(text[: 4 * LONGEST].split())
    return short if len(short) <= LONGEST else short[: LONGEST - 1] + "…"


def is_cut(text: str) -> bool:
    """Whether `shorten` made a text shorter than it is."""
    return len(text) == LONGEST and text.endswith("…")


def size(node: Node) -> tuple[int, int]:
    """Width and height."""
    return node.right - node.left, node.bottom - node.top


def level(one: Node, other: Node) -> bool:
    """Whether two nodes stand on one line."""
    lower = min(one.bottom - one.top, other.bottom - other.top)
    return _LEVEL * abs((one.top + one.bottom) - (other.top + other.bottom)) <= 2 * max(lower, 1)


def types(node: Node) -> bool:
    """Whether text can be typed into it: some sources say so of texts that only show something."""
    return node.editable is True and not (
        node.cls is not None and node.cls in ("TextView", "Button", "ImageView")
    )
