"""A SQLite database of the user, which nobody else may read: made, checked and opened.

Several processes may use it at once. What is not exactly the expected database is refused and left as it is: a file of
another program, a damaged one, one with tables, views or triggers that we did not make, one of a newer version.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from vsalang.base.records import dataclass
from vsalang.base.source import private

SECONDS: Final = 10.0
"""So long another process may take to write."""


class StoreError(Exception):
    """The file cannot be used; the message names it, `hint` says what may help."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Format:
    """What a database is.

    Attributes:
        application: ``PRAGMA application_id`` (https://sqlite.org/fileformat.html).
        version: of its tables.
        tables: the statements that make them, with their indexes.
        remedy: what helps if it is damaged.
    """

    application: int
    version: int
    tables: tuple[str, ...]
    remedy: str


def data_file(name: str, hint: str) -> Path:
    """Where a file of the user's data is, by the XDG specification: ``~/.local/share/vsalang/NAME``.

    Raises:
        StoreError: the user has no home; with the hint.
    """
    base = private.home_folder("XDG_DATA_HOME", ".local/share")
    if base is None:
        raise StoreError(
            "the memory has no place: the user has no home, and XDG_DATA_HOME names no folder", hint
        )
    return base / "vsalang" / name


class Database:
    """A database in a file. A file that does not exist is empty.

    Args:
        path: the file.
        format: what must be in it.
    """

    def __init__(self, path: Path, format: Format) -> None:
        self.path = path
        self.format = format

    @property
    def absent(self) -> bool:
        """Whether there is no such file."""
        return not os.path.lexists(self.path)

    def create(self) -> None:
        """Make the file if it does not exist, closed to others from the beginning.

        Raises:
            StoreError: it cannot be made.
        """
        if not self.absent:
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
    def open(self, *, write: bool) -> Iterator[sqlite3.Connection | None]:
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
                    for table in self.format.tables:
                        database.execute(table)
                    database.execute(f"PRAGMA application_id = {self.format.application}")
                    database.execute(f"PRAGMA user_version = {self.format.version}")
                yield database if write or not new else None
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._refused(error) from error

    def _is_mine(self) -> None:
        """Make sure that only this user can have written the file.

        Raises:
            StoreError: others can, or it is not a file.
        """
        try:
            state = self.path.lstat()
        except OSError as error:
            raise StoreError(f"the memory {self.path} cannot be read: {error.strerror}") from error
        if not stat.S_ISREG(state.st_mode):
            raise StoreError(
                f"the memory {self.path} is not a regular file", "name the file itself, not a link"
            )
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
        tables = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_master") if sql is not None]
        if not (tables or application or version):
            return True
        if application != self.format.application:
            raise StoreError(f"{self.path} is a database of another program", "name another file")
        if version > self.format.version:
            raise StoreError(
                f"the memory {self.path} was written by a newer vsac (format {version}, here {self.format.version})",
                "update vsac, or name another file with --memory",
            )
        if version < self.format.version:
            raise StoreError(
                f"the memory {self.path} was written by an older vsac (format {version}, here {self.format.version})",
                self.format.remedy,
            )
        if tables != list(self.format.tables):
            raise self.damaged("it does not have just the tables that vsac makes")
        return False

    def _refused(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreError(
                f"the memory {self.path} is in use: another process has held it for {SECONDS:g} seconds",
                "try again when that has ended",
            )
        if code == sqlite3.SQLITE_NOTADB:
            return StoreError(
                f"{self.path} is not a memory of vsac: it is not a database", "name another file"
            )
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT):
            return self.damaged(str(error))
        return StoreError(f"the memory {self.path} cannot be used: {error}")

    def damaged(self, why: str) -> StoreError:
        """The error for a file whose contents are not what they should be."""
        return StoreError(
            f"the memory {self.path} is damaged: {why}",
            self.format.remedy,
        )
