"""The language server: answers an editor over standard input and output.

The protocol runs in one event loop; documents are analysed in one other thread and requests answered in a second one,
so that typing never waits. A result that is older than its document is discarded.
"""

import asyncio
import functools
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer

from vsalang.tools.lsp import pulled
from vsalang.tools.lsp.analysis import Analysis, check, failed, linted
from vsalang.tools.lsp.convert import Places
from vsalang.tools.lsp.protocol import Protocol
from vsalang.tools.lsp.settings import Settings
from vsalang.tools.lsp.snapshot import Client, Snapshot
from vsalang.tools.lsp.store import Document, Store, path_of

DELAY = 0.15
"""Seconds without a key press before a changed document is analysed."""
LARGE = 20_000
"""Of a longer text, in characters, errors and warnings are sent before lint has looked at it."""
PATIENCE = 1.0
"""Seconds after which it is analysed although somebody is still typing."""

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Server(LanguageServer):
    """A server for one editor."""

    protocol: Protocol

    def __init__(self, version: str, delay: float = DELAY) -> None:
        # complete texts only: a mistake in applying changes would analyse a text that nobody wrote
        super().__init__(
            "vsac",
            version,
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
        )
        self.store = Store()
        self.settings = Settings()
        self.delay = delay
        self.client = Client()
        self.sent_tokens: dict[str, tuple[str, list[int]]] = {}
        """The numbers of semantic tokens that the editor has of each document, with their name."""
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="vsac-analysis")
        self._answers = ThreadPoolExecutor(1, thread_name_prefix="vsac-answers")
        self._timer: asyncio.Task[None] | None = None
        self._since: float | None = None
        self._work: set[asyncio.Task[Any]] = set()
        self._busy: asyncio.Lock | None = None
        self._published: dict[str, list[types.Diagnostic]] = {}
        self._snapshot: Snapshot | None = None

    # ------------------------------------------------------------ what the client can do

    @property
    def places(self) -> Places:
        """The client's counting of characters."""
        return Places(
            str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        )

    def supports(self, *names: str) -> bool:
        """Whether the client's capabilities say yes at a path of attribute names."""
        return bool(self.capability(*names))

    def capability(self, *names: str) -> Any:
        """The client's capability at a path of attribute names; None if it says nothing of it."""
        value: Any = self.client_capabilities
        for name in names:
            value = getattr(value, name, None)
        return value

    @property
    def pulls(self) -> bool:
        """Whether the editor asks for findings; then they are not sent, too."""
        return self.supports("text_document", "diagnostic")

    # ------------------------------------------------------------ what requests read

    @property
    def snapshot(self) -> Snapshot:
        """The workspace as it is now."""
        if self._snapshot is None:
            folders = tuple(path for each in self.workspace.folders if (path := path_of(each)))
            root = path_of(self.workspace.root_uri) if self.workspace.root_uri else None
            if not folders and root is not None:
                folders = (root,)
            self._snapshot = Snapshot(dict(self.store.documents), folders, self.places, self.client)
        return self._snapshot

    def forget(self) -> None:
        """Something changed: the next request reads the workspace again."""
        self._snapshot = None

    async def answer(self, call: Callable[..., T], *words: Any) -> T:
        """The result of a function of the snapshot, computed in the thread of requests."""
        return await asyncio.get_running_loop().run_in_executor(
            self._answers, functools.partial(call, self.snapshot, *words)
        )

    # ------------------------------------------------------------ looking at documents

    def look(self, *, soon: bool) -> None:
        """Analyse stale documents: at once, or after a pause in typing, but at least once a second."""
        loop = asyncio.get_running_loop()
        if self._since is None:
            self._since = loop.time()
        wait = min(self.delay, max(0.0, self._since + PATIENCE - loop.time())) if soon else 0.0
        if self._timer is not None and not self._timer.done():
            self._timer.cancel()
        self._timer = loop.create_task(self._wait(wait))

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._since = None
        # from here on a new key press must not cancel the analysis, only its publication
        await asyncio.shield(self.start(self.refresh()))

    def start(self, work: Any) -> asyncio.Task[Any]:
        """Run a coroutine in the background; the loop itself keeps no reference."""
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    async def refresh(self, uri: str = "") -> None:
        """Analyse every stale document now, `uri` before the others, and send what changed. Never raises.

        With a document, it returns as soon as that one is not stale.
        """
        self.store.prefer(uri)
        try:
            await self._refresh(uri)
        except Exception as error:
            self.report("looking at the open documents", error)

    async def _refresh(self, wanted: str) -> None:
        if self._busy is None:
            self._busy = asyncio.Lock()
        async with self._busy:
            while self.store.stale and not (wanted and self._is_ready(wanted)):
                uri = next(iter(self.store.stale))
                del self.store.stale[uri]
                document = self.store.documents.get(uri)
                if document is not None:
                    await self._look_at(document)
            self.publish(set())
        if self.store.stale:
            self.look(soon=True)

    def _is_ready(self, uri: str) -> bool:
        result = self.store.results.get(uri)
        return uri not in self.store.stale and result is not None and not result.waits_for_lint

    async def _look_at(self, document: Document) -> None:
        """Check a document, send what was found, then lint it, unless it has changed meanwhile."""
        overlay = self.store.overlay()
        checked = await self._analyse(document, lambda: check(*self._words(document, overlay)))
        if self.store.documents.get(document.uri) is not document:
            return
        self.store.settle(document.uri, checked, overlay)
        if checked.waits_for_lint and self.settings.lint:
            if len(document.text) > LARGE:
                self.publish({document.uri})  # with what lint said before: nothing flickers
            result = await self._analyse(document, lambda: linted(checked))
            if self.store.documents.get(document.uri) is not document:
                return
            self.store.results[document.uri] = result
        self.publish({document.uri})

    @staticmethod
    def _words(document: Document, overlay: dict[Path, str]) -> tuple[str, Path | None, str, dict[Path, str]]:
        return document.uri, document.path, document.text, overlay

    async def _analyse(self, document: Document, call: Callable[[], Analysis]) -> Analysis:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, call)
        except Exception as error:
            self.report(f"looking at {document.uri}", error)
            return failed(document.uri, document.path, error)

    def publish(self, fresh: set[str]) -> None:
        """Send the findings of every file whose findings changed, and of `fresh` ones in any case."""
        snapshot = self.snapshot
        results = [(result, root) for root, result in self.store.results.items()]
        uris = dict.fromkeys(self.store.documents)
        uris.update(dict.fromkeys(uri for uri, _, _ in self.store.findings()))
        messages = {uri: pulled.findings(snapshot, uri, results) for uri in uris}
        changed = False
        for uri in [*messages, *(uri for uri in self._published if uri not in messages)]:
            items = messages.get(uri, [])
            document = self.store.documents.get(uri)
            if document is not None and uri not in self.store.results:
                continue  # not analysed yet, which is not the same as no findings
            is_new = self._published.get(uri, []) != items
            changed = changed or is_new
            if (uri in fresh or is_new) and not self.pulls:
                version = document.version if document else None
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))
        self._published = {
            uri: items for uri, items in messages.items() if items or uri in self.store.documents
        }
        if changed and self.pulls and self.supports("workspace", "diagnostics", "refresh_support"):
            self.workspace_diagnostic_refresh(None)

    # ------------------------------------------------------------ failing

    def report(self, doing: str, error: BaseException) -> None:
        """An internal error: a line in the editor's log, and the details on standard error."""
        _log.error("%s failed", doing, exc_info=error)
        self.log(f"internal error while {doing}: {type(error).__name__}: {error}")

    def log(self, text: str) -> None:
        """A line in the editor's log."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what pygls could not handle, instead of showing it to the user; a request got its answer already."""
        if source is FeatureRequestError:
            return
        self.protocol.refuse_text(error)
        self.report("reading a message", error)

    def shutdown(self) -> None:
        """Stop, without waiting for a running analysis."""
        for pool in (self._worker, self._answers):
            pool.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]


def serve(server: Server, stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer one editor until it disconnects; the exit status is 0 if it ended the session properly, else 1."""
    server.start_io(stdin, stdout)
    return 0 if server.protocol._shutdown else 1
