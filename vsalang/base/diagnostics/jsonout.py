"""Findings as JSON, for programs. The format is stable and documented in ``docs/commands/index.md``."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from vsalang.base.diagnostics.diagnostic import Diagnostic, Edit, Label
from vsalang.base.source import Source, Span

VERSION = 1
"""The version of the format; it rises with every change that readers can notice."""


def to_data(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> dict[str, Any]:
    """The findings as data that `json` can write.

    Lines and columns count from 1, in code points; `offset` counts code points from 0 at the start of the file.
    Line and column are ``null`` if the file's text is not in `sources`.
    """
    items = list(diagnostics)
    counts = Counter(item.severity.value for item in items)
    return {
        "version": VERSION,
        "diagnostics": [_finding(item, sources) for item in items],
        "counts": {name: counts[name] for name in ("error", "warning", "info")},
    }


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """The findings as JSON text in ASCII, ending in a line break."""
    return json.dumps(to_data(diagnostics, sources), indent=2) + "\n"


def _finding(item: Diagnostic, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {
        "code": item.code,
        "severity": item.severity.value,
        "message": item.message,
        "file": item.where or None,
        "span": _span(item.span, sources) if item.span else None,
        "label": item.label,
        "labels": [_place(label, sources) for label in item.labels],
        "help": item.help,
        "fixes": [
            {"title": fix.title, "edits": [_place(edit, sources) for edit in fix.edits]} for fix in item.fixes
        ],
    }


def _place(item: Label | Edit, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {"file": item.span.file, "span": _span(item.span, sources), "text": item.text}


def _span(span: Span, sources: Mapping[str, Source]) -> dict[str, Any]:
    source = sources.get(span.file)
    return {"start": _position(source, span.start), "end": _position(source, span.end)}


def _position(source: Source | None, offset: int) -> dict[str, int | None]:
    if source is None:
        return {"line": None, "column": None, "offset": offset}
    position = source.position(offset)
    return {"line": position.line, "column": position.column, "offset": offset}
