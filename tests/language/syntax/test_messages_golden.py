"""What people see for their mistakes: the pairs of `tests/golden/syntax`.

``UPDATE_GOLDEN=1 pytest tests/language/syntax/test_messages_golden.py`` writes the messages again: read the diff.
"""

from collections import Counter

import pytest

from tests.snapshots import GOLDEN, Pair, golden, pairs
from vsalang.base.diagnostics.codes_syntax import SYNTAX
from vsalang.base.diagnostics.terminal import render
from vsalang.base.source import Source
from vsalang.language.syntax import parse

PAIRS = pairs(*sorted((GOLDEN / "syntax").glob("*.txt")))
CODES = {entry.code: entry for entry in SYNTAX}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_message(pair: Pair) -> None:
    source = Source.from_text(pair.given, f"{pair.name}.vsa")
    parsed = parse(source)
    golden(render(parsed.diagnostics, {source.file: source}, color=False), pair)
    assert len(parsed.diagnostics) == 1, "one mistake, one error"
    assert parsed.diagnostics[0].code in CODES


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_fixes_mend(pair: Pair) -> None:
    source = Source.from_text(pair.given)
    (finding,) = parse(source).diagnostics
    for fix in finding.fixes:
        text = source.text
        for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        assert not parse(Source.from_text(text)).diagnostics, text


def test_every_code_has_a_golden_message() -> None:
    shown = {finding.code for pair in PAIRS for finding in parse(Source.from_text(pair.given)).diagnostics}
    assert set(CODES) - shown == {"E0132", "E0134", "E0135", "W0101"}  # too much: test_bounds; of `vsac fmt`


@pytest.mark.parametrize(
    "entry", [entry for entry in SYNTAX if entry.example_bad], ids=lambda entry: entry.code
)
def test_examples_of_codes(entry) -> None:  # type: ignore[no-untyped-def]
    bad = parse(Source.from_text(entry.example_bad))
    assert [finding.code for finding in bad.diagnostics] == [entry.code]
    assert not parse(Source.from_text(entry.example_good)).diagnostics


def test_too_many_mistakes_end_the_reading() -> None:
    parsed = parse(Source.from_text("spec s\n" + "alow X.\n" * 500))
    assert len(parsed.diagnostics) == 101
    assert parsed.diagnostics[-1].code == "E0132"


def test_habits_have_codes_that_teach() -> None:
    """The code of whatever is left over has no page that could teach a habit: no row of the table has it."""
    from vsalang.language.syntax.hints import matching, table

    codes = Counter(row.code for row in table.TABLE)
    assert "E0109" not in codes
    assert codes.keys() <= CODES.keys()
    assert {code for code in matching.YIELDING if code != "E0109"} <= codes.keys()
