"""Texts that a screen may show: such as fit a pattern, and such as a reader reads as a given value."""

import datetime as dt
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]
from typing import Any

from vsalang.program.ir import Const, Fn, Regex, Term, TextPattern, Type, Words
from vsalang.program.matchers import compiled
from vsalang.program.pattern_words import is_word
from vsalang.program.values import Value, show

_MOST = 60
_ORDINARY = "\n\r\t"
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdecimal,
    sre.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    sre.CATEGORY_WORD: is_word,
    sre.CATEGORY_NOT_WORD: lambda char: not is_word(char),
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
}
_PRINTABLE = "a1A-. _" + "".join(map(chr, range(33, 127)))


def fitting(term: TextPattern, captured: Mapping[str, str]) -> Iterator[str]:
    """Some texts in which a pattern matches, the shortest ones first, or some words of a list; none where the pattern
    is not understood.

    Args:
        captured: what named groups are to capture.
    """
    pattern = compiled(term)
    if isinstance(term, Words):
        yield from (form for form in islice(term.forms, _MOST) if pattern.matches(form))
    if not isinstance(term, Regex):
        return
    source = re.sub(r"\(\?<([A-Za-z_]\w*)>", r"(?P<\1>", term.source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = sre_parse.parse(source)
    except (re.error, OverflowError, RecursionError):
        return
    names = {number: name for name, number in tree.state.groupdict.items()}
    for text in islice(_sequence(list(tree), names, captured), _MOST):
        groups = pattern.search(text)
        if groups is not None and all(groups.get(name) == value for name, value in captured.items()):
            yield text


def _sequence(items: list[Any], names: Mapping[int, str], captured: Mapping[str, str]) -> Iterator[str]:
    parts = [list(islice(_one(kind, argument, names, captured), _MOST)) for kind, argument in items]
    return ("".join(chosen) for chosen in product(*parts))


def _one(kind: Any, argument: Any, names: Mapping[int, str], captured: Mapping[str, str]) -> Iterator[str]:
    """Texts for one item of a pattern."""
    if kind is sre.LITERAL:
        yield chr(argument)
    elif kind is sre.NOT_LITERAL:
        yield next(char for char in _PRINTABLE if ord(char) != argument)
    elif kind is sre.ANY:
        yield "a"
    elif kind is sre.AT:
        yield ""
    elif kind is sre.IN:
        yield from (char for char in [*_PRINTABLE, *_named(argument)] if _in(char, argument))
    elif kind is sre.BRANCH:
        for branch in argument[1]:
            yield from _sequence(list(branch), names, captured)
    elif kind is sre.SUBPATTERN:
        name = names.get(argument[0], "")
        if name in captured:
            yield captured[name]
        else:
            yield from _sequence(list(argument[3]), names, captured)
    elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, _, repeated = argument
        yield from _sequence(list(repeated) * least, names, captured)


def _named(items: list[Any]) -> Iterator[str]:
    """The characters that a class names."""
    for kind, argument in items:
        if kind is sre.LITERAL:
            yield chr(argument)
        elif kind is sre.RANGE:
            yield chr(argument[0])


def _in(char: str, items: list[Any]) -> bool:
    negated = items[0][0] is sre.NEGATE
    inside = any(
        (kind is sre.LITERAL and ord(char) == argument)
        or (kind is sre.RANGE and argument[0] <= ord(char) <= argument[1])
        or (kind is sre.CATEGORY and argument in _CATEGORIES and _CATEGORIES[argument](char))
        for kind, argument in items
    )
    return inside != negated and char not in _ORDINARY


def read_as(fn: Fn, value: Value) -> Iterator[Value]:
    """What a function of one value may be applied to so that it gives the value; the caller checks whether it does."""
    if fn.name == "flip" and isinstance(value, bool):
        yield not value
    elif fn.name == "neg" and isinstance(value, int) and not isinstance(value, bool):
        yield -value
    elif isinstance(value, bool):
        yield from ("on", "yes", "true", "ON", "TRUE") if value else ("off", "no", "false", "OFF", "FALSE")
    elif isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        yield from (show(value), f"{minutes}:{seconds:02}", f"{minutes // 60}:{minutes % 60:02}:{seconds:02}")
    elif isinstance(value, frozenset):
        yield ", ".join(sorted(value))
    else:
        text = show(value, bare=True)
        yield text
        mark = next((arg.value for arg in fn.args[1:] if isinstance(arg, Const)), None)
        if mark == ",":
            yield text.replace(".", ",")
        if isinstance(value, dt.date):
            yield from (value.strftime("%d/%m/%Y"), value.strftime("%m/%d/%Y"))


def values_of(type_: Type, near: list[Value], today: dt.date) -> list[Value]:
    """Some values of a type: those that are named, those next to them, and an ordinary one."""
    values: list[Value] = [value for value in near if _fits(type_, value)]
    for value in list(values):
        values += _neighbours(value)
    values += _ordinary(type_, today)
    return list(dict.fromkeys(values))


def _fits(type_: Type, value: Value) -> bool:
    kinds: dict[str, tuple[type, ...]] = {
        "Text": (str,),
        "enum": (str,),
        "Date": (dt.date,),
        "Time": (dt.time,),
        "Duration": (dt.timedelta,),
        "set": (frozenset,),
        "Bool": (bool,),
    }
    if type_.kind in kinds:
        return isinstance(value, kinds[type_.kind])
    return not isinstance(value, bool | str | dt.date | dt.time | dt.timedelta | frozenset)


def _neighbours(value: Value) -> list[Value]:
    if isinstance(value, dt.time):
        minutes = value.hour * 60 + value.minute
        return [dt.time(*divmod(other, 60)) for other in (minutes - 15, minutes + 15) if 0 <= other < 1440]
    if isinstance(value, dt.date):
        return [value - dt.timedelta(days=1), value + dt.timedelta(days=1)]
    if isinstance(value, dt.timedelta):
        return [value + dt.timedelta(minutes=1), value - dt.timedelta(minutes=1)]
    if isinstance(value, str):
        return [f"{value} too"]
    if isinstance(value, frozenset | bool) or not isinstance(value, int):
        return []
    return [value - 1, value + 1]


def _ordinary(type_: Type, today: dt.date) -> list[Value]:
    match type_.kind:
        case "Text":
            return ["text"]
        case "enum":
            return [member.name for member in type_.members]
        case "set":
            return [frozenset(m.name for m in type_.elem.members[:1]) if type_.elem else frozenset()]
        case "Bool":
            return [True, False]
        case "Date":
            return [today]
        case "Time":
            return [dt.time(12)]
        case "Duration":
            return [dt.timedelta(minutes=5)]
        case _:
            return [1, 2]


def named_values(terms: list[Term | None]) -> list[Value]:
    """The constants among terms, those in braces too."""
    from vsalang.program.walk import constants

    return [part.value for term in terms if term is not None for part in constants(term)]
