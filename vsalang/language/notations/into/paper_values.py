"""Reads literals of the paper's notation as values of the language, by the type of the attribute."""

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from vsalang.base.source.suggest import did_you_mean
from vsalang.language.notations.into.paper_text import Arg, Value
from vsalang.program import dates, readers
from vsalang.program.ir import Type
from vsalang.program.ops import OPERATORS
from vsalang.program.show import member_source
from vsalang.program.text import canonical, quote
from vsalang.program.values import normal_number, show

_NUMBER: Final = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
_DATE: Final = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
_DURATION: Final = re.compile(r"[0-9]+(?:s|min|h|d)")
_DAYS: Final = {"today": "today", "tomorrow": "today + 1d", "yesterday": "today - 1d"}
_TAGS: Final = {
    "Text": "text", "enum": "text", "Number": "number", "Bool": "bool", "Date": "date", "Time": "time",
    "Duration": "duration", "set": "set",
}  # fmt: skip


class Unreadable(Exception):
    """A literal or an operator that does not fit the attribute; `help` says what does."""

    def __init__(self, message: str, help: str = "", value: Value | None = None) -> None:
        super().__init__(message)
        self.help = help
        self.value = value


def constraint(arg: Arg, name: str, type: Type) -> tuple[str, str]:
    """``name op value`` as `.vsa` source, and a note if the value was not read literally.

    Raises:
        Unreadable: the operator or the value does not fit the type.
    """
    op = arg.op
    tag = _TAGS[type.kind]
    fits = OPERATORS[op].types
    if type.kind == "enum":
        fits = fits if op in ("=", "!=", "in", "not in") else frozenset()
    if tag not in fits:
        usual = [
            each
            for each in ("=", "!=", "<", "<=", ">", ">=", "~=", "contains", "subset")
            if _takes(each, type)
        ]
        raise Unreadable(f"`{op}` cannot compare a {_kind(type)}", f"what can: {' '.join(usual)}")
    if op in ("in", "not in"):
        if arg.value.items is None:
            raise Unreadable(f"`{op}` needs values in braces", f"write {{{arg.value.text}}}", arg.value)
        read = [_value(item, type) for item in arg.value.items]
        if not read:
            raise Unreadable("the braces are empty", "write at least one value", arg.value)
        return f"{name} {op} {{{', '.join(text for text, _ in read)}}}", _notes(read)
    if type.kind == "set":
        if op in ("contains", "not contains"):
            assert type.elem is not None
            text, note = _value(arg.value, type.elem)
            return f"{name} {op} {text}", note
        read = [_value(item, type.elem or type) for item in arg.value.items or (arg.value,)]
        return f"{name} {op} {{{', '.join(text for text, _ in read)}}}", _notes(read)
    text, note = _value(arg.value, type)
    return f"{name} {op} {text}", note


def _takes(op: str, type: Type) -> bool:
    return _TAGS[type.kind] in OPERATORS[op].types and (type.kind != "enum" or op in ("=", "!="))


def _notes(read: list[tuple[str, str]]) -> str:
    return "; ".join(note for _, note in read if note)


def _kind(type: Type) -> str:
    return "member of an enum" if type.kind == "enum" else type.kind


def _value(value: Value, type: Type) -> tuple[str, str]:
    """A literal as source, and a note on how it was read."""
    if value.items is not None:
        raise Unreadable("a set is written where one value is expected", "write one value", value)
    text = value.text if value.quoted and type.kind == "Text" else value.text.strip()
    if not value.quoted and text.lower() == "none" and type.kind != "enum":
        return "none", "none is read as: seen, and absent"
    match type.kind:
        case "Text":
            return quote(text), ""
        case "Number":
            return _number(text, value)
        case "Bool":
            return _bool(text, value)
        case "Date":
            return _date(text, value)
        case "Time":
            return _time(text, value)
        case "Duration":
            if _DURATION.fullmatch(text):
                return text, ""
            length = dates.duration(text)
            if length is None:
                raise Unreadable(f"`{text[:60]}` is not a duration", "write 30s, 5min, 2h or 3d", value)
            return show(length), f"`{text}` is read as {show(length)}"
        case _:
            return _member(text, type, value)


def _number(text: str, value: Value) -> tuple[str, str]:
    if _NUMBER.fullmatch(text):
        try:
            return show(normal_number(Decimal(text))), ""
        except (InvalidOperation, ValueError) as problem:
            raise Unreadable(f"`{text[:60]}` has too many digits", "", value) from problem
    number = readers.number(text)
    if number is None:
        raise Unreadable(f"`{text[:60]}` is not a number", "write digits, such as 3 or -4.5", value)
    return show(number), f"`{text}` is read as {show(number)}"


def _bool(text: str, value: Value) -> tuple[str, str]:
    if text.lower() in ("true", "false"):
        return text.lower(), ""
    truth = readers.boolean(text)
    if truth is None:
        raise Unreadable(f"`{text[:60]}` is neither true nor false", "write True or False", value)
    return show(truth), f"`{text}` is read as {show(truth)}"


def _date(text: str, value: Value) -> tuple[str, str]:
    if text.lower() in _DAYS:
        day = _DAYS[text.lower()]
        return day, "" if day == text else f"`{text}` is read as {day}"
    match = _DATE.fullmatch(text)
    iso = "-".join((match[1], match[2].zfill(2), match[3].zfill(2))) if match else text
    day_read = dates.date(iso, None)
    if day_read is None or (match is None and not re.search(r"[0-9]{4}", text)):
        raise Unreadable(f"`{text[:60]}` is not a date with a year", "write 2026-04-01 or today", value)
    return show(day_read), "" if show(day_read) == text else f"`{text}` is read as {show(day_read)}"


def _time(text: str, value: Value) -> tuple[str, str]:
    time = dates.time(text)
    if time is None:
        raise Unreadable(f"`{text[:60]}` is not a time of day", "write 19:00 or 7 PM", value)
    plain = re.fullmatch(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?", text)
    return show(time), "" if plain else f"`{text}` is read as {show(time)}"


def _member(text: str, type: Type, value: Value) -> tuple[str, str]:
    names = [member.name for member in type.members]
    for name in names:
        if canonical(name) == canonical(text):
            return member_source(name), ""
    alike = [name for name in names if canonical(name).casefold() == canonical(text).casefold()]
    if len(alike) == 1:
        return member_source(alike[0]), f"`{text}` is read as the member `{alike[0]}`"
    known = did_you_mean(text, names) or "the members are " + ", ".join(names[:12]) + (
        " .." if len(names) > 12 else ""
    )
    raise Unreadable(f"`{text[:60]}` is not a member of this enum", known, value)
