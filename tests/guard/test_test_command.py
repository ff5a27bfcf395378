"""``vsac test``: what it prints and its exit statuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vsalang.cli.main import COMMANDS
from vsalang.cli.test import command

APP = 'app shop package "com.shop" "A shop"\naction Pay(total: Number) "Pay"\n'
SPEC = 'spec buy "Pay 5"\nimport shop\nallow Pay(total = 5).\ndone when Pay earlier.\n'
GOOD = 'test "five" for buy { attempt Pay(total = 5). finish. }\n'
BAD = 'test "six is wrong" for buy {\n  attempt Pay(total = 5).\n  attempt Pay(total = 6) => allow.\n}\n'
REASON = 'test "another reason" for buy { attempt Pay(total = 6) => block because licence. }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.vsa").write_text(APP)
    return tmp_path


def run(folder: Path, *tests: str, arguments: tuple[str, ...] = ()) -> Result:
    file = folder / "buy.vsa"
    file.write_text(SPEC + "".join(tests))
    return CliRunner().invoke(command, [str(file), *arguments], standalone_mode=False)


def test_the_command_is_listed() -> None:
    assert COMMANDS["test"].module == "vsalang.cli.test"


def test_passing(folder: Path) -> None:
    result = run(folder, GOOD)
    assert result.return_value == 0
    assert result.output == f"pass {folder / 'buy.vsa'}: five\n1 passed\n"


def test_a_failure_shows_step_wish_result_and_reason(folder: Path) -> None:
    result = run(folder, GOOD, BAD)
    assert result.return_value == 1
    lines = result.output.splitlines()
    assert lines[1] == f"FAIL {folder / 'buy.vsa'}: six is wrong"
    assert lines[2] == f"  --> {folder / 'buy.vsa'}:8:3"
    assert lines[3].endswith("| " + "  attempt Pay(total = 6) => allow.")
    assert "  wanted: allow" in lines and "  got:    block" in lines
    assert any("Pay.total" in line and "seen 6, wanted = 5" in line and "buy.vsa:3" in line for line in lines)
    assert lines[-1] == "1 failed, 1 passed"


def test_a_reason_that_was_not_given_fails(folder: Path) -> None:
    result = run(folder, REASON)
    assert result.return_value == 1
    assert "no reason of the block is licence" in result.output


def test_json(folder: Path) -> None:
    result = run(folder, GOOD, BAD, arguments=("--format", "json"))
    assert result.return_value == 1
    data = json.loads(result.output)
    assert data["summary"] == {"passed": 1, "failed": 1, "broken": 0, "message": ""}
    assert [test["outcome"] for test in data["tests"]] == ["passed", "failed"]
    failure = data["tests"][1]["steps"][-1]
    assert failure["outcome"] == "failed"
    assert (failure["line"], failure["wanted"], failure["got"]) == (8, ["allow"], "block")
    assert failure["reasons"][0]["whys"][0]["attr"] == "total"


def test_filter_and_emptiness(folder: Path) -> None:
    assert run(folder, GOOD, BAD, arguments=("-k", "FIVE")).return_value == 0
    result = run(folder, GOOD, arguments=("-k", "nothing"))
    assert result.return_value == 1
    assert "no tests found" in result.output
    assert run(folder).return_value == 1
    assert run(folder, arguments=("--allow-empty",)).return_value == 0


def test_errors_in_files(folder: Path) -> None:
    result = run(folder, 'test "x" for buy { attempt Fly. }\n')
    assert result.return_value == 1
    assert "Fly" in result.output
    data = json.loads(run(folder, "nonsense", arguments=("--format", "json")).output)
    assert data["tests"] == [] and data["diagnostics"]


def test_files_with_errors_are_counted_in_the_closing_line(folder: Path) -> None:
    broken, gone = folder / "broken.vsa", folder / "gone.vsa"
    broken.write_text("nonsense")
    result = run(folder, GOOD, arguments=(str(broken),))
    assert result.return_value == 1
    assert result.output.splitlines()[-1] == "1 file with errors, 1 passed"
    result = run(folder, GOOD, BAD, arguments=(str(broken), str(gone), "-q"))
    assert result.return_value == 2  # one could not even be read
    assert result.output.splitlines()[-1] == "1 failed, 2 files with errors, 1 passed"
    alone = CliRunner().invoke(command, [str(broken)], standalone_mode=False)
    assert alone.return_value == 1
    assert alone.output.splitlines()[-1] == "1 file with errors, 0 passed"
    data = json.loads(run(folder, GOOD, arguments=(str(broken), "--format", "json")).output)
    assert data["summary"] == {"passed": 1, "failed": 0, "broken": 1, "message": ""}


def test_a_file_that_is_not_there() -> None:
    result = CliRunner().invoke(command, ["nowhere.vsa"], standalone_mode=False)
    assert result.return_value == 2


@pytest.mark.parametrize("engine", ["incremental", "reference"])
def test_engines(folder: Path, engine: str) -> None:
    assert run(folder, GOOD, arguments=("--engine", engine)).return_value == 0
