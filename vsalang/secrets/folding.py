"""Folds texts to bytes, one for each visible character, so that patterns see what a reader sees.

Full-width and other digits become ASCII digits, letters lose their marks, all blanks and dashes are one blank and one
dash, characters that show as nothing are left out. What remains of other scripts is the byte `LETTER` or `OTHER`. RE2
matches bytes without decoding them, and a place in the bytes is a place in the text.
"""

import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from vsalang.core.text import is_invisible

LETTER: Final = "\xff"
"""Stands for a letter that is none of ASCII's, also without its marks."""
OTHER: Final = "\x1f"
"""Stands for any other character."""
END: Final = "\0"
"""Stands between two texts; in a text it is `OTHER`."""


class Folded(NamedTuple):
    """A folded text.

    Attributes:
        data: one byte for each visible character.
        places: where each of these characters stands in the text, and where the text ends; None: at the same place.
    """

    data: bytes
    places: Sequence[int] | None

    def place(self, at: int) -> int:
        """Where in the text the character of a byte stands."""
        return at if self.places is None else self.places[at]

    def end(self, at: int) -> int:
        """Where in the text a match ends that ends before this byte."""
        return at if self.places is None or not at else self.places[at - 1] + 1


_MOST: Final = 20_000


class _Table(dict[int, str]):
    """Character -> what it is folded to; made when a character is met first, and kept for the first `_MOST` of them."""

    def __missing__(self, code: int) -> str:
        folded = _fold(chr(code))
        if len(self) < _MOST:
            self[code] = folded
        return folded


def _fold(char: str) -> str:
    """One character, or none."""
    if char == END:
        return OTHER
    if char < "\x80":
        return char
    if is_invisible(char):
        return ""
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    if category == "Pd" or char == "\u2212":
        return "-"
    if category in ("Zl", "Zp"):
        return "\n"
    first = unicodedata.normalize("NFKD", char)[:1]
    if first < "\x80" and (len(unicodedata.normalize("NFKC", char)) == 1 or first.isalpha()):
        return first
    if category.startswith("M"):
        return ""
    return LETTER if category[0] in "LN" else OTHER


class _WordTable(dict[int, str]):
    """The same, but letters of other scripts stay what they are, and case does not count."""

    def __missing__(self, code: int) -> str:
        folded, char = _TABLE[code], chr(code).lower()
        found = (char if len(char) == 1 else chr(code)) if folded == LETTER else folded.lower()
        if len(self) < _MOST:
            self[code] = found
        return found


_TABLE: Final = _Table()
_WORD_TABLE: Final = _WordTable()


def fold(text: str) -> Folded:
    """A text as bytes. Takes linear time."""
    if text.isascii():
        return Folded(text.replace(END, OTHER).encode("ascii"), None)
    folded = text.translate(_TABLE)
    places = None
    if len(folded) != len(text):
        places = [at for at, char in enumerate(text) if _TABLE[ord(char)]]
        places.append(len(text))
    return Folded(folded.encode("latin-1"), places)


def fold_words(text: str) -> str:
    """A text for the comparison of words: each character stands where `fold` puts it."""
    return text.replace(END, OTHER).lower() if text.isascii() else text.translate(_WORD_TABLE)


def joined(texts: Sequence[str]) -> tuple[bytes, list[Folded], list[int]]:
    """All texts as one row of bytes with `END` between them, each of them, and where in the row each begins."""
    parts = [fold(text) for text in texts]
    starts = [0, *accumulate(len(part.data) + 1 for part in parts)]
    return END.encode().join([part.data for part in parts]), parts, starts
