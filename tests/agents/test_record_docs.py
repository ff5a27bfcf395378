"""The page on recording: its transcript is real, its script runs, its tables name every option and format."""

import os
import re
from pathlib import Path

import pytest

from tests import processes
from tests.digests import masked
from tests.pages import section
from vsalang.agents.walks import FORMATS
from vsalang.tools.cli.main import run
from vsalang.tools.cli.record import command

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "commands" / "guard.md"
TEXT = section("guard", "`vsac record`")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return str(found)


def refreshed(old: str, new: str) -> None:
    if old != new and os.environ.get("UPDATE_DOCS") == "1":
        PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    else:
        assert old == new, "is the new output right? then UPDATE_DOCS=1 writes it"


def test_the_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    first, _, shown = block("console").partition("\n")
    args = first.removeprefix("$ vsac ").split()
    (tmp_path / "app_specs").symlink_to(ROOT / "app_specs")
    monkeypatch.chdir(tmp_path)
    assert run(args) == 0
    refreshed(shown, masked(capsys.readouterr().out))


def test_the_script():
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = processes.run(["-c", block("python")], cwd=ROOT, env=env)
    assert result.returncode == 0, result.stderr
    refreshed(block("text"), result.stdout)


def test_every_option_and_format():
    options = {name for param in command.params for name in param.opts if name.startswith("-")}
    assert {name for name in options if f"`{name}" not in TEXT and f", {name}" not in TEXT} == set()
    table = TEXT.split("#### Formats\n", 1)[1].split("\n\n", 1)[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(FORMATS)
