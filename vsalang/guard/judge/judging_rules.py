"""Asks the judging rules of a program: `deny`, `confirm`, `warn` and `flag` (`guard.md#P4`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.engine.api import Row
from vsalang.engine.explain.supposing import Supposing
from vsalang.guard.judge.classify import targets
from vsalang.guard.judge.judgement import MayBe, NameJudgement, Tools
from vsalang.guard.judge.licensing import licences_of
from vsalang.guard.judge.polarity import doubts_told, supposed, supposing, supposing_least
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.guard.say.reasons import held_reason, judge_reason
from vsalang.guard.say.verdict import Reason
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.rule_effects import bindings, message
from vsalang.guard.world.rule_effects import holding as those_that_hold
from vsalang.program.ir import Judge as JudgeHead
from vsalang.program.ir import Rule
from vsalang.program.meaning import UNREAD
from vsalang.program.phrases import say

_OVERLAY: Final = f"{EFFECTS}.Overlay"
"""A touch in a window of another app over the one in use."""
_REFUSING: Final = frozenset({"unlicensed", "unmet", "incomplete", "licence"})
"""The kinds of reasons of which the licences speak."""


def ask_rules(judgement: NameJudgement) -> None:
    """P4 Judgements: find the judging rules that hold.

    Where a claim adds an action, or the proposal may be one, they are asked twice: neither takes duty away, so what is
    said against the proposal without it counts too.
    """
    tools = judgement.whole.tools
    moments = tools.moments
    moments.licensed(_licensed(judgement, judgement.runs))
    found_or_not = {action: list(rows) for action, rows in judgement.instances.items()}
    for each in judgement.may_be:
        rows = found_or_not.setdefault(each.action, [])
        if each.row not in rows:
            rows.append(each.row)
    if found_or_not != judgement.runs:
        facts = judgement.explained()
        reasons, judgement.flags = holding(
            tools,
            judgement.acting,
            lambda: Explainer(facts),
            lambda: supposing(judgement),
            judgement.may_be,
        )
        judgement.reasons += reasons
        moments.actions(found_or_not)
        judgement.acting = judgement.there.union(found_or_not)
        judgement.targets = sorted({*judgement.targets, *targets(tools, judgement.acting)})
        moments.licensed(_licensed(judgement, judgement.instances) if not judgement.may_be else ())
    moments.goto(judgement.targets)
    judgement.facts = judged = judgement.explained()
    if tools.watch is not None:
        moments.settle()
        tools.watch("judged", tools.evaluator, judged)
    more_reasons = holding(
        tools, judgement.acting, lambda: Explainer(judged), lambda: supposing(judgement), judgement.may_be
    )
    for into, more in zip((judgement.reasons, judgement.flags), more_reasons, strict=True):
        _add(into, more)
    moments.licensed(())


def holding(
    tools: Tools,
    there: frozenset[str],
    explainer: Callable[[], Explainer],
    supposes: Callable[[], Supposing] | None,
    actions: Sequence[MayBe] = (),
) -> tuple[list[Reason], list[Reason]]:
    """The judging rules that hold, where these gestures and actions are proposed: reasons, and flags.

    Args:
        tools: what is judged with.
        there: the gestures and actions.
        explainer: explains the moment; asked for if something holds.
        supposes: gives who says what may hold; None: nothing is proposed, so that no duty can be added.
        actions: what the proposal may be.
    """
    reasons: list[Reason] = []
    flags: list[Reason] = []
    explains: Explainer | None = None
    rules = tools.book.firing.rules("judge", there)
    asked = supposes() if supposes is not None and rules else None
    doubtful = asked.in_doubt(rules, ("judge", there)) if asked is not None else ()
    in_doubt = frozenset(rule.id for rule in doubtful)
    matter = in_doubt.union(rule.id for rule in those_that_hold(tools.answers, rules))
    for rule in rules if matter else ():
        if rule.id not in matter:
            continue
        assert isinstance(rule.head, JudgeHead)
        rule_reasons = []
        for binding in bindings(tools.answers, rule):
            explains = explains or explainer()
            reads = tools.book.explained.of(rule)
            rule_reasons.append(held_reason(rule, binding, message(rule, binding), explains, reads))
        if not rule_reasons and asked is not None and rule.id in in_doubt:
            rule_reasons = _that_may_hold(asked, rule, actions)
        target = flags if rule.head.level == "flag" else reasons
        _add(target, rule_reasons)
    return reasons, flags


def _that_may_hold(asked: Supposing, rule: Rule, actions: Sequence[MayBe]) -> list[Reason]:
    """The reason of a rule that may hold, in the way that supposes least; none if it cannot hold."""
    ways = supposed(asked, rule)
    if not ways:
        return []
    least = supposing_least(ways)
    whys, words = doubts_told(asked, least.doubts, actions)
    text = say("reason.may_hold", message=message(rule, least.binding), why=words)
    return [replace(judge_reason(rule, text, whys), change=UNREAD)]


def _add(reasons: list[Reason], more: Sequence[Reason]) -> None:
    """Add what no rule has said in these words."""
    known = {(reason.rule, reason.message) for reason in reasons}
    for reason in more:
        if (reason.rule, reason.message) not in known:
            known.add((reason.rule, reason.message))
            reasons.append(reason)


def _licensed(judgement: NameJudgement, licensed_rows: Mapping[str, Sequence[Row]]) -> list[tuple[str, str]]:
    """The proposed actions by their short names, if clauses allow now every one that needs a licence; else none.

    With each stands a parameter that its clauses bound by just its value, or the empty text.
    """
    tools = judgement.whole.tools
    rules = tools.licences.rules
    if "Licensed" not in tools.book.read:
        return []
    if not licensed_rows:
        return _licensed_as_tap(judgement)
    effects = judgement.effects
    names = {
        action
        for action, rows in licensed_rows.items()
        if any((action, row) not in effects.alone for row in rows)
    }
    names -= {action for (action, _), (effect, _) in effects.of.items() if rules.get(effect)}
    names = {action for action in names if tools.needs_licence(action)}
    if not names or any(not rules.get(action) for action in names):
        return []
    if names == {_OVERLAY}:  # that a window may be touched says nothing of what its touch does
        return []
    used = licences_of(tools, judgement.whole.state, licensed_rows, Explainer(judgement.explained()), effects)
    if used.reasons or "finish" in licensed_rows:
        return []
    exact: dict[str, list[str]] = {}
    for grant in used.grants:
        exact.setdefault(grant.relation, []).extend(tools.licences.exactly(grant))
    return [
        (tools.program.relation(action).short, name)
        for action in licensed_rows
        for name in dict.fromkeys(exact.get(action) or [""])
    ]


def _licensed_as_tap(judgement: NameJudgement) -> list[tuple[str, str]]:
    """What clauses allow of the tap that a double tap of the same node is: the policies heard it under that name."""
    if judgement.gesture != "double_tap":
        return []
    exactly = judgement.whole.tools.licences.exactly
    return [
        (judgement.whole.tools.program.relation(action).short, name)
        for result in judgement.whole.results
        if result.gesture == "tap"
        and result.licensed
        and result.cells.get("node") == judgement.cells.get("node")
        and not any(reason.kind in _REFUSING for reason in result.reasons)
        for action in result.instances
        for name in [each for grant in result.grants if grant.relation == action for each in exactly(grant)]
        or [""]
    ]
