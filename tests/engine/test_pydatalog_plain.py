"""Every trap of plain pyDatalog, shown, and what our back end answers to the same question.

The first half of each test runs pyDatalog 0.22 by itself, in a process that the kernel ends after a while; it fails
when a later pyDatalog does better, which would be good to know. The second half is the back end.
"""

import datetime as dt
import signal
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.engine.worlds import NOON, TODAY, agg, ask, c, cmp, const, define, fn, no, p, program
from vsalang.engine.api import EngineError
from vsalang.engine.pydatalog import backend as pydatalog_backend
from vsalang.engine.pydatalog.backend import PyDatalogEvaluator
from vsalang.program.ir import NUMBER, TEXT, Fn, Var

pytest.importorskip("pyDatalog")

NEVER = "never answers"
CYCLE = "+e(1,2)\n+e(2,3)\n+e(3,1)\n"


def plain(facts: str, question: str, *more: str, seconds: float = 0.4) -> str:
    """What plain pyDatalog prints for a question; `NEVER` if it works for so many seconds and prints nothing."""
    code = [
        "import signal",
        "from pyDatalog import pyDatalog, pyEngine",
        f"signal.setitimer(signal.ITIMER_VIRTUAL, {seconds})",
        f"pyDatalog.load({facts!r})" if facts else "",
        *more,
        f"print(pyDatalog.ask({question!r}))" if question else "",
    ]
    run = processes.run(["-c", "\n".join(code)])
    if run.returncode == -signal.SIGVTALRM:
        return NEVER
    return (run.stdout.strip() or run.stderr.strip().rpartition("\n")[2]).strip()


def ours(*rules: Any, derived: Any = None, **inputs: Any) -> set[Any]:
    """The answers of our back end to the rule ``ask``."""
    session = PyDatalogEvaluator(program(*rules, derived=derived), today=TODAY)
    session.now(NOON)
    for name, rows in inputs.items():
        session.assign(name, rows)
    return {answer.values for answer in session.answers("ask")}


def edges(*pairs: tuple[int, int]) -> list[tuple[Any, ...]]:
    return [(x, None, None, y) for x, y in pairs]


CIRCLE = edges((1, 2), (2, 3), (3, 1))
WAYS = {"T": {"x": NUMBER, "y": NUMBER}, "S": {"x": NUMBER, "y": NUMBER}}
STEP = define("T", p("Item", k="?x", n="?y"), x="?x", y="?y")
ALL_WAYS = {(x, y) for x in (1, 2, 3) for y in (1, 2, 3)}


# ---------------------------------------------------------------- recursion


def test_right_recursion_over_a_cycle() -> None:
    rules = "t(X,Y) <= e(X,Y)\nt(X,Y) <= e(X,Z) & t(Z,Y)"
    assert plain(CYCLE + rules, "t(1,Y)") == NEVER
    again = define("T", p("Item", k="?x", n="?z"), p("T", x="?z", y="?y"), x="?x", y="?y")
    assert ours(ask(p("T", x="?x", y="?y")), STEP, again, derived=WAYS, Item=CIRCLE) == ALL_WAYS


def test_mutual_recursion_over_a_cycle() -> None:
    rules = "a(X,Y) <= e(X,Y)\na(X,Y) <= e(X,Z) & b(Z,Y)\nb(X,Y) <= e(X,Z) & a(Z,Y)"
    assert plain(CYCLE + rules, "a(1,Y)") == NEVER
    there = define("T", p("Item", k="?x", n="?z"), p("S", x="?z", y="?y"), x="?x", y="?y")
    back = define("S", p("Item", k="?x", n="?z"), p("T", x="?z", y="?y"), x="?x", y="?y")
    assert ours(ask(p("T", x="?x", y="?y")), STEP, there, back, derived=WAYS, Item=CIRCLE) == ALL_WAYS


