"""A story of a guard: steps and what is expected of each. Tests, counterexamples, plans and recorded runs are this."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from typing import Literal as OneOf
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.program.values import Value

Level: TypeAlias = OneOf["allow", "warn", "confirm", "block"]
LEVELS: tuple[Level, ...] = ("allow", "warn", "confirm", "block")
PROPOSALS = frozenset({"update", "delete", "attempt", "claim", "gesture"})
"""The kinds of parts (see `Part`) that propose something."""


@dataclass(frozen=True, slots=True)
class Fact:
    """``R(a = v)`` without variables. A cell of None was written ``a = unknown``.

    `keep`: it was written ``R(a = v, ..)``: what is written of a view or list leaves the other cells as they are.

    `today` stands for itself in cells as `Today` plus days until the story's clock is known.
    """

    relation: str
    cells: "Mapping[str, Value | Today | None]" = field(default_factory=dict, hash=False)
    span: Span | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Today:
    """``today`` plus `days`, before the day of the instruction is known. As a string it is the source text."""

    days: int = 0

    def __str__(self) -> str:
        return f"today {'+' if self.days > 0 else '-'} {abs(self.days)}d" if self.days else "today"


NEAR = 31
"""Days around the day of the instruction that are written by it."""


def near(value: "Value | None", today: dt.date) -> "Value | Today | None":
    """A value as a test gives it: a date that is near by the day of the instruction."""
    days = (value - today).days if isinstance(value, dt.date) else NEAR + 1
    return Today(days) if abs(days) <= NEAR else value


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a turn does.

    Attributes:
        kind: ``given`` (state before the first turn); proposals: ``update``, ``delete`` (a predicted effect),
            ``attempt`` (a critical action; ``finish`` and ``give_up`` too), ``claim``, ``gesture``; what is seen
            after: ``observe``, ``observe no``, ``observe complete``, ``observe screen`` (the fact's relation is the
            screen's qualified name).
        fact: what it is about.
    """

    kind: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class ExpectedVerdict:
    """``=> verdicts because reasons``: any of `levels` is right; `because` are names as written."""

    levels: tuple[Level, ...] = ("allow",)
    because: tuple[str, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One step: parts of one turn (see `Part`), or ``clock``, ``approve``, ``refuse``, ``assume``.

    Attributes:
        kind: ``given``, ``turn``, ``clock``, ``approve``, ``refuse``, ``assume``.
        parts: of ``given`` and ``turn``.
        expected: of a turn with a proposal.
        clock: of ``clock``: the date and time.
        assumed: of ``assume``: the two texts and whether they are similar.
    """

    kind: str
    parts: tuple[Part, ...] = ()
    expected: ExpectedVerdict = ExpectedVerdict()
    clock: dt.datetime | None = None
    assumed: tuple[str, str, bool] | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A named story for one module."""

    name: str
    target: str
    turns: tuple[Turn, ...]
    annotations: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, hash=False)
    span: Span | None = None
