"""Checks that `@refusal` stands where an action is named: nothing else can be refused."""

from collections.abc import Iterable, Mapping

from vsalang.language.semantics.report import Report
from vsalang.program import ir
from vsalang.program.walk import relations as relations_of


def check_refusals(rules: Iterable[ir.Rule], relations: Mapping[str, ir.Relation], report: Report) -> None:
    """Report each `@refusal expect` whose `when` names no critical action."""
    for rule in rules:
        if not rule.refusal:
            continue
        if any(name in relations and relations[name].sort == "action" for name in relations_of(rule.body)):
            continue
        span = rule.head_span or rule.span
        assert span is not None
        report.error(
            "E0514",
            span,
            "`@refusal` needs the critical action that is refused",
            help="write: @refusal expect .. when ACTION.",
        )
