"""Decides which characters may be printed as they are."""

import unicodedata
from typing import Final

_ESCAPED: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
# the Hangul fillers are letters by category, and invisible
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0")


def must_escape(char: str) -> bool:
    """Whether a character would be invisible or control the terminal."""
    if " " <= char <= "~":
        return False
    return char in _BLANK_LETTERS or unicodedata.category(char) in _ESCAPED
