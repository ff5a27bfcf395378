"""What one device may take up, what is sent and when, and what a reader is told when something does not go."""

import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import vsac
from tests.tools.fleet_live.fleet import Fleet, Person, fleet_in, written
from tests.tools.fleet_live.test_link import until
from vsalang.guard.user.answering import hash_of
from vsalang.tools.fleet.live import sending
from vsalang.tools.fleet.live.client import ServerAway, ServerRefused
from vsalang.tools.fleet.live.guarding_link import FleetPlace, GuardLink
from vsalang.tools.fleet.live.sending import MOST_GAPS, Sender
from vsalang.tools.fleet.live.server import running


def journal_of(folder: Path, number: int, size: int = 0) -> Path:
    records = [("session", {"settings": {}, "number": number}), ("hint", {"text": "x" * size})]
    return written(folder / f"{number}.jsonl", records)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "what"), [({"device_sessions": 2}, "2 sessions"), ({"device_bytes": 2**20}, "1 MiB")]
)
def test_a_device_has_a_quota(
    fleet_with: Callable[..., Fleet], tmp_path: Path, limits: dict[str, int], what: str
) -> None:
    """Beyond it nothing more is kept of it, and people are told once; other devices, and what is kept, stay."""
    fleet = fleet_with(**limits)
    for number in range(2):
        fleet.send(journal_of(tmp_path, number, 400_000))
    for number in (2, 3):
        with pytest.raises(ServerRefused, match=f"phone1 has {what} here.*--device-mib") as refused:
            fleet.send(journal_of(tmp_path, number, 400_000))
        assert refused.value.final and refused.value.code == "quota"
    assert fleet.send(journal_of(tmp_path, 4, 400_000), "phone2").done
    assert fleet.send(tmp_path / "1.jsonl").done  # known, and nothing is added
    raised = fleet.person("ana").get("/api/alarms?kind=fleet")[1]["alarms"]
    assert [(one["level"], one["text"]) for one in raised] == [
        ("warn", f"phone1 has {what} here, and no more are kept of one device")
    ]
    size, sessions = fleet.server.store.used()["main", "phone1"]
    assert size <= limits.get("device_bytes", 2**30) and sessions <= limits.get("device_sessions", 9)


def test_a_quota_outlives_a_restart(tmp_path: Path) -> None:
    fleet = fleet_in(tmp_path / "fleet")
    for number in range(2):
        with running(fleet.server_with(device_sessions=1)) as server:
            fleet.server = server
            if number:
                with pytest.raises(ServerRefused, match="1 sessions"):
                    fleet.send(journal_of(tmp_path, number))
            else:
                fleet.send(journal_of(tmp_path, number))


