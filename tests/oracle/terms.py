"""Terms and constraints in three values: what is unknown or merely some other value makes them unknown."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from tests.oracle.words import asked
from vsalang.engine.api import EngineError
from vsalang.program import ops
from vsalang.program.ir import Choice, Const, Constraint, Fn, Term, TextPattern, Type, Var
from vsalang.program.similarity import Similarity
from vsalang.program.values import NONE, Value, same, tag

Truth: TypeAlias = bool | None
"""True, False, or None: unknown (Kleene)."""


class Fresh:
    """Some value that occurs nowhere in the moment or the program: what an unseen cell may hold besides those."""

    def __repr__(self) -> str:
        return "FRESH"


class Anything:
    """A value of which nothing is known: a function of `FRESH`."""

    def __repr__(self) -> str:
        return "ANYTHING"


FRESH: Final = Fresh()
ANYTHING: Final = Anything()

Bound: TypeAlias = Value | Fresh
"""What a variable holds. `FRESH` only under the possible reading."""

Env: TypeAlias = Mapping[str, Bound]


class Place(Protocol):
    """Where terms are evaluated: a moment with its clock and its domain."""

    @property
    def now(self) -> dt.datetime:
        """The device's clock."""

    @property
    def domain(self) -> "Domain":
        """The values that occur there."""


@dataclass(frozen=True)
class Clock:
    """What terms and operators need besides a binding: the day of the instruction and the similarity backend."""

    today: dt.date
    similarity: Similarity

    def value(self, term: Term | None, env: Env, now: dt.datetime) -> Bound | Anything | None:
        """The value of a term; None where it is undefined.

        Raises:
            EngineError: a variable of it is not bound.
        """
        if term is None:
            return None
        if isinstance(term, Const):
            return term.value
        if isinstance(term, Var):
            if term.name not in env:
                raise EngineError(f"?{term.name} is used before it is bound")
            return env[term.name]
        if isinstance(term, Fn):
            return self._call(term, env, now)
        raise EngineError(f"{type(term).__name__} is not a value")

    def _call(self, fn: Fn, env: Env, now: dt.datetime) -> Bound | Anything | None:
        if fn.name == "today":
            return self.today
        args = [self.value(arg, env, now) for arg in fn.args]
        if any(arg is None or arg is NONE for arg in args):
            return None
        known = [arg for arg in args if not isinstance(arg, Fresh | Anything)]
        if len(known) < len(args):
            return ANYTHING
        enum = fn.type.elem if fn.type.kind == "set" else fn.type
        members = {m.name: m.spellings for m in enum.members} if enum is not None and enum.members else None
        return ops.call(fn.name, known, ops.Environment(today=now.date(), members=members))

    def compare(
        self, left: Bound | Anything | None, op: str, right: Term | None, hi: Term | None, env: Env, at: Place
    ) -> Truth:
        """``left op right`` in three values. Undefined on either side is unknown, other types are false."""
        if op in ("known", "unknown"):
            return None if left is None else op == "known"
        if isinstance(right, Choice):
            items = tuple(self.value(item, env, at.now) for item in right.items)
            return self._among(left, op == "not in", items, at)
        if isinstance(right, TextPattern):
            pattern = asked(right)
            if _open(left) or pattern.is_open(_known(left)):
                return None
            return ops.holds(op, _known(left), pattern)
        low, high = self.value(right, env, at.now), self.value(hi, env, at.now)
        if left is None or low is None or (hi is not None and high is None):
            return None
        if op in ("=", "!=") and not isinstance(left, Anything) and not isinstance(low, Anything):
            return _negated_if(op == "!=", at.domain.equal(left, low))
        if _open(left) or _open(low) or (hi is not None and _open(high)):
            return None
        if ops.holds(op, _known(left), _known(low), _known(high), similarity=self.similarity):
            return True
        if op in ("~=", "!~="):
            return self._dissimilar(_known(left), ops.OPERATORS[op].negation, _known(low))
        return False

    def _among(
        self,
        left: Bound | Anything | None,
        negated: bool,
        items: tuple[Bound | Anything | None, ...],
        at: Place,
    ) -> Truth:
        """``in {..}`` and ``not in {..}``."""
        if left is None or isinstance(left, Anything):
            return None
        equal = [None if isinstance(item, Anything) else at.domain.equal(left, item) for item in items]
        if True in equal:
            return not negated
        return None if None in equal else negated

    def _dissimilar(self, left: Value | None, other: str, right: Value | None) -> Truth:
        """What does not hold is false if its opposite does, and unknown if the backend could not answer."""
        if not isinstance(left, str):
            return False
        return False if ops.holds(other, left, right, similarity=self.similarity) else None


class Domain:
    """The values of one moment and program, by type; an unseen cell holds one of them or `FRESH`."""

    def __init__(
        self, terms: Iterable[Term], clock: Clock, now: dt.datetime, cells: Iterable[object]
    ) -> None:
        self._values: dict[str, set[Value]] = {}
        for term in terms:
            value = clock.value(term, {}, now)
            if value is not None and not isinstance(value, Fresh | Anything):
                self._add(value)
        for cell in cells:
            if cell is not None:
                self._add(cell)  # type: ignore[arg-type]

    def _add(self, value: Value) -> None:
        self._values.setdefault(tag(value), set()).add(value)

    def candidates(self, kind: Type) -> list[Bound]:
        """What an unseen cell of the type may hold."""
        wanted = {"Text": "text", "enum": "text"}.get(kind.kind, kind.kind.lower())
        found: list[Bound] = [*self._values.get(wanted, ()), *self._values.get("none", ())]
        return [*found, FRESH]

    def equal(self, left: Bound | None, right: Bound | None) -> Truth:
        """Whether two values are the same; `FRESH` differs from every value that occurs."""
        if left is None or right is None:
            return None
        if isinstance(left, Fresh):
            left, right = right, left
        if isinstance(left, Fresh):
            return None
        if isinstance(right, Fresh):
            return False if left in self._values.get(tag(left), ()) else None
        return same(left, right)

    @staticmethod
    def same(left: object, right: object) -> bool:
        """Whether two cells certainly hold the same value."""
        if isinstance(left, Fresh) or isinstance(right, Fresh):
            return False
        return same(left, right)  # type: ignore[arg-type]


def fits(clock: Clock, cell: Bound | None, constraint: Constraint, env: Env, at: Place) -> Truth:
    """Whether a cell fits a constraint, in three values; an unknown cell fits unknown."""
    if cell is None:
        return None
    return clock.compare(cell, constraint.op, constraint.term, constraint.hi, env, at)


def _open(value: Bound | Anything | None) -> bool:
    """Whether nothing definite is known of a value."""
    return value is None or isinstance(value, Fresh | Anything)


def _known(value: Bound | Anything | None) -> Value | None:
    return None if isinstance(value, Fresh | Anything) else value


def _negated_if(negate: bool, truth: Truth) -> Truth:
    return truth if truth is None or not negate else not truth
