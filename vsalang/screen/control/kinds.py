"""Decides what a control is for, one of nine kinds, by the facts of its node and of those around it.

| kind | what a gesture on it is expected to do |
|---|---|
| button | something happens |
| link | another page is shown |
| opener | a menu, list, drawer or dialog opens |
| toggle | it is on or off, and changes over |
| choice | it is chosen, and others of its group are not |
| tab | it is selected, and its page is shown |
| field | text can be typed |
| slider | it is dragged to a value |
| scroller | its content moves |

The first rule that fits decides, in the order of `kind_of`. Each rule names its evidence.
"""

import re
from collections.abc import Iterator
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.text import fold_case, safe
from vsalang.screen.control.relevance import holds_rows, is_slider, touchable, words
from vsalang.screen.control.unit import NodeKind
from vsalang.screen.tree import Node, Tree

_CHOICES: Final = re.compile(r"RadioButton$")
_GROUPS: Final = re.compile(r"RadioGroup$")
_TOGGLES: Final = re.compile(r"(CheckBox|Switch|SwitchCompat|ToggleButton|CheckedTextView)$")
_TABS: Final = re.compile(
    r"(Tab|TabView|TabItem|BottomNavigationItemView|NavigationBarItemView|NavigationRailItemView)$"
)
_TAB_BARS: Final = re.compile(
    r"(TabLayout|TabWidget|ScrollingTabContainerView|BottomNavigationView|NavigationBarView)$"
)
_TAB_IDS: Final = re.compile(r"(^|_)(tabs?|tab_?(layout|bar|host|view|item)|bottom_?nav(igation)?(_.*)?)$")
_TAB_ITEM_IDS: Final = re.compile(r"^(nav|navigation|tab)_")
_CHIP_IDS: Final = re.compile(r"(^|_)chip(_|$)")
_TAB_WORDS: Final = re.compile(
    r"(^|\n)(tab|вкладка|タブ|탭|标签页?|pestaña|onglet|scheda)\W{0,3}\d+( \D{1,5} |/)\d+$"
)
_OPENERS: Final = re.compile(r"(Spinner|OverflowMenuButton)$")
_OPENER_IDS: Final = re.compile(
    r"(^|[_-])(overflow|(more_?)?options|more_?menu|menu|spinner|dropdown|drop_down|drawer|hamburger)([_-]|$)"
)
_OPENER_WORDS: Final = frozenset(
    "more options|more actions|open navigation drawer|navigation drawer|open navigation menu|navigation menu"
    "|open drawer|open menu|show menu|main menu|menu|overflow menu|show dropdown menu|dropdown menu|options"
    "|weitere optionen|navigationsleiste öffnen|más opciones|plus d'options|altre opzioni"
    "|更多选项|其他選項|その他のオプション|옵션 더보기|ещё|меню|показать раскрывающееся меню".split("|")
)
_BUTTONS: Final = re.compile(r"(Button|Chip|FloatingActionButton)$")
_TEXTS: Final = re.compile(r"TextView$")
_ROLES: Final = re.compile(r"^(Button|ImageButton|CheckBox|Switch|RadioButton|Spinner|SeekBar|ToggleButton)$")
_TABS_AT_LEAST: Final = 2
_TABS_AT_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class _Group:
    """Siblings of one class: how many there are and are checked; how many take touches, whether those stand on one
    line, and how many of them are selected."""

    size: int
    checked: int
    touching: int
    aligned: bool
    selected: int


class Groups:
    """The groups of siblings of one tree; each is looked at once, however many nodes ask."""

    def __init__(self, tree: Tree) -> None:
        self._known: dict[tuple[int | None, str | None], _Group] = {}
        self._members: dict[tuple[int | None, str | None], list[Node]] = {}
        for node in tree.nodes:
            self._members.setdefault((node.parent, node.cls), []).append(node)

    def of(self, node: Node) -> _Group:
        """The siblings of a node that are of its class, itself too."""
        key = (node.parent, node.cls)
        group = self._known.get(key)
        if group is None:
            group = self._known[key] = _group(self._members[key])
        return group


def _group(nodes: list[Node]) -> _Group:
    taking = [node for node in nodes if touchable(node)]
    return _Group(
        len(nodes),
        sum(1 for node in nodes if node.checked is True),
        len(taking),
        bool(taking) and max(node.top for node in taking) < min(node.bottom for node in taking),
        sum(1 for node in taking if node.selected is True),
    )


def kind_of(tree: Tree, groups: Groups, node: Node, checkable: Node | None = None) -> NodeKind | None:
    """The kind of a node that can be acted on, None of any other.

    Args:
        groups: of the tree.
        checkable: the one node inside that can be checked and takes no touch itself.
    """
    kind = (
        _typed_into(tree, node)
        or _slid(node)
        or _opened(tree, node)
        or _chosen(tree, groups, node, checkable)
    )
    if kind is not None:
        return kind
    if touchable(node) and (tab := _tab(tree, groups, node)) is not None:
        return tab
    state = node if node.checkable is True else checkable
    if state is not None:
        return NodeKind("toggle", (_at(state, node, "can be checked"), f"class {state.cls or 'unknown'}"))
    if node.scrollable is True:
        return NodeKind("scroller", ("scrolls",))
    return _touched(tree, node) if touchable(node) else None


def _typed_into(tree: Tree, node: Node) -> NodeKind | None:
    if node.editable is not True:
        return None
    if _role(tree, node) == "Spinner":
        return NodeKind("opener", ("can be typed into", "inside it class Spinner"))
    why = [f"class {node.cls}"] if node.cls and node.cls.endswith("EditText") else []
    return NodeKind("field", ("can be typed into", *why))


def _slid(node: Node) -> NodeKind | None:
    return NodeKind("slider", (f"class {node.cls}",)) if is_slider(node) else None


