"""The solver knows that an action is the effect that it refines: policies, licences and what was done."""

from pathlib import Path

import pytest

from tests.programs.files import HERE
from vsalang.guard import run_example
from vsalang.language.semantics import load
from vsalang.proof.prove.conflicts import Conflict, SkippedRule, conflicts
from vsalang.tools.cli.main import run

RIGHT = HERE / "right"
SPEC = """spec task "Reserve a table."
import table
import every
{clauses}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("every", "table", "dear"):
        (tmp_path / f"{name}.vsa").write_bytes((RIGHT / f"{name}.vsa").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spec(folder: Path, *clauses: str) -> Path:
    path = folder / "task.vsa"
    path.write_text(SPEC.format(clauses="\n".join(clauses)), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("clause", "met"),
    [
        ("allow Reserve(price <= 200).", "sometimes"),
        ("allow Reserve(price in 101..200).", "always"),
        ("allow Reserve(price <= 100).", None),
        ("allow Order(amount = 150).", "always"),
    ],
)
def test_a_policy_over_the_effect_meets_what_refines_it(folder: Path, clause: str, met: str | None) -> None:
    path = spec(folder, clause, "done when Order earlier.")
    alone, guarded = load(path).checked(), load(path, policies=[folder / "dear.vsa"]).checked()
    found = list(conflicts(alone, guarded))
    assert [item.how for item in found if isinstance(item, Conflict)] == ([met] if met else [])
    assert {item.rule for item in found if isinstance(item, SkippedRule)} == {"dear:2"}
    for item in found:
        if isinstance(item, Conflict):
            assert run_example(guarded, item.story).passed and not run_example(alone, item.story).passed


@pytest.mark.parametrize(
    ("clauses", "stuck"),
    [
        (("allow Reserve.", "done when Order earlier."), False),
        (("allow Reserve(price <= 40).", "done when Order(amount <= 40) earlier."), False),
        (("allow Reserve(price <= 40).", "done when Order(amount > 40) earlier."), True),
        (('allow Order(item = "R").', "done when Order earlier."), False),
    ],
)
def test_what_refines_an_effect_was_the_effect(
    folder: Path, capsys: pytest.CaptureFixture[str], clauses: tuple[str, ...], stuck: bool
) -> None:
    path = spec(folder, *clauses)
    run(["prove", "verify", path.name])
    told = capsys.readouterr().out
    assert ("nothing found" not in told) == stuck, told


def test_tests_that_it_writes_pass(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = spec(folder, 'allow Reserve(name = "R", price <= 40).', "done when Order earlier.")
    run(["prove", "tests", path.name])
    written = capsys.readouterr()
    path.write_text(path.read_text(encoding="utf-8") + written.out, encoding="utf-8")
    loaded = load(path)
    assert loaded.program is not None and len(loaded.own) >= 4
    assert all(run_example(loaded.program, example).passed for example in loaded.own)
    assert "100 %" in written.out + written.err
