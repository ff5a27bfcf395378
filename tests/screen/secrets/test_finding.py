"""Secrets in texts: the tables of texts that are and are not, what is folded, hostile texts."""

import re
import tomllib
from importlib.resources import files
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsalang.screen.secrets import KINDS, Around, Lexicon, TooManyFound, find, find_all
from vsalang.screen.secrets.numbers import IBAN_LENGTHS, is_card, is_iban, luhn

TABLES: dict[str, list[dict[str, Any]]] = tomllib.loads(
    files("vsalang.screen.secrets").joinpath("examples.toml").read_text(encoding="utf-8")
)
WORDS = Lexicon(["Alder", "Project Birch", "тайна"])
ROWS = [(kind, row) for kind, rows in TABLES.items() for row in rows]


def values(kind: str, row: dict[str, Any]) -> list[str]:
    around = Around(*(row.get(name, "") for name in ("label", "before", "after")))
    texts = [text for text in (row.get("before"), row["text"]) if text]
    found = find_all(texts, WORDS, lambda _: around, {len(texts) - 1} if row.get("entered") else ())
    return [secret.value for index, secret in found if secret.kind == kind and index == len(texts) - 1]


@pytest.mark.parametrize(("kind", "row"), ROWS, ids=[f"{kind}: {row['text'][:30]}" for kind, row in ROWS])
def test_the_tables_of_texts(kind: str, row: dict[str, Any]) -> None:
    assert values(kind, row) == ([row["value"]] if "value" in row else [])


def test_every_kind_has_both_tables() -> None:
    assert tuple(TABLES) == KINDS
    for rows in TABLES.values():
        assert {"value" in row for row in rows} == {True, False}


@pytest.mark.parametrize(("kind", "row"), ROWS, ids=[f"{kind}: {row['text'][:30]}" for kind, row in ROWS])
def test_no_match_reaches_into_another_text(kind: str, row: dict[str, Any]) -> None:
    """Each text between others has what it has alone."""
    alone = find(row["text"], WORDS)
    among = find_all(["Settings", row["text"], "OK"], WORDS)
    assert [found for index, found in among if index == 1] == alone
    assert {index for index, _ in among} <= {1}


@given(st.text(st.sampled_from("4 1-.+0@a\u200b\u0661é(password:)=код\0"), max_size=60))
def test_places_are_places_of_the_text(text: str) -> None:
    for found in find(text, Lexicon(["код", "pass"])):
        assert 0 <= found.start < found.end <= len(text)
        again = find(text[found.start : found.end], Lexicon(["код", "pass"]))
        assert found.kind in ("code", "credential", "phone") or found.value in {each.value for each in again}


@given(st.text(max_size=80), st.sampled_from(["4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"]))
def test_a_planted_number_is_found(text: str, number: str) -> None:
    planted = find(f"{text}\n{number}\n{text}")
    assert number.replace(" ", "") in {found.value for found in planted}


@given(st.integers(0, 10**15 - 1))
def test_one_wrong_digit_is_no_card(number: int) -> None:
    start = b"4" + str(number).zfill(15)[:14].encode()
    right = [digit for digit in b"0123456789" if luhn(start + bytes([digit]))]
    assert len(right) == 1
    assert is_card(start + bytes(right))


@given(st.sampled_from(sorted(IBAN_LENGTHS)), st.data())
def test_one_changed_digit_is_no_iban(country: bytes, data: st.DataObject) -> None:
    rest = data.draw(st.text("0123456789", min_size=30, max_size=30)).encode()[: IBAN_LENGTHS[country] - 4]
    right = [check for check in range(2, 99) if is_iban(country + str(check).zfill(2).encode() + rest)]
    assert len(right) == 1
    at = data.draw(st.integers(0, len(rest) - 1))
    other = rest[:at] + bytes([48 + (rest[at] - 47) % 10]) + rest[at + 1 :]
    assert not is_iban(country + str(right[0]).zfill(2).encode() + other)


def test_a_screen_full_of_secrets_is_refused() -> None:
    with pytest.raises(TooManyFound):
        find_all(["a@b.co"] * 10_001)


@pytest.mark.parametrize(
    "piece",
    [
        "0 ",
        "4 ",
        "(12) ",
        "1.1.",
        "4111 ",
        "+49 171 1234567 ",
        "otp 1234 ",
        "tel 1234567\n",
        "DE89-",
        "a@b.co ",
    ],
)
def test_a_text_of_what_looks_like_secrets_is_refused(piece: str) -> None:
    """It would take hundreds of times as long as other texts of its length."""
    with pytest.raises(TooManyFound, match="too much of one text"):
        find(piece * 2000)
    assert find_all([piece] * 20) == find_all([piece] * 20, most=inf)


def test_a_long_text_with_numbers_is_searched() -> None:
    text = (
        "In 2024 there were 12,500 of them, in 2025 only 1300; the year after it was quiet in the village. "
        * 100
    )
    assert find(f"{text}4111 1111 1111 1111 {text}")[0].value == "4111111111111111"


def test_a_private_key_is_one_secret() -> None:
    block = "-----BEGIN PRIVATE KEY-----\nann@example.com sk-proj-Abc123Def456Ghi789Jkl012\n-----END PRIVATE KEY-----"
    (found,) = find(f"{block}")
    assert (found.kind, found.value) == ("key", block)
    assert len(find(f"{block}\n{block}")) == 2


@settings(max_examples=30)
@given(st.lists(st.text("ab ", min_size=1, max_size=4), max_size=6), st.text("ab ", max_size=30))
def test_whole_words_as_a_plain_search_finds_them(words: list[str], text: str) -> None:
    known = sorted({word for word in words if word.strip()})
    expected = {word for word in known if re.search(_whole(word), text)}
    assert {found.value for found in find(text, Lexicon(known)) if found.kind == "word"} == expected


def _whole(word: str) -> str:
    left = r"\b" if word[0] != " " else ""
    right = r"\b" if word[-1] != " " else ""
    return left + re.escape(word) + right


def test_a_phrase_is_found_where_it_stands() -> None:
    words = "abandon ability able about above absent absorb abstract absurd abuse access accident".split()
    numbered = " ".join(f"{number} {word}" for number, word in enumerate(words, 1))
    text = f"Recovery phrase: {numbered}; {' '.join(words)}"
    (found,) = [each for each in find(text) if each.kind == "key"]
    assert text[found.start : found.end] == found.value == " ".join(words)
