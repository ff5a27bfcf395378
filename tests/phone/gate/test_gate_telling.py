"""What a gate tells: events as documents, a file of them, the environment and the processes of an agent."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.phone.gate.test_gate import BOOK, GOOD, LATE, SLOT, Made
from vsalang.guard import ActionBlocked
from vsalang.phone.gate import Gate
from vsalang.phone.gate import child as child_module
from vsalang.phone.gate.channel import SideChannel
from vsalang.phone.gate.child import Child
from vsalang.phone.gate.environment import FRAMEWORKS, agent_environment
from vsalang.phone.gate.telling import FeedbackFile, event_document


def test_events_as_documents() -> None:
    made = Made(GOOD)
    made.act(SLOT)
    made.gate.refuse("tcp:1\n\x1b[31mred", "no")
    with pytest.raises(ActionBlocked):
        made.act(LATE)
    documents = [json.loads(json.dumps(event_document(event))) for event in made.events]
    assert [document["outcome"] for document in documents] == ["passed", "refused", "blocked"]
    assert documents[1]["verdict"] is None and "\x1b" not in documents[1]["request"]
    assert documents[2]["verdict"]["level"] == "warn" and documents[2]["feedback"]


def test_lines_of_the_file_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    with FeedbackFile(path) as one, FeedbackFile(path) as other:
        text = "x" * 20_000

        def write(file: FeedbackFile, name: str) -> None:
            for number in range(50):
                file.write({"name": name, "number": number, "text": text})

        threads = [
            threading.Thread(target=write, args=(file, name)) for file, name in ((one, "a"), (other, "b"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    read = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(read) == 100 and {line["text"] for line in read} == {text}
    one.write({"late": True})  # after the end nothing is written, and nothing breaks
    assert len(path.read_text().splitlines()) == 100


def test_the_file_is_not_where_a_link_leads(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("the user's")
    link = tmp_path / "feedback.jsonl"
    link.symlink_to(own)
    with pytest.raises(OSError):
        FeedbackFile(link)
    assert own.read_text() == "the user's"


def test_an_environment_without_the_real_server() -> None:
    base = {"PATH": "/bin", "HOME": "/h", "ANDROID_ADB_SERVER_PORT": "5037", "ADB_VENDOR_KEYS": "/k",
            "ANDROID_HOME": "/sdk", "VSA_GUARD_TOKEN": "old", "ADB_TRACE": "all", "ANDROID_SERIAL": "real"}  # fmt: skip
    found = agent_environment(base, serial="guarded", port=7, feedback="/f", url="http://x", token="t")
    assert found["PATH"] == "/bin" and found["ANDROID_HOME"] == "/sdk" and found["ADB_TRACE"] == "all"
    assert (found["ANDROID_SERIAL"], found["ANDROID_ADB_SERVER_PORT"], found["VSA_GUARD_TOKEN"]) == (
        "guarded",
        "7",
        "t",
    )
    assert "ADB_VENDOR_KEYS" not in found
    assert base["ANDROID_SERIAL"] == "real"
    assert "VSA_FEEDBACK" not in agent_environment(base, serial="x", port=1)


def test_frameworks_find_the_phone_by_their_variables() -> None:
    base = {"MIDSCENE_ADB_REMOTE_PORT": "5037", "ADB_PORT": "5037", "AGENT_DEVICE_STATE_DIR": "/old"}
    found = agent_environment(base, serial="s", port=7, folder="/run")
    assert (found["MIDSCENE_ADB_REMOTE_HOST"], found["MIDSCENE_ADB_REMOTE_PORT"]) == ("127.0.0.1", "7")
    assert (found["ADB_PORT"], found["ADB_SERVER_SOCKET"]) == ("7", "tcp:127.0.0.1:7")
    assert found["AGENT_DEVICE_STATE_DIR"] == "/run/agent-device"
    assert agent_environment(base, serial="s", port=7)["AGENT_DEVICE_STATE_DIR"] == "/old"


def test_the_page_has_the_variables_of_each_framework() -> None:
    page = (Path(__file__).parents[3] / "docs" / "guides" / "transparent-guard.md").read_text()
    for framework in FRAMEWORKS:
        row = f"| {framework.programs} | {', '.join(f'`{name}`' for name in framework.values)} |"
        assert row in page


def test_what_ignores_a_signal_is_ended_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_module, "GRACE", 0.5)
    code = (
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal, time; signal.signal(15, signal.SIG_IGN); "
        "print(flush=True); time.sleep(99)'], stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "sys.exit(5)\n"
    )
    child = Child([sys.executable, "-c", code], dict(os.environ))
    assert child.wait() == 5
    child.close()
    child.close()
    with pytest.raises(ProcessLookupError):
        for _ in range(1200):
            os.killpg(child.group, 0)
            time.sleep(0.05)


def test_no_interruption_is_too_early_to_be_noticed() -> None:
    for _ in range(3):
        child = Child([sys.executable, "-c", ""], dict(os.environ))
        child._listen()
        assert child._listener is not None
        child._listener.send_signal(signal.SIGINT)  # it has hardly begun
        assert child.wait() == 0
        assert child.interrupted == signal.SIGINT
        child.close()


def test_a_program_that_is_killed_says_by_what() -> None:
    child = Child([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], dict(os.environ))
    assert child.wait() == -9
    child.close()


@pytest.mark.parametrize(
    ("header", "host", "fine"),
    [
        ("Bearer {}", "127.0.0.1:5", True), ("bearer {}", "localhost:5", True), ("{}", "127.0.0.1:5", False),
        ("Bearer {}x", "127.0.0.1:5", False), ("Bearer {}", "evil.example:5", False), (None, "127.0.0.1:5", False),
        ("Bearer ", "127.0.0.1:5", False), ("Bearer {}", None, False), ("Bearer é", "127.0.0.1:5", False),
    ],
)  # fmt: skip
def test_who_may_use_the_side_channel(header: str | None, host: str | None, fine: bool) -> None:
    made = Made(GOOD)
    with SideChannel(made.gate, lambda data, claim: BOOK, event_document) as channel:
        assert channel.allows(header.format(channel.token) if header is not None else None, host) is fine


def test_the_side_channel_lets_nothing_through() -> None:
    made = Made(GOOD)
    gate: Gate = made.gate
    with SideChannel(gate, lambda data, claim: SLOT, event_document) as channel:
        status, said = channel.post("/v1/propose", {"action": "tap"})
        assert status == 400 and "is done on the phone" in said["error"]
        assert channel.post("/v1/claim", {"claims": "x"})[0] == 400
        assert channel.get("/v1/events", {"after": "-1"})[0] == 400
    assert made.phone.inputs == 0 and made.events == []
