"""What a guarded session sends: while it runs, after it, with the server away; it never waits for the server."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests import processes
from tests.commands import vsac
from tests.tools.fleet_live.fleet import EXAMPLES, Fleet, fleet_in
from vsalang.guard.journal import read_session
from vsalang.tools.fleet.live.client import ServerAway, checked_url, read_token
from vsalang.tools.fleet.live.guarding_link import FleetPlace, GuardLink
from vsalang.tools.fleet.live.server import running
from vsalang.tools.fleet.live.spool import Spool, default_spool

AWAY = "http://127.0.0.1:9"


def token_file(folder: Path, token: str) -> Path:
    path = folder / "token"
    path.write_text(f"{token}\n")
    path.chmod(0o600)
    return path


def run(journal: Path, url: str, token: Path, *more: object) -> object:
    return vsac(
        "run", EXAMPLES / "reserve_r.vsa", "--agent", EXAMPLES / "reserve_r.agent.jsonl",
        "--device", "sim:restaurant", "--open", "com.opentable", "--journal", journal,
        "--fleet", url, "--fleet-token-file", token, "--on-confirm", "no", *more,
        cwd=journal.parent, XDG_STATE_HOME=str(journal.parent / "state"),
    )  # fmt: skip


def until(true: object, seconds: float = 30.0) -> None:
    """Wait for something that happens in another process."""
    end = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, "it does not come to be"
        time.sleep(0.02)


@pytest.mark.slow
def test_a_run_sends_its_journal(fleet: Fleet, tmp_path: Path) -> None:
    journal, token = tmp_path / "run.jsonl", token_file(tmp_path, fleet.tokens["phone1"])
    result = run(journal, fleet.server.url, token)
    assert result.returncode == 0, result.stderr  # type: ignore[attr-defined]
    head = read_session(journal).records[0].hash
    assert fleet.kept(head) == journal.read_bytes()
    assert fleet.server.intake.sessions["main", head].state == "completed"
    assert list((tmp_path / "state" / "vsalang" / "fleet").iterdir()) == []  # nothing is left


@pytest.mark.slow
def test_a_run_without_its_server_decides_the_same(tmp_path: Path, fleet: Fleet) -> None:
    """Then the spool sends it, and the second time nothing is left."""
    journal, plain = tmp_path / "away.jsonl", tmp_path / "plain.jsonl"
    token = token_file(tmp_path, fleet.tokens["phone1"])
    result = run(journal, AWAY, token)
    assert result.returncode == 0 and "cannot be reached" in result.stderr  # type: ignore[attr-defined]
    vsac(
        "run", EXAMPLES / "reserve_r.vsa", "--agent", EXAMPLES / "reserve_r.agent.jsonl", "--device",
        "sim:restaurant", "--open", "com.opentable", "--journal", plain, "--on-confirm", "no",
    )  # fmt: skip
    without = [(step.level, step.commit > 0) for step in read_session(plain).steps]
    assert [(step.level, step.commit > 0) for step in read_session(journal).steps] == without
    spool = Spool(tmp_path / "state" / "vsalang" / "fleet")
    (entry,) = spool.left()
    assert entry.journal == journal and entry.url == AWAY
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    assert vsac("fleet", "send", **state).returncode == 1
    spool.remove(entry.place)
    spool.add(fleet.server.url, str(token), journal)
    sent = vsac("fleet", "send", "--format", "json", **state)
    assert sent.returncode == 0, sent.stdout
    assert fleet.kept(read_session(journal).records[0].hash) == journal.read_bytes()
    assert "Nothing is left" in vsac("fleet", "send", **state).stdout


def test_named_journals_are_sent(fleet: Fleet, journal: Path, tmp_path: Path) -> None:
    token = token_file(tmp_path, fleet.tokens["phone1"])
    words = ("fleet", "send", "--fleet", fleet.server.url, "--fleet-token-file", token)
    assert vsac(*words, journal).returncode == 0
    assert fleet.kept(read_session(journal).records[0].hash) == journal.read_bytes()
    gone = vsac(*words, tmp_path / "none.jsonl", "--format", "json")
    assert gone.returncode == 1 and json.loads(gone.stdout)["journals"][0]["problem"]
    assert vsac("fleet", "send", journal).returncode == 2


@pytest.mark.slow
def test_a_killed_server_loses_nothing(tmp_path: Path, journal: Path) -> None:
    """SIGKILL while lines arrive; what was acknowledged is there, and the device sends the rest to the next server."""
    fleet, lines = fleet_in(tmp_path / "fleet"), journal.read_bytes().splitlines(keepends=True)
    words = ["-m", "vsalang.tools.cli.main", "fleet", "serve", "--data", str(fleet.folder), "--port", "0"]
    growing = tmp_path / "growing.jsonl"
    growing.write_bytes(lines[0])
    sender = None
    for nth in range(3):
        with processes.Process([*words, "--format", "json"], text=True) as process:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            sender = sender or fleet.sender.__func__(_At(fleet, url), growing)  # type: ignore[attr-defined]
            sender._client = _At(fleet, url).client()
            with growing.open("ab") as file:
                for line in lines[1 + nth * 4 : 5 + nth * 4]:
                    file.write(line)
                    file.flush()
                    while not sender.step():
                        pass
            os.kill(process.pid, signal.SIGKILL)
            process.wait(30)
            sender._client.close()
            with pytest.raises(ServerAway):
                sender.beat()
    with running(fleet.server_with()) as server:
        assert server.store.lines("main", sender.session) == growing.read_bytes()  # type: ignore[union-attr]


class _At(Fleet):
    """A fleet whose server is another process."""

    def __init__(self, fleet: Fleet, url: str) -> None:
        super().__init__(fleet.folder, fleet.tokens)
        self._url = url

    def client(self, name: str = "phone1") -> object:  # type: ignore[override]
        from vsalang.tools.fleet.live.client import Client

        return Client(self._url, self.tokens[name])


def test_the_server_ends_a_session(fleet: Fleet, tmp_path: Path, journal: Path) -> None:
    notes: list[str] = []
    ends: list[str] = []
    token = token_file(tmp_path, fleet.tokens["phone1"])
    link = GuardLink(FleetPlace(fleet.server.url, token, tmp_path / "spool"), notes.append)
    growing = tmp_path / "growing.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    growing.write_bytes(b"".join(lines[:6]))
    link.begin(growing, ends.append)
    try:
        intake = fleet.server.intake
        key = ("main", read_session(growing).records[0].hash)
        until(lambda: key in intake.sessions)
        fleet.on_loop(lambda: intake.end(key, "ana: enough"))
        with growing.open("ab") as file:
            file.write(lines[6])
        until(lambda: ends)
        assert ends == ["ana: enough"] and notes == []
    finally:
        link.close()
    assert fleet.kept(key[1]) == b"".join(lines[:7])
    assert [each.journal for each in Spool(tmp_path / "spool").left()] == []


def test_a_link_that_cannot_start_says_so(tmp_path: Path, journal: Path) -> None:
    token, spool = token_file(tmp_path, "x" * 40), tmp_path / "spool"
    spool.mkdir()
    spool.chmod(0o755)  # others could put journals in
    notes: list[str] = []
    link = GuardLink(FleetPlace(AWAY, token, spool), notes.append)
    link.begin(journal, lambda why: None)
    try:
        until(lambda: notes)
    finally:
        link.close()
    assert "not sent" in notes[0] and "spool" in notes[0]


def test_a_link_goes_with_its_guard(fleet: Fleet, tmp_path: Path, journal: Path) -> None:
    """The guard's process is gone without a word: the rest is sent, and the link ends."""
    token = token_file(tmp_path, fleet.tokens["phone1"])
    link = GuardLink(FleetPlace(fleet.server.url, token, tmp_path / "spool"), lambda text: None)
    link.begin(journal, lambda why: None)
    link._control.close()  # as the system does it when a process is killed
    assert link._process is not None and link._process.wait(30) == 0
    assert fleet.kept(read_session(journal).records[0].hash) == journal.read_bytes()


