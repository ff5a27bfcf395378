"""What must hold whatever an editor does: named errors, no growth, the document under the cursor first."""

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from tests.tools.lsp.conftest import Client
from tests.tools.lsp.workspaces import SPEC, Workspace
from vsalang.base.source import Source
from vsalang.language.semantics import rule_cache
from vsalang.language.syntax import cache
from vsalang.tools.lsp import server as server_module
from vsalang.tools.lsp.analysis import Analysis, analyse, carried, check
from vsalang.tools.lsp.server import Server
from vsalang.tools.lsp.settings import Settings, read_settings
from vsalang.tools.lsp.store import Store


def asked(client: Client, number: int, method: str, params: object) -> object:
    client.send({"id": number, "method": method, "params": params})
    while True:
        message = client._next()
        if message.get("id") == number:
            return message.get("error", {}).get("code")


def test_requests_before_the_beginning_and_after_the_end(client: Client) -> None:
    where = {"textDocument": {"uri": "file:///a.vsa"}, "position": {"line": 0, "character": 0}}
    client.notify("textDocument/didOpen", {"textDocument": {}})
    assert asked(client, 101, "textDocument/hover", where) == -32002
    client.initialize()
    assert asked(client, 102, "textDocument/hover", where) is None
    assert asked(client, 103, "shutdown", None) is None
    assert asked(client, 104, "textDocument/hover", where) == -32600
    client.send({"method": "exit"})
    assert client.process.wait(60) == 0


def test_a_message_that_cannot_be_read_is_answered(client: Client) -> None:
    client.initialize()
    client.send_bytes(b"{nonsense")
    assert next_error(client) == -32700
    client.send_bytes(b'{"id": 7, "method": "textDocument/hover"}')
    assert next_error(client) == -32600


def next_error(client: Client) -> int:
    while True:
        message = client._next()
        if "error" in message:
            return int(message["error"]["code"])


def test_unsaved_text_is_never_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Workspace(tmp_path)
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "buy.vsa"
    for number in range(5):
        text = SPEC.replace("> 5", f"> {number + 10}")
        check("x", path, text, {path: text})
    known = {file.stem for file in (tmp_path / "cache").rglob("*.json")}
    assert Source("x", shop.texts["shop.vsa"]).digest in known
    assert Source("x", text).digest not in known and cache.lookup(Source("x", text)) is None


def test_old_versions_of_a_module_are_dropped(tmp_path: Path) -> None:
    Workspace(tmp_path)
    path = tmp_path / "shop.vsa"
    text = path.read_text("utf-8")
    for number in range(6):
        changed = text.replace("Limit = 3", f"Limit = {number}")
        assert check("x", path, changed, {path: changed}).loaded is not None
    for entries in (rule_cache._RULES, rule_cache._TYPES):
        files = [entry[0][0].span.file for entry in entries.values()]
        assert files.count(str(path)) <= rule_cache.VERSIONS


def test_the_document_under_the_cursor_comes_first() -> None:
    store = Store()
    for name in ("a", "b", "c"):
        store.put(f"untitled:{name}", "spec a", 1)
    store.prefer("untitled:b")
    assert list(store.stale) == ["untitled:b", "untitled:c", "untitled:a"]
    store.prefer("untitled:none")
    assert next(iter(store.stale)) == "untitled:b"


def test_somebody_who_goes_on_typing_sees_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the patience is used up the delay does not count: here it is a day, and the patience nothing."""
    monkeypatch.setattr(server_module, "PATIENCE", 0.0)

    async def typing() -> None:
        server = Server("1", delay=86400.0)
        done = asyncio.Event()

        async def refresh(uri: str = "") -> None:
            done.set()

        monkeypatch.setattr(server, "refresh", refresh)
        server.look(soon=True)
        await asyncio.wait_for(done.wait(), 60)
        server.shutdown()

    asyncio.run(typing())


def test_lint_findings_stay_where_nothing_changed() -> None:
    text = 'spec a "Say yes"\nlet Some = 1.\nlet Other = 2.\nallow answer(text = "yes").\ndone when answer earlier.\n'
    before = analyse("untitled:a", None, text, {})
    assert [item.code for item in before.diagnostics] == ["L0029", "L0029"]
    changed = text.replace("let Some = 1.", "let Some = 123.")
    after = check("untitled:a", None, changed, {})
    kept = carried(before, after)
    assert [changed[item.span.start : item.span.end] for item in kept.diagnostics if item.span] == [
        "Other"
    ] or [item.code for item in kept.diagnostics] == ["L0029", "L0029"]
    for item in kept.diagnostics:
        assert item.span is not None and item.span.end <= len(changed) and not item.fixes
    assert isinstance(carried(before, before), Analysis)


def test_a_broken_app_is_an_error_of_each_import(tmp_path: Path) -> None:
    shop = Workspace(tmp_path)
    broken = shop.texts["shop.vsa"].replace("Node(id", "Nod(id", 1)
    (tmp_path / "shop.vsa").write_text(broken, "utf-8")
    path = tmp_path / "buy.vsa"
    result = analyse("x", path, SPEC, {path: SPEC})
    (item,) = (each for each in result.diagnostics if each.where == result.file)
    assert item.span is not None and SPEC[item.span.start : item.span.end] == "shop"
    assert item.message.startswith("`shop` has an error: ") and item.labels


@pytest.mark.parametrize(
    ("text", "line"), [("serach = []\n", 0), ("search = []\n[lint\n", 1), ("[lint]\nignor = []\n", 1)]
)
def test_a_mistake_in_the_configuration_is_shown_there(tmp_path: Path, text: str, line: int) -> None:
    Workspace(tmp_path)
    config = tmp_path / "vsac.toml"
    config.write_text(text, "utf-8")
    path = tmp_path / "buy.vsa"
    result = analyse("x", path, SPEC, {path: SPEC})
    (item,) = (each for each in result.diagnostics if each.where != result.file)
    assert item.where == str(config) and item.span is not None
    assert text.count("\n", 0, item.span.start) == line
    assert [each.code for each in result.diagnostics if each.where == result.file] == [item.code]


def test_settings_are_read_with_care() -> None:
    assert read_settings({"vsac": {"lint": False}}) == (Settings(lint=False), [])
    assert read_settings(None) == (Settings(), [])
    settings, mistakes = read_settings({"lnit": True, "codeLens": "no", "inlayHints": False})
    assert settings == Settings(inlayHints=False) and len(mistakes) == 2
    assert read_settings([1])[0] == Settings()
