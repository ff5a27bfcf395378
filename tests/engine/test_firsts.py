"""The first rows of a list, certainly: what was not seen, and rows of which it is not known where they stand."""

from typing import Any

import pytest

from tests.engine.agreeing import check_agreement, evaluator
from tests.engine.generators import Step, apply
from tests.engine.worlds import a, allow, c, first, no, p, program
from vsalang.engine.api import TimedRow
from vsalang.program.ir import Literal

ENGINES = ["reference", "incremental", "pydatalog"]
WHOLE = {"complete K": [(None, None, None)]}


def seen(*rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    """The inputs of the keyed list K: each row ``(id, price, at)`` with the point at which it was last seen."""
    return {"K": [row[:-1] for row in rows], "seen K": [TimedRow(row[:-1], (row[-1],)) for row in rows]}


def surely(engine: str, literal: Literal, inputs: dict[str, list[Any]]) -> bool:
    session = evaluator(program(allow(a("finish"), literal)), engine)
    for relation, rows in {**inputs, "finish": [()]}.items():
        session.assign(relation, rows)
    return bool(session.answers("allow"))


BUN, COD = ("bun", 5, 1, 1), ("cod", 5, 2, 1)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("n", "name", "rows", "holds"),
    [
        (2, "cod", [BUN, COD], True),
        (2, "cod", [BUN, COD, ("dip", 5, None, 2)], False),
        (3, "cod", [BUN, COD, ("dip", 5, None, 2)], True),
        (1, "bun", [BUN, COD, ("dip", 5, None, 2)], False),
        (2, "cod", [BUN, COD, ("dip", None, None, 2)], False),
        (2, "cod", [BUN, COD, ("dip", 6, None, 2)], True),
        # seen with them or before them: it stands elsewhere
        (2, "cod", [BUN, COD, ("dip", 5, None, 1)], True),
        (2, "cod", [("bun", 5, 1, 3), ("cod", 5, 2, 3), ("dip", 5, None, 2)], True),
        # the first was seen again, the second was not: it may stand there
        (2, "cod", [("bun", 5, 1, 2), COD, ("dip", 5, None, 2)], False),
        (1, "bun", [("bun", 5, 1, 2), COD, ("dip", 5, None, 2)], True),
        # in a place that nobody saw
        (2, "cod", [("bun", 5, 1, 1), ("cod", 5, 3, 1), ("dip", 5, None, 1)], False),
        # only one of two may stand above
        (3, "cod", [BUN, COD, ("dip", 5, None, 2), ("eel", 5, None, 1)], True),
    ],
)
def test_rows_without_position(engine: str, n: int, name: str, rows: list[Any], holds: bool) -> None:
    for inputs in (seen(*rows), {**seen(*rows), **WHOLE}):
        # `id = ..` with a constant would choose: a variable tests
        head = allow(a("Pay", who="?w"), first(n, a("K", c("price", "=", 5), id="?w")))
        session = evaluator(program(head), engine)
        for relation, given in {**inputs, "Pay": [(name, None)]}.items():
            session.assign(relation, given)
        assert bool(session.answers("allow")) is holds


@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_never_seen_may_stand_anywhere(engine: str) -> None:
    inputs = seen(BUN, COD, ("dip", 5, None, 1))
    inputs["seen K"].pop()
    head = allow(a("Pay", who="?w"), first(2, a("K", c("price", "=", 5), id="?w")))
    session = evaluator(program(head), engine)
    for relation, given in {**inputs, "Pay": [("cod", None)]}.items():
        session.assign(relation, given)
    assert not session.answers("allow")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("n", "rows", "whole", "holds"),
    [
        # rows 1 and 2 seen, 1 is not chosen: the first is known, whatever comes below
        (1, [("bun", 0, 1, 1), COD], False, True),
        (1, [("bun", 0, 1, 1), ("cod", 5, 3, 1)], False, False),
        (1, [("bun", None, 1, 1), COD], False, False),
        (1, [COD], False, False),
        (2, [("bun", 0, 1, 1), COD], False, False),
        (2, [("bun", 0, 1, 1), COD], True, True),
        (1, [], True, False),
        (1, [("bun", 0, 1, 1)], True, False),
        # one without position: below what was seen with it or after it
        (1, [("bun", 0, 1, 1), COD, ("dip", 5, None, 1)], False, True),
        (1, [("bun", 0, 1, 1), COD, ("dip", 5, None, 2)], False, False),
        (1, [("bun", 0, 1, 1), COD, ("dip", 0, None, 2)], False, True),
        # what is there may also be all without position
        (1, [("bun", 0, None, 1), ("cod", 5, None, 1)], True, True),
        (1, [("bun", 0, None, 1), ("cod", 5, None, 1)], False, False),
    ],
)
def test_each_of_the_first(engine: str, n: int, rows: list[Any], whole: bool, holds: bool) -> None:
    literal = first(n, a("K", c("price", ">", 0)), (c("id", "=", "cod"),))
    assert surely(engine, literal, {**seen(*rows), **(WHOLE if whole else {})}) is holds


@pytest.mark.parametrize("engine", ENGINES)
def test_either_of_two_that_may_be_first_will_do(engine: str) -> None:
    """Going down every row that may match fits, until one that certainly matches was met."""
    literal = first(1, a("K", c("price", ">", 0)), (c("id", "in", ("bun", "cod")),))
    assert surely(engine, literal, seen(("bun", None, 1, 1), COD))
    assert not surely(engine, literal, seen(("dip", None, 1, 1), COD))


@pytest.mark.parametrize("other", ENGINES[1:])
def test_it_follows_what_is_seen(other: str) -> None:
    """The same session, as rows come, lose their places and are seen again."""
    made = program(
        allow(a("Pay", who="?w"), first(2, a("K", c("price", "=", 5), id="?w"))),
        allow(a("finish"), first(2, a("K"), (c("price", "=", 5),)), rule="each"),
        allow(a("finish"), no("K", price=6), p("K", id="cod"), rule="none"),
    )
    steps: list[Step] = [("assign", "Pay", [("cod", None)]), ("assign", "finish", [()])]
    for rows in (
        [BUN, COD],
        [BUN, COD, ("dip", 6, None, 2)],
        [BUN, COD, ("dip", 5, None, 2)],
        [("bun", 5, 1, 3), ("cod", 5, 2, 3), ("dip", 5, None, 2)],
        [("bun", 5, None, 3), ("cod", 5, 2, 3), ("dip", 5, 1, 4)],
    ):
        inputs = seen(*rows)
        steps += [("assign", relation, given) for relation, given in inputs.items()]
        steps += [("assign", "seen K", inputs["seen K"][1:]), ("assign", "seen K", inputs["seen K"])]
    check_agreement(made, steps, (other,))
    session = evaluator(made, other)
    answers = []
    for step in steps:
        apply(session, step, [])
        answers.append(bool(session.answers("allow")))
    assert set(answers) == {True, False}  # what is seen decides
