"""A live recording, and an agent's program in a transparent session, started from Python."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from vsalang import SessionOptions, load, load_text, open_guarded
from vsalang.agents.recording import EMPTY
from vsalang.agents.session.live import LiveRecording
from vsalang.agents.session.transparent import AgentProgram, TransparentSession
from vsalang.guard.journal import read_session
from vsalang.language.semantics import Loaded

EXAMPLES = Path(__file__).resolve().parents[3] / "app_specs" / "examples"
SPEC = EXAMPLES / "reserve_r.vsa"


class Listener:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def begin(self, recording: LiveRecording, device: Any) -> None:
        self.heard.append(("begin", device.info.serial))

    def hint(self, problem: str) -> None:
        pytest.fail(problem)

    def seen(self, seen: Any, looks: int, done: int) -> None:
        self.heard.append(("seen", done))

    def acted(self, verdict: Any, problem: str, performed: bool) -> None:
        self.heard.append((str(verdict.proposal), performed))

    def end(self, recording: LiveRecording, completed: bool | None, head: str) -> None:
        self.heard.append(("end", completed, head))


def recorded(loaded: Loaded, journal: Path, listener: Listener, *, task: bool, **more: Any) -> bool | None:
    options = SessionOptions(app="com.opentable", journal=journal, mode="shadow", task=task)
    return LiveRecording(loaded, "sim:restaurant", options, listener, **more).record()


@pytest.mark.parametrize("finishes", [True, False])
def test_an_agent_is_recorded(tmp_path: Path, finishes: bool) -> None:
    script, journal, listener = tmp_path / "agent.jsonl", tmp_path / "j.jsonl", Listener()
    taps = [{"text": "R"}, {"text": "18:30"}, {"id": "reserve_button"}]
    lines = [{"action": "tap", **tap} for tap in taps] + [{"action": "finish"}] * finishes
    script.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert recorded(load(SPEC), journal, listener, task=True, agent=str(script)) is finishes
    begin, *acted, end = listener.heard
    assert begin[0] == "begin" and [performed for _, performed in acted] == [True] * len(lines)
    assert acted[0][0] == 'tap(text = "R")'
    session = read_session(journal)
    assert end == ("end", finishes, session.head)
    assert (len(session.steps), session.completed) == (len(lines), finishes)


def test_what_nobody_does_has_no_task(tmp_path: Path) -> None:
    journal, pictures, listener = tmp_path / "j.jsonl", tmp_path / "pictures", Listener()
    loaded = load_text(EMPTY, file="recording.vsa")
    assert recorded(loaded, journal, listener, task=False, seconds=0.2, screenshots=pictures) is None
    assert listener.heard[0][0] == "begin" and ("seen", 0) in listener.heard
    assert listener.heard[-1] == ("end", None, read_session(journal).head)
    assert (pictures / "00001.png").read_bytes().startswith(b"\x89PNG")


AGENT = """
import uiautomator2 as u2

for wanted in ({"text": "R"}, {"text": "18:30"}, {"resourceId": "com.opentable:id/reserve_button"}):
    left, top, right, bottom = u2.connect()(**wanted).bounds()
    u2.connect().click((left + right) // 2, (top + bottom) // 2)
"""


@pytest.mark.parametrize(("text", "status"), [(AGENT, 0), ("raise SystemExit(3)", 3)])
def test_a_program_gets_a_guarded_phone(tmp_path: Path, text: str, status: int) -> None:
    pytest.importorskip("uiautomator2")
    program, done = tmp_path / "agent.py", status == 0
    program.write_text(text, encoding="utf-8")
    options = SessionOptions(app="com.opentable", journal=tmp_path / "j.jsonl")
    with open_guarded(SPEC, "sim:restaurant", options) as session:
        run = TransparentSession(session, confirm=lambda verdict: None)
        assert run.run(AgentProgram((sys.executable, str(program)))) == status
        session.end(run.completed)
    assert [step.performed for step in run.steps] == [True] * (4 if done else 0)  # its end is `finish`
    assert run.completed is done is read_session(tmp_path / "j.jsonl").completed
