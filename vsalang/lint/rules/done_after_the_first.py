"""L0016: `A earlier` in `done` where A may be done several times."""

from collections.abc import Iterable

from vsalang.core import ir
from vsalang.diagnostics import Diagnostic, Label, warning
from vsalang.lint.model import Context, Rule
from vsalang.lint.walk import uses


def find(context: Context) -> Iterable[Diagnostic]:
    """Conditions of `done` that the first of several commits meets."""
    heads: dict[str, list[tuple[ir.Rule, ir.License]]] = {}
    for rule, head in context.licences():
        heads.setdefault(head.atom.relation, []).append((rule, head))
    for rule in context.dones():
        counted = {item.lit.atom.relation for item in rule.body if isinstance(item, ir.Aggregate)}
        counted |= {item.relation for item in rule.body if isinstance(item, ir.Spent)}
        for use in uses(rule.body):
            licences = heads.get(use.atom.relation, [])
            past = use.past is not None and use.past.op == "earlier"
            if (
                not past
                or use.neg
                or use.atom.constraints
                or len(licences) != 1
                or use.atom.relation in counted
            ):
                continue
            if not isinstance(use.literal, ir.Lit):
                continue
            allowed, head = licences[0]
            name = context.relation(use.atom).short
            if head.quota.kind == "count" and head.quota.n > 1:
                often = f"{head.quota.n} times"
                help_text = f"write `all {name}`, or `count({name} earlier) = {head.quota.n}`"
            elif head.quota.kind == "each":
                often = "any number of times"
                help_text = "ask for what shows that none is left: `no Row(..)` or `every Row has (..)`"
            else:
                continue
            yield warning(
                RULE.code,
                use.literal.span,
                f"`{name}` is allowed {often}, and this holds after the first",
                labels=(Label(allowed.head_span, f"allowed {often}"),) if allowed.head_span else (),
                help=help_text,
            )


_SPEC = (
    'spec pair "Book two tables at R for today"\nimport apps.opentable\n'
    'allow 2 Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
    "done when {done}, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0016",
    "done-after-the-first",
    "`done` that holds after the first of several",
    "`A earlier` holds as soon as A was done once. Where the only licence of A is for several (`allow 3 A`, "
    "`allow each A`), the task could be finished after the first. `all A` holds when every licence is "
    "used up; for "
    "`allow each`, ask the app what is left.",
    _SPEC.replace("{done}", "Reserve earlier"),
    _SPEC.replace("{done}", "all Reserve"),
    find,
)
