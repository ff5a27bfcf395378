"""Formats source files in the one style. Comments, spelling and meaning stay as they are.

    >>> print(format_source(Source.from_text('spec a  "Do it."  allow Pay( amount<10 ):-Bill( all=1 ) .')), end="")
    spec a "Do it."
    allow Pay(amount < 10) when Bill(all = 1).

The result is parsed again and compared with the original before it is returned.
"""

import dataclasses
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from vsalang.base.diagnostics.diagnostic import Diagnostic, has_errors
from vsalang.base.source import Source, Span
from vsalang.language.syntax import tree
from vsalang.language.syntax.build_items import flawed
from vsalang.language.syntax.formatting.doc import WIDTH, render
from vsalang.language.syntax.formatting.items import FileWriter
from vsalang.language.syntax.formatting.writer import OutOfStep
from vsalang.language.syntax.parser import parse
from vsalang.program.word_lists import read_entries, tidy

__all__ = ["WIDTH", "FormatFault", "NotFormatted", "format_source", "format_words", "same"]

_PASSES = 5
_MOST: Final = 8192
_SAME: Final[dict[tuple[str, str], None]] = {}
"""Pairs of texts of items, before and after, whose trees were compared and are equal; so many are remembered."""


class NotFormatted(Exception):
    """The file does not parse; `diagnostics` say why."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        super().__init__("the file does not parse")
        self.diagnostics = tuple(diagnostics)


class FormatFault(Exception):
    """A bug of the formatter: its result does not mean the same as the file. It is not returned."""


def format_source(source: Source, *, edited: bool = False) -> str:
    """The text of a file in the one style.

    Tokens and comments stay as they are and in their order, but ``:-`` becomes ``when`` and the optional commas
    between declarations are written only within a line. Line breaks are those of the file's first line (LF or CRLF).

    Args:
        edited: it is the text of an editor: of it and of the result only the items are parsed that changed since the
            last version (`vsalang.language.syntax.parser.parse`).

    Raises:
        NotFormatted: the file does not parse.
        FormatFault: the result could not be shown to mean the same.
    """
    first = source.text.find("\n")
    windows = first > 0 and source.text[first - 1] == "\r"
    wanted = _Text.of(source, edited=edited)
    text, comments = _once(Source.from_text(source.text.replace("\r\n", "\n"), source.file), None, edited)
    if text == source.text:  # it is in the one style: formatting it again gives what it just gave
        return text
    name = f"{source.file} formatted" if edited else source.file
    for _ in range(_PASSES):
        try:
            again, kept = _once(Source.from_text(text, name), wanted, edited)
        except NotFormatted as problem:
            raise FormatFault(f"the result does not parse: {problem.diagnostics[0].message}") from problem
        if kept != comments:
            raise FormatFault("the result has other comments")
        if again == text:
            return text.replace("\n", "\r\n") if windows else text
        text = again
    raise FormatFault("the result changes each time it is formatted")


def format_words(source: Source) -> str:
    """The text of a file of words in the one style: an entry a line, in its order, with its comments.

    Raises:
        NotFormatted: the list has a mistake.
    """
    _, flaws = read_entries(source.text)
    if flaws:
        raise NotFormatted(flawed(flaw, Span(source.file, flaw.start, flaw.end)) for flaw in flaws)
    end = "\r\n" if "\r\n" in source.text else "\n"
    return "".join(f"{line}{end}" for line in tidy(source.text))


@dataclasses.dataclass(frozen=True)
class _Text:
    """A text with its tree."""

    text: str
    module: tree.Module

    @classmethod
    def of(cls, source: Source, *, edited: bool) -> "_Text":
        parsed = parse(source, edited=edited)
        if parsed.module is None or parsed.broken or has_errors(parsed.diagnostics):
            raise NotFormatted(parsed.diagnostics)
        return cls(source.text, parsed.module)

    def means(self, other: "_Text") -> bool:
        """Whether the trees are equal but for places. An item's tree depends on its text alone."""
        items, others = self.module.items, other.module.items
        return (
            len(items) == len(others)
            and same(dataclasses.replace(self.module, items=()), dataclasses.replace(other.module, items=()))
            and all(self._same(item, other, twin) for item, twin in zip(items, others, strict=True))
        )

    def _same(self, item: tree.Item, other: "_Text", twin: tree.Item) -> bool:
        texts = (
            self.text[item.span.start : item.span.end],
            other.text[twin.span.start : twin.span.end],
        )
        if texts[0] == texts[1] or texts in _SAME:
            return True
        if not same(item, twin):
            return False
        _SAME[texts] = None
        while len(_SAME) > _MOST:
            del _SAME[next(iter(_SAME))]
        return True


def _once(source: Source, wanted: _Text | None, edited: bool) -> tuple[str, list[str]]:
    """A text formatted once, and its comments. It must mean the same as `wanted`."""
    read = _Text.of(source, edited=edited)
    if wanted is not None and not wanted.means(read):
        raise FormatFault("the result does not mean the same")
    writer = FileWriter(source.text, source.file)
    try:
        text = render(writer.module(read.module)).lstrip("\n") + "\n"
    except OutOfStep as problem:
        raise FormatFault(str(problem)) from problem
    if writer.at != len(source.text):
        raise FormatFault(f"offset {writer.at}: the end expected")
    return text, writer.comments


def same(left: Any, right: Any) -> bool:
    """Whether two trees are equal except for the places of their nodes."""
    if isinstance(left, Span):
        return isinstance(right, Span)
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    kind: Any = type(left)
    names = _fields(kind)
    if names is None:
        return bool(left == right)
    return all(same(getattr(left, name), getattr(right, name)) for name in names)


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    """The names of the fields of a kind of node; None for other values."""
    return tuple(one.name for one in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None
