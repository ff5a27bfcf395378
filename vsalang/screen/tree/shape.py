"""The features by which nodes of two trees are compared (`vsalang.screen.tree.identity`), for trees of any source."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from vsalang.base.records import dataclass

Kind: TypeAlias = tuple[str | None, str | None, str | None]
"""Package, class, resource id."""

_PAGES: Final = frozenset({"ScrollView", "NestedScrollView", "HorizontalScrollView"})
"""Classes that scroll their only child as a whole."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The features by which the nodes of one tree are compared, by their index among the visible nodes.

    Attributes:
        kinds: of each node.
        fingerprints: equal if kind and words of two nodes and of everything inside are equal.
        labels: equal if the first words of two nodes, their own or inside, are equal; 0 if there are none.
        last: the index of the last node inside (its own when there is none).
        children: the indexes of its children.
        roots: the indexes of the nodes without a parent.
        traits: bits of `STEADY`, `SCROLLS`, `PAGE` and `TOUCH`.
        bounds: of each node.
        words: equal if the own words of two nodes are equal; 0 if there are none.
    """

    kinds: Sequence[Kind]
    fingerprints: Sequence[int]
    labels: Sequence[int]
    last: Sequence[int]
    children: Sequence[Sequence[int]]
    roots: Sequence[int]
    traits: Sequence[int]
    bounds: Sequence[tuple[int, int, int, int]]
    words: Sequence[int]


STEADY: Final = 1
"""Words that change do not make it another node: a container without touch, a field, something that is checked."""
SCROLLS: Final = 2
"""It scrolls, or may scroll."""
PAGE: Final = 4
"""It scrolls its one child as a whole."""
TOUCH: Final = 8
"""It takes touches, and is identified by its words."""

_NO_CHILDREN: Final[tuple[int, ...]] = ()


def words_of(text: str | None, desc: str | None, *, editable: bool) -> int:
    """The own words of a node, without what is typed into a field."""
    own_text = None if editable else text
    return hash((own_text, desc)) if own_text or desc else 0


def own_fingerprint(kind: Kind, words: int, hint: str | None) -> int:
    """The fingerprint of a node without the nodes inside."""
    return hash((kind, words, hint))


def trait_of(cls: str | None, words: int, *, touch: bool, steady: bool, scrolls: bool) -> int:
    """The traits of a node; `steady`: it is a field, or can be checked."""
    trait = STEADY if steady or (not words and not touch) else TOUCH if touch else 0
    if scrolls:
        trait |= SCROLLS
        if cls in _PAGES:
            trait |= PAGE
    return trait


def shaped(
    kinds: Sequence[Kind],
    words: Sequence[int],
    owns: Sequence[int],
    traits: Sequence[int],
    parents: Sequence[int],
    bounds: Sequence[tuple[int, int, int, int]],
) -> Shape:
    """The shape of nodes in document order, from the features of each.

    Args:
        owns: the `own_fingerprint` of each node.
        parents: the index of the parent of each node, -1 for none.
    """
    count = len(kinds)
    children: list[Sequence[int]] = [_NO_CHILDREN] * count
    roots: list[int] = []
    for at, outer in enumerate(parents):
        if outer < 0:
            roots.append(at)
            continue
        mine = children[outer]
        if isinstance(mine, list):
            mine.append(at)
        else:
            children[outer] = [at]
    fingerprints, labels, traits = [0] * count, list(words), list(traits)
    last = list(range(count))
    for at in range(count - 1, -1, -1):
        mine = children[at]
        if mine:
            if not traits[at] & TOUCH:
                traits[at] |= STEADY
            last[at] = last[mine[-1]]
            fingerprints[at] = hash((owns[at], *[fingerprints[child] for child in mine]))
            if not labels[at]:
                for child in mine:
                    if labels[child]:
                        labels[at] = labels[child]
                        break
        else:
            fingerprints[at] = owns[at]
    return Shape(kinds, fingerprints, labels, last, children, roots, traits, bounds, words)