@pytest.mark.parametrize(
    "url",
    ["http://fleet.example", "ftp://127.0.0.1", "https://", "https://a:b@c", "http://127.0.0.1:x", "https://a/?b=1"],
)  # fmt: skip
def test_an_address_that_would_tell_the_token_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        checked_url(url)
    told = vsac("run", EXAMPLES / "reserve_r.vsa", "--device", "sim:x", "--agent", "a", "--fleet", url)
    assert told.returncode == 2


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = token_file(tmp_path, "x" * 40)
    assert read_token(path) == "x" * 40
    path.chmod(0o644)
    with pytest.raises(OSError):
        read_token(path)
    journal = tmp_path / "run.jsonl"
    result = run(journal, AWAY, path)
    assert result.returncode == 2 and "cannot be used" in result.stderr  # type: ignore[attr-defined]
    assert not journal.exists()


def test_questions_need_a_server_that_is_named(tmp_path: Path) -> None:
    told = vsac(
        "run", EXAMPLES / "reserve_r.vsa", "--device", "sim:x", "--agent", "a", "--on-confirm", "fleet"
    )
    assert told.returncode == 2 and "--fleet" in told.stderr


def test_tokens_are_made_listed_and_ended(tmp_path: Path) -> None:
    data = ("--data", tmp_path / "fleet")
    made = vsac("fleet", "token", "add", "phone1", "--tenant", "shop", *data)
    token = made.stdout.strip()
    assert made.returncode == 0 and len(token) >= 40
    assert vsac("fleet", "token", "add", "phone1", *data).returncode == 2
    assert vsac("fleet", "token", "add", "a b", *data).returncode == 2
    assert vsac("fleet", "token", "add", "all", "--tenant", "*", *data).returncode == 2  # not for a device
    starred = vsac("fleet", "token", "add", "*", "--tenant", "*", "--role", "see", *data)
    assert starred.returncode == 2 and "not a name" in starred.stderr
    assert (
        vsac("fleet", "token", "add", "ada", "--role", "administer", "--tenant", "*", *data).returncode == 0
    )
    listed = json.loads(vsac("fleet", "token", "list", "--format", "json", *data).stdout)
    assert [(one["name"], one["role"]) for one in listed["holders"]] == [
        ("phone1", None),
        ("ada", "administer"),
    ]
    text = (tmp_path / "fleet" / "access.json").read_text()
    assert token not in text and (tmp_path / "fleet" / "access.json").stat().st_mode & 0o077 == 0
    assert vsac("fleet", "token", "revoke", "phone1", *data).returncode == 0
    assert vsac("fleet", "token", "revoke", "phone1", *data).returncode == 2


def test_the_spool_has_a_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_spool() == tmp_path / "vsalang" / "fleet"


def test_no_host_but_this_machine_unless_asked(tmp_path: Path) -> None:
    told = vsac("fleet", "serve", "--host", "0.0.0.0", "--port", "0", "--data", tmp_path / "fleet")
    assert told.returncode == 2 and "exposed" in told.stderr


def test_each_failure_of_the_guide_has_its_test() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "fleet.md").read_text(encoding="utf-8")
    table = guide.partition("## What may go wrong")[2].partition("\n## ")[0]
    named = [
        name
        for line in table.splitlines()
        if line.startswith("|")
        for name in line.split("`")
        if name[:5] == "test_"
    ]
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert len(named) > 15 and [name for name in named if f"def {name}(" not in tests] == []
