"""L0022: a constant that no node of a screen ever has."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import texts_of
from vsalang.program.walk import rule_uses

_OPERATORS = ("=", "!=", "in", "not in")


def find(context: Context) -> Iterable[Diagnostic]:
    """Full class names and full resource ids in attributes that hold the short ones."""
    for rule in context.rules:
        for use in rule_uses(rule):
            relation = context.relation(use.atom)
            if relation.sort in ("state", "view", "list", "action", "derived"):
                continue
            for constraint in use.constraints:
                if constraint.op not in _OPERATORS or constraint.attr not in ("class", "id"):
                    continue
                for text in texts_of(constraint):
                    short = _short(constraint.attr, text)
                    if short and constraint.span is not None:
                        words = context.unit.source.slice(constraint.span)
                        fixed = words.replace(f'"{text}"', f'"{short}"')
                        yield warning(
                            RULE.code,
                            constraint.span,
                            f'no `{constraint.attr}` is ever "{safe(text)}"',
                            help="`class` is the last part of the name of the class"
                            if constraint.attr == "class"
                            else "`id` is the short one; the full one is `resource_id`",
                            fixes=(Fix(f'write "{safe(short)}"', (Edit(constraint.span, fixed),)),)
                            if fixed != words
                            else (),
                        )


def _short(attr: str, text: str) -> str:
    """The short name that the attribute has for a long one; empty if the attribute may hold the text."""
    if attr == "class":
        return text.rpartition(".")[2] if "." in text.strip(".") else ""
    return text.rpartition("/")[2] if ":id/" in text else ""


_APP = (
    'app lamp package "com.lamp" "A lamp"\nstate Light "The lamp" {\n  on: Bool "whether it shines"\n}\n'
    "update Light(on = ?c) when Node({given}, checked = ?c).\n"
)
RULE = Rule(
    "L0022",
    "never-matching",
    "constant that nothing on a screen has",
    "A node's `class` is the last part of the name of its class, `Button` and not "
    "`android.widget.Button`; its `id` is "
    "the part of the resource id behind `:id/`. A condition on the long name never holds, and a rule "
    "that never holds "
    "is not seen to fail. For the full resource id write `resource_id`.",
    _APP.replace("{given}", 'class = "android.widget.Switch"'),
    _APP.replace("{given}", 'class = "Switch"'),
    find,
    fix="writes the short name",
)
