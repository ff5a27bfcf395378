"""Questions are checked like rules, and what is wrong is shown in the typed text."""

import pytest

from tests.snapshots import golden
from tests.tools.ask.places import shop
from vsalang.tools.ask import Wrong
from vsalang.tools.cli.common import render

WRONG = [
    "",
    "Itm(name = ?n)",
    "Item(nam = ?n)",
    "Item(name = 3)",
    "Item(kind = Fruits)",
    "no Item(name = ?n)",
    "?n < 3",
    "Item(name = ?n, price = ?n)",
    "Item(name = ?n) and Bill",
    "Item(name = ?n,",
    "Item(name = ?n), ",
    "Item; Bill",
    "Item == Bill",
    'Item(name = "Tea)',
    "allow Pay",
    "define X when Item",
    "Item. Bill",
    "Item. define X when Bill",
    "screen ?s",
    "screen Shop",
    "Item(name matches /(a)\\1/)",
    "Item\n, Itm",
    "Item }",
    "Basket",
    "count(Item) when Bill",
    "§",
]


def test_what_is_wrong_is_said_at_the_place() -> None:
    place = shop()
    found = []
    for body in WRONG:
        with pytest.raises(Wrong) as raised:
            place.question(body)
        wrong = raised.value
        assert wrong.diagnostics
        for item in wrong.diagnostics:
            if item.span is not None:
                assert item.span.file == "<question>"
                assert 0 <= item.span.start <= item.span.end <= len(wrong.sources["<question>"].text)
        found.append(f"==== {body!r}\n{render(wrong.diagnostics, wrong.sources, 'text')}")
    golden("\n".join(found), "ask/questions.txt")


@pytest.mark.parametrize(
    ("body", "variables"),
    [
        ("Item(price = ?p, name = ?n)", {"p": "Number", "n": "Text"}),
        ("Item(kind = ?k)?", {"k": "Kind"}),
        ("screen Basket.", {}),
        ("count(Item(kind = ?k)) = ?n", {"k": "Kind", "n": "Number"}),
        ("every Item(kind = ?k) has (price > 1)", {}),
        ("Item(name matches /(?<c>T)ea/)", {"c": "Text"}),
        ("Item(name = ?n), not Dear(name = ?n)", {"n": "Text"}),
        ("?x in {1, 2}, Item(count = ?x)", {"x": "Number"}),
        ("Pay(total = ?t) earlier then Bill(paid = true)", {"t": "Number"}),
        ("Item(\n  name = ?n, // a comment\n  price > 2\n)", {"n": "Text"}),
        ("first 2 Item(name = ?n)", {"n": "Text"}),
        ("shop.Item(name = ?n)", {"n": "Text"}),
        ("tap(id = ?i), Node(id = ?i)", {"i": "Text"}),
    ],
)
def test_the_variables_of_a_question(body: str, variables: dict[str, str]) -> None:
    question = shop().question(body)
    assert {a.name: str(a.type) for a in question.relation.attrs} == variables
    assert list(variables) == list(question.variables)


def test_a_very_long_question_is_refused() -> None:
    with pytest.raises(Wrong, match="too long"):
        shop().question("Item, " * 50_000 + "Item")


def test_the_place_of_a_program_with_errors_is_refused() -> None:
    from vsalang.language.semantics import load_text
    from vsalang.tools.ask import Place

    with pytest.raises(ValueError, match="errors"):
        Place(load_text("app x"))
