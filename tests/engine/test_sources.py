"""What stands after ``with``: each source of parameters is read for itself."""

from typing import Any

import pytest

from tests.engine.agreeing import check_agreement, evaluator
from tests.engine.generators import Step
from tests.engine.worlds import a, c, cmp, no, p, program, recognize
from vsalang.program.ir import Literal

ENGINES = ["reference", "incremental", "pydatalog"]
PAGE = {"Page": [("Ann", None, None)]}
FLAG = {"Flag": [(True, 5, None)]}


def instances(engine: str, extra: tuple[Literal, ...], inputs: dict[str, list[Any]]) -> set[Any]:
    made = program(recognize(a("Pay", who="?w", amount="?n"), (p("tap", node="?x"),), extra))
    session = evaluator(made, engine)
    for relation, rows in {"tap": [(1, "a")], **inputs}.items():
        session.assign(relation, rows)
    names = session.variables("recognize")
    return {
        tuple(dict(zip(names, x.values, strict=True))[n] for n in ("w", "n"))
        for x in session.extra_answers("recognize")
    }


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("extra", "inputs", "found"),
    [
        # two sources: one that does not hold takes nothing from the other
        ((p("Page", name="?w"), p("Flag", n="?n")), {**PAGE, **FLAG}, {("Ann", 5)}),
        ((p("Page", name="?w"), p("Flag", n="?n")), PAGE, {("Ann", None)}),
        ((p("Page", name="?w"), p("Flag", n="?n")), FLAG, {(None, 5)}),
        ((p("Page", name="?w"), p("Flag", n="?n")), {}, {(None, None)}),
        # conditions that share a variable belong together
        ((p("Page", name="?w"), p("Flag", n="?n", who="?w")), {**PAGE, **FLAG}, set()),
        ((p("Page", name="?w"), p("Flag", n="?n"), cmp("?n", ">", 6)), {**PAGE, **FLAG}, {("Ann", None)}),
        ((p("Page", name="?w"), p("Flag", n="?n"), no("Item", k="?n")),
         {**PAGE, **FLAG, "Item": [(5, None, None, None)]}, {("Ann", None)}),
        # what gives no parameter a value must hold for all
        ((p("Page", name="?w"), p("Flag", on=False)), {**PAGE, **FLAG}, set()),
        ((p("Page", name="?w"), p("Flag", on=True), p("Opts", day="?d")), {**PAGE, **FLAG}, set()),
        ((p("Page", name="?w"), p("Flag", on=True)), {**PAGE, **FLAG}, {("Ann", None)}),
        # what is bound before joins nothing
        ((p("Page", name="?w", n="?x"), p("Item", k="?x", n="?n")),
         {"Page": [("Ann", 1, None)], "Item": [(2, None, None, 7)]}, {("Ann", None)}),
        # several ways: each with each
        ((p("Page", name="?w"), p("Item", n="?n")),
         {**PAGE, "Item": [(1, None, None, 7), (2, None, None, 8)]}, {("Ann", 7), ("Ann", 8)}),
    ],
)  # fmt: skip
def test_each_source_for_itself(
    engine: str, extra: tuple[Literal, ...], inputs: dict[str, list[Any]], found: set[Any]
) -> None:
    # an answer in which nothing is known says no more than the body alone
    assert instances(engine, extra, inputs) - {(None, None)} == found - {(None, None)}


@pytest.mark.parametrize("other", ENGINES[1:])
def test_it_follows_its_sources(other: str) -> None:
    extra = (p("Page", c("n", ">", 0), name="?w"), p("Item", n="?n"), no("Item", k="?n"))
    made = program(recognize(a("Pay", who="?w", amount="?n"), (p("tap", node="?x"),), extra))
    steps: list[Step] = [("assign", "tap", [(1, "a")])]
    for page in ([], [("Ann", 1, None)], [("Ann", 0, None)]):
        for items in ([], [(1, None, None, 7)], [(1, None, None, 7), (7, None, None, None)]):
            steps += [("assign", "Page", page), ("assign", "Item", items)]
    check_agreement(made, steps, (other,))
