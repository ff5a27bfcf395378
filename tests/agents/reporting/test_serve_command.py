"""``vsac serve`` as people start it, and a session that goes on after a crash."""

import json
import os
import signal
import stat
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.agents.reporting.bank import ACCOUNT, BANK, FILES, NOTES, RENT
from tests.commands import vsac
from vsalang.agents.reporting import (
    AccessError,
    Client,
    ClientError,
    ReportedGuard,
    Tokens,
    Update,
    read_connection,
    write_connection,
)
from vsalang.guard.journal import read_session, recorded_program, replay, resume

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


class Served:
    """A running ``vsac serve``."""

    def __init__(self, folder: Path, *args: str, **env: str) -> None:
        self.folder = folder
        command = ["-m", "vsalang.tools.cli.main", "serve", *args, "--format", "json"]
        self.process = processes.Process(command, cwd=folder, env={**os.environ, **env}, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            _, problem = self.process.communicate(timeout=60)
            raise AssertionError(problem)
        self.said: dict[str, Any] = json.loads(line)

    def client(self, package: str = BANK, token: str | None = None) -> Client:
        if token is not None:
            return Client(self.said["url"], token)
        return Client.from_file(self.folder / self.said["connection"], package)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(number)
        _, problem = self.process.communicate(timeout=60)
        return self.process.returncode, problem


def test_a_session_that_is_killed_and_goes_on(folder):
    served = Served(
        folder,
        "rent.vsa",
        "--no-screen",
        "--policy",
        "owner.vsa",
        "--journal",
        "s.jsonl",
        "--today",
        "2026-04-01",
    )
    file = folder / "rent.serve.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert served.said["apps"] == [BANK, NOTES] and served.said["connection"] == "rent.serve.json"
    app = served.client()
    app.update_state([Update("Account", ACCOUNT), Update("Session", {"signed_in": True})])
    assert app.before_action("Pay", RENT["values"])
    served.end(signal.SIGKILL)

    again = Served(folder, "--resume", "s.jsonl", "--no-screen", "--connection", "rent.serve.json")
    app = again.client()  # the tokens are the old ones, the port is another
    assert not app.before_action("Pay", RENT["values"])  # it counts as done: not known to have failed
    app.update_state("Receipt", {"success": True})
    code, problem = again.end()
    assert (code, problem) == (0, "")

    session = read_session(folder / "s.jsonl")
    kinds = [record.kind for record in session.records]
    assert kinds.count("commit") == 1 and kinds[-1] == "end" and "resume" in kinds
    program = recorded_program(session).program
    assert program is not None
    assert not [item for item in replay(session, program).judgements if item.flipped]
    with resume(folder / "s.jsonl", guard_type=ReportedGuard) as resumed:
        assert isinstance(resumed.guard, ReportedGuard)
        assert resumed.guard.rows("bank.Receipt") == [{"success": True}]
        assert resumed.guard.rows("bank.Account")[0]["labels"] == frozenset({"joint"})


def test_a_token_of_the_environment_is_written_nowhere(folder):
    token = "environment-token-1234"
    served = Served(folder, "rent.vsa", "--no-screen", "--app", BANK, "--paper", BANK, VSAC_SERVE_TOKEN=token)
    assert served.said["connection"] is None and list(served.said["paper"]) == [BANK]
    assert served.client(token=token).describe()["package"] == BANK
    with pytest.raises(ClientError, match="token"):
        served.client(token="another-token-12345678").describe()
    assert served.end(signal.SIGINT)[0] == 0
    assert not any(token in path.read_text() for path in folder.iterdir())


def test_a_device_whose_screens_are_seen(tmp_path):
    served = Served(
        tmp_path, str(ROOT / "app_specs" / "examples" / "reserve_r.vsa"), "--device", "sim:restaurant"
    )
    app = served.client("com.opentable")
    slot = {"restaurant": "R", "date": "2026-04-01", "at": 1, "time": "18:30", "available": True}
    assert app.update_state("Slot", slot).conflicts == ()
    with pytest.raises(ClientError, match="which screens show is seen on the device"):
        app.update_state([], screens=["Details"])
    assert not app.before_action("Reserve", {"restaurant": "Q"})
    assert served.end()[0] == 0


def test_in_shadow_nothing_is_held_back(folder):
    served = Served(folder, "rent.vsa", "--no-screen", "--mode", "shadow")
    assert served.said["mode"] == "shadow"
    permission = served.client().before_action("Pay", {"payee": "Mallory", "amount": 9})
    assert permission.proceed and permission.level == "block" and permission.verdict["mode"] == "shadow"
    assert served.end()[0] == 0


def refused(folder: Path, *args: str, **env: str) -> tuple[int, str]:
    done = vsac("serve", *args, cwd=folder, NO_COLOR="1", COLUMNS="100", **env)
    return done.returncode, done.stderr + done.stdout


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["rent.vsa"], 2, "SPEC needs --device or --no-screen."),
        (["--no-screen"], 2, "Give SPEC or --resume."),
        (["bank.vsa", "--no-screen"], 2, "is not a spec"),
        (["absent.vsa", "--no-screen"], 2, "absent.vsa"),
        (["broken.vsa", "--no-screen"], 1, "error"),
        (["rent.vsa", "--no-screen", "--host", "0.0.0.0"], 2, "is not this machine alone"),
        (["rent.vsa", "--no-screen", "--app", "com.other"], 2, "no app of the program has the package com.other"),
        (["rent.vsa", "--no-screen", "--paper", "com.other"], 2, "no such app is served"),
        (["rent.vsa", "--no-screen", "--paper", f"{BANK}:x"], 2, "x is not a port"),
        (["rent.vsa", "--no-screen", "--policy", "screens.vsa"], 2, "would be silent without one: screens:2"),
        (["rent.vsa", "--no-screen", "--resume", "s.jsonl"], 2, "--resume and SPEC exclude each other"),
        (["rent.vsa", "--no-screen", "--connection", "open.json"], 2, "can be read by others"),
    ],
)  # fmt: skip
def test_what_cannot_be_served(folder, args, code, words):
    (folder / "broken.vsa").write_text('spec broken "x"\nimport bank\nallow Nothing.\n')
    screens = 'policy screens "x"\ndefine Ad when Node(text contains "Ad").\ndeny "an advert" when Ad.\n'
    (folder / "screens.vsa").write_text(screens)
    (folder / "open.json").write_text('{"url": "", "tokens": {}}')
    (folder / "open.json").chmod(0o644)
    got, said = refused(folder, *args)
    assert (got, words in said) == (code, True), said


