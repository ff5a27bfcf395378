"""Reads the tables of a TOML file key by key, and says of each error in which line it is.

The parser of the standard library gives no lines. What is wrong is data (`Problem`): the reader of a file may say it in
words of their own.
"""

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass

_MOST_LINES: Final = 3000
NEEDED: Final[Any] = object()
"""Stands for the default of a key that must be there."""


def parse(text: str) -> dict[str, Any]:
    """The document of a text.

    Raises:
        ValueError: it is not TOML; the message says why.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """The line (from 1) on which the first statement about a key begins.

    The text is parsed up to each of its lines: the shortest beginning that is TOML and contains the key ends with the
    statement, and the statement begins after the longest shorter beginning that is TOML.

    Args:
        text: a whole file that is TOML.
        path: the key with the tables it is in, outermost first, and numbers from 0 for members of lists; the empty
            path is line 1.

    Returns:
        None if the key is not there, or not in the lines that are searched.
    """
    lines = text.split("\n")
    whole = 0
    for count in range(1, min(len(lines), _MOST_LINES) + 1):
        try:
            document = tomllib.loads("\n".join(lines[:count]) + "\n")
        except ValueError:
            continue
        if _contains(document, path):
            return whole + 1
        whole = count
    return None


def _contains(document: Any, path: tuple[str | int, ...]) -> bool:
    for key in path:
        if isinstance(key, int):
            if not isinstance(document, list) or key >= len(document):
                return False
        elif not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True


@dataclass(frozen=True, slots=True)
class Missing:
    """A key that must be there is not."""

    key: str
    kind: type

    def __str__(self) -> str:
        return f"{self.key!r} is missing: add {self.key} = {_EXAMPLES.get(self.kind, '...')}"


@dataclass(frozen=True, slots=True)
class WrongKind:
    """The value of a key is of none of the types `kinds`."""

    key: str
    kinds: tuple[type, ...]
    value: Any

    def __str__(self) -> str:
        wanted = " or ".join(_kind_name(kind) for kind in self.kinds)
        return f"{self.key!r} must be {wanted}, not {_kind_name(type(self.value))}"


@dataclass(frozen=True, slots=True)
class OutOfRange:
    """A number, which may be one of the types `kinds`, is less than `least` or more than `most`."""

    key: str
    kinds: tuple[type, ...]
    least: float
    most: float
    value: float

    def __str__(self) -> str:
        form = "g" if float in self.kinds else ""
        return f"{self.key!r} must be from {self.least:{form}} to {self.most:{form}}, not {self.value}"


@dataclass(frozen=True, slots=True)
class NoChoice:
    """The value of a key is not one of some words; it may not even be a text."""

    key: str
    choices: Collection[str]
    value: Any

    def __str__(self) -> str:
        if not isinstance(self.value, str):
            return str(WrongKind(self.key, (str,), self.value))
        words = ", ".join(sorted(self.choices))
        return f"{self.key!r} is {self.value!r}: it must be one of {words}{hint(self.value, self.choices)}"


@dataclass(frozen=True, slots=True)
class UnknownKeys:
    """A table has keys, `names`, that are not among those `known` for it."""

    names: tuple[str, ...]
    known: tuple[str, ...]

    def __str__(self) -> str:
        may = f"it may hold {', '.join(sorted(set(self.known)))}"
        return f"unknown: {', '.join(sorted(self.names))}; {may}{hint(min(self.names), self.known)}"


Problem = Missing | WrongKind | OutOfRange | NoChoice | UnknownKeys | str
"""What is wrong with a table: one of these, or a text if only the reader of the file knows it."""


class TomlError(Exception):
    """A table of a TOML file cannot be used: the message names the file, the line, the table, and what to change.

    Attributes:
        table: the table.
        keys: the path from it to what is wrong; empty: the table itself.
        problem: what is wrong.
    """

    def __init__(self, table: "Table", keys: tuple[str | int, ...], problem: Problem) -> None:
        super().__init__(table, keys, problem)
        self.table, self.keys, self.problem = table, keys, problem

    def __str__(self) -> str:
        return f"{self.table.at(*self.keys)}: {self.table.where}: {self.problem}"


def _itself(error: TomlError) -> Exception:
    return error


class Place:
    """A place in a file; its line is searched for only when it is printed."""

    def __init__(self, file: Path, text: str, path: tuple[str | int, ...], where: str) -> None:
        self._file, self._text, self._path, self._where = file, text, path, where

    def __str__(self) -> str:
        line = line_of(self._text, self._path)
        return f"{self._file}:{line}: {self._where}" if line else f"{self._file}: {self._where}"


class Table:
    """A table of a TOML file. Keys are taken one by one, so that an error names the missing, wrong or unknown key.

    Args:
        file: the file, for messages.
        text: what it holds.
        values: the table, as `parse` gives it.
        path: where it is in the document.
        turn: makes the error to raise of a `TomlError`; else that one is raised. Where a method below says
            `TomlError`, it raises what this makes of it.
    """

    def __init__(
        self,
        file: Path,
        text: str,
        values: Mapping[str, Any],
        path: tuple[str | int, ...] = (),
        turn: Callable[[TomlError], Exception] = _itself,
    ) -> None:
        self.file = file
        self.text = text
        self.path = path
        self.left = dict(values)
        self._turn = turn
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
        line = self.line(*keys) or self.line()
        return f"{self.file}:{line}" if line else str(self.file)

    def line(self, *keys: str | int) -> int | None:
        """The line of a key of the table, or of the table if none is given; None if it is not there."""
        return line_of(self.text, (*self.path, *keys))

    def place(self, text: str) -> Place:
        """The place of the table, for later messages."""
        return Place(self.file, self.text, self.path, text)

    def fail(self, problem: Problem, *keys: str | int) -> Exception:
        """The error to raise; `keys` is the path to the wrong value in the table."""
        return self._turn(TomlError(self, keys, problem))

    def has(self, key: str) -> bool:
        """Whether the key is there and was not taken yet."""
        self._known.append(key)
        return key in self.left

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = NEEDED) -> Any:
        """A value, of one of the types `kind`; without `default` it is required.

        Raises:
            TomlError: it is missing, or of another type.
        """
        self._known.append(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if key not in self.left:
            if default is NEEDED:
                raise self.fail(Missing(key, kinds[0]))
            return default
        value = self.left.pop(key)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.fail(WrongKind(key, kinds, value), key)
        return value

    def within(self, key: str, kind: type | tuple[type, ...], least: float, most: float, default: Any) -> Any:
        """A number of one of the types `kind`, from `least` to `most`, or the default.

        Raises:
            TomlError: it is of another type, or out of this range.
        """
        if key not in self.left:
            return self.take(key, kind, default)
        value = self.take(key, kind)
        if not least <= value <= most:  # neither is nan
            kinds = kind if isinstance(kind, tuple) else (kind,)
            raise self.fail(OutOfRange(key, kinds, least, most, value), key)
        return value

    def positive(self, key: str, default: int, most: int) -> int:
        """A whole number from 1 to `most`. Raises `TomlError`."""
        return int(self.within(key, int, 1, most, default))

    def number(self, key: str, default: float, least: float, most: float) -> float:
        """A number from `least` to `most`. Raises `TomlError`."""
        return float(self.within(key, (int, float), least, most, default))

    def one_of(self, key: str, choices: Collection[str], default: Any = NEEDED) -> Any:
        """One of the given words, or the default. Raises `TomlError`."""
        if key not in self.left:
            return self.take(key, str, default)
        self._known.append(key)
        value = self.left.pop(key)
        if value != default:
            self.choose(key, choices, value)
        return value

    def choose(self, key: str, choices: Collection[str], value: Any) -> None:
        """Make sure that what stands at a key is one of the given words. Raises `TomlError`."""
        if not isinstance(value, str) or value not in choices:
            raise self.fail(NoChoice(key, choices, value), key)

    def strings(self, key: str) -> dict[str, str]:
        """A table whose values are texts; empty if missing. Raises `TomlError`."""
        table: dict[str, str] = self.take(key, dict, {})
        for name, value in table.items():
            if not isinstance(value, str):
                raise self.fail(f"{key}.{name} must be a string: put it in quotes", key, name)
        return dict(table)

    def table(self, key: str, *, needed: bool = False) -> "Table":
        """A table in this one; empty if missing, unless it is required. Raises `TomlError`."""
        return self._inner((key,), self.take(key, dict, NEEDED if needed else {}))

    def tables(self, key: str) -> list["Table"]:
        """The tables of a list ``[[key]]``; none if missing. Raises `TomlError`."""
        rows = self.take(key, list, [])
        for index, row in enumerate(rows):
            if not isinstance(row, dict):
                raise self.fail(f"[[{key}]] must be a table", key, index)
        return [self._inner((key, i), row) for i, row in enumerate(rows)]

    def only(self, names: Collection[str]) -> "Table":
        """This table, if it holds no other keys than these. Raises `TomlError`."""
        self._end(names)
        return self

    def end(self) -> None:
        """Check that all keys were taken.

        Raises:
            TomlError: one is left over.
        """
        self._end(())

    def _end(self, names: Collection[str]) -> None:
        left = tuple(key for key in self.left if key not in names)
        if left:
            raise self.fail(UnknownKeys(left, (*self._known, *names)), min(left))

    def _inner(self, path: tuple[str | int, ...], values: Mapping[str, Any]) -> "Table":
        return Table(self.file, self.text, values, (*self.path, *path), self._turn)


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean `x`?`` if a known name is similar; else empty."""
    from vsalang.base.source.suggest import did_you_mean

    hint = did_you_mean(name, sorted(known))
    return f"; {hint}" if hint else ""


_EXAMPLES: Final[Mapping[type, str]] = {
    str: '"..."', int: "1", bool: "true", dict: "{ ... }", list: "[ ... ]",
}  # fmt: skip
_WORDS: Final[Mapping[type, str]] = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false", dict: "a table", list: "a list",
}  # fmt: skip


def _kind_name(kind: type) -> str:
    return _WORDS.get(kind, kind.__name__)
