"""The standard library: every module checks, is quiet and has a section of the page; tests in the language pass."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from vsalang.core.action import Action
from vsalang.core.screen import Cells
from vsalang.core.values import Value
from vsalang.core.vocabulary import NATIVE, VOCABULARY
from vsalang.diagnostics import Severity
from vsalang.guard import Guard, Settings, run_example
from vsalang.guard.fact_screen import FactScreen
from vsalang.lint import lint
from vsalang.resources import resource_dir
from vsalang.semantics import load, load_text
from vsalang.semantics.annotations import RISKS
from vsalang.syntax import tree as t

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "reference" / "stdlib.md").read_text(encoding="utf-8")
MODULES = sorted((resource_dir("stdlib") / "std").glob("*.vsa"))
FILES = sorted(HERE.glob("*.vsa"))


def section(name: str) -> str:
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_module_is_fine(path: Path) -> None:
    loaded = load(path)
    assert loaded.ok and not loaded.diagnostics
    assert not [f for f in lint(loaded) if f.severity is not Severity.INFO]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_page_names_what_a_module_has(path: Path) -> None:
    said = set(re.findall(r"`([\w-]+)", section(f"std.{path.stem}")))
    (unit,) = load(path).units
    named: set[str] = set()
    for item in unit.tree.items:
        if isinstance(item, t.Let) and path.stem != "risk":  # there they are how signs are told
            named.add(item.name.text)
        named |= {str(a.args[0].value) for a in item.annotations if a.name.text == "id"}  # type: ignore[union-attr]
        if isinstance(item, t.Rule) and isinstance(item.head, t.AtomHead):
            named.add(item.head.atom.name.text)
    named |= set(NATIVE.get(f"std.{path.stem}", {}))
    assert named - {"Touched"} <= said, section(f"std.{path.stem}")[:200]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_tests_in_the_language(path: Path) -> None:
    loaded = load(path)
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    assert loaded.own
    for example in loaded.own:
        for engine in ("incremental", "reference"):
            result = run_example(loaded.program, example, engine=engine)  # type: ignore[arg-type]
            assert result.passed, (engine, example.name, result.failure)
    assert not lint(loaded)


def test_every_rule_of_the_policy_spoke() -> None:
    """Each kind of sign was seen in a test; what lies over a button is tested below."""
    text = (HERE / "risky.vsa").read_text(encoding="utf-8")
    rules = set(re.findall(r'@id\("(R-\w+)"\)', text))
    assert {rule for rule in rules if text.count(f'"{rule}"') < 2} == {"R-INTERFERENCE"}


class _Covered(FactScreen):
    """A screen on which something lies over everything."""

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        return {**super().target(kind, args), "covered": True}


@pytest.mark.parametrize("gesture", ["tap", "double_tap", "long_press"])
@pytest.mark.parametrize("over", [True, False])
def test_what_lies_over_a_button(gesture: str, over: bool) -> None:
    program = load(HERE / "risky.vsa").program
    assert program is not None
    screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.example"})
    guard = Guard(program, settings=Settings(unknown_screen="allow", task=False))
    screen = screen.seen(VOCABULARY["Node"], {"node": 1, "id": "a", "clickable": True})
    guard.observe(_Covered(screen.facts) if over else screen)
    verdict = guard.propose(Action(gesture, {"id": "a"}))
    assert (verdict.level == "confirm") is over
    assert verdict.because("R-INTERFERENCE") is over


@pytest.mark.parametrize("text", re.findall(r"^```vsa\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
def test_the_examples_of_the_page(text: str) -> None:
    loaded = load_text(text)
    assert loaded.program is not None and not loaded.diagnostics
    for example in loaded.own:
        assert run_example(loaded.program, example).passed


def test_the_page_names_every_kind() -> None:
    kinds = set(re.findall(r'kind = "(\w+)"', (MODULES[0].parent / "risk.vsa").read_text(encoding="utf-8")))
    assert kinds < set(RISKS)
    assert {risk for risk in RISKS if f"`{risk}`" not in section("std.risk")} == set()
