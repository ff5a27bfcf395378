"""Screens as data that can be changed and printed: as a uiautomator dump, a portal's JSON, or DroidBot's views."""

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias
from xml.sax.saxutils import escape

Box: TypeAlias = tuple[int, int, int, int]
Format: TypeAlias = Literal["dump", "portal", "views"]

ROOT: Final = -1
COUNT: Final = "#children"
"""How many children the source says that a node has: only DroidBot's views say it."""

FLAGS: Final = {
    "checkable": ("isCheckable", "checkable"),
    "checked": ("isChecked", "checked"),
    "clickable": ("isClickable", "clickable"),
    "enabled": ("isEnabled", "enabled"),
    "focused": ("isFocused", "focused"),
    "scrollable": ("isScrollable", "scrollable"),
    "long-clickable": ("isLongClickable", "long_clickable"),
    "password": ("isPassword", "is_password"),
    "selected": ("isSelected", "selected"),
    "editable": ("isEditable", "editable"),
    "visible-to-user": ("isVisibleToUser", "visible"),
    "showing-hint": ("isShowingHintText", "isShowingHintText"),
}
"""Truth values: the name in a dump, and those in JSON of a portal and of DroidBot."""
TEXTS: Final = {
    "text": ("text", "text"),
    "resource-id": ("resourceId", "resource_id"),
    "class": ("className", "class"),
    "package": ("packageName", "package"),
    "content-desc": ("contentDescription", "content_description"),
    "hint": ("hint", "hint"),
}
NUMBERS: Final = {"drawing-order": ("drawingOrder", "drawingOrder")}
ATTRIBUTES: Final = (*TEXTS, *FLAGS, *NUMBERS, "index", "bounds")
"""The attributes that the readers know."""

_SPECIAL: Final = re.compile(r"[&<>\"\n\r\t]")
_ENTITIES: Final = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_BOUNDS: Final = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")


@dataclass(frozen=True, slots=True)
class Page:
    """One screen: its nodes in document order.

    Attributes:
        name: where it is from.
        attrs: of each node, as in a dump; what is absent is unknown.
        parents: the position of each node's parent, `ROOT` for a window's root.
        app: package and activity in front; None: not known.
        now: the device's clock.
        places: the position that each node had before anything was changed.
    """

    name: str
    attrs: tuple[Mapping[str, str], ...]
    parents: tuple[int, ...]
    app: tuple[str, str | None] | None
    now: dt.datetime
    places: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.places:
            object.__setattr__(self, "places", tuple(range(len(self.attrs))))

    def children(self) -> dict[int, list[int]]:
        """Position of a node, or `ROOT` -> its children."""
        found: dict[int, list[int]] = {}
        for at, parent in enumerate(self.parents):
            found.setdefault(parent, []).append(at)
        return found

    def around(self, at: int) -> Iterator[int]:
        """The ancestors of a node, the innermost first."""
        while (at := self.parents[at]) != ROOT:
            yield at

    def inside(self, at: int) -> list[int]:
        """The nodes inside a node, not itself."""
        found: list[int] = []
        inner = {at}
        for place in range(at + 1, len(self.parents)):
            if self.parents[place] not in inner:
                break
            inner.add(place)
            found.append(place)
        return found

    def box(self, at: int) -> Box:
        """The box that a node says."""
        found = _BOUNDS.fullmatch(self.attrs[at].get("bounds", ""))
        return tuple(map(int, found.groups())) if found is not None else (0, 0, 0, 0)  # type: ignore[return-value]

    def seen(self, at: int) -> Box | None:
        """What shows of a node: its box, cut to its ancestors; None: nothing."""
        left, top, right, bottom = self.box(at)
        for outer in self.around(at):
            box = self.box(outer)
            left, top, right, bottom = (
                max(left, box[0]),
                max(top, box[1]),
                min(right, box[2]),
                min(bottom, box[3]),
            )
        return (left, top, right, bottom) if left < right and top < bottom else None

    def short_id(self, at: int) -> str:
        """``title`` of ``com.app:id/title``."""
        return self.attrs[at].get("resource-id", "").rpartition("/")[2]


