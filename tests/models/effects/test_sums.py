"""A sum of money that is a part of a line: which one it is, and where none is read."""

import json
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest

from tests.models.effects.test_parts import parts, review
from tests.models.effects.test_places import accepted, acts, judged, under
from tests.screen.control.making import node, page, text
from vsalang.models.effects.kept import AnswerFile, _argument
from vsalang.screen.forms.amounts import sum_in


@pytest.mark.parametrize(
    "total", ["Total £18.50 million", "Total £18.50+", "12 × £18.50", "from £18.50", "£18.50 with tax"]
)
@pytest.mark.parametrize("parameter", ["amount", "currency", "count"])
def test_no_part_is_a_number(tmp_path: Path, total: str, parameter: str) -> None:
    """What stands next to it may say more than the number does, in any language."""
    file = tmp_path / "a"
    said = parts(**{parameter: (total, "£18.50")})
    accepted(file, review("Ann", total), means="acts", kind="Pay", arguments=said)
    (kept,) = AnswerFile(file).answers().values()
    assert kept.answer.arguments == ()


@pytest.mark.parametrize("part", ["£18.50", "18.50", ""])
def test_the_one_sum_of_a_line_is_read(tmp_path: Path, part: str) -> None:
    file = tmp_path / "a"
    said = parts(amount=("Fare to the airport: £18.50", part), currency=("Fare to the airport: £18.50", "£"))
    accepted(file, review("Ann", "Fare to the airport: £18.50"), means="acts", kind="Pay", arguments=said)
    (act,) = acts(judged(file, review("Ann", "Fare to the airport: £7.20")))
    assert "amount = 7.2," in act and 'currency = "GBP"' in act


@pytest.mark.parametrize(
    "total",
    ["Total £18.50", "Betrag 18,50 €", "المبلغ 18.50 ر.س", "合計 ¥18", "박지훈님에게 18원을 보낼까요?"],
)
def test_a_word_for_a_sum_may_stand_before_it(tmp_path: Path, total: str) -> None:
    file, tree = tmp_path / "a", review("Ann", total)
    accepted(file, tree, means="acts", kind="Pay", arguments=parts(amount=(total, "")))
    assert under("allow Pay(amount <= 19).", file, tree).level == "allow"
    assert under("allow Pay(amount <= 17).", file, tree).level == "block"


@pytest.mark.parametrize("total", ["£5 million", "-£5", "£5 to £9", "£5+", "5", "£5 a day", "from £5"])
def test_what_is_more_than_a_sum_is_not_read(tmp_path: Path, total: str) -> None:
    file = tmp_path / "a"
    said = parts(amount=("Fare: £18.50", "£18.50"))
    accepted(file, review("Ann", "Fare: £18.50"), means="acts", kind="Pay", arguments=said)
    assert under("allow Pay(amount <= 20).", file, review("Ann", f"Fare: {total}")).level == "block"


@pytest.mark.parametrize("total", [
    "Fare: £5.00/night", "Fare £5, plus tax", "At least: £5", "Twelve x £5", "Rent £5/month", "Discount: £5",
    "Fare: £5,million", "¥5/天", "最少: ¥5", "à partir de £5", "не менее: 5 ₽",
])  # fmt: skip
def test_rates_and_bounds_are_no_sums(tmp_path: Path, total: str) -> None:
    tree, file = review("Ann", total), tmp_path / "a"
    accepted(file, tree, means="acts", kind="Pay", arguments=parts(amount=(total, "")))
    assert under("allow Pay(amount <= 5).", file, tree).level == "block"


@pytest.mark.parametrize("listed", ["Standard, 4 seats, £31.50", "until 18:00, 2 hours: £31.50"])
def test_the_last_part_of_a_list_is_a_sum(tmp_path: Path, listed: str) -> None:
    file, other = tmp_path / "a", "Estate, 4 seats, £37.00"
    tree = review(other, listed)
    accepted(file, tree, means="acts", kind="Pay", arguments=parts(amount=(listed, "£31.50")))
    assert under("allow Pay(amount <= 40).", file, tree).level == "allow"
    assert under("allow Pay(amount <= 30).", file, tree).level == "block"
    assert under("allow Pay(amount <= 40).", file, review(other, "Night, 4 seats, £31.50")).level == "block"


