"""What comes at the same time, or at the wrong moment: nothing of it is lost, mixed, or keeps others away."""

import asyncio
import http.client
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.tools.fleet_live.fleet import Fleet
from tests.tools.fleet_live.test_intake import lines_of, name_of
from vsalang.tools.fleet.live import intake
from vsalang.tools.fleet.live.client import ServerAway
from vsalang.tools.fleet.live.intake import DeliveryRefused
from vsalang.tools.fleet.live.intake_store import Delivery, IntakeError, IntakeStore
from vsalang.tools.fleet.live.server import running
from vsalang.tools.fleet.live.session_summary import SessionSummary


def test_one_change_of_a_session_at_a_time(fleet: Fleet) -> None:
    inside, most = 0, 0

    async def change() -> None:
        nonlocal inside, most
        async with fleet.server.intake._turn(("main", "a" * 64)):
            inside += 1
            most = max(most, inside)
            for _ in range(3):
                await asyncio.sleep(0)
            inside -= 1

    async def many() -> None:
        changes = []
        for _ in range(20):
            changes.append(asyncio.create_task(change()))
            await asyncio.sleep(0)
        await asyncio.gather(*changes)

    fleet.on_loop(many)
    assert most == 1 and fleet.server.intake._turns == {}


def test_two_devices_do_not_begin_one_session(fleet: Fleet, journal: Path) -> None:
    name, lines = name_of(journal), lines_of(journal)
    server = fleet.server

    async def both() -> list[Any]:
        async with server.intake._turn(("main", name)):
            sent = []
            for device, number in (("phone1", 2), ("phone2", 4)):
                holder = server.access.refresh().named(device)
                assert holder is not None
                body = b"".join(lines[:number])
                sent.append(asyncio.create_task(server.intake.accept(holder, name, body)))
            await asyncio.sleep(0)
        return await asyncio.gather(*sent, return_exceptions=True)

    first, second = fleet.on_loop(both)
    assert first.number == 2 and fleet.kept(name) == b"".join(lines[:2])
    assert isinstance(second, DeliveryRefused) and second.code == "foreign"


def test_one_server_uses_a_folder(fleet: Fleet, journal: Path) -> None:
    """Two would each know half of what the other keeps."""
    with pytest.raises(IntakeError, match="another server"), running(fleet.server_with()):
        pass
    assert fleet.send(journal).done


def test_asking_for_unknown_sessions_leaves_nothing(fleet: Fleet) -> None:
    assert fleet.client().post(f"/v1/journal/{'a' * 64}", b"")["number"] == 0
    assert fleet.server.intake.heard == {}


def test_an_internal_error_does_not_end_the_intake(
    fleet: Fleet, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(deliveries: list[Delivery]) -> None:
        raise ValueError("something that nobody thought of")

    with monkeypatch.context() as patch:
        patch.setattr(fleet.server.store, "prepare", broken)
        with pytest.raises(ServerAway):
            fleet.client().post(f"/v1/journal/{name_of(journal)}", journal.read_bytes(), timeout=3)
    assert fleet.send(journal).done and fleet.request("GET", "/health")[0] == 200


class FullOnce:
    """A database that cannot commit once."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database, self._failed = database, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def execute(self, text: str) -> sqlite3.Cursor:
        if text == "COMMIT" and not self._failed:
            self._failed = True
            raise sqlite3.OperationalError("disk I/O error")
        return self._database.execute(text)


def test_after_a_commit_that_failed_others_succeed(tmp_path: Path) -> None:
    store = IntakeStore(tmp_path / "fleet" / "intake.db")
    delivery = Delivery(None, SessionSummary("main", "a" * 64, "phone1"))
    store._database = FullOnce(store._database)  # type: ignore[assignment]
    with pytest.raises(IntakeError):
        store.keep([delivery])
    assert store.summaries() == []
    store.keep([delivery])
    assert len(store.summaries()) == 1
    store.close()


def test_a_page_outlives_sessions_that_are_let_go(
    fleet: Fleet, journal: Path, unfinished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "MOST_OVER", 0)
    connection = http.client.HTTPConnection("127.0.0.1", fleet.server.port, timeout=20)
    connection.request("GET", "/api/events", headers=fleet.bearer("ops"))
    response = connection.getresponse()
    assert response.readline() == b"event: columns\n"
    fleet.send(journal)
    fleet.send(unfinished, "far")
    devices = set()
    while "far" not in devices and (line := response.readline()):
        if line.startswith(b"data: [["):
            devices |= {row[2] for row in json.loads(line[6:])}
    connection.close()
    assert "far" in devices
