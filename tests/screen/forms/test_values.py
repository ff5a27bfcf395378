"""Fields, amounts, rows, and what is ticked."""

from decimal import Decimal

import pytest

from tests.screen.control.making import node
from tests.screen.forms.shapes import MIDDLE, button, composed, field, said, window
from vsalang.screen.forms import forms
from vsalang.screen.forms.amounts import amount_of
from vsalang.screen.forms.words import id_words, phrase
from vsalang.screen.tree import Tree


def amounts(tree: Tree) -> list[tuple[object, ...]]:
    return [(one.value, one.currency, one.name, one.total) for one in forms(tree).amounts.all]


def fields(tree: Tree) -> list[tuple[object, ...]]:
    return [(one.name, one.value, one.kind) for one in forms(tree).fields.all]


def selected(tree: Tree) -> list[tuple[int | None, bool | None]]:
    return [(one.count, one.every) for one in forms(tree).counts.selections]


def column(*texts: str, left: int = 40, right: int = 500) -> list[str]:
    return [said(text, (left, 600 + 100 * n, right, 660 + 100 * n)) for n, text in enumerate(texts)]


def test_the_total_comes_first_and_parts_are_not_totals() -> None:
    names = column("Subtotal", "Shipping", "Total (EUR)")
    values = column("€10.00", "€5,00", "1.215,00", left=800, right=1040)
    assert amounts(window(*names, *values)) == [
        (1215, "EUR", "Total (EUR)", True),
        (10, "EUR", "Subtotal", False),
        (5, "EUR", "Shipping", False),
    ]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Total",
            "Gesamtbetrag",
            "Total a pagar",
            "Montant à payer",
            "Valor total",
            "Totale",
            "Totaalbedrag",
        ),
        *("Do zapłaty", "Итого", "Toplam", "合計", "合计", "결제 금액", "Jumlah", "المجموع"),
    ],
)
@pytest.mark.parametrize("between", [None, " ", ", ", ": ", " | "])
def test_a_number_at_a_total_is_an_amount(name: str, between: str | None) -> None:
    """In fifteen languages, in two texts or one; the word alone does not say which currency it is."""
    apart = [said(name, (40, 600, 500, 660)), said("49.90", (800, 600, 1040, 660))]
    together = [said(f"{name}{between}49.90", (40, 600, 1040, 660))]
    tree = window(*(apart if between is None else together))
    assert amounts(tree) == [(Decimal("49.9"), None, name, True)]


@pytest.mark.parametrize(
    "text",
    [
        "Subtotal, 11.50",
        "Delivery, 2.00",
        "Total 3 items",
        "Total items, 3",
        "Total, 12:30",
        "Total nights: 3",
        "Total per night, 50",
        "1 x Tea, 4.50",
    ],
)
def test_other_texts_with_a_number_are_not_amounts(text: str) -> None:
    assert amounts(window(said(text, (40, 600, 1040, 660)))) == []


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1111",
        "+49 171 1234567",
        "24.12.2026",
        "12:30",
        "4.5 (1,200)",
        "85 %",
        "3 km",
        "128.00",
        "US",
        "Level 7",
    ],
)
def test_other_numbers_are_not_amounts(text: str) -> None:
    assert amounts(window(said("Card", (40, 600, 500, 660)), said(text, (600, 600, 1040, 660)))) == []


@pytest.mark.parametrize(
    ("text", "value", "currency"),
    [
        ("Rp 2.000", 2000, "IDR"),
        ("1.234,56 €", Decimal("1234.56"), "EUR"),
        ("US$5", 5, "USD"),
        ("12,50 zł", Decimal("12.5"), "PLN"),
        ("3 500 ₽", 3500, "RUB"),
        ("12,000원", 12000, "KRW"),
        ("￥128", 128, "￥"),
        ("CHF 20.-", 20, "CHF"),
        ("-€7", -7, "EUR"),
        ("200.00 ر.س", 200, "SAR"),
        ("50 د.إ.", 50, "AED"),
        ("المجموع ١٠٢٠ درهمًا", 1020, "درهمًا"),
        ("Apr-Jun 2026\n₹7,450", 7450, "INR"),
        ("Paid 2025\n€40 fee", 40, "EUR"),
        ("Total: 4999 €2", 4999, "EUR"),
        ("Total 2025 €2", 2025, "EUR"),
        ("480 €2 adults", 480, "EUR"),
        ("Amount due 300 ₹10 fee", 300, "INR"),
    ],
)
def test_amounts_as_they_are_written(text: str, value: object, currency: str) -> None:
    assert [(one[0], one[1]) for one in amounts(window(said(text, (40, 600, 500, 660))))] == [
        (value, currency)
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Totale, carta 0917 30,00 €", 30),
        ("Total 12 345,50 €", Decimal("12345.5")),
        ("Total 0917 300 €", None),
        ("Total 2 12,50 €", None),
        ("Total 129 00 €", None),
        ("Total 1 299 05 €", None),
        ("Total € 12 50", None),
    ],
)
def test_the_end_of_a_card_is_no_amount(text: str, value: object) -> None:
    """Where a number before the amount may be a part of it, nobody knows how much it is."""
    (amount,) = amounts(window(said(text, (40, 600, 1040, 660))))
    assert amount[:2] == (value, "EUR")


