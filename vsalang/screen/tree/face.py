"""The attributes of one element, without its surroundings: read once, and used again while they do not change."""

import re
from collections.abc import Mapping
from typing import Final

from vsalang.program.text import canonical, plain
from vsalang.screen.tree.shape import SCROLLS, Kind, own_fingerprint, trait_of, words_of

Box = tuple[int, int, int, int]
"""Bounds: left, top, right, bottom."""

_BOUNDS: Final = re.compile(r"\[(-?\d{1,10}),(-?\d{1,10})\]\[(-?\d{1,10}),(-?\d{1,10})\]", re.ASCII)
_INDEX: Final = re.compile(r"-?\d{1,9}")
_GLYPHS: Final = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_EDITABLE: Final = re.compile(r"EditText$|AutoComplete(?:TextView)?$")
_FLAGS: Final = {"true": True, "false": False}
_CAN_BE_NONE: Final = {
    "text": ("text", "length"),
    "resource-id": ("id", "resource_id"),
    "content-desc": ("desc",),
}
"""Attributes of a dump that may be given as empty, which says that there is none -> those of a node."""
_NEVER_NONE: Final = (
    *("package", "clickable", "long_clickable", "checkable", "checked", "enabled", "focused", "scrollable"),
    *("selected", "password", "editable"),
)
"""Attributes that each node has, so that one without a value was not read."""


SOMETIMES: Final = frozenset({"hint", "index"})
"""Attributes that some sources never give: an element lacks one only where others of its tree have it."""


class BadBounds(ValueError):
    """An element without bounds that can be read."""


_NOTHING: Final = frozenset[str]()


