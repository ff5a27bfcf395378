"""Values and trees as JSON data, and back: reading runs no code, and what does not fit is refused.

A value is a pair of its kind and what JSON writes for it (`pack`, `unpack`). Documents that people keep (journals, core
programs) show it as ``{"date": "2026-04-01"}``, by `shown` and `read`. Between processes and caches of one version,
`Trees` writes whole dataclasses as short lists.

>>> shown(dt.date(2026, 4, 1))
{'date': '2026-04-01'}
"""

import dataclasses
import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias

from vsalang.program.values import NONE, Value, normal_number

Packed: TypeAlias = tuple[str, Any]


class NoSuchKind(ValueError):
    """Data that is of no kind of value."""


_SECOND: Final = dt.timedelta(seconds=1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)


def pack(value: object) -> Packed:
    """The kind of a value and its JSON data, exactly: true, 1 and 1.0 stay what they are.

    Raises:
        ValueError: it is not a value.
    """
    match value:
        case bool():
            return "bool", value
        case str():
            return "text", value
        case int():
            return "number", str(value)
        case Decimal():
            return "number", format(value, "f")
        case dt.datetime():
            return "moment", value.isoformat()
        case dt.date():
            return "date", value.isoformat()
        case dt.time():
            return "time", value.isoformat()
        case dt.timedelta():
            seconds, rest = divmod(value, _SECOND)
            return ("microseconds", value // _MICROSECOND) if rest else ("seconds", seconds)
        case frozenset() if all(isinstance(item, str) for item in value):
            return "set", sorted(value)
    if value is NONE:
        return "none", True
    raise ValueError(f"{type(value).__name__} is not a value of the language")


def unpack(kind: object, data: object) -> Any:
    """The value that was packed; a number as a `Decimal`. Dates and times are read in the one form that `pack` writes.

    Raises:
        NoSuchKind: there is no such kind, or the data cannot be of it.
        ValueError, ArithmeticError: the data is none of the kind.
    """
    match kind, data:
        case ("bool", bool()) | ("text", str()):
            return data
        case "number", str():
            number = Decimal(data)
            if not number.is_finite():
                raise ValueError(f"{data[:40]} is not a number of the language")
            return number
        case "moment", str():
            return _as_written(dt.datetime.fromisoformat(data), data)
        case "date", str():
            return _as_written(dt.date.fromisoformat(data), data)
        case "time", str():
            return _as_written(dt.time.fromisoformat(data), data)
        case (("seconds" | "microseconds"), int()) if not isinstance(data, bool):
            return data * (_SECOND if kind == "seconds" else _MICROSECOND)
        case "set", list() if all(isinstance(item, str) for item in data):
            return frozenset(data)
        case "none", True:
            return NONE
    raise NoSuchKind("no such kind of value")


def _as_written(value: dt.date | dt.time, data: str) -> dt.date | dt.time:
    """A date or a time, if it is in the form that is written: no week dates, no offsets from UTC.

    Raises:
        ValueError: it is not.
    """
    if value.isoformat() != data or getattr(value, "tzinfo", None) is not None:
        raise ValueError(f"{data[:40]} is not written as 2026-04-01 or 19:00:00, without an offset")
    return value


# ---------------------------------------------------------------- values in documents

_IN_DOCUMENTS: Final = frozenset(
    {"text", "bool", "number", "date", "time", "seconds", "microseconds", "set", "none"}
)


def value_document(value: Value) -> dict[str, Any]:
    """A value as a document shows it: an object with its kind; durations that are not in whole seconds in microseconds.

    Raises:
        ValueError: it is not a value of the language.
    """
    kind, data = pack(value)
    if kind not in _IN_DOCUMENTS:
        raise ValueError("a date with a time is not a value of the language")
    return {kind: data}


def read(data: object, kinds: frozenset[str] = _IN_DOCUMENTS) -> Value:
    """The value that `shown` gave, numbers in their one form.

    Raises:
        NoSuchKind: it is none, or of another kind.
        ValueError, ArithmeticError: the data is none of its kind.
    """
    if not isinstance(data, Mapping) or len(data) != 1:
        raise NoSuchKind("no such kind of value")
    ((kind, inner),) = data.items()
    value: Value = unpack(kind if kind in kinds else None, inner)
    return normal_number(value) if isinstance(value, Decimal) else value


# ---------------------------------------------------------------- trees

_TUPLE, _MAPPING, _VALUE, _SET = -1, -2, -3, -4


class Trees:
    """Trees of some dataclasses as lists: ``[number of the class, fields...]``; other things have negative numbers.

    Both sides must have the same classes: what another version wrote means something else.

    Args:
        kinds: the classes.
        left_out: whether a field of a class is not written: reading gives it its default, or what `decode` is given.
    """

    def __init__(
        self, kinds: Iterable[type], left_out: Callable[[type, str], bool] = lambda kind, field: False
    ) -> None:
        self._kinds: list[type[Any]] = list(kinds)
        self._numbers = {kind: number for number, kind in enumerate(self._kinds)}
        self._fields = [
            [item.name for item in dataclasses.fields(kind) if not left_out(kind, item.name)]
            for kind in self._kinds
        ]
        self._widths = [1 + len(names) for names in self._fields]
        self._made = {
            number: _maker(kind, names)
            for number, (kind, names) in enumerate(zip(self._kinds, self._fields, strict=True))
        }

    def encode(self, value: Any) -> Any:
        """What `json` can write.

        Raises:
            ValueError: there is something in it that is neither a value nor one of the classes.
            RecursionError: it is nested too deeply.
        """
        if value is None or isinstance(value, bool | str | int):
            return value
        number = self._numbers.get(type(value))
        if number is not None:
            return [number, *[self.encode(getattr(value, name)) for name in self._fields[number]]]
        if isinstance(value, tuple | list):
            return [_TUPLE, *[self.encode(item) for item in value]]
        if isinstance(value, Mapping):
            return [_MAPPING, *[[self.encode(key), self.encode(item)] for key, item in value.items()]]
        if isinstance(value, frozenset):
            return [_SET, *[self.encode(item) for item in sorted(value, key=repr)]]
        if isinstance(value, float) and math.isfinite(value):  # bounds of time; no value of the language
            return value
        return [_VALUE, *pack(value)]

    def decode(self, data: Any, makers: Mapping[type, Callable[..., Any]] | None = None) -> Any:
        """The value that was encoded; lists come back as tuples.

        Args:
            makers: makes an object of a class of its written fields, in their order, instead of the class.

        Raises:
            ArithmeticError, IndexError, KeyError, TypeError, ValueError: `encode` makes no such thing, or it is nested
                too deeply.
        """
        made = self._made
        if makers:
            made = made | {self._numbers[kind]: make for kind, make in makers.items()}
        widths = self._widths

        def tree(data: Any) -> Any:
            if data.__class__ is not list:
                if isinstance(data, dict):
                    raise ValueError("an object is nothing that is written here")
                return data
            kind = data[0]
            if kind.__class__ is not int:
                raise ValueError("a list without a number is nothing that is written here")
            if kind >= 0:
                if len(data) != widths[kind]:
                    raise ValueError(f"{self._kinds[kind].__name__} has other fields")
                return made[kind](*[tree(item) for item in data[1:]])
            if kind == _TUPLE:
                return tuple([tree(item) for item in data[1:]])
            if kind == _VALUE:
                return unpack(*data[1:])
            if kind == _MAPPING:
                return {tree(key): tree(item) for key, item in data[1:]}
            if kind == _SET:
                return frozenset(map(tree, data[1:]))
            raise ValueError(f"there is nothing with the number {kind}")

        try:
            return tree(data)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error


def _maker(kind: type, names: list[str]) -> Callable[..., Any]:
    """Makes an object of the fields that are written."""
    if names == [item.name for item in dataclasses.fields(kind)][: len(names)]:
        return kind
    return lambda *items: kind(**dict(zip(names, items, strict=True)))
