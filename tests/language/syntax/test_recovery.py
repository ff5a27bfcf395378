"""Broken files: one mistake, one error; everything else is kept; nothing raises or hangs."""

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import times
from vsalang.base.source import Source, read_source
from vsalang.language.syntax import parse
from vsalang.language.syntax.grammar import parse_file
from vsalang.language.syntax.scan import without_comments

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("app_specs", "stdlib", "vsalang/models/encode/templates")
FILES = [read_source(path) for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.vsa"))]
INSERTED = [*"(){}.,=?\"/*abX1 \n:;@!<>-_'é", "when", "and ", '"""', "allow ", "=> ", "..", "not "]


def mutant(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    choice = rng.random()
    if choice < 0.4:
        return text[:at] + text[at + 1 :]
    if choice < 0.55:
        return text[:at] + text[at + rng.randrange(1, 8) :]
    return text[:at] + rng.choice(INSERTED) + text[at:]


def is_right(text: str) -> bool:
    """Whether the grammar matches the whole text."""
    code = without_comments(text)
    return code is not None and parse_file(code) is not None


@pytest.mark.slow
def test_single_edits_give_one_error() -> None:
    """A short version of benchmarks/recovery.py."""
    rng = random.Random(20260401)
    counts: dict[int, int] = {}
    for _ in range(times(250, 3000)):
        source = rng.choice(FILES)
        text = mutant(source.text, rng)
        parsed = parse(Source.from_text(text, source.file))
        found = len(parsed.diagnostics)
        counts[found] = counts.get(found, 0) + 1
        if not found:
            right = parsed.module is not None and not parsed.broken and is_right(text)
            assert right, f"unreported: {text!r}"
        for finding in parsed.diagnostics:
            assert finding.span is not None
            assert 0 <= finding.span.start <= finding.span.end <= len(text)
    broken = sum(number for found, number in counts.items() if found)
    assert broken > times(60, 1000)
    assert counts[1] >= min(0.97 * broken, broken - 1), counts


def test_every_other_item_is_kept() -> None:
    lines = [f"allow A{number}(a = {number}) when B(c = ?x), not C." for number in range(9)]
    for broken in range(9):
        text = [*lines]
        text[broken] = text[broken].replace("B(c", "B(c c")
        parsed = parse(Source.from_text("spec s\n" + "\n".join(text)))
        assert parsed.module is not None
        assert [item.head.atom.name.text for item in parsed.module.items] == [  # type: ignore[union-attr]
            f"A{number}" for number in range(9) if number != broken
        ]
        assert len(parsed.diagnostics) == len(parsed.broken) == 1


def test_a_broken_header_does_not_hide_the_items() -> None:
    for header in ('spec s "unclosed\n', "spce s\n", 'spec s "a" "b"\n', 'spec s "\\q"\n'):
        parsed = parse(Source.from_text(header + "allow A.\nallow B when C,.\n"))
        assert parsed.module is not None and parsed.module.kind == "spec" and parsed.module.name.text == "s"
        assert len(parsed.module.items) == 1
        assert len(parsed.diagnostics) == 2


N = 20_000
ENDLESS = [
    "a", "(", '"', "?x,", "{", "[", "/", ".", "..", "\\", "/*", "//", '"""', "@", "@a(", "- ", "(not ", "a.", "\n",
    "\r", "\nallow", "0", "9.", "1:", "?", "x then ", "é", "\u200b", "set of ", "*/", '"\\', "},", "\x00", "\ud800",
    "1+",
]  # fmt: skip
STARTS = [
    "",
    "spec s\n",
    "spec s\nallow X when ",
    "spec s\nlet X = ",
    "spec s\nstate S { a: ",
    'spec s\ntest "t" { step {',
]


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS, ids=range(len(STARTS)))
@pytest.mark.parametrize("text", ENDLESS, ids=ascii)
def test_hostile_text_is_refused(start: str, text: str) -> None:
    parsed = parse(Source.from_text(start + text * (N // len(text))))
    comment = text in ("//", "\n", "\r") or (text == "/" and start)
    if not (comment and start in ("", "spec s\n")):
        assert parsed.diagnostics
    assert len(parsed.diagnostics) <= 102


def test_the_longest_line_is_read_in_one_go() -> None:
    line = "spec s " + "allow A(a = 1) when B. " * 2_000
    parsed = parse(Source.from_text(line))
    assert not parsed.diagnostics and parsed.module is not None and len(parsed.module.items) == 2_000


def test_parsing_needs_little_stack() -> None:
    deepest = "spec s\nlet X = " + "(" * 24 + "1" + ")" * 24 + ".\n"
    assert not parse(Source.from_text(deepest)).diagnostics
    nested = "spec s\ndefine F when " + "(" * 23 + "A" + ") then A" * 23 + ".\n"
    assert not parse(Source.from_text(nested)).diagnostics
    for limit in (120, 200, 400):
        assert _with_stack(limit, deepest) in (0, 1)


def _with_stack(more: int, text: str) -> int:
    """How many errors a text has when there is room for `more` calls only."""
    depth = 0
    frame = sys._getframe()
    while frame is not None:
        depth += 1
        frame = frame.f_back  # type: ignore[assignment]
    old = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + more)
    try:
        return len(parse(Source.from_text(text)).diagnostics)
    finally:
        sys.setrecursionlimit(old)


@pytest.mark.slow
@settings(max_examples=times(50, 150), deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_is_read_without_raising(text: str) -> None:
    for start in ("", "spec s\nallow X when "):
        parsed = parse(Source.from_text(start + text))
        assert parsed.diagnostics or parsed.module is not None


FRAGMENTS = [
    "spec s ", "allow ", "X", "(", ")", "a", " = ", "1", ", ", ".", "\n", "when ", "{", "}", '"t"', "test ", "then ",
    "not ", "every ", "has ", "first ", "count(", "of ", "earlier ", "?x ", "in ", "..", "update ", "=> block",
    "finish", "step ", "@id", "/r/", "enum ", "state ", ": ", "set of ", "+ ", "-", "import ", "let ", "/* c */",
    "\\", "'", "“",
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=times(100, 300), deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
def test_any_mixture_of_words_is_read_without_raising(text: str) -> None:
    parsed = parse(Source.from_text(text))
    assert parsed.diagnostics or parsed.module is not None
    if parsed.broken:
        assert parsed.diagnostics


@pytest.mark.slow
def test_fixes_are_offered_where_they_mend() -> None:
    rng = random.Random(7)
    tried = mended = 0
    wanted = times(5, 50)
    for _ in range(20 * times(120, 1000)):
        if tried > wanted:  # how often a fix is offered depends on what the files say
            break
        source = rng.choice(FILES)
        text = mutant(source.text, rng)
        for finding in parse(Source.from_text(text, source.file)).diagnostics:
            for fix in finding.fixes:
                after = text
                for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
                    after = after[: edit.span.start] + edit.text + after[edit.span.end :]
                tried += 1
                mended += not parse(Source.from_text(after)).diagnostics
    assert tried > wanted and mended >= min(0.85 * tried, tried - 1)


def test_a_fix_where_a_second_mistake_follows() -> None:
    """A fix is offered if what follows has one too, and not if it has none."""
    parsed = parse(Source.from_text("spec s\nallow A(x = $x) when S(x = $x).\n"))
    assert [finding.code for finding in parsed.diagnostics] == ["E0129"]
    assert [fix.title for fix in parsed.diagnostics[0].fixes] == ["write `?x`"]
    parsed = parse(Source.from_text("spec s\nallow A(x = $x) when S(x = $x) S(x = ;).\n"))
    assert [finding.code for finding in parsed.diagnostics] == ["E0129"] and not parsed.diagnostics[0].fixes
