"""Finds the row of the table of migration hints that applies at the place of a mistake."""

import re
from decimal import Decimal
from typing import Final

from vsalang.base.diagnostics.diagnostic import Diagnostic, Edit, Fix, error
from vsalang.base.source import Source, Span
from vsalang.language.syntax.hints.table import TABLE, Hint
from vsalang.program.spelled_literals import date_literals, which_date

YIELDING: Final = frozenset({"E0109", *(f"E{number:04}" for number in range(136, 151))})
"""Codes of findings that give way to a period missing before the next step of a test, where that is possible too."""

_REACH: Final = 200
"""How far around the place a pattern is looked for, so that the time does not depend on the text's length."""

_UNITS: Final = {"s": "s", "m": "min", "h": "h", "d": "d"}
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "==": "=", "!=": "!="}


def finding(source: Source, start: int, end: int, place: int, expected: frozenset[str]) -> Diagnostic | None:
    """The finding of the first row that applies at `place` of the item from `start` to `end`; None: no row."""
    text = source.text
    low, high = max(start - 3, place - _REACH, 0), min(end, place + _REACH)
    for row in TABLE:
        if row.expects and row.expects.isdisjoint(expected):
            continue
        for match in row.pattern.finditer(text, low, high):
            if match.start() > place:
                break
            if place <= match.end() and (
                "here" not in row.pattern.groupindex or match.start("here") == place
            ):
                return _finding(source, row, match)
    return None


def _finding(source: Source, row: Hint, match: re.Match[str]) -> Diagnostic:
    span = Span(source.file, *match.span("at"))
    words = {name: value or "" for name, value in match.groupdict().items()}
    if "u" in words:
        words["unit"] = _UNITS[words["u"][0]]
    if "h" in words and "m" in words:
        words["minutes"] = str(int(words["h"]) * 60 + int(words["m"]))
    if "t" in words:
        words["t"] = words["t"].strip()
    words["digits"] = words["at"].replace("_", "").replace(",", "")
    if "exp" in words:
        words["number"] = format(Decimal(words["exp"]), "f")
    if "hour" in words:
        hour = int(words["hour"]) % 12 + (12 if words["half"] in "pP" else 0)
        words["clock"] = f"{hour:02}:{words['min'] or '00'}"
    if "low" in words:
        words["lower"] = words["low"].lower()
    if "op1" in words:
        words["flip1"] = _FLIPPED[words["op1"]]
    help_text, certain = _fill(row.help, words), True
    if "date" in words:
        days = date_literals(words["date"])
        words["day"], certain = "".join(days[:1]), len(days) == 1
        help_text = which_date(words["date"], days) or help_text
    fixes: tuple[Fix, ...] = ()
    if row.fix is not None and certain:
        instead = _fill(row.fix, words)
        text = instead.strip()
        fixes = (Fix(f"write `{text}`" if text else "remove it", (Edit(span, instead),)),)
    if not words["at"].strip():  # nothing but blanks: what is written before them is shown
        span = Span(source.file, max(match.start(), span.start - 1), span.start)
    return error(row.code, span, _fill(row.message, words), help=help_text, fixes=fixes)


def _fill(template: str, words: dict[str, str]) -> str:
    """A text of the table with ``{name}`` replaced by what was written; other braces stay."""
    return re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[0]), template)