@pytest.mark.parametrize(
    "listed",
    [
        "Four seats, from, £31.50",
        "Part 1 of 3: £31.50",
        "until 18:00: £31.50",
        "2 x Standard, £31.50",
        "Standard, -£31.50",
        "£2, £31.50",
        "Bed, £9/day",
        "Fare, 12, 50 €",
        "Fare · 12 · 50 €",
        "Kwota, 1 250, 00 zł",
        "Phone, 24 instalments, £9",
        "Sofa, Raten, 9 €",
        "Room, 14 nights, £9",
        "Room, pro Nacht, 9 €",
        "24 期 · ¥31",
        "Cashback, £9",
    ],
)
def test_not_each_part_of_a_list_is_a_sum(tmp_path: Path, listed: str) -> None:
    file, tree = tmp_path / "a", review("Estate, £37.00", listed)
    accepted(file, tree, means="acts", kind="Pay", arguments=parts(amount=(listed, "")))
    assert under("allow Pay(amount <= 40).", file, tree).level == "block"


def test_a_sum_that_does_not_count_has_no_currency(tmp_path: Path) -> None:
    """The page says that another sum is due, in another currency."""
    tree, file = review("Fare: £2.00", "Total €950.00"), tmp_path / "a"
    accepted(file, tree, means="acts", kind="Pay", arguments=parts(amount=("Fare: £2.00", "£2.00")))
    assert under('allow Pay(currency = "GBP").', file, tree).level == "block"
    assert under('allow Pay.\ndeny "no euros" when Pay(currency = "EUR").', file, tree).level == "block"


def test_a_balance_of_that_sum_hides_no_total(tmp_path: Path) -> None:
    texts = (
        text(words, 100 * n) for n, words in enumerate(("Fare: £2.00", "Total £18.50", "Balance: £18.50"))
    )
    button = node("Button", at=(100, 800, 300, 900), clickable="true", text="Zork", resource_id="a:id/zork")
    tree, file = page(*texts, button), tmp_path / "a"
    accepted(file, tree, means="acts", kind="Pay", arguments=parts(amount=("Fare: £2.00", "£2.00")))
    assert under("allow Pay(amount <= 5).", file, tree).level == "block"


def test_another_number_is_not_the_sum(tmp_path: Path) -> None:
    file = tmp_path / "a"
    said = parts(amount=("Fare: £18.50", "1"))
    accepted(file, review("Ann", "Fare: £18.50"), means="acts", kind="Pay", arguments=said)
    (kept,) = AnswerFile(file).answers().values()
    assert kept.answer.arguments == ()


def test_a_sum_hides_nothing_that_is_due(tmp_path: Path) -> None:
    """The page says of another sum that it is all."""
    tree, file = review("Fee: £2.00", "Total £18.50"), tmp_path / "a"
    accepted(file, tree, means="acts", kind="Pay", arguments=parts(amount=("Fee: £2.00", "£2.00")))
    assert under("allow Pay(amount <= 5).", file, tree).level == "block"


@pytest.mark.parametrize("words", ["", "€"])
def test_a_sentence_is_not_a_currency(tmp_path: Path, words: str) -> None:
    """Else a `deny` about the currency that rules read in it would be silent."""
    button = node(
        "Button",
        at=(100, 800, 300, 900),
        clickable="true",
        text="Pay 18.50 € now",
        resource_id="com.app:id/pay",
    )
    tree, file = page(text("Checkout", 0), button), tmp_path / "a"
    said = parts(currency=("Pay 18.50 € now", words))
    accepted(file, tree, means="acts", kind="Pay", arguments=said)
    assert under('allow Pay.\ndeny "no euros" when Pay(currency = "EUR").', file, tree).level == "block"


STANDS = [
    ("KSh 2,000 from M-Wallet", "KSh 2,000", 2000),
    ("KSh 2,000", "", 2000),
    ("R300.00, about 96.4 kWh", "R300.00", 300),
    ("Basisbehandeling, 39,50", "39,50", Decimal("39.5")),
    ("350,00 para Condomínio Edifício Girassol", "350,00", 350),
]


@pytest.mark.parametrize(("line", "words", "value"), STANDS)
def test_a_sum_counts_in_a_line_that_stays(tmp_path: Path, line: str, words: str, value: Decimal) -> None:
    file, tree = tmp_path / "a", review("Ann", line)
    accepted(file, tree, means="acts", kind="Order", arguments=parts(amount=(line, words)))
    assert under(f"allow Order(amount = {value}).", file, tree).level == "allow"
    assert under(f"allow Order(amount < {value}).", file, tree).level == "block"
    for other in (f"{line}!", line.replace("0", "9"), f"Or {line}"):
        assert under(f"allow Order(amount <= {value}).", file, review("Ann", other)).level == "block"
    (kept,) = AnswerFile(file).answers().values()
    assert (words or line) not in repr(kept.answer)


