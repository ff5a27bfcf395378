"""Terms, operators and aggregates as Python functions, and what they read besides bindings: days, texts, similarity."""

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, Protocol, TypeAlias

from vsalang.engine.api import EngineError
from vsalang.program.ir import Choice, Const, Fn, Regex, Term, TextPattern, Type, Var
from vsalang.program.matchers import compiled
from vsalang.program.ops import OPERATORS, Environment, call
from vsalang.program.similarity import DEFAULT, FoldedEquality, Similarity
from vsalang.program.values import NONE
from vsalang.program.walk import parts

Tuple: TypeAlias = tuple[Any, ...]
Env: TypeAlias = Mapping[str, Any]


class Anything:
    """Some value of which nothing is known (a null of the possible reading, in which alone it occurs)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ANYTHING"


ANYTHING: Final = Anything()


class Surroundings(Protocol):
    """What terms and comparisons read besides a binding."""

    @property
    def today(self) -> dt.date:
        """The day of the instruction."""
        ...

    @property
    def similarity(self) -> Similarity:
        """Who answers ``~=``."""
        ...

    def environment(self, wanted: Type) -> Environment:
        """What functions read, where a value of that type is wanted."""
        ...


Getter: TypeAlias = Callable[[Any, Surroundings], Any]
"""From a binding to the value of a term: None where it is undefined."""

Test: TypeAlias = Callable[[Any, Surroundings], bool]
"""Of a binding: whether a comparison is true."""

Lookup: TypeAlias = Callable[[str], Callable[[Any], Any]]

_CLOCKED = frozenset({"date"})
"""Functions that read the device's clock: a date without a year is the one nearest to it."""


class Ctx:
    """What evaluation reads besides rows: the day of the instruction, clock and timeline, the similarity backend."""

    __slots__ = ("_environments", "folded", "forgotten", "now", "similarity", "timeline", "times", "today")

    def __init__(self, today: dt.date, similarity: Similarity | None) -> None:
        self.today = today
        self.now = self.timeline = dt.datetime.combine(today, dt.time())
        self.similarity: Similarity = similarity or DEFAULT
        self.folded = isinstance(
            self.similarity, FoldedEquality
        )  # else it may answer otherwise the next time
        self.times: dict[int, dt.datetime] = {}
        self.forgotten = 0
        self._environments: dict[Type, Environment] = {}

    def environment(self, wanted: Type) -> Environment:
        """What functions read, where a value of that type is wanted."""
        day = self.now.date()
        cached = self._environments.get(wanted)
        if cached is None or cached.today != day:
            cached = self._environments[wanted] = environment(day, wanted)
        return cached

    def time_of(self, point: int) -> dt.datetime:
        """When on the timeline a history point was; of a point still to come, now.

        Raises:
            EngineError: it is long past, and nothing was known to be committed then.
        """
        moment = self.times.get(point)
        if moment is None:
            if point <= self.forgotten:
                raise EngineError(f"when history point {point} was is no longer remembered")
            return self.timeline
        return moment

    def holds(self, op: str, left: Any, right: Any, hi: Any) -> bool:
        """Whether the operator is true of known operands."""
        return OPERATORS[op].test(left, right, hi, self.similarity) is True

    def groups(self, regex: Regex, cell: Any) -> dict[str, str] | None:
        """What the named groups captured (`vsalang.program.patterns.Matcher.captures`)."""
        return compiled(regex).captures(cell)

    def capture(self, regex: Regex, cell: Any, name: str) -> Any:
        """What one named group captured, None if nothing."""
        groups = self.groups(regex, cell)
        return None if groups is None else groups.get(name)


def environment(today: dt.date, wanted: Type) -> Environment:
    """What functions read on a day of the device's clock, where a value of that type is wanted."""
    source = wanted.elem if wanted.kind == "set" and wanted.elem is not None else wanted
    members = {m.name: m.spellings for m in source.members} if source.kind == "enum" else None
    return Environment(today, members)


def is_clocked(item: object) -> bool:
    """Whether the value of a term, or of one inside an item, can change with the clock."""
    return any(isinstance(part, Fn) and part.name in _CLOCKED for part in parts(item))


