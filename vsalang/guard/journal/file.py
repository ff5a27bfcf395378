"""The journal of a session as a file: JSON lines, append-only, each chained to the one before by its hash.

What is recorded, and what the lines mean, is told by `vsalang.guard.journal`; here they are written so that nothing
is lost and nothing is changed unseen. A line is written in one piece, and what could be written in part only is cut
off again,
so that a line is in the file whole or not at all, but for one that a crash cut off at the very end: it was never
acknowledged, so nothing that it would have recorded took effect. `read_journal` tells such an end from everything else
that may be wrong with a journal.
"""

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

from vsalang.base.names import Sync
from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.base.source.locking import lock_file
from vsalang.base.source.opening import open_regular, refuse_irregular
from vsalang.guard.journal.journal_heads import LAZY, Head, HeadError, Heads
from vsalang.screen.secrets import Redactor

VERSION: Final = 3
"""The version of the format that is written."""
READABLE: Final = (1, 2, 3)
"""The versions that `read_journal` reads (those that can be replayed: `vsalang.guard.journal`)."""
MAX_LINE: Final = 64 * 1024 * 1024
"""A longer line is not a line of a journal."""

START: Final = "0" * 64
"""What stands in place of a hash before the first line."""
_TAIL: Final = ', "hash": "'


class JournalError(Exception):
    """The journal cannot be written or read; the message names the file and the line."""


class TornJournal(JournalError):
    """The last line was cut off by a crash while it was written; everything before it is whole.

    Attributes:
        size: bytes of the whole lines.
        torn: the bytes after them.
    """

    def __init__(self, message: str, size: int, torn: bytes) -> None:
        super().__init__(message)
        self.size = size
        self.torn = torn


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a journal: its number, its kind, what it says, and its hash."""

    number: int
    kind: str
    data: Mapping[str, Any]
    hash: str = ""


class Journal:
    """Appends records to a file. One writer: a second one, of this process or another, is refused.

    Attributes:
        beyond: of a journal that was opened again: how many lines a crash left after the head that was kept.

    Args:
        path: the file; it must not exist, unless a journal is continued (`Journal.reopen`).
        sync: what is forced to the disk; see `vsalang.base.names.Sync`.
        resumable: its head is kept outside it (`vsalang.guard.journal.journal_heads`), so that the session can be
            resumed.
        redactor: replaces the secrets in every record; None: they are recorded.

    Raises:
        JournalError: the file exists already, is being written by another, or cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        sync: Sync = "effects",
        resumable: bool = True,
        redactor: Redactor | None = None,
    ) -> None:
        self.redactor = redactor
        self._begin(path, sync, resumable)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        try:
            # O_EXCL: a journal is never overwritten
            self._fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        except FileExistsError as error:
            raise JournalError(
                f"{path} exists already; a journal is never overwritten: name another file"
            ) from error
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        self._lock()
        if sync != "none":
            private.sync_folder(self.path.parent)

    @classmethod
    def reopen(
        cls, path: str | os.PathLike[str], *, sync: Sync = "effects", head: str | None = None
    ) -> "tuple[Journal, list[Record], bytes]":
        """Continue a journal: it with its records so far, and what a crash left of a last line.

        That is cut off when something is written; until then the file stays as it is.

        Args:
            path: the file.
            sync: what is forced to the disk; see `vsalang.base.names.Sync`.
            head: the hash of its last line, if the user vouches for that; None: only the head that is kept does.

        Raises:
            JournalError: it cannot be read or written, another one writes it, it was changed, or lines may be missing
                at its end.
        """
        journal = cls.__new__(cls)
        journal.redactor = None
        journal._begin(path, sync, resumable=True)
        try:
            refuse_irregular(journal.path)  # to open a pipe waits for a reader
            journal._fd = os.open(journal.path, os.O_WRONLY | os.O_APPEND | _BINARY)
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        journal._lock()
        try:
            records: list[Record] = []
            torn = b""
            try:
                records.extend(read_journal(path))
            except TornJournal as error:
                torn = error.torn
                records = list(_records(path, error.size))
            if not records:
                raise JournalError(f"{path} holds no whole line: nothing is known of the session")
            try:
                journal.beyond = journal._heads.check(records, head) if journal._heads is not None else 0
            except HeadError as error:
                raise JournalError(f"{path}: {error}") from error
            journal._torn = len(torn)
            journal._number, journal._previous = records[-1].number, records[-1].hash
        except BaseException:
            journal.close()
            raise
        return journal, records, torn

    def _begin(self, path: str | os.PathLike[str], sync: Sync, resumable: bool) -> None:
        self.path = Path(path)
        self.sync: Sync = sync
        self.beyond = 0
        self._heads = Heads(self.path, force=sync != "none") if resumable else None
        self._previous = START
        self._number = 0
        self._fd = -1
        self._broken = ""
        self._torn = 0
        self._writing = threading.Lock()

    def _lock(self) -> None:
        try:
            lock_file(self._fd)
        except OSError as error:
            os.close(self._fd)
            self._fd = -1
            raise JournalError(f"{self.path} is being written by another process") from error

    @property
    def number(self) -> int:
        """The number of the last record; 0 if there is none yet."""
        return self._number

    @property
    def head(self) -> str:
        """The hash of the last record. Who keeps it elsewhere can tell later that nothing was changed or cut off."""
        return self._previous

    def discard(self) -> None:
        """Remove the journal, for it tells of no session."""
        self.close()
        self.path.unlink(missing_ok=True)
        if self._heads is not None:
            self._heads.forget()

    def write(self, kind: str, data: Mapping[str, Any]) -> int:
        """Append one record, forced to the disk as `sync` says; gives its number.

        Raises:
            JournalError: it could not be written; what it would have recorded must not happen.
        """
        with self._writing:
            return self._write(kind, data)

    def _write(self, kind: str, data: Mapping[str, Any]) -> int:
        if self._fd < 0:
            raise JournalError(f"the journal {self.path} is closed")
        if self._broken:
            raise JournalError(f"the journal {self.path} cannot be relied on any more: {self._broken}")
        if self.redactor is not None:
            data = self.redactor.record(data)
        number = self._number + 1
        record = {"v": VERSION, "n": number, "kind": kind, **data, "prev": self._previous}
        try:
            line, digest = _encoded(record)
        except (ValueError, TypeError, RecursionError) as error:
            raise JournalError(f"cannot write the journal {self.path}: {error}") from error
        counts = self.sync == "all" or kind not in LAZY
        heads = self._heads if counts else None
        if heads is not None:
            try:
                heads.prepare(Head(number, digest))
            except OSError as error:
                raise JournalError(f"cannot keep the head of the journal {self.path}: {error}") from error
        self._append(line)
        try:
            if counts and self.sync != "none":
                os.fsync(self._fd)
        except OSError as error:
            # What the system still holds of it after a failure is not known: no second try can tell.
            self._broken = f"forcing it to the disk failed ({error.strerror})"
            raise JournalError(f"cannot write the journal {self.path}: {error.strerror}") from error
        try:
            if heads is not None:
                heads.settle()
        except OSError as error:
            self._broken = f"keeping its head failed ({error.strerror})"
            raise JournalError(f"cannot keep the head of the journal {self.path}: {error}") from error
        self._previous, self._number = digest, number
        return number

    def _append(self, line: bytes) -> None:
        """Write all of it or nothing."""
        try:
            size = os.fstat(self._fd).st_size
            if self._torn:
                size -= self._torn
                os.ftruncate(self._fd, size)
                self._torn = 0
        except OSError as error:
            raise JournalError(f"cannot write the journal {self.path}: {error.strerror}") from error
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except BaseException as error:
            try:
                os.ftruncate(self._fd, size)
            except OSError:
                self._broken = "a line was written in part"
            if isinstance(error, OSError):
                raise JournalError(f"cannot write the journal {self.path}: {error.strerror}") from error
            raise

    def close(self) -> None:
        """Close the file and let others write it; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_journal(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records of a journal in order, each checked against the chain.

    Raises:
        TornJournal: after the last whole line, if a crash cut the last one off.
        JournalError: unreadable, not a journal, changed, or a line is missing; the message says where.
    """
    return _records(path, None)


