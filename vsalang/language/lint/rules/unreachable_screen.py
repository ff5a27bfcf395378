"""L0032: a screen to which no `goto` leads, in an app with `goto` rules."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program import ir


def find(context: Context) -> Iterable[Diagnostic]:
    """The one screen that no `goto` names, apart from the first one and those that cover others."""
    targets = {rule.head.screen for rule in context.rules if isinstance(rule.head, ir.Goto)}
    if context.kind != "app" or len(targets) < 2:
        return
    heads: dict[str, t.ScreenHead] = {}
    for item in context.tree_rules():
        if isinstance(item.head, t.ScreenHead):
            heads.setdefault(item.head.name.text, item.head)
    reached = {name.rpartition(":")[2] for name in targets}
    over = {name for name, head in heads.items() if head.over or head.closed}
    left = [name for name in list(heads)[1:] if name not in reached and name not in over]
    if len(left) != 1:  # none, or the graph is only begun
        return
    (name,) = left
    yield warning(
        RULE.code,
        heads[name].name.span,
        f"no step leads to the screen `{name}`, though the app says what leads to the others",
        label="a step that opens it counts as leading nowhere known",
        help=f"write `goto {name} when ..`, or `screen {name} over ..` if it comes up by itself",
    )


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Home "The start page" when Node(id = "home").\n'
    'screen Cart "What is to be bought" when Node(id = "cart").\n'
    'screen Page "The page of a thing" when Node(id = "title").\n'
    'goto Home when tap(id = "home_button").\n'
    'goto Cart when tap(id = "cart_button").\n'
)
RULE = Rule(
    "L0032",
    "unreachable-screen",
    "screen to which no step leads",
    "With `goto` an app says where its steps lead, and the agent is warned by that when a step leads away from its "
    "task. One screen that is left out makes those hints wrong just there: what opens it counts as leading nowhere. "
    "The first screen, and screens that lie over others, need no `goto`; an app that names only a few targets is left "
    "alone.",
    _APP,
    _APP + 'goto Page when tap(id = "thing").\n',
    find,
    fix="none: what leads there depends on the app",
)
