"""Where L0034 to L0037 speak and where they keep quiet, and what L0017, L0025 to L0027 find since they look closer."""

from pathlib import Path

import pytest

from vsalang.language.lint import lint
from vsalang.language.semantics import load, load_text

ROOT = Path(__file__).resolve().parents[3]


def found(text: str, code: str) -> list[str]:
    loaded = load_text(text, file="x.vsa")
    assert loaded.ok, loaded.diagnostics
    return [text[f.span.start : f.span.end] for f in lint(loaded, select={code}) if f.span is not None]


SHOP = (
    'app shop package "com.shop" "A shop"\n'
    'state Room key (name) "A room" { name: Text "its name" rows: Number "how many" open: Bool "whether it is open" }\n'
)
READ = 'update Room(name = ?n, rows = ?k) when Node(id = "room", text = ?n), '


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (READ + "count(Node(text matches /^(?<n>\\w+) -/)) = ?k.", [r"/^(?<n>\w+) -/"]),
        (READ + "count(Node(text matches /^(?<m>\\w+) -/)) = ?k.", []),
        (READ + "count(Node(text matches /^\\w+ -/)) = ?k.", []),
        (READ + "count(Node(desc = ?n)) = ?k.", []),  # a variable that is written shows what it does
        (READ + "max(index of Node(text matches /^(?<n>\\w+)/)) = ?k.", [r"/^(?<n>\w+)/"]),
        # two aggregates, each with its own
        (
            READ
            + "Node(index = ?k), count(Node(text matches /^(?<m>a)/)) > 1, count(Node(desc matches /^(?<l>b)/)) > 1.",
            [],
        ),
        # outside an aggregate a capture joins like any variable
        (READ + 'Node(desc matches /^(?<n>a)/), count(Node(id = "x")) = ?k.', []),
        (
            'deny "no {?n}" when tap(text = ?n), count(Room(name matches /(?<n>a+)/)) > 1.',
            ["/(?<n>a+)/"],
        ),
        (
            'deny "{?n}" when tap(id = "x"), count(Room(name matches /(?<m>a)/)) > 1, Room(name = ?n).',
            [],
        ),
    ],
)
def test_a_capture_that_joins_a_variable_outside(rule: str, named: list[str]) -> None:
    assert found(SHOP + rule + "\n", "L0034") == named


def test_the_place_outside_is_shown() -> None:
    text = SHOP + READ + "count(Node(text matches /^(?<n>a)/)) = ?k.\n"
    (finding,) = lint(load_text(text, file="x.vsa"), select={"L0034"})
    assert [text[label.span.start : label.span.end] for label in finding.labels] == ["?n"]


@pytest.mark.parametrize(
    ("conditions", "named"),
    [
        ("Room(rows = 1), Room(open = true)", ["Room(open = true)"]),
        ('Room(name = "a", rows = 1), Room(name = "b", open = true)', []),  # two are meant
        ("Room(name = ?n, rows = 1), Room(name = ?n, open = true)", []),
        ("Room(name = ?n, rows = ?k), Room(name = ?m, rows = ?l), ?k < ?l", []),  # compared
        ("Room(rows = ?k), Room(rows = ?l), ?k = ?l", []),
        ("Room(rows = 1), not Room(open = true)", []),
        ("Room(rows = 1), before Room(open = true)", []),
        ("Room(open = true), Room(open = false)", []),  # no row is both
        ('Room(name = "a"), Room(open = true)', ["Room(open = true)"]),
        ('Node(id = "a"), Node(clickable = true)', []),
    ],
)
def test_two_conditions_that_may_speak_of_two_rows(conditions: str, named: list[str]) -> None:
    text = SHOP + f'deny "no" when tap(id = "x"), {conditions}.\n'
    loaded = load_text(text, file="x.vsa")
    assert loaded.ok, loaded.diagnostics
    spans = [f.span for f in lint(loaded, select={"L0036"})]
    assert [text[span.start : span.end] for span in spans if span is not None] == named


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ('Node(id = "t", text contains "a")', 'Node(id = "t", text contains "b")', True),
        ('Node(id = "t", text = "a b")', 'Node(id = "t", text contains "b")', True),
        ('Node(id = "t", text = "a")', 'Node(id = "t", text contains "b")', False),
        ('Node(id = "t", text = "a")', 'Node(id = "t", text = "b")', False),
        ('Node(id = "t", text contains "a")', 'Node(id = "t", selected = true)', True),
        ('Node(id = "t", selected = false)', 'Node(id = "t", selected = true)', False),
        ('Node(id = "t", text contains "a")', 'Node(id = "u", text contains "b")', False),  # two pages
        ('Node(id = "t", text matches /a.*/)', 'Node(id = "t", text matches /b.*/)', False),  # cannot be told
        ('Node(id = "t", text contains "a"), Node(id = "x")', 'Node(id = "t", text contains "b")', True),
        (
            'Node(id = "t", text contains "a"), Node(id = "x")',
            'Node(id = "t", text contains "b"), Node(id = "y")',
            False,
        ),
        (
            'Node(id = "t", text contains "a"), Node(id = "x")',
            'Node(id = "t", text contains "b"), not Node(id = "x")',
            False,
        ),
    ],
)
def test_screens_that_one_element_tells_at_once(one: str, other: str, clash: bool) -> None:
    for over in ("", " over A"):
        text = f'app a package "a.b" "A"\nscreen A "x" when {one}.\nscreen B{over} "x" when {other}.\n'
        assert found(text, "L0037") == ([f"screen B{over}"] if clash and not over else [])


