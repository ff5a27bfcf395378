"""Describes values: what a person would say for a constant, always with the exact value."""

import datetime as dt
from collections.abc import Sequence

from vsalang.program.ir import Type
from vsalang.program.text import join, safe
from vsalang.program.values import NONE, Value, seconds_of, show

LONGEST = 2000
"""The most characters of a text that are shown; a cut is marked."""

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def quoted(text: str) -> str:
    """A text in quotes; nothing in it can end the quotation or hide text."""
    return safe(text, LONGEST)


def some_words(forms: Sequence[str], most: int = 5) -> str:
    """The first words of a list, in quotes, and how many more there are."""
    words = [quoted(form) for form in forms[:most]]
    more = len(forms) - len(words)
    return f"{', '.join(words)} and {more} more" if more else join(words)


def time_words(value: dt.time) -> str:
    """``7 pm (19:00)``, ``noon (12:00)``."""
    exact = show(value)
    if value.second == 0 and value.minute == 0 and value.hour in (0, 12):
        return f"{'noon' if value.hour else 'midnight'} ({exact})"
    hour = (value.hour - 1) % 12 + 1
    minute = f":{value.minute:02d}" if value.minute or value.second else ""
    second = f":{value.second:02d}" if value.second else ""
    return f"{hour}{minute}{second} {'am' if value.hour < 12 else 'pm'} ({exact})"


def date_words(value: dt.date) -> str:
    """``Wednesday 1 April 2026``."""
    return f"{_DAYS[value.weekday()]} {value.day} {_MONTHS[value.month - 1]} {value.year}"


def duration_words(value: dt.timedelta) -> str:
    """One number and the largest unit that divides it: ``90 minutes``, ``minus 5 seconds``, ``0.6 seconds``."""
    seconds = seconds_of(value)
    sign = "minus " if seconds < 0 else ""
    seconds = abs(seconds)
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds and seconds % size == 0:
            count = seconds // size
            return f"{sign}{count} {unit}{'' if count == 1 else 's'}"
    return f"{sign}{seconds:f} second{'' if seconds == 1 else 's'}"


def member_words(name: str) -> str:
    """A member of an enum: without quotes if it is one plain word with a capital."""
    return name if name.isidentifier() and name[:1].isupper() else quoted(name)


def value_words(value: Value, type_: Type | None = None) -> str:
    """A value as a phrase."""
    kind = type_.kind if type_ is not None else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return member_words(value) if kind == "enum" else quoted(value)
    if isinstance(value, dt.date):
        return date_words(value)
    if isinstance(value, dt.time):
        return time_words(value)
    if isinstance(value, dt.timedelta):
        return duration_words(value)
    if isinstance(value, frozenset):
        return set_words(value, type_)
    return "none" if value is NONE else show(value)


def set_words(value: frozenset[str], type_: Type | None, word: str = "and") -> str:
    """The elements of a set, those of an enum in its order: ``Mon and Tue``; the empty set is ``nothing``."""
    elem = type_.elem if type_ is not None else None
    order = {m.name: i for i, m in enumerate(elem.members)} if elem is not None else {}
    items = sorted(value, key=lambda item: (order.get(item, len(order)), item))
    return join([value_words(item, elem) for item in items], word) or "nothing"
