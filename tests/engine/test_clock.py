"""Time: midnight, clocks that go back, changes of the time zone; the engine and the reference say the same."""

import datetime as dt
import random
from typing import Any

import pytest

from tests.engine.agreeing import evaluator
from tests.engine.worlds import TODAY, a, ask, c, cmp, earlier, lasting, p, program, since, within
from vsalang.engine.api import EngineError
from vsalang.engine.incremental import IncrementalEvaluator, restore
from vsalang.program.ir import DATE, Fn, Program, Var

FIVE, HOUR = dt.timedelta(minutes=5), dt.timedelta(hours=1)
LATE = dt.datetime(2026, 4, 1, 23, 58)

RULES = (
    ask(within(FIVE, "Flag", n="?n"), rule="within"),
    ask(lasting(FIVE, "Flag", n="?n"), rule="for"),
    ask(earlier("Flag", n="?n"), rule="earlier"),
    ask(since(a("Flag", on=True), a("Page", n="?n")), rule="since"),
    ask(p("Node", text="?t"), cmp("?d", "=", Fn("date", (Var("t"),), DATE)), rule="read"),
    ask(p("Event", c("day", ">=", Fn("today", (), DATE)), day="?d"), rule="today"),
)


def pair(made: Program, start: dt.datetime) -> list[Any]:
    sessions = [evaluator(made, name) for name in ("incremental", "reference")]
    for session in sessions:
        session.now(start)
    return sessions


def agree(made: Program, sessions: list[Any]) -> dict[str, set[Any]]:
    said = [
        {rule.id: {x.values for x in session.answers(rule.id)} for rule in made.rules} for session in sessions
    ]
    assert said[0] == said[1]
    return said[0]


def test_over_midnight() -> None:
    made = program(*RULES)
    sessions = pair(made, LATE)
    for session in sessions:
        session.assign("Flag", [(True, 1, None)])
        session.assign("Event", [(TODAY, None, None)])
        session.assign("Node", [(1, None, "3 Oct", None)])
        session.point(1)
    assert agree(made, sessions)["today"] == {(TODAY,)}
    for session in sessions:
        session.now(LATE + dt.timedelta(minutes=4))  # 00:02 of the next day
        session.assign("Flag", [(True, 2, None)])
        session.point(2)
    said = agree(made, sessions)
    assert said["within"] == {(1,), (2,)} and said["today"] == {(TODAY,)}  # today is the instruction's day
    for session in sessions:
        session.now(LATE + dt.timedelta(minutes=6))
    assert agree(made, sessions)["within"] == {(2,)}


def test_a_clock_that_goes_back_forgets_nothing() -> None:
    made = program(*RULES)
    noon = dt.datetime(2026, 4, 1, 12)
    sessions = pair(made, noon)
    for session in sessions:
        session.assign("Flag", [(True, 1, None)])
        session.point(1)
        session.assign("Flag", [(True, 2, None)])
        session.now(noon + dt.timedelta(hours=1))
        session.point(2)
    assert agree(made, sessions)["within"] == {(2,)}
    for session in sessions:
        session.now(noon + dt.timedelta(minutes=1))  # back: what was then is again a minute ago
        session.point(3)
    assert agree(made, sessions)["within"] == {(1,), (2,)}
    for session in sessions:
        session.now(noon + dt.timedelta(hours=1, minutes=2))
    assert (2,) in agree(made, sessions)["within"]


def test_the_hour_that_comes_twice_or_never() -> None:
    """Who gives no timeline measures durations by the device's clock, and a change of summer time is a jump."""
    made = program(*RULES)
    three = dt.datetime(2026, 10, 25, 2, 59)
    sessions = pair(made, three)
    for number, moment in enumerate(
        (three, three - dt.timedelta(minutes=58), three, three + dt.timedelta(hours=9)), 1
    ):
        for session in sessions:
            session.now(moment)
            session.assign("Flag", [(True, number, None)])
            session.point(number)
        agree(made, sessions)


