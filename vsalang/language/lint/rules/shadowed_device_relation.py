"""L0011: a name of the module that hides a relation of the device."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Severity
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program.vocabulary import ANDROID


def find(context: Context) -> Iterable[Diagnostic]:
    """Declarations whose name the device vocabulary has too."""
    seen: set[str] = set()
    for item in context.unit.tree.items:
        if isinstance(item, t.Relation | t.Action):
            name = item.name
        elif isinstance(item, t.Rule) and item.kind == "define" and isinstance(item.head, t.AtomHead):
            name = item.head.atom.name
        else:
            continue
        if name.text not in ANDROID or name.text in seen:
            continue
        seen.add(name.text)
        yield Diagnostic(
            RULE.code,
            Severity.INFO,
            name.span,
            f"`{name.text}` hides the device's relation of that name",
            label=f"the device's: {ANDROID[name.text].doc[:1].lower()}{ANDROID[name.text].doc[1:]}",
            help=f"choose another name, or write `std.android.{name.text}` where the device's is meant",
        )


_APP = (
    'app calls package "com.calls" "A phone app"\n'
    'state {name} "What the app tells" {\n  title: Text "its first line"\n}\n'
)
RULE = Rule(
    "L0011",
    "shadowed-device-relation",
    "name that hides a relation of the device",
    "The relations of the device (`Node`, `Notification`, `File`, ..) are in scope everywhere, and a "
    "declaration of the "
    "same name comes first. A reader of `Notification(..)` may think of the device's. The device's "
    "relation can still "
    "be named in full.",
    _APP.replace("{name}", "Notification"),
    _APP.replace("{name}", "Notice"),
    find,
    Severity.INFO,
    fix="none: another name is a choice, and other files may use this one",
)
