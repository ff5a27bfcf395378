"""The form in which texts are equal but for case, blanks and punctuation.

Marks that change what a text says are not punctuation: the point of .5, the minus of "- 5", the brackets of "($5)", the
sign of 5 %, the marks inside ``john.doe``, ``@john_doe`` and ``https://a.b/c``. Between two words a blank counts; a
hyphen may be one or nothing.
"""

import re
import unicodedata
from typing import Final

from vsalang.program.text import canonical, plain

_OTHER_SHAPES: Final = (
    "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070\u2074-\u2079\u2080-\u2089\u2150-\u215f\u2189\u2460-\u249b\u24ea"
    "\u3220-\u3229\u3248-\u324f\u3251-\u325f\u3280-\u3289\u32b1-\u32bf\U0001f100-\U0001f10a"
)
"""Numbers that a normal form writes as plain digits: superscript, circled, with a point, fractions."""
_SHAPED: Final = re.compile(f"([{_OTHER_SHAPES}]+)")

COUNTED: Final = {
    plural: one
    for one in (
        "adult guest passenger traveler traveller room night day week month year ticket item piece egg bottle cup pack "
        "package bag seat bed photo message star mile kilometer meter gram ounce pound step page song apple banana "
        "orange can slice serving person visitor user file"
    ).split()
    for plural in (f"{one}s",)
} | {"children": "child", "people": "person", "boxes": "box", "copies": "copy", "loaves": "loaf"}
"""Plurals of what is counted, with their singular."""


def normal(text: str) -> str:
    """The text in the normal form NFKC, but 5² is not 52, and ⑤ not 5."""
    if text.isascii():
        return text
    if not _SHAPED.search(text):
        return unicodedata.normalize("NFKC", text)
    parts = _SHAPED.split(text)
    return "".join(
        unicodedata.normalize("NFKC", part) if at % 2 == 0 else part for at, part in enumerate(parts)
    )


# ---- units whose case counts ---------------------------------------------------------------------

_UNIT: Final = re.compile(
    r"(?<=[0-9])( ?)(m|mg|mm|mw|mv|ma|mj|mn|mhz|[kmgtp]b|[kmgtp]bit|[kmgtp]bps)(?![^\W_])", re.IGNORECASE
)
_CAPITAL: Final = "\u2191"


def _unit(match: re.Match[str]) -> str:
    """A unit with its capitals marked: 5 Mg is a billion times 5 mg, and eight Gb are one GB."""
    unit = match[2]
    first = f"M{_CAPITAL}" if unit[0] == "M" else unit[0]
    return match[1] + first + unit[1:].replace("B", f"B{_CAPITAL}")


def compatible(text: str) -> str:
    """The text in its normal form and without case, without invisible characters, canonical."""
    text_plain = plain(normal(canonical(text)))
    return plain(normal(_UNIT.sub(_unit, text_plain).casefold()))


# ---- marks that change a number ------------------------------------------------------------------

_SIGNS: Final = r"$\u20ac\u00a3\u00a5\u20b9"
_CODES: Final = "usd|eur|gbp|inr|cad|aud|jpy|chf"
_COUNT: Final = "|".join({*COUNTED, *COUNTED.values()})
_MINUS: Final = re.compile(
    rf"(?:^\s*|(?<=[^\d\s])\s+)-\s+(?=(?:[{_SIGNS}]|(?:{_CODES})(?![a-z]))?\s?\d)"
    rf"(?!\d+ (?:{_COUNT})(?!\w)|\d{{4}}-\d{{2}}-\d{{2}}(?!\w))"
)
_BRACKET: Final = re.compile(
    rf"\((?=(?:[{_SIGNS}]|[a-z]{{3}}(?![a-z]))?\s?\d[\d.,']*\s?(?:[{_SIGNS}%]|[a-z]{{3}}(?![a-z]))?\))"
)
_POINT: Final = re.compile(r"(?<![^\W_])(?<![.,\u00b7])[.,\u00b7]\s*(?=\d)")
_PRIME: Final = re.compile(r"(?<=\d)['\"]")
_PRIMES: Final = {"'": "\u2223", '"': "\u2225"}
_POINTS: Final = {".": "\u2219", "\u00b7": "\u2219", ",": "\u2218"}


def signed(text: str) -> str:
    """A compatible text whose marks that change a number are symbols, directly at that number.

    A minus with blanks around it may also be a dash: it is none only before a date or counted things.
    """
    if "-" in text:
        text = _MINUS.sub(lambda match: (" " if match.start() else "") + "\u2212", text)
    if "(" in text:
        text = _BRACKET.sub("\u2296", text)
    text = _POINT.sub(lambda match: _POINTS[match.group()[0]], text)
    if "'" in text or '"' in text:
        # of feet and inches; two are quotes
        open_ = {mark for mark in _PRIMES if text.count(mark) % 2}
        text = _PRIME.sub(
            lambda match: _PRIMES[match.group()] if match.group() in open_ else match.group(), text
        )
    return text


# ---- folding -------------------------------------------------------------------------------------

