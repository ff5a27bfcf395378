"""Other evaluators give the same rows, and are stopped when they do not answer."""

import datetime as dt

import pytest

from tests.tools.ask.places import by_reference, full, shop
from tests.tools.ask.test_ask_answers import QUESTIONS
from vsalang.engine import Budget, open_session
from vsalang.program.ir import NUMBER, Attr, Program, Relation
from vsalang.program.similarity import AssumedPairs
from vsalang.tools.ask import AskError, Situation, ask
from vsalang.tools.ask.asking import bring_about
from vsalang.tools.ask.engines import Recorder


@pytest.mark.slow
def test_the_engines_agree() -> None:
    place = shop()
    situation = full(place)
    for body in QUESTIONS[::4]:
        question = place.question(body)
        reply = ask(place, situation, question, engine="pydatalog")
        assert reply.engine == "pydatalog"
        assert reply.rows == ask(place, situation, question).rows


def test_the_reference_gives_the_same_rows() -> None:
    place = shop()
    situation = full(place)
    for body in QUESTIONS:
        question = place.question(body)
        assert by_reference(place, situation, question) == set(ask(place, situation, question).rows)


def test_an_engine_that_takes_too_long_is_stopped() -> None:
    place = shop()
    with pytest.raises(AskError, match="pydatalog gave no answer"):
        ask(
            place,
            full(place),
            place.question("Before(one = ?a, other = ?b)"),
            engine="pydatalog",
            timeout=1e-6,
        )


def test_engines_that_disagree_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    place = shop()
    monkeypatch.setattr("vsalang.tools.ask.asking.rows_by", lambda *_: frozenset())
    with pytest.raises(AskError, match="the engines disagree: pydatalog gives 0 rows, incremental 3"):
        ask(place, full(place), place.question("Item(name = ?n)"), engine="pydatalog")


def test_what_goes_beyond_the_bounds_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    place = shop()

    def bounded(steps: int):
        return lambda program, **rest: open_session(program, budget=Budget(steps=steps), **rest)

    monkeypatch.setattr("vsalang.tools.ask.asking.open_session", bounded(3))
    with pytest.raises(AskError, match="more than 3 derivation steps"):
        ask(place, full(place), place.question("Before(one = ?a, other = ?b), Before(one = ?c, other = ?d)"))


def test_what_was_taken_back_is_not_recorded() -> None:
    relation = Relation("R", "state", (Attr("n", NUMBER),))
    made = Program("m", {}, {"R": relation}, (), "")
    today = dt.date(2026, 4, 1)
    recorder = Recorder(open_session(made, today=today), today, AssumedPairs(()))
    recorder.assign("R", [(1,)])
    outer = recorder.savepoint()
    recorder.assign("R", [(2,)])
    inner = recorder.savepoint()
    recorder.assign("R", [(3,)])
    recorder.rollback(inner)
    assert recorder.rows("R") == {(2,)}
    recorder.rollback(outer)
    assert recorder.rows("R") == {(1,)}
    recorder.point(1)
    recorder.assign("R", [(4,)])
    recorder.assign("R", [(5,)])
    assert recorder.moments() == [("assign", "R", [(1,)]), ("point", 1, None), ("assign", "R", [(5,)])]


def test_a_question_changes_nothing_for_the_guard() -> None:
    place = shop()
    bare = bring_about(place, full(place)).player
    asked = bring_about(place, full(place), place.question("Dear(name = ?n), Pay earlier")).player
    assert [s.verdict.level for s in bare.steps if s.verdict] == [
        s.verdict.level for s in asked.steps if s.verdict
    ]
    assert bare.guard.snapshot.world == asked.guard.snapshot.world


def test_an_empty_situation_can_be_asked() -> None:
    place = shop()
    assert ask(place, Situation(), place.question("count(Item) = ?n")).rows == ((0,),)
