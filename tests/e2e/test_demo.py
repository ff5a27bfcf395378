"""`vsac demo`: the shipped examples by name."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from vsalang.base.resources import resource_dir
from vsalang.tools.cli.demo import DEMOS
from vsalang.tools.cli.main import cli

EXAMPLES = resource_dir("app_specs") / "examples"


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    return CliRunner()


@pytest.mark.slow
def test_the_example_of_the_readme_runs(runner: CliRunner, tmp_path: Path) -> None:
    result = runner.invoke(cli, ["demo"], standalone_mode=False)
    assert result.return_value == 0, result.output
    first, _, rest = result.stdout.partition("\n")
    words = shlex.split(first)
    assert words[:3] == ["$", "vsac", "run"] and Path(words[3]) == EXAMPLES / "reserve_r.vsa"
    assert "BLOCKED" in rest
    (journal,) = tmp_path.glob("reserve_r-*.jsonl")
    assert journal.stat().st_size


def test_options_go_to_the_run(runner: CliRunner, tmp_path: Path) -> None:
    arguments = ["demo", "--journal", "of it.jsonl", "--language", "de"]
    result = runner.invoke(cli, arguments, standalone_mode=False)
    assert result.return_value == 0, result.output
    assert result.stdout.partition("\n")[0].endswith("--journal 'of it.jsonl' --language de")
    assert (tmp_path / "of it.jsonl").is_file() and "verlangt" in result.stdout
    assert runner.invoke(cli, ["demo", "reserve_r", "--no-such-option"]).exit_code == 2


@pytest.mark.slow
def test_the_other_example_runs(runner: CliRunner) -> None:
    result = runner.invoke(
        cli, ["demo", "quiet_evening", "--on-confirm", "no", "--format", "json"], standalone_mode=False
    )
    assert "--policy" in result.stdout.partition("\n")[0]
    assert result.return_value in (0, 1)  # what nobody agrees to is not done
    assert runner.invoke(cli, ["demo"], standalone_mode=False).return_value == 0


def test_the_examples_are_listed(runner: CliRunner) -> None:
    rows = json.loads(runner.invoke(cli, ["demo", "--list", "--json"]).stdout)
    assert {row["name"] for row in rows} == {file.stem for file in EXAMPLES.glob("*.vsa")}
    assert {row["name"] for row in rows if row["runs"]} == set(DEMOS)
    text = runner.invoke(cli, ["demo", "--list"]).stdout
    for row in rows:
        assert row["text"] and row["text"] in text and Path(row["file"]).is_file()


@pytest.mark.parametrize("name", [file.stem for file in sorted(EXAMPLES.glob("*.vsa"))])
def test_a_copy_checks_where_it_is(runner: CliRunner, tmp_path: Path, name: str) -> None:
    assert runner.invoke(cli, ["demo", "--copy", "my copy", name]).exit_code == 0
    assert (tmp_path / "my copy" / f"{name}.vsa").read_text() == (EXAMPLES / f"{name}.vsa").read_text()
    result = runner.invoke(cli, ["check", "my copy"], standalone_mode=False)
    assert result.return_value == 0, result.output
    again = runner.invoke(cli, ["demo", "--copy", "my copy", name])
    assert again.exit_code == 2 and "nothing was copied" in again.output


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["reserv_r"], "did you mean `reserve_r`?"),
        (["../examples/reserve_r"], "the examples are across_devices"),
        (["payments"], "vsac demo --copy DIR payments"),
        (["--json"], "--format json needs --list"),
    ],
)
def test_what_is_no_demonstration(runner: CliRunner, arguments: list[str], hint: str) -> None:
    result = runner.invoke(cli, ["demo", *arguments])
    assert result.exit_code == 2
    assert hint in result.output
