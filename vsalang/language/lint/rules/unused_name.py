"""L0029: a name that is declared and never used."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t


def find(context: Context) -> Iterable[Diagnostic]:
    """Constants and definitions of a spec or policy that nothing in it uses (other modules cannot use them)."""
    if context.kind not in ("spec", "policy"):
        return
    declared: dict[str, t.Name] = {}
    for item in context.unit.tree.items:
        if isinstance(item, t.Let):
            declared.setdefault(item.name.text, item.name)
        elif isinstance(item, t.Rule) and item.kind == "define" and isinstance(item.head, t.AtomHead):
            declared.setdefault(item.head.atom.name.text, item.head.atom.name)
    used = set().union(*map(_used, context.unit.tree.items)) if declared else set()
    for text, name in declared.items():
        if text not in used:
            yield warning(
                RULE.code,
                name.span,
                f"`{text}` is never used",
                help="remove it; in a spec or policy nobody else can use it",
            )


def _used(item: t.Item) -> set[str]:
    """The names that an item mentions, except its own."""
    own: tuple[object, ...] = ()
    if isinstance(item, t.Let):
        own = (item.name,)
    elif isinstance(item, t.Rule) and item.kind == "define" and isinstance(item.head, t.AtomHead):
        own = (item.head.atom.name,)
    mine = own[0].text if own and isinstance(own[0], t.Name) else ""
    names: set[str] = set()
    for node in nodes(item):
        if isinstance(node, t.Name) and node not in own:
            names.add(node.text.rpartition(".")[2])
        elif isinstance(node, t.Ref):
            names.add(node.name.rpartition(".")[2])
    return names - {mine}


_SPEC = 'spec say "Say yes"\n{let}allow answer(text = "yes").\ndone when answer earlier.\n'
RULE = Rule(
    "L0029",
    "unused-name",
    "name that is never used",
    "A constant or definition that nothing uses is left over, or what should use it has another name in "
    "it. What an app "
    "or a module declares may be meant for others; a spec or policy is imported by nobody.",
    _SPEC.replace("{let}", 'let No = "no".\n'),
    _SPEC.replace("{let}", ""),
    find,
    fix="none: what should use it may have another name in it, and to remove it would hide that",
)
