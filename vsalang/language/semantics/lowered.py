"""Takes out of a program the rules with `@unlicensed`: they speak where a licence is missing, and judge nothing."""

from collections.abc import Iterable, Mapping

from vsalang.base.source import Span
from vsalang.language.semantics.annotations import NEAR, UNLICENSED
from vsalang.language.semantics.report import Report
from vsalang.program import ir
from vsalang.program.grave import grave, mild, near_actions


def lowered(
    rules: Iterable[ir.Rule], relations: Mapping[str, ir.Relation], report: Report
) -> tuple[list[ir.Rule], tuple[ir.Rule, ...]]:
    """The other rules, and those that lower a level, which name one action and nothing else."""
    others: list[ir.Rule] = []
    lowering: list[ir.Rule] = []
    for rule in rules:
        if UNLICENSED not in rule.annotations:
            others.append(rule)
            continue
        lowering.append(rule)
        span = rule.head_span or rule.span
        assert span is not None
        item = rule.body[0] if len(rule.body) == 1 else None
        plain = isinstance(item, ir.Lit) and not item.neg and item.past is None
        relation = relations[item.atom.relation] if plain and isinstance(item, ir.Lit) else None
        if relation is None or relation.sort != "action":
            report.error(
                "E0512",
                span,
                "what is asked instead of blocked is one action, and nothing else",
                help='write: @unlicensed confirm ".." when Send(to = ?w).',
            )
        elif grave(relations, relation.name):
            report.error(
                "E0512",
                span,
                f"`{relation.short}` stays blocked where nothing licenses it",
                label="it is critical",
                help="permit it by an `allow`, for what the task needs",
            )
        else:
            _check_beside(rule, relation, span, relations, report)
    return others, tuple(lowering)


def _check_beside(
    rule: ir.Rule, relation: ir.Relation, span: Span, relations: Mapping[str, ir.Relation], report: Report
) -> None:
    """Report a `warn` about what is not mild, or without `@near`, and a `@near` of what is not a `warn`."""
    assert isinstance(rule.head, ir.Judge)
    warns = rule.head.level == "warn"
    if warns and not mild(relations, relation.name):
        report.error(
            "E0512",
            span,
            f"nobody is only warned of `{relation.short}` where nothing licenses it",
            label="its declaration does not say `@severity(low)`",
            help='write: @unlicensed confirm ".." when ..',
        )
    elif warns != (NEAR in rule.annotations):
        message = f"`@{NEAR}` is written before an `@unlicensed warn`, and only there"
        report.error("E0512", span, message, help=f'write: @unlicensed @{NEAR}(Create) warn ".." when Edit.')
    for name in near_actions(rule, relations):
        if name not in relations or relations[name].sort != "action":
            module, _, short = name.rpartition(".")
            report.error("E0512", span, f"{module} has no action `{short}`", help="correct its name")