def _opened(tree: Tree, node: Node) -> NodeKind | None:
    if node.cls and _OPENERS.search(node.cls):
        return NodeKind("opener", (f"class {node.cls}",))
    if not touchable(node) and node.checkable is not True:
        return None
    text = fold_case(words(node)).rstrip(".… ")
    if text in _OPENER_WORDS:
        return NodeKind("opener", (f"says {_quoted(node)}",))
    if node.checkable is True:
        return None
    if node.id and _OPENER_IDS.search(node.id.lower()) and not holds_rows(node) and not _is_item(node):
        return NodeKind("opener", (f"id {node.id}",))
    role = _role(tree, node)
    return NodeKind("opener", (f"inside it class {role}",)) if role == "Spinner" else None


def _is_item(node: Node) -> bool:
    """Whether its id names an entry of a menu or bar, not what opens one."""
    return node.id is not None and re.search(r"item|entry|row", node.id.lower()) is not None


def _chosen(tree: Tree, groups: Groups, node: Node, checkable: Node | None) -> NodeKind | None:
    for one in (node, checkable):
        if one is not None and one.cls and _CHOICES.search(one.cls):
            return NodeKind("choice", (_at(one, node, f"class {one.cls}"),))
    if _role(tree, node) == "RadioButton" and (touchable(node) or node.checkable is True):
        return NodeKind("choice", ("inside it class RadioButton",))
    state = node if node.checkable is True else checkable
    if state is None:
        if node.id and _CHIP_IDS.search(node.id.lower()) and _side_by_side(tree, groups, node):
            return NodeKind("choice", (f"id {node.id}", "next to others of its class"))
        return None
    parent = _parent(tree, node)
    if parent is not None and parent.cls and _GROUPS.search(parent.cls):
        return NodeKind("choice", ("can be checked", f"lies in a {parent.cls}"))
    group = groups.of(node)
    if state.cls == "CheckedTextView" and group.size > 1 and group.checked == 1:
        return NodeKind("choice", ("can be checked", f"one of {group.size} is checked"))
    return None


def _tab(tree: Tree, groups: Groups, node: Node) -> NodeKind | None:
    if node.cls and _TABS.search(node.cls):
        return NodeKind("tab", (f"class {node.cls}",))
    match = _TAB_WORDS.search(fold_case(words(node)))
    if match:
        return NodeKind("tab", (f"says {_quoted(node)}",))
    if node.id and _TAB_ITEM_IDS.search(node.id.lower()) and _side_by_side(tree, groups, node):
        return NodeKind("tab", (f"id {node.id}", "next to others of its class"))
    for outer in _nearest(tree, node, 3):
        if outer.cls and _TAB_BARS.search(outer.cls):
            return NodeKind("tab", (f"lies in a {outer.cls}",))
        if outer.id and _TAB_IDS.search(outer.id.lower()) and _side_by_side(tree, groups, node):
            return NodeKind("tab", (f"lies in {outer.id}",))
    group = groups.of(node)
    if group.touching <= _TABS_AT_MOST and group.selected == 1 and _side_by_side(tree, groups, node):
        return NodeKind(
            "tab", (f"next to {group.touching - 1} others of its class", "one of them is selected")
        )
    return None


def _side_by_side(tree: Tree, groups: Groups, node: Node) -> bool:
    """Whether siblings of its class that take touches stand on one line with it, and are not rows of a list."""
    parent, group = _parent(tree, node), groups.of(node)
    if parent is None or (parent.cls and parent.cls.endswith(("ListView", "GridView"))):
        return False
    return group.aligned and group.touching >= _TABS_AT_LEAST


def _touched(tree: Tree, node: Node) -> NodeKind:
    taken = "takes a long touch" if node.takes_touch else "may take a touch: the source does not say"
    if node.clickable is True:
        taken = "takes a touch"
    if node.cls and _BUTTONS.search(node.cls):
        return NodeKind("button", (taken, f"class {node.cls}"))
    role = _role(tree, node)
    if role in ("Button", "ImageButton"):
        return NodeKind("button", (taken, f"inside it class {role}"))
    parent = _parent(tree, node)
    texts = [one for one in tree.inside(node) if one.text is not None and words(one) and not one.editable]
    if parent is not None and parent.cls and parent.cls.endswith(("ListView", "RecyclerView")) and texts:
        return NodeKind("link", (taken, f"a row of a {parent.cls}"))
    if len(texts) > 1:
        return NodeKind("link", (taken, f"{len(texts)} texts inside"))
    if node.cls and _TEXTS.search(node.cls) and texts:
        return NodeKind("link", (taken, f"class {node.cls}"))
    web = next((outer for outer in tree.around(node) if outer.cls == "WebView"), None)
    if web is not None and node.cls in ("View", "TextView") and words(node):
        return NodeKind("link", (taken, "words in a WebView"))
    return NodeKind("button", (taken, f"class {node.cls or 'unknown'}"))


def _role(tree: Tree, node: Node) -> str | None:
    """The class of a node inside that only says what the node around it is, as Compose writes roles."""
    for child in tree.children.get(node.node, ()):
        bare = not words(child) and child.node not in tree.children and not touchable(child)
        if bare and child.cls and _ROLES.search(child.cls):
            return child.cls
    return None


def _nearest(tree: Tree, node: Node, count: int) -> Iterator[Node]:
    for outer, _ in zip(tree.around(node), range(count), strict=False):
        yield outer


def _parent(tree: Tree, node: Node) -> Node | None:
    return None if node.parent is None else tree.by_number[node.parent]


def _at(one: Node, node: Node, fact: str) -> str:
    return fact if one is node else f"inside it: {fact}"


def _quoted(node: Node) -> str:
    return safe(words(node), 40)
