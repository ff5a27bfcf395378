"""The standard library: every module checks, is quiet and has a page; the tests in the language pass."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.oracle import engine_of
from vsalang.base.diagnostics import Severity
from vsalang.base.resources import resource_dir
from vsalang.base.source import Source
from vsalang.guard import Guard, Settings, run_example
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.lint import lint
from vsalang.language.semantics import load, load_text
from vsalang.language.semantics.annotations import RISKS
from vsalang.language.syntax import tree as t
from vsalang.language.syntax.formatting import format_source
from vsalang.program.action import Action
from vsalang.program.languages import LANGUAGES
from vsalang.program.screen import Cells
from vsalang.program.values import Value
from vsalang.program.vocabulary import ANDROID, NATIVE, VOCABULARY
from vsalang.tools.cli.main import run

HERE = Path(__file__).parent
REFERENCE = HERE.parents[1] / "docs" / "reference"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((REFERENCE / "stdlib").glob("*.md"))}
STD = resource_dir("stdlib") / "std"
MODULES = sorted(path for path in STD.rglob("*.vsa") if path.parent.name != "policies")  # test_policies.py
FILES = sorted(HERE.glob("*.vsa"))
EXAMPLES = [
    (name, text)
    for name, page in PAGES.items()
    for text in re.findall(r"^```vsa\n(.*?)^```$", page, re.M | re.S)
]


_PATTERN = re.compile(r"(?:matches|=) /(.+)/i?\b")
_CHINESE = re.compile("[\u3040-\u9fff]")


@pytest.mark.parametrize("path", sorted(STD.rglob("*.vsa")), ids=lambda path: path.stem)
def test_patterns_of_chinese_know_its_colon(path: Path) -> None:
    """Else what they match in "收款人：周明" is possible, and not certain."""
    for line in path.read_text(encoding="utf-8").splitlines():
        for pattern in _PATTERN.findall(line):
            if _CHINESE.search(pattern) and ":" in re.sub(r"\(\?:|\[\^.*?\]", "", pattern):
                assert "：" in pattern, line


def page(path: Path) -> str:
    """The page of a module."""
    return PAGES["languages" if path.parent.name == "text" else path.stem]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_module_is_fine(path: Path) -> None:
    loaded = load(path)
    assert loaded.ok and not loaded.diagnostics
    assert not [f for f in lint(loaded) if f.severity is not Severity.INFO]


def test_the_index_names_every_page() -> None:
    index = (REFERENCE / "stdlib.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(stdlib/(\w+)\.md\)", index)) == set(PAGES)
    assert {path.stem for path in STD.glob("*.vsa")} | {"languages"} == set(PAGES)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_page_names_what_a_module_has(path: Path) -> None:
    said = set(re.findall(r"`([\w-]+)", page(path)))
    unit = load(path).units[-1]  # before it stand those that it imports
    named: set[str] = set()
    for item in unit.tree.items:
        if isinstance(item, t.Let) and path.stem != "risk":  # there they are how signs are told
            named.add(item.name.text)
        named |= {str(a.args[0].value) for a in item.annotations if a.name.text == "id"}  # type: ignore[union-attr]
        if isinstance(item, t.Rule) and isinstance(item.head, t.AtomHead):
            named.add(item.head.atom.name.text)
    named |= set(ANDROID if path.stem == "android" else NATIVE.get(f"std.{path.stem}", {}))
    assert named <= said, named - said


@pytest.mark.parametrize("name", ["english", "german", "french", "spanish", "italian"])
def test_words_have_the_same_keys_in_every_language(name: str) -> None:
    text = (STD / "text" / f"{name}.vsa").read_text(encoding="utf-8")
    keys = re.findall(r'Word\(key = "(\w+)"', text)
    row = re.findall(r"^\| (`.*?) \|", PAGES["languages"], re.M)
    assert keys == re.findall(r"`(\w+)`", " ".join(row))
    assert name == "english" or name in LANGUAGES


def test_every_language_has_a_module() -> None:
    assert {path.stem for path in (STD / "text").glob("*.vsa")} == {*LANGUAGES, "english"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_tests_in_the_language(path: Path) -> None:
    loaded = load(path)
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    assert loaded.own
    for example in loaded.own:
        for engine in ("incremental", "reference"):
            result = run_example(loaded.program, example, engine=engine_of(engine))
            assert result.passed, (engine, example.name, result.failure)
    assert not lint(loaded)


def test_they_pass_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", *map(str, FILES)]) == 0
    assert f"{sum(path.read_text(encoding='utf-8').count(chr(10) + 'test ') for path in FILES)} passed" in (
        capsys.readouterr().out
    )


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


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_the_examples_of_the_pages(name: str, text: str) -> None:
    loaded = load_text(text)
    assert loaded.program is not None and not loaded.diagnostics, loaded.diagnostics
    assert loaded.own, "an example is run"
    for example in loaded.own:
        result = run_example(loaded.program, example)
        assert result.passed, result.failure
    assert format_source(Source.from_text(text)) == text


def test_every_page_has_an_example() -> None:
    assert {name for name, _ in EXAMPLES} == set(PAGES)


def test_the_page_names_every_kind() -> None:
    kinds = set(re.findall(r'kind = "(\w+)"', (STD / "risk.vsa").read_text(encoding="utf-8")))
    assert set(RISKS) - kinds == {"harmful", "financial", "communication"}
    assert kinds < set(RISKS)
    assert {risk for risk in RISKS if f"`{risk}`" not in PAGES["risk"]} == set()
