"""Finds the surfaces of a screen: pages, and what stands in front of them, as dialogs, sheets and menus do.

A surface is a node with what is inside it; a node lies on the innermost surface around it. What stands in front is told
by the ids of known toolkits, by the window (it is smaller than the screen), or by what is dimmed behind it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.screen.control.relevance import holds_rows, touchable
from vsalang.screen.forms.outline import Outline, outline, shorten, size, words_shown
from vsalang.screen.forms.words import COUNTED, EVERY, SCRIM, SETTINGS, phrase
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
_HOME: Final = re.compile(r"launcher|\.home$|quickstep", re.IGNORECASE)
_HOME_IDS: Final = re.compile(r"^(workspace|hotseat|apps_view|drag_layer|overview_panel)$")
_PERMISSIONS: Final = re.compile(r"permissioncontroller|packageinstaller")
_SHARES: Final = frozenset({"com.android.intentresolver"})
_PICKERS: Final = re.compile(r"documentsui|photopicker|providers\.media\.module|filepicker")
_PAYMENTS: Final = re.compile(
    r"^com\.(android\.vending|google\.android\.gms|samsung\.android\.spay)|wallet|billing"
)
_SETTINGS_APPS: Final = re.compile(r"(^|\.)settings(\.|$)")

_FULL: Final = 0.9
"""What covers at least this part of the screen's width or height is as wide or high as the screen."""
_ASIDE: Final = 0.06
"""What stands free leaves at least this part of the height of the screen above it."""
_PART: Final = 0.94
"""What is wider than this part of the screen leaves no margin at its sides."""
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
        return tuple(self._surface(region) for region in regions)

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
            ended = 0
            for node in self.tree.inside(root):
                if node.place <= ended:
                    continue
                region = self._in_front(node)
                if region is not None and region.first != root.place:
                    ended = region.last
                    yield region

    def _in_front(self, node: Node) -> _Region | None:
        """The region in front of a page that begins with this node."""
        name = (node.id or "").lower()
        marked = bool(name) and (_DIALOG_IDS.match(name) or _SHEET_IDS.match(name))
        if (marked or (node.cls and _DIALOG_CLASSES.search(node.cls))) and self.about.inner_takers.get(
            node.node
        ):
            return _Region(node, node.place, node.end)
        if touchable(node) and self._covers(node):
            return self._before_scrim(node)
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
        if not says and not _SCRIM_IDS.search(name):
            return None
        siblings = self.tree.children.get(scrim.parent, ())
        after = [node for node in siblings if node.place > scrim.end]
        holding = [node for node in after if takes_inside(self.about, node)]
        if not holding:
            return None
        if len(holding) == 1:
            return _Region(holding[0], holding[0].place, holding[0].end, behind=scrim)
        return _Region(scrim, scrim.place, max(node.end for node in after), behind=scrim)

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
            if touchable(node):
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
        return wide >= _FULL * width and high >= _FULL * height

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

    def _surface(self, region: _Region) -> Surface:
        nodes = self.nodes_in(region)
        heading = _Heading(self.about, nodes, region)
        kind = self._kind(region, nodes, heading.title)
        title, message = heading.title, heading.message if kind in IN_FRONT else None
        return Surface(kind, region.root, region.first, region.last, title, message, region.behind)

    def _kind(self, region: _Region, nodes: Sequence[Node], title: str | None) -> Kind:
        window = self._window(region.root)
        package = region.root.package or window.package or ""
        ids = {node.id for node in nodes if node.id}
        free = region.stands_free or region.root.parent is not None
        if is_keyboard(window):
            return "keyboard"
        if package in _SYSTEM or (window.kind not in (None, "application") and not region.stands_free):
            return "system"
        if any(_PERMISSION_IDS.match(name) for name in ids) or (free and _PERMISSIONS.search(package)):
            return "permission"
        if package in _SHARES or any(_SHARE_IDS.match(name) for name in ids):
            return "share"
        if _HOME.search(package) or any(_HOME_IDS.match(name) for name in ids):
            return "home" if not free else self._kind_in_front(region, nodes, ids, package)
        if _PICKERS.search(package) and not free:
            return "picker"
        if free:
            return self._kind_in_front(region, nodes, ids, package)
        if self._is_menu(nodes, ids):
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
        pays = _PAYMENTS.search(package) or any(_PAY_IDS.search(name.lower()) for name in ids)
        if pays and any(
            CURRENCIES.search(text) for node in nodes if (text := self.about.texts.get(node.node))
        ):
            return "payment"
        if self._is_menu(nodes, ids):
            return "menu"
        root, (width, height) = region.root, self.about.screen
        wide, high = size(root)
        if any(_SHEET_IDS.match(name.lower()) for name in ids):
            return "sheet"
        if region.root is region.behind:
            return "menu"
        if high >= _FULL * height and wide < _PART * width and root.left <= 0:
            return "menu"  # a drawer
        at_bottom = root.bottom >= 0.97 * height and wide >= _PART * width
        return "sheet" if at_bottom and root.top > _ASIDE * height and not ids & {"parentPanel"} else "dialog"

    def _is_menu(self, nodes: Sequence[Node], ids: set[str]) -> bool:
        """Whether there are only rows with a name, in one column, and nothing can be typed or closes it."""
        if ids & (_BUTTONS | _BARS) or not ids <= _MENU_IDS | _MENU_PARTS:
            return False
        takers = [node for node in nodes if self._is_taker(node)]
        plain_rows = [node for node in takers if node.editable is not True and self.about.label(node)]
        lists = any(holds_rows(node) for node in nodes)
        in_column = all(one.bottom <= other.top + 2 for one, other in pairwise(plain_rows))
        return len(takers) == len(plain_rows) >= 1 and in_column and (lists or "title" in ids)

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


