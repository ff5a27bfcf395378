"""L0007: `>` where the instruction says "or more", `>=` where it says "more than", and so on."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.language.lint.instruction import Quantity, place, quantities, spelled
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import head_atom, uses

_OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_OPERATORS = frozenset({*_OTHER, "="})
_COMPLEMENT = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True, slots=True)
class _Limit:
    """A bound in a rule.

    Attributes:
        values: what words may give for its end.
        negated: the condition is negated.
        asked: it is asked for as it stands, by an `allow` or a `done`.
    """

    op: str
    values: tuple[object, ...]
    span: Span | None
    negated: bool
    asked: bool = False


def find(context: Context) -> Iterable[Diagnostic]:
    """Bounds on a number of the instruction that include its end where the words exclude it, or the reverse."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    wanted: dict[object, list[Quantity]] = {}
    plain: set[object] = set()
    clock = any(isinstance(item.value, dt.time) for item in quantities(doc.value))
    for item in (*quantities(doc.value), *spelled(doc.value)):
        if item.bound:
            if not clock and (hours := _hours(doc.value, item)):
                for hour in hours:
                    wanted.setdefault(hour, []).append(item)
            wanted.setdefault(item.value, []).append(item)
        else:
            plain.add(item.value)
    if not wanted:
        return
    operators = {
        node.span: node.op_span
        for node in nodes(context.unit.tree.items)
        if isinstance(node, t.Arg | t.Compare | t.Aggregate)
    }
    bounds = list(_bounds(context))
    kept = {
        (bound.op, value) for bound in bounds if bound.asked and not bound.negated for value in bound.values
    }
    for bound in bounds:
        amounts = [item for value in bound.values for item in wanted.get(value, [])]
        right = {item.bound for item in amounts}
        if bound.negated:
            right |= {_COMPLEMENT[op] for op in right}
        if not amounts or bound.op in right or bound.span is None:
            continue
        at = operators.get(bound.span)
        if _OTHER.get(bound.op) in right:
            if all(item.loose for item in amounts):
                continue
            yield _one_off(context, bound, amounts, at)
        elif bound.asked and not bound.negated and _against(bound, amounts, plain, kept):
            yield _turned_round(context, bound, amounts[0], at)


def _hours(text: str, item: Quantity) -> tuple[dt.time, ...]:
    """The times that a bare number with a bound may mean: “before 9” is before 9 AM or 9 PM; none if it counts."""
    if isinstance(item.value, dt.time) or item.value % 1 or not 1 <= item.value <= 23:
        return ()
    if not _BARE.match(text, item.end) or not _HOURLY.search(item.words):
        return ()
    hour = int(item.value)
    return tuple(dt.time(each) for each in ({hour, hour + 12} if hour < 12 else {hour}))


_BARE = re.compile(
    r"\s*(?:$|[.,;:!?]|(?:in the|at night|today|tomorrow|tonight|and|or|on|for)\b)", re.IGNORECASE
)
_HOURLY = re.compile(
    r"^(?:before|after|not before|not after|later than|earlier than|no(?:t)? (?:later|earlier|sooner) than)\b"
    r"|\b(?:or (?:later|earlier|before|after|sooner)|at the (?:latest|earliest))$",
    re.IGNORECASE,
)


def _against(
    bound: _Limit, amounts: list[Quantity], plain: set[object], kept: set[tuple[str, object]]
) -> bool:
    """Whether a bound is on the other side of what the words ask for, and no rule asks for what they say."""
    if any(item.denied or (item.bound, item.value) in kept or item.value in plain for item in amounts):
        return False
    if len(bound.values) > 1:  # of a duration: 5 minutes are not "before 5"
        return False
    # exactly what is at most, or at least, asked for is within what the words say
    return bound.op != "=" or all(item.bound in ("<", ">") for item in amounts)


def _one_off(context: Context, bound: _Limit, amounts: list[Quantity], at: Span | None) -> Diagnostic:
    """The finding of a bound that treats its own end otherwise than the words."""
    other = _OTHER[bound.op]
    words = next(item for item in amounts if item.bound in (other, _COMPLEMENT[other]))
    return warning(
        RULE.code,
        bound.span,
        f"the instruction says “{safe(words.words, 60)}”: that is `{words.bound}`, "
        + (
            f"and this is `{bound.op}`"
            if words.bound == other
            else f"so what is not meant is `{other}`, not `{bound.op}`"
        ),
        label=f"{'includes' if '=' in bound.op else 'leaves out'} {safe(words.text.strip(), 40)} itself",
        labels=_quoted_in(context, words),
        fixes=(Fix(f"write `{other}`", (Edit(at, other),)),) if at else (),
    )


def _turned_round(context: Context, bound: _Limit, words: Quantity, at: Span | None) -> Diagnostic:
    """The finding of a bound on the other side of what the words ask for."""
    return warning(
        RULE.code,
        bound.span,
        f"the instruction says “{safe(words.words, 60)}”: that is `{words.bound}`, and this is `{bound.op}`",
        label="what was asked for is not allowed",
        labels=_quoted_in(context, words),
        fixes=(Fix(f"write `{words.bound}`", (Edit(at, words.bound),)),) if at else (),
    )


def _quoted_in(context: Context, words: Quantity) -> tuple[Label, ...]:
    doc = context.unit.tree.doc
    if doc is None:
        return ()
    return (Label(place(doc, context.unit.source, doc.value, words.start, words.end), "said here"),)


def _bounds(context: Context) -> Iterator[_Limit]:
    for rule in context.rules:
        judged = isinstance(rule.head, ir.Judge)
        asked = isinstance(rule.head, ir.License)
        head = head_atom(rule)
        if head is not None:
            yield from _of(head.constraints, False, asked)
        for use in uses(rule.body):
            yield from _of(use.atom.constraints, use.negated or judged, asked)
            yield from _of(use.tests, judged, asked)
        for item in rule.body:
            if isinstance(item, ir.Compare | ir.Aggregate) and item.op in _OPERATORS:
                yield _Limit(item.op, _values(item.right), item.span, judged, asked)


def _of(constraints: Iterable[ir.Constraint], negated: bool, asked: bool) -> Iterator[_Limit]:
    for constraint in constraints:
        if constraint.op in _OPERATORS:
            yield _Limit(constraint.op, _values(constraint.term), constraint.span, negated, asked)


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
    "does not. A bound in a rule that names the same number or time must do the same, and lie on the same side: "
    "`time > 19:00` is not before 7 PM.",
    'spec book "Book a table at R for today before 7 PM"\n' + _BODY.replace("{op}", "<="),
    'spec book "Book a table at R for today before 7 PM"\n' + _BODY.replace("{op}", "<"),
    find,
    fix="writes the bound of the instruction",
)
