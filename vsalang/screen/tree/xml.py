"""Reads the XML of a UI dump as elements; of a dump similar to an earlier one only the differences are parsed."""

import re
from typing import TYPE_CHECKING, Final, cast

from vsalang.base.records import dataclass
from vsalang.screen.tree.build import Elements
from vsalang.screen.tree.face import BadBounds, Box, Face
from vsalang.screen.tree.node import MAX_DEPTH, MAX_NODES, DumpError
from vsalang.screen.tree.source import locate, xml_parser

if TYPE_CHECKING:
    from lxml.etree import _Element

_TAG: Final = re.compile(
    r"""[A-Za-z_][\w.$-]*(?:\s+[A-Za-z_][\w.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(/?)>\s*""", re.ASCII
)
_STANDS: Final = re.compile(r"""\s(rotation|width|height)\s*=\s*["'](\d{1,6})["']""", re.ASCII)
_NAME: Final = re.compile(r"[^\s/>]+")


@dataclass(frozen=True, slots=True)
class Tag:
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
        attrs = cast("dict[str, str]", dict(element.attrib))
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
        return Face(attrs, attrs.get("class"))
    return Face({"hint": "", **attrs}, attrs.get("class") or tag)


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


def reread(text: str, tags: Tags, name: str) -> "tuple[Elements, Tags, tuple[str, ...]] | None":
    """The elements of a dump; only unknown tags are parsed. None: parse the whole dump.

    A tag that was found in a well-formed dump is well-formed, so it need not be parsed again. It remains to check that
    tags match, and that only blanks are between new ones. Everything unusual, and every error, is left to the parser of
    the whole dump.

    Raises:
        DumpError: what `locate` raises.
    """
    start, end, notes = locate(text, name)
    parts = pieces(text[start:end])
    if parts is None or len(parts) > 3 * MAX_NODES:
        return None
    if tags.get(parts[0]) is not _HIERARCHY or tags.get(parts[-1]) is not _HIERARCHY:
        return None
    unknown = [piece for piece in dict.fromkeys(parts) if piece not in tags]
    if unknown:
        new = _parsed(unknown)
        if new is None:
            return None
        tags = {**tags, **new}
        if len(tags) > 4 * len(parts) + 100:
            tags = {piece: tags[piece] for piece in parts}
    elements = _structure(parts, tags)
    return None if elements is None else (elements, tags, notes)


def _parsed(unknown: list[str]) -> Tags | None:
    from lxml import etree

    tags: Tags = {}
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
        attrs = cast("dict[str, str]", dict(element.attrib))
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
        if not tag.closed:
            if len(around) >= MAX_DEPTH:
                return None
            parent = len(faces)
            around.append(parent)
            names.append(tag.name)
        faces.append(face)
    if names or len(faces) > MAX_NODES:
        return None
    return Elements(faces, parents, windows, {})
