"""The pyDatalog back end: each trap of the library that touches us, recursion, isolation of sessions."""

import datetime as dt
import sys
import threading
from decimal import Decimal
from typing import Any

import pytest

from tests.engine.worlds import (
    NOON,
    TODAY,
    a,
    agg,
    allow,
    ask,
    c,
    cmp,
    const,
    define,
    fn,
    no,
    p,
    program,
)
from vsalang.engine import open_session
from vsalang.engine.api import Budget, BudgetExceeded, EngineError
from vsalang.engine.pydatalog.backend import PyDatalogEvaluator, tagged, untagged
from vsalang.engine.run import evaluate
from vsalang.engine.run.state import State
from vsalang.program.ir import DURATION, NUMBER, Derive, Program, Rule, Var
from vsalang.program.values import NONE

DERIVED: dict[str, Any] = {"D": {"x": NUMBER}, "E": {"x": NUMBER}}
EDGES = (
    define("D", p("Flag", n="?x"), x="?x"),
    define("D", p("D", x="?y"), p("Item", k="?y", n="?x"), x="?x"),
)


def start(
    *rules: Rule, derived: Any = None, budget: Budget | None = None, **inputs: Any
) -> PyDatalogEvaluator:
    session = PyDatalogEvaluator(program(*rules, derived=derived), today=TODAY, budget=budget)
    session.now(NOON)
    for name, rows in inputs.items():
        session.assign(name.replace("_", " "), rows)
    return session


def values(session: Any, rule: str = "ask") -> set[Any]:
    return {answer.values for answer in session.answers(rule)}


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    "text", ["True", "False", "None", "??", "?x", "X", "_", "'a'", "a\nb", "", "é", "1", "=="]
)
def test_texts_stay_texts(text: str) -> None:
    session = start(
        ask(p("Flag", who="?w"), p("Page", name="?w")), Flag=[(None, None, text)], Page=[(text, 1, None)]
    )
    assert values(session) == {(text,)}


def test_true_and_one_are_two_values() -> None:
    assert tagged(True) != tagged(1) and tagged(0) != tagged(False)
    assert tagged(Decimal("1.5")) == tagged(Decimal("1.50"))
    session = start(
        ask(p("Flag", on="?x"), p("Item", n="?x")), Flag=[(True, None, None)], Item=[(1, True, None, 1)]
    )
    assert values(session) == set()


def test_numbers_and_times_are_exact() -> None:
    rule = ask(p("Item", k="?k", n="?n"), p("Pair", b="?n"))
    near = Decimal("0.1000000000000000001")
    session = start(
        rule, Item=[(1, None, None, Decimal("0.1")), (2, None, None, near)], Pair=[("a", near, None)]
    )
    assert values(session) == {(2, near)}
    at = dt.time(19, 0, 1)
    rows = [(TODAY, at, None), (TODAY + dt.timedelta(1), dt.time(19, 0, 3), None)]
    assert values(start(ask(p("Event", c("start", "=", at), day="?d")), Event=rows)) == {(TODAY,)}


def test_every_value_comes_back_as_it_was() -> None:
    for value in (
        "a",
        1,
        Decimal("1.5"),
        True,
        TODAY,
        dt.time(1),
        dt.timedelta(1),
        frozenset({"a"}),
        NONE,
        NOON,
        None,
    ):
        assert untagged(tagged(value)) is value or untagged(tagged(value)) == value
        assert type(untagged(tagged(value))) is type(value)
    assert untagged(tagged((1, True, None, (2,)))) == (1, True, None, (2,))


# ---------------------------------------------------------------- comparisons and exceptions


def test_a_comparison_of_different_types_fails_quietly() -> None:
    text = define("D", p("Node", text="?x"), x="?x")
    session = start(
        text, ask(p("D", x="?x"), cmp("?x", "<", 5)), derived=DERIVED, Node=[(1, "i", "abc", None)]
    )
    assert values(session) == set()


def test_what_is_undefined_is_no_value() -> None:
    late = cmp(fn("+", DURATION, Var("t"), const(dt.timedelta(hours=20))), "!=", dt.time(7))
    session = start(ask(p("Event", start="?t"), late), Event=[(TODAY, dt.time(19), None)])
    assert values(session) == set()  # past midnight: undefined, and so not different from 7 o'clock either


def test_counts_compare_and_empty_groups_count_nothing() -> None:
    grouped = agg("count", "", p("Item", n="?n"), ">=", 2, ["n"])
    rows = [(1, None, None, 5), (2, None, None, 5), (3, None, None, 6)]
    flags = {"Flag": [(None, 5, None)], "Item": rows}
    assert values(start(ask(p("Flag", n="?n"), grouped), **flags)) == {(5,)}
    none = agg("count", "", p("Item", n="?n"), "=", 0, ["n"])
    assert values(start(ask(p("Flag", n="?n"), none), Flag=[(None, 9, None)], Item=rows)) == {(9,)}


