"""Reads the XML of a UI dump as elements; of a dump similar to an earlier one only the differences are parsed."""

import functools
import re
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from vsalang.base.records import dataclass
from vsalang.screen.tree.build import Elements
from vsalang.screen.tree.face import ATTRIBUTES, BadBounds, Box, Face, Values, values_of
from vsalang.screen.tree.node import MAX_DEPTH, MAX_NODES, DumpError
from vsalang.screen.tree.source import xml_parser

if TYPE_CHECKING:
    from lxml.etree import _Element

_TAG: Final = re.compile(
    r"""[A-Za-z_][\w.$-]*(?:\s+[A-Za-z_][\w.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(/?)>\s*""", re.ASCII
)
_STANDS: Final = re.compile(r"""\s(rotation|width|height)\s*=\s*["'](\d{1,6})["']""", re.ASCII)
_NAME: Final = re.compile(r"[^\s/>]+")
_VALUE: Final = '"([^"&<\\x00-\\x1f\\ud800-\\udfff\\ufffe\\uffff]*)"'
"""A value in quotes that means what is written: no reference, no blank but the space, and only characters of XML."""
_BLANKS: Final = r"[ \t\r\n]*"
_GIVES: Final = re.compile(r' ([A-Za-z_][A-Za-z0-9_.-]*)="')
_FIRST: Final = re.compile(rf"hierarchy((?: [a-z][a-z-]*={_VALUE.replace('(', '(?:')})*){_BLANKS}>{_BLANKS}")
_LAST: Final = re.compile(rf"/hierarchy{_BLANKS}>")
_END: Final = re.compile(rf"/node{_BLANKS}>{_BLANKS}")
_MOST_ATTRIBUTES: Final = 60
_LONGEST_NAME: Final = 100


class Tag(NamedTuple):
    """The text between two ``<``: the opened element, its attributes, and whether the tag also closes it."""

    name: str
    face: Face | None
    closed: bool


_HIERARCHY: Final = Tag("hierarchy", None, False)

Tags = dict[str, Tag]
"""Texts that were found in well-formed dumps, and what they mean."""


def flatten(root: "_Element", name: str, lines_before: int) -> Elements:
    """All elements below a ``hierarchy`` element, whose children are the windows, topmost first.

    Raises:
        DumpError: a limit is exceeded, or bounds are missing or unreadable.
    """

    def refuse(why: str) -> DumpError:
        line = lines_before + int(cast("int | None", element.sourceline) or 1)
        return DumpError(why, name=name, line=line)

    faces: list[Face] = []
    parents: list[int] = []
    windows: list[int] = []
    pending: list[tuple[_Element, int, int, int]] = [
        (element, -1, number, 1) for number, element in reversed(list(enumerate(root, 1)))
    ]
    while pending:
        element, parent, window, depth = pending.pop()
        tag = element.tag
        if not isinstance(tag, str):
            raise refuse("holds an entity reference: nothing is expanded")
        if tag == "hierarchy":
            raise refuse("holds a hierarchy inside a hierarchy")
        if len(faces) >= MAX_NODES:
            raise refuse(f"more than {MAX_NODES} nodes")
        if depth > MAX_DEPTH:
            raise refuse(f"nested deeper than {MAX_DEPTH} levels")
        attrs = cast("dict[str, str]", dict(element.items()))
        position = len(faces)
        try:
            faces.append(_face(attrs, tag))
        except BadBounds as error:
            raise refuse(f"a node has {error}: [left,top][right,bottom] is needed") from error
        parents.append(parent)
        windows.append(window)
        if len(element):
            pending.extend([(child, position, window, depth + 1) for child in reversed(element)])
    return Elements(faces, parents, windows, {})


def _face(attrs: dict[str, str], tag: str) -> Face:
    """The face of an element. In Appium's page source the tag is the class, and only what has a hint gives one.

    Raises:
        BadBounds: bounds are missing or unreadable.
    """
    if tag == "node":
        return Face(values_of(attrs), attrs.get("class"))
    return Face(values_of({"hint": "", **attrs}), attrs.get("class") or tag)


@dataclass(frozen=True, slots=True)
class Stand:
    """How the screen stood on a look: on its side or not, and the largest window, which turns with it."""

    odd: bool
    area: Box


