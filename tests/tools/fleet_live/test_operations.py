"""Backup and restore, the demonstration, and a server under load with kills (marked `fleet`)."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.fleet_live.harness import Load, every
from tests.commands import vsac
from tests.tools.fleet_live.fleet import Fleet, fleet_in
from vsalang.guard.journal import JournalError
from vsalang.tools.fleet.live.intake_store import STORE_FILE
from vsalang.tools.fleet.live.server import running
from vsalang.tools.fleet.live.serving import console_server


def test_a_backup_is_put_back(tmp_path: Path, journal: Path) -> None:
    """Taken while the server runs; used by another one, in another place."""
    fleet = fleet_in(tmp_path / "fleet")
    with running(fleet.server_with()) as server:
        fleet.server = server
        session = fleet.send(journal).session
        assert fleet.person("ana").end(session, "one")[0] == 200
        told = vsac("fleet", "backup", tmp_path / "copy", "--data", fleet.folder, "--json")
        assert told.returncode == 0, told.stderr
        fleet.person("ana").end(session, "two")
    copied = tmp_path / "copy" / "journals" / "main" / f"{session}.jsonl"
    assert copied.read_bytes() == journal.read_bytes()
    head = json.loads(told.stdout)["trail_head"]
    assert vsac("fleet", "backup", tmp_path / "copy", "--data", fleet.folder).returncode == 2
    assert vsac("fleet", "backup", tmp_path / "other", "--data", tmp_path).returncode == 2
    restored = Fleet(tmp_path / "copy", fleet.tokens)
    with pytest.raises(JournalError), running(restored.server_with()):
        pass  # nobody vouches for the end of the trail, which was moved
    with running(restored.server_with(trail_head=head)) as server:
        restored.server = server
        assert server.store.lines("main", session) == journal.read_bytes()
        assert [row["reason"] for row in restored.console.trail.newest("main")] == ["one"]
        assert restored.send(journal).done


def test_a_folder_has_one_server(tmp_path: Path) -> None:
    fleet = fleet_in(tmp_path / "fleet")
    with running(lambda: console_server(fleet.folder)):
        second = vsac("fleet", "serve", "--data", fleet.folder, "--port", "0")
        assert second.returncode == 2 and "another server runs with" in second.stderr
    with running(lambda: console_server(fleet.folder)) as server:
        assert server.url


def test_what_cannot_be_sent_is_said(tmp_path: Path, fleet: Fleet, journal: Path) -> None:
    token, other = tmp_path / "phone1.token", tmp_path / "other.jsonl"
    token.write_text(fleet.tokens["phone1"])
    other.write_text("hello\n")
    to = ("--fleet", fleet.server.url, "--fleet-token-file")
    for path, file, mode, problem in (
        (other, token, 0o600, "line 1: this is not a journal"),
        (tmp_path / "none.jsonl", token, 0o600, "there is no such file\n"),
        (journal, tmp_path / "none", 0o600, "the device's token cannot be used: "),
        (journal, token, 0o644, "is not this user's alone"),
    ):
        token.chmod(mode)
        told = vsac("fleet", "send", *to, file, path)
        assert told.returncode == 1 and problem in told.stdout and "Errno" not in told.stdout
    assert vsac("fleet", "token", "add", "x", "--tenant", "*", "--data", tmp_path / "a").returncode == 2


@pytest.mark.slow
def test_the_demonstration_runs(tmp_path: Path) -> None:
    told = vsac("fleet", "demo", "--phones", "1", "--pace", "0", "--port", "0", "--sessions", "1", "--json",
                XDG_STATE_HOME=str(tmp_path))  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["phones"] == 1


_TABLES_1 = (
    "CREATE TABLE chunks (tenant TEXT, session TEXT, first INTEGER, last INTEGER, lines BLOB, "
    "PRIMARY KEY (tenant, session, first)) WITHOUT ROWID",
    "CREATE TABLE sessions (tenant TEXT, session TEXT, summary TEXT, over INTEGER, at TEXT, "
    "PRIMARY KEY (tenant, session)) WITHOUT ROWID",
)


def made_version_1(folder: Path) -> None:
    """Write what a server kept as version 1 did."""
    with closing(sqlite3.connect(folder / STORE_FILE, isolation_level=None)) as database:
        chunks = database.execute("SELECT tenant, session, first, last, lines FROM chunks").fetchall()
        sessions = database.execute("SELECT tenant, session, summary, over, at FROM sessions").fetchall()
        for name in ("chunks", "sessions"):
            database.execute(f"DROP TABLE {name}")
        for table in _TABLES_1:
            database.execute(table)
        database.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", chunks)
        for row in sessions:
            summary = json.loads(row[2])
            del summary["bytes"]
            database.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", (*row[:2], json.dumps(summary), *row[3:])
            )
        database.execute("PRAGMA user_version = 1")


def test_what_an_older_server_kept_is_upgraded(tmp_path: Path, journal: Path) -> None:
    """Killed in the middle it is as it was; then it is as it is; a server that runs is not disturbed."""
    fleet = fleet_in(tmp_path / "fleet")
    with running(fleet.server_with()) as server:
        fleet.server = server
        session = fleet.send(journal).session
        alarms = fleet.person("ana").get("/api/alarms")[1]["alarms"]
    made_version_1(fleet.folder)
    told = vsac("fleet", "serve", "--data", fleet.folder, "--port", "0")
    assert told.returncode == 2 and f"vsac fleet upgrade {fleet.folder}" in told.stderr
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from vsalang.tools.fleet.live import upgrading\n"
        "upgrading.row_of = lambda summary: os.kill(os.getpid(), signal.SIGKILL)\n"
        "upgrading.upgrade_intake(Path(sys.argv[1]))"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(fleet.folder)], capture_output=True, timeout=100)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    told = vsac("fleet", "upgrade", fleet.folder)
    assert told.returncode == 0 and "was of version 1" in told.stdout and "1 session." in told.stdout, (
        told.stderr
    )
    assert "of version 2 already" in vsac("fleet", "upgrade", fleet.folder).stdout
    with running(lambda: console_server(fleet.folder)):
        told = vsac("fleet", "upgrade", fleet.folder)
        assert told.returncode == 2 and "stop it first" in told.stderr
    with running(fleet.server_with()) as server:
        fleet.server = server
        assert server.store.lines("main", session) == journal.read_bytes()
        assert server.store.used() == {("main", "phone1"): (len(journal.read_bytes()), 1)}
        assert fleet.person("ana").get("/api/alarms")[1]["alarms"] == alarms and alarms
        assert fleet.send(journal).done


def soaked(folder: Path, devices: int, seconds: float, kills: tuple[float, ...]) -> None:
    load = Load(folder / "fleet", devices, 1.0, seconds, kills)
    results = asyncio.run(load.run())
    assert results.kills == len(kills) and results.steps >= devices
    assert load.lost() == 0
    # the page saw each step, also those of the time without a server
    assert len(results.seconds) == results.steps


@pytest.mark.slow
def test_devices_and_a_killed_server_lose_nothing(tmp_path: Path) -> None:
    soaked(tmp_path, 10, 3.0, (1.5,))


@pytest.mark.fleet
def test_minutes_with_kills_lose_nothing(tmp_path: Path) -> None:
    """Two minutes, or as many seconds as `.ci/run fleet` was given."""
    seconds = float(os.environ.get("VSALANG_SOAK_SECONDS") or 120)
    soaked(tmp_path, 200, seconds, every(15.0, seconds))
