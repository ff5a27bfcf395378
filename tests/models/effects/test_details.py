"""What else the screens say of whom or what an accepted answer names: a role, a group, a number."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.effects.test_parts import review
from tests.models.effects.test_places import KINDS, PAY, accepted, acts, judged, under
from tests.models.effects.unknown import Phone, line_of
from tests.screen.control.making import node, page, text
from vsalang.base.source.database import StoreError
from vsalang.guard import Guard
from vsalang.language.semantics import load_text
from vsalang.models.effects import LiveAnswers
from vsalang.models.effects.kept import AnswerFile, _argument
from vsalang.program.action import Action
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


def test_a_detail_counts_where_nothing_else_permits(told: Path) -> None:
    """The act is recorded as it stands."""
    tree = contact("Hoda Karim", "Driver of bus 14")
    for rule, level in (("hoda", "allow"), ("driver", "allow"), ("teacher", "block")):
        verdict = under(f"allow Send(to matches /{rule}/i).", told, tree)
        assert verdict.level == level
        assert acts(verdict) == ['std.effects.Send(to = "Hoda Karim", app = "com.app")']


@pytest.mark.parametrize(
    "rules",
    [
        'allow Send(to != "Hoda Karim").',
        'allow Send(to not in {"Hoda Karim", "Ann"}).',
        "allow Send(to not matches /karim$/i).",
        'allow Send(to not names "Hoda Karim").',
        'allow Send(to = ?w) when ?w != "Hoda Karim".',
        'allow Send. confirm "Her?" when Send, not Send(to != "Hoda Karim").',
        'allow Send. confirm "Her?" when Send, not Send(to not in {"Hoda Karim"}).',
    ],
)
def test_no_detail_makes_her_another_one(told: Path, rules: str) -> None:
    """A licence for all but one does not permit this one with more words."""
    assert under(rules, told, contact("Hoda Karim", "Driver of bus 14")).level in ("block", "confirm")


def guard_of(
    rules: str, file: Path, tree: Tree, policy: str = "", place: Path | None = None
) -> tuple[Guard, Phone]:
    """A guard of a task with kept answers, and perhaps a policy next to it."""
    text_of_task = f'spec task "Do it"\nimport std.effects\n{rules}\n'
    policies = []
    if policy:
        assert place is not None
        (place / "p.vsa").write_text(f'policy p "p"\nimport std.effects\n{policy}\n')
        policies = [str(place / "p.vsa")]
    phone = Phone(tree)
    guard = Guard(load_text(text_of_task, policies=policies).checked(), phone)
    guard.consult(LiveAnswers(KINDS, guard.doubt, file=AnswerFile(file), version_of=lambda package: "1.0"))
    guard.observe(phone.observe())
    return guard, phone


@pytest.mark.parametrize("rule", ["hoda", "driver"])
def test_a_touch_goes_with_what_was_read(told: Path, rule: str) -> None:
    """If a node changes before the touch, something else would be done: so the device gets what it says."""
    guard, _ = guard_of(
        f"allow Send(to matches /{rule}/i).\ndone.", told, contact("Hoda Karim", "Driver of bus 14")
    )
    texts = {row.get("text") for row in guard.propose(PAY).read}
    assert {"Zork", "Hoda Karim"} <= texts and ("Driver of bus 14" in texts) == (rule == "driver")


def test_a_policy_asks_whatever_details_say(told: Path, tmp_path: Path) -> None:
    tree = contact("Hoda Karim", "Driver of bus 14")
    policy = '@id("P-1") confirm "Who is it?" when Send, not Send(to matches /bus 14/i).'
    guard, _ = guard_of("allow Send.\ndone.", told, tree, policy, tmp_path)
    assert guard.propose(PAY).level == "confirm"
    policy = '@id("P-2") flag "sent to her" when Send(to = "Hoda Karim").'
    guard, _ = guard_of("allow Send(to matches /bus 14/i).\ndone.", told, tree, policy, tmp_path)
    verdict = guard.propose(PAY)
    assert verdict.level == "allow" and [each.rule for each in verdict.flags] == ["P-2", ""]
    assert verdict.flags[-1].message.endswith('names: "Hoda Karim ‖ Driver of bus 14"')


@pytest.mark.parametrize(
    ("rules", "again"),
    [
        ("allow Send(to matches /bus 14/i).", "block"),
        ("allow each Send(to matches /bus 14/i).", "block"),
        ("allow 2 Send(to matches /bus 14/i).", "block"),
    ],
)
def test_one_act_by_its_details_is_one(told: Path, rules: str, again: str) -> None:
    tree = contact("Hoda Karim", "Driver of bus 14")
    guard, _ = guard_of(f"{rules} done when count(Send earlier) = 2.", told, tree)
    assert guard.step(PAY).verdict.level == "allow"
    assert guard.propose(Action("finish", {})).level == "block"
    assert guard.propose(PAY).level == again


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


@pytest.mark.parametrize(
    "bound",
    [
        '= "Hoda Karim"',
        'in {"Hoda Karim", "Ann"}',
        "matches /^hoda karim$/i",
        "matches /karim$/i",
        "matches /driver/i",
    ],
)
def test_what_refuses_reads_both(told: Path, bound: str) -> None:
    """The name as it stands is refused as before, and so is a licence that only its details give."""
    rules = f'allow Send(to matches /bus 14/i). deny "Not her." when Send(to {bound}).'
    assert under(rules, told, contact("Hoda Karim", "Driver of bus 14")).level == "block"


@pytest.mark.parametrize(
    ("rule", "level"),
    [
        ('confirm "Is it the driver?" when Send, not Send(to matches /driver/i).', "allow"),
        ('confirm "Is it the cook?" when Send, not Send(to matches /cook/i).', "confirm"),
        ('confirm "Is it her?" when Send(to = "Hoda Karim"), not Send(text known).', "confirm"),
        ('confirm "Nothing to drivers." when Send(to matches /driver/i).', "allow"),
        ('confirm "Nobody." when Send.', "confirm"),
    ],
)
def test_a_question_may_be_answered_by_a_detail(told: Path, rule: str, level: str) -> None:
    """A question that depends on whom an act names is answered by the details, no other one."""
    tree = contact("Hoda Karim", "Driver of bus 14")
    assert under(f"allow Send. {rule}", told, tree).level == level


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
    rules = 'allow Send. deny "Not Ann." when Send(to names "Ann Lee").'
    assert under(rules, file, tree).level == "block"


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


@pytest.mark.parametrize(
    "balance", ["Saldo depois: 1.962,18", "Balance afterwards: £1,612.18", "可用余额 ¥99.00"]
)
def test_a_balance_is_no_larger_sum(tmp_path: Path, balance: str) -> None:
    file, tree = tmp_path / "a", review(balance, "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded())
    assert under("allow Pay(amount = 30).", file, tree).level == "allow"


@pytest.mark.parametrize(
    "due",
    [
        *(
            "Balance due 1.962,18",
            "In totale 99,00",
            "Saldo totale da pagare 99,00",
            "Saldo 99,00",
            "Balance 99,00",
        ),
        *(
            "Pay from balance 990,00",
            "No balance: pay 500,00",
            "Remaining balance 99,00",
            "Saldo dovuto 500,00",
        ),
        *(
            "New Balance shoes 120.00",
            "Kontostand nach Abbuchung von 500,00",
            "Available balance 9,00 of 99,00",
        ),
    ],
)
def test_what_is_due_is_a_larger_sum(tmp_path: Path, due: str) -> None:
    file, tree = tmp_path / "a", review(due, "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded())
    assert under("allow Pay(amount = 30).", file, tree).level == "block"


@pytest.mark.parametrize(
    "words", ["All prices in GBP", "Total: £30.00", "£", "Card fee £1.00", "30,00 zł", "USD account"]
)
def test_a_meant_currency_gives_way_to_the_page(tmp_path: Path, words: str) -> None:
    file, tree = tmp_path / "a", review(words, "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded(currency="EUR"))
    assert 'currency = "EUR"' not in acts(judged(file, tree))[0]
    assert under('allow Pay(amount = 30, currency = "EUR").', file, tree).level == "block"


@pytest.mark.parametrize(
    "words",
    ["Billed monthly until you cancel", "Renews every month", "Wird monatlich abgebucht", "毎月のお支払い"],
)
def test_what_the_page_repeats_is_paid_again(tmp_path: Path, words: str) -> None:
    file, tree = tmp_path / "a", review(words, "Paga 30,00")
    accepted(file, tree, means="acts", kind="Pay", arguments=worded(recurring="false"))
    assert "recurring = false" not in acts(judged(file, tree))[0]


def test_what_goes_once_is_just_this(tmp_path: Path) -> None:
    """The next payee in the same place may be paid again and again."""
    file = tmp_path / "a"
    accepted(
        file, review("Ann Lee", "Paga 30,00"), means="acts", kind="Pay", arguments=worded(recurring="false")
    )
    assert "recurring = false" in acts(judged(file, review("Ann Lee", "Paga 30,00")))[0]
    assert "recurring" not in str(judged(file, review("Standing order to Ann", "Paga 30,00")).actions)
