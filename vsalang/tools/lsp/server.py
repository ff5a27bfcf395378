"""The language server: answers an editor over standard input and output.

The protocol runs in one event loop; documents are analysed in one other thread, so that typing never waits. A result
that is older than its document is discarded.
"""

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.source import Span
from vsalang.tools.lsp import actions
from vsalang.tools.lsp.analysis import Analysis, analyse, failed
from vsalang.tools.lsp.completing import completions
from vsalang.tools.lsp.convert import Places, diagnostic, touches
from vsalang.tools.lsp.describe import describe, explain
from vsalang.tools.lsp.layout import layout
from vsalang.tools.lsp.names import at
from vsalang.tools.lsp.store import Document, Store

DELAY = 0.15
"""Seconds without a key press before a changed document is analysed."""

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Server(LanguageServer):
    """A server for one editor."""

    def __init__(self, version: str, delay: float = DELAY) -> None:
        # complete texts only: a mistake in applying changes would analyse a text that nobody wrote
        super().__init__("vsac", version, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.store = Store()
        self.delay = delay
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="vsac-analysis")
        self._timer: asyncio.Task[None] | None = None
        self._work: set[asyncio.Task[None]] = set()
        self._busy: asyncio.Lock | None = None
        self._published: dict[str, list[types.Diagnostic]] = {}
        _register(self)

    # ------------------------------------------------------------ what the client can do

    @property
    def places(self) -> Places:
        """The client's counting of characters."""
        return Places(
            str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        )

    def supports(self, *names: str) -> bool:
        """Whether the client's capabilities say yes at a path of attribute names."""
        value: Any = self.client_capabilities
        for name in names:
            value = getattr(value, name, None)
        return bool(value)

    # ------------------------------------------------------------ looking at documents

    def look(self, *, soon: bool) -> None:
        """Analyse stale documents: at once, or after a pause in typing."""
        if self._timer is not None and not self._timer.done():
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().create_task(self._wait(self.delay if soon else 0.0))

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        # from here on a new key press must not cancel the analysis, only its publication
        work = asyncio.get_running_loop().create_task(self.refresh())
        self._work.add(work)  # the loop itself keeps no reference
        work.add_done_callback(self._work.discard)
        await asyncio.shield(work)

    async def refresh(self) -> None:
        """Analyse every stale document now, and publish what changed. Never raises."""
        try:
            await self._refresh()
        except Exception as error:
            self.report("looking at the open documents", error)

    async def _refresh(self) -> None:
        if self._busy is None:
            self._busy = asyncio.Lock()
        async with self._busy:
            fresh: set[str] = set()
            while self.store.stale:
                uri = next(iter(self.store.stale))
                del self.store.stale[uri]
                document = self.store.documents.get(uri)
                if document is None:
                    continue
                overlay = self.store.overlay()
                result = await self._analyse(document, overlay)
                if self.store.documents.get(uri) is document:
                    self.store.settle(uri, result, overlay)
                    fresh.add(uri)
            self.publish(fresh)

    async def _analyse(self, document: Document, overlay: dict[Path, str]) -> Analysis:
        call = functools.partial(analyse, document.uri, document.path, document.text, overlay)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, call)
        except Exception as error:
            self.report(f"looking at {document.uri}", error)
            return failed(document.uri, document.path, error)

    def publish(self, fresh: set[str]) -> None:
        """Send the findings of every file whose findings changed, and of `fresh` ones in any case."""
        messages: dict[str, list[types.Diagnostic]] = {uri: [] for uri in self.store.documents}
        related = self.supports("text_document", "publish_diagnostics", "related_information")
        for uri, root, finding in self.store.findings():
            item = self._convert(root, finding, related)
            items = messages.setdefault(uri, [])
            if item not in items:
                items.append(item)
        for uri in [*messages, *(uri for uri in self._published if uri not in messages)]:
            items = messages.get(uri, [])
            document = self.store.documents.get(uri)
            if document is not None and uri not in self.store.results:
                continue  # not analysed yet, which is not the same as no findings
            if uri in fresh or self._published.get(uri, []) != items:
                version = document.version if document else None
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))
        self._published = {
            uri: items for uri, items in messages.items() if items or uri in self.store.documents
        }

    def _convert(self, root: str, finding: Diagnostic, related: bool) -> types.Diagnostic:
        sources = self.store.results[root].sources
        return diagnostic(
            finding, sources, functools.partial(self.store.uri, root), self.places, related=related
        )

    # ------------------------------------------------------------ failing

    def report(self, doing: str, error: BaseException) -> None:
        """An internal error: a line in the editor's log, and the details on standard error."""
        _log.error("%s failed", doing, exc_info=error)
        text = f"internal error while {doing}: {type(error).__name__}: {error}"
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what pygls could not handle, such as a malformed message, instead of showing it to the user."""
        self.report("reading a message", error)

    def shutdown(self) -> None:
        """Stop, without waiting for a running analysis."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]


def _guarded(
    server: Server, doing: str, call: Callable[[Any], Awaitable[T]]
) -> Callable[[Any], Awaitable[T | None]]:
    """A handler that answers with nothing if it fails, and logs the error."""

    async def handler(params: Any) -> T | None:
        try:
            return await call(params)
        except Exception as error:
            server.report(doing, error)
            return None

    return handler


