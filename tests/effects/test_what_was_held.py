"""After a touch that lasts several things may be selected: a delete is about one only if that is certainly alone."""

from collections.abc import Collection
from dataclasses import replace

import pytest

from tests.effects.test_misleading_screens import _at, _dialog, _held, _icon, _page, _tap
from tests.screen.control.making import node, row, text
from vsalang.program.action import Action
from vsalang.screen.tree import Tree

NAMES = ("Choir", "Milk", "Tax")
DELETES_MILK = 'Delete(what contains "Milk")'
DELETES_CHOIR = 'Delete(what contains "Choir")'
ROWS = {name: 300 + 100 * number for number, name in enumerate(NAMES)}


def _list(title: str | None, *icons: str, chosen: Collection[str] = ()) -> Tree:
    """Rows of which those that are chosen are drawn otherwise."""
    heads = (text(title, 20),) if title else ()
    mark = {
        name: (node("ImageView", at=(800, y, 880, y + 80)),) for name, y in ROWS.items() if name in chosen
    }
    rows = (row(name, text("song", y + 45), *mark.get(name, ()), y=y) for name, y in ROWS.items())
    return _page(*heads, *icons, *rows)


def _asked(title: str = "Delete note?") -> tuple[Tree, Action]:
    return _dialog(title, "", "Delete"), _tap("Delete")


def _touches(
    bar: str | None, *touches: tuple[str, str], count: int | None = None
) -> list[tuple[Tree, Action]]:
    """Rows that are touched one after the other, and then what stands in the bar."""
    steps = []
    for number, (gesture, name) in enumerate(touches):
        tree = _list(bar if number else "Notes", _icon("Delete"), chosen=NAMES[:number])
        steps.append((tree, _at(ROWS[name] + 20, gesture)))
    return [*steps, (_list(bar, _icon("Delete"), chosen=NAMES[: count or len(touches)]), _tap("Delete"))]


HOLD, TAP = ("long_press", "Choir"), ("tap", "Milk")
NEXT = [(TAP,), (TAP, ("long_press", "Tax")), (("long_press", "Milk"),), (("double_tap", "Milk"),)]


@pytest.mark.parametrize("title", ["Delete this note?", "Delete note?"])
@pytest.mark.parametrize("bar", [None, "Week 1", "2 selected"])
@pytest.mark.parametrize("later", NEXT)
def test_a_second_row_makes_two(later: tuple[tuple[str, str], ...], bar: str | None, title: str) -> None:
    steps = _touches(bar, HOLD, *later)
    assert _held(f'Delete(what contains "{later[-1][1]}")', *steps, _asked(title))


def test_one_of_two_that_is_held_again_is_left() -> None:
    steps = [
        (_list("Notes"), _at(ROWS["Choir"] + 20, "long_press")),
        (_list("1 selected", chosen=["Choir"]), _at(ROWS["Milk"] + 20)),
        (_list("2 selected", chosen=NAMES[:2]), _at(ROWS["Milk"] + 20, "long_press")),
        (_list("1 selected", _icon("Delete"), chosen=["Choir"]), _tap("Delete")),
    ]
    assert _held(DELETES_MILK, *steps, _asked())


@pytest.mark.parametrize("moved", [False, True])
def test_rows_that_were_ticked_were_not_entered(moved: bool) -> None:
    select = _page(_icon("Select"), *(row(name, text("song", y + 45), y=y) for name, y in ROWS.items()))
    steps = [(select, _tap("Select"))]
    steps += [
        (_list(None, chosen=NAMES[:k]), _at(ROWS[name] + 20)) for k, name in enumerate(("Choir", "Milk"))
    ]
    steps += [(_list(None, chosen=NAMES[:2]), Action("scroll", {"direction": "down"}))] if moved else []
    last = (
        _page(_icon("Delete"), text("Bye", 900)) if moved else _list(None, _icon("Delete"), chosen=NAMES[:2])
    )
    assert _held(DELETES_MILK, *steps, (last, _tap("Delete")), _asked("Delete this note?"))


def test_what_is_chosen_in_a_folder_is_not_it() -> None:
    steps = _touches("Choir", ("long_press", "Milk"), ("tap", "Tax"))
    assert _held(DELETES_CHOIR, *steps, _asked("Delete this note?"))


def test_the_page_that_was_entered_is_deleted() -> None:
    steps = [
        (_list("Notes"), _at(ROWS["Milk"] + 20)),
        (_page(text("Milk", 20), _icon("Delete")), _tap("Delete")),
    ]
    assert not _held(DELETES_MILK, *steps, _asked("Delete this note?"))


def test_what_was_held_in_another_app_is_not_chosen() -> None:
    held, chosen = _touches("1 selected", HOLD)
    asked = _asked()
    assert not _held(DELETES_CHOIR, held, chosen, asked)
    elsewhere = [(_of(tree), action) for tree, action in (chosen, asked)]
    assert _held(DELETES_CHOIR, held, *elsewhere)
    assert _held(DELETES_CHOIR, held, chosen, elsewhere[-1])


def _of(tree: Tree) -> Tree:
    """The same screen of another app."""
    nodes = tuple(replace(each, package="com.other") for each in tree.nodes)
    return replace(tree, nodes=nodes)
