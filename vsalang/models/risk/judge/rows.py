"""Answers of a judge as rows of `std.judge`."""

from collections.abc import Mapping

from vsalang.models.risk.judge.answer import NoJudgement, Opinion
from vsalang.program.screen import Cells

NO_CONCERN = "none"
"""The category of an answer without a concern."""


def rows_of(answer: Opinion | NoJudgement | None) -> Mapping[str, tuple[Cells, ...]]:
    """The rows of ``Judged`` and ``Unjudged``; of both none if nobody was asked."""
    if answer is None:
        return {"Judged": (), "Unjudged": ()}
    if isinstance(answer, NoJudgement):
        return {"Judged": (), "Unjudged": ({"why": answer.why},)}
    row: Cells = {"concern": bool(answer.concerns), "reason": answer.reason, "model": answer.model}
    return {
        "Judged": tuple({"category": name, **row} for name in answer.concerns or (NO_CONCERN,)),
        "Unjudged": (),
    }
