"""What single tokens mean: strings, numbers, dates, times, durations. Errors name the exact place."""

import datetime as dt
import json
import re
from decimal import Decimal, InvalidOperation
from typing import Final

from vsalang.program.values import NONE, NoneValue, normal_number

MAX_DIGITS: Final = 40
"""More digits than any amount has; longer numbers are refused, so that arithmetic stays cheap."""

ScalarValue = int | Decimal | bool | dt.date | dt.time | dt.timedelta | NoneValue

WORD_VALUES: Final[dict[str, ScalarValue]] = {"true": True, "false": False, "none": NONE}

_UNITS: Final = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_NUMBER = re.compile(r"(-?)([0-9]+)(\.[0-9]+)?([A-Za-z_]*)\Z")
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_CONTROL = re.compile(r"[\x00-\x1f]")
_FOLD = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t\r\n]*")


class TokenError(Exception):
    """A token of the right form that has no meaning. `start` and `end` count from the token's first character."""

    def __init__(
        self, code: str, message: str, start: int, end: int, help: str = "", instead: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.start = start
        self.end = end
        self.help = help
        self.instead = instead


def decode_string(raw: str) -> tuple[str, bool]:
    """The value of a string token, and whether it is a triple-quoted block.

    A plain string is a JSON string. In a block, line breaks with the blanks around them become one space, blanks at
    both ends are removed, and the only escape is backslash before three quotes.

    Raises:
        TokenError: an unknown escape, half a surrogate pair, a control character.
    """
    if raw.startswith('"""'):
        text = _FOLD.sub(" ", raw[3:-3].replace('\\"""', '"""')).strip(" \t")
        return text, True
    inner = raw[1:-1]
    if "\\" not in inner and inner.isprintable():
        return inner, False
    at = 1
    for match in re.finditer(r"\\(.?)", raw[:-1], re.DOTALL):
        escape = _ESCAPE.match(raw, match.start())
        if match.start() < at:
            continue
        if escape is None:
            end = match.start() + 2
            raise TokenError(
                "E0110",
                f"`{raw[match.start() : end]}` is not an escape of a string",
                match.start(),
                end,
                'a string knows \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX; write \\\\ for a backslash',
            )
        at = escape.end()
    bad = _CONTROL.search(inner)
    if bad:
        name = {"\t": "\\t", "\r": "\\r"}.get(bad.group(), f"\\u{ord(bad.group()):04x}")
        place = bad.start() + 1
        raise TokenError(
            "E0110",
            "a string cannot hold a control character",
            place,
            place + 1,
            f"write {name} for it",
            name,
        )
    value: str = json.loads(raw)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise TokenError(
            "E0110", "half a surrogate pair is not a character", 0, len(raw), "write the character itself"
        )
    return value, False


def decode_number(raw: str) -> int | Decimal | dt.timedelta:
    """The value of a number or a duration.

    Raises:
        TokenError: a leading zero, an exponent, an unknown unit, a part of a microsecond, too large.
    """
    match = _NUMBER.match(raw)
    if match is None:
        raise TokenError("E0111", f"`{raw}` is not a number", 0, len(raw), "a number is written 7 or -4.5")
    sign, whole, fraction, unit = match.groups()
    fraction = fraction or ""
    if len(whole) + len(fraction) > MAX_DIGITS:
        raise TokenError("E0111", f"a number has at most {MAX_DIGITS} digits", 0, len(raw))
    if len(whole) > 1 and whole[0] == "0":
        plain = sign + whole.lstrip("0").rjust(1, "0") + fraction + unit
        raise TokenError(
            "E0111", f"`{raw}` has a leading zero", 0, len(raw), f'write {plain}, or "{raw}" for text', plain
        )
    try:
        number = normal_number(Decimal(sign + whole + fraction))
    except InvalidOperation as error:  # pragma: no cover - the pattern admits digits only
        raise TokenError("E0111", f"`{raw}` is not a number", 0, len(raw)) from error
    if not unit:
        return number
    if unit not in _UNITS:
        raise _bad_unit(raw, sign + whole + fraction, unit)
    parts = number * _UNITS[unit] * 1_000_000
    if parts != int(parts):
        raise TokenError("E0112", f"`{raw}` is not a whole number of microseconds", 0, len(raw))
    try:
        return dt.timedelta(microseconds=int(parts))
    except OverflowError as error:
        raise TokenError("E0112", f"`{raw}` is longer than any duration", 0, len(raw)) from error


def _bad_unit(raw: str, number: str, unit: str) -> TokenError:
    start = len(number)
    low = unit.lower()
    if re.fullmatch(r"e[0-9]*", low):
        return TokenError("E0111", f"`{raw}`: numbers have no exponent", 0, len(raw), "write all the digits")
    if low in ("am", "pm", "a", "p"):
        from vsalang.program.spelled_literals import time_literal

        literal = time_literal(raw if low.endswith("m") else raw + "m")
        return TokenError("E0113", f"`{raw}` is not a time", 0, len(raw), "write times as 19:00", literal)
    likely = {
        "m": "min",
        "mins": "min",
        "minute": "min",
        "minutes": "min",
        "sec": "s",
        "secs": "s",
        "second": "s",
    }
    likely |= {"seconds": "s", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d"}
    best = low if low in _UNITS else likely.get(low, "")
    help = "durations are written 30s, 5min, 2h or 3d"
    if best:
        return TokenError(
            "E0112", f"`{unit}` is not a unit of time; did you mean `{best}`?", start, len(raw), help, best
        )
    return TokenError("E0112", f"`{unit}` is not a unit of time", start, len(raw), help)


def decode_date(raw: str) -> dt.date:
    """The value of a date.

    Raises:
        TokenError: not two digits for month and day, or no day of the calendar.
    """
    year, month, day = raw.split("-")
    if len(month) != 2 or len(day) != 2:
        full = f"{year}-{month:0>2}-{day:0>2}"
        raise TokenError("E0113", f"`{raw}` is not a date", 0, len(raw), f"write {full}", full)
    try:
        return dt.date(int(year), int(month), int(day))
    except ValueError as error:
        raise TokenError("E0113", f"there is no day {raw}", 0, len(raw)) from error


def decode_time(raw: str) -> dt.time:
    """The value of a time of day.

    Raises:
        TokenError: not two digits each, or not below 24:00.
    """
    parts = raw.split(":")
    if any(len(part) != 2 for part in parts):
        full = ":".join(f"{part:0>2}" for part in parts)
        raise TokenError("E0113", f"`{raw}` is not a time", 0, len(raw), f"write {full}", full)
    hour, minute, second = map(int, [*parts, "0"][:3])
    try:
        return dt.time(hour, minute, second)
    except ValueError as error:
        raise TokenError("E0113", f"there is no time {raw}", 0, len(raw), "times are below 24:00") from error


def decode_regex(raw: str) -> tuple[str, str]:
    """Source and flags of a regular expression.

    Raises:
        TokenError: a flag other than ``i``.
    """
    end = raw.rindex("/")
    flags = raw[end + 1 :]
    if flags not in ("", "i"):
        raise TokenError(
            "E0114",
            f"a regular expression has no flags `{flags}`",
            end + 1,
            len(raw),
            "the only flag is i: ignore case",
        )
    return re.sub(r"\\(.)", lambda m: "/" if m[1] == "/" else m[0], raw[1:end], flags=re.DOTALL), flags