def turned(text: str, elements: Elements, before: Stand | None) -> tuple[bool, Stand | None]:
    """Whether the windows of a dump are older than the last turn of the screen, and how it stood when they were true.

    They are if ``rotation`` changed by a quarter and the largest window did not, or if that window lies the other way
    than ``width`` and ``height`` of the ``hierarchy`` say, and does not fit in.

    Args:
        before: as it was on the look before; None: not known.
    """
    start = text.find("<hierarchy")
    turns = {key: int(value) for key, value in _STANDS.findall(text, start, text.find(">", start))}
    roots = [face.box for face, parent in zip(elements.faces, elements.parents, strict=True) if parent < 0]
    area = max(roots, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]), default=(0, 0, 0, 0))
    wide, high = area[2] - area[0], area[3] - area[1]
    width, height = turns.get("width", 0), turns.get("height", 0)
    if width and height and (wide > high) != (width > height) and (wide > width or high > height):
        return True, before
    if "rotation" not in turns:
        return False, before
    stand = Stand(turns["rotation"] % 2 == 1, area)
    if before is not None and before.odd != stand.odd and before.area == area and wide != high:
        return True, before
    return False, stand


def pieces(text: str) -> list[str] | None:
    """The text of a ``hierarchy`` element, cut before each ``<``; the first and the last are its own tags.

    None: it has but one.
    """
    parts = text.split("<")
    return parts[1:] if len(parts) > 2 and parts[-1].startswith("/hierarchy") else None


def remember(parts: list[str], elements: Elements) -> tuple[Tags, Elements] | None:
    """The meaning of the pieces of a text with these elements; None if they do not fit together.

    Returns:
        With them the same elements again; those with the same tag have one face.
    """
    first, last = parts[0], parts[-1]
    starts = [piece for piece in parts[1:] if not piece.startswith("/")]
    if len(starts) != len(elements.faces) or "xmlns" in first or any("xmlns" in piece for piece in starts):
        return None  # comments and the like are pieces too
    tags: Tags = {first: _HIERARCHY, last: _HIERARCHY}
    for piece, face in zip(starts, elements.faces, strict=True):
        if piece not in tags:
            name = _NAME.match(piece)
            if name is None:
                return None
            tags[piece] = Tag(name[0], face, piece.rstrip().endswith("/>"))
    for piece in parts:
        if piece.startswith("/") and piece not in tags:
            tags[piece] = Tag(piece[1:].partition(">")[0].rstrip(), None, True)
    again = _structure(parts, tags)
    if again is None or again.parents != elements.parents or again.windows != elements.windows:
        return None
    return tags, again


def reread(text: str, tags: Tags) -> "tuple[Elements, Tags] | None":
    """The elements of the ``hierarchy`` element of a dump; only unknown tags are parsed. None: parse all of it.

    A tag that was found in a well-formed dump is well-formed, so it need not be parsed again. It remains to check that
    tags match, and that only blanks are between new ones. Everything unusual, and every error, is left to the parser of
    the whole dump.

    Args:
        tags: those that are known; none before the first dump.
    """
    parts = pieces(text)
    if parts is None or len(parts) > 3 * MAX_NODES:
        return None
    distinct = dict.fromkeys(parts)
    unknown = [piece for piece in distinct if piece not in tags] if tags else list(distinct)
    if unknown:
        new = _outermost(parts, tags)
        more = (
            None if new is None else _parsed([piece for piece in unknown if piece not in new], first=not tags)
        )
        if new is None or more is None:
            return None
        tags = {**tags, **new, **more}
        if len(tags) > 4 * len(parts) + 100:
            tags = {piece: tags[piece] for piece in parts}
    if tags[parts[0]] is not _HIERARCHY or tags[parts[-1]] is not _HIERARCHY:
        return None
    elements = _structure(parts, tags)
    return None if elements is None else (elements, tags)


def _outermost(parts: list[str], tags: Tags) -> Tags | None:
    """The tags of ``hierarchy`` itself that are not known; None if they are unusual."""
    new: Tags = {}
    if parts[0] not in tags:
        match = _FIRST.fullmatch(parts[0])
        names = [] if match is None else _GIVES.findall(match[1])
        if match is None or len({*names}) < len(names) or "xmlns" in names:
            return None
        new[parts[0]] = _HIERARCHY
    if parts[-1] not in tags:
        if _LAST.fullmatch(parts[-1]) is None:
            return None
        new[parts[-1]] = _HIERARCHY
    return new