def test_the_recursive_atom_first_is_right() -> None:
    assert plain(CYCLE + "t(X,Y) <= e(X,Y)\nt(X,Y) <= t(X,Z) & e(Z,Y)", "t(1,Y)") == "{(1,), (2,), (3,)}"
    again = define("T", p("T", x="?x", y="?z"), p("Item", k="?z", n="?y"), x="?x", y="?y")
    assert ours(ask(p("T", x="?x", y="?y")), STEP, again, derived=WAYS, Item=CIRCLE) == ALL_WAYS


def test_our_clauses_put_the_recursive_atom_first() -> None:
    again = define("T", p("Item", k="?z", n="?y"), p("T", x="?x", y="?z"), x="?x", y="?y")
    made = program(ask(p("T", x="?x", y="?y")), STEP, again, derived=WAYS)
    session = PyDatalogEvaluator(made, today=TODAY)
    session.assign("Item", CIRCLE)
    assert {answer.values for answer in session.answers("ask")} == ALL_WAYS
    ((predicate, _),) = session.executor.recursions.values()
    bodies = [[literal.pred.name for literal in clause.body] for clause in predicate.db.values()]
    recursive = [names for names in bodies if predicate.name in names]
    assert recursive and all(names[0] == predicate.name for names in recursive)


# ---------------------------------------------------------------- negation


def test_a_circle_of_negations() -> None:
    assert plain("+b(1)\np(X) <= b(X) & ~q(X)\nq(X) <= b(X) & ~p(X)", "p(X)") == NEVER
    derived = {"D": {"x": NUMBER}, "E": {"x": NUMBER}}
    one = define("D", p("Item", k="?x"), no("E", x="?x"), x="?x")
    other = define("E", p("Item", k="?x"), no("D", x="?x"), x="?x")
    with pytest.raises(EngineError, match="not stratified"):
        ours(ask(p("D", x="?x")), one, other, derived=derived)


def test_what_denies_itself() -> None:
    assert plain("+b(1)\np(X) <= b(X) & ~p(X)", "p(X)") == "{(1,)}"
    with pytest.raises(EngineError, match="not stratified"):
        ours(
            ask(p("D", x="?x")),
            define("D", p("Item", k="?x"), no("D", x="?x"), x="?x"),
            derived={"D": {"x": NUMBER}},
        )


def test_a_negation_before_what_binds_its_variable() -> None:
    facts = "+b(1)\n+b(2)\n+c(1)\n"
    assert plain(facts + "p(X) <= ~c(X) & b(X)", "p(X)") == "None"
    assert plain(facts + "p(X) <= b(X) & ~c(X)", "p(X)") == "{(2,)}"
    rows = edges((1, 1), (2, 2))
    assert ours(ask(no("Flag", n="?x"), p("Item", k="?x")), Item=rows, Flag=[(None, 1, None)]) == {(2,)}


def test_what_was_never_defined() -> None:
    assert "Predicate without definition" in plain("+b(1)\np(X) <= b(X) & ~c(X)", "p(X)")
    assert "Predicate without definition" in plain("", "zzz(X)")
    assert ours(ask(p("Item", k="?x"), no("Flag", n="?x")), Item=edges((1, 1))) == {(1,)}
    assert ours(ask(p("Flag", n="?x"))) == set()
    assert ours(ask(p("D", x="?x")), derived={"D": {"x": NUMBER}}) == set()


# ---------------------------------------------------------------- functions and aggregates

COUNTED = "+it(1,5)\n+it(2,5)\n+g(5)\n+g(9)\n(n[X] == len_(Y)) <= it(Y,X)\n"


def test_a_comparison_of_a_function_in_a_body() -> None:
    assert plain(COUNTED + "p(X) <= g(X) & (n[X] >= 2)", "p(X)") == "None"
    assert plain("+g(5)\n+(v[5] == 7)\np(X) <= g(X) & (v[X] != 2)", "p(X)") == "None"
    rows = [(1, None, None, 5), (2, None, None, 5)]
    counted = agg("count", "", p("Item", n="?n"), ">=", 2, ["n"])
    assert ours(ask(p("Flag", n="?n"), counted), Item=rows, Flag=[(None, 5, None)]) == {(5,)}


