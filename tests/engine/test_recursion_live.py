"""Recursion that is kept up to date by differences, over data with cycles: as if it were computed again each time."""

import random
from typing import Any

import pytest

from tests.engine.worlds import TODAY, ask, cmp, define, no, p, program
from tests.oracle import ReferenceEvaluator
from tests.thorough import times
from vsalang.engine.api import Budget, BudgetExceeded
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.engine.run.maintain import RECURSIVE
from vsalang.program.ir import NUMBER, Program, Rule

X = {"x": NUMBER}
XY = {"x": NUMBER, "y": NUMBER}

REACH = (
    define("R", p("Flag", n="?x"), x="?x"),
    define("R", p("R", x="?y"), p("L", price="?y", at="?x"), x="?x"),
)
CLOSURE = (
    define("T", p("L", price="?x", at="?y"), x="?x", y="?y"),
    define("T", p("T", x="?x", y="?z"), p("T", x="?z", y="?y"), x="?x", y="?y"),
)
MUTUAL = (
    define("E", p("Flag", n="?x"), x="?x"),
    define("E", p("O", x="?y"), p("L", price="?y", at="?x"), x="?x"),
    define("O", p("E", x="?y"), p("L", price="?y", at="?x"), x="?x"),
)
BLOCKED = (
    define("R", p("Flag", n="?x"), no("Item", k="?x"), x="?x"),
    define("R", p("R", x="?y"), p("L", price="?y", at="?x"), no("Item", k="?x"), cmp("?x", "!=", 3), x="?x"),
    define("R", p("R"), p("R", x=4), x=5),
)
FIXED = (
    define("T", p("L", price="?x", at="?y"), x="?x", y="?y"),
    define("T", p("T", x=1, y="?z"), p("L", price="?z", at="?y"), x=1, y="?y"),
    define("T", p("T", x="?x"), p("T", x="?y", y=2), x="?x", y="?y"),
)

CASES: dict[str, tuple[tuple[Rule, ...], dict[str, Any]]] = {
    "reach": (REACH, {"R": X}),
    "closure": (CLOSURE, {"T": XY}),
    "mutual": (MUTUAL, {"E": X, "O": X}),
    "blocked": (BLOCKED, {"R": X}),
    "fixed": (FIXED, {"T": XY}),
}


def made_of(name: str) -> Program:
    rules, derived = CASES[name]
    head = next(iter(derived))
    attrs = {attr: f"?{attr}" for attr in derived[head]}
    more = (ask(p("Page", n="?x"), no(head, x="?x"), rule="not"), ask(p(head, **attrs), rule="all"))
    return program(*rules, *more, derived=derived)


def say(session: Any, made: Program) -> dict[str, Any]:
    found: dict[str, Any] = {rule.id: session.answers(rule.id) for rule in made.rules}
    return found | {name: session.rows(name) for name, rel in made.relations.items() if rel.sort == "derived"}


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(times(2, 4)))
def test_recursion_over_cycles_is_kept_up_to_date(name: str, seed: int) -> None:
    draw = random.Random(seed)
    made = made_of(name)
    live, naive = IncrementalEvaluator(made, today=TODAY), ReferenceEvaluator(made, today=TODAY)
    vertices = 7
    edges: set[tuple[Any, ...]] = set()
    inputs: dict[str, Any] = {"L": edges, "Flag": [(None, 1, None)], "Item": [], "Page": [(None, 2, None)]}

    def assign() -> None:
        for relation, rows in inputs.items():
            live.assign(relation, rows)
            naive.assign(relation, rows)

    savepoints: list[tuple[int, dict[str, Any]]] = []
    for step in range(60):
        what = draw.random()
        if what < 0.75:
            for _ in range(draw.choice((1, 1, 1, 4))):
                edge = ("g", None, draw.randrange(vertices), draw.randrange(vertices))
                edges ^= {edge}
        elif what < 0.85:
            inputs["Flag"] = [(None, draw.randrange(vertices), None)]
        else:
            inputs["Item"] = [(k, None, None, None) for k in range(vertices) if draw.random() < 0.2]
        if draw.random() < 0.15:
            kept = {
                relation: set(rows) if isinstance(rows, set) else rows for relation, rows in inputs.items()
            }
            savepoints.append((live.savepoint(), kept))
        assign()
        assert say(live, made) == say(naive, made), (name, seed, step)
        if savepoints and draw.random() < 0.2:
            savepoint, kept = savepoints.pop(draw.randrange(len(savepoints)))
            del savepoints[savepoint - 1 :]
            live.rollback(savepoint)
            for relation, rows in live_rows(live, inputs).items():
                naive.assign(relation, rows)
            inputs = {"L": edges} | {s: list(live.rows(s)) for s in ("Flag", "Item", "Page")}
            edges.clear()
            edges.update(live.rows("L"))
            assert say(live, made) == say(naive, made), (name, seed, step, "after a rollback")
    assert RECURSIVE in live.state.maintained or savepoints


def live_rows(session: IncrementalEvaluator, inputs: dict[str, Any]) -> dict[str, Any]:
    return {relation: session.rows(relation) for relation in inputs}


def test_too_much_to_keep_up_is_refused() -> None:
    made = made_of("closure")
    session = IncrementalEvaluator(made, today=TODAY, budget=Budget(rows=60))

    def chain(length: int) -> list[Any]:
        return [("g", None, n, n + 1) for n in range(length)]

    for length in (3, 4, 5, 6):
        session.assign("L", chain(length))
        assert len(session.rows("T")) == length * (length + 1) // 2
    assert RECURSIVE in session.state.maintained
    session.assign("L", chain(30))
    with pytest.raises(BudgetExceeded):
        session.rows("T")
    session.assign("L", chain(5))
    assert len(session.rows("T")) == 15
    assert len(session.answers("all")) == 15
