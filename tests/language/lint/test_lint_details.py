"""What the rules say in detail, and where they keep quiet."""

import pytest

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.resources import resource_dir
from vsalang.language.lint import lint
from vsalang.language.semantics import Loaded, load, load_text

BOOK = 'spec book "{doc}"\nimport apps.opentable\n{allow}\n{done}\n'
ALLOW = (
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).'
)
DONE = "done when Reserve earlier, ReserveResult(success = true)."
APP = 'app shop package "com.shop" "A shop"\n'


def check(text: str) -> tuple[Loaded, tuple[Diagnostic, ...]]:
    loaded = load_text(text, file="x.vsa")
    assert loaded.ok, loaded.diagnostics
    return loaded, lint(loaded)


def book(doc: str = "Book a table", allow: str = ALLOW, done: str = DONE) -> str:
    return BOOK.replace("{doc}", doc.replace('"', '\\"')).replace("{allow}", allow).replace("{done}", done)


def said(text: str, code: str) -> list[str]:
    """The underlined texts of the findings of a rule."""
    loaded, found = check(text)
    return [loaded.sources["x.vsa"].slice(f.span) for f in found if f.code == code and f.span]


def test_what_ships_has_no_findings() -> None:
    for path in sorted(resource_dir("app_specs").rglob("*.vsa")):
        loaded = load(path)
        assert loaded.ok, path
        assert [(f.code, f.message) for f in lint(loaded)] == [], path


def test_a_program_with_errors_has_none() -> None:
    loaded = load_text(book(done="done when Reserv earlier."), file="x.vsa")
    assert not loaded.ok and lint(loaded) == ()


def test_imports_are_not_looked_at(tmp_path) -> None:
    (tmp_path / "shop.vsa").write_text(APP + "state Cart { total: Number }\naction Pay(sum: Number)\n")
    (tmp_path / "s.vsa").write_text(
        'spec s "Pay 5"\nimport shop\nallow Pay(sum = 5).\ndone when Pay earlier.\n'
    )
    assert [f.code for f in lint(load(tmp_path / "shop.vsa"))] == ["L0010"]
    assert [f.code for f in lint(load(tmp_path / "s.vsa"))] == ["L0005"]


def test_choosing() -> None:
    loaded, found = check(book("Book for 7", ALLOW.replace(", time = ?t)\n", ")\n")))
    codes = {f.code for f in found}
    assert codes == {"L0001", "L0002", "L0004"}
    assert {f.code for f in lint(loaded, select={"L0002"})} == {"L0002"}
    assert {f.code for f in lint(loaded, ignore={"L0002"})} == {"L0001", "L0004"}
    assert lint(loaded, select={"L0002"}, ignore={"L0002"}) == ()


# ---- L0001 -------------------------------------------------------------------------------------------


def test_a_misspelt_variable_names_the_other() -> None:
    text = book(allow=ALLOW + '\ndeny "no" when Reserve(time = ?time), Choice(time = ?tme), ?time > 18:00.')
    _, found = check(text)
    (item,) = (f for f in found if f.code == "L0001")
    assert "`?tme`" in item.message and item.label == "did you mean `?time`?" and not item.fixes


def test_the_fix_asks_that_it_is_known() -> None:
    loaded, found = check(book(allow=ALLOW + '\ndeny "no" when Reserve, Choice(time = ?x).'))
    (fix,) = next(f for f in found if f.code == "L0001").fixes
    (edit,) = fix.edits
    text = loaded.sources["x.vsa"].text
    mended = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert "Choice(time known)" in mended and check(mended)[1] == ()


@pytest.mark.parametrize(
    "rule",
    [
        'deny "at {?x}" when Reserve(time = ?x).',
        "define D(t = ?x) when Choice(time = ?x).",
        'deny "no" when Reserve, Choice(time = ?x), ?x > 18:00.',
        'deny "no" when Reserve(restaurant = ?r), RestaurantInfo(name = ?r).',
    ],
)
def test_used_twice(rule: str) -> None:
    assert said(book(allow=f"{ALLOW}\n{rule}"), "L0001") == []