CHAT = (
    'app chat package "com.chat" "A chat"\n'
    'screen Talk "A talk" when Node(id = "talk").\n'
    'view Draft on Talk "What is typed" { text: Text "the text" }\n'
    'view Title on Talk "The title" { text: Text "the text" }\n'
    'state Sent key (text) "A message that was sent" { text: Text "its text" }\n'
    'action Send(text: Text "the text") "Send what is typed"\n'
    'update Draft(text = ?v) when input_text(id = "entry", value = ?v).\n'
    'update Title(text = ?v) when Node(id = "title", text = ?v).\n'
    'recognize Send(text = ?t) when tap(id = "send") with Draft(text = ?t).\n'
)
SENT = "update Sent(text = ?t) when Send(text = ?t).\n"


@pytest.mark.parametrize(
    ("app", "done", "early"),
    [
        (CHAT + SENT, 'Draft(text = "hello")', True),
        (CHAT, 'Draft(text = "hello")', False),  # nothing else is its result
        (CHAT + SENT, 'Sent(text = "hello")', False),
        (CHAT + SENT, 'Draft(text = "hello"), Send earlier', False),
        (CHAT + SENT, 'Draft(text = "hello"), Sent(text = "hello")', False),
        (CHAT + SENT, 'Title(text = "hello")', False),  # nobody types it
    ],
)
def test_done_on_what_is_typed(app: str, done: str, early: bool, tmp_path: Path) -> None:
    (tmp_path / "chat.vsa").write_text(app)
    text = f'spec s "Send hello"\nimport chat\nallow Send(text = "hello").\ndone when {done}.\n'
    loaded = load_text(text, file="s.vsa", path=tmp_path / "s.vsa")
    assert loaded.ok, loaded.diagnostics
    assert [f.code for f in lint(loaded, select={"L0035"})] == (["L0035"] if early else [])


@pytest.mark.parametrize(
    ("done", "asked"),
    [("all Reserve", True), ("all Reserve, ReserveResult(success = true)", False), ("Reserve earlier", True)],
)
def test_all_of_an_action_says_nothing_of_its_result(done: str, asked: bool) -> None:
    text = (
        'spec s "Book a table at R"\nimport apps.opentable\nallow Reserve(restaurant = "R", date = today).\n'
        f"done when {done}.\n"
    )
    assert bool(found(text, "L0017")) is asked


OPEN = (
    'app shop package "com.shop" "A shop"\n'
    'screen Basket{0} "x" when Node(id = "basket").\nscreen Menu{1} "x" when Node(id = "menu").\n'
    'action Pay "Pay"\nrecognize Pay when tap(text = "Pay").\n'
)


@pytest.mark.parametrize(
    ("closed", "said"),
    [(("", ""), 1), ((" closed", ""), 1), (("", " closed"), 1), ((" closed", " closed"), 0)],
)
def test_one_closed_screen_does_not_close_the_others(closed: tuple[str, str], said: int) -> None:
    assert len(found(OPEN.format(*closed), "L0026")) == said


def test_the_open_screens_are_named() -> None:
    (finding,) = lint(load_text(OPEN.format(" closed", ""), file="x.vsa"), select={"L0026"})
    assert finding.message.endswith("and `Menu` is open")


ORDER = (
    'app shop package "com.shop" "A shop"\n'
    'state Order "What is ordered" { count: Number "how many" total: Number "what it costs" tip: Number "a tip" }\n'
    "update Order(count = number(?n), total = number(?t), tip = 0)\n"
    '  when Node(id = "count", text = ?n), Node(id = "total", text = ?t).\n'
)


@pytest.mark.parametrize(
    ("head", "stale"),
    [
        ("count = unknown", False),  # it only erases: nothing new stands next to the old
        ("count = unknown, tip = unknown", False),
        ("count = 1", True),
        ("count = 1, total = unknown", True),  # the tip stays
        ("count = 1, total = unknown, tip = unknown", False),
    ],
)
def test_an_input_that_only_erases_leaves_no_stale_evidence(head: str, stale: bool) -> None:
    assert bool(found(ORDER + f'update Order({head}) when tap(id = "clear").\n', "L0027")) is stale


@pytest.mark.parametrize(
    ("condition", "weak"),
    [
        ('Node(text = "Your basket")', True),
        ('Node(label = "Your basket")', True),
        ('Node(desc = "Basket page")', False),
        ('Node(desc = "Basket page", text = "Your basket")', False),
        ('Node(desc = "Basket page"), Node(text = "Your basket")', False),
    ],
)
def test_a_screen_readers_description_is_no_scrolling_text(condition: str, weak: bool) -> None:
    text = f'app shop package "com.shop" "A shop"\nscreen Basket "x" when {condition}.\n'
    assert bool(found(text, "L0025")) is weak


@pytest.mark.soak
def test_quiet_on_what_is_shipped_and_right() -> None:
    """The rules from L0030 on, those of `test_lint_three_more` too: to load all files takes longest."""
    files = [
        *(ROOT / "app_specs").rglob("*.vsa"),
        *(ROOT / "stdlib").rglob("*.vsa"),
        *(ROOT / "tests" / "programs" / "right").glob("*.vsa"),
        *(ROOT / "tests" / "guard" / "stories").glob("*.vsa"),
    ]
    assert len(files) > 60
    said = [
        (path.stem, f.code)
        for path in files
        if (loaded := load(path)).ok
        for f in lint(loaded, select={f"L{number:04}" for number in range(30, 38)})
    ]
    assert said == [("player", "L0032")]  # it says what leads to all its pages but one
