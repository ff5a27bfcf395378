"""A touch that may act, or lead on: no question where the task allows whatever it may do."""

from functools import cache

import pytest

from tests.guard.phones import guard, screen
from vsalang.guard import Guard
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

DELETE, OTHER, SAVE, CART = (Action("tap", {"id": name}) for name in ("bin", "odd", "save", "cart"))


@cache
def program(clauses: str) -> Program:
    return load_text(f'spec task "Tidy up"\nimport std.effects\n{clauses}\ndone.\n').checked()


def page(title: str) -> FactScreen:
    nodes: tuple[dict[str, Value], ...] = (
        {"id": "bin", "text": "Delete", "clickable": True},
        {"id": "odd", "text": "Frobnicate", "clickable": True},
        {"id": "save", "text": "Save", "clickable": True},
        {"id": "cart", "text": "Add to cart", "clickable": True},
    )
    look = screen(*nodes, app="com.other")
    for node in range(1, 5):
        look = look.seen(VOCABULARY["Role"], {"node": node, "kind": "button"})
        look = look.seen(VOCABULARY["Surface"], {"node": node, "kind": "page", "root": 9, "title": title})
    return look


def on(clauses: str, title: str = "Choir") -> Guard:
    session = guard(program(clauses))
    session.observe(page(title))
    return session


def kinds(verdict: Verdict) -> list[str]:
    return [reason.kind for reason in verdict.reasons]


def test_what_is_allowed_either_way_is_not_asked_about() -> None:
    verdict = on('allow Delete(what contains "Choir").').propose(DELETE)
    assert verdict.allowed and not verdict.actions
    (told,) = [flag for flag in verdict.flags if flag.kind == "unknown_touch"]
    assert "Delete" in told.message


@pytest.mark.parametrize(
    ("clauses", "title"),
    [
        ('allow Delete(what contains "Choir").', "Birthday"),  # another thing
        ("allow Send.", "Choir"),  # another effect
        ("allow Delete(count <= 1).", "Choir"),  # how many, nobody read
        ('allow Delete.\nconfirm "Delete?" when Delete.', "Choir"),  # a rule asks
    ],
)
def test_what_may_be_more_than_allowed_is_asked_about(clauses: str, title: str) -> None:
    assert kinds(on(clauses, title).propose(DELETE)) == ["unknown_touch"]


def test_what_says_nothing_stays_unknown() -> None:
    assert kinds(on("allow Delete.").propose(OTHER)) == ["unknown_touch"]


def test_after_one_such_touch_the_next_is_asked_about() -> None:
    session = on("allow Delete.")
    assert session.propose(DELETE).allowed
    session.commit()
    session.observe(page("Choir"))
    assert kinds(session.propose(DELETE)) == ["unknown_touch"]


@pytest.mark.parametrize(
    ("clauses", "control"),
    [('allow Create(what contains "Choir").', SAVE), ("allow Order.", CART), ("allow Share.", SAVE)],
)
def test_a_licence_permits_no_other_effect(clauses: str, control: Action) -> None:
    """Also where a screen hardly tells the two apart."""
    verdict = on(clauses).propose(control)
    assert verdict.actions and kinds(verdict) == ["unlicensed"]
