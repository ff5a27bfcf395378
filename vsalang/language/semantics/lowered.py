"""Takes the rules with `@unlicensed` out of a program: they ask where a licence is missing, and judge nothing else."""

from collections.abc import Iterable, Mapping

from vsalang.language.semantics.annotations import UNLICENSED
from vsalang.language.semantics.report import Report
from vsalang.program import ir
from vsalang.program.grave import grave


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
    return others, tuple(lowering)
