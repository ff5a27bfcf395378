"""Python source of terms and comparisons.

Nothing of a program becomes code: constants stand in a table, names are made from what is safe in them.
Where the types of both sides are as expected, Python's own operators are used; everything else is asked of the
operators of the language (`vsalang.program.ops`), so that what is fast is never another answer.
"""

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from vsalang.engine.api import EngineError
from vsalang.program.ir import Choice, Compare, Const, Constraint, Fn, Term, TextPattern, Var
from vsalang.program.matchers import compiled
from vsalang.program.ops import OPERATORS, call
from vsalang.program.text import fold_case
from vsalang.program.values import NONE

_PLAIN_NAMES: Final = {
    "=": "equal",
    "!=": "unequal",
    "<": "less",
    "<=": "at_most",
    ">": "more",
    ">=": "at_least",
    "in": "among",
    "not in": "not_among",
    "contains": "has",
    "not contains": "has_not",
    "subset": "part_of",
    "not subset": "not_part_of",
    "not matches": "matches_not",
    "names": "is_named",
    "not names": "is_not_named",
    "~=": "similar",
    "!~=": "not_similar",
}
OPERATOR_NAMES: Final[Mapping[str, str]] = {
    op: _PLAIN_NAMES.get(op, op.replace(" ", "_")) for op in OPERATORS if op not in ("known", "unknown")
}
"""The names under which generated code knows the operators."""

NAMESPACE: Final[Mapping[str, Any]] = {
    **{name: OPERATORS[op].test for op, name in OPERATOR_NAMES.items()},
    "call": call,
    "fold_case": fold_case,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "NONE": NONE,
    "ONE": ((),),
}
"""What generated code may name besides its own functions and constants."""

_ORDER: Final = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
_CLASSES: Final[Mapping[type, str]] = {int: "int", dt.date: "date", dt.timedelta: "timedelta", str: "str"}
_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,30}", re.ASCII)


class Constants:
    """The constants of one generated module, each under a name of its own."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._names: dict[Any, str] = {}

    def name(self, value: Any) -> str:
        """The name of a constant: values of different types are different constants."""
        key = _identity(value)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = f"K{len(self.values)}"
            self.values[name] = value
        return name

    def listing(self) -> list[str]:
        """The table for readers: one comment a line, in ASCII and without line breaks."""
        return [f"# {name} = {_literal_text(value)}" for name, value in self.values.items()]


def _identity(value: Any) -> Any:
    if isinstance(value, tuple):
        return ("tuple", tuple(map(_identity, value)))
    if isinstance(value, str | int | bool | Decimal | dt.date | dt.time | dt.timedelta | frozenset):
        return (type(value), value)
    return ("object", id(value))


def _literal_text(value: Any) -> str:
    if isinstance(value, frozenset):
        return "frozenset({" + ", ".join(sorted(map(ascii, value))) + "})"
    text = ascii(value)
    return text if len(text) <= 200 else text[:200] + "..."


class Locals:
    """The local names of variables in one function."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._used: set[str] = set()

    def __contains__(self, variable: str) -> bool:
        return variable in self.names

    def new(self, variable: str) -> str:
        """A fresh local name for a variable of the program."""
        plain = variable if _NAME.fullmatch(variable) else ""
        base = name = f"v_{plain}" if plain else "v"
        number = 0
        while name in self._used or name == "v":
            number += 1
            name = f"{base}_{number}"
        self._used.add(name)
        self.names[variable] = name
        return name

    def of(self, variable: str) -> str:
        """The local name of a variable that is bound.

        Raises:
            EngineError: nothing binds it.
        """
        try:
            return self.names[variable]
        except KeyError:
            raise EngineError(f"nothing binds the variable ?{variable}") from None


def term_source(term: Term, constants: Constants, local: Locals) -> str:
    """An expression for the value of a term, None where it is undefined."""
    if isinstance(term, Var):
        return local.of(term.name)
    if isinstance(term, Const):
        return constants.name(term.value)
    if isinstance(term, TextPattern):
        return constants.name(compiled(term))
    if isinstance(term, Choice):
        if all(isinstance(item, Const) for item in term.items):
            return constants.name(tuple(item.value for item in term.items if isinstance(item, Const)))
        return "(" + "".join(term_source(item, constants, local) + ", " for item in term.items) + ")"
    if term.name == "today":
        return "ctx.today"
    args = "".join(term_source(arg, constants, local) + ", " for arg in term.args)
    environment = f"ctx.environment({constants.name(term.type)})"
    return f"call({constants.name(term.name)}, ({args}), {environment})"


def is_partial(term: Term | None) -> bool:
    """Whether a term may be undefined although its variables are bound."""
    return isinstance(term, Fn) and term.name != "today"


