"""Finds the names that are written in a module: where each stands, what kind it is, and whether it is declared there.

Only the syntax tree is read. What a name means is in `vsalang.tools.lsp.names`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.language.semantics.wording import inside_quotes
from vsalang.language.syntax import tree as t

Kind: TypeAlias = Literal[
    "relation",
    "screen",
    "enum",
    "member",
    "attribute",
    "value",
    "module",
    "alias",
    "variable",
    "rule",
    "reason",
    "function",
    "let",
]
"""``value``: a bare word that is a constant or a member; ``reason``: what stands after ``because``."""

_HOLE: Final = re.compile(r"\{\{|\}\}|\{\?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")
_GROUP: Final = re.compile(r"\(\?P?<(?P<name>[A-Za-z_][A-Za-z0-9_]*)>")
_WRITERS: Final = frozenset(
    {"define", "recognize", "complete", "top", "end", "update", "delete", "screen", "goto"}
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as it is written.

    Attributes:
        span: of its last part: `Slot` of `apps.opentable.Slot`.
        text: as it is written, with its module.
        owner: of an attribute: the relation, as it is written there. Of a value: that relation and attribute.
        declares: whether it is declared there.
        writes: whether a rule gives it rows there.
    """

    span: Span
    kind: Kind
    text: str
    owner: str = ""
    attr: str = ""
    declares: bool = False
    writes: bool = False


def imported(tree: t.Module) -> Iterator[Mention]:
    """The names in the header and in the imports of a module."""
    yield Mention(tree.name.span, "module", tree.name.text, declares=True)
    for item in tree.imports:
        local = item.alias.text if item.alias else item.name.text
        yield Mention(item.name.span, "module", local)
        if item.alias:
            yield Mention(item.alias.span, "alias", item.alias.text, declares=True)


def mentions(item: t.Item, source: Source) -> Iterator[Mention]:
    """The names in an item, in no order."""
    for mention in _of_item(item, source):
        yield from _split(mention)


def _split(mention: Mention) -> Iterator[Mention]:
    """A qualified name is two: the module, and the name in it."""
    prefix, dot, last = mention.text.rpartition(".")
    span = mention.span
    if not dot or mention.kind in ("module", "alias", "rule") or span.end - span.start != len(mention.text):
        yield mention
        return
    middle = span.end - len(last)
    yield Mention(Span(span.file, span.start, middle - 1), "module", prefix)
    yield Mention(
        Span(span.file, middle, span.end),
        mention.kind,
        mention.text,
        mention.owner,
        mention.attr,
        mention.declares,
        mention.writes,
    )


def _of_item(item: t.Item, source: Source) -> Iterator[Mention]:
    for annotation in item.annotations:
        if annotation.name.text == "id" and annotation.args and isinstance(annotation.args[0], t.Text):
            text = annotation.args[0]
            yield Mention(inside_quotes(text.span), "rule", text.value, declares=True)
    match item:
        case t.Let(name=name, value=value):
            yield Mention(name.span, "let", name.text, declares=True)
            yield from _below(value, source)
        case t.Enum(name=name, members=members):
            yield Mention(name.span, "enum", name.text, declares=True)
            yield from _members(members, name.text, "")
        case t.Relation(name=name, attrs=attrs):
            yield Mention(name.span, "relation", name.text, declares=True)
            yield from (Mention(each.span, "screen", each.text) for each in item.on)
            yield from (
                Mention(each.span, "attribute", each.text, name.text) for each in (*item.within, *item.key)
            )
            yield from _attributes(attrs, name.text)
        case t.Action(name=name, params=params, over=over, refines=refines):
            yield Mention(name.span, "relation", name.text, declares=True)
            yield from (Mention(each.span, "relation", each.text) for each in over)
            yield from _attributes(params, name.text)
            if refines is not None:
                for mention in _below(refines, source):
                    if mention.kind == "variable":  # there `?name` is a parameter of the action
                        yield Mention(mention.span, "attribute", mention.text, name.text)
                    else:
                        yield mention
        case t.Rule(kind=kind, head=head):
            yield from _head(kind, head, source)
            yield from _below((item.body, item.extra or ()), source)
        case t.Test(target=target, steps=steps):
            if target is not None:
                yield Mention(target.span, "module", target.text)
            yield from _below(steps, source)


def _attributes(attrs: Iterable[t.AttrDecl], owner: str) -> Iterator[Mention]:
    for attr in attrs:
        yield Mention(attr.name.span, "attribute", attr.name.text, owner, declares=True)
        yield from _types(attr.type, owner, attr.name.text)