_GRADE: Final = re.compile(r"(?<!\w)([^\W\d_])([#-])(?!\w)")
_GRADES: Final = {"#": "\u266f", "-": "\u2212"}
"""What "C#" and the grade "A-" have after their letter is not punctuation."""
_SHARE: Final = re.compile(r"(?<=\d)(\s?)([%\u2030\u2031#/])(?!\w)")
_SHORTENED: Final = re.compile(r"(?<=[^\W\d_])'(?=(?:ll|re|ve|d|m)(?!\w))")
"""We'll is not "well", and we're not "were"."""
_SHARES: Final = {"%": "\u2298", "\u2030": "\u2299", "\u2031": "\u229a", "#": "\u266f", "/": "\u2215"}
_AROUND: Final = ".,;:!?\"'()[]{}<>|*\u2026\u00b7\u2022\u00bf\u00a1"
_ROW: Final = re.compile(r"\S+")
_DOTTED: Final = re.compile(r"[^\W_]\.[^\W\d_]")
_TWO_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_INSIDE: Final = str.maketrans(
    {
        ".": "\u2219", "-": "\u2212", "_": "\u23b5", "@": "\u229b", "/": "\u2215", ":": "\u2236", "\\": "\u2216",
        "?": "\u22c4", "&": "\u22c0", "%": "\u2298", "#": "\u266f", ",": "\u2218", "!": "\u22c6", ";": "\u22c5",
        "'": "\u2223", '"': "\u2225", "*": "\u2217",
    }
)  # fmt: skip


def identifies(row: str) -> bool:
    """Whether a row of characters is one name (address, file, user): its marks belong to it, unlike those of p.m."""
    if not _TWO_LETTERS.search(row):
        return "@" in row and any(map(str.isalpha, row))
    return any(mark in row for mark in "@_/\\") or _DOTTED.search(row) is not None


def _identifier(match: re.Match[str]) -> str:
    row = match.group()
    left = len(row) - len(row.lstrip(_AROUND))
    inside = row.strip(_AROUND)
    if not identifies(inside):
        return row
    return row[:left] + inside.translate(_INSIDE) + row[left + len(inside) :]


_MEANT: Final = "\u204f"
_ANSWER: Final = re.compile(
    r"(?<!\w)((?:no|nope|not|never|yes|yeah|ok|okay|nein|nicht|ja|non|oui|s[ií]|\w+n't)(?!\w))"
    r"(?:\s*[,;:!?\u2026]+\s*(?=[^\W_])|\.+\s+(?=[^\W\d_])|\s+-+\s+(?=[^\W\d_]))",
    re.IGNORECASE,
)
_BETWEEN_NAMES: Final = re.compile(
    r"(?<!\w)([^\W\d_])(\w*(?:['.-]\w+)*)(?:\s*[,;|\u2022\u00b7\u3001]\s*|\s+[-/]+\s+)(?=([^\W\d_]))"
    r"(?![A-Z]{3}-?[0-9])"
)
PARTED: Final = "\ue000"
"""In a folded text: here it was parted by punctuation."""
PARTED_IN_MEANING: Final = "\ue001"
"""In a folded text: here it was parted by punctuation, without which it says something else."""


def meant(text: str) -> str:
    """A canonical text with a mark for punctuation that changes who or what is meant.

    It is that after an answer or a negation ("No, delete it") and that between two names ("Ann, Bob").
    """
    if text.isalnum():
        return text
    text = _ANSWER.sub(rf"\1 {_MEANT} ", text)
    return _BETWEEN_NAMES.sub(_named, text)


def _named(match: re.Match[str]) -> str:
    if match[1].islower() or match[3].islower():
        return match.group()
    return f"{match[1]}{match[2]} {_MEANT} "


def parted(text: str, hyphen: str = "") -> str:
    """As `fold`, with marks where punctuation parts the text: `PARTED`, `PARTED_IN_MEANING`."""
    return _fold(meant(canonical(text)), hyphen, marks=True)


def fold(text: str, hyphen: str = "") -> str:
    """A text without what does not count: case, punctuation, blanks but for one between words.

    Args:
        text: the text.
        hyphen: what is in place of a hyphen between two letters: nothing, or a blank.
    """
    return _fold(text, hyphen, marks=False)


def _fold(text: str, hyphen: str, *, marks: bool) -> str:
    text_shown = _GRADE.sub(lambda match: match[1] + _GRADES[match[2]], compatible(text))
    text_shown = _SHARE.sub(lambda match: _SHARES[match[2]], signed(text_shown))
    if "'" in text_shown:
        text_shown = _SHORTENED.sub("\u2223", text_shown)
    if any(mark in text_shown for mark in "._@/\\"):
        text_shown = _ROW.sub(_identifier, text_shown)
    kept: list[str] = []
    skipped: list[str] = []  # blanks and punctuation since the last character kept
    for char in text_shown:
        if _is_blank(char) or unicodedata.category(char)[0] == "P":
            skipped.append(char)
            continue
        if skipped and kept:
            between = "".join(skipped)
            before = kept[-1]
            if marks and (mark := _mark(between)):
                kept.append(mark)
            kept.append(_between(between, before, char, hyphen))
        elif skipped and is_digit(char) and skipped[-1] == "-":
            kept.append("-")
        skipped.clear()
        kept.append(char)
    return "".join(kept)


def _mark(skipped: str) -> str:
    """How blanks and punctuation part a text."""
    if _MEANT in skipped:
        return PARTED_IN_MEANING
    return "" if skipped.isspace() or skipped in ("-", "'") else PARTED


def _between(skipped: str, left: str, right: str, hyphen: str) -> str:
    """What is left of blanks and punctuation between two characters."""
    if is_digit(right):
        if is_digit(left):
            return " ".join(skipped.split()) or " "
        return "-" if skipped.endswith("-") and (len(skipped) > 1 or not left.isalnum()) else ""
    if not (left.isalpha() and right.isalpha()) or left >= _EAST or right >= _EAST:
        return ""
    if skipped == "-":
        return hyphen
    return "" if skipped in ("'", ".") else " "


_EAST: Final = "\u2e80"
"""From here on are scripts that are written without blanks."""


def is_digit(char: str) -> bool:
    """Whether a character is a number."""
    return unicodedata.category(char)[0] == "N"


def _is_blank(char: str) -> bool:
    return char.isspace() or unicodedata.category(char)[0] in "ZC"
