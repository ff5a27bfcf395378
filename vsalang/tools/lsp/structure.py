"""The structure of a document: what can be folded, what encloses a place, and what its imports lead to."""

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from vsalang.base.source import Source, Span
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.tools.lsp.lexing import Token, lex
from vsalang.tools.lsp.names import Module
from vsalang.tools.lsp.snapshot import Snapshot

_ADDRESS = re.compile(r"https?://[^\s\"'<>)\]}]+[^\s\"'<>)\]}.,;:]")


def folding_ranges(snapshot: Snapshot, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    """Items of several lines, the imports, and comments: each block, and each run of lines."""
    source = snapshot.source(params.text_document.uri)
    if source is None:
        return None
    module = snapshot.module(params.text_document.uri)
    folds: dict[int, types.FoldingRange] = {}

    def fold(start: int, end: int, kind: types.FoldingRangeKind | None = None) -> None:
        first, last = source.position(start).line - 1, source.position(end).line - 1
        if last > first:
            folds.setdefault(first, types.FoldingRange(first, last, kind=kind))

    for start, end in _comments(source):
        fold(start, end, types.FoldingRangeKind.Comment)
    if module is not None:
        imports = module.unit.tree.imports
        if imports:
            fold(imports[0].span.start, imports[-1].span.end, types.FoldingRangeKind.Imports)
        for item in module.unit.tree.items:
            fold(item.span.start, item.span.end)
            if isinstance(item, t.Test):
                for step in item.steps:
                    fold(step.span.start, step.span.end)
    return [folds[line] for line in sorted(folds)]


def _comments(source: Source) -> Iterator[tuple[int, int]]:
    """Block comments, and runs of lines that are comments."""
    run: Token | None = None
    last = 0
    for token in lex(source.text):
        if token.kind != "comment":
            continue
        alone = not source.text[source.text.rfind("\n", 0, token.start) + 1 : token.start].strip()
        line = source.position(token.start).line
        if run is not None and alone and line == source.position(last).line + 1 and token.text[:2] == "//":
            last = token.end
            continue
        if run is not None:
            yield run.start, last
        run, last = (token, token.end) if alone else (None, 0)
    if run is not None:
        yield run.start, last


def selection_ranges(
    snapshot: Snapshot, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """For each place the ranges around it, each in the next: word, value, condition, rule, document."""
    uri = params.text_document.uri
    source, module = snapshot.source(uri), snapshot.module(uri)
    if source is None:
        return None
    return [
        _selection(snapshot, source, module, snapshot.places.offset(source, place))
        for place in params.positions
    ]


def _selection(
    snapshot: Snapshot, source: Source, module: Module | None, offset: int
) -> types.SelectionRange:
    spans = {Span(source.file, 0, len(source.text))}
    item = module.item_at(offset) if module else None
    if item is not None:
        spans |= {node.span for node in nodes(item) if node.span.start <= offset <= node.span.end}
        spans |= set(_lists(item, offset))
    line = source.position(offset).line
    start = offset - (source.position(offset).column - 1)
    spans |= {
        Span(source.file, token.start, token.end)
        for token in lex(source.text, start, start + len(source.line(line)))
        if token.start <= offset <= token.end
    }
    result: types.SelectionRange | None = None
    outer: Span | None = None
    for span in sorted(spans, key=lambda each: (each.start - each.end, each.start)):
        if outer is None or (outer.start <= span.start and span.end <= outer.end):
            result = types.SelectionRange(snapshot.places.range(source, span), result)
            outer = span
    assert result is not None
    return result


def _lists(item: t.Item, offset: int) -> Iterator[Span]:
    """The bodies of a rule and the list of a test's steps around an offset."""
    lists: list[tuple[t.Literal, ...] | tuple[t.Step, ...]] = []
    if isinstance(item, t.Rule):
        lists = [item.body, item.extra or ()]
    elif isinstance(item, t.Test):
        lists = [item.steps]
    for parts in lists:
        if parts and parts[0].span.start <= offset <= parts[-1].span.end:
            yield parts[0].span.cover(parts[-1].span)


def document_links(snapshot: Snapshot, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
    """The files of imports and of lists of words, and web addresses in comments and texts."""
    uri = params.text_document.uri
    source, module = snapshot.source(uri), snapshot.module(uri)
    if source is None:
        return None
    links: list[types.DocumentLink] = []
    if module is not None:
        for item in module.unit.tree.imports:
            target = module.unit.imports.get(item.alias.text if item.alias else item.name.text)
            if target is not None and target.source.path is not None:
                where = snapshot.places.range(source, item.name.span)
                links.append(types.DocumentLink(where, snapshot.uri(target.source.path.resolve())))
        links += _word_files(snapshot, module)
    for token in lex(source.text):
        if token.kind in ("comment", "string"):
            for match in _ADDRESS.finditer(source.text, token.start, token.end):
                span = Span(source.file, *match.span())
                links.append(types.DocumentLink(snapshot.places.range(source, span), match[0]))
    return links


def _word_files(snapshot: Snapshot, module: Module) -> Iterator[types.DocumentLink]:
    for item in module.unit.tree.items:
        if isinstance(item, t.Let) and isinstance(item.value, t.WordsOf) and item.value.file is not None:
            file = module.unit.words.get(item.value.file.value)
            path: Path | None = file.source.path if file else None
            if path is not None:
                where = snapshot.places.range(module.source, item.value.file.span)
                yield types.DocumentLink(where, snapshot.uri(path.resolve()))
