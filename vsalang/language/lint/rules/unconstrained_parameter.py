"""L0004: an `allow` that leaves a parameter of its action open."""

from collections import Counter
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import variables
from vsalang.language.semantics.wording import words
from vsalang.program import ir


def find(context: Context) -> Iterable[Diagnostic]:
    """Parameters that an `allow` says nothing about, or gives a variable that nothing else mentions."""
    for rule, head in context.licences():
        if head.quota.kind == "each":
            continue
        relation = context.relation(head.atom)
        counts = Counter(name for name, _ in variables(context.tree_of(rule)))
        held = {c.attr for c in head.atom.constraints if _restricts(c, counts)}
        open_ = [attr.name for attr in relation.attrs if attr.name not in held]
        if not open_:
            continue
        yield warning(
            RULE.code,
            head.atom.span,
            f"this `allow {relation.short}` leaves {words(open_)} open",
            label=f"any {' and any '.join(open_)} is allowed",
            help=f"say what is wanted: {relation.short}({open_[0]} = ..)",
        )


def _restricts(constraint: ir.Constraint, counts: Counter[str]) -> bool:
    if constraint.op in ("known", "unknown"):
        return False
    return not (
        constraint.op == "=" and isinstance(constraint.term, ir.Var) and counts[constraint.term.name] < 2
    )


RULE = Rule(
    "L0004",
    "unconstrained-parameter",
    "`allow` leaves a parameter open",
    "An `allow` permits every instance of the action that fits its head. A parameter that it does not "
    "mention, or gives a "
    "variable that nothing else in the rule mentions, may have any value: the agent may book any "
    "restaurant. "
    "`allow each` is exempt, because there it is meant.",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
    fix="none: which values the user wants is not known",
)
