"""What devices send: kept whole, once, under their tenant; everything else is refused, and nothing of it is kept."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.fleet_live.fleet import Fleet, fleet_in, written
from vsalang.guard.journal import read_session
from vsalang.tools.fleet.live.client import ServerAway, ServerRefused
from vsalang.tools.fleet.live.intake_store import Delivery, IntakeError, IntakeStore
from vsalang.tools.fleet.live.server import running


def lines_of(journal: Path) -> list[bytes]:
    return journal.read_bytes().splitlines(keepends=True)


def name_of(journal: Path) -> str:
    return str(json.loads(lines_of(journal)[0])["hash"])


def test_a_journal_is_kept_byte_for_byte(fleet: Fleet, journal: Path) -> None:
    sender = fleet.send(journal)
    assert sender.done and fleet.kept(sender.session) == journal.read_bytes()
    summary = fleet.server.intake.sessions["main", sender.session]
    session = read_session(journal)
    assert (summary.number, summary.head) == (len(session.records), session.head)
    assert summary.steps == len(session.steps) == sum(summary.levels.values())
    assert summary.state == "not completed" and summary.app == "org.example.settings"


def test_what_is_sent_twice_is_kept_once(fleet: Fleet, journal: Path) -> None:
    fleet.send(journal)
    client, name, lines = fleet.client(), name_of(journal), lines_of(journal)
    for body in (b"".join(lines), b"".join(lines[:3]), lines[-1]):
        assert client.post(f"/v1/journal/{name}", body)["number"] == len(lines)
    assert fleet.kept(name) == journal.read_bytes()
    assert fleet.server.intake.repeated == len(lines) + 4


def test_half_known_lines_go_on_where_they_ended(fleet: Fleet, journal: Path) -> None:
    client, name, lines = fleet.client(), name_of(journal), lines_of(journal)
    client.post(f"/v1/journal/{name}", b"".join(lines[:5]))
    answer = client.post(f"/v1/journal/{name}", b"".join(lines[2:9]))
    assert answer["number"] == 9 and fleet.kept(name) == b"".join(lines[:9])
    assert fleet.server.store.lines("main", name, 4) == b"".join(lines[3:9])


def test_a_gap_is_told_and_nothing_is_kept(fleet: Fleet, journal: Path) -> None:
    client, name, lines = fleet.client(), name_of(journal), lines_of(journal)
    client.post(f"/v1/journal/{name}", lines[0])
    with pytest.raises(ServerRefused, match="line 2 comes next") as refused:
        client.post(f"/v1/journal/{name}", b"".join(lines[2:4]))
    assert refused.value.code == "gap" and not refused.value.final
    assert refused.value.data["number"] == 1 and fleet.kept(name) == lines[0]


def test_a_changed_line_is_refused_with_an_alarm(fleet: Fleet, journal: Path) -> None:
    client, name, lines = fleet.client(), name_of(journal), lines_of(journal)
    client.post(f"/v1/journal/{name}", b"".join(lines[:3]))
    changed = lines[3].replace(b'"allow"', b'"alloW"')
    with pytest.raises(ServerRefused, match="changed") as refused:
        client.post(f"/v1/journal/{name}", changed)
    assert refused.value.final and fleet.kept(name) == b"".join(lines[:3])
    assert [alarm["kind"] for alarm in fleet.server.store.alarms("main", {})] == ["forked"]


def test_another_past_is_refused_with_an_alarm(fleet: Fleet, journal: Path, tmp_path: Path) -> None:
    client, name, lines = fleet.client(), name_of(journal), lines_of(journal)
    client.post(f"/v1/journal/{name}", b"".join(lines[:4]))
    other = lines[3].replace(b'"note": "', b'"note": "not ')
    with pytest.raises(ServerRefused) as refused:
        client.post(f"/v1/journal/{name}", other)
    assert refused.value.code == "forked" and fleet.kept(name) == b"".join(lines[:4])
    assert fleet.server.intake.sessions["main", name].alarms >= 1


@pytest.mark.parametrize(
    ("session", "body"),
    [
        ("a" * 64, b"{}\n"),
        ("a" * 64, b"nothing\n"),
        ("a" * 64, b'{"n": true}\n'),
        ("a" * 64, b'{"n": 1}'),
        ("a" * 64, b"[" * 5000 + b"\n"),
        ("short", b'{"n": 1}\n'),
    ],
)
def test_what_is_not_a_journal_is_refused(fleet: Fleet, session: str, body: bytes) -> None:
    status, data, _ = fleet.request("POST", f"/v1/journal/{session}", body, **fleet.bearer("phone1"))
    assert status == 400 and data["error"]["code"] == "invalid"  # type: ignore[index]
    assert fleet.server.intake.sessions == {}


def test_a_session_has_the_name_of_its_beginning(fleet: Fleet, journal: Path) -> None:
    status, _, _ = fleet.request(
        "POST", f"/v1/journal/{'b' * 64}", lines_of(journal)[0], **fleet.bearer("phone1")
    )
    assert status == 400 and fleet.server.intake.sessions == {}


def test_only_its_device_goes_on_with_a_session(fleet: Fleet, journal: Path) -> None:
    fleet.send(journal)
    with pytest.raises(ServerRefused) as refused:
        fleet.send(journal, "phone2")
    assert refused.value.code == "foreign"


def test_tenants_do_not_share_sessions(fleet: Fleet, journal: Path) -> None:
    name = fleet.send(journal).session
    assert fleet.kept(name, "other") == b""
    fleet.send(journal, "far")  # the same journal, by another tenant's device: a session of its own
    assert {key: each.device for key, each in fleet.server.intake.sessions.items()} == {
        ("main", name): "phone1",
        ("other", name): "far",
    }


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic eA=="},
        {"Authorization": "Bearer " + "x" * 4000},
    ],
)
def test_without_a_known_token_nothing_is_taken(fleet: Fleet, journal: Path, headers: dict[str, str]) -> None:
    path = f"/v1/journal/{name_of(journal)}"
    status, data, _ = fleet.request("POST", path, journal.read_bytes(), **headers)
    assert status == 401 and data["error"]["code"] == "unauthorized"  # type: ignore[index]
    assert fleet.server.intake.sessions == {}


def test_people_and_pages_do_not_send_journals(fleet: Fleet, journal: Path) -> None:
    path, body = f"/v1/journal/{name_of(journal)}", journal.read_bytes()
    assert fleet.request("POST", path, body, **fleet.bearer("ops"))[0] == 401
    device = fleet.bearer("phone1")
    assert fleet.request("POST", path, body, **device, Origin="http://evil.example")[0] == 403
    assert fleet.request("POST", path, body, **device, Host="evil.example")[0] == 403
    assert fleet.request("POST", path, body, **device, Content_Encoding="gzip")[0] == 400
    assert fleet.request("GET", path, **device)[0] == 405
    assert fleet.server.intake.sessions == {}


def test_a_revoked_token_ends_at_once(fleet: Fleet, journal: Path) -> None:
    from vsalang.tools.fleet.live.access import ACCESS_FILE, read_access, write_access

    fleet.send(journal)
    path = fleet.folder / ACCESS_FILE
    write_access(path, read_access(path).without("phone1"))
    with pytest.raises(ServerRefused) as refused:
        fleet.send(journal)
    assert refused.value.code == "unauthorized" and not refused.value.final


def test_strangers_are_slowed_down(fleet_with: Callable[..., Fleet]) -> None:
    fleet = fleet_with(strangers=0.001)
    answers = {fleet.request("POST", f"/v1/journal/{'a' * 64}")[0] for _ in range(4)}
    assert answers == {429}


def test_one_device_does_not_take_the_place_of_another(
    fleet_with: Callable[..., Fleet], journal: Path
) -> None:
    fleet = fleet_with(rate=0.001, burst=4)
    for _ in range(4):
        fleet.client("phone2").post(f"/v1/journal/{'a' * 64}", b"")
    with pytest.raises(ServerAway):
        fleet.client("phone2").post(f"/v1/journal/{'a' * 64}", b"")
    assert fleet.send(journal).done


def test_more_than_can_be_kept_waits_at_the_device(fleet_with: Callable[..., Fleet], journal: Path) -> None:
    fleet = fleet_with(waiting=1000)
    sender = fleet.sender(journal)
    with pytest.raises(ServerAway):
        sender.step()
    assert sender.sent == 0 and fleet.server.intake.waiting == 0
    fleet.server.intake._most_waiting = 10_000_000
    while not sender.step():
        pass
    assert fleet.kept(sender.session) == journal.read_bytes()


def test_a_full_disk_acknowledges_nothing(
    fleet: Fleet, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = fleet.server.store.prepare

    def full(deliveries: list[Delivery]) -> None:
        raise IntakeError("database or disk is full")

    monkeypatch.setattr(fleet.server.store, "prepare", full)
    sender = fleet.sender(journal)
    with pytest.raises(ServerAway):
        sender.step()
    assert fleet.server.intake.sessions == {}
    monkeypatch.setattr(fleet.server.store, "prepare", prepare)
    assert fleet.send(journal).done


def test_a_restart_knows_all_that_was_kept(tmp_path: Path, journal: Path) -> None:
    fleet, lines = fleet_in(tmp_path / "fleet"), lines_of(journal)
    name = name_of(journal)
    with running(fleet.server_with()) as server:
        fleet.server = server
        fleet.client().post(f"/v1/journal/{name}", b"".join(lines[:7]))
        before = server.intake.sessions["main", name]
    with running(fleet.server_with()) as server:
        fleet.server = server
        assert server.intake.sessions["main", name] == before
        assert fleet.send(journal).done
        assert fleet.kept(name) == journal.read_bytes()


def test_a_store_that_was_put_back_is_filled_again(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backup holds less than the device was told: it sends the rest again."""
    fleet, lines = fleet_in(tmp_path / "fleet"), lines_of(journal)
    growing = tmp_path / "growing.jsonl"
    growing.write_bytes(b"".join(lines[:6]))
    with running(fleet.server_with()) as server:
        fleet.server = server
        sender = fleet.sender(growing)
        assert not sender.step()
        server.store.back_up(tmp_path / "backup.db")
        growing.write_bytes(b"".join(lines[:9]))
        assert not sender.step()
    for end in ("", "-wal", "-shm"):
        (fleet.folder / f"intake.db{end}").unlink(missing_ok=True)
    (tmp_path / "backup.db").rename(fleet.folder / "intake.db")
    growing.write_bytes(b"".join(lines))
    with running(fleet.server_with()) as server:
        fleet.server = server
        sender._client = fleet.client()
        while not sender.step():
            pass
        assert fleet.kept(sender.session) == journal.read_bytes()


