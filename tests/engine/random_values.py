"""Random values and terms, and what may stand in a random body (`Scope`).

The domains have two or three values per type, so that rows match, join and contradict each other often. In wide
programs more values, functions and forms of literals occur, each now and then.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from tests.engine.chances import Chance
from tests.engine.worlds import COLOR, SCHEMA, TODAY, const, fn
from vsalang.program.ir import (
    BOOL,
    DATE,
    DURATION,
    NUMBER,
    TEXT,
    TIME,
    Relation,
    Term,
    Type,
    Var,
)
from vsalang.program.values import NONE

VALUES: dict[str, list[Any]] = {
    "Number": [1, 2, 3],
    "Text": ["a", "b 2"],
    "Bool": [True, False],
    "Date": [TODAY, TODAY + dt.timedelta(days=1)],
    "Time": [dt.time(9), dt.time(12)],
    "Duration": [dt.timedelta(minutes=5), dt.timedelta(hours=1)],
    "enum": ["Red", "Blue"],
    "set": [frozenset(), frozenset({"a"}), frozenset({"a", "b 2"})],
}
RARE: dict[str, list[Any]] = {
    "Number": [0, -1, Decimal("1.5"), Decimal("0.1"), Decimal("0.30000000000000000001"), 10**30],
    "Text": [
        "",
        "A",
        "a!",
        " a\n",
        "b \n 2",
        "Straße",
        "STRASSE",
        "é",
        "É",
        "1",
        "1.5 €",
        "12:00",
        "1 Apr",
        "Red",
        "True",
        "?x",
        "b\u200b 2",
        "\uff42 2",
    ],
    "Bool": [True, False],
    "Date": [dt.date(2024, 2, 29), dt.date(2026, 12, 31)],
    "Time": [dt.time(0), dt.time(23, 59, 59)],
    "Duration": [dt.timedelta(0), dt.timedelta(days=1), dt.timedelta(seconds=-30)],
    "enum": ["Red", "Blue"],
    "set": [frozenset({"b 2"}), frozenset({"a", "A"})],
}
COLOR_SETS = [frozenset(), frozenset({"Red"}), frozenset({"Blue"}), frozenset({"Red", "Blue"})]
PATTERNS = ["^a", "[0-9]", "."]
WIDE_PATTERNS = ["(?i)strasse", "^$", "b?", "(a|b) ?2", r"\d+[.:]\d+", "é"]
WORD_LISTS = [("a",), ("b 2", "é"), ("strasse", "2")]
"""Forms of lists of words."""
READINGS: list[Any] = ["plain", "certain", "possible", "narrow"]
"""Of what a pattern matches in a text that hides something."""
CAPTURES = [
    "(?P<u>[a-z])",
    "(?P<u>[0-9]+)",
    "^(?P<u>.*?)( (?P<t>[0-9]))?$",
    "(?P<u>b)|a",
    "(?P<t>.)(?P<u>.*)",
]
VARIABLES = {
    "Number": ["n", "m"],
    "Text": ["t", "u"],
    "Bool": ["b"],
    "Date": ["d"],
    "Time": ["s"],
    "Duration": ["l"],
    "enum": ["c"],
    "set": ["z"],
}
KIND = {name + g: kind for kind, names in VARIABLES.items() for name in names for g in ("", "g")}
ORDERED = ("Number", "Date", "Time", "Duration")
TYPES = {
    "Number": NUMBER,
    "Text": TEXT,
    "Bool": BOOL,
    "Date": DATE,
    "Time": TIME,
    "Duration": DURATION,
    "enum": COLOR,
}
BASE = {r.name: r for r in SCHEMA}
BELIEVED = ("Flag", "Item", "Pair", "Event", "Opts", "Page", "L", "K")
LASTING = ("Flag", "Item", "Page", "L")  # those that the tests of the past use most
OBSERVED = ("Node", "App", "Goto", "Clock")


def is_colors(kind: Type) -> bool:
    return kind.kind == "set" and kind.elem is not None and kind.elem.kind == "enum"


def typed(kind: Type, value: Any) -> Any:
    found = const(value)
    return (
        replace(found, type=kind) if kind.kind == "enum" or (is_colors(kind) and value is not NONE) else found
    )


@dataclass
class Scope:
    """What may stand in a body: relations, and which variables are bound so far."""

    chance_: Chance
    relations: dict[str, Relation]
    positive: tuple[str, ...]  # relations that may stand in positive atoms
    any_use: tuple[str, ...]  # relations that may stand anywhere
    plain: bool = True  # whether `unknown` may be asked
    wide: bool = False  # whether the rarer forms occur
    bound: list[str] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)  # bound by an aggregate's groups: for heads only

    def pick(self, items: Sequence[Any]) -> Any:
        return self.chance_.pick(items)

    def number(self, low: int, high: int) -> int:
        return self.chance_.number(low, high)

    def chance(self, percent: int) -> bool:
        return self.chance_.number(0, 99) >= 100 - percent

    def rarely(self, percent: int) -> bool:
        """Like `chance`, in wide programs; never in others."""
        return self.wide and self.chance(percent)

    def bound_of(self, kind: str) -> list[str]:
        return [name for name in self.bound if KIND[name] == kind]

    def value(self, kind: Type) -> Any:
        """A value of the type."""
        if is_colors(kind):
            return self.pick(COLOR_SETS)
        return self.pick(RARE[kind.kind] if self.rarely(15) else VALUES[kind.kind])


# ---------------------------------------------------------------- terms


def function(scope: Scope, kind: str, *, closed: bool = False) -> Term | None:
    """A function of that type over bound variables (over constants if `closed`), None if there is none."""

    def some(of: str) -> Term:
        names = [] if closed else scope.bound_of(of)
        return (
            Var(scope.pick(names)) if names and scope.chance(80) else typed(TYPES[of], scope.value(TYPES[of]))
        )

    made: dict[str, list[Any]] = {
        "Number": [
            lambda: fn("+", NUMBER, some("Number"), some("Number")),
            lambda: fn("-", NUMBER, some("Number"), some("Number")),
            lambda: fn("*", NUMBER, some("Number"), some("Number")),
            lambda: fn("neg", NUMBER, some("Number")),
            lambda: fn("day", NUMBER, some("Date")),
            lambda: fn("number", NUMBER, some("Text")),
        ],
        "Text": [
            lambda: fn("lower", TEXT, some("Text")),
            lambda: fn("line", TEXT, some("Text")),
            lambda: fn("currency", TEXT, some("Text")),
        ],
        "Bool": [lambda: fn("flip", BOOL, some("Bool")), lambda: fn("bool", BOOL, some("Text"))],
        "Date": [
            lambda: fn("today", DATE),
            lambda: fn("date", DATE, some("Text")),
            lambda: fn("+", DATE, some("Date"), some("Duration")),
        ],
        "Time": [
            lambda: fn("time", TIME, some("Text")),
            lambda: fn("+", TIME, some("Time"), some("Duration")),
        ],
        "Duration": [
            lambda: fn("-", DURATION, some("Time"), some("Time")),
            lambda: fn("-", DURATION, some("Date"), some("Date")),
            lambda: fn("*", DURATION, some("Duration"), some("Number")),
            lambda: fn("duration", DURATION, some("Text")),
        ],
        "enum": [lambda: fn("member", COLOR, some("Text"))],
    }
    return scope.pick(made[kind])() if kind in made else None
