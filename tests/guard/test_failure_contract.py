"""The failure contract: every row of docs/reference/failures.md has a test that makes it fail."""

import re
from pathlib import Path

from tests.guard import test_failures_acting, test_failures_judging
from tests.guard.contract import ROWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "failures.md"
MODULES = (test_failures_judging, test_failures_acting)
"""Where the tests of the rows stand."""


def test_every_row_has_a_test_and_conversely() -> None:
    stated = re.findall(r"^\| `([\w-]+)` \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert len(stated) == len(set(stated)) > 20
    assert set(stated) == set(ROWS)
    for test in (test for tests in ROWS.values() for test in tests):
        assert test.__name__.startswith("test_")
        assert any(getattr(module, test.__name__, None) is test for module in MODULES)


def test_every_row_says_everything() -> None:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| `", line):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == 5
            assert all(cells) or cells[0] == "`killed`"  # a guard that is dead answers nothing
