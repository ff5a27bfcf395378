"""What is kept up to date by differences: the same answers as ever, whatever way rows change, and who watches."""

import datetime as dt
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.generators import apply, programs, streams
from tests.engine.test_agreement import check_agreement, told
from tests.engine.worlds import NOON, TODAY, a, allow, ask, c, define, earlier, no, p, program
from tests.oracle import ReferenceEvaluator
from tests.thorough import times
from vsalang.engine.api import Answer, EngineError
from vsalang.engine.incremental import IncrementalEvaluator, restore
from vsalang.engine.run import maintain
from vsalang.engine.run.steps import RUNNERS
from vsalang.engine.steps import Join
from vsalang.program.ir import NUMBER, Program

DERIVED: dict[str, Any] = {"D": {"x": NUMBER}, "E": {}}
RULES = (
    define("D", p("Item", k="?x", b=True), no("Pair", b="?x"), x="?x"),
    define("D", p("Flag", n="?x"), x="?x"),
    define("E", p("Flag", c("n", ">", 1), on=True)),
    define("E", p("Page", name="go"), no("Flag", who="x")),
    ask(p("D", x="?x"), p("E"), rule="both"),
    ask(p("Item", k="?k"), p("Item", n="?k", k="?j"), rule="self"),
)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that can be becomes live when it is first asked for."""
    monkeypatch.setattr(maintain, "HOT", 1)


FEW = settings(
    max_examples=times(15, 40),
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.function_scoped_fixture,
    ],
)


@pytest.mark.slow
@pytest.mark.parametrize("temporal", [False, True])
@FEW
@given(data=st.data())
def test_what_is_live_agrees_with_the_reference(eager: None, temporal: bool, data: st.DataObject) -> None:
    made = data.draw(programs(temporal=temporal))
    check_agreement(made, data.draw(streams(made, most=10)), ("incremental",))


def opened(made: Program) -> IncrementalEvaluator:
    session = IncrementalEvaluator(made, today=TODAY)
    session.now(NOON)
    return session


# ---------------------------------------------------------------- the three ways of changing rows


def random_rows(draw: random.Random) -> dict[str, list[Any]]:
    return {
        "Item": [
            (k, draw.choice((True, False, None)), None, draw.choice((1, 2, 3, None)))
            for k in range(4)
            if draw.random() < 0.7
        ],
        "Pair": [("a", k, None) for k in range(4) if draw.random() < 0.3],
        "Flag": [(draw.choice((True, None)), draw.choice((0, 1, 2, None)), draw.choice(("x", "y")))],
        "Page": [(draw.choice(("go", "stop", None)), None, None)],
    }


@pytest.mark.parametrize("seed", range(5))
def test_assigning_updating_and_writing_come_to_the_same(eager: None, seed: int) -> None:
    draw = random.Random(seed)
    made = program(*RULES, derived=DERIVED)
    assigned, updated, naive = opened(made), opened(made), ReferenceEvaluator(made, today=TODAY)
    names = ("D", "E", "both", "self")
    watches = [session.watch(names) for session in (assigned, updated)]
    old: dict[str, list[Any]] = {}
    savepoints: list[tuple[int, int, dict[str, list[Any]]]] = []
    for _ in range(80):
        new = random_rows(draw)
        for relation, rows in new.items():
            assigned.assign(relation, rows)
            naive.assign(relation, rows)
            before = old.get(relation, [])
            if relation in ("Flag", "Page") and before:
                for attr, cell in zip(made.relation(relation).attrs, rows[0], strict=True):
                    updated.write(relation, attr.name, cell)
            else:  # what is there already, or is not there, may be named too
                gone = [row for row in before if row not in rows]
                updated.update(relation, rows, gone + rows[:1])
        old = new
        if draw.random() < 0.2 and len(savepoints) < 3:
            savepoints.append((assigned.savepoint(), updated.savepoint(), dict(old)))
        right = {rule.id: naive.answers(rule.id) for rule in made.rules}
        holding = {name for name in ("both", "self") if right[name]} | {
            n for n in ("D", "E") if naive.rows(n)
        }
        for session, watch in zip((assigned, updated), watches, strict=True):
            assert {rule.id: session.answers(rule.id) for rule in made.rules} == right
            assert session.rows("D") == naive.rows("D")
            assert watch.holding == holding
        if savepoints and draw.random() < 0.2:
            first, second, old = savepoints.pop()
            assigned.rollback(first)
            updated.rollback(second)
            for relation, rows in old.items():
                naive.assign(relation, rows)
    assert any(assigned.state.maintained) and any(updated.state.maintained)


def test_writing_makes_the_row_and_takes_one_for_true() -> None:
    made = program(ask(p("Flag", n="?n"), rule="n"), ask(p("Flag", on="?b"), rule="on"))
    session = opened(made)
    session.write("Flag", "n", 1)
    assert session.rows("Flag") == {(None, 1, None)}
    session.write("Flag", "n", 2)
    session.write("Flag", "n", None)
    assert session.rows("Flag") == {(None, None, None)}
    session.write("Flag", "n", 1)
    session.write("Flag", "on", 1)
    session.write("Flag", "on", True)
    assert [answer.values[0] is True for answer in session.answers("on")] == [True]
    with pytest.raises(EngineError, match="no attribute"):
        session.write("Flag", "nothing", 1)
    with pytest.raises(EngineError, match="no relation"):
        session.write("Nothing", "n", 1)
    session.assign("Item", [(1, None, None, None), (2, None, None, None)])
    with pytest.raises(EngineError, match="which one"):
        session.write("Item", "n", 1)


def test_what_no_rule_reads_can_be_changed_too() -> None:
    session = opened(program(ask(p("Flag", n="?n"))))
    session.write("Page", "name", "a")
    session.update("Item", [(1, None, None, None), (2, None, None, None)], [(3, None, None, None)])
    session.update("Item", (), [(1, None, None, None)])
    assert session.rows("Page") == {("a", None, None)} and session.rows("Item") == {(2, None, None, None)}


def test_rows_with_one_key_come_and_go_singly(eager: None) -> None:
    made = program(ask(p("Item", n="?n"), rule="n"), ask(p("Item", t="?t"), rule="t"))
    session, naive = opened(made), ReferenceEvaluator(made, today=TODAY)
    states: list[list[Any]] = [
        [(1, None, "a", 1), (1, None, "b", 1), (2, None, "a", 2)],
        [(1, None, "c", 1), (2, None, "a", 3)],
        [(1, None, "c", 1), (1, None, "a", 2), (2, None, "a", 3)],
        [(1, None, "d", 5), (3, None, "a", 3)],
        [],
    ]
    for rows in states + states[::-1]:
        for each in (session, naive):
            each.assign("Item", rows)
        assert {r.id: session.answers(r.id) for r in made.rules} == {
            r.id: naive.answers(r.id) for r in made.rules
        }


# ---------------------------------------------------------------- what is not done again


def test_unchanged_answers_and_rows_are_the_same_object(eager: None) -> None:
    session = opened(program(*RULES, derived=DERIVED))
    session.assign("Flag", [(True, 2, "y")])
    answers, rows = session.answers("both"), session.rows("D")
    session.write("Flag", "who", "z")
    assert session.answers("both") is answers and session.rows("D") is rows
    session.write("Flag", "n", 3)
    assert session.answers("both") == {Answer((3,))} and session.rows("D") == {(3,)}


def test_often_judged_rules_are_maintained_despite_savepoints() -> None:
    session = opened(program(*RULES, derived=DERIVED))
    for number in range(5):
        savepoint = session.savepoint()
        session.assign("Flag", [(True, number, None)])
        assert bool(session.answers("both")) == (number > 1)
        session.rollback(savepoint)
    assert session.state.maintained[session.state.plan.answers["both"][0]]


@pytest.fixture
def joins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    ran: list[int] = []
    run = RUNNERS[Join]

    def counting(state: Any, step: Join, envs: Any) -> Any:
        ran.append(step.alpha)
        return run(state, step, envs)

    monkeypatch.setitem(RUNNERS, Join, counting)  # type: ignore[arg-type]
    return ran


def test_a_live_rule_runs_no_plan(eager: None, joins: list[int]) -> None:
    session = opened(program(*RULES, derived=DERIVED))
    session.answers("both"), session.answers("self")
    joins.clear()
    for number in range(10):
        session.write("Flag", "n", number)
        session.update("Item", [(number, True, None, number)])
        assert len(session.answers("self")) == number + 1
        session.answers("both")
    assert joins == []


def test_a_change_is_joined_with_nothing_that_is_empty(eager: None) -> None:
    made = program(
        ask(p("Item", k="?k", b=True), p("Page", n="?k"), no("Flag", who="x"), rule="ask"),
        ask(p("Item", k="?k", b=True), p("Item", n="?k", t="t"), rule="self"),
        define("D", p("Item", n="?x", t="d"), x="?x"),
        define("D", p("D", x="?y"), p("Item", k="?y", n="?x"), x="?x"),
        ask(no("D", x=1), p("Page", name="p"), rule="none"),
        derived={"D": {"x": NUMBER}},
    )
    session, naive = opened(made), ReferenceEvaluator(made, today=TODAY)
    asked = ("ask", "self", "none")
    assert not any(session.answers(rule) for rule in asked) and session.rows("D") == set()
    called: list[str] = []

    def noted(function: Any) -> Any:
        def call(*arguments: Any) -> None:
            called.append(function.__doc__.split(":")[0])
            function(*arguments)

        return call

    state = session.state
    state.notified = [
        tuple((*reader[:2], noted(reader[2]), *reader[3:]) for reader in readers)
        for readers in state.notified or ()
    ]

    def step(relation: str, *rows: Any) -> list[str]:
        called.clear()
        for each in (session, naive):
            each.assign(relation, rows)
        for rule in asked:
            assert session.answers(rule) == naive.answers(rule)
        assert session.rows("D") == naive.rows("D")
        return sorted(called)

    assert step("Flag", (True, 1, "x")) == []  # neither an item nor a page
    assert step("Item", (1, True, None, 1)) == []
    assert step("Item", (1, True, "t", 1)) == [
        "self"
    ]  # the same change fills both: the second meets the first
    assert step("Flag") == []  # nor does a negated literal ask before there is a page
    assert step("Page", ("p", 1, None)) == ["ask", "none"]
    assert step("Flag", (True, 1, "x")) == step("Flag") == ["ask"]
    assert "none" in step("Item", (1, True, "d", 1))
    assert step("Page") == ["ask", "none"]  # what goes met what stays
    assert "none" not in step("Item")


# ---------------------------------------------------------------- watching


def test_a_watch_tells_what_came_and_went(eager: None) -> None:
    session = opened(program(*RULES, derived=DERIVED))
    watch = session.watch(["D", "E", "both"])
    assert watch.holding == set() and watch.changed() == (frozenset(), frozenset())
    session.assign("Flag", [(True, 2, None)])
    assert watch.holding == {"D", "E", "both"}
    assert watch.changed() == ({"D", "E", "both"}, frozenset())
    savepoint = session.savepoint()
    session.write("Flag", "on", False)
    assert watch.holding == {"D"}
    session.rollback(savepoint)
    assert watch.holding == {"D", "E", "both"} and watch.changed() == (frozenset(), frozenset())
    watch.end()
    session.assign("Flag", [])
    assert not session.state.watchers
    with pytest.raises(EngineError, match="nothing"):
        session.watch(["nothing"])


def test_a_watch_of_what_cannot_be_live() -> None:
    made = program(allow(a("finish"), no("Item", b=True)), ask(no("Item", t="x"), rule="ask"))
    session = opened(made)
    session.assign("finish", [()])
    watch = session.watch(["allow", "ask"])
    assert watch.holding == {"ask"}
    session.assign("complete Item", [(None,) * 4])
    session.answers("allow")  # somebody else asks first
    assert watch.holding == {"allow", "ask"}


# ---------------------------------------------------------------- snapshots


@pytest.mark.slow
@settings(max_examples=times(15, 40), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_restored_session_goes_on_as_the_first_one(data: st.DataObject) -> None:
    made = data.draw(programs())
    first = opened(made)
    savepoints: list[int] = []
    for step in data.draw(streams(made, most=5)):
        apply(first, step, savepoints)
    kept = json.loads(json.dumps(first.snapshot()))
    second = restore(made, kept)
    assert second.snapshot() == kept
    assert told(second, made, []) == told(first, made, [])  # type: ignore[arg-type]
    for session in (first, second):
        session.point(session.state.last_point + 1)
        session.now(NOON + dt.timedelta(minutes=3))
    assert told(second, made, []) == told(first, made, [])  # type: ignore[arg-type]


def test_a_snapshot_says_what_it_is_and_is_checked() -> None:
    made = program(ask(earlier("Flag", n="?n")))
    session = opened(made)
    session.assign("Flag", [(True, 7, "w")])
    session.point(1)
    data = session.snapshot()
    assert (data["format"], data["version"], data["program"]) == ("vsalang-session", 2, made.digest)
    assert data["slots"]["Flag"] == [[True, 7, "w"]]
    for change, message in (
        ({"format": "else"}, "not a snapshot"),
        ({"version": 3}, "version 3"),
        ({"program": "other"}, "another program"),
        ({"slots": {}}, "damaged"),
        ({"slots": {**data["slots"], "Flag": [[1]]}}, "damaged"),
        ({"slots": {**data["slots"], "Flag": [[{"code": "x"}, 1, "w"]]}}, "damaged"),
        ({"slots": {**data["slots"], "Flag": 3}}, "damaged"),
        ({"now": "yesterday"}, "damaged"),
        ({"now": "2026-04-01T12:00:00+02:00"}, "time zone"),
        ({"past": None}, "damaged"),
    ):
        with pytest.raises(EngineError, match=message):
            restore(made, {**data, **change})
    with pytest.raises(EngineError, match="not a snapshot"):
        restore(made, [])
    session.savepoint()
    with pytest.raises(EngineError, match="tentative"):
        session.snapshot()