def page_of(
    xml: str | bytes, *, name: str, app: tuple[str, str | None] | None, now: dt.datetime
) -> Page | None:
    """The page of a dump; None: it holds no node, or what is not a tree.

    Raises:
        lxml.etree.XMLSyntaxError: it is broken.
    """
    from lxml import etree

    root = etree.fromstring(xml.encode() if isinstance(xml, str) else xml)
    attrs: list[dict[str, str]] = []
    parents: list[int] = []
    pending = [(element, ROOT) for element in reversed(root)]
    while pending:
        element, parent = pending.pop()
        if not isinstance(element.tag, str):
            return None
        own = {str(key): str(value) for key, value in element.attrib.items()}
        if element.tag != "node":
            own.setdefault("class", element.tag)
        if not _BOUNDS.fullmatch(own.get("bounds", "")):
            return None
        own[COUNT] = str(len(element))
        parents.append(parent)
        attrs.append(own)
        at = len(attrs) - 1
        pending.extend((child, at) for child in reversed(element))
    return Page(name, tuple(attrs), tuple(parents), app, now) if attrs else None


def without(page: Page, gone: set[int], *, told: bool) -> Page:
    """A page without some nodes and what is inside of them.

    Args:
        told: what else says of them stays: the ``index`` of the next ones, and how many children there are.
    """
    out = set(gone)
    for at, parent in enumerate(page.parents):
        if parent in out:
            out.add(at)
    left = [at for at in range(len(page.attrs)) if at not in out]
    new = {at: place for place, at in enumerate(left)}
    attrs = {at: dict(page.attrs[at]) for at in left}
    if not told:
        for parent, mine in page.children().items():
            fewer = 0
            for child in mine:
                if child in out:
                    fewer += 1
                elif fewer and attrs[child].get("index", "").isdigit():
                    attrs[child]["index"] = str(int(attrs[child]["index"]) - fewer)
            if parent in attrs and COUNT in attrs[parent]:
                attrs[parent][COUNT] = str(int(attrs[parent][COUNT]) - fewer)
    return replace(
        page,
        attrs=tuple(attrs[at] for at in left),
        parents=tuple(new.get(page.parents[at], ROOT) for at in left),
        places=tuple(page.places[at] for at in left),
    )


# ---------------------------------------------------------------------- printed


def printed(page: Page, form: Format) -> str:
    """The page as a source would give it."""
    return {"dump": _dump, "portal": _portal, "views": _views}[form](page)


def _quoted(value: str) -> str:
    return escape(value, _ENTITIES) if _SPECIAL.search(value) else value


def _dump(page: Page) -> str:
    out = ["<hierarchy rotation='0'>"]
    children = page.children()
    pending: list[int | None] = list(reversed(children.get(ROOT, [])))
    while pending:
        at = pending.pop()
        if at is None:
            out.append("</node>")
            continue
        said = "".join(
            [f' {name}="{_quoted(value)}"' for name, value in page.attrs[at].items() if name != COUNT]
        )
        out.append(f"<node{said}>")
        pending.append(None)
        pending.extend(reversed(children.get(at, [])))
    out.append("</hierarchy>")
    return "".join(out)


def _values(attrs: Mapping[str, str], which: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in attrs.items():
        if name in TEXTS:
            found[TEXTS[name][which]] = value
        elif name in FLAGS and value in ("true", "false"):
            found[FLAGS[name][which]] = value == "true"
        elif name in NUMBERS and value.isdigit():
            found[NUMBERS[name][which]] = int(value)
    return found


def _portal(page: Page) -> str:
    """The state of mobilerun's portal."""
    children = page.children()

    def node(at: int) -> dict[str, Any]:
        found = _values(page.attrs[at], 0)
        if "bounds" in page.attrs[at]:
            found["boundsInScreen"] = dict(zip(("left", "top", "right", "bottom"), page.box(at), strict=True))
        found["children"] = [node(child) for child in children.get(at, [])]
        return found

    roots = [node(at) for at in children.get(ROOT, [])]
    state = {"keyboardVisible": False}
    if page.app is not None:
        state |= {"packageName": page.app[0], "activityName": page.app[1] or ""}  # type: ignore[dict-item]
    return json.dumps({"a11y_tree": roots[0] if len(roots) == 1 else roots, "phone_state": state})


def _views(page: Page) -> str:
    """A state of DroidBot."""
    children = page.children()
    views = []
    for at, attrs in enumerate(page.attrs):
        view = _values(attrs, 1)
        if "bounds" in attrs:
            left, top, right, bottom = page.box(at)
            view["bounds"] = [[left, top], [right, bottom]]
        views.append(
            {
                **view,
                "temp_id": at,
                "parent": page.parents[at],
                "children": children.get(at, []),
                "child_count": int(attrs.get(COUNT, "0")),
            }
        )
    front = {} if page.app is None else {"foreground_activity": f"{page.app[0]}/{page.app[1] or '.Main'}"}
    return json.dumps({**front, "views": views})


def bounds(box: Sequence[int]) -> str:
    """A box as dumps say it."""
    return f"[{box[0]},{box[1]}][{box[2]},{box[3]}]"
