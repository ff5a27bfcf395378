"""Requests that were not even proposed: recorded, shown, and passed over by a replay and by a session that goes on."""

import json

import pytest

from tests.guard.journal.conftest import vsac
from tests.guard.journal.test_schema import problems
from tests.guard.journal.walks import PROGRAM
from tests.guard.phones import Watch, details
from tests.phone.gate.test_gate import SLOT, FakePhone
from vsalang.guard import Guard
from vsalang.guard.journal import Recorder, read_session, replay
from vsalang.guard.journal.file import Journal
from vsalang.guard.journal.session_page import render
from vsalang.guard.journal.timeline import timeline, to_json
from vsalang.phone import DeviceLost
from vsalang.phone.gate import ActionRefused, Gate

GOOD = details(("18:30", True), ("20:00", True))


@pytest.fixture
def path(tmp_path):
    """The journal of a session with one action, and two requests that were turned away."""
    path = tmp_path / "session.jsonl"
    phone = FakePhone(GOOD)
    with Journal(path) as journal:
        recorder = Recorder(journal)
        guard = Guard(PROGRAM, clock=Watch(), recorder=recorder)
        gate = Gate(guard, phone.look, recorder=recorder)
        gate.begin()
        gate.refuse("shell:input tap $(x)\n2", "substitution is not understood\x1b[2J")
        gate.act([SLOT], phone.input)
        phone.blind = DeviceLost("the phone is gone")
        with pytest.raises(ActionRefused):
            gate.act([SLOT], phone.input, what="shell:input tap 1 1")
        recorder.end(completed=False)
    return path


def test_they_are_recorded(path):
    assert problems(path) == []
    found = [record.data for record in read_session(path).records if record.kind == "turned_away"]
    assert [item["request"].split("$")[0] for item in found] == ["shell:input tap ", "shell:input tap 1 1"]
    assert found[0]["reason"].startswith("substitution is not understood")
    assert found[1]["reason"] == "it cannot be judged: the phone is gone"
    assert not any(
        "\n" in value or "\x1b" in value for item in found for value in item.values() if str(value) == value
    )


def test_they_are_shown(path):
    text = vsac("journal", "show", path).stdout
    assert "Turned away: shell:input tap" in text and "substitution is not understood" in text
    shown = timeline(read_session(path))
    assert [event.kind for event in shown.events].count("turned_away") == 2
    told = json.loads(json.dumps(to_json(shown)))["events"]
    assert [event["text"] for event in told if event["kind"] == "turned_away"][1].endswith(
        "the phone is gone"
    )
    assert "Turned away: shell:input tap" in render(shown)
    assert len(timeline(read_session(path), only=["allowed"]).events) == 1
    assert len(read_session(path).steps) == 1


def test_a_replay_passes_over_them(path):
    session = read_session(path)
    again = replay(session, PROGRAM)
    assert [judged.step.record for judged in again.judgements] == [session.steps[0].record]


def test_what_cannot_be_recorded_is_turned_away(tmp_path):
    phone = FakePhone(GOOD)
    with Journal(tmp_path / "session.jsonl") as journal:
        recorder = Recorder(journal)
        guard = Guard(PROGRAM, clock=Watch(), recorder=recorder)
        gate = Gate(guard, phone.look, recorder=recorder)
        gate.begin()
    error = gate.refuse("shell:x", "why")  # the journal is closed
    assert isinstance(error, ActionRefused) and gate.last is not None and gate.last.outcome == "refused"
