"""Readable values in stories: what the solver made up only because something must stand there gets another form."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from vsalang.program.example import Example, Fact, Part, Today, Turn
from vsalang.program.ir import Program
from vsalang.program.walk import constants

_TRIES: Final = 8
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.,:'&+/@-]*(?: [A-Za-z0-9_.,:'&+/@-]+)*")
_YEARS: Final = range(1900, 2200)


def readable(story: Example, keeps: Callable[[Example], bool], written: Iterable[str] = ()) -> Example:
    """The story with plain values in place of odd ones, where it stays the same story.

    Odd are texts of signs, control characters or blanks, empty texts, and days of other centuries. Each text is
    replaced by words that name its attribute, or by letters of the same length, and each day by one near the day of
    the instruction, wherever it stands in the story; one that nothing readable can stand for is left.

    Args:
        keeps: whether a changed story is still right: it is run again for each change.
        written: texts of the program, which are what their author wrote, and no filler.
    """
    known = frozenset(written)
    for value, name in _values(story).items():
        for other in _instead(value, name, {*_values(story), *known}) if value not in known else ():
            tried = _exchanged(story, value, other)
            if keeps(tried):
                story = tried
                break
    return story


def texts_of(program: Program) -> frozenset[str]:
    """The texts in the rules of a program's own module."""
    rules = [rule for rule in program.rules if rule.module == program.main]
    values = (constant.value for rule in rules for constant in constants((rule.head, rule.body)))
    return frozenset(text for value in values for text in _in_value(value) if text)


def _instead(value: Any, name: str, taken: set[Any]) -> list[Any]:
    """What may stand for an odd value, the plainest first; none that the story has already. Nothing for a plain one."""
    if isinstance(value, str):
        return [] if _PLAIN.fullmatch(value) else list(_texts_instead(value, name, taken))[:_TRIES]
    near = [Today(days) for days in (-1, 1, -7, 7)]
    return [] if value.year in _YEARS else [day for day in near if day not in taken]


def _texts_instead(text: str, name: str, taken: set[Any]) -> Iterator[str]:
    words = f"some {name.replace('_', ' ')}".strip()
    plain = " ".join(re.sub(r"[^A-Za-z0-9]+", " ", text).split())
    letters = re.sub(r"[^A-Za-z0-9]", "a", text)
    tries = [words, plain, letters, letters.upper(), "a" * len(text), "A" * len(text), "1" * len(text)]
    for tried in dict.fromkeys([*tries, *(f"{words} {number}" for number in (2, 3))]):
        if tried not in taken and _PLAIN.fullmatch(tried):
            yield tried


def _values(story: Example) -> dict[Any, str]:
    """The texts and days of a story, each with the attribute in which it stands first; empty if it stands in none."""
    names: dict[Any, str] = {}
    for turn in story.turns:
        for part in turn.parts:
            for name, value in part.fact.cells.items():
                for each in _in_value(value):
                    names.setdefault(each, name)
                if isinstance(value, dt.date):
                    names.setdefault(value, name)
        if turn.assumed is not None:
            names.setdefault(turn.assumed[0], "")
    return names


def _in_value(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, frozenset):
        yield from sorted(each for each in value if isinstance(each, str))


def _exchanged(story: Example, old: Any, new: Any) -> Example:
    def value(cell: Any) -> Any:
        if isinstance(cell, frozenset):
            return frozenset(new if each == old else each for each in cell)
        return new if type(cell) is type(old) and cell == old else cell

    def cells(old_one: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value(cell) for name, cell in old_one.items()}

    def fact(old_one: Fact) -> Fact:
        return replace(old_one, cells=cells(old_one.cells))

    def turn(old_one: Turn) -> Turn:
        parts = tuple(Part(part.kind, fact(part.fact)) for part in old_one.parts)
        assumed = old_one.assumed
        if assumed is not None:
            assumed = (new if assumed[0] == old else assumed[0], assumed[1], assumed[2])
        return replace(old_one, parts=parts, assumed=assumed)

    return replace(story, turns=tuple(turn(each) for each in story.turns))
