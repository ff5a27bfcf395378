"""L0007: `>` where the instruction says "or more", `>=` where it says "more than", and so on."""

import datetime as dt
from collections.abc import Iterable, Iterator
from decimal import Decimal

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.language.lint.instruction import Quantity, place, quantities
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import head_atom, uses

_OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_COMPLEMENT = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True, slots=True)
class _Limit:
    """A bound in a rule; `negated`: the condition is negated; `values`: what words may give for its end."""

    op: str
    values: tuple[object, ...]
    span: Span | None
    negated: bool


def find(context: Context) -> Iterable[Diagnostic]:
    """Bounds on a number of the instruction that include its end where the words exclude it, or the reverse."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    wanted: dict[object, list[Quantity]] = {}
    for item in quantities(doc.value):
        if item.bound:
            wanted.setdefault(item.value, []).append(item)
    if not wanted:
        return
    operators = {
        node.span: node.op_span
        for node in nodes(context.unit.tree.items)
        if isinstance(node, t.Arg | t.Compare | t.Aggregate)
    }
    for bound in _bounds(context):
        amounts = [item for value in bound.values for item in wanted.get(value, [])]
        right = {item.bound for item in amounts}
        if bound.negated:
            right |= {_COMPLEMENT[op] for op in right}
        other = _OTHER[bound.op]
        if not amounts or bound.op in right or other not in right or bound.span is None:
            continue
        words = next(item for item in amounts if item.bound in (other, _COMPLEMENT[other]))
        at = operators.get(bound.span)
        yield warning(
            RULE.code,
            bound.span,
            f"the instruction says “{safe(words.words, 60)}”: that is `{words.bound}`, "
            + (
                f"and this is `{bound.op}`"
                if words.bound == other
                else f"so what is not meant is `{other}`, not `{bound.op}`"
            ),
            label=f"{'includes' if '=' in bound.op else 'leaves out'} {safe(words.text.strip(), 40)} itself",
            labels=(Label(place(doc, context.unit.source, doc.value, words.start, words.end), "said here"),),
            fixes=(Fix(f"write `{other}`", (Edit(at, other),)),) if at else (),
        )


def _bounds(context: Context) -> Iterator[_Limit]:
    for rule in context.rules:
        judged = isinstance(rule.head, ir.Judge)
        head = head_atom(rule)
        if head is not None:
            yield from _of(head.constraints, False)
        for use in uses(rule.body):
            yield from _of(use.atom.constraints, use.negated or judged)
            yield from _of(use.tests, judged)
        for item in rule.body:
            if isinstance(item, ir.Compare | ir.Aggregate) and item.op in _OTHER:
                yield _Limit(item.op, _values(item.right), item.span, judged)


def _of(constraints: Iterable[ir.Constraint], negated: bool) -> Iterator[_Limit]:
    for constraint in constraints:
        if constraint.op in _OTHER:
            yield _Limit(constraint.op, _values(constraint.term), constraint.span, negated)


def _values(term: ir.Term | None) -> tuple[object, ...]:
    """The values that words may give for a constant: the number, the time; for a duration its amount in every unit."""
    value = term.value if isinstance(term, ir.Const) else None
    if isinstance(value, dt.timedelta):
        seconds = Decimal(value.days * 86400 + value.seconds)
        return tuple(seconds / unit for unit in (1, 60, 3600, 86400, 604800))
    if isinstance(value, dt.time):
        return (value,)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return (Decimal(value),)
    return ()


_BODY = (
    'import apps.opentable\nallow Reserve(restaurant = "R", date = today, time = ?t, time {op} 19:00)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0007",
    "against-the-wording",
    "bound that says otherwise than the instruction",
    "“Before 7 PM” leaves 7 PM out, “7 PM or earlier” does not; “at least 5” and “5 or more” include 5, "
    "“more than 5” "
    "does not. A bound in a rule that names the same number or time must do the same.",
    'spec book "Book a table at R for today before 7 PM"\n' + _BODY.replace("{op}", "<="),
    'spec book "Book a table at R for today before 7 PM"\n' + _BODY.replace("{op}", "<"),
    find,
)
