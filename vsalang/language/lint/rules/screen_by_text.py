"""L0025: a screen that is recognised by a text alone."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Severity
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t

_TEXTS = frozenset({"text", "label", "hint"})
"""A description for screen readers (`desc`) is not among them: like an id, the app sets it for a control."""
_WEAK = _TEXTS | {
    "class",
    "clickable",
    "enabled",
    "checkable",
    "node",
    "parent",
    "selected",
    "focused",
    "scrollable",
}


def find(context: Context) -> Iterable[Diagnostic]:
    """Screen rules whose conditions ask only for texts on the screen."""
    for rule in context.tree_rules():
        if not isinstance(rule.head, t.ScreenHead):
            continue
        literals = [
            item for item in rule.body if isinstance(item, t.Lit) and not item.neg and item.past is None
        ]
        if not literals or len(literals) != len([item for item in rule.body if not _is_negated(item)]):
            continue
        asked = [{arg.attr.text for arg in item.atom.args} for item in literals]
        names = {item.atom.name.text.rpartition(".")[2] for item in literals}
        if not names <= {"Node", "Part"} or not all(attrs <= _WEAK for attrs in asked):
            continue
        if any(attrs & _TEXTS for attrs in asked):
            yield Diagnostic(
                RULE.code,
                Severity.INFO,
                rule.head.name.span,
                f"`{rule.head.name.text}` is recognised by a text alone",
                help="ask for an `id` too, of what is always there; a text scrolls away and changes with the language",
            )


def _is_negated(item: t.Literal) -> bool:
    return isinstance(item, t.Lit) and bool(item.neg)


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Basket "What is to be bought" when Node({given}text = "Your basket").\n'
)
RULE = Rule(
    "L0025",
    "screen-by-text",
    "screen that is recognised by a text alone",
    "A text scrolls out of sight, is different in another language or version, and may be on "
    "other screens too. "
    "Then the screen is not recognised, or another one is mistaken for it. An `id` of something that is "
    "always there does "
    "not move. Where a screen has no ids there is no better way: then ignore this.",
    _APP.replace("{given}", ""),
    _APP.replace("{given}", 'id = "header", '),
    find,
    Severity.INFO,
    fix="none: which `id` is there depends on the app",
)
