"""Which controls close a dialog, sheet, form or selection, and how.

Ids of known toolkits decide first, then a few words (`vsalang.screen.forms.words`), then place: of the buttons in one
row with a negative one the others are positive; the one button below the last field of a page closes its form.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.screen.forms.outline import Outline, level, size, types, words_shown
from vsalang.screen.forms.rows import Rows
from vsalang.screen.forms.surfaces import Surface, Surfaces
from vsalang.screen.forms.words import (
    AGREES,
    CANCELS,
    DECLINES,
    DEEDS,
    GOES_ON,
    KEEPS,
    READ,
    SEARCHES,
    id_words,
    phrase,
)
from vsalang.screen.tree import Node

Way: TypeAlias = Literal["commit", "cancel", "acknowledge", "other"]
"""How a control closes: positively, negatively, as the only button of a message, or in a way that is not known."""

_LONGEST_ID: Final = 4
"""Ids of more words name what they are about, not only what they do."""
MOST: Final = 20
"""Of more buttons that leave a dialog, or fields of a page, only so many are looked at."""
_FEW: Final = 3
"""So few buttons with words are all those of a dialog."""

_ANDROID: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "button1": "commit",
        "button2": "cancel",
        "button3": "other",
        "md_buttondefaultpositive": "commit",
        "md_buttondefaultnegative": "cancel",
        "md_buttondefaultneutral": "other",
        "action_mode_close_button": "cancel",
        "touch_outside": "cancel",
    }
)
"""The ids of toolkits, folded."""
_POSITIVE: Final = frozenset(
    "ok save done confirm apply submit finish accept positive pos yes agree validate".split()
)
_NEGATIVE: Final = frozenset("cancel dismiss negative neg close later skip deny decline no".split())
_NEUTRAL: Final = frozenset({"neutral"})
_NOISE: Final = frozenset(
    "btn button bt b tv iv ib ic img image fab menu action actions dialog md mtrl alert view icon text item label id "
    "default bar toolbar".split()
)
"""Words of ids that say what kind of thing it is."""
_OBJECTS: Final = frozenset("changes change options option settings form edit edits all it now".split())
_SEARCH: Final = frozenset("search query filter find url address omnibox location".split())
_NO_SENDER: Final = frozenset(
    "clear mic voice emoji emojis attach attachment camera scan qr gallery speech audio sticker".split()
)
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
        return "commit" in ways or (not surface.in_front and "other" in ways)

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
        takers = [node for node in takers if node is not surface.behind]
        buttons = [node for node in takers if self._is_button(node)]
        ways: dict[int, Way | None] = {node.node: self._way(node) for node in buttons}
        if any(self._says_no(node) for node in buttons):
            # what the toolkit calls negative is not, where another button says that it is
            ways |= {
                node.node: "other"
                for node in buttons
                if ways[node.node] == "cancel" and not self._says_no(node) and words_inside(self.about, node)
            }
        ways |= self._paired_ways(buttons, ways, self._negatives(buttons, ways))
        ways |= self._alone(surface, takers, buttons, ways)
        for node in self._last_row(surface, takers, buttons):
            ways[node.node] = ways[node.node] or "other"
        for node in buttons:
            way = ways[node.node]
            if way is not None:
                yield Closer(node, root, kind, way)

    def _is_button(self, node: Node) -> bool:
        if node.editable is True or node.checkable is True or node.node in self.about.boxes:
            return False
        if self._by_id(node) is not None:
            return True
        if node.node in self.rows.of:
            return self.about.phrase(node) in CANCELS
        kind = self.about.kinds.get(node.node)
        return kind is not None and kind.kind in ("button", "link")

    def _by_id(self, node: Node) -> Way | None:
        """How its id says that it closes; an id that also names an object counts only where no words are shown."""
        if node.id is None:
            return None
        known = _ANDROID.get(node.id.lower())
        if known is not None:
            return known
        named = [word for word in id_words(node.id) if word not in _NOISE]
        if not named or len(named) > _LONGEST_ID:
            return None
        first, rest = named[0], set(named[1:]) - _OBJECTS
        if first == "permission" and rest & {"allow", "deny"}:
            return "commit" if "allow" in rest else "cancel"
        if rest and (len(named) > 2 or named[-1] not in _POSITIVE | _NEGATIVE) and not self.about.glyph(node):
            return None
        for word in (first, named[-1]):
            if word in _POSITIVE:
                return "commit"
            if word in _NEGATIVE:
                return "cancel"
            if word in _NEUTRAL:
                return "other"
        return None

    def _way(self, node: Node) -> Way | None:
        """How a button closes, by its words and its id."""
        by_id, text = self._by_id(node), self.about.phrase(node)
        if text in DECLINES or text in _CROSSES:
            return "cancel"
        if by_id == "other":
            return by_id
        if text in AGREES:
            return "commit"
        return by_id

    def _says_no(self, node: Node) -> bool:
        return self.about.phrase(node) in DECLINES

    def _negatives(self, buttons: Sequence[Node], ways: Mapping[int, Way | None]) -> list[Node]:
        return [node for node in buttons if ways[node.node] == "cancel"][:MOST]

    def _paired_ways(
        self, buttons: Sequence[Node], ways: Mapping[int, Way | None], negatives: Sequence[Node]
    ) -> dict[int, Way | None]:
        """The buttons of which nothing is known yet, in one row or column with a negative one, as positive ones."""
        few = sum(1 for node in buttons if words_inside(self.about, node)) <= _FEW
        return {
            node.node: "commit"
            for node in buttons
            if ways[node.node] is None and any(self._paired(node, other, few=few) for other in negatives)
        }

    def _paired(self, one: Node, other: Node, *, few: bool) -> bool:
        """Whether two buttons stand next to or above each other, as those of a dialog do.

        Args:
            few: there are no others: then they may be of different width.
        """
        if one is other or one.window != other.window or self.about.glyph(one) != self.about.glyph(other):
            return False
        (wide, high), (wide2, high2) = size(one), size(other)
        if 2 * min(high, high2) < max(high, high2):
            return False
        if level(one, other):
            gap = max(one.left, other.left) - min(one.right, other.right)
            return -2 <= gap <= (min(wide, wide2) if self.about.glyph(one) else 2 * max(wide, wide2))
        gap = max(one.top, other.top) - min(one.bottom, other.bottom)
        shared = min(one.right, other.right) - max(one.left, other.left)
        if not -high / 5 <= gap <= min(high, high2) or self.about.glyph(one):
            return False
        return 2 * shared >= (min(wide, wide2) if few else 1.6 * max(wide, wide2))

    def _alone(
        self,
        surface: Surface,
        takers: Sequence[Node],
        buttons: Sequence[Node],
        ways: Mapping[int, Way | None],
    ) -> Mapping[int, Way]:
        """The one button of a dialog: of a message it only confirms that it was read."""
        named = [node for node in buttons if not self.about.glyph(node) or ways[node.node] is not None]
        worded = [node for node in named if not self.about.glyph(node)]
        if (
            surface.kind not in ("dialog", "sheet", "payment")
            or len(worded) != 1
            or not self._low(surface, worded[0])
        ):
            return {}
        (node,) = worded
        if len(named) > 1 or surface.kind == "payment":
            # it can be left by an icon or a touch next to it: the one button with words does what it is for
            crosses = all(ways[one.node] == "cancel" for one in named if one is not node)
            return {node.node: "commit"} if ways[node.node] is None and crosses else {}
        others = [one for one in takers if one is not node]
        if any(types(one) or one.checkable is True or one.node in self.about.boxes for one in others):
            return {} if ways[node.node] is not None else {node.node: "commit"}
        asks = any(
            text.rstrip().endswith(("?", "？", "؟"))
            for text in (surface.title, surface.message)
            if text is not None
        )
        if asks or any(one.node in self.rows.of for one in others) or len(others) > 1:
            return {}
        if self.about.phrase(node) in READ:
            return {node.node: "acknowledge"}
        return {node.node: "commit"} if ways[node.node] is None else {}

    def _low(self, surface: Surface, node: Node) -> bool:
        """Whether it stands in the lower half of its surface."""
        root = surface.root
        return node.top + node.bottom > root.top + root.bottom

    def _last_row(self, surface: Surface, takers: Sequence[Node], buttons: Sequence[Node]) -> Iterator[Node]:
        """Two or three buttons at the lower end of a dialog that has no other controls close it, whichever way."""
        others = {node.node for node in takers} - {node.node for node in buttons}
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
                if node.id == "action_mode_close_button":
                    yield Closer(node, surface.root.node, "selection", "cancel")
        typed = [node for node in takers if types(node) and not self.searches(node)]
        filled = [
            *typed,
            *(node for node in takers if node.checkable is True or node.node in self.about.boxes),
        ]
        buttons = [node for node in takers if self._is_button(node)]
        # on a page only what says "Cancel" is a way out of a form: "Later" and "Close" may be anything there
        negatives = [node for node in buttons if self.about.phrase(node) in CANCELS][:MOST]
        ways: dict[int, Way | None] = {node.node: self._way(node) for node in buttons}
        ways |= self._paired_ways(buttons, ways, negatives)
        if filled or surface.kind == "settings":
            commits = [node for node in buttons if ways[node.node] == "commit"]
        else:
            # what was changed is kept by a button in the bar, or something is asked of which one can only leave
            commits = [
                node
                for node in buttons
                if (self.about.phrase(node) in KEEPS and in_bar(self.about, node))
                or (
                    ways[node.node] == "commit"
                    and any(self._paired(node, one, few=True) for one in negatives)
                )
            ]
        if not commits:
            agreed = [
                node
                for node in filled
                if node.cls is not None and node.cls.endswith("CheckBox") and node.node not in self.rows.of
            ]
            ticked = self._ticked(surface, filled)
            below = (
                self._below(typed or agreed, buttons, ways)
                if typed or (surface.kind == "page" and len(agreed) in (1, 2))
                else self._below(ticked, [node for node in buttons if self.about.phrase(node) in DEEDS], ways)
                if ticked
                else ()
            )
            commits = [*below, *self._sends(typed, takers)][:1]
        if not commits:
            return
        root = self._around([*filled, *commits], surface) if filled else surface.root.node
        for node in commits:
            yield Closer(node, root, "form", "other" if self.about.phrase(node) in GOES_ON else "commit")
        for node in negatives:
            if any(self._paired(node, other, few=True) for other in commits[:MOST]):
                yield Closer(node, root, "form", "cancel")

    def _ticked(self, surface: Surface, filled: Sequence[Node]) -> Sequence[Node]:
        """The boxes of a page that has several and no other field: what is picked there."""
        boxes = [node for node in filled if node.cls is not None and node.cls.endswith("CheckBox")]
        return boxes if surface.kind == "page" and len(boxes) == len(filled) > 1 else ()

    def searches(self, node: Node) -> bool:
        """Whether a field is one that is searched by: its id says so, or it stands alone at the top."""
        if any(word in _SEARCH for word in id_words(node.id or "")):
            return True
        if node.cls is not None and "Search" in node.cls:
            return True
        if phrase(node.hint or node.text).partition(" ")[0] in SEARCHES:
            return True
        return node.bottom < self.about.screen[1] / 8

    def _below(
        self, typed: Sequence[Node], buttons: Sequence[Node], ways: Mapping[int, Way | None]
    ) -> Iterator[Node]:
        """The button below the last field of a page: about as wide or a `Button`, and the only one on its line."""
        last = max(typed, key=lambda node: node.bottom)
        wide = [
            node
            for node in buttons
            if node.top >= last.bottom
            and node.window == last.window
            and _web(self.about, node) == _web(self.about, last)
            and ways[node.node] is None
            and self.about.kinds[node.node].kind == "button"
            and words_inside(self.about, node)
            and (5 * size(node)[0] >= 3 * size(last)[0] or bool(node.cls and node.cls.endswith("Button")))
            and size(last)[1] <= 2 * size(node)[1] <= 6 * size(last)[1]
        ]
        if not wide:
            return
        widest = max(size(node)[0] for node in wide)
        first = min((node for node in wide if 5 * size(node)[0] >= 4 * widest), key=lambda node: node.top)
        if sum(1 for node in wide if level(node, first)) == 1:
            yield first

    def _sends(self, typed: Sequence[Node], takers: Sequence[Node]) -> Iterator[Node]:
        """What sends a filled field: what is called so, or in the lower half the icon at the right end of its line."""
        filled = [node for node in typed[-MOST:] if node.text]
        named = [node for node in takers if not types(node) and "send" in id_words(node.id or "")]
        if filled and len(named) == 1:
            yield from named
            return
        for field in filled:
            if 2 * field.top < self.about.screen[1]:
                continue
            right = [
                node
                for node in takers
                if node.left >= field.right - 2
                and level(node, field)
                and not _NO_SENDER & set(id_words(node.id or ""))
            ]
            if right:
                last = max(right, key=lambda node: node.right)
                if self.about.phrase(last) not in DECLINES:
                    yield last

    def _around(self, nodes: Sequence[Node], surface: Surface) -> int:
        """The innermost node around some nodes."""
        first, last = min(node.place for node in nodes), max(node.place for node in nodes)
        for outer in self.about.tree.around(nodes[0]):
            if outer.place <= first and last <= outer.end:
                return outer.node
        return surface.root.node


def in_bar(about: Outline, node: Node) -> bool:
    """Whether it stands in the bar at the top of a page."""
    if any(outer.id is not None and BARS.search(outer.id.lower()) for outer in about.tree.around(node)):
        return True
    return node.bottom <= about.screen[1] / 8


BARS: Final = re.compile(r"tool_?bar|action_?bar|app_?bar|top_?bar|title_?bar|header")
"""The ids of bars at the top."""


def words_inside(about: Outline, node: Node) -> bool:
    """Whether it shows words, not only an icon; toolkits that draw themselves only describe theirs."""
    drawn = node.cls is None or not node.cls.startswith("Image")
    return any(
        words_shown(one) for one in about.texts_in(node) if one.text is not None or (one is node and drawn)
    )


def _web(about: Outline, node: Node) -> int | None:
    """The number of the web page in which it lies."""
    return next((outer.node for outer in about.tree.around(node) if outer.cls == "WebView"), None)