class Fault(Exception):
    pass


def test_an_exception_leaves_the_session_answering() -> None:
    class Backend:
        broken = True

        def similar(self, text: str, constant: str) -> bool | None:
            if self.broken:
                raise Fault
            return True

    backend = Backend()
    made = program(ask(p("Flag", who="?w"), cmp("?w", "~=", "friend")))
    session = PyDatalogEvaluator(made, today=TODAY, similarity=backend)
    session.assign("Flag", [(None, None, "pal")])
    with pytest.raises(Fault):
        session.answers("ask")
    backend.broken = False
    assert values(session) == {("pal",)}


# ---------------------------------------------------------------- negation


def test_a_negation_may_stand_before_its_binder() -> None:
    rows = [(1, True, None, None), (2, None, None, None)]
    session = start(ask(no("Item", k="?x", b=True), p("Item", k="?x")), Item=rows)
    assert values(session) == {(2,)}


def test_a_negation_of_what_has_no_rows_or_rules() -> None:
    assert values(start(ask(no("Flag"), no("Item", k=1), p("Page", n="?n")), Page=[("x", 1, None)])) == {(1,)}
    empty = start(ask(p("Page", n="?n"), no("D", x="?n")), derived=DERIVED, Page=[("x", 1, None)])
    assert values(empty) == {(1,)}


def test_negation_with_a_test_and_over_a_derived_relation() -> None:
    rules = (
        ask(p("Item", k="?k", n="?n"), no("Item", c("n", ">", "?n")), no("E", x="?k")),
        define("E", p("Item", k="?x", b=True), x="?x"),
    )
    rows = [(1, None, None, 5), (2, True, None, 7), (3, None, None, 7)]
    session = start(*rules, derived=DERIVED, Item=rows)
    assert values(session) == {(3, 7)}
    session.assign("Item", rows[:1])
    assert values(session) == {(1, 5)}


@pytest.mark.parametrize("positive", [True, False])
def test_what_is_not_stratified_is_refused_first(positive: bool) -> None:
    other = (p if positive else no)("E", x="?x")
    rules = (
        define("D", p("Item", k="?x"), no("E", x="?x"), x="?x"),
        define("E", p("Item", k="?x"), other, no("D", x="?x"), x="?x"),
    )
    with pytest.raises(EngineError, match="not stratified"):
        start(*rules, derived=DERIVED)


# ---------------------------------------------------------------- recursion


