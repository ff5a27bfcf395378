"""The pages about the rules say what the rules say."""

from pathlib import Path

import pytest

from vsalang.language.lint import RULES, lint
from vsalang.language.lint.pages import page, table, write
from vsalang.language.semantics import load_text

PAGES = Path(__file__).resolve().parents[3] / "docs" / "reference" / "lint"
REMEDY = "run: python -m vsalang.language.lint.pages docs/reference/lint"


def test_every_page_is_up_to_date() -> None:
    assert sorted(path.name for path in PAGES.iterdir()) == sorted(
        [*(f"{r.code}.md" for r in RULES), "index.md"]
    )
    for rule in RULES:
        assert (PAGES / f"{rule.code}.md").read_text(encoding="utf-8") == page(rule), REMEDY
    assert f"<!-- rules -->\n{table()}<!-- end of rules -->" in (PAGES / "index.md").read_text(
        encoding="utf-8"
    ), REMEDY


def test_writing_needs_the_marks(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("no marks\n")
    with pytest.raises(ValueError, match="no marks"):
        write(tmp_path)
    assert (tmp_path / "index.md").read_text() == "no marks\n"


def test_the_example_of_the_index_is_right() -> None:
    text = (PAGES / "index.md").read_text(encoding="utf-8").partition("```vsa\n")[2].partition("```")[0]
    allow, _, header = text.partition("\n\n")
    whole = (
        f"{header}import apps.opentable\n{allow}\ndone when Reserve earlier, ReserveResult(success = true).\n"
    )
    assert lint(load_text(whole)) == ()
    assert {f.code for f in lint(load_text(whole.replace("lint", "note")))} == {"L0002", "L0004", "L0008"}
