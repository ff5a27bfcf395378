"""The patterns that OS-Sentinel published, for comparison: its matches on a page are those of Python's ``re``.

Source: OS-Sentinel (arXiv 2510.24411), its rule verifier: the texts of a screen joined by blanks; the risk is 0.5 for
each match of four patterns and 0.2 for each word of a lexicon that occurs anywhere. Its pattern of telephone numbers
takes exponential time with backtracking; RE2 matches it in linear time. RE2 knows ``\\d``, ``\\s`` and ``\\b`` of ASCII
only, so the classes are written out as Python has them for texts, and whole words are told apart here.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vsalang.screen.secrets.lexicon import Lexicon

PageKind: TypeAlias = Literal["email", "password", "number", "phone", "word"]

PUBLISHED: Final = {
    "email": r"[a-zA-Z0-9_.+-]+@[a-zA-Z0-9-]+\.[a-zA-Z0-9-.]+",
    "password": r"(?:password|pass|pwd|passwd)\s*[:=]\s*([^\s,;]+)",
    "number": r"\b\d{13,19}\b",
    "phone": r"\+?\d{1,4}[\s-]?(?:\(?\d{1,4}\)?[\s-]?)*\d{4,10}",
}
"""The patterns as published, for Python's ``re`` with ``IGNORECASE``."""

_BLANK: Final = r"\t-\r\x1c-\x1f\x{85}\p{Z}"
_AZ: Final = r"a-zA-Z\x{130}\x{131}"
"""Without regard to case, ``[a-z]`` of Python also has the Turkish i with and without its dot."""
_RE2: Final = {
    "email": rf"[{_AZ}0-9_.+-]+@[{_AZ}0-9-]+\.[{_AZ}0-9-.]+",
    "password": rf"(?:password|pass|pwd|passwd)[{_BLANK}]*[:=][{_BLANK}]*([^{_BLANK},;]+)",
    "phone": rf"\+?\p{{Nd}}{{1,4}}[{_BLANK}-]?(?:\(?\p{{Nd}}{{1,4}}\)?[{_BLANK}-]?)*\p{{Nd}}{{4,10}}",
}
_WORD: Final = r"[\p{L}\p{N}_]*\p{Nd}{13}[\p{L}\p{N}_]*"
_NUMBER: Final = r"\p{Nd}{13,19}"


class PageMatch(NamedTuple):
    """A match on a page: the pattern's name, which match of it from 1, and what it matched."""

    kind: PageKind
    nth: int
    value: str


@cache
def _compiled() -> dict[str, Any]:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    sources = {**_RE2, "word": _WORD, "digits": _NUMBER}
    return {name: re2.compile(source.encode(), options) for name, source in sources.items()}


def published(page: str, lexicon: Lexicon | None = None) -> Iterator[PageMatch]:
    """The matches of the published patterns, and the words of the lexicon that occur anywhere, case counting.

    Args:
        page: the texts of a screen, joined by blanks.
        lexicon: the words; the published ones are not part of vsalang.
    """
    patterns, data = _compiled(), page.encode("utf-8", "replace")
    for kind in ("email", "password", "phone"):
        for nth, match in enumerate(patterns[kind].finditer(data), 1):
            yield PageMatch(kind, nth, match.group().decode("utf-8"))
    nth = 0
    for match in patterns["word"].finditer(data):
        if patterns["digits"].fullmatch(match.group()) is not None:
            nth += 1
            yield PageMatch("number", nth, match.group().decode("utf-8"))
    for nth, word in enumerate(lexicon.parts(page) if lexicon is not None else (), 1):
        yield PageMatch("word", nth, word)
