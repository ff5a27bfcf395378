"""From XML elements to the tree of what shows: visible areas, drawing order, texts, labels."""

import re
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from vsalang.core.text import canonical, plain
from vsalang.device.tree.model import MAX_DEPTH, MAX_LABEL, MAX_NODES, DumpError, Node, Tree, Window

if TYPE_CHECKING:
    from lxml.etree import _Element

_BOUNDS: Final = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")
_INDEX: Final = re.compile(r"-?\d{1,9}")
_GLYPHS: Final = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_EDITABLE: Final = re.compile(r"EditText$|AutoComplete(?:TextView)?$")
_FLAGS: Final = {"true": True, "false": False}


class _Box(NamedTuple):
    """Bounds: left, top, right, bottom."""

    left: int
    top: int
    right: int
    bottom: int

    def cut(self, other: "_Box") -> "_Box":
        return _Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    @property
    def empty(self) -> bool:
        return self.left >= self.right or self.top >= self.bottom


class _Raw:
    """An element on its way to a node; `parent` is a position in the list of all of them, -1 for none."""

    __slots__ = (
        "attrs",
        "box",
        "cls",
        "draw",
        "end",
        "kids",
        "line",
        "order",
        "outer",
        "parent",
        "shown",
        "window",
    )

    def __init__(self, attrs: dict[str, str], cls: str | None, parent: int, window: int, line: int) -> None:
        self.attrs = attrs
        self.cls = cls
        self.parent = parent
        self.window = window
        self.line = line
        self.kids: list[int] = []
        self.box = _Box(0, 0, 0, 0)
        self.shown = False
        self.outer = -1
        self.order: int | None = None
        self.draw = 0
        self.end = 0


def build(root: "_Element", *, name: str, lines_before: int, notes: tuple[str, ...]) -> Tree:
    """The tree below a ``hierarchy`` element, whose children are the windows, topmost first.

    Raises:
        DumpError: a limit is exceeded, or bounds are missing or unreadable.
    """
    raws, tops = _flatten(root, name, lines_before)
    _place(raws, name)
    _order(raws, tops)
    nodes = _nodes(raws)
    windows = []
    for number, top in enumerate(tops, 1):
        raw = raws[top]
        if not raw.box.empty:
            windows.append(Window(number, _text(raw.attrs, "package"), *raw.box))
    return Tree(tuple(nodes), tuple(windows), len(raws), name, notes)


def _flatten(root: "_Element", name: str, lines_before: int) -> tuple[list[_Raw], list[int]]:
    """All elements in document order, and the positions of the windows' roots."""
    raws: list[_Raw] = []
    tops: list[int] = []
    pending: list[tuple[_Element, int, int, int]] = [
        (element, -1, number, 1) for number, element in reversed(list(enumerate(root, 1)))
    ]
    while pending:
        element, parent, window, depth = pending.pop()
        tag = element.tag
        line = lines_before + int(cast("int | None", element.sourceline) or 1)
        if not isinstance(tag, str):
            raise DumpError("holds an entity reference: nothing is expanded", name=name, line=line)
        if tag == "hierarchy":
            raise DumpError("holds a hierarchy inside a hierarchy", name=name, line=line)
        if len(raws) >= MAX_NODES:
            raise DumpError(f"more than {MAX_NODES} nodes", name=name, line=line)
        if depth > MAX_DEPTH:
            raise DumpError(f"nested deeper than {MAX_DEPTH} levels", name=name, line=line)
        attrs = {str(key): str(value) for key, value in element.items()}
        # In Appium's page source the class is the name of the tag.
        cls = attrs.get("class") or (tag if tag != "node" else None)
        position = len(raws)
        raws.append(_Raw(attrs, cls, parent, window, line))
        if parent < 0:
            tops.append(position)
        else:
            raws[parent].kids.append(position)
        pending.extend((child, position, window, depth + 1) for child in reversed(element))
    return raws, tops


def _place(raws: list[_Raw], name: str) -> None:
    """Visible areas, what shows, the nearest node around that shows, the last position inside."""
    for position, raw in enumerate(raws):
        found = _BOUNDS.fullmatch(raw.attrs.get("bounds", ""))
        if found is None:
            what = "unreadable bounds" if "bounds" in raw.attrs else "no bounds"
            raise DumpError(
                f"a node has {what}: [left,top][right,bottom] is needed", name=name, line=raw.line
            )
        left, top, right, bottom = map(int, found.groups())
        raw.box = _Box(left, top, right, bottom)
        raw.end = position
        if raw.parent >= 0:
            around = raws[raw.parent]
            raw.box = raw.box.cut(around.box)
            raw.outer = raw.parent if around.shown else around.outer
        told = raw.attrs.get("visible-to-user") or raw.attrs.get("displayed")
        raw.shown = told != "false" and not raw.box.empty
        order = raw.attrs.get("drawing-order", "")
        raw.order = int(order) if _INDEX.fullmatch(order) else None
    for raw in reversed(raws):
        if raw.parent >= 0:
            around = raws[raw.parent]
            around.end = max(around.end, raw.end)


