"""The journal of a session: JSON lines, append-only, each chained to the one before by its hash.

A line is written and flushed to the disk before what it records takes effect: `propose` before the verdict is given
out, `commit` before the action is performed. Tampering with or losing a line in the middle breaks the chain, which
`read_journal` reports; a last line that was cut off by a crash is reported apart from that.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

VERSION = 1
_START = "0" * 64


class JournalError(Exception):
    """The journal cannot be written or read; the message names the file and the line."""


class Journal:
    """Appends records to a file. One writer; not for use from several threads at once.

    Raises:
        JournalError: the file exists already, or cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = True) -> None:
        self.path = Path(path)
        self._sync = sync
        self._previous = _START
        self._number = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # "x": a journal is never overwritten
            self._file = self.path.open("x", encoding="utf-8", newline="\n")
        except FileExistsError as error:
            raise JournalError(
                f"{path} exists already; a journal is never overwritten: name another file"
            ) from error
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error

    def write(self, kind: str, data: Mapping[str, Any]) -> None:
        """Append one record and force it to the disk.

        Raises:
            JournalError: it could not be written; what it would have recorded must not happen.
        """
        self._number += 1
        record = {"v": VERSION, "n": self._number, "kind": kind, **data, "prev": self._previous}
        try:
            line = json.dumps(record, ensure_ascii=False, sort_keys=True, allow_nan=False)
            digest = _digest(line)
            self._file.write(line[:-1] + f', "hash": "{digest}"}}\n')
            self._file.flush()
            if self._sync:
                os.fsync(self._file.fileno())
        except (OSError, ValueError, TypeError) as error:
            raise JournalError(f"cannot write the journal {self.path}: {error}") from error
        self._previous = digest

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a journal: its number, its kind, and what it says."""

    number: int
    kind: str
    data: Mapping[str, Any]


def read_journal(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records of a journal in order, each checked against the chain.

    Raises:
        JournalError: unreadable, not a journal, changed, or a line is missing; the message says where.
    """
    previous = _START
    try:
        with Path(path).open(encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                place = f"{path}, line {number}"
                if not text.endswith("\n"):
                    raise JournalError(
                        f"{place}: the line was cut off while it was written; the lines before it are whole"
                    )
                data = _parse(text, place)
                stated = data.pop("hash", None)
                line = json.dumps(data, ensure_ascii=False, sort_keys=True, allow_nan=False)
                if stated != _digest(line):
                    raise JournalError(f"{place}: the line was changed after it was written")
                if data.pop("prev", None) != previous or data.pop("n", None) != number:
                    raise JournalError(f"{place}: a line before it is missing or was changed")
                if data.pop("v", None) != VERSION:
                    raise JournalError(f"{place}: written by another version of the journal format")
                previous = stated
                yield Record(number, str(data.pop("kind", "")), data)
    except (OSError, UnicodeDecodeError) as error:
        raise JournalError(f"cannot read {path}: {error}") from error


def _parse(text: str, place: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise JournalError(f"{place}: this is no journal: {error}") from error
    if not isinstance(data, dict):
        raise JournalError(f"{place}: this is no journal: a line holds an object")
    return data


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()
