"""The data of a UI tree: visible nodes, windows, and their parents."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.program.values import Value
from vsalang.screen.tree.shape import Kind, Shape, own_fingerprint, shaped, trait_of, words_of

MAX_BYTES: Final = 8 * 1024 * 1024
"""Larger dumps are refused (the largest of 309 real ones has 0.4 MB)."""

MAX_NODES: Final = 20_000
"""Dumps with more nodes, visible or not, are refused (the largest real one has 688)."""

MAX_DEPTH: Final = 200
"""Dumps that are nested deeper are refused (the deepest real one has 31 levels)."""

MAX_LABEL: Final = 1000
"""A label put together from descendants that would be longer, in characters, is unknown."""


class DumpError(Exception):
    """The data is not a UI tree that can be trusted.

    Attributes:
        message: what is wrong, without the place.
        name: the file.
        line: the line of the file, from 1, where it is known.
    """

    def __init__(self, message: str, *, name: str = "<dump>", line: int | None = None) -> None:
        super().__init__(f"{name}:{line}: {message}" if line else f"{name}: {message}")
        self.message = message
        self.name = name
        self.line = line


@dataclass(frozen=True, slots=True)
class Node:
    """A node with a visible part. ``None`` is unknown: the source leaves the attribute out or gives it empty.

    All texts are canonical (`vsalang.program.text`). Bounds are pixels of the screen, cut to the node's
    ancestors; right and bottom are not part of the node any more.

    A node has two numbers: `node` identifies it, and is kept from one observation to the next
    (`vsalang.screen.tree.identity`); `place` is its position in its own tree. Order and nesting are decided by `place`.

    Attributes:
        node: its number. In a tree that was read alone it is its place.
        parent: the number of its nearest visible ancestor.
        cls: the last part of the class name; the attribute ``class``.
        draw: its place in drawing order among all nodes; greater is drawn later.
        end: the place of the last node inside it (its own when there is none).
        cut: whether its ancestors hide a part of its own bounds.
        place: its place in document order, from 1, also counting invisible nodes; 0 means: the same as `node`.
        unread: the attributes of the relation ``Node`` that its source left out: they may have any value. What a source
            gives as empty (no id, no text) was read, and there is none.

    The other attributes are those of the relation ``Node``.
    """

    node: int
    parent: int | None
    index: int | None
    id: str | None
    resource_id: str | None
    cls: str | None
    package: str | None
    text: str | None
    desc: str | None
    hint: str | None
    label: str | None
    clickable: bool | None
    long_clickable: bool | None
    checkable: bool | None
    checked: bool | None
    enabled: bool | None
    focused: bool | None
    scrollable: bool | None
    selected: bool | None
    password: bool | None
    editable: bool | None
    length: int | None
    left: int
    top: int
    right: int
    bottom: int
    window: int
    draw: int
    end: int
    cut: bool
    place: int = field(default=0, repr=False)
    unread: frozenset[str] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        if not self.place:
            object.__setattr__(self, "place", self.node)

    def encloses(self, other: "Node") -> bool:
        """Whether another node of the same tree is this one, or lies inside it."""
        return self.place <= other.place <= self.end

    def holds(self, x: int, y: int) -> bool:
        """Whether the point lies in the visible part of the node."""
        return self.left <= x < self.right and self.top <= y < self.bottom

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right, bottom."""
        return self.left, self.top, self.right, self.bottom

    @property
    def takes_touch(self) -> bool:
        """Whether it is known to take a touch; ``checkable`` alone takes none."""
        return self.clickable is True or self.long_clickable is True

    @property
    def centre(self) -> tuple[int, int]:
        """The point at which uiautomator clicks the node."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def cells(self) -> dict[str, Value]:
        """The row of ``Node``: attribute -> value, unknown ones left out."""
        row: dict[str, Value] = {}
        for attribute, name in _CELLS:
            value = getattr(self, name)
            if value is not None:
                row[attribute] = value
        return row


ATTRIBUTES: Final[tuple[str, ...]] = (
    *("node", "parent", "index", "id", "resource_id", "class", "package", "text", "desc", "hint", "label"),
    *("clickable", "long_clickable", "checkable", "checked", "enabled", "focused", "scrollable", "selected"),
    *("password", "editable", "length", "left", "top", "right", "bottom", "window"),
)
"""The attributes of the relation ``Node``, in order."""

_CELLS: Final = tuple((name, "cls" if name == "class" else name) for name in ATTRIBUTES)


@dataclass(frozen=True, slots=True)
class Window:
    """A window of the source: its number (1 is topmost), package and bounds; ``None`` is unknown."""

    window: int
    package: str | None
    left: int
    top: int
    right: int
    bottom: int
    kind: str | None = None
    title: str | None = None
    focused: bool | None = None

    def cells(self) -> dict[str, Value]:
        """The row of ``Window``: attribute -> value, unknown ones left out."""
        names = ("window", "package", "kind", "title", "focused", "left", "top", "right", "bottom")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True)
class HiddenElement:
    """An element of the source without a visible area: no row of ``Node`` stands for it.

    Attributes:
        place: its position in document order, from 1, as in `Node`; of what is only counted that of its parent.
        parent: the number of the nearest node around it that is visible; None: there is none.
        cls, id, text: its own, as in `Node`; the text is its description where it has no text.
        left, top, right, bottom: as the source says.
        why: ``hidden`` (the source says that it is not visible), ``empty``, ``inverted``, ``outside`` (of its parent or
            window), ``around`` (something around it has no area), ``scrolled`` (cut away where it scrolls), or
            ``counted`` (the source counts it among the children of its parent, and does not give it).
    """

    place: int
    parent: int | None
    cls: str | None
    id: str | None
    text: str | None
    left: int
    top: int
    right: int
    bottom: int
    why: str


MADE_OF_NODES: Final = frozenset({"cells", "said", "parts", "forest"})
"""What `Tree.memory` holds that was made of nodes, and that may be of use while they stay as they are."""


@dataclass(frozen=True)
class Tree:
    """One UI tree.

    Attributes:
        nodes: the visible ones, in document order.
        windows: the visible ones, topmost first.
        total: how many nodes the source has; places of nodes go from 1 to this.
        name: the source, for messages.
        notes: what a reader should know about the source.
        partial: the source is known to leave out nodes that may be visible.
        app: package and activity in the foreground, where the source says so; None is unknown.
        highest: the greatest number that was given to a node, of this tree or of one before it; 0 stands for `total`.
        lost: the elements without a visible area, and those that are only counted.
        inherits: the source calls clickable what stands in something that takes the touch, too.
        other: the same source in its other reading, where some boxes cannot be right: each node whose box is empty or
            inverted, or lies outside of what is around it, shows wherever it may be. None: there is no such box.
    """

    nodes: tuple[Node, ...]
    windows: tuple[Window, ...]
    total: int
    name: str = "<dump>"
    notes: tuple[str, ...] = ()
    partial: bool = False
    app: tuple[str, str | None] | None = None
    highest: int = 0
    lost: tuple[HiddenElement, ...] = ()
    other: "Tree | None" = None
    inherits: bool = False
    memory: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """A cache of what was computed of this tree, to be used for the next one.

    Values are replaced, never changed: trees share them.
    """

    def __post_init__(self) -> None:
        if not self.highest:
            object.__setattr__(self, "highest", self.total)

    def remember(self, earlier: "Tree") -> None:
        """Copy what was computed of nodes of an earlier tree, for those that still exist."""
        for key in MADE_OF_NODES & earlier.memory.keys():
            self.memory.setdefault(key, earlier.memory[key])

    @cached_property
    def shape(self) -> Shape:
        """The features by which nodes are compared; see `vsalang.screen.tree.identity`."""
        return _shape(self.nodes)

    @cached_property
    def by_number(self) -> Mapping[int, Node]:
        """Number -> visible node."""
        return {node.node: node for node in self.nodes}

    @cached_property
    def children(self) -> Mapping[int | None, tuple[Node, ...]]:
        """Number of a node (None: no node) -> its children in document order; no empty entries."""
        by_parent: dict[int | None, list[Node]] = {}
        for node in self.nodes:
            by_parent.setdefault(node.parent, []).append(node)
        return {parent: tuple(nodes) for parent, nodes in by_parent.items()}

    @cached_property
    def drawn(self) -> Mapping[int, tuple[Node, ...]]:
        """Number of a window -> its nodes, the one drawn last first."""
        by_window: dict[int, list[Node]] = {window.window: [] for window in self.windows}
        for node in sorted(self.nodes, key=lambda node: -node.draw):
            by_window[node.window].append(node)
        return {window: tuple(nodes) for window, nodes in by_window.items()}

    @cached_property
    def gaps(self) -> frozenset[int]:
        """The numbers of the nodes in which something is that does not show, the innermost visible node for each."""
        return frozenset(item.parent for item in self.lost if item.parent is not None)

    @cached_property
    def unsure(self) -> frozenset[int]:
        """The numbers of the nodes that may take a touch, and do not say whether they do.

        A source that never says which nodes take a long press leaves it to whether they are clickable.
        """
        unsure_nodes = any(node.long_clickable is not None for node in self.nodes)
        return frozenset(
            node.node
            for node in self.nodes
            if not node.takes_touch
            and (node.clickable is None or (unsure_nodes and node.long_clickable is None))
        )

    @cached_property
    def doubtful(self) -> tuple[Node, ...]:
        """The nodes of the other reading that are not visible in this one, or not so far."""
        if self.other is None:
            return ()
        mine = self.by_number
        return tuple(
            node
            for node in self.other.nodes
            if (known := mine.get(node.node)) is None or known.box != node.box
        )

    @cached_property
    def _places(self) -> list[int]:
        return [node.place for node in self.nodes]

    def inside(self, node: Node) -> tuple[Node, ...]:
        """The nodes inside, itself first, in document order."""
        begin = bisect_left(self._places, node.place)
        return self.nodes[begin : bisect_right(self._places, node.end)]

    def around(self, node: Node) -> Iterator[Node]:
        """Its ancestors, the innermost first; not itself."""
        parent = node.parent
        while parent is not None:
            outer = self.by_number[parent]
            yield outer
            parent = outer.parent


def _shape(nodes: Sequence[Node]) -> Shape:
    """The shape of nodes in document order."""
    index = {node.node: at for at, node in enumerate(nodes)}
    kinds: list[Kind] = [(node.package, node.cls, node.resource_id) for node in nodes]
    words = [words_of(node.text, node.desc, editable=node.editable is True) for node in nodes]
    return shaped(
        kinds,
        words,
        [own_fingerprint(kind, own, node.hint) for kind, own, node in zip(kinds, words, nodes, strict=True)],
        [
            trait_of(
                node.cls,
                own,
                touch=node.takes_touch,
                steady=node.editable is True or node.checkable is True,
                scrolls=node.scrollable is not False,
            )
            for node, own in zip(nodes, words, strict=True)
        ],
        [-1 if node.parent is None else index[node.parent] for node in nodes],
        [(node.left, node.top, node.right, node.bottom) for node in nodes],
    )
