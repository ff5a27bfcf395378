"""Recorded screens: widgets with the bounds of a dump of a real phone, and the dump itself.

The dump is returned unchanged as long as nothing was typed; then only the text and focus of that one field differ.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from vsalang.base.records import dataclass
from vsalang.phone.sim.layout import intersect
from vsalang.phone.sim.spec import Move, PhoneSpecError, ScreenSpec
from vsalang.phone.sim.widgets import KINDS, MOST_WIDGETS, Rect, Widget

_BOUNDS = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")
_FLAGS = {
    "enabled": "enabled", "clickable": "clickable", "long-clickable": "long_clickable", "checkable": "checkable",
    "checked": "checked", "selected": "selected", "scrollable": "scrollable", "password": "password",
    "focusable": "focusable",
}  # fmt: skip
_EDITABLE = re.compile(r"EditText$|AutoComplete(?:TextView)?$")


@dataclass(frozen=True, slots=True)
class Overlay:
    """The typed texts of a recorded screen: number of the field -> its text, and which field has the focus."""

    texts: Mapping[int, str]
    focused: int | None = None

    def __bool__(self) -> bool:
        return bool(self.texts) or self.focused is not None


@lru_cache(maxsize=64)
def _parsed(text: str, where: str) -> Any:
    from vsalang.screen.tree.node import DumpError
    from vsalang.screen.tree.source import parse

    try:
        return parse(text, where)[0]
    except DumpError as error:
        raise PhoneSpecError(str(error)) from error


def extent(text: str, where: str) -> tuple[int, int]:
    """Width and height of the screen of a dump, in pixels: how far its windows reach."""
    root = _parsed(text, where)
    boxes = [_bounds(child, where) for child in _children(root)]
    return max((box[2] for box in boxes), default=1), max((box[3] for box in boxes), default=1)


def packages(text: str, where: str) -> dict[str, int]:
    """The packages of a dump, with their numbers of nodes."""
    counts: dict[str, int] = {}
    for element in _parsed(text, where).iter():
        package = element.get("package") if isinstance(element.tag, str) else None
        if package:
            counts[package] = counts.get(package, 0) + 1
    return counts


def windows(text: str, screen: ScreenSpec, overlay: Overlay, where: str) -> list[Widget]:
    """The windows of a recorded screen, bottom first, with events for the moves of `screen`.

    Raises:
        PhoneSpecError: the text is not a dump, or a move names a missing node.
    """
    root = _parsed(text, where)
    used: list[list[Widget]] = [[] for _ in screen.moves]
    number = 0

    def build(element: Any, clip: Rect | None, package: str, around: Widget | None) -> Widget:
        nonlocal number
        number += 1
        if number > MOST_WIDGETS:
            raise PhoneSpecError(f"{where}: more than {MOST_WIDGETS} nodes")
        widget = _widget(element, number, package, where)
        widget.seen = intersect(widget.box, clip) if clip is not None else None
        if number in overlay.texts:
            widget.text = overlay.texts[number]
        widget.focused = element.get("focused") == "true"
        if overlay.focused is not None:
            widget.focused = number == overlay.focused
        for index, move in enumerate(screen.moves):
            if _means(move, widget, number):
                used[index].append(widget)
                taker = (
                    widget if around is None or _touched(widget) or move.on in ("text", "swipe") else around
                )
                taker.names.setdefault(event_name(move.on, move.direction), f"move {index}")
        inside = widget if _touched(widget) else around
        widget.children = [build(child, widget.seen, widget.package, inside) for child in _children(element)]
        return widget

    widgets = [build(child, (0, 0, 10**6, 10**6), "", None) for child in _children(root)]
    for move, meant in zip(screen.moves, used, strict=True):
        ids = sorted({widget.resource_id for widget in meant}) if move.id else []
        if len(ids) > 1:
            raise PhoneSpecError(
                f"{where}: screen {screen.name!r}: id {move.id!r} of a move to {move.goto or move.open!r} may be "
                f"{' or '.join(ids)}: write which"
            )
        if not meant and not move.anywhere:
            raise PhoneSpecError(
                f"{where}: screen {screen.name!r}: no node is what a move to {move.goto or move.open!r} names "
                f"({node_attributes(move)}); `vsac screen facts` lists the nodes"
            )
    return widgets[::-1]


def event_name(on: str, direction: str = "") -> str:
    """The name of the event of a widget for an input."""
    return {"long_press": "long", "swipe": f"swipe {direction}".rstrip()}.get(on, on)


def node_attributes(move: Move) -> str:
    """The attributes that a move gives for its node."""
    pairs = (("node", move.node), ("id", move.id), ("text", move.text), ("desc", move.desc))
    return ", ".join(f"{key} {value!r}" for key, value in pairs if value not in ("", None))


def _children(element: Any) -> list[Any]:
    return [child for child in element if isinstance(child.tag, str)]


def _bounds(element: Any, where: str) -> Rect:
    match = _BOUNDS.fullmatch(element.get("bounds", ""))
    if match is None:
        raise PhoneSpecError(f"{where}:{element.sourceline}: a node without bounds that can be read")
    left, top, right, bottom = (int(value) for value in match.groups())
    return left, top, right, bottom


def _widget(element: Any, number: int, package: str, where: str) -> Widget:
    android = element.get("class") or ("" if element.tag == "node" else str(element.tag))
    package = element.get("package") or package
    widget = Widget("recorded", KINDS["stack"], package, android=android)
    widget.box = _bounds(element, where)
    widget.id = _short(element.get("resource-id", ""), package)
    widget.text = element.get("text", "")
    widget.desc = element.get("content-desc", "")
    widget.hint = element.get("hint", "")
    for attribute, flag in _FLAGS.items():
        if element.get(attribute) is not None:
            widget.flags[flag] = element.get(attribute) == "true"
    if widget.flag("scrollable"):  # a recorded list does not move, but it is scrollable in the tree
        widget.content = widget.box[3] - widget.box[1] + 1
    if _EDITABLE.search(android):
        widget.names["bind"] = f"@{number}"
    widget.names["node"] = str(number)
    return widget


def _touched(widget: Widget) -> bool:
    return widget.flag("clickable") or widget.flag("long_clickable")


def _short(identity: str, package: str) -> str:
    """The id as in templates: without the package if it is the node's own."""
    own, _, name = identity.partition(":id/")
    return name if name and own == package else identity


def _means(move: Move, widget: Widget, number: int) -> bool:
    return (
        not move.anywhere
        and (move.node is None or move.node == number)
        and (not move.id or widget.called(move.id))
        and (not move.text or move.text == widget.text)
        and (not move.desc or move.desc == widget.desc)
    )


def served(text: str, overlay: Overlay, where: str) -> str:
    """The dump to return: the recorded text, or one in which only the typed text differs."""
    if not overlay:
        return text
    import copy

    from lxml import etree

    root = copy.deepcopy(_parsed(text, where))
    number = 0
    for element in root.iter():
        if not isinstance(element.tag, str) or element is root:
            continue
        number += 1
        if number in overlay.texts:
            element.set("text", overlay.texts[number])
        if overlay.focused is not None:
            element.set("focused", "true" if number == overlay.focused else "false")
    return "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n" + etree.tostring(
        root, encoding="unicode"
    )