def test_a_backup_is_whole_and_private(fleet: Fleet, journal: Path, tmp_path: Path) -> None:
    name = fleet.send(journal).session
    copy = tmp_path / "copy" / "intake.db"
    copy.parent.mkdir(mode=0o700)
    fleet.server.store.back_up(copy)
    assert copy.stat().st_mode & 0o077 == 0
    with pytest.raises(IntakeError):
        fleet.server.store.back_up(copy)
    store = IntakeStore(copy)
    assert store.lines("main", name) == journal.read_bytes()
    assert [each.session for each in store.summaries()] == [name]
    store.close()


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one" * 30, None])
def test_the_file_of_another_program_is_left_alone(tmp_path: Path, content: bytes | None) -> None:
    import sqlite3

    folder = tmp_path / "fleet"
    folder.mkdir(mode=0o700)
    path = folder / "intake.db"
    if content is None:
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE theirs (a)")
    else:
        path.write_bytes(content)
    path.chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(IntakeError):
        IntakeStore(path)
    assert path.read_bytes() == before


def test_odd_records_do_not_break_the_summary(fleet: Fleet, tmp_path: Path) -> None:
    odd = {
        "screen": 5, "verdict": [], "contracts": {"a": 1}, "recorded": [3], "shown": "x", "app": {}, "id": [],
        "text": None, "request": 1, "completed": [], "settings": [], "device": 7, "spec": "‮spec\n<b>",
    }  # fmt: skip
    kinds = "session screen observe propose hint end turned_away failed close other".split()
    path = written(tmp_path / "odd.jsonl", [(kind, odd) for kind in kinds])
    sender = fleet.send(path)
    summary = fleet.server.intake.sessions["main", sender.session]
    assert sender.done and summary.number == len(kinds)
    assert summary.spec.isprintable() and summary.level == "block"


