"""Rows of `Inside` and `Part` that are looked up: the answers are those of the same rows one by one, at every look."""

import datetime as dt
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.agreeing import evaluator, told
from vsalang.engine.api import Budget, BudgetExceeded, EngineError, Row
from vsalang.engine.incremental import IncrementalEvaluator, restore
from vsalang.engine.run import maintain, ondemand
from vsalang.guard.world.beliefs import row_of
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program
from vsalang.program.nested import Forest, NestedRows
from vsalang.program.vocabulary import VOCABULARY

SOURCE = """spec questions "Asks in all ways what lies inside what"
import std.tree

define Above(a = ?a, b = ?b) when Node(node = ?a, parent = ?b).
define Above(a = ?a, b = ?c) when Above(a = ?a, b = ?b), Node(node = ?b, parent = ?c).
define Held(a = ?a) when Node(node = ?r, id = "a"), Inside(node = ?a, of = ?r).
define Ways(a = ?a, b = ?b) when Inside(node = ?a, of = ?m), Inside(node = ?m, of = ?b), Node(node = ?m, id = "b").
define Deep(a = ?a, b = ?b) when Part(node = ?a, of = ?b, id = "a").
define Deep(a = ?a, b = ?c) when Deep(a = ?a, b = ?b), Inside(node = ?b, of = ?m), Node(node = ?m, parent = ?c).
define Whole(a = ?a, b = ?b) when Inside(node = ?a, of = ?b).
define Outer(b = ?b) when Inside(of = ?b).
define Inner(a = ?a) when Inside(node = ?a).
define Own(a = ?a) when Inside(node = ?a, of = ?a).
define Two(a = ?a) when Inside(node = ?a, of = 2).
define Later(a = ?a, b = ?b) when Inside(node = ?a, of = ?b), Node(node = ?b, id = "b"), ?a > ?b.
define More(a = ?a) when Node(node = ?b, id = "b"), Inside(node = ?a, of > ?b).
define Texts(t = ?t) when Node(node = ?r, id = "a"), Part(of = ?r, id = "b", text = ?t).
define AnyText(t = ?t) when Part(text = ?t).
define Group(n = ?n, g = ?g) when Part(of = ?n, text matches /x(?<g>.)/), Node(node = ?n).
define Selfish(n = ?n) when Part(node = ?n, parent = ?p, of = ?p).
define Bare(n = ?n) when Node(node = ?n), not Part(of = ?n, id = "b").
define Apart(n = ?n, m = ?m) when Node(node = ?n, id = "a"), Node(node = ?m, id = "b"), not Inside(node = ?n, of = ?m).
define Many(n = ?n, c = ?c) when Node(node = ?n), count(Part(of = ?n, id = "a")) = ?c.
define Full(n = ?n) when Node(node = ?n), every Part(of = ?n, id = "b") has (checked = true).
define Some when Part(id = "a").
define Nothing when not Part(id = "a").
warn "{?n} was" when tap(node = ?n), Node(node = ?r, id = "a"), Inside(node = ?n, of = ?r) earlier.
warn "{?n} lately" when tap(node = ?n), Part(of = ?n, id = "a") within 2min.
deny "{?n} is bare" when tap(node = ?n), not Part(of = ?n, id = "a").
done when Held(a = ?x), Inside(node = ?y, of = ?x), ?y > 3.
"""
OFTEN = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)
NOON = dt.datetime(2026, 4, 1, 12)


@pytest.fixture(scope="module")
def made() -> Program:
    loaded = load_text(SOURCE, path=Path("questions.vsa"))
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


Screen = dict[int, dict[str, Any]]
"""Nodes by number, with what is known of each; a parent stands before those that hang in it."""


