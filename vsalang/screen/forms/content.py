"""What a form or a dialog says as a whole: what is sent with it, where it names nobody."""

from collections.abc import Iterator, Mapping
from typing import Final

from vsalang.screen.forms.closing import Closings
from vsalang.screen.forms.counts import Counts
from vsalang.screen.forms.outline import Outline, is_cut, shorten
from vsalang.screen.forms.roles import Role
from vsalang.screen.forms.surfaces import Surfaces
from vsalang.screen.tree import Node

LONGEST: Final = 2000
"""Of what says more, in characters, nothing is told: a part of it may say less."""


class Content:
    """What the forms and dialogs of a screen say.

    Args:
        about: the outline of the tree.
        on: its surfaces.
        closings: what closes what.
        counts: what is ticked.
        roles: of its controls.
    """

    def __init__(
        self, about: Outline, on: Surfaces, closings: Closings, counts: Counts, roles: Mapping[int, Role]
    ) -> None:
        self.about = about
        self.on = on
        self.closings = closings
        self.counts = counts
        self.roles = roles

    def all(self) -> Iterator[tuple[int, str]]:
        """The root of each form and dialog, and its texts in the order of the document, parted by commas."""
        surfaces = {
            closer.root: surface
            for closer in self.closings.by_node.values()
            if (surface := self.on.of.get(closer.node.node)) is not None
        }
        for root, surface in surfaces.items():
            nodes = [node for node in self.on.nodes_in(surface) if self.on.of.get(node.node) is surface]
            texts = dict.fromkeys(filter(None, (self._words(node) for node in nodes if self._counts(node))))
            text = ", ".join(texts)
            whole = len(text) <= LONGEST and not any(is_cut(each) for each in texts)
            if text and whole and not any(map(self._is_unclear, nodes)):
                yield root, text

    def _words(self, node: Node) -> str | None:
        """What a node says of the form: of a field what is typed, and not its prompt."""
        if self.roles.get(node.node) != "field":
            return self.about.texts.get(node.node)
        return shorten(node.text) if node.text and node.text != node.hint else None

    def _counts(self, node: Node) -> bool:
        """Whether it is sent with the form: of what takes touches, what is typed (no secret), ticked or selected."""
        if node.password is True:
            return False
        number = self.about.taker_of.get(node.node)
        if number is None or self.roles.get(number) == "field":
            return True
        return number in self.counts.ticked or self.about.tree.by_number[number].selected is True

    def _is_unclear(self, node: Node) -> bool:
        """Whether what of it is sent cannot be told: a text that may be secret, a box whose label stands elsewhere."""
        if node.password is None and (node.editable is True or (node.editable is None and node.text)):
            return True
        taker = self.about.taker_of.get(node.node)
        if node.checkable is not True or taker is None:
            return False
        return not any(self.about.texts_in(self.about.tree.by_number[taker]))
