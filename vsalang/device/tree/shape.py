"""What tells the nodes of a tree apart, whatever the tree was read from: `vsalang.device.tree.identity` compares it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

Kind: TypeAlias = tuple[str | None, str | None, str | None]
"""Package, class, resource id."""

_PAGES: Final = frozenset({"ScrollView", "NestedScrollView", "HorizontalScrollView"})
"""What scrolls one child as a whole."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What tells nodes of one tree apart, by their index among those that show.

    Attributes:
        kinds: of each node.
        prints: equal where kind, words, and the same of everything inside are equal.
        titles: equal where the first words of a node, its own or inside it, are equal; 0 where there are none.
        last: the index of the last node inside (its own when there is none).
        kids: the indexes of its children.
        roots: the indexes of the nodes that hang in none.
        traits: bits of `STEADY`, `SCROLLS`, `PAGE` and `TOUCH`.
        bounds: of each node.
        words: equal where the node's own words are; 0 where it has none.
    """

    kinds: Sequence[Kind]
    prints: Sequence[int]
    titles: Sequence[int]
    last: Sequence[int]
    kids: Sequence[Sequence[int]]
    roots: Sequence[int]
    traits: Sequence[int]
    bounds: Sequence[tuple[int, int, int, int]]
    words: Sequence[int]


STEADY: Final = 1
"""Words that change do not make it another node: a container without touch, a field, something that is checked."""
SCROLLS: Final = 2
"""It scrolls, or does not say that it does not."""
PAGE: Final = 4
"""It scrolls its one child as a whole."""
TOUCH: Final = 8
"""It takes a touch, and is called by its words."""

_NO_KIDS: Final[tuple[int, ...]] = ()


def words_of(text: str | None, desc: str | None, *, editable: bool) -> int:
    """What a node says itself; what is typed into a field is not the field's."""
    shown = None if editable else text
    return hash((shown, desc)) if shown or desc else 0


def own_print(kind: Kind, words: int, hint: str | None) -> int:
    """A node without what is inside it."""
    return hash((kind, words, hint))


def trait_of(cls: str | None, words: int, *, touch: bool, steady: bool, scrolls: bool) -> int:
    """The traits of a node; `steady`: it is a field, or something that is checked."""
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
    """The shape of nodes in document order, of what is known of each.

    Args:
        owns: of each node, what `own_print` gives.
        parents: the index of the node that each hangs in, -1 for none.
    """
    count = len(kinds)
    kids: list[Sequence[int]] = [_NO_KIDS] * count
    roots: list[int] = []
    for at, outer in enumerate(parents):
        if outer < 0:
            roots.append(at)
            continue
        mine = kids[outer]
        if isinstance(mine, list):
            mine.append(at)
        else:
            kids[outer] = [at]
    prints, titles, traits = [0] * count, list(words), list(traits)
    last = list(range(count))
    for at in range(count - 1, -1, -1):
        mine = kids[at]
        if mine:
            if not traits[at] & TOUCH:
                traits[at] |= STEADY
            last[at] = last[mine[-1]]
            prints[at] = hash((owns[at], *[prints[kid] for kid in mine]))
            if not titles[at]:
                for kid in mine:
                    if titles[kid]:
                        titles[at] = titles[kid]
                        break
        else:
            prints[at] = owns[at]
    return Shape(kinds, prints, titles, last, kids, roots, traits, bounds, words)
