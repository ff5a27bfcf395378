"""Operators and term functions of the language over values: one table each, for checker, engines, solver and
feedback.

An operator holds or does not; there is no third answer and no error. What is unknown or undefined (None), or
of a type that the operator does not take, makes an operator false and its negation false too.
"""

import datetime as dt
import decimal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

from vsalang.base.records import dataclass
from vsalang.program import languages, readers
from vsalang.program.naming import names
from vsalang.program.patterns import Matcher
from vsalang.program.said import says
from vsalang.program.similarity import DEFAULT, Similarity, similar
from vsalang.program.text import fold_case, lower, one_line
from vsalang.program.values import NONE, Value, tag

Operand: TypeAlias = Value | Matcher | Iterable[Value | None] | None
"""The right side of an operator: a value, for ``in`` the values of the braces, for ``matches`` a pattern or a list, for
``names`` a name."""

# ---- operators -----------------------------------------------------------------------------------

ORDERED: Final = frozenset({"number", "date", "time", "duration"})
SCALARS: Final = ORDERED | {"text", "bool"}
ALL: Final = SCALARS | {"set"}

_Test: TypeAlias = Callable[[Operand, Operand, Operand, Similarity], bool | None]


@dataclass(frozen=True, slots=True)
class Operator:
    """A comparison of the language.

    Attributes:
        symbol: as it is written.
        negation: the symbol of the operator that holds for the same known operands where this one does not.
        types: the tags (`vsalang.program.values.tag`) of what may be on the left; an enum member is a text
            here, and the checker restricts text operators to Text.
        range_types: the types for which the right side may be a range ``lo..hi``.
        test: whether it holds, or None where that is undefined.
    """

    symbol: str
    negation: str
    types: frozenset[str]
    range_types: frozenset[str] = frozenset()
    test: _Test = field(repr=False, compare=False, kw_only=True)


_PLAIN: Final = frozenset({str, bool, int, dt.date, dt.time, dt.timedelta, frozenset})
"""Classes whose objects are all values of one type of the language."""


def _equal(left: Operand, right: Operand) -> bool | None:
    """Whether two values are the same; undefined for values of different types. `none` equals only itself."""
    if left.__class__ is right.__class__ and left.__class__ in _PLAIN:
        return left == right
    if left is None or right is None or isinstance(left, Matcher) or isinstance(right, Matcher):
        return None
    if left is NONE or right is NONE:
        return left is right
    kind = _kind(left)
    if kind == "" or kind != _kind(right):
        return None
    return bool(left == right)


def _kind(value: Operand) -> str:
    """The tag of a value; empty for what is not a value of the language."""
    if isinstance(value, dt.datetime) or (isinstance(value, Decimal) and not value.is_finite()):
        return ""
    if isinstance(value, str | int | Decimal | dt.date | dt.time | dt.timedelta | frozenset):
        return tag(value)
    return ""


def _order(left: Operand, right: Operand) -> int | None:
    """-1, 0 or 1: left is before, the same as or after right. Undefined for different types or no order."""
    kind = _kind(left)
    if kind not in ORDERED or kind != _kind(right):
        return None
    try:
        if left < right:  # type: ignore[operator]
            return -1
        return 1 if left > right else 0  # type: ignore[operator]
    except TypeError:  # a time with a zone is not a value of the language
        return None


def _less(left: Operand, right: Operand, hi: Operand, similarity: Similarity) -> bool | None:
    order = _order(left, right)
    return None if order is None else order < 0


def _at_most(left: Operand, right: Operand, hi: Operand, similarity: Similarity) -> bool | None:
    order = _order(left, right)
    return None if order is None else order <= 0


def _among(left: Operand, right: Operand, hi: Operand) -> bool | None:
    """``in``: one of the values in braces (any iterable of values), or within lo..hi where `hi` is given."""
    if left is None or isinstance(left, frozenset):
        return None
    if hi is not None:
        low, high = _order(left, right), _order(left, hi)
        if low is None or high is None:
            return None
        return low >= 0 and high <= 0
    if not isinstance(right, tuple | list | set | frozenset):
        return None
    answers = [_equal(left, item) for item in right]
    if True in answers:
        return True
    return None if None in answers else False


def _has(left: Operand, right: Operand) -> bool | None:
    if not isinstance(right, str):
        return None
    if isinstance(left, str):
        return fold_case(right) in fold_case(left)
    if isinstance(left, frozenset):
        return right in left
    return None


def _subset(left: Operand, right: Operand) -> bool | None:
    return left <= right if isinstance(left, frozenset) and isinstance(right, frozenset) else None


def _matches(left: Operand, right: Operand) -> bool | None:
    return right.matches(left) if isinstance(left, str) and isinstance(right, Matcher) else None