def _types(type_: t.TypeRef, owner: str, attr: str) -> Iterator[Mention]:
    if type_.name is not None:
        yield Mention(type_.name.span, "enum", type_.name.text)
    if type_.elem is not None:
        yield from _types(type_.elem, owner, attr)
    yield from _members(type_.members or (), owner, attr)


def _members(members: Iterable[t.Member], owner: str, attr: str) -> Iterator[Mention]:
    for member in members:
        span = inside_quotes(member.name.span) if member.name.quoted else member.name.span
        yield Mention(span, "member", member.name.text, owner, attr, declares=True)


def _head(kind: str, head: t.RuleHead, source: Source) -> Iterator[Mention]:
    match head:
        case t.ScreenHead(name=name, over=over):
            yield Mention(name.span, "screen", name.text, declares=True)
            yield from (Mention(each.span, "screen", each.text) for each in over)
        case t.GotoHead(screen=name):
            yield Mention(name.span, "screen", name.text, writes=True)
        case t.AtomHead(atom=atom, quota=quota):
            yield Mention(atom.name.span, "relation", atom.name.text, writes=kind in _WRITERS)
            yield from _args(atom.args, atom.name.text, source)
            if not isinstance(quota, str):
                yield from _below(quota, source)
        case _:
            yield from _below(head, source)


def _args(args: Iterable[t.Arg], owner: str, source: Source) -> Iterator[Mention]:
    for arg in args:
        yield Mention(arg.attr.span, "attribute", arg.attr.text, owner)
        yield from _below((arg.value, arg.hi), source, owner, arg.attr.text)


def _below(node: object, source: Source, owner: str = "", attr: str = "") -> Iterator[Mention]:
    """The names below a node; `owner` and `attr`: the cell that its values are compared with."""
    for item in _parts(node):
        match item:
            case t.Atom(name=name, place=place, args=args):
                yield Mention(name.span, "screen" if place else "relation", name.text)
                yield from _args(args, name.text, source)
            case t.Quantified(n=n, atom=atom, has=has):
                yield from _below((n, atom), source)
                yield from _args(has or (), atom.name.text, source)
            case t.Aggregate(attr=column, lit=lit, right=right, hi=hi):
                if column is not None:
                    yield Mention(column.span, "attribute", column.text, lit.atom.name.text)
                yield from _below(lit, source)
                yield from _below((right, hi), source, lit.atom.name.text, column.text if column else "")
            case t.Spent(action=name):
                yield Mention(name.span, "relation", name.text)
            case t.Var(name=text, span=span):
                yield Mention(Span(span.file, span.start + 1, span.end), "variable", text)
            case t.Ref(name=text, span=span):
                yield Mention(span, "value", text, owner, attr)
            case t.Text(value=text, span=span) if owner and len(text) == span.end - span.start - 2:
                yield Mention(inside_quotes(span), "member", text, owner, attr)
            case t.Call(name=name, args=args):
                yield Mention(name.span, "function", name.text)
                yield from _below(args, source)
            case t.JudgeHead(message=message):
                yield from _named_in(_HOLE, message.span, source)
            case t.Regex(span=span):
                yield from _named_in(_GROUP, span, source)
            case t.Verdict(because=because):
                for name in because:
                    yield Mention(inside_quotes(name.span) if name.quoted else name.span, "reason", name.text)


_OWN: Final = (t.Atom, t.Quantified, t.Aggregate, t.Call, t.JudgeHead)
"""Nodes whose parts `_below` reads itself."""


def _parts(node: object) -> Iterator[object]:
    """A node and what is below it, down to nodes that are read as a whole."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            waiting.extend(reversed(item))
        elif isinstance(item, _OWN):
            yield item
        elif names := _fields(item):
            yield item
            waiting.extend([getattr(item, name) for name in names])


def _fields(node: object) -> tuple[str, ...]:
    """The fields of a node, the last one first; none of what is not a node."""
    kind = type(node)
    if kind.__module__ != t.__name__:
        return ()
    return tuple(reversed(getattr(kind, "__dataclass_fields__", {})))


def _named_in(pattern: re.Pattern[str], span: Span, source: Source) -> Iterator[Mention]:
    """The variables that a message or a regular expression names."""
    for match in pattern.finditer(source.text, span.start, span.end):
        if match["name"]:
            yield Mention(Span(span.file, *match.span("name")), "variable", match["name"])
