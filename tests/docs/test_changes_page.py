"""The page of changes has each change of meaning that `vsac journal replay` names, in its words."""

import re
from pathlib import Path

from vsalang.program.meaning import CHANGES, SEMANTICS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "changes.md"


def test_every_change_of_meaning_has_a_section() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"version {SEMANTICS}" in text
    sections = dict(re.findall(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    for change in CHANGES:
        first = re.sub(r"[\W_]+", " ", sections[change.name]).lower()
        assert first.strip().startswith(re.sub(r"[\W_]+", " ", change.words).lower()), change.name
