"""How values of the language are written in Z3: one sort and one range per type, and back again.

=================  ==================================================================================
Number             Real (decoding refuses what has no finite decimal form)
Date               Int, the proleptic Gregorian ordinal, 1 to 3652059
Time, Duration     Int, seconds (a time: 0 to 86399)
enum               Int, the member's place
Bool               Bool
Text               a sort of its own, of which nothing is known but which are equal, with a constant for each text
                   that the program names; what is asked of their inside: `wordings`
set                one Bool per element that the program names, and for Text one more for all others
=================  ==================================================================================

A cell adds whether it is known and whether it holds ``none``.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import z3

from vsalang.program.ir import Type
from vsalang.program.values import NONE, Value, normal_number
from vsalang.proof.solver.results import UnsupportedConstruct

TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)
LAST_DAY = dt.date.max.toordinal()
_OTHERS = 4
"""So many texts that the program does not name can be asked for."""
LONGEST = 999_999_999 * 86_400
"""The greatest duration, in seconds (Python's `timedelta`)."""


def is_true(part: Any) -> bool:
    """Whether a formula is plainly true; many times as fast as `z3.is_true`. Z3 keeps one copy of every formula."""
    return bool(part.ast.value == TRUE.ast.value)


def is_false(part: Any) -> bool:
    """Whether a formula is plainly false."""
    return bool(part.ast.value == FALSE.ast.value)


def conj(parts: Iterable[Any]) -> Any:
    """And, without the trivial."""
    return _joined(z3.Z3_mk_and, parts, TRUE, FALSE)


def disj(parts: Iterable[Any]) -> Any:
    """Or, without the trivial."""
    return _joined(z3.Z3_mk_or, parts, FALSE, TRUE)


def _joined(make: Any, parts: Iterable[Any], nothing: Any, all_of_it: Any) -> Any:
    """What `z3.And` and `z3.Or` make, without their search for sorts: all parts are Bools."""
    kept = []
    for part in parts:
        if part.ast.value == all_of_it.ast.value:
            return all_of_it
        if part.ast.value != nothing.ast.value:
            kept.append(part)
    if len(kept) < 2:
        return kept[0] if kept else nothing
    args = (z3.Ast * len(kept))(*(part.ast for part in kept))
    context = kept[0].ctx
    return z3.BoolRef(make(context.ref(), len(kept), args), context)


def neg(part: Any) -> Any:
    """Not, of constants too."""
    if is_true(part) or is_false(part):
        return FALSE if is_true(part) else TRUE
    return z3.BoolRef(z3.Z3_mk_not(part.ctx.ref(), part.ast), part.ctx)


def equals(a: Any, b: Any) -> Any:
    """Whether two terms are the same, without the trivial."""
    if a.ast.value == b.ast.value:
        return TRUE
    for one, other in ((a, b), (b, a)):
        if is_true(one):
            return other
        if is_false(one):
            return neg(other)
    ref = a.ctx.ref()
    if z3.Z3_get_sort(ref, a.ast).value != z3.Z3_get_sort(ref, b.ast).value:
        return a == b
    return z3.BoolRef(z3.Z3_mk_eq(ref, a.ast, b.ast), a.ctx)


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A cell, a variable's value or a term's value.

    Attributes:
        type: of the value; of kind None for a bare ``none``.
        value: a Z3 term; of a set the Bools of its elements in the order of `Sorts.elements`.
        known: whether there is a value at all.
        none: whether the value is ``none``.
        open: nothing definite is known of it, though there is a value: whatever is asked of it may be so.
    """

    type: Type
    value: Any
    known: Any = TRUE
    none: Any = FALSE
    open: Any = FALSE


class Sorts:
    """The sorts of one query.

    Args:
        texts: every text that the query's rules name.

    Attributes:
        made: the texts of a model's other numbers, where it matters what they hold.
        facts: what is so of every text: those that are named, and some others, differ.
        asked_named: the texts of which it was asked whether they are named, and the answer.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(dict.fromkeys(texts))
        self.made: Callable[[Any], Mapping[int, str]] = lambda model: {}
        self.text_sort = z3.DeclareSort("Text")
        self.named = [z3.Const(f"text {number}", self.text_sort) for number in range(len(self.texts))]
        self.others = [z3.Const(f"other text {number}", self.text_sort) for number in range(_OTHERS)]
        self._is_named = z3.Function("named", self.text_sort, z3.BoolSort())
        self.facts = [
            z3.Distinct(*self.named, *self.others),
            *map(self._is_named, self.named),
            *(neg(self._is_named(other)) for other in self.others),
        ]
        self.asked_named: dict[int, tuple[Any, Any]] = {}
        self._numbered: tuple[Any, dict[int, int]] = (None, {})
        self._numbers = count(1)
        self._ids = {text: index for index, text in enumerate(self.texts)}

    def elements(self, kind: Type) -> tuple[str | None, ...]:
        """The elements that a set of this type is told apart by; None stands for every other text."""
        assert kind.elem is not None
        if kind.elem.kind == "enum":
            return tuple(member.name for member in kind.elem.members)
        return (*self.texts, None)

    def sort(self, kind: Type) -> Any:
        """The Z3 sort of a type other than a set."""
        match kind.kind:
            case "Number":
                return z3.RealSort()
            case "Bool" | "None":
                return z3.BoolSort()
            case "Text":
                return self.text_sort
            case "Date" | "Time" | "Duration" | "enum":
                return z3.IntSort()
        raise UnsupportedConstruct(f"values of type {kind}")

    def range(self, kind: Type, value: Any) -> Any:
        """What every value of the type satisfies."""
        low, high = {"Date": (1, LAST_DAY), "Time": (0, 86399), "Duration": (-LONGEST, LONGEST)}.get(
            kind.kind, (0, 0)
        )
        if kind.kind == "enum":
            return z3.And(value >= 0, value < len(kind.members))
        return z3.And(value >= low, value <= high) if low != high else TRUE

    def fresh(self, name: str, kind: Type) -> tuple[Any, Any]:
        """A new value of a type, and its range."""
        label = f"{name}#{next(self._numbers)}"
        if kind.kind == "set":
            return tuple(z3.Bool(f"{label}.{index}") for index in range(len(self.elements(kind)))), TRUE
        value = z3.Const(label, self.sort(kind))
        return value, self.range(kind, value)

    def flag(self, name: str) -> Any:
        return z3.Bool(f"{name}#{next(self._numbers)}")

    def constant(self, value: Value, kind: Type) -> Cell:
        """A constant as a cell."""
        if value is NONE:
            return Cell(kind, FALSE, none=TRUE)
        return Cell(kind, self._constant(value, kind))

    def _constant(self, value: Value, kind: Type) -> Any:
        if isinstance(value, bool):
            return z3.BoolVal(value)
        if isinstance(value, frozenset):
            return tuple(z3.BoolVal(item in value) for item in self.elements(kind))
        if isinstance(value, str):
            if kind.kind == "enum":
                return z3.IntVal([member.name for member in kind.members].index(value))
            return self.named[self._ids[value]]
        if isinstance(value, int | Decimal):
            return z3.RealVal(format(value, "f") if isinstance(value, Decimal) else value)
        return z3.IntVal(ordinal(value))

    # ------------------------------------------------------------ back to values

    def decode(self, model: Any, cell: Cell) -> Value | None:
        """The value of a cell in a model; None if it is unknown.

        Raises:
            Unsupported: the model's value is none of the language (a third).
        """
        if not true_in(model, cell.known) or true_in(model, cell.open):
            return None
        if true_in(model, cell.none):
            return NONE
        if cell.type.kind == "set":
            names = self.elements(cell.type)
            chosen = {
                other_text(0, self.texts) if name is None else name
                for name, bit in zip(names, cell.value, strict=True)
                if true_in(model, bit)
            }
            return frozenset(chosen)
        return self.value(model, cell.value, cell.type)

    def value(self, model: Any, term: Any, kind: Type) -> Value:
        """The value of the language that a term has in a model."""
        if kind.kind == "Text":
            return self._text(model, self.number(model, term))
        expr = model.eval(term, model_completion=True)
        match kind.kind:
            case "Bool":
                return is_true(expr)
            case "Number":
                return _number(expr)
        number = int(expr.as_long())
        match kind.kind:
            case "enum":
                return str(kind.members[number].name)
            case "Date":
                return dt.date.fromordinal(number)
            case "Time":
                return dt.time(number // 3600, number // 60 % 60, number % 60)
            case "Duration":
                return dt.timedelta(seconds=number)
        raise UnsupportedConstruct(f"values of type {kind}")

    def is_named(self, text: Any) -> Any:
        """Whether a text is one that the program names."""
        if text.get_id() not in self.asked_named:
            self.asked_named[text.get_id()] = text, self._is_named(text)
        return self.asked_named[text.get_id()][1]

    def number(self, model: Any, text: Any) -> int:
        """Which text it is in a model: the place of a named one, after these the others."""
        if self._numbered[0] is not model:
            known = (model.eval(one, model_completion=True) for one in (*self.named, *self.others))
            self._numbered = model, {one.get_id(): place for place, one in enumerate(known)}
        value = model.eval(text, model_completion=True)
        place = self._numbered[1].get(value.get_id())
        if place is None:  # Z3 counts the values of a sort
            place = len(self.named) + len(self.others) + int(str(value).rpartition("!")[2])
        return place

    def _text(self, model: Any, number: int) -> str:
        if number < len(self.texts):
            return self.texts[number]
        made = self.made(model)
        return made.get(number) or other_text(number - len(self.texts), (*self.texts, *made.values()))


def text_of(expr: Any) -> str:
    """The text of a Z3 string: ``as_string`` escapes what is not printable ASCII."""
    parts = re.finditer(r"\\u\{([0-9a-fA-F]+)\}|.", expr.as_string(), re.DOTALL)
    return "".join(chr(int(each.group(1), 16)) if each.group(1) else each.group() for each in parts)


def _number(expr: Any) -> int | Decimal:
    ratio = Fraction(expr.numerator_as_long(), expr.denominator_as_long())
    rest = ratio.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        raise UnsupportedConstruct("a number without a finite decimal form")
    places = max(twos, fives)
    scaled = ratio.numerator * 10**places // ratio.denominator
    digits = tuple(map(int, str(abs(scaled))))
    try:
        return normal_number(Decimal((int(scaled < 0), digits, -places)))
    except ValueError:
        raise UnsupportedConstruct("a number of more than 100 digits") from None


def ordinal(value: Value) -> int:
    """A date, time or duration as an integer."""
    if isinstance(value, dt.date):
        return value.toordinal()
    if isinstance(value, dt.time):
        return value.hour * 3600 + value.minute * 60 + value.second
    assert isinstance(value, dt.timedelta)
    if value.microseconds:
        raise UnsupportedConstruct("a duration that is not in whole seconds")
    return value.days * 86400 + value.seconds


def other_text(index: int, taken: Iterable[str]) -> str:
    """A text that the program does not name, for people to read."""
    name = "another text" if index == 0 else f"another text {index + 1}"
    while name in taken:
        name += "'"
    return name


def true_in(model: Any, formula: Any) -> bool:
    """Whether a formula is true in a model."""
    return is_true(model.eval(formula, model_completion=True))
