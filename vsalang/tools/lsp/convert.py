"""Converts places and findings to those of the protocol, and back."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from lsprotocol import types

from vsalang.base.diagnostics import Diagnostic, Fix, Severity
from vsalang.base.diagnostics.display import safe
from vsalang.base.project import documentation, page_of, urls
from vsalang.base.source import Source, Span

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_START = types.Range(types.Position(0, 0), types.Position(0, 0))


@dataclass(frozen=True)
class Places:
    """The counting of places: lines from 0, characters in units on which client and server agreed.

    Attributes:
        encoding: ``utf-16`` (which every client has), ``utf-8`` or ``utf-32``.
    """

    encoding: str = "utf-16"

    def position(self, source: Source, offset: int) -> types.Position:
        """The place of an offset."""
        line, character = source.utf16(offset)
        if self.encoding != "utf-16":
            column = source.position(offset).column - 1
            before = source.line(line + 1)[:column]
            character = len(before.encode("utf-8", "surrogatepass")) if self.encoding == "utf-8" else column
        return types.Position(line, character)

    def offset(self, source: Source, place: types.Position) -> int:
        """The offset of a place; one beyond the end of its line or of the text is that end."""
        if self.encoding == "utf-16" or place.line >= source.line_count:
            return source.offset(place.line, place.character)
        text = source.line(place.line + 1)
        count = place.character
        if self.encoding == "utf-8":
            data = text.encode("utf-8", "surrogatepass")[: place.character]
            count = len(data.decode("utf-8", "ignore"))
        start = source.offset(place.line, 0)
        return start + min(count, len(text))

    def length(self, text: str) -> int:
        """How many characters the client counts in a text without line breaks."""
        if text.isascii() or self.encoding == "utf-32":
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def range(self, source: Source, span: Span) -> types.Range:
        """The range of a span."""
        return types.Range(self.position(source, span.start), self.position(source, span.end))


Uri = Callable[[str], str]
"""The URI of a file, by the name that spans use."""


_UNNEEDED = frozenset({"L0023", "L0029", "L0040", "L0048", "W0201"})
"""Codes of findings about text that could be left out: editors show it pale."""


def diagnostic(
    finding: Diagnostic, sources: Mapping[str, Source], uri: Uri, places: Places, *, related: bool
) -> types.Diagnostic:
    """A finding for the editor; `related`: whether the editor can show further places."""
    source = sources.get(finding.span.file) if finding.span else None
    lines = [safe(finding.message)]
    if finding.label:
        lines[0] += f" ({safe(finding.label)})"
    if finding.help:
        lines.append(safe(finding.help))
    further = None
    if related and finding.labels:
        further = [
            types.DiagnosticRelatedInformation(
                types.Location(uri(label.span.file), places.range(sources[label.span.file], label.span)),
                safe(label.text),
            )
            for label in finding.labels
            if label.span.file in sources
        ]
    return types.Diagnostic(
        range=places.range(source, finding.span) if source and finding.span else _START,
        message="\n".join(lines),
        severity=_SEVERITIES[finding.severity],
        code=finding.code or None,
        code_description=_page(finding.code),
        source="vsac",
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNNEEDED else None,
        related_information=further,
    )


@cache
def _page(code: str) -> types.CodeDescription | None:
    """The page about a code, where the package names the address of its documentation."""
    return (
        types.CodeDescription(documentation(page_of(code))) if code and urls().get("documentation") else None
    )


def touches(one: types.Range, other: types.Range) -> bool:
    """Whether two ranges have a place in common, their ends included."""

    def key(place: types.Position) -> tuple[int, int]:
        return place.line, place.character

    return key(one.start) <= key(other.end) and key(other.start) <= key(one.end)


def edits(
    fix: Fix, sources: Mapping[str, Source], uri: Uri, places: Places
) -> dict[str, list[types.TextEdit]] | None:
    """A fix as edits by document; None if the text of one is not known."""
    edits_by_file: dict[str, list[types.TextEdit]] = {}
    for edit in fix.edits:
        source = sources.get(edit.span.file)
        if source is None:
            return None
        where = places.range(source, edit.span)
        edits_by_file.setdefault(uri(edit.span.file), []).append(types.TextEdit(where, edit.text))
    return edits_by_file


def workspace_edit(
    changes: Mapping[str, Iterable[types.TextEdit]], version: Callable[[str], int | None], *, versioned: bool
) -> types.WorkspaceEdit:
    """Edits as a change of the workspace; `versioned`: the editor refuses them if a document has changed."""
    if not versioned:
        return types.WorkspaceEdit(changes={uri: list(items) for uri, items in changes.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version(uri)), list(items)
            )
            for uri, items in changes.items()
        ]
    )
