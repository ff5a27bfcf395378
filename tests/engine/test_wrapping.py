"""Wrapping changes nothing: what is asked of all rows answers alike directly, by a `define` and by a denied denial."""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.agreeing import evaluator, told
from tests.engine.generators import Step, apply, streams, wrapped
from tests.engine.worlds import NOON, a, agg, allow, c, define, first, listing, no, p, program
from tests.thorough import times
from vsalang.program.ir import TEXT, Program
from vsalang.program.values import NONE

ENGINES = ("reference", "incremental", "pydatalog")
ALIKE = (("direct", "once", "twice", "twice defined"), ("not", "not defined", "opposite"))
EXAMPLES = int(os.environ.get("VSALANG_EXAMPLES", times(40, 100)))


def check(made: Program, steps: list[Step]) -> None:
    """All engines say the same after every step, and of all ways to ask the same thing."""
    engines = {name: evaluator(made, name) for name in ENGINES}
    marks: dict[str, list[int]] = {name: [] for name in engines}
    for engine in engines.values():
        engine.now(NOON)
    for number, step in enumerate(steps):
        said: dict[str, Any] = {}
        for name, engine in engines.items():
            apply(engine, step, marks[name])
            said[name] = told(engine, made, [])
        about = f"{listing(made)}\n" + "\n".join(map(str, steps[: number + 1]))
        for name in ENGINES:
            assert said[name] == said["reference"], f"{name}\n{about}"
            for rules in ALIKE:
                answers = {
                    rule: said[name][f"answers {rule}"] for rule in rules if f"answers {rule}" in said[name]
                }
                assert len(set(answers.values())) == 1, f"{name}: {answers}\n{about}"


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(st.data())
def test_wrapping_changes_nothing(data: st.DataObject) -> None:
    made = data.draw(wrapped())
    check(made, data.draw(streams(made, most=5)))


FEW = agg("count", "", p("Item", b=True), "<", 3)
MANY = agg("count", "", p("Item", b=True), ">=", 3)
ITEMS = [(1, True, "a", 1), (2, True, "a", 2), (3, None, "a", 3), (4, False, "a", 4)]


@pytest.mark.parametrize("engine", ENGINES)
def test_three_certain_rows_are_not_few(engine: str) -> None:
    made = program(
        define("Few", FEW),
        define("Many", no("Few")),
        allow(a("finish"), no("Few"), rule="not few"),
        allow(a("finish"), p("Many"), rule="many"),
        allow(a("finish"), MANY, rule="direct"),
        derived={"Few": {}, "Many": {}},
    )
    session = evaluator(made, engine)
    session.assign("finish", [()])
    for rows, holds in ((ITEMS, False), ([*ITEMS, (5, True, None, None)], True), (ITEMS[2:], False)):
        session.assign("Item", rows)
        assert {rule: bool(session.answers(rule)) for rule in ("not few", "many", "direct")} == dict.fromkeys(
            ("not few", "many", "direct"), holds
        )


@pytest.mark.parametrize("engine", ENGINES)
def test_few_of_a_group_are_asked_for_the_group(engine: str) -> None:
    made = program(
        define("Few", agg("count", "", p("Item", t="?t"), "<", 2, ["t"]), t="?t"),
        allow(a("Pay", who="?t"), no("Few", t="?t"), p("Item", t="?t")),
        derived={"Few": {"t": TEXT}},
    )
    session = evaluator(made, engine)
    session.assign("Pay", [("a", 1), ("b", 1)])
    session.assign("Item", [(1, True, "a", 1), (2, True, "a", 2), (3, True, "b", 3)])
    assert {answer.values for answer in session.answers("allow")} == {("a",)}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_failing_first_row_refutes_each_first(engine: str) -> None:
    made = program(
        define("Cheap", first(2, a("L", g="a"), (c("price", "<", 5),))),
        allow(a("finish"), no("Cheap")),
        derived={"Cheap": {}},
    )
    session = evaluator(made, engine)
    session.assign("finish", [()])
    for price, holds in ((9, True), (None, False), (3, False)):
        session.assign("L", [("a", "x", price, 1)])
        assert bool(session.answers("allow")) == holds


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_seen_to_be_absent_makes_no_sum(engine: str) -> None:
    made = program(
        define("Dear", agg("sum", "n", p("Item"), ">", 5)),
        allow(a("finish"), no("Dear")),
        derived={"Dear": {}},
    )
    session = evaluator(made, engine)
    session.assign("finish", [()])
    session.assign("complete Item", [(None, None, None, None)])
    for cell, holds in ((NONE, True), (None, False), (9, False), (3, True)):
        session.assign("Item", [(1, True, "a", cell)])
        assert bool(session.answers("allow")) == holds


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("most", "none"), [(-1, True), (0, False), (1, False)])
def test_no_group_has_fewer_than_no_rows(engine: str, most: int, none: bool) -> None:
    """Also where no group is known."""
    made = program(
        define("Few", agg("count", "", p("Flag", on="?on"), "<=", most, ["on"])),
        allow(a("finish"), no("Few")),
        derived={"Few": {}},
    )
    session = evaluator(made, engine)
    session.assign("finish", [()])
    for rows in ([], [(None, 1, "a")]):
        session.assign("Flag", rows)
        assert bool(session.answers("allow")) == none
