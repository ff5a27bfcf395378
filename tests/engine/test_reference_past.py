"""The reference evaluator about the past and about order in time, against expectations written by hand."""

import datetime as dt
from typing import Any

import pytest

from tests.engine.reference_helpers import NO, YES, fill, start, values
from tests.engine.worlds import (
    NOON,
    a,
    allow,
    ask,
    define,
    earlier,
    lasting,
    no,
    p,
    since,
    then,
    within,
)
from vsalang.engine.api import Commit, EngineError, TimedRow
from vsalang.program.ir import (
    NUMBER,
)

MIN = dt.timedelta(minutes=1)


# ---------------------------------------------------------------- the past


def test_earlier_of_actions_reads_the_commits() -> None:
    engine = start(ask(earlier("Pay", who="?w")), Pay=[("B", 1)])
    assert values(engine) == NO
    engine.assign("commits Pay", [Commit(1, 1, ("A", 1))])
    engine.point(1)
    assert values(engine) == {("A",)}
    engine.assign("commits Pay", [])  # taken back
    assert values(engine) == NO


def test_earlier_of_relations_and_milestones() -> None:
    derived = {"M": {"x": NUMBER}, "N": {"x": NUMBER}}
    rules = (
        define("M", p("Flag", n="?x"), x="?x"),
        define("N", earlier("M", x="?x"), x="?x"),
        ask(earlier("N", x="?x")),
    )
    engine = start(*rules, derived=derived, Flag=[(None, 1, None)])
    assert engine.rows("N") == frozenset()
    engine.point(1)
    assert engine.rows("N") == {(1,)}
    assert values(engine) == {(1,)}  # a milestone on a milestone holds at once
    engine.assign("Flag", [(None, 2, None)])
    assert engine.rows("M") == {(2,)} and engine.rows("N") == {(1,)}
    engine.point(2)
    assert values(engine) == {(1,), (2,)}


def test_within() -> None:
    engine = start(
        ask(within(5 * MIN, "Flag", n="?n")), ask(within(5 * MIN, "Pay"), rule="paid"), Flag=[(None, 1, None)]
    )
    engine.assign("commits Pay", [Commit(1, 1, ("A", 1))])
    engine.point(1)
    engine.assign("Flag", [])
    engine.now(NOON + 5 * MIN)
    assert values(engine) == {(1,)} and values(engine, "paid") == YES
    engine.now(NOON + 6 * MIN)
    assert values(engine) == NO and values(engine, "paid") == NO


def test_for() -> None:
    engine = start(ask(lasting(5 * MIN, "Flag", n="?n")))
    for minute, number in enumerate((1, 1, 2, 2, 2, 2), 1):
        engine.now(NOON + (minute - 1) * 2 * MIN)
        engine.assign("Flag", [(None, number, None)])
        engine.point(minute)
    assert values(engine) == {(2,)}
    engine.assign("Flag", [(None, 3, None)])
    engine.point(7)
    assert values(engine) == NO


def test_since() -> None:
    engine = start(ask(since(a("Flag", on=True), a("Flag", n="?n"))))
    for number, (on, n) in enumerate(((False, 1), (True, 2), (True, 3)), 1):
        engine.assign("Flag", [(on, n, None)])
        engine.point(number)
    assert values(engine) == {(1,), (2,), (3,)}
    engine.assign("Flag", [(False, 4, None)])
    engine.point(4)
    assert values(engine) == {(4,)}


def test_the_past_is_read_certainly_in_licences() -> None:
    rules = (allow(a("finish"), earlier("D")), define("D", no("Item", b=True)))
    engine = start(*rules, derived={"D": {}}, finish=[()])
    engine.point(1)
    assert engine.answers("allow") == frozenset()
    engine.assign("complete Item", [(None,) * 4])
    engine.point(2)
    engine.assign("complete Item", [])
    assert engine.answers("allow")


def test_savepoint_and_rollback() -> None:
    engine = start(ask(p("Flag", n="?n")), ask(within(MIN, "Flag"), rule="recent"), Flag=[(None, 1, None)])
    engine.point(1)
    outer = engine.savepoint()
    engine.assign("Flag", [(None, 2, None)])
    inner = engine.savepoint()
    engine.assign("Flag", [])
    engine.now(NOON + 2 * MIN)
    assert values(engine) == NO and values(engine, "recent") == NO
    engine.rollback(inner)
    assert values(engine) == {(2,)} and values(engine, "recent") == YES
    engine.rollback(outer)
    assert values(engine) == {(1,)}
    with pytest.raises(EngineError):
        engine.rollback(outer)


# ---------------------------------------------------------------- then


def timestamped(row: tuple[Any, ...], *points: int) -> list[TimedRow]:
    return [TimedRow(row, points)]


def test_then_of_an_action_and_a_newer_cell() -> None:
    engine = start(ask(then(p("Pay", who="?w"), p("Page", n="?n"))))
    page = ("x", 5, None)
    fill(engine, Page=[page], timestamps_Page=timestamped(page, 1, 1, 0))
    engine.point(1)
    engine.assign("commits Pay", [Commit(1, 2, ("A", 3))])
    engine.point(2)
    assert values(engine) == NO  # the page was there before
    engine.assign("timestamps Page", timestamped(page, 3, 1, 0))
    engine.point(3)
    assert values(engine) == NO  # only a cell that the atom does not read was written again
    engine.assign("timestamps Page", timestamped(page, 3, 4, 0))
    assert values(engine) == {(5, "A")}
    engine.assign("commits Pay", [])
    assert values(engine) == NO


def test_then_forgets_undone_state_and_remembers_views() -> None:
    state = ask(then((p("Flag", n="?n"), no("Flag", on=False)), p("Page")), rule="state")
    view = ask(then(p("Page", n="?n"), p("Flag", on=True)), rule="view")
    engine = start(
        state,
        view,
        Flag=[(True, 1, None)],
        Page=[("x", 2, None)],
        timestamps_Flag=timestamped((True, 1, None), 1, 1, 0),
    )
    engine.point(1)
    fill(engine, Page=[("y", 3, None)], timestamps_Page=timestamped(("y", 3, None), 2, 2, 0))
    engine.assign("timestamps Flag", timestamped((True, 1, None), 2, 1, 0))
    assert values(engine, "state") == {(1,)}
    assert values(engine, "view") == {(2,)}
    engine.assign("Flag", [(False, 1, None)])
    assert values(engine, "state") == NO


def test_then_chains_derived_and_proposals() -> None:
    derived = {"D": {"x": NUMBER}}
    rules = (
        define("D", p("Flag", n="?x"), p("Item", k="?x"), x="?x"),
        ask(then(p("Page", n="?x"), p("D", x="?x"))),
        ask(then(p("Page"), p("tap")), rule="tap"),
        ask(then(p("Page"), p("Flag", who="?w"), p("tap")), rule="chain"),
    )
    flag, item = (None, 1, "w"), (1, None, None, None)
    engine = start(*rules, derived=derived, Page=[("x", 1, None)], Flag=[flag], Item=[item], tap=[(1, "x")])
    fill(engine, timestamps_Flag=timestamped(flag, 0, 1, 1), timestamps_Item=timestamped(item, 1, 0, 0, 0))
    assert values(engine, "tap") == NO
    engine.point(1)
    assert values(engine) == NO and values(engine, "tap") == YES and values(engine, "chain") == NO
    fill(engine, timestamps_Item=timestamped(item, 2, 0, 0, 0), timestamps_Flag=timestamped(flag, 0, 1, 2))
    engine.point(2)
    assert values(engine) == {(1,)}
    assert values(engine, "chain") == {("w",)}
