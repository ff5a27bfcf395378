"""Reads the package and the permissions of an apk from its manifest, which is XML in a binary form.

A guard names the app to be installed by this, so what a phone could read in another way is not an apk here: bytes
behind the archive's directory or a directory at another place, two manifests, a name with a NUL in it, two attributes
``package``. Sources of the forms: AOSP, frameworks/base/libs/androidfw (``ResourceTypes.h``, ``ResourceTypes.cpp``) and
system/libziparchive (``zip_archive.cc``).
"""

import io
import os
import re
import struct
import zipfile
import zlib
from typing import IO

from vsalang.base.records import dataclass

MOST_MANIFEST = 4 << 20
MOST_PERMISSIONS = 1000
MOST_ENTRIES = 200_000
_NAME = "AndroidManifest.xml"
_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)*", re.ASCII)
_END = struct.Struct("<IHHHHIIH")
_END_MARK = 0x06054B50
_LOCATOR = 20
"""Bytes right before the end that lead to a second, longer one."""
_XML, _STRINGS, _NAMESPACE, _ELEMENT, _RESOURCES = 0x0003, 0x0001, 0x0100, 0x0102, 0x0180
_UTF8 = 1 << 8
_NONE = 0xFFFFFFFF
_TEXT = 3
"""The type of an attribute's value: a string."""


class NoApk(ValueError):
    """The file is not an apk that every phone reads in the same way."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The package of an apk, and the permissions that it asks for."""

    package: str
    permissions: tuple[str, ...] = ()


def read_manifest(content: bytes | IO[bytes]) -> Manifest:
    """The manifest of an apk.

    Args:
        content: the file; at any position, if it is open.

    Raises:
        NoApk: it cannot be read, could be read in another way, or names no package.
    """
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    try:
        _check_end(file)
        with zipfile.ZipFile(file) as archive:
            entries = [
                entry for entry in archive.infolist() if _NAME in (entry.filename, entry.orig_filename)
            ]
            if len(entries) != 1 or entries[0].orig_filename != _NAME:
                raise NoApk(f"it has not one {_NAME}")
            if entries[0].file_size > MOST_MANIFEST:
                raise NoApk("its manifest is too long")
            return _manifest(archive.read(entries[0]))
    except (zipfile.BadZipFile, zlib.error, IndexError, struct.error, OSError, RuntimeError,
            EOFError, UnicodeDecodeError, ValueError) as error:  # fmt: skip
        if isinstance(error, NoApk):
            raise
        raise NoApk(f"it has no {_NAME} that can be read ({error})") from error


def _check_end(file: IO[bytes]) -> None:
    """Check that the directory of an archive lies where its last bytes say, and that nothing follows."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END.size - _LOCATOR))
    if file.read(4) == b"PK\x06\x07":
        raise NoApk("it is an archive of the large form")
    file.seek(max(0, size - _END.size))
    mark, disk, first, count, entries, length, start, comment = _END.unpack(file.read(_END.size))
    if mark != _END_MARK or comment or disk or first or count != entries or entries > MOST_ENTRIES:
        raise NoApk("its last bytes are not the plain end of an archive")
    if start + length != size - _END.size:
        raise NoApk("the archive's directory is not where its end says")


def _manifest(data: bytes) -> Manifest:
    """The attribute ``package`` of the first element, ``name`` of each ``uses-permission``."""
    kind, place, size = struct.unpack_from("<HHI", data)
    if kind != _XML or place != 8 or size != len(data):
        raise NoApk("its manifest is not binary XML")
    strings: list[str] = []
    package, permissions = "", list[str]()
    while place < len(data):
        kind, head, size = struct.unpack_from("<HHI", data, place)
        if size < max(8, head) or place + size > len(data):
            raise NoApk("its manifest has a part that does not end in it")
        if kind == _STRINGS and not package:
            if strings:
                raise NoApk("its manifest has two lists of strings")
            strings = _strings(data[place : place + size], head)
        elif kind == _ELEMENT:
            element, attributes = _element(data[place : place + size], head, strings)
            if not package:
                package = _package(element, attributes)
            elif element == "uses-permission" and len(permissions) < MOST_PERMISSIONS:
                permissions += [value for key, _, value in attributes if key == "name" and value is not None]
        elif not package and kind not in (_RESOURCES, _NAMESPACE):
            raise NoApk("its manifest begins with a part that is not known")
        place += size
    if not package:
        raise NoApk("its manifest names no package")
    return Manifest(package, tuple(permissions))


_Attribute = tuple[str, int, str | None]
"""Name, namespace (a number; `_NONE`: without), value (None: it is not plain text)."""


def _package(element: str, attributes: list[_Attribute]) -> str:
    packages = [(space, value) for key, space, value in attributes if key == "package"]
    if element != "manifest" or len(packages) != 1:
        raise NoApk("its first element is not a manifest with one package")
    ((space, value),) = packages
    if space != _NONE or value is None or not _PACKAGE.fullmatch(value):
        raise NoApk("its package is not a plain name")
    return value


def _element(part: bytes, head: int, strings: list[str]) -> tuple[str, list[_Attribute]]:
    _, name, start, length, count = struct.unpack_from("<IIHHH", part, head)
    if count and (length != 20 or start < 20 or head + start + count * length > len(part)):
        raise NoApk("the attributes of its manifest are not as they should be")
    attributes: list[_Attribute] = []
    for index in range(count):
        space, key, raw, size, _, kind, value = struct.unpack_from(
            "<IIIHBBI", part, head + start + index * length
        )
        plain = size == 8 and kind == _TEXT and raw == value != _NONE
        attributes.append((strings[key], space, strings[value] if plain else None))
    return strings[name], attributes


def _strings(part: bytes, head: int) -> list[str]:
    count, _, flags, start, _ = struct.unpack_from("<5I", part, 8)
    if count > 100_000:
        raise NoApk("its manifest has too many strings")
    offsets = struct.unpack_from(f"<{count}I", part, head)
    return [_string(part, start + offset, bool(flags & _UTF8)) for offset in offsets]


def _string(part: bytes, at: int, utf8: bool) -> str:
    """One string. One that could be read in two ways has a NUL at its end, which no name has."""
    characters, at = _length(part, at, utf8)
    if utf8:
        length, at = _length(part, at, utf8)
        text, ended = part[at : at + length].decode("utf-8", "replace"), part[at + length] == 0
        ended = ended and len(text.encode("utf-16-le", "replace")) == 2 * characters
    else:
        text = part[at : at + 2 * characters].decode("utf-16-le", "replace")
        ended = part[at + 2 * characters : at + 2 * characters + 2] == b"\0\0"
    return text if ended else text + "\0"


def _length(part: bytes, at: int, utf8: bool) -> tuple[int, int]:
    """A length of one unit or two, and the place behind it."""
    form, size, high = ("<B", 1, 0x80) if utf8 else ("<H", 2, 0x8000)
    (length,) = struct.unpack_from(form, part, at)
    at += size
    if length & high:
        (low,) = struct.unpack_from(form, part, at)
        length, at = (length & (high - 1)) << (8 * size) | low, at + size
    return length, at
