"""The encodings of texts, dates and numbers say what the language's own operators say."""

import datetime as dt
from decimal import Decimal

import pytest
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vsalang.program import ops
from vsalang.program.ir import DATE, DURATION, NUMBER, TEXT, TIME, Const, Fn, Member, Type
from vsalang.program.native.android import WEEKDAY
from vsalang.program.patterns import PatternError, compile_pattern
from vsalang.program.text import canonical
from vsalang.program.values import NONE, Value
from vsalang.proof.solver import patterns
from vsalang.proof.solver.results import UnsupportedConstruct
from vsalang.proof.solver.sorts import Sorts, text_of
from vsalang.proof.solver.terms import Terms

FEW = settings(max_examples=150, deadline=None)
text = st.text(st.sampled_from("aAbsSßſfFkiİı9_ -\n.éÉ٣。京д"), max_size=6).map(canonical)

PATTERNS = [
    "ab", "a|b", "^a", "b$", "^$", "^(?:a|sS)+$", "[a-c]", "[^a-c]", "\\d", "\\D", "\\w+", "\\W", "\\s", "^.$", "^.*$",
    "a{2}", "a{1,2}b", "^a{2,}$", "s?f", "(?<x>a)b", "^a|b$", "[s-t]", "\\.", "-", "[\\d_]", "é", "^[^\\w]$",
    "\\ba", "a\\b", "\\Ba", "\\b(?:a|b S)\\b", "(?:^|-)b", "\\b(?:a|-)?\\b.*\\b[^a]\\b", "x^", "(a$)b", "(?:\\bs )?f",
]  # fmt: skip


def true(formula: object) -> bool:
    found = z3.simplify(formula)
    assert z3.is_true(found) or z3.is_false(found), found
    return bool(z3.is_true(found))


@pytest.mark.slow
@pytest.mark.parametrize("flags", ["", "i"])
@given(data=st.data())
@FEW
def test_patterns_match_the_same_texts(flags: str, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(PATTERNS))
    content = data.draw(text)
    member = true(z3.InRe(z3.StringVal(content), patterns.matches(source, flags)))
    assert member is (compile_pattern(source, flags).search(content) is not None)


@given(content=text, needle=text)
@FEW
def test_contains_is_the_same(content: str, needle: str) -> None:
    member = true(z3.InRe(z3.StringVal(content), patterns.contains(needle)))
    assert member is ops.holds("contains", content, needle)


@pytest.mark.parametrize(
    "source", ["\\pL", "[[:alpha:]]", "a(?i)b", "(?:a\\b)*", "\\Qa\\E", "\\z", "a{,3}", "\\bᾳ"]
)
def test_other_patterns_are_refused(source: str) -> None:
    with pytest.raises(UnsupportedConstruct):
        patterns.matches(source, "")


@pytest.mark.parametrize(
    ("source", "flags", "content"),
    [
        ("^ß$", "i", "ẞ"),
        ("^ᾀ$", "i", "ᾈ"),
        ("\\(?<a>b", "", "<a>b"),
        ("[(?<a>]", "", "a"),
        ("\\\\(?<a>b)", "", "\\b"),
    ],
)
def test_unusual_patterns_match_the_same_texts(source: str, flags: str, content: str) -> None:
    assert compile_pattern(source, flags).search(content) is not None
    assert true(z3.InRe(z3.StringVal(content), patterns.matches(source, flags)))


pieces = st.sampled_from(
    ["a", "b", " ", "_", "-", ".", "\\w", "\\W", "[ab]", "[^a]", "\\b", "\\b", "\\B", "^", "$"]
)
built = st.recursive(
    pieces,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{0,2}"])).map("(?:{0[0]}){0[1]}".format),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@given(source=built, content=st.text(st.sampled_from("ab _-é。"), max_size=6))
@FEW
def test_built_patterns_match_the_same_texts(source: str, content: str) -> None:
    try:
        pattern, language = compile_pattern(source, ""), patterns.matches(source, "")
    except (PatternError, UnsupportedConstruct):
        assume(False)
    member = true(z3.InRe(z3.StringVal(content), language))
    assert member is (pattern.search(content) is not None)


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("\\b(delete|erase)\\b", "i"),
        ("\\b(off|stop)\\b.*\\b(guard)\\b", ""),
        ("(?<n>\\bx[0-9]+)\\b", ""),
        ("\\pL{2,}.*\\d|\\p{Lu}[\\p{Nd}x]\\\\pL", ""),
    ],
)
def test_samples_of_a_pattern_match_it(source: str, flags: str) -> None:
    found = patterns.samples(source, flags)
    assert found
    assert all(compile_pattern(source, flags).search(text) is not None for text in found)


days = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
COLOR = Type("enum", "m.Color", (Member("Red"), Member("Light blue")))
TERMS = st.one_of(
    days.map(lambda d: ("month", NUMBER, [(d, DATE)])),
    days.map(lambda d: ("day", NUMBER, [(d, DATE)])),
    days.map(lambda d: ("weekday", WEEKDAY, [(d, DATE)])),
    st.tuples(st.sampled_from("+-"), days, st.timedeltas()).map(
        lambda t: (t[0], DATE, [(t[1], DATE), (dt.timedelta(t[2].days, t[2].days % 2), DURATION)])
    ),
    st.tuples(st.sampled_from("+-"), st.times(), st.integers(-90000, 90000)).map(
        lambda t: (t[0], TIME, [(t[1].replace(microsecond=0), TIME), (dt.timedelta(seconds=t[2]), DURATION)])
    ),
    st.tuples(days, days).map(lambda t: ("-", DURATION, [(t[0], DATE), (t[1], DATE)])),
    st.tuples(st.sampled_from("+-*"), st.decimals(-99, 99, places=2), st.integers(-9, 9)).map(
        lambda t: (t[0], NUMBER, [(ops.exact(t[1]), NUMBER), (t[2], NUMBER)])
    ),
    st.tuples(st.integers(-9999, 9999), st.decimals(-9, 9, places=1)).map(
        lambda t: ("*", DURATION, [(dt.timedelta(seconds=t[0]), DURATION), (ops.exact(t[1]), NUMBER)])
    ),
    st.integers(-5, 5).map(lambda n: ("neg", NUMBER, [(n, NUMBER)])),
)


@given(term=TERMS)
@FEW
def test_functions_give_the_same_values(term: tuple[str, Type, list[tuple[Value, Type]]]) -> None:
    name, kind, args = term
    terms = Terms(Sorts([]))
    found = terms.value(Fn(name, tuple(Const(value, of) for value, of in args), kind), {})
    wanted = ops.call(name, [value for value, _ in args])
    assert true(found.known) is (wanted is not None)
    if wanted is not None:
        assert true(terms.equal(found, terms.sorts.constant(wanted, kind)))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Decimal("-0.05"), NUMBER),
        (12, NUMBER),
        (True, Type("Bool")),
        (dt.date(2026, 2, 28), DATE),
        (dt.time(23, 59, 59), TIME),
        (dt.timedelta(seconds=-5), DURATION),
        ("Light blue", COLOR),
        ("named", TEXT),
        (frozenset({"Red"}), Type("set", elem=COLOR)),
        (NONE, TEXT),
    ],
)
def test_values_come_back(value: Value, kind: Type) -> None:
    sorts = Sorts(["named"])
    solver = z3.Solver()
    solver.add(*sorts.facts)
    assert solver.check() == z3.sat
    assert sorts.decode(solver.model(), sorts.constant(value, kind)) == value


def test_a_third_is_no_value() -> None:
    solver = z3.Solver()
    assert solver.check() == z3.sat
    with pytest.raises(UnsupportedConstruct):
        Sorts([]).value(solver.model(), z3.RealVal("1/3"), NUMBER)


def test_texts_come_back_whatever_they_hold() -> None:
    for content in ("a\\u{41}b", "\n\t", 'quote"', "é語", "\\"):
        assert text_of(z3.StringVal("".join(f"\\u{{{ord(c):x}}}" for c in content))) == content