def test_what_is_not_on_the_disk_is_not_sent(
    fleet: Fleet, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut must not take from the journal what the server keeps."""
    forced: list[int] = []
    sender = fleet.sender(journal)
    post = sender._client.post

    def watched(path: str, body: Any, timeout: float = 15.0) -> dict[str, Any]:
        assert not body or forced, "it is sent before it is forced to the disk"
        forced.clear()
        return post(path, body, timeout)

    def force(number: int) -> None:
        forced.append(number)
        os.fstat(number)

    monkeypatch.setattr(sender._client, "post", watched)
    with monkeypatch.context() as patch:
        patch.setattr(sending.os, "fsync", force)
        while not sender.step():
            pass
    assert fleet.kept(sender.session) == journal.read_bytes()

    def broken(number: int) -> None:
        raise OSError(5, "Input/output error")

    other = fleet.sender(journal, "phone2")
    monkeypatch.setattr(sending.os, "fsync", broken)
    with pytest.raises(ServerAway, match="cannot be forced to the disk"):
        other.step()


def test_a_server_that_always_asks_again_is_left(journal: Path) -> None:
    asked: list[bytes] = []

    class Confused:
        def post(self, path: str, body: bytes, timeout: float = 0.0) -> dict[str, Any]:
            asked.append(body)
            if not body:
                return {"number": 0}
            raise ServerRefused("line 1 comes next", "gap", {})

    sender = Sender(Confused(), journal)  # type: ignore[arg-type]
    with pytest.raises(ServerRefused, match="again and again") as refused:
        while not sender.step():
            pass
    assert refused.value.final and sum(map(bool, asked)) == MOST_GAPS + 1


def question_of(number: int) -> dict[str, Any]:
    asked = {
        "kind": "question",
        "number": number,
        "seconds": 60.0,
        "screen": "f",
        "message": f"May it {number}?",
    }
    return {**asked, "hash": hash_of(asked)}


def test_a_withdrawn_question_makes_room_for_the_next(
    fleet: Fleet, ana: Person, tmp_path: Path, unfinished: Path
) -> None:
    """The guard stops waiting long before the time is over, as when the screen changes."""
    token = tmp_path / "token"
    token.write_text(fleet.tokens["phone1"])
    token.chmod(0o600)
    link = GuardLink(FleetPlace(fleet.server.url, token, tmp_path / "spool", asks=True), lambda text: None)
    assert link.answering is not None
    end = link.answering._end
    link.begin(unfinished, lambda why: None)
    try:
        first, second = question_of(1), question_of(2)
        end.setblocking(True)
        end.sendall(json.dumps(first).encode() + b"\n")
        until(
            lambda: [each.hash for each in fleet.server.questions.all("main") if each.open] == [first["hash"]]
        )
        result = {"kind": "result", "hash": first["hash"], "agreed": False, "reason": "the screen changed"}
        end.sendall(json.dumps(result).encode() + b"\n" + json.dumps(second).encode() + b"\n")
        until(
            lambda: (
                [each.hash for each in fleet.server.questions.all("main") if each.open] == [second["hash"]]
            )
        )
        old, new = fleet.server.questions.all("main")
        assert ana.answer(old, "yes")[0] == 409  # it is too late
        assert ana.answer(new, "no")[0] == 200
        end.settimeout(30)
        assert json.loads(end.recv(1000))["hash"] == second["hash"]
    finally:
        link.close()


def test_only_the_device_withdraws_its_question(fleet: Fleet, unfinished: Path) -> None:
    session = fleet.send(unfinished).session
    asked = question_of(1)
    question = fleet.on_loop(lambda: fleet.server.questions.ask("main", session, "phone1", asked))
    for name in ("phone2", "far"):
        with pytest.raises(ServerRefused):
            fleet.client(name).post(f"/v1/withdraw/{session}", {"question": asked["hash"]})
    with pytest.raises(ServerRefused):
        fleet.client().post(f"/v1/withdraw/{session}", {"question": ""})
    assert question.open
    fleet.client().post(f"/v1/withdraw/{session}", {"question": asked["hash"]})
    assert question.outcome == "late"


def test_a_backup_leaves_half_a_line_out(tmp_path: Path, journal: Path) -> None:
    fleet = fleet_in(tmp_path / "fleet")
    with running(fleet.server_with()) as server:
        fleet.server = server
        session = fleet.send(journal).session
        assert fleet.person("ana").end(session, "enough")[0] == 200
        trail = fleet.folder / "trail.jsonl"
        whole = trail.read_bytes()
        trail.write_bytes(whole + whole[:40])  # half a line has reached the file
        told = vsac("fleet", "backup", tmp_path / "copy", "--data", fleet.folder, "--json")
        trail.write_bytes(whole)
    assert told.returncode == 0, told.stderr
    assert (tmp_path / "copy" / "trail.jsonl").read_bytes() == whole
    assert json.loads(told.stdout)["trail_head"] == json.loads(whole)["hash"]


@pytest.mark.parametrize("path", ["/login", "/api/end", "/v1/ask/" + "a" * 64])
def test_too_long_a_body_is_not_read(fleet: Fleet, path: str) -> None:
    """In pieces, so that nothing says how long it is."""
    place = ("127.0.0.1", fleet.server.port)
    about = {
        "/login": f"Origin: {fleet.server.url}\r\nContent-Type: application/x-www-form-urlencoded\r\n",
        "/api/end": f"Authorization: Bearer {fleet.tokens['ana']}\r\nContent-Type: application/json\r\n",
    }.get(path, f"Authorization: Bearer {fleet.tokens['phone1']}\r\n")
    with socket.create_connection(place, timeout=30) as connection:
        connection.sendall(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{place[1]}\r\n{about}Transfer-Encoding: chunked\r\n\r\n".encode()
        )
        sent = 0
        connection.setblocking(False)
        answer, end = b"", time.monotonic() + 30
        while b"\r\n\r\n" not in answer and time.monotonic() < end and sent < 4_000_000:
            try:
                sent += connection.send(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            except BlockingIOError:
                time.sleep(0.002)
            except ConnectionError:
                break
            try:
                answer += connection.recv(4096)
            except BlockingIOError:
                time.sleep(0.002)
            except ConnectionError:
                break
    assert b" 413 " in answer and sent < 4_000_000


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words in (("serve", "--data", tmp_path / "fleet"), ("demo", "--phones", 1)):
            told = vsac("fleet", *words, "--port", port)
            assert told.returncode == 2 and f"port {port} of 127.0.0.1 is in use" in told.stderr
            assert (
                "--port" in told.stderr and "errno" not in told.stderr.lower() and "bind" not in told.stderr
            )
    told = vsac("fleet", "serve", "--data", tmp_path / "fleet", "--host", "127.0.0.1", "--port", port, "--expose",
                "--host", "192.0.2.1")  # fmt: skip
    assert told.returncode == 2 and "cannot be listened on" in told.stderr
