"""Parses JSON of accessibility services strictly: refuses what is ambiguous, too large or too deep."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.program.text import safe
from vsalang.screen.tree.node import MAX_BYTES, DumpError

_BEGIN: Final = re.compile(r"[\[{]")
_ROW: Final = re.compile(r"\s*(?:Row: 0 )?result=")
"""What `content query` prints before the value."""
_SHOWN: Final = 60
_SCALARS: Final = frozenset({type(None), str, bool, int, float})


def load_json(text: str, name: str) -> Any:
    """The value of a JSON text. `content query`'s ``Row: 0 result=`` before it is left out.

    Raises:
        DumpError: it is not JSON, or two readers may read it differently: the same key twice, ``NaN``, halves of
            characters; or it is too large or too deep.
    """
    if len(text) > MAX_BYTES:
        raise DumpError(f"larger than {MAX_BYTES // 1024 // 1024} MiB: not a UI tree", name=name)
    row = _ROW.match(text)
    start = row.end() if row is not None else 0

    try:
        value = json.loads(
            text[start:].lstrip("\ufeff"), parse_constant=no_constant, object_pairs_hook=object_once
        )
    except json.JSONDecodeError as error:
        line = text.count("\n", 0, start) + error.lineno
        raise DumpError(f"broken JSON: {error.msg.lower()}; is it cut off?", name=name, line=line) from error
    except RecursionError as error:
        raise DumpError("JSON nested too deeply", name=name) from error
    except ValueError as error:  # a key twice, `NaN`, a number of thousands of digits
        raise DumpError(f"broken JSON: {safe(str(error), 160)[1:-1]}", name=name) from error
    return value


def looks_like_json(text: str) -> bool:
    """Whether a text looks like JSON, not like XML."""
    row = _ROW.match(text)
    begin = text[row.end() if row is not None else 0 :][:64].lstrip(" \t\r\n\ufeff")[:1]
    return _BEGIN.match(begin) is not None


def plain(value: Any, depth: int = 0) -> Any:
    """Objects of the frameworks as the mappings of their JSON.

    Accepted are mappings and sequences, dataclass instances (AndroidWorld's ``UIElement``), and protocol buffer
    messages (a forest of accessibility-forwarder): everything that names its own fields.
    """
    if type(value) in _SCALARS or isinstance(value, str | bool | int | float):
        return value
    if depth > 1000:
        raise RecursionError("nested too deeply")
    if type(value) is dict:  # as most are that come from JSON
        return {
            str(key): item if type(item) in _SCALARS else plain(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    fields = getattr(getattr(value, "DESCRIPTOR", None), "fields", None)
    if fields is not None:
        return {field.name: _of_message(value, field, depth) for field in fields}
    names = getattr(value, "__dataclass_fields__", None)
    if names is not None and not isinstance(value, type):
        return {name: plain(getattr(value, name), depth + 1) for name in names}
    if isinstance(value, Sequence) or (hasattr(value, "__iter__") and hasattr(value, "__len__")):
        return [plain(item, depth + 1) for item in value]
    raise TypeError(f"{type(value).__name__} is not part of a UI tree")


def _of_message(message: Any, field: Any, depth: int) -> Any:
    value = getattr(message, field.name)
    kinds = getattr(field, "enum_type", None)
    if kinds is not None and isinstance(value, int) and not isinstance(value, bool):
        named = getattr(kinds, "values_by_number", {}).get(value)
        return named.name if named is not None else value
    return plain(value, depth + 1)


class At:
    """One object of the source with its path. Its methods read values; their errors name the path."""

    __slots__ = ("data", "name", "where")

    def __init__(self, data: Any, where: str, name: str) -> None:
        self.where = where
        self.name = name
        if not isinstance(data, Mapping):
            raise self.wrong(f"is {kind_of(data)}, but must be an object")
        self.data: Mapping[str, Any] = data

    def wrong(self, what: str, key: str = "") -> DumpError:
        """The error that says what is wrong here."""
        place = ".".join(part for part in (self.where, key) if part) or "the value"
        return DumpError(f"{place} {what}", name=self.name)

    def text(self, *keys: str) -> str | None:
        """The first text that is there and not empty."""
        for key in keys:
            value = self.data.get(key)
            if value is None or value == "":
                continue
            if not isinstance(value, str):
                raise self.wrong(f"is {kind_of(value)}, but must be text", key)
            if "\0" in value:
                raise self.wrong("holds a NUL character", key)
            try:
                value.encode()
            except UnicodeEncodeError:
                raise self.wrong("holds a lone surrogate: not Unicode text", key) from None
            return value
        return None

    def flag(self, *keys: str) -> bool | None:
        """The first truth value that is there."""
        for key in keys:
            value = self.data.get(key)
            if value is None:
                continue
            if not isinstance(value, bool):
                raise self.wrong(f"is {kind_of(value)}, but must be true or false", key)
            return value
        return None

    def number(self, *keys: str) -> int | None:
        """The first whole number that is there."""
        for key in keys:
            value = self.data.get(key)
            if value is not None:
                return self.whole(value, key)
        return None

    def whole(self, value: Any, key: str) -> int:
        """A number of pixels: fractions are cut off.

        Raises:
            DumpError: it is none, or larger than Android's numbers.
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f"is {kind_of(value)}, but must be a number", key)
        if isinstance(value, float) and not math.isfinite(value):
            raise self.wrong(f"is {value}, but must be a number", key)
        if not -(2**31) <= value < 2**31:
            raise self.wrong("is too large a number", key)
        return math.floor(value)

    def items(self, *keys: str) -> list[Any]:
        """The first list that is there; an empty one if none is."""
        for key in keys:
            value = self.data.get(key)
            if value is None:
                continue
            if not isinstance(value, list):
                raise self.wrong(f"is {kind_of(value)}, but must be a list", key)
            return value
        return []

    def inner(self, key: str) -> "At | None":
        """The object of that key, if it is there."""
        value = self.data.get(key)
        return None if value is None else At(value, f"{self.where}.{key}" if self.where else key, self.name)

    def box(self, *keys: str) -> tuple[int, int, int, int] | None:
        """Bounds in any form that sources use: an object, four numbers, two points, or text.

        Raises:
            DumpError: there are some that cannot be read.
        """
        for key in keys:
            value = self.data.get(key)
            if value is None:
                continue
            if isinstance(value, Mapping):
                box = self._box_of(At(value, f"{self.where}.{key}", self.name), key)
            elif isinstance(value, str):
                numbers = re.fullmatch(
                    r"\s*\[?(-?\d{1,10}),\s*(-?\d{1,10})(?:\]\[|,\s*)(-?\d{1,10}),\s*(-?\d{1,10})\]?\s*",
                    value,
                )
                if numbers is None:
                    raise self.wrong("are unreadable bounds: four numbers are needed", key)
                left, top, right, bottom = map(int, numbers.groups())
                box = (left, top, right, bottom)
            elif isinstance(value, list) and len(value) in (2, 4):
                flat = [part for item in value for part in (item if isinstance(item, list) else [item])]
                if len(flat) != 4:
                    raise self.wrong("are unreadable bounds: four numbers are needed", key)
                left, top, right, bottom = (self.whole(item, key) for item in flat)
                box = (left, top, right, bottom)
            else:
                raise self.wrong("are unreadable bounds: four numbers are needed", key)
            return box
        return None

    def _box_of(self, bounds: "At", key: str) -> tuple[int, int, int, int]:
        names = ("left", "top", "right", "bottom")
        if bounds.data.keys() & {"x_min", "x_max", "y_min", "y_max"}:
            names = ("x_min", "y_min", "x_max", "y_max")
            if missing := [name for name in names if name not in bounds.data]:
                raise self.wrong(f"have no {missing[0]}", key)
        elif unknown := [name for name in bounds.data if name not in names]:
            raise self.wrong(f"have {safe(unknown[0], _SHOWN)}, but must have left, top, right, bottom", key)
        # An edge that a protocol buffer leaves out is 0.
        left, top, right, bottom = (bounds.number(name) or 0 for name in names)
        return left, top, right, bottom


def kind_of(value: Any) -> str:
    """The kind of a value, in terms of JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"
