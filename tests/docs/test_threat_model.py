"""The threat model names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")


def test_every_attack_names_its_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| **") and line.count("|") == 4]
    attacks = rows[rows.index(next(row for row in rows if "Once more" in row)) :]
    assert len(attacks) > 15
    for row in attacks:
        named = re.findall(r"`(tests/[\w/]+\.py)`", row)
        assert named, row
        for name in named:
            assert re.search(r"def test_|TestCase", (ROOT / name).read_text("utf-8")), name
