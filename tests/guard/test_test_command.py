"""``vsac test``: what it prints and its exit statuses."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.commands import vsac
from tests.oracle import engine_of
from vsalang.base.names import ENGINES
from vsalang.guard import run_example
from vsalang.language.semantics import load
from vsalang.tools.cli.families import COMMANDS

APP = 'app shop package "com.shop" "A shop"\naction Pay(total: Number) "Pay"\n'
SPEC = 'spec buy "Pay 5"\nimport shop\nallow Pay(total = 5).\ndone when Pay earlier.\n'
GOOD = 'test "five" for buy { attempt Pay(total = 5). finish. }\n'
BAD = 'test "six is wrong" for buy {\n  attempt Pay(total = 5).\n  attempt Pay(total = 6) => allow.\n}\n'
REASON = 'test "another reason" for buy { attempt Pay(total = 6) => block because licence. }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.vsa").write_text(APP)
    return tmp_path


def run(folder: Path, *tests: str, arguments: tuple[str, ...] = ()) -> CompletedProcess[str]:
    file = folder / "buy.vsa"
    file.write_text(SPEC + "".join(tests))
    return vsac("test", file, *arguments)


def test_the_command_is_listed() -> None:
    assert COMMANDS["test"].place == "test"


def test_passing(folder: Path) -> None:
    result = run(folder, GOOD)
    assert result.returncode == 0
    assert result.stdout == f"pass {folder / 'buy.vsa'}: five\n1 passed\n"


def test_a_failure_shows_step_wish_result_and_reason(folder: Path) -> None:
    result = run(folder, GOOD, BAD)
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert lines[1] == f"FAIL {folder / 'buy.vsa'}: six is wrong"
    assert lines[2] == f"  --> {folder / 'buy.vsa'}:8:3"
    assert lines[3].endswith("| " + "  attempt Pay(total = 6) => allow.")
    assert "  wanted: allow" in lines and "  got:    block" in lines
    assert any("Pay.total" in line and "seen 6, wanted = 5" in line and "buy.vsa:3" in line for line in lines)
    assert lines[-1] == "1 failed, 1 passed"


def test_a_reason_that_was_not_given_fails(folder: Path) -> None:
    result = run(folder, REASON)
    assert result.returncode == 1
    assert "no reason of the block is licence" in result.stdout


def test_json(folder: Path) -> None:
    result = run(folder, GOOD, BAD, arguments=("--format", "json"))
    assert result.returncode == 1
    data = json.loads(result.stdout)
    assert data["summary"] == {"passed": 1, "failed": 1, "broken": 0, "message": ""}
    assert [test["outcome"] for test in data["tests"]] == ["passed", "failed"]
    failure = data["tests"][1]["steps"][-1]
    assert failure["outcome"] == "failed"
    assert (failure["line"], failure["wanted"], failure["got"]) == (8, ["allow"], "block")
    assert failure["reasons"][0]["whys"][0]["attr"] == "total"


def test_filter_and_emptiness(folder: Path) -> None:
    assert run(folder, GOOD, BAD, arguments=("-k", "FIVE")).returncode == 0
    result = run(folder, GOOD, arguments=("-k", "nothing"))
    assert result.returncode == 1
    assert "no tests found" in result.stderr
    assert run(folder).returncode == 1
    assert run(folder, arguments=("--allow-empty",)).returncode == 0


def test_errors_in_files(folder: Path) -> None:
    result = run(folder, 'test "x" for buy { attempt Fly. }\n')
    assert result.returncode == 1
    assert "Fly" in result.stdout
    data = json.loads(run(folder, "nonsense", arguments=("--format", "json")).stdout)
    assert data["tests"] == [] and data["diagnostics"]


def test_files_with_errors_are_counted_in_the_closing_line(folder: Path) -> None:
    broken, gone = folder / "broken.vsa", folder / "gone.vsa"
    broken.write_text("nonsense")
    result = run(folder, GOOD, arguments=(str(broken),))
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "1 file with errors, 1 passed"
    result = run(folder, GOOD, BAD, arguments=(str(broken), str(gone), "-q"))
    assert result.returncode == 2  # one could not even be read
    assert result.stdout.splitlines()[-1] == "1 failed, 2 files with errors, 1 passed"
    alone = vsac("test", broken)
    assert alone.returncode == 1
    assert alone.stdout.splitlines()[-1] == "1 file with errors, 0 passed"
    data = json.loads(run(folder, GOOD, arguments=(str(broken), "--format", "json")).stdout)
    assert data["summary"] == {"passed": 1, "failed": 0, "broken": 1, "message": ""}


def test_a_file_that_is_not_there() -> None:
    result = vsac("test", "nowhere.vsa")
    assert result.returncode == 2


@pytest.mark.usefixtures("pydatalog_here")
@pytest.mark.parametrize("engine", ENGINES)
def test_engines(folder: Path, engine: str) -> None:
    assert run(folder, GOOD, arguments=("--engine", engine)).returncode == 0


def test_the_reference_passes_the_test_too(folder: Path) -> None:
    file = folder / "buy.vsa"
    file.write_text(SPEC + GOOD)
    loaded = load(file)
    (example,) = loaded.own
    assert run_example(loaded.checked(), example, engine=engine_of("reference")).passed


def test_an_engine_of_earlier_says_where_it_is(folder: Path) -> None:
    result = run(folder, GOOD, arguments=("--engine", "reference"))
    assert (result.returncode, result.stdout) == (2, "")
    assert (
        "'reference' is not one of 'incremental', 'pydatalog'. The reference evaluator is part of the tests now"
        in (result.stderr)
    )
    assert "evaluator" not in run(folder, GOOD, arguments=("--engine", "quick")).stderr
    (folder / "vsac.toml").write_text('engine = "reference"\n')
    result = run(folder, GOOD)
    assert (result.returncode, result.stdout) == (2, "")
    assert '`engine` is "incremental" or "pydatalog", not "reference"' in result.stderr
    assert "help: the reference evaluator is part of the tests now" in result.stderr
