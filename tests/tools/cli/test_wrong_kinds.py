"""A file of another kind than a command asks for is a mistake of usage, whichever of the two it is."""

import json
from pathlib import Path

import pytest

from vsalang.tools.cli.main import run

SPEC = 'spec {} "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'
AGENT = ["--device", "sim:restaurant", "--agent", "none.jsonl"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "s.vsa").write_text(SPEC.format("s"))
    (tmp_path / "dark.vsa").write_text(SPEC.format("dark") + "allow Foo(a = 1).\nallow Bar.\n")
    (tmp_path / "p.vsa").write_text('policy p "x"\ndeny "no shell" when shell.\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["check", "s.vsa"],
        ["test", "s.vsa"],
        ["describe", "s.vsa"],
        ["export", "--to", "python", "s.vsa"],
        ["run", "s.vsa", *AGENT],
    ],
)
def test_a_spec_as_policy(folder: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--policy", "dark.vsa"]) == 2
    told = capsys.readouterr()
    text = told.out + told.err
    assert "error[E0005]: `dark` is not a policy: it is a spec" in text
    assert "--> dark.vsa:1:1" in text
    assert text.count("error[") == 1


def test_a_policy_as_spec(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "p.vsa", *AGENT]) == 2
    assert "p.vsa is not a spec: it is a policy" in capsys.readouterr().err


def test_a_spec_as_policy_in_a_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "vsac.toml").write_text('policies = ["dark.vsa"]\n')
    assert run(["run", "s.vsa", *AGENT]) == 2
    assert "`dark` is not a policy" in capsys.readouterr().err


def test_one_app_is_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).resolve().parents[3]
    assert run(["phone", "sim", "check", str(root / "app_specs" / "phones" / "settings")]) == 0
    text = capsys.readouterr().out
    assert ": 1 app, " in text and " screens, " in text
    assert (
        run(["phone", "sim", "check", str(root / "app_specs" / "phones" / "settings"), "--format", "json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)[0]["apps"] == 1
