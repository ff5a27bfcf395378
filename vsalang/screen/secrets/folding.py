"""Folds texts to bytes, one for each visible character, so that patterns see what a reader sees.

Full-width and other digits become ASCII digits, letters lose their marks, each blank (also a tabulator) is one blank
and each dash one dash, characters that show as nothing are left out. What remains of other scripts is the byte `LETTER`
or `OTHER`. RE2 matches bytes without decoding them, and a place in the bytes is a place in the text.
"""

import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from vsalang.program.text import is_invisible

LETTER: Final = "\xff"
"""Stands for a letter outside of ASCII, also without its marks."""
OTHER: Final = "\x1f"
"""Stands for any other character."""
END: Final = "\0"
"""Stands between two texts; in a text it is `OTHER`."""


class FoldedText:
    """A folded text.

    Args:
        text: the text.
        data: one byte for each visible character.
        same: whether each byte stands where its character does.
    """

    __slots__ = ("_places", "data", "same", "text")

    def __init__(self, text: str, data: bytes, same: bool) -> None:
        self.text = text
        self.data = data
        self.same = same
        self._places: list[int] | None = None

    def place(self, at: int) -> int:
        """Where in the text the character of a byte stands."""
        return at if self.same else self._all()[at]

    def end(self, at: int) -> int:
        """Where in the text a match ends that ends before this byte."""
        return at if self.same or not at else self._all()[at - 1] + 1

    def visible(self, begin: int, end: int) -> str:
        """The characters of some bytes, without what does not show between them."""
        if self.same:
            return self.text[begin:end]
        return "".join(self.text[at] for at in self._all()[begin:end])

    def _all(self) -> list[int]:
        """Where each character stands, and where the text ends; only a text with findings needs it."""
        if self._places is None:
            self._places = [at for at, char in enumerate(self.text) if _TABLE[ord(char)]]
            self._places.append(len(self.text))
        return self._places


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
        return " " if char == "\t" else char
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
        letter = (char if len(char) == 1 else chr(code)) if folded == LETTER else folded.lower()
        if len(self) < _MOST:
            self[code] = letter
        return letter


_TABLE: Final = _Table()
_WORD_TABLE: Final = _WordTable()


def fold(text: str) -> FoldedText:
    """A text as bytes. Takes linear time."""
    if text.isascii():
        return FoldedText(text, text.replace(END, OTHER).replace("\t", " ").encode("ascii"), True)
    folded = text.translate(_TABLE)
    return FoldedText(text, folded.encode("latin-1"), len(folded) == len(text))


def fold_words(text: str) -> str:
    """A text for the comparison of words: each character stands where `fold` puts it."""
    return text.replace(END, OTHER).lower() if text.isascii() else text.translate(_WORD_TABLE)


def joined(texts: Sequence[str]) -> tuple[bytes, list[int]]:
    """All texts as one row of bytes with `END` between them, and where in the row each begins."""
    row = END.join(texts)
    if _is_plain(row, texts):
        return row.replace("\t", " ").encode("ascii"), [0, *accumulate(len(text) + 1 for text in texts)]
    parts = [fold(text).data for text in texts]
    return END.encode().join(parts), [0, *accumulate(len(part) + 1 for part in parts)]


def joined_words(texts: Sequence[str]) -> str:
    """The same for the comparison of words."""
    row = END.join(texts)
    return row.lower() if _is_plain(row, texts) else END.join(map(fold_words, texts))


def _is_plain(row: str, texts: Sequence[str]) -> bool:
    """Whether joined texts, as those of most screens, are ASCII and hold no `END` of their own."""
    return row.isascii() and row.count(END) == max(0, len(texts) - 1)
