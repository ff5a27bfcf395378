"""L0021: evidence that may be about another instance than the one that is allowed."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import present


def find(context: Context) -> Iterable[Diagnostic]:
    """Conditions of an `allow` that do not constrain an attribute which the action has too (same name and type)."""
    for rule, head in context.licences():
        action = context.relation(head.atom)
        fixed = {c.attr for c in head.atom.constraints if c.op == "=" and not isinstance(c.term, ir.Var)}
        loose = {attr.name: attr.type for attr in action.attrs if attr.name not in fixed}
        for item in present(rule.body):
            relation = context.relation(item.atom)
            if relation.sort not in ("state", "view", "list"):
                continue
            asked = {c.attr for c in item.atom.constraints}
            shared = [a.name for a in relation.attrs if loose.get(a.name) == a.type and a.name not in asked]
            if not shared or not asked & {a.name for a in action.attrs}:
                continue
            name = shared[0]
            yield warning(
                RULE.code,
                item.atom.span,
                f"`{relation.short}` may be one of another `{name}` than the `{action.short}` that is allowed",
                label=f"any {name} will do",
                help=f"join them: `{name} = ?x` in both",
            )


RULE = Rule(
    "L0021",
    "unjoined-evidence",
    "evidence that is not about what is allowed",
    "The condition is about a row and the head about an action, both have an attribute of one name and type, "
    "and nothing says "
    "that they agree: a free table at one time then permits booking another time. Join the two by a "
    "variable, or give both "
    "the same value.",
    'spec book "Book a table at R for today before 7 PM"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time < 19:00)\n'
    '  when Slot(restaurant = "R", date = today, available = true).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    'spec book "Book a table at R for today before 7 PM"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t, time < 19:00)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t, available = true).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
)
