"""Write the tables of texts in docs/reference/stdlib/secrets.md from vsalang/screen/secrets/examples.toml.

.venv/bin/python scripts/secrets_page.py
"""

import tomllib
from pathlib import Path

from vsalang.program.text import printable

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "stdlib" / "secrets.md"
_BEGIN, _END = "<!-- tables: written by scripts/secrets_page.py -->\n", "<!-- end of the tables -->\n"


def page() -> str:
    """The whole page, with fresh tables."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{_tables()}{_END}{after}"


def _tables() -> str:
    source = (ROOT / "vsalang" / "screen" / "secrets" / "examples.toml").read_text(encoding="utf-8")
    parts = []
    for kind, rows in tomllib.loads(source).items():
        found = [f"| {_row_text(row)} | {_code(row['value'])} |" for row in rows if "value" in row]
        none = ", ".join(_row_text(row) for row in rows if "value" not in row)
        table = "\n".join(["| text | value |", "|---|---|", *found])
        parts.append(f"\n### {kind}\n\n{table}\n\nNone of this kind: {none}.\n")
    return "".join(parts) + "\n"


def _row_text(row: dict[str, str]) -> str:
    words = [_code(row["text"])]
    if "label" in row:
        words.append(f"in {'a field' if row.get('entered') else 'what is'} called {_code(row['label'])}")
    if "before" in row:
        words.append(f"after {_code(row['before'])}")
    return " ".join(words)


def _code(text: str) -> str:
    return "`" + printable(text.replace("\n", "\\n")).replace("|", "\\|") + "`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
