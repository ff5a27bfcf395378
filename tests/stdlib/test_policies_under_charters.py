"""What policies leave to a charter, and what they still ask: stories, one file for each task."""

from pathlib import Path

import pytest

from tests.guard.phones import guard, screen
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action
from vsalang.program.vocabulary import VOCABULARY

STORIES = sorted((Path(__file__).parent / "charters").glob("*.vsa"))


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_stories(path: Path) -> None:
    loaded = load(path, policies=["std.policies.unlicensed", "std.policies.all"])
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    assert loaded.own
    for example in loaded.own:
        result = run_example(loaded.program, example)
        assert result.passed, (example.name, result.failure)


POST = 'spec post "Post for friends"\nimport std.effects\nallow Post(audience ~= "Friends").\ndone when Post earlier.\n'


@pytest.mark.parametrize(
    ("name", "kind", "asked"),
    [("Audience", "link", False), ("Public", "link", True), ("Audience", "choice", True)],
)
def test_who_sees_it_is_told_or_chosen(name: str, kind: str, asked: bool) -> None:
    """Of what only tells who sees it nobody knows what it does; what chooses everybody is asked about as such."""
    look = screen({"id": "who", "label": f"{name}, Public", "clickable": True}, app="com.pics")
    look = look.seen(VOCABULARY["Role"], {"node": 1, "kind": "card"})
    look = look.seen(VOCABULARY["Surface"], {"node": 1, "kind": "page", "root": 9})
    look = look.seen(VOCABULARY["Control"], {"node": 1, "label": name, "value": "Public", "kind": kind})
    session = guard(load_text(POST, policies=["std.policies.all"]).checked())
    session.observe(look)
    verdict = session.propose(Action("tap", {"id": "who"}))
    assert verdict.level == "confirm" and verdict.because("PRI-9") is asked


@pytest.mark.parametrize(
    ("label", "asked"),
    [("Всё равно поделиться", False), ("Поделиться: все", True), ("Всё равно видно всем", True)],
)
def test_all_the_same_is_nobodys_audience(label: str, asked: bool) -> None:
    """The Russian word for all people also begins "all the same"."""
    session = guard(load_text(POST, policies=["std.policies.all"]).checked())
    session.observe(screen({"id": "share", "label": label, "clickable": True}, app="com.pics"))
    assert session.propose(Action("tap", {"id": "share"})).because("PRI-9") is asked
