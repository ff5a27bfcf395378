"""Writes the dates, times, amounts and numbers of a text in one way, so that texts can be compared by what they say.

Only what has one reading is rewritten: `01/02/2026` stays as it is, and so does `7:00`, which may be morning or
evening. All else in the text stays as it is.
"""

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Final

from vsalang.program import dates, readers
from vsalang.program.dates import ENGLISH
from vsalang.program.folding import COUNTED, normal
from vsalang.program.languages import LANGUAGES
from vsalang.program.text import canonical, plain

_Match = re.Match[str]
_KEPT: Final = 500
"""The readings of texts up to this length are remembered."""


def written(text: str) -> str:
    """The text with its dates, times, durations, amounts and numbers in one form, and single blanks.

    =================================  ==================================
    ``Jan 01``, ``the 1st of January``   ``january 1``
    ``Jan 1, 2026``, ``31.12.2026``      ``2026-01-01``, ``2026-12-31``
    ``7 p.m.``, ``19:00``, ``午後7時``     ``t19:00``
    ``$5``, ``5.00 USD``                 ``USD5``
    ``1,000``, ``two adults``            ``1000``, ``2 adult``
    ``1 h 30 min``, ``1.5 h``            ``pt5400s``
    =================================  ==================================
    """
    return _remembered(text) if len(text) <= _KEPT else _written(text)


def _written(text: str) -> str:
    text_written = text
    if not text.isascii():
        text_written = canonical(plain(normal(plain(canonical(text)))))
    text_written = " ".join(text_written.split())
    words = frozenset(_LETTERS.findall(text_written.lower()))
    lasting = not words.isdisjoint(_LASTING)
    for needs, pattern, put in _PASSES:
        if _there(needs, text_written, words) and not (lasting and pattern is _TIME_24):
            text_written = pattern.sub(put, text_written)
    return " ".join(text_written.split())


_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGIT: Final = re.compile("[0-9]")


def _there(needs: "str | frozenset[str]", text: str, words: frozenset[str]) -> bool:
    """Whether a text has what a pass needs: one of some words, a character, or (the empty text) a digit."""
    if isinstance(needs, frozenset):
        return not words.isdisjoint(needs)
    return needs in text if needs else _DIGIT.search(text) is not None


_remembered: Final = lru_cache(maxsize=4096)(_written)


def _between(match: _Match, value: str) -> str:
    """A value in place of what was found, with blanks where letters would touch it."""
    text, start, end = match.string, match.start(), match.end()
    before = " " if start and text[start - 1].isalnum() else ""
    after = " " if text[end : end + 1].isalnum() else ""
    return before + value + after


