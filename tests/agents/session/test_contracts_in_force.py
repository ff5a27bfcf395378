"""`std.contracts` is in force in every session, unless its owner wants none of it; journals keep what was in force."""

from pathlib import Path
from typing import Any

import pytest

from vsalang import Action, SessionOptions, open_guarded, resume_guarded
from vsalang.guard.journal import read_session
from vsalang.guard.journal.recorded_programs import recorded_program
from vsalang.tools.cli.main import run

SPEC = Path(__file__).resolve().parents[3] / "app_specs" / "examples" / "reserve_r.vsa"
TAP = Action("tap", {"text": "R"})


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def outcomes(**more: Any) -> list[tuple[str, str]]:
    """The contracts of a tap in a session, as the journal has them."""
    options = SessionOptions(app="com.opentable", journal="j.jsonl", **more)
    with open_guarded(SPEC, "sim:restaurant", options) as session:
        assert session.step(TAP).performed
    records = read_session("j.jsonl").records
    return [(c["rule"], c["outcome"]) for r in records for c in r.data.get("contracts", ())]


def in_force() -> bool:
    return "std.contracts" in recorded_program(read_session("j.jsonl")).checked().modules


def test_what_a_tap_did_is_recorded(capfd: pytest.CaptureFixture[str]) -> None:
    assert outcomes() == [("STD-CHANGED", "met")]
    assert in_force()
    assert run(["journal", "replay", "j.jsonl"]) == 0
    assert run(["journal", "replay", "j.jsonl", "--spec", str(SPEC)]) == 0
    assert capfd.readouterr().out.count("0 flipped") == 2


def test_a_session_goes_on_under_the_same() -> None:
    with open_guarded(
        SPEC, "sim:restaurant", SessionOptions(app="com.opentable", journal="j.jsonl")
    ) as session:
        assert session.in_force.contracts
    with resume_guarded("j.jsonl") as session:
        assert session.in_force.contracts
        assert "std.contracts" in session.guard.program.modules


@pytest.mark.parametrize("by", ["option", "file"])
def test_the_owner_may_want_none(by: str, tmp_path: Path) -> None:
    if by == "file":
        (tmp_path / "config" / "vsac").mkdir(parents=True)
        (tmp_path / "config" / "vsac" / "vsac.toml").write_text("[guard]\ncontracts = false\n")
    assert outcomes(contracts=by != "option") == []
    assert not in_force()


def test_commands_say_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text('{"action": "tap", "text": "R"}\n')
    session = [
        "run",
        str(SPEC),
        "--device",
        "sim:restaurant",
        "--agent",
        "a.jsonl",
        "--open",
        "com.opentable",
    ]
    run([*session, "--journal", "with.jsonl"])
    assert "without" not in capfd.readouterr().out
    run([*session, "--journal", "j.jsonl", "--no-contracts"])
    assert "; without std.contracts" in capfd.readouterr().out
    assert not in_force()
    assert run(["run", "--resume", "j.jsonl", "--agent", "a.jsonl", "--no-contracts"]) == 2
    assert "the journal says it" in capfd.readouterr().err


def test_an_agent_is_told_what_was_not_as_expected() -> None:
    """The tap was lost."""
    with open_guarded(
        SPEC, "sim:restaurant", SessionOptions(app="com.opentable", journal="j.jsonl")
    ) as session:
        session.guard.observe(session.first)
        session.guard.commit(session.guard.propose(TAP))
        noticed = session.guard.observe(session.first).noticed
    assert noticed == ("Not as expected: nothing changed on the screen",)
