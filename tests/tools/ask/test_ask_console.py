"""The dialogue without its terminal."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.snapshots import golden
from tests.thorough import times
from tests.tools.ask.places import SHOP, console
from tests.tools.ask.test_ask_states import dump
from vsalang.language.semantics import load_text
from vsalang.tools.ask import Place
from vsalang.tools.ask.completion import completions
from vsalang.tools.ask.console import COMMANDS, Console, needs_more

SCRIPT = """
:help
Item
:load nothing.vsa
:load shop.vsa
:tests
:state
:state full
:screen
:rows Item
:rows Dear
:rows Basket
Item(name = ?n, price = ?p), ?p > 5
Item(nam = ?n)
:why Dear(name = ?n)
:whynot Dear(name = "Tea")
:whynot Dear(name = "Fig")
:set Item(name = "Tea", at = 1, price = 30)
:rows Dear
:undo
:rows Dear
:unset Item(name = "Nut")
count(Item) = ?n
:propose Pay(total = 30)
:propose finish
:propose tap(id = "pay")
:do attempt Pay(total = 31)
:do observe Bill(total = 2, paid = false)
Pay(total = ?t) earlier
:clock 18:30
Clock(now = ?t)
:rules Dear
:rules Basket
:rules Pay
:describe Item
:describe Basket
:describe
:relations
:relations tap
:engine
:engine pydatalog
Item(name = "Fig")
:engine quick
:engine reference
:rows
:rows Itm
:whatis Item
:set Dear(name = "x")
:set Item(price = 3)
:propose Item
:propose
:state empty 0
:state nobody.xml
:undo
:undo
:undo
:undo
:undo
:undo
:undo
:undo
// a comment
""".strip().splitlines()


def said(dialogue: Console, *lines: str) -> list[str]:
    return [text for line in lines for text in dialogue.feed(line)]


def test_a_dialogue() -> None:
    dialogue = console()
    found = []
    for line in SCRIPT:
        found += [f"vsa> {line}", *dialogue.feed(line)]
    golden("\n".join(found) + "\n", "ask/dialogue.txt")


def test_quit_ends_it() -> None:
    for word in (":q", ":quit", ":exit"):
        dialogue = console()
        assert dialogue.feed(word) == []
        assert dialogue.ended


def test_undo_brings_back_what_was() -> None:
    dialogue = console()
    said(dialogue, ":load shop.vsa", ":state full")
    before = dialogue.feed(":rows Item")
    said(dialogue, ':set Item(name = "Egg", price = 1)', ':unset Item(name = "Nut")', ":clock 23:00")
    assert dialogue.feed(":rows Item") != before
    said(dialogue, ":undo", ":undo", ":undo")
    assert dialogue.feed(":rows Item") == before


def test_judging_changes_nothing() -> None:
    dialogue = console()
    said(dialogue, ":load shop.vsa", ":state full 3")
    first = dialogue.feed(":propose Pay(total = 30)")
    assert first == ["then writes  Bill(paid = true)", "allow"]
    assert dialogue.feed(":propose Pay(total = 30)") == first
    assert dialogue.feed("Pay earlier")[0] == "no"


def test_an_allowed_action_names_the_clause() -> None:
    spec = """spec tea "Buy tea"
