"""Counts of the rows of one key are kept up to date by differences: what they give is what a new session finds."""

import random
from typing import Any, Final

import pytest

from tests.engine.worlds import TODAY
from tests.oracle import ReferenceEvaluator
from tests.thorough import times
from vsalang.engine.api import Budget, Row
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.engine.run.maintain import COUNTED
from vsalang.language.semantics import load_text
from vsalang.program.ir import Program

SOURCE: Final = """app counts package "org.example.counts" "Counts"
state Item key (node) { node: Number parent: Number kind: Text }
state Limit key (n) { n: Number }

define Rows(of = ?l, n = ?c) when Item(node = ?l, kind = "list"), count(Item(parent = ?l, kind = "row")) = ?c.
define Empty(of = ?l) when Item(node = ?l, kind = "list"), count(Item(parent = ?l)) = 0.
define Long(of = ?l) when Item(node = ?l), count(Item(parent = ?l)) in 2..3.
define Known(of = ?l, n = ?c) when Item(node = ?l), count(Item(parent = ?l, kind = ?any)) = ?c.
define Over(of = ?l, n = ?m) when Item(node = ?l), Limit(n = ?m), count(Item(parent = ?l)) > ?m.
define Exactly(of = ?l, n = ?m) when Item(node = ?l), Limit(n = ?m), count(Item(parent = ?l)) = ?m.
define Alike(node = ?n, n = ?c)
  when Item(node = ?n, parent = ?p, kind = ?k), count(Item(parent = ?p, kind = ?k)) = ?c.
// two counts of the same rows are computed from nothing
define More(of = ?l)
  when Item(node = ?l),
       count(Item(parent = ?l, kind = "row")) = ?a, count(Item(parent = ?l, kind = "list")) = ?b, ?a > ?b.
define Above(a = ?a, b = ?b) when Item(node = ?a, parent = ?b).
define Above(a = ?a, b = ?c) when Above(a = ?a, b = ?b), Item(node = ?b, parent = ?c).
define Below(of = ?l, n = ?c) when Item(node = ?l), count(Above(b = ?l)) = ?c.
define Deep(n = ?n) when Item(node = ?n), count(Below(of = ?n, n > 1)) >= 1, not Empty(of = ?n).
define Selves(n = ?n, c = ?c) when Item(node = ?n), count(Above(a = ?n, b = ?n)) = ?c.
deny "{?l} has {?c}" when tap, Item(node = ?l), count(Item(parent = ?l, kind = "row")) = ?c.
"""
NAMES: Final = (
    "Rows",
    "Empty",
    "Long",
    "Known",
    "Over",
    "Exactly",
    "Alike",
    "More",
    "Below",
    "Deep",
    "Selves",
)


@pytest.fixture(scope="module")
def made() -> Program:
    loaded = load_text(SOURCE)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


def told(session: Any, program: Program) -> dict[str, Any]:
    found: dict[str, Any] = {name: session.rows(f"counts.{name}") for name in NAMES}
    found["deny"] = session.answers(_denial(program))
    return found


def _denial(program: Program) -> str:
    [rule] = [
        rule.id for rule in program.rules if "deny" in rule.id or rule.head.__class__.__name__ == "Judge"
    ]
    return rule


def begun(kind: Any, program: Program, items: list[Row], limits: list[Row]) -> Any:
    session = kind(program, today=TODAY)
    session.assign("tap", [(None,) * len(program.relations["tap"].attrs)])
    session.assign("counts.Item", items)
    session.assign("counts.Limit", limits)
    return session


def change(draw: random.Random, session: Any) -> None:
    """Insert, delete or replace some rows; parents may be unknown, missing, or below their children."""
    name = "counts.Item" if draw.random() < 0.85 else "counts.Limit"
    there = sorted(session.rows(name), key=repr)
    gone = draw.sample(there, min(len(there), draw.randrange(3)))
    numbers = [row[0] for row in gone] if draw.random() < 0.5 else draw.sample(range(1, 8), draw.randrange(3))
    taken = {row[0] for row in there} - {row[0] for row in gone}
    come: list[Row] = [
        (n, draw.choice((None, 1, 2, 3, 9)), draw.choice(("row", "row", "list", None)))
        if name == "counts.Item"
        else (n,)
        for n in numbers
        if n not in taken
    ]
    if draw.random() < 0.2:
        session.assign(name, [row for row in there if row not in gone] + come)
    else:
        session.update(name, come, gone)


def test_each_count_is_kept_by_differences(made: Program) -> None:
    session = begun(IncrementalEvaluator, made, [(1, None, "list"), (2, 1, "row")], [(1,)])
    for n in range(3, 6):
        session.update("counts.Item", [(n, 1, "row")])
        told(session, made)
    state = session.state
    strata = {spec.name: number for number, spec in enumerate(state.plan.strata) if number in state.plan.nets}
    wanted = {f"counts.{name}" for name in NAMES} - {"counts.More"} | {_denial(made)}
    assert wanted <= {name for name, number in strata.items() if state.maintained[number] == COUNTED}


def test_a_random_walk_equals_a_session_made_anew(made: Program) -> None:
    draw = random.Random(11)
    session = begun(IncrementalEvaluator, made, [(1, None, "list"), (2, 1, "row")], [(1,)])
    held: list[tuple[int, Any]] = []
    for number in range(times(200, 5000)):
        act = draw.random()
        if act < 0.1 and len(held) < 3:
            held.append((session.savepoint(), told(session, made)))
        elif act < 0.2 and held:
            point, before = held.pop()
            session.rollback(point)
            assert told(session, made) == before
        elif act < 0.25 and held:
            session.release(held.pop(0)[0])
            held.clear()
        change(draw, session)
        if draw.random() < 0.3:
            continue  # several changes before somebody asks
        items, limits = session.rows("counts.Item"), session.rows("counts.Limit")
        kind = ReferenceEvaluator if number % 20 == 0 else IncrementalEvaluator
        assert told(session, made) == told(begun(kind, made, list(items), list(limits)), made)


def test_what_goes_beyond_the_budget_is_counted_from_nothing(made: Program) -> None:
    session = IncrementalEvaluator(made, today=TODAY, budget=Budget(steps=3000))
    session.assign("counts.Item", [(1, None, "list")])
    for n in range(2, 60):
        session.update("counts.Item", [(n, 1, "row")])
        assert session.rows("counts.Rows") == {(1, n - 1)}


@pytest.mark.parametrize(
    "body",
    [
        "Item(node = ?l), sum(parent of Item(parent = ?l)) = ?c",
        'count(Item(kind = "row")) = ?c',
        "Item(node = ?l), count(Item(parent = ?l, node > ?l)) = ?c",
        "count(Item(parent = ?c)) > 0",
    ],
)
def test_others_are_computed_from_nothing(body: str) -> None:
    """Sums, counts of all rows, of rows that are compared with a binding, and by values that nothing else binds."""
    text = SOURCE.split("define")[0] + f"define Other(n = ?c) when {body}.\n"
    loaded = load_text(text)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    session = IncrementalEvaluator(loaded.program, today=TODAY)
    for n in range(1, 5):
        session.update("counts.Item", [(n, 1, "row")])
        assert session.rows("counts.Other")
    assert not any(session.state.maintained)
