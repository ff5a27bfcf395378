"""Reads source files safely; spans, and line and column numbers."""

import bisect
import hashlib
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from vsalang.base import records
from vsalang.base.source.opening import open_regular

MAX_BYTES = 4 * 1024 * 1024
"""Larger files are refused: no specification is that long, and parsing must end in bounded time."""


class SourceError(Exception):
    """A file that cannot be source text; `code` is a diagnostic code, and `offset` a place if there is one."""

    def __init__(self, code: str, path: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.message = message
        self.hint = hint


@records.dataclass(frozen=True, slots=True)
class Span:
    """A range of a file: `start` and `end` (exclusive) are offsets in code points of the decoded text."""

    file: str
    start: int
    end: int

    def __lt__(self, other: "Span") -> bool:
        return (self.file, self.start, self.end) < (other.file, other.start, other.end)

    def cover(self, other: "Span") -> "Span":
        """The smallest span that contains both (of one file)."""
        return Span(self.file, min(self.start, other.start), max(self.end, other.end))


_RETURN: Final = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place for people: lines and columns from 1, in code points."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """The text of one file. `file` is the name shown to people; spans refer to it."""

    file: str
    text: str
    path: Path | None = field(default=None, compare=False)

    @classmethod
    def from_text(cls, text: str, file: str = "<text>") -> "Source":
        """A source that was never a file (an editor's buffer, a model's answer, a test)."""
        return cls(file, text.removeprefix("\ufeff"))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        # editors end a line at a carriage return alone, too: all tools count lines as they do
        alone = [match.end() for match in _RETURN.finditer(self.text)] if "\r" in self.text else []
        return sorted((*starts, *alone)) if alone else starts

    def position(self, offset: int) -> Position:
        """Line and column of an offset; an offset beyond the end means the end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect.bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def utf16(self, offset: int) -> tuple[int, int]:
        """Line and character from 0, the character in UTF-16 units, as editors count."""
        position = self.position(offset)
        start = self._starts[position.line - 1]
        before = self.text[start : min(offset, len(self.text))]
        return position.line - 1, len(before.encode("utf-16-le", "surrogatepass")) // 2

    def offset(self, line: int, character: int) -> int:
        """The offset of an editor's place (line and UTF-16 character from 0), clamped to the text."""
        if line >= len(self._starts):
            return len(self.text)
        text = self.line(line + 1)
        units = 0
        for index, char in enumerate(text):
            if units >= character:
                return self._starts[line] + index
            units += 2 if ord(char) > 0xFFFF else 1
        return self._starts[line] + len(text)

    def line(self, number: int) -> str:
        """The text of a line (from 1) without its line break."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @property
    def line_count(self) -> int:
        """How many lines there are; a text that ends in a line break has an empty last line."""
        return len(self._starts)

    def slice(self, span: Span) -> str:
        """The text of a span of this file."""
        return self.text[span.start : span.end]


def read_source(path: str | os.PathLike[str], *, name: str | None = None) -> Source:
    """Read a UTF-8 file. An initial byte-order mark is skipped.

    Args:
        path: the file.
        name: the name that messages use; `path` as given if left out.

    Raises:
        SourceError: unreadable, a directory, too large, not UTF-8, or binary.
    """
    place = Path(path)
    file = name if name is not None else str(path)
    try:
        if place.is_dir():
            raise SourceError("E0001", file, f"{file} is a directory", "name a .vsa file in it")
        with open_regular(path, handed_over=True) as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SourceError("E0001", file, f"cannot read {file}: {reason}") from error
    except ValueError as error:
        raise SourceError("E0001", repr(file), f"cannot read {file!r}: {error}") from error
    if len(data) > MAX_BYTES:
        raise SourceError("E0002", file, f"{file} is larger than {MAX_BYTES // 1024 // 1024} MiB", "split it")
    return Source(file, decode(data, file), place)


def near(path: str) -> str:
    """A path relative to the working folder, if possible."""
    try:
        return os.path.relpath(path)
    except (ValueError, OSError):  # another drive; the working folder is gone
        return path


def real_path(path: str | os.PathLike[str]) -> Path:
    """The absolute path without links. Links in a circle stay: reading such a file gives the error."""
    return Path(os.path.realpath(path))


def decode(data: bytes, file: str) -> str:
    """The text of a file's bytes.

    Raises:
        SourceError: UTF-16 or UTF-32, another encoding, or NUL bytes.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError("E0003", file, f"{file} is UTF-16", "save it as UTF-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise SourceError(
            "E0004", file, f"{file} is not text: line {line} holds a NUL byte", "is this the right file?"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        raise SourceError(
            "E0003",
            file,
            f"{file} is not UTF-8: line {line}, column {column} holds byte 0x{data[error.start]:02x}",
            "save it as UTF-8",
        ) from error
