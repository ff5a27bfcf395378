"""Parses JSON with places: every value and key has a span, and duplicate keys are kept."""

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

from vsalang.base.diagnostics import error
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.language.notations.into.imported import ImportFailed

DEEPEST = 64
"""Values nested deeper are refused; no schema is."""

_BLANKS = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON value with its place. `value` is a text, a number's text in a `Number`, True, False, None, or parts."""

    value: "JsonValue"
    span: Span

    @property
    def kind(self) -> str:
        """The kind of value, for a message."""
        match self.value:
            case str():
                return "a text"
            case Number():
                return "a number"
            case bool():
                return "true" if self.value else "false"
            case None:
                return "null"
            case Members():
                return "an object"
            case _:
                return "a list"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class Members:
    """The members of an object in order, repeated keys included."""

    pairs: tuple[tuple[Json, Json], ...]

    def __iter__(self) -> Iterator[tuple[str, Json, Json]]:
        for key, value in self.pairs:
            assert isinstance(key.value, str)
            yield key.value, key, value

    def get(self, name: str) -> Json | None:
        """The value of a key; the last one if it is repeated."""
        return next((value for key, _, value in reversed(tuple(self)) if key == name), None)


JsonValue: TypeAlias = str | Number | bool | Members | tuple[Json, ...] | None


def load(source: Source) -> Json:
    """Parse a JSON text.

    Raises:
        ImportFailed: it is not JSON (``E0010``).
    """
    text = source.text
    try:
        json.loads(text)  # the parser of the standard library decides what is JSON, and gives the errors
    except json.JSONDecodeError as problem:
        # newer versions of the standard library mark the comma, older ones the text after it
        message = problem.msg[:1].lower() + problem.msg[1:]
        at = min(problem.pos, max(0, len(text) - 1)) if text.strip() else 0
        hint = "the file is empty" if not text.strip() else "JSON is expected: see `vsac explain E0010`"
        raise _failed(source, at, f"not JSON: {message}", hint) from problem
    except RecursionError as problem:
        raise _failed(source, 0, "the values are nested too deeply", "is this a state schema?") from problem
    except ValueError as problem:  # an integer of thousands of digits
        raise _failed(source, 0, "a number is too long", "no schema needs numbers") from problem
    value, _ = _value(source, _skip(text, 0), 1)
    return value


def _value(source: Source, at: int, depth: int) -> tuple[Json, int]:
    """The value at an offset of a text that is JSON, and the offset after it."""
    text = source.text
    if depth > DEEPEST:
        raise _failed(source, at, "the values are nested too deeply", "is this a state schema?")
    char = text[at]
    if char == '"':
        end = at + 1
        while text[end] != '"':
            end += 2 if text[end] == "\\" else 1
        end += 1
        content = json.loads(text[at:end])
        if any("\ud800" <= c <= "\udfff" for c in content):
            raise _failed(
                source,
                at,
                "a text holds half a surrogate pair",
                r"write the character itself, or both \u escapes",
            )
        return Json(content, Span(source.file, at, end)), end
    if char == "{":
        return _object(source, at, depth)
    if char == "[":
        return _list(source, at, depth)
    for word, constant in _WORDS.items():
        if text.startswith(word, at):
            return Json(constant, Span(source.file, at, at + len(word))), at + len(word)
    number = _NUMBER.match(text, at)
    if number is None:  # NaN and Infinity, which Python's parser accepts
        raise _failed(source, at, "not JSON: no value starts like this", "JSON has neither NaN nor Infinity")
    return Json(Number(number[0]), Span(source.file, at, number.end())), number.end()


def _object(source: Source, start: int, depth: int) -> tuple[Json, int]:
    pairs: list[tuple[Json, Json]] = []
    at = _skip(source.text, start + 1)
    while source.text[at] != "}":
        key, at = _value(source, at, depth)
        at = _skip(source.text, _skip(source.text, at) + 1)  # the colon
        value, at = _value(source, at, depth + 1)
        pairs.append((key, value))
        at = _comma(source.text, at)
    return Json(Members(tuple(pairs)), Span(source.file, start, at + 1)), at + 1


def _list(source: Source, start: int, depth: int) -> tuple[Json, int]:
    items: list[Json] = []
    at = _skip(source.text, start + 1)
    while source.text[at] != "]":
        item, at = _value(source, at, depth + 1)
        items.append(item)
        at = _comma(source.text, at)
    return Json(tuple(items), Span(source.file, start, at + 1)), at + 1


def _comma(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    assert blanks is not None
    return blanks.end()


def _failed(source: Source, at: int, message: str, hint: str) -> ImportFailed:
    span = Span(source.file, at, min(at + 1, len(source.text)))
    return ImportFailed([error("E0010", span, message, label="here", help=hint)])
