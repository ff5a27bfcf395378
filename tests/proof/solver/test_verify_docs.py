"""The page of `vsac prove verify`: its examples are run and its output is what is printed."""

import re
import shutil
from pathlib import Path

import pytest

from tests.pages import section
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]


def test_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = section("prove", "`vsac prove verify`")
    shutil.copytree(ROOT / "app_specs", tmp_path / "app_specs")
    shutil.copy(ROOT / "app_specs" / "apps" / "opentable.vsa", tmp_path)
    for name, content in re.findall(r"```vsa\n// file: (\S+)\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    sessions = re.findall(r"```console\n\$ vsac (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(sessions) == 3
    for command, shown in sessions:
        run(command.split())
        assert capsys.readouterr().out == shown, command
