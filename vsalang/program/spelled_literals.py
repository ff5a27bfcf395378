"""Dates, times and truth values in other spellings, as the language writes them: for fixes in source text."""

import datetime as dt
import re
from typing import Final

from vsalang.base.source.suggest import nearest
from vsalang.program.dates import date, time
from vsalang.program.readers import boolean

_DAYS: Final = {"today": "today", "tomorrow": "today + 1d", "yesterday": "today - 1d"}
_OTHER_MARK: Final = re.compile(r"([0-9]{1,2})(?:[.hH]([0-9]{2})|[hH])")


def date_literals(text: str) -> tuple[str, ...]:
    """The dates that a text may write: one, or two where it does not say whether the day or the month comes first.

    A text with a time of day is not a date: the time would be lost.

    >>> date_literals("24.12.2026"), date_literals("03/04/2026"), date_literals("tomorrow"), date_literals("soon")
    (('2026-12-24',), ('2026-04-03', '2026-03-04'), ('today + 1d',), ())
    """
    if word := _DAYS.get(text.strip().casefold()):
        return (word,)
    if ":" in text:
        return ()
    if (only := date(text, None)) is not None:
        return (only.isoformat(),)
    readings = [date(text, None, order) for order in ("dmy", "mdy")]
    return tuple(dict.fromkeys(day.isoformat() for day in readings if isinstance(day, dt.date)))


def which_date(text: str, literals: tuple[str, ...]) -> str:
    """The question which of two dates a text means; empty if it means one, or none."""
    if len(literals) != 2:
        return ""
    day_first, month_first = literals
    return f"`{text}` may be {day_first} (the day first) or {month_first} (the month first): write which"


def time_literal(text: str) -> str:
    """The time of day that a text writes; empty if it writes none.

    >>> time_literal("7pm"), time_literal("7:05"), time_literal("19.30"), time_literal("19h"), time_literal("seven")
    ('19:00', '07:05', '19:30', '19:00', '')
    """
    if match := _OTHER_MARK.fullmatch(text.strip()):
        text = f"{match[1]}:{match[2] or '00'}"
    read = time(text)
    return "" if read is None else read.isoformat("seconds" if read.second else "minutes")


def bool_literal(text: str) -> str:
    """``true`` or ``false``, if a text says that or is one of the two words misspelt; else empty.

    >>> bool_literal("yes"), bool_literal("flase"), bool_literal("ture"), bool_literal("maybe")
    ('true', 'false', 'true', '')
    """
    read = boolean(text)
    if read is not None:
        return "true" if read else "false"
    near = nearest(text.strip(), ("true", "false"))
    return near[0] if len(near) == 1 else ""