def _names(left: Operand, right: Operand) -> bool | None:
    if not isinstance(left, str):
        return None
    return names(left, right) if isinstance(right, str) else _matches(left, right)


def _similar(left: Operand, right: Operand, similarity: Similarity) -> bool | None:
    return similar(similarity, left, right) if isinstance(left, str) and isinstance(right, str) else None


def _pair(symbols: str, types: frozenset[str], test: _Test) -> tuple[Operator, Operator]:
    """An operator and its negation, undefined at the same places; ``|`` parts their symbols."""
    symbol, negation = symbols.split("|")
    ranges = ORDERED if symbol == "in" else frozenset[str]()

    def negated(left: Operand, right: Operand, hi: Operand, similarity: Similarity) -> bool | None:
        answer = test(left, right, hi, similarity)
        return None if answer is None else not answer

    return (
        Operator(symbol, negation, types, ranges, test=test),
        Operator(negation, symbol, types, ranges, test=negated),
    )


_TEXT: Final = frozenset({"text"})
_SET: Final = frozenset({"set"})
_LARGER: Final = _TEXT | _SET

OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType(
    {
        operator.symbol: operator
        for pair in (
            _pair("=|!=", ALL, lambda a, b, hi, s: _equal(a, b)),
            _pair("<|>=", ORDERED, _less),
            _pair("<=|>", ORDERED, _at_most),
            _pair("in|not in", SCALARS, lambda a, b, hi, s: _among(a, b, hi)),
            _pair("contains|not contains", _LARGER, lambda a, b, hi, s: _has(a, b)),
            _pair("subset|not subset", _SET, lambda a, b, hi, s: _subset(a, b)),
            _pair("matches|not matches", _TEXT, lambda a, b, hi, s: _matches(a, b)),
            _pair("names|not names", _TEXT, lambda a, b, hi, s: _names(a, b)),
            _pair("~=|!~=", _TEXT, lambda a, b, hi, s: _similar(a, b, s)),
            _pair("known|unknown", ALL, lambda a, b, hi, s: a is not None),
        )
        for operator in pair
    }
)  # fmt: skip
"""Every operator by its symbol."""

POSITIVE: Final[Mapping[str, str]] = MappingProxyType(
    {negative: symbol for symbol, negative in zip(list(OPERATORS)[::2], list(OPERATORS)[1::2], strict=True)}
)
"""For each operator that denies another one that other's symbol."""

ASKING: Final = ("~=", "!~=")
"""The operators that a backend decides (`vsalang.program.similarity`): its answer may differ from one time to the
next."""

WORDS: Final = tuple(dict.fromkeys(word for symbol in OPERATORS for word in symbol.split() if word.isalpha()))
"""The words in symbols."""

DEFAULT_SIMILARITY: Final = DEFAULT
"""Who answers ``~=`` where nobody is asked."""


def holds(
    op: str, left: Operand, right: Operand = None, hi: Operand = None, *, similarity: Similarity | None = None
) -> bool:
    """Whether ``left op right`` holds. Texts are compared as they are: canonical
    (`vsalang.program.text.canonical`).

    Args:
        op: a symbol of `OPERATORS`.
        left: the value of the cell or variable; None if it is unknown.
        right: the other side: a value; for ``in {..}`` a tuple of values; for ``in lo..hi`` the lower end;
            for ``matches`` a `Matcher`; ignored by ``known`` and ``unknown``. (Python's sets do not distinguish
            ``True`` from 1: give the values of braces as a tuple where both may occur.)
        hi: the upper end of a range, included. A range with an unknown end contains nothing.
        similarity: who answers ``~=``; the deterministic default if none is given.

    Raises:
        KeyError: if there is no such operator.
    """
    return OPERATORS[op].test(left, right, hi, similarity or DEFAULT_SIMILARITY) is True


# ---- functions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Environment:
    """What functions read in addition to their arguments.

    Attributes:
        today: the device's day, None if it is not known.
        members: for `member`, `members`: each member of the enum expected there with its other spellings.
    """

    today: dt.date | None = None
    members: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """Types of arguments and of the result.

    The names are those of the language (Text, Number, Bool, Date, Time, Duration, Weekday), and: ``enum``
    and ``set`` for the enum expected there and a set of its members, ``Mark`` for one of the constants
    ``","`` and ``"."``, ``Order`` for one of the words dmy and mdy.
    """

    arguments: tuple[str, ...]
    result: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function that terms may call. All are partial: the result is None where it is undefined.

    Attributes:
        name: as it is written; ``neg`` is the minus before a term.
        signatures: every combination of types it takes.
        doc: one line for people.
    """

    name: str
    signatures: tuple[Signature, ...]
    doc: str
    apply: Callable[[tuple[Value, ...], Environment], Value | None] = field(repr=False, compare=False)

    @property
    def arity(self) -> tuple[int, int]:
        """The least and the greatest number of arguments."""
        counts = [len(signature.arguments) for signature in self.signatures]
        return min(counts), max(counts)


WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""The members of the enum `Weekday`, in order."""