class _Heading:
    """What stands at the top of a surface: its title, and what it says before its controls.

    Args:
        about: the outline of the tree.
        nodes: those of the surface.
        region: where it lies.
    """

    def __init__(self, about: Outline, nodes: Sequence[Node], region: _Region) -> None:
        texts = [
            node
            for node in nodes
            if node.node in about.texts
            and node.node not in about.taker_of
            and words_shown(node)
            and not (node.cls is not None and node.cls.startswith("Image"))
            and not (
                node.text is None and any(inner.node in about.texts for inner in about.tree.inside(node)[1:])
            )
        ]
        named = next((node for node in texts if node.id and _TITLE_IDS.search(node.id)), None)
        first_taker = next((node.place for node in nodes if about.taker_of.get(node.node) == node.node), 0)
        _, height = about.screen
        top = nodes[0].top if nodes else 0
        if named is None and texts:
            best = texts[0]
            before = best.id not in _MESSAGE_IDS and (
                not first_taker or best.place < first_taker or best.top < top + height / 6
            )
            named = best if before and len(about.texts[best.node]) <= _LONGEST_TITLE else None
        body = [
            node
            for node in texts
            if node is not named and (node.id in _MESSAGE_IDS or not _in_rows(about.tree, node))
        ]
        message = next((node for node in body if node.id in _MESSAGE_IDS), None)
        if message is None:
            message = next(
                (node for node in body if " " in about.texts[node.node] or len(about.texts[node.node]) > 8),
                None,
            )
        self.title = about.texts[named.node] if named is not None else None
        self.message = shorten(about.texts[message.node]) if message is not None else None


_TITLE_IDS: Final = re.compile(
    r"^(alertTitle|dialog_?title\w*|title_?text\w*|md_title|md_text_title|toolbar_?title|action_bar_title|page_?title|header_?title)$"
)
_MESSAGE_IDS: Final = frozenset(
    {"message", "md_text_message", "md_content", "permission_message", "dialog_message", "text_message"}
)
_MENU_IDS: Final = frozenset(
    {"select_dialog_listview", "text1", "action_bar_root", "menu", "list", "popup", "dropdown_list"}
)
_LONGEST_TITLE: Final = 80

CURRENCIES: Final = re.compile(
    r"[$€£¥₹₩₽₺₫₱฿₪₴]|\b(USD|EUR|GBP|CHF|JPY|CNY|INR|TRY|PLN|RUB|KRW|IDR|BRL|MXN|CAD|AUD)\b|\bRp\b|zł|元|円|원"
)
"""Marks of money, to see whether there may be some at all."""


def _in_rows(tree: Tree, node: Node) -> bool:
    return any(holds_rows(outer) for outer in tree.around(node))


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
