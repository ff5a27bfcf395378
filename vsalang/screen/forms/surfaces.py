"""Finds the surfaces of a screen: pages, and what stands in front of them, as dialogs, sheets and menus do.

A surface is a node with what is inside it; a node lies on the innermost surface around it. What stands in front is told
by the ids of known toolkits, by the window (it is smaller than the screen), or by what is dimmed behind it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.program.readers import ISO_4217
from vsalang.screen.control.relevance import holds_rows
from vsalang.screen.forms.heading import heading
from vsalang.screen.forms.outline import Outline, outline, size, types, words_shown
from vsalang.screen.forms.words import CANCELS, COUNTED, DECLINES, EVERY, SCRIM, SETTINGS, phrase
from vsalang.screen.tree import Node, Tree, Window
from vsalang.screen.tree.hit import is_keyboard

Kind: TypeAlias = Literal[
    "dialog",
    "sheet",
    "menu",
    "page",
    "settings",
    "picker",
    "permission",
    "share",
    "payment",
    "selection",
    "keyboard",
    "system",
    "home",
]
"""What a surface is."""

IN_FRONT: Final = frozenset({"dialog", "sheet", "menu", "picker", "permission", "share", "payment"})
"""Kinds of surfaces that stand in front of a page, and that a touch can close."""

_DIALOG_IDS: Final = re.compile(
    r"^(parentpanel|alert_?dialog\w*|dialog(_?(root|container|layout|view|content|window|box|holder))?|md_?(root|dialog)\w*|buttonpanel)$"
)
_SHEET_IDS: Final = re.compile(
    r"^(design_bottom_sheet|bottom_?sheet(_?(container|root|layout|view|dialog))?)$"
)
_DIALOG_CLASSES: Final = re.compile(r"(^|[a-z])(Alert)?Dialog(Layout|View)?$|^AlertDialog$|^Dialog$")
_SCRIM_IDS: Final = re.compile(r"(^|_)(touch_outside|scrim|overlay|backdrop|dim(mer)?|mask)(_|$)")
_PICKER_IDS: Final = re.compile(
    r"^(date_?picker\w*|time_?picker\w*|datepicker|timepicker|mtrl_(calendar|picker)\w*|month_view|radial_picker|color_?picker\w*|number_?picker\w*|calendar_view)$",
    re.IGNORECASE,
)
_PICKER_CLASSES: Final = re.compile(
    r"(DatePicker|TimePicker|NumberPicker|RadialTimePickerView|ColorPicker\w*)$"
)
_PERMISSION_IDS: Final = re.compile(
    r"^(permission_(allow|deny|message|location|icon)\w*|grant_dialog|grant_singleton)$"
)
_SHARE_IDS: Final = re.compile(
    r"^(resolver_list|chooser_\w+|resolver_\w+|button_always|button_once|sem_chooser\w*)$"
)
_PAY_IDS: Final = re.compile(
    r"(^|_)(payment|checkout|purchase|billing|wallet)(_?sheet|_dialog|_container|_root)?(_|$)"
)
_BUTTONS: Final = frozenset({"button1", "button2", "button3"})
_BARS: Final = frozenset({"toolbar", "action_bar"})
_MENU_PARTS: Final = frozenset(
    {"title", "submenuarrow", "shortcut", "content", "icon", "group_divider", "checkbox", "radio"}
)
_ACTION_MODE: Final = re.compile(
    r"^(action_mode_(bar|close_button|bar_stub)|action_context_bar|selection_(toolbar|bar|mode)\w*)$"
)
_SETTING_IDS: Final = re.compile(r"(^|_)(settings?|preferences?|prefs?)(_|$)")
_SETTING_ROWS: Final = frozenset({"switch_widget", "switchWidget", "widget_frame"})

_SYSTEM: Final = frozenset({"com.android.systemui"})
_HOME: Final = re.compile(
    r"\.(launcher\d*|nexuslauncher|trebuchet|quickstep)(\.|$)|^com\.miui\.home$", re.IGNORECASE
)
_HOME_IDS: Final = re.compile(r"^(workspace|hotseat|apps_view|drag_layer|overview_panel)$")
_PERMISSIONS: Final = re.compile(
    r"^com\.(?:(?:google\.|samsung\.)?android|miui)\.(?:permissioncontroller|packageinstaller)$"
)
_SHARES: Final = frozenset({"com.android.intentresolver"})
_PICKERS: Final = re.compile(r"documentsui|photopicker|providers\.media\.module|filepicker")
_PAYMENTS: Final = re.compile(
    r"^com\.(android\.vending|google\.android\.gms|samsung\.android\.spay)|wallet|billing"
)
_SETTINGS_APPS: Final = re.compile(r"(^|\.)(settings|permissioncontroller)(\.|$)")

_FULL: Final = 0.9
"""What covers at least this part of the screen's width or height is as wide or high as the screen."""
_LOW: Final = 0.97
"""What ends below this part of its height stands at the lower edge."""
_TALL: Final = 0.85
"""What covers at least this part of its height is as high: bars of the system may lie above and below."""
_ASIDE: Final = 0.06
"""What stands free leaves at least this part of the height of the screen above it."""
_PART: Final = 0.94
"""What is wider than this part of the screen leaves no margin at its sides."""
MOST: Final = 20
"""So many things at most are taken to stand in front in one window."""
_LEAST_ROWS: Final = 3


