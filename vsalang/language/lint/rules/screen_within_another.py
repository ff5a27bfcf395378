"""L0024: two screens, and one matches wherever the other does."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import conditions
from vsalang.language.syntax import tree as t
from vsalang.program.graph import reachable


def find(context: Context) -> Iterable[Diagnostic]:
    """Screens with all conditions of another one, and no `over` between the two."""
    source = context.unit.source
    rules = [(rule, rule.head) for rule in context.tree_rules() if isinstance(rule.head, t.ScreenHead)]
    over: dict[str, set[str]] = {}
    for _, head in rules:
        over.setdefault(head.name.text, set()).update(name.text for name in head.over)
    for rule, head in rules:
        body = conditions(source, rule)
        for wider, other in rules:
            name, outer = head.name.text, other.name.text
            if name == outer or not rule.body or not wider.body or not conditions(source, wider) <= body:
                continue
            if outer in reachable([name], over) or name in reachable([outer], over):
                continue
            place = Span(head.span.file, head.span.end, head.span.end)
            text = f", {outer}" if head.over else f" over {outer}"
            yield warning(
                RULE.code,
                head.name.span,
                f"where `{name}` matches, `{outer}` does too: then no screen is known",
                labels=(Label(other.name.span, f"`{outer}` asks for less"),),
                help=f"write `screen {name} over {outer}`",
                fixes=(Fix(f"write `over {outer}`", (Edit(place, text),)),)
                if source.slice(head.span)
                else (),
            )
            break


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Page "The page of a thing" when Node(id = "title").\n'
    'screen Question{over} "Whether it is to be bought" when Node(id = "title"), Node(id = "question").\n'
)
RULE = Rule(
    "L0024",
    "screen-within-another",
    "screen that is never alone",
    "Of an app at most one screen shows. Where two match and neither is declared to lie over the other, "
    "it is unknown "
    "which, and gestures must be confirmed. Here one has all conditions of the other, so it never matches alone.",
    _APP.replace("{over}", ""),
    _APP.replace("{over}", " over Page"),
    find,
    fix="writes `over`",
)
