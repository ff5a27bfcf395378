"""The head of a journal, kept outside it: the last line after which something was done.

Who cuts lines off the end of a journal leaves a chain that is whole; only what is kept elsewhere can tell. For each
journal the number and the hash of the last line that something depends on are kept in a file of their own, under
``$XDG_STATE_HOME/vsalang/heads``, closed to other users and authenticated with a key that lies there.

A head is written in two steps. Before the line it is prepared, as ``NAME.next``: what cannot be prepared is not
recorded either. When the line is on the disk it is moved to ``NAME.head``; only then does anything come of the line.
So a crash leaves at most one line after the head that counts, and it is the prepared one.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final, Protocol

from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.base.source.files import real_path
from vsalang.program.text import safe

LAZY: Final = frozenset({"propose", "refused", "screen"})
"""Kinds of records that have no effect until another one follows: losing one loses nothing that was done."""
MOST_HEADS: Final = 1000
"""If there are more, those of journals that are gone are removed."""
_LARGEST: Final = 100_000
_BY_HAND: Final = (
    "if you know its end to be whole, name its head: --head HASH (`vsac journal show` prints it)"
)


class HeadError(Exception):
    """The journal is not the one that was written, or nobody can tell; the message says which and what to do."""


class Line(Protocol):
    """What is asked of a line of a journal (`vsalang.guard.journal.file.Record` is one)."""

    @property
    def number(self) -> int:
        """Its number, from 1."""
        ...

    @property
    def kind(self) -> str:
        """What kind of record it is."""
        ...

    @property
    def hash(self) -> str:
        """The hash of the line, in hexadecimal digits."""
        ...


@dataclass(frozen=True, slots=True)
class Head:
    """A line of a journal: its number and its hash."""

    number: int
    hash: str


class Heads:
    """Keeps the head of one journal.

    Args:
        journal: the journal's file; it need not exist yet.
        force: what is kept is on the disk when the functions return.

    Attributes:
        problem: why no head can be kept, in words; empty if it can.
    """

    def __init__(self, journal: Path, *, force: bool) -> None:
        self._journal = os.fspath(real_path(journal))
        self._force = force
        self._name = hashlib.sha256(os.fsencode(self._journal)).hexdigest()[:32]
        self._folder = folder()
        self._key: bytes | None = None
        self.problem = self._opened()

    def _opened(self) -> str:
        place = self._folder
        if place is None:
            return "the user has no home, and XDG_STATE_HOME names no folder"
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            return f"{place} cannot be made: {error.strerror}"
        self._key = private.key_of(place, make=True)
        if self._key is None:
            return f"{place} is not a folder that this user alone can read and write"
        return ""

    @cached_property
    def file(self) -> Path:
        """Where the head is kept."""
        return (self._folder or Path()) / f"{self._name}.head"

    # ------------------------------------------------------------------ keeping

    def prepare(self, head: Head) -> None:
        """Keep what the head will be when the next line is written.

        Raises:
            OSError: it cannot be kept; the line must not be written.
        """
        if self._key is None:
            return
        if head.number == 1:
            self._tidy()
        data = {"journal": self._journal, "number": head.number, "hash": head.hash}
        body = json.dumps(data).encode()
        sealed = private.seal(self._key, self._name, body) + b"\n" + body
        try:
            private.create(self._next, sealed, force=self._force)
        except FileExistsError:  # a crash left it, and it may be what vouches for the last line
            private.write(self._next, sealed, force=self._force)

    def settle(self) -> None:
        """The line is written: the prepared head is the head.

        Raises:
            OSError: it cannot be kept; nothing may come of the line.
        """
        if self._key is not None:
            self._next.replace(self.file)

    def forget(self) -> None:
        """Keep no head of this journal any longer."""
        for path in (self.file, self._next):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    @cached_property
    def _next(self) -> Path:
        return self.file.with_suffix(".next")

    def _tidy(self) -> None:
        """A new journal begins: make room if there are too many heads. A journal without one is not resumed unasked."""
        assert self._folder is not None
        heads = list(self._folder.glob("*.head"))
        prepared = list(self._folder.glob("*.next"))  # a session was killed before it wrote the line
        if max(len(heads), len(prepared)) <= MOST_HEADS:
            return
        for path in (*heads, *prepared):
            journal = self._read(path, path.stem)[1]
            if journal and not os.path.lexists(journal):
                with suppress(OSError):
                    path.unlink(missing_ok=True)

    # ------------------------------------------------------------------ checking

    def check(self, records: Sequence[Line], named: str | None = None) -> int:
        """Check that nothing is missing at the end of a journal whose chain is whole.

        Args:
            records: all of it.
            named: the hash of its last line, if the user vouches for that.

        Returns:
            How many lines follow the head: what a crash left.

        Raises:
            HeadError: lines are missing or were added, or nobody can tell.
        """
        kept = self._read(self.file, self._name)[0]
        prepared = self._read(self._next, self._name)[0]
        if kept is None and prepared is not None and prepared.number == 1:
            kept = prepared  # it died as it began
        vouched = 0
        if kept is not None:
            self._holds(kept, records)
            vouched = kept.number
            if prepared is not None and vouched < prepared.number and _in(prepared, records):
                vouched = prepared.number
        if named is not None:
            vouched = max(vouched, _line_of(named, records))
        elif kept is None:
            raise HeadError(self._gone())
        for record in records[vouched:]:
            if record.kind not in LAZY:
                raise HeadError(
                    f"line {record.number}, {safe(record.kind, 20)}, was added after line {vouched}, which is the "
                    f"head: no guard of yours vouches for it; {_BY_HAND}"
                )
        return len(records) - (kept.number if kept is not None else vouched)

    def _holds(self, head: Head, records: Sequence[Line]) -> None:
        if head.number > len(records):
            raise HeadError(
                f"its end is missing: it has {_lines(len(records))}, and line {head.number} was written, after which "
                f"something was done that would be forgotten (its head is kept in {self.file})"
            )
        if not _in(head, records):
            raise HeadError(
                f"line {head.number} is another than the one that was written: this is another journal, or an older "
                f"state of it (its head is kept in {self.file})"
            )

    def _gone(self) -> str:
        if self.problem:
            why = f"no head of it can be kept here ({self.problem})"
        elif os.path.lexists(self.file):
            why = f"the head in {self.file} is not one that vsac wrote there"
        else:
            why = f"no head of it is kept here (looked for {self.file}): it was moved here, or the head was removed"
        risk = "So nobody can tell whether lines were cut off its end, and what they told would be done again"
        return f"{why}. {risk}; {_BY_HAND}"

    def _read(self, path: Path, name: str) -> tuple[Head | None, str]:
        """A head that is kept, and the journal's file; None if there is none, or it is not what was written."""
        if self._key is None:
            return None, ""
        try:
            body = private.sealed(self._key, name, private.read(path, _LARGEST))
            if body is None:
                return None, ""
            data = json.loads(body)
            return Head(int(data["number"]), str(data["hash"])), str(data["journal"])
        except (OSError, ValueError, KeyError, TypeError):
            return None, ""


def problem() -> str:
    """Why no heads can be kept here, in words; empty if they can."""
    return Heads(Path(), force=False).problem


def folder() -> Path | None:
    """Where heads are kept; None where the user has no home."""
    base = private.home_folder("XDG_STATE_HOME", ".local/state")
    return base / "vsalang" / "heads" if base is not None else None


def _in(head: Head, records: Sequence[Line]) -> bool:
    return head.number <= len(records) and records[head.number - 1].hash == head.hash


def _line_of(named: str, records: Sequence[Line]) -> int:
    for record in records:
        if record.hash == named:
            return record.number
    raise HeadError(
        f"no line has the hash {safe(named, 80)}: lines were cut off its end, or that is the head of another journal"
    )


def _lines(number: int) -> str:
    return f"{number} line{'s' * (number != 1)}"
