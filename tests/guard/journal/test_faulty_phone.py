"""Sessions with a phone that fails: what arrived and what nobody knows is recorded, and judged again it is the same."""

import json
from pathlib import Path

import pytest

from tests.guard.journal.conftest import AGENT, SPEC, vsac
from tests.guard.journal.test_schema import problems
from vsalang.guard.journal import Session, read_session, recorded_program, replay
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.timeline import timeline
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]


def session(folder: Path, faults: str, monkeypatch: pytest.MonkeyPatch, *args: str) -> Session:
    """A whole task, recorded on a phone with these faults."""
    monkeypatch.chdir(ROOT)
    (folder / "s.toml").write_text(f'[scenario]\ntitle = "faults"\nseed = 3\n{faults}', encoding="utf-8")
    path = folder / "j.jsonl"
    device = f"sim:restaurant#{folder / 's.toml'}"
    asked = ["record", SPEC, "--device", device, "--open", "com.opentable", "--agent", AGENT, "-o", str(path)]
    assert run([*asked, *args]) == 0
    assert problems(path) == []
    found = read_session(path)
    program = recorded_program(found).program
    assert program is not None and not replay(found, program).flipped
    return found


@pytest.mark.slow
@pytest.mark.parametrize("after", ["true", "false"])
def test_a_server_that_dies_with_an_input(tmp_path: Path, after: str, monkeypatch: pytest.MonkeyPatch):
    found = session(
        tmp_path, f'[[fault]]\nkind = "dead"\nmethod = "click"\nat = 2\nafter = {after}', monkeypatch
    )
    second = found.steps[1]
    assert second.delivered is None and "the connection to the device is lost" in second.problem
    (outcome,) = (r.data for r in found.records if r.kind == "outcome" and r.data["delivered"] is None)
    assert outcome["propose"] == second.record
    (event,) = timeline(found, first=2, last=2).events
    assert event.outcome_text.startswith(
        "not held back (shadow), carried out; whether it arrived is not known: tap: "
    )
    assert "surprise" in event.tags


@pytest.mark.slow
def test_an_input_that_certainly_did_not_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # the tap that opens the restaurant is lost, so the buttons of its page are not there
    found = session(tmp_path, '[[fault]]\nkind = "lost"\non = "tap"\nat = 1', monkeypatch)
    step = found.steps[1]
    assert step.delivered is False and "no node that shows" in step.problem
    (event,) = timeline(found, first=2, last=2).events
    assert "it did not reach the device: no node that shows" in event.outcome_text


@pytest.mark.slow
def test_a_phone_in_bad_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    flaky = (ROOT / "app_specs" / "phones" / "restaurant" / "scenarios" / "flaky.toml").read_text(
        encoding="utf-8"
    )
    faults = flaky.partition("\n[[fault]]")
    found = session(tmp_path, "[[fault]]" + faults[2], monkeypatch)
    assert found.ended and len(found.steps) >= 5
    looks = [record.data for record in found.records if record.kind == "observe"]
    assert all(look["delivered"] in (True, False, None) for look in looks)


def test_what_a_phone_that_others_use_lost_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from vsalang.agents.inputs import PhoneInputs
    from vsalang.phone.sim import Phone, load

    (tmp_path / "s.toml").write_text('[scenario]\ntitle = "x"\n[[fault]]\nkind = "lost"\non = "tap"\n')
    phone = Phone(load("restaurant"), str(tmp_path / "s.toml"))
    inputs = PhoneInputs(phone)
    phone.tap(100, 100)
    (done,) = inputs.taken()
    assert done.delivered is False and done.problem == "the phone's fault: lost"


def test_a_cut_journal_is_read_up_to_there(demo: Path):
    data = demo.read_bytes()
    ends = [number + 1 for number, byte in enumerate(data) if byte == 10]
    for end in (ends[2], ends[len(ends) // 2], ends[-2]):
        demo.write_bytes(data[: end + 25])
        shown = vsac("journal", "show", demo, "--json")
        assert shown.returncode == 0, shown.stderr
        told = json.loads(shown.stdout)
        assert (told["outcome"], told["torn"]) == ("unfinished", 25)
        assert told["records"] == data[:end].count(b"\n")
        assert vsac("journal", "replay", demo).returncode == 0
        page = demo.with_suffix(".html")
        assert vsac("journal", "show", demo, "--html", page).returncode == 0
        assert "was cut off by a crash" in page.read_text(encoding="utf-8")
        assert demo.read_bytes() == data[: end + 25]  # reading changes nothing


def test_a_journal_without_a_line_is_none(tmp_path: Path):
    (tmp_path / "j").write_bytes(b"")
    with pytest.raises(JournalError, match="is empty"):
        read_session(tmp_path / "j")
    (tmp_path / "j").write_bytes(b'{"half')
    with pytest.raises(JournalError, match="cut off"):
        read_session(tmp_path / "j")