def _register(server: Server) -> None:
    store = server.store

    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        store.put(item.uri, item.text.removeprefix("\ufeff"), item.version)
        server.look(soon=False)

    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        if any(isinstance(item, types.TextDocumentContentChangePartial) for item in params.content_changes):
            raise ValueError("the editor sent a part of a text, where whole texts were agreed on")
        if params.content_changes:
            text = params.content_changes[-1].text  # each change is the complete text
            store.put(params.text_document.uri, text.removeprefix("\ufeff"), params.text_document.version)
            server.look(soon=True)

    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        store.close(params.text_document.uri)
        server.look(soon=False)

    async def on_disk(params: Any) -> None:
        store.touch_all()
        server.look(soon=True)

    async def hover(params: types.HoverParams) -> types.Hover | None:
        await server.refresh()
        return _hover(server, params.text_document.uri, params.position)

    async def definition(params: types.DefinitionParams) -> types.Location | None:
        await server.refresh()
        return _definition(server, params.text_document.uri, params.position)

    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        await server.refresh()
        return actions.quick_fixes(
            store,
            params.text_document.uri,
            params.range,
            server.places,
            only=params.context.only,
            versioned=server.supports("workspace", "workspace_edit", "document_changes"),
        )

    async def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        await server.refresh()
        return _completion(server, params.text_document.uri, params.position)

    async def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = store.documents.get(params.text_document.uri)
        if document is None:
            return None
        name = str(document.path) if document.path else document.uri
        call = functools.partial(layout, document.text, name, server.places)
        edits = await asyncio.get_running_loop().run_in_executor(server._worker, call)
        # edits for an older text would damage the current one
        return edits if store.documents.get(document.uri) is document else None

    async def initialized(params: types.InitializedParams) -> None:
        if server.supports("workspace", "did_change_watched_files", "dynamic_registration"):
            watch = types.DidChangeWatchedFilesRegistrationOptions(
                [
                    types.FileSystemWatcher(f"**/{name}")
                    for name in ("*.vsa", "*.words", "vsac.toml", "pyproject.toml")
                ]
            )
            wanted = types.Registration("vsa-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watch)
            await server.client_register_capability_async(types.RegistrationParams([wanted]))

    def feature(name: str, doing: str, call: Callable[[Any], Awaitable[Any]], options: Any = None) -> None:
        server.feature(name, options)(_guarded(server, doing, call))

    feature(types.INITIALIZED, "starting", initialized)
    feature(types.TEXT_DOCUMENT_DID_OPEN, "opening a document", opened)
    feature(types.TEXT_DOCUMENT_DID_CHANGE, "reading a change", changed)
    feature(types.TEXT_DOCUMENT_DID_CLOSE, "closing a document", closed)
    feature(types.TEXT_DOCUMENT_DID_SAVE, "reading what was saved", on_disk)
    feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, "reading changed files", on_disk)
    feature(types.TEXT_DOCUMENT_HOVER, "looking something up", hover)
    quotes = types.CompletionOptions(trigger_characters=['"'])
    feature(types.TEXT_DOCUMENT_COMPLETION, "completing a name", completion, quotes)
    feature(types.TEXT_DOCUMENT_DEFINITION, "finding a declaration", definition)
    feature(types.TEXT_DOCUMENT_FORMATTING, "formatting a document", formatting)
    fixes = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    feature(types.TEXT_DOCUMENT_CODE_ACTION, "looking for fixes", code_actions, fixes)


def _hover(server: Server, uri: str, place: types.Position) -> types.Hover | None:
    result = server.store.results.get(uri)
    if result is None or result.file not in result.sources:
        return None
    source = result.sources[result.file]
    offset = server.places.offset(source, place)
    hover = getattr(server.client_capabilities.text_document, "hover", None)
    markdown = types.MarkupKind.Markdown in (getattr(hover, "content_format", None) or ())
    parts: list[str] = []
    span = None
    name = at(result.loaded, offset) if result.loaded else None
    if name is not None:
        parts.append(describe(name.symbol, markdown=markdown, words=name.words))
        span = name.span
    here = types.Range(place, place)
    for finding in result.diagnostics:
        if finding.span is None or finding.span.file != result.file:
            continue
        text = explain(finding)
        if text and text not in parts and touches(server.places.range(source, finding.span), here):
            parts.append(text)
            span = span or finding.span
    if not parts:
        return None
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    text = ("\n\n---\n\n" if markdown else "\n\n").join(parts)
    return types.Hover(types.MarkupContent(kind, text), server.places.range(source, span) if span else None)


def _completion(server: Server, uri: str, place: types.Position) -> list[types.CompletionItem]:
    result = server.store.results.get(uri)
    if result is None or result.loaded is None or result.file not in result.sources:
        return []
    source = result.sources[result.file]
    start, offers = completions(result.loaded, source, server.places.offset(source, place))
    here = types.Range(server.places.range(source, Span(result.file, start, start)).start, place)
    return [
        types.CompletionItem(
            offer.text,
            kind=types.CompletionItemKind.File if offer.is_file else types.CompletionItemKind.Constant,
            detail=offer.detail,
            text_edit=types.TextEdit(here, offer.text),
        )
        for offer in offers
    ]


def _definition(server: Server, uri: str, place: types.Position) -> types.Location | None:
    result = server.store.results.get(uri)
    if result is None or result.loaded is None or result.file not in result.sources:
        return None
    name = at(result.loaded, server.places.offset(result.sources[result.file], place))
    span = name.declared if name else None
    if span is None or span.file not in result.sources:
        return None
    where = server.places.range(result.sources[span.file], span)
    return types.Location(server.store.uri(uri, span.file), where)


def serve(version: str, stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer one editor until it disconnects; the exit status is 0 if it ended the session properly, else 1."""
    server = Server(version)
    server.start_io(stdin, stdout)
    return 0 if server.protocol._shutdown else 1
