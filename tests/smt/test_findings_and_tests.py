"""No step of a passing test contradicts what the solver says: on every program of this repository that has tests."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.programs.files import RIGHT, policies
from tests.thorough import THOROUGH, some
from vsalang.core.ir import License, Program
from vsalang.guard import run_example
from vsalang.semantics import Loaded, load, load_text
from vsalang.smt import Dead, Forbidden, analyse
from vsalang.testing.coverage import moments_of
from vsalang.testing.worlds import interpreter

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("app_specs", "stdlib", "tests/guard/stories", "tests/agents/walks", "tests/stdlib", "benchmarks/workloads",
           "vsalang/formalize/templates/examples", "tests/semantics/strangers")  # fmt: skip
FILES = [*RIGHT, *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.vsa")))]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```vsa\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Contradiction(Exception):
    """A rule that can never hold, by the solver, holds."""


def contradicted(loaded: Loaded) -> list[str]:
    """The findings on a program that its tests contradict; tests that do not pass say nothing."""
    program = loaded.program
    assert program is not None
    if not loaded.own and not THOROUGH:
        return []  # no test could contradict what takes long to find
    results = list(analyse(program, interpreter(program), timeout=2))
    dead = {result.rule for result in results if isinstance(result, Dead)}
    forbidden = {result.rule: result.denies for result in results if isinstance(result, Forbidden)}
    if not dead and not forbidden:
        return []
    rules = {rule.id: rule for rule in program.rules}
    wrong: set[str] = set()

    def watch(moment, evaluator, facts) -> None:  # type: ignore[no-untyped-def]
        for name in dead:
            if moment in moments_of(rules[name]) and evaluator.answers(name):
                wrong.add(f"{name} is said never to apply")
        for name, denies in forbidden.items():
            allowed = moment == "judged" and evaluator.answers(name)
            if allowed and not any(evaluator.answers(deny) for deny in denies):
                wrong.add(f"{name} is said to be forbidden")

    found: list[str] = []
    for example in loaded.own:
        wrong.clear()
        if run_example(program, example, watch=watch).passed:
            found += [f"{example.name}: {item}" for item in sorted(wrong)]
    return found


@pytest.mark.parametrize("path", some(FILES, 2), ids=lambda path: str(path.relative_to(ROOT)))
def test_files(path: Path) -> None:
    loaded = load(path, policies=policies(path))
    if loaded.program is not None:
        assert contradicted(loaded) == []


def blocks() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for number, text in enumerate(_BLOCK.findall(page.read_text(encoding="utf-8")), 1):
            if "\ntest " in text and re.match(
                r"\s*(//[^\n]*\n\s*)*(@[^\n]*\n)*(app|spec|policy|module)\b", text
            ):
                yield f"{page.relative_to(ROOT)}:{number}", text


BLOCKS: Mapping[str, str] = dict(blocks())


@pytest.mark.parametrize("name", BLOCKS)
def test_pages(name: str) -> None:
    page = ROOT / name.partition(":")[0]
    loaded = load_text(BLOCKS[name], file=page.name, path=page)
    if loaded.program is not None:
        assert contradicted(loaded) == []


def test_it_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding that is wrong is noticed: here every clause of a spec is said to be dead."""
    loaded = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa")

    def wrong(program: Program, replay: object, **more: object) -> Iterator[Dead]:
        return (Dead(rule.id, ()) for rule in program.rules if isinstance(rule.head, License))

    monkeypatch.setattr("tests.smt.test_findings_and_tests.analyse", wrong)
    assert contradicted(loaded)
