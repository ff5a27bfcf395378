"""Asks the judging rules of a program: `deny`, `confirm`, `warn` and `flag` (`guard.md#P4`)."""

from collections.abc import Callable, Mapping, Sequence

from vsalang.engine.api import Row
from vsalang.guard.judge.classify import targets
from vsalang.guard.judge.judgement import NameJudgement, Tools
from vsalang.guard.judge.licensing import licences_of
from vsalang.guard.say.reasons import judge_reason
from vsalang.guard.say.verdict import Reason
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.rule_effects import bindings, message
from vsalang.program.ir import Judge as JudgeHead


def ask_rules(judgement: NameJudgement) -> None:
    """P4 Judgements: find the judging rules that hold.

    Where a claim adds an action, or the proposal may be one, they are asked twice: neither takes duty away, so what is
    said against the proposal without it counts too.
    """
    tools = judgement.whole.tools
    moments = tools.moments
    moments.licensed(_licensed(judgement, judgement.runs))
    found_or_not = {action: list(rows) for action, rows in judgement.found.items()}
    for each in judgement.may_be:
        rows = found_or_not.setdefault(each.action, [])
        if each.row not in rows:
            rows.append(each.row)
    if found_or_not != judgement.runs:
        facts = judgement.explained()
        reasons, judgement.flags = holding(tools, judgement.acting, lambda: Explainer(facts))
        judgement.reasons += reasons
        moments.actions(found_or_not)
        judgement.acting = judgement.there.union(found_or_not)
        judgement.targets = sorted({*judgement.targets, *targets(tools, judgement.acting)})
        moments.licensed(_licensed(judgement, judgement.found) if not judgement.may_be else ())
    moments.goto(judgement.targets)
    judgement.facts = judged = judgement.explained()
    if tools.watch is not None:
        moments.settle()
        tools.watch("judged", tools.evaluator, judged)
    found = holding(tools, judgement.acting, lambda: Explainer(judged))
    for into, more in zip((judgement.reasons, judgement.flags), found, strict=True):
        into += [r for r in more if not any(o.rule == r.rule and o.message == r.message for o in into)]
    moments.licensed(())


def holding(
    tools: Tools, there: frozenset[str], explainer: Callable[[], Explainer]
) -> tuple[list[Reason], list[Reason]]:
    """The judging rules that hold, where these gestures and actions are proposed: reasons, and flags."""
    reasons: list[Reason] = []
    flags: list[Reason] = []
    explains: Explainer | None = None
    for rule in tools.book.firing.rules("judge", there):
        assert isinstance(rule.head, JudgeHead)
        for binding in bindings(tools.answers, rule):
            explains = explains or explainer()
            reason = judge_reason(rule, message(rule, binding), explains.holding(rule, binding))
            target = flags if rule.head.level == "flag" else reasons
            if not any(other.rule == rule.id and other.message == reason.message for other in target):
                target.append(reason)
    return reasons, flags


def _licensed(judgement: NameJudgement, found: Mapping[str, Sequence[Row]]) -> list[str]:
    """The short names of the proposed actions, if clauses allow every one of them now; else none."""
    tools = judgement.whole.tools
    rules = tools.licences.rules
    if not found or "Licensed" not in tools.book.read or any(not rules.get(action) for action in found):
        return []
    used = licences_of(tools, judgement.whole.state, found, Explainer(judgement.explained()))
    if used.reasons or "finish" in found:
        return []
    return [tools.program.relation(action).short for action in found]
