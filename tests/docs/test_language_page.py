"""The reference pages: every `.vsa` block is checked and its tests run, outputs and generated parts are fresh.

The first line of a block may say where it stands, and what the checker says of it:

    // in: spec, error: E0408

A block without it is a whole module. `app` and `module` files of the page can be imported by the other blocks; a block
`in: app` goes on where the page's app ends; every line of a block `in: conditions` is the body of a judgement, of a
block `in: certain` the body of an `allow`; a block `in: test` holds the steps of a test.
"""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import vsac
from tests.digests import masked
from vsalang.base.diagnostics.codes import CODES
from vsalang.guard import Guard, ObservationResult, Settings, Verdict, run_example
from vsalang.guard.journal.file import read_journal
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.lint import CODES as LINT
from vsalang.language.semantics import Loaded, load_text
from vsalang.language.semantics.annotations import RISKS, SEVERITIES
from vsalang.language.semantics.authority import AUTHORITY
from vsalang.program.action import Action
from vsalang.program.example import LEVELS
from vsalang.program.ops import FUNCTIONS, OPERATORS

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
LANGUAGE = REFERENCE / "language.md"
GUARD = REFERENCE / "guard.md"
SEMANTICS = REFERENCE / "semantics.md"
TUTORIAL = ROOT / "docs" / "guides" / "first-spec.md"

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"^(app|spec|policy|module)\s+(\w+)", re.MULTILINE)
_PLACE = re.compile(r"// in: (\w+)(?:, (error|warning): ((?:[EW]\d{4} ?)+))?\n")
_LICENCES = "allow Pay.\ndone when Pay earlier.\n"


@dataclass(frozen=True)
class Block:
    """One block of the page: where it begins, what it is, and which codes the checker must give."""

    line: int
    place: str
    text: str
    codes: frozenset[str]


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The blocks of a language with the line they begin in."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, found.start()) + 2, found[2])
        for found in _BLOCK.finditer(text)
        if found[1] == language
    ]


def read_block(line: int, text: str) -> Block:
    found = _PLACE.match(text)
    if found is None:
        return Block(line, "file", text, frozenset())
    # the marker stays a line, so that lines in messages are those of the block
    return Block(line, found[1], "\n" + text[found.end() :], frozenset((found[3] or "").split()))


BLOCKS = [
    read_block(line, text) for page in (LANGUAGE, GUARD, SEMANTICS) for line, text in blocks(page, "vsa")
]
FILES = {
    found[2]: block.text
    for block in BLOCKS
    if block.place == "file" and (found := _MODULE.search(block.text))
}


def conditions(text: str) -> list[str]:
    return [line.split("  //")[0].strip() for line in text.splitlines() if line.split("//")[0].strip()]


def modules(block: Block) -> list[str]:
    """The whole modules in which a block is checked."""
    spec = 'spec page "An example"\nimport shop\n'
    policy = 'policy page "An example"\nimport shop\n'
    match block.place:
        case "file":
            return [block.text]
        case "app":
            return [FILES["shop"] + block.text]
        case "spec":
            said = re.search(r"^(allow|done)\b", block.text, re.MULTILINE)
            return [spec + ("" if said else _LICENCES) + block.text]
        case "policy":
            return [policy + block.text]
        case "module":
            return ['module page "An example"\n' + block.text]
        case "conditions":
            return [f'{policy}deny "an example" when {line}.\n' for line in conditions(block.text)]
        case "certain":
            return [
                f"{spec}allow Pay when {line}.\ndone when Pay earlier.\n" for line in conditions(block.text)
            ]
        case "test":
            return [f'{spec}{_LICENCES}test "an example" {{{block.text}}}\n']
    raise AssertionError(f"line {block.line}: no such place: {block.place}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the app modules and vocabularies of the page, for imports."""
    place = tmp_path_factory.mktemp("page")
    for name, text in FILES.items():
        if text.lstrip().startswith(("app", "module")):
            (place / f"{name}.vsa").write_text(text, encoding="utf-8")
    return place


def judged(loaded: Loaded) -> None:
    """The engine takes every rule: what cannot be judged is blocked with a reason of its own."""
    assert loaded.program is not None
    guard = Guard(loaded.program)
    guard.observe(FactScreen())
    for name in ("finish", "Pay", "back"):
        if name in ("finish", "back") or f"shop.{name}" in loaded.program.relations:
            verdict = guard.propose(Action(name if name in ("finish", "back") else f"shop.{name}"))
            assert not [reason.message for reason in verdict.reasons if reason.kind == "error"]


def run_tests(loaded: Loaded) -> None:
    """Run the tests of the file itself, as `vsac test` does."""
    assert loaded.program is not None
    for example in loaded.own:
        result = run_example(loaded.program, example)
        assert result.passed, [
            (step.wanted, step.got, step.problem, [reason.message for reason in step.reasons])
            for step in result.steps
            if not step.passed
        ]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"line{block.line}")
