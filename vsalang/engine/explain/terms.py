"""Terms and constraints at run time, outside the engine: their values under a binding, and how they print."""

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.terms import compile_term, compile_test, environment, from_mapping
from vsalang.program import ops
from vsalang.program.ir import Const, Constraint, Term, Type, Var
from vsalang.program.patterns import Matcher
from vsalang.program.show import Notation, term_source
from vsalang.program.similarity import Similarity
from vsalang.program.text import canonical, safe
from vsalang.program.values import MOST_DIGITS, NONE, Value, normal_number, tag
from vsalang.program.walk import needed

Binding: TypeAlias = Mapping[str, Value]

TypeOf: TypeAlias = Callable[[str, str], Type | None]
"""The type of an attribute of a relation."""


@dataclass(frozen=True, slots=True)
class Context:
    """What terms and operators read in addition to the binding.

    Attributes:
        today: the day of the instruction.
        now: the device's clock.
        similarity: who answers ``~=``.
        timeline: the time as durations measure it; None: as the clock says.
    """

    today: dt.date
    now: dt.datetime
    similarity: Similarity = ops.DEFAULT_SIMILARITY
    timeline: dt.datetime | None = None

    def environment(self, wanted: Type) -> ops.Environment:
        """What functions read, where a value of that type is wanted."""
        return environment(self.now.date(), wanted)


_TAGS = {
    "Text": "text",
    "enum": "text",
    "Number": "number",
    "Bool": "bool",
    "Date": "date",
    "Time": "time",
    "Duration": "duration",
    "set": "set",
}


def typed(value: object, type_: Type) -> Value | None:
    """What an agent gives for a value of a type, in its one form; None if it is none of that type."""
    if value is NONE:
        return NONE
    if isinstance(value, dt.datetime) or not isinstance(
        value, str | int | Decimal | dt.date | dt.time | dt.timedelta | frozenset
    ):
        return None
    if tag(value) != _TAGS.get(type_.kind):
        return None
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        try:
            number = normal_number(value)
        except ValueError:
            return None
        return number if abs(number) < 10**MOST_DIGITS else None
    if isinstance(value, dt.time) and (value.tzinfo is not None or value.microsecond):
        return None
    if isinstance(value, frozenset):
        items = [typed(item, type_.elem) for item in value] if type_.elem is not None else [None]
        texts = [item for item in items if isinstance(item, str)]
        return frozenset(texts) if len(texts) == len(items) else None
    if isinstance(value, str):
        value = canonical(value)
        return value if type_.kind == "Text" or value in {m.name for m in type_.members} else None
    return value


def value_of(term: Term | None, binding: Binding, context: Context) -> Any:
    """The value of a term: a `Value`, None where it is undefined or a variable is not bound; a `Matcher` for what
    `matches` asks, a tuple of values for a choice."""
    if isinstance(term, Const):  # by far the most are constants and variables
        return term.value
    if isinstance(term, Var):
        return binding.get(term.name)
    return None if term is None else compile_term(term, from_mapping)(binding, context)


def fits(constraint: Constraint, cell: Value | None, binding: Binding, context: Context) -> bool:
    """Whether the constraint holds of a cell, all its variables being bound."""
    return ops.holds(
        constraint.op,
        cell,
        value_of(constraint.term, binding, context),
        value_of(constraint.hi, binding, context),
        similarity=context.similarity,
    )


def tester(constraint: Constraint) -> Callable[[Value | None, Context], bool]:
    """A constraint without variables as a function of a cell: `fits`, compiled once."""
    return compile_test(
        lambda cell, context: cell, constraint.op, constraint.term, constraint.hi, from_mapping
    )


def constant(constraint: Constraint) -> bool:
    """Whether the constraint has no variables: its truth depends on the cell alone."""
    return not needed(constraint)


def term_text(term: Term | None, binding: Binding, context: Context, type_: Type | None = None) -> str:
    """A term as source text for messages, bound variables and dates replaced by their values."""

    def value(item: Term) -> Value | None:
        result = value_of(item, binding, context)
        return None if isinstance(result, Matcher | tuple) else result

    return term_source(term, type_, value_of=value, quoting=safe)


def notation(binding: Binding, context: Context, type_of: TypeOf | None = None) -> Notation:
    """How messages print conditions: as in a program, bound variables and dates replaced by their values."""

    def term(item: Term | None, type_: Type | None) -> str:
        return term_text(item, binding, context, type_)

    return Notation(term, type_of=type_of or (lambda relation, attr: None), none="no")


def wanted_text(constraint: Constraint, binding: Binding, context: Context, type_: Type | None = None) -> str:
    """Operator and right side of a constraint: ``< 19:00``."""
    return notation(binding, context).comparison(constraint.op, constraint.term, constraint.hi, type_)
