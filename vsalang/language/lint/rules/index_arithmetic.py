"""L0014: arithmetic with `index` to find the next node."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import compares, rule_uses, terms


def find(context: Context) -> Iterable[Diagnostic]:
    """Sums of an `index`, of observed nodes."""
    for rule in context.rules:
        indexes = {
            constraint.term.name
            for use in rule_uses(rule)
            for constraint in use.constraints
            if constraint.attr == "index" and constraint.op == "=" and isinstance(constraint.term, ir.Var)
            if context.relation(use.atom).sort in ("observed", "gesture")
        }
        if not indexes:
            continue
        places = [(c.span, c.term) for use in rule_uses(rule) for c in use.constraints]
        for item in compares((*rule.body, *rule.extra)):
            places += [(item.span, item.left), (item.span, item.right)]
        for span, term in places:
            for part in terms(term):
                if isinstance(part, ir.Fn) and part.name in ("+", "-") and _reads(part, indexes):
                    yield warning(
                        RULE.code,
                        span,
                        "`index` counts all children, hidden ones too: the next number may belong to no node",
                        label="what is shown next may have any number",
                        help="import std.tree and ask `Next(node = ?n, next = ?m)`; the rows of a list are `row = ?n`",
                    )
                    break


def _reads(term: ir.Fn, names: set[str]) -> bool:
    return any(isinstance(part, ir.Var) and part.name in names for part in terms(term))


_APP = (
    'app notes package "com.notes" "A note app"\n'
    'screen Page "A note" when Node(id = "page").\n'
    'view Note on Page "The note that is open" {\n  body: Text "what it says"\n}\n'
)
RULE = Rule(
    "L0014",
    "index-arithmetic",
    "arithmetic with `index`",
    "`index` is a node's place among all accessibility children of its parent; those without a visible "
    "part are not facts, "
    "so the numbers have gaps, other ones on every screen size. `Next` of std.tree relates what is shown "
    "after one "
    "another, and the rows of a list number themselves (`row = ?n`).",
    _APP
    + "update Note(body = ?t)\n"
    + '  when Node(id = "title", parent = ?p, index = ?i), Node(parent = ?p, index = ?i + 1, text = ?t).\n',
    _APP.replace('note app"\n', 'note app"\nimport std.tree\n')
    + "update Note(body = ?t)\n"
    + '  when Node(id = "title", node = ?n), Next(node = ?n, next = ?m), Node(node = ?m, text = ?t).\n',
    find,
    fix="none: which node is meant is not known",
)
