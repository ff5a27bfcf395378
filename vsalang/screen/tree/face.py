"""The attributes of one element, without its surroundings: read once, and used again while they do not change."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeAlias

from vsalang.program.text import canonical, plain
from vsalang.screen.tree.shape import SCROLLS, Kind, own_fingerprint, trait_of, words_of

Box = tuple[int, int, int, int]
"""Bounds: left, top, right, bottom."""

_BOUNDS: Final = re.compile(r"\[(-?\d{1,10}),(-?\d{1,10})\]\[(-?\d{1,10}),(-?\d{1,10})\]", re.ASCII)
_INDEX: Final = re.compile(r"-?\d{1,9}")
_GLYPHS: Final = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_EDITABLE: Final = ("EditText", "AutoComplete", "AutoCompleteTextView")
_FLAGS: Final[Mapping[str | None, bool]] = {"true": True, "false": False}
_KNOWN_WORDS: Final = frozenset({"true", "false", "", None})
_MOST_FLAGS: Final = 1000
ATTRIBUTES: Final = (
    *("bounds", "untold", "visible-to-user", "displayed", "child-count", "drawing-order", "index", "package"),
    *("resource-id", "text", "hint", "showing-hint", "content-desc", "said", "lacks"),
    *("clickable", "long-clickable", "checkable", "checked", "enabled", "focused", "scrollable", "selected"),
    *("password", "editable"),
)
"""The attributes that a face is read of, in this order; those from ``clickable`` on are true or false.

