"""Conditions in feedback stand as in a file: what is printed is read back as the same condition."""

import datetime as dt
from pathlib import Path

import pytest

from vsalang.engine.explain.terms import Context, notation
from vsalang.language.semantics import load
from vsalang.program import ir
from vsalang.program.show import source
from vsalang.program.walk import compares, head_atom, relations

NOON = dt.datetime(2030, 5, 17, 12)
CONDITIONS = [
    "(A(n = 1), B(n = 2)) then C(n = 3)",
    "A(n = 1), B(n = ?n), (?n + 1) * 2 > 6",
    "B(n = ?n), 7 - (?n - 1) >= 3",
    'M(member = "all")',
    "screen Home",
    "not screen Home",
    "no A(n = 1)",
    "not A(n = 1) earlier",
    "count(A(n > 1)) = 2",
    "every A(n > 1) has (n < 5)",
    "T(text matches /a\\/b/i)",
    "B since A",
]


def body(condition: str, folder: Path) -> tuple[ir.Literal, ...]:
    """The conditions of a rule, as the checker reads them."""
    path = folder / "a.vsa"
    path.write_text(
        'app a package "a" "A"\n'
        "state A { n: Number }\nstate B { n: Number }\nstate C { n: Number }\nstate T { text: Text }\n"
        'state M { member: enum { "all", some } }\n'
        'screen Home "home" when Node(text = "home").\n'
        f"define D when {condition}.\n"
    )
    loaded = load(path)
    assert loaded.program is not None, loaded.diagnostics
    (rule,) = (rule for rule in loaded.program.rules if relations(head_atom(rule)) == {"a.D"})
    return rule.body


@pytest.mark.parametrize("condition", CONDITIONS)
def test_feedback_parses_back(condition: str, tmp_path: Path) -> None:
    literals = body(condition, tmp_path)
    printed = notation({}, Context(NOON.date(), NOON)).conditions(literals)
    again = body(printed, tmp_path)
    assert list(map(source, again)) == list(map(source, literals)), printed


def test_values_stand_for_variables(tmp_path: Path) -> None:
    (compared,) = compares(body("B(n = ?n), A(n = ?m), (?n + ?m) * 2 > 6", tmp_path))
    words = notation({"n": 3}, Context(NOON.date(), NOON))
    assert words.condition(compared) == "(3 + ?m) * 2 > 6"
