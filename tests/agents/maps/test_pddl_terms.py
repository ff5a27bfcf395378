"""Terms in PDDL are computed by the engine's functions."""

import datetime as dt

import pytest

from vsalang.agents.maps.pddl.values import ground
from vsalang.program.ir import DATE, TEXT, Choice, Const, Fn, Regex, Term, Var

TODAY = dt.date(2026, 3, 1)
MILK = Const("MILK", TEXT)


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (MILK, "MILK"),
        (Fn("lower", (MILK,), TEXT), "milk"),
        (Fn("today", (), DATE), TODAY),
        (Fn("date", (MILK,), DATE), None),
        (Fn("lower", (Var("x"),), TEXT), None),
        (Var("x"), None),
        (Choice((MILK,)), None),
        (Regex("MILK"), None),
        (None, None),
    ],
)
def test_the_value_of_a_ground_term(term: Term | None, value: object) -> None:
    """None where there is a variable, where it is undefined, and of braces and patterns."""
    assert ground(term, TODAY) == value
