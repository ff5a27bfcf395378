"""Tests that the solver finds: they pass, they show everything, and each edit of a rule fails one of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.proof.prove.prove_programs import EXAMPLES, SHIPPED, own, program
from vsalang.guard import run_example
from vsalang.language.semantics import load
from vsalang.program.example import Example
from vsalang.program.ir import Program
from vsalang.proof.prove import testgen
from vsalang.proof.prove.edits import edits
from vsalang.proof.prove.results import EditTest, UntestedEdit
from vsalang.proof.prove.stories import run as run_story
from vsalang.proof.prove.testgen import generated, may_tell
from vsalang.tools.cli.main import run

MARKS = {"payments": (), "switch_one": pytest.mark.slow}
MARKED = [pytest.param(name, marks=MARKS.get(name, pytest.mark.soak)) for name in SHIPPED]
PLAIN = """policy p "No table on a day that has one"
import apps.opentable
@id("P-1")
deny "{?d} has a table" when Reserve(date = ?d), Booking(date = ?d).
confirm "{?t} is late" when Reserve(time = ?t), ?t >= 21:00.
"""


def spec(folder: Path, name: str) -> Path:
    """The rules of an example, without its tests."""
    text = (EXAMPLES / f"{name}.vsa").read_text(encoding="utf-8")
    path = folder / f"{name}.vsa"
    path.write_text(text.partition("\ntest ")[0], encoding="utf-8")
    return path


_PATIENT = {"seconds": 1200.0, "each": 120.0}
"""The time of the solver: a busy machine needs more, and a question without an answer is another result."""


@pytest.mark.parametrize("name", MARKED)
def test_written_tests_show_all_and_notice_edits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each edit of a rule fails one of the tests, or is said to change nothing."""
    found: list[EditTest | UntestedEdit] = []

    def noted(*given: Any, **options: Any) -> Iterator[EditTest | UntestedEdit]:
        for item in generated(*given, **{**options, **_PATIENT}):
            found.append(item)
            yield item

    monkeypatch.setattr(testgen, "generated", noted)
    monkeypatch.chdir(tmp_path)
    path = spec(tmp_path, name)
    assert run(["prove", "tests", path.name, "--write"]) == 0
    out = capsys.readouterr()
    assert out.out == ""
    assert f"appended to {path.name}; they show 100 % of the clauses and conditions" in out.err
    assert run(["fmt", "--check", path.name]) == 0
    assert run(["test", path.name, "--coverage-min", "100"]) == 0
    examples = load(path).examples
    assert len({example.name for example in examples}) == len(examples)
    made = program(name)
    stories = [item.story for item in found if isinstance(item, EditTest)]
    assert all(run_example(made, story).passed for story in stories)
    if name == "reserve_r":
        what_may_tell_nothing_tells_nothing(made, stories)
    unmade = {item.edit.text for item in found if isinstance(item, UntestedEdit)}
    assert not any(item.open for item in found if isinstance(item, UntestedEdit))
    for edit in edits(made, own(made)):
        if edit.kind in ("drop", "edge", "rule") and edit.text not in unmade:
            assert any(not run_example(edit.program, story).passed for story in stories), edit.text


def what_may_tell_nothing_tells_nothing(made: Program, stories: list[Example]) -> None:
    """Tests that need not be run with an edit have the same verdict with it."""
    levels = [run_story(made, story).level for story in stories]
    skipped = 0
    for edit in edits(made, own(made)):
        for story, level in zip(stories, levels, strict=True):
            if edit.kind in ("drop", "edge", "rule") and not may_tell(made, edit, story):
                skipped += 1
                assert run_story(edit.program, story).level == level, (edit.text, story.name)
    assert skipped > 20


def test_policies_are_tested_without_a_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.vsa"
    path.write_text(PLAIN, encoding="utf-8")
    assert run(["prove", "tests", str(path)]) == 0
    out = capsys.readouterr().out
    assert '=> block because "P-1".' in out
    assert "time = 21:00" in out  # the edge itself


def test_missing_ones_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = spec(tmp_path, "payments")
    assert run(["prove", "tests", str(path), "--write"]) == 0
    capsys.readouterr()
    assert run(["prove", "tests", str(path), "--missing"]) == 0
    out = capsys.readouterr()
    assert out.out == ""
    assert "0 tests; they show 100 %" in out.err


def test_a_licence_is_used_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.vsa"
    path.write_text('spec s "s"\nallow answer(text != "").\ndone when answer earlier.\n', encoding="utf-8")
    assert run(["prove", "tests", str(path)]) == 0
    out = capsys.readouterr().out
    assert 'test "answer is blocked once more" {' in out
    assert "=> block because licence." in out


def test_what_decides_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.vsa"
    path.write_text(
        'spec s "s"\nimport apps.opentable\nallow Reserve(time < 19:00, time < 20:00).\n'
        "done when Reserve earlier.\n",
        encoding="utf-8",
    )
    assert run(["prove", "tests", str(path)]) == 0
    assert f"{path}:3: without `time < 20:00` the rule decides the same\n" in capsys.readouterr().err


@pytest.mark.slow
def test_values_come_from_conditions_that_are_left(tmp_path: Path) -> None:
    """Without `price = ?p` in the head `?p` comes from the row: a test shows that the head counts."""
    path = tmp_path / "s.vsa"
    path.write_text(
        'app a package "com.a" "a"\nlist Offer "o" { name: Text "n" price: Number "p" }\n'
        'action Buy(name: Text "n", price: Number "p") "b"\n'
        "update Offer(row = ?r, name = ?t) when Node(node = ?r, text = ?t).\nrecognize Buy when tap.\n",
        encoding="utf-8",
    )
    path.rename(tmp_path / "a.vsa")
    path.write_text(
        'spec s "s"\nimport a\n'
        "allow Buy(name = ?n, price = ?p) when first 2 Offer(name = ?n, price = ?p), ?p <= 9.\n"
        "done when Buy earlier.\n",
        encoding="utf-8",
    )
    found = list(generated(load(path).checked(), **_PATIENT))
    shown = {(item.edit.kind, item.edit.condition) for item in found if isinstance(item, EditTest)}
    assert ("drop", "price = ?p") in shown


def test_rules_that_add_nothing_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.vsa"
    path.write_text(
        'policy p "p"\n@id("P-1") deny "x" when answer(text = "a").\n'
        '@id("P-2") deny "y" when answer(text = "a").\n',
        encoding="utf-8",
    )
    assert run(["prove", "tests", str(path)]) == 0
    said = capsys.readouterr().err
    assert f"{path}:3: the file without `P-2` decides the same\n" in said


def test_json_has_tests_and_what_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.vsa"
    path.write_text(PLAIN, encoding="utf-8")
    assert run(["prove", "tests", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["percent"] == 100.0
    assert {item["rule"] for item in data["tests"]} == {"P-1", "p:2"}
    assert all(item["test"].startswith("test ") for item in data["tests"])
    assert {"name", "rule", "kind", "condition", "test"} == set(data["tests"][0])


def test_apps_and_errors_are_status_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "tests", "apps.opentable"]) == 2
    assert "neither a spec nor a policy" in capsys.readouterr().err
    (tmp_path / "bad.vsa").write_text("spec", encoding="utf-8")
    assert run(["prove", "tests", str(tmp_path / "bad.vsa")]) == 2
