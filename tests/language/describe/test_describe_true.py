"""What is said is true and reads well: what must be seen, which page must be open, where descriptions stand."""

from pathlib import Path

import pytest

from vsalang.language.describe import describe, to_text
from vsalang.language.semantics import load

SHOP = """app shop package "com.shop" "A shop"
screen Basket "What is to be bought" when Node(id = "basket").
screen Page "A page. It shows one thing; scroll for more" when Node(id = "page").
view Cart on Basket "The basket" { total: Number "what it costs" }
view Dialog on Basket, Page "The dialog" { text: Text "what it says" }
view Toaster "The last message" { text: Text "what it says" }
state Profile "The profile" { name: Text "the name" }
state Bill key (id) "A bill" { id: Text "its number" paid: Bool "whether it is paid" due: Date "when it is due" }
list Offer in (shelf) "An offer" { shelf: Text "the shelf" price: Number "the price" }
action Pay "Pays for all in the basket. The card is charged at once (no way back)."
action Drop(id: Text "which one") "Throw a bill away"
update Cart(total = number(?t)) when Node(id = "total", text = ?t).
update Profile(name = ?t) when Node(id = "name", text = ?t).
update Dialog(text = ?t) when Node(id = "dialog", text = ?t).
update Toaster(text = ?t) when Toast(text = ?t).
update Bill(id = ?n, paid = true, due = date(?d)) when Node(id = "bill", text = ?n, desc = ?d).
complete Bill when Node(id = "bills").
update Offer(row = ?r, shelf = "a", price = number(?t)) when Node(node = ?r, id = "offer", text = ?t).
recognize Pay when tap(id = "pay").
recognize Drop(id = ?t) when tap(id = "drop", text = ?t).
"""


def described(folder: Path, name: str, text: str, policies: dict[str, str] | None = None) -> str:
    files = {"shop": SHOP, name: text, **(policies or {})}
    for file, content in files.items():
        (folder / f"{file}.vsa").write_text(content, encoding="utf-8")
    loaded = load(folder / f"{name}.vsa", policies=[folder / f"{p}.vsa" for p in policies or {}])
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return " ".join(to_text(describe(loaded.program, loaded.units)).split())


def spec(folder: Path, condition: str) -> str:
    return described(
        folder,
        "pay",
        f'spec pay "Pay"\nimport shop\nallow Pay when {condition}.\ndone when Pay earlier.\n',
    )


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        # one that is named, and nothing else of it: were it seen, it would be there
        ('no Bill(id = "7")', 'no bill with number "7" (this counts only once all bills were seen)'),
        (
            'no Bill(id = "7", due < today)',
            "before today (this counts only once that bill was seen, or all bills were seen)",
        ),
        ("no Bill(due < today)", "before today (this counts only once all bills were seen)"),
        (
            'every Bill(id in {"7", "8"}) has (due > today)',
            "after today (this counts only once each of them was seen)",
        ),
        (
            'no Offer(shelf = "a", at = 2)',
            'with shelf "a" and position 2 (this counts only once the whole list was read)',
        ),
        ("no Profile", "the profile is not there (this counts only once it was seen that there is none)"),
        ('every Profile has (name = "A")', '"A" (this counts only once the profile was seen)'),
        ('no Profile(name = "A")', '"A" (this counts only once the profile was seen)'),
    ],
)
def test_what_must_have_been_seen(tmp_path: Path, condition: str, said: str) -> None:
    assert said in spec(tmp_path, condition)


def test_a_view_is_known_while_its_page_is_open(tmp_path: Path) -> None:
    assert 'the basket is known (only while the screen "basket" shows)' in spec(tmp_path, "Cart")
    both = 'the dialog is known (only while the screen "basket" or "page" shows)'
    assert both in spec(tmp_path, "Dialog")
    assert "the last message is known." in spec(tmp_path, "Toaster")  # it lives until it is replaced
    assert "the profile is known." in spec(tmp_path, "Profile")