def test_a_total_next_to_amounts_in_a_currency() -> None:
    tree = window(said("Total: 3", (40, 600, 1040, 660)), said("€500", (40, 700, 1040, 760)))
    assert [one[0] for one in amounts(tree)] == [500]


def test_a_currency_in_a_node_of_its_own() -> None:
    sign, number = said("¥", (300, 600, 340, 660)), said("128.00", (345, 600, 700, 660))
    assert amounts(window(sign, number)) == [(128, "¥", None, None)]


def test_the_amount_on_the_button_is_whole() -> None:
    tree = window(
        said("Coffee $3", (100, 900, 900, 960)),
        said("Cake $4", (100, 980, 900, 1040)),
        button("Cancel", (300, 1300, 500, 1400)),
        button("Pay $7", (520, 1300, 900, 1400)),
        at=MIDDLE,
    )
    assert [(one[0], one[3]) for one in amounts(tree)] == [(7, True), (3, False), (4, False)]


def test_what_a_scaled_number_is_worth_is_not_guessed() -> None:
    assert amounts(window(said("$3M", (0, 0, 900, 90)))) == []
    assert amount_of("1.234.56") is None


def test_fields_are_called_as_the_page_calls_them() -> None:
    tree = window(
        said("To", (100, 880, 900, 920)),
        field("Lena", (100, 925, 900, 1000)),
        said("Amount (EUR)", (100, 1010, 900, 1050)),
        field("12.50", (100, 1055, 900, 1130)),
        field("1234", (100, 1140, 900, 1200), password="true", content_desc="PIN"),
        node(
            "CheckBox",
            at=(100, 1210, 900, 1280),
            text="Each month",
            checkable="true",
            clickable="true",
            checked="true",
        ),
        button("Cancel", (300, 1300, 500, 1400)),
        button("Send", (520, 1300, 900, 1400)),
        at=MIDDLE,
    )
    assert fields(tree) == [
        ("To", "Lena", "text"),
        ("Amount (EUR)", "12.50", "amount"),
        ("PIN", None, "secret"),
        ("Each month", "on", "box"),
    ]


def test_an_unread_field_has_an_unknown_value() -> None:
    unread = '<node class="android.widget.EditText" bounds="[0,0][900,90]" clickable="true" enabled="true"/>'
    assert fields(window(unread)) == [(None, None, "text")]


def test_a_date_that_was_chosen_is_a_field() -> None:
    day = node("View", said("Date", (40, 700, 300, 760)), said("Fri, 28 Nov 2026", (500, 700, 1040, 760)),
               at=(0, 680, 1080, 780), clickable="true")  # fmt: skip
    tree = window(field("Dentist", (40, 400, 1040, 520)), day, button("Save", (40, 2200, 1040, 2330)))
    assert fields(tree) == [(None, "Dentist", "text"), ("Date", "Fri, 28 Nov 2026", "date")]


def mails(ticked: int, *, scrolls: bool, head: str = "Choose") -> Tree:
    rows = [
        node("LinearLayout", said(f"Mail {n}", (150, 300 + n * 100, 900, 380 + n * 100)),
             node("CheckBox", at=(0, 300 + n * 100, 120, 390 + n * 100), checkable="true",
                  checked=str(n < ticked).lower()),
             at=(0, 290 + n * 100, 1080, 390 + n * 100), clickable="true")
        for n in range(4)
    ]  # fmt: skip
    listed = node("RecyclerView", *rows, at=(0, 280, 1080, 800), scrollable=str(scrolls).lower())
    return window(said(head, (200, 80, 700, 160), resource_id="a:id/action_context_bar"), listed)


def test_what_is_said_counts_more_than_shows() -> None:
    assert selected(mails(4, scrolls=True, head="1,248 selected")) == [(1248, None)]
    assert selected(mails(2, scrolls=True, head="2 / 17")) == [(2, False)]
    assert selected(mails(4, scrolls=True, head="Выбрано: 17")) == [(17, None)]
    assert selected(mails(4, scrolls=True, head="4 selected of 4")) == [(4, True)]


