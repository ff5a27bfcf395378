"""Shows untrusted text on a terminal: characters that are invisible or control the terminal are escaped.

Source text, screens and models' answers may hold escape sequences, bidirectional controls (which make code read
as something else, CVE-2021-42574) and invisible characters. They are shown as ``<U+202E>``.
"""

import json
import re
import unicodedata
from collections.abc import Iterable

from vsalang.base.records import dataclass
from vsalang.base.source.printable import must_escape

TAB = 4
"""Distance of tab stops."""

_SUSPECT = re.compile(r"[^\n\t -~]")
# as `click.style` writes them; not the one that hides text (8)
_STYLE = re.compile(r"\x1b\[(?:(?:[0-79]|[1-9][0-9])(?:;(?:[0-79]|[1-9][0-9]))*)?m")
_NO_WIDTH = frozenset({"Mn", "Me"})
_MARKS_IN_A_ROW = 8


def escaped(char: str) -> str:
    """The escaped form of a character that must not be printed."""
    return f"<U+{ord(char):04X}>"


def width(char: str) -> int:
    """How many columns a printable character takes: 0 (combining), 1, or 2 (East Asian wide and full width)."""
    if " " <= char <= "~":
        return 1
    if unicodedata.category(char) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def columns(text: str) -> int:
    """How many columns a printable text takes."""
    return len(text) if text.isascii() else sum(map(width, text))


def safe(text: str, limit: int = 2000) -> str:
    """A text for a message: printable, in one line, cut in the middle if it is longer than `limit`."""
    if len(text) > limit:
        text = f"{text[: limit // 2]} … {text[-limit // 2 :]}"
    return "".join(escaped(char) if must_escape(char) else char for char in text)


def unsteered(text: str) -> str:
    """A text of several lines without invisible characters and control sequences, except colours and bold."""
    if not _SUSPECT.search(text):
        return text
    pieces: list[str] = []
    at = 0
    for style in _STYLE.finditer(text):
        pieces += [_printable(text[at : style.start()]), style.group()]
        at = style.end()
    return "".join([*pieces, _printable(text[at:])])


def json_escaped(text: str) -> str:
    """JSON whose characters that must not be printed are written as ``\\uXXXX``."""
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    # outside of strings JSON has only ASCII, and there only line breaks are not printable
    return "".join(json.dumps(char)[1:-1] if char != "\n" and must_escape(char) else char for char in text)


def on_page(value: object) -> object:
    """The value that a template shows: a text becomes `unsteered`, unless it is HTML already."""
    return unsteered(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _printable(text: str) -> str:
    return "".join(escaped(char) if char not in "\n\t" and must_escape(char) else char for char in text)


def safe_lines(text: str, limit: int = 4000) -> list[str]:
    """A text of several lines, each as `safe` makes it; tabs are blanks."""
    return [safe(line, limit) for line in text.expandtabs(TAB).split("\n")]


@dataclass(frozen=True, slots=True)
class Layout:
    """A part of one line as it is printed, and the column of each of its characters.

    Attributes:
        text: what is printed.
        columns: for each code point of the piece, and for its end, the column from 0.
    """

    text: str
    columns: tuple[int, ...]


def layout(piece: str) -> Layout:
    """Lay out a part of one line. Combining marks beyond a limit are escaped."""
    lines: list[str] = []
    columns: list[int] = []
    at = marks = 0
    for char in piece:
        columns.append(at)
        if char == "\t":
            out, step = " " * (TAB - at % TAB), TAB - at % TAB
        elif must_escape(char):
            out = escaped(char)
            step = len(out)
        else:
            out, step = char, width(char)
        marks = marks + 1 if step == 0 else 0
        if marks > _MARKS_IN_A_ROW or (marks and not columns[:-1]):
            out = escaped(char)
            step = len(out)
        lines.append(out)
        at += step
    columns.append(at)
    return Layout("".join(lines), tuple(columns))


def some(names: Iterable[str], most: int = 6) -> str:
    """Names in backquotes, joined by commas and a last ``and``; of many only the first, and the number of the others.

    >>> some(["a", "b"]), some("abcdefghi", 3)
    ('`a` and `b`', '`a`, `b`, `c` and 6 more')
    """
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > most + 1:
        quoted[most:] = [f"{len(quoted) - most} more"]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]


def count(number: int, word: str, words: str = "") -> str:
    """A number of things: ``1 step``, ``2 steps``; `words` where the plural is another word: ``2 policies``."""
    return f"{number} {word if number == 1 else words or f'{word}s'}"
