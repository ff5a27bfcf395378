"""A value of a declared type out of JSON data, as programs and people write it.

Numbers, truth values and lists are JSON's own; dates, times and durations are written as in the language:

>>> from vsalang.program.ir import Type
>>> typed("90min", Type("Duration"))
datetime.timedelta(seconds=5400)
"""

import datetime as dt
import re
from decimal import Decimal
from typing import Final

from vsalang.program.ir import Type
from vsalang.program.text import canonical
from vsalang.program.values import MOST_DIGITS, NONE, Value, normal_number

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?")
_DURATION: Final = re.compile(r"(-?[0-9]{1,9}(?:\.[0-9]{1,6})?)(s|min|h|d)")
_NUMERAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_SECONDS: Final = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_LONGEST: Final = MOST_DIGITS + 10


def typed(data: object, type_: Type) -> Value | None:
    """The value of a type that JSON data stands for; None: it is none of that type.

    Args:
        data: as `json.loads` gives it, with a `Decimal` for a number that is not whole. ``{"none": true}`` is `none` of
            any type, and ``{"number": "4.50"}`` a number.
    """
    if isinstance(data, dict):
        return _marked(data, type_)
    try:
        match type_.kind, data:
            case "Bool", bool():
                return data
            case "Number", int() | Decimal() if not isinstance(data, bool):
                return normal_number(data)
            case "set", list() if type_.elem is not None:
                return _set(data, type_.elem)
            case _, str():
                return _written(canonical(data), type_)
    except (ValueError, ArithmeticError):
        return None
    return None


def quoted_number(text: str) -> Value | None:
    """The number that a text is, digit by digit, as models put numbers in quotes; None: the text is anything else.

    No blanks, signs of plus, exponents, needless zeros in front, or digits of other scripts.

    >>> quoted_number("540"), quoted_number("-4.50"), quoted_number("5e2"), quoted_number(" 7"), quoted_number("007")
    (540, Decimal('-4.5'), None, None, None)
    """
    return (
        typed(Decimal(text), Type("Number")) if len(text) <= _LONGEST and _NUMERAL.fullmatch(text) else None
    )


def _marked(data: dict[object, object], type_: Type) -> Value | None:
    match list(data.items()):
        case [("none", True)] if data["none"] is True:
            return NONE
        case [("number", str(text))] if type_.kind == "Number" and len(text) <= _LONGEST:
            try:
                return normal_number(Decimal(text))
            except (ValueError, ArithmeticError):
                return None
    return None


def _set(data: list[object], elem: Type) -> Value | None:
    items = [typed(item, elem) for item in data]
    texts = [item for item in items if isinstance(item, str)]
    return frozenset(texts) if len(texts) == len(items) else None


def _written(text: str, type_: Type) -> Value | None:
    match type_.kind:
        case "Text":
            return text
        case "enum":
            return text if any(text == member.name for member in type_.members) else None
        case "Date" if _DATE.fullmatch(text):
            return dt.date.fromisoformat(text)
        case "Time" if _TIME.fullmatch(text):
            return dt.time.fromisoformat(text)
        case "Duration" if match := _DURATION.fullmatch(text):
            return dt.timedelta(microseconds=int(Decimal(match[1]) * _SECONDS[match[2]] * 1_000_000))
    return None
