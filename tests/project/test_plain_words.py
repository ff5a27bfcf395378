"""Pages, messages, docstrings and comments use the plainer word: CONTRIBUTING.md asks for it, and this is the list."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.house import HOUSE, nodes, trees

ROOT: Final = Path(__file__).resolve().parents[2]

PLAINER: Final = {
    r"(?:is|are|was|were) no (?!longer\b|more\b|two\b|further\b)[`'\"(]?\w+": "say `is not a ..`",
    r"that (?:is|are) (?-i:none)(?! of)": "say `invalid`, or what is wrong",
    r"says? nothing without": "say `--this needs --that`",
    r"what(?:ever)? (?:came|comes|became|becomes) of": "say `the result`, `the outcome`",
    r"in whose words": "say `in which format`",
    r"whoever": "say who it is: `the caller`, `the user`, `who ..`; or `no matter who`",
    r"mend(?:s|ed|ing)?": "say `fix`",
    r"anew": "say `again`",
    r"beside": "say `next to`, `in addition to`",
    r"speaks? of": "say `mention`",
    r"rests? on": "say `depend on`",
    r"held against": "say `compared with`",
    r"(?:lets? (?:it |them |something |nothing )?|(?:is|are|was|were) let )through": "say `allow`, `send on`",
}
"""A pattern, and what to write in its place. `there is no ..` and `has no ..` are right."""

KEPT: Final = re.compile(r"rest on a screen", re.IGNORECASE)  # what the mouse does

TO_MODELS: Final = ("models/encode/templates/", "models/risk/judge/prompt.py")
"""What a model is asked: recorded answers belong to these very words."""


PATTERNS: Final = {
    re.compile(rf"\b(?:{pattern})\b".replace(" ", r"\s+"), re.IGNORECASE): advice
    for pattern, advice in PLAINER.items()
}
ANY: Final = re.compile("|".join(pattern.pattern for pattern in PATTERNS), re.IGNORECASE)


def less_plain(text: str) -> Iterator[tuple[int, str, str]]:
    """Each unplain phrase of a text: its line, counted from 0; the phrase; and what to write."""
    if not ANY.search(text):
        return
    for pattern, advice in PATTERNS.items():
        for hit in pattern.finditer(text):
            before = text[: hit.start()].rstrip()
            kept = KEPT.search(text, max(0, hit.start() - 9), hit.end() + 9)
            if not (before.endswith(("there", "There")) or kept):
                yield text.count("\n", 0, hit.start()), " ".join(hit[0].split()), advice


def text_of(node: ast.AST) -> str | None:
    """The text of a literal; what an f-string puts in is left as a word."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "x" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def comments(source: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(source.splitlines()):
        if comment := re.search(r"""(?:^|\s)# ([^"']*(?:'\w[^"']*)*)$""", line):
            yield number, comment[1]


def of_module(tree: ast.Module, source: str) -> Iterator[tuple[int, str, str]]:
    """The unplain phrases of texts and comments. Names of variables are not looked at."""
    for node in nodes(tree):
        if text := text_of(node):
            yield from ((node.lineno + line, *rest) for line, *rest in less_plain(text))
    yield from of_comments(source)


def of_comments(source: str) -> Iterator[tuple[int, str, str]]:
    for number, comment in comments(source):
        yield from ((number + 1, *rest) for _, *rest in less_plain(comment))


def report(place: str, found: Iterator[tuple[int, str, str]]) -> list[str]:
    return [f"{place}:{line}: `{phrase}`: {advice}" for line, phrase, advice in sorted(set(found))]


def pages() -> Iterator[Path]:
    """Pages that are written by hand, and texts that the code reads."""
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    yield from sorted(ROOT.glob("docs/**/*.md"))
    for kind in ("toml", "j2", "tmpl"):
        yield from (
            path
            for path in sorted(HOUSE.rglob(f"*.{kind}"))
            if not path.relative_to(HOUSE).as_posix().startswith(TO_MODELS)
        )


def test_pages_use_the_plainer_word() -> None:
    found = [
        line
        for path in pages()
        for line in report(
            path.relative_to(ROOT).as_posix(),
            ((line + 1, *rest) for line, *rest in less_plain(path.read_text(encoding="utf-8"))),
        )
    ]
    assert found == []