def native(session: PyDatalogEvaluator, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The recursive components that our own engine computes."""
    ran: list[str] = []
    fixpoint = evaluate.fixpoint

    def noting(state: State, spec: Any) -> None:
        ran.append(spec.name)
        fixpoint(state, spec)

    monkeypatch.setattr(evaluate, "fixpoint", noting)
    return ran


@pytest.mark.parametrize("backwards", [False, True])
def test_left_linear_recursion_runs_however_it_is_written(
    backwards: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = EDGES[1].body[::-1] if backwards else EDGES[1].body
    rules = (EDGES[0], Rule("r", Derive(a("D", x="?x")), body))
    session = start(ask(p("D", x="?x")), *rules, derived=DERIVED, Flag=[(None, 1, None)])
    ran = native(session, monkeypatch)
    session.assign("Item", [(1, None, None, 2), (2, None, None, 3), (3, None, None, 1), (8, None, None, 9)])
    assert values(session) == {(1,), (2,), (3,)}
    session.assign("Item", [(1, None, None, 2)])
    assert values(session) == {(1,), (2,)}
    assert ran == []


CYCLE = [(1, None, None, 2), (2, None, None, 3), (3, None, None, 1)]


def test_mutual_recursion_over_a_cycle_becomes_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = (
        define("D", p("Flag", n="?x"), x="?x"),
        define("D", p("E", x="?y"), p("Item", k="?y", n="?x"), x="?x"),
        define("E", p("Item", k="?y", n="?x"), p("D", x="?y"), x="?x"),
    )
    session = start(ask(p("D", x="?x")), *rules, derived=DERIVED, Flag=[(None, 1, None)])
    ran = native(session, monkeypatch)
    session.assign("Item", CYCLE)
    assert values(session) == {(1,), (2,), (3,)}
    assert ran == ["D"]


def test_recursion_that_is_not_linear_becomes_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {"T": {"a": NUMBER, "b": NUMBER}}
    rules = (
        define("T", p("Item", k="?a", n="?b"), a="?a", b="?b"),
        define("T", p("T", a="?a", b="?m"), p("T", a="?m", b="?b"), a="?a", b="?b"),
    )
    session = start(ask(p("T", a="?a", b="?b")), *rules, derived=paths)
    ran = native(session, monkeypatch)
    session.assign("Item", CYCLE)
    assert values(session) == {(i, j) for i in (1, 2, 3) for j in (1, 2, 3)}
    assert ran == ["T"]


def test_recursion_with_constants_comparisons_and_negation_inside() -> None:
    rules = (
        EDGES[0],
        define(
            "D",
            p("D", c("x", "<", 4), x="?y"),
            p("Item", k="?y", n="?x"),
            cmp("?x", "!=", 3),
            no("E", x="?x"),
            x="?x",
        ),
        define("E", p("Pair", b="?x"), x="?x"),
    )
    rows = [(1, None, None, 2), (2, None, None, 4), (4, None, None, 5), (5, None, None, 3)]
    session = start(ask(p("D", x="?x")), *rules, derived=DERIVED, Flag=[(None, 1, None)], Item=rows)
    assert values(session) == {(1,), (2,), (4,)}
    session.assign("Pair", [("a", 2, None)])
    assert values(session) == {(1,)}


# ---------------------------------------------------------------- isolation


def test_sessions_do_not_see_each_other() -> None:
    made = program(ask(p("D", x="?x")), *EDGES, derived=DERIVED)
    one, other = (PyDatalogEvaluator(made, today=TODAY) for _ in range(2))
    for round_ in range(3):
        one.assign("Flag", [(None, 10 + round_, None)])
        other.assign("Flag", [(None, 20 + round_, None)])
        assert values(one) == {(10 + round_,)} and values(other) == {(20 + round_,)}


def test_the_threads_logic_is_left_as_it_was() -> None:
    from pyDatalog import pyDatalog
    from pyDatalog.Logic import Logic

    pyDatalog.assert_fact("mine", 1)
    before = Logic.tl.logic
    session = start(ask(p("Flag", n="?n")), Flag=[(None, 1, None)])
    assert values(session) == {(1,)}
    assert Logic.tl.logic is before
    assert set(pyDatalog.ask("mine(X)").answers) == {(1,)}


def test_a_session_made_in_one_thread_answers_in_another() -> None:
    session = start(ask(p("D", x="?x")), *EDGES, derived=DERIVED, Flag=[(None, 1, None)])
    found: list[Any] = []

    def work() -> None:
        found.append(values(session))
        session.assign("Flag", [(None, 2, None)])
        found.append(values(session))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [{(1,)}, {(2,)}]
    session.assign("Flag", [(None, 3, None)])
    assert values(session) == {(3,)}


# ---------------------------------------------------------------- the rest


def test_only_what_changed_is_asserted_and_retracted(monkeypatch: pytest.MonkeyPatch) -> None:
    session = start(ask(p("Item", k="?k", n="?n")), Item=[(n, None, None, n) for n in range(50)])
    assert len(values(session)) == 50
    engine = session.executor.engine
    done: list[str] = []
    for name in ("assert_", "retract"):
        original = getattr(engine, name)
        monkeypatch.setattr(engine, name, lambda x, f=original, n=name: (done.append(n), f(x))[1])
    session.assign("Item", [(n, None, None, n) for n in range(1, 51)])
    assert len(values(session)) == 50
    assert done.count("assert_") == 1 and done.count("retract") <= 2  # an assertion retracts first


def test_rollback_reaches_the_facts() -> None:
    session = start(ask(p("D", x="?x")), *EDGES, derived=DERIVED, Flag=[(None, 1, None)])
    assert values(session) == {(1,)}
    savepoint = session.savepoint()
    session.assign("Item", [(1, None, None, 2)])
    assert values(session) == {(1,), (2,)}
    session.rollback(savepoint)
    assert values(session) == {(1,)}


def test_licences_are_read_certainly_here_too() -> None:
    session = start(allow(a("finish"), no("Item", b=True)), finish=[()])
    assert not session.answers("allow")
    session.assign("complete Item", [(None, None, None, None)])
    assert session.answers("allow")


def test_budgets_hold() -> None:
    session = start(
        ask(p("Item", k="?a"), p("Item", n="?b")),
        budget=Budget(steps=100),
        Item=[(n, None, None, n) for n in range(30)],
    )
    with pytest.raises(BudgetExceeded):
        session.answers("ask")


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyDatalog", None)
    with pytest.raises(EngineError, match=r"pip install 'vsalang\[pydatalog\]'"):
        open_session(Program("m", {}, {}, (), ""), engine="pydatalog", today=TODAY)


def test_pydatalog_is_loaded_on_use_only() -> None:
    import subprocess

    code = "import sys, vsalang.engine, vsalang.engine.incremental; sys.exit('pyDatalog' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
