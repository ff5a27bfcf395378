"""Reasons in words: from rules, instances and conflicts to what a verdict reports."""

from collections.abc import Iterable, Mapping, Sequence

from vsalang.engine.api import Row
from vsalang.engine.explain.match import known_cells
from vsalang.guard.judge.licences import Grant
from vsalang.guard.say.verdict import Reason, Why, Words
from vsalang.guard.say.why import Explainer, Sides
from vsalang.guard.world.beliefs import Conflict
from vsalang.guard.world.explanation_reads import ExplanationReads, Reads
from vsalang.guard.world.session_state import Charge
from vsalang.program.example import Level
from vsalang.program.ir import Judge, Program, Rule
from vsalang.program.phrases import joined, say
from vsalang.program.show import quoted, row_text
from vsalang.program.values import Value

_REPEATED: Mapping[bool | None, tuple[str, str]] = {
    True: ("seen.before", "reason.repeated"),
    False: ("seen.claimed", "reason.repeated_claimed"),
    None: ("seen.maybe_before", "reason.repeated_maybe"),
}
"""What is said of an instance that ran, that was only claimed, that may be one of those: a parameter is unknown."""
_LEVELS: Mapping[str, Level] = {"deny": "block", "confirm": "confirm", "warn": "warn", "flag": "allow"}


def action_text(program: Program, action: str, row: Row) -> str:
    """An instance as source text; parameters that are not known are left out."""
    relation = program.relation(action)
    return row_text(relation, known_cells(relation, row))


def unread_text(program: Program, action: str, row: Row) -> str:
    """An instance as source text, in which parameters that nobody could read are said not to be read."""
    attrs = program.relation(action).attrs
    inner = ", ".join(
        f"{attr.name}: {say('not_read')}" if cell is None else f"{attr.name} = {quoted(cell, attr.type)}"
        for attr, cell in zip(attrs, row, strict=True)
    )
    return f"{program.relation(action).short}({inner})" if inner else program.relation(action).short


def held_reason(
    rule: Rule, binding: Mapping[str, Value], message: str, explainer: Explainer, reads: Reads
) -> Reason:
    """The reason of a judging rule that holds under a binding; its conditions are found when they are read.

    Args:
        reads: what explaining the rule reads.
    """
    assert isinstance(rule.head, Judge)
    level = _LEVELS[rule.head.level]
    if reads.relations is None or level == "allow":
        return judge_reason(rule, message, explainer.holding(rule, binding))
    whys = explainer.holding_later(rule, binding, reads.relations)
    annotations = dict(rule.annotations)
    return Reason.later(
        rule.head.level,
        level,
        lambda: (message, whys(), ()),
        rule=rule,
        message=message,
        annotations=annotations,
    )


def judge_reason(rule: Rule, message: str, whys: tuple[Why, ...]) -> Reason:
    """The reason of a judging rule that holds."""
    assert isinstance(rule.head, Judge)
    return Reason(
        rule.head.level,
        _LEVELS[rule.head.level],
        message,
        rule=rule.id,
        module=rule.module,
        span=rule.head_span or rule.span,
        whys=whys,
        annotations=dict(rule.annotations),
    )


def conflict_reason(program: Program, conflict: Conflict, level: Level) -> Reason:
    """Two values for one cell."""
    relation = program.relation(conflict.relation)
    attr = relation.attr(conflict.attr)
    values = joined(say("and"), [quoted(value, attr.type) for value in conflict.values])
    kind = "reason.conflict_seen" if level == "allow" else "reason.conflict"
    text = say(kind, cell=f"{relation.short}.{attr.name}", values=values)
    names = frozenset({relation.short, attr.name, f"{relation.short}.{attr.name}"})
    rule = next((name for name in conflict.rules if name), "")
    return Reason("conflict", level, text, rule=rule, module=relation.module, span=relation.span, names=names)


def _annotations(program: Program, action: str, rule: Rule | None) -> dict[str, tuple[Value, ...]]:
    """The rule's annotations over the action's: its risk, its severity."""
    return {**program.relation(action).annotations, **(rule.annotations if rule is not None else {})}


