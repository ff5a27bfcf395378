"""The possible reading of a derived relation's rules: what cannot be ruled out.

Every variable begins as ANYTHING (some value, nothing known of it) and is refined by known cells; what stays
ANYTHING makes comparisons possibly true. The result does not depend on the order of literals.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vsalang.base.records import dataclass
from vsalang.engine.matching import Matcher, is_open
from vsalang.engine.run.certain import Possible, Source
from vsalang.engine.run.firsts import FirstGoal
from vsalang.engine.run.goals import AggregateGoal, plain_rows
from vsalang.engine.run.state import State
from vsalang.engine.terms import ANYTHING, Getter, Tuple, compile_term, possibly
from vsalang.program.ir import Choice, Compare, Regex, Var
from vsalang.program.ops import is_number


class PossibleCompare:
    """A comparison between terms that may be ANYTHING; `refine` narrows bindings by what it says."""

    __slots__ = ("compare", "hi", "left", "right")

    def __init__(self, compare: Compare) -> None:
        self.compare = compare
        self.left = compile_term(compare.left, _lookup)
        self.right = None if compare.right is None else compile_term(compare.right, _lookup)
        self.hi = None if compare.hi is None else compile_term(compare.hi, _lookup)

    def refine(self, env: dict[str, Any], state: State) -> list[dict[str, Any]]:
        """The bindings in which the comparison is possibly true (several for a choice)."""
        c, ctx = self.compare, state.ctx
        left = self.left(env, ctx)
        right = self.right(env, ctx) if self.right else None
        if c.op == "=" and c.hi is None:
            for side, other in ((c.left, right), (c.right, left)):
                if (
                    isinstance(side, Var)
                    and env.get(side.name, ANYTHING) is ANYTHING
                    and other is not ANYTHING
                ):
                    return [] if other is None else [{**env, side.name: other}]
        if c.op == "in" and isinstance(c.right, Choice) and isinstance(c.left, Var) and left is ANYTHING:
            values = dict.fromkeys(value for value in right or () if value is not None)
            return [{**env, c.left.name: value} for value in values]
        if c.op == "matches" and isinstance(c.right, Regex) and c.right.groups and left is not ANYTHING:
            groups = ctx.groups(c.right, left)
            if groups is None:
                unknown = dict.fromkeys(c.right.groups, ANYTHING)
                return [{**unknown, **env}] if is_open(c.right, left) else []
            bindings = dict(env)
            for name, value in groups.items():
                if bindings.get(name, ANYTHING) is not ANYTHING and bindings[name] != value:
                    return []
                bindings[name] = value
            return [bindings]
        hi = self.hi(env, ctx) if self.hi else None
        # a term of known values that is undefined makes the comparison false for good
        if left is None or (self.right is not None and right is None) or (self.hi is not None and hi is None):
            return []
        return [env] if possibly(ctx, c.op, left, right, hi, has_hi=self.hi is not None) else []


def _lookup(name: str) -> Any:
    return lambda env: env.get(name, ANYTHING)


@dataclass(frozen=True, slots=True)
class CertainAny:
    """What a negation in a possible rule asks: whether its atom certainly matches."""

    source: Source
    matcher: Matcher
    locals: frozenset[str]

    def holds(self, state: State, env: Mapping[str, Any]) -> bool:
        """Whether some row certainly matches."""
        outer = {name: value for name, value in env.items() if name not in self.locals}
        return any(True for _ in plain_rows(state, self.source, self.matcher, outer))


@dataclass(frozen=True, slots=True)
class PossibleEvery:
    """``every`` possibly holds: a row possibly matches, and none certainly matches and certainly fails."""

    possible: Possible
    source: Source
    matcher: Matcher
    has: Matcher

    def holds(self, state: State, env: dict[str, Any]) -> bool:
        """Whether nothing known refutes it."""
        unseen = self.possible.unseen(state, env, choices=True)
        if unseen is None and next(self.possible.seen(state, env), None) is None:
            return False
        for row, bindings in plain_rows(state, self.source, self.matcher, _known_bindings(env)):
            if self.has.possible(row, {**env, **bindings}, state.ctx) is None:
                return False
        return True


def _known_bindings(env: Mapping[str, Any]) -> dict[str, Any]:
    # a variable of which nothing is known fits no constraint certainly: ANYTHING stays and fails
    return dict(env)


@dataclass(frozen=True, slots=True)
class PossibleFirst:
    """``first n`` possibly holds of a row that possibly matches, unless n rows certainly stand above it."""

    ask: FirstGoal
    possible: Possible

    def extend(self, state: State, env: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """The bindings refined by each row that may be chosen; with `has`, `env` unless one is known to fail."""
        if self.ask.has is None:
            yield from self._chosen(state, env, self.possible)
            return
        of_list = Possible(self.ask.select, self.possible.source, self.possible.completeness)
        if not self._fails(state, env) and any(True for _ in self._chosen(state, env, of_list)):
            yield env

    def _fails(self, state: State, env: dict[str, Any]) -> bool:
        """Whether a row that certainly is among the first n certainly does not fit."""
        ask, ctx = self.ask, state.ctx
        assert ask.has is not None
        for row, bindings in plain_rows(state, ask.source, ask.select, env):
            if not ask.chooses(state, row, env):
                continue
            tested = ask.tests.possible(row, bindings, ctx)
            if tested is None or ask.has.possible(row, tested, ctx) is None:
                return True
        return False

    def _chosen(self, state: State, env: dict[str, Any], possible: Possible) -> Iterable[dict[str, Any]]:
        unseen = possible.unseen(state, env)
        if unseen is not None and not self._stands_below(state, unseen, env):
            yield env
        for row, bindings in possible.seen(state, env):
            if self._above(state, row, env) < self.ask.n:
                yield bindings

    def _stands_below(self, state: State, unseen: Tuple, env: dict[str, Any]) -> bool:
        """Whether an unseen row has n rows above it for certain: it can only stand at a position that is free."""
        ask = self.ask
        if any(unseen[c] is None or unseen[c] is ANYTHING for c in ask.within):
            return False
        place = unseen[ask.at]
        if not is_number(place):
            taken = set()
            for row in ask.source.rows(state, {c: unseen[c] for c in ask.within}, loose=False):
                state.spend(1)
                if all(row[c] == unseen[c] for c in ask.within):
                    taken.add(row[ask.at])
            place = next(number for number in itertools.count(1) if number not in taken)
        row = tuple(place if column == ask.at else cell for column, cell in enumerate(unseen))
        return self._above(state, row, env) >= ask.n

    def _above(self, state: State, row: Tuple, env: dict[str, Any]) -> int:
        """How many rows certainly match and stand above the highest place at which the row may stand."""
        ask, place = self.ask, row[self.ask.at]
        if None in [row[c] for c in ask.within]:
            return 0
        if place is None:
            place = ask.standing(state, row).highest(row)
        if not is_number(place):
            return 0
        count = 0
        for other, _ in plain_rows(state, ask.source, ask.select, env):
            same = all(other[c] == row[c] for c in ask.within)
            if same and is_number(other[ask.at]) and other[ask.at] < place:
                count += 1
        return count


@dataclass(frozen=True, slots=True)
class PossibleAggregate:
    """An aggregate possibly holds unless what is known of it makes the comparison false.

    That is all it ranges over; of ``count <`` and ``<=`` the rows that certainly match are enough.
    """

    ask: AggregateGoal
    bind: str | None

    def extend(self, state: State, env: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """The bindings in which it possibly holds."""
        for group in self._groups(state, env):
            yield from self._in_group(state, group)

    def _groups(self, state: State, env: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """The bindings with what the rows give of that by which is grouped."""
        names, possible = self.ask.groups, self.ask.possible
        assert possible is not None
        if all(env.get(name, ANYTHING) is not ANYTHING for name in names):
            yield env
            return
        if possible.unseen(state, env) is not None:
            yield env
        for _, bindings in possible.seen(state, env):
            yield {**env, **{name: bindings.get(name, ANYTHING) for name in names}}

    def _in_group(self, state: State, env: dict[str, Any]) -> Iterable[dict[str, Any]]:
        ask = self.ask
        unknown_group = any(env.get(name, ANYTHING) is ANYTHING for name in ask.groups)
        if ask.fn == "count" and ask.op in ("<", "<="):
            # rows that nobody saw can only be more: what certainly matches is the least that there may be
            fewest = 0 if unknown_group else sum(1 for _ in plain_rows(state, ask.source, ask.matcher, env))
            return [env] if self._test(state, env, fewest) else []
        if unknown_group:
            return [env]
        if not self._exact(state, env):
            return [env]
        if ask.column >= 0:  # a cell that was not read may hold anything, and so may what it is counted into
            rows = [row for row, _ in plain_rows(state, ask.source, ask.matcher, env)]
            if any(row[ask.column] is None or row[ask.column] is ANYTHING for row in rows):
                return [env]
        value = ask.value(state, env)
        if value is None:
            return []
        if self.bind is not None and env.get(self.bind, ANYTHING) is ANYTHING:
            return [{**env, self.bind: value}]
        return [env] if self._test(state, env, value) else []

    def _test(self, state: State, env: dict[str, Any], value: Any) -> bool:
        ask = self.ask
        right = ask.right(env, state.ctx)
        hi = ask.hi(env, state.ctx) if ask.hi is not None else None
        return possibly(state.ctx, ask.op, value, right, hi, has_hi=ask.hi is not None)

    def _exact(self, state: State, env: dict[str, Any]) -> bool:
        possible = self.ask.possible
        assert possible is not None
        if possible.unseen(state, env) is not None:
            return False
        return all(possible.is_certain(state, row, env) for row, _ in possible.seen(state, env))


@dataclass(frozen=True, slots=True)
class PossibleRule:
    """A rule of a derived relation in the possible reading.

    Attributes:
        variables: that are joined; they begin as ANYTHING.
        recursive: which of the positive atoms are on the relation's own component.
        head: the terms of the row.
    """

    table: int
    variables: tuple[str, ...]
    positives: Sequence[tuple[Possible, tuple[str, ...]]]
    recursive: tuple[tuple[int, int], ...]
    compares: Sequence[PossibleCompare]
    firsts: Sequence[PossibleFirst]
    aggregates: Sequence[PossibleAggregate]
    everies: Sequence[PossibleEvery]
    negations: Sequence[CertainAny]
    spent: tuple[int, ...]
    head: Sequence[Getter]
    head_names: tuple[str | None, ...]

    def rows(
        self,
        state: State,
        delta: "tuple[int, Sequence[Tuple]] | None" = None,
        key_values: Mapping[int, Any] | None = None,
    ) -> Iterable[Tuple]:
        """The rows that the rule possibly derives.

        Args:
            delta: a positive atom, and the rows that it reads instead of all.
            key_values: cells of the row that are asked for; rows with others may be left out.
        """
        if any(not state.tables[table].rows for table in self.spent):
            return []
        names = self.variables
        envs: list[dict[str, Any]] = [dict.fromkeys(names, ANYTHING)]
        for column, value in (key_values or {}).items():
            name = self.head_names[column]
            if name is not None and envs[0][name] is ANYTHING:
                envs[0][name] = value
        order = sorted(range(len(self.positives)), key=lambda i: delta is not None and i != delta[0])
        for index in order:
            possible, locals_ = self.positives[index]
            out: dict[Tuple, dict[str, Any]] = {}
            for env in envs:
                known: dict[str, Any] = {k: v for k, v in env.items() if k not in locals_}
                if delta is not None and index == delta[0]:
                    matches = []
                    for row in delta[1]:
                        state.spend(1)
                        match = possible.matcher.possible(row, known, state.ctx)
                        if match is not None:
                            matches.append(match)
                else:
                    matches = [match for _, match in possible.seen(state, known)]
                    if possible.unseen(state, known) is not None:
                        matches.append(known)
                for match in matches:
                    merged = {name: match.get(name, ANYTHING) for name in names}
                    out.setdefault(tuple(merged.values()), merged)
            envs = list(out.values())
            if not envs:
                return []
        envs = self._compared(state, envs)
        for first in self.firsts:
            envs = self._each(names, (more for env in envs for more in first.extend(state, env)))
        for aggregate in self.aggregates:
            envs = self._compared(state, envs)
            envs = self._each(names, (more for env in envs for more in aggregate.extend(state, env)))
        envs = self._compared(state, envs)
        rows: dict[Tuple, None] = {}
        for env in envs:
            if all(every.holds(state, env) for every in self.everies) and not any(
                negation.holds(state, env) for negation in self.negations
            ):
                row = tuple([get(env, state.ctx) for get in self.head])
                if None not in row:
                    rows[row] = None
        return rows

    def _compared(self, state: State, envs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Apply the comparisons until they say nothing new."""
        while True:
            before = [tuple(env.values()) for env in envs]
            for compare in self.compares:
                state.spend(len(envs))
                envs = self._each(
                    self.variables, (more for env in envs for more in compare.refine(env, state))
                )
            if [tuple(env.values()) for env in envs] == before:
                return envs

    @staticmethod
    def _each(names: tuple[str, ...], envs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        out: dict[Tuple, dict[str, Any]] = {}
        for env in envs:
            values = tuple([env.get(name, ANYTHING) for name in names])
            out.setdefault(values, dict(zip(names, values, strict=True)))
        return list(out.values())
