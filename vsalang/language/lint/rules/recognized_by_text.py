"""L0026: a critical action that is recognised by a caption only, on an open screen."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.diagnostics.display import some
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t

_TEXTS = frozenset({"text", "desc", "label"})


def find(context: Context) -> Iterable[Diagnostic]:
    """Recognitions by a text only, in an app that has an open screen: the same control may be there."""
    rules = tuple(context.tree_rules())
    closed: dict[str, bool] = {}
    for rule in rules:
        if isinstance(rule.head, t.ScreenHead):
            name = rule.head.name.text
            closed[name] = closed.get(name, False) or rule.head.closed
    if closed and all(closed.values()):
        return
    where = "its screen is open"
    open_ = [name for name, is_closed in closed.items() if not is_closed]
    if len(open_) < len(closed):
        where = f"{some(open_)} {'is' if len(open_) == 1 else 'are'} open"
    for rule in rules:
        if rule.kind != "recognize":
            continue
        for item in rule.body:
            if not isinstance(item, t.Lit) or item.neg or not item.atom.args:
                continue
            if not item.atom.name.text[:1].islower():
                continue
            asked = {arg.attr.text for arg in item.atom.args}
            args = [arg for arg in item.atom.args if isinstance(arg.value, t.Text | t.Regex | t.SetOf)]
            if asked <= _TEXTS and args and len(rule.body) == 1:
                yield warning(
                    RULE.code,
                    item.atom.span,
                    f"this is recognised by its caption alone, and {where}",
                    label="with another caption nothing is asked",
                    help="ask for an `id`, or declare its screen `closed`: the user is then asked about other taps",
                )


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Basket{closed} "What is to be bought" when Node(id = "basket").\n'
    'action Pay "Pay for all of it"\nrecognize Pay when tap(text = "Pay").\n'
)
RULE = Rule(
    "L0026",
    "recognized-by-text",
    "critical action that is recognised by its caption",
    "What is not recognised is not guarded. A caption differs between languages and versions, and then "
    "the tap that pays "
    "is a tap like any other. Ask for an `id`; where there is none declare the screen `closed`, so that "
    "taps on it which "
    "no rule mentions must be confirmed.",
    _APP.replace("{closed}", ""),
    _APP.replace("{closed}", " closed"),
    find,
    fix="none: which `id` is there depends on the app",
)
