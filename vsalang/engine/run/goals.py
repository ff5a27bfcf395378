"""Goals: certain negation, `every`, aggregates, `all A` (`first` is in `firsts`).

Each is called with the values of its bound variables, and yields the values of its new ones.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.engine.matching import Matcher
from vsalang.engine.run.certain import Possible, Source
from vsalang.engine.run.state import State
from vsalang.engine.terms import ANYTHING, Getter, Tuple, fold

YES: Final[tuple[Tuple, ...]] = ((),)
NO: Final[tuple[Tuple, ...]] = ()


@dataclass(frozen=True, slots=True)
class CertainNot:
    """``not A`` in the certain reading: no row, seen or not, possibly matches."""

    possible: Possible

    def __call__(self, state: State, env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the new variables, for each way in which the condition holds."""
        return NO if self.possible.any(state, env) else YES


@dataclass(frozen=True, slots=True)
class AllExhausted:
    """``all A``: every licence of the action is used up, as an input says."""

    table: int

    def __call__(self, state: State, env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the new variables, for each way in which the condition holds."""
        return YES if state.tables[self.table].rows else NO


def plain_rows(
    state: State, source: Source, matcher: Matcher, env: Mapping[str, Any]
) -> Iterator[tuple[Tuple, dict[str, Any]]]:
    """The rows that match plainly, each with the bindings it extends."""
    key_values = matcher.bound_cells(env, state.ctx)
    for row in list(source.rows(state, key_values, loose=False)):
        state.spend(1)
        bindings = matcher.plain(row, env, state.ctx)
        if bindings is not None:
            yield row, bindings


def matching_rows(state: State, source: Source, matcher: Matcher, env: Mapping[str, Any]) -> list[Tuple]:
    """The rows that match plainly."""
    candidates = list(source.rows(state, matcher.bound_cells(env, state.ctx), loose=False))
    state.spend(len(candidates))
    matches, ctx = matcher.matches, state.ctx
    return [row for row in candidates if matches(row, env, ctx)]


@dataclass(frozen=True, slots=True)
class EveryGoal:
    """``every A has (φ)``: a row matches, and each that matches (certain: possibly) satisfies φ.

    Attributes:
        possible: None in the plain reading.
    """

    source: Source
    matcher: Matcher
    has: Matcher
    possible: Possible | None

    def __call__(self, state: State, env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the new variables, for each way in which the condition holds."""
        some = False
        for row, bindings in plain_rows(state, self.source, self.matcher, env):
            some = True
            if self.has.plain(row, bindings, state.ctx) is None:
                return NO
        if not some:
            return NO
        if self.possible is None:
            return YES
        for row, bindings in self.possible.seen(state, env):
            if self.has.plain(row, bindings, state.ctx) is None:
                return NO
        unseen = self.possible.unseen(state, env, choices=True)
        if unseen is not None:
            bound = self.matcher.possible(unseen, env, state.ctx) or env
            if self.has.plain(unseen, bound, state.ctx) is None:
                return NO
        return YES


@dataclass(frozen=True, slots=True)
class AggregateGoal:
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

    def __call__(self, state: State, env: dict[str, Any]) -> Iterable[Tuple]:
        """The values of the new variables, for each way in which the condition holds."""
        if not self.groups:
            yield from self._one(state, env, ())
            return
        keys: dict[Tuple, None] = {}
        for _, bindings in plain_rows(state, self.source, self.matcher, env):
            keys[tuple([bindings[name] for name in self.groups])] = None
        for key in keys:
            yield from self._one(state, {**env, **dict(zip(self.groups, key, strict=True))}, key)

    def _one(self, state: State, env: dict[str, Any], key: Tuple) -> Iterator[Tuple]:
        value = self.value(state, env)
        if value is None:
            return
        if self.bind:
            yield (*key, value)
        elif self.test(state, env, value):
            yield key

    def test(self, state: State, env: Mapping[str, Any], value: Any) -> bool:
        """Whether the comparison holds of the aggregate's value."""
        right = self.right(env, state.ctx)
        hi = self.hi(env, state.ctx) if self.hi is not None else None
        if right is None or right is ANYTHING or hi is ANYTHING or (self.hi is not None and hi is None):
            return False
        return state.ctx.holds(self.op, value, right, hi)

    def value(self, state: State, env: dict[str, Any]) -> Any:
        """The aggregate's value; None where it is undefined, or (certain) where unseen things may change it."""
        rows = matching_rows(state, self.source, self.matcher, env)
        if self.possible is not None:
            if self.possible.unseen(state, env) is not None:
                return None
            for row, _ in self.possible.seen(state, env):
                if not self.possible.is_certain(state, row, env):
                    return None
        return fold(self.fn, [row[self.column] for row in rows] if self.column >= 0 else rows)
