"""What verdicts say of screens: one that shows is never a reason, and of two that match at once both are named."""

from pathlib import Path

import pytest

from tests.guard.phones import screen
from vsalang.guard import Guard, run_example
from vsalang.guard.say.feedback import verdict_text
from vsalang.language.semantics import load
from vsalang.program.action import Action

SHOP = """app shop package "com.opentable" "A shop"
screen Basket "What is to be bought" when Node(id = "basket").
screen Home {over}"The first page" when Node(id = "home").
screen Offers "What is cheap" when Node(id = "offers").
state Cart "What will be bought" {{ total: Number "what it costs" }}
update Cart(total = number(?t)) when Node(id = "total", text = ?t).
action Pay "Pay for all of it"
recognize Pay when tap(id = "pay").
"""
SPEC = """spec pay "Pay the basket"
import shop
allow Pay when {condition}, Cart(total < 10).
done when Pay earlier.
"""
TEST = """test "why" for pay {{
  observe {seen}.
  attempt Pay => block because {because}.
}}
"""


def written(folder: Path, over: str = "", condition: str = "screen Basket", test: str = "") -> Path:
    (folder / "shop.vsa").write_text(SHOP.format(over=over), encoding="utf-8")
    spec = folder / "pay.vsa"
    spec.write_text(SPEC.format(condition=condition) + test, encoding="utf-8")
    return spec


def passes(folder: Path, condition: str, seen: str, because: str) -> bool:
    spec = written(folder, condition=condition, test=TEST.format(seen=seen, because=because))
    loaded = load(spec)
    assert loaded.program is not None, loaded.diagnostics
    return run_example(loaded.program, loaded.own[0]).passed


@pytest.mark.parametrize(
    ("condition", "seen"),
    [
        ("screen Basket", 'Node(id = "basket")'),
        ("screen Basket", "screen Basket"),  # a test says so, no rule does
        ("not screen Basket", 'Node(id = "home")'),
        ("not screen Basket", "screen Home"),
        ('Screen(name = "Basket")', 'Node(id = "basket")'),
        ('not Screen(name = "Basket")', 'Node(id = "home")'),
    ],
)
def test_a_met_condition_on_the_screen_is_no_reason(tmp_path: Path, condition: str, seen: str) -> None:
    assert passes(tmp_path, condition, seen, "Cart")
    assert not passes(tmp_path, condition, seen, "Node")
    assert not passes(tmp_path, condition, seen, "Screen")
    # nothing of Cart was seen yet, which is not a question about all rows of something
    assert not passes(tmp_path, condition, seen, "incomplete")


def test_a_hidden_screen_is_still_a_reason(tmp_path: Path) -> None:
    assert passes(tmp_path, "screen Basket", 'Node(id = "home")', "Screen")
    assert passes(tmp_path, "not screen Basket", 'Node(id = "basket")', "Basket")


def started(folder: Path, over: str = "", **settings: object) -> Guard:
    loaded = load(written(folder, over=over))
    assert loaded.program is not None, loaded.diagnostics
    session = Guard(loaded.program, **settings)  # type: ignore[arg-type]
    session.observe(screen({"id": "basket"}, {"id": "home"}, {"id": "x", "clickable": True}))
    return session


def test_two_screens_that_match_are_both_named(tmp_path: Path) -> None:
    session = started(tmp_path)
    verdict = session.propose(Action("tap", {"id": "x"}))
    assert (verdict.level, [reason.kind for reason in verdict.reasons]) == ("confirm", ["unknown_screen"])
    text = verdict_text(verdict)
    assert "Basket and Home match at once" in text
    assert "`screen Basket over Home when ..`" in text
    assert "no module knows" not in text
    assert "--open" not in text  # starting elsewhere does not help
    assert "Basket und Home treffen zugleich zu" in verdict_text(verdict, language="de")
    refused = session.propose(Action("tap", {"id": "x"}), [Action("Pay")])
    assert any("Basket and Home match at once" in text for r in refused.reasons for text in r.texts())


def test_where_one_lies_over_the_other_nothing_is_asked(tmp_path: Path) -> None:
    assert started(tmp_path, over="over Basket ").propose(Action("tap", {"id": "x"})).level == "allow"


def test_where_none_matches_that_is_said(tmp_path: Path) -> None:
    session = started(tmp_path)
    session.observe(screen({"id": "x", "clickable": True}))
    text = verdict_text(session.propose(Action("tap", {"id": "x"})))
    assert "no module knows the screen that is shown" in text and "--open" in text
