"""The file that keeps experience: a SQLite database of the user, which nobody else may read.

Several processes may use it at once. What is not exactly our database is refused and left as it is: a file of another
program, a damaged one, one with tables, views or triggers that we did not make, one of a newer version.
"""

import datetime as dt
import json
import os
import re
import sqlite3
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, cast

from vsalang.formalize.experience import LONGEST_SPEC, App, Confirmed, Experience
from vsalang.source import private

VERSION: Final = 1
"""The version of the table."""
MOST_ENTRIES: Final = 1000
"""Of more entries the oldest are removed."""
SECONDS: Final = 10.0
"""So long another process may take to write."""

_APPLICATION: Final = 0x7673616D  # "vsam": PRAGMA application_id, https://sqlite.org/fileformat.html
_TABLE: Final = """CREATE TABLE entries (
  id TEXT PRIMARY KEY,
  instruction TEXT NOT NULL,
  spec TEXT NOT NULL,
  apps TEXT NOT NULL,
  relations TEXT NOT NULL,
  confirmed TEXT NOT NULL,
  journal TEXT NOT NULL,
  model TEXT NOT NULL,
  added TEXT NOT NULL
) WITHOUT ROWID"""


class StoreError(Exception):
    """The file cannot be used; the message names it, `hint` says what may help."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def usual_place() -> Path:
    """Where the memory is if nothing else is said, by the XDG specification: ``~/.local/share/vsalang/memory.sqlite``.

    Raises:
        StoreError: the user has no home.
    """
    base = private.home_folder("XDG_DATA_HOME", ".local/share")
    if base is None:
        raise StoreError(
            "the memory has no place: the user has no home, and XDG_DATA_HOME names no folder",
            "name a file with --memory; `vsac encode --no-memory` does without one",
        )
    return base / "vsalang" / "memory.sqlite"


class Memory:
    """Experience in a file. A file that does not exist is empty; the first entry creates it.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> tuple[Experience, ...]:
        """All entries, the newest first.

        Raises:
            StoreError: the file cannot be read.
        """
        if not os.path.lexists(self.path):
            return ()
        with self._open(write=False) as database:
            if database is None:
                return ()
            rows = database.execute(
                "SELECT * FROM entries ORDER BY added DESC, id LIMIT ?", (MOST_ENTRIES,)
            ).fetchall()
        return tuple(self._entry(row) for row in rows)

    def add(self, entry: Experience) -> tuple[str, ...]:
        """Add an entry, in place of one with the same spec; the ids of those that were removed to make room.

        Raises:
            StoreError: the file cannot be written.
        """
        self._create()
        with self._open(write=True) as database:
            assert database is not None
            database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _row(entry))
            old = database.execute(
                "SELECT id FROM entries WHERE id <> ? ORDER BY added DESC, id LIMIT -1 OFFSET ?",
                (entry.id, MOST_ENTRIES - 1),
            ).fetchall()
            database.executemany("DELETE FROM entries WHERE id = ?", old)
        return tuple(str(name) for (name,) in old)

    def delete(self, ids: Collection[str]) -> None:
        """Delete entries.

        Raises:
            StoreError: the file cannot be written.
        """
        if ids:
            with self._open(write=True) as database:
                assert database is not None
                database.executemany("DELETE FROM entries WHERE id = ?", [(name,) for name in ids])

    # ------------------------------------------------------------------ the file

    def _create(self) -> None:
        """Make the file if it does not exist, closed to others from the beginning.

        Raises:
            StoreError: it cannot be made.
        """
        if os.path.lexists(self.path):
            return
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(private.open_to_append(self.path))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StoreError(
                f"the memory {self.path} cannot be made: {reason}", "name another file with --memory"
            ) from error

    @contextmanager
    def _open(self, *, write: bool) -> Iterator[sqlite3.Connection | None]:
        """The database in one transaction; None if it is only read and nothing was ever written to it.

        Raises:
            StoreError: it is another's file, damaged, busy, or cannot be read or written.
        """
        self._is_mine()
        # also to read: what a crash left half written is taken back by the next who opens it
        uri = f"{self.path.absolute().as_uri()}?mode=rw"
        try:
            with closing(sqlite3.connect(uri, timeout=SECONDS, isolation_level=None, uri=True)) as database:
                database.execute("PRAGMA trusted_schema = OFF")  # https://sqlite.org/security.html
                database.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                new = self._is_new(database)
                if new and write:
                    database.execute(_TABLE)
                    database.execute(f"PRAGMA application_id = {_APPLICATION}")
                    database.execute(f"PRAGMA user_version = {VERSION}")
                yield database if write or not new else None
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._refused(error) from error

    def _is_mine(self) -> None:
        """Make sure that only this user can have written the file.

        Raises:
            StoreError: others can, or it is no file.
        """
        try:
            state = self.path.lstat()
        except OSError as error:
            raise StoreError(f"the memory {self.path} cannot be read: {error.strerror}") from error
        if not stat.S_ISREG(state.st_mode):
            raise StoreError(f"the memory {self.path} is no regular file", "name the file itself, not a link")
        if hasattr(os, "geteuid") and state.st_uid != os.geteuid():
            raise StoreError(f"the memory {self.path} belongs to another user", "copy the file")
        if os.name == "posix" and state.st_mode & 0o077:
            raise StoreError(
                f"other users may read or write the memory {self.path}",
                f"if what it holds is yours: chmod 600 {self.path}",
            )

    def _is_new(self, database: sqlite3.Connection) -> bool:
        """Whether the database is empty; else it is ours.

        Raises:
            StoreError: it is another one.
        """
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        found = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_master") if sql is not None]
        if not (found or application or version):
            return True
        if application != _APPLICATION:
            raise StoreError(f"{self.path} is a database of another program", "name another file")
        if version > VERSION:
            raise StoreError(
                f"the memory {self.path} was written by a newer vsac (format {version}, here {VERSION})",
                "update vsac, or name another file with --memory",
            )
        if version != VERSION or found != [_TABLE]:
            raise self._damaged("it does not have the one table that vsac makes")
        return False

    def _refused(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreError(
                f"the memory {self.path} is in use: another process has held it for {SECONDS:g} seconds",
                "try again when that has ended",
            )
        if code == sqlite3.SQLITE_NOTADB:
            return StoreError(f"{self.path} is no memory of vsac: it is no database", "name another file")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT):
            return self._damaged(str(error))
        return StoreError(f"the memory {self.path} cannot be used: {error}")

    def _damaged(self, why: str) -> StoreError:
        return StoreError(
            f"the memory {self.path} is damaged: {why}",
            "move it away and add the specs again; `vsac encode --no-memory` does without it",
        )

    def _entry(self, row: Sequence[Any]) -> Experience:
        """The entry of a row, in which anything may be written.

        Raises:
            StoreError: it is no entry.
        """
        try:
            return _read(row)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            name = row[0] if isinstance(row[0], str) else type(row[0]).__name__
            raise self._damaged(f"the entry {name[:40]!r} cannot be read") from error


