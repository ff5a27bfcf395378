"""The first rows of a list: ``first n L(..)``, with or without ``has``, read plainly or certainly."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vsalang.base.records import dataclass
from vsalang.engine.matching import Matcher
from vsalang.engine.run.certain import Possible, Source
from vsalang.engine.run.goals import plain_rows
from vsalang.engine.run.state import State
from vsalang.engine.run.timestamps import timestamps_of
from vsalang.engine.terms import Tuple
from vsalang.program.ops import is_number

Found = tuple[Tuple, Mapping[str, Any]]
"""A row that matches, with the bindings extended by it."""


class Standing:
    """Where a row without position may stand in its list: anywhere but where a row was seen with it or after it.

    Args:
        rows: of the list.
        at: the column of the position.
        seen: for each row the history point at which it was last seen; a row without one may stand anywhere, and
            keeps no other row away.
    """

    __slots__ = ("newest", "seen")

    def __init__(self, rows: Iterable[Tuple], at: int, seen: Mapping[Tuple, Any]) -> None:
        self.seen = seen
        self.newest: dict[Any, int] = {}
        for row in rows:
            place = row[at]
            if is_number(place):
                self.newest[place] = max(self.newest.get(place, -1), self._seen(row, -1))

    def _seen(self, row: Tuple, otherwise: int) -> int:
        points = self.seen.get(row)
        return points[0] if points else otherwise

    def kept_from(self, row: Tuple, place: Any) -> bool:
        """Whether a row was seen at the place with this one or after it."""
        return self._seen(row, _NEVER) <= self.newest.get(place, -1)

    def pushes_down(self, row: Tuple, place: Any) -> bool:
        """Whether it may stand where another row was seen, at the place or above: that one is further down then."""
        return any(other <= place and not self.kept_from(row, other) for other in self.newest)

    def highest(self, row: Tuple) -> int:
        """The first position at which it may stand."""
        place = 1
        while self.kept_from(row, place):
            place += 1
        return place


_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class FirstGoal:
    """``first n L(..)``, with or without ``has``.

    Attributes:
        select: the constraints that choose: those with constants and those on the list's ``in`` attributes.
        tests: the others.
        within: the columns of the list's ``in`` attributes; `at` the column of the position.
        binds: the variables that are new.
        possible: None in the plain reading.
        seen: the table that says when each row was last seen.
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
    seen: int

    def __call__(self, state: State, env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the new variables, for each way in which the condition holds."""
        if self.has is not None:
            yield from self._each(state, env)
            return
        for row, _ in plain_rows(state, self.source, self.select, env):
            # the two matchers share variables (`in` attributes may bind what a test reads), so match both again
            chosen = self.select.plain(row, env, state.ctx)
            chosen = None if chosen is None else self.tests.plain(row, chosen, state.ctx)
            if chosen is not None and self.chooses(state, row, env):
                yield tuple([chosen[name] for name in self.binds])

    def chooses(self, state: State, row: Tuple, env: dict[str, Any]) -> bool:
        """Whether a row that matches is among the first n."""
        if None in [row[c] for c in self.within] or not is_number(row[self.at]):
            return False
        return self._above(state, row, env) < self.n

    def list_of(self, state: State, row: Tuple, *, loose: bool) -> list[Tuple]:
        """The rows of the same list; with `loose` also those that may be of it."""
        key_values = {c: row[c] for c in self.within}
        rows = []
        for other in self.source.rows(state, key_values, loose=loose):
            state.spend(1)
            if all(other[c] == v or (loose and other[c] is None) for c, v in key_values.items()):
                rows.append(other)
        return rows

    def standing(self, state: State, row: Tuple) -> Standing:
        """Where rows without position may stand in the list of a row."""
        return Standing(self.list_of(state, row, loose=False), self.at, timestamps_of(state, self.seen))

    def _above(self, state: State, row: Tuple, env: dict[str, Any]) -> int:
        """How many rows above it match; in the certain reading, possibly."""
        ctx = state.ctx
        if self.possible is None:
            return sum(
                1
                for other in self.list_of(state, row, loose=False)
                if is_number(other[self.at])
                and other[self.at] < row[self.at]
                and self.select.plain(other, env, ctx) is not None
            )
        standing = self.standing(state, row)
        above = floating = 0
        for other in self.list_of(state, row, loose=True):
            place = other[self.at]
            if other is row or self.select.possible(other, env, ctx) is None:
                continue
            if place is None:
                pushes = standing.pushes_down(other, row[self.at])
                above, floating = above + pushes, floating + (not pushes)
            elif is_number(place) and place < row[self.at]:
                above += 1
        key_values = self.select.bound_cells(env, ctx) | {c: row[c] for c in self.within}
        assert self.possible.completeness is not None
        hidden = floating if self.possible.completeness.holds(state, key_values) else self.n
        return above + min(hidden, self._missing(state, row[self.at], standing, key_values, env))

    def _missing(
        self,
        state: State,
        place: Any,
        standing: Standing,
        key_values: Mapping[int, Any],
        env: dict[str, Any],
    ) -> int:
        """How many positions above, at most n, hold no row that was seen and may hold one that matches."""
        count, free = 0, 1
        while free < place and count < self.n:
            state.spend(1)
            if free not in standing.newest:
                assert self.possible is not None and self.possible.completeness is not None
                cells = {**key_values, self.at: free}
                imagined = tuple([cells.get(column) for column in range(self.possible.completeness.width)])
                count += self.select.possible(imagined, env, state.ctx) is not None
            free += 1
        return count

    def _each(self, state: State, env: dict[str, Any]) -> Iterator[Tuple]:
        """``has``: once for each list whose first n rows fit."""
        assert self.has is not None
        lists: dict[Tuple, list[Found]] = {}
        for row, bindings in plain_rows(state, self.source, self.select, env):
            key = tuple([row[c] for c in self.within])
            placed = is_number(row[self.at])
            if None not in key and (placed or (self.possible is not None and row[self.at] is None)):
                lists.setdefault(key, []).append((row, bindings))
        for key, matched in lists.items():
            if self.possible is None:
                matched.sort(key=lambda item: item[0][self.at])
                kth = matched[min(self.n, len(matched)) - 1][0][self.at]
                chosen = [item for item in matched if item[0][self.at] <= kth]
                good = all(self._fits(row, bindings, state) for row, bindings in chosen)
            else:
                good = self._certain(state, key, matched, env)
            if good:
                bound = matched[0][1]
                yield tuple([bound[name] for name in self.binds])

    def _certain(self, state: State, key: Tuple, matched: list[Found], env: dict[str, Any]) -> bool:
        """Whether every row of a list that may be among the first n fits, those that nobody saw too."""
        places = sorted(row[self.at] for row, _ in matched if row[self.at] is not None)
        standing = self.standing(state, matched[0][0])
        for row in self.list_of(state, matched[0][0], loose=True):
            bindings = self.select.possible(row, env, state.ctx)
            if bindings is None:
                continue
            place = standing.highest(row) if row[self.at] is None else row[self.at]
            if is_number(place) and bisect_left(places, place) >= self.n:
                continue
            if not self._fits(row, bindings, state):
                return False
        assert self.possible is not None and self.possible.completeness is not None
        key_values = self.select.bound_cells(env, state.ctx) | dict(zip(self.within, key, strict=True))
        if self.possible.completeness.holds(state, key_values):
            return True
        if len(places) < self.n:
            return False
        return self._missing(state, places[self.n - 1], standing, key_values, env) == 0

    def _fits(self, row: Tuple, bindings: Mapping[str, Any], state: State) -> bool:
        assert self.has is not None
        chosen = self.tests.plain(row, bindings, state.ctx)
        return chosen is not None and self.has.plain(row, chosen, state.ctx) is not None
