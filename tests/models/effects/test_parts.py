"""An argument that is a part of a line: what stands around it must be what it was."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.effects.test_places import KINDS, accepted, acts, judged
from tests.models.effects.unknown import line_of
from tests.screen.control.making import node, page, text
from tests.thorough import times
from vsalang.models.effects.answer import Answer, read_answer
from vsalang.models.effects.kept import AnswerFile
from vsalang.models.effects.places import around, part_between
from vsalang.screen.tree import Tree

TO = "Payee Ann Lee, private"
TOTAL = "Total £18.50 with tax"


def review(payee: str, total: str) -> Tree:
    """A page with a list of two texts, and a button that says nothing."""
    listed = node("RecyclerView", text(payee, 200), text(total, 300), at=(0, 200, 900, 390))
    button = node(
        "Button", at=(100, 800, 300, 900), clickable="true", text="Zork", resource_id="com.app:id/zork"
    )
    return page(text("Review", 0), listed, button)


def parts(**arguments: tuple[str, str]) -> Callable[[str], list[dict[str, Any]]]:
    """Arguments that are parts of texts that a question shows: (text, part) by their parameters."""
    return lambda asked: [
        {"parameter": name, "line": line_of(asked, text), "words": part}
        for name, (text, part) in arguments.items()
    ]


@pytest.fixture
def paid(tmp_path: Path) -> Path:
    """A person has accepted which parts of two texts are the arguments of a payment."""
    file = tmp_path / "a"
    said = parts(payee=(TO, "Ann Lee"), amount=(TOTAL, "£18.50"))
    accepted(file, review(TO, TOTAL), means="acts", kind="Pay", arguments=said)
    return file


def pay(payee: str, amount: str) -> list[str]:
    return [f'std.effects.Pay(payee = "{payee}", amount = {amount}, currency = "GBP", app = "com.app")']


def test_a_part_is_read(paid: Path) -> None:
    assert acts(judged(paid, review(TO, TOTAL))) == pay("Ann Lee", "18.5")


def test_another_part_between_the_same_words_is_read(paid: Path) -> None:
    assert acts(judged(paid, review(TO, "Total £21.75 with tax"))) == pay("Ann Lee", "21.75")


@pytest.mark.parametrize(
    "total",
    [
        "Total £18.50 with tip",
        "Sum £18.50 with tax",
        "£18.50",
        "Total £18.50 with tax, monthly",
        "Total with tax",
        "",
    ],
)
def test_other_words_around_it_are_another_screen(paid: Path, total: str) -> None:
    """What a person has accepted then adds that it pays; what it pays is for the rules to read."""
    (act,) = acts(judged(paid, review(TO, total)))
    assert act.startswith("std.effects.Pay(") and 'payee = "Ann Lee",' not in act


@pytest.mark.parametrize("sum_", ["£18.50 or £20", "£1 £18.50", "£18.50 and a fee of £3", "up to £18.50"])
def test_a_part_that_is_no_amount_is_not_one(paid: Path, sum_: str) -> None:
    (act,) = acts(judged(paid, review(TO, f"Total {sum_} with tax")))
    assert "amount" not in act and 'payee = "Ann Lee"' in act


def test_a_part_names_what_a_question_is_about(tmp_path: Path) -> None:
    """The title of a dialog is a question, and names its thing by what rules know; a part of it is the thing."""

    def asked(who: str) -> Tree:
        buttons = [
            node("Button", at=(left, 800, left + 200, 900), clickable="true", text=label)
            for left, label in ((100, "Zork"), (400, "Cancel"))
        ]
        return page(text(f"Zork the chat with {who}?", 400), *buttons)

    file, chat = tmp_path / "a", asked("Ann")
    title = "Zork the chat with Ann?"
    accepted(file, chat, means="acts", kind="Delete", arguments=parts(what=(title, "Ann")))
    assert acts(judged(file, chat)) == ['std.effects.Delete(what = "Ann", app = "com.app")']


def test_a_part_that_the_line_does_not_have_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a"
    tree = review(TO, TOTAL)
    said = parts(payee=(TO, "Bob"), amount=(TOTAL, "8.50"))
    accepted(file, tree, means="acts", kind="Pay", arguments=said)
    (kept,) = AnswerFile(file).answers().values()
    assert kept.answer.arguments == ()


@pytest.mark.parametrize(
    ("words", "part", "found"),
    [
        ("Pay Ann now", "Ann", ("Pay ", " now")),
        ("Pay Annika now", "Ann", None),
        ("Pay Ann, Ann", "Ann", None),
        ("Pay now", "Ann", None),
        ("Pay now", "", None),
        ("$39.99 per year", "$39.99", ("", " per year")),
        ("$39.99 per year", "$39", None),
        ("$39.99 per year", "9.99", None),
        ("1 000 €", "1", None),
        ("12:30", "30", None),
        ("-5 €", "5 €", ("-", "")),
        ("转账给李晓雯", "李晓雯", ("转账给", "")),
        ("金額 98,000円 手数料 145円", "98,000円", ("金額 ", " 手数料 145円")),
        ("手数料145円", "145", ("手数料", "円")),
        ("手数料145円", "45円", None),
        ("a_b", "b", ("a_", "")),
    ],
)
def test_a_part_is_whole_words_and_numbers(words: str, part: str, found: tuple[str, str] | None) -> None:
    assert around(words, part) == found
    if found is not None:
        assert part_between(words, *found) == part


_TEXTS = st.text(st.sampled_from(list("ab 12.,€-李円")), max_size=8)


@given(before=_TEXTS, part=_TEXTS, after=_TEXTS, other=_TEXTS)
@settings(max_examples=times(300, 5000), deadline=None)
def test_what_is_read_between_the_words_is_all_that_is_there(
    before: str, part: str, after: str, other: str
) -> None:
    """Nothing before or after a part is lost, whatever an app puts in its place."""
    read = part_between(before + other + after, before, after)
    assert read is None or read == other
    found = around(before + part + after, part)
    assert found is None or (found[0] + part + found[1] == before + part + after)


def test_a_value_is_only_on_or_off() -> None:
    """A model's own words say what a switch is set to, and nothing else of a value."""
    nonce = "0" * 32

    def read(words: str) -> Answer:
        cells = f'[{{"parameter": "value", "line": 0, "words": "{words}"}}]'
        answer = f'{{"nonce": "{nonce}", "means": "acts", "kind": "SetSetting", "arguments": {cells}}}'
        found = read_answer(answer, nonce, "canned", KINDS)
        assert isinstance(found, Answer)
        return found

    assert [each.words for each in read("off").arguments] == ["off"]
    assert read("Family only").arguments == ()