def test_a_token_for_several_apps(folder):
    code, said = refused(folder, "rent.vsa", "--no-screen", VSAC_SERVE_TOKEN="x" * 20)
    assert code == 2 and "is the token of one app, and 2 are served" in said


# ---------------------------------------------------------------- tokens


def test_a_file_of_tokens(tmp_path):
    path = tmp_path / "c.json"
    tokens = Tokens.new([BANK, NOTES])
    write_connection(path, "http://127.0.0.1:1", tokens)
    write_connection(path, "http://127.0.0.1:2", tokens)
    assert read_connection(path)[0] == "http://127.0.0.1:2"
    assert read_connection(path)[1].by_package == tokens.by_package
    assert [item.name for item in tmp_path.iterdir()] == ["c.json"]
    path.chmod(0o640)
    with pytest.raises(AccessError, match="can be read by others"):
        read_connection(path)
    path.chmod(0o600)
    for text in ("", "[]", "{}", '{"tokens": {"a": 1}}', '{"tokens": {"a": "short"}}'):
        path.write_text(text)
        with pytest.raises(AccessError, match="holds no tokens"):
            read_connection(path)


def test_tokens():
    tokens = Tokens({BANK: "a" * 20, NOTES: "b" * 20})
    assert tokens.package("a" * 20) == BANK and tokens.package("b" * 20) == NOTES
    assert [tokens.package(text) for text in ("", "a", "a" * 21, "é", "\ud800")] == [None] * 5
    with pytest.raises(ValueError, match="the same token"):
        Tokens({BANK: "a" * 20, NOTES: "a" * 20})
    with pytest.raises(ValueError, match="at least 16"):
        Tokens({BANK: "short"})
    assert len(set(Tokens.new("abcdef").by_package.values())) == 6