class Face:
    """The attributes of one element. It is never changed, and compared by identity.

    The names are those of `vsalang.screen.tree.node.Node`, and

    Attributes:
        box: its own bounds, not yet cut.
        hidden: the source says that it is not visible.
        order: its ``drawing-order``.
        count: how many children the source says that it has.
        own: the words of its own description or text; empty if there are none.
        prompt: the words of its hint.
        told: whether it is an element of the source, not one that represents missing nodes.
        unread: see `vsalang.screen.tree.node.Node`; without ``label``, and without what is in `lacks`.
        lacks: those of `SOMETIMES` that the element does not give.
        unsure: whether it may have words of its own that were not read.
        touch: whether it takes a touch.
        kind, words, fingerprint, trait: see `vsalang.screen.tree.shape.Shape`.
    """

    __slots__ = (
        *(
            "box",
            "hidden",
            "order",
            "count",
            "index",
            "id",
            "resource_id",
            "cls",
            "package",
            "text",
            "desc",
            "hint",
        ),
        *("own", "prompt", "clickable", "long_clickable", "checkable", "checked", "enabled", "focused"),
        *(
            "scrollable",
            "selected",
            "password",
            "editable",
            "length",
            "touch",
            "told",
            "unread",
            "lacks",
            "unsure",
            "kind",
            "words",
            "fingerprint",
            "trait",
        ),
    )

    def __init__(self, attrs: Mapping[str, str], cls: str | None) -> None:
        """Read the attributes of a uiautomator dump (other sources are brought into their form first).

        There may also be ``editable`` (else the class decides), ``said`` (words for which the source does not say
        whether they are text or description), ``lacks`` (the attributes that the source has no place for, so that it
        did not leave them out), and ``untold`` (this is not an element of the source).

        Raises:
            BadBounds: bounds are missing or unreadable.
        """
        get = attrs.get
        match = _BOUNDS.fullmatch(get("bounds", ""))
        if match is None:
            raise BadBounds("unreadable bounds" if "bounds" in attrs else "no bounds")
        left, top, right, bottom = match.groups()
        self.box: Box = (int(left), int(top), int(right), int(bottom))
        self.told = "untold" not in attrs
        self.hidden = (get("visible-to-user") or get("displayed")) == "false"
        order, index, count = get("drawing-order", ""), get("index", ""), get("child-count", "")
        self.count = int(count) if _INDEX.fullmatch(count) else None
        self.order = int(order) if _INDEX.fullmatch(order) else None
        self.index = int(index) if _INDEX.fullmatch(index) else None
        flag = _FLAGS.get
        self.clickable = flag(get("clickable", ""))
        self.long_clickable = flag(get("long-clickable", ""))
        self.checkable = flag(get("checkable", ""))
        self.checked = flag(get("checked", ""))
        self.enabled = flag(get("enabled", ""))
        self.focused = flag(get("focused", ""))
        self.scrollable = flag(get("scrollable", ""))
        self.selected = flag(get("selected", ""))
        self.password = flag(get("password", ""))
        self.touch = self.clickable is True or self.long_clickable is True
        self.cls = canonical(cls.rpartition(".")[2]) or None if cls else None
        self.package = _text(attrs, "package")
        self.resource_id = _text(attrs, "resource-id")
        self.id = _short(self.resource_id)
        editable = flag(get("editable", ""))
        if editable is None and self.cls:
            editable = bool(_EDITABLE.search(self.cls))
        self.editable = editable
        self.text, self.hint, self.length = _content(attrs, editable=editable is True)
        self.desc = _text(attrs, "content-desc")
        description = _text(attrs, "said")
        self.own = next(
            (
                words
                for text in (self.desc, self.text, description)
                if text is not None and (words := wording(text))
            ),
            "",
        )
        self.unread = self._unread(attrs) if self.told else _NOTHING
        self.lacks = SOMETIMES.difference(attrs) if self.told else _NOTHING
        self.unsure = self.told and description is None and _unsure(attrs, self.desc, self.own)
        self.prompt = wording(self.hint) if self.hint is not None else ""
        self.kind: Kind = (self.package, self.cls, self.resource_id)
        self.words = words_of(self.text, self.desc or description, editable=editable is True)
        self.fingerprint = own_fingerprint(self.kind, self.words, self.hint)
        self.trait = trait_of(
            self.cls,
            self.words,
            touch=self.touch,
            steady=self.editable is True or self.checkable is True,
            scrolls=self.scrollable is not False,
        )

    def _unread(self, attrs: Mapping[str, str]) -> frozenset[str]:
        """The attributes of the node that the source left out: what it gives as empty was read."""
        lacks = attrs.get("lacks", "").split()
        missing_names = [name for name in _NEVER_NONE if getattr(self, name) is None and name not in lacks]
        if self.cls is None:
            missing_names.append("class")
        for flag, names in _CAN_BE_NONE.items():
            if flag not in attrs:
                missing_names += names
        return frozenset(missing_names) if missing_names else _NOTHING

    @property
    def scrolls(self) -> bool:
        """Whether it scrolls, or may scroll."""
        return bool(self.trait & SCROLLS)


def _unsure(attrs: Mapping[str, str], desc: str | None, own: str) -> bool:
    """Whether the words that name the element may be other ones, in a description or a text that was left out."""
    if desc is not None and wording(desc):
        return False
    return "content-desc" not in attrs or (not own and "text" not in attrs)


def _content(attrs: Mapping[str, str], *, editable: bool) -> tuple[str | None, str | None, int | None]:
    """Text, hint and length. A prompt is not a text, and the content of a password field is left out."""
    text = _text(attrs, "text")
    hint = _text(attrs, "hint")
    if attrs.get("showing-hint") == "true":
        return None, hint or text, 0
    if text is not None and text == hint:
        return None, hint, 0
    if text is None:
        return None, hint, 0 if editable and "text" in attrs else None
    return (None if attrs.get("password") == "true" else text), hint, len(text)


def wording(text: str) -> str:
    """The words of a text: without icon glyphs (private use), invisible characters, outer blanks."""
    if _GLYPHS.search(text):
        return plain(_GLYPHS.sub("", text)).strip(" ,\t\r\n")
    return plain(text)


def _text(attrs: Mapping[str, str], name: str) -> str | None:
    value = attrs.get(name)
    return canonical(value) if value else None


def _short(resource: str | None) -> str | None:
    """``title`` of ``com.app:id/title``; ids of web pages and test tags have no such prefix."""
    if resource is None:
        return None
    _, id_separator, short = resource.partition(":id/")
    return (short if id_separator else resource) or None
