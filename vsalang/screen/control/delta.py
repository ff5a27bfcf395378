"""What an action did: the nodes of two screens are matched one to one, and what differs is named.

Compared are the nodes that count for control (`vsalang.screen.control.relevance`), and those that show that something
is being done. Two nodes are the same if they are of one class and share, in this order, their resource id outside of
rows, their resource id and row, or their class path, label and row, and no other node of either screen has that. Rows
that look alike are told apart only where a list was certainly scrolled (`vsalang.screen.control.windows`). Where a
node stands decides nothing. What is ambiguous is not matched: of several nodes that look alike, as many as are on
both screens in the same order count as unchanged, and the others as gone or appeared.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.screen.control.by_itself import beside_the_page, clock, only_the_time, says_error
from vsalang.screen.control.keys import marked
from vsalang.screen.control.relevance import actionable, semantic, structural
from vsalang.screen.control.windows import ListShift, joined
from vsalang.screen.tree import Node, Tree

Transition: TypeAlias = Literal["NoChange", "PartialChange", "NewPage"]
"""How much of a screen changed."""

NEW_PAGE: Final = 0.5
"""Below this match ratio it is a new page. After 4,081 recorded taps that did something 7 % lay from 0.2 to 0.8."""

_FLAGS: Final = ("checked", "selected", "enabled", "focused", "length")
_TEXTS: Final = ("text", "desc", "hint")
_COMPARED: Final = attrgetter(*_TEXTS, *_FLAGS)


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node of one of the two screens.

    Attributes:
        key: its name (`vsalang.screen.control.keys`).
        node: the node.
        label: the words that stand for it; None: there are none.
        certain: whether it is this one; else it is one of several that look alike.
    """

    key: str
    node: Node
    label: str | None
    certain: bool


@dataclass(frozen=True, slots=True)
class Change:
    """An attribute of a node that is on both screens.

    Attributes:
        ref: the node on the new screen.
        attribute: ``text``, ``desc``, ``hint``, ``checked``, ``selected``, ``enabled``, ``focused`` or ``length``.
        before, after: its values; None: the screen shows none.
    """

    ref: NodeRef
    attribute: str
    before: str | bool | int | None
    after: str | bool | int | None


@dataclass(frozen=True, slots=True)
class Delta:
    """What differs between two screens.

    Attributes:
        changed: of nodes that are on both.
        appeared: nodes of the new screen that were not on the old one.
        gone: nodes of the old screen that are not on the new one.
        scrolled: the lists whose rows moved, and by how many; none unless `delta` was told that a scroll came between.
        matched: pairs of the same node, before and after.
        kept: those of them that are the same for certain: on another page (`NewPage`) a mark may be another node's, so
            there only what lies below a named node that is on both, with most of what else lies below it.
        told: whether it differs by more than what changes by itself (`vsalang.screen.control.by_itself`), and nothing
            says that something went wrong.
        ratio: the nodes that are on both, counted on both, among the nodes of both; rows that a scroll brought in or
            took out do not count. 1: all are on both (or there are none).
        transition: what that amounts to.
    """

    changed: tuple[Change, ...]
    appeared: tuple[NodeRef, ...]
    gone: tuple[NodeRef, ...]
    scrolled: tuple[ListShift, ...]
    matched: tuple[tuple[Node, Node], ...]
    kept: tuple[tuple[Node, Node], ...]
    told: bool
    ratio: float
    transition: Transition


