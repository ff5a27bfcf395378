"""L0021: evidence that may be about another instance than the one that is allowed."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes, variables
from vsalang.language.syntax import tree as t
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
            # that a value is known says nothing of which one it is
            asked = {c.attr for c in item.atom.constraints if c.op != "known"}
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
                fixes=joining(context, rule, item.atom, name),
            )


def joining(context: Context, rule: ir.Rule, atom: ir.Atom, name: str) -> tuple[Fix, ...]:
    """The fix that joins the attribute of a condition to the parameter of the action; it permits less than before.

    None if the head says something of the parameter already that a variable cannot join, or the names are taken.
    """
    tree = context.tree_of(rule)
    head = tree.head
    evidence = next((n for n in nodes(tree.body) if isinstance(n, t.Atom) and n.span == atom.span), None)
    if not isinstance(head, t.AtomHead) or evidence is None:
        return ()
    args = [arg for arg in evidence.args if arg.attr.text == name]
    taken = {variable for variable, _ in variables(tree)}
    mine = [
        arg.value.name for arg in head.atom.args if arg.attr.text == name and isinstance(arg.value, t.Var)
    ]
    theirs = [arg.value.name for arg in args if arg.op == "=" and isinstance(arg.value, t.Var)]
    variable = (mine or theirs or [name])[0]
    if len(args) > 1 or (not mine and not theirs and variable in taken) or (mine and theirs):
        return ()
    phrase = f"{name} = ?{variable}"
    edits: list[Edit] = []
    if args and not theirs:
        if args[0].op != "known":
            return ()
        edits.append(Edit(args[0].span, phrase))
    elif not args:
        edits.append(adding(evidence, name, phrase))
    if not mine:
        edits.append(adding(head.atom, name, phrase))
    return (Fix(f"join `{name}` to what is allowed", tuple(edits)),)


def adding(atom: t.Atom, name: str, phrase: str) -> Edit:
    """The edit that adds a condition to an atom: before another one on this attribute, else after all others."""
    same = next((arg for arg in atom.args if arg.attr.text == name), None)
    if same is not None:
        return Edit(Span(same.span.file, same.span.start, same.span.start), f"{phrase}, ")
    if atom.args:
        end = atom.args[-1].span.end
        return Edit(Span(atom.span.file, end, end), f", {phrase}")
    return Edit(Span(atom.span.file, atom.name.span.end, atom.span.end), f"({phrase})")


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
    fix="joins the attribute to the parameter",
)