@dataclass(frozen=True, slots=True)
class Surface:
    """A surface of a screen.

    Attributes:
        kind: what it is.
        root: the node that holds it.
        first, last: the places of its first and last node: also where `root` only stands in front of what follows it.
        title: what it is called; None: nothing that shows says so.
        message: what it says below its title, in front of its controls; None: nothing.
        behind: the dimmed node behind it, a tap on which closes it; None: there is none.
    """

    kind: Kind
    root: Node
    first: int
    last: int
    title: str | None = None
    message: str | None = None
    behind: Node | None = None

    @property
    def in_front(self) -> bool:
        """Whether it stands in front of a page."""
        return self.kind in IN_FRONT

    def holds(self, node: Node) -> bool:
        """Whether a node lies inside, also on a surface of its own."""
        return self.root.window == node.window and self.first <= node.place <= self.last


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of the tree that is a surface, before it is known of which kind."""

    root: Node
    first: int
    last: int
    behind: Node | None = None
    stands_free: bool = False

    @property
    def in_front(self) -> bool:
        """Whether it stands in front of a page."""
        return self.stands_free or self.root.parent is not None


class Surfaces:
    """The surfaces of a tree.

    Args:
        about: its outline.
    """

    def __init__(self, about: Outline) -> None:
        self.about = about
        self.tree = about.tree

    @cached_property
    def all(self) -> tuple[Surface, ...]:
        """All surfaces, outer ones before those inside of them."""
        regions = list(self._regions())
        return tuple(self._surface(region, regions) for region in regions)

    @cached_property
    def of(self) -> Mapping[int, Surface]:
        """Node -> the innermost surface on which it lies."""
        result: dict[int, Surface] = {}
        for surface in self.all:
            for node in self.nodes_in(surface):
                result[node.node] = surface
        return result

    def nodes_in(self, surface: Surface | _Region) -> Sequence[Node]:
        """The nodes of a surface, also those on surfaces inside of it."""
        return between(self.tree, surface.first, surface.last)

    def _regions(self) -> Iterator[_Region]:
        """The windows, and what stands in front in them, each once."""
        for root in self.tree.children.get(None, ()):
            free = self._stands_free(root) or self._holds_all(root)
            yield _Region(root, root.place, root.end, stands_free=free)
            if free:
                continue
            ended = count = 0
            for node in self.tree.inside(root):
                if node.place <= ended:
                    continue
                region = self._in_front(node)
                if region is not None and region.first != root.place:
                    ended = region.last
                    count += 1
                    yield region
                if count >= MOST:
                    break

    def _in_front(self, node: Node) -> _Region | None:
        """The region in front of a page that begins with this node."""
        if _is_marked(node.id, node.cls) and self.about.inner_takers.get(node.node):
            return _Region(node, node.place, node.end, behind=self._outside(node))
        if node.node in self.about.touched and self._covers(node):
            return self._before_scrim(node)
        return None

    def _outside(self, node: Node) -> Node | None:
        """What covers the screen behind a sheet or dialog, next to it, and takes touches."""
        for one in self.tree.children.get(node.parent, ()):
            if (
                one.place < node.place
                and one.node in self.about.touched
                and (self._covers(one) or (one.id is not None and _SCRIM_IDS.search(one.id.lower())))
                and not self.about.inner_takers.get(one.node)
            ):
                return one
        return None

    def _before_scrim(self, scrim: Node) -> _Region | None:
        """What stands in front of a node that covers the screen and takes touches; None: it is none."""
        inside = self.about.inner_takers.get(scrim.node, 0)
        if inside:
            box = self._one_box(scrim)
            return None if box is None else _Region(box, box.place, box.end, behind=scrim)
        name = f"{scrim.id or ''}".lower()
        says = self.about.phrase(scrim)
        if says and says not in SCRIM:
            return None
        siblings = self.tree.children.get(scrim.parent, ())
        after = [node for node in siblings if node.place > scrim.end]
        holding = [node for node in after if takes_inside(self.about, node)]
        if not holding:
            return None
        if not says and not _SCRIM_IDS.search(name) and not self._is_left(holding):
            return None  # a map or a film takes touches and says nothing, too
        if len(holding) == 1:
            return _Region(holding[0], holding[0].place, holding[0].end, behind=scrim)
        return _Region(scrim, scrim.place, max(node.end for node in after), behind=scrim)

    def _is_left(self, holding: Sequence[Node]) -> bool:
        """Whether it is one box that leaves a part of the screen free, with a button that says that it closes it."""
        return (
            len(holding) == 1
            and self._apart(holding[0])
            and any(
                self._is_taker(one) and not self.about.glyph(one) and self.about.phrase(one) in DECLINES
                for one in self.tree.inside(holding[0])
            )
        )

    def _one_box(self, scrim: Node) -> Node | None:
        """The one thing in a node around all that takes touches and that does not fill the screen."""
        node = scrim
        while True:
            holding = [
                child for child in self.tree.children.get(node.node, ()) if takes_inside(self.about, child)
            ]
            if len(holding) != 1:
                return None
            (node,) = holding
            if not self._covers(node):
                return node if self._apart(node) else None
            if node.node in self.about.touched:
                return None

    def _apart(self, node: Node) -> bool:
        """Whether it leaves a part of the screen free, as what stands in front does: above it, and not for a bar."""
        width, height = self.about.screen
        return (
            node.top > 2 * _ASIDE * height and size(node)[1] > _ASIDE * height and size(node)[0] > width / 3
        )

    def _covers(self, node: Node) -> bool:
        width, height = self.about.screen
        wide, high = size(node)
        return wide >= _FULL * width and high >= _TALL * height

    def _stands_free(self, root: Node) -> bool:
        """Whether a window leaves free some of the screen on more than one side."""
        width, height = self.about.screen
        aside = root.left > 0 or root.right < _PART * width
        upright = root.top > _ASIDE * height
        if is_keyboard(self._window(root)):
            return False
        return (aside and (root.top > 0 or root.bottom < _FULL * height)) or (
            upright and size(root)[1] > 3 * _ASIDE * height
        )

    def _window(self, root: Node) -> Window:
        return self._windows[root.window]

    @cached_property
    def _windows(self) -> Mapping[int, Window]:
        return {window.window: window for window in self.tree.windows}

    # ------------------------------------------------------------------ what it is

    def _surface(self, region: _Region, regions: Sequence[_Region]) -> Surface:
        nodes = self.nodes_in(region)
        if region.root.parent is None:
            inner = [one for one in regions if one is not region and one.root.window == region.root.window]
            if inner:
                nodes = [
                    node for node in nodes if not any(one.first <= node.place <= one.last for one in inner)
                ]
        title, message = heading(self.about, nodes, in_front=region.in_front)
        kind = self._kind(region, nodes, title)
        if kind not in IN_FRONT:
            message = None
        return Surface(kind, region.root, region.first, region.last, title, message, region.behind)

    def _kind(self, region: _Region, nodes: Sequence[Node], title: str | None) -> Kind:
        window = self._window(region.root)
        package = region.root.package or window.package or ""
        ids = {node.id for node in nodes if node.id}
        free = region.in_front
        if is_keyboard(window):
            return "keyboard"
        if package in _SYSTEM or (window.kind not in (None, "application") and not region.stands_free):
            return "system"
        if any(_PERMISSION_IDS.match(name) for name in ids) or (free and _PERMISSIONS.match(package)):
            return "permission"
        if package in _SHARES or any(_SHARE_IDS.match(name) for name in ids):
            return "share"
        if _HOME.search(package) or any(_HOME_IDS.match(name) for name in ids):
            return "home" if not free else self._kind_in_front(region, nodes, ids, package)
        if _PICKERS.search(package) and not free:
            return "picker"
        if free:
            return self._kind_in_front(region, nodes, ids, package)
        if ids & _POPUP and self._is_menu(nodes, ids):
            return "menu"
        if self._is_selection(nodes, ids):
            return "selection"
        return "settings" if self._is_settings(nodes, ids, package, title) else "page"

    def _holds_all(self, root: Node) -> bool:
        """Whether a window is a dialog as a whole: all that takes touches lies in what its ids call one."""
        nodes = self.tree.inside(root)
        for node in nodes:
            if node.id and _DIALOG_IDS.match(node.id.lower()):
                taking = self.about.inner_takers.get
                return taking(node.node, 0) == taking(root.node, 0) > 0 and not self._is_taker(root)
        ids = {node.id for node in nodes}
        return bool(ids & _BUTTONS) and not ids & _BARS

    def _is_taker(self, node: Node) -> bool:
        return self.about.taker_of.get(node.node) == node.node

    def _kind_in_front(self, region: _Region, nodes: Sequence[Node], ids: set[str], package: str) -> Kind:
        if any(_PICKER_IDS.match(name) for name in ids) or any(
            node.cls and _PICKER_CLASSES.search(node.cls) for node in nodes
        ):
            return "picker"
        if self._picks_time(nodes):
            return "picker"
        pays = _PAYMENTS.search(package) or any(_PAY_IDS.search(name.lower()) for name in ids)
        if pays and any(
            CURRENCIES.search(text) for node in nodes if (text := self.about.texts.get(node.node))
        ):
            return "payment"
        root, (width, height) = region.root, self.about.screen
        wide, high = size(root)
        low = root.bottom >= _LOW * height and wide >= _PART * width and root.top > _ASIDE * height
        if self._is_menu(nodes, ids) or (not low and self._only_entries(nodes)):
            return "menu"
        if any(_SHEET_IDS.match(name.lower()) for name in ids):
            return "sheet"
        if region.root is region.behind or (
            high >= _TALL * height and wide < _PART * width and root.left <= 0
        ):
            return "menu"  # a drawer
        return "sheet" if low and "parentPanel" not in ids else "dialog"

    def _picks_time(self, nodes: Sequence[Node]) -> bool:
        """Whether all that takes touches there are days and times next to each other, and a few buttons with words."""
        takers = [node for node in nodes if self._is_taker(node)]
        cells: list[Node] = []
        others: list[Node] = []
        for node in takers:
            (cells if CELL_OF_TIME.fullmatch(self.about.label(node).strip()) else others).append(node)
        side = any(one.top < other.bottom and other.top < one.bottom for one, other in pairwise(cells))
        return (
            len(cells) >= _LEAST_ROWS
            and side
            and len(others) <= _LEAST_ROWS
            and all(
                self.about.label(node) and not types(node) and node.checkable is not True for node in others
            )
        )

    def _is_menu(self, nodes: Sequence[Node], ids: set[str]) -> bool:
        """Whether there are only rows with a name, in one column, and nothing can be typed or closes it."""
        if ids & (_BUTTONS | _BARS) or not ids <= _MENU_IDS | _MENU_PARTS:
            return False
        takers = [node for node in nodes if self._is_taker(node)]
        plain_rows = [node for node in takers if node.editable is not True and self.about.label(node)]
        if any(self.about.phrase(node) in CANCELS for node in takers):
            return False
        lists = any(holds_rows(node) for node in nodes)
        in_column = all(one.bottom <= other.top + 2 for one, other in pairwise(plain_rows))
        return len(takers) == len(plain_rows) >= 1 and in_column and (lists or "title" in ids)

    def _only_entries(self, nodes: Sequence[Node]) -> bool:
        """Whether there are some entries of one width below each other, and no words outside of them."""
        takers = [node for node in nodes if self._is_taker(node)]
        if not all(
            self.about.label(node) and not types(node) and node.checkable is not True for node in takers
        ):
            return False
        if any(one.bottom > other.top + 2 for one, other in pairwise(takers)):
            return False
        if any(self.about.phrase(node) in CANCELS for node in takers):
            return False
        aligned = len({(node.left, node.right) for node in takers}) == 1 and len(takers) > 1
        return aligned and not any(
            node.node in self.about.texts and node.node not in self.about.taker_of and words_shown(node)
            for node in nodes
        )

    def _is_selection(self, nodes: Sequence[Node], ids: set[str]) -> bool:
        if any(_ACTION_MODE.match(name) for name in ids):
            return True
        _, height = self.about.screen
        for node in nodes:
            text = self.about.texts.get(node.node)
            if text is None or node.top > height / 5 or len(text) > 40:
                continue
            name = phrase(text)
            if COUNTED.search(name) and any(char.isdigit() for char in name) and name not in EVERY:
                return True
        return False

    def _is_settings(self, nodes: Sequence[Node], ids: set[str], package: str, title: str | None) -> bool:
        if ids & _SETTING_ROWS:
            return True
        if title is not None and phrase(title) in SETTINGS:
            return True
        if _SETTINGS_APPS.search(package):
            return any(holds_rows(node) or node.scrollable for node in nodes)
        named = sum(1 for name in ids if _SETTING_IDS.search(name.lower()))
        if named >= _LEAST_ROWS:
            return True
        switches = [
            node
            for node in nodes
            if node.checkable is True and node.cls and node.cls.endswith(("Switch", "SwitchCompat"))
        ]
        fields = any(node.editable is True for node in nodes)
        return len(switches) >= _LEAST_ROWS and not fields


_POPUP: Final = frozenset({"title", "submenuarrow"})
"""The ids of entries of Android's menus."""
_MENU_IDS: Final = frozenset(
    {"select_dialog_listview", "text1", "action_bar_root", "menu", "list", "popup", "dropdown_list"}
)
MONEY_WORDS: Final = tuple(
    r"руб\.? р\. грн 元 円 원 Rp\.? Rs\.? kr zł Kč Ft RM TL lei лв".split()
    + r"ريال درهمًا درهما درهم دراهم دينار جنيه ليرة ر\.س\.? د\.إ\.? ج\.م\.? د\.ك\.? ر\.ق\.? ر\.ع\.?".split()
    + r"د\.أ\.? د\.ب\.? د\.ت\.? د\.ج\.? د\.ع\.? د\.م\.?".split()
)
"""How currencies are written in words and short forms, as patterns."""
CURRENCIES: Final = re.compile(
    r"[$€£¥₹₩₽₺₫₱฿₪₴₦₿₸₲₡₵￥￦元円원]|(?<![^\W\d_])(?:"
    + "|".join([*sorted(ISO_4217 - {"ALL", "TOP"}), *MONEY_WORDS])
    + r")(?![^\W\d_])"
)
"""Marks of money, to see whether there may be some at all."""


