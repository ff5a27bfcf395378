"""The parts of the language server without an editor: analysis, names, places, quick fixes."""

import asyncio
import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests import processes

pytest.importorskip("pygls")

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

import vsalang.tools.lsp.server as server_module
from vsalang.base.resources import resource_dir
from vsalang.base.source import Source
from vsalang.language.lint import CODES as LINT_CODES
from vsalang.language.semantics import load, load_text
from vsalang.tools.lsp.actions import quick_fixes
from vsalang.tools.lsp.analysis import analyse, failed
from vsalang.tools.lsp.convert import Places
from vsalang.tools.lsp.describe import describe
from vsalang.tools.lsp.layout import changes, layout
from vsalang.tools.lsp.names import at
from vsalang.tools.lsp.server import Server
from vsalang.tools.lsp.snapshot import Snapshot
from vsalang.tools.lsp.store import Store, path_of

OPENTABLE = resource_dir("app_specs") / "apps" / "opentable.vsa"
RESERVE = resource_dir("app_specs") / "examples" / "reserve_r.vsa"
TABLE = Path(__file__).parents[2] / "programs" / "right" / "table.vsa"


def declared(path: Path, piece: str) -> str:
    """The line, from its name on, where the name that begins a piece of a file is declared."""
    loaded = load(path)
    found = at(loaded, loaded.sources[loaded.file].text.index(piece))
    assert found is not None and found.declared is not None
    source = loaded.sources[found.declared.file]
    place = source.position(found.declared.start)
    return source.line(place.line)[place.column - 1 :]


@pytest.mark.parametrize(
    ("path", "piece", "wanted"),
    [
        (OPENTABLE, "Details when tap", 'Details "'),
        (OPENTABLE, "Search, Details", 'Search "'),
        (OPENTABLE, "SlotRow(row = ?r),\n       Inside", "SlotRow(row = ?r) when"),
        (OPENTABLE, "row = ?r),\n       Inside", "row = ?r) when"),
        (OPENTABLE, 'restaurant, date) "', "restaurant: Text"),
        (OPENTABLE, "Receipt when Reserve.", "Receipt over"),
        (OPENTABLE, "std.tree", "std.tree "),
        (TABLE, 'Delete "Take', "Delete(what"),
        (TABLE, "Order(item", "Order(item"),
        (TABLE, "amount = ?price", "amount: Number"),
        (RESERVE, "apps.opentable", "apps.opentable package"),
        (RESERVE, "Slot(", "Slot in"),
        (RESERVE, "available", "available: Bool"),
        (RESERVE, "success", "success: Bool"),
        (RESERVE, "Reserve earlier", "Reserve(restaurant"),
    ],
)
def test_declarations(path: Path, piece: str, wanted: str) -> None:
    assert declared(path, piece).startswith(wanted)


TEXT = """app shop package "com.shop" "A shop"
enum Size "How large" {Small, "Very large"}
let Limit = 3.
view Item "The thing" {
  size: Size "how large"
}
screen Page "A page" when Node(id = "x").
define Big(n = ?n) when Item(size = ?s), Node(node = ?n), ?n > Limit.
deny "no" when tap, Big(n = ?k), ?k > 1, screen Page, Window(window = 1).
"""


@pytest.mark.parametrize(
    ("piece", "wanted"),
    [
        ('Size "how', 'enum Size {Small, "Very large"}'),
        ("Limit.\n", "let Limit = 3"),
        ("Item(", 'view Item {\n  size: Size  "how large"\n}\n\nThe thing'),
        ("size = ?s", "Item.size: Size\n\nhow large"),
        ("Page, W", "screen Page\n\nA page"),
        ("Big(n = ?k", "define Big {\n  n: Number\n}"),
        ("Window(", "observed Window {\n  window: Number"),
        ("tap, Big", "gesture tap {\n  node: Number"),
    ],
)
def test_descriptions(piece: str, wanted: str) -> None:
    loaded = load_text(TEXT, file="x.vsa")
    assert loaded.ok, loaded.diagnostics
    found = at(loaded, TEXT.index(piece))
    assert found is not None
    text = describe(found.symbol, markdown=False)
    assert text.startswith(wanted)
    assert describe(found.symbol, markdown=True).startswith("```vsa\n")


@pytest.mark.parametrize("value", [r'"say \"no\""', r"/\d\/\d/i", '{"a", 3}', "today + 2d"])
def test_a_constant_is_shown_as_it_is_written(value: str) -> None:
    text = f'module m "M"\nlet Value = {value}.\n'
    found = at(load_text(text, file="m.vsa"), text.index("Value"))
    assert found is not None and describe(found.symbol, markdown=False) == f"let Value = {value}"


