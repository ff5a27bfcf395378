"""A phone, a scenario or an app that is misspelt: what may be meant, and what to do."""

from pathlib import Path

import pytest

from vsalang.phone.sim import SimulatedPhone, load
from vsalang.tools.cli.main import run

SPEC = Path(__file__).resolve().parents[3] / "app_specs" / "examples" / "reserve_r.vsa"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    path = tmp_path / "agent.jsonl"
    path.write_text('{"action": "back"}\n')
    return path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--device", "sim:restaurnat"], ["did you mean `restaurant`?", "`vsac phone list` lists"]),
        (["--device", "sim:restaurant#takn"], ["did you mean `taken`?", "`vsac phone list` lists"]),
        (["--device", "restaurant"], ["the simulated phone is called `sim:restaurant`"]),
        (["--device", "emulator-1"], ["`vsac phone doctor --device emulator-1` says what is missing"]),
        (["--device", ""], ["Invalid value for '--device': a device has a name: sim:NAME or a serial"]),
        (["--device", "sim:restaurant", "--open", "com.opentabel"], ["did you mean `com.opentable`?"]),
    ],
)
def test_a_name_that_is_none(
    agent: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    words: list[str],
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")  # nothing answers there
    monkeypatch.chdir(agent.parent)
    assert run(["run", str(SPEC), "--agent", str(agent), *options]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said


def test_a_serial_that_is_like_one_of_the_server(
    agent: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(agent.parent)
    with SimulatedPhone.start(load("restaurant")) as simulated:
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(simulated.port))
        assert run(["run", str(SPEC), "--agent", str(agent), "--device", "sim-restaurnat"]) == 2
    assert "did you mean `sim-restaurant`?" in capsys.readouterr().err
