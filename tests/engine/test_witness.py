"""`witness`: one binding under which a rule holds; what an evaluator names does hold, and each answer has one."""

from typing import Any

import pytest

from tests.engine.agreeing import evaluator
from tests.engine.generators import apply, random_case
from tests.engine.worlds import NOON, a, allow, define, p, program
from tests.oracle import ReferenceEvaluator
from tests.oracle.solve import Solver
from vsalang.engine.api import Answer, EngineError
from vsalang.program.ir import NUMBER, Judge, License, Rule

ENGINES = ("incremental", "reference", "pydatalog")


def holds(reference: ReferenceEvaluator, rule: Rule, binding: Any) -> bool:
    """Whether the body of a rule holds under a binding, as the reference sees it."""
    mode = "certain" if isinstance(rule.head, License) else "plain"
    return next(Solver(reference.moment, mode).body(rule.body, dict(binding)), None) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("begin", [0, 1000])
def test_each_answer_has_a_witness(begin: int) -> None:
    """Of random programs after random streams; a licence may know less than the reference (see `is_exact`)."""
    found = 0
    for seed in range(begin, begin + 60):
        made, steps = random_case(seed)
        engines = {name: evaluator(made, name) for name in ("incremental", "reference")}
        for engine in engines.values():
            engine.now(NOON)
            savepoints: list[int] = []
            for step in steps:
                apply(engine, step, savepoints)
        reference: Any = engines["reference"]
        for rule in made.rules:
            if not isinstance(rule.head, Judge | License):
                continue
            for name, engine in engines.items():
                for answer in sorted(engine.answers(rule.id), key=repr)[:5]:
                    if None in answer.values:
                        continue
                    binding = engine.witness(rule.id, answer)
                    assert binding is not None, (seed, name, rule.id, answer)
                    assert holds(reference, rule, binding), (seed, name, rule.id, binding)
                    values = dict(zip(engine.variables(rule.id), answer.values, strict=True))
                    assert values.items() <= {**values, **binding}.items()
                    assert all(binding[key] == values[key] for key in binding.keys() & values.keys())
                    found += 1
    assert found > 20


@pytest.mark.parametrize("engine", ENGINES)
def test_a_witness_binds_what_no_answer_names(engine: str) -> None:
    rule = Rule("odd", Judge("deny", ("odd",)), (p("Item", k="?k"), p("Pair", b="?k", a="?who")), module="m")
    session = evaluator(program(rule), engine)
    session.now(NOON)
    session.assign("Item", [(number, True, "t", number) for number in range(40)])
    session.assign("Pair", [("Ann", 37, None)])
    (answer,) = session.answers("odd")
    binding = session.witness("odd", answer)
    assert binding is not None
    assert binding["k"] == 37
    session.assign("Pair", [])
    assert session.witness("odd", answer) is None


@pytest.mark.parametrize("engine", ENGINES)
def test_a_witness_of_a_licence_is_of_its_instance(engine: str) -> None:
    rules = [allow(a("Pay", amount="?n"), p("Item", n="?n", k="?k"), p("Pair", b="?k"), rule="pay")]
    session = evaluator(program(*rules), engine)
    session.now(NOON)
    session.assign("Pay", [("Ann", 1), ("Bob", 2)])
    session.assign("Item", [(10, None, None, 1), (20, None, None, 2)])
    session.assign("Pair", [("x", 10, None), ("x", 20, None)])
    found = {answer.instance: dict(session.witness("pay", answer) or {}) for answer in session.answers("pay")}
    assert found == {("Ann", 1): {"n": 1, "k": 10}, ("Bob", 2): {"n": 2, "k": 20}}
    assert session.witness("pay", Answer((1,), ("Bob", 2))) is None


@pytest.mark.parametrize("engine", ENGINES)
def test_other_rules_have_none(engine: str) -> None:
    session = evaluator(
        program(define("D", p("Item", k="?x"), rule="d", x="?x"), derived={"D": {"x": NUMBER}}), engine
    )
    session.now(NOON)
    with pytest.raises(EngineError, match="the rule d neither judges nor allows"):
        session.witness("d", Answer((1,)))