@st.composite
def screens(draw: Any, before: Screen | None = None) -> Screen:
    """A screen: another one, or one of which a part changed."""
    if before and draw(st.booleans()):
        found = {number: dict(cells) for number, cells in before.items()}
        for number in draw(st.lists(st.sampled_from(sorted(found)), max_size=2)):
            found[number].update(draw(cells()))
        if draw(st.booleans()):
            number = draw(st.sampled_from(sorted(found)))
            others = [n for n in found if n < number]
            found[number]["parent"] = draw(st.sampled_from([None, *others]))
        leaves = found.keys() - {cells["parent"] for cells in found.values()}
        if draw(st.booleans()):
            del found[draw(st.sampled_from(sorted(leaves)))]
        return found
    numbers = sorted(draw(st.sets(st.integers(1, 9), max_size=7)))
    found = {}
    for number in numbers:
        parent = draw(st.sampled_from([None, *found])) if found else None
        found[number] = {"node": number, "parent": parent, **draw(cells())}
    return found


def cells() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "id": st.sampled_from(["a", "b", None]),
            "text": st.sampled_from(["x1", "x2", "y", None]),
            "checked": st.sampled_from([True, False, None]),
        }
    )


def nested(name: str, screen: Screen, reused: list[NestedRows]) -> NestedRows:
    """The rows of a relation on demand; of nodes as before they share what earlier ones have."""
    relation = VOCABULARY[name]
    names = [attr.name for attr in relation.attrs if attr.name != "of"]
    rows: dict[int, Row] = {n: tuple(cells.get(key) for key in names) for n, cells in screen.items()}
    for old in reused:
        rows = {n: old.cells[n] if old.cells.get(n) == row else row for n, row in rows.items()}
    forest = Forest({number: cells["parent"] for number, cells in screen.items()})
    return NestedRows(forest, rows, inner=relation.column("node"), outer=relation.column("of"))


def pairs(screen: Screen) -> list[tuple[int, int]]:
    """Every node with each that it lies in."""
    found = []
    for number in screen:
        at: int | None = number
        while at is not None:
            found.append((number, at))
            at = screen[at]["parent"]
    return found


def rows(name: str, screen: Screen) -> list[Row]:
    """The rows of a relation one by one."""
    if name == "Node":
        return [row_of(VOCABULARY["Node"], cells) for cells in screen.values()]
    return [row_of(VOCABULARY[name], {**screen[n], "of": outer}) for n, outer in pairs(screen)]


class Both:
    """The same session twice: one gets rows on demand, the other one by one; and the reference."""

    def __init__(self, made: Program) -> None:
        self.made = made
        self.lazy = evaluator(made, "incremental")
        self.others = {name: evaluator(made, name) for name in ("incremental", "reference")}
        self.shown: dict[str, list[NestedRows]] = {"Inside": [], "Part": []}
        self.screen: Screen = {}
        self.kept: list[tuple[Any, ...]] = []
        self.points = 0
        for engine in self.all:
            engine.now(NOON)

    @property
    def all(self) -> list[Any]:
        return [self.lazy, *self.others.values()]

    def show(self, screen: Screen, how: str) -> None:
        """A new screen; `how` the first session gets it: ``on demand``, ``plain`` or by an ``update``."""
        self.screen = screen
        for engine in self.all:
            engine.assign("Node", rows("Node", screen))
            engine.assign("tap", [row_of(VOCABULARY["tap"], {"node": n}) for n in sorted(screen)[-1:]])
        for name, shown in self.shown.items():
            plain = rows(name, screen)
            for engine in self.others.values():
                engine.assign(name, plain)
            if how == "on demand":
                shown[:] = [nested(name, screen, shown)]
                self.lazy.assign(name, shown[0])
            elif how == "plain":
                self.lazy.assign(name, plain)
            else:
                has = self.lazy.rows(name)
                self.lazy.update(name, set(plain) - has, has - set(plain))

    def savepoint(self) -> None:
        self.kept.append((self.screen, [engine.savepoint() for engine in self.all]))

    def rollback(self) -> None:
        self.screen, savepoints = self.kept.pop()
        for engine, savepoint in zip(self.all, savepoints, strict=True):
            engine.rollback(savepoint)

    def point(self) -> None:
        self.points += 1
        for engine in self.all:
            engine.now(NOON + dt.timedelta(minutes=self.points))
            engine.point(self.points)

    def check(self) -> None:
        found = told(self.lazy, self.made, deque())
        for name, engine in self.others.items():
            right = told(engine, self.made, deque())
            assert {key: found[key] for key in right} == right, name
        for name in self.shown:
            assert self.lazy.rows(name) == self.others["incremental"].rows(name)


