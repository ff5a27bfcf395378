"""L0048: an import of which nothing is used."""

from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.semantics.loader import Unit
from vsalang.language.syntax import tree as t
from vsalang.program import ir


def find(context: Context) -> Iterable[Diagnostic]:
    """Imports of apps and modules that have no effect by themselves, and of whose names the module mentions none."""
    used = set(_mentioned(context.unit.tree))
    for item in context.unit.tree.imports:
        alias = (item.alias or item.name).text
        unit = context.unit.imports.get(alias)
        if unit is None or _acts(context, unit) or used & _declared(context, unit):
            continue
        what = unit.kind
        yield warning(
            RULE.code,
            item.name.span,
            f"nothing of `{item.name.text}` is used",
            help="remove the import"
            if what == "module"
            else "remove the import; with it, the guard knows the app's screens, and blocks its critical actions",
            fixes=(Fix("remove the import", (Edit(_line(context, item.span), ""),)),)
            if what == "module"
            else (),
        )


def _acts(context: Context, unit: Unit) -> bool:
    """Whether an import is in force by itself: words of a language, a generic app, a policy, contracts."""
    if unit.name.startswith("std.text.") or unit.kind == "policy" or unit.tree.generic:
        return True
    screens = [
        item.head
        for item in unit.tree.items
        if isinstance(item, t.Rule) and isinstance(item.head, t.ScreenHead)
    ]
    if screens and all(screen.closed for screen in screens):
        return True  # dialogs of the system, which may lie over any app
    if any(
        isinstance(rule.head, ir.Expect | ir.Judge) for rule in _rules(context, unit) if unit.kind != "app"
    ):
        return True
    return any(_acts(context, other) for other in unit.imports.values()) and unit.kind == "module"


def _rules(context: Context, unit: Unit) -> Iterator[ir.Rule]:
    return (rule for rule in context.program.rules if rule.module == unit.name)


def _declared(context: Context, unit: Unit) -> set[str]:
    """The names that a module declares."""
    names = {
        relation.short for relation in context.program.relations.values() if relation.module == unit.name
    }
    for item in unit.tree.items:
        if isinstance(item, t.Let | t.Enum | t.Relation | t.Action):
            names.add(item.name.text)
        for node in nodes(item) if isinstance(item, t.Enum | t.Relation) else ():
            if isinstance(node, t.Member):
                names.add(node.name.text)
        if isinstance(item, t.Rule) and isinstance(item.head, t.ScreenHead):
            names.add(item.head.name.text)
    return names


def _mentioned(tree: t.Module) -> Iterator[str]:
    """The last parts of all names that a module mentions, and its texts, which may name screens and members."""
    for node in nodes(tree.items):
        match node:
            case t.Name(text=text):
                yield text.rpartition(".")[2]
                yield text.partition(".")[0] if "." in text else text
            case t.Ref(name=name):
                yield name.rpartition(".")[2]
            case t.Text(value=value):
                yield value


def _line(context: Context, span: Span) -> Span:
    """The span with the end of its line, if nothing else is on it."""
    text = context.unit.source.text
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    if end < 0 or text[start : span.start].strip() or text[span.end : end].strip():
        return span
    return Span(span.file, start, end + 1)


_SPEC = (
    'spec book "Book a table at R for today at 18:30"\n{import}import apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = 18:30).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0048",
    "unused-import",
    "import of which nothing is used",
    "An import that no rule and no test needs is left over, or what should use it uses something else. What is in "
    "force by being imported is left alone: policies, contracts, apps for every app, and the words of a language "
    "(`std.text.german`).",
    _SPEC.replace("{import}", "import std.lists\n"),
    _SPEC.replace("{import}", ""),
    find,
    fix="removes the import of a module; an app's import is in force",
)