def _row(entry: Experience) -> tuple[str, ...]:
    apps = [{"name": app.name, "digest": app.digest, "file": app.file} for app in entry.apps]
    cells = (
        entry.id,
        entry.instruction,
        entry.spec,
        json.dumps(apps),
        json.dumps(entry.relations),
        entry.confirmed,
        entry.journal,
        entry.model,
        entry.added.isoformat(),
    )
    # half a surrogate pair, which an answer may have as the model's name, is no text of a database
    return tuple(cell.encode("utf-8", "replace").decode("utf-8") for cell in cells)


def _read(row: Sequence[Any]) -> Experience:
    """The entry of a row. Raises ValueError, TypeError and the like if it is none."""
    name, instruction, spec, apps, relations, confirmed, journal, model, added = map(_text, row)
    if (
        not re.fullmatch(r"[0-9a-f]{12}", name)
        or confirmed not in ("completed", "user")
        or len(spec) > LONGEST_SPEC
    ):
        raise ValueError("no entry")
    return Experience(
        name,
        instruction,
        spec,
        tuple(App(_text(app["name"]), _text(app["digest"]), _text(app["file"])) for app in _list(apps)),
        tuple(_text(relation) for relation in _list(relations)),
        cast(Confirmed, confirmed),
        journal,
        model,
        dt.datetime.fromisoformat(added).astimezone(dt.UTC),
    )


def _list(text: str) -> list[Any]:
    value = json.loads(text)
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
