"""L0020: `earlier` that stores every text that was ever shown."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import compares, rule_uses

_VALUES = (ir.Choice, ir.Const)


def find(context: Context) -> Iterable[Diagnostic]:
    """`A earlier` with a Text variable that nothing limits to some values, where A is not an action."""
    for rule in context.rules:
        limited = {
            item.left.name
            for item in compares((*rule.body, *rule.extra))
            if isinstance(item.left, ir.Var) and item.op in ("=", "in") and isinstance(item.right, _VALUES)
        }
        for use in rule_uses(rule):
            relation = context.relation(use.atom)
            if use.past is None or use.past.op != "earlier" or relation.sort in ("action", "gesture"):
                continue
            kinds = {attr.name: attr.type.kind for attr in relation.attrs}
            fixed = {
                c.attr for c in use.atom.constraints if c.op in ("=", "in") and not isinstance(c.term, ir.Var)
            }
            for constraint in use.atom.constraints:
                term = constraint.term
                if (
                    constraint.op != "="
                    or not isinstance(term, ir.Var)
                    or kinds.get(constraint.attr) != "Text"
                ):
                    continue
                if term.name in limited or constraint.attr in fixed:
                    continue
                yield warning(
                    RULE.code,
                    constraint.span,
                    f"every `{relation.short}.{constraint.attr}` that is ever seen is remembered",
                    label="any text; when the memory is full, everything is blocked",
                    help='write the texts that matter (`= ".."`, `in {..}`), leave the attribute out, or bound the '
                    "time: `within 5min`",
                )


_POLICY = (
    'policy careful "Ask before paying where somebody called"\nimport apps.opentable\n'
    'confirm "There was a message from {who}" when Reserve, {seen}.\n'
)
RULE = Rule(
    "L0020",
    "unbounded-memory",
    "`earlier` that remembers any text",
    "For `A earlier` the guard keeps every combination of values that A ever had. Over a text that a screen decides, "
    "that has no end: memory is bounded, and when it is full, everything is blocked. Actions are exempt (licences "
    "bound them), and so is `within`, which forgets.",
    _POLICY.replace("{who}", "{?t}").replace("{seen}", "Notification(title = ?t) earlier"),
    _POLICY.replace("{who}", "{?t}").replace("{seen}", "Notification(title = ?t) within 1h"),
    find,
    fix="none: texts, a time or nothing is a choice",
)
