"""Brings what a fleet server keeps to this version: in one transaction, so that one that is killed changes nothing."""

import json
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from vsalang.base.source.locking import held
from vsalang.tools.fleet.live.intake_store import (
    APPLICATION,
    SERVING_LOCK,
    STORE_FILE,
    TABLES,
    VERSION,
    IntakeError,
    check_version,
    row_of,
)
from vsalang.tools.fleet.live.session_summary import SessionSummary
from vsalang.tools.fleet.upgrading import UpgradeResult


def upgrade_intake(folder: Path) -> UpgradeResult:
    """Give the tables of a server's folder the form of this version.

    Args:
        folder: of the server, which does not run.

    Raises:
        IntakeError: a server runs, it is of a newer version, or it cannot be read or written.
    """
    path = folder / STORE_FILE
    try:
        lock = held(folder / SERVING_LOCK, 0.0)
    except TimeoutError as error:
        raise IntakeError(f"a server runs with {folder}: stop it first") from error
    except OSError as error:
        raise IntakeError(f"{folder} cannot be used: {error.strerror or error}") from error
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            (application,) = database.execute("PRAGMA application_id").fetchone()
            (before,) = database.execute("PRAGMA user_version").fetchone()
            if application != APPLICATION or before > VERSION:
                check_version(path, application, before)
            database.execute("PRAGMA synchronous = FULL")
            database.execute("BEGIN IMMEDIATE")
            try:
                if before < VERSION:
                    _from_1(database)
                    database.execute(f"PRAGMA user_version = {VERSION}")
                (sessions,) = database.execute("SELECT count(*) FROM sessions").fetchone()
                database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise
            return UpgradeResult(before, VERSION, sessions)
    except (sqlite3.Error, ValueError, TypeError) as error:
        raise IntakeError(f"{path} cannot be upgraded: {error}; it is as it was") from error
    finally:
        os.close(lock)


def _from_1(database: sqlite3.Connection) -> None:
    """Version 1 had lines by session, not in the order in which they came, and did not say how long they are."""
    whole = "SELECT count(*), total(length(lines)) FROM {}"
    for name in ("chunks", "sessions"):
        database.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    for table in TABLES:
        if " alarms" not in table:
            database.execute(table)
    database.execute(
        "INSERT INTO chunks (tenant, session, first, last, lines) "
        "SELECT tenant, session, first, last, lines FROM old_chunks ORDER BY tenant, session, first"
    )
    rows = database.execute(
        "SELECT summary, (SELECT total(length(lines)) FROM old_chunks AS c WHERE c.tenant = s.tenant AND "
        "c.session = s.session) FROM old_sessions AS s"
    )
    for text, size in rows:
        summary = SessionSummary(**json.loads(text))
        summary.bytes = int(size)
        database.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)", row_of(summary))
    counts = [database.execute(whole.format(name)).fetchone() for name in ("chunks", "old_chunks")]
    if counts[0] != counts[1]:
        raise ValueError("lines would be lost: this is a fault of vsac")
    for name in ("old_chunks", "old_sessions"):
        database.execute(f"DROP TABLE {name}")
