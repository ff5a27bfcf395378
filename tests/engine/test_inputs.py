"""Inputs: what an evaluator is assigned, as a value and as a text."""

from typing import get_args

import pytest

from tests.engine.agreeing import evaluator
from tests.engine.worlds import TODAY, a, allow, ask, earlier, p, program
from tests.oracle import ALL, open_session
from vsalang.engine import Commit, EngineError, Input
from vsalang.engine.api import InputKind


@pytest.mark.parametrize("relation", ["Flag", "shop.Item", "match shop:Menu", "match uncovered shop:Menu"])
@pytest.mark.parametrize("kind", get_args(InputKind))
def test_a_text_reads_back_as_its_input(relation: str, kind: InputKind) -> None:
    assert Input.read(str(Input(relation, kind))) == Input(relation, kind)


def test_the_words_of_texts() -> None:
    words = [str(Input("R", kind)) for kind in get_args(InputKind)]
    assert words == [
        "R", "before R", "complete R", "given R", "commits R", "timestamps R", "seen R", "spent R",
    ]  # fmt: skip


@pytest.mark.parametrize("engine", ALL)
def test_inputs_and_texts_are_assigned_alike(engine: str) -> None:
    made = program(
        ask(p("Flag", n="?n", before=True), earlier("Pay", who="?w")),
        allow(a("Pay", amount=1), p("Flag", n=1)),
    )
    found = []
    for before, commits in (
        (Input("Flag", "before"), Input("Pay", "commits")),
        ("before Flag", "commits Pay"),
    ):
        session = evaluator(made, engine)
        session.assign(before, [(None, 4, None)])
        session.assign(commits, [Commit(1, 1, ("w", 1))])
        session.point(1)
        found.append({answer.values for answer in session.answers("ask")})
    assert found[0] == found[1] == {(4, "w")}


def test_the_inputs_that_a_program_reads() -> None:
    session = open_session(program(ask(p("Flag", n="?n", before=True), earlier("Pay"))), today=TODAY)
    assert {Input("Flag", "before"), Input("Pay", "commits")} <= session.inputs  # type: ignore[attr-defined]
    assert Input("Flag") not in session.inputs  # type: ignore[attr-defined]


def test_a_row_of_the_wrong_width_is_refused() -> None:
    session = open_session(program(ask(p("Flag", n="?n"))), today=TODAY)
    with pytest.raises(EngineError, match="Flag"):
        session.assign(Input("Flag"), [(1,)])
