"""Findings that an editor asks for: of a document, and of all files of the workspace."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from lsprotocol import types

from vsalang.tools.lsp.analysis import Analysis, analyse, failed
from vsalang.tools.lsp.convert import diagnostic
from vsalang.tools.lsp.snapshot import Snapshot
from vsalang.tools.lsp.store import Store, uri_of


def result_id(items: Iterable[types.Diagnostic]) -> str:
    """The name of a list of findings: another list has another name."""
    return hashlib.sha256(repr(list(items)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def document_report(
    items: list[types.Diagnostic], previous: str | None
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """The findings of a document, or that they are those that the editor has."""
    name = result_id(items)
    if name == previous:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=name)


def workspace_report(
    uri: str, version: int | None, items: list[types.Diagnostic], previous: Mapping[str, str]
) -> "FileReport":
    """As `document_report`, for one of the files of a workspace."""
    name = result_id(items)
    if previous.get(uri) == name:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=name, version=version)
    return types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=items, result_id=name, version=version)


FileReport: TypeAlias = (
    types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
)


class Parts:
    """The findings of a workspace, sent file by file to an editor that wants them so.

    Args:
        token: what the editor calls the parts; None if it wants all at the end.
        send: sends a part.

    Attributes:
        left: what is still to be sent at the end.
    """

    def __init__(
        self, token: types.ProgressToken | None, send: Callable[[types.ProgressParams], None]
    ) -> None:
        self._token = token
        self._send = send
        self._begun = False
        self.left: list[FileReport] = []

    def add(self, report: FileReport) -> None:
        """The findings of one file."""
        if self._token is None:
            self.left.append(report)
            return
        part = (
            types.WorkspaceDiagnosticReportPartialResult([report])
            if self._begun
            else types.WorkspaceDiagnosticReport([report])  # the first part has the form of the whole
        )
        self._begun = True
        self._send(types.ProgressParams(self._token, part))


def closed_files(snapshot: Snapshot) -> Iterator[str]:
    """The files of the workspace that are not open."""
    return (uri for uri in snapshot.files() if uri not in snapshot.documents)


def of_file(snapshot: Snapshot, uri: str) -> list[types.Diagnostic]:
    """The findings of a file that is not open, without those of what it imports."""
    source = snapshot.source(uri)
    path = source.path if source else None
    if source is None or path is None:
        return []
    try:
        # the file itself is read, as it is kept: only texts of the editor are in the overlay
        result = analyse(uri, path, source.text, snapshot.overlay)
    except Exception as error:  # shown as a finding: no finding would look as if everything were fine
        result = failed(uri, path, error)
    return findings(snapshot, uri, [(result, uri)])


def findings(snapshot: Snapshot, uri: str, results: Iterable[tuple[Analysis, str]]) -> list[types.Diagnostic]:
    """The findings about a file in some analyses, for the editor; each once."""
    items: list[types.Diagnostic] = []
    for result, root in results:

        def address(file: str, result: Analysis = result, root: str = root) -> str:
            return root if file == result.file else uri_of(snapshot.documents, result, file)

        for finding in result.diagnostics:
            if address(finding.where or result.file) == uri:
                item = diagnostic(
                    finding, result.sources, address, snapshot.places, related=snapshot.client.related
                )
                if item not in items:
                    items.append(item)
    return items


def of_document(snapshot: Snapshot, store: Store, uri: str) -> list[types.Diagnostic]:
    """The findings about an open document, those of documents that import it included."""
    return findings(snapshot, uri, [(result, root) for root, result in store.results.items()])
