"""The canonical form of texts and what is made from it."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.text import canonical, fold_case, line, lower, plain, safe, words

ANY = st.text(
    st.characters() | st.sampled_from("\ud800\u0301\u0323\u0345\u200b\u00a0\u2019\u2014\u202e\n\r\u2028é")
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Café", "Café"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("it\u2019s \u201cfine\u201d", 'it\'s "fine"'),
        ("\u00abfine\u00bb \u2039so\u203a", "\"fine\" 'so'"),
        ("7\u20139 \u2014 \u22124", "7-9 - -4"),
        ("1\u202f234\u00a0\u2003x\u3000", "1 234  x "),
        ("a\r\nb\rc\nd\u0085e\u2028f\u2029g\th", "a\r\nb\rc\nd\u0085e\u2028f\u2029g\th"),
        ("a\u200bb\u00ad", "a\u200bb\u00ad"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("x ≠ X", "x ≠ X"),
    ],
)
def test_canonical(text: str, wanted: str) -> None:
    assert canonical(text) == wanted


@pytest.mark.slow
def test_every_character_is_folded_once_spaces_to_a_space() -> None:
    """What stays as it is need not be folded once more."""
    for code in range(0x110000):
        char = chr(code)
        once, folded = canonical(char), fold_case(char)
        assert (once == " ") == (unicodedata.category(char) == "Zs"), hex(code)
        assert once == char or canonical(once) == once, hex(code)
        assert folded == char or fold_case(folded) == folded, hex(code)


@given(ANY)
def test_foldings_are_idempotent_and_canonical(text: str) -> None:
    for fold in (canonical, fold_case, plain):
        once = fold(text)
        assert fold(once) == once
    assert canonical(lower(text)) == lower(text)
    assert canonical(fold_case(text)) == fold_case(text)
    canonical(text).encode("utf-8")


@given(st.text(st.sampled_from("a\u0301\u0323\u0344\u0345é\u1100\u1161ạǟ"), max_size=60))
def test_canonical_is_idempotent_on_long_rows_of_marks(row: str) -> None:
    once = canonical("x" * 1000 + row + "e" + row * 30)
    assert canonical(once) == once


def test_a_long_row_of_marks_is_ordered_in_parts() -> None:
    text = canonical("a" + "\u0301\u0323" * 300_000)
    assert max(map(len, re.findall("[\u0300-\u034e]+", text))) <= 30
    assert plain(text) == plain(text)


def test_marks_fold_alike_in_short_and_long_texts() -> None:
    name = "Ngu\u0079\u0302\u0303n Vi\u0065\u0323\u0302t"
    assert canonical("." * 2000 + name) == "." * 2000 + canonical(name)


@given(ANY, ANY)
def test_equal_canonical_texts_stay_equal_under_every_folding(one: str, other: str) -> None:
    for text in (one, other):
        assert fold_case(canonical(text)) == fold_case(text)
        assert lower(canonical(text)) == lower(text)


def test_fold_case() -> None:
    assert fold_case("STRASSE") == fold_case("straße")
    assert fold_case("ΌΣΟΣ") == fold_case("όσος")
    assert fold_case("It\u2019s") == "it's"


def test_plain() -> None:
    assert plain("\ufeff\u200e 1\u200b2\u00ad \u202f3\ufe0f \n") == "12  3"
    assert plain("a\nb\tc") == "a\nb\tc"


def test_words() -> None:
    assert [word.folded for word in words("Repeats on MON, Tue_Wed, it's 5pm – Été")] == (
        ["repeats", "on", "mon", "tue", "wed", "it", "s", "5pm", "été"]
    )
    word = list(words("a Bc"))[1]
    assert (word.start, word.end) == (2, 4)


# ---- showing what is not trusted -----------------------------------------------------------------


def test_safe_escapes_what_could_leave_its_quotation() -> None:
    assert safe('say "hi"\\\n') == '"say \\"hi\\"\\\\\\n"'
    assert safe("\x1b[31mred\u202egnp\u200b.\x00") == '"\\u{001B}[31mred\\u{202E}gnp\\u{200B}.\\u{0000}"'
    assert safe("1\u202f2") == '"1 2"'
    assert safe("\ud800\U000e0041\ue000") == '"\\u{D800}\\u{E0041}\\u{E000}"'
    assert safe("Café 東京 👍") == '"Café 東京 👍"'


def test_safe_cuts() -> None:
    assert safe("abcdef", 6) == '"abcdef"'
    assert safe("abcdefg", 6) == '"abcde…"'
    assert safe("abcd\u200bfg", 6) == '"abcd…"'
    assert safe("ab", 0) == '"…"'


PLAIN = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters='"\\'), max_size=12)


@given(st.sampled_from(["", "é"]), PLAIN, st.integers(-1, 14))
def test_what_needs_no_codes_is_cut_as_it_is(first: str, text: str, limit: int) -> None:
    text = first + text
    cut = text if len(text) <= max(limit, 1) else text[: max(limit, 1) - 1] + "…"
    assert safe(text, limit) == f'"{cut}"' and line(text, limit) == cut


@given(ANY, st.integers(1, 60))
def test_safe_is_one_short_printable_line(text: str, limit: int) -> None:
    shown = safe(text, limit)
    inner = shown[1:-1]
    assert len(inner) <= limit
    assert shown[0] == shown[-1] == '"'
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for char in shown)
    assert '"' not in re.sub(r"\\.", "", inner)
    assert not re.sub(r"\\[^u]|\\u\{[0-9A-F]+\}", "", inner).count("\\")