def test_boxes_are_counted_where_all_rows_show() -> None:
    assert selected(mails(2, scrolls=False)) == [(2, False)]
    assert selected(mails(4, scrolls=False)) == [(4, True)]
    assert selected(mails(2, scrolls=True)) == [(None, False)], "more may be ticked below"
    assert list(forms(mails(2, scrolls=True)).counts.ticked.values()) == ["Mail 0", "Mail 1"]


def test_a_number_of_something_else_is_not_a_selection() -> None:
    assert selected(window(said("Selected size: 11", (100, 100, 900, 160)))) == []


def test_a_button_knows_its_row() -> None:
    rows = [
        node("LinearLayout", said(f"f{n}.txt", (40, 300 + n * 200, 700, 360 + n * 200)),
             said("12 kB", (40, 370 + n * 200, 700, 430 + n * 200)),
             node("ImageView", at=(900, 320 + n * 200, 1040, 400 + n * 200), clickable="true", content_desc="Delete"),
             at=(0, 290 + n * 200, 1080, 480 + n * 200), clickable="true")
        for n in range(3)
    ]  # fmt: skip
    for tree in (window(node("RecyclerView", *rows, at=(0, 280, 1080, 2300))), window(*rows)):
        on = forms(tree)
        titles = [
            (on.about.label(one), on.row_table.of[one.node].title, on.row_table.of[one.node].detail)
            for one in on.about.takers
        ]
        assert titles[:2] == [("f0.txt", "f0.txt", "12 kB"), ("Delete", "f0.txt", "12 kB")]
        assert len(titles) == 6


def test_buttons_below_each_other_are_not_rows() -> None:
    names = ("Camera", "Gallery", "Files")
    tree = window(*(button(name, (40, 300 + 150 * n, 1040, 430 + 150 * n)) for n, name in enumerate(names)))
    assert forms(tree).row_table.all == ()


def test_ids_and_phrases_as_words() -> None:
    assert id_words("btn_saveAllNotes2") == ("btn", "save", "all", "notes")
    assert id_words("cancelURLEdit") == ("cancel", "url", "edit")
    assert phrase("  OK!\n") == "ok"
    assert phrase("x" * 500) == ""
    assert composed("a", (0, 0, 9, 9))


def test_what_was_chosen_and_kept_is_a_field() -> None:
    bar = node(
        "ViewGroup", button("Save", (880, 60, 1060, 200)), at=(0, 40, 1080, 220), resource_id="a:id/toolbar"
    )
    rows = [
        node("View", said(name, (40, 400 + 200 * n, 900, 460 + 200 * n)),
             said(value, (40, 470 + 200 * n, 900, 530 + 200 * n)),
             at=(0, 390 + 200 * n, 1080, 560 + 200 * n), clickable="true")
        for n, (name, value) in enumerate((("Theme", "Light"), ("Font", "Large"), ("Size", "12")))
    ]  # fmt: skip
    assert fields(window(bar, *rows))[:2] == [("Theme", "Light", "choice"), ("Font", "Large", "choice")]
    assert fields(window(*rows)) == [], "nothing is sent"


def test_a_prompt_is_not_a_value() -> None:
    tree = window(field("Location", (40, 400, 1040, 520), resource_id="a:id/event_location"))
    assert fields(tree) == []
    named = window(field("Location", (40, 400, 1040, 520), resource_id="a:id/title"))
    assert [value for _, value, _ in fields(named)] == ["Location"]


def test_a_row_is_called_by_its_text() -> None:
    rows = [
        node("View", node("ImageView", at=(0, y, 100, y + 90), content_desc=f"Photo of {name}"),
             said(name, (120, y, 900, y + 40)), said("Hello", (120, y + 40, 900, y + 90)),
             at=(0, y, 1080, y + 100), clickable="true")
        for name, y in (("Ann", 300), ("Bob", 400), ("Cem", 500))
    ]  # fmt: skip
    lines = [
        node("View", at=(0, y, 1080, y + 100), content_desc="Ann\nHello\nToday", clickable="true")
        for y in (600, 700, 800)
    ]
    titles = [
        (row.title, row.detail)
        for row in forms(window(*rows, node("ListView", *lines, at=(0, 600, 1080, 900)))).row_table.all
    ]
    assert titles[0] == ("Ann", "Hello")
    assert titles[-1] == ("Ann", "Hello, Today")
