"""The tree-sitter grammar: no error in what the language accepts, its corpus, its words and its queries."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("tree_sitter", reason="the job editors installs it")

from scripts import tree_sitter
from tests.editors.parser import FOLDER, language, tree
from tests.editors.programs import ROOT
from vsalang.base.source import Source
from vsalang.language.syntax.parser import parse
from vsalang.program.reserved_words import (
    AGGREGATES,
    CONDITION_WORDS,
    ITEM_WORDS,
    MODULE_KINDS,
    OPERATOR_WORDS,
    RESERVED,
    STEP_WORDS,
)

GRAMMAR: Final = FOLDER / "grammar.js"
FILES: Final = subprocess.run(
    ["git", "ls-files", "*.vsa"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.split()
OTHER_WORDS: Final = frozenset({"any", "because", "or", "refines", "words"})
"""Words of the language that may be names everywhere."""
VALUES: Final = frozenset({"true", "false", "none"}) | {"today"}
"""Names to the grammar, which highlights.scm colours."""
CONTEXTS: Final = (
    "spec a\nstate S { @: Text }",
    "spec a\naction A(@: Text)",
    "spec a\nupdate A(@ = 1, ..) when b.",
    "spec a\nallow A when S(x = @).",
    "spec a\nallow A when @.",
    "spec a\nallow A when not @(a = 1).",
    "spec a\nallow A when f(@, 2) = 1.",
    "spec a\nallow A when every S has (@ = 1).",
    "spec a\ndefine D when max(@ of S) > 1.",
    "spec a\nallow @ A.",
    "spec a\nallow A when (a, @) then b.",
    "spec a\nenum E { @ }",
    'spec a\ntest "t" { attempt A => @. }',
    'spec a\ntest "t" { attempt A => block because @. }',
    'spec a\ntest "t" { given @. }',
)
"""Where a word may stand, in place of @."""
WORDS: Final = sorted(RESERVED | STEP_WORDS | AGGREGATES | OTHER_WORDS)


def shown(node: Any, name: str = "", depth: int = 0) -> str:
    """The tree as the corpus writes it: named nodes and their fields."""
    children = [
        shown(child, node.field_name_for_child(place) or "", depth + 1)
        for place, child in enumerate(node.children)
        if child.is_named
    ]
    return (
        "  " * depth
        + (f"{name}: " if name else "")
        + f"({node.type}"
        + "".join(f"\n{c}" for c in children)
        + ")"
    )


def corpus() -> list[tuple[str, str, str]]:
    """Title, text and tree of each case."""
    cases = []
    for path in sorted((FOLDER / "test" / "corpus").glob("*.txt")):
        parts = re.split(r"^={3,}\n(.*)\n={3,}\n", path.read_text(encoding="utf-8"), flags=re.M)
        for title, case in zip(parts[1::2], parts[2::2], strict=True):
            text, _, expected = case.partition("\n---\n")
            cases.append((title, text.strip(), expected.strip()))
    return cases


@pytest.mark.parametrize(("text", "expected"), [pytest.param(*case[1:], id=case[0]) for case in corpus()])
def test_the_corpus(text: str, expected: str) -> None:
    whole = text if text.startswith("spec") else f"spec a\n{text}"
    assert not parse(Source.from_text(whole, "a.vsa")).diagnostics
    assert shown(tree(text)) == expected


@pytest.mark.slow
def test_no_error_where_the_parser_accepts() -> None:
    """In all files of the repository."""
    assert len(FILES) > 500
    wrong = []
    for name in FILES:
        text = (ROOT / name).read_bytes().decode("utf-8-sig")
        if tree(text).has_error and not parse(Source.from_text(text, name)).diagnostics:
            wrong.append(name)
    assert wrong == []


@pytest.mark.parametrize("context", CONTEXTS)
def test_words_as_names_where_the_parser_takes_them(context: str) -> None:
    texts = [context.replace("@", word) for word in WORDS]
    accepted = [text for text in texts if not parse(Source.from_text(text, "a.vsa")).diagnostics]
    assert accepted
    assert [text for text in accepted if tree(text).has_error] == []


def test_unfinished_text_has_an_error() -> None:
    assert tree("spec a\nallow A(x = ").has_error
    assert tree("spec a\nallow A when B C.").has_error


def test_the_words_are_those_of_the_language() -> None:
    """No compiler is needed for this."""
    text = re.sub(r"//[^\n]*", "", GRAMMAR.read_text(encoding="utf-8"))
    rules = text[text.index("source_file:") : text.index("---- tokens") if "---- tokens" in text else None]
    rules = re.sub(r"field\('\w+'", "", rules)
    found = set(re.findall(r"'([a-z]+)'", rules))
    tables = (
        ITEM_WORDS | STEP_WORDS | AGGREGATES | set(MODULE_KINDS) | set(CONDITION_WORDS) | set(OPERATOR_WORDS)
    )
    assert found == (tables | RESERVED | OTHER_WORDS) - VALUES


def test_the_parser_is_made_of_this_grammar() -> None:
    """After a change of grammar.js the parser is generated again."""
    assert tree_sitter.PARSER.read_text(encoding="utf-8").endswith(tree_sitter.mark())


def queries() -> list[Path]:
    editors = FOLDER.parent
    return sorted([*FOLDER.glob("queries/*.scm"), *editors.glob("zed/**/*.scm")])


@pytest.mark.parametrize("path", queries(), ids=lambda path: "-".join(path.relative_to(FOLDER.parent).parts))
def test_queries_match_something(path: Path) -> None:
    """Each pattern names nodes that there are, and captures something in the corpus."""
    package = pytest.importorskip("tree_sitter")
    query = package.Query(language(), path.read_text(encoding="utf-8"))
    texts = [*(case[1] for case in corpus()), '/* c */ // c\nlet d = """doc""".']
    found = {n for text in texts for n, _ in package.QueryCursor(query).matches(tree(text))}
    never = [query.start_byte_for_pattern(n) for n in range(query.pattern_count) if n not in found]
    text = path.read_bytes()
    assert [text[start : start + 60].decode() for start in never] == []


def test_the_outline_names_every_item() -> None:
    package = pytest.importorskip("tree_sitter")
    query = package.Query(language(), (FOLDER / "queries" / "outline.scm").read_text(encoding="utf-8"))
    root = tree('spec a\nstate S { x: Number }\nallow A when S.\ndeny "no" when A.\ntest "t" { finish. }')
    matches = package.QueryCursor(query).matches(root)
    found = [(c["name"][0].start_byte, c["name"][0].text.decode()) for _, c in matches]
    assert [name for _, name in sorted(found)] == ["a", "S", "A", '"no"', '"t"']


def test_the_manifest_names_the_queries() -> None:
    [grammar] = json.loads((FOLDER / "tree-sitter.json").read_text(encoding="utf-8"))["grammars"]
    for kind in ("highlights", "locals", "tags"):
        assert (FOLDER / grammar[kind]).is_file()
