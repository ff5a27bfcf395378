"""Reads the package and the permissions of an apk from its manifest, which is XML in a binary form.

Source of the form: AOSP, frameworks/base/libs/androidfw, ``ResourceTypes.h``.
"""

import io
import struct
import zipfile

from vsalang.base.records import dataclass

MOST_MANIFEST = 4 << 20
MOST_PERMISSIONS = 1000
_STRINGS = 0x0001
_ELEMENT = 0x0102
_UTF8 = 1 << 8


class NoApk(ValueError):
    """The file is not a readable apk."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The package of an apk, and the permissions that it asks for."""

    package: str
    permissions: tuple[str, ...] = ()


def read_manifest(content: bytes) -> Manifest:
    """The manifest of an apk.

    Raises:
        NoApk: it cannot be read, or names no package.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entry = archive.getinfo("AndroidManifest.xml")
            if entry.file_size > MOST_MANIFEST:
                raise NoApk("the manifest is too long")
            return _manifest(archive.read(entry))
    except (zipfile.BadZipFile, KeyError, IndexError, struct.error, OSError, RuntimeError,
            EOFError, UnicodeDecodeError) as error:  # fmt: skip
        raise NoApk(f"it has no AndroidManifest.xml that can be read ({error})") from error


def _manifest(data: bytes) -> Manifest:
    """The attribute ``package`` of the first ``manifest``, ``name`` of each ``uses-permission``."""
    strings: list[str] = []
    package, permissions = "", list[str]()
    place = 8
    while place + 8 <= len(data):
        kind, head, size = struct.unpack_from("<HHI", data, place)
        if size < 8:
            break
        if kind == _STRINGS:
            strings = _strings(data, place, head)
        elif kind == _ELEMENT:
            _, name, start, length, count = struct.unpack_from("<IIHHH", data, place + head)
            element = strings[name]
            if not package and element != "manifest":
                break
            wanted = {"manifest": "package", "uses-permission": "name"}.get(element, "")
            for index in range(count if wanted else 0):
                at = place + head + start + index * length
                _, key, value = struct.unpack_from("<III", data, at)
                if strings[key] == wanted and value != 0xFFFFFFFF:
                    if element == "manifest":
                        package = package or strings[value]
                    elif len(permissions) < MOST_PERMISSIONS:
                        permissions.append(strings[value])
        place += size
    if not package:
        raise NoApk("its manifest names no package")
    return Manifest(package, tuple(permissions))


def _strings(data: bytes, place: int, head: int) -> list[str]:
    count, _, flags, start, _ = struct.unpack_from("<5I", data, place + 8)
    if count > 100_000:
        raise NoApk("its manifest has too many strings")
    offsets = struct.unpack_from(f"<{count}I", data, place + head)
    return [_string(data, place + start + offset, bool(flags & _UTF8)) for offset in offsets]


def _string(data: bytes, at: int, utf8: bool) -> str:
    if utf8:
        at += 2 if data[at] & 0x80 else 1  # its length in characters
        length = data[at]
        at += 1
        if length & 0x80:
            length = (length & 0x7F) << 8 | data[at]
            at += 1
        return data[at : at + length].decode("utf-8", "replace")
    (length,) = struct.unpack_from("<H", data, at)
    at += 2
    if length & 0x8000:
        (low,) = struct.unpack_from("<H", data, at)
        length = (length & 0x7FFF) << 16 | low
        at += 2
    return data[at : at + 2 * length].decode("utf-16-le", "replace")