def test_names_of_a_broken_module() -> None:
    text = TEXT.replace("let Limit = 3.", "let Limit = .")
    loaded = load_text(text, file="x.vsa")
    assert not loaded.ok
    found = at(loaded, text.index("Item("))
    assert found is not None and found.declared is not None
    assert text[found.declared.start :].startswith('Item "The thing"')


@given(
    st.lists(st.sampled_from("abc"), max_size=12),
    st.lists(st.sampled_from("abc"), max_size=12),
    st.booleans(),
)
def test_changes_lead_from_one_text_to_the_other(before: list[str], after: list[str], ends: bool) -> None:
    old = "\n".join(before) + "\n" * ends
    new = "\n".join(after) + "\n"
    text = old
    for start, end, piece in reversed(list(changes(old, new))):
        assert start == 0 or old[start - 1] == "\n"
        text = text[:start] + piece + text[end:]
    assert text == new


def test_layout_of_long_and_odd_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    ugly = 'spec a "Say yes"\n' + "".join(f"let  A{n} = {n}.\nlet B{n} = {n}.\n" for n in range(20))
    edits = layout(ugly, "a.vsa", Places())
    assert edits is not None and len(edits) == 20
    longer = ugly.replace("let B19", "\n\n\nlet  B19")
    edits = layout(longer, "a.vsa", Places()) or []
    assert len(edits) == 21 and (edits[-1].range.start.line, edits[-1].range.end.line) == (41, 44)
    monkeypatch.setattr("vsalang.tools.lsp.layout._MOST_LINES", 5)
    # between lines that are there once, the lines that differ are found in a text of any length
    edits = layout(longer, "a.vsa", Places()) or []
    assert len(edits) == 20 and (edits[-1].range.start.line, edits[-1].range.end.line) == (39, 44)
    assert list(changes("a\nb\na\nb\nc\n", "a\nb\nb\na\nb\nb\nc\n")) == [(0, 8, "a\nb\nb\na\nb\nb\n")]
    assert layout(ugly.replace("\n", "\r"), "a.vsa", Places()) is None  # E0151
    said = ugly.replace('"Say yes"', '"""Say\ryes"""')  # a line for editors, none for us
    (edit,) = layout(said, "a.vsa", Places()) or ()
    assert edit.range.start == types.Position(0, 0) and edit.range.end.line > said.count("\n")
    (edit,) = layout('spec a "😀"  \r\n', "a.vsa", Places()) or ()
    assert edit.new_text == 'spec a "😀"\r\n'
    assert layout("spec\0", "a.vsa", Places()) is None
    assert layout('spec a "b', "a.vsa", Places()) is None


@given(st.text(alphabet="aü𝒳😀\n\r\t", max_size=30), st.integers(0, 40))
def test_places_there_and_back(text: str, offset: int) -> None:
    source = Source("x", text)
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n" or (
        text[offset : offset + 1] == "\n" and text[:offset].endswith("\r")
    ):
        return  # between the two characters of a line's end there is no place
    if text[:offset].endswith("\r"):
        return
    for encoding in ("utf-8", "utf-16", "utf-32"):
        places = Places(encoding)
        place = places.position(source, offset)
        assert places.offset(source, place) == offset, encoding


def test_paths_of_uris(tmp_path: Path) -> None:
    assert path_of((tmp_path / "a b ü.vsa").as_uri()) == (tmp_path / "a b ü.vsa").resolve()
    for uri in ("untitled:Untitled-1", "git:/x/y.vsa", "file:///a%00b", "http://[", ""):
        assert path_of(uri) is None


def test_large_and_binary_texts_are_refused() -> None:
    assert [d.code for d in analyse("x", None, "ü" * (2 * 1024 * 1024 + 1), {}).diagnostics] == ["E0002"]
    assert [d.code for d in analyse("x", None, "app\0", {}).diagnostics] == ["E0004"]


def test_a_failure_is_shown_and_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    """An internal error is never an empty list of findings."""
    sent: list[tuple[str, object]] = []

    def broken(*args: object) -> object:
        raise KeyError("nobody")

    monkeypatch.setattr(server_module, "check", broken)
    server = Server("1")
    monkeypatch.setattr(Server, "places", Places())
    monkeypatch.setattr(Server, "supports", lambda self, *names: False)
    monkeypatch.setattr(server, "window_log_message", lambda params: sent.append(("log", params)))
    monkeypatch.setattr(
        server, "text_document_publish_diagnostics", lambda params: sent.append(("say", params))
    )
    server._snapshot = Snapshot()
    server.store.put("untitled:a", "spec a", 1)
    asyncio.run(server.refresh())
    (_, log), (_, said) = sent
    assert isinstance(log, types.LogMessageParams) and "KeyError" in log.message
    assert isinstance(said, types.PublishDiagnosticsParams)
    (item,) = said.diagnostics
    assert item.severity == types.DiagnosticSeverity.Error and item.message.startswith(
        "internal error: KeyError"
    )
    assert failed("x", None, KeyError("nobody")).loaded is None
    server.shutdown()