SAID: Final = re.compile(r'(?:@rationale\(|\b(?:deny|confirm|warn|flag) )"([^"]*)"|^ *// (.*)')
"""What a module says to people: rationales, messages, comments. Its patterns list words of others."""


def test_shipped_modules_use_the_plainer_word() -> None:
    found = [
        line
        for folder in ("stdlib", "app_specs")
        for path in sorted(ROOT.glob(f"{folder}/**/*.vsa"))
        for line in report(path.relative_to(ROOT).as_posix(), of_shipped(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def of_shipped(source: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(source.splitlines(), 1):
        for said in SAID.finditer(line):
            yield from ((number, *rest) for _, *rest in less_plain(said[1] or said[2]))


DOCSTRING: Final = re.compile(r'(?:\A|:\n) *"""(.*?)"""', re.DOTALL)


def test_tests_use_the_plainer_word() -> None:
    """In docstrings and comments; texts are data of the tests."""
    found = [
        line
        for path in sorted(ROOT.glob("tests/**/*.py"))
        if path != Path(__file__)
        for line in report(path.relative_to(ROOT).as_posix(), of_test(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def of_test(source: str) -> Iterator[tuple[int, str, str]]:
    for docstring in DOCSTRING.finditer(source):
        begin = source.count("\n", 0, docstring.start(1)) + 1
        yield from ((begin + line, *rest) for line, *rest in less_plain(docstring[1]))
    yield from of_comments(source)


def wings() -> list[str]:
    return sorted(path.parent.name for path in HOUSE.glob("*/__init__.py"))


@pytest.mark.parametrize("wing", wings())
def test_code_uses_the_plainer_word(wing: str) -> None:
    modules = {place: tree for place, tree in trees().items() if place.startswith(f"{wing}/")}
    assert modules
    found = [
        line
        for place, tree in modules.items()
        if not place.startswith(TO_MODELS)
        for line in report(f"vsalang/{place}", of_module(tree, (HOUSE / place).read_text(encoding="utf-8")))
    ]
    assert found == []


IS_NO, ARE_NO = (f"{verb} no" for verb in ("is", "are"))
"""What the test looks for, put together so that this file does not hold it."""


def test_prompts_and_benchmarks_use_the_plainer_form() -> None:
    texts = [*HOUSE.glob("**/*.j2"), *ROOT.glob("benchmarks/**/README.md")]
    form = re.compile(rf"(?<![Tt]here )\b({IS_NO}|{ARE_NO}) (?!longer|more|two|further)\w+")
    assert [
        f"{path.name}: {found[0]}"
        for path in texts
        for found in form.finditer(path.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        (f"{{data}} {IS_NO} folder", f"{IS_NO} folder"),
        (f"they {ARE_NO} `terms`", f"{ARE_NO} `terms"),
        ("a file is\n    no UI tree", f"{IS_NO} UI"),
        ("There is no folder, and there are no files.", ""),
        ("there\n    is no folder", ""),
        ("It has no parts, is no longer there, and the answer is no.", ""),
        ("--goal says nothing without --plan", "says nothing without"),
        ("a number that is none", "that is none"),
        ("one that is none of these", ""),
        ("It rests on the screen.", "rests on"),
        ("What became of it", "What became of"),
        ("It lets nothing through.", "lets nothing through"),
        ("a label beside a box", "beside"),
        ("besides, it is mandatory", ""),
    ],
)
def test_what_counts_as_such_a_phrase(text: str, phrase: str) -> None:
    assert [hit for _, hit, _ in less_plain(text)] == ([phrase] if phrase else [])


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f"x = 1\ny = f'{{x}} {IS_NO} folder'", 2),
        ("'''Reads.\n\nWhoever reads.'''", 3),
        ("x = 1  # whoever it's for", 1),
        ("beside = mended = 1", 0),
    ],
)
def test_texts_and_comments_are_looked_at(source: str, line: int) -> None:
    assert {number for number, *_ in of_module(ast.parse(source), source)} == ({line} if line else set())


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('\nconfirm "it speaks of money" when Pay.', 2),
        ('@rationale("whoever pays")', 1),
        (f"// It {IS_NO} secret.", 1),
        ("let Wide = /whoever|everybody/i.", 0),
    ],
)
def test_messages_of_modules_are_looked_at(source: str, line: int) -> None:
    assert {number for number, *_ in of_shipped(source)} == ({line} if line else set())
