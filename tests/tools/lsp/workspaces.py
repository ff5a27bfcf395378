"""A workspace of a few files for tests of requests, and places in it that are marked in its texts."""

from pathlib import Path
from typing import Any

from lsprotocol import types

from vsalang.base.source import Source
from vsalang.tools.lsp.convert import Places
from vsalang.tools.lsp.snapshot import Client, Snapshot
from vsalang.tools.lsp.store import Document

APP = """// What the shop shows: https://example.org/shop.
// Two lines.
app shop package "com.shop" "A shop"
import kit

enum Size "How large" {Small, "Very large"}
let Limit = 3.
view Item "The thing" {
  size: Size "how large"
  colour: enum {Red, Blue}
  price: Number "what it costs"
}
screen Page "A page" when Node(id = "page").
goto Page when tap(id = "home").
update Item(size = member(?s), price = number(?p))
  when Node(id = "size", text = ?s), Node(id = "price", text = ?p).
define Cheap(price = ?p) when Item(price = ?p), ?p < Limit, kit.Ready(ok = true).
action Pay(price: Number "how much") "Pay for it"
recognize Pay(price = ?p) when tap(id = "pay") with Item(price = ?p).
"""
SPEC = """spec buy "Pay at most 3 on 2026-12-24"
import shop

@id("only_small")
allow either Pay(price = ?p) when Item(size = Small, price = ?p), Cheap(price = ?p).
allow either Pay(price = 1) when screen Page.
deny "not {?q}" when tap, Item(price = ?q, colour = Red), ?q > 5.
done when Pay earlier.

test "paid" {
  given Item(size = Small, colour = Blue, price = 2).
  attempt Pay(price = 2) => block because "only_small", price.
}
"""
KIT = """module kit "Tools"
define Ready(ok = ?e) when Node(id = "page", enabled = ?e).
"""
TEXTS = {"shop.vsa": APP, "buy.vsa": SPEC, "kit.vsa": KIT}


class Workspace:
    """Files in a folder, some of them open with other texts."""

    def __init__(self, folder: Path, texts: dict[str, str] = TEXTS, **opened: str) -> None:
        self.folder = folder
        self.texts = dict(texts)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        documents = {}
        for stem, text in opened.items():
            self.texts[f"{stem}.vsa"] = text
            documents[self.uri(stem)] = Document(self.uri(stem), folder / f"{stem}.vsa", text, 1)
        client = Client(markdown=True, markdown_offers=True, snippets=True, versioned=True, related=True)
        self.snapshot = Snapshot(documents, (folder,), Places(), client)

    def uri(self, stem: str) -> str:
        return (self.folder / f"{stem}.vsa").as_uri()

    def place(self, stem: str, piece: str) -> types.Position:
        """The place of ``|`` in a piece of a text; its beginning without one."""
        text = self.texts[f"{stem}.vsa"]
        before, _, rest = piece.partition("|") if "|" in piece else ("", "", piece)
        offset = text.index(before + rest) + len(before)
        return types.Position(*Source("x", text).utf16(offset))

    def ask(self, function: Any, kind: Any, stem: str, piece: str, **words: Any) -> Any:
        document = types.TextDocumentIdentifier(self.uri(stem))
        return function(
            self.snapshot, kind(text_document=document, position=self.place(stem, piece), **words)
        )

    def seen(self, uri: str, where: types.Range) -> str:
        """The text of a range, with the name of its file."""
        stem = uri.rpartition("/")[2].removesuffix(".vsa")
        source = Source("x", self.texts[f"{stem}.vsa"])
        low = source.offset(where.start.line, where.start.character)
        high = source.offset(where.end.line, where.end.character)
        line = source.line(source.position(low).line)
        return f"{stem}: {source.text[low:high]} | {line.strip()}"

    def lines(self, locations: Any) -> list[str]:
        """The places of an answer."""
        return [self.seen(each.uri, each.range) for each in locations or ()]

    def edited(self, edit: types.WorkspaceEdit) -> dict[str, str]:
        """The texts after an edit of the workspace, by the names of their files."""
        texts = {}
        for change in edit.document_changes or ():
            stem = change.text_document.uri.rpartition("/")[2].removesuffix(".vsa")
            texts[stem] = applied(self.texts[f"{stem}.vsa"], change.edits)
        return texts


def applied(text: str, edits: Any) -> str:
    """A text after edits."""
    source = Source("x", text)
    places = [
        (
            source.offset(each.range.start.line, each.range.start.character),
            source.offset(each.range.end.line, each.range.end.character),
            each.new_text,
        )
        for each in edits
    ]
    for low, high, new in sorted(places, reverse=True):
        text = text[:low] + new + text[high:]
    return text
