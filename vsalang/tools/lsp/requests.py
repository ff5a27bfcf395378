"""Which request is answered by which function: the table of what the server can do."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from vsalang.base.diagnostics.display import safe
from vsalang.tools.lsp import (
    actions,
    calls,
    colours,
    completing,
    editing,
    hints,
    hovers,
    layout,
    navigation,
    outline,
    pulled,
    renaming,
    structure,
)
from vsalang.tools.lsp.protocol import RequestFailed
from vsalang.tools.lsp.server import Server
from vsalang.tools.lsp.settings import SECTION, read_settings
from vsalang.tools.lsp.snapshot import Client, Snapshot
from vsalang.tools.lsp.store import path_of

T = TypeVar("T")
_LONGEST_RUN = 120.0
"""Seconds that the tests of a file may take."""
_MOST_OUTPUT = 20_000

_PATTERN = types.FileOperationPattern("**/*.vsa")
_FILES = types.FileOperationRegistrationOptions([types.FileOperationFilter(_PATTERN, scheme="file")])

PURE: dict[str, tuple[str, Callable[[Snapshot, Any], Any], Any]] = {
    types.TEXT_DOCUMENT_DEFINITION: ("finding a declaration", navigation.definition, None),
    types.TEXT_DOCUMENT_DECLARATION: ("finding a declaration", navigation.definition, None),
    types.TEXT_DOCUMENT_TYPE_DEFINITION: ("finding a type", navigation.type_definition, None),
    types.TEXT_DOCUMENT_IMPLEMENTATION: ("finding rules", navigation.implementation, None),
    types.TEXT_DOCUMENT_REFERENCES: ("finding uses", navigation.references, None),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: ("finding uses", navigation.highlights, None),
    types.TEXT_DOCUMENT_LINKED_EDITING_RANGE: ("finding uses", navigation.linked_ranges, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: ("renaming", renaming.prepare_rename, None),
    types.TEXT_DOCUMENT_RENAME: ("renaming", renaming.rename, None),
    types.WORKSPACE_WILL_RENAME_FILES: ("renaming files", renaming.will_rename_files, _FILES),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: ("listing symbols", outline.document_symbols, None),
    types.WORKSPACE_SYMBOL: ("listing symbols", outline.workspace_symbols, None),
    types.TEXT_DOCUMENT_FOLDING_RANGE: ("folding", structure.folding_ranges, None),
    types.TEXT_DOCUMENT_SELECTION_RANGE: ("selecting", structure.selection_ranges, None),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: (
        "finding links",
        structure.document_links,
        types.DocumentLinkOptions(),
    ),
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: ("finding rules", calls.prepare_calls, None),
    types.CALL_HIERARCHY_INCOMING_CALLS: ("finding rules", calls.incoming_calls, None),
    types.CALL_HIERARCHY_OUTGOING_CALLS: ("finding rules", calls.outgoing_calls, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        "completing a name",
        completing.completion,
        types.CompletionOptions(trigger_characters=list('?(,.={@"'), resolve_provider=True),
    ),
    types.COMPLETION_ITEM_RESOLVE: ("completing a name", completing.resolve, None),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: (
        "describing a call",
        hovers.signature_help,
        types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=["="]),
    ),
    types.CODE_LENS_RESOLVE: ("counting uses", hints.resolve_lens, None),
    types.CODE_ACTION_RESOLVE: ("fixing", editing.resolve_action, None),
    types.TEXT_DOCUMENT_FORMATTING: ("formatting a document", layout.formatting, None),
    types.TEXT_DOCUMENT_RANGE_FORMATTING: ("formatting a range", layout.range_formatting, None),
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: (
        "formatting an item",
        layout.on_type_formatting,
        types.DocumentOnTypeFormattingOptions(".", ["}"]),
    ),
}
"""Requests that need nothing but a snapshot: what they do, by which function, and what the client is told of them."""


def _guarded(
    server: Server, doing: str, call: Callable[[Any], Awaitable[T]]
) -> Callable[[Any], Awaitable[T]]:
    """A handler whose internal errors become a line in the log, and the error of the request."""

    async def handler(params: Any) -> T:
        try:
            return await call(params)
        except renaming.NotRenamed as error:
            raise RequestFailed(str(error)) from error
        except JsonRpcException:
            raise
        except Exception as error:
            server.report(doing, error)
            raise RequestFailed(f"internal error while {doing}: {type(error).__name__}") from error

    return handler


def register(server: Server) -> Server:
    """Let a server answer all requests."""

    def feature(name: str, doing: str, call: Callable[[Any], Awaitable[Any]], options: Any = None) -> None:
        server.feature(name, options)(_guarded(server, doing, call))

    for name, (doing, function, options) in PURE.items():

        async def pure(params: Any, function: Callable[[Snapshot, Any], Any] = function) -> Any:
            return await server.answer(function, params)

        feature(name, doing, pure, options)
    _documents(server, feature)
    _session(server, feature)
    _findings(server, feature)
    _colours(server, feature)
    return server


Feature = Callable[..., None]


def _documents(server: Server, feature: Feature) -> None:
    """What the editor tells of documents and files."""
    store = server.store

    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        store.put(item.uri, item.text.removeprefix("\ufeff"), item.version)
        server.forget()
        server.look(soon=False)

    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        if any(isinstance(item, types.TextDocumentContentChangePartial) for item in params.content_changes):
            raise ValueError("the editor sent a part of a text, where whole texts were agreed on")
        if params.content_changes:
            text = params.content_changes[-1].text  # each change is the complete text
            store.put(params.text_document.uri, text.removeprefix("\ufeff"), params.text_document.version)
            server.forget()
            server.look(soon=True)

    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        store.close(params.text_document.uri)
        server.sent_tokens.pop(params.text_document.uri, None)
        server.forget()
        server.look(soon=False)

    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        store.touch_all()
        store.prefer(params.text_document.uri)
        server.forget()
        server.look(soon=True)

    async def on_disk(params: types.DidChangeWatchedFilesParams) -> None:
        paths = frozenset(path for change in params.changes if (path := path_of(change.uri)))
        if any(path.suffix != ".vsa" or path not in store.overlay() for path in paths) or not paths:
            if all(path.suffix == ".vsa" for path in paths):
                store.touch(paths)
            else:
                store.touch_all()
        server.forget()
        server.look(soon=True)

    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.forget()

    feature(types.TEXT_DOCUMENT_DID_OPEN, "opening a document", opened)
    feature(types.TEXT_DOCUMENT_DID_CHANGE, "reading a change", changed)
    feature(types.TEXT_DOCUMENT_DID_CLOSE, "closing a document", closed)
    feature(types.TEXT_DOCUMENT_DID_SAVE, "reading what was saved", saved)
    feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, "reading changed files", on_disk)
    feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, "changing folders", folders)


def _session(server: Server, feature: Feature) -> None:
    """The beginning of a session, its settings, and commands."""

    async def initialize(params: types.InitializeParams) -> None:
        offers = server.capability("text_document", "completion", "completion_item")
        formats = server.capability("text_document", "hover", "content_format") or ()
        options = params.initialization_options
        commands = options.get("commands", ()) if isinstance(options, dict) else ()
        names = [each for each in commands if isinstance(each, str)] if isinstance(commands, list) else []
        server.client = Client(
            markdown=types.MarkupKind.Markdown in formats,
            markdown_offers=types.MarkupKind.Markdown
            in (getattr(offers, "documentation_format", None) or ()),
            snippets=bool(getattr(offers, "snippet_support", None)),
            versioned=server.supports("workspace", "workspace_edit", "document_changes"),
            related=server.supports("text_document", "publish_diagnostics", "related_information")
            or server.supports("text_document", "diagnostic", "related_information"),
            commands=frozenset(names),
        )
        if isinstance(options, dict) and SECTION in options:
            _set(options)

    def _set(data: object) -> None:
        settings, mistakes = read_settings(data)
        for mistake in mistakes:
            server.log(mistake)
        if settings != server.settings:
            server.settings = settings
            server.store.touch_all()
            server.look(soon=True)

    async def initialized(params: types.InitializedParams) -> None:
        if server.supports("workspace", "did_change_watched_files", "dynamic_registration"):
            names = ("*.vsa", "*.words", "vsac.toml", "pyproject.toml")
            watch = types.DidChangeWatchedFilesRegistrationOptions(
                [types.FileSystemWatcher(f"**/{name}") for name in names]
            )
            wanted = types.Registration("vsa-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watch)
            await server.client_register_capability_async(types.RegistrationParams([wanted]))
        await ask_settings()

    async def ask_settings() -> None:
        if server.supports("workspace", "configuration"):
            items = [types.ConfigurationItem(section=SECTION)]
            answer = await server.workspace_configuration_async(types.ConfigurationParams(items))
            if answer and answer[0] is not None:
                _set(answer[0])

    async def configured(params: types.DidChangeConfigurationParams) -> None:
        if server.supports("workspace", "configuration"):
            await ask_settings()
        elif params.settings is not None:
            _set(params.settings)

    async def run_tests(file: str, name: str, coverage: bool) -> str:
        words = ["-m", "vsalang.tools.cli.main", "test", "--", file]
        words[3:3] = (["-k", name] if name else []) + (["--coverage"] if coverage else [])
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "NO_COLOR": "1"},
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), _LONGEST_RUN)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        text = "\n".join(
            safe(line, 500) for line in output[:_MOST_OUTPUT].decode("utf-8", "replace").splitlines()
        )
        kind = types.MessageType.Info if process.returncode == 0 else types.MessageType.Warning
        last = text.rpartition("\n")[2] or text
        server.window_log_message(types.LogMessageParams(types.MessageType.Info, text))
        server.window_show_message(types.ShowMessageParams(kind, last))
        return text

    feature(types.INITIALIZE, "starting", initialize)
    feature(types.INITIALIZED, "starting", initialized)
    feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION, "reading settings", configured)
    server.command(hints.RUN)(run_tests)


def _findings(server: Server, feature: Feature) -> None:
    """Findings that the editor asks for, fixes, and what depends on settings or findings."""
    store = server.store

    async def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        result = store.results.get(uri) if uri not in store.stale else None
        return await server.answer(hovers.hover, params, result)

    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        kinds = None if only is None else [str(getattr(kind, "value", kind)) for kind in only]
        await server.refresh(uri)
        fixes_here = actions.quick_fixes(
            store, uri, params.range, server.places, only=kinds, versioned=server.client.versioned
        )
        source_actions = await server.answer(editing.source_actions, uri, kinds)
        if not server.supports("text_document", "code_action", "resolve_support"):
            source_actions = [await server.answer(editing.resolve_action, each) for each in source_actions]
        return [*fixes_here, *source_actions]

    async def document_diagnostic(params: types.DocumentDiagnosticParams) -> Any:
        uri = params.text_document.uri
        if uri in store.documents:
            await server.refresh(uri)
            items = pulled.of_document(server.snapshot, store, uri)
        else:
            items = await server.answer(pulled.of_file, uri)
        return pulled.document_report(items, params.previous_result_id)

    async def workspace_diagnostic(
        params: types.WorkspaceDiagnosticParams,
    ) -> types.WorkspaceDiagnosticReport:
        await server.refresh()
        snapshot = server.snapshot
        previous = {each.uri: each.value for each in params.previous_result_ids}
        parts = pulled.Parts(params.partial_result_token, server.progress)
        for uri, document in store.documents.items():
            items = pulled.of_document(snapshot, store, uri)
            parts.add(pulled.workspace_report(uri, document.version, items, previous))
        closed = await server.answer(lambda snapshot: list(pulled.closed_files(snapshot)))
        token = params.work_done_token
        if token is not None and closed:
            server.work_done_progress.begin(token, types.WorkDoneProgressBegin("checking", percentage=0))
        try:
            for number, uri in enumerate(closed):
                items = await server.answer(pulled.of_file, uri)
                parts.add(pulled.workspace_report(uri, None, items, previous))
                if token is not None:
                    part = types.WorkDoneProgressReport(percentage=100 * (number + 1) // len(closed))
                    server.work_done_progress.report(token, part)
        finally:
            if token is not None and closed:
                server.work_done_progress.end(token, types.WorkDoneProgressEnd())
        return types.WorkspaceDiagnosticReport(parts.left)

    async def inlay_hints(params: types.InlayHintParams) -> list[types.InlayHint] | None:
        return await server.answer(hints.inlay_hints, params) if server.settings.inlayHints else None

    async def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        return await server.answer(hints.code_lenses, params) if server.settings.codeLens else None

    feature(types.TEXT_DOCUMENT_HOVER, "looking something up", hover)
    kinds = [types.CodeActionKind.QuickFix, editing.FIX_ALL, editing.ORGANIZE]
    fixes = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)
    feature(types.TEXT_DOCUMENT_CODE_ACTION, "looking for fixes", code_actions, fixes)
    pull = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="vsac"
    )
    feature(types.TEXT_DOCUMENT_DIAGNOSTIC, "looking for mistakes", document_diagnostic, pull)
    feature(types.WORKSPACE_DIAGNOSTIC, "looking for mistakes", workspace_diagnostic)
    feature(types.TEXT_DOCUMENT_INLAY_HINT, "looking for hints", inlay_hints)
    feature(types.TEXT_DOCUMENT_CODE_LENS, "counting uses", code_lenses, types.CodeLensOptions(True))


def _colours(server: Server, feature: Feature) -> None:
    """Semantic tokens; what was sent last of each document is kept, for changes of it."""

    async def full(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        uri = params.text_document.uri
        data = await server.answer(colours.tokens, uri)
        if data is None:
            return None
        name = str(int(server.sent_tokens.get(uri, ("0", []))[0]) + 1)
        server.sent_tokens[uri] = (name, data)
        return types.SemanticTokens(data, name)

    async def delta(params: types.SemanticTokensDeltaParams) -> Any:
        name, before = server.sent_tokens.get(params.text_document.uri, ("", []))
        whole = await full(types.SemanticTokensParams(params.text_document))
        if whole is None or name != params.previous_result_id:
            return whole
        return types.SemanticTokensDelta(colours.delta(before, whole.data), whole.result_id)

    async def part(params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        lines = (params.range.start.line, params.range.end.line)
        data = await server.answer(colours.tokens, params.text_document.uri, lines)
        return None if data is None else types.SemanticTokens(data)

    feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, "colouring", full, colours.LEGEND)
    feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, "colouring", delta, colours.LEGEND)
    feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, "colouring", part, colours.LEGEND)