def test_the_count_of_nothing() -> None:
    assert plain(COUNTED, "n[9] == N") == "None"
    counted = agg("count", "", p("Item", n="?n"), "=", 0, ["n"])
    assert ours(ask(p("Flag", n="?n"), counted), Item=edges((1, 5)), Flag=[(None, 9, None)]) == {(9,)}


# ---------------------------------------------------------------- comparisons and errors


def test_a_comparison_of_two_types() -> None:
    assert "TypeError" in plain("+g('abc')\np(X) <= g(X) & (X < 5)", "p(X)")
    assert ours(ask(p("Flag", who="?w"), cmp("?w", "<", 5)), Flag=[(None, None, "abc")]) == set()


def test_an_error_is_no_value() -> None:
    assert plain("+g(0)\np(X) <= g(X) & (1/X != 7)", "p(X)") == "{(0,)}"
    assert "TypeError(" in plain("+g('abc')\np(X,Y) <= g(X) & (Y == X+1)", "p(X,Y)")
    wrong: Fn = fn("number", NUMBER, Var("w"))
    assert ours(ask(p("Flag", who="?w"), cmp(wrong, "!=", 7)), Flag=[(None, None, "abc")]) == set()
    bound = cmp("?n", "=", fn("+", NUMBER, Var("w"), 1))
    assert ours(ask(p("Flag", who="?w"), bound), Flag=[(None, None, "abc")]) == set()


# ---------------------------------------------------------------- values


def test_true_is_not_one() -> None:
    facts = "pyDatalog.assert_fact('f', True)", "pyDatalog.assert_fact('f', 1)"
    assert plain("", "f(X)", *facts) == "{(1,)}"
    assert plain("", "f(1)", facts[0]) == "{()}"
    pairs = ask(p("Item", k="?x"), no("Item", b="?x"))
    assert ours(pairs, Item=[(1, True, None, None), (0, False, None, None)]) == {(0,), (1,)}
    assert ours(ask(p("Item", b="?x"), cmp("?x", "=", 1)), Item=[(5, True, None, None)]) == set()


@pytest.mark.parametrize("text", ["True", "False", "??", "?x", "None", "'a'", "X"])
def test_a_text_stays_a_text(text: str) -> None:
    if text == "True":
        assert plain("", "f(X)", "pyDatalog.assert_fact('f', 'True')") == "{(True,)}"
    if text == "??":
        shown = plain("", "", "pyDatalog.assert_fact('f', '??')", "print(pyDatalog.ask('f(X)'))")
        assert "??" not in shown  # it became a variable
    rows = {"Flag": [(None, None, text)], "Page": [(text, 1, None)]}
    assert ours(ask(p("Flag", who="?w"), p("Page", name="?w")), **rows) == {(text,)}
    assert ours(ask(p("Flag", who=const(text))), **rows) == {()}


def test_numbers_and_times_are_exact() -> None:
    assert plain("", "f(0.3)", "pyDatalog.assert_fact('f', 0.1 + 0.2)") == "{()}"
    assert plain("", "f(1700000002.5)", "pyDatalog.assert_fact('f', 1700000000.0)") == "{()}"
    tenth, near = Decimal("0.3"), Decimal("0.30000000000000004")
    assert ours(ask(p("Item", k=tenth)), Item=[(near, None, None, None)]) == set()
    late = dt.datetime(2026, 4, 1, 12, 0, 2)
    start = ask(p("Event", c("start", "=", late.time())))
    assert ours(start, Event=[(TODAY, dt.time(12), None)]) == set()


# ---------------------------------------------------------------- code, threads, sessions