def compare_source(item: Compare, constants: Constants, local: Locals) -> str:
    """A condition for a comparison of terms that are bound."""
    left = term_source(item.left, constants, local)
    if item.op in ("known", "unknown"):
        return f"({left}) is " + ("not None" if item.op == "known" else "None")
    if is_partial(item.left):
        # evaluated once, whatever the comparison is
        test = comparison("u", item.op, item.right, item.hi, constants, local)
        return f"({test} if (u := {left}) is not None else False)"
    return comparison(left, item.op, item.right, item.hi, constants, local)


def constraint_source(cell: str, c: Constraint, constants: Constants, local: Locals) -> str:
    """A condition for a constraint on a cell."""
    return comparison(cell, c.op, c.term, c.hi, constants, local)


def comparison(
    left: str, op: str, right: Term | None, hi: Term | None, constants: Constants, local: Locals
) -> str:
    """A condition for ``left op right``, `left` being a simple expression. Known, defined and true, or false.

    Raises:
        EngineError: there is no such operator, or it lacks a right side.
    """
    if op == "known":
        return f"{left} is not None"
    if op == "unknown":
        return f"{left} is None"
    if op not in OPERATOR_NAMES or right is None:
        raise EngineError(f"the operator {op} cannot be compiled")
    general = _general(left, op, right, hi, constants, local)
    if isinstance(right, Const) and hi is None:
        return _constant(left, op, right.value, general, constants)
    if isinstance(right, Const) and isinstance(hi, Const) and op in ("in", "not in"):
        return _range(left, op, right.value, hi.value, general, constants)
    if isinstance(right, Choice) and hi is None and op in ("in", "not in"):
        values = [item.value for item in right.items if isinstance(item, Const)]
        kinds = {type(value) for value in values}
        if len(values) == len(right.items) and (kinds == {str} or kinds == {int}):
            kind, chosen = _CLASSES[kinds.pop()], constants.name(frozenset(values))
            return f"({left} {op} {chosen} if {left}.__class__ is {kind} else {general})"
    if isinstance(right, TextPattern) and op in ("matches", "not matches"):
        pattern, answer = constants.name(compiled(right)), op == "matches"
        return f"({pattern}.matches({left}) is {answer} if {left}.__class__ is str else {general})"
    if isinstance(right, Var) and hi is None and op in ("=", "!=", *_ORDER):
        other = local.of(right.name)
        python = {"=": "==", "!=": "!="}.get(op, op)
        return f"({left} {python} {other} if {left}.__class__ is int is {other}.__class__ else {general})"
    return general


def _general(left: str, op: str, right: Term, hi: Term | None, constants: Constants, local: Locals) -> str:
    name = OPERATOR_NAMES[op]
    one = term_source(right, constants, local)
    if hi is None:
        if is_partial(right):
            return f"((r := {one}) is not None and {name}({left}, r, None, ctx.similarity) is True)"
        return f"({left} is not None and {name}({left}, {one}, None, ctx.similarity) is True)"
    two = term_source(hi, constants, local)
    return (
        f"((r := {one}) is not None and (h := {two}) is not None"
        f" and {name}({left}, r, h, ctx.similarity) is True)"
    )


def _constant(left: str, op: str, value: Any, general: str, constants: Constants) -> str:
    name = constants.name(value)
    kind = type(value)
    if op == "=":
        if value is NONE:
            return f"{left} is NONE"
        if kind is bool:
            return f"{left} is {value!r}"
        if kind is str:
            return f"{left} == {name}"
        if kind in _CLASSES:
            return f"({left} == {name} if {left}.__class__ is {_CLASSES[kind]} else {general})"
    elif op == "!=" and kind in _CLASSES:
        return f"({left} != {name} if {left}.__class__ is {_CLASSES[kind]} else {general})"
    elif op in _ORDER and kind in _CLASSES and kind is not str:
        return f"({left} {op} {name} if {left}.__class__ is {_CLASSES[kind]} else {general})"
    elif op in _ORDER and kind is dt.time and value.tzinfo is None:
        return f"({left} {op} {name} if {left}.__class__ is time and {left}.tzinfo is None else {general})"
    elif op in ("contains", "not contains") and kind is str:
        folded = constants.name(fold_case(value))
        word = "in" if op == "contains" else "not in"
        return f"({folded} {word} fold_case({left}) if {left}.__class__ is str else {general})"
    return general


def _range(left: str, op: str, low: Any, high: Any, general: str, constants: Constants) -> str:
    kind = type(low)
    if kind is type(high) and kind in _CLASSES and kind is not str:
        inside = f"{constants.name(low)} <= {left} <= {constants.name(high)}"
        test = inside if op == "in" else f"not {inside}"
        return f"({test} if {left}.__class__ is {_CLASSES[kind]} else {general})"
    return general