def delta(before: Tree, after: Tree, *, scrolled: bool = False) -> Delta:
    """What changed from one screen to the next.

    Args:
        scrolled: only a scroll, or nothing, came between: lists are joined. Without that, nothing tells a list that was
            scrolled by a row from one whose first row was deleted.
    """
    old, new = _Side(before), _Side(after)
    pairs = _pairs(old, new)
    lists = [pair for pair in pairs.items() if pair[0] in before.children and pair[1] in after.children]
    windows = list(joined(before, after, old.marks, new.marks, lists)) if scrolled else []
    pairs |= _in_rows(old, new, windows, pairs)
    gone, appeared, alike = _surplus(old, new, pairs)
    moved = tuple(window for window in windows if window.shift)
    changed = tuple(_changes(old, new, pairs))
    out = sum(1 for node in gone if old.lies_in(node, {window.before.node for window in moved}))
    into = sum(1 for node in appeared if new.lies_in(node, {window.after.node for window in moved}))
    counted = len(old.nodes) - out + len(new.nodes) - into
    ratio = 2 * (len(pairs) + alike) / counted if counted else 1.0
    transition: Transition = "NewPage" if ratio < NEW_PAGE else "PartialChange"
    if not (changed or gone or appeared or moved):
        transition = "NoChange"
    matched = tuple((before.by_number[one], after.by_number[other]) for one, other in pairs.items())
    return Delta(
        changed,
        tuple(new.ref(node) for node in appeared),
        tuple(old.ref(node) for node in gone),
        moved,
        matched,
        _below_what_stayed(old, new, matched) if transition == "NewPage" else matched,
        bool(moved) or _tells(before, after, changed, gone, appeared),
        ratio,
        transition,
    )


def compared(node: Node) -> bool:
    """Whether a node counts when two screens are compared."""
    busy = node.cls is not None and node.cls.endswith("ProgressBar")
    return actionable(node) or semantic(node) or structural(node) or busy


class _Side:
    """One of the two screens: the nodes that are compared, and their marks."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.marks = marked(tree)
        known: list[Node] | None = tree.memory.get("compared")
        if known is None:
            known = tree.memory["compared"] = [node for node in tree.nodes if compared(node)]
        self.nodes = known

    def ref(self, node: Node) -> NodeRef:
        """The node as it is reported."""
        mark = self.marks[node.node]
        return NodeRef(mark.key, node, mark.label, mark.certain)

    def lies_in(self, node: Node, lists: set[int]) -> bool:
        """Whether a node lies inside one of these lists."""
        return bool(lists) and any(outer.node in lists for outer in self.tree.around(node))

    def unique(self, stage: int) -> Mapping[str, Node]:
        """The nodes whose mark of this stage no other node of the screen has."""
        by_stage: dict[int, Mapping[str, Node]] = self.tree.memory.setdefault("unique", {})
        if stage not in by_stage:
            by_stage[stage] = self._unique(stage)
        return by_stage[stage]

    def _unique(self, stage: int) -> Mapping[str, Node]:
        nodes: dict[str, Node | None] = {}
        for node in self.nodes:
            mark = self.marks[node.node].marks[stage]
            if mark is not None:
                nodes[mark] = None if mark in nodes else node
        return {mark: node for mark, node in nodes.items() if node is not None}


def _pairs(old: _Side, new: _Side) -> dict[int, int]:
    """Old number -> new number of the nodes that are the same by a mark."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for stage in range(3):
        now = new.unique(stage)
        for mark, node in old.unique(stage).items():
            other = now.get(mark)
            if other is None or node.node in pairs or other.node in taken or node.cls != other.cls:
                continue
            pairs[node.node] = other.node
            taken.add(other.node)
    return pairs


def _in_rows(
    old: _Side, new: _Side, windows: Iterable[ListShift], pairs: Mapping[int, int]
) -> dict[int, int]:
    """More pairs: in rows that are the same by their position, the nodes that no other node of their row is like."""
    taken = set(pairs.values())
    numbers: dict[int, int] = {}
    for window in windows:
        for row, other in window.rows:
            now = _own_marks(new, other)
            for mark, node in _own_marks(old, row).items():
                twin = now.get(mark)
                if node is None or twin is None or node.node in pairs or twin.node in taken:
                    continue
                numbers[node.node] = twin.node
                taken.add(twin.node)
    return numbers


