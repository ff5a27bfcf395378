"""L0039: `goto` rules that recordings refute, by recordings as a user has them."""

import json
from pathlib import Path

import pytest

from tests.agents.maps.making import BACK, MENU, NOTE, NOTES, tap, walk

APP = """app notes package "a.b" "Notes"
screen Notes "All notes" when Node(id = "notes"), no Node(id = "menu").
screen Note "One note" when Node(id = "note").
screen Menu over Notes "More" when Node(id = "menu").
goto Menu when screen Notes, tap(id = "row").
goto Notes when back.
goto Note when screen Menu, tap(label = "Open").
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    (tmp_path / "notes.vsa").write_text(APP)
    return tmp_path


def _wrong(path: Path, times: int) -> None:
    """The row is tapped, and a note opens."""
    walk(path, [*[(NOTES, tap(1)), (NOTE, BACK)] * times, (NOTES, None)])


def test_a_refuted_goto_names_recording_and_step(vsac, app: Path) -> None:
    _wrong(app / "one.jsonl", 2)
    _wrong(app / "two.jsonl", 2)
    done = vsac("lint", "notes.vsa", "--recordings", "one.jsonl", "--recordings", "two.jsonl", cwd=app)
    assert done.returncode == 0
    assert "warning[L0039]" in done.stdout and "notes.vsa:5:" in done.stdout
    assert "recorded 4 times and never led there" in done.stdout
    assert 'one.jsonl, step 1, which led to "Note"' in done.stdout and "and 1 more" in done.stdout
    assert done.stderr == "notes.vsa: 8 recorded steps, 2 of 3 `goto` rules tried\n"
    strict = ("lint", "--strict", "notes.vsa", "--recordings", "one.jsonl", "--recordings", "two.jsonl")
    assert vsac(*strict, cwd=app).returncode == 1


def test_other_formats_and_ignores_know_it(vsac, app: Path) -> None:
    _wrong(app / "one.jsonl", 3)
    command = ("lint", "notes.vsa", "--recordings", "one.jsonl")
    sarif = json.loads(vsac(*command, "--format", "sarif", cwd=app).stdout)
    assert sarif["runs"][0]["results"][0]["ruleId"] == "L0039"
    assert "L0039" in vsac(*command, "--format", "github", cwd=app).stdout
    assert "L0039" not in vsac(*command, "--ignore", "L0039", cwd=app).stdout
    text = APP.replace("goto Menu", "// lint: ignore L0039\ngoto Menu")
    (app / "notes.vsa").write_text(text)
    assert "nothing found" in vsac(*command, cwd=app).stdout


def test_fewer_tries_or_one_that_held_say_nothing(vsac, app: Path) -> None:
    command = ("lint", "notes.vsa", "--recordings", "one.jsonl")
    _wrong(app / "one.jsonl", 2)
    assert "nothing found" in vsac(*command, cwd=app).stdout
    walk(app / "one.jsonl", [*[(NOTES, tap(1)), (NOTE, BACK)] * 3, (NOTES, tap(1)), (MENU, None)])
    assert "nothing found" in vsac(*command, cwd=app).stdout


def test_several_rules_for_one_step_are_not_refuted(vsac, app: Path) -> None:
    (app / "notes.vsa").write_text(APP + 'goto Menu when screen Notes, tap(text = "Milk").\n')
    _wrong(app / "one.jsonl", 3)
    assert "nothing found" in vsac("lint", "notes.vsa", "--recordings", "one.jsonl", cwd=app).stdout


def test_a_dialog_over_the_target_refutes_nothing(vsac, app: Path) -> None:
    text = APP.replace("goto Menu when screen Notes", "goto Notes when screen Note")
    (app / "notes.vsa").write_text(text)
    walk(app / "one.jsonl", [*[(NOTE.replace("share", "row"), tap(1)), (MENU, BACK)] * 3, (NOTES, None)])
    done = vsac("lint", "notes.vsa", "--recordings", "one.jsonl", cwd=app)
    assert "nothing found" in done.stdout and "1 of 3" in done.stderr
    (app / "notes.vsa").write_text(text.replace("over Notes ", ""))
    done = vsac("lint", "notes.vsa", "--select", "L0039", "--recordings", "one.jsonl", cwd=app)
    assert "recorded 3 times" in done.stdout


def test_what_is_no_recording_is_said(vsac, app: Path) -> None:
    done = vsac("lint", "notes.vsa", "--recordings", "none.jsonl", cwd=app)
    assert done.returncode == 2 and "cannot read none.jsonl" in done.stderr
    done = vsac("lint", "notes.vsa", "--recordings", "notes.vsa", cwd=app)
    assert done.returncode == 2 and "holds no walks of a known format" in done.stderr
