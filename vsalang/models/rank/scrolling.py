"""In which directions what scrolls can be moved: where something may be that does not show yet."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from vsalang.models.rank.candidate import Candidate, DroppedAction
from vsalang.models.rank.situation import Situation, recent
from vsalang.program.action import Action
from vsalang.program.values import Value
from vsalang.screen.control import Unit, controls
from vsalang.screen.control.relevance import holds_rows
from vsalang.screen.tree import Node, Tree

_SIDEWAYS: Final = ("HorizontalScrollView", "ViewPager", "ViewPager2")
_SNAPPING: Final = ("ViewPager", "ViewPager2", "NumberPicker", "Picker", "WebView")
"""Endings of classes that stand at the beginning of a row or page wherever they were scrolled to, or hold no rows."""
_ROWS: Final = 3
"""Of fewer rows it cannot be said whether the first is cut."""
_PAGERS: Final = ("ViewPager", "ViewPager2")
_PAGER_IDS: Final = re.compile(r"(^|_)(view_?)?pager2?$")
"""Ids of what moves by whole pages, where the source tells no classes."""
_TAB_IDS: Final = re.compile(r"(^|_)tabs?(_|$)")
"""In ids of tabs and of what holds them, where the source does not tell that they are."""


def scrolls(situation: Situation, tree: Tree, unit: Unit, name: str) -> Iterator[Candidate | DroppedAction]:
    """The directions in which something may be: along its children, and not where nothing more is.

    Args:
        name: of the control, in words.
    """
    pages = is_pager(tree, unit.node)
    sideways = pages or _sideways(tree, unit.node)
    inner = _inner_scroller(tree, unit.node, sideways)
    if inner is not None:
        yield DroppedAction(f"scroll in {name}", "same effect", "what scrolls inside it takes the movement")
        return
    if pages and _has_tabs(tree):
        yield DroppedAction(f"scroll in {name}", "same effect", "its tabs show its pages")
        return
    on, back = ("right", "left") if sideways else ("down", "up")
    ended = _ends(situation, unit.key)
    for way in (on, back):
        key, text = f"{unit.key}.scroll.{way}", f"scroll {way} in {name}"
        if key in ended:
            yield DroppedAction(text, "scrolled to its end", "it moved nothing")
        elif way == on and _ends_here(situation, tree, unit.node, sideways):
            yield DroppedAction(text, "scrolled to its end", "what it holds ends before its edge")
        elif way == back and not pages and _begins_here(situation, tree, unit, sideways):
            yield DroppedAction(text, "scrolled to its end", "it shows its beginning")
        else:
            args: dict[str, Value] = {"node": unit.node.node, "direction": way}
            yield Candidate(key, "scroll", Action("scroll", args), text, unit)


def is_pager(tree: Tree, node: Node) -> bool:
    """Whether it moves by whole pages, to the left and right: by its class, else by its id."""
    if node.cls in _PAGERS:
        return True
    return tree.inherits and node.id is not None and _PAGER_IDS.search(node.id.lower()) is not None


def _has_tabs(tree: Tree) -> bool:
    """Whether tabs show; where the source does not tell tabs from buttons, whether ids do."""
    units = controls(tree)
    if sum(1 for one in units if one.kind == "tab") > 1:
        return True
    return tree.inherits and any(_is_tab(tree, one) for one in units)


def _is_tab(tree: Tree, unit: Unit) -> bool:
    around = (unit.node, *tree.around(unit.node))
    return unit.kind == "button" and any(
        one.id is not None and _TAB_IDS.search(one.id.lower()) for one in around
    )


def _sideways(tree: Tree, node: Node) -> bool:
    """Whether its content moves to the left and right: by its class, else as its children stand."""
    if node.cls is not None and node.cls in _SIDEWAYS:
        return True
    children = tree.children.get(node.node, ())
    if len(children) < 2 or (node.cls is not None and node.cls.endswith("ScrollView")):
        return False
    return all(one.right <= other.left for one, other in pairwise(children))


def _inner_scroller(tree: Tree, node: Node, sideways: bool) -> Node | None:
    """What scrolls the same way inside of it, and takes a movement at its middle or fills most of it.

    Where the source tells no places, the only one that scrolls inside of it.
    """
    x, y = node.centre
    size = (node.right - node.left) * (node.bottom - node.top)
    alike = [
        inner
        for inner in tree.inside(node)[1:]
        if inner.scrollable is True and (is_pager(tree, inner) or _sideways(tree, inner)) == sideways
    ]
    if tree.inherits:
        return alike[0] if len(alike) == 1 else None
    for inner in alike:
        filled = (inner.right - inner.left) * (inner.bottom - inner.top)
        if inner.holds(x, y) or 2 * filled > size:
            return inner
    return None


def _ends(situation: Situation, key: str) -> frozenset[str]:
    """The keys of scrolls that moved nothing, since when nothing else was done than to scroll there."""
    ended = set()
    for step in reversed(recent(situation.history)):
        if step.kind != "scroll" or not step.key.startswith(f"{key}.") or step.effect != "NoChange":
            break
        ended.add(step.key)
    return frozenset(ended)


def _ends_here(situation: Situation, tree: Tree, node: Node, sideways: bool) -> bool:
    """Whether its rows end well before its edge: where more rows were they would show there."""
    children = tree.children.get(node.node, ())
    if situation.screen.partial or not children or not holds_rows(node):
        return False
    if sideways:
        gap, row = node.right - children[-1].right, children[-1].right - children[-1].left
    else:
        last = max(children, key=lambda one: one.bottom)
        gap, row = node.bottom - last.bottom, last.bottom - last.top
    return gap > row


def _begins_here(situation: Situation, tree: Tree, unit: Unit, sideways: bool) -> bool:
    """Whether nothing was scrolled there before, and nothing shows that it stands elsewhere than at its beginning.

    Pages open at their beginning, but for those that move by whole pages or wheels, and rows whose first is cut.
    """
    node = unit.node
    scrolled = (step.key for step in recent(situation.history) if step.kind == "scroll")
    if any(key.startswith(f"{unit.key}.") for key in scrolled):
        return False
    if node.cls is not None and node.cls.endswith(_SNAPPING):
        return False
    children = tree.children.get(node.node, ())
    if situation.screen.partial or not holds_rows(node) or len(children) < _ROWS:
        return True  # nothing tells
    sizes = [one.right - one.left if sideways else one.bottom - one.top for one in children]
    inner = zip(children[1:-1], sizes[1:-1], strict=True)
    alike = [size for one, size in inner if one.cls == children[0].cls]
    return not alike or sizes[0] >= min(alike)
