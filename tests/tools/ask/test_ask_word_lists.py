"""Answers say by which word of a list a text matches."""

from tests.tools.ask.places import SHOP, asked
from vsalang.language.semantics import load_text
from vsalang.tools.ask import Place, Situation
from vsalang.tools.ask.render import reply_lines

LISTS = 'let Fruits = words """\n  nut, ~s\n  fig\n""".\n'


def answered(body: str) -> list[str]:
    """The lines of an answer in the shop with a full basket."""
    loaded = load_text(SHOP.replace("\nscreen Basket", f"{LISTS}\nscreen Basket", 1), file="shop.vsa")
    place = Place(loaded)
    situation = Situation().then(loaded.own[0].turns, "full")
    reply = asked(place, situation, body)
    return reply_lines(reply, place.sources(reply.question.source))


def test_a_row_that_matches_names_the_word() -> None:
    assert '      seen; name by "fig": Item(name = "Fig", kind = Fruit, price = 6, count = 2, at = 2)' in [
        line.replace("believed", "seen") for line in answered("Item(name matches Fruits, price = 6)")
    ]


def test_a_comparison_that_matches_names_the_word() -> None:
    assert '      by "nut"' in answered("Item(name = ?n, price = 12), ?n matches Fruits")


def test_what_must_not_match_names_the_word() -> None:
    lines = answered("Item(name not matches Fruits, price = 12, count = 1)")
    assert any('name is "Nut" (it has "nut"), wanted not matches Fruits' in line for line in lines), lines
