"""Hit testing: finds the node that receives a touch."""

from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.gestures import keyboard
from vsalang.screen.tree.node import Node, Tree, Window

_SYSTEM: Final = "com.android.systemui"
_BAR: Final = 10
"""A window of full width at the top or bottom is a bar, not a dialog, if it is at most this part of the height."""


@dataclass(frozen=True, slots=True)
class Hit:
    """The result of a hit test.

    Attributes:
        leaf: the node drawn last there, which is the deepest one.
        taker: the node that takes the touch; None when no node there is known to take one.
        covered: the tree does not decide who takes the touch: a node outside the taker is drawn later and contains the
            point too, or another window has a node that would take it, or a node there does not say whether it
            takes touches, or a dialog above may take touches outside of itself.
    """

    x: int
    y: int
    leaf: Node | None
    taker: Node | None
    covered: bool


def hit(tree: Tree, x: int, y: int) -> Hit | None:
    """The result of a touch at a point; None if no window contains the point.

    The topmost window that contains the point takes it, and in it the last drawn clickable or long-clickable node that
    contains the point, even if it is disabled: then nothing happens. This is not the clickable
    node around the leaf, which differs on 8 % of the centres of clickable nodes in 309 real dumps.

    A key of a keyboard takes the touch from anything below it. If a keyboard lists no keys, either it takes the touch
    or a node below it does (it may be smaller than it says): that is not decided.
    """
    hit: Hit | None = None
    above: list[Window] = []
    for window in stacked(tree):
        if not (window.left <= x < window.right and window.top <= y < window.bottom):
            above.append(window)
            continue
        here = _in_window(tree, window, x, y)
        if hit is None:
            hit = here
            if here.taker is not None and here.taker.takes_touch and is_keyboard(window):
                return here
            if any(_may_be_modal(other, window) for other in above):
                hit = Hit(x, y, here.leaf, here.taker, True)
        elif here.taker is not None:
            # sources do not reliably say which window is above, and where it passes touches on
            sure = hit.taker is not None and (hit.taker.takes_touch or not here.taker.takes_touch)
            hit = Hit(x, y, hit.leaf, hit.taker if sure else here.taker, True)
    return hit


def stacked(tree: Tree) -> tuple[Window, ...]:
    """The windows, topmost first: in the order of the source, but keyboards above apps."""
    result: list[Window] = []
    for window in tree.windows:
        at = len(result)
        if is_keyboard(window):
            while at and not (is_keyboard(result[at - 1]) or _is_system(result[at - 1])):
                at -= 1
        result.insert(at, window)
    return tuple(result)


def is_keyboard(window: Window) -> bool:
    """Whether a window belongs to an input method: the source says so, else its package does."""
    return keyboard.is_keyboard(window.kind, window.package)


def _is_system(window: Window) -> bool:
    if window.kind is not None:
        return window.kind not in ("application", "input method")
    return window.package == _SYSTEM


def _may_be_modal(window: Window, under: Window) -> bool:
    """Whether a window above another may take touches outside of itself, as dialogs and menus do."""
    inside = (
        under.left <= window.left
        and under.top <= window.top
        and window.right <= under.right
        and window.bottom <= under.bottom
    )
    if not inside or window.focused is False or is_keyboard(window) or _is_system(window):
        return False
    wide = window.left == under.left and window.right == under.right
    edge = window.top == under.top or window.bottom == under.bottom
    bar = wide and edge and (window.bottom - window.top) * _BAR <= under.bottom - under.top
    return not bar


def _in_window(tree: Tree, window: Window, x: int, y: int) -> Hit:
    leaf: Node | None = None
    unsure: Node | None = None
    taker: Node | None = None
    for node in tree.drawn[window.window]:
        if not node.holds(x, y):
            continue
        if leaf is None:
            leaf = node
        if node.takes_touch:
            taker = node
            break
        if unsure is None and node.node in tree.unsure:
            unsure = node
    if taker is None:
        return Hit(x, y, leaf, unsure, unsure is not None)
    outside = leaf is None or not taker.encloses(leaf)
    return Hit(x, y, leaf, taker, outside or unsure is not None)
