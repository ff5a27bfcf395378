"""The formatter on all programs: it keeps meaning, comments and spelling, and its result is final."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.language.syntax.strategies import without_spans
from tests.pages import pages
from tests.thorough import some, times
from vsalang.base.source import Source, SourceError, read_source
from vsalang.language.syntax import parse, tree
from vsalang.language.syntax.formatting import WIDTH, NotFormatted, format_source
from vsalang.language.syntax.grammar import parse_file
from vsalang.language.syntax.scan import without_comments

ROOT = Path(__file__).resolve().parents[3]

# An own, small idea of tokens: the tests must not share the formatter's.
TOKEN = re.compile(
    r'"""(?:\\"""|(?!""")[\s\S])*"""|"(?:[^"\\\n]|\\.)*"|(?P<comment>//[^\n]*|/\*[\s\S]*?\*/)|(?P<blank>[ \t\r\n]+)'
    r"|/(?:[^/\\\n]|\\.)+/[A-Za-z]*|[0-9]{4}-[0-9]+-[0-9]+|[0-9]+:[0-9:]+|-?[0-9]+(?:\.[0-9]+)?[A-Za-z_]*"
    r"|\??[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*|=>|:-|!~=|!=|~=|<=|>=|\.\.|[\s\S]"
)


def tokens(text: str) -> str:
    """The tokens without blanks, comments and commas, ``:-`` as ``when``."""
    found = [m[0] for m in TOKEN.finditer(text) if not m["comment"] and not m["blank"]]
    shown = [
        "".join(token.split()) if token.startswith('"""') else token for token in found
    ]  # of words, one a line
    return "".join("when" if token == ":-" else token for token in shown if token != ",")


def comments(text: str) -> list[str]:
    return [m[0].rstrip(" \t\r").replace("\r\n", "\n") for m in TOKEN.finditer(text) if m["comment"]]


def read(text: str) -> tree.Module | None:
    """The tree of a text without mistakes. To find out what the mistakes of others are takes long."""
    code = without_comments(text)
    if code is not None and parse_file(code) is None:
        return None
    parsed = parse(Source.from_text(text, "a.vsa"))
    return None if parsed.diagnostics else parsed.module


def formatted(text: str) -> str:
    return format_source(Source.from_text(text, "a.vsa"))


def check(text: str) -> str:
    """Format a program and compare everything that must stay."""
    before = read(text)
    assert before is not None
    result = formatted(text)
    after = read(result)
    assert without_spans(after) == without_spans(before)
    assert formatted(result) == result
    assert tokens(result.replace("\r\n", "\n")) == tokens(text.replace("\r\n", "\n"))
    assert comments(result) == comments(text)
    assert result.endswith("\n") and not result.endswith("\n\n") and not result.startswith("\n")
    return result


def programs() -> list[Path]:
    folders = ("app_specs", "stdlib", "vsalang", "tests", "docs", "examples", "benchmarks")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.vsa"))


@cache
def readable() -> list[str]:
    """The texts of the project's programs that parse."""
    texts = []
    for path in programs():
        try:
            text = read_source(path).text
        except SourceError:  # a file that is wrong on purpose
            continue
        if read(text) is not None:
            texts.append(text)
    return texts


@pytest.mark.soak
def test_every_program_of_the_project() -> None:
    """One in three of them; before a release all."""
    texts = readable()
    assert len(texts) > 60
    for text in some(texts, 3):
        for line in check(text).splitlines():  # as short as its longest token, and its comment, let it be
            found = [m for m in TOKEN.finditer(line) if not m["blank"]]
            commented = any(m["comment"] for m in found)
            assert len(line) <= WIDTH or commented or max(len(m[0]) for m in found) > WIDTH - 40, line


@pytest.mark.slow
def test_examples_of_the_documentation() -> None:
    blocks = [
        block
        for page in pages().values()
        for block in re.findall(r"^```vsa\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    ]
    whole = [text for block in blocks for text in (block, f"spec s\n{block}") if read(text) is not None]
    assert len(whole) > 5
    for text in whole:
        check(text)


def mutated(text: str, random: Random) -> str:
    """Other blanks between the tokens, and comments at some of them."""
    parts: list[str] = []
    pieces = [m for m in TOKEN.finditer(text) if not m["blank"] and not m["comment"]]
    every = random.choice([3, 10, 40])
    for before, after in pairwise(pieces):
        parts.append(before[0])
        gap = text[before.end() : after.start()]
        blank = (
            ""
            if not gap and random.random() < 0.7
            else random.choice([" ", "  ", "\n", "\n\n\n", "\t", "\r\n"])
        )
        if not gap and (before[0][0] in "-?@." or after[0][0] in ".-"):
            blank = ""  # where a blank may change what is read
        elif random.randrange(every) == 0:
            number = random.randrange(100)
            blank += random.choice(
                [
                    f"// c{number}\n",
                    f" // c{number}  \n\n  ",
                    f"/* c{number} */",
                    f"\n/* c{number}\n   d */\n",
                    f" /* c{number} */ // d\n",
                    f"\n\n// c{number}\n// d\n\n",
                ]
            )
        parts.append(blank if blank or not gap else " ")
    parts.append(pieces[-1][0])
    tail = random.choice(["", "\n\n\n", " // end", "\n\n/* end */\n\n", "\n// end\n"])
    return "".join(parts) + tail


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_mutated_programs(seed: int) -> None:
    random = Random(seed)
    kept = 0
    # a condition as long as the parser takes may be laid out longer than that
    short = [text for text in readable() if len(text) < 5000]
    many = times(30, 70)
    for text in random.sample(short, many):
        other = mutated(text, random)
        if read(other) is None or without_spans(read(other)) != without_spans(read(text)):
            continue
        kept += 1
        result = check(other)
        assert "\n\n\n" not in TOKEN.sub(lambda m: m[0] if m["blank"] else "x", result)
    assert kept > many // 2


@given(st.text(alphabet='spec a"b(){}.,?xAB=:-/*\n', max_size=60))
def test_any_text_is_formatted_or_refused(text: str) -> None:
    try:
        formatted("spec a\n" + text)
    except NotFormatted as problem:
        assert problem.diagnostics


def test_the_name_of_a_words_file_stays() -> None:
    """Also one with a quotation mark, which no file of words has: the checker says so."""
    text = 'app a\n\nlet A = words "sends.words".\nlet B = words "\\"".\n'
    assert check(text) == text
