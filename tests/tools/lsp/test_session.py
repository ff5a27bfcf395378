"""Whole sessions with ``vsac lsp``, by the client of pytest-lsp: one process for all tests of requests."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")
pytest.importorskip("pytest_lsp")

import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.tools.lsp.workspaces import SPEC, TEXTS, Workspace

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-m", "vsalang.tools.cli.main", "lsp", "--stdio"]
pytestmark = pytest.mark.asyncio(loop_scope="module")
SAID: list[types.ServerCapabilities] = []
"""What the server said that it can do."""


def config() -> Any:
    return pytest_lsp.ClientServerConfig(
        server_command=COMMAND, server_env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(tmp_path_factory.mktemp("session"))


@pytest_lsp.fixture(config=config(), scope="module", loop_scope="module")
async def editor(lsp_client: LanguageClient, shop: Workspace) -> AsyncIterator[None]:
    """A session in the folder of the shop, with `buy.vsa` open."""
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            configuration=True,
            file_operations=types.FileOperationClientCapabilities(will_rename=True),
        ),
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            rename=types.RenameClientCapabilities(prepare_support=True),
            diagnostic=types.DiagnosticClientCapabilities(related_document_support=False),
            code_action=types.CodeActionClientCapabilities(
                resolve_support=types.ClientCodeActionResolveOptions(["edit"])
            ),
        ),
    )
    folders = [types.WorkspaceFolder(shop.folder.as_uri(), "shop")]
    params = types.InitializeParams(capabilities=capabilities, workspace_folders=folders)
    session = await lsp_client.initialize_session(params)
    SAID.append(session.capabilities)
    opened = types.TextDocumentItem(shop.uri("buy"), "vsa", 1, SPEC)
    lsp_client.text_document_did_open(types.DidOpenTextDocumentParams(opened))
    yield
    await lsp_client.shutdown_session()


def document(shop: Workspace, stem: str = "buy") -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(shop.uri(stem))


async def test_the_client_is_told_of_every_request(editor: Any) -> None:
    (said,) = SAID
    missing = [
        name
        for name in (
            "completion_provider", "hover_provider", "signature_help_provider", "declaration_provider",
            "definition_provider", "type_definition_provider", "implementation_provider", "references_provider",
            "document_highlight_provider", "document_symbol_provider", "code_action_provider",
            "code_lens_provider", "document_link_provider", "document_formatting_provider",
            "document_range_formatting_provider", "document_on_type_formatting_provider", "rename_provider",
            "folding_range_provider", "selection_range_provider", "call_hierarchy_provider",
            "semantic_tokens_provider", "linked_editing_range_provider", "workspace_symbol_provider",
            "inlay_hint_provider", "diagnostic_provider",
        )
        if not getattr(said, name)
    ]  # fmt: skip
    assert missing == []
    assert said.rename_provider.prepare_provider and said.semantic_tokens_provider.full.delta
    assert said.diagnostic_provider.workspace_diagnostics and said.workspace.file_operations.will_rename


async def test_requests_of_each_shape(editor: Any, shop: Workspace) -> None:
    place = shop.place("buy", "|Pay(price = ?p)")
    words = {"text_document": document(shop), "position": place}
    (found,) = await editor.text_document_definition_async(types.DefinitionParams(**words))
    assert shop.seen(found.uri, found.range).startswith("shop: Pay")
    context = types.ReferenceContext(include_declaration=True)
    assert len(await editor.text_document_references_async(types.ReferenceParams(context, **words))) == 6
    hover = await editor.text_document_hover_async(types.HoverParams(**words))
    assert hover.contents.value.startswith("```vsa\naction Pay")
    renamed = await editor.text_document_rename_async(types.RenameParams(new_name="Buy", **words))
    assert {change.text_document.version for change in renamed.document_changes} == {1, None}
    offers = await editor.text_document_completion_async(types.CompletionParams(**words))
    pay = next(each for each in offers.items if each.label == "Pay")
    resolved = await editor.completion_item_resolve_async(pay)
    assert "Pay for it" in resolved.documentation.value
    lenses = await editor.text_document_code_lens_async(types.CodeLensParams(document(shop, "shop")))
    lens = await editor.code_lens_resolve_async(lenses[-1])
    assert lens.command.title == "allowed by 2 clauses"


async def test_tokens_and_then_what_changed(editor: Any, shop: Workspace) -> None:
    params = types.SemanticTokensParams(document(shop))
    whole = await editor.text_document_semantic_tokens_full_async(params)
    ask = editor.text_document_semantic_tokens_full_delta_async
    same = await ask(types.SemanticTokensDeltaParams(document(shop), whole.result_id))
    assert list(same.edits) == []
    other = await ask(types.SemanticTokensDeltaParams(document(shop), "of yesterday"))
    assert other.data == whole.data


async def test_findings_are_pulled_once(editor: Any, shop: Workspace) -> None:
    ask = editor.text_document_diagnostic_async
    first = await ask(types.DocumentDiagnosticParams(document(shop)))
    assert [item.code for item in first.items] == ["L0008"] or first.items
    again = await ask(types.DocumentDiagnosticParams(document(shop), previous_result_id=first.result_id))
    assert again.kind == "unchanged"
    everything = await editor.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert {report.uri for report in everything.items} == {shop.uri(stem) for stem in ("buy", "shop", "kit")}
    known = [types.PreviousResultId(each.uri, each.result_id) for each in everything.items]
    later = await editor.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
    assert {report.kind for report in later.items} == {"unchanged"}


async def test_a_command_runs_the_tests(editor: Any, shop: Workspace) -> None:
    arguments = [str(shop.folder / "buy.vsa"), "paid", False]
    output = await editor.workspace_execute_command_async(
        types.ExecuteCommandParams("vsac.test", arguments=arguments)
    )
    assert "1 passed" in output


async def test_fix_all_is_resolved(editor: Any, shop: Workspace) -> None:
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    context = types.CodeActionContext([], only=["source.fixAll"])
    params = types.CodeActionParams(document(shop), whole, context)
    (action,) = await editor.text_document_code_action_async(params)
    assert action.edit is None
    resolved = await editor.code_action_resolve_async(action)
    assert resolved.edit is not None


async def test_a_refusal_says_why(editor: Any, shop: Workspace) -> None:
    place = shop.place("buy", "import |shop")
    params = types.RenameParams(text_document=document(shop), position=place, new_name="Other")
    with pytest.raises(JsonRpcException, match="renaming its file"):
        await editor.text_document_rename_async(params)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/hover", {"textDocument": 3}, -32602),
        ("textDocument/references", {}, -32602),
        ("textDocument/rename", None, -32602),
        ("no/such", {}, -32601),
        ("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, -32600),
    ],
)
async def test_wrong_requests_get_the_named_error(editor: Any, method: str, params: Any, code: int) -> None:
    """The client of pygls checks parameters itself, so the message is written by hand."""
    number = f"by hand {method}"
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    editor.protocol._request_futures[number] = future
    editor.protocol._result_types[number] = None
    editor.protocol._send_data({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    with pytest.raises(JsonRpcException) as caught:
        await asyncio.wait_for(future, 60)
    assert caught.value.code == code


async def test_a_session_goes_on_after_all_that(editor: Any, shop: Workspace) -> None:
    text = SPEC.replace("Cheap(", "Chaep(")
    where = types.VersionedTextDocumentIdentifier(2, shop.uri("buy"))
    changes = [types.TextDocumentContentChangeWholeDocument(text)]
    editor.text_document_did_change(types.DidChangeTextDocumentParams(where, changes))
    report = await editor.text_document_diagnostic_async(types.DocumentDiagnosticParams(document(shop)))
    assert [item.code for item in report.items] == ["E0204"]
    assert TEXTS["buy.vsa"] == SPEC
