"""Wording of messages: articles, lists of names, sorts of relations."""

import re
from collections.abc import Iterable

from vsalang.base.source import Span
from vsalang.program.ir import Type


def a(word: str) -> str:
    """A word with its article."""
    return f"an {word}" if word[:1].lower() in "aeiou" else f"a {word}"


def an(type_: Type | None) -> str:
    """A type with its article; ``none`` has none."""
    if type_ is None:
        return "a value of unknown type"
    return "`none`" if type_.kind == "None" else a(str(type_))


def sort(name: str) -> str:
    """A sort of relation with its article, for a message."""
    return name if name in ("observed", "derived") else a(name)


def words(items: Iterable[str]) -> str:
    """Names in backquotes, joined by commas and a last ``and``."""
    quoted = [f"`{item}`" for item in items]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " and " + quoted[-1]


def inside_quotes(span: Span) -> Span:
    """The text of a string without its quotes, so that a fix keeps them."""
    return Span(span.file, span.start + 1, span.end - 1)


def show_member(name: str) -> str:
    """A member as it is written: quoted where it must be."""
    plain = re.fullmatch(r"[A-Za-z_]\w*", name) and name not in ("none", "true", "false")
    return name if plain else f'"{name}"'