Besides those of a dump there may be ``editable`` (else the class decides), ``said`` (words for which the source does
not say whether they are text or description), ``lacks`` (the attributes that the source has no place for, so that it
did not leave them out), and ``untold`` (this is not an element of the source).
"""
Values: TypeAlias = Sequence[str | None]
"""The values of `ATTRIBUTES`; None: not given."""
_CAN_BE_NONE: Final = (("text", "length"), ("id", "resource_id"), ("desc",))
"""What a node has of ``text``, ``resource-id`` and ``content-desc``, which a dump may give as empty: there is none."""
_NEVER_NONE: Final = (
    *("package", "clickable", "long_clickable", "checkable", "checked", "enabled", "focused", "scrollable"),
    *("selected", "password", "editable"),
)
"""Attributes that each node has, so that one without a value was not read."""


SOMETIMES: Final = frozenset({"hint", "index"})
"""Attributes that some sources never give: an element lacks one only where others of its tree have it."""
_LACKS: Final = {
    (hint, index): frozenset([*["hint"] * hint, *["index"] * index])
    for hint in (False, True)
    for index in (False, True)
}
"""Those of `SOMETIMES` that are lacking, by whether the hint and the index are."""


class BadBounds(ValueError):
    """An element without bounds that can be read."""


_NOTHING: Final = frozenset[str]()


def values_of(attrs: Mapping[str, str]) -> Values:
    """The values of `ATTRIBUTES` that an element gives."""
    return tuple(map(attrs.get, ATTRIBUTES))


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

    def __init__(self, values: Values, cls: str | None) -> None:
        """Read the attributes of a uiautomator dump (other sources are brought into their form first).

        Args:
            values: those of `ATTRIBUTES`; None: the element does not give it.
            cls: the full name of the class.

        Raises:
            BadBounds: bounds are missing or unreadable.
        """
        bounds, untold, visible, displayed, count, order, index, package, resource, *more = values
        text_given, hint_given, prompted, desc_given, words_given, lacks, *flags_given = more
        match = _BOUNDS.fullmatch(bounds or "")
        if match is None:
            raise BadBounds("no bounds" if bounds is None else "unreadable bounds")
        left, top, right, bottom = match.groups()
        self.box: Box = (int(left), int(top), int(right), int(bottom))
        self.told = told = untold is None
        self.hidden = (visible or displayed) == "false"
        self.count = int(count) if count and _INDEX.fullmatch(count) else None
        self.order = int(order) if order and _INDEX.fullmatch(order) else None
        self.index = int(index) if index and _INDEX.fullmatch(index) else None
        key = tuple(flags_given)
        flags = _KNOWN_FLAGS.get(key) or _flags(key)
        (
            self.clickable,
            self.long_clickable,
            self.checkable,
            self.checked,
            self.enabled,
            self.focused,
            self.scrollable,
            self.selected,
            self.password,
            editable,
        ) = flags
        self.touch = touch = flags[0] is True or flags[1] is True
        self.cls = short = _text(cls.rpartition(".")[2]) if cls else None
        self.package = package = _text(package)
        self.resource_id = resource_id = _text(resource)
        self.id = _short(resource_id)
        if editable is None and short:
            editable = short.removesuffix("\n").endswith(_EDITABLE)
        self.editable = editable
        text, hint, self.length = _content(
            text_given,
            hint_given,
            prompt=prompted == "true",
            password=flags[8] is True,
            editable=editable is True,
        )
        self.text, self.hint = text, hint
        self.desc = desc = _text(desc_given)
        description = _text(words_given)
        self.own = own = _first_words(desc, text, description)
        self.unread = _NOTHING
        self.lacks = _NOTHING
        self.unsure = False
        if told:
            missing = desc_given is None or text_given is None or resource is None
            if missing or package is None or short is None or editable is None or None in flags[:9]:
                self.unread = self._unread((text_given, resource, desc_given), (lacks or "").split())
            if hint_given is None or index is None:
                self.lacks = _LACKS[hint_given is None, index is None]
            if description is None:
                self.unsure = _unsure(text_given, desc_given, desc, own)
        self.prompt = wording(hint) if hint is not None else ""
        self.kind: Kind = (package, short, resource_id)
        self.words = words = words_of(text, desc or description, editable=editable is True)
        self.fingerprint = own_fingerprint(self.kind, words, hint)
        self.trait = trait_of(
            short,
            words,
            touch=touch,
            steady=editable is True or flags[2] is True,
            scrolls=flags[6] is not False,
        )

    def _unread(self, can_be_none: Sequence[str | None], lacks: Collection[str]) -> frozenset[str]:
        """The attributes of the node that the source left out: what it gives as empty was read."""
        missing_names = [name for name in _NEVER_NONE if getattr(self, name) is None and name not in lacks]
        if self.cls is None:
            missing_names.append("class")
        for value, names in zip(can_be_none, _CAN_BE_NONE, strict=True):
            if value is None:
                missing_names += names
        return frozenset(missing_names) if missing_names else _NOTHING

    @property
    def scrolls(self) -> bool:
        """Whether it scrolls, or may scroll."""
        return bool(self.trait & SCROLLS)


def _unsure(text_given: str | None, desc_given: str | None, desc: str | None, own: str) -> bool:
    """Whether the words that name the element may be other ones, in a description or a text that was left out."""
    if desc is not None and wording(desc):
        return False
    return desc_given is None or (not own and text_given is None)


def _content(
    text_given: str | None, hint_given: str | None, *, prompt: bool, password: bool, editable: bool
) -> tuple[str | None, str | None, int | None]:
    """Text, hint and length. A prompt is not a text, and the content of a password field is left out."""
    text = _text(text_given)
    hint = _text(hint_given)
    if prompt:
        return None, hint or text, 0
    if text is None:
        return None, hint, 0 if editable and text_given is not None else None
    if text == hint:
        return None, hint, 0
    return (None if password else text), hint, len(text)


def wording(text: str) -> str:
    """The words of a text: without icon glyphs (private use), invisible characters, outer blanks."""
    if not text.isascii() and _GLYPHS.search(text):
        return plain(_GLYPHS.sub("", text)).strip(" ,\t\r\n")
    return plain(text)


def _text(value: str | None) -> str | None:
    """The canonical text of an attribute; None: it is empty, or not given."""
    if not value:
        return None
    return value if value.isascii() else canonical(value)


_Flags: TypeAlias = tuple[bool | None, ...]
_KNOWN_FLAGS: Final[dict[tuple[str | None, ...], _Flags]] = {}


def _flags(words: tuple[str | None, ...]) -> _Flags:
    """The truth values of attributes; those that sources give are kept: each screen has few combinations of them."""
    flags = tuple(map(_FLAGS.get, words))
    if len(_KNOWN_FLAGS) < _MOST_FLAGS and _KNOWN_WORDS.issuperset(words):
        _KNOWN_FLAGS[words] = flags
    return flags


def _first_words(*texts: str | None) -> str:
    """The words of the first text that has any; empty: none has."""
    for text in texts:
        if text and (words := wording(text)):
            return words
    return ""


def _short(resource: str | None) -> str | None:
    """``title`` of ``com.app:id/title``; ids of web pages and test tags have no such prefix."""
    if resource is None:
        return None
    _, id_separator, short = resource.partition(":id/")
    return (short if id_separator else resource) or None