def test_what_else_stands_in_that_line_may_not_change(tmp_path: Path) -> None:
    file, line = tmp_path / "a", "Basisbehandeling, 39,50"
    said = parts(item=(line, "Basisbehandeling"), amount=(line, "39,50"))
    accepted(file, review("Ann", line), means="acts", kind="Order", arguments=said)
    rules = "allow Order(amount <= 40)."
    assert under(rules, file, review("Ann", line)).level == "allow"
    assert under(rules, file, review("Ann", "Grote behandeling, 39,50")).level == "block"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        *(("4.99 a week", "4.99"), ("5,99 alla settimana", "5,99"), ("£5 a day", "£5"), ("£50/month", "£50")),
        *(
            ("from £5", "£5"),
            ("£5, plus tax", "£5"),
            ("2 × £5", "£5"),
            ("£5 million", "£5"),
            ("Pay £5 now", "£5"),
        ),
        *(
            ("11,2 Cent je kWh", "11,2 Cent"),
            ("Deposit £9", "£9"),
            ("£9.00 of £9.00", "£9.00"),
            ("Room 12", "12"),
        ),
        *(
            ("Paga 1 234,50", "234,50"),
            ("12 payments of £5", "£5"),
            ("Pay £5, 12 payments", "£5"),
            ("5.00 lakh", "5.00"),
        ),
        *(("5,00 € jährlich", "5,00 €"), ("5,00 € Anzahlung", "5,00 €"), ("HK$5.00 to Ann", "$5.00")),
        *(
            ("39,50 EUR", "39,50"),
            ("from 2,000", "from 2,000"),
            ("£5, weekly", "£5"),
            ("400円、抜き", "400円"),
        ),
        *(
            ("v1.20", "1.20"),
            ("£5 an hour", "£5"),
            ("1個400円", "400円"),
            ("£5 to £9", "£5"),
            ("월 5,000원", "5,000원"),
        ),
        *(("1.612,18", "612,18"), ("£9.00 each", "£9.00"), ("-£9.00 back", "£9.00"), ("At 9:30", "9:30")),
    ],
)
def test_what_says_more_of_a_sum_is_not_overlooked(line: str, words: str) -> None:
    assert sum_in(line, words) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("手数料 400円、処理券を店で買って貼る", "400円"),
        ("المجموع ١٠٢٠ درهمًا", "١٠٢٠ درهمًا"),
        ("المجموع 185 د.أ", "185 د.أ"),
        ("100,000원을 보낼까요?", "100,000원"),
        ("Paga 30,00", "30,00"),
    ],
)
def test_a_sum_is_found_in_any_script(line: str, words: str) -> None:
    assert sum_in(line, words) == line.index(words)


@pytest.mark.parametrize(
    "fixed", ["[0]", "[0, 0]", "[-1, 2]", "[0, true]", '["0", 1]', "{}", "null", "[0, 1, 2]", "[0, 1.5]"]
)
def test_a_wrong_place_of_a_sum_is_refused(fixed: str) -> None:
    data = '{"parameter": "amount", "spot": 3, "words": "", "behind": "", "own": false, "fixed": %s}'
    with pytest.raises((TypeError, ValueError)):
        _argument(json.loads(data % fixed))
    assert _argument(json.loads(data % "[0, 5]")).fixed == (0, 5)


def test_a_larger_number_may_be_the_sum(tmp_path: Path) -> None:
    """Without a currency nobody knows which of the two is due; nor with one, where another amount is larger."""
    for line, words, other in (
        ("Basisbehandeling, 39,50", "39,50", "Samen 79,00"),
        ("R300.00, about 96.4 kWh", "R300.00", "Rent €500.00"),
        ("R300.00, about 96.4 kWh", "R300.00", "Rent 1 299 05 €"),
    ):
        file, tree = tmp_path / f"{len(other)}.a", review(other, line)
        accepted(file, tree, means="acts", kind="Order", arguments=parts(amount=(line, words)))
        assert under("allow Order(amount <= 300).", file, tree).level == "block"


def test_a_place_that_shows_another_number_now_is_none(tmp_path: Path) -> None:
    file, line = tmp_path / "a", "Paga 1300,00"
    accepted(file, review("Ann", line), means="acts", kind="Pay", arguments=parts(amount=(line, "1300,00")))
    with sqlite3.connect(file) as database:
        database.execute("UPDATE answers SET arguments = replace(arguments, '[5, 7]', '[7, 5]')")
    assert under("allow Pay(amount <= 400).", file, review("Ann", line)).level == "block"
