"""``--trace`` and ``[device] trace``: every command that guards a session asks its device for the same."""

from pathlib import Path
from typing import Any

import pytest

from vsalang.phone import DeviceError
from vsalang.phone.open import open_device
from vsalang.phone.uiautomator import Tracing
from vsalang.tools.cli import phones
from vsalang.tools.cli.main import run as vsac

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Tracing]:
    """What devices were asked for; none of them opens."""
    found: list[Tracing] = []

    def closed(name: str, **options: Any) -> Any:
        found.append(options["trace"])
        raise DeviceError(f"{name} is not there")

    monkeypatch.setattr(phones, "connect", closed)
    return found


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "app_specs" / "examples" / "reserve_r.vsa").read_text(encoding="utf-8")
    (tmp_path / "reserve_r.vsa").write_text(text, encoding="utf-8")
    (tmp_path / "agent.jsonl").write_text('{"action": "back"}\n')
    return tmp_path / "reserve_r.vsa"


COMMANDS = {
    "run": ["--agent", "agent.jsonl"],
    "mcp": [],
    "serve": ["--app", "com.opentable"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_trace_that_is_asked_for(
    command: str, spec: Path, asked: list[Tracing], capsys: pytest.CaptureFixture[str]
) -> None:
    line = [command, str(spec), "--device", "sim:restaurant", *COMMANDS[command]]
    assert vsac(line) == 2
    assert vsac([*line, "--trace", "settings,files"]) == 2
    (spec.parent / "vsac.toml").write_text("[device]\ntrace = ['permissions']\ntrace_folders = ['/data/x']\n")
    assert vsac(line) == 2
    assert vsac([*line, "--trace", "all"]) == 2
    assert [sorted(trace.kinds) for trace in asked] == [
        [], ["files", "settings"], ["permissions"], ["connections", "files", "permissions", "settings"],
    ]  # fmt: skip
    assert [trace.roots for trace in asked][1:3] == [("/sdcard/",), ("/data/x",)]
    capsys.readouterr()
    assert vsac([*line, "--trace", "everything"]) == 2
    assert "there is no trace of 'everything'" in capsys.readouterr().err
    assert len(asked) == 4


@pytest.mark.parametrize("command", COMMANDS)
def test_a_session_that_goes_on_is_told_as_much(
    command: str, spec: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Else rules about files would fall silent halfway."""
    from vsalang import Guard, load
    from vsalang.guard.journal import Recorder
    from vsalang.guard.journal.file import Journal

    loaded = load(str(spec))
    assert loaded.program is not None
    with open_device("sim:restaurant") as device:
        first = device.observe()
    with Journal(spec.parent / "a.jsonl") as journal:
        recorder = Recorder(
            journal, sources=loaded.sources, spec=loaded.file, policies=[], device="sim:restaurant"
        )
        Guard(loaded.program, recorder=recorder).observe(first)
    (spec.parent / "vsac.toml").write_text("[device]\ntrace = ['files']\n")
    asked: list[Tracing] = request.getfixturevalue("asked")
    options = COMMANDS["run"] if command == "run" else []
    assert vsac([command, "--resume", "a.jsonl", *options]) == 2
    assert [sorted(trace.kinds) for trace in asked] == [["files"]]


def test_without_a_device_there_is_nothing_to_trace(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert vsac(["serve", str(spec), "--no-screen", "--trace", "files"]) == 2
    assert "--no-screen and --trace exclude each other" in capsys.readouterr().err
