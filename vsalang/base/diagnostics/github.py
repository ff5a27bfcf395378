"""Findings as workflow commands, which GitHub shows next to the changed lines of a pull request."""

from collections.abc import Iterable, Mapping

from vsalang.base.diagnostics.diagnostic import Diagnostic, Severity
from vsalang.base.diagnostics.sentences import text_of
from vsalang.base.source import Source

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """One command a line. `sources` gives lines and columns; a finding without a place names its file only."""
    return "".join(_command(item, sources) + "\n" for item in diagnostics)


def _command(item: Diagnostic, sources: Mapping[str, Source]) -> str:
    properties: dict[str, str | int] = {}
    if item.where:
        properties["file"] = item.where.replace("\\", "/")
    source = sources.get(item.span.file) if item.span else None
    if item.span and source:
        start, end = source.position(item.span.start), source.position(item.span.end)
        properties |= {"line": start.line, "endLine": end.line}
        if start.line == end.line:  # columns are shown for a single line only
            properties |= {"col": start.column, "endColumn": end.column}
    properties["title"] = item.code
    return command(_COMMANDS[item.severity], properties, text_of(item))


def command(name: str, properties: Mapping[str, str | int], message: str) -> str:
    """One workflow command: ``::error file=..,line=..::message``; nothing in its parts can begin another."""
    listed = ",".join(f"{key}={_escape_property(str(value))}" for key, value in properties.items())
    return f"::{name} {listed}::{_escape(message)}"


def _escape(text: str) -> str:
    """Escape the data of a command, as GitHub's own toolkit does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
