"""The pages of the commands that ask the solver: their examples are run, and their output is what is printed."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

from tests.pages import section
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "count"), [("diff", 1), ("tests", 1), ("conflicts", 1), ("probe", 1), ("plan", 4)]
)
def test_examples_of_pages(
    page: str,
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = section("prove", f"`vsac prove {page}`")
    shutil.copytree(ROOT / "app_specs", tmp_path / "app_specs")
    for name, content in re.findall(r"```vsa\n// file: (\S+)\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    sessions = re.findall(r"```console\n\$ vsac (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(sessions) == count
    for command, shown in sessions:
        if "--planner pddl" in command and importlib.util.find_spec("up_fast_downward") is None:
            continue
        run(command.split())
        assert plain(capsys.readouterr().out) == plain(shown), command


def plain(text: str) -> str:
    """Without what the solver may choose as it likes: another day, another text."""
    return re.sub(r"today [+-] \d+d", "today + 1d", text).replace('"another text"', '"R"')