def _own_marks(side: _Side, row: Node) -> Mapping[tuple[str, str | None], Node | None]:
    """The nodes of a row by their marks; None: several have it."""
    nodes: dict[tuple[str, str | None], Node | None] = {}
    for node in side.tree.inside(row):
        if compared(node):
            key = side.marks[node.node].marks[2], node.resource_id
            nodes[key] = None if key in nodes else node
    return nodes


def _below_what_stayed(
    old: _Side, new: _Side, matched: tuple[tuple[Node, Node], ...]
) -> tuple[tuple[Node, Node], ...]:
    """The pairs that are the same although most of the screen differs.

    They lie below a node with an id that is on both screens, with most of what else lies below it (a container that
    holds the page is on both, too, and what it holds is not). Or another page does not show at all: only the rows of
    lists that are on both are others, as while one types into the field of a search.
    """
    lists = [(one, other) for one, other in matched if structural(one) and structural(other)]
    rows = (
        {n.node for one, _ in lists for n in old.tree.inside(one)[1:]},
        {n.node for _, o in lists for n in new.tree.inside(o)[1:]},
    )
    outside = tuple(pair for pair in matched if pair[0].node not in rows[0] and pair[1].node not in rows[1])
    around = sum(node.node not in rows[0] for node in old.nodes) + sum(
        node.node not in rows[1] for node in new.nodes
    )
    if lists and len(outside) > len(lists) and 2 * len(outside) >= NEW_PAGE * around:
        return outside
    ids = [
        {name: node for name, node in _by_id(side.tree).items() if node is not None} for side in (old, new)
    ]
    kept: set[tuple[int, int]] = set()
    for name, outer in ids[0].items():
        now = ids[1].get(name)
        if now is None or outer.cls != now.cls:
            continue
        below = {node.node for node in old.tree.inside(outer)[1:] if compared(node)}
        below_now = {node.node for node in new.tree.inside(now)[1:] if compared(node)}
        both = {
            (one.node, other.node) for one, other in matched if one.node in below and other.node in below_now
        }
        # alone in its container, a node is as good as its own name
        if len(both) > 1 and 2 * len(both) >= NEW_PAGE * (len(below) + len(below_now)):
            kept |= both
    return tuple(pair for pair in matched if (pair[0].node, pair[1].node) in kept)


def _by_id(tree: Tree) -> dict[str, Node | None]:
    """The nodes by their resource id; None: several have it."""
    nodes: dict[str, Node | None] = {}
    for node in tree.nodes:
        if node.resource_id:
            nodes[node.resource_id] = None if node.resource_id in nodes else node
    return nodes


def _tells(
    before: Tree,
    after: Tree,
    changed: Iterable[Change],
    gone: Iterable[Node],
    appeared: Iterable[Node],
) -> bool:
    """Whether anything differs that does not change by itself, and nothing says that something went wrong."""
    unread = _Unread(before, after)
    old, new = unread.certainly(gone, before, after), unread.certainly(appeared, after, before)
    changes = list(changed)
    if any(
        says_error(node) or "text" in node.unread & unread.telling
        for node in (*appeared, *(each.ref.node for each in changes if each.attribute in _TEXTS))
    ):
        return False
    apart, beside_now = beside_the_page(before), beside_the_page(after)
    clocks = Counter(map(clock, old)) & Counter(map(clock, new))
    return (
        any(node.node not in apart for node in _without(old, clocks))
        or any(node.node not in beside_now for node in _without(new, clocks))
        or any(each.ref.node.node not in beside_now and not _of_a_clock(each) for each in changes)
    )


_TELLING: Final = frozenset(
    {
        "class",
        "id",
        "package",
        "text",
        "desc",
        "clickable",
        "long_clickable",
        "checkable",
        "scrollable",
        "editable",
    }
)
"""What decides whether a node is compared, and with which."""