def test_data_is_never_run() -> None:
    harm = "print('ran')\n+f(1)"
    assert plain("", "", f"pyDatalog.load({harm!r})") == "ran"
    text = "') ; print('ran') ; ('"
    assert ours(
        ask(p("Flag", who="?w"), p("Page", name="?w")), Flag=[(None, None, text)], Page=[(text, 1, None)]
    )
    for file in Path(pydatalog_backend.__file__).parent.glob("*.py"):
        if file.name == "text.py":  # the script's text, which has tests of its own
            continue
        for word in ("load(", "assert_fact", "retract_fact", "exec(", "eval(", "pickle"):
            found = [line for line in file.read_text().splitlines() if word in line]
            assert all("def load(" in line or "= load()" in line for line in found), (file.name, found)


def test_another_thread() -> None:
    asked = [
        "import threading",
        "pyDatalog.assert_fact('f', 1)",
        "def work():",
        "    try: print(pyDatalog.ask('f(X)'))",
        "    except AttributeError as error: print('AttributeError')",
        "thread = threading.Thread(target=work); thread.start(); thread.join()",
    ]
    assert plain("", "", *asked) == "AttributeError"
    session = PyDatalogEvaluator(program(ask(p("Flag", n="?n"))), today=TODAY)
    session.assign("Flag", [(None, 1, None)])
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append({a.values for a in session.answers("ask")}))
    thread.start()
    thread.join()
    assert found == [{(1,)}]


def test_sessions_share_nothing() -> None:
    shared = [
        "from pyDatalog.Logic import Logic",
        "Logic()",
        "pyDatalog.assert_fact('f', 1)",
        "template = Logic(True)",
        "Logic(template)",
        "pyDatalog.assert_fact('f', 2)",
        "Logic(template)",
    ]
    assert plain("", "f(X)", *shared) == "{(1,), (2,)}"
    made = program(ask(p("Flag", n="?n")))
    one, other = (PyDatalogEvaluator(made, today=TODAY) for _ in range(2))
    one.assign("Flag", [(None, 1, None)])
    other.assign("Flag", [(None, 2, None)])
    assert [{a.values for a in session.answers("ask")} for session in (one, other)] == [{(1,)}, {(2,)}]


def test_a_predicate_that_came_later_is_kept() -> None:
    lost = [
        "from pyDatalog.Logic import Logic",
        "pyDatalog.assert_fact('f', 1)",
        "saved = Logic(True)",
        "other = Logic()",
        "Logic(saved)",
        "pyDatalog.assert_fact('g', 2)",
        "Logic(other)",
        "Logic(saved)",
    ]
    assert "Predicate without definition" in plain("", "g(X)", *lost)
    made = program(ask(p("Flag", n="?n")), ask(p("Page", n="?n"), rule="later"))
    one, other = (PyDatalogEvaluator(made, today=TODAY) for _ in range(2))
    for session in (one, other):
        session.assign("Flag", [(None, 1, None)])
        session.assign("Page", [("a", 2, None)])
        assert {a.values for a in session.answers("ask")} == {(1,)}
    for session in (one, other, one):  # each begins predicates while the other has been in between
        assert {a.values for a in session.answers("later")} == {(2,)}


def test_texts_of_different_types_differ_in_one_column() -> None:
    """Plain pyDatalog takes Decimal(1), 1 and True for one; a derived column may hold what several rules say."""
    facts = (
        "from decimal import Decimal",
        "pyDatalog.assert_fact('f', Decimal(1))",
        "pyDatalog.assert_fact('f', 1)",
    )
    assert plain("", "f(X)", *facts).count("(") <= 2
    rules = (define("D", p("Flag", who="?x"), x="?x"), define("D", p("Item", t="?x"), x="?x"))
    found = ours(
        ask(p("D", x="?x")),
        *rules,
        derived={"D": {"x": TEXT}},
        Flag=[(None, None, "1")],
        Item=[(1, None, "True", None)],
    )
    assert found == {("1",), ("True",)}
