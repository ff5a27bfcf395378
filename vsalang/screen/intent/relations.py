"""The native relations of `std.intent`, made from the instruction and from rows of a screen.

They know rows only, not trees: a screen that is given by facts in a test is read like one of a phone.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from vsalang.program.screen import Cells, Screen
from vsalang.screen.intent.instruction import Wish

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


def _figures(wish: Wish) -> Iterator[Cells]:
    """The rows of ``Figure``: the numbers that the instruction names."""
    for number in sorted(wish.numbers):
        yield {"value": number}


def _clauses(wish: Wish) -> Iterator[Cells]:
    """The rows of ``Clause``: where a sentence of the instruction puts a verb."""
    for clause in wish.clauses:
        yield {"text": clause.text, "denied": clause.denied}


OF_INSTRUCTION: Final[Mapping[str, Callable[[Wish], Iterator[Cells]]]] = MappingProxyType(
    {"Figure": _figures, "Clause": _clauses}
)
"""The relations that follow from the instruction alone, and what makes their rows."""