import apps.opentable
allow Reserve(time < 19:00) when Slot(available = true).
done when Reserve earlier.
"""
    root = Path(__file__).resolve().parents[3]
    loaded = load_text(spec, file="tea.vsa", path=root / "app_specs" / "tea.vsa")
    dialogue = console()
    dialogue.place = Place(loaded)
    said(dialogue, ':set Slot(restaurant = "R", date = today, at = 1, time = 18:00, available = true)')
    assert dialogue.feed(':propose Reserve(restaurant = "R", date = today, time = 18:00)') == [
        "leads to     screen Receipt",
        'then writes  Booking(restaurant = "R", date = 2026-01-05, time = 18:00)',
        "allow",
        '  Reserve(restaurant = "R", date = 2026-01-05, time = 18:00) by tea:1 (tea.vsa:3)',
    ]
    assert dialogue.feed(':propose Reserve(restaurant = "R", date = today, time = 20:00)')[2] == "block"
    assert not any("by tea:1" in text for text in dialogue.feed(":propose back"))


def test_what_is_refused_did_not_happen() -> None:
    dialogue = console(SHOP + 'deny "not that much" when Pay(total > 100).\n')
    said(dialogue, ":load shop.vsa")
    (level, reason) = dialogue.feed(":do attempt Pay(total = 101)")[:2]
    assert level == "block"
    assert "not that much" in reason
    assert dialogue.feed("Pay earlier")[0] == "no"
    assert dialogue.feed(":do attempt Pay(total = 99)") == ["allow"]
    assert dialogue.feed("Pay earlier")[0] == "yes"


def test_loading_again_begins_anew() -> None:
    dialogue = console()
    said(dialogue, ":load shop.vsa", ":state full", ":load shop.vsa")
    assert dialogue.feed(":rows Item") == ["no row"]
    assert not dialogue.failed


def test_a_change_that_cannot_be_is_not_made(tmp_path: Path) -> None:
    screen = tmp_path / "screen.xml"
    screen.write_text(dump(basket="Basket"))
    dialogue = console()
    said(dialogue, ":load shop.vsa", f":state {screen}")
    (error,) = dialogue.feed(':set Node(id = "x")')
    assert "was read from" in error
    assert dialogue.feed("screen Basket")[0] == "yes"


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Item", False),
        ("Item(", True),
        ("Item(name = ?n,", True),
        ("Item(name = ?n)", False),
        ("Item,", True),
        ('Item(name = "(")', False),
        ('Item(name = "\\"(")', False),
        ("?x in {1,", True),
        ("Item // (", False),
        ("Item /* ( */", False),
        ("Item)", False),
        (":rows Item", False),
    ],
)
def test_what_goes_on_in_the_next_line(text: str, more: bool) -> None:
    assert needs_more(text) is more


WORDS = (
    'Item Item( ) name=?n ?n < 3 , not screen Basket "Tea" earlier then . ? Dear count( Pay attempt full observe tap { '
    "} § ' / none 12:30 finish \\"
)
pieces = st.sampled_from(
    [*WORDS.split(), *(f":{name}" for name in COMMANDS if name != "load"), " ", "\n", "\0", "\u202e"]
)


@pytest.mark.slow
@settings(max_examples=times(40, 150))
@given(st.lists(st.lists(pieces, max_size=7).map("".join), max_size=3))
def test_no_line_is_too_much_for_it(lines: list[str]) -> None:
    dialogue = console()
    said(dialogue, ":load shop.vsa", ":state full")
    for line in lines:
        found = dialogue.feed(line)
        assert not any("internal error" in text for text in found), (line, found)
        completions(dialogue, line)
        needs_more(line)


# ---------------------------------------------------------------- completion


@pytest.mark.parametrize(
    ("before", "found"),
    [
        (":wh", [":why", ":whynot"]),
        (":rows Ite", ["Item"]),
        (":rules Dea", ["Dear"]),
        (":engine p", ["pydatalog"]),
        ("It", ["Item"]),
        ("Item(", ["at", "count", "kind", "name", "price"]),
        ("Item(name = ?n, p", ["price"]),
        ("Item(name = ?n, n", []),
        ("Item(kind = ", ['"Dry goods"', "Fruit"]),
        ("Item(kind = F", ["Fruit"]),
        ("Bill(paid = t", ["true"]),
        ("Item(name = ?na, price = ?p), Dear(name = ?", ["?na", "?p"]),
        ("Item(name = ?na), Dear(name = ?n", ["?na"]),
        ("screen B", ["Basket"]),
        ("not De", ["Dear"]),
        ("count(It", ["Item"]),
        ('Item(name = "It', []),
        (":why Item(pr", ["price"]),
        (":set Bill(pa", ["paid"]),
        (":state a f", ["a full basket"]),
        (":propose ta", ["tap", "tap("]),
        (":do obs", ["observe ", "observe complete ", "observe no ", "observe screen "]),
        (":nothing It", []),
        ("Nothing(", []),
    ],
)
def test_what_can_come_next(before: str, found: list[str]) -> None:
    dialogue = console()
    dialogue.feed(":load shop.vsa")
    choices = completions(dialogue, before)
    assert [choice.text for choice in choices] == found
    for choice in choices:
        kept = before[: len(before) - choice.length]
        begun = before[len(before) - choice.length :]
        assert choice.text.casefold().startswith(begun.casefold())
        assert (kept + begun) == before


def test_files_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "one.vsa").write_text("")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "screen.xml").write_text("")
    monkeypatch.chdir(tmp_path)
    dialogue = console()
    assert [c.text for c in completions(dialogue, ":load ")] == ["apps/"]
    assert [c.text for c in completions(dialogue, ":load apps/o")] == ["one.vsa"]
    assert [c.text for c in completions(dialogue, ":state ")] == ["apps/", "screen.xml"]
    assert [c.text for c in completions(dialogue, f":load {tmp_path}/apps/")] == ["one.vsa"]
    assert completions(dialogue, ":load nowhere/") == []


def test_what_completes_says_what_it_means() -> None:
    dialogue = console()
    dialogue.feed(":load shop.vsa")
    (choice,) = completions(dialogue, "Item(pri")
    assert choice.meta == "Number  what one costs"
    (choice,) = completions(dialogue, "Bil")
    assert choice.meta == "view  The sum"


@pytest.mark.parametrize("text", ["help", "Help", "help()", "?", ":help"])
def test_help_is_given_however_it_is_asked_for(text: str) -> None:
    dialogue = console()
    assert any(line.startswith(":load FILE") for line in dialogue.feed(text))
    assert not dialogue.failed


@pytest.mark.parametrize("text", ["exit", "quit", "exit()", "QUIT", "q", ":exit", ":q"])
def test_the_dialogue_ends_however_it_is_asked_to(text: str) -> None:
    dialogue = console()
    assert dialogue.feed(text) == []
    assert dialogue.ended and not dialogue.failed


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('observe Item(name = "Tea")', 'to carry it out: :do observe Item(name = "Tea")'),
        (':observe Item(name = "Tea")', 'to carry it out: :do observe Item(name = "Tea")'),
        ("attempt Pay(total = 31).", "to carry it out: :do attempt Pay(total = 31)."),
        ("rows Item", "a command begins with a colon: :rows Item"),
        ("load shop.vsa", "a command begins with a colon: :load shop.vsa"),
    ],
)
def test_what_is_no_condition_is_pointed_to_its_command(text: str, hint: str) -> None:
    dialogue = console()
    dialogue.place = Place(load_text(SHOP, file="shop.vsa"))
    (said,) = dialogue.feed(text)
    assert said.startswith("error: ") and said.endswith(hint)
    assert dialogue.failed
