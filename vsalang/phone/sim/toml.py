"""Reads the tables of a TOML file key by key: an error names the file, the line, the key, and what to write."""

import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from vsalang.base.source.opening import open_regular
from vsalang.base.source.toml import line_of
from vsalang.phone.errors import DeviceError

_MOST_BYTES = 4 << 20


class PhoneSpecError(DeviceError):
    """The folder of a simulated phone cannot be used; the message names file, line, and what to change."""


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean `x`?`` if a known name is similar; else empty."""
    from vsalang.base.source.suggest import did_you_mean

    said = did_you_mean(name, sorted(known))
    return f"; {said}" if said else ""


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        PhoneSpecError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        with open_regular(path) as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise PhoneSpecError(f"{path}: cannot be read ({error.strerror})") from error
    if len(data) > _MOST_BYTES:
        raise PhoneSpecError(f"{path}: is larger than {_MOST_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PhoneSpecError(f"{path}:{line}: is not UTF-8") from error


def read_toml(path: Path) -> "Table":
    """The top table of a TOML file.

    Raises:
        PhoneSpecError: it cannot be read, or is not TOML.
    """
    text = read_text(path)
    try:
        return Table(path, text, (), tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise PhoneSpecError(f"{path}: not TOML: {error}") from error


class Place:
    """A place in a file; its line is searched for only when it is printed."""

    def __init__(self, file: Path, text: str, path: tuple[str | int, ...], said: str) -> None:
        self._file, self._text, self._path, self._said = file, text, path, said

    def __str__(self) -> str:
        line = line_of(self._text, self._path)
        return f"{self._file}:{line}: {self._said}" if line else f"{self._file}: {self._said}"


class Table:
    """A table of a TOML file. Keys are taken one by one, so that an error names the missing, wrong or unknown key."""

    def __init__(self, file: Path, text: str, path: tuple[str | int, ...], values: Mapping[str, Any]) -> None:
        self.file = file
        self.path = path
        self.left = dict(values)
        self._text = text
        self._known: list[str] = []

    @property
    def where(self) -> str:
        """The table as it is written in the file: ``[phone]``, ``[[app.screen]] number 2``."""
        names = [str(key) for key in self.path if isinstance(key, str)]
        if not names:
            return "top level"
        last = self.path[-1]
        if isinstance(last, int):
            return f"[[{'.'.join(names)}]] number {last + 1}"
        return f"[{'.'.join(names)}]"

    def at(self, *keys: str | int) -> str:
        """``file:line`` of a key of the table, of the table itself if none is given or it is not there."""
        line = line_of(self._text, (*self.path, *keys)) or line_of(self._text, self.path)
        return f"{self.file}:{line}" if line else str(self.file)

    def place(self, said: str) -> Place:
        """The place of the table, for later messages."""
        return Place(self.file, self._text, self.path, said)

    def fail(self, message: str, *keys: str | int) -> PhoneSpecError:
        """The error to raise; `keys` is the path to the wrong value in the table."""
        return PhoneSpecError(f"{self.at(*keys)}: {self.where}: {message}")

    def has(self, key: str) -> bool:
        """Whether the key is there and was not taken yet."""
        self._known.append(key)
        return key in self.left

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """A value, of one of the types `kind`; without `default` it is required."""
        self._known.append(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if key not in self.left:
            if default is None:
                raise self.fail(f"{key!r} is missing: add {key} = {_EXAMPLES.get(kinds[0], '...')}")
            return default
        value = self.left.pop(key)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(_said(one) for one in kinds)
            raise self.fail(f"{key!r} must be {wanted}, not {_said(type(value))}", key)
        return value

    def positive(self, key: str, default: int, most: int) -> int:
        """A whole number from 1 to `most`."""
        value: int = self.take(key, int, default)
        if not 1 <= value <= most:
            raise self.fail(f"{key!r} must be from 1 to {most}, not {value}", key)
        return value

    def number(self, key: str, default: float, least: float, most: float) -> float:
        """A number from `least` to `most`."""
        value: float = self.take(key, (int, float), default)
        if not least <= value <= most:
            raise self.fail(f"{key!r} must be from {least:g} to {most:g}, not {value}", key)
        return float(value)

    def one_of(self, key: str, choices: Collection[str], default: str | None = None) -> str:
        """One of the given words."""
        value: str = self.take(key, str, default)
        if value not in choices and value != default:
            raise self.fail(
                f"{key!r} is {value!r}: it must be one of {', '.join(sorted(choices))}{hint(value, choices)}",
                key,
            )
        return value

    def strings(self, key: str) -> dict[str, str]:
        """A table whose values are texts; empty if missing."""
        table: dict[str, str] = self.take(key, dict, {})
        for name, value in table.items():
            if not isinstance(value, str):
                raise self.fail(f"{key}.{name} must be a string: put it in quotes", key, name)
        return dict(table)

    def table(self, key: str, *, needed: bool = False) -> "Table":
        """A table in this one; empty if missing, unless it is required."""
        return Table(self.file, self._text, (*self.path, key), self.take(key, dict, None if needed else {}))

    def tables(self, key: str) -> list["Table"]:
        """The tables of a list ``[[key]]``; none if missing."""
        rows = self.take(key, list, [])
        for index, row in enumerate(rows):
            if not isinstance(row, dict):
                raise self.fail(f"[[{key}]] must be a table", key, index)
        return [Table(self.file, self._text, (*self.path, key, i), row) for i, row in enumerate(rows)]

    def end(self) -> None:
        """Check that all keys were taken.

        Raises:
            PhoneSpecError: one is left over.
        """
        if self.left:
            first = min(self.left)
            raise self.fail(
                f"unknown: {', '.join(sorted(self.left))}; it may hold {', '.join(sorted(set(self._known)))}"
                f"{hint(first, self._known)}",
                first,
            )


_EXAMPLES: Mapping[type, str] = {str: '"..."', int: "1", bool: "true", dict: "{ ... }", list: "[ ... ]"}
_WORDS: Mapping[type, str] = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false", dict: "a table", list: "a list",
}  # fmt: skip


def _said(kind: type) -> str:
    return _WORDS.get(kind, kind.__name__)
