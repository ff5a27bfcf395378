"""Joining windows of a list across a scroll: positions where they are certain, none where they are not."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guard.phones import Watch, screen
from vsalang.guard import Guard, Settings
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.joining import Motion, WindowState, joined
from vsalang.guard.world.list_windows import ListWindow
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import NUMBER, TEXT, Attr, Relation
from vsalang.program.vocabulary import VOCABULARY

LIST = Relation("a.L", "list", (Attr("x", TEXT), Attr("at", NUMBER)))


def window(texts: str, first: int | None, whole: bool = True) -> WindowState:
    rows = tuple((None if text == "?" else text, None) for text in texts)
    return WindowState(rows, tuple(whole for _ in rows), first, 3)


def join(before: WindowState, after: str, direction: str, node: int = 3, whole: bool = True) -> int | None:
    now = window(after, None, whole)
    made = ListWindow((), tuple(range(len(after))), None, False, False)
    return joined(LIST, made, now, {("a.L", ()): before}, Motion(direction, node)).first


def test_two_rows_in_common_join() -> None:
    assert join(window("abcd", 1), "cdef", "up") == 3
    assert join(window("cdef", 3), "abcd", "down") == 1
    assert join(window("abcd", 1), "abcd", "") == 1


def test_what_is_not_certain_has_no_position() -> None:
    assert join(window("abcd", None), "cdef", "up") is None  # the last window had none
    assert join(window("abcd", 1), "defg", "up") is None  # one row in common
    assert join(window("abcd", 1), "cdef", "down") is None  # against the direction
    assert join(window("abcd", 1), "cdef", "left") is None
    assert join(window("abcd", 1), "cdef", "up", node=4) is None  # another list was scrolled
    assert join(window("aaaa", 1), "aaaa", "up") is None  # many shifts agree
    assert join(window("ababab", 1), "ababcd", "up") is None
    assert join(window("abcd", 1), "cdef", "up", whole=False) is None
    assert join(window("abcd", 1), "c?ef", "up") is None  # whole, and read otherwise
    assert join(window("cdef", 1), "abcd", "down") is None  # it would begin above the first


@given(st.lists(st.sampled_from("abc"), min_size=6, max_size=12), st.integers(0, 6), st.integers(0, 4))
def test_a_given_position_is_right_after_a_scroll(texts: list[str], start: int, shift: int) -> None:
    size = 6
    text = "".join(texts)
    before, after = text[start : start + size], text[start + shift : start + shift + size]
    found = join(window(before, start + 1), after, "up")
    if len(before) - shift >= 2 and found is not None:
        assert found == start + shift + 1


def shelf(*titles: str, scrolls: bool, header: bool = False) -> FactScreen:
    nodes: list[dict[str, Any]] = [
        {"node": 1, "id": "shelf"},
        {"node": 2, "id": "room", "text": "hall"},
        {"node": 3, "id": "books", "scrollable": scrolls, "clickable": True},
    ]
    for number, title in enumerate(titles, 4):
        nodes += [
            {"node": 10 * number, "parent": 3},
            {"node": 10 * number + 1, "parent": 10 * number, "id": "title", "text": title},
        ]
    made = screen(*nodes, app="com.shelf")
    for number in range(4, 4 + len(titles)):
        made = made.seen(VOCABULARY["Whole"], {"node": 10 * number})
    if header:
        made = made.seen(VOCABULARY["Bounds"], {"list": 3, "top": True, "end": False})
    return made


@pytest.mark.parametrize(
    "gesture",
    [
        Action("scroll", {"node": 3, "direction": "down"}),
        Action("swipe", {"node": 3, "direction": "up"}),
        Action("swipe", {"node": 3, "x": 50, "y": 80, "x2": 50, "y2": 20}),
    ],
    ids=["look down", "finger up", "between places"],
)
def test_scrolling_a_list_keeps_count_of_its_rows(gesture: Action) -> None:
    program = load(Path(__file__).parent / "stories" / "pick.vsa").program
    assert program is not None
    session = Guard(program, clock=Watch(), settings=Settings())
    session.observe(shelf("A", "B", "C", scrolls=True, header=True))
    session.commit(session.propose(gesture))
    session.observe(shelf("B", "C", "D", scrolls=True))
    assert {(row[1], row[-1]) for row in session.snapshot.world.rows("shelf.Book")} == {
        ("A", 1),
        ("B", 2),
        ("C", 3),
        ("D", 4),
    }
    session.commit(session.propose(Action("home")))
    session.observe(shelf("B", "C", "D", scrolls=True))
    assert {row[-1] for row in session.snapshot.world.rows("shelf.Book")} == {None}
