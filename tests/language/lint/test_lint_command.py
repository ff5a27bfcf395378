"""``vsac lint`` and ``vsac explain`` of lint codes, as a user runs them."""

import functools
import json
from pathlib import Path

import pytest

from tests import commands

ROOT = Path(__file__).resolve().parents[3]
SPEC = 'spec a "Say yes"\nallow answer.\ndone when answer earlier.\n'
FINE = SPEC.replace("answer.", 'answer(text = "yes").', 1)
BAD = SPEC.replace("done when answer", "done when anser")
HINT = FINE + "define Node(text = ?t) when Toast(text = ?t). // lint: ignore L0029\n"


vsac = functools.partial(commands.vsac, "lint")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("open", SPEC), ("fine", FINE), ("bad", BAD), ("hint", HINT)):
        (tmp_path / f"{name}.vsa").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["fine.vsa"], 0),
        (["open.vsa"], 0),
        (["--strict", "open.vsa"], 1),
        (["--strict", "--ignore", "L0004", "open.vsa"], 0),
        (["--strict", "--select", "l0001", "open.vsa"], 0),
        (["--strict", "hint.vsa"], 0),
        (["fine.vsa", "bad.vsa"], 1),
        (["missing.vsa"], 2),
        (["--select", "L4", "open.vsa"], 2),
        (["--ignore", "E0401", "open.vsa"], 2),
        (["--select", ",", "open.vsa"], 2),
        ([], 1),  # the working folder, which holds a broken file
    ],
)
def test_exit_status(files: Path, args: list[str], status: int) -> None:
    result = vsac(*args, cwd=files)
    assert result.returncode == status, result.stdout + result.stderr
    assert "internal error" not in result.stderr


def test_errors_come_first_and_stand_for_their_file(files: Path) -> None:
    result = vsac("open.vsa", "bad.vsa", cwd=files)
    assert result.returncode == 1
    first, second = result.stdout.index("error[E"), result.stdout.index("warning[L0004]")
    assert first < second
    assert result.stdout.count("[L0004]") == 1
    assert result.stdout.endswith("Found 1 error and 1 warning.\n")


def test_what_a_user_reads(files: Path) -> None:
    assert vsac("open.vsa", cwd=files).stdout == (
        "warning[L0004]: this `allow answer` leaves `text` open\n"
        "  --> open.vsa:2:7\n"
        "   |\n"
        " 2 | allow answer.\n"
        "   |       ^^^^^^ any text is allowed\n"
        "   |\n"
        "   = help: say what is wanted: answer(text = ..)\n"
        "\n"
        "Found 1 warning.\n"
    )
    assert vsac("fine.vsa", cwd=files).stdout == "looked at 1 file: nothing found\n"
    assert vsac("-q", "fine.vsa", cwd=files).stdout == ""
    assert "info[L0011]" in vsac("hint.vsa", cwd=files).stdout


def test_formats(files: Path) -> None:
    data = json.loads(vsac("--format", "json", "open.vsa", cwd=files).stdout)
    assert [item["code"] for item in data["diagnostics"]] == ["L0004"]
    run = json.loads(vsac("--format", "sarif", "open.vsa", cwd=files).stdout)["runs"][0]
    assert run["results"][0]["ruleId"] == "L0004" and run["results"][0]["level"] == "warning"
    github = vsac("--format", "github", "open.vsa", cwd=files).stdout
    assert github.startswith("::warning file=open.vsa,line=2,endLine=2,col=7,endColumn=13,title=L0004::")
    assert json.loads(vsac("--format", "json", "fine.vsa", cwd=files).stdout)["diagnostics"] == []


def test_standard_input(files: Path) -> None:
    result = vsac("-", cwd=files, input=SPEC)
    assert "<stdin>:2:7" in result.stdout and result.returncode == 0


def test_a_misspelt_code(files: Path) -> None:
    result = vsac("--select", "L0080", "open.vsa", cwd=files)
    assert "there is no lint rule `L0080`: did you mean" in result.stderr
