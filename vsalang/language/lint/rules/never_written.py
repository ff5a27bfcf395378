"""L0005: a condition on an attribute that no rule writes."""

from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.base.diagnostics.display import some
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import rule_uses


def find(context: Context) -> Iterable[Diagnostic]:
    """Constraints on attributes that are never known: one finding for each app, with each attribute's first place."""
    written: set[tuple[str, str]] = set()
    busy: set[str] = set()
    for rule in context.program.rules:
        if isinstance(rule.head, ir.Write | ir.Recognize):
            busy.add(rule.module)
            atom = rule.head.atom
            if isinstance(rule.head, ir.Write) and rule.head.delete:
                continue
            written |= {(atom.relation, c.attr) for c in atom.constraints if c.term is not None}
    places: dict[str, dict[tuple[str, str], tuple[ir.Relation, ir.Constraint]]] = {}
    for relation, constraint in _conditions(context):
        name = constraint.attr
        if (relation.name, name) in written or (relation.sort == "list" and name == "at"):
            continue
        if constraint.span is not None and context.heard(RULE.code, constraint.span):
            places.setdefault(relation.module, {}).setdefault((relation.name, name), (relation, constraint))
    for module, uses in places.items():
        in_text = sorted(uses.values(), key=lambda item: item[1].span.start if item[1].span else 0)
        yield _finding(module, in_text, busy=module in busy)


def _finding(module: str, uses: list[tuple[ir.Relation, ir.Constraint]], *, busy: bool) -> Diagnostic:
    (_, first), *others = uses
    names = [f"{relation.short}.{constraint.attr}" for relation, constraint in uses]
    verbs = {"`recognize`" if relation.sort == "action" else "`update`" for relation, _ in uses}
    if not busy:
        message = f"the app `{module}` has no rules that read its screens: nothing ever writes {some(names)}"
        label = "only tests and the app's developers can make this hold"
        help_text = "write `update` and `recognize` rules in the app; this is said once for the whole app"
    else:
        known = "it is never known" if len(uses) == 1 else "they are never known"
        message = f"no rule writes {some(names)}: {known}"
        label = "this condition never holds"
        it = "it" if len(uses) == 1 else "them"
        help_text = f"give {it} in {' or '.join(sorted(verbs))} rules of `{module}`"
    return warning(
        RULE.code,
        first.span,
        message,
        label=label,
        labels=tuple(
            Label(constraint.span, f"nor this, on `{relation.short}.{constraint.attr}`")
            for relation, constraint in others
            if constraint.span is not None
        ),
        help=help_text,
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
    "value themselves. One finding lists the first place of each attribute: an app may take its state from "
    "elsewhere, and then nothing of it is written by rules. W0401 of `vsac check` is about whole relations: no rule "
    "writes any row, and a permission asks whether all rows are known.",
    _APP + 'update Cart(total = number(?t)) when Node(id = "total", text = ?t).\n'
    'deny "Too many things" when tap(id = "pay"), Cart(items > 10).\n',
    _APP + "update Cart(total = number(?t), items = number(?n))\n"
    '  when Node(id = "total", text = ?t), Node(id = "count", text = ?n).\n'
    'deny "Too many things" when tap(id = "pay"), Cart(items > 10).\n',
    find,
    fix="none: another name, or a rule that is missing",
)
