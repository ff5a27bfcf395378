"""Prints the accessibility tree of the simulated phone as uiautomator does."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from xml.sax.saxutils import escape

from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.running import Window
from vsalang.phone.sim.text import printable
from vsalang.phone.sim.widgets import Widget

_HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n"


def dump(phone: Phone, *, max_depth: int = 50, compressed: bool = False, plain: bool = False) -> str:
    """The hierarchy, one child of the root for each window, topmost first.

    Args:
        max_depth: levels below a window that are printed.
        compressed: leave out layouts without id, text, description and function (click, scroll).
        plain: as the shell command ``uiautomator dump`` does: the top window only, fewer attributes.
    """
    with phone.changed:
        windows = phone.look()
        if windows is None:
            return _HEAD + '<hierarchy rotation="0" />'
        return dump_of(windows, max_depth=max_depth, compressed=compressed, plain=plain)


def dump_of(
    windows: Sequence[Window], *, max_depth: int = 50, compressed: bool = False, plain: bool = False
) -> str:
    """As `dump`, of these windows, bottom first; the phone's lock is held."""
    if windows[0].xml and all(window.kind == "recorded" for window in windows):
        return windows[0].xml
    out = [_HEAD, '<hierarchy rotation="0">']
    dumped_windows = (
        [window for window in windows if window.kind != "input_method"][-1:] if plain else windows
    )
    for index, window in enumerate(reversed(dumped_windows)):
        asked = (index, max_depth, compressed, plain)
        if asked not in window.printed:
            part: list[str] = []
            _write(window.root, index, 1, part, max_depth=max_depth, compressed=compressed, plain=plain)
            window.printed[asked] = "".join(part)
        out.append(window.printed[asked])
    out.append("</hierarchy>")
    return "".join(out)


def shown_children(widget: Widget) -> Iterator[Widget]:
    """The children that are part of the tree: visible, and not only there for layout."""
    for child in widget.children:
        if child.seen is not None and child.flag("dump") and child.tag != "spacer":
            yield child


def _write(
    widget: Widget, index: int, depth: int, out: list[str], *, max_depth: int, compressed: bool, plain: bool
) -> None:
    if depth > max_depth:
        return
    children = list(shown_children(widget))
    bare = not (
        widget.id or widget.text or widget.desc or widget.flag("clickable") or widget.flag("scrollable")
    )
    if compressed and bare and children:
        for place, child in enumerate(children):
            _write(child, index + place, depth, out, max_depth=max_depth, compressed=compressed, plain=plain)
        return
    pairs = attributes(widget, index, plain=plain)
    out.append("<node " + " ".join(f"{key}={_quoted(value)}" for key, value in pairs))
    if not children:
        out.append(" />")
        return
    out.append(">")
    for place, child in enumerate(children):
        _write(child, place, depth + 1, out, max_depth=max_depth, compressed=compressed, plain=plain)
    out.append("</node>")


_SPACES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


@lru_cache(4096)
def _quoted(value: str) -> str:
    """The value, escaped for XML. Cached, because a dump mostly repeats a few values."""
    text = printable(value)
    if '"' in text:  # as Android's KXmlSerializer chooses
        return "'" + escape(text, _SPACES | {"'": "&apos;"}) + "'"
    return f'"{escape(text, _SPACES)}"'


def attributes(widget: Widget, index: int, *, plain: bool = False) -> list[tuple[str, str]]:
    """The attributes of a node in uiautomator's order."""
    assert widget.seen is not None
    left, top, right, bottom = widget.seen
    pairs = [
        ("index", str(index)),
        ("text", widget.shown_text),
        ("resource-id", widget.resource_id),
        ("class", widget.android),
        ("package", widget.package),
        ("content-desc", widget.desc),
        ("checkable", _bool(widget.flag("checkable"))),
        ("checked", _bool(widget.flag("checked"))),
        ("clickable", _bool(widget.flag("clickable"))),
        ("enabled", _bool(widget.flag("enabled"))),
        ("focusable", _bool(widget.flag("focusable"))),
        ("focused", _bool(widget.focused)),
        ("scrollable", _bool(scrolls(widget))),
        ("long-clickable", _bool(widget.flag("long_clickable"))),
        ("password", _bool(widget.flag("password"))),
        ("selected", _bool(widget.flag("selected"))),
    ]
    if not plain:
        pairs.append(("visible-to-user", "true"))
    pairs.append(("bounds", f"[{left},{top}][{right},{bottom}]"))
    if not plain:
        pairs += [("drawing-order", str(index + 1)), ("hint", widget.hint), ("display-id", "0")]
    return pairs


def scrolls(widget: Widget) -> bool:
    """Whether the widget can scroll now; as with Android's lists, only if its content does not fit."""
    return widget.flag("scrollable") and widget.content > widget.box[3] - widget.box[1]


def _bool(value: bool) -> str:
    return "true" if value else "false"
