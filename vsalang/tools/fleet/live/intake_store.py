"""What a fleet server keeps: the lines of journals as they came, summaries, alarms. One SQLite file, one writer.

A line is acknowledged when it is on the disk: one transaction takes in what many devices sent (group commit, DeWitt et
al., SIGMOD 1984). The tenant is the first part of each key, so that no question without it finds anything.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.tools.fleet.live.session_summary import Alarm, SessionSummary

STORE_FILE: Final = "intake.db"
SERVING_LOCK: Final = "serving.lock"
"""Held by the server that has a folder."""
APPLICATION: Final = 0x76736C76
"""``PRAGMA application_id`` of the file."""
VERSION: Final = 2
"""Of the tables: ``PRAGMA user_version``."""
TABLES: Final = (
    # rows in the order in which they came: lines of many sessions then fill the same pages, one after the other
    "CREATE TABLE chunks (id INTEGER PRIMARY KEY, tenant TEXT, session TEXT, first INTEGER, last INTEGER, lines BLOB)",
    "CREATE UNIQUE INDEX chunks_of_sessions ON chunks (tenant, session, first)",
    "CREATE TABLE sessions (tenant TEXT, session TEXT, device TEXT, bytes INTEGER, summary TEXT, over INTEGER, "
    "at TEXT, PRIMARY KEY (tenant, session)) WITHOUT ROWID",
    "CREATE TABLE alarms (id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT, session TEXT, device TEXT, "
    "number INTEGER, step INTEGER, at TEXT, level TEXT, kind TEXT, rule TEXT, category TEXT, "
    "effect TEXT, app TEXT, text TEXT, source TEXT)",
    "CREATE INDEX alarms_of_tenants ON alarms (tenant, id)",
    "CREATE INDEX alarms_of_sessions ON alarms (tenant, session, id)",
)
ALARM_COLUMNS: Final = tuple(field.name for field in fields(Alarm))
FILTERS: Final = ("level", "kind", "rule", "category", "effect", "app", "device", "session")
"""By which columns alarms can be asked for."""


class IntakeError(Exception):
    """The file cannot be used; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of one journal that came at once.

    Attributes:
        first, last: the numbers of the first and the last line.
    """

    tenant: str
    session: str
    first: int
    last: int
    lines: bytes


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one transaction keeps of one session."""

    chunk: Chunk | None
    summary: SessionSummary
    alarms: tuple[Alarm, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether its summary is kept: an alarm about many devices is not about a session."""
        return bool(self.summary.session)


class IntakeStore:
    """The file.

    Args:
        path: it is made if it does not exist, closed to other users.

    Raises:
        IntakeError: it is another file, of another version, or cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            private.own_folder(path.parent)
            if not path.exists():
                private.write(path, b"", new=True)
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._reader = self._opened()
        except (OSError, sqlite3.Error) as error:
            raise IntakeError(f"{path} cannot be used: {error}") from error

    def _opened(self) -> sqlite3.Connection:
        database = self._database
        database.execute("PRAGMA trusted_schema = OFF")  # https://sqlite.org/security.html
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables or application:
            check_version(self.path, application, version)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")  # what is acknowledged outlives a power cut
        database.execute("PRAGMA wal_autocheckpoint = 4000")  # pages are copied into the file less often
        database.execute("PRAGMA cache_size = -32000")
        if not tables:
            with self._transaction():
                for table in TABLES:
                    database.execute(table)
                database.execute(f"PRAGMA application_id = {APPLICATION}")
                database.execute(f"PRAGMA user_version = {VERSION}")
        reader = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        reader.execute("PRAGMA query_only = ON")
        return reader

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._begun():
            self._database.execute("BEGIN IMMEDIATE")
            yield
            self._database.execute("COMMIT")

    @contextlib.contextmanager
    def _begun(self) -> Iterator[None]:
        """Take the transaction back if something fails."""
        try:
            yield
        except BaseException:
            if self._database.in_transaction:  # SQLite may have rolled back by itself
                self._database.execute("ROLLBACK")
            raise

    def keep(self, deliveries: Sequence[Delivery]) -> None:
        """Keep all of it, on the disk, or nothing. Raises `IntakeError`."""
        self.prepare(deliveries)
        self.commit()

    def prepare(self, deliveries: Sequence[Delivery]) -> None:
        """Write what `commit` keeps, into memory: nothing of it counts before that. Raises `IntakeError`.

        Each row lets other threads run and waits for its turn again. So this is for the thread that does the rest, and
        `commit`, which waits for the disk, for another one.
        """
        try:
            with self._begun():
                self._database.execute("BEGIN IMMEDIATE")
                self._insert(deliveries)
        except sqlite3.Error as error:
            raise IntakeError(f"{self.path} cannot be written: {error}") from error

    def commit(self) -> None:
        """Keep what was prepared, on the disk; if that fails, nothing of it. Raises `IntakeError`."""
        try:
            with self._begun():
                self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise IntakeError(f"{self.path} cannot be written: {error}") from error

    def _insert(self, deliveries: Sequence[Delivery]) -> None:
        chunks = [each.chunk for each in deliveries if each.chunk is not None]
        # of several of one session the last summary counts
        summaries = {each.summary.key: each.summary for each in deliveries if each.kept}
        self._database.executemany(
            "INSERT INTO chunks (tenant, session, first, last, lines) VALUES (?, ?, ?, ?, ?)",
            [(one.tenant, one.session, one.first, one.last, one.lines) for one in chunks],
        )
        self._database.executemany(
            "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)", map(row_of, summaries.values())
        )
        alarms = [
            (*each.summary.key, each.summary.device, *(getattr(alarm, name) for name in ALARM_COLUMNS))
            for each in deliveries
            for alarm in each.alarms
        ]
        if alarms:
            names = ", ".join(("tenant", "session", "device", *ALARM_COLUMNS))
            marks = ", ".join("?" * (3 + len(ALARM_COLUMNS)))
            self._database.executemany(f"INSERT INTO alarms ({names}) VALUES ({marks})", alarms)

    def summaries(self, most: int = -1) -> list[SessionSummary]:
        """Those of sessions, the ones that go on and the newest of the others, so many of these (-1: all)."""
        rows = self._ask(
            "SELECT summary FROM sessions WHERE NOT over UNION ALL "
            "SELECT * FROM (SELECT summary FROM sessions WHERE over ORDER BY at DESC LIMIT ?)",
            (most,),
        )
        return [SessionSummary(**json.loads(text)) for (text,) in rows]

    def summary(self, tenant: str, session: str) -> SessionSummary | None:
        """That of one session; None: a tenant has none of that name."""
        rows = self._ask("SELECT summary FROM sessions WHERE tenant = ? AND session = ?", (tenant, session))
        return SessionSummary(**json.loads(rows[0][0])) if rows else None

    def used(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Of each device, by tenant and name: how many bytes of lines, and how many sessions, are kept."""
        rows = self._ask("SELECT tenant, device, sum(bytes), count(*) FROM sessions GROUP BY 1, 2", ())
        return {(tenant, device): (size, number) for tenant, device, size, number in rows}

    def lines(self, tenant: str, session: str, first: int = 1) -> bytes:
        """The lines of a session from one of them on; empty: a tenant has no such session."""
        rows = self._ask(
            "SELECT first, lines FROM chunks WHERE tenant = ? AND session = ? AND last >= ? ORDER BY first",
            (tenant, session, first),
        )
        parts = [lines for _, lines in rows]
        if rows and rows[0][0] < first:
            parts[0] = b"".join(parts[0].splitlines(keepends=True)[first - rows[0][0] :])
        return b"".join(parts)

    def alarms(
        self, tenant: str, filters: dict[str, str], *, text: str = "", before: int = 0, most: int = 200
    ) -> list[dict[str, Any]]:
        """The newest alarms of a tenant (``*``: of all), the newest first.

        Args:
            filters: values of `FILTERS`.
            text: what the rule, the text or the effect holds.
            before: only those with smaller ids; 0: from the newest.
        """
        where, values = ["1"], []
        for name, value in filters.items():
            if name in FILTERS and value:
                where.append(f"{name} = ?")
                values.append(value)
        if tenant != "*":
            where.append("tenant = ?")
            values.append(tenant)
        if text:
            where.append("instr(lower(text || ' ' || rule || ' ' || effect || ' ' || device), lower(?))")
            values.append(text)
        if before:
            where.append("id < ?")
            values.append(str(before))
        names = ("id", "tenant", "session", "device", *ALARM_COLUMNS)
        rows = self._ask(
            f"SELECT {', '.join(names)} FROM alarms WHERE {' AND '.join(where)} ORDER BY id DESC LIMIT {int(most)}",
            tuple(values),
        )
        return [dict(zip(names, row, strict=True)) for row in rows]

    def alarm_counts(self, tenant: str, column: str, most: int = 12) -> list[tuple[str, int]]:
        """How many alarms of a tenant (``*``: of all) have which value of a column, the most first."""
        if column not in FILTERS:
            raise ValueError(f"alarms are not counted by {column}")
        rows = self._ask(
            f"SELECT {column}, count(*) FROM alarms WHERE (tenant = ? OR ? = '*') AND {column} != '' "
            f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {int(most)}",
            (tenant, tenant),
        )
        return [(str(value), int(number)) for value, number in rows]

    def back_up(self, target: Path) -> None:
        """Copy the whole store, while it is written, into a new file of this user alone.

        Raises:
            IntakeError: the file exists already, or cannot be written.
        """
        try:
            private.write(target, b"", new=True)
            with contextlib.closing(sqlite3.connect(target)) as copy:
                self._reader.backup(copy)
        except (OSError, sqlite3.Error) as error:
            raise IntakeError(f"{target} cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._reader.close()
        self._database.close()

    def _ask(self, question: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._reader.execute(question, values).fetchall()
        except sqlite3.Error as error:
            raise IntakeError(f"{self.path} cannot be read: {error}") from error


def row_of(summary: SessionSummary) -> tuple[Any, ...]:
    """The row of a session."""
    text = json.dumps(summary.to_json())
    return *summary.key, summary.device, summary.bytes, text, summary.over, summary.at


def check_version(path: Path, application: int, version: int) -> None:
    """Raise `IntakeError` if a file is not one of this version."""
    if application != APPLICATION:
        raise IntakeError(f"{path} is not what a fleet server keeps: name another folder")
    if version < VERSION:
        raise IntakeError(
            f"{path} is of format {version}, and this version of vsac keeps {VERSION}: "
            f"run `vsac fleet upgrade {path.parent}`"
        )
    if version > VERSION:
        raise IntakeError(
            f"{path} is of format {version}, and this version of vsac knows {VERSION}: update vsac"
        )
