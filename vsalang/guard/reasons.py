"""Reasons in words: from rules, instances and conflicts to what a verdict reports."""

from collections.abc import Mapping, Sequence

from vsalang.core.example import Level
from vsalang.core.ir import Judge, Program, Rule
from vsalang.core.values import Value
from vsalang.engine.api import Row
from vsalang.guard.licences import Grant
from vsalang.guard.store import Conflict, known_cells
from vsalang.guard.terms import quoted
from vsalang.guard.verdict import Reason, Why
from vsalang.guard.why import Explainer

_LEVELS: Mapping[str, Level] = {"deny": "block", "confirm": "confirm", "warn": "warn", "flag": "allow"}


def action_text(program: Program, action: str, row: Row) -> str:
    """An instance as it stands in a program; parameters that are not known are left out."""
    relation = program.relation(action)
    cells = known_cells(relation, row)
    inner = ", ".join(f"{name} = {quoted(value, relation.attr(name).type)}" for name, value in cells.items())
    return f"{relation.short}({inner})" if inner else relation.short


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
    values = " and ".join(quoted(value, attr.type) for value in conflict.values)
    text = f"{relation.short}.{attr.name} would be {values} at once"
    if level == "allow":
        text = f"{relation.short}.{attr.name} is shown as {values} at once, so it is unknown"
    names = frozenset({relation.short, attr.name, f"{relation.short}.{attr.name}"})
    rule = next((name for name in conflict.rules if name), "")
    return Reason("conflict", level, text, rule=rule, module=relation.module, span=relation.span, names=names)


def _annotations(program: Program, action: str, rule: Rule | None) -> dict[str, tuple[Value, ...]]:
    """The rule's annotations over the action's: its risk, its severity."""
    return {**program.relation(action).annotations, **(rule.annotations if rule is not None else {})}


def licence_reasons(
    program: Program, action: str, row: Row, rules: Sequence[Rule], explainer: Explainer
) -> list[Reason]:
    """Why no clause allows an instance: every clause with every condition that is not met."""
    relation = program.relation(action)
    text = action_text(program, action, row)
    finish = action == "finish"
    if not rules:
        words = "nothing says when the task is done" if finish else f"nothing in the task allows {text}"
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
    found = []
    for rule in sorted(rules, key=lambda rule: rule.id not in fitting):  # those whose head fits come first
        whys = explainer.clause(rule, row)
        kind = "unmet"
        if not fitting:
            kind = "unlicensed"
        elif rule.id in fitting and whys and all(why.incomplete for why in whys):
            kind = "incomplete"
        shown = "; ".join(dict.fromkeys(why.text() for why in whys))
        words = "the task is not done by this rule" if finish else f"{text} is not allowed by this rule"
        found.append(
            Reason(
                kind,
                "block",
                f"{words}: {shown}" if shown else words,
                rule=rule.id,
                module=rule.module,
                span=rule.head_span or rule.span,
                whys=whys,
                names=frozenset({relation.short, action}),
                annotations=_annotations(program, action, rule),
            )
        )
    return found


def used_up(program: Program, action: str, text: str, rules: Sequence[Rule], grant: Grant) -> list[Reason]:
    """Why an instance that clauses allow has no licence left."""
    relation = program.relation(action)
    if not grant.clauses:
        seen, wanted = "done before", "done only once"
        words = f"{text} was done already and may not be done again"
    else:
        seen, wanted = "used up", "a licence that is left"
        words = f"{relation.short} was done as often as the task allows"
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
