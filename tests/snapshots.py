"""Texts as they should be, in `tests/golden`; ``UPDATE_GOLDEN=1 pytest ...`` writes them: read the difference."""

import os
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent / "golden"


def golden(text: str, name: Path | str) -> None:
    """Compare a text with a file, or write the file.

    Args:
        text: what there is now.
        name: of the file, in `tests/golden`; another place as a whole path.
    """
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), "is it right? then UPDATE_GOLDEN=1 writes it"
