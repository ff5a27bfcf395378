"""An act that is permitted by what else an accepted answer tells of whom or what it names.

"Call 0461 555 0138" is judged as it stands. Where the task permits no such call, and nothing else speaks against it, it
is judged again with the details of the answer: "0461 555 0138 ‖ Franco Zeni ‖ Driver"
(`vsalang.models.effects`, ``AnsweredArgument.details``). Only if nothing at all speaks against that, the act uses that
licence. So what refuses reads the name as it stands, and with its details.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from vsalang.guard.judge.either_way import KIND, UNLICENSED, is_free, is_silent, judged_with
from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.judge.licences import Grant
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.about_actions import NodesRead
from vsalang.guard.world.session_state import JudgedProposal
from vsalang.program.ir import Const, Constraint, Fn, Lit, Rule, Var
from vsalang.program.naming import DETAIL
from vsalang.program.native.answers import DESCRIBED
from vsalang.program.phrases import joined, say
from vsalang.program.screen import Cells
from vsalang.program.show import quoted

_RELATION: Final = "AnsweredArgument"
_SAYS: Final = frozenset({"=", "~=", "in", "contains", "matches", "names"})
_STATES: Final = frozenset({"on", "off"})


def told_in_full(
    judgement: NameJudgement, steps: Sequence[Callable[[NameJudgement], None]]
) -> JudgedProposal | None:
    """The act as a licence permits it by the details of what it names; None: they permit nothing.

    It is recorded as it stands, without the details, and so is the licence that it uses. The moment is left as it was.

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
    if second is None or not is_free(second):
        return None
    permitted = _permitted(judgement, judgement.result(), second.result())
    if permitted is None:
        return None
    texts = joined(say("and"), [quoted(text) for row in rows if (text := _details_of(judgement, row))])
    flag = Reason(KIND, "allow", say("reason.in_full", texts=texts))
    nodes = _nodes_of(judgement, [_details_of(judgement, row) for row in rows])
    return replace(permitted, flags=(*permitted.flags, flag), read={**nodes, **permitted.read})


def _nodes_of(judgement: NameJudgement, details: Iterable[str]) -> NodesRead:
    """The nodes of this screen that show a detail: they must show it still when the touch is carried out."""
    texts = {part.strip() for each in details for part in each.split(DETAIL)} - {""}
    screen = judgement.whole.state.screen
    rows = screen.rows("Node") if texts and screen is not None else ()
    labels = ((row.get("node"), {row.get("text"), row.get("desc")}) for row in rows)
    return {number: frozenset() for number, words in labels if isinstance(number, int) and texts & words}


def _details_of(judgement: NameJudgement, row: Cells) -> str:
    """What a row tells in full of an argument of the touch; empty: nothing more than its words.

    A value that is a number or a state is just that: another number next to it is another value.
    """
    details = row.get("details") if row.get("node") == judgement.cells.get("node") else None
    value = row.get("text") if row.get("parameter") == "value" else ""
    is_clear = isinstance(value, str) and value not in _STATES and not any(map(str.isnumeric, value))
    return details if isinstance(details, str) and is_clear else ""


def _permitted(
    judgement: NameJudgement, first: JudgedProposal, second: JudgedProposal
) -> JudgedProposal | None:
    """The act with the licences of the second judgement; None: these are not certainly for this act alone."""
    licences = judgement.whole.tools.licences
    grants: list[Grant] = []
    for grant in second.grants:
        bare, full = (each.instances.get(grant.relation, ()) for each in (first, second))
        names_it = all(map(_says_who, licences.heads_of(grant)))
        if len(bare) != 1 or len(full) != 1 or not names_it:
            return None
        grants.append(replace(grant, row=bare[0]))
    charged = judgement.whole.state.charged()
    again = any(
        each.relation == grant.relation and licences.repeated(each.row, grant.row)
        for each in charged
        for grant in grants
    )
    if again or {*first.instances} != {*second.instances}:
        return None
    flags = (*first.flags, *(each for each in second.flags if each not in first.flags))
    return replace(
        first,
        reasons=(),
        flags=flags,
        grants=tuple(grants),
        licensed=second.licensed,
        returns=second.returns,
        read=second.read,
    )


def _rows_in_full(judgement: NameJudgement) -> tuple[Cells, ...]:
    """What the answer says of the arguments of this touch, with the details; empty: it tells none."""
    state, node = judgement.whole.state, judgement.cells.get("node")
    screen = state.compared if state.compared is not None else state.screen
    if screen is None or node is None or _RELATION not in screen.relations():
        return ()
    rows = tuple(screen.rows(_RELATION))
    details = [_details_of(judgement, row) for row in rows]
    if not any(details):
        return ()
    return tuple({**row, "full": text} if text else row for row, text in zip(rows, details, strict=True))


def _may_go(judgement: NameJudgement, reason: Reason) -> bool:
    """Whether a reason says only that nothing permits it, or asks unless the act is of a kind that details may tell."""
    if reason.change:
        return False
    if reason.kind == UNLICENSED:
        return True
    program = judgement.whole.tools.program
    rules = [rule for rule in program.rules if rule.id == reason.rule]
    kinds = [name.removeprefix(f"{EFFECTS}.") for name in judgement.recognized]
    return bool(rules) and all(
        all(is_silent(rule, kind) for kind in kinds)
        or (
            reason.kind == "confirm"
            and program.modules[rule.module].kind == "spec"
            and _asks_unless(rule, judgement.recognized)
        )
        for rule in rules
    )


def _asks_unless(rule: Rule, acts: Iterable[str]) -> bool:
    """Whether a rule asks about acts of any name, unless they name somebody: "when Pay, not Pay(payee names ..)"."""
    effects = [
        each for each in rule.body if isinstance(each, Lit) and each.atom.relation.startswith(f"{EFFECTS}.")
    ]
    asked = [each.atom.constraints for each in effects if not each.neg]
    unless = [each.atom.constraints for each in effects if each.neg and each.atom.relation in acts]
    bound = [bounds for bounds in unless if any(each.attr in DESCRIBED for each in bounds)]
    named = any(each.attr in DESCRIBED for bounds in asked for each in bounds)
    return bool(bound) and not named and all(map(_says_who, bound))


def _says_who(bounds: Sequence[Constraint]) -> bool:
    """Whether bounds say whom or what an act names, and not whom it does not: a detail makes another text of any.

    All settings of a page are told by its device: where a setting is named, its value is bound, too, and no state.
    """
    values = [each.term for each in bounds if each.attr == "value"]
    is_state = any(isinstance(term, Const) and term.value in _STATES for term in values)
    if any(each.attr == "name" for each in bounds) and (not values or is_state):
        return False
    return all(
        each.op in _SAYS and not isinstance(each.term, Var | Fn) for each in bounds if each.attr in DESCRIBED
    )