@dataclass(frozen=True, slots=True)
class _Form:
    """How tags ``node`` are written that give the same attributes in the same order.

    Attributes:
        pattern: matches them; the groups are the values, and a slash if the tag also closes the element.
        pick: takes what faces are read of, and the class, from the groups, and a None after them.
    """

    pattern: re.Pattern[str]
    pick: Callable[[tuple[str | None, ...]], Values]


@functools.lru_cache(maxsize=32)
def _form(names: tuple[str, ...]) -> _Form | None:
    """The form of tags that give these attributes; None if there can be none."""
    if len(names) > _MOST_ATTRIBUTES or len({*names}) < len(names) or "xmlns" in names:
        return None
    if max(map(len, names), default=0) > _LONGEST_NAME:
        return None
    values = "".join(f" {re.escape(name)}={_VALUE}" for name in names)
    places = [names.index(name) if name in names else -1 for name in (*ATTRIBUTES, "class")]
    return _Form(re.compile(f"node{values} ?(/?)>{_BLANKS}"), itemgetter(*places))


def _usual(unknown: list[str]) -> tuple[Tags, list[str]]:
    """What the tags mean that are written as the first one of them is, which most are; and the others.

    Raises:
        BadBounds: bounds are missing or unreadable.
    """
    first = next((piece for piece in unknown if piece.startswith("node ")), "")
    form = _form(tuple(_GIVES.findall(first)))
    tags: Tags = {}
    others: list[str] = []
    for piece in unknown:
        match = None if form is None else form.pattern.fullmatch(piece)
        if form is not None and match is not None:
            groups = match.groups()
            *values, cls = form.pick((*groups, None))
            tags[piece] = Tag("node", Face(values, cls), bool(groups[-1]))
        elif _END.fullmatch(piece) is not None:
            tags[piece] = Tag("node", None, True)
        else:
            others.append(piece)
    return tags, others


def _parsed(unknown: list[str], *, first: bool) -> Tags | None:
    """What tags mean; None if they are unusual. `first`: of the first dump, so that all are, if its first tag is."""
    try:
        tags, unknown = _usual(unknown)
    except BadBounds:
        return None
    if first and not tags:
        return None
    if not unknown:
        return tags
    from lxml import etree

    opening: list[tuple[str, bool]] = []
    text: list[str] = []
    for piece in unknown:
        if piece.startswith("/"):
            return None  # all tags of a dump end in the same way
        match = _TAG.fullmatch(piece)
        if match is None or "xmlns" in piece:
            return None
        closed = bool(match[1])
        opening.append((piece, closed))
        bare = piece.rstrip()
        text.append(f"<{bare}" if closed else f"<{bare[:-1]}/>")
    try:
        root = etree.fromstring(f"<hierarchy>{''.join(text)}</hierarchy>".encode(), xml_parser())
    except (etree.XMLSyntaxError, UnicodeEncodeError):
        return None
    if len(root) != len(opening):
        return None
    for (piece, closed), element in zip(opening, root, strict=True):
        tag = element.tag
        if not isinstance(tag, str) or tag == "hierarchy" or len(element) or element.text or element.tail:
            return None
        attrs = cast("dict[str, str]", dict(element.items()))
        try:
            face = _face(attrs, tag)
        except BadBounds:
            return None
        tags[piece] = Tag(tag, face, closed)
    return tags


def _structure(parts: list[str], tags: Tags) -> Elements | None:
    """How the elements are nested; None if tags do not match, or a limit is exceeded."""
    faces: list[Face] = []
    parents: list[int] = []
    windows: list[int] = []
    around: list[int] = []
    names: list[str] = []
    parent, window = -1, 0
    for piece in parts[1:-1]:
        tag = tags[piece]
        face = tag.face
        if face is None:
            if not names or names.pop() != tag.name:
                return None
            around.pop()
            parent = around[-1] if around else -1
            continue
        if parent < 0:
            window += 1
        parents.append(parent)
        windows.append(window)
        if len(around) >= MAX_DEPTH:
            return None
        if not tag.closed:
            parent = len(faces)
            around.append(parent)
            names.append(tag.name)
        faces.append(face)
    if names or len(faces) > MAX_NODES:
        return None
    return Elements(faces, parents, windows, {})
