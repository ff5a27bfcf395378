"""The page of std.secrets shows the tables of texts as they are."""

import sys
from pathlib import Path


def test_secrets_page_is_fresh() -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
    try:
        from secrets_page import PAGE, page
    finally:
        sys.path.pop(0)
    assert PAGE.read_text(encoding="utf-8") == page(), "run scripts/secrets_page.py"
