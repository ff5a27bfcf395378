"""Whether a surface is finished with after an action: what `std.surface` says of two screens.

The rules are those of the module, evaluated by the guard's engine; nothing is repeated here, and nothing here permits
anything: only the `done` clauses of a task end it.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias, cast

from vsalang.base.records import dataclass
from vsalang.guard import Guard, Settings
from vsalang.guard.say.verdict import Why
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program
from vsalang.program.nested import Forest
from vsalang.program.screen import Cells, Screen
from vsalang.program.text import canonical, fold_case
from vsalang.program.values import Value

Finding: TypeAlias = Literal["stop", "continue", "blocked"]
"""``stop``: nothing is left to do on the surface; ``blocked``: something is in the way, handle it."""

OVERLAP: Final = 0.85
"""From this share of their common area on two touches fell on the same region."""

_PROGRAM: Final = """policy surface "Whether a surface is finished with"
import std.surface
flag "{?v} {?r}" when Surface(verdict = ?v, rule = ?r).
"""
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True, slots=True)
class Touch:
    """An interaction with the surface.

    Attributes:
        region: what it fell on.
        effect: whether anything changed after it.
    """

    region: Box
    effect: bool


@dataclass(frozen=True, slots=True)
class SurfaceVerdict:
    """What `std.surface` says.

    Attributes:
        finding: ``stop``, ``continue`` or ``blocked``.
        rule: which of its rules decided.
        evidence: the conditions of that rule, each with what was seen.
    """

    finding: Finding
    rule: str
    evidence: tuple[Why, ...]


def surface(
    before: Screen,
    after: Screen,
    values: Iterable[str] = (),
    trace: Sequence[Touch] = (),
    *,
    sealed: bool = False,
) -> SurfaceVerdict:
    """Whether the surface is finished with.

    Args:
        before: the screen on which the last action was done.
        after: the one that shows now.
        values: what the task needs to see or set here.
        trace: the interactions with this surface so far, the newest last.
        sealed: nothing else is left to act on.

    Raises:
        GuardFailed: the guard met an internal error.
    """
    rows: dict[str, tuple[Cells, ...]] = {
        "Required": tuple({"value": canonical(value), "shown": shows_text(value, after)} for value in values),
        "Repeated": ({"times": repeated(trace), "sealed": sealed},),
    }
    guard = Guard(_program(), settings=Settings(unknown_screen="allow"))
    (reason,) = guard.observe(_ExtendedScreen(after.since(before), rows)).recorded
    finding, _, rule = str(reason.message).partition(" ")
    return SurfaceVerdict(cast(Finding, finding), rule, (*reason.met, *reason.whys))


def shows_text(value: str, screen: Screen) -> bool:
    """Whether a text of the screen contains a value: without regard to case, and of numbers to blanks."""
    wanted = _bare(value)
    return any(wanted in _bare(str(row["text"])) for row in screen.rows("Node") if row.get("text"))


def _bare(text: str) -> str:
    folded = fold_case(canonical(text))
    return "".join(folded.split()) if any(char.isdigit() for char in folded) else folded


def repeated(trace: Sequence[Touch]) -> int:
    """How many of the newest interactions fell on one region, and had no effect."""
    count = 0
    for touch in reversed(trace):
        if touch.effect or overlap(touch.region, trace[-1].region) < OVERLAP:
            break
        count += 1
    return count


def overlap(one: Box, other: Box) -> float:
    """The area that two regions share, as a share of the area of both."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    both = max(wide, 0) * max(high, 0)
    total = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)) - both
    return both / total if total > 0 else float(one == other)


@cache
def _program() -> Program:
    return load_text(_PROGRAM).checked()


class _ExtendedScreen:
    """A screen, with rows that the caller gives."""

    def __init__(self, screen: Screen, rows: dict[str, tuple[Cells, ...]]) -> None:
        self._screen = screen
        self._extra_rows = rows
        self.fingerprint = screen.fingerprint

    def relations(self) -> frozenset[str]:
        return self._screen.relations() | self._extra_rows.keys()

    def rows(self, relation: str) -> Iterable[Cells]:
        return self._extra_rows[relation] if relation in self._extra_rows else self._screen.rows(relation)

    @property
    def forest(self) -> Forest | None:
        return self._screen.forest

    @property
    def unread(self) -> Mapping[int, frozenset[str]]:
        return self._screen.unread

    def since(self, acted_on: object, *, scrolled: bool = False) -> "_ExtendedScreen":
        """What changed is known already."""
        return self

    def with_rows(self, rows: Mapping[str, Iterable[Cells]]) -> "_ExtendedScreen":
        return _ExtendedScreen(
            self._screen, {**self._extra_rows, **{name: tuple(cells) for name, cells in rows.items()}}
        )

    @property
    def otherwise(self) -> "_ExtendedScreen | None":
        other = self._screen.otherwise
        return None if other is None else _ExtendedScreen(other, self._extra_rows)

    @property
    def counting(self) -> frozenset[int]:
        return self._screen.counting

    def perhaps(self, kind: str, cells: Cells) -> Sequence[Cells]:
        return self._screen.perhaps(kind, cells)

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        return self._screen.target(kind, args)
