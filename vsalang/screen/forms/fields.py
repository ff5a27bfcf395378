"""What is filled in: the fields of forms and dialogs, each with what the page calls it, and its value."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.program import readers
from vsalang.program.dates import date, time
from vsalang.program.text import fold_case
from vsalang.screen.control.keys import too_many_captions
from vsalang.screen.forms.closing import Closings
from vsalang.screen.forms.outline import Outline, shorten, types, words_shown
from vsalang.screen.forms.roles import Role
from vsalang.screen.forms.rows import Rows
from vsalang.screen.forms.surfaces import CURRENCIES, Surface, Surfaces
from vsalang.screen.forms.words import TOTAL, id_words, phrase
from vsalang.screen.tree import Node
from vsalang.screen.tree.caption import caption
from vsalang.screen.tree.face import wording

Kind: TypeAlias = Literal["text", "box", "choice", "date", "amount", "secret"]
"""What a field takes."""

_FAR: Final = 12
"""A text further above a field than this part of the screen's height is not its label."""
_LONGEST_PROMPT: Final = 20
_LABEL_AND_VALUE: Final = 2
_LONGEST_VALUE: Final = 60
_ASIDE: Final = 15
"""Nor one whose left edge is further from that of the field than this part of the screen's width."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field that is filled in.

    Attributes:
        root: the number of the node that holds its form or dialog.
        node: the field.
        name: what the page calls it; None: nothing.
        value: what is typed, chosen, ``on`` or ``off``; None: hidden, or it was not read.
        kind: what it takes.
    """

    root: int
    node: Node
    name: str | None
    value: str | None
    kind: Kind


