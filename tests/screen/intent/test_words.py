"""Words and numbers of an instruction, and the rows that they make of a screen."""

from decimal import Decimal
from types import MappingProxyType

import pytest

from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.values import Value
from vsalang.screen.intent import NO_WISH, OF_INSTRUCTION, Wish, mentioned_rows
from vsalang.screen.intent import instruction as words
from vsalang.screen.intent.instruction import stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("photos", "photo"),
        ("renewing", "renews"),
        ("Löschen", "loschen"),
        ("München", "munchen"),
        ("deleted", "Delete"),
    ],
)
def test_forms_of_one_word_are_equal(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("paint", "pain"), ("4410", "441"), ("news", "new1")])
def test_other_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Transfer 50 to Tom", {50}),
        ("Pay 1,200.50 now", {120050, Decimal("1200.5")}),
        ("Zahle 1.200,50 jetzt", {120050, Decimal("1200.5")}),
        ("at 19:30 for two", {19, 30, 2}),
        ("zwei Karten, tres entradas, une place", {2, 3, 1}),
        ("Delete the photo", set()),
        ("1" * 400, set()),
        ("version 1.2'3", {123}),
    ],
)
def test_numbers_in_digits_and_words(text: str, numbers: set[int | Decimal]) -> None:
    assert Wish.of(text).numbers == numbers


def test_empty_words_say_nothing() -> None:
    wish = Wish.of("Delete the photo of the boat and tell me")
    assert wish.words_in("The other, of me") == []
    assert wish.words_in("Boats, 2 photos") == ["boat", "photo"]
    assert NO_WISH.words_in("photo") == []


def test_long_texts_of_apps_are_not_kept() -> None:
    wish, before = Wish.of("boat"), words._kept_stems.cache_info().currsize
    assert [wish.words_in("boat " * number) for number in (200, 201)] == [["boat"], ["boat"]]
    assert words._kept_stems.cache_info().currsize == before
    assert wish.words_in("a boat that nobody named before") == ["boat"]
    assert words._kept_stems.cache_info().currsize == before + 1


def _screen(**labels: str) -> FactScreen:
    rows: list[dict[str, Value]] = [
        {"node": number, "label": label} for number, label in enumerate(labels.values(), 1)
    ]
    return FactScreen(MappingProxyType({"Node": tuple(rows)}))


def test_rows_name_node_and_word() -> None:
    screen = _screen(a="Family", b="Flea market on Saturday")
    wish = Wish.of("Leave the group Flea market")
    assert list(mentioned_rows(screen, wish)) == [{"node": 2, "word": "flea"}, {"node": 2, "word": "market"}]
    assert not list(mentioned_rows(screen, NO_WISH))
    assert not list(mentioned_rows(FactScreen(), wish))


def test_rows_of_the_numbers_are_sorted() -> None:
    assert list(OF_INSTRUCTION["Figure"](Wish.of("5 of 3"))) == [{"value": 3}, {"value": 5}]
