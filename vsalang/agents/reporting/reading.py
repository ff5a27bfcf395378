"""Reads JSON of peers that are not trusted: bounded in size, depth and texts, and values by the types declared."""

import datetime as dt
import json
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from vsalang.agents.reporting.errors import MessageRefused
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.program import dates, readers
from vsalang.program.ir import Type
from vsalang.program.text import canonical, safe
from vsalang.program.typed import typed
from vsalang.program.values import MOST_DIGITS, Value, normal_number

MAX_BYTES: Final = 256 * 1024
"""A message of more bytes is refused."""
MAX_DEPTH: Final = 10
"""A message whose lists and objects are nested deeper is refused."""
MAX_TEXT: Final = 10_000
"""A text of more characters is refused."""
MAX_ITEMS: Final = 1_000
"""A message with more updates and rows is refused."""

# a text that does not end is one text, to the end: not one from each of its quotation marks
_OPEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_BAD: Final = frozenset({"Cc", "Cs"})

EXAMPLES: Final = {
    "Text": '"Milan"',
    "Number": '7, or {"number": "4.50"}',
    "Bool": "true",
    "Date": '"2026-04-01"',
    "Time": '"19:05"',
    "Duration": '"90min"',
}
"""How a value of each type is written, for messages."""


def read_object(data: bytes | str) -> dict[str, Any]:
    """The JSON object of a message.

    Raises:
        Refused: it is too large, too deep, no JSON, no object, or has a key twice.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > MAX_BYTES:
        raise MessageRefused("too_large", f"a message has at most {MAX_BYTES} bytes")
    depth = 0
    for match in _OPEN.finditer(raw):
        token = match.group()[:1]
        depth += (token in b"[{") - (token in b"]}") if token != b'"' else 0
        if depth > MAX_DEPTH:
            raise MessageRefused("malformed", f"lists and objects are nested at most {MAX_DEPTH} deep")
    try:
        read = json.loads(
            raw.decode("utf-8"),
            parse_float=_decimal,
            parse_int=_integer,
            parse_constant=no_constant,
            object_pairs_hook=object_once,
        )
    except MessageRefused:
        raise
    except UnicodeDecodeError as error:
        raise MessageRefused("malformed", "the message is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise MessageRefused("malformed", f"the message is not JSON: {safe(str(error), 120)}") from error
    if not isinstance(read, dict):
        raise MessageRefused("malformed", "the message is not a JSON object")
    return read


def _decimal(text: str) -> int | Decimal:
    if len(text) > MOST_DIGITS + 10:
        raise ValueError("a number has at most 100 digits")
    try:
        return normal_number(Decimal(text))
    except InvalidOperation as error:
        raise ValueError("an invalid number") from error


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("a number has at most 100 digits")
    return int(text)


# ---------------------------------------------------------------- members of a message


def member(data: dict[str, Any], name: str, kind: type, default: Any = ..., where: str = "") -> Any:
    """A member of a message, of a kind.

    Raises:
        Refused: it is missing and there is no default, or it is of another kind.
    """
    place = f"{where}.{name}" if where else name
    if name not in data:
        if default is ...:
            raise MessageRefused("malformed", f"`{name}` is missing", place)
        return default
    value: Any = data[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        words = {
            str: "a text",
            dict: "an object",
            list: "a list",
            bool: "true or false",
            int: "a whole number",
        }
        raise MessageRefused("malformed", f"`{name}` is {words[kind]}, not {_kind(value)}", place)
    if isinstance(value, str):
        clean(value, place)
    return value


def only(data: dict[str, Any], names: frozenset[str], where: str = "") -> None:
    """Refuse members that have no meaning: a misspelt one must not be lost.

    Raises:
        Refused: there is one.
    """
    for name in data:
        if name not in names:
            from vsalang.base.source.suggest import did_you_mean

            hint = did_you_mean(name, sorted(names))
            raise MessageRefused(
                "malformed", f"{safe(name)} means nothing here" + (f"; {hint}" if hint else ""), where
            )


def clean(text: str, where: str) -> str:
    """The text in its one form.

    Raises:
        Refused: it is too long, or holds control characters or half characters, which no screen shows.
    """
    if len(text) > MAX_TEXT:
        raise MessageRefused("too_large", f"a text has at most {MAX_TEXT} characters", where)
    for char in text:
        bad = char not in "\t\n\r" if char < " " else char >= "\x7f" and unicodedata.category(char) in _BAD
        if bad:
            raise MessageRefused("malformed", f"the text holds the control character {safe(char)}", where)
    return canonical(text)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return f"the text {safe(value, 40)}"
    if isinstance(value, int | Decimal):
        return f"the number {safe(str(value), 40)[1:-1]}"
    return "a list" if isinstance(value, list) else "an object"


# ---------------------------------------------------------------- values


def read_value(value: object, type_: Type, attr: str, where: str) -> Value | None:
    """The value of an attribute: null is unknown, ``{"none": true}`` is `none`.

    Raises:
        Refused: it is not a value of the type.
    """
    if value is None:
        return None
    typed_value = _value(value, type_, where)
    if typed_value is None:
        example = EXAMPLES.get(type_.kind) or _enum_example(type_)
        raise MessageRefused(
            "wrong_type", f"{attr} is {_type(type_)}, not {_kind(value)}; it is written as {example}", where
        )
    return typed_value


def _type(type_: Type) -> str:
    words = str(type_)
    return f"an {words}" if words[:1].lower() in "aeiou" else f"a {words}"


def _enum_example(type_: Type) -> str:
    members = type_.members or (type_.elem.members if type_.elem else ())
    names = ", ".join(json.dumps(m.name, ensure_ascii=False) for m in members[:8])
    if type_.kind == "set":
        return f"a list of {names}" if names else 'a list of texts, ["a", "b"]'
    return f"one of {names}{', …' if len(members) > 8 else ''}"


def _value(value: object, type_: Type, where: str) -> Value | None:
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str):
            clean(text, where)
    return typed(value, type_)


def read_loosely(value: object, type_: Type, attr: str, where: str, today: dt.date | None) -> Value | None:
    """A value as apps of the paper's library send it: of the type, or a text that reads as one.

    Raises:
        Refused: it is neither.
    """
    if isinstance(value, str) and type_.kind != "Text":
        text = clean(value, where)
        loose_value: Value | None = None
        match type_.kind:
            case "Number":
                loose_value = readers.number(text)
            case "Bool":
                loose_value = readers.boolean(text)
            case "Date":
                loose_value = dates.date(text, today)
            case "Time":
                loose_value = dates.time(text)
            case "Duration":
                loose_value = _value(value, type_, where) or dates.duration(text)
            case "enum":
                loose_value = readers.member(text, {item.name: item.spellings for item in type_.members})
        if loose_value is not None:
            return loose_value
    if type_.kind == "Text" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return read_value(value, type_, attr, where)
