"""Whether two words differ by one letter: one more, one less, another one, or two neighbours exchanged."""

import unicodedata
from typing import Final

SHORTEST: Final = 5
"""Shorter words are never taken for one another: too many of them differ by one letter."""


def one_edit(one: str, other: str) -> bool:
    """Whether one edit makes the one word the other (Damerau-Levenshtein distance 1), and no more is at stake.

    Both have at least `SHORTEST` letters, nothing but letters, and the same first and last one. Words that differ by an
    accent are two words.
    """
    if min(len(one), len(other)) < SHORTEST or not (one.isalpha() and other.isalpha()):
        return False
    if one[0] != other[0] or one[-1] != other[-1] or _bare(one) == _bare(other):
        return False
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1:
        return False
    at = next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at + 1 : at + 2] + one[at] + one[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or swapped == other[at:]


def _bare(word: str) -> str:
    """The letters without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
