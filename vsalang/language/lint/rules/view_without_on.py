"""L0009: a view that names no screen."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.screen_rules import is_match, screen_of
from vsalang.program.walk import present


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
            fixes=_on_its_screen(context, view),
        )


def _on_its_screen(context: Context, view: t.Relation) -> tuple[Fix, ...]:
    """The fix that names the screen of a view: the only one that shows wherever the view is read."""
    name = f"{context.unit.name}.{view.name.text}"
    read = [
        rule.body
        for rule in context.rules
        if isinstance(rule.head, ir.Write)
        and rule.head.atom.relation == name
        and rule.trigger == "observation"
    ]
    screens: dict[str, list[tuple[ir.Literal, ...]]] = {}
    for rule in context.rules:
        if isinstance(rule.head, ir.Derive) and is_match(rule.head.atom.relation):
            screen = screen_of(rule.head.atom.relation).rpartition(":")[2]
            screens.setdefault(screen, []).append(rule.body)
    showing = [
        screen
        for screen, bodies in screens.items()
        if read and all(any(_shows(body, conditions) for body in bodies) for conditions in read)
    ]
    if len(showing) != 1:
        return ()
    at = view.name.span.end
    return (Fix(f"write `on {showing[0]}`", (Edit(Span(view.name.span.file, at, at), f" on {showing[0]}"),)),)


def _shows(screen: tuple[ir.Literal, ...], conditions: tuple[ir.Literal, ...]) -> bool:
    """Whether what a screen asks for is among some conditions."""
    known = [(item.atom.relation, _asked(item.atom)) for item in present(conditions)]
    return bool(screen) and all(
        isinstance(item, ir.Lit)
        and not item.neg
        and item.past is None
        and any(item.atom.relation == name and _asked(item.atom) <= asked for name, asked in known)
        for item in screen
    )


def _asked(atom: ir.Atom) -> frozenset[tuple[object, ...]]:
    return frozenset((c.attr, c.op, c.term, c.hi) for c in atom.constraints)


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
    fix="names the screen that shows wherever the view is read",
)
