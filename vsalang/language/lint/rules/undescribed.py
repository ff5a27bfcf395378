"""L0010: a declaration without a description."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.base.diagnostics.display import safe, some
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t


@dataclass(frozen=True, slots=True)
class _Bare:
    """A declaration that lacks a description, or some of whose parts do.

    Attributes:
        whole: the message if it is the only one.
        short: the label at its place.
        shape: an example of how to write a description.
    """

    span: Span
    whole: str
    short: str
    shape: str


def find(context: Context) -> Iterable[Diagnostic]:
    """One finding for the module, with a place for each declaration and all of its attributes that lack one."""
    bare_rules = [bare for bare in _bare(context) if context.heard(RULE.code, bare.span)]
    if not bare_rules:
        return
    first, *others = bare_rules
    yield warning(
        RULE.code,
        first.span,
        f"{len(bare_rules)} declarations lack descriptions" if others else first.whole,
        label=first.short if others else "",
        labels=tuple(Label(bare.span, bare.short) for bare in others),
        help=f"write it behind: {first.shape}",
    )


def _bare(context: Context) -> Iterable[_Bare]:
    tree = context.unit.tree
    if tree.doc is None or not tree.doc.value.strip():
        what = "instruction" if tree.kind == "spec" else "description"
        yield _Bare(
            tree.name.span,
            f"the {tree.kind} `{tree.name.text}` has no {what}",
            f"no {what}",
            f'{tree.kind} {tree.name.text} .. "{what}"',
        )
    screens: dict[str, list[t.Rule]] = {}
    relations: list[_Bare] = []
    for item in tree.items:
        if isinstance(item, t.Relation | t.Action):
            relations += _relation(item, context.unit.source)
        elif isinstance(item, t.Rule) and isinstance(item.head, t.ScreenHead):
            screens.setdefault(item.head.name.text, []).append(item)
    for name, rules in screens.items():
        head = rules[0].head
        if not any(rule.doc for rule in rules) and isinstance(head, t.ScreenHead):
            relations.append(
                _Bare(
                    head.name.span,
                    f"the screen `{name}` has no description",
                    "no description",
                    f'screen {name} "description" when ..',
                )
            )
    yield from sorted(relations, key=lambda bare: bare.span.start)


def _relation(item: t.Relation | t.Action, source: Source) -> Iterable[_Bare]:
    what, attrs = "action", "parameter"
    if isinstance(item, t.Relation):
        what, attrs = item.sort, "attribute"
    parts = item.attrs if isinstance(item, t.Relation) else item.params
    bare = [part.name.text for part in parts if part.doc is None]
    shapes = [source.slice(part.span) for part in parts if part.doc is None]
    name = item.name.text
    if item.doc is None:
        more = f", nor {some(bare)}" if bare else ""
        yield _Bare(
            item.name.span,
            f"the {what} `{name}` has no description{more}",
            f"no description{more}",
            f'{what} {name} .. "description"',
        )
    elif bare:
        many = "s" if len(bare) > 1 else ""
        verb = "have" if many else "has"
        yield _Bare(
            item.name.span,
            f"of `{name}`, the {attrs}{many} {some(bare)} {verb} no description",
            f"no description of {some(bare)}",
            f'{safe(" ".join(shapes[0].split()), 60)} "description"',
        )


RULE = Rule(
    "L0010",
    "undescribed",
    "declaration without a description",
    "Descriptions are what people and agents read: they are in the feedback that an agent gets, in "
    "prompts, in what "
    "`vsac describe` says and in what an editor shows. A module, state, view, list, action and screen "
    "needs one, and so "
    "does each attribute and parameter. One finding lists all that lack one.",
    'app shop package "com.shop" "A shop"\nstate Cart { total: Number "what it costs" }\n',
    'app shop package "com.shop" "A shop"\nstate Cart "What will be bought" { total: Number "what it costs" }\n',
    find,
    fix="none: only the author can describe it",
)
