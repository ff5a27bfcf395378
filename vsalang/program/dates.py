"""Dates, times of day and durations as texts write them, for the readers of `vsalang.program.readers`.

The words of a language (months, weekdays, ...) are data, `Words`, so that another language is another table.
"""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.text import fold_case, plain

_LONGEST: Final = 100
"""No date, time or duration is written in more characters than this."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words by which one language writes dates, durations and truth; all case-folded.

    Attributes:
        months: name to 1..12.
        weekdays: name to 0 (Monday) .. 6.
        days: words such as "tomorrow" to the distance from today, in days.
        ordinals: what may follow the day of the month directly ("st").
        units: unit of a duration to seconds.
        shared_units: units that also mean something else; read only next to another unit.
        joints: what may be between the parts of a duration.
        truth: words for true and false.
        links: what may be before the month and before the year ("1 de julio de 2023").
        hours: what may be between hour and minute in place of the colon, or after the hour ("19h05", "19 Uhr").
        after_time: what may follow a time ("19:05 Uhr").
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    ordinals: frozenset[str]
    units: Mapping[str, int]
    shared_units: frozenset[str]
    joints: frozenset[str]
    truth: Mapping[str, bool]
    links: frozenset[str] = frozenset()
    hours: frozenset[str] = frozenset()
    after_time: frozenset[str] = frozenset()


def numbered(names: str, first: int) -> dict[str, int]:
    """Each blank-separated entry, a name with its abbreviations after ``/``, to its number."""
    return {
        spelling: number for number, entry in enumerate(names.split(), first) for spelling in entry.split("/")
    }


ENGLISH: Final = Words(
    months=numbered(
        "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept "
        "october/oct november/nov december/dec",
        1,
    ),
    weekdays=numbered(
        "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday/sat "
        "sunday/sun",
        0,
    ),
    days={"yesterday": -1, "today": 0, "tomorrow": 1},
    ordinals=frozenset({"st", "nd", "rd", "th"}),
    units=dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1)
    | dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60)
    | dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600)
    | dict.fromkeys(("d", "day", "days"), 86400)
    | dict.fromkeys(("week", "weeks"), 7 * 86400),
    shared_units=frozenset({"m"}),
    joints=frozenset({",", "and"}),
    truth={"true": True, "false": False, "on": True, "off": False, "yes": True, "no": False},
)


def _prepared(text: str) -> str | None:
    """The text folded for comparing, with single blanks; None if it is too long to be read."""
    if len(text) > _LONGEST:
        return None
    return re.sub(" +", " ", fold_case(plain(text)))


# ---- time ----------------------------------------------------------------------------------------

_TIME: Final = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
_TIME_WORDS: Final = re.compile(r"([0-9]{1,2})(?::([0-9]{2}))?()")
_TIME_12: Final = re.compile(r"([0-9]{1,2})(?::([0-9]{2})(?::([0-9]{2}))?)? ?([ap])(?:m|\.m\.?)")


def time(text: str, words: Words = ENGLISH) -> dt.time | None:
    """``19:05[:09]`` or ``7[:05[:09]] am|p.m.``; no bare number. In other languages also ``19 Uhr``, ``19h05``."""
    folded = _prepared(text)
    if folded is None:
        return None
    shorter = next((folded[: -len(w)].rstrip() for w in words.after_time if folded.endswith(w)), "")
    if _TIME.fullmatch(shorter):
        folded = shorter
    if match := _TIME.fullmatch(folded):
        hour = int(match[1])
    elif match := _TIME_12.fullmatch(folded):
        hour = int(match[1])
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[4] == "p" else 0)
    elif match := _by_words(folded, words):
        hour = int(match[1])
    else:
        return None
    minute, second = int(match[2] or 0), int(match[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return dt.time(hour, minute, second)


def _by_words(folded: str, words: Words) -> re.Match[str] | None:
    """``19h05``, ``19 h 05``, ``19 uhr``, with one of the words of the language for hours."""
    for word in words.hours:
        before, between, after = (part.strip() for part in folded.partition(word))
        if between and ":" not in before:
            match = _TIME_WORDS.fullmatch(f"{before}:{after}" if after else before)
            if match:
                return match
    return None


# ---- duration ------------------------------------------------------------------------------------

_CLOCK: Final = re.compile(r"(?:([0-9]{1,4}):([0-5][0-9])|([0-9]{1,4})):([0-5][0-9])")
_PART: Final = re.compile(r"([0-9]{1,8}) ?([^\W\d_]+)\.?")


def duration(text: str, words: Words = ENGLISH) -> dt.timedelta | None:
    """``[h:]mm:ss``, or parts with units from the greatest down: ``1 h 30 min``, ``5min``, ``2 hours, 5
    minutes``.

    ``m`` alone (minutes, metres, million?) is not read; next to another unit it is. A part below the first
    must be less than one of the part before it (``1 h 90 min`` is not read).
    """
    folded = _prepared(text)
    if not folded:
        return None
    if match := _CLOCK.fullmatch(folded):
        hours, minutes, only_minutes, seconds = (int(group or 0) for group in match.groups())
        return dt.timedelta(hours=hours, minutes=minutes + only_minutes, seconds=seconds)
    total = 0
    above = 0  # seconds in the unit of the part before
    units: list[str] = []
    rest = folded
    while rest:
        match = _PART.match(rest)
        if match is None or match[2] not in words.units:
            return None
        count, unit = int(match[1]), words.units[match[2]]
        if units and (unit >= above or count * unit >= above):
            return None
        total += count * unit
        above = unit
        units.append(match[2])
        rest = rest[match.end() :]
        if rest and not rest[0].isdecimal():
            rest = _after_joint(rest, words)
            if not rest:
                return None
    if len(units) == 1 and units[0] in words.shared_units:
        return None
    return dt.timedelta(seconds=total)


def _after_joint(rest: str, words: Words) -> str:
    """What follows blanks and joints ("," "and"); empty if something else is there or nothing follows."""
    while rest and not rest[0].isdecimal():
        if rest[0] == " ":
            rest = rest[1:]
            continue
        joint = next((joint for joint in words.joints if rest.startswith(joint + " ")), None)
        if joint is None:
            return ""
        rest = rest[len(joint) :]
    return rest


# ---- date ----------------------------------------------------------------------------------------

_NEAR: Final = 150
"""A day without a year is read if it is at most this many days from the device's day."""
_SAME_CENTURY: Final = 20
"""A year of two digits is read if it is at most this many years from the device's."""

