"""What else the screens say of whom or what an accepted answer names: a role, a group, a number."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.effects.test_parts import review
from tests.models.effects.test_places import accepted, acts, judged, under
from tests.models.effects.unknown import line_of
from tests.screen.control.making import node, page, text
from vsalang.base.source.database import StoreError
from vsalang.models.effects.kept import AnswerFile, _argument
from vsalang.screen.tree import Tree
from vsalang.tools.cli.answers import _line

SENDS = {"means": "acts", "kind": "Send"}


def lines(*arguments: tuple[str, str]) -> Callable[[str], list[dict[str, Any]]]:
    """Arguments by parameter and the text that a question shows, in this order."""
    return lambda asked: [
        {"parameter": parameter, "line": line_of(asked, words), "words": ""} for parameter, words in arguments
    ]


def contact(name: str, role: str, *more: str) -> Tree:
    """A list with somebody and who that is, and a button that says nothing."""
    listed = node("RecyclerView", text(name, 200), text(role, 300), at=(0, 200, 900, 390))
    button = node(
        "Button", at=(100, 800, 300, 900), clickable="true", text="Zork", resource_id="com.app:id/zork"
    )
    return page(text("Contact", 0), listed, button, *more)


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A person has accepted to whom a message goes, and who that is."""
    file = tmp_path / "a"
    said = lines(("to", "Hoda Karim"), ("to", "Driver of bus 14"))
    accepted(file, contact("Hoda Karim", "Driver of bus 14"), **SENDS, arguments=said)
    return file


def test_a_detail_stands_behind_the_name(told: Path) -> None:
    assert acts(judged(told, contact("Hoda Karim", "Driver of bus 14"))) == [
        'std.effects.Send(to = "Hoda Karim ‖ Driver of bus 14", app = "com.app")'
    ]


@pytest.mark.parametrize(
    "bound",
    ["matches /driver/i", 'names "Hoda Karim"', 'names "bus driver: Hoda Karim"', 'contains "bus 14"'],
)
def test_a_charter_may_ask_for_either(told: Path, bound: str) -> None:
    tree = contact("Hoda Karim", "Driver of bus 14")
    assert under(f"allow Send(to {bound}).", told, tree).level == "allow"


@pytest.mark.parametrize("bound", ['names "Driver"', 'names "Ann Lee"', "matches /teacher/i"])
def test_a_detail_is_nobody_else(told: Path, bound: str) -> None:
    tree = contact("Hoda Karim", "Driver of bus 14")
    assert under(f"allow Send(to {bound}).", told, tree).level == "block"


def test_what_is_refused_reads_details_too(told: Path) -> None:
    rules = 'allow Send. deny "Not the driver." when Send(to matches /driver/i).'
    assert under(rules, told, contact("Hoda Karim", "Driver of bus 14")).level == "block"


def test_another_person_has_other_details(told: Path) -> None:
    """Who was called a driver is one; another one in the same place is not."""
    tree = contact("Bob Mills", "Driver of bus 14")
    assert acts(judged(told, tree)) == ['std.effects.Send(to = "Bob Mills", app = "com.app")']
    assert under("allow Send(to matches /driver/i).", told, tree).level == "block"


def test_a_detail_that_changed_is_another_screen(told: Path) -> None:
    assert under("allow Send(to matches /dri/i).", told, contact("Hoda Karim", "Drummer")).level == "block"


def test_a_mark_on_the_screen_is_no_detail(tmp_path: Path) -> None:
    file, tree = tmp_path / "a", contact("0461 555 0138 ‖ Ann Lee", "Other")
    said = lines(("to", "0461 555 0138 ‖ Ann Lee"), ("to", "Other"))
    accepted(file, tree, **SENDS, arguments=said)
    assert "‖ Ann" not in str(judged(file, tree).actions)


