"""A touch of which nobody knows whether it acts: no question where it would be allowed if it did.

`std.effects.MayAct` says which effects such a touch has if it has one at all. The name is judged again for each of
these, as if somebody had answered that the touch acts so (``Answered``). Only if nothing at all speaks against any of
them the question is dropped, and that is recorded; with it go those of rules that ask about nothing that is licensed
(``not Licensed``): whichever effect the touch has, it is. No licence is used, for the touch may as well only lead on:
so after one such touch the next that may have the same effect is asked about, until that effect is seen.

`std.effects.MayChoose` says which effect a box or a choice would be that a later touch carries out. Where a bounded
licence permits that, with what the box says, rules ask nothing that name this effect (``not Licensed(action =
"SetSetting")``). No licence is used: the later touch needs one.

`std.effects.MayCount` is the other way round: what leads on, but is an effect for a task that mentions it, as the
order of a list is a setting for "sort by size". Where a licence permits it, it is done and uses the licence; else
nothing is said.

`std.effects.AlsoCalled` names one act twice: "Pay 54 EUR" at the end of an order orders, too, and what is permitted for
good is permitted for a while. Where nothing but a missing licence speaks against the first name, and nothing at all
against the other, which it certainly has, the act uses the licence of the other. It is done and recorded under both
names. A licence that is used up stays so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.engine.api import BudgetExceeded, Row
from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.judge.licences import FREE, Grant
from vsalang.guard.judge.nodes_read import nodes_read
from vsalang.guard.judge.polarity import supposing
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.guard.say.touched import control_text
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.beliefs import Application
from vsalang.guard.world.session_state import JudgedProposal
from vsalang.program.ir import NUMBER, TEXT, Atom, Const, Constraint, Lit, Rule
from vsalang.program.ops import holds
from vsalang.program.phrases import joined, say
from vsalang.program.screen import Cells
from vsalang.program.text import safe
from vsalang.program.values import Value

MAY_ACT: Final = f"{EFFECTS}.MayAct"
MAY_CHOOSE: Final = f"{EFFECTS}.MayChoose"
MAY_COUNT: Final = f"{EFFECTS}.MayCount"
ALSO_CALLED: Final = f"{EFFECTS}.AlsoCalled"
LICENSED: Final = "Licensed"
KIND: Final = "unknown_touch"
UNLICENSED: Final = "unlicensed"
_MOST: Final = 20
"""So many things at most that one touch sets are looked at."""


def settle(judgement: NameJudgement, steps: Sequence[Callable[[NameJudgement], None]]) -> None:
    """Drop the question about a touch that would be allowed whichever way it is. The moment is left as it was.

    Args:
        judgement: after all its steps.
        steps: by which it was judged.
    """
    asked = [reason for reason in judgement.reasons if reason.kind == KIND]
    if not asked:
        if perhaps := _perhaps_as_tap(judgement):
            _drop(judgement, perhaps)
        else:
            _settle_choice(judgement, steps)
        return
    if any(reason.change for reason in asked) or judgement.recognized:
        return
    kinds = _kinds(judgement)
    if not kinds or judgement.whole.state.perhaps.intersection(kinds):
        return
    for kind in kinds:
        second = _supposed(judgement, kind, MAY_ACT, steps)
        if second is None or not is_free(second):
            return
    _drop(judgement, kinds)
    control = control_text(judgement.cells) or say("reason.some_control")
    words = say("reason.either_way", control=control, kinds=joined(say("or"), [safe(kind) for kind in kinds]))
    judgement.perhaps = frozenset(kinds)
    judgement.flags.append(Reason(KIND, "allow", words))


def _settle_choice(judgement: NameJudgement, steps: Sequence[Callable[[NameJudgement], None]]) -> None:
    """Drop what is asked about a box or a choice that the task permits."""
    reasons = judgement.reasons
    if not reasons or any(reason.change for reason in reasons) or judgement.recognized:
        return
    asking = {reason.rule for reason in reasons}
    rules = [rule for rule in judgement.whole.tools.program.rules if rule.id in asking]
    for kind in _rows_of(judgement, MAY_CHOOSE):
        if len(rules) < len(asking) or not all(_names(rule, kind) for rule in rules):
            continue
        second = _supposed(judgement, kind, MAY_CHOOSE, steps)
        if second is not None and is_free(second) and _is_bounded(second):
            control = control_text(judgement.cells) or say("reason.some_control")
            judgement.reasons = []
            words = say("reason.chosen", control=control, kind=safe(kind))
            judgement.flags.append(Reason(KIND, "allow", words))
            return


def _is_bounded(judgement: NameJudgement) -> bool:
    """Whether the clauses that permit it say something of it: one that permits any setting meant no choice."""
    grants = judgement.used.grants if judgement.used is not None else ()
    return bool(grants) and all(map(judgement.whole.tools.licences.says_more, grants))


def _names(rule: Rule, kind: str) -> bool:
    """Whether a rule says that it asks nothing where this very effect is licensed."""
    return any(
        isinstance(each, Lit)
        and each.neg
        and each.atom.relation == LICENSED
        and [
            (bound.attr, bound.op, bound.term.value)
            for bound in each.atom.constraints
            if isinstance(bound.term, Const)
        ]
        == [("action", "=", kind)]
        for each in rule.body
    )


def _perhaps_as_tap(judgement: NameJudgement) -> list[str]:
    """If it is a double tap, the effects that the tap may have that it is, if the question about that was dropped."""
    if judgement.gesture != "double_tap":
        return []
    node = judgement.cells.get("node")
    taps = (
        each for each in judgement.whole.results if each.gesture == "tap" and each.cells.get("node") == node
    )
    return sorted(kind for tap in taps for kind in tap.perhaps)


def _drop(judgement: NameJudgement, kinds: Sequence[str]) -> None:
    """Drop the question, and the reasons of rules that say nothing where these effects are licensed."""
    silent = _silent_of(judgement, kinds)
    judgement.reasons = [each for each in judgement.reasons if each.kind != KIND and each.rule not in silent]


def _silent_of(judgement: NameJudgement, kinds: Sequence[str]) -> set[str]:
    """The rules that give a reason, and say nothing where these effects are licensed."""
    asking = {reason.rule for reason in judgement.reasons if reason.rule}
    rules = judgement.whole.tools.program.rules if asking else ()
    return {rule.id for rule in rules if rule.id in asking and all(is_silent(rule, kind) for kind in kinds)}


def is_silent(rule: Rule, kind: str) -> bool:
    """Whether a rule says nothing of an effect that is licensed."""
    return any(
        isinstance(each, Lit)
        and each.neg
        and each.atom.relation == LICENSED
        and all(
            bound.attr == "action"
            and isinstance(bound.term, Const)
            and holds(bound.op, kind, bound.term.value)
            for bound in each.atom.constraints
        )
        for each in rule.body
    )


def _kinds(judgement: NameJudgement) -> list[str]:
    """The effects that the touch has, if it has any."""
    return _named(judgement, MAY_ACT)


def _named(judgement: NameJudgement, name: str) -> list[str]:
    """The kinds that a relation says of what takes the gesture; none if an exact answer says what it does."""
    return [] if judgement.facts is None or _is_told(judgement) else _rows_of(judgement, name)


def _rows_of(judgement: NameJudgement, name: str) -> list[str]:
    """The kinds that a relation of node and kind says of what takes the gesture."""
    relation = judgement.whole.tools.program.relations.get(name)
    node = judgement.cells.get("node")
    if relation is None or node is None or judgement.facts is None:
        return []
    taker, kind = relation.column("node"), relation.column("kind")
    return sorted({str(row[kind]) for row in judgement.facts.rows(name) if row[taker] == node})


def _is_told(judgement: NameJudgement) -> bool:
    """Whether an exact answer says what the touch does: then it has no other name, and nothing that it may do."""
    answered = judgement.whole.tools.program.relations.get("Answered")
    if answered is None or judgement.facts is None:
        return False
    taker, exact = answered.column("node"), answered.column("exact")
    rows = judgement.facts.rows("Answered")
    return any(row[taker] == judgement.cells.get("node") and row[exact] is not False for row in rows)


def renamed(
    judgement: NameJudgement, steps: Sequence[Callable[[NameJudgement], None]]
) -> NameJudgement | None:
    """The same act under another name whose licence permits it; None: nothing does. The moment is left as it was.

    Args:
        judgement: after all its steps.
        steps: by which it was judged.
    """
    tools = judgement.whole.tools
    others = {reason.rule for reason in judgement.reasons if reason.kind != UNLICENSED}
    if not tools.task or not judgement.recognized or judgement.may_be:
        return None
    if all(reason.kind != UNLICENSED for reason in judgement.reasons):
        return None
    rules = [rule for rule in tools.program.rules if rule.id in others] if others else []
    for kind in _named(judgement, ALSO_CALLED):
        if not _is_certainly(judgement, kind):
            continue
        if others - {rule.id for rule in rules if is_silent(rule, kind)}:
            continue
        second = _supposed(judgement, kind, ALSO_CALLED, steps)
        if second is not None and is_free(second):
            return second
    return None


def under_both_names(first: JudgedProposal, second: JudgedProposal) -> JudgedProposal:
    """An act that the licence of its second name permits: it does what both names say, and counts for both later."""
    used = {(grant.relation, grant.row) for grant in second.grants}
    borrowed = (
        Grant(action, row, frozenset({FREE}))
        for action, rows in first.runs.items()
        for row in rows
        if (action, row) not in used
    )
    return replace(
        second,
        grants=(*second.grants, *borrowed),
        runs=_joined(first.runs, second.runs),
        instances=_joined(first.instances, second.instances),
        writes=tuple(dict.fromkeys((*first.writes, *second.writes))),
        deletes=tuple(dict.fromkeys((*first.deletes, *second.deletes))),
        awaited=(*second.awaited, *(each for each in first.awaited if each not in second.awaited)),
    )


def _joined(
    first: Mapping[str, tuple[Row, ...]], second: Mapping[str, tuple[Row, ...]]
) -> dict[str, tuple[Row, ...]]:
    """The instances of both, each once."""
    names = dict.fromkeys((*first, *second))
    return {name: tuple(dict.fromkeys((*first.get(name, ()), *second.get(name, ())))) for name in names}


def _is_certainly(judgement: NameJudgement, kind: str) -> bool:
    """Whether the act has this second name whatever nobody read: a licence that it borrows takes duty away."""
    node = Constraint("node", "=", Const(judgement.cells["node"], NUMBER))
    called = Lit(Atom(ALSO_CALLED, (node, Constraint("kind", "=", Const(kind, TEXT)))))
    try:
        return supposing(judgement).certain((called,), {})
    except BudgetExceeded:
        return False


def counted(
    judgement: NameJudgement, steps: Sequence[Callable[[NameJudgement], None]]
) -> NameJudgement | None:
    """The same touch as the effect that the task permits; None: not for this task. The moment is left as it was.

    Args:
        judgement: after all its steps.
        steps: by which it was judged.
    """
    relation = judgement.whole.tools.program.relations.get(MAY_COUNT)
    node = judgement.cells.get("node")
    if relation is None or node is None or judgement.facts is None:
        return None
    if judgement.reasons or judgement.recognized or not judgement.whole.tools.task:
        return None
    taker, kind, argument = (relation.column(name) for name in ("node", "kind", "argument"))
    free: dict[str, list[NameJudgement]] = {}
    together: dict[str, list[str]] = {}
    for row in sorted(judgement.facts.rows(MAY_COUNT), key=str)[:_MOST]:
        if row[taker] != node or row[kind] is None or row[argument] is None:
            continue
        effect, words = str(row[kind]), str(row[argument])
        one = _supposed(judgement, effect, MAY_COUNT, steps, words)
        if one is not None and is_free(one):
            free.setdefault(effect, []).append(one)
            together.setdefault(effect, []).append(words)
    for effect, ways in free.items():
        if len(ways) > 1:
            whole = _supposed(judgement, effect, MAY_COUNT, steps, "\n".join(together[effect]))
            if whole is not None and is_free(whole):
                return whole
        return ways[0]
    return None


def is_free(judgement: NameJudgement) -> bool:
    """Whether something was recognised, and nothing at all speaks against it."""
    return bool(judgement.recognized) and not judgement.reasons and not judgement.may_be


def _supposed(
    judgement: NameJudgement,
    kind: str,
    by: str,
    steps: Sequence[Callable[[NameJudgement], None]],
    argument: str | None = None,
) -> NameJudgement | None:
    """The touch as it is judged if it has this effect; None: no screen shows."""
    answer: dict[str, Value] = {
        "node": judgement.cells["node"],
        "means": "acts",
        "kind": kind,
        "accepted": True,
        "exact": False,
        "by": by,
    }
    if argument is not None:
        answer["argument"] = argument
    return judged_with(judgement, {"Answered": (answer,)}, steps)


def judged_with(
    judgement: NameJudgement,
    rows: Mapping[str, Sequence[Cells]],
    steps: Sequence[Callable[[NameJudgement], None]],
) -> NameJudgement | None:
    """The touch as it is judged where the screen has other rows of some relations; None: no screen shows."""
    whole = judgement.whole
    state, moments = whole.state, whole.tools.moments
    screen = state.compared if state.compared is not None else state.screen
    if screen is None:
        return None
    supposing = screen.with_rows(rows)
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
        if is_free(second):
            second.read = nodes_read(second)
        return second
    finally:
        moments.rollback(savepoint)
