"""Lists of words in an editor: completed by name and by file, and shown where one points at them."""

from pathlib import Path

import pytest

pytest.importorskip("pygls")

from vsalang.language.semantics import load
from vsalang.tools.lsp.completing import completions
from vsalang.tools.lsp.names import module_in

POLICY = """policy p "P"
import m
let Sends = words \"\"\"
  send, ~s
\"\"\".
let Stars = /^\\*+$/.
let Seven = 7.
deny "no" when tap(label matches Sends).
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "pays.words").write_text("pay\n", "utf-8")
    (tmp_path / "words" / ".hidden.words").write_text("pay\n", "utf-8")
    (tmp_path / "link.words").symlink_to(tmp_path / "words" / "pays.words")
    (tmp_path / "m.vsa").write_text(
        'module m "M"\nlet Pays = words "words/pays.words".\nlet Sends = words "words/pays.words".\n', "utf-8"
    )
    return tmp_path / "p.vsa"


def offered(policy: Path, begun: str) -> list[tuple[str, str]]:
    """What is offered behind a begun last line."""
    text = POLICY + begun
    policy.write_text(text, "utf-8")
    loaded = load(policy)
    start, offers = completions(module_in(loaded), loaded.sources[loaded.file], len(text))
    return [(text[start:], offer.text) for offer in offers]


@pytest.mark.parametrize(
    ("begun", "texts"),
    [
        ('deny "x" when tap(label matches ', ["Sends", "Stars", "Pays", "m.Sends"]),
        ('deny "x" when tap(label not matches S', ["Sends", "Stars"]),
        ('deny "x" when tap(label in ', ["Sends", "Pays", "m.Sends"]),
        ('deny "x" when tap(label in m.', ["m.Sends"]),
        ('deny "x" when tap(label = ', ["currency", "lower", "line"]),
        ('let L = words "', ["words/pays.words"]),
        ('let L = words "words/p', ["words/pays.words"]),
        ('let L = words "x', []),
        ('let L = words """', []),
    ],
)
def test_what_is_offered(begun: str, texts: list[str], policy: Path) -> None:
    found = offered(policy, begun)
    assert [text for _, text in found] == texts
    assert all(text.startswith(start) for start, text in found)


def test_nothing_of_a_file_that_is_not_a_module(tmp_path: Path) -> None:
    (tmp_path / "p.vsa").write_text("???", "utf-8")
    loaded = load(tmp_path / "p.vsa")
    assert completions(module_in(loaded), loaded.sources[loaded.file], 3)[1] == []


def test_an_editor_completes_and_shows_lists(client, policy: Path) -> None:  # type: ignore[no-untyped-def]
    capabilities = client.initialize()["capabilities"]
    assert capabilities["completionProvider"]["resolveProvider"] is True
    text = POLICY + 'deny "x" when tap(label in Pa'
    uri = client.open(policy, text)
    last = {"line": text.count("\n"), "character": len(text.split("\n")[-1])}
    where = {"textDocument": {"uri": uri}, "position": last}
    (item,) = client.request("textDocument/completion", where)["items"]
    assert (item["label"], item["detail"]) == ("Pays", '"pay"')
    assert item["textEdit"]["newText"] == "Pays"
    assert item["textEdit"]["range"]["start"]["character"] == last["character"] - 2
    at = {"textDocument": {"uri": uri}, "position": {"line": 7, "character": 34}}
    shown = client.request("textDocument/hover", at)["contents"]["value"]
    assert "let Sends = words, 1 entry" in shown
    assert '"send" and "sends"' in shown
