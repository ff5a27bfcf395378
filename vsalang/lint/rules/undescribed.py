"""L0010: a declaration without a description."""

from collections.abc import Iterable

from vsalang.diagnostics import Diagnostic, warning
from vsalang.diagnostics.display import safe
from vsalang.lint.model import Context, Rule
from vsalang.source import Source, Span
from vsalang.syntax import tree as t


def find(context: Context) -> Iterable[Diagnostic]:
    """One finding for each declaration, with all of its attributes that lack one."""
    tree = context.unit.tree
    if tree.doc is None or not tree.doc.value.strip():
        what = "instruction" if tree.kind == "spec" else "description"
        yield _finding(
            tree.name.span,
            f"the {tree.kind} `{tree.name.text}` has no {what}",
            f'{tree.kind} {tree.name.text} .. "{what}"',
        )
    screens: dict[str, list[t.Rule]] = {}
    for item in tree.items:
        if isinstance(item, t.Relation | t.Action):
            yield from _relation(item, context.unit.source)
        elif isinstance(item, t.Rule) and isinstance(item.head, t.ScreenHead):
            screens.setdefault(item.head.name.text, []).append(item)
    for name, rules in screens.items():
        head = rules[0].head
        if not any(rule.doc for rule in rules) and isinstance(head, t.ScreenHead):
            yield _finding(
                head.name.span,
                f"the screen `{name}` has no description",
                f'screen {name} "description" when ..',
            )


def _relation(item: t.Relation | t.Action, source: Source) -> Iterable[Diagnostic]:
    what, attrs = "action", "parameter"
    if isinstance(item, t.Relation):
        what, attrs = item.sort, "attribute"
    parts = item.attrs if isinstance(item, t.Relation) else item.params
    bare = [part.name.text for part in parts if part.doc is None]
    shapes = [source.slice(part.span) for part in parts if part.doc is None]
    name = item.name.text
    if item.doc is None:
        more = f", nor {_and(bare)}" if bare else ""
        yield _finding(
            item.name.span, f"the {what} `{name}` has no description{more}", f'{what} {name} .. "description"'
        )
    elif bare:
        many = "s" if len(bare) > 1 else ""
        verb = "have" if many else "has"
        yield _finding(
            item.name.span,
            f"of `{name}`, the {attrs}{many} {_and(bare)} {verb} no description",
            f'{safe(" ".join(shapes[0].split()), 60)} "description"',
        )


def _and(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names[:6]] + (["others"] if len(names) > 6 else [])
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]


def _finding(span: Span, message: str, shape: str) -> Diagnostic:
    return warning(RULE.code, span, message, help=f"write it behind: {shape}")


RULE = Rule(
    "L0010",
    "undescribed",
    "declaration without a description",
    "Descriptions are what people and agents read: they stand in the feedback that an agent gets, in "
    "prompts, in what "
    "`vsac describe` says and in what an editor shows. A module, state, view, list, action and screen "
    "needs one, and so "
    "does each attribute and parameter.",
    'app shop package "com.shop" "A shop"\nstate Cart { total: Number "what it costs" }\n',
    'app shop package "com.shop" "A shop"\nstate Cart "What will be bought" { total: Number "what it costs" }\n',
    find,
)
