"""Requests as functions of a snapshot of the workspace: no editor, no process."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from lsprotocol import types

from tests.tools.lsp.workspaces import APP, SPEC, TEXTS, Workspace, applied
from vsalang.base.resources import resource_dir
from vsalang.base.source import Source
from vsalang.language.syntax import parse
from vsalang.language.syntax.formatting import format_source
from vsalang.language.syntax.parser import _EDITED
from vsalang.tools.lsp import (
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
from vsalang.tools.lsp.convert import Places
from vsalang.tools.lsp.snapshot import Snapshot

BODY = SPEC.rpartition("\ntest")[0]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(tmp_path_factory.mktemp("shop"))


def document(shop: Workspace, stem: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(shop.uri(stem))


DEFINED = {
    "|Pay(price = ?p)": ['shop: Pay | action Pay(price: Number "how much") "Pay for it"'],
    "Item(|size": ['shop: size | size: Size "how large"'],
    "size = |Small": ['shop: Small | enum Size "How large" {Small, "Very large"}'],
    "colour = |Red": ["shop: Red | colour: enum {Red, Blue}"],
    "screen |Page": ['shop: Page | screen Page "A page" when Node(id = "page").'],
    "import |shop": ['shop: shop | app shop package "com.shop" "A shop"'],
    "{?|q}": ['buy: q | deny "not {?q}" when tap, Item(price = ?q, colour = Red), ?q > 5.'],
    "|?q > 5": ['buy: q | deny "not {?q}" when tap, Item(price = ?q, colour = Red), ?q > 5.'],
    'because "|only_small': [
        "buy: allow either Pay(price = ?p) | allow either Pay(price = ?p) when Item(size = Small, price = ?p), "
        "Cheap(price = ?p)."
    ],
    "|tap, Item": [],
    "done |when": [],
}


@pytest.mark.parametrize("piece", DEFINED)
def test_a_definition_of_each_kind(shop: Workspace, piece: str) -> None:
    found = shop.ask(navigation.definition, types.DefinitionParams, "buy", piece)
    assert shop.lines(found) == DEFINED[piece]


def test_a_reason_may_name_attributes_of_several_relations(shop: Workspace) -> None:
    found = shop.ask(navigation.definition, types.DefinitionParams, "buy", '"only_small", |price')
    assert [line.partition(" | ")[2][:6] for line in shop.lines(found)] == ["price:", "action", "define"]


def test_types_and_the_rules_that_give_rows(shop: Workspace) -> None:
    enum = shop.ask(navigation.type_definition, types.TypeDefinitionParams, "buy", "Item(|size")
    assert shop.lines(enum) == ['shop: Size | enum Size "How large" {Small, "Very large"}']
    rules = shop.ask(navigation.implementation, types.ImplementationParams, "buy", "screen |Page")
    assert [line.partition(" | ")[2][:9] for line in shop.lines(rules)] == ["screen Pa", "goto Page"]
    binder = shop.ask(navigation.implementation, types.ImplementationParams, "buy", "|?q > 5")
    assert shop.lines(binder) == DEFINED["{?|q}"]


@pytest.mark.parametrize(
    ("stem", "piece", "count"),
    [("buy", "|Pay(price = ?p)", 6), ("shop", "|Small, ", 3), ("kit", "|Ready", 2), ("buy", "{?|q}", 3)],
)
def test_references_in_all_files(shop: Workspace, stem: str, piece: str, count: int) -> None:
    wanted = types.ReferenceContext(include_declaration=True)
    found = shop.ask(navigation.references, types.ReferenceParams, stem, piece, context=wanted)
    assert len(found) == count
    less = types.ReferenceContext(include_declaration=False)
    without = shop.ask(navigation.references, types.ReferenceParams, stem, piece, context=less)
    assert len(without) == count - (piece != "{?|q}") or piece == "|Ready"


def test_references_count_unsaved_text(tmp_path: Path) -> None:
    shop = Workspace(tmp_path, buy=SPEC.replace("allow either Pay(price = 1) when screen Page.\n", ""))
    context = types.ReferenceContext(include_declaration=True)
    found = shop.ask(navigation.references, types.ReferenceParams, "shop", "action |Pay", context=context)
    assert len(found) == 5


RENAMED = {
    ("buy", "|Pay(price = ?p)"): r"\bPay\b(?! for| at)",
    ("shop", "|size: Size"): r"\bsize(?= =|:)",
    ("shop", "enum |Size"): r"\bSize\b",
    ("shop", "{|Red"): r"\bRed\b",
    ("shop", "let |Limit"): r"\bLimit\b",
    ("shop", "screen |Page"): r"\bPage\b",
    ("kit", "|Ready"): r"\bReady\b",
    ("buy", '"|only_small'): r"\bonly_small\b",
}


@pytest.mark.parametrize(("stem", "piece"), RENAMED)
def test_rename_changes_every_file(shop: Workspace, stem: str, piece: str) -> None:
    edit = shop.ask(renaming.rename, types.RenameParams, stem, piece, new_name="Other")
    texts = shop.edited(edit)
    for name, text in TEXTS.items():
        wanted = re.sub(RENAMED[stem, piece], "Other", text)
        assert texts.get(name.removesuffix(".vsa"), text) == wanted


def test_a_variable_is_renamed_in_its_rule(shop: Workspace) -> None:
    edit = shop.ask(renaming.rename, types.RenameParams, "buy", "{?|q}", new_name="cost")
    assert shop.edited(edit) == {"buy": SPEC.replace("?q", "?cost")}


@pytest.mark.parametrize(
    ("piece", "name", "why"),
    [
        ("|Pay(price = ?p)", "9", "is not a name"),
        ("|Pay(price = ?p)", "allow", "word of the language"),
        ("|Pay(price = ?p)", "Item", "would have an error"),
        ("|tap, ", "Other", "no file declares"),
        ("import |shop", "Other", "renaming its file"),
        ("done |when", "Other", "no name here"),
    ],
)
def test_what_cannot_be_renamed(shop: Workspace, piece: str, name: str, why: str) -> None:
    with pytest.raises(renaming.NotRenamed, match=why):
        shop.ask(renaming.rename, types.RenameParams, "buy", piece, new_name=name)


def test_prepare_gives_the_name_alone(shop: Workspace) -> None:
    found = shop.ask(renaming.prepare_rename, types.PrepareRenameParams, "shop", "kit.|Ready")
    assert found.placeholder == "Ready" and shop.seen(shop.uri("shop"), found.range).startswith("shop: Ready")
    assert shop.ask(renaming.prepare_rename, types.PrepareRenameParams, "buy", "|tap, ") is None


def test_imports_follow_a_renamed_file(shop: Workspace) -> None:
    files = [types.FileRename(shop.uri("kit"), shop.uri("tools"))]
    edit = renaming.will_rename_files(shop.snapshot, types.RenameFilesParams(files))
    texts = shop.edited(edit)
    assert texts["kit"].startswith("module tools ")
    assert texts["shop"] == re.sub(r"\bkit\b", "tools", APP)


def test_highlights_tell_reads_from_writes(shop: Workspace) -> None:
    found = shop.ask(navigation.highlights, types.DocumentHighlightParams, "shop", "view |Item")
    kinds = [each.kind.name for each in found]
    assert kinds == ["Write", "Write", "Read", "Read"]


def test_a_variable_is_edited_in_all_its_places(shop: Workspace) -> None:
    found = shop.ask(navigation.linked_ranges, types.LinkedEditingRangeParams, "buy", "{?|q}")
    assert [shop.seen(shop.uri("buy"), each)[:6] for each in found.ranges] == ["buy: q"] * 3
    assert shop.ask(navigation.linked_ranges, types.LinkedEditingRangeParams, "buy", "|Pay(") is None


def test_symbols_of_a_document_and_of_all(shop: Workspace) -> None:
    found = outline.document_symbols(shop.snapshot, types.DocumentSymbolParams(document(shop, "shop")))
    names = [(each.name, [child.name for child in each.children]) for each in found]
    assert names[0] == ("Size", ["Small", "Very large"])
    assert names[2] == ("Item", ["size", "colour", "price"])
    everywhere = outline.workspace_symbols(shop.snapshot, types.WorkspaceSymbolParams("rdy"))
    assert [(each.name, each.container_name) for each in everywhere] == [("Ready", "kit")]


def test_folds_and_links(shop: Workspace) -> None:
    folds = structure.folding_ranges(shop.snapshot, types.FoldingRangeParams(document(shop, "shop")))
    assert [(each.start_line, each.end_line) for each in folds] == [(0, 1), (7, 11), (14, 15)]
    links = structure.document_links(shop.snapshot, types.DocumentLinkParams(document(shop, "shop")))
    assert [each.target for each in links] == [shop.uri("kit"), "https://example.org/shop"]


def test_each_selection_is_inside_of_the_next(shop: Workspace) -> None:
    places = [shop.place("buy", "size = Sm|all")]
    (found,) = structure.selection_ranges(
        shop.snapshot, types.SelectionRangeParams(document(shop, "buy"), places)
    )
    texts = []
    while found is not None:
        texts.append(shop.seen(shop.uri("buy"), found.range).partition(" | ")[0])
        found = found.parent
    assert texts[:3] == ["buy: Small", "buy: size = Small", "buy: Item(size = Small, price = ?p)"]
    assert texts[-1] == f"buy: {SPEC.partition(' | ')[0]}"


def test_who_depends_on_a_relation(shop: Workspace) -> None:
    (item,) = shop.ask(calls.prepare_calls, types.CallHierarchyPrepareParams, "shop", "view |Item")
    incoming = calls.incoming_calls(shop.snapshot, types.CallHierarchyIncomingCallsParams(item))
    assert [each.from_.name for each in incoming] == ["Cheap", "Pay", "Pay", "not {?q}"]
    (item,) = shop.ask(calls.prepare_calls, types.CallHierarchyPrepareParams, "shop", "define |Cheap")
    outgoing = calls.outgoing_calls(shop.snapshot, types.CallHierarchyOutgoingCallsParams(item))
    assert [each.to.name for each in outgoing] == ["Item", "Ready"]


def test_an_item_of_somebody_else_has_no_calls(shop: Workspace) -> None:
    where = types.Range(types.Position(0, 0), types.Position(0, 0))
    for data in (None, {"uri": 3}, {"uri": shop.uri("buy")}, {"uri": "file:///no.vsa", "key": ["a"]}):
        item = types.CallHierarchyItem("x", types.SymbolKind.Class, "x", where, where, data=data)
        assert calls.incoming_calls(shop.snapshot, types.CallHierarchyIncomingCallsParams(item)) is None


def test_hints_say_types_days_and_durations(tmp_path: Path) -> None:
    text = BODY.replace("?q > 5", "?q > 5, Clock(day = 2026-12-24) within 5400s")
    shop = Workspace(tmp_path, buy=text)
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    found = hints.inlay_hints(shop.snapshot, types.InlayHintParams(document(shop, "buy"), whole))
    assert [each.label for each in found] == [": Number", ": Number", "Thu", "1 h 30 min"]


def test_lenses_count_and_run(shop: Workspace) -> None:
    lenses = hints.code_lenses(shop.snapshot, types.CodeLensParams(document(shop, "shop")))
    texts = [hints.resolve_lens(shop.snapshot, each).command.title for each in lenses]
    assert texts == ["1 use", "6 uses", "allowed by 2 clauses"]
    tests = hints.code_lenses(shop.snapshot, types.CodeLensParams(document(shop, "buy")))
    commands = [(each.command.title, each.command.arguments[1:]) for each in tests]
    assert commands == [
        ("run all tests", ["", False]),
        ("coverage", ["", True]),
        ("run test", ["paid", False]),
    ]


@pytest.mark.parametrize("path", sorted(resource_dir("app_specs").rglob("*.vsa")), ids=lambda path: path.stem)
def test_tokens_cover_what_they_say(path: Path) -> None:
    """Every token is a piece of one line, and the kinds of declarations are those of their symbols."""
    data = colours.tokens(Snapshot(), path.as_uri())
    lines = path.read_text("utf-8").split("\n")
    line = character = 0
    words = set()
    for at in range(0, len(data), 5):
        down, along, length, kind, _ = data[at : at + 5]
        line, character = line + down, along if down else character + along
        text = lines[line][character : character + length]
        assert len(text) == length and text.strip()
        words.add((text, colours.KINDS[kind]))
    assert words & {("when", "keyword"), ("import", "keyword"), ("state", "keyword")}
    part = colours.tokens(Snapshot(), path.as_uri(), (2, 4))
    assert part is not None and len(part) < len(data)


def test_a_delta_turns_old_tokens_into_new() -> None:
    for old, new in (
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2, 3, 4], [1, 9, 9, 4]),
        ([], [5]),
        ([5, 5], [5]),
        ([1, 1], [1, 1, 1]),
    ):
        result = list(old)
        for edit in colours.delta(old, new):
            result[edit.start : edit.start + edit.delete_count] = edit.data
        assert result == new
    assert colours.delta([1], [1]) == []


OFFERED = {
    "": {"allow", "import", "test", "deny", "@"},
    "al": {"allow"},
    "@": {"@id", "@risk"},
    "@risk(": {"financial", "privacy"},
    "import ": {"kit", "std.tree"},
    "allow ": {"Pay", "each", "either"},
    "allow Pay(": {"price"},
    "allow Pay(price ": {"=", "<", "in", "known"},
    "allow Pay(price = ": {"Limit", "number"},
    "allow Pay(price = ?p) when ": {"Item", "kit.Ready", "no", "count", "?p"} - {"kit.Ready"},
    "allow Pay(price = ?p) when Item(size ": {"=", "!=", "in"},
    "allow Pay(price = ?p) when Item(size = ": {"Small", '"Very large"', "?p"},
    'allow Pay(price = ?p) when Item(size = "V': {"Very large"},
    "allow Pay(price = ?p) when screen ": {"Page"},
    "goto ": {"Page"},
    'test "a" {\n  ': {"attempt", "given"},
    'test "a" {\n  attempt ': {"Pay", "tap"},
    'test "a" {\n  attempt Pay(price = 1) => ': {"allow", "block"},
    'test "a" {\n  attempt Pay(price = 1) => allow because ': {"licence", '"only_small"'},
    "state X {\n  a: ": {"Text", "Size", "Weekday"},
    "allow Pay(price = number(": {"Limit", "line"},
    "done when count(": {"Item"},
}
MISSING = {
    "allow ": {"Item", "tap"},
    "allow Pay(price ": {"contains", "matches"},
    "allow Pay(price = ?p) when Item(size ": {"<", "matches", "contains"},
    "allow Pay(price = ?p) when Item(size = ": {"Red", "Limit"},
    'test "a" {\n  attempt ': {"Item"},
    "import ": {"shop", "buy"},
}


@pytest.mark.parametrize("begun", OFFERED)
def test_what_may_be_written(tmp_path: Path, begun: str) -> None:
    shop = Workspace(tmp_path, buy=BODY + begun)
    source = Source(str(tmp_path / "buy.vsa"), BODY + begun, tmp_path / "buy.vsa")
    module = shop.snapshot.module(shop.uri("buy"))
    _, offers = completing.completions(module, source, len(source.text))
    texts = {each.text for each in offers}
    assert texts >= OFFERED[begun] and not texts & MISSING.get(begun, set())


def test_messages_offer_the_variables_of_the_rule(tmp_path: Path) -> None:
    text = SPEC.replace("not {?q}", "not {?")
    shop = Workspace(tmp_path, buy=text)
    found = shop.ask(completing.completion, types.CompletionParams, "buy", '"not {?|')
    assert [each.label for each in found.items] == ["{?q}"]


def test_an_offer_is_described_when_it_is_resolved(tmp_path: Path) -> None:
    shop = Workspace(tmp_path, buy=BODY + "allow ")
    place = types.Position(*Source("x", BODY + "allow ").utf16(len(BODY) + 6))
    params = types.CompletionParams(document(shop, "buy"), place)
    (pay,) = (each for each in completing.completion(shop.snapshot, params).items if each.label == "Pay")
    assert pay.documentation is None and pay.text_edit.new_text == "Pay($0)"
    assert "Pay for it" in completing.resolve(shop.snapshot, pay).documentation.value


def test_signatures_follow_the_cursor(tmp_path: Path) -> None:
    for begun, label, active in (
        ("allow Pay(", "Pay(price: Number)", 0),
        ("done when Item(price = 1, ", "Item(size: Size, colour: enum {Red, Blue}, price: Number)", 0),
        ("done when Item(price = ", "Item(size: Size, colour: enum {Red, Blue}, price: Number)", 2),
        ('done when Item(price = number("1", ', "number(Text, Mark): Number", 1),
    ):
        shop = Workspace(tmp_path, buy=BODY + begun)
        place = types.Position(*Source("x", BODY + begun).utf16(len(BODY + begun)))
        found = hovers.signature_help(shop.snapshot, types.SignatureHelpParams(document(shop, "buy"), place))
        assert (found.signatures[found.active_signature].label, found.active_parameter) == (label, active)


@pytest.mark.parametrize(
    ("piece", "text"),
    [("done |when", "The conditions under"), ("|number(?p", "number(Text): Number"), (": |Number", "A number"),
     ("?p |<", "is less")],
)  # fmt: skip
def test_hover_on_words_of_the_language(shop: Workspace, piece: str, text: str) -> None:
    stem = "buy" if piece.startswith("done") else "shop"
    found = shop.ask(lambda *words: hovers.hover(*words, None), types.HoverParams, stem, piece)
    assert text in found.contents.value


@pytest.mark.parametrize("path", sorted(resource_dir("app_specs").rglob("*.vsa")), ids=lambda path: path.stem)
def test_an_item_alone_is_formatted_as_in_its_file(path: Path) -> None:
    """What `vsac fmt` writes is not changed by the formatting of a range."""
    source = Source(str(path), format_source(Source(str(path), path.read_text("utf-8"))))
    items = [item.span for item in parse(source).module.items]
    assert layout.layout_items(source, items, Places()) == []


def test_a_range_is_formatted_in_a_broken_file(tmp_path: Path) -> None:
    text = BODY.replace("allow either Pay(price = 1) when", "allow either   Pay( price=1 )  when") + "\nallow"
    shop = Workspace(tmp_path, buy=text)
    place = shop.place("buy", "allow either   Pay")
    options = types.FormattingOptions(2, True)
    where = types.Range(place, place)
    edits = layout.range_formatting(
        shop.snapshot, types.DocumentRangeFormattingParams(document(shop, "buy"), where, options)
    )
    assert applied(text, edits) == BODY + "\nallow"
    end = shop.place("buy", "when screen Page.|")
    typed = types.DocumentOnTypeFormattingParams(document(shop, "buy"), end, ".", options)
    assert layout.on_type_formatting(shop.snapshot, typed) == edits


def test_imports_in_order_and_all_fixes(tmp_path: Path) -> None:
    text = SPEC.replace("import shop\n", "import shop\nimport kit\nimport shop\n").replace("Cheap(", "Chaep(")
    shop = Workspace(tmp_path, buy=text)
    kinds = [action.kind for action in editing.source_actions(shop.snapshot, shop.uri("buy"), ["source"])]
    assert kinds == [editing.FIX_ALL, editing.ORGANIZE]
    fix, order = (
        editing.resolve_action(shop.snapshot, action)
        for action in editing.source_actions(shop.snapshot, shop.uri("buy"), ["source"])
    )
    assert "import kit\nimport shop\n\n" in shop.edited(order.edit)["buy"]
    assert "Cheap(price" in shop.edited(fix.edit)["buy"]
    assert editing.source_actions(shop.snapshot, shop.uri("kit"), [editing.ORGANIZE]) == []


def test_nothing_fails_in_broken_text(tmp_path: Path) -> None:
    """Every request has an answer at every place, whatever stands there."""
    texts = (
        SPEC[:150],
        SPEC.replace("(", "", 1),
        SPEC.replace(".", ","),
        "spec",
        "import a",
        SPEC.replace(")", ""),
    )
    for text in texts:
        shop = Workspace(tmp_path, buy=text)
        source = Source("x", text)
        for offset in range(0, len(text) + 1, 7):
            place = types.Position(*source.utf16(offset))
            words = {"text_document": document(shop, "buy"), "position": place}
            navigation.definition(shop.snapshot, types.DefinitionParams(**words))
            navigation.implementation(shop.snapshot, types.ImplementationParams(**words))
            navigation.highlights(shop.snapshot, types.DocumentHighlightParams(**words))
            completing.completion(shop.snapshot, types.CompletionParams(**words))
            hovers.signature_help(shop.snapshot, types.SignatureHelpParams(**words))
            hovers.hover(shop.snapshot, types.HoverParams(**words), None)
        assert colours.tokens(shop.snapshot, shop.uri("buy")) is not None


def test_files_that_are_not_open_are_not_edited(tmp_path: Path) -> None:
    """However many there are in a workspace, what is edited keeps its last versions."""
    shop = Workspace(tmp_path, buy=SPEC)
    assert pulled.of_file(shop.snapshot, shop.uri("buy")) is not None
    assert str(tmp_path / "buy.vsa") in _EDITED._known
    for name in ("shop", "kit"):
        assert pulled.of_file(shop.snapshot, shop.uri(name)) is not None
        assert str(tmp_path / f"{name}.vsa") not in _EDITED._known