MOST_DIGITS: Final = 100
"""Numbers with more digits before or after the point than this are undefined as results and arguments."""

_EXACT: Final = decimal.Context(prec=4 * MOST_DIGITS, Emax=10_000, Emin=-10_000, traps=[])
_MOST_BITS: Final = (10**MOST_DIGITS).bit_length()


def _decimal(value: int | Decimal) -> Decimal | None:
    """The number if it is small enough to be reckoned with exactly."""
    if isinstance(value, int):
        return Decimal(value) if value.bit_length() <= _MOST_BITS else None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -MOST_DIGITS or value.adjusted() >= MOST_DIGITS:
        return None
    return value


def exact(value: Decimal) -> int | Decimal | None:
    """The one representation of a number (`vsalang.program.values.normal_number`), without rounding.

    None for NaN, infinities and numbers of more than `MOST_DIGITS` digits before or after the point. Zeros
    at the end do not count as digits after the point.
    """
    if not value.is_finite():
        return None
    if not value:
        return 0
    if value.adjusted() >= MOST_DIGITS or len(value.as_tuple().digits) > _EXACT.prec:
        return None
    value = _EXACT.normalize(value)
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -MOST_DIGITS:
        return None
    return int(value) if exponent >= 0 else value


def is_number(value: object) -> bool:
    """Whether a value is a Number of the language: never a Bool."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _seconds(value: dt.timedelta) -> int | None:
    return None if value.microseconds else value.days * 86400 + value.seconds


def _of_day(value: dt.time) -> int | None:
    """Seconds since midnight."""
    if value.microsecond or value.tzinfo is not None:
        return None
    return value.hour * 3600 + value.minute * 60 + value.second


def _is_date(value: Value) -> bool:
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)


def _add(left: Value, right: Value, sign: int) -> Value | None:
    """Sum (`sign` 1) or difference (`sign` -1) for all types that have one."""
    if is_number(left) and is_number(right):
        one, other = _decimal(left), _decimal(right)  # type: ignore[arg-type]
        if one is None or other is None:
            return None
        return exact(_EXACT.add(one, other) if sign > 0 else _EXACT.subtract(one, other))
    if isinstance(right, dt.timedelta):
        if isinstance(left, dt.timedelta):
            return left + sign * right
        if isinstance(left, dt.time):
            start, length = _of_day(left), _seconds(right)
            if start is None or length is None:
                return None
            end = start + sign * length
            return dt.time(end // 3600, end // 60 % 60, end % 60) if 0 <= end < 86400 else None
        if _is_date(left) and not right.seconds and not right.microseconds:
            return left + sign * right  # type: ignore[operator]
        return None
    if sign < 0 and isinstance(left, dt.time) and isinstance(right, dt.time):
        one_of_day, other_of_day = _of_day(left), _of_day(right)
        if one_of_day is None or other_of_day is None:
            return None
        return dt.timedelta(seconds=one_of_day - other_of_day)
    if sign < 0 and _is_date(left) and _is_date(right):
        return left - right  # type: ignore[operator]
    return None


def _times(left: Value, right: Value) -> Value | None:
    if isinstance(left, dt.timedelta) and is_number(right):
        left, right = right, left
    if not is_number(left):
        return None
    one = _decimal(left)  # type: ignore[arg-type]
    if isinstance(right, dt.timedelta):
        length = _seconds(right)
        other = None if length is None else Decimal(length)
    else:
        other = _decimal(right) if is_number(right) else None  # type: ignore[arg-type]
    if one is None or other is None:
        return None
    product = exact(_EXACT.multiply(one, other))
    if not isinstance(right, dt.timedelta):
        return product
    return dt.timedelta(seconds=product) if isinstance(product, int) else None


def _negated(arguments: tuple[Value, ...], env: Environment) -> Value | None:
    return _add(0, arguments[0], -1) if is_number(arguments[0]) else None


_Argument = TypeVar("_Argument")


def _on(kind: type[_Argument], function: Callable[[_Argument], Value | None]) -> Callable[..., Value | None]:
    """`function` for one argument of the given type; undefined for others (a Bool is not a Number)."""

    def apply(arguments: tuple[Value, ...], env: Environment) -> Value | None:
        value = arguments[0]
        return function(value) if isinstance(value, kind) and not isinstance(value, dt.datetime) else None

    return apply


def _infix(function: Callable[[Value, Value], Value | None]) -> Callable[..., Value | None]:
    return lambda arguments, env: function(*arguments)


def _number(arguments: tuple[Value, ...], env: Environment) -> Value | None:
    text, mark = arguments if len(arguments) == 2 else (arguments[0], None)
    if not isinstance(text, str) or not isinstance(mark, str | None):
        return None
    return readers.number(text, mark)


def _date(arguments: tuple[Value, ...], env: Environment) -> Value | None:
    text, how = arguments if len(arguments) == 2 else (arguments[0], "")
    return languages.date(text, how, env.today) if isinstance(text, str) and isinstance(how, str) else None


def _says_it(arguments: tuple[Value, ...], env: Environment) -> Value | None:
    text, part = arguments
    return says(text, part) if isinstance(text, str) and isinstance(part, str) else None


def _member(arguments: tuple[Value, ...], env: Environment) -> Value | None:
    text = arguments[0]
    return readers.member(text, env.members) if isinstance(text, str) and env.members is not None else None


def _members(arguments: tuple[Value, ...], env: Environment) -> Value | None:
    text = arguments[0]
    return readers.members(text, env.members) if isinstance(text, str) and env.members is not None else None


def _signatures(*shapes: str) -> tuple[Signature, ...]:
    """Signatures written as ``"Date Duration > Date"``."""
    pairs = (shape.split(" > ") for shape in shapes)
    return tuple(Signature(tuple(arguments.split()), result) for arguments, result in pairs)


_SUMS: Final = (
    "Number Number > Number",
    "Duration Duration > Duration",
    "Date Duration > Date",
    "Time Duration > Time",
)

_DISTANCES: Final = ("Date Date > Duration", "Time Time > Duration")
_PRODUCTS: Final = (
    "Number Number > Number",
    "Duration Number > Duration",
    "Number Duration > Duration",
)


def _weekday(day: dt.date) -> str:
    return WEEKDAYS[day.weekday()]


_MADE: Final = (
    Function(
        "time",
        _signatures("Text > Time", "Text Language > Time"),
        "the time of day that the text writes",
        languages.spoken(readers.time),
    ),
    Function("date", _signatures("Text > Date", "Text Order > Date"), "the date that the text writes", _date),
    Function(
        "number", _signatures("Text > Number", "Text Mark > Number"), "the one number in the text", _number
    ),
    Function(
        "duration",
        _signatures("Text > Duration", "Text Language > Duration"),
        "the duration written",
        languages.spoken(readers.duration),
    ),
    Function(
        "bool",
        _signatures("Text > Bool", "Text Language > Bool"),
        "true/false, on/off, yes/no",
        languages.spoken(readers.boolean),
    ),
    Function(
        "currency", _signatures("Text > Text"), "the currency of the number", _on(str, readers.currency)
    ),
    Function("member", _signatures("Text > enum"), "the member that the text spells", _member),
    Function("members", _signatures("Text > set"), "the members that occur in the text as words", _members),
    Function("flip", _signatures("Bool > Bool"), "the other truth value", _on(bool, lambda value: not value)),
    Function("lower", _signatures("Text > Text"), "the text in lower case", _on(str, lower)),
    Function("line", _signatures("Text > Text"), "the text on one line", _on(str, one_line)),
    Function(
        "says", _signatures("Text Text > Bool"), "whether the first text says the other, as a whole", _says_it
    ),
    Function(
        "month", _signatures("Date > Number"), "the month, 1 to 12", _on(dt.date, lambda day: day.month)
    ),
    Function("day", _signatures("Date > Number"), "the day of the month", _on(dt.date, lambda day: day.day)),
    Function("weekday", _signatures("Date > Weekday"), "the day of the week", _on(dt.date, _weekday)),
    Function("+", _signatures(*_SUMS), "sum", _infix(partial(_add, sign=1))),
    Function("-", _signatures(*_SUMS, *_DISTANCES), "difference", _infix(partial(_add, sign=-1))),
    Function("*", _signatures(*_PRODUCTS), "product", _infix(_times)),
    Function("neg", _signatures("Number > Number"), "the number with the other sign", _negated),
)

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType({function.name: function for function in _MADE})
"""Every function by its name."""

_NOWHERE: Final = Environment()


def call(name: str, args: Iterable[Value | None], env: Environment = _NOWHERE) -> Value | None:
    """The value of a function, None where it is undefined: an argument unknown, ``none`` or of another type,
    a text that cannot be read, a time past midnight, a number too long to be exact.

    Raises:
        KeyError: if there is no such function.
    """
    function = FUNCTIONS[name]
    arguments: list[Value] = []
    for argument in args:
        if argument is None or argument is NONE:
            return None
        arguments.append(argument)
    least, greatest = function.arity
    if not least <= len(arguments) <= greatest:
        return None
    try:
        return function.apply(tuple(arguments), env)
    except OverflowError:  # beyond the years 1 to 9999, or a timedelta's greatest
        return None