def licence_reasons(
    program: Program,
    action: str,
    row: Row,
    rules: Sequence[Rule],
    explainer: Explainer,
    explained: ExplanationReads,
) -> list[Reason]:
    """Why no clause allows an instance: every clause with every condition that is not met.

    Args:
        explained: what explaining the clauses reads: most are explained when somebody reads why.
    """
    relation = program.relation(action)
    if not rules:
        finish = action == "finish"
        text = action_text(program, action, row)
        words = say("reason.no_done") if finish else say("reason.no_allow", action=text)
        return [
            Reason(
                "unlicensed",
                "block",
                words,
                module=program.main,
                names=frozenset({relation.short, action}),
                annotations=_annotations(program, action, None),
            )
        ]
    fitting = {rule.id for rule in rules if explainer.head_fits(rule, row)}
    reasons: list[Reason] = []
    for rule in sorted(rules, key=lambda rule: rule.id not in fitting):  # those whose head fits come first
        reads = explained.of(rule)
        names, annotations = frozenset({relation.short, action}), _annotations(program, action, rule)
        kind = "unmet" if fitting else "unlicensed"
        if reads.relations is None or (rule.id in fitting and reads.incomplete):
            sides = explainer.sides(rule, row)
            if rule.id in fitting and sides[0] and all(why.incomplete for why in sides[0]):
                kind = "incomplete"
            message, whys, met = _not_allowed(program, action, row, sides)
            reasons.append(
                Reason(
                    kind,
                    "block",
                    message,
                    rule=rule.id,
                    module=rule.module,
                    span=rule.head_span or rule.span,
                    whys=whys,
                    names=names,
                    annotations=annotations,
                    met=met,
                )
            )
            continue
        later = explainer.sides_later(rule, row, reads.relations)
        reasons.append(
            Reason.later(
                kind,
                "block",
                lambda later=later: _not_allowed(program, action, row, later()),  # type: ignore[misc]
                rule=rule,
                names=names,
                annotations=annotations,
            )
        )
    return reasons


def _not_allowed(program: Program, action: str, row: Row, sides: Sides) -> Words:
    """What a clause says against an instance."""
    whys, met = sides
    sentence = joined("; ", dict.fromkeys(why.text() for why in whys))
    words = (
        say("reason.not_finished")
        if action == "finish"
        else say("reason.not_allowed", action=action_text(program, action, row))
    )
    return say("because", what=words, why=sentence) if sentence else words, whys, met


def licensed_reasons(
    program: Program, action: str, row: Row, rules: Sequence[Rule], explainer: Explainer
) -> list[Reason]:
    """Which clauses allow an instance: each with its conditions and the values seen."""
    finish = action == "finish"
    words = (
        say("reason.finished") if finish else say("reason.allowed", action=action_text(program, action, row))
    )
    return [
        Reason(
            "licensed",
            "allow",
            words,
            rule=rule.id,
            module=rule.module,
            span=rule.head_span or rule.span,
            whys=explainer.licensing(rule, row),
            names=frozenset({program.relation(action).short, action}),
            annotations=_annotations(program, action, rule),
        )
        for rule in rules
    ]


def used_up(
    program: Program,
    action: str,
    text: str,
    rules: Sequence[Rule],
    grant: Grant,
    before: Iterable[tuple[Grant, bool]],
    *,
    doubtful: Sequence[Charge] = (),
) -> list[Reason]:
    """Why an instance that clauses allow has no licence left.

    Args:
        before: the grants used, and whether each ran.
        doubtful: the entries of the ledger that it may be, and of which nobody knows whether they were done.
    """
    relation = program.relation(action)
    uses = [(use.row, ran) for use, ran in before if use.relation == action]
    if any(charge.outcome == "unseen" for charge in doubtful):
        seen, words, wanted = (
            doubtful[-1].message,
            say("reason.used_up_unseen", action=text),
            say("wanted.licence"),
        )
    elif not grant.clauses:
        same = {ran for row, ran in uses if row == grant.row and None not in row}
        before_id, words_id = _REPEATED[max(same, default=None)]
        seen, words, wanted = say(before_id), say(words_id, action=text), say("wanted.once")
    else:
        only_claimed = not all(ran for _, ran in uses)
        words = say("reason.used_up_claimed" if only_claimed else "reason.used_up", action=relation.short)
        seen, wanted = doubtful[-1].message if doubtful else say("seen.used_up"), say("wanted.licence")
    why = Why("unmet", action, "", relation.doc or relation.short, seen, wanted)
    return [
        Reason(
            "licence",
            "block",
            words,
            rule=rule.id,
            module=rule.module,
            span=rule.head_span or rule.span,
            whys=(why,),
            names=frozenset({relation.short, action}),
            annotations=_annotations(program, action, rule),
        )
        for rule in rules
    ]


def maybe_done(
    program: Program, action: str, row: Row, rules: Sequence[Rule], doubtful: Sequence[Charge]
) -> list[Reason]:
    """Why the user must agree to an action that may have been done: its licence is used, its outcome not known."""
    relation = program.relation(action)
    violated = all(charge.outcome == "violated" for charge in doubtful)
    refused = all(charge.outcome == "refused" for charge in doubtful)
    words = say(
        "reason.maybe_done_refused"
        if refused
        else "reason.maybe_done_late"
        if violated
        else "reason.maybe_done",
        action=action_text(program, action, row),
    )
    why = Why(
        "unmet",
        action,
        "",
        relation.doc or relation.short,
        doubtful[-1].message,
        say("wanted.agreed"),
    )
    return [
        Reason(
            "licence",
            "confirm",
            words,
            rule=rule.id,
            module=rule.module,
            span=rule.head_span or rule.span,
            whys=(why,),
            names=frozenset({relation.short, action}),
            annotations=_annotations(program, action, rule),
        )
        for rule in rules
    ]