def _records(path: str | os.PathLike[str], size: int | None) -> Iterator[Record]:
    """The records of the first `size` bytes."""
    previous = START
    done = number = 0
    try:
        with open_regular(path) as file:
            while (size is None or done < size) and (raw := file.readline(MAX_LINE + 1)):
                number += 1
                place = f"{path}, line {number}"
                if not raw.endswith(b"\n"):
                    # A machine that died may leave zeros where the line should be.
                    rest = file.read(MAX_LINE + 1)
                    if len(raw) <= MAX_LINE and not rest.strip(b"\0"):
                        raise TornJournal(
                            f"{place}: the line was cut off while it was written; the lines before it are whole",
                            done,
                            raw + rest,
                        )
                    raise JournalError(f"{place}: this is not a journal: the line is too long or no text")
                record = checked_line(raw, number, previous, place)
                done += len(raw)
                previous = record.hash
                yield record
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror}") from error


def checked_line(raw: bytes, number: int, previous: str, place: str) -> Record:
    """The record of one line, with its line break, if it is what was written and continues the chain.

    Args:
        raw: the line.
        number: that it must have, from 1.
        previous: the hash of the line before it; `START` of the first.
        place: the file and the line, for messages.

    Raises:
        JournalError: it is not a line of a journal, it was changed, or it does not continue the chain.
    """
    try:
        data = _DECODER.decode(raw.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalError(
            f"{place}: this is not a journal: the line is not JSON, as `vsac` writes it"
        ) from error
    except ValueError as error:
        raise JournalError(f"{place}: this is not a journal: {error}") from error
    if not isinstance(data, dict):
        raise JournalError(f"{place}: this is not a journal: a line holds an object")
    stated = data.pop("hash", None)
    body, mark, tail = raw.removesuffix(b"\n").rpartition(_TAIL.encode())
    # byte for byte: what reads the same but was written otherwise was not written by a journal
    stands = bool(mark) and tail.decode() == f'{stated}"}}'
    if not stands or stated != hashlib.sha256(body + b"}").hexdigest():
        raise JournalError(f"{place}: the line was changed after it was written")
    if data.pop("prev", None) != previous or data.pop("n", None) != number:
        raise JournalError(f"{place}: a line before it is missing or was changed")
    if data.pop("v", None) not in READABLE:
        raise JournalError(f"{place}: written by another version of the journal format")
    return Record(number, str(data.pop("kind", "")), data, stated)


def _encoded(record: Mapping[str, Any]) -> tuple[bytes, str]:
    """The line of a record, and its hash."""
    body = json.dumps(record, ensure_ascii=False, sort_keys=True, allow_nan=False)
    try:
        body.encode()
    except UnicodeEncodeError:  # half a character: escaped it can be written
        body = json.dumps(record, sort_keys=True, allow_nan=False)
    digest = _digest(body)
    line = f'{body[:-1]}{_TAIL}{digest}"}}\n'.encode()
    if len(line) > MAX_LINE:
        raise ValueError(f"a record of more than {MAX_LINE // 1024 // 1024} MiB")
    return line, digest


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a value of a journal")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("a name is twice in one object")
    return data


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)


# ---- the file system -----------------------------------------------------------------------------

_BINARY: Final = getattr(os, "O_BINARY", 0)
