"""The pages about the rules say what the rules say."""

from pathlib import Path

import pytest

from tests.pages import DOCS, pages
from vsalang.language.lint import RULES, lint
from vsalang.language.lint.pages import index, page, table
from vsalang.language.semantics import load_text

PAGES = Path(__file__).resolve().parents[3] / "docs" / "reference" / "lint"


def test_every_rule_has_a_page() -> None:
    for rule in RULES:
        assert pages()[DOCS / "reference" / "lint" / f"{rule.code}.md"] == page(rule)
        assert rule.bad.rstrip() in page(rule)
        assert f"({rule.code}.md)" in table()


def test_the_table_needs_the_marks() -> None:
    with pytest.raises(ValueError, match="no marks"):
        index("no marks\n")


def test_the_example_of_the_index_is_right() -> None:
    text = (PAGES / "index.md").read_text(encoding="utf-8").partition("```vsa\n")[2].partition("```")[0]
    allow, _, header = text.partition("\n\n")
    whole = (
        f"{header}import apps.opentable\n{allow}\ndone when Reserve earlier, ReserveResult(success = true).\n"
    )
    assert lint(load_text(whole)) == ()
    assert {f.code for f in lint(load_text(whole.replace("lint", "note")))} == {"L0002", "L0004", "L0008"}