class _Unread:
    """What nobody read of two screens, so that nodes may be the same although they do not look so.

    What neither source gives anywhere makes no difference.
    """

    def __init__(self, before: Tree, after: Tree) -> None:
        nodes = (*before.nodes, *after.nodes)
        never = frozenset[str].intersection(*(node.unread for node in nodes)) if nodes else frozenset[str]()
        self.telling = _TELLING - never
        self._inside = {id(tree): self._unsure(tree) for tree in (before, after)}

    def _unsure(self, tree: Tree) -> list[Node]:
        """The nodes that are, or lie in, one of which something was not read that tells nodes apart."""
        nodes: dict[int, Node] = {}
        for node in tree.nodes:
            if node.parent in nodes or not self.telling.isdisjoint(node.unread):
                nodes[node.node] = node
        return list(nodes.values())

    def certainly(self, nodes: Iterable[Node], own: Tree, other: Tree) -> list[Node]:
        """Those of the nodes of one screen that are certainly not on the other: nor is what is in their place there."""
        unsure = {node.node for node in self._inside[id(own)]}
        places = {node.box for node in self._inside[id(other)]}
        return [node for node in nodes if node.node not in unsure and node.box not in places]


def _without(nodes: Iterable[Node], clocks: Mapping[tuple[str | None, str] | None, int]) -> Iterator[Node]:
    """The nodes without as many of each clock as are given."""
    left = Counter(clocks)
    for node in nodes:
        name = clock(node)
        if name is None or not left[name]:
            yield node
        else:
            left[name] -= 1


def _of_a_clock(change: Change) -> bool:
    texts = [value if isinstance(value, str) else None for value in (change.before, change.after)]
    return change.attribute in _TEXTS and only_the_time(change.ref.node, *texts)


def _surplus(old: _Side, new: _Side, pairs: Mapping[int, int]) -> tuple[list[Node], list[Node], int]:
    """The nodes that are only on one screen, and how many unmatched ones are alike on both."""
    taken = set(pairs.values())
    rest = [node for node in old.nodes if node.node not in pairs]
    rest_now = [node for node in new.nodes if node.node not in taken]
    before = Counter(_content(old, node) for node in rest)
    after = Counter(_content(new, node) for node in rest_now)
    both = before & after
    gone, stayed = _parted(old, rest, both)
    appeared, here = _parted(new, rest_now, both)
    alike = both.total()
    for mark, nodes in stayed.items():
        # of several that have one name, another one is checked or selected now: as many, and not the same
        for node, now in zip(nodes, here[mark], strict=True):
            if _content(old, node) != _content(new, now):
                gone.append(node)
                appeared.append(now)
                alike -= 1
    return gone, appeared, alike


def _parted(
    side: _Side, nodes: Iterable[Node], both: Counter[Hashable]
) -> tuple[list[Node], dict[Hashable, list[Node]]]:
    """The nodes without as many of each content as are on both screens, and these by their marks."""
    left = Counter(both)
    beyond: list[Node] = []
    within: dict[Hashable, list[Node]] = {}
    for node in nodes:
        content = _content(side, node)
        if left[content]:
            left[content] -= 1
            within.setdefault((side.marks[node.node].marks[2], node.resource_id), []).append(node)
        else:
            beyond.append(node)
    return beyond, within


def _content(side: _Side, node: Node) -> Hashable:
    """All that can be compared of a node that no mark tells from others."""
    return (
        side.marks[node.node].marks[2],
        node.resource_id,
        *_COMPARED(node),
    )


def _changes(old: _Side, new: _Side, pairs: Mapping[int, int]) -> Iterator[Change]:
    for one, other in pairs.items():
        before, after = old.tree.by_number[one], new.tree.by_number[other]
        unread = before.unread | after.unread
        for name in _TEXTS:
            was, now = getattr(before, name), getattr(after, name)
            if was != now and name not in unread:
                yield Change(new.ref(after), name, was, now)
        for name in _FLAGS:
            was, now = getattr(before, name), getattr(after, name)
            # what one of the screens does not say is not a change; a length that goes with a text is the same change
            if was == now or was is None or now is None or (name == "length" and before.text != after.text):
                continue
            yield Change(new.ref(after), name, was, now)
