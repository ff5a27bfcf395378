"""Findings as one line each: ``FILE:LINE:COLUMN: severity[CODE]: message``, for `grep`, editors and logs."""

from collections.abc import Iterable, Mapping

from vsalang.base.diagnostics.diagnostic import Diagnostic
from vsalang.base.diagnostics.display import safe
from vsalang.base.source import Source


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """One line a finding; a finding without a place has the first line of its file."""
    return "".join(_line(item, sources.get(item.where)) for item in diagnostics)


def _line(item: Diagnostic, source: Source | None) -> str:
    line, column = 1, 1
    if source is not None and item.span is not None:
        place = source.position(item.span.start)
        line, column = place.line, place.column
    text = " ".join(item.message.split())
    return f"{safe(item.where)}:{line}:{column}: {item.severity.value}[{item.code}]: {safe(text, 2000)}\n"
