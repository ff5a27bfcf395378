"""An act that is permitted by what else an accepted answer tells of whom or what it names.

"Call 0461 555 0138" is judged as it stands. Where the task permits no such call, and nothing else speaks against it, it
is judged again with the details of the answer: "0461 555 0138 ‖ Franco Zeni ‖ Driver"
(`vsalang.models.effects`, ``AnsweredArgument.details``). Only if nothing at all speaks against that, the act uses that
licence. So what refuses reads the name as it stands, and with its details.
"""

from collections.abc import Callable, Sequence
from typing import Final

from vsalang.guard.judge.either_way import is_free, is_silent, judged_with
from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.guard.say.verdict import Reason
from vsalang.models.effects.answer import DESCRIBED
from vsalang.program.ir import Lit, Rule
from vsalang.program.screen import Cells

_RELATION: Final = "AnsweredArgument"
_UNLICENSED: Final = "unlicensed"


def told_in_full(
    judgement: NameJudgement, steps: Sequence[Callable[[NameJudgement], None]]
) -> NameJudgement | None:
    """The same act with the details of what it names; None: they permit nothing. The moment is left as it was.

    Args:
        judgement: after all its steps.
        steps: by which it was judged.
    """
    rows = _rows_in_full(judgement)
    if not rows or not judgement.recognized or judgement.may_be or not judgement.reasons:
        return None
    if not judgement.whole.tools.task or not all(_may_go(judgement, each) for each in judgement.reasons):
        return None
    second = judged_with(judgement, {_RELATION: rows}, steps)
    return second if second is not None and is_free(second) else None


def _rows_in_full(judgement: NameJudgement) -> tuple[Cells, ...]:
    """What the answer says of the arguments of this touch, with the details; empty: it tells none."""
    state, node = judgement.whole.state, judgement.cells.get("node")
    screen = state.compared if state.compared is not None else state.screen
    if screen is None or node is None or _RELATION not in screen.relations():
        return ()
    rows = tuple(screen.rows(_RELATION))
    if not any(row.get("node") == node and row.get("details") is not None for row in rows):
        return ()
    return tuple(
        {**row, "full": row["details"]} if row.get("node") == node and row.get("details") is not None else row
        for row in rows
    )


def _may_go(judgement: NameJudgement, reason: Reason) -> bool:
    """Whether a reason says only that nothing permits it, or asks unless the act is of a kind that details may tell."""
    if reason.change:
        return False
    if reason.kind == _UNLICENSED:
        return True
    rules = [rule for rule in judgement.whole.tools.program.rules if rule.id == reason.rule]
    kinds = [name.removeprefix(f"{EFFECTS}.") for name in judgement.recognized]
    return bool(rules) and all(
        (reason.kind == "confirm" and _asks_unless(rule)) or all(is_silent(rule, kind) for kind in kinds)
        for rule in rules
    )


def _asks_unless(rule: Rule) -> bool:
    """Whether a rule asks about an act of any name, unless it names somebody: "when Pay, not Pay(payee ..)"."""
    acts = [
        each for each in rule.body if isinstance(each, Lit) and each.atom.relation.startswith(f"{EFFECTS}.")
    ]
    bound = any(
        constraint.attr in DESCRIBED for each in acts if not each.neg for constraint in each.atom.constraints
    )
    return any(each.neg for each in acts) and not bound
