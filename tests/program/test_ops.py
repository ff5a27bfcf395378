"""Operators and functions over values."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vsalang.program.ops import FUNCTIONS, MOST_DIGITS, OPERATORS, WEEKDAYS, Environment, call, exact, holds
from vsalang.program.patterns import compile_pattern
from vsalang.program.similarity import incomparable
from vsalang.program.values import NONE, Value, row_order, same, tag

NUMBERS: st.SearchStrategy[int | Decimal] = st.integers() | st.decimals(
    allow_nan=False, allow_infinity=False
).map(lambda number: exact(number) or 0)
VALUES: dict[str, st.SearchStrategy[Value]] = {
    "text": st.text(max_size=8),
    "number": NUMBERS,
    "bool": st.booleans(),
    "date": st.dates(),
    "time": st.times().map(lambda time: time.replace(microsecond=0)),
    "duration": st.timedeltas().map(lambda length: dt.timedelta(length.days, length.seconds)),
    "set": st.frozensets(st.text(max_size=3), max_size=4),
}
ANY = st.one_of(*VALUES.values(), st.just(NONE), st.none())
D, T, S = dt.date, dt.time, dt.timedelta
A, B = frozenset({"a"}), frozenset({"a", "b"})
X = compile_pattern("x+")


@pytest.mark.parametrize(
    ("op", "left", "right", "truth"),
    [
        ("=", "a", "a", True),
        ("=", "a", "A", False),
        ("=", 1, Decimal("1.0"), True),
        ("=", Decimal("0.1") + Decimal("0.2"), Decimal("0.3"), True),
        ("=", True, True, True),
        ("=", True, 1, None),
        ("=", 0, False, None),
        ("=", "1", 1, None),
        ("=", D(2026, 4, 1), dt.datetime(2026, 4, 1), None),
        ("=", B, frozenset({"b", "a"}), True),
        ("=", NONE, NONE, True),
        ("=", NONE, "", False),
        ("=", 5, NONE, False),
        ("=", None, None, None),
        ("=", None, NONE, None),
        ("=", Decimal("sNaN"), 1, None),
        ("<", 1, 2, True),
        ("<", 2, Decimal("1.5"), False),
        ("<", True, 2, None),
        ("<", "a", "b", None),
        ("<", NONE, 1, None),
        ("<", D(2026, 1, 1), D(2026, 1, 2), True),
        ("<", T(18), T(19), True),
        ("<", T(18), T(19, tzinfo=dt.UTC), None),
        ("<", S(1), S(2), True),
        ("<", S(1), 2, None),
        ("<=", 2, 2, True),
        ("<=", 3, 2, False),
        ("<=", A, B, None),
        ("in", "a", ("a", "b"), True),
        ("in", "c", ("a", "b"), False),
        ("in", 1, (True, 2), None),
        ("in", True, (1, True), True),
        ("in", "c", ("a", None), None),
        ("in", "a", ("a", None), True),
        ("in", NONE, ("a", NONE), True),
        ("in", NONE, ("a",), False),
        ("in", None, ("a",), None),
        ("in", "a", B, True),
        ("in", A, ("a",), None),
        ("in", "a", "abc", None),
        ("contains", "Straße", "STRASS", True),
        ("contains", "Big Ben", "BEN", True),
        ("contains", "Big Ben", "bin", False),
        ("contains", "x", "", True),
        ("contains", B, "a", True),
        ("contains", B, "A", False),
        ("contains", NONE, "a", None),
        ("contains", "a", NONE, None),
        ("contains", 5, "5", None),
        ("subset", A, B, True),
        ("subset", B, A, False),
        ("subset", frozenset(), A, True),
        ("subset", NONE, A, None),
        ("matches", "axxb", X, True),
        ("matches", "ab", X, False),
        ("matches", 5, X, None),
        ("matches", NONE, X, None),
        ("matches", "x", "x", None),
        ("~=", "Abc!", "abc", True),
        ("~=", "abd", "abc", False),
        ("~=", NONE, "abc", None),
        ("known", "a", None, True),
        ("known", NONE, None, True),
        ("known", None, None, False),
    ],
)
def test_an_operator_and_its_negation(op: str, left: Value, right: Value, truth: bool | None) -> None:
    """`truth` None: undefined, so neither holds."""
    assert holds(op, left, right) is (truth is True)
    assert holds(OPERATORS[op].negation, left, right) is (truth is False)


@pytest.mark.parametrize(
    ("value", "low", "high", "truth"),
    [
        (1, 1, 3, True),
        (3, 1, 3, True),
        (Decimal("3.1"), 1, 3, False),
        (T(19), T(18), T(19), True),
        (None, 1, 3, None),
        (2, None, 3, None),
        (2, 1, None, None),
        (NONE, 1, 3, None),
        ("b", "a", "c", None),
        (2, T(1), 3, None),
        (True, 0, 1, None),
    ],
)
def test_ranges(value: Value, low: Value, high: Value, truth: bool | None) -> None:
    assert holds("in", value, low, high) is (truth is True)
    assert holds("not in", value, low, high) is (truth is False)


def test_the_table_of_operators() -> None:
    assert set(OPERATORS) == set("= != < <= > >= in contains subset matches names ~= !~= known unknown".split()) | {
        "not in", "not contains", "not subset", "not matches", "not names",
    }  # fmt: skip
    for symbol, operator in OPERATORS.items():
        assert operator.symbol == symbol
        assert OPERATORS[operator.negation].negation == symbol
        assert OPERATORS[operator.negation].types == operator.types
        assert operator.range_types <= operator.types
    with pytest.raises(KeyError):
        holds("==", 1, 1)


@given(st.sampled_from(sorted(OPERATORS)), ANY, ANY | st.tuples(ANY, ANY) | st.just(X), ANY)
def test_never_both_never_an_error_and_unknown_never_holds(
    op: str, left: Value, right: Value, hi: Value
) -> None:
    negation = OPERATORS[op].negation
    assert not (holds(op, left, right, hi) and holds(negation, left, right, hi))
    if op not in ("known", "unknown"):
        assert not holds(op, None, right, hi)
        assert not holds(op, left, None)


@given(st.data(), st.sampled_from(["=", "!=", "<", "<=", "in", "contains", "subset", "~=", "known"]))
def test_one_of_two_opposites_holds_of_known_values(data: st.DataObject, op: str) -> None:
    kind = data.draw(st.sampled_from(sorted(OPERATORS[op].types)))
    left, right = data.draw(VALUES[kind]), data.draw(VALUES[kind])
    assert tag(left) == kind
    other: Value | tuple[Value, ...] = right
    if op == "in":
        other = (right, data.draw(VALUES[kind]))
    elif op == "contains":
        other = data.draw(VALUES["text"])
    # texts that cannot be compared are neither similar nor dissimilar
    assume(op != "~=" or left == other or not incomparable(left, other))  # type: ignore[arg-type]
    assert holds(op, left, other) != holds(OPERATORS[op].negation, left, other)


@given(st.data())
def test_order_is_total_on_each_ordered_type(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(OPERATORS["<"].types)))
    one, other = data.draw(VALUES[kind]), data.draw(VALUES[kind])
    assert [holds(op, one, other) for op in ("<", "=", ">")].count(True) == 1
    assert (
        holds("<=", one, other)
        == holds(">=", other, one)
        == (holds("<", one, other) or holds("=", one, other))
    )
    assert holds("=", one, other) == same(one, other)


# ---- functions -----------------------------------------------------------------------------------

ENV = Environment(today=D(2023, 7, 2), members={"Mon": ("Monday",), "Tue": ()})


@pytest.mark.parametrize(
    ("name", "args", "wanted"),
    [
        ("time", ("7 PM",), T(19)),
        ("date", ("Sat, 1 Jul",), D(2023, 7, 1)),
        ("date", ("1/7/2023", "dmy"), D(2023, 7, 1)),
        ("number", ("2.000",), None),
        ("number", ("2.000", ","), 2000),
        ("number", (5,), None),
        ("duration", ("1 h 30 min",), S(minutes=90)),
        ("bool", ("On",), True),
        ("currency", ("$5",), "$"),
        ("member", ("monday",), "Mon"),
        ("members", ("Mon, Tue",), frozenset({"Mon", "Tue"})),
        ("flip", (True,), False),
        ("flip", (1,), None),
        ("lower", ("ÀB",), "àb"),
        ("line", (" Total\u00a0 \t12\r\n EUR\u2028",), "Total 12 EUR"),
        ("line", ("\u201cA\u201d\nB",), '"A" B'),
        ("line", ("one",), "one"),
        ("line", (" \n",), ""),
        ("line", (NONE,), None),
        ("line", (5,), None),
        ("month", (D(2023, 7, 2),), 7),
        ("day", (D(2023, 7, 2),), 2),
        ("weekday", (D(2023, 7, 2),), "Sun"),
        ("weekday", (dt.datetime(2023, 7, 2),), None),
        ("+", (Decimal("0.1"), Decimal("0.2")), Decimal("0.3")),
        ("+", (Decimal("0.5"), Decimal("0.5")), 1),
        ("+", (True, 1), None),
        ("*", (True, 2), None),
        ("neg", (True,), None),
        ("+", ("a", "b"), None),
        ("+", (D(2026, 4, 1), S(3)), D(2026, 4, 4)),
        ("-", (D(2026, 4, 1), S(1)), D(2026, 3, 31)),
        ("+", (D(2026, 4, 1), S(hours=1)), None),
        ("+", (S(3), D(2026, 4, 1)), None),
        ("+", (D.max, S(1)), None),
        ("-", (D.min, S(1)), None),
        ("+", (T(23), S(minutes=59)), T(23, 59)),
        ("+", (T(23), S(hours=1)), None),
        ("+", (T(23), S(1)), None),
        ("-", (T(1), S(hours=1)), T(0)),
        ("-", (T(1), S(hours=2)), None),
        ("-", (T(1), T(2, 0, 1)), S(seconds=-3601)),
        ("-", (D(2026, 4, 4), D(2026, 4, 1)), S(3)),
        ("+", (D(2026, 4, 4), D(2026, 4, 1)), None),
        ("-", (D(2026, 4, 4), T(1)), None),
        ("+", (S(1), S(2)), S(3)),
        ("-", (S(1), S(2)), S(-1)),
        ("*", (S(seconds=3), Decimal("1.5")), None),
        ("*", (S(seconds=2), Decimal("1.5")), S(seconds=3)),
        ("*", (2, S(1)), S(2)),
        ("*", (S(1), S(1)), None),
        ("*", (S.max, 1), None),
        ("*", (S(999_999_999), 2), None),
        ("+", (S(999_999_999), S(999_999_999)), None),
        ("neg", (Decimal("1.5"),), Decimal("-1.5")),
        ("neg", (0,), 0),
        ("+", (NONE, 1), None),
        ("+", (None, 1), None),
        ("+", (1,), None),
        ("time", ("7 PM", "x"), None),
        ("+", (Decimal("1e999999"), 1), None),
        ("*", (Decimal("1e-999999"), 10), None),
        ("*", (10**60, 10**60), None),
        ("*", (10**49, 10**50), 10**99),
        ("+", (1 << 16_000_000, 1), None),  # five million digits
        ("+", (Decimal("NaN"), 1), None),
        ("+", (Decimal("Infinity"), 1), None),
        ("lower", (5,), None),
    ],
)
def test_functions(name: str, args: tuple[Value | None, ...], wanted: Value | None) -> None:
    got = call(name, args, ENV)
    assert got == wanted
    assert type(got) is type(wanted)


def test_without_an_environment_what_needs_one_is_undefined() -> None:
    assert call("date", ("today",)) is None
    assert call("member", ("Mon",)) is None
    assert call("members", ("Mon",)) is None
    assert call("date", ("2026-04-01",)) == D(2026, 4, 1)


def test_an_unknown_function_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        call("eval", ("1",))


KINDS = {
    "Text": "text", "Number": "number", "Bool": "bool", "Date": "date", "Time": "time", "Duration": "duration",
    "enum": "text", "set": "set", "Weekday": "text", "Mark": "text", "Order": "text", "Language": "text",
}  # fmt: skip


@given(st.data(), st.sampled_from(sorted(FUNCTIONS)))
def test_results_have_the_type_of_the_signature(data: st.DataObject, name: str) -> None:
    signature = data.draw(st.sampled_from(FUNCTIONS[name].signatures))
    args = [data.draw(VALUES[KINDS[argument]]) for argument in signature.arguments]
    got = call(name, args, ENV)
    assert got is None or tag(got) == KINDS[signature.result]


@given(st.sampled_from(sorted(FUNCTIONS)), st.lists(ANY, max_size=3))
def test_no_arguments_make_a_function_raise(name: str, args: list[Value | None]) -> None:
    got = call(name, args, ENV)
    tags = [tag(arg) for arg in args]
    fits = any([KINDS[a] for a in s.arguments] == tags for s in FUNCTIONS[name].signatures)
    assert got is None or fits


@given(NUMBERS, NUMBERS)
def test_arithmetic_is_exact(one: int | Decimal, other: int | Decimal) -> None:
    def short(number: Fraction) -> bool:
        return bool(abs(number) < 10**MOST_DIGITS and (number * 10**MOST_DIGITS).denominator == 1)

    for name, wanted in (
        ("+", Fraction(one) + Fraction(other)),
        ("-", Fraction(one) - Fraction(other)),
        ("*", Fraction(one) * Fraction(other)),
    ):
        got = call(name, (one, other))
        if got is None:
            assert not all(map(short, (Fraction(one), Fraction(other), wanted)))
        else:
            assert isinstance(got, int | Decimal)
            assert Fraction(got) == wanted
            assert type(got) is int or wanted.denominator != 1


@given(VALUES["date"], st.integers(-4_000_000, 4_000_000))
def test_days_there_and_back(day: dt.date, days: int) -> None:
    there = call("+", (day, S(days)))
    assume(there is not None)
    assert call("-", (there, S(days))) == day
    assert call("-", (there, day)) == S(days)
    assert call("weekday", (there,)) == WEEKDAYS[(day.weekday() + days) % 7]


def test_exact_keeps_every_digit() -> None:
    assert exact(Decimal("1.00")) == 1
    assert type(exact(Decimal("1e3"))) is int
    digits = Decimal("1234567890123456789012345678901234567890.10")
    assert str(exact(digits)) == "1234567890123456789012345678901234567890.1"
    assert exact(Decimal("0e999999")) == 0
    assert exact(Decimal("1e999999")) is None
    assert exact(Decimal("1e-101")) is None
    assert exact(Decimal("NaN")) is None


def test_the_order_of_rows_depends_on_no_process() -> None:
    """`repr` of a set prints its elements in an order that differs from process to process."""
    assert row_order((frozenset({"b", "a", "c"}), (frozenset({"y", "x"}), 1))) == repr(
        (["a", "b", "c"], (["x", "y"], 1))
    )
