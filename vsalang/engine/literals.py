"""Literals that are no joins: certain negation, `every`, `first`, aggregates, `all A`.

Each is asked with the values of its variables that are bound and yields the values of those it binds.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from vsalang.core.ops import call
from vsalang.core.values import NONE
from vsalang.engine.alpha import Matcher
from vsalang.engine.certain import Possible, Source
from vsalang.engine.kernel import WILD, Tuple
from vsalang.engine.terms import Getter

if TYPE_CHECKING:
    from vsalang.engine.session import Session

YES: Final[tuple[Tuple, ...]] = ((),)
NO: Final[tuple[Tuple, ...]] = ()


@dataclass(frozen=True, slots=True)
class CertainNot:
    """``not A`` in the certain reading: no row, seen or not, possibly matches."""

    possible: Possible

    def __call__(self, session: "Session", env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the variables that are new, in each way in which the literal holds."""
        return NO if self.possible.any(session, env) else YES


@dataclass(frozen=True, slots=True)
class PlainAny:
    """Whether some row matches plainly; with `neg`, whether none does."""

    source: Source
    matcher: Matcher
    neg: bool

    def __call__(self, session: "Session", env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the variables that are new, in each way in which the literal holds."""
        found = any(True for _ in plain_rows(session, self.source, self.matcher, env))
        return YES if found != self.neg else NO


@dataclass(frozen=True, slots=True)
class AllSpent:
    """``all A``: the slot ``spent A`` says so."""

    table: int

    def __call__(self, session: "Session", env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the variables that are new, in each way in which the literal holds."""
        return YES if session.tables[self.table].rows else NO


def plain_rows(
    session: "Session", source: Source, matcher: Matcher, env: Mapping[str, Any]
) -> Iterator[tuple[Tuple, dict[str, Any]]]:
    """The rows that match plainly, each with the bindings it extends."""
    given = matcher.given(env, session.ctx)
    for row in list(source.rows(session, given, loose=False)):
        session.spend(1)
        found = matcher.plain(row, env, session.ctx)
        if found is not None:
            yield row, found


@dataclass(frozen=True, slots=True)
class EveryAsk:
    """``every A has (φ)``: a row matches, and each that matches (certain: possibly) satisfies φ.

    Attributes:
        possible: None in the plain reading.
    """

    source: Source
    matcher: Matcher
    has: Matcher
    possible: Possible | None

    def __call__(self, session: "Session", env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the variables that are new, in each way in which the literal holds."""
        some = False
        for row, found in plain_rows(session, self.source, self.matcher, env):
            some = True
            if self.has.plain(row, found, session.ctx) is None:
                return NO
        if not some:
            return NO
        if self.possible is None:
            return YES
        for row, found in self.possible.seen(session, env):
            if self.has.plain(row, found, session.ctx) is None:
                return NO
        unseen = self.possible.unseen(session, env, choices=True)
        if unseen is not None:
            bound = self.matcher.possible(unseen, env, session.ctx) or env
            if self.has.plain(unseen, bound, session.ctx) is None:
                return NO
        return YES


@dataclass(frozen=True, slots=True)
class FirstAsk:
    """``first n L(..)``, with or without ``has``.

    Attributes:
        select: the constraints that choose: those with constants and those on the list's ``in`` attributes.
        tests: the others.
        within: the columns of the list's ``in`` attributes; `at` the column of the position.
        binds: the variables that are new.
        completeness: of the list (certain reading), by its ``in`` values; None in the plain reading.
    """

    n: int
    source: Source
    select: Matcher
    tests: Matcher
    has: Matcher | None
    within: tuple[int, ...]
    at: int
    binds: tuple[str, ...]
    possible: Possible | None

    def __call__(self, session: "Session", env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the variables that are new, in each way in which the literal holds."""
        if self.has is not None:
            yield from self._all(session, env)
            return
        for row, _ in plain_rows(session, self.source, self.select, env):
            # the two matchers share variables (`in` attributes may bind what a test reads), so match both again
            chosen = self.select.plain(row, env, session.ctx)
            chosen = None if chosen is None else self.tests.plain(row, chosen, session.ctx)
            if chosen is not None and self.chooses(session, row, env):
                yield tuple([chosen[name] for name in self.binds])

    def chooses(self, session: "Session", row: Tuple, env: dict[str, Any]) -> bool:
        """Whether a row that matches is among the first n."""
        if None in [row[c] for c in self.within] or not is_position(row[self.at]):
            return False
        return self._above(session, row, env) < self.n

    def _list_of(self, session: "Session", row: Tuple, *, loose: bool) -> list[Tuple]:
        """The rows of the same list; with `loose` also those that may be of it."""
        given = {c: row[c] for c in self.within}
        rows = []
        for other in self.source.rows(session, given, loose=loose):
            session.spend(1)
            if all(other[c] == v or (loose and other[c] is None) for c, v in given.items()):
                rows.append(other)
        return rows

    def _above(self, session: "Session", row: Tuple, env: dict[str, Any]) -> int:
        """How many rows above it match; in the certain reading, possibly."""
        ctx = session.ctx
        if self.possible is None:
            return sum(
                1
                for other in self._list_of(session, row, loose=False)
                if is_position(other[self.at])
                and other[self.at] < row[self.at]
                and self.select.plain(other, env, ctx) is not None
            )
        above = unplaced = 0
        taken: set[Any] = set()
        for other in self._list_of(session, row, loose=True):
            place = other[self.at]
            if other is row:
                continue
            if is_position(place) and None not in [other[c] for c in self.within]:
                taken.add(place)
            if self.select.possible(other, env, ctx) is None:
                continue
            if place is None:
                unplaced += 1
            elif is_position(place) and place < row[self.at]:
                above += 1
        given = self.select.given(env, ctx) | {c: row[c] for c in self.within}
        assert self.possible.completeness is not None
        hidden = unplaced if self.possible.completeness.holds(session, given) else self.n
        return above + min(hidden, self._missing(session, row, taken, given, env))

    def _missing(
        self, session: "Session", row: Tuple, taken: set[Any], given: Mapping[int, Any], env: dict[str, Any]
    ) -> int:
        """How many positions above, at most n, hold no row that was seen and may hold one that matches."""
        found, place = 0, 1
        while place < row[self.at] and found < self.n:
            session.spend(1)
            if place not in taken:
                cells = {**given, self.at: place}
                imagined = tuple([cells.get(column) for column in range(len(row))])
                found += self.select.possible(imagined, env, session.ctx) is not None
            place += 1
        return found

    def _all(self, session: "Session", env: dict[str, Any]) -> Iterator[Tuple]:
        assert self.has is not None
        lists: dict[Tuple, list[tuple[Tuple, dict[str, Any]]]] = {}
        for row, found in plain_rows(session, self.source, self.select, env):
            key = tuple([row[c] for c in self.within])
            if None not in key and is_position(row[self.at]):
                lists.setdefault(key, []).append((row, found))
        for key, matched in lists.items():
            if self.possible is None:
                matched.sort(key=lambda item: item[0][self.at])
                kth = matched[min(self.n, len(matched)) - 1][0][self.at]
                chosen = [item for item in matched if item[0][self.at] <= kth]
                good = all(self._fits(row, found, session) for row, found in chosen)
            else:
                assert self.possible.completeness is not None
                given = dict(zip(self.within, key, strict=True))
                good = self.possible.completeness.holds(session, given) and self._certain(
                    session, matched, env
                )
            if good:
                bound = matched[0][1]
                yield tuple([bound[name] for name in self.binds])

    def _certain(
        self, session: "Session", matched: list[tuple[Tuple, dict[str, Any]]], env: dict[str, Any]
    ) -> bool:
        places = sorted(row[self.at] for row, _ in matched)
        for row in self._list_of(session, matched[0][0], loose=True):
            found = self.select.possible(row, env, session.ctx)
            if found is None:
                continue
            place = row[self.at]
            if is_position(place) and sum(1 for other in places if other < place) >= self.n:
                continue
            if not self._fits(row, found, session):
                return False
        return True

    def _fits(self, row: Tuple, found: Mapping[str, Any], session: "Session") -> bool:
        assert self.has is not None
        chosen = self.tests.plain(row, found, session.ctx)
        return chosen is not None and self.has.plain(row, chosen, session.ctx) is not None


def is_position(cell: Any) -> bool:
    """Whether a cell holds a position of a list."""
    return isinstance(cell, int | Decimal) and not isinstance(cell, bool)


@dataclass(frozen=True, slots=True)
class AggregateAsk:
    """``fn(attr of A) op right``.

    Attributes:
        column: of the attribute; -1 for ``count``.
        groups: group variables that nothing else binds: each combination that a matching row gives is tried.
        bind: the variable that ``= ?m`` binds, if it is new.
        possible: None where the plain reading suffices (``count >`` and ``>=`` too).
    """

    fn: str
    column: int
    source: Source
    matcher: Matcher
    groups: tuple[str, ...]
    op: str
    right: Getter
    hi: Getter | None
    bind: bool
    possible: Possible | None

    def __call__(self, session: "Session", env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the variables that are new, in each way in which the literal holds."""
        if not self.groups:
            yield from self._one(session, env, ())
            return
        keys: dict[Tuple, None] = {}
        for _, found in plain_rows(session, self.source, self.matcher, env):
            keys[tuple([found[name] for name in self.groups])] = None
        for key in keys:
            yield from self._one(session, {**env, **dict(zip(self.groups, key, strict=True))}, key)

    def _one(self, session: "Session", env: dict[str, Any], key: Tuple) -> Iterator[Tuple]:
        value = self.value(session, env)
        if value is None:
            return
        if self.bind:
            yield (*key, value)
        elif self.test(session, env, value):
            yield key

    def test(self, session: "Session", env: Mapping[str, Any], value: Any) -> bool:
        """Whether the comparison holds of the aggregate's value."""
        right = self.right(env, session.ctx)
        hi = self.hi(env, session.ctx) if self.hi is not None else None
        if right is None or right is WILD or hi is WILD or (self.hi is not None and hi is None):
            return False
        return session.ctx.holds(self.op, value, right, hi)

    def value(self, session: "Session", env: dict[str, Any]) -> Any:
        """The aggregate's value; None where it is undefined, or (certain) where unseen things may change it."""
        rows = [row for row, _ in plain_rows(session, self.source, self.matcher, env)]
        if self.possible is not None:
            if self.possible.unseen(session, env) is not None:
                return None
            for row, _ in self.possible.seen(session, env):
                if not self.possible.is_certain(session, row, env):
                    return None
        return fold(self.fn, [row[self.column] for row in rows] if self.column >= 0 else rows)


def fold(fn: str, values: list[Any]) -> Any:
    """The aggregate of the values of all matching rows: None where undefined (none matches, or one has no value)."""
    if fn == "count":
        return len(values)
    if not values or any(value is None or value is NONE or value is WILD for value in values):
        return None
    if fn == "set":
        return frozenset(values) if all(isinstance(value, str) for value in values) else None
    if fn == "sum":
        total = values[0]
        if isinstance(total, bool) or not isinstance(total, int | Decimal | dt.timedelta):
            return None
        # exact sums do not depend on the order of rows; what overflows is undefined
        for value in values[1:]:
            total = call("+", (total, value))
            if total is None:
                return None
        return total
    if any(isinstance(value, bool | str | frozenset) for value in values):
        return None
    return min(values) if fn == "min" else max(values)
