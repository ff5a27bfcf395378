"""What each control is to the page or dialog on which it stands: one role, or none where nothing tells it."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final, Literal, TypeAlias

from vsalang.screen.control.relevance import holds_rows
from vsalang.screen.forms.closing import BARS, Closings
from vsalang.screen.forms.outline import Outline, level, size, types, words_shown
from vsalang.screen.forms.rows import Rows
from vsalang.screen.forms.surfaces import CELL_OF_TIME, Surface, Surfaces
from vsalang.screen.forms.words import BACK, DECLINES, DEEDS, id_words
from vsalang.screen.tree import Node

Role: TypeAlias = Literal[
    "commit",
    "cancel",
    "acknowledge",
    "tab",
    "row",
    "setting",
    "switch",
    "choice",
    "box",
    "field",
    "menu_item",
    "back",
    "key",
    "icon",
    "button",
    "link",
    "card",
    "chip",
]
"""What a control is to what is around it."""

_SWITCHES: Final = re.compile(r"(Switch|SwitchCompat|ToggleButton|SwitchMaterial)$")
_KEY_IDS: Final = re.compile(
    r"^(key|digit|num|number|btn|button|dialpad|pad|calc|op)_?(pad_?)?([0-9]|key)(_|$)|^(one|two|three|four|five|six|seven|eight|nine|zero|star|pound)$"
)
_BACK_IDS: Final = re.compile(
    r"^((btn|button|iv|img|ic|action|toolbar|nav|ib)_?)?(back|up|home_as_up|navigate_up)(_?(btn|button|icon|arrow|view))?$",
    re.IGNORECASE,
)
_TAB_IDS: Final = re.compile(
    r"^(tab|nav|bottom_nav)_?item(_(label|icon|title|text|holder|view|layout))?$|^tab_(label|title|text|icon)$"
)
_TEXT_IDS: Final = re.compile(
    r"(^|_)(title|subtitle|label|text|name|number|value|summary|description|details?|path|size|date|duration|cnt|count|textview)(_?\d)?$"
)
"""The ids of texts of a row, which do what the row does."""
_CHIPS: Final = re.compile(r"(^|_)chip(s)?(_|$)")
_CHIPS_LEAST: Final = 3
_CHIP_LONGEST: Final = 24
"""So many equal words at least, and of so many characters at most."""
_PAD: Final = 9
"""So many keys of one or two characters are a pad to dial or count with."""
_SIGNS: Final = 2
"""Keys with more signs may send what was typed, or hide the keyboard."""
_TABS: Final = (3, 6)
"""So few and so many equal items in a line across the screen are tabs."""
_MOST: Final = 50
"""So many texts of the bar at the top are looked at."""
_ICON: Final = 0.2
"""An icon is not wider than this part of the screen."""


class Roles:
    """The roles of the controls of a screen.

    Args:
        about: the outline of the tree.
        on: its surfaces.
        rows: its rows.
        closings: what closes what.
    """

    def __init__(self, about: Outline, on: Surfaces, rows: Rows, closings: Closings) -> None:
        self.about = about
        self.on = on
        self.rows = rows
        self.closings = closings

    @cached_property
    def of(self) -> Mapping[int, Role]:
        """Control -> its role; no entry where the structure does not tell. A box in a row has that of the row."""
        result: dict[int, Role] = {}
        for node in self.about.takers:
            surface = self.on.of.get(node.node)
            role = None if surface is None else self._role(node, surface)
            if role is not None:
                result[node.node] = role
                box = self.about.boxes.get(node.node)
                if box is not None and role in ("switch", "choice", "box"):
                    result[box.node] = role
        return result

    def _role(self, node: Node, surface: Surface) -> Role | None:
        return next((role for judge in self._judges if (role := judge(node, surface)) is not None), None)

    @cached_property
    def _judges(self) -> tuple[Callable[[Node, Surface], Role | None], ...]:
        return (
            self._typing,
            self._closing,
            self._state,
            self._across,
            self._in_menu,
            self._going_back,
            self._in_list,
            self._alone,
        )

    def _typing(self, node: Node, surface: Surface) -> Role | None:
        if node.node in self._keys:
            return "key"
        if surface.kind == "keyboard":
            return "key" if 0 < len(self.about.label(node)) <= _SIGNS else None
        return "field" if types(node) else None

    def _closing(self, node: Node, surface: Surface) -> Role | None:
        closer = self.closings.by_node.get(node.node)
        if closer is None:
            return None
        return "button" if closer.way == "other" else closer.way

    def _state(self, node: Node, surface: Surface) -> Role | None:
        """Switches, boxes and radio buttons: what they do depends on whether a control sends them."""
        in_picker = surface.kind == "picker" and self.closings.sent(surface)
        if in_picker and (node.node in self._cells or CELL_OF_TIME.fullmatch(self.about.label(node).strip())):
            return "box"
        kind = self.about.kinds.get(node.node)
        if kind is None or kind.kind not in ("toggle", "choice"):
            return None
        box = self.about.boxes.get(node.node, node)
        if box.checkable is not True:
            return "chip" if node.id and _CHIPS.search(node.id.lower()) else None
        if surface.kind == "selection":
            return "box"
        if self.closings.sent(surface, choice=kind.kind == "choice") and not self._ticks_off(node, surface):
            return "box"
        if kind.kind == "choice" or (surface.in_front and self._one_of_some(box)):
            return "choice"
        return "switch"

    def _ticks_off(self, node: Node, surface: Surface) -> bool:
        """Whether it is a box of a row on a page on which something is typed, too: a list with a line to add to it."""
        row = self.rows.of.get(node.node)
        if row is None or surface.in_front or surface.root.node not in self._typed_on:
            return False
        return (
            holds_rows(self.about.tree.by_number[row.node.parent or 0])
            or self._ticked_rows[row.node.parent] > 2
        )

    @cached_property
    def _ticked_rows(self) -> Mapping[int | None, int]:
        """What holds rows -> how many of them have a box."""
        boxed = {
            self.rows.of[node.node].node.node: self.rows.of[node.node].node.parent
            for node in self.about.takers
            if node.node in self.rows.of and (node.checkable is True or node.node in self.about.boxes)
        }
        return Counter(boxed.values())

    @cached_property
    def _typed_on(self) -> frozenset[int]:
        """The surfaces on which text can be typed."""
        fields = (self.on.of.get(node.node) for node in self.about.takers if types(node))
        return frozenset(surface.root.node for surface in fields if surface is not None)

    def _one_of_some(self, box: Node) -> bool:
        """Whether just one of the boxes next to it is ticked, as of radio buttons."""
        parent = box.parent
        siblings = self.about.tree.children.get(parent, ())
        boxes = [one for one in siblings if one.checkable is True]
        return len(boxes) > 1 and sum(1 for one in boxes if one.checked) == 1

    def _across(self, node: Node, surface: Surface) -> Role | None:
        if node.node in self._bars or (node.id is not None and _TAB_IDS.match(node.id.lower())):
            return "tab"
        kind = self.about.kinds.get(node.node)
        if kind is None or kind.kind != "tab" or surface.kind in ("menu", "selection"):
            return None
        if not kind.why[-1].endswith("is selected"):
            return "tab"
        # of some that stand in a line one is selected: at the edges of a page tabs, within a page what is chosen
        height = self.about.screen[1]
        if self.about.label(node) and (node.top < 0.3 * height or node.top >= 0.8 * height):
            return "tab"
        return "choice" if surface.kind == "settings" else None

    def _in_menu(self, node: Node, surface: Surface) -> Role | None:
        if surface.kind == "menu" and node is not surface.behind and self.about.label(node):
            return "menu_item"
        return None

    def _going_back(self, node: Node, surface: Surface) -> Role | None:
        if surface.kind in ("system", "home", "keyboard"):
            return None
        small = size(node)[0] <= _ICON * self.about.screen[0]
        if node.id and _BACK_IDS.match(node.id):
            return "back"
        if self.about.phrase(node) in BACK and (
            self._is_first(node, surface) or ((small or self.about.glyph(node)) and self._at_top(node))
        ):
            return "back"
        closes = not self.about.label(node) or self.about.phrase(node) in DECLINES
        if small and closes and self._at_corner(node, surface):
            return "back"
        return None

    def _is_first(self, node: Node, surface: Surface) -> bool:
        """Whether nothing on its page takes touches or says something before it."""
        return self._firsts.get(surface.root.node) is node

    @cached_property
    def _firsts(self) -> Mapping[int, Node]:
        """Root of a surface -> the first node on it that takes touches or says something."""
        result: dict[int, Node] = {}
        for node in self.about.tree.nodes:
            surface = self.on.of.get(node.node)
            if surface is None or surface.root.node in result:
                continue
            if self.about.taker_of.get(node.node) == node.node or node.text is not None:
                result[surface.root.node] = node
        return result

    def _at_top(self, node: Node) -> bool:
        return node.top < self.about.screen[1] / 5

    def _at_corner(self, node: Node, surface: Surface) -> bool:
        """Whether it is the first icon of the bar at the top, at its left."""
        width, height = self.about.screen
        if surface.root.left > 0 or node.left > width / 12 or node.bottom > height / 6:
            return False
        wide, high = size(node)
        return 2 * min(wide, high) >= max(wide, high) and any(
            other.left >= node.right and level(node, other) for other in self._titles
        )

    @cached_property
    def _titles(self) -> list[Node]:
        height = self.about.screen[1]
        return [
            node
            for node in self.about.tree.nodes
            if node.bottom <= height / 6 and node.text is not None and words_shown(node)
        ][:_MOST]

    def _in_list(self, node: Node, surface: Surface) -> Role | None:
        row = self.rows.of.get(node.node)
        if row is None:
            return "setting" if surface.kind == "settings" and self._is_setting(node) else None
        whole = row.node is node or (
            self.about.taker_of.get(row.node.node) != row.node.node
            and not self._is_icon(node)
            and (
                row.split
                or self.about.inner_takers.get(row.node.node) == 1
                or (node.id is not None and _TEXT_IDS.search(node.id.lower()) is not None)
            )
        )
        if surface.kind == "settings" and (whole or self._is_setting(node)):
            return "setting"
        entry = surface.kind in ("sheet", "dialog") and whole and not row.detail
        if entry and not self.closings.sent(surface):
            return "menu_item"
        return "row" if whole else None

    def _is_setting(self, node: Node) -> bool:
        """Whether it is as wide as the page below its bar, and says something."""
        width, _ = self.about.screen
        return bool(self.about.label(node)) and size(node)[0] >= 0.8 * width and not self._at_top_bar(node)

    def _at_top_bar(self, node: Node) -> bool:
        return any(
            outer.id is not None and ("toolbar" in outer.id or outer.id == "action_bar")
            for outer in self.about.tree.around(node)
        )

    def _is_icon(self, node: Node) -> bool:
        if not self.about.glyph(node) or size(node)[0] > _ICON * self.about.screen[0]:
            return False
        return not self.about.inner_takers.get(node.node)

    def _alone(self, node: Node, surface: Surface) -> Role | None:
        kind = self.about.kinds.get(node.node)
        if kind is None or kind.kind in ("slider", "scroller"):
            return None
        if (
            node is surface.root
            or node.cls == "WebView"
            or node.node in self.about.grounds
            or self._is_bar(node)
        ):
            return None
        if (node.id and _CHIPS.search(node.id.lower())) or (node.cls and node.cls.endswith("Chip")):
            return "chip"
        if node.node in self._choices:
            return "chip"
        if self._is_icon(node):
            return "icon"
        if not self.about.label(node):
            return None
        web = any(outer.cls == "WebView" for outer in self.about.tree.around(node))
        visible = [one for one in self.about.texts_in(node) if words_shown(one)]
        texts = sum(1 for one in visible if one.text is not None)
        if texts == 0 and visible:  # toolkits that draw themselves describe a card line by line
            texts = len([line for line in (visible[0].desc or "").splitlines() if line.strip()])
        high = size(node)[1]
        if texts >= 2 and 25 * high >= self.about.screen[1]:
            return "card"
        if web and kind.kind == "link":
            return "link"
        return "button"

    def _is_bar(self, node: Node) -> bool:
        """Whether it only holds buttons: some toolbars take touches themselves."""
        return bool(self.about.inner_takers.get(node.node) and node.id and BARS.search(node.id.lower()))

    # ------------------------------------------------------------------ bars and pads

    @cached_property
    def _bars(self) -> frozenset[int]:
        """The items of bars: some equal ones in a line over the whole width, at the lower end of a page."""
        result: set[int] = set()
        width, height = self.about.screen
        for siblings in self._siblings():
            taking = [node for node in siblings if node.editable is not True and node.checkable is not True]
            for line in _lines(taking):
                low = min(node.top for node in line) >= 0.8 * height
                across = line[-1].right - line[0].left >= 0.8 * width or self._spans(line[0])
                alike = max(size(node)[0] for node in line) <= 1.25 * min(size(node)[0] for node in line)
                named = all(self.about.label(node) or node.id for node in line)
                marked = any(node.selected for node in line)
                does = not marked and any(self._does_something(node) for node in line)
                if _TABS[0] <= len(line) <= _TABS[1] and low and across and alike and named and not does:
                    result |= {
                        node.node for node in line if node.node not in self._keys and not self._closes(node)
                    }
        return frozenset(result)

    @cached_property
    def _choices(self) -> frozenset[int]:
        """Some equal words next to each other on a page, of which none is known to do something: chips, by place."""
        result: set[int] = set()
        for siblings in self._siblings():
            for line in _lines(siblings):
                if len(line) < _CHIPS_LEAST or not all(self._is_choice(node) for node in line):
                    continue
                heights = [size(node)[1] for node in line]
                drawn = all(self.about.glyph(node) for node in line)
                acting = any(self._does_something(node) or self._closes(node) for node in line)
                if not (drawn or acting) and max(heights) <= 1.2 * min(heights):
                    result |= {node.node for node in line}
        return frozenset(result)

    def _is_choice(self, node: Node) -> bool:
        surface = self.on.of.get(node.node)
        label = self.about.label(node)
        return (
            surface is not None
            and surface.kind == "page"
            and node.editable is not True
            and node.checkable is not True
            and 0 < len(label) <= _CHIP_LONGEST
            and any(char.isalnum() for char in label)
            and not (node.cls is not None and node.cls.startswith("Image"))
            and node.node not in self._bars
            and node.node not in self.rows.of
            and 3 * size(node)[1] < self.about.screen[1]
        )

    def _does_something(self, node: Node) -> bool:
        """Whether its words or its id name a deed, so that its bar has buttons, not tabs."""
        return self.about.phrase(node) in DEEDS or any(word in DEEDS for word in id_words(node.id or ""))

    def _spans(self, node: Node) -> bool:
        """Whether what it hangs in, or that in turn, is a bar over the whole width."""
        width, height = self.about.screen
        for outer, _ in zip(self.about.tree.around(node), range(3), strict=False):
            wide, high = size(outer)
            if wide >= 0.95 * width and 5 * high <= height:
                return True
        return False

    def _closes(self, node: Node) -> bool:
        return node.node in self.closings.by_node

    def _siblings(self) -> list[list[Node]]:
        """Takers that hang in one node, or in nodes next to each other without more takers."""
        by_parent: dict[int, list[Node]] = {}
        for node in self.about.takers:
            holder = node
            while holder.parent is not None and self.about.inner_takers.get(holder.parent) == 1:
                holder = self.about.tree.by_number[holder.parent]
            if holder.parent is not None:
                by_parent.setdefault(holder.parent, []).append(node)
        return list(by_parent.values())

    @cached_property
    def _cells(self) -> frozenset[int]:
        """The days, hours and colours of pickers: many of one class in one node."""
        groups: dict[tuple[int | None, str | None], list[Node]] = {}
        for node in self.about.takers:
            groups.setdefault((node.parent, node.cls), []).append(node)
        return frozenset(node.node for group in groups.values() if len(group) >= _PAD for node in group)

    @cached_property
    def _keys(self) -> frozenset[int]:
        """The keys of pads to dial, to count, or to type a code: many small ones, each with a sign or two.

        What closes a dialog is not one of them, though its label is short and its id has a number ("OK", `button1`).
        """
        result: set[int] = set()
        groups: dict[tuple[str | None, int, int], list[Node]] = {}
        for node in self.about.takers:
            first = next((self.about.texts[one.node] for one in self.about.texts_in(node)), "")
            if node.editable is not True and len(first) <= 2 and first:
                groups.setdefault((node.cls, size(node)[0] // 8, size(node)[1] // 8), []).append(node)
        for group in groups.values():
            digits = {self.about.label(node)[:1] for node in group}
            if len(group) >= _PAD and sum(1 for digit in digits if digit.isdigit()) >= _PAD:
                result |= {node.node for node in group}
        for node in self.about.takers:
            if node.id and _KEY_IDS.match(node.id.lower()) and len(self.about.label(node)) <= 2 and result:
                result.add(node.node)
        return frozenset(number for number in result if number not in self.closings.by_node)


def _lines(nodes: list[Node]) -> list[list[Node]]:
    """Nodes in lines, those of a line from left to right."""
    lines: list[list[Node]] = []
    for node in sorted(nodes, key=lambda node: (node.top, node.left)):
        if lines and level(lines[-1][0], node):
            lines[-1].append(node)
        else:
            lines.append([node])
    return [sorted(line, key=lambda node: node.left) for line in lines]
