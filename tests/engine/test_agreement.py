"""The evaluators agree: on random programs and random streams all answer as the reference does, after every step.

``VSALANG_EXAMPLES=20000 pytest tests/engine/test_agreement.py`` is the long run.
"""

import os
from collections import deque
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.generators import Step, apply, programs, streams
from tests.engine.worlds import (
    NOON,
    TODAY,
    a,
    allow,
    ask,
    c,
    define,
    expect,
    listing,
    no,
    p,
    program,
    recognize,
    then,
)
from vsalang.core.ir import NUMBER, Derive, Expect, First, License, Program, Recognize, Rule
from vsalang.core.values import tag
from vsalang.engine import open_session
from vsalang.engine.api import Answer, Evaluator
from vsalang.engine.reference.bodies import atoms_of

EXAMPLES = int(os.environ.get("VSALANG_EXAMPLES", "60"))
OTHERS = ("incremental", "pydatalog")


def tagged(row: Any) -> Any:
    """A row in which True and 1 differ."""
    return tuple((tag(cell), cell) for cell in row)


def told(engine: Evaluator, made: Program, asked: "deque[tuple[str, Answer]]") -> dict[str, Any]:
    """All that an evaluator says of the present."""
    found: dict[str, Any] = {}
    for rule in made.rules:
        answers = engine.answers(rule.id)
        found[f"answers {rule.id}"] = frozenset((tagged(x.values), tagged(x.instance)) for x in answers)
        if isinstance(rule.head, Recognize):
            more = engine.extra_answers(rule.id)
            found[f"extra {rule.id}"] = frozenset((tagged(x.values), tagged(x.instance)) for x in more)
    for name, rel in made.relations.items():
        if rel.sort in ("derived", "screen"):
            found[f"rows {name}"] = frozenset(map(tagged, engine.rows(name)))
    for number, (rule_id, answer) in enumerate(asked):
        found[f"expected {rule_id} {number} {answer.values}"] = engine.expected(rule_id, answer)
    return found


def is_exact(made: Program, rule: Rule) -> bool:
    """Whether a licence must have the very same answers everywhere.

    Where it reads a derived relation possibly, or counts the rows above a row of a list certainly, an evaluator may
    know less than the reference of what could be unseen; then it may answer less, never more.
    """
    waiting, seen = [rule], set()
    while waiting:
        for literal in waiting.pop().body:
            if isinstance(literal, First):
                return False
            for atom, negative in atoms_of(literal):
                if made.relation(atom.relation).sort != "derived":
                    continue
                if negative:
                    return False
                if atom.relation not in seen:
                    seen.add(atom.relation)
                    waiting += [
                        r
                        for r in made.rules
                        if isinstance(r.head, Derive) and r.head.atom.relation == atom.relation
                    ]
    return True


def differences(made: Program, right: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Where two evaluators differ in a way that they must not."""
    loose = {f"answers {r.id}" for r in made.rules if isinstance(r.head, License) and not is_exact(made, r)}
    return {
        key: (right[key], other[key])
        for key in right
        if not (other[key] <= right[key] if key in loose else other[key] == right[key])
    }


def check_agreement(made: Program, steps: list[Step], others: tuple[str, ...] = OTHERS) -> None:
    """Run the stream through all evaluators and compare after every step."""
    engines = {name: open_session(made, engine=name, today=TODAY) for name in ("reference", *others)}
    marks: dict[str, list[int]] = {name: [] for name in engines}
    asked: deque[tuple[str, Answer]] = deque(maxlen=4)
    for engine in engines.values():
        engine.now(NOON)
    for number, step in enumerate(steps):
        said = {}
        for name, engine in engines.items():
            apply(engine, step, marks[name])
            said[name] = told(engine, made, asked)
        for name in others:
            different = differences(made, said["reference"], said[name])
            if different:
                done = "\n".join(map(str, steps[: number + 1]))
                pytest.fail(
                    f"{name} differs from the reference: {different}\n{listing(made)}\n{done}", pytrace=False
                )
        for rule in made.rules:
            if isinstance(rule.head, Expect):
                asked.extend(
                    (rule.id, answer)
                    for answer in sorted(engines["reference"].answers(rule.id), key=repr)[:2]
                )


RANDOM = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@pytest.mark.parametrize("other", OTHERS)
@RANDOM
@given(st.data())
def test_agreement_without_the_past(other: str, data: st.DataObject) -> None:
    made = data.draw(programs(temporal=False))
    check_agreement(made, data.draw(streams(made, most=4)), (other,))


@pytest.mark.parametrize("other", OTHERS)
@RANDOM
@given(st.data())
def test_agreement_with_the_past(other: str, data: st.DataObject) -> None:
    made = data.draw(programs())
    check_agreement(made, data.draw(streams(made)), (other,))


def test_answer_variables_agree() -> None:
    made = program(
        ask(p("Item", k="?n", t="?t")),
        allow(a("Pay", c("amount", "<", "?m"), who="?w"), p("Flag", who="?w", n="?m")),
        expect((p("Flag", who="?w", n="?free"), no("Item", t="?w")), p("Pay", who="?w")),
        recognize(a("Pay", who="?w", amount="?n"), (p("tap", node="?n"),), (p("Page", name="?w"),)),
    )
    sessions = [open_session(made, engine=name, today=TODAY) for name in ("reference", *OTHERS)]
    for rule in made.rules:
        assert len({session.variables(rule.id) for session in sessions}) == 1


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("middle", [{}, {"id": "?t"}, {"id": "?t", "node": "?n"}])
def test_a_chain_whose_middle_binds(other: str, middle: dict[str, str]) -> None:
    made = program(
        define(
            "D",
            p("K", price="?k"),
            then(p("Page", name="?u"), p("tap", **middle), p("tap", node="?m")),
            x="?m",
        ),
        ask(p("D", x="?x")),
        derived={"D": {"x": NUMBER}},
    )
    steps: list[Step] = [
        ("assign", "Page", [("a", 1, None)]),
        ("assign", "K", [("a", 1, 2)]),
        ("point", 1),
        ("assign", "tap", [(1, "a")]),
        ("point", 2),
        ("assign", "tap", [(2, "b 2")]),
    ]
    check_agreement(made, steps, (other,))


@pytest.mark.parametrize("other", OTHERS)
def test_a_proposal_is_newer_than_every_point(other: str) -> None:
    made = program(ask(then(p("Page", name="?u"), p("tap", node="?n"))))
    steps: list[Step] = [("assign", "Page", [("a", 1, None)]), ("assign", "tap", [(1, "a")]), ("point", 1)]
    check_agreement(made, steps, (other,))
