"""Stores the open documents with their analyses, and combines the findings of every file."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.records import dataclass
from vsalang.tools.lsp.analysis import Analysis, carried


@dataclass(frozen=True, slots=True)
class Document:
    """An open document; `path` is resolved, and None if there is no file (yet)."""

    uri: str
    path: Path | None
    text: str
    version: int | None


@dataclass
class Store:
    """Open documents by URI, with the last analysis of each; `stale` documents must be analysed again.

    The order of `stale` is that of the work: the document that was changed or asked about last comes first.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    results: dict[str, Analysis] = field(default_factory=dict)
    stale: dict[str, None] = field(default_factory=dict)

    def put(self, uri: str, text: str, version: int | None) -> None:
        """Record that a document was opened or changed; it and all documents that read it are stale."""
        document = Document(uri, path_of(uri), text, version)
        self.documents[uri] = document
        self._touch(document)
        self.stale[uri] = None
        self.prefer(uri)

    def prefer(self, uri: str) -> None:
        """Analyse a document before the others, if it is stale."""
        if uri in self.stale:
            self.stale = {uri: None, **self.stale}

    def close(self, uri: str) -> None:
        """Record that a document was closed: the file on disk is used again."""
        document = self.documents.pop(uri, None)
        self.results.pop(uri, None)
        self.stale.pop(uri, None)
        if document is not None:
            self._touch(document)

    def settle(self, uri: str, result: Analysis, overlay: Mapping[Path, str]) -> None:
        """Store an analysis, which read `overlay`; it is stale if one of its files changed meanwhile.

        Until lint has looked at the new text, the findings of lint about what did not change stay.
        """
        before = self.results.get(uri)
        self.results[uri] = carried(before, result) if before is not None else result
        now = self.overlay()
        if any(overlay.get(path) != now.get(path) for path in result.paths) or (
            result.waits and overlay != now
        ):
            self.stale[uri] = None

    def touch_all(self) -> None:
        """Record a change of settings, or of files that nobody names: all documents are stale."""
        self.stale.update(dict.fromkeys(self.documents))

    def touch(self, paths: frozenset[Path]) -> None:
        """Record that files changed on disk: documents that read one of them, or wait for a file, are stale."""
        for uri in self.documents:
            result = self.results.get(uri)
            if result is None or result.waits or result.loaded is None or result.paths & paths:
                self.stale[uri] = None

    def _touch(self, document: Document) -> None:
        for uri, result in self.results.items():
            if (
                document.path is not None
                and uri != document.uri
                and (document.path in result.paths or result.waits)
            ):
                self.stale[uri] = None

    def overlay(self) -> dict[Path, str]:
        """The texts of the open documents by path."""
        return {doc.path: doc.text for doc in self.documents.values() if doc.path is not None}

    def uri(self, analysis_uri: str, file: str) -> str:
        """The URI of a file in the analysis of a document."""
        result = self.results[analysis_uri]
        if file == result.file:
            return analysis_uri
        return uri_of(self.documents, result, file)

    def findings(self) -> Iterator[tuple[str, str, Diagnostic]]:
        """All findings: the URI of the file, that of the analysed document, and the finding."""
        for uri, result in self.results.items():
            for finding in result.diagnostics:
                yield self.uri(uri, finding.where or result.file), uri, finding


def uri_of(documents: Mapping[str, Document], result: Analysis, file: str) -> str:
    """The URI of a file that an analysis read: as the editor writes it, if it is open."""
    source = result.sources.get(file)
    path = (source.path if source and source.path else Path(file)).resolve()
    return next((doc.uri for doc in documents.values() if doc.path == path), path.as_uri())


def path_of(uri: str) -> Path | None:
    """The resolved path of a ``file:`` URI; None for any other URI, and for an impossible path."""
    from pygls.uris import to_fs_path

    try:
        if urlsplit(uri).scheme != "file" or "\0" in unquote(uri):
            return None
        name = to_fs_path(uri)
        return Path(name).resolve() if name else None
    except (OSError, RuntimeError, ValueError):
        return None
