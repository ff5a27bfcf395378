"""Texts of screens as certificates hold and show them: they cannot end their line, their quotes, or look like another.

Control characters, marks of the writing direction and what shows as nothing are removed, each row of blanks and line
breaks is one blank, and long texts are cut. What is shown in a line stands in double quotes, its own escaped.
"""

from typing import Final

from vsalang.base.source.printable import must_escape
from vsalang.program.text import one_line, plain, safe

LONGEST: Final = 200
"""So many characters of a text are kept."""
SHORTEST: Final = 60
"""So many are shown in the short form."""


def clean(text: str | None, limit: int = LONGEST) -> str:
    """The text on one line without what does not show, at most `limit` characters long; a cut one ends in ``…``."""
    if not text:
        return ""
    if text.isascii() and text.isprintable() and len(text) <= limit:
        return " ".join(text.split())
    # what is far beyond the limit is not looked at: a screen may hold megabytes
    printable = "".join(char for char in one_line(plain(text[: 4 * limit])) if not must_escape(char))
    return printable if len(printable) <= limit and len(text) <= 4 * limit else printable[: limit - 1] + "…"


def quoted(text: str, limit: int = SHORTEST) -> str:
    """A clean text in quotes."""
    return safe(text, limit)
