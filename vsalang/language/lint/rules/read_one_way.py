"""L0054: a cell that is read as on, and never as off."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import variables
from vsalang.program import ir
from vsalang.program.walk import present

_SEEN = frozenset({"checked", "selected", "enabled"})


def find(context: Context) -> Iterable[Diagnostic]:
    """Cells of a state that every observation gives one truth value, where a node with that truth value shows it."""
    if context.kind != "app":
        return
    cells: dict[tuple[str, str], list[tuple[ir.Rule, ir.Constraint]]] = {}
    for rule in context.rules:
        if isinstance(rule.head, ir.Write) and not rule.head.delete and rule.trigger == "observation":
            for constraint in rule.head.atom.constraints:
                cells.setdefault((rule.head.atom.relation, constraint.attr), []).append((rule, constraint))
    for (name, attr), writes in cells.items():
        relation = context.program.relations[name]
        values = {
            constraint.term.value if isinstance(constraint.term, ir.Const) else None
            for _, constraint in writes
        }
        if relation.sort != "state" or len(values) != 1 or not isinstance(next(iter(values)), bool):
            continue
        (value,) = values
        rule, constraint = writes[0]
        visible = [
            each
            for item in present(rule.body)
            for each in item.atom.constraints
            if each.attr in _SEEN and each.op == "=" and each.term == constraint.term
        ]
        if len(writes) > 1 or len(visible) != 1:
            continue
        other = "false" if value else "true"
        yield warning(
            RULE.code,
            constraint.span,
            f"`{attr}` of `{relation.short}` is never read as {other}",
            label="once it is so, it stays so",
            help=f"read what the node shows: `{attr} = ?c` and `{visible[0].attr} = ?c`",
            fixes=_fix(context, rule, constraint, visible[0]),
        )


def _fix(
    context: Context, rule: ir.Rule, constraint: ir.Constraint, visible: ir.Constraint
) -> tuple[Fix, ...]:
    if (
        constraint.span is None
        or visible.span is None
        or "c" in {name for name, _ in variables(context.tree_of(rule))}
    ):
        return ()
    spans: tuple[tuple[Span, str], ...] = ((constraint.span, constraint.attr), (visible.span, visible.attr))
    return (Fix("read both values", tuple(Edit(span, f"{name} = ?c") for span, name in spans)),)


_APP = (
    'app fan package "com.fan" "A fan"\nstate Fan "The fan" {\n  on: Bool "whether it turns"\n}\n'
    'update Fan(on = {on}) when Node(id = "fan", checked = {on}).\n'
)
RULE = Rule(
    "L0054",
    "read-one-way",
    "cell that is read as on, and never as off",
    "What a `state` says lasts until something else is written. An observation that writes `true` where a switch is "
    "on, and nothing where it is off, leaves the old value: the guard believes that the fan turns after it was turned "
    "off. Read the switch into a variable.",
    _APP.replace("{on}", "true"),
    _APP.replace("{on}", "?c"),
    find,
    fix="reads both values",
)