def compile_term(term: Term, lookup: Lookup) -> Getter:
    """The value of a term under bindings; None where it is undefined, ANYTHING where it depends on an unknown value.

    Args:
        term: the right side of ``in {..}`` gives a tuple (with None for undefined items), of ``matches`` a pattern.
        lookup: gives the accessor of a variable in whatever holds the bindings.
    """
    if isinstance(term, Var):
        get = lookup(term.name)
        return lambda env, ctx: get(env)
    if isinstance(term, Const):
        value = term.value
        return lambda env, ctx: value
    if isinstance(term, TextPattern):
        pattern = compiled(term)
        return lambda env, ctx: pattern
    if isinstance(term, Choice):
        if all(isinstance(item, Const) for item in term.items):
            constants = tuple([item.value for item in term.items if isinstance(item, Const)])
            return lambda env, ctx: constants
        items = tuple(compile_term(item, lookup) for item in term.items)
        return lambda env, ctx: tuple([item(env, ctx) for item in items])
    if term.name == "today":
        return lambda env, ctx: ctx.today
    name, wanted = term.name, term.type
    args = tuple(compile_term(arg, lookup) for arg in term.args)

    def fn(env: Any, ctx: Surroundings) -> Any:
        values = [arg(env, ctx) for arg in args]
        if ANYTHING in values:
            return ANYTHING
        if None in values:
            return None
        try:
            return call(name, values, ctx.environment(wanted))
        except KeyError:
            raise EngineError(f"there is no function {name}") from None

    return fn


def compile_test(left: Getter, op: str, right: Term | None, hi: Term | None, lookup: Lookup) -> Test:
    """Whether ``left op right`` holds under bindings: known, defined and true; `left` gives the left side."""
    if op == "known":
        return lambda env, ctx: left(env, ctx) is not None
    if op == "unknown":
        return lambda env, ctx: left(env, ctx) is None
    if op not in OPERATORS:
        raise EngineError(f"there is no operator {op}")
    if right is None:
        raise EngineError(f"the operator {op} needs a right side")
    test = OPERATORS[op].test
    if hi is None and isinstance(right, Const):
        value = right.value
        return lambda env, ctx: test(left(env, ctx), value, None, ctx.similarity) is True
    get = compile_term(right, lookup)
    if hi is None:

        def simple(env: Any, ctx: Surroundings) -> bool:
            value = get(env, ctx)
            return value is not None and test(left(env, ctx), value, None, ctx.similarity) is True

        return simple
    get_hi = compile_term(hi, lookup)

    def ranged(env: Any, ctx: Surroundings) -> bool:
        low, high = get(env, ctx), get_hi(env, ctx)
        if low is None or high is None:
            return False
        return test(left(env, ctx), low, high, ctx.similarity) is True

    return ranged


_UNANSWERED: Final = frozenset({"~=", "!~=", "matches", "not matches"})


def possibly(ctx: Ctx, op: str, left: Any, right: Any, hi: Any, *, has_hi: bool) -> bool:
    """Whether nothing known refutes ``left op right``: unknown, undefined, ANYTHING and unanswered refute nothing."""
    if op == "known":
        return True
    if op == "unknown":
        return left is None or left is ANYTHING
    if left is None or left is ANYTHING or right is None or right is ANYTHING:
        return True
    if has_hi and (hi is None or hi is ANYTHING):
        return True
    if op in ("in", "not in") and isinstance(right, tuple) and (None in right or ANYTHING in right):
        known = tuple([item for item in right if item is not None and item is not ANYTHING])
        return op == "in" or ctx.holds("not in", left, known, None)
    answer = OPERATORS[op].test(left, right, hi, ctx.similarity)
    # who answers ~= may not know, nor what a text hides; of what is not a text there is nothing to know
    return answer is True or (answer is None and op in _UNANSWERED and isinstance(left, str))


def fold(fn: str, values: list[Any]) -> Any:
    """The aggregate of the values of all matching rows: None where undefined (none matches, or one has no value)."""
    if fn == "count":
        return len(values)
    if not values or any(value is None or value is NONE or value is ANYTHING for value in values):
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


# ---------------------------------------------------------------- where variables are looked up


def in_layout(where: dict[str, int]) -> Lookup:
    """Variables by their position in a binding.

    Raises:
        EngineError: when the variable is not in the layout.
    """

    def lookup(name: str) -> Callable[[Any], Any]:
        if name not in where:
            raise EngineError(f"nothing binds the variable ?{name}")
        index = where[name]
        return lambda env: env[index]

    return lookup


def from_mapping(name: str) -> Callable[[Any], Any]:
    """Variables by name in a mapping; None if they are not bound."""
    return lambda env: env.get(name)


def no_variables(name: str) -> Callable[[Any], Any]:
    """For terms that must not have variables: durations of past operators."""
    raise EngineError(f"a duration of a past operator has the variable ?{name}")
