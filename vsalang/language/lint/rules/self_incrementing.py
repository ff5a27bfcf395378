"""L0018: an observation that computes a cell from itself."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import terms, uses


def find(context: Context) -> Iterable[Diagnostic]:
    """Observation rules whose head computes a cell from the same cell."""
    for rule in context.rules:
        if not isinstance(rule.head, ir.Write) or rule.trigger != "observation":
            continue
        atom = rule.head.atom
        read: dict[str, set[str]] = {}
        for use in uses(rule.body):
            if use.atom.relation == atom.relation and not use.negated:
                for constraint in use.atom.constraints:
                    if constraint.op == "=" and isinstance(constraint.term, ir.Var):
                        read.setdefault(constraint.attr, set()).add(constraint.term.name)
        for constraint in atom.constraints:
            sums = [
                p
                for p in terms(constraint.term)
                if isinstance(p, ir.Fn) and p.name in ("+", "-", "*", "flip")
            ]
            names = {v.name for part in sums for v in terms(part) if isinstance(v, ir.Var)}
            if names & read.get(constraint.attr, set()):
                yield warning(
                    RULE.code,
                    constraint.span,
                    f"`{constraint.attr}` is computed from itself each time the screen is read",
                    label="every look at the same screen changes it",
                    help="name the gesture or action that changes it, or read the value off the screen",
                )


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'state Cart "What will be bought" {\n  items: Number "how many things"\n}\n'
    'update Cart(items = number(?t)) when Node(id = "count", text = ?t).\n'
)
RULE = Rule(
    "L0018",
    "self-incrementing",
    "observation that computes a cell from itself",
    "An `update` without a gesture or an action in its body is an observation: it runs after every new "
    "screen, also when "
    "nothing changed. One that counts on from the cell that it writes gives another value at every look.",
    _APP + 'update Cart(items = ?n + 1) when Cart(items = ?n), Node(id = "added").\n',
    _APP + 'update Cart(items = ?n + 1) when tap(id = "add"), Cart(items = ?n).\n',
    find,
    fix="none: a gesture that is missing, or a value to be read",
)
