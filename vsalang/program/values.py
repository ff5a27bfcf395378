"""The values that cells and variables hold, and how they print in `.vsa` source.

=========  ======================================================
type       Python
=========  ======================================================
Text       ``str``, in the canonical form of `vsalang.program.text`
Number     ``int``, or ``decimal.Decimal`` where it is not integral
Bool       ``bool``
Date       ``datetime.date``
Time       ``datetime.time`` (no zone, whole seconds)
Duration   ``datetime.timedelta``; gestures may last a part of a second
enum       ``str``, the declared spelling of the member
set        ``frozenset`` of text or enum members
none       `NONE`: seen, and absent
=========  ======================================================

Unknown is not a value: a cell that was not seen holds Python's ``None``.
"""

import datetime as dt
import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Final, TypeAlias


class NoneValue:
    """The value ``none`` of the language: seen, and absent. It equals only itself."""

    __slots__ = ()
    _instance: "NoneValue | None" = None

    def __new__(cls) -> "NoneValue":
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "none"

    def __reduce__(self) -> str:
        return "NONE"

    def __deepcopy__(self, memo: object) -> "NoneValue":
        return self

    def __copy__(self) -> "NoneValue":
        return self


NONE: Final = NoneValue()

MOST_DIGITS: Final = 100
"""A number of more digits is not a value of the language: arithmetic on it would not be exact or not be bounded."""

Value: TypeAlias = str | int | Decimal | bool | dt.date | dt.time | dt.timedelta | frozenset[str] | NoneValue


def normal_number(number: int | Decimal) -> int | Decimal:
    """The one representation of a number: ``int`` when it is integral, else a `Decimal` without trailing zeros.

    Raises:
        ValueError: for NaN, infinities, and numbers of more than `MOST_DIGITS` digits, which are not values of the
            language.
    """
    if isinstance(number, int):
        return number
    if not number.is_finite():
        raise ValueError(f"{number} is not a number of the language")
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    if len(digits) + abs(exponent) > MOST_DIGITS:
        raise ValueError("a number has at most 100 digits")
    while exponent < 0 and digits[-1] == 0 and len(digits) > 1:
        digits, exponent = digits[:-1], exponent + 1
    if exponent >= 0 or digits == (0,):
        return int(number)
    return Decimal((sign, digits, exponent))  # not normalize(): that rounds to the context's precision


def same(left: Value | None, right: Value | None) -> bool:
    """Whether two cells hold the same value. Values of different types are never the same (``True`` is not 1)."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right


def tag(value: Value | None) -> str:
    """A word for the type of a value: text, number, bool, date, time, duration, set, none or unknown."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | Decimal):
        return "number"
    if isinstance(value, dt.date):
        return "date"
    if isinstance(value, dt.time):
        return "time"
    if isinstance(value, dt.timedelta):
        return "duration"
    if isinstance(value, frozenset):
        return "set"
    return "none"


def without_unknown(cells: Iterable[tuple[str, Value | None]]) -> dict[str, Value]:
    """Of cells with their names those that are known."""
    return {name: cell for name, cell in cells if cell is not None}


def row_order(row: Iterable[object]) -> str:
    """A key that sorts rows alike in every process: `repr` prints the elements of a set in an order of the process."""
    return repr(tuple(map(_settled, row)))


def _settled(cell: object) -> object:
    if isinstance(cell, frozenset):
        return sorted(cell)
    return tuple(map(_settled, cell)) if isinstance(cell, tuple) else cell


def show(value: Value | None, *, bare: bool = False) -> str:
    """The value as it is written in `.vsa` source.

    Args:
        value: what to print; ``None`` prints as ``unknown``.
        bare: print text without quotes (enum members, messages for people).
    """
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if bare else json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.strftime("%H:%M" if value.second == 0 else "%H:%M:%S")
    if isinstance(value, dt.timedelta):
        return show_duration(value)
    if isinstance(value, frozenset):
        return "{" + ", ".join(show(item, bare=bare) for item in sorted(value)) + "}"
    return "none"


def seconds_of(value: dt.timedelta) -> Decimal:
    """A duration in seconds, exactly."""
    return Decimal(normal_number(Decimal(value // dt.timedelta(microseconds=1)) / 1_000_000))


def show_duration(value: dt.timedelta) -> str:
    """A duration as one number and one unit, the largest that divides it: ``90min``, ``-5s``, ``0.6s``."""
    if value.microseconds:
        return f"{seconds_of(value):f}s"
    seconds = value.days * 86400 + value.seconds
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
