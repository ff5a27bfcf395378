"""``vsac lsp`` as an editor sees it: a real process, real messages."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from vsalang.base.source import Source
from vsalang.language.syntax.formatting import format_source

APP = """app shop package "com.shop" "A shop"
state Cart "What will be bought" {
  total: Number "what it costs"
}
update Cart(total = number(?t)) when Node(id = "total", text = ?t).
action Pay(amount: Number "how much") "Pay for the cart"
recognize Pay(amount = ?a) when tap(id = "pay") with Cart(total = ?a).
"""
SPEC = """spec pay "Pay for what is in the cart"
import shop
allow Pay(amount = ?a) when Cart(total = ?a).
done when Pay earlier.
"""


def underlined(text: str, item: dict[str, Any], encoding: str = "utf-16-le") -> str:
    """The text that a diagnostic's range covers, read as an editor reads it."""
    unit = {"utf-16-le": 2, "utf-8": 1, "utf-32-le": 4}[encoding]
    lines = text.split("\n")
    start, end = item["range"]["start"], item["range"]["end"]
    assert start["line"] == end["line"]
    data = lines[start["line"]].encode(encoding)
    return data[start["character"] * unit : end["character"] * unit].decode(encoding)


def apply(text: str, edits: list[dict[str, Any]]) -> str:
    """The text after edits."""
    lines = text.split("\n")

    def offset(place: dict[str, int]) -> int:
        line = lines[place["line"]].encode("utf-16-le")[: place["character"] * 2].decode("utf-16-le")
        return sum(len(other) + 1 for other in lines[: place["line"]]) + len(line)

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def place(text: str, piece: str, nth: int = 0) -> dict[str, int]:
    """The place of the nth occurrence of a piece of text."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(piece, at + 1)
    before = text[:at].split("\n")
    return {"line": len(before) - 1, "character": len(before[-1].encode("utf-16-le")) // 2}


def actions(client, uri: str, where: dict[str, int]) -> list[dict[str, Any]]:
    return client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": {"start": where, "end": where},
            "context": {"diagnostics": []},
        },
    )


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.vsa").write_text(APP, encoding="utf-8")
    return tmp_path / "pay.vsa"


def test_a_session(client, shop) -> None:
    capabilities = client.initialize()["capabilities"]
    assert capabilities["textDocumentSync"]["change"] == 1  # whole texts
    assert capabilities["hoverProvider"] and capabilities["definitionProvider"]
    bad = SPEC.replace("done when Pay earlier.", "/* 😀𝒳 */ done when Pai earlier.")
    uri = client.open(shop, bad)
    (item,) = client.published(uri, 1)
    assert item["code"] == "E0204" or item["code"].startswith("E")
    assert item["severity"] == 1 and item["source"] == "vsac"
    assert underlined(bad, item) == "Pai"

    (fix,) = [a for a in actions(client, uri, item["range"]["start"]) if "edit" in a]
    assert fix["kind"] == "quickfix" and fix["isPreferred"] and fix["title"] == "write `Pay`"
    mended = apply(bad, fix["edit"]["changes"][uri])
    assert mended == SPEC.replace("done when", "/* 😀𝒳 */ done when")

    client.change(uri, mended, 2)
    assert client.published(uri, 2) == []
    assert actions(client, uri, item["range"]["start"]) == []
    assert client.leave() == 0


@pytest.mark.parametrize(
    ("offered", "encoding"), [("utf-8", "utf-8"), ("utf-32", "utf-32-le"), ("utf-16", "utf-16-le")]
)
def test_the_agreed_way_of_counting(client, shop, offered: str, encoding: str) -> None:
    result = client.initialize(general={"positionEncodings": [offered]})
    assert result["capabilities"]["positionEncoding"] == offered
    bad = SPEC.replace("done when Pay", "/* ü😀 */ done when Pai")
    uri = client.open(shop, bad)
    (item,) = client.published(uri)
    assert underlined(bad, item, encoding) == "Pai"
    hover = client.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": item["range"]["start"]}
    )
    assert item["code"] in hover["contents"]["value"]


def test_lint_findings_and_switching_them_off(client, shop) -> None:
    client.initialize(workspace={"workspaceEdit": {"documentChanges": True}})
    text = SPEC.replace("  ", "").replace("?a) when Cart(total = ?a)", "?a)\n  when Cart(total = ?b)")
    uri = client.open(shop, text, 7)
    items = client.published(uri, 7)
    assert {(item["code"], item["severity"]) for item in items} == {("L0001", 2), ("L0004", 2)}
    once = next(item for item in items if item["code"] == "L0001")
    assert underlined(text, once) == "?b"
    offered = actions(client, uri, once["range"]["start"])
    ignore = next(action for action in offered if action["title"] == "ignore L0001 here")
    (change,) = ignore["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 7}
    quiet = apply(text, change["edits"])
    assert "\n  // lint: ignore L0001\n  when Cart" in quiet
    client.change(uri, quiet, 8)
    assert [item["code"] for item in client.published(uri, 8)] == ["L0004"]


def test_an_unsaved_import_counts(client, shop) -> None:
    client.initialize()
    spec = client.open(shop, SPEC)
    assert client.published(spec, 1) == []
    app = client.open(shop.with_name("shop.vsa"), APP.replace("total", "sum"))
    (item,) = client.published(spec, 1)
    assert underlined(SPEC, item) == "total"
    assert client.published(app, 1) == []
    client.change(app, APP, 2)
    assert client.published(spec, 1) == []
    client.change(app, APP.replace("state Cart", "state state Cart"), 3)
    assert client.published(app, 3) != []
    (item,) = client.published(spec)
    assert underlined(SPEC, item) == "shop" and "has an error" in item["message"]
    client.close(app)  # the file on disk is fine
    assert client.published(app) == []
    assert client.published(spec) == []


def test_a_broken_import_is_shown_in_its_file(client, shop) -> None:
    client.initialize()
    app = shop.with_name("shop.vsa")
    app.write_text(APP.replace("Node(", "Nod("), encoding="utf-8")
    spec = client.open(shop, SPEC)
    (item,) = client.published(app.as_uri())
    assert item["range"]["start"]["line"] == 4 and "Nod" in item["message"]
    client.published(spec)
    app.write_text(APP, encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": app.as_uri(), "type": 2}]})
    assert client.published(app.as_uri()) == []
    app.write_text(APP.replace("Node(", "Nod("), encoding="utf-8")
    client.notify("textDocument/didSave", {"textDocument": {"uri": spec}})
    assert client.published(app.as_uri()) != []
    client.close(spec)
    assert client.published(app.as_uri()) == []


def test_an_import_that_appears(client, shop) -> None:
    client.initialize()
    text = SPEC.replace("import shop", "import store")
    spec = client.open(shop, text)
    assert "E0201" in {item["code"] for item in client.published(spec)}
    client.open(shop.with_name("store.vsa"), APP.replace("app shop", "app store"))
    assert client.published(spec) == []


def test_a_document_without_a_file(client) -> None:
    client.initialize()
    text = 'spec a "Say yes"\nallow answer(text = "yes").\ndone when anser earlier.\n'
    uri = client.open("untitled:Untitled-1", text)
    (item,) = client.published(uri)
    assert underlined(text, item) == "anser"
    client.close(uri)
    assert client.published(uri) == []


def test_hover_and_definition(client, shop) -> None:
    client.initialize(textDocument={"hover": {"contentFormat": ["markdown", "plaintext"]}})
    uri = client.open(shop, SPEC)
    client.published(uri)

    def ask(kind: str, piece: str, nth: int = 0) -> Any:
        where = place(SPEC, piece, nth)
        return client.request(f"textDocument/{kind}", {"textDocument": {"uri": uri}, "position": where})

    cart = ask("hover", "Cart")
    assert cart["contents"]["kind"] == "markdown"
    assert cart["contents"]["value"] == (
        '```vsa\nstate Cart {\n  total: Number  "what it costs"\n}\n```\n\nWhat will be bought'
    )
    assert cart["range"]["start"] == place(SPEC, "Cart")
    assert "how much" in ask("hover", "amount")["contents"]["value"]
    assert "A shop" in ask("hover", "shop")["contents"]["value"]
    assert "The conditions under which" in ask("hover", "when")["contents"]["value"]
    app = shop.with_name("shop.vsa").as_uri()
    (found,) = ask("definition", "Cart")
    assert found == {"uri": app, "range": {"start": place(APP, "Cart"), "end": found["range"]["end"]}}
    assert ask("definition", "total")[0]["range"]["start"] == place(APP, "total")
    assert ask("definition", "Pay", 1)[0]["range"]["start"] == place(APP, "Pay")
    assert ask("definition", "shop")[0]["uri"] == app
    assert ask("definition", "when") is None


def test_what_somebody_wrote_is_no_markup(client, shop) -> None:
    client.initialize(textDocument={"hover": {"contentFormat": ["markdown"]}})
    evil = APP.replace("What will be bought", "[click](command:x) <b> \\u202e `")
    shop.with_name("shop.vsa").write_text(evil, encoding="utf-8")
    uri = client.open(shop, SPEC)
    client.published(uri)
    where = place(SPEC, "Cart")
    value = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})[
        "contents"
    ]["value"]
    assert "\\[click\\]\\(command:x\\) \\<b\\> \\<U\\+202E\\> \\`" in value


def test_nothing_that_is_typed_ends_it(client, shop) -> None:
    client.initialize()
    uri = client.open(shop, "")
    assert client.published(uri, 1) != []
    texts = [
        "\x00", '"', "/*", "spec", "(" * 5000, "\ud800 spec a", SPEC[:40], SPEC + "\u2028\u2029\x85\x0c", "{" * 3000,
        SPEC.replace("\n", "\r\n"), SPEC.replace("\n", "\r"), "x" * (5 * 1024 * 1024),
    ]  # fmt: skip
    for version, text in enumerate(texts, 2):
        client.change(uri, text, version)
        items = client.published(uri, version)
        assert all(item["range"]["start"]["line"] >= 0 for item in items)
        where = {"line": 10**6, "character": 10**6}
        assert actions(client, uri, where) == [] or items
        client.request(
            "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 1}}
        )
    client.change(uri, SPEC, 99)
    assert client.published(uri, 99) == []
    assert client.leave() == 0


def formatted(client, uri: str) -> Any:
    return client.request(
        "textDocument/formatting",
        {"textDocument": {"uri": uri}, "options": {"tabSize": 8, "insertSpaces": False}},
    )


def test_formatting(client, shop) -> None:
    assert client.initialize()["capabilities"]["documentFormattingProvider"]
    ugly = SPEC.replace("import shop", "\n\n\nimport   shop").replace(
        "Pay(amount = ?a) when", "Pay(amount=?a):-"
    )
    uri = client.open(shop, ugly)
    client.published(uri, 1)
    edits = formatted(client, uri)
    wanted = format_source(Source.from_text(ugly))
    assert apply(ugly, edits) == wanted and wanted != ugly
    assert all(edit["range"]["start"]["line"] > 0 for edit in edits)  # the first line is not touched
    client.change(uri, wanted, 2)
    assert formatted(client, uri) == []
    client.change(uri, ugly + "allow", 3)
    assert formatted(client, uri) is None  # it does not parse
    assert formatted(client, shop.with_name("never_opened.vsa").as_uri()) is None
    assert client.leave() == 0


def test_the_project_is_read_as_check_reads_it(client, shop) -> None:
    modules = shop.parent / "modules"
    modules.mkdir()
    shop.with_name("shop.vsa").rename(modules / "shop.vsa")
    client.initialize()
    lacking = SPEC.replace("Pay(amount = ?a) when Cart(total = ?a)", "Pay when Cart(total = 1)")
    uri = client.open(shop, lacking)
    assert [item["code"] for item in client.published(uri, 1)] == ["E0201"]

    config = shop.with_name("vsac.toml")
    config.write_text('search = ["modules"]\n')
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": config.as_uri(), "type": 1}]})
    found = {item["code"]: item["severity"] for item in client.published(uri, 1)}
    assert found and set(found.values()) == {2}
    code = min(found)

    config.write_text(f'search = ["modules"]\n[lint]\nlevels = {{ {code} = "error" }}\n')
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert {item["code"]: item["severity"] for item in client.published(uri, 1)} == {**found, code: 1}
    others = ", ".join(f'"{other}"' for other in found if other != code)
    config.write_text(f'search = ["modules"]\n[lint]\nignore = [{others}]\nlevels = {{ {code} = "off" }}\n')
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert client.published(uri, 1) == []

    config.write_text("serach = []\n")
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    (item,) = client.published(uri, 1)
    assert item["code"] == "E0021" and item["severity"] == 1 and "vsac.toml:1" in item["message"]


def test_a_message_that_is_none(client, shop) -> None:
    client.initialize()
    client.send_bytes(b"{nonsense")
    assert client.notification("window/logMessage")["type"] == 1
    client.send_bytes(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}).encode())
    client.notification("window/logMessage")
    uri = client.open(shop, SPEC)
    assert client.published(uri) == []


def test_changed_files_are_watched(client, shop) -> None:
    client.initialize(workspace={"didChangeWatchedFiles": {"dynamicRegistration": True}})
    client.published(client.open(shop, SPEC))
    (asked,) = client.asked
    assert asked["method"] == "client/registerCapability"
    assert "vsac.toml" in json.dumps(asked)


def test_leaving_without_goodbye(client) -> None:
    client.initialize()
    client.send({"method": "exit"})
    assert client.process.wait(60) == 1


def test_an_editor_that_dies(client) -> None:
    client.initialize()
    client.process.stdin.close()
    assert client.process.wait(60) == 1


def test_values_in_another_spelling_have_quick_fixes(client, shop) -> None:
    client.initialize()
    values = {'"today"': "today", "24.12.2026": "2026-12-24", "flase": "false"}
    for written, meant in values.items():
        attr = "open" if written == "flase" else "day"
        text = (
            'app box package "b" "A box"\nstate Cart { day: Date  open: Bool }\n'
            f"define Big when Cart({attr} = {written}).\n"
        )
        uri = client.open(shop.with_name(f"{meant}.vsa"), text)
        (action,) = actions(client, uri, place(text, written))
        (edit,) = action["edit"]["changes"][uri]
        assert (action["kind"], edit["newText"]) == ("quickfix", meant)


def test_findings_of_a_workspace_come_in_parts(client, tmp_path):
    """An editor that gives a token has each file when it was looked at, and nothing at the end."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.vsa").write_text(f'spec {name} "Say {name}"\nallow answr.\n', "utf-8")
    folders = [{"uri": tmp_path.as_uri(), "name": "here"}]
    client.request(
        "initialize", {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folders}
    )
    client.notify("initialized", {})
    whole = client.request("workspace/diagnostic", {"previousResultIds": []})["items"]
    assert len(whole) == 3 and all(each["items"] for each in whole)
    last = client.request("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": "parts"})
    parts = [client.notification("$/progress") for _ in whole]
    assert last == {"items": []} and {each["token"] for each in parts} == {"parts"}
    assert [item for each in parts for item in each["value"]["items"]] == whole