def test_long_descriptions_stand_in_no_sentence(tmp_path: Path) -> None:
    said = spec(tmp_path, "Cart")
    assert 'The agent may do "pay" once, if the basket' in said
    assert '- "pay": pays for all in the basket. The card is charged at once (no way back).' in said
    assert '"drop" (throw a bill away)' in said  # among what is blocked
    app = described(tmp_path, "shop", SHOP)
    assert 'The screen "page" shows when' in app
    assert '- "page": a page. It shows one thing; scroll for more.' in app
    assert 'The screen "basket" (what is to be bought) shows when' in app
    assert '"drop" (throw a bill away) is recognised when' in app


def test_a_policy_says_what_the_actions_are(tmp_path: Path) -> None:
    rule = 'deny "never" when Drop(id = "1").\n'
    said = described(tmp_path, "own", f'policy own "No bills. Ever"\nimport shop\n{rule}')
    assert 'when the agent wants to do "drop" with' in said
    assert '- "drop": throw a bill away.' in said
    text = 'spec pay "Pay"\nimport shop\nallow Pay.\ndone when Pay earlier.\n'
    policies = {"own": f'policy own "No bills. Ever"\nimport shop\n{rule}'}
    said = described(tmp_path, "pay", text, policies)
    assert 'What the policy "own" adds - Its description: No bills. Ever. - It is forbidden' in said


def test_whether_may_begin_a_sentence(tmp_path: Path) -> None:
    text = 'app door package "com.door" "Door"\nstate Door { open: Bool "Whether it is open." }\naction Pay\n'
    (tmp_path / "door.vsa").write_text(text)
    rule = 'spec pay "Pay"\nimport door\nallow Pay when Door(open = true).\ndone when Pay earlier.\n'
    assert "if the door is open." in described(tmp_path, "pay", rule)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("priced = true", "if in the cart, the price is known."),
        ("priced = true, total known", "if in the cart, the price is known and the sum is known."),
        ("total known", "if the sum of the cart is known."),
        ("priced known", "if the priced of the cart is known."),
    ],
)
def test_what_is_true_is_not_only_known(tmp_path: Path, asked: str, said: str) -> None:
    """`priced = true` was told as "the priced of the cart is known", because its clause ends with these words."""
    cells = 'priced: Bool "whether the price is known" total: Number "the sum"'
    app = f'app till package "com.till" "A till"\nstate Cart "the cart" {{ {cells} }}\naction Pay\n'
    (tmp_path / "till.vsa").write_text(app)
    rule = f'spec pay "Pay"\nimport till\nallow Pay when Cart({asked}).\ndone when Pay earlier.\n'
    assert said in described(tmp_path, "pay", rule)


def test_a_pattern_is_told_as_it_is_written(tmp_path: Path) -> None:
    """Its end is where it ends in the file: a slash inside has its backslash."""
    app = 'app till package "com.till" "A till"\nstate Cart { day: Text "the day" }\naction Pay\n'
    (tmp_path / "till.vsa").write_text(app)
    asked = r"Cart(day matches /\d\d\/\d\d/)"
    rule = f'spec pay "Pay"\nimport till\nallow Pay when {asked}.\ndone when Pay earlier.\n'
    assert r"the pattern /\d\d\/\d\d/" in described(tmp_path, "pay", rule)


JUDGED = "A rule that forbids, asks or warns also holds where a value that it asks about was not read and may be so."
COUNTS = "A gesture of which something was not read counts as each action that it may be, and nothing permits that."


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ('deny "dear" when Pay, Cart(total > 20).\nwarn "dear" when Pay, Cart(total > 10).', 1),
        ('confirm "pay?" when Pay, not Profile(name = "Ann").', 1),
        ('deny "no" when Pay.', 0),
        ('deny "late" when Pay, Clock(now > 22:00).', 0),
        ('flag "dear" when Pay, Cart(total > 20).', 0),
    ],
)
def test_what_was_not_read_is_told_once(tmp_path: Path, rules: str, said: int) -> None:
    text = f'policy p "Rules"\nimport shop\n{rules}\n'
    assert described(tmp_path, "p", text).count(JUDGED) == said
    spec = 'spec s "Pay"\nimport shop\nallow Pay.\ndone when Pay earlier.\n'
    assert described(tmp_path, "s", spec, {"p": text}).count(JUDGED) == said


def test_an_app_tells_what_a_gesture_may_be(tmp_path: Path) -> None:
    assert described(tmp_path, "shop", SHOP).count(COUNTS) == 1
