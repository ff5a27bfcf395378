"""The rows that a question is about: what there is of the states, views, lists and definitions that it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from vsalang.engine.api import Row
from vsalang.engine.explain.match import Facts, matches
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.ir import Literal, Relation
from vsalang.program.walk import uses

MOST = 10
"""So many rows of one relation are kept."""


@dataclass(frozen=True)
class RowsAsked:
    """The rows of a relation that a question is about.

    Attributes:
        relation: of a state, view, list or definition.
        rows: those that come nearest to what is asked, at most `MOST`; of a list by position.
        count: how many there are.
    """

    relation: Relation
    rows: tuple[Row, ...]
    count: int


def rows_asked(facts: Facts, body: Sequence[Literal]) -> tuple[RowsAsked, ...]:
    """The rows of each relation that a body asks for now, in the order of the body; the past is left out."""
    answers: dict[str, RowsAsked] = {}
    for use in uses(body):
        relation = facts.program.relation(use.atom.relation)
        if relation.name in answers or relation.sort not in {*BELIEVED, "derived"}:
            continue
        if use.past is not None or use.done:
            continue
        every = list(facts.of(use.atom))
        if not every and relation.sort == "derived":
            continue  # its rules say why
        nearest = [match.row for match in matches(facts, use.atom, every, {}, limit=len(every))[:MOST]]
        kept = [row for row in every if row in nearest]
        if relation.sort == "list":
            kept.sort(key=lambda row: row[-1] if isinstance(row[-1], int) else float("inf"))
        answers[relation.name] = RowsAsked(relation, tuple(kept), len(every))
    return tuple(answers.values())
