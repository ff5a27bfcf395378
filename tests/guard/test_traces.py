"""Absence in the system's trace is evidence only where the trace was read whole; else a contract is inconclusive."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import engine_of
from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.guard import Guard, Settings
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action
from vsalang.program.extent import beginnings
from vsalang.program.patterns import PatternError, compile_pattern
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

TAP = Action("tap", {"id": "go"})
Row = tuple[str, dict[str, Value]]


def page(*rows: Row) -> FactScreen:
    screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})
    screen = screen.seen(
        VOCABULARY["Node"], {"node": 1, "id": "go", "package": "com.shop", "clickable": True}
    )
    for name, cells in rows:
        screen = screen.seen(VOCABULARY[name], cells)
    return screen


def whole(relation: str, within: str) -> Row:
    return "Traced", {"relation": relation, "within": within}


def changed(path: str, **cells: Value) -> Row:
    return "FileChanged", {"path": path, **cells}


def outcomes(
    rule: str, *looks: FactScreen, before: FactScreen | None = None, engine: EngineName = DEFAULT_ENGINE
) -> list[str]:
    """The outcome of what a policy expects of a tap, by the look after it."""
    loaded = load_text(f'policy p "x"\n{rule}\n')
    guard = Guard(
        loaded.checked(),
        settings=Settings(unknown_screen="allow", task=False),
        engine=engine_of(engine),
        clock=lambda: dt.datetime(2026, 4, 1, 12),
    )
    guard.observe(before or page())
    found = []
    for look in looks:
        guard.commit(guard.propose(TAP), approved=True)
        found += [contract.outcome for contract in guard.observe(look).contracts]
    return found


NO_CHANGE = r"expect no FileChanged(path matches /^\/system\//) when tap."
SYSTEM = whole("FileChanged", "/system/")


@pytest.mark.parametrize(
    ("rows", "outcome"),
    [
        ([], "inconclusive"),
        ([SYSTEM], "met"),
        ([whole("FileChanged", "/sdcard/")], "inconclusive"),
        ([whole("FileChanged", "/system/app/")], "inconclusive"),
        ([whole("File", "/system/")], "inconclusive"),
        ([whole("FileChanged", "/sys")], "inconclusive"),
        ([changed("/system/x")], "violated"),
        ([SYSTEM, changed("/system/x")], "violated"),
        ([SYSTEM, changed("/sdcard/x")], "met"),
        ([changed("/sdcard/x")], "inconclusive"),
        ([SYSTEM, ("FileChanged", {"after": "1"})], "inconclusive"),
    ],
)
def test_no_change_is_met_only_where_all_was_read(rows: list[Row], outcome: str) -> None:
    assert outcomes(NO_CHANGE, page(*rows)) == [outcome]


@pytest.mark.parametrize("engine", ["reference", "incremental", "pydatalog"])
def test_every_engine_takes_what_was_not_read_for_unknown(engine: EngineName) -> None:
    looks = (page(), page(SYSTEM), page(whole("File", "/system/")), page(SYSTEM, changed("/system/x")))
    assert outcomes(NO_CHANGE, *looks, engine=engine) == ["inconclusive", "met", "inconclusive", "violated"]


def test_a_look_that_failed_settles_nothing() -> None:
    loaded = load_text(f'policy p "x"\n{NO_CHANGE}\n')
    guard = Guard(loaded.checked(), settings=Settings(unknown_screen="allow", task=False))
    guard.observe(page(SYSTEM))
    guard.commit(guard.propose(TAP), approved=True)
    assert [contract.outcome for contract in guard.observe(None).contracts] == ["inconclusive"]


@pytest.mark.parametrize(
    ("condition", "row", "outcome"),
    [
        ('no FileChanged(path = "/system/a")', SYSTEM, "met"),
        ('no FileChanged(path = "/system")', SYSTEM, "inconclusive"),
        ('no FileChanged(path in {"/system/a", "/system/b"})', SYSTEM, "met"),
        ('no FileChanged(path in {"/system/a", "/vendor/b"})', SYSTEM, "inconclusive"),
        (r"no FileChanged(path matches /^\/system/)", SYSTEM, "inconclusive"),
        (r"no FileChanged(path matches /\/system\//)", SYSTEM, "inconclusive"),
        (r"no FileChanged(path matches /^\/system\//i)", SYSTEM, "inconclusive"),
        (r"no FileChanged(path matches /^\/(system|vendor)\//)", SYSTEM, "inconclusive"),
        (r"no FileChanged(path matches /^\/system\/(a|b)/, path contains \"x\")".replace("\\\"", '"'), SYSTEM, "met"),
        ('no FileChanged(path contains "/system/")', SYSTEM, "inconclusive"),
        ("no FileChanged()", SYSTEM, "inconclusive"),
        ('no FileChanged(path != "/system/a")', SYSTEM, "inconclusive"),
        ('no Permission(package = "a.b", granted = true)', whole("Permission", "a.b"), "met"),
        ('no Permission(package = "a.c", granted = true)', whole("Permission", "a.b"), "inconclusive"),
        ('no Permission(name = "SMS")', whole("Permission", "a.b"), "inconclusive"),
        ('no Setting(namespace = "secure", key = "adb")', whole("Setting", "secure"), "met"),
        ('no Setting(key = "adb")', whole("Setting", "secure"), "inconclusive"),
        ('no Network(package = "a.b")', whole("Network", "a.b"), "inconclusive"),
        ('count(FileChanged(path = "/system/a")) = 0', SYSTEM, "met"),
        ('count(FileChanged(path = "/data/a")) = 0', SYSTEM, "inconclusive"),
        ('no FileChanged(path = "/system/a") within 10min', SYSTEM, "inconclusive"),
    ],
)  # fmt: skip
def test_what_a_condition_may_match_must_have_been_read(condition: str, row: Row, outcome: str) -> None:
    assert outcomes(f"expect {condition} when tap.", page(row)) == [outcome]


@pytest.mark.parametrize(("row", "outcome"), [(SYSTEM, "met"), (whole("File", "/system/"), "inconclusive")])
@pytest.mark.parametrize(
    "rules",
    [
        r"define Touched when FileChanged(path matches /^\/system\//). expect no Touched when tap.",
        r"define Clean when no FileChanged(path matches /^\/system\//). expect Clean when tap.",
        r"define Bad when FileChanged(path matches /^\/system\//). define Good when no Bad. expect Good when tap.",
    ],
)
def test_a_definition_over_the_trace_needs_it_too(rules: str, row: Row, outcome: str) -> None:
    assert outcomes(rules, page(row)) == [outcome]


def test_a_definition_of_absence_alone_violates_nothing() -> None:
    rules = 'define Same when no FileChanged(path = "/system/a"). expect no Same when tap.'
    assert outcomes(rules, page()) == ["inconclusive"]
    assert outcomes(rules, page(SYSTEM)) == ["violated"]


def test_every_needs_all_rows() -> None:
    rule = r"expect every File(path matches /^\/system\//) has (sha256 = \"1\") when tap.".replace('\\"', '"')
    good = ("File", {"path": "/system/a", "sha256": "1"})
    assert outcomes(rule, page(good)) == ["inconclusive"]
    assert outcomes(rule, page(good, whole("File", "/system/"))) == ["met"]
    assert outcomes(rule, page(good, ("File", {"path": "/system/b", "sha256": "2"}))) == ["violated"]


def test_a_row_with_an_unknown_hash_may_match() -> None:
    rule = 'expect no FileChanged(path = "/system/a", after = "1") when tap.'
    assert outcomes(rule, page(SYSTEM, changed("/system/a"))) == ["inconclusive"]
    assert outcomes(rule, page(SYSTEM, changed("/system/a", after="2"))) == ["met"]


def test_a_file_that_must_be_there_is_missed() -> None:
    rule = 'expect File(path = "/sdcard/a") when tap.'
    assert outcomes(rule, page()) == ["inconclusive"]
    assert outcomes(rule, page(("File", {"path": "/sdcard/a"}))) == ["met"]
    assert outcomes(rule, page(whole("File", "/sdcard/"))) == ["violated"]


def test_rows_of_an_earlier_look_show_nothing() -> None:
    stale = ("Untraced", {"relation": "File", "why": "not read by this look"})
    assert outcomes(
        'expect File(path = "/sdcard/a") when tap.', page(("File", {"path": "/sdcard/a"}), stale)
    ) == ["inconclusive"]


def test_a_change_lives_for_one_look() -> None:
    first = page(SYSTEM, changed("/system/x"))
    assert outcomes(NO_CHANGE, first, first) == ["violated", "met"]


APP = r"""
app shop package "com.shop" "A shop"
import std.control
action Buy "Buy"
recognize Buy when tap(id = "go").
expect {condition} when Buy.
"""
SPEC = 'spec s "Buy"\nimport shop\nallow Buy.\ndone when Buy earlier.\n'


@pytest.mark.parametrize(
    "condition",
    [r"no FileChanged(path matches /^\/system\//)", 'FileChanged(path = "/system/x")', "Changed"],
)
def test_a_look_of_another_time_settles_no_change(tmp_path: Path, condition: str) -> None:
    """What changed between two later looks says nothing of what the action changed."""
    app = APP.format(condition=condition)
    (tmp_path / "shop.vsa").write_text(app)
    (tmp_path / "s.vsa").write_text(SPEC)
    guard = Guard(load(tmp_path / "s.vsa").checked(), clock=lambda: dt.datetime(2026, 4, 1, 12))
    guard.observe(page())
    guard.commit(guard.propose(TAP), approved=True)
    assert [each.outcome for each in guard.observe(page()).contracts] == ["inconclusive"]
    later: tuple[Row, ...] = (SYSTEM,)
    if "no" not in condition:
        later = (SYSTEM, changed("/system/x"), ("Changed", {}))
    assert guard.observe(page(*later)).came_late == ()


SAME = 'define Same when {}no FileChanged(path = "/system/a").\n'
READ = 'Traced(relation = "FileChanged", within = "/system/"), '
UPDATE = """app shop package "com.shop" "A shop"
{more}state Clean "x" {{ yes: Bool "x" }}
update Clean(yes = true) when {body}.
"""


@pytest.mark.parametrize(
    ("body", "more", "wrong"),
    [
        (r"no FileChanged(path matches /^\/system\//)", "", True),
        (READ + r'no FileChanged(path matches /^\/system\//)', "", False),
        (r'Traced(relation = "File", within = "/system/"), no FileChanged(path matches /^\/system\//)', "", True),
        (READ + r'no FileChanged()', "", True),
        ('no Permission(package = "a.b")', "", True),
        ('Traced(relation = "Permission", within = "a.b"), no Permission(package = "a.b")', "", False),
        ('Traced(relation = "Network", within = "a.b"), no Network(package = "a.b")', "", True),
        ("Same", SAME.format(""), True),
        ("Same", SAME.format(READ), False),
        ("no Node(id = \"x\"), Fits(node = 1)", "import std.lists\n", False),
        ("Fits(node = 1), no FileChanged(path = \"/system/a\")", "import std.lists\n", True),
        ('count(FileChanged(path = "/system/a")) = 0', "", True),
    ],
)  # fmt: skip
def test_an_effect_needs_what_was_read(body: str, more: str, wrong: bool) -> None:
    loaded = load_text(UPDATE.format(more=more, body=body))
    assert ["E0407"] * wrong == [each.code for each in loaded.diagnostics if each.code.startswith("E")]


PARTS = st.sampled_from(
    ["^", "/", "a", "b", "(", ")", "|", "(?:", "[ab]", "[^a]", "+", "?", "*", ".", "$", r"\A", "{2}", r"\/"]
)


@given(st.lists(PARTS, max_size=12).map("".join), st.lists(st.text("/ab", max_size=5), max_size=8))
def test_what_a_pattern_matches_begins_as_told(source: str, texts: list[str]) -> None:
    try:
        pattern = compile_pattern(source)
    except PatternError:
        return
    begins = beginnings(source)
    if begins is not None:
        assert all(text.startswith(begins) for text in texts if pattern.matches(text))