def test_durations_read_the_timeline_and_dates_the_clock() -> None:
    made = program(*RULES)
    noon = dt.datetime(2026, 12, 31, 12)
    sessions = [evaluator(made, name) for name in ("incremental", "reference", "pydatalog")]
    for number, (clock, time, within_, for_) in enumerate(
        (
            (noon, noon, {(1,)}, set()),
            (noon + 13 * HOUR, noon + FIVE, {(1,)}, {(1,)}),  # the zone changed: it is the new year there
            (noon - 9 * HOUR, noon + 2 * FIVE, {(1,)}, {(1,)}),
        ),
        1,
    ):
        for session in sessions:
            session.now(clock, time)
            session.assign("Flag", [(True, 1, None)])
            session.assign("Node", [(1, None, "3 Jan", None)])
            session.point(number)
        said = agree(made, sessions)
        assert (said["within"], said["for"], len(said["read"])) == (within_, for_, 1)
    for session in sessions:
        session.now(noon + 200 * 24 * HOUR, noon + 2 * FIVE)
    said = agree(made, sessions)
    assert (said["within"], said["read"]) == ({(1,)}, set())  # a day without a year is near the clock's
    for session in sessions:
        session.assign("Flag", [])
        session.point(4)
    savepoints = [session.savepoint() for session in sessions]
    for session in sessions:
        session.now(noon + 48 * HOUR, noon + 2 * FIVE + FIVE)
    assert agree(made, sessions)["within"] == {(1,)}
    for session in sessions:
        session.now(noon, noon + 2 * FIVE + 2 * FIVE)
    assert agree(made, sessions)["within"] == set()
    for session, savepoint in zip(sessions, savepoints, strict=True):
        session.rollback(savepoint)
    assert agree(made, sessions)["within"] == {(1,)}
    session = sessions[0]
    assert isinstance(session, IncrementalEvaluator)
    again = restore(made, session.snapshot())
    for each in (session, again):
        each.now(noon + 900 * HOUR, noon + 3 * FIVE + FIVE)
    assert agree(made, [session, again])["within"] == set()


def test_old_snapshots_measured_durations_by_the_clock() -> None:
    made = program(*RULES)
    (session, *_) = pair(made, LATE)
    session.assign("Flag", [(True, 1, None)])
    session.point(1)
    data = {**session.snapshot(), "version": 1}
    del data["timeline"]
    again = restore(made, data)
    for each in (session, again):
        each.now(LATE + FIVE)
    assert agree(made, [session, again])["within"] == {(1,)}
    with pytest.raises(EngineError, match="damaged"):
        restore(made, {**data, "version": 2})


def test_a_clock_with_a_zone_is_refused() -> None:
    session = IncrementalEvaluator(program(*RULES), today=TODAY)
    with pytest.raises(EngineError, match="time zone"):
        session.now(dt.datetime(2026, 4, 1, 12, tzinfo=dt.UTC))
    with pytest.raises(EngineError, match="time zone"):
        session.now(LATE, dt.datetime(2026, 4, 1, 12, tzinfo=dt.UTC))


@pytest.mark.parametrize("seed", range(6))
def test_a_clock_that_jumps_about(seed: int) -> None:
    draw = random.Random(seed)
    made = program(*RULES)
    now = LATE
    sessions = pair(made, now)
    number = 0
    for _ in range(60):
        now += dt.timedelta(seconds=draw.choice((0, 20, 90, 400, -90, -4000)))
        flag = [(draw.choice((True, None)), draw.choice((1, 2, None)), None)] if draw.random() < 0.9 else []
        page = [(None, draw.choice((1, 2)), None)] if draw.random() < 0.3 else []
        point = draw.random() < 0.7
        number += point
        savepoint = draw.random() < 0.2
        savepoints = []
        for session in sessions:
            if savepoint:
                savepoints.append(session.savepoint())
            session.now(now)
            session.assign("Flag", flag)
            session.assign("Page", page)
            if point:
                session.point(number)
        agree(made, sessions)
        if savepoints:
            for session, each in zip(sessions, savepoints, strict=True):
                session.rollback(each)
            number -= point
            agree(made, sessions)