# ---- L0002, L0007 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["'R'", "“r”", "'R.'"])
def test_a_quoted_text_that_is_mentioned(name: str) -> None:
    assert said(book(f"Book at {name}"), "L0002") == []


@pytest.mark.parametrize("name", ["Ann", "Re", "RR"])
def test_a_quoted_text_that_is_not(name: str) -> None:
    assert said(book(f"Book at '{name}'"), "L0002") == [name]


def test_names_and_descriptions_count() -> None:
    assert (
        said(
            book("Look at 'Restaurant info' and mark 'success'", done=DONE[:-1] + ", RestaurantInfo."),
            "L0002",
        )
        == []
    )
    assert said(book("Be sure 'the table is booked'"), "L0002") == []


def test_tests_and_messages_do_not_count() -> None:
    more = '\nwarn "Ann?" when Reserve.\ntest "Ann" { attempt Reserve(restaurant = "Ann") => block. }'
    assert said(book("Book at 'Ann'", done=DONE + more), "L0002") == ["Ann"]


@pytest.mark.parametrize("doc", ["at 7 PM", "at 19:00", "at 7:00", "for 7", "by 7"])
def test_a_time_that_is_mentioned(doc: str) -> None:
    assert said(book(doc, ALLOW.replace("time = ?t)\n", "time = ?t, time = 19:00)\n")), "L0002") == []


@pytest.mark.parametrize("doc", ["at 7 AM", "at 19:30", "for 8"])
def test_a_time_that_is_not(doc: str) -> None:
    assert len(said(book(doc, ALLOW.replace("time = ?t)\n", "time = ?t, time = 19:00)\n")), "L0002")) == 1


def test_a_block_of_several_lines() -> None:
    text = book().replace('"Book a table"', '"""Book a table\n    at \'Ann\'."""')
    assert said(text, "L0002") == ["Ann"]


@pytest.mark.parametrize(
    ("doc", "op", "other"),
    [
        ("before 7 PM", "<=", "<"),
        ("7 PM or earlier", "<", "<="),
        ("no later than 7 PM", "<", "<="),
        ("later than 7 PM", ">=", ">"),
        ("7 PM or later", ">", ">="),
        ("at least 19:00", ">", ">="),
    ],
)
def test_against_the_wording(doc: str, op: str, other: str) -> None:
    def rule(sign: str) -> str:
        return book(doc, ALLOW.replace("time = ?t)\n", f"time = ?t, time {sign} 19:00)\n"))

    loaded, found = check(rule(op))
    (item,) = (f for f in found if f.code == "L0007")
    assert item.span and loaded.sources["x.vsa"].slice(item.span) == f"time {op} 19:00"
    (edit,) = item.fixes[0].edits
    text = loaded.sources["x.vsa"].text
    assert text[: edit.span.start] + edit.text + text[edit.span.end :] == rule(other)
    assert said(rule(other), "L0007") == []
    opposite = {"<": ">", ">": "<"}[op[0]]
    assert said(rule(opposite), "L0007") == [f"time {opposite} 19:00"]


def test_what_is_denied_is_the_other_side() -> None:
    def deny(op: str) -> str:
        return book("Book a table before 7 PM", ALLOW + f'\ndeny "late" when Reserve(time {op} 19:00).')

    assert said(deny(">="), "L0007") == []
    assert said(deny(">"), "L0007") == ["time > 19:00"]


# ---- L0003 .. ----------------------------------------------------------------------------------------


def test_keys() -> None:
    def done(condition: str) -> list[str]:
        return said(book(done=f"{DONE}\ndone when {condition}."), "L0003")

    assert done('Booking(restaurant = "R", time = 18:00)') == ['Booking(restaurant = "R", time = 18:00)']
    assert done('Booking(restaurant = "R", date = today)') == []
    assert done("Booking(time = 18:00)") == []
    assert done('Slot(restaurant = "R", date in {today}, at = 1)') == []
    assert done('Slot(restaurant = "R", at = 1)') == ['Slot(restaurant = "R", at = 1)']
    assert done('Slot(restaurant = "R", date known)') != []


