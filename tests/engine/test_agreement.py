"""The evaluators agree: on random programs and random streams all answer as the reference does, after every step.

``benchmarks/agreement.py`` is the long run; ``VSALANG_EXAMPLES=2000 pytest tests/engine/test_agreement.py`` another.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.agreeing import OTHERS, check_agreement, evaluator, keep, kept
from tests.engine.agreeing import told as told  # for tests of one engine
from tests.engine.generators import Step, apply, programs, random_case, streams
from tests.engine.worlds import (
    a,
    agg,
    allow,
    ask,
    c,
    cmp,
    define,
    expect,
    fn,
    no,
    p,
    program,
    recognize,
    then,
)
from tests.thorough import times
from vsalang.program.ir import NUMBER, TEXT, Var
from vsalang.program.values import NONE

KEPT = Path(__file__).parent / "kept"
EXAMPLES = int(os.environ.get("VSALANG_EXAMPLES", times(10, 60)))

RANDOM = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@pytest.mark.slow
@pytest.mark.parametrize("wide", [False, True])
@RANDOM
@given(st.data())
def test_agreement_without_the_past(wide: bool, data: st.DataObject) -> None:
    made = data.draw(programs(temporal=False, wide=wide))
    check_agreement(made, data.draw(streams(made, most=4, wide=wide)))


@pytest.mark.slow
@pytest.mark.parametrize("wide", [False, True])
@RANDOM
@given(st.data())
def test_agreement_with_the_past(wide: bool, data: st.DataObject) -> None:
    made = data.draw(programs(wide=wide))
    check_agreement(made, data.draw(streams(made, wide=wide)))


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_agreement_from_seeds(seed: int) -> None:
    """What ``benchmarks/agreement.py`` runs for long."""
    check_agreement(*random_case(seed))


@pytest.mark.parametrize("file", sorted(KEPT.glob("*.json")), ids=lambda file: file.stem)
def test_agreement_where_there_was_none(file: Path) -> None:
    """Programs on which ``benchmarks/agreement.py --keep tests/engine/kept`` found a disagreement."""
    check_agreement(*kept(file))


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    made, steps = random_case(1)
    keep(tmp_path / "case.json", made, steps)
    again, back = kept(tmp_path / "case.json")
    assert again == made
    assert [tuple(tuple(x) if isinstance(x, list) else x for x in step) for step in steps] == back


def test_answer_variables_agree() -> None:
    made = program(
        ask(p("Item", k="?n", t="?t")),
        allow(a("Pay", c("amount", "<", "?m"), who="?w"), p("Flag", who="?w", n="?m")),
        expect((p("Flag", who="?w", n="?free"), no("Item", t="?w")), p("Pay", who="?w")),
        recognize(a("Pay", who="?w", amount="?n"), (p("tap", node="?n"),), (p("Page", name="?w"),)),
    )
    sessions = [evaluator(made, name) for name in ("reference", *OTHERS)]
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
@pytest.mark.parametrize("op", ["~=", "!~="])
def test_none_is_similar_to_nothing_and_that_is_certain(other: str, op: str) -> None:
    counted = agg("count", "", p("Page", c("name", op, "b 2")), "<", 1)
    made = program(allow(a("finish"), counted))
    steps: list[Step] = [("assign", "finish", [()]), ("assign", "Page", [(NONE, 2, None)])]
    check_agreement(made, steps, (other,))
    session = evaluator(made, other)
    for step in steps:
        apply(session, step, [])
    assert session.answers("allow")


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("first", [True, False])
def test_a_variable_compared_with_itself_is_not_bound(other: str, first: bool) -> None:
    lower, bound = cmp("?u", "=", fn("lower", TEXT, Var("u"))), p("Flag", who="?u")
    made = program(ask(*((lower, bound) if first else (bound, lower))))
    for who, found in (("Ann", set()), ("ann", {("ann",)})):
        steps: list[Step] = [("assign", "Flag", [(True, 1, who)])]
        check_agreement(made, steps, (other,))
        session = evaluator(made, other)
        apply(session, steps[0], [])
        assert {answer.values for answer in session.answers("ask")} == found


@pytest.mark.parametrize("other", OTHERS)
def test_a_proposal_is_newer_than_every_point(other: str) -> None:
    made = program(ask(then(p("Page", name="?u"), p("tap", node="?n"))))
    steps: list[Step] = [("assign", "Page", [("a", 1, None)]), ("assign", "tap", [(1, "a")]), ("point", 1)]
    check_agreement(made, steps, (other,))