@pytest.mark.slow
@pytest.mark.parametrize("many", [0, 5, 1000])
@OFTEN
@given(data=st.data())
def test_answers_are_those_of_plain_rows(
    made: Program, many: int, data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ondemand, "MANY", many)
    monkeypatch.setattr(maintain, "HOT", data.draw(st.sampled_from([1, 2])))
    both = Both(made)
    for _ in range(data.draw(st.integers(2, 8))):
        does = data.draw(st.sampled_from(["show", "show", "show", "savepoint", "back", "point"]))
        if does == "savepoint":
            both.savepoint()
        elif does == "back" and both.kept:
            both.rollback()
        elif does == "point" and not both.kept:
            both.point()
        else:
            how = data.draw(st.sampled_from(["on demand", "on demand", "on demand", "plain", "update"]))
            both.show(data.draw(screens(both.screen)), how)
        both.check()


# ---------------------------------------------------------------- what is not made

LARGE: Screen = {
    n: {"node": n, "parent": (n // 2) or None, "id": "a" if n == 200 else "b", "text": str(n)}
    for n in range(1, 401)
}
ASKS = """spec asks "What holds a node"
import std.tree

define Around(b = ?b) when Node(node = ?a, id = "a"), Inside(node = ?a, of = ?b).
define Texts(t = ?t) when Node(node = ?r, id = "a"), Part(of = ?r, text = ?t).
define Both when Node(node = ?r, id = "a"), Inside(node = ?r, of = 1).
done when Around(b = 1), Texts(t = "400"), Both.
"""


@pytest.fixture
def made_rows(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """The rows that were made."""
    found: list[Row] = []
    make = NestedRows._row

    def counted(self: NestedRows, node: int, outer: int) -> Row:
        row = make(self, node, outer)
        found.append(row)
        return row

    monkeypatch.setattr(NestedRows, "_row", counted)
    return found


def test_a_bound_lookup_makes_what_it_finds(made_rows: list[Row]) -> None:
    """Of the 3,200 pairs of the screen only those around and inside one node are made, at each look."""
    loaded = load_text(ASKS, path=Path("asks.vsa"))
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    session = evaluator(loaded.program, "incremental")
    session.now(NOON)
    for look in range(4):
        screen = {n: dict(cells) for n, cells in LARGE.items()}
        screen[300]["text"] = f"look {look}"
        session.assign("Node", rows("Node", screen))
        for name in ("Inside", "Part"):
            session.assign(name, nested(name, screen, []))
        made_rows.clear()
        assert session.rows("asks.Around") == {(n,) for n in (200, 100, 50, 25, 12, 6, 3, 1)}
        assert session.rows("asks.Texts") == {("200",), ("400",)}
        assert session.rows("asks.Both") == {()}
        assert len(made_rows) < 40


def test_too_many_rows_are_refused_as_ever(made: Program) -> None:
    session = IncrementalEvaluator(made, today=NOON.date(), budget=Budget(rows=20))
    chain: Screen = {n: {"node": n, "parent": n - 1 or None} for n in range(1, 7)}
    with pytest.raises(BudgetExceeded, match="input Inside has more than 20 rows"):
        session.assign("Inside", nested("Inside", chain, []))
    with pytest.raises(EngineError, match="input Inside: a row has 28 cells instead of 2"):
        session.assign("Inside", nested("Part", {1: {"node": 1, "parent": None}}, []))


def test_a_snapshot_has_the_rows(made: Program) -> None:
    session = IncrementalEvaluator(made, today=NOON.date())
    screen: Screen = {1: {"node": 1, "parent": None, "id": "a"}, 2: {"node": 2, "parent": 1, "id": "b"}}
    session.now(NOON)
    session.assign("Node", rows("Node", screen))
    for name in ("Inside", "Part"):
        session.assign(name, nested(name, screen, []))
    again = restore(made, session.snapshot())
    assert told(again, made, deque()) == told(session, made, deque())
    again.assign("Inside", nested("Inside", {2: {"node": 2, "parent": None}}, []))
    assert again.rows("Inside") == {(2, 2)}