def test_nothing_of_people_is_in_the_metrics(fleet: Fleet, journal: Path) -> None:
    name = fleet.send(journal).session
    for person, status in (("ops", 200), ("ada", 401), ("phone1", 401)):
        assert fleet.request("GET", "/metrics", **fleet.bearer(person))[0] == status
    _, text, headers = fleet.request("GET", "/metrics", **fleet.bearer("ops"))
    assert isinstance(text, str) and headers["Content-Type"].startswith("text/plain")
    assert f"vsalang_fleet_lines_total {len(lines_of(journal))}\n" in text
    assert 'vsalang_fleet_verdicts{level="block"}' in text and "delivery_seconds_bucket" in text
    assert name not in text and "phone1" not in text
    assert fleet.request("GET", "/health")[1] == {"status": "ok", "waiting": 0}


def test_old_sessions_are_not_held_and_not_lost(
    fleet: Fleet, journal: Path, unfinished: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from vsalang.tools.fleet.live import intake

    monkeypatch.setattr(intake, "MOST_OVER", 0)
    running_one = written(tmp_path / "a.jsonl", [("session", {"settings": {}})])
    fleet.send(running_one, "phone2")
    session = fleet.send(journal).session
    assert [each.device for each in fleet.server.intake.sessions.values()] == ["phone2"]
    assert fleet.send(journal).done and fleet.kept(session) == journal.read_bytes()
    assert [each.device for each in fleet.server.store.summaries(0)] == ["phone2"]
    assert fleet.person("ana").get(f"/api/session/main/{session}")[0] == 200
    with pytest.raises(ServerRefused):
        fleet.send(journal, "phone2")
