"""What the guide says is so: its Python runs, its commands exist."""

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests import processes
from vsalang.tools.cli import guard

pytest.importorskip("uiautomator2")
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "guides" / "transparent-guard.md").read_text(encoding="utf-8")


def test_the_python_example() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.partition("## From Python")[2], re.DOTALL)
    said = processes.run(["-c", code], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == ["shell:input tap 360 446 passed", "shell:input tap 360 1426 blocked"]


def test_the_options_are_those_of_the_command() -> None:
    shown = CliRunner().invoke(guard.command, ["--help"]).output
    for option in set(
        re.findall(
            r"(?<![\w-])--(?:on-block|feedback|allow-service|portal-port|adb-server|serial|isolate|reach|on-confirm|ask-timeout)\b",
            PAGE,
        )
    ):
        assert option in shown
    assert "-- COMMAND..." in shown


def test_what_stands_in_the_feedback_file_is_documented(tmp_path: Path) -> None:
    from vsalang.phone.gate import GateEvent
    from vsalang.phone.gate.telling import event_document

    table = PAGE.partition("## The feedback file")[2].partition("## The side channel")[0]
    for name in event_document(GateEvent(1, "x", "refused")):
        assert f"`{name}`" in table or name in ("kind", "version")