@pytest.mark.parametrize(
    ("parameter", "count"), [("to", 5), ("text", 2), ("channel", 2)], ids=["five", "texts", "channels"]
)
def test_too_many_details_are_no_answer(tmp_path: Path, parameter: str, count: int) -> None:
    file = tmp_path / "a"
    extra = [text(f"Line {number}", 400 + 50 * number) for number in range(count)]
    tree = contact("Hoda Karim", "Driver", *extra)
    said = lines(*((parameter, f"Line {number}") for number in range(count)))
    accepted(file, tree, **SENDS, arguments=said)
    assert AnswerFile(file).all() == ()


def test_the_list_of_answers_says_what_else_counts(told: Path) -> None:
    (kept,) = AnswerFile(told).all()
    assert _line(kept).endswith('; to: the text behind "Contact", and the text behind "Hoda Karim"')


@pytest.mark.parametrize(
    "data",
    [
        {"detail": True},
        {"detail": ""},
        {"detail": 3},
        {"detail": "x", "parameter": "amount"},
        {"detail": "x", "before": "a", "after": ""},
        {"detail": "x", "spot": None},
    ],
)
def test_a_wrong_detail_is_refused(data: dict[str, Any]) -> None:
    cells = {"parameter": "to", "spot": 3, "words": "", "behind": "", "own": False, "detail": "x"}
    with pytest.raises((TypeError, ValueError)):
        _argument(cells | data)
    assert _argument(cells).detail


@pytest.mark.parametrize("order", [[1], [1, 0], [0, 0]], ids=["of nothing", "first", "twice"])
def test_a_detail_of_nothing_damages_the_file(told: Path, order: list[int]) -> None:
    with sqlite3.connect(told) as database:
        rows = json.loads(database.execute("SELECT arguments FROM answers").fetchone()[0])
        database.execute("UPDATE answers SET arguments = ?", (json.dumps([rows[each] for each in order]),))
    with pytest.raises(StoreError, match="cannot be read"):
        AnswerFile(told).all()


# ---- what the app surely means -------------------------------------------------------------------


def worded(**words: str) -> Callable[[str], list[dict[str, Any]]]:
    """The amount of a payment, and what an answer says in words of its own."""
    return lambda asked: [
        {"parameter": "amount", "line": line_of(asked, "Paga 30,00"), "words": "30,00"},
        *({"parameter": name, "line": 0, "words": each} for name, each in words.items()),
    ]


def test_a_currency_may_be_meant(tmp_path: Path) -> None:
    file, tree = tmp_path / "a", review("Piscina", "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded(currency="EUR", recurring="false"))
    (act,) = acts(judged(file, tree))
    assert 'amount = 30, currency = "EUR", recurring = false' in act


@pytest.mark.parametrize("words", ["euro", "€", "eur", "XXQ", ""])
def test_a_meant_currency_is_a_code(tmp_path: Path, words: str) -> None:
    file, tree = tmp_path / "a", review("Piscina", "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded(currency=words))
    assert "currency" not in acts(judged(file, tree))[0]


def test_the_currency_of_the_screen_goes_first(tmp_path: Path) -> None:
    file, tree = tmp_path / "a", review("Ann", "£18.50")
    said = lambda asked: [  # noqa: E731
        {"parameter": "amount", "line": line_of(asked, "£18.50"), "words": ""},
        {"parameter": "currency", "line": 0, "words": "USD"},
    ]
    accepted(file, tree, means="acts", kind="Pay", arguments=said)
    assert 'currency = "GBP"' in acts(judged(file, tree))[0]
    assert 'currency = "GBP"' in acts(judged(file, review("Ann", "£21")))[0]


@pytest.mark.parametrize("balance", ["Saldo 1.962,18", "Balance afterwards: 1.612,18", "Guthaben 99,00"])
def test_a_balance_is_no_larger_sum(tmp_path: Path, balance: str) -> None:
    file, tree = tmp_path / "a", review(balance, "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded())
    assert under("allow Pay(amount = 30).", file, tree).level == "allow"


@pytest.mark.parametrize("due", ["Balance due 1.962,18", "In totale 99,00", "Saldo totale da pagare 99,00"])
def test_what_is_due_is_a_larger_sum(tmp_path: Path, due: str) -> None:
    file, tree = tmp_path / "a", review(due, "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded())
    assert under("allow Pay(amount = 30).", file, tree).level == "block"