_ISO: Final = re.compile(
    r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:(?:t|,? )([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]{1,9})?( ?[ap](?:m|\.m\.?))?)?"
)
_NUMERIC: Final = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_DAY_MONTH: Final = re.compile(
    r"([0-9]{1,2})([^\W\d_]*|\.|º) (?:([^\W\d_]+) )?([^\W\d_]+)\.?(?:,? (?:([^\W\d_]+) )?([0-9]{4}))?"
)
_MONTH_DAY: Final = re.compile(r"([^\W\d_]+)\.? ([0-9]{1,2})([^\W\d_]*)(?:,? ([0-9]{4}))?")
_WEEKDAY_BEFORE: Final = re.compile(r"([^\W\d_]+)\.?,? (.+)")
_WEEKDAY_AFTER: Final = re.compile(r"(.+) \(([^\W\d_]+)\.?\)")


def date(
    text: str, today: dt.date | None, order: str | None = None, words: Words = ENGLISH
) -> dt.date | None:
    """The date that the text writes, if it has exactly one reading.

    Args:
        text: the whole text is the date, with a weekday before it or in brackets after it.
        today: the device's day. Words such as "tomorrow", days without a year and years of two digits are
            read from it; without it they are undefined.
        order: "dmy" or "mdy" for dates all of numbers (not for those that begin with a year of four digits);
            None where the text does not say. Anything else makes the result undefined.
        words: the language of months and weekdays.
    """
    folded = _prepared(text)
    if not folded or order not in (None, "dmy", "mdy"):
        return None
    if folded in words.days:
        return None if today is None else _shifted(today, words.days[folded])
    weekday = None
    if (match := _WEEKDAY_BEFORE.fullmatch(folded)) and match[1] in words.weekdays:
        folded, weekday = match[2], words.weekdays[match[1]]
    elif (match := _WEEKDAY_AFTER.fullmatch(folded)) and match[2] in words.weekdays:
        folded, weekday = match[1], words.weekdays[match[2]]
    readings = _readings(folded, today, order, words)
    if weekday is not None:
        readings = {day for day in readings if day.weekday() == weekday}
    return readings.pop() if len(readings) == 1 else None


def _readings(folded: str, today: dt.date | None, order: str | None, words: Words) -> set[dt.date]:
    """All dates that the folded text may write."""
    if match := _ISO.fullmatch(folded):
        if match[5] and time(match[5] + (match[6] or "")) is None:
            return set()
        return _days((int(match[1]), int(match[3]), int(match[4])))
    if match := _NUMERIC.fullmatch(folded):
        first, mark, second, third = int(match[1]), match[2], int(match[3]), int(match[4])
        short = len(match[4]) == 2
        year = _full_year(third, today) if short else third
        as_dmy, as_mdy = (year, second, first), (year, first, second)
        as_ymd = (_full_year(first, today), second, third)
        if order is not None:
            return _days(as_dmy if order == "dmy" else as_mdy)
        if mark == "-":
            return set()
        possible = [as_dmy] if mark == "." else [as_dmy, as_mdy]
        return _days(*possible, *([as_ymd] if short else []))
    if (match := _DAY_MONTH.fullmatch(folded)) and match[4] in words.months:
        day, suffix, month, year_text = match[1], match[2], words.months[match[4]], match[6]
        if not {link for link in (match[3], match[5]) if link} <= words.links:
            return set()
    elif (match := _MONTH_DAY.fullmatch(folded)) and match[1] in words.months:
        month, day, suffix, year_text = words.months[match[1]], match[2], match[3], match[4]
    else:
        return set()
    if suffix and suffix not in words.ordinals:
        return set()
    if year_text:
        return _days((int(year_text), month, int(day)))
    if today is None:
        return set()
    years = (today.year - 1, today.year, today.year + 1)
    return {
        near for near in _days(*((y, month, int(day)) for y in years)) if abs((near - today).days) <= _NEAR
    }


def _days(*readings: tuple[int | None, int, int]) -> set[dt.date]:
    """Those (year, month, day) that exist."""
    days = set()
    for year, month, day in readings:
        if year is not None:
            try:
                days.add(dt.date(year, month, day))
            except ValueError:
                continue
    return days


def _full_year(short: int, today: dt.date | None) -> int | None:
    """The year near today's that ends in these two digits."""
    if today is None:
        return None
    century = today.year - today.year % 100
    near = (century - 100 + short, century + short, century + 100 + short)
    return next((year for year in near if abs(year - today.year) <= _SAME_CENTURY), None)


def _shifted(day: dt.date, by: int) -> dt.date | None:
    try:
        return day + dt.timedelta(days=by)
    except OverflowError:
        return None
