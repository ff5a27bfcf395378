"""The pages of the documentation: those of the repository, and those that are generated."""

from functools import cache
from pathlib import Path

from scripts import generate

DOCS = Path(__file__).resolve().parents[1] / "docs"


@cache
def pages() -> dict[Path, str]:
    """Where each page stands in a whole documentation -> its text."""
    found = {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    made = {DOCS / name: text for name, text in generate.pages().items()}
    return dict(sorted({**found, **made}.items()))
