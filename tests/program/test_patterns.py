"""Regular expressions: what is accepted, where errors point, what is found."""

import copy
import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.ops import holds
from vsalang.program.patterns import Pattern, PatternError, Reading, compile_pattern
from vsalang.program.text import canonical


@pytest.mark.parametrize(
    ("source", "flags", "text", "found"),
    [
        ("total", "", "The total is 5", {}),
        ("^total", "", "The total is 5", None),
        ("TOTAL", "", "The total is 5", None),
        ("TOTAL", "i", "The total is 5", {}),
        ("ÉTÉ", "i", "Cet été", {}),
        (r"(?<hour>\d+):(?P<minute>\d+)", "", "at 19:05.", {"hour": "19", "minute": "05"}),
        ("(?<a>x)|(?<b>y)", "", "y", {"a": None, "b": "y"}),
        ("(?<é_>x)?", "", "", None),
        ("it\u2019s", "", "it's", {}),
        ("a\u00a0b", "", "a b", {}),
        ("[\u2013\u2014]", "", "a-b", {}),
        ("[+\u2013\u2014/]", "", "a,b", None),
        ("[]\u2014]", "", "a-b", {}),
        ("[[:digit:]\u2014]+", "", "12-3", {}),
        (r"\Qa.b\E.[\–]", "", "a.bx-", {}),
        (r"\Qa.b\E", "", "axb", None),
        ("e\u0301", "", "\u00e9", {}),
        ("e\u0301", "", "e\u0301", {}),
        ("a.c", "", "a\u2014c", {}),
        ("a.c", "", "a\nc", None),
        ("", "", "", {}),
    ],
)
def test_search(source: str, flags: str, text: str, found: dict[str, str | None] | None) -> None:
    if source.startswith("(?<é"):
        with pytest.raises(PatternError, match="named group"):
            compile_pattern(source, flags)
        return
    assert compile_pattern(source, flags).search(text) == found


@pytest.mark.parametrize(
    ("source", "flags", "message", "offset"),
    [
        ("ab(?=c)", "", "look-ahead", 2),
        ("(?!c)", "", "look-ahead", 0),
        ("x(?<=c)", "", "look-behind", 1),
        ("x(?<!c)", "", "look-behind", 1),
        ("x(?>c)", "", "atomic", 1),
        (r"(a)\1", "", "back-reference", 3),
        ("(?<a>x)(?P=a)", "", "back-reference", 7),
        ("a(b", "", "without its", 1),
        ("a)b", "", "without its", 1),
        ("x[ab", "", "without its", 1),
        ("x[z-a]", "", "z-a", 2),
        ("ab**", "", "repetition", 2),
        ("x{1001}", "", "{1001}", 1),
        ("((a{100}){100}){100}", "", "", None),
        ("abc\\", "", "backslash", 3),
        ("(?<a>x)(?<a>y)", "", "two groups are named a", 10),
        ("x(?<1a>y)", "", "named group", 1),
        ("x(?<a", "", "named group", 1),
        (r"ab\C", "", "not supported", 2),
        (r"\p{Nope}", "", "Nope", 0),
        ("ab\ud800", "", "surrogate", 2),
        ("ab", "g", "unknown or repeated flag 'g'", 2),
        ("ab", "ii", "unknown or repeated flag 'i'", 3),
        ("a" * 5000, "", "longer", 4000),
    ],
)
def test_errors_say_what_and_where(source: str, flags: str, message: str, offset: int | None) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(source, flags)
    assert message in caught.value.message
    if offset is not None:
        assert caught.value.offset == offset


def test_without_re2_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    compile_pattern.cache_clear()
    with pytest.raises(PatternError, match="pip install google-re2"):
        compile_pattern("not compiled before", "")


def test_patterns_are_values() -> None:
    one, other = compile_pattern("(?<c>a)", "i"), compile_pattern("(?<c>a)", "")
    assert one == compile_pattern("(?<c>a)", "i")
    assert one != other
    assert len({one, other, compile_pattern("(?<c>a)", "i")}) == 2
    assert str(one) == "/(?<c>a)/i"
    for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert again == one
        assert again.search("A") == {"c": "A"}


@pytest.mark.parametrize("source", ["(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)*x(.*)*y", "(?<c>(a+)+)!"])
def test_what_backtracks_elsewhere_is_linear_here(source: str) -> None:
    assert compile_pattern(source, "").search("a" * 1_000_000) is None


@given(
    st.text(st.characters() | st.sampled_from("()[]{}?*+\\|^$<>PQEi:=!-\u2014\u00e9ab1\ud800"), max_size=20),
    st.text(),
)
def test_any_source_compiles_or_is_explained(source: str, text: str) -> None:
    try:
        pattern = compile_pattern(source, "i")
    except PatternError as error:
        assert error.message
        assert 0 <= error.offset <= len(source)
        return
    assert isinstance(pattern, Pattern)
    found = pattern.search(text)
    for captured in (found or {}).values():
        assert captured is None or (captured == canonical(captured) and captured in canonical(text))


HIDDEN = "Le\u200bna"
READ: list[tuple[str, str, dict[Reading, bool | None]]] = [
    ("^Lena$", "Lena", {"plain": True, "possible": True, "narrow": True, "certain": True}),
    ("^Lena$", HIDDEN, {"plain": False, "possible": True, "narrow": False, "certain": None}),
    ("^Le", HIDDEN, {"plain": True, "possible": True, "narrow": False, "certain": None}),
    ("Anna", HIDDEN, {"plain": False, "possible": False, "narrow": False, "certain": None}),
    ("^pay", "p\u0430y", {"plain": False, "possible": False, "narrow": False, "certain": None}),
    ("pay", "\uff50\uff41\uff59", {"plain": False, "possible": True, "narrow": False, "certain": False}),
    ("pay.now", "pay\nnow", {"plain": False, "possible": True, "narrow": False, "certain": False}),
    (r"\bpay\b.é", "pay\né", {"plain": False, "possible": True, "narrow": False, "certain": False}),
    ("^Ann$", "Ann", {"plain": True, "possible": True, "narrow": True, "certain": True}),
    ("Ann", "\u2068Ann\u2069", {"plain": True, "possible": True, "narrow": True, "certain": True}),
    ("you", "I \u2764\ufe0f you", {"plain": True, "possible": True, "narrow": True, "certain": True}),
]


@pytest.mark.parametrize(("source", "text", "read"), READ)
def test_hidden_texts_are_read_as_rules_need(
    source: str, text: str, read: dict[Reading, bool | None]
) -> None:
    for reading, matches in read.items():
        pattern = compile_pattern(source, "", reading)
        assert pattern.matches(text) is matches, reading
        assert (pattern.captures(text) is not None) is (matches is True), reading
        negated = holds("not matches", text, pattern)
        assert negated is (matches is False), reading


@given(
    st.text(st.sampled_from("Lena \n\u200b\u0435\uff4c"), max_size=8),
    st.sampled_from(["^Le", "a$", "n.a", r"\bL"]),
)
def test_duty_grows_and_permission_shrinks(text: str, source: str) -> None:
    plain, possible, narrow, certain = (
        compile_pattern(source, "", reading).matches(text)
        for reading in ("plain", "possible", "narrow", "certain")
    )
    assert not plain or possible
    assert not narrow or plain
    assert certain is None or certain is plain
