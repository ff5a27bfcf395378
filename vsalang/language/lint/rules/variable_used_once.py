"""L0001: a variable that occurs once in its rule."""

from collections import Counter
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source.suggest import nearest
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.rules.unjoined_evidence import joining
from vsalang.language.lint.walk import nodes, variables
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import present


def find(context: Context) -> Iterable[Diagnostic]:
    """Variables of bodies that nothing else in the rule mentions. Heads are exempt: `L0004` looks at those."""
    licences = {rule.span: (rule, head) for rule, head in context.licences()}
    for rule in context.tree_rules():
        counts = Counter(name for name, _ in variables(rule))
        body = (rule.body, rule.extra or (), rule.head if isinstance(rule.head, t.ExpectHead) else ())
        args = {
            id(arg.value): arg
            for arg in nodes(body)
            if isinstance(arg, t.Arg) and arg.op == "=" and isinstance(arg.value, t.Var)
        }
        for name, node in variables(body):
            if node is None or counts[name] > 1:
                continue
            near = nearest(name, (other for other in counts if other != name), 1)
            arg = args.get(id(node))
            fixes: tuple[Fix, ...] = ()
            if near:
                help_text = "a variable joins conditions only where it is spelt the same"
            elif (
                arg is not None
                and rule.span in licences
                and (joined := _joined(context, *licences[rule.span], arg))
            ):
                help_text = f"the action has `{arg.attr.text}`, too: join the two, or leave it out if any value will do"
                fixes = joined
            elif arg is not None:
                help_text = f"leave `{arg.attr.text}` out if any value will do"
                fixes = (
                    Fix(
                        f"ask only that `{arg.attr.text}` is known",
                        (Edit(arg.span, f"{arg.attr.text} known"),),
                    ),
                )
            else:
                help_text = "use it elsewhere in the rule, or leave the condition out"
            yield warning(
                RULE.code,
                node.span,
                f"the variable `?{name}` is used once",
                label=f"did you mean `?{near[0]}`?" if near else "nothing else in this rule mentions it",
                help=help_text,
                fixes=fixes,
            )


def _joined(context: Context, rule: ir.Rule, head: ir.License, arg: t.Arg) -> tuple[Fix, ...]:
    """The fix that joins an attribute of evidence to the parameter of the allowed action; none if it has no such one.

    That the value is known would say nothing of the action: the hole would stay, and the warning would be gone.
    """
    name = arg.attr.text
    for item in present(rule.body):
        if any(c.span == arg.span for c in item.atom.constraints):
            types = {attr.name: attr.type for attr in context.relation(item.atom).attrs}
            action = {attr.name: attr.type for attr in context.relation(head.atom).attrs}
            fixed = any(
                c.attr == name and c.op == "=" and not isinstance(c.term, ir.Var)
                for c in head.atom.constraints
            )
            if name in action and action[name] == types.get(name) and not fixed:
                return joining(context, rule, item.atom, name)
    return ()


RULE = Rule(
    "L0001",
    "variable-used-once",
    "variable that is used once",
    "A variable says that two places have the same value. One that occurs once joins nothing: often it is "
    "a misspelling "
    "of another variable, and the rule then holds for more than was meant. If any value will do, leave "
    "the attribute "
    "out; if it matters that the value is known, write `attribute known`. The heads of `allow` are exempt "
    "here, they "
    "have a rule of their own.",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?time)\n'
    '  when Slot(restaurant = "R", date = today, time = ?time),\n'
    "       RestaurantInfo(location = ?loc).\n"
    "done when Reserve earlier, ReserveResult(success = true).\n",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?time)\n'
    '  when Slot(restaurant = "R", date = today, time = ?time), RestaurantInfo(location known).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
    fix="joins the value to the allowed action, or asks only that it is known",
)
