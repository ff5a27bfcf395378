"""What an instruction says: quoted texts, numbers, times, and the bounds around them."""

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.language.lint.instruction import quantities, quoted_texts


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('Follow "Wendy\'s Lookbook".', ["Wendy's Lookbook"]),
        ("Open 'Saved', then 'Social permissions'.", ["Saved", "Social permissions"]),
        ("Don't use Ann's 'big table' at O'Neil's", ["big table"]),
        ("the list “Marketing Plan” and ‘Travel’ and « Café »", ["Marketing Plan", "Travel", "Café"]),
        ("it's Ann's turn", []),
        ('an empty "" one', []),
    ],
)
def test_quoted_texts(text: str, wanted: list[str]) -> None:
    found = list(quoted_texts(text))
    assert [quote.text for quote in found] == wanted
    assert [text[quote.start : quote.end] for quote in found] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("rating of 4.5 or higher and under $50", [("4.5", ">="), ("50", "<")]),
        ("at least 5 people, no more than 3 stops", [("5", ">="), ("3", "<=")]),
        ("more than 1,000 views", [("1000", ">")]),
        ("20 minutes or longer", [("20", ">=")]),
        ("300 reviews or more", [("300", ">=")]),
        ("not under 5", [("5", ">=")]),
        ("the 1st of May 2026", [("1", ""), ("2026", "")]),
        ("a 30-minute timer", [("30", "")]),
        ("1. Open the app. 2. Add 3 tasks.", [("3", "")]),
        ("in room 12B, on 2026-04-01 or 01/02/2026, version 1.2.3, for 12-14", []),
        ("call 'Room 7'", []),
        ("over 4 stars", [("4", "")]),
    ],
)
def test_numbers(text: str, wanted: list[tuple[str, str]]) -> None:
    assert [(item.value, item.bound) for item in quantities(text)] == [(Decimal(n), op) for n, op in wanted]


@pytest.mark.parametrize(
    ("text", "value", "bound"),
    [
        ("before 7 PM", dt.time(19), "<"),
        ("7:30 pm or later", dt.time(19, 30), ">="),
        ("no later than 12 a.m.", dt.time(0), "<="),
        ("at 19:00:30", dt.time(19, 0, 30), ""),
        ("later than 12pm", dt.time(12), ">"),
    ],
)
def test_times(text: str, value: dt.time, bound: str) -> None:
    (item,) = quantities(text)
    assert (item.value, item.bound) == (value, bound)


@pytest.mark.parametrize("text", ["at 25:00", "at 13 pm", "at 7:99"])
def test_what_is_no_time_is_nothing(text: str) -> None:
    assert list(quantities(text)) == []


@given(st.text(alphabet="0123456789:.,-/ $%apm'\"orless thanmore\n“”", max_size=60))
def test_every_text_is_read(text: str) -> None:
    for quote in quoted_texts(text):
        assert text[quote.start : quote.end] == quote.text
    for item in quantities(text):
        assert text[item.start : item.end] == item.text
        assert item.text.strip() in item.words or not item.bound
