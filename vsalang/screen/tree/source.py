"""Reads the bytes of a dump as XML elements: encodings, text around the XML, limits, hostile input."""

import functools
import gzip
import io
import os
import re
import zlib
from typing import TYPE_CHECKING, Any, Final

from vsalang.base.source.opening import open_regular
from vsalang.program.text import safe
from vsalang.screen.tree.node import MAX_BYTES, DumpError

if TYPE_CHECKING:
    from lxml.etree import _Element

_OPEN: Final = re.compile(r"<hierarchy(?=[\s/>])")
_CLOSE: Final = re.compile(r"</hierarchy\s*>")
_EMPTY: Final = re.compile(r"""<hierarchy(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*/>""")
_WHITE: Final = " \t\r\n\ufeff"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a dump in a file, plain or gzip.

    Raises:
        DumpError: too large, or broken gzip.
        OSError: unreadable.
    """
    with open_regular(path, handed_over=True) as stream:
        return unpack(stream.read(MAX_BYTES + 1), name=str(path))


def unpack(data: bytes, *, name: str = "<dump>") -> bytes:
    """The bytes of a dump, unpacked if they are gzip (whatever the file is called).

    Raises:
        DumpError: larger than `MAX_BYTES` (also when unpacked), or broken gzip.
    """
    if data.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(data)) as stream:
                data = stream.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DumpError(f"broken gzip: {str(error).lower()}", name=name) from error
    _check_size(len(data), name)
    return data


def decode(data: bytes, name: str) -> str:
    """The text of a dump: UTF-8 or UTF-16 (PowerShell's ``>`` writes that), with or without byte-order mark.

    Raises:
        DumpError: too large, another encoding, or a NUL character.
    """
    _check_size(len(data), name)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    else:
        head = data[:256]
        even, odd = head[::2].count(0), head[1::2].count(0)
        # In UTF-16 the tags and attribute names, which are ASCII, have a zero byte in each character.
        if odd * 2 > len(head) // 2 and not even:
            encoding = "utf-16-le"
        elif even * 2 > len(head) // 2 and not odd:
            encoding = "utf-16-be"
        else:
            encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        encoding_name = "UTF-8" if encoding == "utf-8-sig" else "UTF-16"
        raise DumpError(
            f"not {encoding_name}: byte 0x{data[error.start]:02x} does not belong", name=name, line=line
        ) from error
    return text


def locate(text: str, name: str) -> tuple[int, int, tuple[str, ...]]:
    """Where the ``hierarchy`` element begins and ends in a text, and notes for the reader.

    Text before and after the element is left out: uiautomator and shells print messages into the same stream.

    Raises:
        DumpError: it is not the XML of a dump, or XML that a dump never has.
    """
    nul = text.find("\0")
    if nul >= 0:
        raise DumpError("holds a NUL character: not a UI dump", name=name, line=text.count("\n", 0, nul) + 1)
    for mark in ("<!DOCTYPE", "<!ENTITY") if "<!" in text else ():
        at = text.find(mark)
        if at >= 0:
            line = text.count("\n", 0, at) + 1
            raise DumpError(
                f"holds {mark}: a UI dump declares nothing, and nothing is expanded", name=name, line=line
            )
    opening = _OPEN.search(text)
    if opening is None:
        raise DumpError(_no_hierarchy(text), name=name)
    start = opening.start()
    if "<displays" in text[:start]:
        raise DumpError(
            "written by `uiautomator dump --windows`, which is not read: leave --windows out", name=name
        )
    empty = _EMPTY.match(text, start)
    if empty is not None:
        end = empty.end()
    else:
        closing = _CLOSE.search(text, max(text.find("</hierarchy", start), start))
        if closing is None:
            last = text.rstrip(_WHITE).count("\n") + 1
            raise DumpError("ends before </hierarchy>: the dump was cut off", name=name, line=last)
        end = closing.end()
    notes: list[str] = []
    others = len(_OPEN.findall(text, end))
    if others:
        notes.append(f"holds {others + 1} hierarchies; only the first is read")
    return start, end, tuple(notes)


@functools.cache
def xml_parser() -> Any:
    """A parser that expands no entities, fetches nothing and repairs nothing."""
    from lxml import etree

    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        recover=False,
        remove_comments=True,
        remove_pis=True,
    )


def parse(text: str, name: str) -> "tuple[_Element, int, tuple[str, ...]]":
    """The ``hierarchy`` element of a text, the number of lines before it, and notes for the reader.

    Raises:
        DumpError: it is not the XML of a dump, or XML that a dump never has.
    """
    start, end, notes = locate(text, name)
    return parse_at(text, start, end, name), text.count("\n", 0, start), notes


def parse_at(text: str, start: int, end: int, name: str) -> "_Element":
    """The ``hierarchy`` element between two positions of a text.

    Raises:
        DumpError: it is broken.
    """
    from lxml import etree

    before = text.count("\n", 0, start)
    try:
        root: _Element = etree.fromstring(text[start:end].encode("utf-8"), xml_parser())
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, start + error.start) + 1
        raise DumpError("holds a lone surrogate: not Unicode text", name=name, line=line) from error
    except etree.XMLSyntaxError as error:
        reason = " ".join(str(error.msg or "broken XML").split())
        reason = re.sub(r",? \(?(?:<string>, )?line \d+(?:, column \d+)?\)?$", "", reason)
        line = before + (error.lineno or 1)
        if "xcessive depth" in reason:
            raise DumpError("nested too deeply", name=name, line=line) from error
        raise DumpError(f"broken XML: {safe(reason, 160)[1:-1]}", name=name, line=line) from error
    return root


def _no_hierarchy(text: str) -> str:
    begin = text.strip(_WHITE)[:200]
    if not begin:
        return "is empty: not a UI dump"
    return f"not a UI dump: there is no <hierarchy> in it; it begins {safe(begin, 60)}"


def _check_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise DumpError(f"larger than {MAX_BYTES // 1024 // 1024} MiB: not a UI dump", name=name)
