"""Readable texts in stories: what the solver made up only because some text must stand there is given another form."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from vsalang.program.example import Example, Fact, Part, Turn
from vsalang.program.ir import Program
from vsalang.program.walk import constants

_TRIES: Final = 6
_ODD: Final = re.compile(r"[^\w\s!-~]|\s")
_PLAIN: Final = re.compile(r"[\w!-~]+(?: [\w!-~]+)*")


def readable(story: Example, keeps: Callable[[Example], bool], written: Iterable[str] = ()) -> Example:
    """The story with plain words in place of odd texts, where it stays the same story.

    Odd are control characters, blanks at an end or one after the other, signs alone, and the empty text. Each is
    replaced by words that name its attribute, or by letters of the same length, wherever it stands in the story; one
    that nothing readable can stand for is left.

    Args:
        keeps: whether a changed story is still right: it is run again for each change.
        written: texts of the program, which are what their author wrote, and no filler.
    """
    known = frozenset(written)
    for text, name in _texts(story).items():
        if text in known or not _is_odd(text):
            continue
        taken = set(_texts(story)) | known
        for other in list(_instead(text, name, taken))[:_TRIES]:
            tried = _exchanged(story, text, other)
            if keeps(tried):
                story = tried
                break
    return story


def texts_of(program: Program) -> frozenset[str]:
    """The texts in the rules of a program's own module."""
    rules = [rule for rule in program.rules if rule.module == program.main]
    values = (constant.value for rule in rules for constant in constants((rule.head, rule.body)))
    return frozenset(text for value in values for text in _in_value(value) if text)


def _is_odd(text: str) -> bool:
    return not _PLAIN.fullmatch(text) or not any(char.isalnum() for char in text) or not text.isprintable()


def _instead(text: str, name: str, taken: set[str]) -> Iterator[str]:
    """Texts that may stand for an odd one, the plainest first; none that the story has already."""
    plain = " ".join(re.sub(r"[^\w!-~]+", " ", text).split())
    tries = [f"some {name.replace('_', ' ')}".strip(), plain, _ODD.sub("a", text), "a" * len(text)]
    tries += [f"{tries[0]} {number}" for number in range(2, 5)]
    for tried in dict.fromkeys(tries):
        if tried and tried not in taken and not _is_odd(tried):
            yield tried


def _texts(story: Example) -> dict[str, str]:
    """The texts of a story, each with the attribute in which it stands first; an empty name if it stands in none."""
    found: dict[str, str] = {}
    for turn in story.turns:
        for part in turn.parts:
            for name, value in part.fact.cells.items():
                for text in _in_value(value):
                    found.setdefault(text, name)
        if turn.assumed is not None:
            found.setdefault(turn.assumed[0], "")
    return found


def _in_value(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, frozenset):
        yield from sorted(each for each in value if isinstance(each, str))


def _exchanged(story: Example, old: str, new: str) -> Example:
    def value(cell: Any) -> Any:
        if isinstance(cell, frozenset):
            return frozenset(new if each == old else each for each in cell)
        return new if isinstance(cell, str) and cell == old else cell

    def cells(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value(cell) for name, cell in given.items()}

    def fact(given: Fact) -> Fact:
        return replace(given, cells=cells(given.cells))

    def turn(given: Turn) -> Turn:
        parts = tuple(Part(part.kind, fact(part.fact)) for part in given.parts)
        assumed = given.assumed
        if assumed is not None:
            assumed = (new if assumed[0] == old else assumed[0], assumed[1], assumed[2])
        return replace(given, parts=parts, assumed=assumed)

    return replace(story, turns=tuple(turn(each) for each in story.turns))