def _order(raws: list[_Raw], tops: list[int]) -> None:
    """Drawing order: a parent before its children, siblings by ``drawing-order`` where all have one."""
    pending = list(reversed(tops))
    rank = 0
    while pending:
        raw = raws[pending.pop()]
        raw.draw = rank
        rank += 1
        kids = raw.kids
        if len(kids) > 1:
            orders = [raws[kid].order for kid in kids]
            if None not in orders:
                kids = sorted(kids, key=lambda kid: raws[kid].order or 0)
        pending.extend(reversed(kids))


def _nodes(raws: list[_Raw]) -> list[Node]:
    """The nodes that show. From the last to the first, since the label of a node needs those inside it."""
    nodes: list[Node] = []
    inner: dict[int, list[str | None]] = {}
    for position in range(len(raws) - 1, -1, -1):
        raw = raws[position]
        if not raw.shown:
            continue
        attrs = raw.attrs
        flag = {key: _FLAGS.get(value) for key, value in attrs.items()}.get
        cls = canonical(raw.cls.rpartition(".")[2]) if raw.cls else None
        resource = _text(attrs, "resource-id")
        editable = bool(_EDITABLE.search(cls)) if cls else None
        text, hint, length = _content(attrs, editable=editable is True)
        desc = _text(attrs, "content-desc")
        label = _label(desc, text, hint, inner.pop(position, []))
        clickable, long_clickable = flag("clickable"), flag("long-clickable")
        if raw.outer >= 0 and not clickable and not long_clickable and label != "":
            inner.setdefault(raw.outer, []).append(label)
        index = attrs.get("index", "")
        left, top, right, bottom = raw.box
        nodes.append(
            Node(
                node=position + 1,
                parent=raw.outer + 1 if raw.outer >= 0 else None,
                index=int(index) if _INDEX.fullmatch(index) else None,
                id=_short(resource),
                resource_id=resource,
                cls=cls or None,
                package=_text(attrs, "package"),
                text=text,
                desc=desc,
                hint=hint,
                label=label or None,
                clickable=clickable,
                long_clickable=long_clickable,
                checkable=flag("checkable"),
                checked=flag("checked"),
                enabled=flag("enabled"),
                focused=flag("focused"),
                scrollable=flag("scrollable"),
                selected=flag("selected"),
                password=flag("password"),
                editable=editable,
                length=length,
                left=left,
                top=top,
                right=right,
                bottom=bottom,
                window=raw.window,
                draw=raw.draw,
                end=raw.end + 1,
                cut=attrs["bounds"] != f"[{left},{top}][{right},{bottom}]",
            )
        )
    nodes.reverse()
    return nodes


def _content(attrs: dict[str, str], *, editable: bool) -> tuple[str | None, str | None, int | None]:
    """Text, hint and length. A prompt is no text, and what a password field shows is nobody's business."""
    shown = _text(attrs, "text")
    hint = _text(attrs, "hint")
    if attrs.get("showing-hint") == "true":
        return None, hint or shown, 0
    if shown is not None and shown == hint:
        return None, hint, 0
    if shown is None:
        return None, hint, 0 if editable and "text" in attrs else None
    return (None if attrs.get("password") == "true" else shown), hint, len(shown)


def _label(desc: str | None, text: str | None, hint: str | None, inner: list[str | None]) -> str | None:
    """Description, else text, else the labels inside (given last first), else the prompt.

    Returns:
        The label, ``""`` when there is none, or None when it is too long to be one.
    """
    for own in (desc, text):
        if own is not None and (said := wording(own)):
            return said
    if inner:
        if None in inner or sum(len(part) + 2 for part in inner if part) > MAX_LABEL + 2:
            return None
        return ", ".join(part for part in reversed(inner) if part)
    return wording(hint) if hint is not None else ""


def wording(text: str) -> str:
    """What a text says in words: without icon glyphs (private use), invisible characters, outer blanks."""
    if _GLYPHS.search(text):
        return plain(_GLYPHS.sub("", text)).strip(" ,\t\r\n")
    return plain(text)


def _text(attrs: dict[str, str], name: str) -> str | None:
    value = attrs.get(name)
    return canonical(value) if value else None


def _short(resource: str | None) -> str | None:
    """``title`` of ``com.app:id/title``; ids of web pages and test tags have no such prefix."""
    if resource is None:
        return None
    _, found, short = resource.partition(":id/")
    return (short if found else resource) or None
