"""Commands that take a module also take the name of one that comes with vsalang, and name the nearest one."""

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from vsalang.tools.cli.main import run


def _said(*args: str, status: int = 2) -> str:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = run(list(args))
    assert code == status, out.getvalue()
    return out.getvalue()


@pytest.mark.parametrize("name", ["apps.settings", "std.text"])
def test_a_shipped_module_is_described_by_its_name(name: str) -> None:
    assert name in _said("describe", name, status=0)


def test_a_shipped_module_is_asked_by_its_name() -> None:
    assert "no row" in _said("query", "apps.settings", "Screen(name = ?n)", status=1)  # nothing shows


@pytest.mark.parametrize("command", [["describe"], ["screen", "read"], ["query"]])
def test_a_misspelt_name_is_told_from_a_missing_file(command: list[str]) -> None:
    more = {"describe": [], "read": ["x.xml"], "query": ["Node"]}[command[-1]]
    assert "did you mean apps.settings?" in _said(*command, "apps.setings", *more)
    assert "did you mean apps.settings?" in _said(*command, "settings", *more)
    assert "apps.opentable, apps.permissions" in _said(*command, "zzzzzzzzz", *more)
    assert "no such file" in _said(*command, "setings.vsa", *more)


def test_a_misspelt_attribute_of_why(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text('<hierarchy><node package="p" bounds="[0,0][9,9]" /></hierarchy>')
    said = _said("screen", "read", "apps.trusttest", str(tmp_path / "d.xml"), "--why", "Conversion.amont")
    assert "Conversion has no attribute amont; did you mean `amount`?" in said