def test_every_example(block, folder):
    for text in modules(block):
        loaded = load_text(text, file="language.md", path=folder / "page_example.vsa")
        found = {d.code for d in loaded.diagnostics}
        said = [f"{d.code} {d.message}" for d in loaded.diagnostics]
        assert found == block.codes, f"line {block.line}: {said}\n{text[-400:]}"
        if loaded.program is not None:
            run_tests(loaded)
            judged(loaded)


def rows(page: Path, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    section = page.read_text(encoding="utf-8").split(f"\n{heading}\n", 1)[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table is not None
    lines = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table[0].splitlines()]
    return [[cell.strip() for cell in line] for line in lines[2:]]


def prose(page: Path) -> str:
    return _BLOCK.sub("", page.read_text(encoding="utf-8"))


def words(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


def test_the_table_of_operators():
    tags = {"text", "number", "bool", "date", "time", "duration", "set"}
    found = {}
    for operator, negation, types, ranges in (
        (r[0], r[1], r[2], r[3]) for r in rows(LANGUAGE, "### Operators")
    ):
        (symbol,), (other,) = words(operator), words(negation)
        named = tags if types == "all" else set(types.lower().split(", "))
        found[symbol] = (other, named, set(ranges.lower().split(", ")) - {""})
        found[other] = (symbol, *found[symbol][1:])
    # enum members are texts in the table of operators
    wanted = {o.symbol: (o.negation, set(o.types), set(o.range_types)) for o in OPERATORS.values()}
    assert found == wanted


def test_the_table_of_functions():
    found = {
        re.match(r"\w+|.", word.replace("?a ", ""))[0]
        for r in rows(LANGUAGE, "### Functions")
        for word in words(r[0])
    }
    assert found == set(FUNCTIONS) - {"neg"}


def test_the_table_of_modules():
    found = {next(iter(words(r[0]))): words(r[1]) for r in rows(LANGUAGE, "## Modules and authority")}
    assert found == {kind: set(items) for kind, items in AUTHORITY.items()}


def test_annotations_are_all_named():
    assert words(prose(LANGUAGE)) >= {*SEVERITIES, *RISKS}


@pytest.mark.parametrize("page", [LANGUAGE, GUARD, SEMANTICS, TUTORIAL], ids=lambda page: page.name)
def test_codes_that_are_named_exist(page):
    named = set(re.findall(r"\b[EWLV]\d{4}\b", page.read_text(encoding="utf-8")))
    assert named <= {*CODES, *LINT}


def test_vocabulary_page_is_fresh():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from vocabulary_page import PAGE, page
    finally:
        sys.path.pop(0)
    assert PAGE.read_text(encoding="utf-8") == page(), "run scripts/vocabulary_page.py"


def refreshed(page: Path, blocks_now: list[tuple[str, str]]) -> None:
    """Compare blocks of a page with what they should be; with UPDATE_DOCS=1 in the environment, write them."""
    text = page.read_text(encoding="utf-8")
    for old, new in blocks_now:
        if old != new and os.environ.get("UPDATE_DOCS") == "1":
            text = text.replace(old, new, 1)
        else:
            assert old == new, "is the new output right? then UPDATE_DOCS=1 pytest tests/docs writes it"
    if text != page.read_text(encoding="utf-8"):
        page.write_text(text, encoding="utf-8")


@pytest.fixture
def clone(tmp_path):
    """A folder that looks like a clone: the shipped app modules in app_specs/."""
    (tmp_path / "app_specs").symlink_to(ROOT / "app_specs")
    return tmp_path


@pytest.mark.slow
def test_every_command_of_the_first_guide(clone):
    """The guide as its reader follows it: files as they are shown, commands, and what these print."""
    changes = []
    for info, text in re.findall(
        r"^```(\w+(?: \w+)?)\n(.*?)^```$", TUTORIAL.read_text(encoding="utf-8"), re.M | re.S
    ):
        if info in ("vsa", "vsa wrong"):
            (clone / "table.vsa").write_text(text, encoding="utf-8")
        elif info == "vsa more":
            with (clone / "table.vsa").open("a", encoding="utf-8") as file:
                file.write("\n" + text)
        elif info == "json":
            (clone / "agent.jsonl").write_text(text, encoding="utf-8")
        elif info == "console":
            new = ""
            for command in re.findall(r"^\$ vsac (.*)$", text, re.M):
                result = vsac(*command.split(), cwd=clone, COLUMNS=None, NO_COLOR="1")
                assert result.returncode in (0, 1), f"{command}: {result.stderr}"
                # trailing blanks are nobody's to see; a command shown alone is only run
                output = masked(re.sub(r"[ \t]+$", "", result.stdout, flags=re.M))
                new += f"$ vsac {command}\n" + ("" if "--policy" in command else output)
            changes.append((f"```console\n{text}```", f"```console\n{new}```"))
        else:
            raise AssertionError(f"a block of no kind that is run: {info}")
    assert changes
    refreshed(TUTORIAL, changes)
    for record in read_journal(clone / "table.jsonl"):
        assert record.kind in named_first(REFERENCE / "journal.md", "### Records")


def test_what_the_first_guide_says():
    """The words around the outputs of the guide."""
    text = TUTORIAL.read_text(encoding="utf-8")
    outputs = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    assert "error[E0301]" in outputs[0]
    assert set(re.findall(r"L\d{4}", outputs[1])) == {"L0008", "L0017", "L0021"}
    assert "1 failed, 0 passed" in outputs[2]
    assert "2 passed" in outputs[3]
    assert "the agent can neither act nor finish" in outputs[4]
    steps = re.findall(r"^ +(\d)  .* (allowed|warned|BLOCKED) ", outputs[5], re.M)
    assert [word for _, word in steps] == ["allowed", "warned", "BLOCKED", "allowed", "allowed", "allowed"]
    assert "The task was completed" in outputs[5]


def named_first(page: Path, heading: str) -> set[str]:
    """The names in the first column of the first table under a heading."""
    return {name for row in rows(page, heading) for name in words(row[0])}


def test_guard_page_fields():
    assert named_first(GUARD, "## The verdict") == set(Verdict.__dataclass_fields__)
    assert named_first(GUARD, "## After the action") == set(ObservationResult.__dataclass_fields__)
    assert named_first(GUARD, "## Verdict levels") == set(LEVELS)


def test_index_names_every_page():
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target).resolve() for target in re.findall(r"\]\(([^)#]+)\)", prose(index))}
    pages = {page for page in index.parent.rglob("*.md") if not re.fullmatch(r"[ELVW]\d{4}", page.stem)}
    assert pages - {index} <= linked


def test_guard_page_settings():
    named = {next(iter(words(r[0]))) for r in rows(GUARD, "### Settings")}
    assert named == set(Settings.__dataclass_fields__)
