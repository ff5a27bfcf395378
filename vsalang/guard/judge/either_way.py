"""A touch of which nobody knows whether it acts: no question where it would be allowed if it did.

`std.effects.MayAct` says which effects such a touch has if it has one at all. The name is judged again for each of
these, as if somebody had answered that the touch acts so (``Answered``). Only if nothing at all speaks against any of
them the question is dropped, and that is recorded. No licence is used, for the touch may as well only lead on: so after
one such touch the next that may have the same effect is asked about, until that effect is seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.guard.say.touched import control_text
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.beliefs import Application
from vsalang.program.phrases import joined, say
from vsalang.program.text import safe

MAY_ACT: Final = f"{EFFECTS}.MayAct"
_KIND: Final = "unknown_touch"


def settle(judgement: NameJudgement, steps: Sequence[Callable[[NameJudgement], None]]) -> None:
    """Drop the question about a touch that would be allowed whichever way it is. The moment is left as it was.

    Args:
        judgement: after all its steps.
        steps: by which it was judged.
    """
    asked = [reason for reason in judgement.reasons if reason.kind == _KIND]
    if not asked or any(reason.change for reason in asked) or judgement.recognized:
        return
    kinds = _kinds(judgement)
    if not kinds or judgement.whole.state.perhaps.intersection(kinds):
        return
    if not all(_allowed(judgement, kind, steps) for kind in kinds):
        return
    judgement.reasons = [reason for reason in judgement.reasons if reason.kind != _KIND]
    control = control_text(judgement.cells) or say("reason.some_control")
    words = say("reason.either_way", control=control, kinds=joined(say("or"), [safe(kind) for kind in kinds]))
    judgement.perhaps = frozenset(kinds)
    judgement.flags.append(Reason(_KIND, "allow", words))


def _kinds(judgement: NameJudgement) -> list[str]:
    """The effects that the touch has, if it has any."""
    relation = judgement.whole.tools.program.relations.get(MAY_ACT)
    node = judgement.cells.get("node")
    if relation is None or node is None or judgement.facts is None:
        return []
    taker, kind = relation.column("node"), relation.column("kind")
    return sorted({str(row[kind]) for row in judgement.facts.rows(MAY_ACT) if row[taker] == node})


def _allowed(judgement: NameJudgement, kind: str, steps: Sequence[Callable[[NameJudgement], None]]) -> bool:
    """Whether nothing speaks against the touch, if it has this effect."""
    whole = judgement.whole
    state, moments = whole.state, whole.tools.moments
    screen = state.compared if state.compared is not None else state.screen
    if screen is None:
        return False
    supposed = {
        "node": judgement.cells["node"],
        "means": "acts",
        "kind": kind,
        "accepted": True,
        "by": MAY_ACT,
    }
    supposing = screen.with_rows({"Answered": (supposed,)})
    savepoint = moments.savepoint()
    try:
        moments.actions({})
        moments.goto(())
        moments.world(state.world, state.world)
        moments.screen(supposing, state.points)
        seen = replace(state, screen=supposing, compared=supposing)
        second = NameJudgement(
            replace(whole, state=seen, results=[]),
            judgement.gesture,
            judgement.cells,
            judgement.unread,
            judgement.there,
            Application(state.world),
        )
        for step in steps:
            step(second)
        return bool(second.recognized) and not second.reasons and not second.may_be
    finally:
        moments.rollback(savepoint)
