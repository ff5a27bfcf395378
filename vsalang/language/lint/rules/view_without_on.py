"""L0009: a view that names no screen."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t


def find(context: Context) -> Iterable[Diagnostic]:
    """Views without `on`; in an app that declares no screen, all of them at once."""
    items = context.unit.tree.items
    views = [item for item in items if isinstance(item, t.Relation) and item.sort == "view" and not item.on]
    screens = list(
        dict.fromkeys(
            i.head.name.text for i in items if isinstance(i, t.Rule) and isinstance(i.head, t.ScreenHead)
        )
    )
    if not views:
        return
    if not screens:
        more = (
            f" and {len(views) - 1} more views"
            if len(views) > 2
            else " and one more view"
            if len(views) == 2
            else ""
        )
        yield warning(
            RULE.code,
            views[0].name.span,
            f"`{views[0].name.text}`{more} cannot say on which screen: the app declares none",
            label="what was seen lives until it is replaced",
            help="declare the screens (`screen S when ..`) and write `view "
            f"{views[0].name.text} on S`; this is said once for the whole app",
        )
        return
    text = ", ".join(f"`{name}`" for name in screens[:6]) + (", .." if len(screens) > 6 else "")
    for view in views:
        yield warning(
            RULE.code,
            view.name.span,
            f"the view `{view.name.text}` does not say on which screen it is",
            label="what was seen lives until it is replaced",
            help=f"write `view {view.name.text} on S`; the screens are {text}",
        )


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Page "The page of a thing" when Node(id = "title").\n'
    'view Item{on} "The thing whose page is open" {\n  name: Text "what it is called"\n}\n'
    'update Item(name = ?n) when Node(id = "title", text = ?n).\n'
)
RULE = Rule(
    "L0009",
    "view-without-on",
    "view without a screen",
    "A view holds what is on the screen now. With `on S` it is gone when no such screen shows, and its "
    "rules run only "
    "there. Without, what was seen on one page is kept and may be believed of another: the price of one thing "
    "for the next.",
    _APP.replace("{on}", ""),
    _APP.replace("{on}", " on Page"),
    find,
)
