"""Fixes of findings: what each writes, that none ends a warning by removing what it depends on, and nested mistakes."""

from pathlib import Path

import pytest

from tests.language.lint.test_lint_rules import read
from vsalang.base.diagnostics import has_errors
from vsalang.base.diagnostics.code import example_files
from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.language.lint import RULES, lint
from vsalang.language.semantics import load_text

FIXED = {
    "L0001", "L0007", "L0021", "L0022", "L0030", "L0035", "L0042", "L0045", "L0046", "L0048", "L0050",
    "L0052", "L0054", "L0056", "L0058",
}  # fmt: skip
"""Rules whose bad example is fixed without a choice."""


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code in FIXED], ids=lambda rule: rule.code)
def test_bad_examples_are_fixed(rule, tmp_path: Path) -> None:
    """After the fix the finding is gone, nothing else is found, and the program has no errors."""
    name, text = next(iter(example_files(rule.bad, "bad.vsa").items()))
    read(rule.bad, "bad.vsa", tmp_path)

    def findings(text: str):
        loaded = load_text(text, file=name, path=tmp_path / name)
        return [*loaded.diagnostics, *lint(loaded)]

    fixed = apply_fixes(text, name, findings)
    assert rule.code in [each.code for each in fixed.applied]
    left = findings(fixed.text)
    assert not has_errors(left)
    assert rule.code not in [each.code for each in left]


def test_mistakes_inside_a_mistake_are_fixed_at_once() -> None:
    """An unknown name hides what is wrong in its brackets; the fix of all of it is one."""
    text = (
        'spec a "Book R today at 7 PM"\nimport apps.opentable\n'
        'allow Resrve(resturant = "R", date = "today", time = 7pm).\ndone when Resrve earlier.\n'
    )
    fixed = apply_fixes(text, "x.vsa", lambda text: load_text(text, file="x.vsa").diagnostics)
    assert fixed.text == (
        'spec a "Book R today at 7 PM"\nimport apps.opentable\n'
        'allow Reserve(restaurant = "R", date = today, time = 19:00).\ndone when Reserve earlier.\n'
    )


def test_what_cannot_be_fixed_wholly_stays() -> None:
    """Where one of the mistakes that show has no fix, the name is left as it is."""
    text = (
        'spec a "Book"\nimport apps.opentable\nallow Resrve(colour = "R", date = "today").\n'
        "done when answer earlier.\n"
    )
    fixed = apply_fixes(text, "x.vsa", lambda text: load_text(text, file="x.vsa").diagnostics)
    assert "Resrve(colour" in fixed.text


def test_a_rule_that_is_written_twice_is_removed_once() -> None:
    """The second of two equal rules goes, with its line; one that only adds a condition stays."""
    rule = 'deny "no" when tap(id = "a").\n'
    text = f'policy p "P"\n{rule}{rule}'
    fixed = apply_fixes(text, "x.vsa", lambda text: lint(load_text(text, file="x.vsa")))
    assert fixed.text == f'policy p "P"\n{rule}'
    more = f'policy p "P"\n{rule}deny "no" when tap(id = "a"), Node(id = "b").\n'
    assert apply_fixes(more, "x.vsa", lambda text: lint(load_text(text, file="x.vsa"))).text == more