def _any(words: object) -> str:
    """A pattern for one of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))  # type: ignore[call-overload]


# ---- numbers in words ----------------------------------------------------------------------------

_SMALL: Final = {
    word: number
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split(),
        2,
    )
}
_TENS: Final = {
    word: number * 10
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_UNITS: Final = {"one": 1} | {word: number for word, number in _SMALL.items() if number < 10}
_ORDINALS: Final = {"first": "1st", "second": "2nd", "third": "3rd"} | {
    word: f"{number}th"
    for number, word in enumerate("fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 4)
}
_NUMBER_WORD: Final = _any(
    [
        *(
            *_UNITS,
            *_SMALL,
            *_TENS,
            *_ORDINALS,
            "hundred",
            "thousand",
            "million",
            "billion",
            "trillion",
            "dozen",
        ),
        *("half", "halves", "thirds", "quarter", "quarters", "point"),
    ]
)
_IN_WORDS: Final = re.compile(
    rf"(?<![\w'-])(?:{_NUMBER_WORD}|[0-9]+)(?:[ -](?:and )?(?:a )?(?:{_NUMBER_WORD}|[0-9]+)(?![\w']))*(?![\w'])",
    re.IGNORECASE,
)


def _in_digits(match: _Match) -> str:
    """One number word, or two such as ``twenty-five``, in digits; longer and mixed ones stay ("two hundred")."""
    match re.split("[ -]", match.group().lower()):
        case [word] if word in _ORDINALS:
            return _ORDINALS[word]
        case [word] if word in _SMALL or word in _TENS:
            return str(_SMALL.get(word) or _TENS[word])
        case [tens, unit] if tens in _TENS and unit in _UNITS:
            return str(_TENS[tens] + _UNITS[unit])
    return match.group()


_DOZEN: Final = re.compile(
    rf"(?<![\w.,'-])(?<!and )(?<!and a )(?<![0-9] )"
    rf"(?:(?P<half>half (?:an? )?)|(?P<one>(?:an?|one) )|(?P<many>(?:{_any(_SMALL)}|[0-9]{{1,2}}) )|^)dozen(?![\w-])",
    re.IGNORECASE,
)


def _dozen(match: _Match) -> str:
    """A dozen, half of one or some of them as a number."""
    many = (match["many"] or "1").strip().lower()
    number = 6 if match["half"] else 12 * (_SMALL.get(many) or int(many))
    return str(number)


# ---- times of day --------------------------------------------------------------------------------

_TIME_12: Final = re.compile(
    r"(?<![\w.:,/+])(?<![0-9]-)(?<![0-9]- )(?<![0-9] - )(?<![0-9] to )(?<![0-9] or )(?<![0-9] and )"
    r"([0-9]{1,2})(?:[:.]([0-9]{2})(?::([0-9]{2}))?)? ?([ap])(?:m\b|\.m\b\.?|\. m\b\.?)",
    re.IGNORECASE,
)
_TIME_24: Final = re.compile(
    r"(?<![A-Za-z0-9_.:,/+])(?<![^0-9]-)(?<!^-)([01][0-9]|2[0-3]|0):([0-5][0-9])(?::([0-5][0-9]))?()(?: ?uhr\b)?"
    r"(?![\w:]|[.,][0-9]| ?[ap]\.? ?m\b)",
    re.IGNORECASE,
)
_UHR: Final = re.compile(
    r"(?<![\w.:,/+-])(1[3-9]|2[0-3]|00?)(?:\.([0-5][0-9]))?()() ?uhr\b(?! [0-9])", re.IGNORECASE
)
_NOON: Final = re.compile(r"(?<![\w.:-])(?:12(?::00)? ?)?noon\b", re.IGNORECASE)
_LASTING: Final = frozenset(
    "timer countdown stopwatch left remaining remain elapsed duration lasts length lap restzeit dauer".split()
)
"""Where one of these words is, 00:30 is half a minute or half an hour, and no time of day."""
_JAPANESE_TIME: Final = re.compile(r"(午前|午後)? ?([0-9]{1,2})時(?!間)(?:([0-9]{1,2})分|(半))?")


_PAST: Final = re.compile(
    r"(?<![\w'-])(?:(half) past|(?:a )?quarter (past|to)) ([0-9]{1,2})(?![\w:]|[.,][0-9]| ?- ?[0-9])",
    re.IGNORECASE,
)


def _past(match: _Match) -> str:
    """Half past 7 as 7:30, and a quarter to 8 as 7:45."""
    hour, to = int(match[3]), (match[2] or "").lower() == "to"
    if not 1 <= hour <= (12 if to else 23):
        return match.group()
    if to:
        hour = hour - 1 or 12
    return f"{hour}:{30 if match[1] else 45 if to else 15}"


def _time(match: _Match) -> str:
    hour, minute, second = (int(match[group] or 0) for group in (1, 2, 3))
    if match[4]:
        if not 1 <= hour <= 12:
            return match.group()
        hour = hour % 12 + (12 if match[4] in "pP" else 0)
    return _clock(match, hour, minute, second)


def _japanese_time(match: _Match) -> str:
    hour, minute = int(match[2]), 30 if match[4] else int(match[3] or 0)
    if match[1] and hour < 12:
        return _clock(match, hour + (12 if match[1] == "午後" else 0), minute)
    return _clock(match, hour, minute) if not match[1] and hour > 12 else match.group()


def _clock(match: _Match, hour: int, minute: int = 0, second: int = 0) -> str:
    if hour > 23 or minute > 59 or second > 59:
        return match.group()
    return _between(match, f"t{hour:02}:{minute:02}" + (f":{second:02}" if second else ""))


# ---- dates ---------------------------------------------------------------------------------------

MONTHS: Final = tuple(name for name in ENGLISH.months if len(name) > 4 or name in ("may", "june", "july"))
"""The months in English, as `written` writes them."""
_WEEKDAYS: Final = tuple(name for name in ENGLISH.weekdays if name.endswith("day"))
_OTHER_MONTHS: Final = {
    name: number
    for words in LANGUAGES.values()
    for name, number in words.months.items()
    if (len(name) > 4 or name in ("mai", "juin", "juni", "juli", "août", "aout", "mayo", "mars", "märz"))
    and name not in ENGLISH.months
}
"""Full names of other languages, which write the day before the month."""
_ALSO_NAMES: Final = frozenset({"jan", "jun", "mar", "sun", "sat", "wed"})
"""Abbreviations that are not a date where nothing is next to them: they may be a name or another word."""
_ALSO_OTHER_WORDS: Final = frozenset({"mars", "mayo"})
_ALL_MONTHS: Final = _any([*ENGLISH.months, *_OTHER_MONTHS])
_YEAR: Final = r"(?:19|20)[0-9]{2}(?!\w|[.,:/'-][0-9])"
_BY_MONTH: Final = re.compile(
    rf"(?<![\w.,:/+'-])(?P<the>the )?(?:(?P<first>[0-9]{{1,2}})(?:st|nd|rd|th|\.|º|er)? (?P<link>of |de )?)?"
    rf"(?P<month>{_ALL_MONTHS})(?!\w)\.?"
    rf"(?: (?:the )?(?P<last>[0-9]{{1,2}})(?:st|nd|rd|th)?"
    rf"(?!\w|[.,:/'][0-9]| ?- ?[0-9]| (?:of |de )?(?:{_ALL_MONTHS})(?!\w)))?"
    rf"(?:,? (?:del? )?(?P<year>{_YEAR}))?",
    re.IGNORECASE,
)
_IN_NUMBERS: Final = re.compile(
    r"(?<![\w./:,+'-])(?:[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([/.])[0-9]{1,2}\2[0-9]{4})"
    r"(?!\w|[./:,'-][\w])"
)
_JAPANESE_DATE: Final = re.compile(r"(?:([0-9]{4})年 ?)?([0-9]{1,2})月 ?([0-9]{1,2})日(?!間)")
_OTHER_WEEKDAYS: Final = {
    name: number
    for words in LANGUAGES.values()
    for name, number in words.weekdays.items()
    if len(name) > 4 and name not in ENGLISH.weekdays
}
_WEEKDAY: Final = re.compile(
    rf"(?<!\w)(?:(?P<name>{_any([*_WEEKDAYS, *_OTHER_WEEKDAYS])})(?!\w)"
    rf"|(?P<short>{_any(name for name in ENGLISH.weekdays if not name.endswith('day'))})(?!\w)\.?"
    rf"(?=$|[,)]?$|,? (?:(?:{_any(MONTHS)}) [0-9]|[0-9]{{4}}-[0-9]{{2}}-|t[0-9]{{2}}:)))",
    re.IGNORECASE,
)
_A_DATE_BEFORE: Final = re.compile(rf"(?:(?:{_any(MONTHS)}) [0-9]{{1,2}}|-[0-9]{{2}}),? \(?$")


def _by_month(match: _Match) -> str:
    """A date with the month as a word, if one day is next to it; with a year also without a day."""
    name, year = match["month"].lower(), match["year"]
    english = name in ENGLISH.months
    month = ENGLISH.months[name] if english else _OTHER_MONTHS[name]
    day = match["first"] or match["last"]
    if not day:
        alone = match.group() == match.string and name not in _ALSO_NAMES
        if not english or not (year or alone):
            return match.group()
        return (match["the"] or "") + MONTHS[month - 1] + (f" {year}" if year else "")
    if (match["first"] and match["last"]) or (not english and not match["first"]):
        return match.group()
    if name in _ALSO_OTHER_WORDS and not (match["link"] or year):
        return match.group()
    return _day(match, int(year) if year else None, month, int(day))


def _in_numbers(match: _Match) -> str:
    day = dates.date(match.group(), None)
    return match.group() if day is None else _between(match, day.isoformat())


def _japanese_date(match: _Match) -> str:
    return _day(match, int(match[1]) if match[1] else None, int(match[2]), int(match[3]))


def _day(match: _Match, year: int | None, month: int, day: int) -> str:
    try:
        date = dt.date(2000 if year is None else year, month, day)
    except ValueError:
        return match.group()
    return _between(match, f"{MONTHS[month - 1]} {day}" if year is None else date.isoformat())


def _weekday(match: _Match) -> str:
    """A weekday in English; its abbreviation counts next to a date or a time, or as the whole text."""
    if match["name"]:
        name = match["name"].lower()
        number = _OTHER_WEEKDAYS[name] if name in _OTHER_WEEKDAYS else ENGLISH.weekdays[name]
        return _between(match, _WEEKDAYS[number])
    at_end = not match.string[match.end() :].strip(",) ")
    if at_end and match.start() and not _A_DATE_BEFORE.search(match.string[: match.start()][-20:]):
        return match.group()
    if at_end and not match.start() and match["short"].lower() in _ALSO_NAMES:
        return match.group()
    return _WEEKDAYS[ENGLISH.weekdays[match["short"].lower()]]


_DAY_NAMES: Final = frozenset({*ENGLISH.weekdays, *_OTHER_WEEKDAYS})
_ISO: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DAY_OF_DATE: Final = re.compile(
    rf"(?<!\w)(?P<before>{_any(_WEEKDAYS)}),? (?P<then>{_ISO})(?![\w-])"
    rf"|(?<![\w-])(?P<date>{_ISO}),? (?P<open>\()?(?P<after>{_any(_WEEKDAYS)})(?(open)\))(?!\w)"
)


def _day_of_date(match: _Match) -> str:
    """A date with its weekday as the date: the weekday says nothing more, if it is the right one."""
    name, date = match["before"] or match["after"], match["then"] or match["date"]
    year, month, day = map(int, date.split("-"))
    try:
        right = dt.date(year, month, day).weekday() == _WEEKDAYS.index(name)
    except ValueError:  # there is no such day
        return match.group()
    return date if right else match.group()


# ---- amounts and numbers -------------------------------------------------------------------------

CURRENCY_CODES: Final = {
    "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "₹": "INR", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD",
    "NZ$": "NZD", "S$": "SGD", "HK$": "HKD", "NT$": "TWD", "MX$": "MXN", "R$": "BRL", "₩": "KRW", "₽": "RUB",
    "₺": "TRY", "₫": "VND", "₴": "UAH", "₪": "ILS", "₱": "PHP", "₦": "NGN", "zł": "PLN", "Kč": "CZK", "Ft": "HUF",
    "円": "JPY", "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR",
}  # fmt: skip
"""Currencies by their signs and names. `¥` is not there: it is two currencies; `$` alone is the US dollar."""
_DOLLARS: Final = frozenset("USD CAD AUD NZD SGD HKD TWD MXN".split())
_LOWER_CODES: Final = "usd eur gbp inr cad aud jpy chf".split()
_FIGURE: Final = r"[0-9]+(?:[.,'][0-9]+)*(?:[KMB](?!\w))?"
_NAME: Final = (
    r"(?:[A-Z]{1,2})?[$€£¥₹₩₽₺₫₴₪₱₦]|zł|Kč|Ft|円"
    rf"|(?:{_any([*readers.ISO_4217, *_LOWER_CODES])})(?![^\W\d_])"
)
_AMOUNT: Final = re.compile(
    rf"(?<![\w.,'$€£+(])(?<![0-9]-)(?<!- )(?P<sign>-)?"
    rf"(?:(?P<before>{_NAME}) ?(?P<figure>{_FIGURE})(?: ?(?P<also>{_NAME})(?!\w))?"
    rf"|(?P<alone>{_FIGURE}) ?(?P<after>{_NAME}|[Dd]ollars?|[Ee]uros?)(?![^\W_]))"
    rf"(?!\w|[.,'][0-9]| ?- ?[0-9$€£]"
    rf"| ?(?:hundred|thousand|million|billion|trillion|lakhs?|crores?|grand|thou|dozen"
    rf"|[Kk]|[Mm]|mn|mio|[Bb]n?|tn|[xX×*/])(?!\w))"
)
_BARE_POINT: Final = re.compile(r"(?<![\w.,'])(?=[.,][0-9])")
_PERCENT: Final = re.compile(r"(?<=[0-9]) ?(?:%|per ?cent(?!\w)|prozent(?!\w))", re.IGNORECASE)
_GROUPED: Final = re.compile(r"(?<![\w.,'])[0-9]{1,3}(?:[.,'][0-9]+)+(?![.,']?[0-9])")
_LIKE_A_YEAR: Final = re.compile("(?:19|20)[0-9]{2}")
_LONGEST_FIGURE: Final = 40


def _amount(match: _Match) -> str:
    """An amount as the code of its currency and the number, such as ``USD5`` and ``USD-2.5``."""
    names = [match[group] for group in ("before", "also", "after") if match[group]]
    codes = [CURRENCY_CODES.get(name) or CURRENCY_CODES.get(name.lower()) or name.upper() for name in names]
    if names[0] == "$" and codes[-1] in _DOLLARS:
        codes = codes[-1:]
    figure = match["figure"] or match["alone"]
    value = readers.number(figure) if len(figure) <= _LONGEST_FIGURE else None
    if value is None or len(set(codes)) > 1 or (figure[0] == "0" and figure[1:2].isdecimal()):
        return match.group()
    return _between(match, f"{codes[0]}{match['sign'] or ''}{Decimal(value):f}")


def _ungrouped(match: _Match) -> str:
    """A number without the marks between thousands; the digits after the decimal mark stay as they are."""
    body = match.group()
    marks = [char for char in body if not char.isdecimal()]
    parts = readers.parts(body, None) if len(body) <= _LONGEST_FIGURE else None
    if parts is None or (parts[1] and len(marks) == 1) or _LIKE_A_YEAR.fullmatch(parts[0]):
        return body  # 2,026 is a number, but 2026 may be a year
    return parts[0] + (f".{parts[1]}" if parts[1] else "")


# ---- durations and counted things ----------------------------------------------------------------

_UNIT: Final = r"(?:h|hrs?|hours?|min|mins|minutes?|sec|secs|seconds?)"
_DURATION: Final = re.compile(
    rf"(?<![\w.,:'/+-])[0-9]{{1,4}} ?{_UNIT}(?!\w)(?:,? (?:and )?[0-9]{{1,4}} ?{_UNIT}(?!\w)){{0,2}}",
    re.IGNORECASE,
)
_ONLY_HOURS: Final = re.compile(r"[0-9]+ ?h", re.IGNORECASE)
_ONE: Final = re.compile(rf"(?<![\w'-])one (?=(?:{_any({*COUNTED.values()})})(?!\w))", re.IGNORECASE)
_COUNT: Final = re.compile(rf"(?<=[0-9] )({_any(COUNTED)})(?!\w)", re.IGNORECASE)


def _duration(match: _Match) -> str:
    """A duration in seconds; hours alone written ``14h`` may be a time of day."""
    length = None if _ONLY_HOURS.fullmatch(match.group()) else dates.duration(match.group())
    if length is None:
        return match.group()
    return _between(match, f"pt{length // dt.timedelta(seconds=1)}s")


_PART_OF_HOURS: Final = re.compile(
    r"(?<![\w.,:'/+-])([0-9]{1,3})[.,](?:([0-9]) ?(?:h|hrs?|hours?)|([0-9]{2}) ?(?:hrs|hours))(?!\w)",
    re.IGNORECASE,
)
_HALF_AN_HOUR: Final = re.compile(r"(?<![\w'-])(?<!and )half an hour(?![\w'-])", re.IGNORECASE)


def _part_of_hours(match: _Match) -> str:
    """Hours with a fraction in seconds; 14.30 h may be a time of day."""
    hundredths = int(match[1]) * 100 + (int(match[2]) * 10 if match[2] else int(match[3]))
    return _between(match, f"pt{hundredths * 36}s")


def _counted(match: _Match) -> str:
    return COUNTED[match.group().lower()]


_PASSES: Final[tuple[tuple[str | frozenset[str], re.Pattern[str], Callable[[_Match], str]], ...]] = (
    (frozenset({"dozen"}), _DOZEN, _dozen),
    (frozenset({*_SMALL, *_TENS, *_ORDINALS}), _IN_WORDS, _in_digits),
    (frozenset({"one"}), _ONE, lambda match: "1 "),
    ("", _BARE_POINT, lambda match: "0"),
    (frozenset({"past", "quarter"}), _PAST, _past),
    ("", _TIME_12, _time),
    (":", _TIME_24, _time),
    (frozenset({"uhr"}), _UHR, _time),
    (frozenset({"noon"}), _NOON, lambda match: _clock(match, 12)),
    ("時", _JAPANESE_TIME, _japanese_time),
    (frozenset({*ENGLISH.months, *_OTHER_MONTHS}), _BY_MONTH, _by_month),
    ("", _IN_NUMBERS, _in_numbers),
    ("月", _JAPANESE_DATE, _japanese_date),
    (_DAY_NAMES, _WEEKDAY, _weekday),
    (_DAY_NAMES, _DAY_OF_DATE, _day_of_date),
    ("", _AMOUNT, _amount),
    ("", _GROUPED, _ungrouped),
    ("", _PERCENT, lambda match: "%"),
    ("", _PART_OF_HOURS, _part_of_hours),
    (frozenset({"half"}), _HALF_AN_HOUR, lambda match: _between(match, "pt1800s")),
    ("", _DURATION, _duration),
    ("", _COUNT, _counted),
)
"""What is rewritten, in this order, each only in a text that has what it needs (`_there`)."""
