"""Semantic tokens: the kind of each word of a document, whole, of a range, and as a change of what was sent before."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lsprotocol import types

from vsalang.base.source import Source, Span
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.scope import RelationSymbol, ScreenSymbol
from vsalang.language.semantics.types import FUNCTIONS
from vsalang.language.syntax import tree as t
from vsalang.tools.lsp.lexing import AGGREGATE_WORDS, CONSTANTS, KEYWORDS, Token, lex
from vsalang.tools.lsp.names import (
    AliasSymbol,
    AttributeSymbol,
    EnumSymbol,
    MemberSymbol,
    Module,
    Use,
    VariableSymbol,
)
from vsalang.tools.lsp.snapshot import Snapshot

KINDS: Final = (
    "namespace",
    "type",
    "class",
    "enum",
    "interface",
    "struct",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "event",
    "function",
    "method",
    "keyword",
    "modifier",
    "comment",
    "string",
    "number",
    "regexp",
    "operator",
    "decorator",
)
MODIFIERS: Final = ("declaration", "definition", "readonly", "modification", "defaultLibrary")
LEGEND: Final = types.SemanticTokensLegend(list(KINDS), list(MODIFIERS))
_NUMBER: Final = {kind: number for number, kind in enumerate(KINDS)}
_BIT: Final = {name: 1 << number for number, name in enumerate(MODIFIERS)}
_LEXICAL: Final = {
    "comment": "comment",
    "string": "string",
    "regex": "regexp",
    "annotation": "decorator",
    "variable": "variable",
    "date": "number",
    "number": "number",
    "operator": "operator",
}
_AS_WRITTEN: Final = frozenset({"variable", "reason", "rule"})
"""Names whose colour does not depend on what they mean."""
_OF_SORT: Final = {"action": "method", "gesture": "event", "derived": "struct", "screen": "interface"}
_PIECE: Final = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
"""What of a token stands on one line: few editors take a token of several."""
_TYPES: Final = frozenset({"Text", "Number", "Bool", "Date", "Time", "Duration", "Weekday"})


def tokens(snapshot: Snapshot, uri: str, lines: tuple[int, int] | None = None) -> list[int] | None:
    """The numbers that the protocol wants for the words of a document.

    Args:
        lines: the first line and the last one, counted from 0; all if None.
    """
    source = snapshot.source(uri)
    if source is None:
        return None
    first, last = lines or (0, source.line_count)
    start = source.offset(first, 0)
    end = source.offset(last + 1, 0)
    data: list[int] = []
    text, length = source.text, snapshot.places.length
    last_row = last_column = 0
    for span, kind, modifiers in _pieces(source, snapshot.module(uri), start, end):
        for piece in _PIECE.finditer(text, span.start, span.end):
            low, high = piece.span()
            place = source.position(low)
            row, column = place.line - 1, length(text[low - place.column + 1 : low])
            along = column - last_column if row == last_row else column
            data += (row - last_row, along, length(text[low:high]), _NUMBER[kind], modifiers)
            last_row, last_column = row, column
    return data


def _pieces(source: Source, module: Module | None, start: int, end: int) -> Iterator[tuple[Span, str, int]]:
    known: dict[int, tuple[Span, str, int]] = {}
    if module is not None:
        for use in module.uses_between(start, end, _AS_WRITTEN):
            kind, modifiers = _meaning(use)
            if kind:
                known[use.span.start] = (use.span, kind, modifiers)
    for token in lex(source.text, 0, end):
        if token.end <= start:
            continue
        if token.kind == "word":
            yield from _words(source, token, known)
        elif token.kind in _LEXICAL:
            yield Span(source.file, token.start, token.end), _LEXICAL[token.kind], 0


def _words(
    source: Source, token: Token, known: dict[int, tuple[Span, str, int]]
) -> Iterator[tuple[Span, str, int]]:
    """The parts of a word: a qualified name has two."""
    dot = token.start + token.text.rfind(".") + 1
    places = [at for at in dict.fromkeys((token.start, dot)) if at in known]
    if places:
        yield from (known[at] for at in places)
        return
    span = Span(source.file, token.start, token.end)
    following = source.text[token.end : token.end + 40].lstrip(" \t")
    if token.text in CONSTANTS:
        yield span, "keyword", _BIT["readonly"]
    elif token.text in _TYPES:
        yield span, "type", _BIT["defaultLibrary"]
    elif following.startswith("(") and (token.text in FUNCTIONS or token.text in AGGREGATE_WORDS):
        yield span, "function", _BIT["defaultLibrary"]
    elif token.text in KEYWORDS and not following.startswith((":", "=")):
        yield span, "keyword", 0


def _meaning(use: Use) -> tuple[str, int]:
    symbol = use.symbols[0] if use.symbols else None
    modifiers = _BIT["declaration"] if use.mention.declares else 0
    if use.mention.writes:
        modifiers |= _BIT["modification"]
    match symbol:
        case RelationSymbol(sort=sort, scope=scope):
            return _OF_SORT.get(sort, "class"), modifiers | (0 if scope else _BIT["defaultLibrary"])
        case ScreenSymbol():
            return "interface", modifiers
        case EnumSymbol(span=span):
            return "enum", modifiers | (0 if span else _BIT["defaultLibrary"])
        case MemberSymbol():
            return "enumMember", modifiers
        case AttributeSymbol(relation=relation):
            return ("parameter" if relation.sort == "action" else "property"), modifiers
        case t.Let():
            return "variable", modifiers | _BIT["readonly"]
        case Unit() | AliasSymbol():
            return "namespace", modifiers
        case VariableSymbol():
            return "variable", modifiers
        case None if use.mention.kind == "attribute":
            return "property", modifiers
        case _:
            return "", 0


def delta(before: Sequence[int], after: Sequence[int]) -> list[types.SemanticTokensEdit]:
    """The one edit that turns the numbers sent before into the present ones; none if they are equal."""
    shorter = min(len(before), len(after))
    same = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    if same == len(before) == len(after):
        return []
    rest = next((at for at in range(shorter - same) if before[-1 - at] != after[-1 - at]), shorter - same)
    return [types.SemanticTokensEdit(same, len(before) - same - rest, list(after[same : len(after) - rest]))]