CELL_OF_TIME: Final = re.compile(
    r"(?:[^\W\d_]{1,4}\.?,? ?)?\d{1,2}\.?(?: ?[^\W\d_]{3,4}\.?)?|\d{1,2}[:h.]\d{2}(?: ?[AaPp]\.?[Mm]\.?)?"
)
"""What a cell of a picker of days or times says: ``12``, ``Fri 13``, ``9:00``."""


@lru_cache(4096)
def _is_marked(name: str | None, cls: str | None) -> bool:
    """Whether an id or class of a toolkit says that it is a dialog or sheet."""
    if name is not None and (_DIALOG_IDS.match(name.lower()) or _SHEET_IDS.match(name.lower())):
        return True
    return cls is not None and _DIALOG_CLASSES.search(cls) is not None


def takes_inside(about: Outline, node: Node) -> bool:
    """Whether a node takes touches, or something inside it does."""
    return about.taker_of.get(node.node) == node.node or bool(about.inner_takers.get(node.node))


def between(tree: Tree, first: int, last: int) -> Sequence[Node]:
    """The nodes from one place to another, both included, in the order of the document."""
    whole = tree.nodes
    return whole[bisect_left(whole, first, key=_place) : bisect_right(whole, last, key=_place)]


def _place(node: Node) -> int:
    return node.place


def surfaces(tree: Tree) -> Surfaces:
    """The surfaces of a tree, looked for once."""
    known: Surfaces | None = tree.memory.get("surfaces")
    if known is None:
        known = tree.memory["surfaces"] = Surfaces(outline(tree))
    return known
