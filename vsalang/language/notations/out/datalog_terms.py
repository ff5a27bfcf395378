"""Names, constants and comparisons of the program in plain Datalog."""

import datetime as dt
import re
from decimal import Decimal
from typing import Final

from vsalang.program import ir
from vsalang.program.values import NONE, Value

UNKNOWN: Final = "unknown"
"""The constant for an unknown cell."""

_NONE: Final = "none"
_LARGEST: Final = 2**31 - 1
"""The largest number: some engines count in 32 bits."""

ORDER: Final = ("<", "<=", ">", ">=")


class NoCounterpart(Exception):
    """Plain Datalog cannot express something."""


def constant(value: Value) -> str:
    """A value as a constant; the order of dates, times and durations is that of their numbers.

    Raises:
        NoCounterpart: a value that has none.
    """
    if value is NONE:
        return _NONE
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, Decimal):
        raise NoCounterpart("a number that is not whole")
    if isinstance(value, dt.date):
        return str(value.year * 10000 + value.month * 100 + value.day)
    if isinstance(value, dt.time):
        return str(value.hour * 3600 + value.minute * 60 + value.second)
    if isinstance(value, dt.timedelta):
        if value.microseconds:
            raise NoCounterpart("a duration that is not in whole seconds")
        return _whole(value.days * 86400 + value.seconds)
    raise NoCounterpart("a set")


def _whole(number: int) -> str:
    if abs(number) > _LARGEST:
        raise NoCounterpart("a number of more than 31 bits")
    return str(number)


def text(content: str) -> str:
    """A text as a quoted constant.

    Raises:
        NoCounterpart: it holds what cannot be quoted.
    """
    if any(ord(char) < 32 and char != "\n" for char in content):
        raise NoCounterpart("a text with control characters")
    return '"' + content.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _unused(name: str, taken: set[str]) -> str:
    """The name, with a number if it is already taken; it is taken from then on."""
    name_found, number = name, 2
    while name_found in taken:
        name_found, number = f"{name}_{number}", number + 1
    taken.add(name_found)
    return name_found


class Predicates:
    """The predicate of each relation and use of it: it begins with a lower-case letter, and is unique."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = {"not", "true", "false", _NONE, UNKNOWN}

    def name(self, relation: str, use: str = "") -> str:
        """The predicate of a relation.

        Args:
            use: a word before it: ``earlier``, ``before``, ``allow`` ...; empty for its rows now.
        """
        known = self._names.get((relation, use))
        if known is None:
            plain = re.sub(r"[^A-Za-z0-9_]", "_", relation)
            known = self.fresh(f"{use}_{plain}" if use else plain)
            self._names[relation, use] = known
        return known

    def fresh(self, wanted: str) -> str:
        """An unused predicate, with the wanted name if possible."""
        name = wanted[:1].lower() + wanted[1:] if wanted[:1].isalpha() else f"r{wanted}"
        return _unused(name, self._taken)


class Variables:
    """The variables of one rule: they begin with a capital letter, and are unique."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._today = ""

    def of(self, var: ir.Var) -> str:
        """The name of a variable of the program."""
        if var.name not in self._names:
            self._names[var.name] = self.fresh(var.name)
        return self._names[var.name]

    @property
    def today(self) -> str:
        """The variable for the day of the instruction; the same in the whole rule."""
        if not self._today:
            self._today = self.fresh("today")
        return self._today

    def fresh(self, wanted: str) -> str:
        """A variable that is not in use."""
        name = wanted[:1].upper() + wanted[1:] if wanted[:1].isalpha() else f"V{wanted}"
        return _unused(name, self._taken)


def compare(left: str, op: str, right: str) -> list[str]:
    """``left op right`` of two cells that are known, where both sides have one type.

    Raises:
        NoCounterpart: an operator that plain Datalog does not have.
    """
    if op in ORDER:  # the order of `none` is undefined: it compares with nothing
        guards = [f"{side} != {_NONE}" for side in (left, right) if side[:1].isupper()]
        return [f"{left} {op} {right}", *guards]
    if op in ("=", "!="):
        return [f"{left} {op} {right}"]
    raise NoCounterpart(f"`{op}`")
