"""Only a line feed, or a carriage return and a line feed, ends a line; what else looks so is an error outside texts."""

import pytest

from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.base.source import Source
from vsalang.language.semantics import load_text
from vsalang.language.syntax import parse
from vsalang.language.syntax.formatting import NotFormatted, format_source

BREAKS = ["\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
TURNS = ["\u202a", "\u202e", "\u2066", "\u2069"]
HEAD = 'policy p "No shell."\n'
RULE = 'deny "no shell" when shell.\n'
each_break = pytest.mark.parametrize("char", BREAKS, ids=ascii)
each = pytest.mark.parametrize("char", [*BREAKS, *TURNS], ids=ascii)


def found(text: str) -> list[tuple[str, int]]:
    return [(item.code, item.span.start) for item in parse(Source.from_text(text)).diagnostics if item.span]


@each
@pytest.mark.parametrize(
    "text",
    [
        HEAD + "// nothing%s" + RULE,
        HEAD + "/* nothing%s */" + RULE,
        HEAD + '// a "quotation%s"\n' + RULE,
        HEAD + 'deny "no shell"%swhen shell.\n',
        HEAD + 'deny "no shell" when shell(command matches /a%sb/).\n',
        HEAD + RULE + "// the end%s",
        HEAD + RULE + "%s",
    ],
)
def test_outside_texts_it_is_an_error(text: str, char: str) -> None:
    place = text.index("%s")
    text = text.replace("%s", char)
    assert found(text) == [("E0151", place)]
    with pytest.raises(NotFormatted):
        format_source(Source.from_text(text))


@each_break
def test_a_rule_behind_it_is_read_once_fixed(char: str) -> None:
    text = f"{HEAD}import std.text\n// nothing on the shell{char}{RULE}"
    assert not load_text(text).program
    fixed = apply_fixes(text, "p.vsa", lambda again: load_text(again, file="p.vsa").diagnostics).text
    assert fixed == text.replace(char, "\n")
    assert len(load_text(fixed).checked().rules) == 1


@each_break
def test_texts_hold_what_they_hold(char: str) -> None:
    """What looks like a line break may stand in a text (the linter says so, L0057)."""
    if char >= "\x20":
        assert found(HEAD + f'deny "no{char}shell" when shell.\n') == []
    assert found(HEAD + f'deny """no{char}shell""" when shell.\n') == []


def test_files_with_crlf_are_as_they_were() -> None:
    text = (HEAD + "// a comment\n/* two\n lines */\n" + RULE).replace("\n", "\r\n")
    assert found(text) == []
    assert format_source(Source.from_text(text)).count("\r\n") == text.count("\r\n")


@pytest.mark.parametrize("turn", ["\u202a", "\u202e", "\u2066"], ids=ascii)
def test_texts_close_what_they_turn(turn: str) -> None:
    """A text may turn its own direction, and not that of the rule behind it."""
    closing = "\u2069" if turn == "\u2066" else "\u202c"
    assert found(HEAD + f'deny "no {turn}shell{closing}" when shell.\n') == []
    assert found(HEAD + f'deny """no {turn}shell\nat all""" when shell.\n') == []
    text = HEAD + f'deny "no {turn}shell" when shell.\n'
    assert found(text) == [("E0151", text.index(turn))]
    text = HEAD + f'deny """no\nno {turn}shell""" when shell.\n'
    assert found(text) == [("E0151", text.index(turn))]
    assert found(HEAD + 'deny "no \\u202eshell" when shell.\n') == []


def test_lines_are_counted_as_editors_count_them() -> None:
    """A carriage return alone ends a line for the protocol of editors, and so for all tools; U+2028 does not."""
    source = Source.from_text("a\rb\r\nc\nd\u2028e")
    assert [source.position(at).line for at in range(len(source.text))] == [1, 1, 2, 2, 2, 3, 3, 4, 4, 4]
    assert [source.line(number) for number in range(1, 5)] == ["a", "b", "c", "d\u2028e"]
    assert source.utf16(2) == (1, 0)


@each_break
def test_comments_of_files_with_crlf_beside_such_a_text(char: str) -> None:
    text = (HEAD + f'deny """no{char}shell""" when shell.\n// a comment\n// the end\n').replace("\n", "\r\n")
    assert found(text) == []
    assert format_source(Source.from_text(text)) == text
    text = text.replace("the end", f"the {char}end")
    assert found(text) == [("E0151", text.index(f"{char}end"))]


def test_many_are_reported_in_bounds() -> None:
    assert len(found(HEAD + "//" + "\r" * 5000 + "\n" + RULE)) == 100


def test_a_file_of_carriage_returns_is_mended_whole() -> None:
    text = (HEAD + "// a comment\n" + RULE).replace("\n", "\r")
    fixed = apply_fixes(text, "p.vsa", lambda again: load_text(again, file="p.vsa").diagnostics).text
    assert fixed == text.replace("\r", "\n")
