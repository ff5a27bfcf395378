"""Texts that say opposite things: no backend is asked about them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.contrary import contrary


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tea with milk", "tea without milk"),
        ("save", "don't save"),
        ("save", "dont save"),
        ("save", "DO NOT save"),
        ("unread", "read"),
        ("smoking", "non-smoking"),
        ("sugar", "sugarless"),
        ("turn it on", "turn it off"),
        ("January report", "June report"),
        ("a red shirt", "a blue shirt"),
        ("delete", "delete all"),
        ("Message to Ann", "Message to Ben"),
        ("from Ann", "to Ann"),
        ("flight from Rome to Paris", "flight from Paris to Rome"),
        ("men's shoes", "women's shoes"),
        ("mit Zucker", "ohne Zucker"),
        ("砂糖あり", "砂糖なし"),
    ],
)
def test_contrary_both_ways(one: str, other: str) -> None:
    assert contrary(one, other)
    assert contrary(other, one)


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("Budget restaurant", "a cheap place to eat"),
        ("Send money to Ann Lee", "money to Ann"),
        ("red or blue shirt", "red shirt"),
        ("No onions", "without onions"),
        ("Message to Ann", "message for Ben"),
        ("The Louvre", "louvre museum"),
        ("under the bridge", "bridge"),
    ],
)
def test_not_contrary(text: str, constant: str) -> None:
    assert not contrary(text, constant)


@given(st.text(max_size=40))
def test_no_text_is_contrary_to_itself(text: str) -> None:
    assert not contrary(text, text)
