"""Whether a cell that does not fit a constraint moves towards it, so that the change counts as progress."""

import datetime as dt
from decimal import Decimal

from vsalang.engine.api import Cell
from vsalang.engine.explain.terms import Context, value_of
from vsalang.program.folding import fold
from vsalang.program.ir import Choice, Constraint, Type
from vsalang.program.ops import ORDERED, holds
from vsalang.program.similarity import folded_equal
from vsalang.program.values import Value, same, tag


def comes_nearer(constraint: Constraint, old: Cell, new: Value, context: Context, type_: Type) -> bool:
    """Whether a cell that does not fit a constraint moves towards it."""
    wanted = value_of(constraint.term, {}, context)
    high = value_of(constraint.hi, {}, context)
    if isinstance(new, str):
        if type_.kind != "Text":
            return False
        if constraint.op not in ("=", "~=") or not isinstance(wanted, str):
            # what was typed is cleared, to be typed again
            return new == "" and old is not None and constraint.op in ("in", "contains", "matches")
        if constraint.op == "~=":
            return _typed_towards(new, wanted) and not (isinstance(old, str) and folded_equal(old, wanted))
        return wanted.startswith(new) and not (isinstance(old, str) and same(old, wanted))
    if old is None:
        return False
    if isinstance(new, frozenset):
        if constraint.op != "=" or not isinstance(wanted, frozenset) or not isinstance(old, frozenset):
            return False
        return len(new ^ wanted) < len(old ^ wanted)
    before, after = (_distance(constraint, cell, wanted, high) for cell in (old, new))
    return before is not None and after is not None and after < before


def _typed_towards(text: str, wanted: str) -> bool:
    """Whether a text is the beginning of one that is similar: compared as `~=` does where nobody is asked."""
    if wanted.startswith(text):
        return True
    forms = ((fold(text, hyphen), fold(wanted, hyphen)) for hyphen in ("", " "))
    return any(here != "" and there.startswith(here) for here, there in forms)


def _distance(constraint: Constraint, cell: Cell, wanted: object, high: object) -> Decimal | None:
    """How far a cell is from the nearest value that fits; None where that has no measure."""
    if cell is None or tag(cell) not in ORDERED:
        return None
    targets: list[object] = []
    if constraint.op == "in" and isinstance(constraint.term, Choice):
        targets = list(wanted) if isinstance(wanted, tuple) else []
    elif constraint.op == "in":
        targets = [wanted, high]
    elif constraint.op in ("=", "<", "<=", ">", ">="):
        targets = [wanted]
    if holds(constraint.op, cell, wanted, high):  # type: ignore[arg-type]
        return Decimal(0)
    known = [_measure(target) for target in targets]
    here = _measure(cell)
    distances = [abs(here - there) for there in known if there is not None and here is not None]
    return min(distances, default=None)


def _measure(value: object) -> Decimal | None:
    """A point on a line for numbers, dates (days), times and durations (seconds)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, dt.date):
        return Decimal(value.toordinal())
    if isinstance(value, dt.time):
        return Decimal(value.hour * 3600 + value.minute * 60 + value.second)
    if isinstance(value, dt.timedelta):
        return Decimal(round(value.total_seconds()))
    return None
