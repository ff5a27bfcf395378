"""Tree diff: keeps the number of a node from one observation to the next, if it is certainly the same node.

    tree = track(previous, load_dump(xml))

`track` is a pure function of two trees: the one of the last observation (the result of `track`) and the new one. Nodes
that are certainly the same keep their numbers; every other node gets a number that no node of this or an earlier tree
had.

The trees are compared from their roots down. Two nodes can only be the same if their parents are, and if package, class
and resource id agree. Among the children of one parent they are, in this order,

1. nodes with the same content (their words, and those of everything inside), if there is one such on either side;
2. nodes with a resource id that no sibling has, on either side;
3. nodes that begin with the same words, if there is one such on either side (a row whose summary changed);
4. the only node of its class;
5. between siblings that were matched so: nodes of one content if there are as many before as now, then nodes of the
   same classes in the same order if there are as many (a counter between its two buttons).

A node that takes touches is identified by its words: with other words it is the same node only if an id says so (2;
but not if it consists of several nodes, such as a row or a card), or if it and a matched sibling did not move (4, 5).

A scrolling container shows other rows in the same places, so there only 1, 3 and nodes of one content are used; in a
page that scrolls as a whole also 2, and the others if some node did not move. The order of siblings does not matter
for 1 to 4.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, TypeAlias

from vsalang.screen.tree.node import HiddenElement, Node, Tree
from vsalang.screen.tree.shape import PAGE, SCROLLS, STEADY, TOUCH, Shape

_Keys: TypeAlias = Sequence[Any] | Mapping[int, Any]

NONE: Final = -1


def track(previous: Tree | None, tree: Tree, *, replaced: Collection[str] = ()) -> Tree:
    """The new tree with the numbers that its nodes had in the last one; see the module.

    Nodes that did not change at all are the same objects as in the last tree, so what was computed of them can be kept.

    Args:
        previous: the last tree, as this function returned it; None: there was none.
        tree: the new tree, as it was read.
        replaced: packages whose windows were replaced: the activity in the foreground changed. None of their nodes is
            the same as before, even if it looks the same.
    """
    if previous is None:
        return tree
    numbers, highest = numbered(previous, tree.shape, replaced)
    before = previous.by_number
    number_of = {node.node: number for node, number in zip(tree.nodes, numbers, strict=True)}
    nodes: list[Node] = []
    for node, number in zip(tree.nodes, numbers, strict=True):
        parent = None if node.parent is None else number_of[node.parent]
        made = replace(node, node=number, parent=parent, place=node.place)
        old = before.get(number)
        nodes.append(old if old is not None and old == made else made)
    other = None
    if tree.other is not None:
        for node in tree.other.nodes:
            if node.node not in number_of:
                highest += 1
                number_of[node.node] = highest
        nodes_there = _renumbered(tree.other, number_of)
        other = replace(tree.other, nodes=nodes_there, highest=highest, lost=_at_home(tree, number_of))
    result = replace(tree, nodes=tuple(nodes), highest=highest, lost=_at_home(tree, number_of), other=other)
    result.__dict__["shape"] = tree.shape
    result.remember(previous)
    return result


def _renumbered(tree: Tree, number_of: Mapping[int, int]) -> tuple[Node, ...]:
    return tuple(
        replace(
            node,
            node=number_of[node.node],
            parent=None if node.parent is None else number_of[node.parent],
            place=node.place,
        )
        for node in tree.nodes
    )


def _at_home(tree: Tree, number_of: Mapping[int, int]) -> tuple[HiddenElement, ...]:
    """The elements without a visible area, under the nodes as they are numbered now."""
    return tuple(
        replace(item, parent=None if item.parent is None else number_of[item.parent]) for item in tree.lost
    )


def numbered(previous: Tree, new: Shape, replaced: Collection[str] = ()) -> tuple[list[int], int]:
    """The numbers of the nodes of a new shape, and the greatest number ever given."""
    highest = max(previous.highest, previous.total)
    before = previous.nodes
    numbers: list[int] = []
    for at in match(previous.shape, new, replaced):
        if at == NONE:
            highest += 1
            numbers.append(highest)
        else:
            numbers.append(before[at].node)
    return numbers, highest


def match(old: Shape, new: Shape, replaced: Collection[str] = ()) -> list[int]:
    """For each node of the new shape the index of the same node in the old one, or `NONE`."""
    result = [NONE] * len(new.kinds)
    if (
        old.fingerprints
        and len(old.fingerprints) == len(new.fingerprints)
        and not replaced
        and old.fingerprints == new.fingerprints
    ):
        # the hashes of all subtrees are equal, so the trees have the same form
        return list(range(len(result)))
    pending: list[tuple[int, int, bool]] = []
    for one, other in _windows(old, new, replaced):
        pending.append((one, other, False))
    while pending:
        one, other, flowing = pending.pop()
        result[other] = one
        if (
            old.fingerprints[one] == new.fingerprints[other]
            and old.last[one] - one == new.last[other] - other
        ):
            for step in range(1, new.last[other] - other + 1):
                result[other + step] = one + step
            continue
        scrolls = new.traits[other] | old.traits[one]
        rows = bool(scrolls & SCROLLS) and not scrolls & PAGE
        page = bool(scrolls & PAGE) or flowing
        pending.extend(_children(old, new, old.children[one], new.children[other], rows=rows, page=page))
    return result


def _windows(old: Shape, new: Shape, replaced: Collection[str]) -> Iterable[tuple[int, int]]:
    """The roots that are the same: the only one of its kind, with something in common."""
    before = [at for at in old.roots if old.kinds[at][0] not in replaced]
    now = [at for at in new.roots if new.kinds[at][0] not in replaced]
    left_before, left_now = list(before), list(now)
    for one, other in _unique(before, now, old.fingerprints, new.fingerprints):
        yield one, other
        left_before.remove(one)
        left_now.remove(other)
    placed_before = {at: (old.kinds[at], old.bounds[at]) for at in before}
    placed_now = {at: (new.kinds[at], new.bounds[at]) for at in now}
    stages = (
        ("same place", _unique(before, now, placed_before, placed_now)),
        ("only one", _unique(before, now, old.kinds, new.kinds)),
        ("one of several", list(zip(left_before, left_now, strict=False))),
    )
    for stage, pairs in stages:
        for one, other in pairs:
            if (
                one in left_before
                and other in left_now
                and old.kinds[one] == new.kinds[other]
                and _akin(old, one, new, other, stage)
            ):
                yield one, other
                left_before.remove(one)
                left_now.remove(other)


def _akin(old: Shape, one: int, new: Shape, other: int, stage: str) -> bool:
    """Whether two windows have a resource id of an app or words in common; if there are several, most of them."""
    mine = set(_signs(old, one))
    if stage == "one of several":
        theirs = set(_signs(new, other))
        return 2 * len(mine & theirs) > max(len(mine), len(theirs))
    sign = None
    for sign in _signs(new, other):
        if sign in mine:
            return True
    return stage == "same place" and not mine and sign is None


def _signs(of: Shape, root: int) -> Iterator[object]:
    """The ids of an app and the words of a window."""
    kinds, words = of.kinds, of.words
    for at in range(root, of.last[root] + 1):
        kind = kinds[at]
        if kind[2] is not None and not kind[2].startswith("android:"):
            yield kind
        if words[at]:
            yield kind, words[at]


def _children(
    old: Shape, new: Shape, before: Sequence[int], now: Sequence[int], *, rows: bool, page: bool
) -> Iterable[tuple[int, int, bool]]:
    """The children of one node that are the same, and whether they lie in rows or in a page that scrolls.

    Args:
        rows: the parent scrolls rows in and out.
        page: the parent is, or lies in, a page that scrolls as a whole.
    """
    if not before or not now:
        return
    if len(before) == len(now) == 1:
        one, other = before[0], now[0]
        if old.kinds[one] != new.kinds[other]:
            return
        labelled = old.labels[one] == new.labels[other] != 0
        if old.fingerprints[one] == new.fingerprints[other] or labelled:
            yield one, other, False
        elif not rows:
            named = old.kinds[one][2] is not None
            steady = old.traits[one] & new.traits[other] & STEADY
            if not page and not (old.traits[one] | new.traits[other]) & TOUCH:
                steady = STEADY
            if steady or (named and _called_alike(old, new, one, other, named=True)):
                yield one, other, page
        return
    numbers: dict[int, int] = {}  # new -> old
    taken: set[int] = set()
    grounded: set[int] = set()

    def take(pairs: Iterable[tuple[int, int]], *, certain: bool) -> None:
        for one, other in pairs:
            if one not in taken and other not in numbers and old.kinds[one] == new.kinds[other]:
                numbers[other] = one
                taken.add(one)
                if certain:
                    grounded.add(other)

    take(_unique(before, now, old.fingerprints, new.fingerprints), certain=True)
    if len(numbers) < len(now) and not rows:
        named_before = [at for at in before if old.kinds[at][2] is not None]
        named_now = [at for at in now if new.kinds[at][2] is not None]
        pairs = _unique(named_before, named_now, old.kinds, new.kinds)
        take((pair for pair in pairs if _called_alike(old, new, *pair, named=True)), certain=not page)
    if len(numbers) < len(now):
        labelled_before = [at for at in before if old.labels[at]]
        labelled_now = [at for at in now if new.labels[at]]
        mine = {at: (old.kinds[at], old.labels[at]) for at in labelled_before}
        theirs = {at: (new.kinds[at], new.labels[at]) for at in labelled_now}
        take(_unique(labelled_before, labelled_now, mine, theirs), certain=True)
    # a node that is certainly the same did not move: nothing was scrolled
    unmoved = any(old.bounds[numbers[at]] == new.bounds[at] for at in grounded)

    def agree(one: int, other: int) -> bool:
        return _called_alike(old, new, one, other) or (unmoved and old.bounds[one] == new.bounds[other])

    if len(numbers) < len(now) and not rows and (not page or unmoved or len(before) == len(now) == 1):
        only = _unique(before, now, old.kinds, new.kinds)
        take(
            (pair for pair in only if old.traits[pair[0]] & new.traits[pair[1]] & STEADY or agree(*pair)),
            certain=False,
        )
    if len(numbers) < len(now):
        for were, are in _gaps(before, now, numbers):
            take(_alike(old, new, were, are), certain=False)
    if numbers and len(numbers) < len(now) and not rows and (not page or unmoved):
        for were, are in _gaps(before, now, numbers):
            pairs = list(zip(were, are, strict=False))
            if len(were) == len(are) and all(old.kinds[a] == new.kinds[b] and agree(a, b) for a, b in pairs):
                take(pairs, certain=False)
    for other, one in numbers.items():
        yield one, other, page and other not in grounded


def _called_alike(old: Shape, new: Shape, one: int, other: int, *, named: bool = False) -> bool:
    """Whether the words of two nodes allow that they are the same; `named`: they have the same id."""
    if not (old.traits[one] | new.traits[other]) & TOUCH:
        return True
    if named and old.words[one] and new.words[other]:
        return True
    return old.labels[one] == new.labels[other]


def _unique(before: Sequence[int], now: Sequence[int], mine: _Keys, theirs: _Keys) -> list[tuple[int, int]]:
    """The pairs whose key occurs once among the old and once among the new."""
    where: dict[Any, int] = {}
    for at in before:
        key = mine[at]
        where[key] = NONE if key in where else at
    others: dict[Any, int] = {}
    for at in now:
        key = theirs[at]
        others[key] = NONE if key in others else at
    return [
        (one, other)
        for key, other in others.items()
        if other != NONE and (one := where.get(key, NONE)) != NONE
    ]


def _gaps(
    before: Sequence[int], now: Sequence[int], pairs: Mapping[int, int]
) -> list[tuple[list[int], list[int]]]:
    """The siblings between matched ones, before and now; nothing if the matched ones changed their order."""
    anchors = [(pairs[at], at) for at in now if at in pairs]
    if any(one[0] > other[0] for one, other in pairwise(anchors)):
        return []
    gaps: list[tuple[list[int], list[int]]] = []
    start_one, start_other = NONE, NONE
    for end_one, end_other in [*anchors, (before[-1] + 1, now[-1] + 1)]:
        one = [at for at in before if start_one < at < end_one]
        other = [at for at in now if start_other < at < end_other]
        start_one, start_other = end_one, end_other
        if one and other:
            gaps.append((one, other))
    return gaps


def _alike(old: Shape, new: Shape, before: Sequence[int], now: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of nodes with the same content, if there are as many as before, in their order."""
    mine: dict[int, list[int]] = {}
    theirs: dict[int, list[int]] = {}
    for at in before:
        mine.setdefault(old.fingerprints[at], []).append(at)
    for at in now:
        theirs.setdefault(new.fingerprints[at], []).append(at)
    return [
        pair
        for key, there in theirs.items()
        if len(there) == len(mine.get(key, ()))
        for pair in zip(mine[key], there, strict=True)
    ]
