"""Whether two constraints on one cell contradict, whatever the day and the screen: their constants alone decide."""

import datetime as dt
from functools import lru_cache

from vsalang.engine.explain.terms import Context, value_of
from vsalang.program.ir import Choice, Const, Constraint, Fn, Term
from vsalang.program.ops import OPERATORS, holds
from vsalang.program.values import Value, tag

_DAY = dt.date(2001, 1, 1)
# Any day will do: what is counted from today is held only against what is counted from today.
_CONTEXT = Context(_DAY, dt.datetime.combine(_DAY, dt.time()))
_DECIDED = frozenset(OPERATORS) - {"~=", "!~="}


@lru_cache(maxsize=4096)
def contradict(one: Constraint, other: Constraint) -> bool:
    """Whether no value fits both; False where that cannot be told, or differs from day to day."""
    if not _same_day(one, other) or not {one.op, other.op} <= _DECIDED:
        return False
    for left, right in ((one, other), (other, one)):
        values = _values(left)
        if values is not None:
            return not any(_fits(right, value) for value in values)
    return _apart(one, other) or _apart(other, one)


def _same_day(one: Constraint, other: Constraint) -> bool:
    kinds = {_kind(term) for c in (one, other) for term in _terms(c)} - {"plain"}
    if not kinds:
        return True
    # Two days counted from today are compared with each other, and with nothing else.
    return kinds == {"today"} and all(_kind(term) == "today" for c in (one, other) for term in _terms(c))


def _terms(constraint: Constraint) -> list[Term]:
    terms: list[Term] = []
    for term in (constraint.term, constraint.hi):
        terms += term.items if isinstance(term, Choice) else [term] if term is not None else []
    return terms


def _kind(term: Term) -> str:
    """``plain``: a constant; ``today``: counted from today; ``open``: a variable, or a text that is read."""
    if not isinstance(term, Fn):
        return "plain" if isinstance(term, Const) or not hasattr(term, "name") else "open"
    if term.name == "today":
        return "today"
    if term.name not in ("+", "-", "*", "neg"):
        return "open"
    kinds = {_kind(arg) for arg in term.args}
    return "open" if "open" in kinds else "today" if "today" in kinds else "plain"


def _values(constraint: Constraint) -> list[Value] | None:
    """All values that a constraint leaves; None where they cannot be listed."""
    value = value_of(constraint.term, {}, _CONTEXT)
    if constraint.op == "=":
        return [] if value is None else [value]
    if constraint.op == "in" and isinstance(constraint.term, Choice):
        return [item for item in value if item is not None]
    return None


def _fits(constraint: Constraint, value: Value) -> bool:
    wanted, high = (value_of(term, {}, _CONTEXT) for term in (constraint.term, constraint.hi))
    return holds(constraint.op, value, wanted, high)


def _apart(one: Constraint, other: Constraint) -> bool:
    """Whether all that the first constraint leaves lies below all that the other leaves."""
    high, open_high = _end(one, ("<", "<="))
    low, open_low = _end(other, (">", ">="))
    if high is None or low is None or tag(high) != tag(low):
        return False
    return bool(high < low) or (high == low and (open_high or open_low))  # type: ignore[operator]


def _end(constraint: Constraint, ops: tuple[str, str]) -> tuple[Value | None, bool]:
    """The upper or lower end of what a constraint leaves, and whether the end itself is left out."""
    if constraint.op in ops:
        return value_of(constraint.term, {}, _CONTEXT), constraint.op == ops[0]
    if constraint.op == "in" and constraint.hi is not None:
        return value_of(constraint.hi if ops[0] == "<" else constraint.term, {}, _CONTEXT), False
    return None, False
