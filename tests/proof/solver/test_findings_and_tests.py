"""No step of a passing test contradicts what the solver says: on every program of this repository that has tests."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.pages import pages
from tests.programs.files import RIGHT, policies
from tests.thorough import THOROUGH, some, times
from vsalang.guard import run_example
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.program.ir import License
from vsalang.proof.solver import CoveredClause, Dead, ForbiddenClause, OpenPoint, Result, analyse, query
from vsalang.proof.worlds import interpreter
from vsalang.tools.testing.coverage import moments_of

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("app_specs", "stdlib", "tests/guard/stories", "tests/agents/walks", "tests/stdlib", "benchmarks/workloads",
           "vsalang/models/encode/templates/examples", "tests/language/semantics/strangers")  # fmt: skip
POLICIES = sorted((ROOT / "stdlib" / "std" / "policies").rglob("*.vsa"))
"""With the rules of `std.effects` that they read, each takes some seconds: only before a release."""
FILES = [
    *RIGHT,
    *(p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*.vsa")) if p not in POLICIES),
]
FILES.remove(ROOT / "tests" / "stdlib" / "plain" / "harmless.vsa")  # its rules are those of all policies
PAGES = {ROOT / "README.md": (ROOT / "README.md").read_text(encoding="utf-8"), **pages()}
_BLOCK = re.compile(r"^```vsa\n(.*?)^```$", re.MULTILINE | re.DOTALL)


_SECONDS = times(0.25, 2)
"""For one question. A finding is a proof, and each proof here took less than a tenth of a second."""


class Contradiction(Exception):
    """A rule that can never hold, by the solver, holds."""


@pytest.fixture(autouse=True)
def any_state_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads the states here: they are as the solver finds them, without wishes about how they look."""
    monkeypatch.setattr(query, "_MOST_WISHED", 0)


def results_of(loaded: Loaded) -> list[Result]:
    """What the solver says of a program."""
    assert loaded.program is not None
    return list(analyse(loaded.program, interpreter(loaded.program), timeout=_SECONDS))


def contradicted(loaded: Loaded, results: list[Result]) -> list[str]:
    """The findings on a program that its tests contradict; tests that do not pass say nothing."""
    program = loaded.program
    assert program is not None
    dead = {result.rule for result in results if isinstance(result, Dead)}
    forbidden = {result.rule: result.denies for result in results if isinstance(result, ForbiddenClause)}
    covered = {result.rule: result.by for result in results if isinstance(result, CoveredClause)}
    if not dead and not forbidden and not covered:
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

        for name, by in covered.items():
            alone = moment == "judged" and evaluator.answers(name)
            if alone and not any(evaluator.answers(other) for other in by):
                wrong.add(f"{name} is said to be covered")

    found: list[str] = []
    for example in loaded.own:
        wrong.clear()
        if run_example(program, example, watch=watch).passed:
            found += [f"{example.name}: {item}" for item in sorted(wrong)]
    return found


def marked(path: Path) -> object:
    """A file as a parameter: those that are not specs have many rules, and are slow."""
    is_spec = re.search(r"^spec ", path.read_text(encoding="utf-8-sig"), re.MULTILINE)
    name = str(path.relative_to(ROOT))
    return pytest.param(path, id=name, marks=() if is_spec else pytest.mark.slow)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "path", [marked(path) for path in [*some(FILES, 2), *(POLICIES if THOROUGH else ())]]
)
def test_files(path: Path) -> None:
    loaded = load(path, policies=policies(path))
    if loaded.program is None or not (loaded.own or THOROUGH):
        return  # no test could contradict what takes long to find
    results = results_of(loaded)
    assert contradicted(loaded, results) == []
    if path.stem.startswith("h"):  # specs of people who did not write the solver
        assert [r for r in results if isinstance(r, OpenPoint) and r.reason != "time"] == []


def blocks() -> Iterator[tuple[str, str]]:
    for page, written in PAGES.items():
        for number, text in enumerate(_BLOCK.findall(written), 1):
            if "\ntest " in text and re.match(
                r"\s*(//[^\n]*\n\s*)*(@[^\n]*\n)*(app|spec|policy|module)\b", text
            ):
                yield f"{page.relative_to(ROOT)}:{number}", text


BLOCKS: Mapping[str, str] = dict(blocks())


LIGHT = [name for name, text in BLOCKS.items() if "import std.policies" not in text]


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", BLOCKS if THOROUGH else LIGHT)
def test_pages(name: str) -> None:
    page = ROOT / name.partition(":")[0]
    loaded = load_text(BLOCKS[name], file=page.name, path=page)
    if loaded.program is not None:
        assert contradicted(loaded, results_of(loaded)) == []


def test_it_can_fail() -> None:
    """A finding that is wrong is noticed: here every clause of a spec is said to be dead."""
    loaded = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa")

    program = loaded.program
    assert program is not None
    dead = [Dead(rule.id, ()) for rule in program.rules if isinstance(rule.head, License)]
    assert contradicted(loaded, list(dead))
