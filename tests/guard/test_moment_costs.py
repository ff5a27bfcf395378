"""A moment costs what differs from the one before: what a slot holds already is not assigned again."""

import datetime as dt
from types import MappingProxyType
from typing import Any

import pytest

from vsalang.engine import open_session
from vsalang.guard.world.beliefs import Entry, Table, World
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.rule_book import rule_book
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program

TODAY = dt.date(2026, 4, 1)
SOURCE = """
app shop package "com.example.shop"

state Form "What is filled in" {
  day: Date
  guests: Number
}
state Other "Something else" {
  n: Number
}
screen Page when Node(id = "page").
define Ready() when Form(guests > 1), before Form(guests = 1), Node(id = "page").
define More() when Other(n > 1).
"""


class Counting:
    """An evaluator that tells what was assigned."""

    def __init__(self, program: Program) -> None:
        self.inner = open_session(program, today=TODAY)
        self.assigned: list[str] = []
        self.savepoints = 0

    def savepoint(self) -> int:
        self.savepoints += 1
        return self.inner.savepoint()

    def assign(self, relation: Any, rows: Any) -> None:
        self.assigned.append(str(relation))
        self.inner.assign(relation, rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def form(guests: int) -> Table:
    return Table(MappingProxyType({(): Entry((None, guests), (0, 1))}))


@pytest.fixture
def made() -> tuple[Counting, Moments]:
    from pathlib import Path

    program = load_text(SOURCE, file="shop.vsa", path=Path("shop.vsa")).program
    assert program is not None
    counting = Counting(program)
    return counting, Moments(program, counting, rule_book(program))  # type: ignore[arg-type]


def test_what_is_held_is_not_assigned_again(made: tuple[Counting, Moments]) -> None:
    counting, moments = made
    one = World(MappingProxyType({"shop.Form": form(1)}))
    two = one.put("shop.Form", form(2))
    page = FactScreen(MappingProxyType({"Node": ({"node": 1, "id": "page", "package": "com.example.shop"},)}))
    moments.screen(page, 1)
    moments.world(one)
    assert moments.answers.rows("shop.Form") == {(None, 1)}
    counting.assigned.clear()
    moments.screen(page, 1)
    moments.world(one)
    moments.settle()
    moments.gesture(None, None)
    moments.gesture(None, None)
    assert not counting.assigned
    savepoint = moments.savepoint()
    moments.world(two, one)
    assert not counting.assigned, "nothing was asked"
    assert moments.answers.rows("shop.Ready") == {()} and counting.assigned == ["shop.Form"]
    moments.rollback(savepoint)
    assert moments.answers.rows("shop.Ready") == frozenset()
    assert counting.inner.rows("shop.Form") == {(None, 1)}
    moments.world(two, one)  # what was rolled back is not taken as held
    assert moments.answers.rows("shop.Ready") == {()}
    moments.screen(None, 2)
    assert moments.answers.rows("shop.Ready") == frozenset() == counting.inner.rows("Node")
    moments.screen(page, 3)
    assert moments.answers.rows("shop.Ready") == {()}


def test_savepoints_cost_nothing_unless_something_is_assigned(made: tuple[Counting, Moments]) -> None:
    counting, moments = made
    one = World(MappingProxyType({"shop.Form": form(1)}))
    two, three = one.put("shop.Form", form(2)), one.put("shop.Form", form(3))
    moments.world(one)
    moments.settle()
    outer = moments.savepoint()
    inner = moments.savepoint()
    moments.world(three)
    moments.rollback(inner)
    assert not counting.savepoints
    moments.world(two)
    inner = moments.savepoint()
    moments.world(three)
    assert moments.answers.rows("shop.Form") == {(None, 3)} and counting.savepoints == 2
    moments.rollback(inner)
    assert moments.answers.rows("shop.Form") == {(None, 2)}, (
        "wanted before the inner savepoint, assigned after it"
    )
    moments.rollback(outer)
    assert counting.inner.rows("shop.Form") == {(None, 1)}


def test_what_could_not_be_assigned_is_not_held(made: tuple[Counting, Moments]) -> None:
    counting, moments = made
    one = World(MappingProxyType({"shop.Form": form(1)}))
    broken = one.put("shop.Form", Table(MappingProxyType({(): Entry((None,), (0,))})))
    moments.world(one)
    moments.settle()
    moments.world(broken)
    with pytest.raises(Exception, match="cells"):
        moments.settle()
    moments.world(one)
    moments.settle()
    assert counting.inner.rows("shop.Form") == {(None, 1)}
    counting.inner.assign("shop.Form", [])
    moments.restart()
    moments.settle()
    assert counting.inner.rows("shop.Form") == {(None, 1)}


NESTED = """
spec nested_r "What lies inside what"
import std.tree

define Pairs(n = ?n, o = ?o) when Inside(node = ?n, of = ?o).
define Texts(o = ?o, t = ?t) when Part(of = ?o, text = ?t).
done when Pairs(n = 1), Texts(t = "a").
"""


@pytest.mark.parametrize(
    ("facts", "nested"),
    [
        ({"Node": ({"node": 1, "text": "a"}, {"node": 2, "parent": 1, "text": "b"}, {"node": "x"})}, True),
        ({"Node": ({"node": 1}, {"node": 2, "parent": 9, "text": "b"})}, True),
        ({"Node": ({"node": 1, "parent": 2, "text": "a"}, {"node": 2, "parent": 1, "text": "b"})}, False),
        ({"Node": ({"node": 1},), "Inside": ({"node": 7, "of": 8},)}, False),
        ({"Node": ({"node": 1, "text": "a"},), "Part": ({"node": 7, "of": 8, "text": "c"},)}, False),
    ],
)
def test_facts_are_looked_up_where_they_suffice(facts: dict[str, Any], nested: bool) -> None:
    """What is given next to what follows from the nodes is given row by row."""
    from pathlib import Path

    program = load_text(NESTED, file="nested_r.vsa", path=Path("nested_r.vsa")).program
    assert program is not None
    counting = Counting(program)
    moments = Moments(program, counting, rule_book(program))  # type: ignore[arg-type]
    screen = FactScreen(MappingProxyType(facts))
    assert (screen.forest is not None) == nested
    moments.screen(screen, 1)
    pairs = {(row.get("node"), row.get("of")) for row in screen.rows("Inside")}
    texts = {(row["of"], row["text"]) for row in screen.rows("Part") if "text" in row}
    assert counting.rows("nested_r.Pairs") == pairs
    assert counting.rows("nested_r.Texts") == texts
