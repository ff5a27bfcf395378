"""Texts for patterns and readers: what is made is what the language matches and reads."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.ir import BOOL, DATE, DURATION, NUMBER, TIME, Const, Fn, Regex, Var, Words
from vsalang.program.ops import Environment, call
from vsalang.program.patterns import compile_pattern
from vsalang.program.values import Value, same
from vsalang.proof.prove.samples import fitting, read_as

TODAY = dt.date(2026, 1, 5)


@pytest.mark.parametrize(
    ("source", "flags", "captured"),
    [
        (r"^Forget (?<n>.+)\?$", "", {"n": "Cafe"}),
        (r"^Switch 1: (?<a>ON|OFF)\n ?Switch 2: (?<b>ON|OFF)$", "", {"a": "OFF", "b": "ON"}),
        (r"\b(delete|wipe|clear (all|data))\b", "i", {}),
        (r"[^a-z]{3}\d+(x|y)*$", "", {}),
    ],
)
def test_texts_fit_a_pattern(source: str, flags: str, captured: dict[str, str]) -> None:
    regex = Regex(source, flags, tuple(captured))
    texts = list(fitting(regex, captured))
    assert texts
    for text in texts:
        found = compile_pattern(source, flags).search(text)
        assert found is not None and {name: found[name] for name in captured} == captured


def test_no_text_captures_what_the_group_refuses() -> None:
    assert list(fitting(Regex(r"^Switch: (?<a>ON|OFF)$", "", ("a",)), {"a": "on"})) == []


def test_words_of_a_list_fit_it() -> None:
    assert list(fitting(Words("m.Sends", ("send", "log out", "送信")), {})) == ["send", "log out", "送信"]


@given(st.times().map(lambda time: time.replace(microsecond=0)))
def test_a_time_is_read_back(time: dt.time) -> None:
    assert _read("time", TIME, time)


@given(st.dates(dt.date(1990, 1, 1), dt.date(2099, 12, 31)))
def test_a_date_is_read_back(date: dt.date) -> None:
    assert _read("date", DATE, date)


@given(st.integers(-(10**9), 10**9))
def test_a_number_is_read_back(number: int) -> None:
    assert _read("number", NUMBER, number)


@given(st.booleans(), st.integers(1, 86_000))
def test_other_values_are_read_back(on: bool, seconds: int) -> None:
    assert _read("bool", BOOL, on)
    assert list(read_as(Fn("flip", (Var("x"),), BOOL), on)) == [not on]
    assert _read("duration", DURATION, dt.timedelta(seconds=seconds))


def test_a_decimal_mark_is_kept() -> None:
    fn = Fn("number", (Var("x"), Const(",", NUMBER)), NUMBER)
    assert any(same(call("number", [text, ","]), 7) for text in read_as(fn, 7))


def _read(name: str, type_: object, value: Value) -> bool:
    fn = Fn(name, (Var("x"),), type_)  # type: ignore[arg-type]
    return any(same(call(name, [text], Environment(TODAY)), value) for text in read_as(fn, value))
