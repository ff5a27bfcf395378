"""L0039: a `goto` rule that recordings refute."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir

_SHOWN = 3


def find(context: Context) -> Iterable[Diagnostic]:
    """The `goto` rules of which it was recorded that they do not hold, with the steps."""
    for rule in context.rules:
        steps = context.refuted.get(rule.id)
        if not steps or not isinstance(rule.head, ir.Goto):
            continue
        assert rule.span is not None
        name = rule.head.screen.rpartition(":")[2]
        more = f"; and {len(steps) - _SHOWN} more" if len(steps) > _SHOWN else ""
        yield warning(
            RULE.code,
            rule.head_span or rule.span,
            f"the step to `{name}` was recorded {len(steps)} times and never led there",
            label="no recorded step led there",
            help=f"look at {'; '.join(steps[:_SHOWN])}{more}; then correct the condition or the target",
        )


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Home "The start page" when Node(id = "home").\n'
    'screen Cart "What is to be bought" when Node(id = "cart").\n'
    'goto Home when tap(id = "home_button").\n'
)
RULE = Rule(
    "L0039",
    "refuted-goto",
    "step that recordings refute",
    "Only `vsac lint --recordings` looks for this. A `goto` that was tried three times or more on recorded screens and "
    "never led to its screen is wrong, or the app has changed since. The agent is told of a way that is not there, and "
    "is warned when the step does what the app really does. The finding names the recording and the step: correct "
    "the condition, or the target. A step that several rules say of the same screen counts for none of them.",
    _APP + '@id("to-cart") goto Cart when tap(id = "wish_list").\n',
    _APP + '@id("to-cart") goto Cart when tap(id = "cart_button").\n',
    find,
    recorded={"to-cart": ('walk.jsonl, step 2, which led to "Wishes"',)},
    fix="none: the condition or the target",
)