class Fields:
    """The filled fields of a screen.

    Args:
        about: the outline of the tree.
        on: its surfaces.
        closings: what closes what.
        roles: of its controls.
        rows: of its lists.
    """

    def __init__(
        self, about: Outline, on: Surfaces, closings: Closings, roles: Mapping[int, Role], rows: Rows
    ) -> None:
        self.rows = rows
        self.about = about
        self.on = on
        self.closings = closings
        self.roles = roles

    @cached_property
    def all(self) -> tuple[Field, ...]:
        """All of them, in the order of the document."""
        return tuple(field for node in self.about.takers if (field := self._field(node)) is not None)

    def _field(self, node: Node) -> Field | None:
        surface = self.on.of.get(node.node)
        role = self.roles.get(node.node)
        if surface is None or surface.kind in ("keyboard", "system", "home"):
            return None
        if role == "field":
            return self._typed(node, surface)
        root = self._root(node, surface)
        if root is None:
            return None
        box = self.about.boxes.get(node.node, node)
        if role in ("box", "choice") and box.checkable is True:
            if box.checked is None:
                return Field(root, node, self._name(node), None, "box" if role == "box" else "choice")
            kind = self.about.kinds.get(node.node)
            is_choice = (kind is not None and kind.kind == "choice") or surface.kind == "picker"
            if is_choice and not box.checked:
                return None
            if surface.kind == "picker":
                label = self.about.label(node)
                return Field(root, node, surface.title, label, "date" if is_moment(label) else "choice")
            state = "on" if box.checked else "off"
            return Field(root, node, self._name(node), state, "choice" if is_choice else "box")
        return self._opener(node, surface, root)

    def _typed(self, node: Node, surface: Surface) -> Field | None:
        root = self._root(node, surface)
        name = self._name(node)
        if node.password is True:
            if node.length == 0:
                return None
            return Field(root or surface.root.node, node, name, None, "secret")
        if not node.text or self._is_prompt(node):
            unread = "text" in node.unread and node.length != 0
            return Field(root or surface.root.node, node, name, None, "text") if unread else None
        return Field(root or surface.root.node, node, name, shorten(node.text), self._kind(node.text, name))

    @staticmethod
    def _is_prompt(node: Node) -> bool:
        """Whether its text is its prompt: the source has no place for prompts, and a word of the id says the same."""
        if node.hint is not None or node.text is None or len(node.text) > _LONGEST_PROMPT:
            return False
        return phrase(node.text) in id_words(node.id or "")

    def _opener(self, node: Node, surface: Surface, root: int) -> Field | None:
        """A control that shows what was chosen: a date, a time, an entry of a list."""
        kind = self.about.kinds.get(node.node)
        if kind is None or node.node in self.closings.by_node or self.roles.get(node.node) == "box":
            return None
        row = self.rows.of.get(node.node)
        if row is not None and row.split and surface.kind == "page":
            # a row of which both texts take touches is one field, not two
            begins = self.about.label(node) == row.title
            texts = [row.title, row.detail] if row.detail and begins else []
        else:
            inside = (one for one in self.about.texts_in(node) if words_shown(one))
            texts = list(dict.fromkeys(self.about.texts[one.node] for one in inside))
        if not texts:
            return None
        if is_moment(texts[-1]):
            return Field(root, node, texts[0] if len(texts) > 1 else self._above(node), texts[-1], "date")
        if kind.kind == "opener" and node.cls is not None and node.cls.endswith("Spinner"):
            return Field(root, node, self._above(node), texts[-1], "choice")
        chosen = self.roles.get(node.node) in ("row", "setting", "card") and len(texts) == _LABEL_AND_VALUE
        if (
            chosen
            and surface.kind in ("page", "settings")
            and all(len(text) <= _LONGEST_VALUE for text in texts)
        ):
            return Field(root, node, texts[0], texts[1], "choice")
        return None

    def _kind(self, value: str, name: str | None) -> Kind:
        folded = fold_case(name or "")
        money = readers.currency(value) is not None or CURRENCIES.search(name or "") or TOTAL.search(folded)
        if money and readers.number(value) is not None:
            return "amount"
        return "date" if is_moment(value) else "text"

    def _root(self, node: Node, surface: Surface) -> int | None:
        """The form or dialog of which a control is a part."""
        if surface.in_front:
            return surface.root.node
        for root in self._forms:
            if self.about.tree.by_number[root].encloses(node):
                return root
        return None

    @cached_property
    def _forms(self) -> tuple[int, ...]:
        roots = {closer.root for closer in self.closings.by_node.values() if closer.kind == "form"}
        return tuple(sorted(roots, reverse=True))

    def _name(self, node: Node) -> str | None:
        above = self._above(node) if types(node) else None
        surface = self.on.of.get(node.node)
        titled = surface is not None and above is not None and above == surface.title
        if titled and node.hint:
            return shorten(node.hint)  # the title of the page is not that of its first field
        if above is not None:
            return above
        if self._only_own_words:
            return self.about.label(node) or None
        text = caption(self.about.tree, self.about.boxes.get(node.node, node))
        return shorten(text) if text else None

    @cached_property
    def _only_own_words(self) -> bool:
        return too_many_captions(self.about.tree)

    def _above(self, node: Node) -> str | None:
        """The short text right above a field, at its left edge, that is not a control itself."""
        before = self._labels.get(node.node)
        if before is None:
            return None
        width, height = self.about.screen
        near = (
            -2 <= node.top - before.bottom <= height / _FAR
            and node.top - before.bottom <= node.bottom - node.top
        )
        aligned = abs(before.left - node.left) <= width / _ASIDE
        return self.about.texts[before.node].rstrip(" :*") if near and aligned else None

    @cached_property
    def _labels(self) -> Mapping[int, Node]:
        """Taker -> the last text before it outside of controls, if no other taker stands between them."""
        result: dict[int, Node] = {}
        last: Node | None = None
        for node in self.about.tree.nodes:
            if self.about.taker_of.get(node.node) == node.node:
                if last is not None and last.window == node.window:
                    result[node.node] = last
                last = None
            elif node.node not in self.about.taker_of and node.text is not None and wording(node.text):
                last = node
        return result

    def __iter__(self) -> Iterator[Field]:
        return iter(self.all)


_TIMES: Final = re.compile(
    r"\d{1,2}[:h]\d{2}(\s?[AaPp]\.?[Mm]\.?)?|(上午|下午|오전|오후|午前|午後)\s?\d{1,2}[:時시点]\d{0,2}"
)
_DAYS: Final = re.compile(r"\d{1,4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,4}日?|\d{1,2}\. ?\d{1,2}\. ?\d{2,4}")
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?"
_MONTHS: Final = re.compile(
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)\w*,? )?"
    rf"(?:{_MONTH} \d{{1,2}}(?:,? \d{{4}})?|\d{{1,2}}\.? {_MONTH}(?: \d{{4}})?)(?: \(\w{{2,9}}\))?",
    re.IGNORECASE,
)


def is_moment(text: str) -> bool:
    """Whether a text is a date or a time and nothing else."""
    short = text.strip()
    if len(short) > 40 or not any(char.isdecimal() for char in short):
        return False
    if any(pattern.fullmatch(short) for pattern in (_TIMES, _DAYS, _MONTHS)):
        return True
    return date(short, None) is not None or time(short) is not None
