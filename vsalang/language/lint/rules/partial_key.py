"""L0003: some but not all attributes of a composite key given."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Fix, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.rules.unjoined_evidence import adding, joining
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import Use, present, rule_uses


def find(context: Context) -> Iterable[Diagnostic]:
    """Conditions of `allow`, `done` and `define` in a spec that leave part of a key open."""
    if context.kind != "spec":
        return
    for rule in context.rules:
        if not isinstance(rule.head, ir.License | ir.Derive):
            continue
        for use in rule_uses(rule):
            yield from _check(context, rule, use)


def _check(context: Context, rule: ir.Rule, use: Use) -> Iterable[Diagnostic]:
    relation = context.relation(use.atom)
    if relation.sort not in ("state", "list"):
        return
    constrained = {c.attr for c in use.constraints if c.op not in ("known", "unknown")} | use.asked
    missing = _missing(relation, constrained)
    if not missing:
        return
    names = ", ".join(f"`{name}`" for name in missing)
    named = ", ".join(f"`{name}`" for name in (*relation.within, *relation.key) if name in constrained)
    what = "which list" if set(missing) & set(relation.within) else "which row"
    yield warning(
        "L0003",
        use.atom.span,
        f"`{relation.short}` is identified by more than {named}: {names} is not given",
        label=f"any {' and '.join(missing)} will do",
        help=f"say {what} is meant: give {names} too, by a value or a variable that is used elsewhere",
        fixes=_joined(context, rule, use.atom, missing),
    )


def _joined(context: Context, rule: ir.Rule, atom: ir.Atom, missing: list[str]) -> tuple[Fix, ...]:
    """The fix that gives the one missing attribute the value of the parameter of that name; it permits less.

    None if the condition is negated: then it would permit more.
    """
    head, tree = rule.head, context.tree_of(rule)
    if not isinstance(head, ir.License) or not isinstance(tree.head, t.AtomHead) or len(missing) > 1:
        return ()
    (name,) = missing
    types = {attr.name: attr.type for attr in context.relation(atom).attrs}
    parameters = {attr.name: attr.type for attr in context.relation(head.atom).attrs}
    if all(item.atom is not atom for item in present(rule.body)) or parameters.get(name) != types[name]:
        return ()
    args = [arg for arg in tree.head.atom.args if arg.attr.text == name]
    evidence = next((n for n in nodes(tree.body) if isinstance(n, t.Atom) and n.span == atom.span), None)
    if evidence is None or len(args) != 1 or args[0].op != "=" or isinstance(args[0].value, t.Var):
        return joining(context, rule, atom, name)
    phrase = context.unit.source.slice(args[0].span)
    return (Fix(f"write `{phrase}`, as in the head", (adding(evidence, name, phrase),)),)


def _missing(relation: ir.Relation, names: set[str]) -> list[str]:
    """The attributes of the key that are not given where others are."""
    within, key = relation.within, relation.key
    open_within = [name for name in within if name not in names]
    if relation.sort == "list" and open_within and names & {*within, *key}:
        return open_within
    if len(key) > 1 and names & set(key):
        return [name for name in key if name not in names]
    return []


RULE = Rule(
    "L0003",
    "partial-key",
    "part of a composite key is not given",
    "A relation with several key attributes (a state's `key`, a list's `in`) has a row for every "
    "combination of them. A "
    "condition that gives some and not the others is met by another row than the one that was meant: a "
    "slot of the "
    "right restaurant on the wrong day. This is the best single sign of a wrong spec. Only conditions of "
    "specs are "
    "looked at; policies often mean any.",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", time = ?t, available = true).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t, available = true).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
    fix="joins the attribute to the parameter of that name",
)
