"""The ``sync:`` service (file push, pull, list): version 1 of its messages, and version 2 of STAT and LIST.

Source: AOSP, packages/modules/adb, ``SYNC.TXT`` and ``file_sync_protocol.h``.
"""

import errno
import struct
from typing import TYPE_CHECKING

from vsalang.phone.sim.files import Entry, Files, NoSpace, NoSuchFile, is_directory, writable

if TYPE_CHECKING:
    from vsalang.phone.wire.services import Stream

MOST_PATH = 4096
MOST_CHUNK = 64 << 10
MOST_FILE = 256 << 20
_STAT2 = struct.Struct("<IQQIIIIQqqq")
"""error, device, inode, mode, links, owner, group, size, and the times of access, modification and change."""


def serve(stream: "Stream", files: Files) -> None:
    """Answer messages until QUIT, the end of the stream, or an invalid message."""
    while True:
        kind = stream.read_exactly(4)
        (length,) = struct.unpack("<I", stream.read_exactly(4))
        if kind == b"QUIT":
            return
        if length > MOST_PATH:
            _fail(stream, "path too long")
            return
        path = stream.read_exactly(length).decode("utf-8", "replace")
        if kind == b"STAT":
            entry = files.stat(path)
            mode, size, mtime = (entry.mode, len(entry.content), entry.mtime) if entry else (0, 0, 0)
            stream.write(b"STAT" + struct.pack("<III", mode, size, mtime))
        elif kind in (b"STA2", b"LST2"):
            stream.write(kind + _stat2(files.stat(path)))
        elif kind == b"LIST":
            rows = (
                struct.pack("<IIII", listed_file.mode, len(listed_file.content), listed_file.mtime, len(name))
                + name
                for name, listed_file in _names(files, path)
            )
            stream.write(b"".join(b"DENT" + row for row in rows) + b"DONE" + bytes(16))
        elif kind == b"LIS2":
            rows = (
                _stat2(listed_file) + struct.pack("<I", len(name)) + name
                for name, listed_file in _names(files, path)
            )
            stream.write(b"".join(b"DNT2" + row for row in rows) + b"DONE" + bytes(_STAT2.size + 4))
        elif kind == b"RECV":
            _send_file(stream, files, path)
        elif kind == b"SEND":
            if not _receive_file(stream, files, path):
                return
        else:
            _fail(stream, f"unknown command {kind!r}")
            return


def _names(files: Files, path: str) -> list[tuple[bytes, Entry]]:
    return [(name.encode(), entry) for name, entry in files.list(path).items()]


def _stat2(entry: Entry | None) -> bytes:
    if entry is None:
        return _STAT2.pack(errno.ENOENT, *[0] * 10)
    links = 2 if is_directory(entry) else 1
    times = (entry.mtime, entry.mtime, entry.mtime)
    return _STAT2.pack(0, 1, 1, entry.mode, links, 2000, 2000, len(entry.content), *times)


def _fail(stream: "Stream", message: str) -> None:
    data = message.encode()
    stream.write(b"FAIL" + struct.pack("<I", len(data)) + data)


def _send_file(stream: "Stream", files: Files, path: str) -> None:
    try:
        content = files.read(path)
    except NoSuchFile:
        _fail(stream, "open failed: No such file or directory")
        return
    for start in range(0, len(content), MOST_CHUNK):
        piece = content[start : start + MOST_CHUNK]
        stream.write(b"DATA" + struct.pack("<I", len(piece)) + piece)
    stream.write(b"DONE" + bytes(4))


def _receive_file(stream: "Stream", files: Files, target: str) -> bool:
    """Receive a file; False if the stream cannot be used further."""
    path, _, mode = target.rpartition(",")
    if not path or not (mode.isascii() and mode.isdigit() and len(mode) <= 6):
        _fail(stream, "missing , in ID_SEND")
        return False
    parts: list[bytes] = []
    size = 0
    while True:
        kind = stream.read_exactly(4)
        (length,) = struct.unpack("<I", stream.read_exactly(4))
        if kind == b"DONE":
            break
        if kind != b"DATA" or length > MOST_CHUNK:
            _fail(stream, "invalid data message")
            return False
        size += length
        parts.append(stream.read_exactly(length))
        if size > MOST_FILE:
            _fail(stream, "No space left on device")
            return False
    entry = files.stat(path)
    if entry is not None and is_directory(entry):
        _fail(stream, "Is a directory")
        return True
    if not writable(path):
        _fail(stream, f"couldn't create file {path}: Read-only file system")
        return True
    try:
        files.write(path, b"".join(parts), 0o100000 | (int(mode) & 0o777), length)
    except NoSpace:
        _fail(stream, "No space left on device")
        return True
    stream.write(b"OKAY" + bytes(4))
    return True
