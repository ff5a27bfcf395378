"""The one form of every text: how texts are folded, so that comparing them is plain equality.

Texts that enter (cells of the world, literals of programs, parameters of actions) pass through `canonical`
once. From then on ``=`` is ``==`` and joins are exact. The other foldings are made from canonical texts when
asked for.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from vsalang.base.source.printable import must_escape

_SINGLE_QUOTES: Final = "\u2018\u2019\u201a\u201b\u2039\u203a\u02bc"
_DOUBLE_QUOTES: Final = "\u201c\u201d\u201e\u201f\u00ab\u00bb"
_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
# Unicode's category Zs without U+0020; the set has not changed since Unicode 6.3.
_SPACES: Final = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)

_FOLDING: Final = (
    dict.fromkeys(map(ord, _SINGLE_QUOTES), "'")
    | dict.fromkeys(map(ord, _DOUBLE_QUOTES), '"')
    | dict.fromkeys(map(ord, _DASHES), "-")
    | dict.fromkeys(map(ord, _SPACES), " ")
)
_FOLDED: Final = re.compile(f"[{re.escape(''.join(map(chr, _FOLDING)))}]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# Default_Ignorable_Code_Point of the Unicode Character Database (DerivedCoreProperties.txt): what shows as
# nothing.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
LIKE_BREAKS: Final = r"\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
"""What editors show as the end of a line though it is not one: only a line feed, or a carriage return and one, is."""
TURNS: Final = "[\u202a-\u202e\u2066-\u2069]"
"""What turns the direction of what follows it on its line (UAX #9, explicit formatting characters)."""
MARKS: Final = "[\u061c\u200e\u200f]"
"""What changes the direction of what is next to it, as a letter would (UAX #9, implicit directional marks)."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?![a-z])")
_WORD: Final = re.compile(r"[^\W_]+")

_JOINER: Final = "\u034f"  # COMBINING GRAPHEME JOINER
_MARKS_IN_A_ROW: Final = 30


def canonical(text: str) -> str:
    """The text in normal form C, with typographic quotes, dashes and spaces as their ASCII counterparts.

    Line breaks (CR, LF, NEL, LS, PS) and tabs are not spaces and stay as they are. A lone surrogate, which is
    not a character, becomes U+FFFD, so that every canonical text can be written as UTF-8. In long texts, rows
    of more than 30 combining marks are parted by U+034F ("Stream-Safe Text Format", UAX #15 section 13),
    because putting such a row in order takes quadratic time. Idempotent.
    """
    if text.isascii():
        return text
    if _SURROGATE.search(text):
        text = _SURROGATE.sub("\ufffd", text)
    if len(text) > 1000:
        text = _stream_safe(text)
    text = unicodedata.normalize("NFC", text)
    if _FOLDED.search(text):
        text = text.translate(_FOLDING)
    return text


@lru_cache(maxsize=4096)
def _marks(char: str) -> tuple[bool, int]:
    """Whether the character starts a new one, and how many combining marks its decomposition ends in."""
    decomposed = unicodedata.normalize("NFD", char)
    count = 0
    for part in reversed(decomposed):
        if not unicodedata.combining(part):
            return True, count
        count += 1
    return False, count


def _stream_safe(text: str) -> str:
    parts: list[str] = []
    row = begin = 0
    for index, char in enumerate(text):
        if char < "\u00c0":
            row = 0
            continue
        starts, marks = _marks(char)
        if starts:
            row = marks
        elif row + marks > _MARKS_IN_A_ROW:
            parts.append(text[begin:index])
            begin = index
            row = marks
        else:
            row += marks
    if not parts:
        return text
    parts.append(text[begin:])
    return _JOINER.join(parts)


def fold_case(text: str) -> str:
    """The text as ``contains`` compares it: canonical, and without distinctions of case."""
    if text.isascii():
        return text.lower()
    return canonical(canonical(text).casefold())


def lower(text: str) -> str:
    """The text in lower case, canonical."""
    return text.lower() if text.isascii() else canonical(canonical(text).lower())


def one_line(text: str) -> str:
    """The text on one line, canonical: each row of blanks, tabs and line breaks is one blank, none at the ends."""
    return " ".join(canonical(text).split())


def plain(text: str) -> str:
    """The text as a reader of values sees it: canonical, without invisible characters, blanks at both ends
    removed.

    Invisible are zero-width characters, bidirectional marks, byte-order marks, soft hyphens, variation
    selectors: all that Unicode calls default ignorable. Line breaks and tabs inside stay; they are not blanks.
    """
    if not text.isascii():
        text = canonical(_INVISIBLE.sub("", text))
        text = _INVISIBLE.sub("", text)  # a joiner that `canonical` put in
    return text.strip(" \t\r\n")


def is_invisible(char: str) -> bool:
    """Whether a character shows as nothing: one that Unicode calls default ignorable."""
    return _INVISIBLE.match(char) is not None


class Word(NamedTuple):
    """A word of a text: its case-folded form and its place."""

    folded: str
    start: int
    end: int


def words(text: str) -> Iterator[Word]:
    """The words of a text in order: unbroken rows of letters and digits."""
    for match in _WORD.finditer(text):
        yield Word(fold_case(match.group()), match.start(), match.end())


_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_SHOWN_AS_CODE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def quote(text: str) -> str:
    """A text as a string of the language.

    What does not print, or would turn the writing direction of the source, is written as an escape, so that the string
    looks like what it is: control characters, invisible ones, unassigned ones, halves of surrogate pairs.
    """
    return printable(json.dumps(text, ensure_ascii=False))


def printable(text: str) -> str:
    """A text without quotes, what does not print in it as an escape: see `quote`."""
    return "".join(_json_escape(char) if must_escape(char) else char for char in text)


def comment(text: str) -> str:
    """A text as one line of a comment: nothing in it can end the line."""
    return quote(text)[1:-1].replace('\\"', '"')


def _json_escape(char: str) -> str:
    """JSON's escape: two of them beyond the basic plane."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def safe(text: str, limit: int = 80) -> str:
    """Untrusted text as it may be shown in a message: in double quotes, on one line, at most `limit` characters
    long.

    Control, invisible, private and unassigned characters and lone surrogates are written as codes
    (``\\u{200B}``), quotes and backslashes escaped, every kind of space as a blank, so that the text can
    neither end its quotation nor move, hide or colour what is around it. A text that was cut ends in
    ``…`` inside its quotes.

    Args:
        text: any string.
        limit: the greatest number of characters between the quotes, at least 1.
    """
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{_cut_plain(text, limit)}"'  # as most are: each character shows as itself
    return '"' + _cut((_visible(char) for char in text), limit) + '"'


def line(text: str, limit: int = 400) -> str:
    """A sentence that may hold untrusted text (quoted by `safe`), as one printable line: like `safe`, but
    without quotes around it, and with quotes and backslashes as they are.
    """
    if text.isascii() and text.isprintable():
        return _cut_plain(text, limit)
    return _cut((char if char in '"\\' else _visible(char) for char in text), limit)


def first_sentence(doc: str) -> str:
    """A description as a part of a sentence: its first sentence, without the period."""
    first = _SENTENCE.split(doc.strip(), maxsplit=1)[0].rstrip(".").rstrip()
    return doc if first == doc else first  # a text that can be translated stays one


def join(parts: Sequence[str], word: str = "and") -> str:
    """Parts of a sentence in a row: ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def _cut_plain(text: str, limit: int) -> str:
    """`_cut` of a text of which each character shows as itself."""
    limit = max(limit, 1)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _cut(pieces: Iterable[str], limit: int) -> str:
    limit = max(limit, 1)
    kept_pieces: list[str] = []
    length = 0
    for piece in pieces:
        kept_pieces.append(piece)
        length += len(piece)
        if length > limit:
            while length > limit - 1:
                length -= len(kept_pieces.pop())
            kept_pieces.append("…")
            break
    return "".join(kept_pieces)


def _visible(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if " " <= char < "\x7f":
        return char
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    if category in _SHOWN_AS_CODE or _INVISIBLE.match(char):
        return f"\\u{{{ord(char):04X}}}"
    return char
