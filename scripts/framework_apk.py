"""An apk that holds a manifest and nothing else: a stand-in where a suite installs an app that is not here.

The form is the one that `vsalang.phone.apk` reads (AOSP, frameworks/base/libs/androidfw, ``ResourceTypes.h``).
"""

import struct
import zipfile
from pathlib import Path

_NONE = 0xFFFFFFFF
_STRING = 3
"""The type of an attribute's value."""


def write_apk(file: Path, package: str, permissions: tuple[str, ...] = ()) -> None:
    """Write a new apk of this package, which asks for these permissions."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("AndroidManifest.xml", _manifest(package, permissions))


def _manifest(package: str, permissions: tuple[str, ...]) -> bytes:
    strings = ["manifest", "package", "uses-permission", "name", package, *permissions]
    places = {text: index for index, text in enumerate(strings)}
    tags = [_tag(places["manifest"], places["package"], places[package])]
    tags += [_tag(places["uses-permission"], places["name"], places[each]) for each in permissions]
    body = _pool(strings) + b"".join(tags)
    return struct.pack("<HHI", 3, 8, 8 + len(body)) + body


def _pool(strings: list[str]) -> bytes:
    data, offsets = b"", []
    for each in strings:
        offsets.append(len(data))
        data += bytes([len(each), len(each)]) + each.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    start = 28 + 4 * len(strings)
    head = struct.pack("<HHI5I", 1, 28, start + len(data), len(strings), 0, 0x100, start, 0)
    return head + struct.pack(f"<{len(strings)}I", *offsets) + data


def _tag(name: int, key: int, value: int) -> bytes:
    attribute = struct.pack("<IIIHBBI", _NONE, key, value, 8, 0, _STRING, value)
    element = struct.pack("<IIHHHHHH", _NONE, name, 20, 20, 1, 0, 0, 0) + attribute
    return struct.pack("<HHIII", 0x0102, 16, 16 + len(element), 1, _NONE) + element
