"""L0031: `!=` or `not in` of a judgement, on a cell that the app may leave or make unknown."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.ops import POSITIVE
from vsalang.program.walk import Use, needed, rule_uses

_NEGATIVE = frozenset(symbol for symbol in POSITIVE if symbol.startswith(("!", "not ")))


def find(context: Context) -> Iterable[Diagnostic]:
    """Negative comparisons in `deny` and `confirm` on cells that some rule of the app makes unknown."""
    erased: dict[tuple[str, str], str] | None = None
    for rule in context.rules:
        if not isinstance(rule.head, ir.Judge) or rule.head.level not in ("deny", "confirm"):
            continue
        for use in rule_uses(rule):
            if use.negated or use.past is not None:
                continue
            for c in use.constraints:
                if c.op not in _NEGATIVE or c.span is None:
                    continue
                if erased is None:
                    erased = _erased(context.program)
                why = erased.get((use.atom.relation, c.attr))
                if why is None or any(o.attr == c.attr and o.op == "known" for o in use.constraints):
                    continue
                relation = context.relation(use.atom)
                yield warning(
                    RULE.code,
                    c.span,
                    f"where `{c.attr}` of `{relation.short}` is unknown, this rule says nothing",
                    label=why,
                    help=f"write what is fine and negate it: `not {relation.short}({c.attr} ..)`, which holds for "
                    "the unknown too",
                    fixes=_denied(context, rule, use, c),
                )


def _denied(context: Context, rule: ir.Rule, use: Use, c: ir.Constraint) -> tuple[Fix, ...]:
    """The fix that asks that the good value is not there, of a relation with one row: the rule objects to more."""
    relation = context.relation(use.atom)
    literal = next(
        (
            item
            for item in context.tree_of(rule).body
            if isinstance(item, t.Lit) and item.atom.span == use.atom.span
        ),
        None,
    )
    if relation.sort not in ("state", "view") or relation.identity or literal is None:
        return ()
    if len(use.constraints) != 1 or needed(c) or literal.neg or literal.before or len(literal.atom.args) != 1:
        return ()
    positive = c.op.removeprefix("not ").removeprefix("!")
    start = Span(literal.span.file, literal.span.start, literal.span.start)
    edits = (Edit(start, "not "), Edit(literal.atom.args[0].op_span, positive))
    return (Fix(f"write `not {relation.short}({c.attr} {positive} ..)`", edits),)


def _erased(program: ir.Program) -> dict[tuple[str, str], str]:
    """The cells that a rule sets to unknown, by relation and attribute, with how."""
    places: dict[tuple[str, str], str] = {}
    for rule in program.rules:
        if not isinstance(rule.head, ir.Write) or rule.head.delete:
            continue
        atom = rule.head.atom
        for c in atom.constraints:
            if c.term is None:
                places[atom.relation, c.attr] = f"`{rule.id}` makes it unknown"
        relation = program.relations[atom.relation]
        if relation.sort == "view" and not rule.head.keep and rule.trigger in ("input", "consequence"):
            written = {c.attr for c in atom.constraints}
            for attr in relation.attrs:
                if attr.name not in written:
                    places.setdefault((atom.relation, attr.name), f"`{rule.id}` writes the view without it")
    return places


_APP = (
    'app bank package "com.bank" "A bank"\n'
    'state Payee "Who is paid" {\n  name: Text "the name"\n}\n'
    'update Payee(name = ?n) when Node(id = "to", text = ?n).\n'
    'update Payee(name = unknown) when tap(id = "change").\n'
    'action Pay(amount: Number "how much") "Pay"\n'
    'recognize Pay(amount = number(?a)) when tap(id = "pay"), Node(id = "amount", text = ?a).\n'
    'deny "Only Anna is paid" when Pay, {condition}.\n'
)
RULE = Rule(
    "L0031",
    "unequal-to-unknown",
    "`!=` on what may be unknown",
    "A comparison with an unknown cell does not hold, and `!=` and `not in` are not exceptions. A rule that forbids "
    "what is not Anna's therefore allows what is nobody's yet. Where the app makes the cell unknown, ask that "
    'the good value is not there: `not Payee(name = "Anna")` holds for other names and for the unknown.',
    _APP.replace("{condition}", 'Payee(name != "Anna")'),
    _APP.replace("{condition}", 'not Payee(name = "Anna")'),
    find,
    fix="writes `not R(a = ..)`, where there is one row",
)
