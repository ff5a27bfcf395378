"""The native relations of `std.intent`, made from the instruction and from rows of a screen.

They know rows only, not trees: a screen that is given by facts in a test is read like one of a phone.
"""

from collections.abc import Iterator
from typing import Final

from vsalang.core.screen import Cells, Screen
from vsalang.intent.words import Wish

MENTIONED: Final = "Mentioned"
"""The relation of a screen."""


def mentioned_rows(screen: Screen, wish: Wish) -> Iterator[Cells]:
    """The rows of ``Mentioned``: which words of the instruction stand in the label of which node."""
    known = screen.relations()
    if MENTIONED in known:
        yield from screen.rows(MENTIONED)
    if "Node" not in known or not wish.stems:
        return
    for row in screen.rows("Node"):
        node, label = row.get("node"), row.get("label")
        if isinstance(node, int) and isinstance(label, str):
            for word in wish.words_in(label):
                yield {"node": node, "word": word}


def figure_rows(wish: Wish) -> Iterator[Cells]:
    """The rows of ``Figure``: the numbers that the instruction names."""
    for number in sorted(wish.numbers):
        yield {"value": number}
