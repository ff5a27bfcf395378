"""L0053: a message that names another limit than its rule."""

import re
from collections.abc import Iterable
from decimal import Decimal

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.instruction import Quantity, quantities
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import literals, uses

_FORBIDS = re.compile(r"\s*(?:no|not|nothing|never|nobody|none|do not|don['’]?t)\b", re.IGNORECASE)
_UNIT = re.compile(r"\s*(?:%|[kmgt]i?b?\b|million|thousand|km\b|percent)", re.IGNORECASE)
_BOUNDS = frozenset({"<", "<=", ">", ">="})
_SIDE = {"<": "<", "<=": "<", ">": ">", ">=": ">"}
_OTHER_SIDE = {"<": ">", "<=": ">", ">": "<", ">=": "<"}


def find(context: Context) -> Iterable[Diagnostic]:
    """Messages with one limit, where the rule has one of another value, or the same on the other side."""
    for rule in context.rules:
        tree = context.tree_of(rule) if isinstance(rule.head, ir.Judge) else None
        if tree is None or not isinstance(tree.head, t.JudgeHead):
            continue
        message = re.sub(r"\{\?\w+\}", "?", tree.head.message.value)
        phrase = [item for item in quantities(message) if item.bound]
        limits = list(_limits(rule))
        if not phrase or not limits or any(_UNIT.match(message, item.end) for item in phrase):
            continue
        label = (Label(tree.head.message.span, "said here"),)
        values = {value for _, value, _ in limits}
        if (
            len(phrase) == len(limits) == 1
            and phrase[0].value not in values
            and _alike(phrase[0], limits[0][1])
        ):
            constraint = limits[0][2]
            yield warning(
                RULE.code,
                constraint.span,
                f"the message says “{safe(phrase[0].words, 60)}”, and the rule has another limit",
                labels=label,
                help="write the same value in both",
            )
            continue
        if not _FORBIDS.match(message) and not _states(message, phrase):
            continue
        for op, value, constraint in limits:
            # "Not more than 200" states what may be, and its rule is about the rest
            sides = {
                _OTHER_SIDE[item.bound] if _FORBIDS.match(item.words) else _SIDE[item.bound]
                for item in phrase
                if item.value == value
            }
            if sides and _SIDE[op] not in sides:
                words = next(item.words for item in phrase if item.value == value)
                yield warning(
                    RULE.code,
                    constraint.span,
                    f"the message says “{safe(words, 60)}”, and the rule is about the other side: `{op}`",
                    labels=label,
                    help="the rule objects to what its conditions say",
                )


def _states(message: str, phrase: list[Quantity]) -> bool:
    """Whether a message says what is so when the rule objects, and not what is wanted: “More than 10 guests?”."""
    if _WANTED.search(message) or len(phrase) != 1:
        return False
    begin = message.find(phrase[0].words)
    before = message[:begin] if begin >= 0 else ""
    return begin >= 0 and (
        message.rstrip().endswith("?")
        or (not before.strip() and phrase[0].bound in "<>")
        or bool(_IS.search(before))
    )


_WANTED = re.compile(
    r"\b(?:must|should|shall|only|keep|stay|please|allow(?:ed)?|ok|okay|fine|may|can|need|want|at most|at least|up to"
    r"|limit|max(?:imum)?|min(?:imum)?)\b",
    re.IGNORECASE,
)
_IS = re.compile(r"\b(?:costs?|is|are|has|have|begins?|starts?|ends?|takes?|lasts?|for)\s+$", re.IGNORECASE)


def _alike(item: Quantity, value: object) -> bool:
    return type(item.value) is type(value)


def _limits(rule: ir.Rule) -> Iterable[tuple[str, object, ir.Constraint | ir.Compare | ir.Aggregate]]:
    for use in uses(rule.body):
        for constraint in use.constraints if not use.negated else ():
            if constraint.op in _BOUNDS and isinstance(constraint.term, ir.Const):
                yield constraint.op, _value(constraint.term.value), constraint
    for item in literals(rule.body):
        if (
            isinstance(item, ir.Compare | ir.Aggregate)
            and item.op in _BOUNDS
            and isinstance(item.right, ir.Const)
        ):
            yield item.op, _value(item.right.value), item


def _value(value: object) -> object:
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


_POLICY = (
    'policy late "When tables may be booked"\nimport apps.opentable\n'
    'deny "No tables after 22:00" when Reserve(time {op} 22:00).\n'
)
RULE = Rule(
    "L0053",
    "message-against-the-rule",
    "message that names another limit than its rule",
    "The message is what the agent and the user read, so a limit in it must be that of the rule: the same value, and "
    "on the side to which the rule objects. Numbers with a unit, which a rule may count in another one, are left "
    "alone.",
    _POLICY.replace("{op}", "<"),
    _POLICY.replace("{op}", ">"),
    find,
    fix="none: the message or the rule",
)
