"""Where L0016 speaks and where it keeps quiet: `done` that the first of several commits meets."""

import pytest

from vsalang.language.lint import lint
from vsalang.language.semantics import load_text

HEAD = """spec s "Book at R"
import apps.opentable
"""
SLOT = 'when Slot(restaurant = "R", date = today, time = ?t).\n'
TWO = f'allow 2 Reserve(restaurant = "R", date = today, time = ?t) {SLOT}'
EACH = f'allow each Reserve(restaurant = "R", date = today, time = ?t) {SLOT}'
ONCE = f'allow Reserve(restaurant = "R", date = today, time = ?t) {SLOT}'
EITHER = ONCE.replace("allow", "allow either") + ONCE.replace("allow", "allow either").replace('"R"', '"Q"')
OWN = ONCE.replace("allow", "allow 1") + ONCE.replace("allow", "allow 1").replace('"R"', '"Q"')


def found(text: str) -> list[str]:
    loaded = load_text(text, file="x.vsa")
    assert loaded.ok, loaded.diagnostics
    return [text[f.span.start : f.span.end] for f in lint(loaded, select={"L0016"}) if f.span is not None]


@pytest.mark.parametrize(
    ("rules", "early"),
    [
        ("done when Reserve earlier.", ["Reserve earlier"]),
        ('done when Reserve(restaurant = "R") earlier.', ['Reserve(restaurant = "R") earlier']),
        ("done when Reserve(time = ?x) earlier.", ["Reserve(time = ?x) earlier"]),
        ("done when Reserve(time = 19:00) earlier.", []),  # one of them is meant
        ("done when Slot(time = ?x), Reserve(time = ?x) earlier.", []),
        # counted
        ("done when count(Reserve earlier) >= 1.", ["count(Reserve earlier) >= 1"]),
        ("done when count(Reserve earlier) > 0.", ["count(Reserve earlier) > 0"]),
        ("done when count(Reserve earlier) in 1..2.", ["count(Reserve earlier) in 1..2"]),
        ("done when count(Reserve earlier) = 2.", []),
        ("done when count(Reserve earlier) >= 2.", []),
        # through a definition
        ("define Booked when Reserve earlier.\ndone when Booked.", ["Booked"]),
        ("define B when count(Reserve earlier) > 0.\ndefine Booked when B.\ndone when Booked.", ["Booked"]),
        ("define Booked when count(Reserve earlier) = 2.\ndone when Booked.", []),
        ("define Booked(at = ?t) when Reserve(time = ?t) earlier.\ndone when Booked.", ["Booked"]),
        ("define Booked(at = ?t) when Reserve(time = ?t) earlier.\ndone when Booked(at = 19:00).", []),
        ("define Booked when Reserve earlier.\ndone when Booked, no Slot.", []),
        # under `then`
        (
            "done when (Reserve earlier) then ReserveResult(success = true).",
            ["Reserve earlier"],
        ),
        ("done when Reserve then ReserveResult(success = true).", ["Reserve"]),
        ("done when Reserve then Reserve then ReserveResult(success = true).", []),
        # several rules that end it
        (
            "done when Reserve earlier.\ndone when Reserve(time known) earlier.",
            ["Reserve earlier", "Reserve(time known) earlier"],
        ),
        # what tells the last from the first
        ('done when Reserve earlier, every Slot(restaurant = "R") has (available = false).', []),
    ],
)
@pytest.mark.parametrize("licence", [TWO, EACH])
def test_the_first_of_several(licence: str, rules: str, early: list[str]) -> None:
    assert found(HEAD + licence + rules + "\n") == early


@pytest.mark.parametrize(
    ("licences", "done", "early"),
    [
        (ONCE, "Reserve earlier", False),
        (EITHER, "Reserve earlier", False),
        (OWN, "Reserve earlier", True),
        (OWN, 'Reserve(restaurant = "Q") earlier', False),
    ],
)
def test_several_licences(licences: str, done: str, early: bool) -> None:
    assert found(f"{HEAD}{licences}done when {done}.\n") == ([done] if early else [])


@pytest.mark.parametrize(
    ("rules", "early"),
    [
        ("done when all Reserve.", []),
        ("done when all Reserve, Reserve earlier.", []),
        ("done when all Reserve.\ndone when Reserve earlier.", ["Reserve earlier"]),
    ],
)
def test_all_of_them(rules: str, early: list[str]) -> None:
    assert found(HEAD + TWO + rules + "\n") == early
