"""A description of several sentences does not stand in the middle of a reason: its first sentence does."""

from pathlib import Path

import pytest

from tests.commands import vsac
from vsalang.program.text import first_sentence

APP = """app shop package "com.shop" "Shop"
view Cart on Basket "The cart. It holds what is to be bought." { total: Number "The sum. In euros."  open: Bool }
action Buy(total: Number "the sum") "Pays. The card is charged at once."
screen Basket "The basket. It scrolls." when Node(id = "cart").
screen Other "Another. Or none." when Node(id = "other").
"""
SPEC = """spec buy "Buy"
import shop
allow Buy when Cart(total < 20), screen Basket.
done when Buy earlier.
test "t" {
  observe screen Other.
  attempt Buy => allow.
}
test "u" {
  observe screen Basket.
  observe Cart(total = 30).
  attempt Buy => allow.
}
"""


@pytest.mark.parametrize(
    ("doc", "said"),
    [
        ("The cart. It holds what is bought.", "The cart"),
        ("Whether it is open.", "Whether it is open"),
        ("a price, e.g. in euros", "a price, e.g. in euros"),
        ("what a row says; scroll for more", "what a row says; scroll for more"),
        ("", ""),
    ],
)
def test_first_sentence(doc: str, said: str) -> None:
    assert first_sentence(doc) == said


def test_reasons_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "shop.vsa").write_text(APP)
    (tmp_path / "buy.vsa").write_text(SPEC)
    said = vsac("test", tmp_path / "buy.vsa").stdout
    assert "The cart (Cart): not seen" in said
    assert "The sum (Cart.total): seen 30, wanted < 20" in said
    assert "Other (Another)" in said
    assert "It holds" not in said and "In euros" not in said and "It scrolls" not in said
