"""The states of mobilerun's (formerly droidrun's) helper app, the portal: its tree, and what it says of the phone."""

from collections.abc import Mapping
from typing import Any

from vsalang.program.text import canonical, safe
from vsalang.screen.tree.accessibility import INPUT_METHOD, ElementTable, blank, nested, refuse_error
from vsalang.screen.tree.build import Frame
from vsalang.screen.tree.face import Box
from vsalang.screen.tree.jsontext import At, load_json
from vsalang.screen.tree.placing import box_around


def read(top: At, elements: ElementTable) -> None:
    """The state of a portal: its tree, and what it says about the phone."""
    tree = top.data["a11y_tree"]
    if isinstance(tree, str):
        tree = load_json(tree, elements.name)
    if isinstance(tree, Mapping) and not tree.keys() & {"boundsInScreen", "bounds"}:
        refuse_error(tree, elements.name)
    state = top.inner("phone_state")
    if state is not None:
        if error := state.data.get("error"):
            elements.note(f"which app is in front is not known: {safe(str(error), 200)}")
        package = state.text("packageName", "package_name")
        if package is not None:
            elements.app = (
                canonical(package),
                canonical(state.text("activityName", "activity_name") or "") or None,
            )
    boxes: list[Box] = []
    keyboard = state is not None and state.flag("keyboardVisible", "keyboard_visible") is True
    items = tree if isinstance(tree, list) else [tree]
    if not items:
        elements.partial = True
        elements.note("holds no element")
    if keyboard and items and not _has_keyboard(items):
        boxes = [
            box
            for item in items
            if (box := At(item, "a11y_tree", elements.name).box("boundsInScreen", "bounds"))
        ]
        screen = box_around(boxes)
        half = screen[1] if screen[2] - screen[0] > screen[3] - screen[1] else (screen[1] + screen[3]) // 2
        area = (screen[0], half, screen[2], screen[3])
        elements.add(blank(area), None, -1, 1)
        elements.frames[1] = Frame(kind=INPUT_METHOD)
        elements.partial = True
        elements.note("the keyboard shows, but not where: what may lie under it is not settled")
    left_out = _left_out(top, items, elements.name)
    if left_out is not None:
        elements.add(blank(left_out), None, -1, max(elements.windows, default=0) + 1)
        elements.partial = True
        elements.note(
            "the screen was turned while it was read: nodes that lay beyond its old edge are left out"
        )
    nested(items, "a11y_tree", elements)


def _left_out(top: At, items: list[Any], name: str) -> Box | None:
    """The part of the tree of which the portal left out the nodes; None: there is none.

    It leaves out what is off the screen. If the size of the screen and the tree were not taken on the same side of a
    turn, that is a part of what shows.
    """
    context = top.inner("device_context")
    bounds = context.inner("screen_bounds") if context is not None else None
    size = (bounds.number("width"), bounds.number("height")) if bounds is not None else (None, None)
    width, height = size
    if not width or not height or not items:
        return None
    left, upper, right, bottom = box_around(
        [box for item in items if (box := At(item, "a11y_tree", name).box("boundsInScreen", "bounds"))]
    )
    if (right - left > bottom - upper) == (width > height) or (right <= width and bottom <= height):
        return None
    return (
        (max(left, width), upper, right, bottom)
        if right > width
        else (left, max(upper, height), right, bottom)
    )


def _has_keyboard(items: list[Any]) -> bool:
    return any(
        isinstance(item, Mapping) and "inputmethod" in str(item.get("packageName", "")).lower()
        for item in items
    )
