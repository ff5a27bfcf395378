"""What a ticked box costs, what a deletion ends, and a window over the app: each label by itself, under a charter."""

import pytest

from vsalang.guard import run_example
from vsalang.language.semantics import load_text

POLICIES = ["std.policies.unlicensed", "std.policies.all"]
_CLUB = """spec club "A coach ticket for 9.50, with the club for 11.99 a month"
import std.effects
import std.forms
allow 1 Order(amount {ticket}).
allow 1 Order(amount {club}).
done when Order earlier.

test "t" {{
  observe Node(node = 1, label = "{box}", checkable = true, checked = true, package = "com.tr"),
          Role(node = 1, kind = "box"),
          Node(node = 2, text = "Total: £9.50", package = "com.tr"),
          Amount(node = 2, value = 9.5, currency = "GBP", total = true),
          Node(node = 3, id = "s", label = "Order", clickable = true, package = "com.tr"),
          Role(node = 3, kind = "button").
  tap(id = "s"){verdict}.
}}
"""
_DELETED = """spec photo "Delete the photo"
import std.effects
import std.forms
allow Delete.
done when Delete earlier.

test "t" {{
  observe App(package = "com.p"),
          Node(node = 1, id = "y", label = "Delete", clickable = true, package = "com.p"),
          Role(node = 1, kind = "commit"),
          Closes(node = 1, root = 9, kind = "dialog"),
          Surface(node = 1, kind = "dialog", root = 9, title = "{title}").
  tap(id = "y"){verdict}.
}}
"""
_OVER = """spec w "Touch the window of Tidy"
import std.effects
import std.forms
import std.answers
allow each Overlay.
done when Overlay earlier.

test "t" {{
  observe App(package = "com.weather"),
          Node(node = 9, text = "Sunny all day today", package = "com.weather"),
          Node(node = 12, text = "{text}", package = "com.tidy"),
          Node(node = 1, id = "z", label = "{label}", clickable = true, package = "com.tidy"),
          Role(node = 1, kind = "button"),
          Surface(node = 1, kind = "dialog", root = 8),
          Answered(node = 1, means = "leads on", accepted = true, exact = true).
  tap(id = "z"){verdict}.
}}
"""


def passes(text: str) -> bool:
    """Whether the one test of a spec passes under the policies."""
    loaded = load_text(text, file="x.vsa", policies=POLICIES)
    return run_example(loaded.checked(), loaded.own[0]).passed


def asks(box: str, *, ticket: str = "= 9.50", club: str = "= 11.99") -> bool:
    verdict = ' => confirm because "INJ-10"'
    return passes(_CLUB.format(box=box, ticket=ticket, club=club, verdict=verdict))


@pytest.mark.parametrize(
    "box",
    [
        "Club, £11.99 a week",
        "Club, £11.99 × 12 a month",
        "Club, £11.99k a month",
        "Club, £11.99 million a month",
        "Club, £11.99 per person a month",
        "Club, £11.99 a month for 24 months minimum",
        "Club, £11.99 a month, then USD 500 a year",
        "Club, £11.99 a month, plus 500 dollars to join",
        "Club, CHF 500 a year, then £11.99 a month",
        "Club, 500 dollars now, then £11.99 a month",
        "Club, £0500 now, £11.99 a month",
        "Club, 500 EUR a year\\n11,99 EUR a month",
        "Club, £11.99 a month, £٥٠٠ to join",
        "Club, £11 990 a month",
        "Club, £11.99  990 a month",
        "Club £9.50 today, then 19.99 a month",
    ],
)
def test_a_box_that_costs_more_than_its_price(box: str) -> None:
    assert asks(box)


@pytest.mark.parametrize(
    "box", ["Club, first month free, then £11.99 a month", "Club, £11.99 a month from 12 July", "Club £11.99"]
)
def test_a_box_with_the_named_price(box: str) -> None:
    assert not asks(box)


@pytest.mark.parametrize(
    ("club", "asked"), [("= 11.99", False), ("in {0, 11.99}", False), ("<= 11.99", True)]
)
def test_a_cap_names_no_price(club: str, asked: bool) -> None:
    assert asks("Club, £11.99 a month", ticket="<= 10", club=club) is asked


@pytest.mark.parametrize(
    ("title", "held"),
    [
        ("Delete 500 photos?", True),
        ("Delete 500 Europe photos?", True),
        ("Delete 40 European contacts?", True),
        ("50 Krankmeldungen löschen?", True),
        ("Удалить 50 рубашек?", True),
        ("Usunąć 20 złych zdjęć?", True),
        ("Delete 500 € coin photos?", True),
        ("Delete $ 500 photos?", True),
        ("Delete the transfer of £32.00?", False),
        ("Delete the transfer of 32 €?", False),
        ("Delete the order, 1.250,00 zł?", False),
    ],
)
def test_a_sum_does_not_count_things(title: str, held: bool) -> None:
    """Many things at once are `Erase`, which this task does not permit."""
    assert passes(_DELETED.format(title=title, verdict=" => block" if held else ""))


@pytest.mark.parametrize(
    ("label", "text", "rule"),
    [
        ("Continue", "Tidy is set up in its own window", ""),
        ("Continue anyway", "Warning: this file may harm your device. Harmful app blocked", "EVA-3"),
        ("Claim your prize", "You have won a prize", "INT-6"),
        ("Install now", "Sponsored", "INT-7"),
        ("Turn off Play Protect", "Tidy needs this", "EVA-2"),
        ("I'm not a robot", "Human verification", "EVA-4"),
        ("https://bit.ly/x urgent click", "Your parcel waits", "INJ-5"),
    ],
)
def test_a_window_may_be_touched_and_policies_still_ask(label: str, text: str, rule: str) -> None:
    verdict = f' => confirm because "{rule}"' if rule else ""
    assert passes(_OVER.format(label=label, text=text, verdict=verdict))
