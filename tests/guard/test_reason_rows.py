"""Which rows the reason of a rule that holds shows: some under which it does hold, and the same in every process."""

import os
import subprocess
import sys
from collections.abc import Iterable

import pytest

from tests.guard.phones import APP, guard, screen
from vsalang.guard import Guard
from vsalang.language.semantics import load_text
from vsalang.program.action import Action

FALLING = f"""app shop package "{APP}" "A shop"
state Item key (name) {{ name: Text  price: Number }}
action Buy
recognize Buy when tap(id = "buy").
update Item(name = ?n, price = number(?p)) when Node(id = "price", hint = ?n, text = ?p).
deny "it was dearer" when Buy, Item(name = ?n, price = ?p), Item(name = ?n, price > 5) earlier.
"""
PAIRS = f"""app shop package "{APP}" "A shop"
action Buy
recognize Buy when tap(id = "buy").
deny "no" when Buy, Node(text = ?a, hint = ?h), Node(text = ?b, hint = ?h), ?a != ?b.
"""


def bought(text: str, *screens: Iterable[tuple[str, str, str]]) -> list[str]:
    """What the reason against buying says that it has seen, after these screens: nodes with id, hint and text."""
    program = load_text(text, file="shop.vsa").program
    assert program is not None
    made: Guard = guard(program)
    for nodes in screens:
        made.observe(
            screen(
                {"id": "buy", "clickable": True},
                *({"id": kind, "hint": hint, "text": text} for kind, hint, text in nodes),
            )
        )
    verdict = made.propose(Action("tap", {"id": "buy"}))
    (reason,) = [item for item in verdict.reasons if item.kind == "deny"]
    return [why.text() for why in reason.whys]


def test_the_rows_are_those_of_the_past_condition() -> None:
    """The first item fits what can be read now; only the second was dearer."""
    before = [("price", "Ale", "3"), ("price", "Tea", "9")]
    now = [("price", "Ale", "3"), ("price", "Tea", "4")]
    said = bought(FALLING, before, now)
    assert 'Item(name = "Tea", price > 5) earlier' in " ".join(said), said
    assert any("seen 4" in each for each in said), said


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_every_process_shows_the_same_rows(seed: str) -> None:
    """The subject is the process: where Python puts texts into sets depends on its hash seed."""
    here = bought(PAIRS, [("item", "shelf", f"item {number}") for number in range(30)])
    ran = subprocess.run(
        [sys.executable, "-c", "from tests.guard.test_reason_rows import *; print_pairs()"],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert ran.stdout.splitlines() == here


def print_pairs() -> None:
    print(*bought(PAIRS, [("item", "shelf", f"item {number}") for number in range(30)]), sep="\n")