def test_parameters_that_are_open() -> None:
    def allow(text: str) -> list[str]:
        return [f.message for f in check(book(allow=text))[1] if f.code == "L0004"]

    assert allow('allow Reserve(restaurant = "R", time = ?t).') == [
        "this `allow Reserve` leaves `date` and `time` open"
    ]
    assert allow('allow each Reserve(restaurant = "R").') == []
    assert allow('allow Reserve(restaurant = "R", date = _, time known).') != []


def test_never_written_is_said_once() -> None:
    app = (
        APP
        + 'state Cart "c" { total: Number "t"  items: Number "i" }\nupdate Cart(total = 1) when Node(id = "x").\n'
        'deny "a" when tap, Cart(items > 1).\ndeny "b" when tap, Cart(items > 2, total = 1).\n'
    )
    assert said(app, "L0005") == ["items > 1"]


def test_an_app_without_screens_is_one_finding() -> None:
    assert said(APP + 'view A "a" { x: Text "x" }\nview B "b" { x: Text "x" }\n', "L0009") == ["A"]


@pytest.mark.parametrize("doc", ["Check if a table is free", "Book at 'If not Now'", "Tell me if it is free"])
def test_an_if_that_is_no_branch(doc: str) -> None:
    assert said(book(doc), "L0008") == []


def test_judgements_through_definitions() -> None:
    def policy(body: str) -> list[str]:
        return said(
            f'policy p "p"\nimport apps.opentable\ndefine Late when Reserve(time > 22:00).\n{body}', "L0015"
        )

    assert policy('deny "x" when Late.') == []
    assert policy('confirm "x" when Choice(time > 22:00).') == ['confirm "x"']
    assert policy('deny "x" when Reserve earlier.') == ['deny "x"']
    assert policy('flag "x" when Choice(time > 22:00).') == []
    assert policy('deny "x" when goto Receipt.') == []
    assert policy('deny "x" when Choice(time = ?t), before Choice(time != ?t).') == []


# ---- ignoring ----------------------------------------------------------------------------------------


OPEN = 'allow Reserve(restaurant = "R", date = today).'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{OPEN} // lint: ignore L0004", []),
        (f"// lint: ignore L0004\n{OPEN}", []),
        (f"// lint: ignore L0004 // any time will do\n{OPEN}", []),
        (f"//lint:ignore L0001,L0004\n// another comment\n\n/* and one */\n{OPEN}", []),
        (f"// lint: ignore L0001\n// lint: ignore L0004\n{OPEN}", []),
        (f"// lint: ignore L0001\n{OPEN}", ["L0004"]),
        (f"let Z = 1. // lint: ignore L0004, L0029\n{OPEN}", ["L0004"]),
        (f"// lint: ignore L0004, L0029\nlet Z = 1.\n{OPEN}", ["L0004"]),
        (f"/* lint: ignore L0004 */\n{OPEN}", ["L0004"]),
        (f'let Z = "\\" // lint: ignore L0004". {OPEN}', ["L0004", "L0029"]),
        (f"// lint: ignore\n{OPEN}", ["L0000", "L0004"]),
        (f"// lint: ignore L004\n{OPEN}", ["L0000", "L0004"]),
        (f"// lint: ignore L0004, E0401\n{OPEN}", ["L0000"]),
        (f"// lint: off\n{OPEN}", ["L0000", "L0004"]),
        (f"// lint: ignore L0000\n{OPEN}", ["L0000", "L0004"]),
        (f"{OPEN}\n// lint: ignore L0004", ["L0004"]),
    ],
)
def test_ignoring(text: str, left: list[str]) -> None:
    _, found = check(book(allow=text))
    # what such a comment ignores in vain is L0058 (tests in test_lint_projects.py)
    assert sorted(f.code for f in found if f.code != "L0058") == left


def test_a_misspelt_code_is_underlined_with_the_nearest() -> None:
    loaded, found = check(book(allow=f"// lint: ignore L0004, L0099\n{ALLOW}"))
    (item,) = (each for each in found if each.code == "L0000")
    assert item.span and loaded.sources["x.vsa"].slice(item.span) == "L0099"
    assert item.message == "there is no lint rule `L0099`" and "did you mean" in item.help
