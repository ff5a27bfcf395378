"""`vsac rank run`: the demonstrations are solved without a model; what is wrong is said, and nothing is done then."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.rank.form import APP, PHONE, SPEC
from tests.commands import vsac
from vsalang.agents.rank.choosing import Choice, Option
from vsalang.tools.cli import rank_run

EXAMPLES = Path("app_specs/examples")


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.parametrize(
    ("name", "device", "package"),
    [
        ("reserve_r", "sim:restaurant", "com.opentable"),
        ("quiet_evening", "sim:settings", "org.example.settings"),
    ],
)
def test_the_demonstrations_are_solved_without_a_model(
    name: str, device: str, package: str, tmp_path: Path
) -> None:
    journal = tmp_path / "run.jsonl"
    words = (
        "rank",
        "run",
        EXAMPLES / f"{name}.vsa",
        "--device",
        device,
        "--open",
        package,
        "--journal",
        journal,
    )
    told = vsac(*words, "--json")
    assert told.returncode == 0, told.stderr
    steps = [one for one in records(told.stdout) if one["kind"] == "step"]
    choices = [one for one in records(told.stdout) if one["kind"] == "choice"]
    assert records(told.stdout)[-1]["completed"] is True
    assert len(steps) == len(choices) <= 10
    assert all(one["verdict"]["level"] == "allow" and one["performed"] for one in steps)
    assert choices[0]["choice"]["runner_up"] and choices[0]["choice"]["dropped"]
    assert vsac("journal", "replay", journal).returncode == 0


def test_people_read_why_each_step_was_chosen(tmp_path: Path) -> None:
    told = vsac("rank", "run", SPEC, "--device", PHONE, "--open", APP, "--journal", tmp_path / "j.jsonl")
    assert told.returncode == 0, told.stderr
    for words in (
        "by linear",
        "the value is of the clause send:1",
        "next best:",
        "left out by rules:",
        "completed",
    ):
        assert words in " ".join(told.stdout.replace("·", "").split())


def test_a_task_that_is_not_done_ends_with_one(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    told = vsac("rank", "run", SPEC, "--device", PHONE, "--open", APP, "--journal", journal, "--most", "2")
    assert told.returncode == 1 and "The agent stopped: it proposes at most 2 actions" in told.stderr
    again = vsac("rank", "run", "--resume", journal)
    assert again.returncode == 0, again.stderr


def test_a_scorer_that_is_away_is_told_and_replaced(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    told = vsac(
        *("rank", "run", SPEC, "--device", PHONE, "--open", APP, "--journal", journal, "--most", "1"),
        *(
            "--scorer",
            "list",
            "--rank-model",
            "small",
            "--rank-url",
            "http://127.0.0.1:9/v1",
            "--rank-timeout",
            "1",
        ),
        OPENAI_API_KEY="sk-none",
    )
    assert told.returncode == 1 and "gave no scores" in told.stdout and "by linear" in told.stdout
    assert "gave no scores" in journal.read_text("utf-8")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--scorer", "openai"], "needs --rank-model"),
        (["--values"], "--rank-model"),
        (["--scorer", "best"], "--scorer"),
        (["--ask-below", "2"], "--ask-below"),
        (["--most", "0"], "--most"),
    ],
)
def test_a_command_line_that_means_nothing_is_refused(more: list[str], said: str, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    told = vsac("rank", "run", SPEC, "--device", PHONE, "--journal", journal, *more)
    assert told.returncode == 2 and said in told.stderr
    assert not journal.exists()


def test_a_spec_with_errors_is_not_run(tmp_path: Path) -> None:
    spec = tmp_path / "bad.vsa"
    spec.write_text('spec bad "x"\nimport nothing\n')
    told = vsac("rank", "run", spec, "--device", PHONE, "--journal", tmp_path / "j.jsonl")
    assert told.returncode == 1 and "nothing" in told.stderr and not (tmp_path / "j.jsonl").exists()


@pytest.mark.parametrize(
    ("typed", "picked"), [("2", 1), ("", 0), ("9", None), ("x", None), ("0", None), ("٢", None)]
)
def test_what_the_user_types_picks_an_option(
    typed: str, picked: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = _choice(monkeypatch)
    monkeypatch.setattr(rank_run, "_typed", lambda: typed)
    assert rank_run._pick(choice) == picked
    assert "1  " in capsys.readouterr().err


def _choice(monkeypatch: pytest.MonkeyPatch) -> Choice:
    """A choice of a real run, with three options."""
    from tests.agents.rank.test_agent import run

    steps, _, _ = run(most=1)
    choice = steps[0].choice
    assert choice is not None
    options: tuple[Option, ...] = choice.options[:3]
    return Choice(choice.situation, options)
