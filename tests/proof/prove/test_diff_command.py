"""`vsac prove diff` as people and programs use it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proof.prove.prove_programs import EXAMPLES
from vsalang.tools.cli.main import run

RESERVE = EXAMPLES / "reserve_r.vsa"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two versions of a spec."""
    text = RESERVE.read_text(encoding="utf-8")
    (tmp_path / "old.vsa").write_text(text, encoding="utf-8")
    (tmp_path / "new.vsa").write_text(text.replace("time < 19:00)", "time <= 19:00)", 1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_difference_is_status_one(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "diff", "old.vsa", "new.vsa"]) == 1
    out = capsys.readouterr().out
    assert "allow Reserve: looser\n" in out
    assert "new.vsa:5: old.vsa refuses this, new.vsa allows it" in out
    assert out.endswith("new.vsa is looser than old.vsa\n")


def test_no_difference_is_status_zero(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(files / "old.vsa", files / "new.vsa")
    assert run(["prove", "diff", "old.vsa", "new.vsa"]) == 0
    shown = capsys.readouterr().out
    assert shown == "allow Reserve: equal\ndone: equal\nnew.vsa decides the same as old.vsa\n"


@pytest.mark.parametrize("side", ["old", "new"])
def test_emitted_tests_pass_on_one_side_only(
    side: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", "diff", "old.vsa", "new.vsa", "--emit-tests", side]) == 1
    tests = capsys.readouterr().out
    assert tests.startswith("test ")
    for name in ("old", "new"):
        file = files / f"{name}.vsa"
        file.write_text(file.read_text(encoding="utf-8") + "\n" + tests, encoding="utf-8")
        assert run(["check", file.name]) == 0
        assert run(["fmt", "--check", file.name]) == 0
    capsys.readouterr()
    assert run(["test", f"{side}.vsa", "-k", "19:00"]) == 0
    assert run(["test", f"{'new' if side == 'old' else 'old'}.vsa", "-k", "19:00"]) == 1


def test_json_names_rule_and_place(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "diff", "old.vsa", "new.vsa", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["version"], data["outcome"], data["bound"]) == (1, "looser", None)
    head, done = data["heads"]
    assert (head["head"], head["outcome"], done["outcome"]) == ("allow Reserve", "looser", "equal")
    (item,) = head["differences"]
    assert {key: item[key] for key in ("of", "file", "line", "old", "new")} == {
        "of": "new", "file": "new.vsa", "line": 5, "old": "block", "new": "allow",
    }  # fmt: skip
    assert "19:00" in item["test"]


@pytest.mark.slow
def test_what_is_not_decided_is_no_success(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (files / "old.vsa").read_text(encoding="utf-8")
    for name in ("Q", "R"):
        new = text.replace(
            'allow Reserve(restaurant = "R"', f"allow Reserve(restaurant matches /\\p{{Greek}}{name}/"
        )
        (files / f"{name}.vsa").write_text(new, encoding="utf-8")
    assert run(["prove", "diff", "Q.vsa", "R.vsa"]) == 1
    out = capsys.readouterr().out
    assert "allow Reserve: not decided\n" in out
    assert "not decided: reserve_r:1: the solver does not look into the pattern /\\p{Greek}" in out
    assert out.endswith("R.vsa could not be compared wholly with Q.vsa\n")


def test_errors_end_with_status_two(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "bad.vsa").write_text('spec s "s"\nallow Nothing.\n', encoding="utf-8")
    assert run(["prove", "diff", "old.vsa", "bad.vsa"]) == 2
    assert "E0204" in capsys.readouterr().err
    assert run(["prove", "diff", "old.vsa", "gone.vsa"]) == 2
    capsys.readouterr()
    assert run(["prove", "diff", "old.vsa", str(EXAMPLES / "payments.vsa")]) == 2
    assert "not a spec and a policy" in capsys.readouterr().err
    assert run(["prove", "diff", "old.vsa", "-"]) == 2
    assert run(["prove", "diff", "old.vsa", "new.vsa", "--json", "--emit-tests", "old"]) == 2


def test_importing_the_room_does_not_load_z3() -> None:
    code = "import sys, vsalang.proof.prove, vsalang.tools.cli.diff; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
