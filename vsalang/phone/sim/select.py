"""Finds the widgets for a UiSelector of uiautomator, or for a handle to an object found earlier."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vsalang.base.records import dataclass
from vsalang.phone.sim.dump import scrolls, shown_children
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.widgets import Widget

MOST_NESTED = 20


class BadSelector(ValueError):
    """The client sent an invalid selector."""


@dataclass(frozen=True, slots=True)
class WidgetPosition:
    """A widget with its index among its siblings, and its parent."""

    widget: Widget
    index: int
    parent: "WidgetPosition | None"


def _text(
    get: Callable[[Widget], str], test: Callable[[str, str], bool]
) -> Callable[[WidgetPosition, Any], bool]:
    return lambda position, wanted: test(get(position.widget), str(wanted))


def _flag(name: str) -> Callable[[WidgetPosition, Any], bool]:
    return lambda position, wanted: position.widget.flag(name) is bool(wanted)


def _matches(text: str, pattern: str) -> bool:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        return re2.compile(pattern[:1000], options).fullmatch(text) is not None
    except re2.error as error:
        raise BadSelector(f"java.util.regex.PatternSyntaxException: {error}") from error


def _equals(text: str, wanted: str) -> bool:
    return text == wanted


def _contains(text: str, wanted: str) -> bool:
    return wanted.lower() in text.lower()


def _starts(text: str, wanted: str) -> bool:
    return text.lower().startswith(wanted.lower())


def _widget_text(widget: Widget) -> str:
    return widget.shown_text


def _desc(widget: Widget) -> str:
    return widget.desc


_TESTS: dict[str, tuple[int, Callable[[WidgetPosition, Any], bool]]] = {
    "text": (0x01, _text(_widget_text, _equals)),
    "textContains": (0x02, _text(_widget_text, _contains)),
    "textMatches": (0x04, _text(_widget_text, _matches)),
    "textStartsWith": (0x08, _text(_widget_text, _starts)),
    "className": (0x10, _text(lambda w: w.android, _equals)),
    "classNameMatches": (0x20, _text(lambda w: w.android, _matches)),
    "description": (0x40, _text(_desc, _equals)),
    "descriptionContains": (0x80, _text(_desc, _contains)),
    "descriptionMatches": (0x0100, _text(_desc, _matches)),
    "descriptionStartsWith": (0x0200, _text(_desc, _starts)),
    "checkable": (0x0400, _flag("checkable")),
    "checked": (0x0800, _flag("checked")),
    "clickable": (0x1000, _flag("clickable")),
    "longClickable": (0x2000, _flag("long_clickable")),
    "scrollable": (0x4000, lambda position, wanted: scrolls(position.widget) is bool(wanted)),
    "enabled": (0x8000, _flag("enabled")),
    "focusable": (0x010000, _flag("focusable")),
    "focused": (0x020000, lambda position, wanted: position.widget.focused is bool(wanted)),
    "selected": (0x040000, _flag("selected")),
    "packageName": (0x080000, _text(lambda w: w.package, _equals)),
    "packageNameMatches": (0x100000, _text(lambda w: w.package, _matches)),
    "resourceId": (0x200000, _text(lambda w: w.resource_id, _equals)),
    "resourceIdMatches": (0x400000, _text(lambda w: w.resource_id, _matches)),
    "index": (0x800000, lambda position, wanted: position.index == wanted),
}
_INSTANCE = 0x01000000


def find_all(phone: Phone, selector: Mapping[str, Any]) -> list[WidgetPosition]:
    """All widgets that match the selector; each part before the last ``child``/``sibling`` gives its first match.

    Raises:
        BadSelector: it is invalid.
    """
    roots = [WidgetPosition(window.root, index, None) for index, window in enumerate(phone.reported())]
    return _search(roots, selector, 0)


def find(phone: Phone, selector: Mapping[str, Any]) -> WidgetPosition | None:
    """The widget of the selector: the first match, or the one with its ``instance`` number."""
    positions = find_all(phone, selector)
    return positions[0] if positions else None


def _walk(position: WidgetPosition) -> Iterator[WidgetPosition]:
    yield position
    for index, child in enumerate(shown_children(position.widget)):
        yield from _walk(WidgetPosition(child, index, position))


def _search(roots: list[WidgetPosition], selector: Mapping[str, Any], depth: int) -> list[WidgetPosition]:
    if not isinstance(selector, Mapping):
        raise BadSelector("a selector is a JSON object")
    if depth > MOST_NESTED:
        raise BadSelector("too many nested selectors")
    mask = selector.get("mask", 0)
    if not isinstance(mask, int) or isinstance(mask, bool):
        raise BadSelector("mask must be a number")
    tests = [(test, selector.get(key)) for key, (bit, test) in _TESTS.items() if mask & bit]
    matches = [
        position
        for root in roots
        for position in _walk(root)
        if all(test(position, wanted) for test, wanted in tests)
    ]
    if mask & _INSTANCE:
        instance = selector.get("instance")
        if not isinstance(instance, int):
            raise BadSelector("instance must be a number")
        matches = matches[instance : instance + 1] if instance >= 0 else []
    steps, inner = selector.get("childOrSibling") or [], selector.get("childOrSiblingSelector") or []
    if not isinstance(steps, list) or not isinstance(inner, list) or len(steps) != len(inner):
        raise BadSelector("childOrSibling and childOrSiblingSelector must be lists of the same length")
    for step, sub in zip(steps, inner, strict=True):
        if not matches:
            return []
        base = matches[0] if step == "child" else matches[0].parent
        if base is None:
            return []
        below = [
            WidgetPosition(child, index, base) for index, child in enumerate(shown_children(base.widget))
        ]
        matches = _search(below, sub, depth + 1)
    return matches


def info(position: WidgetPosition) -> dict[str, Any]:
    """The server's description of an object (``ObjInfo``)."""
    widget = position.widget
    seen = widget.seen or widget.box
    bounds = {"left": seen[0], "top": seen[1], "right": seen[2], "bottom": seen[3]}
    return {
        "bounds": bounds,
        "visibleBounds": dict(bounds),
        "checkable": widget.flag("checkable"),
        "checked": widget.flag("checked"),
        "childCount": sum(1 for _ in shown_children(widget)),
        "className": widget.android,
        "clickable": widget.flag("clickable"),
        "contentDescription": widget.desc,
        "enabled": widget.flag("enabled"),
        "focusable": widget.flag("focusable"),
        "focused": widget.focused,
        "longClickable": widget.flag("long_clickable"),
        "packageName": widget.package,
        "resourceName": widget.resource_id or None,
        "scrollable": scrolls(widget),
        "selected": widget.flag("selected"),
        "text": widget.shown_text,
    }
