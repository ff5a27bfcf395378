"""The workspace at one moment: the open documents, the files next to them, and what their names mean.

A snapshot never changes. Requests are functions of one, so that an answer cannot mix two versions of a text.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from pathlib import Path

from lsprotocol import types

from vsalang.base.config import config_for, find_files
from vsalang.base.records import dataclass
from vsalang.base.source import Source, SourceError, Span, read_source
from vsalang.language.semantics.loader import Loading
from vsalang.language.semantics.report import Report
from vsalang.tools.lsp.convert import Places, workspace_edit
from vsalang.tools.lsp.names import Key, Module, Use, key, module_of
from vsalang.tools.lsp.store import Document, path_of

MOST_FILES = 2000
"""More files of a workspace are not searched."""


@dataclass(frozen=True, slots=True)
class Client:
    """What the editor can do, as it said when the session began.

    Attributes:
        markdown: it shows descriptions in Markdown; of offers: `markdown_offers`.
        snippets: it understands snippets in completions.
        versioned: it understands edits that name the version of a document.
        related: it shows further places of a finding.
        commands: the commands that it runs itself, by name.
    """

    markdown: bool = False
    markdown_offers: bool = False
    snippets: bool = False
    versioned: bool = False
    related: bool = False
    commands: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Snapshot:
    """The workspace at one moment.

    Attributes:
        documents: the open ones by URI.
        folders: those of the workspace.
        places: how the editor counts characters.
        client: what it can do.
    """

    documents: Mapping[str, Document] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    places: Places = Places()
    client: Client = Client()
    _modules: dict[str, Module | None] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def overlay(self) -> dict[Path, str]:
        """The texts of the open documents by path."""
        return {each.path: each.text for each in self.documents.values() if each.path is not None}

    @cached_property
    def _uris(self) -> dict[Path, str]:
        return {each.path: each.uri for each in self.documents.values() if each.path is not None}

    def uri(self, path: Path) -> str:
        """The URI of a file: as the editor writes it, if it is open."""
        return self._uris.get(path) or path.as_uri()

    def source(self, uri: str) -> Source | None:
        """The text of a document or file; None if there is none."""
        document = self.documents.get(uri)
        if document is not None:
            return Source(str(document.path or uri), document.text, document.path)
        path = path_of(uri)
        try:
            return read_source(path) if path else None
        except SourceError:
            return None

    def module(self, uri: str) -> Module | None:
        """A document or file with what it imports; None if it has no header, or cannot be read."""
        if uri not in self._modules:
            self._modules[uri] = self._load(uri)
        return self._modules[uri]

    def _load(self, uri: str) -> Module | None:
        source = self.source(uri)
        if source is None:
            return None
        search: tuple[Path, ...] = ()
        with suppress(SourceError, OSError):  # reported with the document's findings
            search = tuple(config_for(source.path or Path.cwd() / "<text>").search)
        loading = Loading(Report(trial=True), search, self.overlay, from_cache=True)
        unit = loading.unit(source)
        return module_of(loading.units, unit, loading.sources) if unit else None

    def at(self, uri: str, place: types.Position) -> tuple[Module, int, Use | None] | None:
        """A module with the offset of a place and the name there; None if there is no such module."""
        module = self.module(uri)
        if module is None:
            return None
        offset = self.places.offset(module.source, place)
        return module, offset, module.at(offset)

    def name_at(self, uri: str, place: types.Position) -> tuple[Module, Use] | None:
        """A module with the name at a place; None if there is none."""
        place_at = self.at(uri, place)
        return (place_at[0], place_at[2]) if place_at is not None and place_at[2] is not None else None

    def location(self, module: Module, span: Span) -> types.Location | None:
        """A span of a module or of one that it imports, for the editor."""
        source = module.sources.get(span.file)
        if source is None:
            return None
        uri = self.uri(Path(module.file_of(span))) if source.path else source.file
        return types.Location(uri, self.places.range(source, span))

    def files(self) -> Iterator[str]:
        """The URIs of the `.vsa` files of the workspace: open ones first, then those of its folders."""
        yield from self.documents
        seen = set(self._uris)
        for folder in self.folders:
            for path in self._below(folder)[:MOST_FILES]:
                if path not in seen:
                    seen.add(path)
                    yield path.as_uri()

    def _below(self, folder: Path) -> list[Path]:
        try:
            return [Path(each.file).resolve() for each in find_files([str(folder)])]
        except (SourceError, OSError):
            return []

    def users(self, module: Module, name: str) -> Iterator[Module]:
        """A module, and the others of the workspace whose text has a word."""
        yield module
        own = module.file_of(module.unit.tree.span)
        for uri in self.files():
            source = self.source(uri)
            if source is None or name not in source.text:
                continue
            if (str(source.path.resolve()) if source.path else source.file) == own:
                continue
            other = self.module(uri)
            if other is not None:
                yield other

    def references(self, module: Module, wanted: Key, name: str) -> Iterator[tuple[Module, Use]]:
        """Each use of a symbol in the workspace, with the module that it stands in."""
        for each in self.users(module, name):
            for use in each.uses:
                if any(key(symbol, each) == wanted for symbol in use.symbols):
                    yield each, use

    def edit(self, changes: Mapping[str, list[types.TextEdit]]) -> types.WorkspaceEdit:
        """Edits by URI, as the editor understands them."""

        def version(uri: str) -> int | None:
            document = self.documents.get(uri)
            return document.version if document else None

        return workspace_edit(changes, version, versioned=self.client.versioned)
