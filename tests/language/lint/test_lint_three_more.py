"""Where L0030 to L0033 speak and where they keep quiet."""

from pathlib import Path

import pytest

from vsalang.language.lint import lint
from vsalang.language.semantics import load_text

ROOT = Path(__file__).resolve().parents[3]


def found(text: str, code: str) -> list[str]:
    loaded = load_text(text, file="x.vsa")
    assert loaded.ok, loaded.diagnostics
    return [text[f.span.start : f.span.end] for f in lint(loaded, select={code}) if f.span is not None]


SPEC = (
    'spec s "Book a table at R"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t, available = true), RestaurantInfo(name = "R").\n'
)


@pytest.mark.parametrize(
    ("done", "early"),
    [
        ('done when RestaurantInfo(name = "R").', True),
        ("done when RestaurantInfo.", True),
        ('done when Slot(restaurant = "R", available = true), RestaurantInfo.', True),
        ('done when RestaurantInfo(name = "Q").', True),  # the app does not say that booking changes it
        (
            'done when RestaurantInfo(name = "Q"), Booking(restaurant = "R").',
            False,
        ),  # what lasts may come of it
        ('done when RestaurantInfo(name = "R"), Reserve earlier.', False),
        ('done when RestaurantInfo(name = "R"), ReserveResult(success = true).', False),
        ("done when ReserveResult(success = true).", False),
        ('done when not RestaurantInfo(name = "R").', False),
        ('done when RestaurantInfo(name = "R") earlier.', False),
        ("done when RestaurantInfo(name = ?n), ReserveResult(message = ?n).", False),
        ("done when all Reserve.", False),
    ],
)
def test_done_that_holds_when_the_action_is_allowed(done: str, early: bool) -> None:
    assert found(SPEC + done + "\n", "L0030") == ([done] if early else [])


def test_beside_another_end_it_may_mean_doing_nothing() -> None:
    other = (
        'done when RestaurantInfo(name = "Q").\ndone when Reserve earlier, ReserveResult(success = true).\n'
    )
    assert found(SPEC + other, "L0030") == []


APP = (
    'app bank package "com.bank" "A bank"\n'
    'screen Form "The form" when Node(id = "form").\n'
    'view Payee on Form "Who is paid" {\n  name: Text "the name"\n  kind: Text "what for"\n}\n'
    'update Payee(name = ?n, kind = ?k) when Node(id = "to", text = ?n), Node(id = "for", text = ?k).\n'
    'update Payee(name = ?v{more}) when input_text(id = "to", value = ?v).\n'
    'action Pay "Pay"\nrecognize Pay when tap(id = "pay").\n'
)


@pytest.mark.parametrize(
    ("more", "rule", "named"),
    [
        ("", 'deny "x" when Pay, Payee(kind != "rent").', ['kind != "rent"']),
        ("", 'confirm "x" when Pay, Payee(kind not in {"rent", "food"}).', ['kind not in {"rent", "food"}']),
        ("", 'deny "x" when Pay, Payee(name != "Ann").', []),  # always written
        ("", 'deny "x" when Pay, not Payee(kind = "rent").', []),
        ("", 'deny "x" when Pay, Payee(kind = "rent").', []),
        ("", 'warn "x" when Pay, Payee(kind != "rent").', []),  # a warning stops nothing
        (", ..", 'deny "x" when Pay, Payee(kind != "rent").', []),  # the view keeps its other cells
        (", kind = unknown", 'deny "x" when Pay, Payee(kind != "rent").', ['kind != "rent"']),
    ],
)
def test_unequal_to_what_may_be_unknown(more: str, rule: str, named: list[str]) -> None:
    assert found(APP.replace("{more}", more) + rule + "\n", "L0031") == named


@pytest.mark.parametrize("asked", ['not subset {"Milk"}', 'not contains "Milk"'])
def test_a_set_that_may_be_unknown(asked: str) -> None:
    """`not subset` had been forgotten: the negative operators are those of the table in `program/ops.py`."""
    app = (
        'app shop package "com.shop" "A shop"\n'
        'state Cart "What is bought" { goods: set of Text "the goods" }\n'
        'update Cart(goods = unknown) when tap(id = "empty").\n'
        'action Pay "Pay"\nrecognize Pay when tap(id = "pay").\n'
    )
    rule = f'deny "x" when Pay, Cart(goods {asked}).\n'
    assert found(app + rule, "L0031") == [f"goods {asked}"]


SCREENS = (
    'app a package "a.b" "A"\n'
    + "".join(f'screen {n} "{n}" when Node(id = "{n}").\n' for n in ("Home", "Cart"))
    + 'goto Home when tap(id = "h").\n'
)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ('screen Page "x" when Node(id = "p").\ngoto Cart when tap(id = "c").\n', ["Page"]),
        ('screen Page over Home "x" when Node(id = "p").\ngoto Cart when tap(id = "c").\n', []),
        ('screen Page closed "x" when Node(id = "p").\ngoto Cart when tap(id = "c").\n', []),
        ('screen Page "x" when Node(id = "p").\ngoto Page when tap(id = "c").\n', ["Cart"]),
        ('screen Page "x" when Node(id = "p").\n', []),  # the graph is only begun
        (
            'screen P "x" when Node(id = "p").\nscreen Q "x" when Node(id = "q").\ngoto Cart when tap(id = "c").\n',
            [],
        ),
        ('goto Cart when tap(id = "c").\n', []),
    ],
)
def test_a_screen_to_which_no_step_leads(more: str, named: list[str]) -> None:
    assert found(SCREENS + more, "L0032") == named


SONGS = (
    'app songs package "com.songs" "A chart"\n'
    'list Song key (title) "A song" {\n  title: Text "its title"\n  liked: Bool "liked"\n  plays: Number "plays"\n}\n'
    "update Song(row = ?r, title = ?t, liked = ?c, plays = 1)\n"
    '  when Node(id = "row", node = ?r, text = ?t, checked = ?c).\n'
    'action Like(title: Text "which song") "Like"\naction Play(title: Text "which song") "Play"\n'
    'recognize Like(title = ?t) when tap(id = "heart", text = ?t).\n'
    'recognize Play(title = ?t) when tap(id = "play", text = ?t).\n'
    "update Song(title = ?t, liked = true) when Like(title = ?t).\n"
)


@pytest.mark.parametrize(
    ("allow", "named"),
    [
        ("allow 3 Like(title = ?t) when first 3 Song(liked = false, title = ?t).", ["liked = false"]),
        ("allow each Like(title = ?t) when first 2 Song(liked != true, title = ?t).", ["liked != true"]),
        ("allow Like(title = ?t) when first 3 Song(liked = false, title = ?t).", []),  # once: nothing moves
        ("allow 3 Like(title = ?t) when first 3 Song(title = ?t), Song(title = ?t, liked = false).", []),
        ("allow 3 Like(title = ?t) when first 3 Song(plays > 3, title = ?t).", []),
        ("allow 3 Play(title = ?t) when first 3 Song(liked = false, title = ?t).", []),  # it changes nothing
    ],
)
def test_first_over_what_the_action_changes(allow: str, named: list[str], tmp_path: Path) -> None:
    (tmp_path / "songs.vsa").write_text(SONGS)
    text = f'spec s "x"\nimport songs\n{allow}\ndone when answer earlier.\nallow answer.\n'
    loaded = load_text(text, file="s.vsa", path=tmp_path / "s.vsa")
    assert loaded.ok, loaded.diagnostics
    spans = [f.span for f in lint(loaded, select={"L0033"})]
    assert [text[span.start : span.end] for span in spans if span is not None] == named
