"""L0005: a condition on an attribute that no rule writes."""

from collections.abc import Iterable, Iterator

from vsalang.core import ir
from vsalang.diagnostics import Diagnostic, warning
from vsalang.lint.model import Context, Rule
from vsalang.lint.walk import rule_uses


def find(context: Context) -> Iterable[Diagnostic]:
    """Constraints on what is never known; once for each attribute, and once for an app without any such rules."""
    written: set[tuple[str, str]] = set()
    busy: set[str] = set()
    for rule in context.program.rules:
        if isinstance(rule.head, ir.Write | ir.Recognize):
            busy.add(rule.module)
            atom = rule.head.atom
            if isinstance(rule.head, ir.Write) and rule.head.delete:
                continue
            written |= {(atom.relation, c.attr) for c in atom.constraints if c.term is not None}
    said: set[tuple[str, str]] = set()
    for relation, constraint in _conditions(context):
        name = constraint.attr
        if (relation.name, name) in written or (relation.sort == "list" and name == "at"):
            continue
        key = (relation.module, "") if relation.module not in busy else (relation.name, name)
        if key in said:
            continue
        said.add(key)
        if not key[1]:
            yield warning(
                RULE.code,
                constraint.span,
                f"the app `{relation.module}` has no rules that read its screens: nothing ever writes "
                f"`{relation.short}.{name}`",
                label="only tests and the app's developers can make this hold",
                help="write `update` and `recognize` rules in the app; this is said once for the whole app",
            )
            continue
        verb = "`recognize`" if relation.sort == "action" else "`update`"
        yield warning(
            RULE.code,
            constraint.span,
            f"no rule writes `{relation.short}.{name}`: it is never known",
            label="this condition never holds",
            help=f"give it in an {verb} rule of `{relation.module}`"
            if relation.sort != "action"
            else f"give it in a {verb} rule of `{relation.module}`",
        )


def _conditions(context: Context) -> Iterator[tuple[ir.Relation, ir.Constraint]]:
    for rule in context.rules:
        pairs = [(use.atom, c) for use in rule_uses(rule) for c in use.constraints]
        if isinstance(rule.head, ir.License):
            pairs = [(rule.head.atom, c) for c in rule.head.atom.constraints] + pairs
        for atom, constraint in pairs:
            relation = context.relation(atom)
            if relation.sort in ("state", "view", "list", "action") and relation.module != "std.android":
                yield relation, constraint


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'state Cart "What will be bought" {\n  total: Number "what it costs"\n  items: Number "how many things"\n}\n'
)
RULE = Rule(
    "L0005",
    "never-written",
    "condition on what no rule writes",
    "A cell that no `update` writes, or a parameter that no `recognize` gives, is never known on a "
    "device, and a "
    "condition on it never holds (a constraint on what is unknown is false). Tests still pass, because "
    "they give the "
    "value themselves. In an app without any rules that read its screens this is said once, not for every "
    "use: such "
    "an app takes its state from elsewhere.",
    _APP + 'update Cart(total = number(?t)) when Node(id = "total", text = ?t).\n'
    'deny "Too many things" when tap(id = "pay"), Cart(items > 10).\n',
    _APP + "update Cart(total = number(?t), items = number(?n))\n"
    '  when Node(id = "total", text = ?t), Node(id = "count", text = ?n).\n'
    'deny "Too many things" when tap(id = "pay"), Cart(items > 10).\n',
    find,
)
