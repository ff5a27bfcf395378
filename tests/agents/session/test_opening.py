"""A whole guarded session, opened from Python."""

import json
from pathlib import Path
from typing import Any

import pytest

from vsalang import Action, SessionOptions, load, open_device, open_guarded, resume_guarded
from vsalang.agents.session import SessionError
from vsalang.guard.journal import JournalError, read_session
from vsalang.guard.memory import did
from vsalang.guard.memory.certificate_store import CertificateStore
from vsalang.phone import DeviceError

EXAMPLES = Path(__file__).resolve().parents[3] / "app_specs" / "examples"
SPEC = EXAMPLES / "reserve_r.vsa"
R = Action("tap", {"text": "R"})
REST = [
    Action("tap", {"text": "18:30"}),
    Action("tap", {"id": "reserve_button"}),
    Action("finish"),
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def chosen(**more: Any) -> SessionOptions:
    return SessionOptions(app="com.opentable", journal="j.jsonl", **more)


def kinds() -> list[str]:
    return [record.kind for record in read_session("j.jsonl").records]


def test_a_task_is_done_and_its_end_recorded(tmp_path: Path) -> None:
    """What each action did is remembered, if that is chosen."""
    store = CertificateStore(tmp_path / "certificates.sqlite")
    with open_guarded(SPEC, "sim:restaurant", chosen(certificates=store)) as session:
        assert session.step(R).performed
        steps = list(session.run(REST))
        assert [step.performed for step in steps] == [True, True, True]
        assert session.completed
    last = read_session("j.jsonl").records[-1]
    assert (last.kind, last.data["completed"]) == ("end", True)
    assert session.memory is not None and session.memory.problem == ""
    assert (session.memory.kept, session.memory.known) == (3, 0)
    taps = [did(entry.certificate) for entry in reversed(store.entries())]
    assert sorted(taps) == ['tap "18:30" (link)', 'tap "R" (link)', 'tap "Reserve 18:30" (button)']


def test_what_is_in_force_is_told_before_opening() -> None:
    said: list[Any] = []

    def connect(name: str, config: Any, kinds: str | None) -> Any:
        assert said and said[0].policies[0].file.endswith("payments.vsa")
        raise DeviceError("it is off")

    told = chosen(policies=(EXAMPLES / "payments.vsa",), listener=said.append, connect=connect)
    with pytest.raises(DeviceError, match="off"), open_guarded(SPEC, "phone", told):
        pytest.fail("it was opened")
    assert not Path("j.jsonl").exists()


def test_a_start_that_fails_leaves_no_journal() -> None:
    class Dark:
        info: Any = type("Info", (), {"serial": "s"})

        def observe(self) -> Any:
            raise DeviceError("no screen")

    with pytest.raises(DeviceError, match="no screen"), open_guarded(SPEC, Dark(), chosen()):  # type: ignore[arg-type]
        pytest.fail("it was opened")
    assert not Path("j.jsonl").exists()


def test_an_error_keeps_the_journal_without_an_end() -> None:
    with pytest.raises(RuntimeError), open_guarded(SPEC, "sim:restaurant", chosen()) as session:
        session.step(R)
        raise RuntimeError("the agent died")
    assert kinds()[-1] == "observe"


def test_a_session_goes_on_and_nothing_is_done_twice() -> None:
    with pytest.raises(RuntimeError), open_guarded(SPEC, "sim:restaurant", chosen()) as session:
        session.step(R)
        session.step(REST[0])
        session.step(REST[1])
        raise RuntimeError("the process died")
    with resume_guarded("j.jsonl", "sim:restaurant", SessionOptions(app="com.opentable")) as session:
        assert session.resumed is not None and len(session.resumed.session.steps) == 3
        session.guard.observe(session.first)
        assert session.step(REST[1]).verdict.level != "allow"
    with pytest.raises(JournalError), open_guarded(SPEC, "sim:restaurant", chosen()):
        pytest.fail("a journal is never overwritten")


def test_a_session_that_is_over_does_not_go_on() -> None:
    with open_guarded(SPEC, "sim:restaurant", chosen()) as session:
        session.step(Action("give_up"))
    with pytest.raises(SessionError, match="over") as found, resume_guarded("j.jsonl"):
        pytest.fail("it went on")
    assert "vsac journal show" in found.value.hint


def test_a_device_that_is_open_stays_open() -> None:
    loaded = load(SPEC)
    with open_device("sim:restaurant") as device:
        with open_guarded(loaded, device, chosen()) as session:
            assert session.device is device
        device.observe()
    assert json.loads(Path("j.jsonl").read_text().splitlines()[0])["device"] == device.info.serial


def test_a_spec_with_errors_is_not_opened(tmp_path: Path) -> None:
    spec = tmp_path / "bad.vsa"
    spec.write_text("spec bad\nallow nothing_known.\n", encoding="utf-8")
    with pytest.raises(ValueError, match="vsac check"), open_guarded(spec, "sim:restaurant", chosen()):
        pytest.fail("it was opened")


def test_options_count_over_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "vsac.toml").write_text("engine = 'pydatalog'\n[guard]\noverrides = 1\n", encoding="utf-8")
    with open_guarded(SPEC, "sim:restaurant", chosen(mode="shadow", engine="incremental")) as session:
        settings = session.guard.settings
        assert (settings.mode, settings.overrides) == ("shadow", 1)
    assert read_session("j.jsonl").header["engine"] == "incremental"


def test_a_journal_says_the_versions_of_its_apps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the app in front and those that the rules are about; a device that does not say it keeps nobody waiting."""
    with open_guarded(SPEC, "sim:restaurant", chosen()):
        pass
    apps = read_session("j.jsonl").header["apps"]
    assert list(apps) == ["com.opentable"] and apps["com.opentable"]
    Path("j.jsonl").unlink()

    def lost(self: object, package: str) -> str:
        raise DeviceError("the phone was unplugged")

    monkeypatch.setattr("vsalang.phone.open.simulated.SimulatedDevice.app_version", lost)
    with open_guarded(SPEC, "sim:restaurant", chosen()):
        pass
    assert "apps" not in read_session("j.jsonl").header
