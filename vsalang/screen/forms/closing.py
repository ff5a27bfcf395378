"""Which controls close a dialog, sheet, form or selection, and how.

Ids of known toolkits decide first, then a few words (`vsalang.screen.forms.words`), then place: of the buttons in one
row with a negative one the others are positive; the one button below the last field of a page closes its form.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.screen.forms.outline import Outline, level, size, words_shown
from vsalang.screen.forms.rows import Rows
from vsalang.screen.forms.surfaces import Surface, Surfaces
from vsalang.screen.forms.words import AGREES, DECLINES, KEEPS
from vsalang.screen.tree import Node

Way: TypeAlias = Literal["commit", "cancel", "acknowledge", "other"]
"""How a control closes: positively, negatively, as the only button of a message, or in a way that is not known."""

_POSITIVE_IDS: Final = re.compile(
    r"^(button1|md_buttondefaultpositive|md_button_positive|positive_?button|button_?positive|permission_allow\w*"
    r"|((menu|action|btn|button|bt|tv|fab|img|iv|ic|dialog)_?)?(ok|save|done|confirm|apply|submit|finish|accept|positive|yes|agree|validate)(_?(changes|options|settings))?"
    r"(_?(button|btn|fab|menu|action|item|icon|view|text))?)$",
    re.IGNORECASE,
)
_NEGATIVE_IDS: Final = re.compile(
    r"^(button2|md_buttondefaultnegative|md_button_negative|negative_?button|button_?negative|permission_deny\w*|touch_outside"
    r"|action_mode_close_button|((menu|action|btn|button|bt|tv|img|iv|ic|dialog)_?)?(cancel|dismiss|negative|close|not_?now|later|skip|deny|decline|no)"
    r"(_?(button|btn|menu|action|item|icon|view|text))?)$",
    re.IGNORECASE,
)
_OTHER_IDS: Final = re.compile(
    r"^(button3|md_buttondefaultneutral|md_button_neutral|neutral_?button|button_?neutral)$", re.IGNORECASE
)
_SEARCH_IDS: Final = re.compile(r"search|query|filter|find", re.IGNORECASE)
_CROSSES: Final = frozenset("×✕✖╳❌x")


@dataclass(frozen=True, slots=True)
class Closer:
    """A control that closes something.

    Attributes:
        node: the control.
        root: the number of the node that holds what it closes.
        kind: of the surface, or ``form``.
        way: how it closes.
    """

    node: Node
    root: int
    kind: str
    way: Way


@dataclass(frozen=True, slots=True)
class Form:
    """What is filled in on a page or in front of one, and sent by a control.

    Attributes:
        root: the number of the node that holds its fields.
        surface: where it lies.
        fields: what can be typed into, ticked or chosen in it.
    """

    root: int
    surface: Surface
    fields: tuple[Node, ...]


class Closings:
    """What closes what on one screen.

    Args:
        about: the outline of the tree.
        on: its surfaces.
        rows: its rows.
    """

    def __init__(self, about: Outline, on: Surfaces, rows: Rows) -> None:
        self.about = about
        self.on = on
        self.rows = rows

    @cached_property
    def by_node(self) -> Mapping[int, Closer]:
        """Control -> what it closes, and how."""
        result: dict[int, Closer] = {}
        takers: dict[int, list[Node]] = {}
        for node in self.about.takers:
            surface = self.on.of.get(node.node)
            if surface is not None:
                takers.setdefault(surface.root.node, []).append(node)
        for surface in self.on.all:
            mine = takers.get(surface.root.node, [])
            if surface.in_front and surface.kind != "share":
                closers = self._in_front(surface, mine)
            elif surface.kind in ("page", "settings", "selection"):
                closers = self._on_page(surface, mine)
            else:
                continue
            for closer in closers:
                result.setdefault(closer.node.node, closer)
        return result

    def sent(self, surface: Surface, *, choice: bool = False) -> bool:
        """Whether what is filled in on a surface takes effect only with a control of it.

        Args:
            choice: of one of several, which in front of a page often acts at once: only where it can also be left.
        """
        ways = self._ways.get(surface.root.node, frozenset())
        if choice and surface.in_front and surface.behind is None:
            return {"commit", "cancel"} <= ways
        return "commit" in ways

    @cached_property
    def _ways(self) -> Mapping[int, frozenset[str]]:
        """Root of a surface -> how the controls on it close something."""
        result: dict[int, set[str]] = {}
        for closer in self.by_node.values():
            surface = self.on.of.get(closer.node.node)
            if surface is not None:
                result.setdefault(surface.root.node, set()).add(closer.way)
        return {root: frozenset(ways) for root, ways in result.items()}

    # ------------------------------------------------------------------ in front of a page

    def _in_front(self, surface: Surface, takers: Sequence[Node]) -> Iterator[Closer]:
        root, kind = surface.root.node, surface.kind
        if surface.behind is not None:
            yield Closer(surface.behind, root, kind, "cancel")
        if kind == "menu":
            return
        buttons = [node for node in takers if node is not surface.behind and self._is_button(node)]
        ways = {node.node: self._way(node) for node in buttons}
        for node in self._beside_negative(buttons, ways):
            ways[node.node] = "commit"
        ways |= self._alone(surface, takers, buttons, ways)
        for node in self._last_row(surface, takers, buttons):
            ways.setdefault(node.node, None)
            ways[node.node] = ways[node.node] or "other"
        for node in buttons:
            way = ways[node.node]
            if way is not None:
                yield Closer(node, root, kind, way)

    def _is_button(self, node: Node) -> bool:
        if node.editable is True or node.checkable is True or node.node in self.about.boxes:
            return False
        if node.node in self.rows.of and not self._known(node):
            return False
        kind = self.about.kinds.get(node.node)
        return self._known(node) or (kind is not None and kind.kind in ("button", "link"))

    def _known(self, node: Node) -> bool:
        name = node.id or ""
        return bool(_POSITIVE_IDS.match(name) or _NEGATIVE_IDS.match(name) or _OTHER_IDS.match(name))

    def _way(self, node: Node) -> Way | None:
        """How a button closes, by its id and its words."""
        name, says = node.id or "", self.about.phrase(node)
        if _OTHER_IDS.match(name):
            return "cancel" if says in DECLINES else "other"
        if says in DECLINES or says in _CROSSES:
            return "cancel"
        if says in AGREES:
            return "commit"
        if _POSITIVE_IDS.match(name):
            return "commit"
        return "cancel" if _NEGATIVE_IDS.match(name) else None

    def _beside_negative(self, buttons: Sequence[Node], ways: Mapping[int, Way | None]) -> Iterator[Node]:
        """The buttons of which nothing is known yet, in one row or column with a negative one."""
        negative = [node for node in buttons if ways[node.node] == "cancel" and not self.about.glyph(node)]
        for node in buttons:
            if ways[node.node] is None and any(self._paired(node, other) for other in negative):
                yield node

    def _paired(self, one: Node, other: Node) -> bool:
        """Whether two buttons stand next to or above each other, as those of a dialog do."""
        if one is other or self.about.glyph(one):
            return False
        lower, higher = sorted((size(one)[1], size(other)[1]))
        if 2 * lower < higher:
            return False
        if level(one, other):
            gap = max(one.left, other.left) - min(one.right, other.right)
            return gap <= 2 * max(size(one)[0], size(other)[0])
        if one.parent != other.parent:
            return False
        gap = max(one.top, other.top) - min(one.bottom, other.bottom)
        return gap <= lower and 2 * abs(size(one)[0] - size(other)[0]) <= max(size(one)[0], size(other)[0])

    def _alone(
        self,
        surface: Surface,
        takers: Sequence[Node],
        buttons: Sequence[Node],
        ways: Mapping[int, Way | None],
    ) -> Mapping[int, Way]:
        """The one button of a dialog: of a message it only confirms that it was read."""
        named = [node for node in buttons if not self.about.glyph(node) or self._known(node)]
        if len(named) != 1 or surface.kind not in ("dialog", "sheet"):
            return {}
        (node,) = named
        others = [one for one in takers if one is not node and one is not surface.behind]
        if any(
            one.editable is True or one.checkable is True or one.node in self.about.boxes for one in others
        ):
            return (
                {} if ways[node.node] is not None or not self._low(surface, node) else {node.node: "commit"}
            )
        asks = any(
            text.rstrip().endswith(("?", "？", "؟")) for text in (surface.title, surface.message) if text
        )
        if asks or any(one.node in self.rows.of for one in others):
            return {}
        if ways[node.node] in (None, "commit", "cancel") and self._low(surface, node):
            return {node.node: "acknowledge"}
        return {}

    def _low(self, surface: Surface, node: Node) -> bool:
        """Whether it stands in the lower half of its surface."""
        root = surface.root
        return node.top + node.bottom > root.top + root.bottom

    def _last_row(self, surface: Surface, takers: Sequence[Node], buttons: Sequence[Node]) -> Iterator[Node]:
        """Two or three buttons at the lower end of a dialog that has no other controls close it, whichever way."""
        others = {node.node for node in takers} - {node.node for node in buttons}
        if surface.behind is not None:
            others.discard(surface.behind.node)
        if surface.kind != "dialog" or others or len(buttons) not in (2, 3):
            return
        last = buttons[-1]
        if all(
            level(node, last) and words_inside(self.about, node) and self._low(surface, node)
            for node in buttons
        ):
            yield from buttons

    # ------------------------------------------------------------------ forms of pages

    def _on_page(self, surface: Surface, takers: Sequence[Node]) -> Iterator[Closer]:
        if surface.kind == "selection":
            for node in takers:
                if node.id and node.id == "action_mode_close_button":
                    yield Closer(node, surface.root.node, "selection", "cancel")
        typed = [node for node in takers if types(node) and not self.searches(node)]
        filled = [
            *typed,
            *(node for node in takers if node.checkable is True or node.node in self.about.boxes),
        ]
        buttons = [node for node in takers if self._is_button(node)]
        if not filled and surface.kind != "settings":
            # a page that shows what was changed and has a button in its bar that keeps it
            for node in buttons:
                if self.about.phrase(node) in KEEPS and in_bar(self.about, node):
                    yield Closer(node, surface.root.node, "form", "commit")
            return
        ways = {node.node: self._way(node) for node in buttons}
        negative = [node for node in buttons if ways[node.node] == "cancel" and not self.about.glyph(node)]
        commits = [node for node in buttons if ways[node.node] == "commit"]
        if typed:
            commits += [
                node
                for node in buttons
                if ways[node.node] is None and any(self._paired(node, other) for other in negative)
            ]
        if not commits and typed:
            commits = [*self._below(typed, buttons, ways), *self._sends(typed, takers)][:1]
        if not commits:
            return
        root = self._around([*filled, *commits] or commits, surface)
        for node in commits:
            yield Closer(node, root, "form", "commit")
        for node in negative:
            if any(self._paired(node, other) for other in commits):
                yield Closer(node, root, "form", "cancel")

    def searches(self, node: Node) -> bool:
        """Whether a field is one that is searched by: its id says so, or it stands alone at the top."""
        if any(name and _SEARCH_IDS.search(name) for name in (node.id, node.cls)):
            return True
        _, height = self.about.screen
        return node.bottom < height / 6 and self.about.inner_takers.get(node.node, 0) == 0

    def _below(
        self, typed: Sequence[Node], buttons: Sequence[Node], ways: Mapping[int, Way | None]
    ) -> Iterator[Node]:
        """The button below the last field of a page: about as wide or a `Button`, and the only one on its line."""
        last = max(typed, key=lambda node: node.bottom)
        wide = [
            node
            for node in buttons
            if node.top >= last.bottom
            and ways[node.node] is None
            and words_inside(self.about, node)
            and (5 * size(node)[0] >= 3 * size(last)[0] or bool(node.cls and node.cls.endswith("Button")))
            and 2 * size(node)[1] >= size(last)[1]
        ]
        if not wide:
            return
        first = min(wide, key=lambda node: node.top)
        if sum(1 for node in wide if level(node, first)) == 1:
            yield first

    def _sends(self, typed: Sequence[Node], takers: Sequence[Node]) -> Iterator[Node]:
        """The icon at the right end of the line of a filled field in the lower half: what is written goes out by it."""
        _, height = self.about.screen
        for field in typed:
            if not field.text or 2 * field.top < height:
                continue
            right = [node for node in takers if node.left >= field.right and level(node, field)]
            if right:
                yield max(right, key=lambda node: node.right)

    def _around(self, nodes: Sequence[Node], surface: Surface) -> int:
        """The innermost node around some nodes."""
        first, last = min(node.place for node in nodes), max(node.place for node in nodes)
        for outer in self.about.tree.around(nodes[0]):
            if outer.place <= first and last <= outer.end:
                return outer.node
        return surface.root.node


def types(node: Node) -> bool:
    """Whether text can be typed into it: some sources say so of texts that only show something."""
    return node.editable is True and not (
        node.cls is not None and node.cls in ("TextView", "Button", "ImageView")
    )


def in_bar(about: Outline, node: Node) -> bool:
    """Whether it stands in the bar at the top of a page."""
    if any(outer.id is not None and BARS.search(outer.id.lower()) for outer in about.tree.around(node)):
        return True
    return node.bottom <= about.screen[1] / 8


BARS: Final = re.compile(r"tool_?bar|action_?bar|app_?bar|top_?bar|title_?bar|header")
"""The ids of bars at the top."""


def words_inside(about: Outline, node: Node) -> bool:
    """Whether it shows words, not only an icon with a description."""
    return any(words_shown(one) for one in about.texts_in(node) if one.text is not None or one is node)
