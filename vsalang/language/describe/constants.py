"""Describes the constants of a module (`let`)."""

import datetime as dt
from collections.abc import Iterable, Iterator
from decimal import Decimal

from vsalang.language.describe.description import Entry
from vsalang.language.describe.values import LONGEST, some_words, value_words
from vsalang.language.semantics.loader import Unit
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Regex
from vsalang.program.show import pattern_source
from vsalang.program.text import join, line, safe


def constants(units: Iterable[Unit], module: str) -> Iterator[Entry]:
    """The text of each constant's value, in the order of the file."""
    for unit in units:
        if unit.name != module:
            continue
        for item in unit.tree.items:
            if isinstance(item, t.Let):
                text = f'"{item.name.text}" stands for {_value(item.value, unit)}'
                yield Entry("let", text, (), "", item.span)


def _value(value: t.Expr, unit: Unit) -> str:
    if isinstance(value, t.SetOf):
        return join([_value(item, unit) for item in value.items]) or "the empty set"
    if isinstance(value, t.Regex):
        case = " (small or capital letters)" if "i" in value.flags else ""
        return f"the pattern {line(pattern_source(Regex(value.source)), LONGEST)}{case}"
    if isinstance(value, t.WordsOf):
        read = unit.words.get(value.file.value) if value.file is not None else None
        entries = value.entries if read is None else read.entries
        forms = [form for entry in entries for form in entry.forms]
        where = f" in {safe(value.file.value)}" if value.file is not None else ""
        count = "the word" if len(forms) == 1 else f"the {len(forms)} words"
        return f"{count}{where} {line(some_words(forms, len(forms)), LONGEST)}"
    value_of = getattr(value, "value", None)
    if isinstance(value_of, str | bool | int | Decimal | dt.date | dt.time | dt.timedelta):
        return value_words(value_of)
    if isinstance(value, t.Ref):
        return value.name
    return " ".join(unit.source.slice(value.span).split())