def store_of(text: str) -> Store:
    store = Store()
    store.put("untitled:a", text, 3)
    store.results["untitled:a"] = analyse("untitled:a", None, text, {})
    return store


def everywhere(text: str) -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0))


def test_no_comment_is_put_into_a_string() -> None:
    text = 'spec a """Say yes\n  to \'Ann\'"""\nallow answer.\ndone when answer earlier.\n'
    titles = [
        action.title for action in quick_fixes(store_of(text), "untitled:a", everywhere(text), Places())
    ]
    assert titles == ["ignore L0004 here"]  # L0002 stands inside the block


def test_every_ignore_that_is_offered_works() -> None:
    from vsalang.language.lint import RULES, lint

    for rule in RULES[1:]:
        if "// file: " in rule.bad:
            continue  # two files: an editor's buffer is one
        if rule.recorded:
            continue  # editors ask no recordings
        found = quick_fixes(store_of(rule.bad), "untitled:a", everywhere(rule.bad), Places())
        action = next(action for action in found if action.title == f"ignore {rule.code} here")
        assert action.edit and action.edit.changes
        (edit,) = action.edit.changes["untitled:a"]
        source = Source("x", rule.bad)
        at_ = source.offset(edit.range.start.line, edit.range.start.character)
        assert lint(load_text(rule.bad[:at_] + edit.new_text + rule.bad[at_:])) == (), rule.code


def test_only_what_is_asked_for() -> None:
    text = 'spec a "x"\nallow answer.\ndone when answer earlier.\n'
    store = store_of(text)

    def count(only: list[types.CodeActionKind] | None) -> int:
        return len(quick_fixes(store, "untitled:a", everywhere(text), Places(), only=only))

    assert count(None) == count([types.CodeActionKind.QuickFix]) == 1
    assert count([types.CodeActionKind.Refactor]) == 0
    assert "L0004" in LINT_CODES


def test_without_the_extra(tmp_path: Path) -> None:
    """A missing library is named with the remedy; nothing but that is printed."""
    (tmp_path / "hide.py").write_text(
        "import importlib.util, sys\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'pygls' else real(name, *rest)\n"
        "from vsalang.tools.cli.main import run\n"
        "sys.exit(run(['lsp']))\n"
    )
    root = Path(__file__).resolve().parents[3]
    result = processes.run([str(tmp_path / "hide.py")], env={"PYTHONPATH": str(root)})
    assert result.returncode == 2 and result.stdout == ""
    assert "pip install 'vsalang[lsp]'" in result.stderr and "Traceback" not in result.stderr


def test_nothing_heavy_is_imported_for_lint() -> None:
    code = (
        "import sys, json, vsalang.language.lint\n"
        "print(json.dumps([m for m in ('pygls', 'lsprotocol', 'z3', 'textx') if m in sys.modules]))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).resolve().parents[3], capture_output=True, text=True
    )
    assert json.loads(io.StringIO(result.stdout).read()) == []


@pytest.mark.parametrize("seed", range(40))
def test_half_written_texts(seed: int) -> None:
    """Whatever stands in the editor, looking at it ends, and so does asking what stands somewhere."""
    rng = random.Random(seed)
    text = rng.choice([OPENTABLE, RESERVE]).read_text(encoding="utf-8")
    for _ in range(rng.randrange(1, 4)):
        start = rng.randrange(len(text))
        end = start + rng.randrange(20)
        text = text[:start] + rng.choice(["", "(", '"', "}", " when ", "/*", "?x", "\n"]) + text[end:]
    result = analyse("untitled:a", None, text, {})
    source = result.sources["untitled:a"]
    for finding in result.diagnostics:
        assert (
            finding.span is None
            or finding.where != "untitled:a"
            or 0 <= finding.span.start <= len(source.text)
        )
    assert result.loaded is not None
    for _ in range(5):
        found = at(result.loaded, rng.randrange(len(text) + 1))
        if found is not None:
            assert describe(found.symbol, markdown=bool(seed % 2))
