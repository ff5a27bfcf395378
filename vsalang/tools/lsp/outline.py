"""The symbols of a document as a tree, and those of the whole workspace."""

from collections.abc import Iterator

from lsprotocol import types

from vsalang.base.source import Source, Span
from vsalang.language.syntax import tree as t
from vsalang.tools.lsp.snapshot import Snapshot

_KINDS = types.SymbolKind
_OF_SORT = {"state": _KINDS.Struct, "view": _KINDS.Class, "list": _KINDS.Array}
_HEADS = {
    "recognize": _KINDS.Event,
    "allow": _KINDS.Boolean,
    "done": _KINDS.Boolean,
    "screen": _KINDS.Interface,
    "goto": _KINDS.Event,
}
_MOST = 500
"""So many symbols of a workspace are given at most."""


def document_symbols(
    snapshot: Snapshot, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    """The items of a document, with attributes, members and steps below them."""
    module = snapshot.module(params.text_document.uri)
    if module is None:
        return None
    return [symbol for item in module.unit.tree.items for symbol in _symbols(snapshot, module.source, item)]


def _symbols(snapshot: Snapshot, source: Source, item: t.Item) -> Iterator[types.DocumentSymbol]:
    def symbol(
        name: str, kind: types.SymbolKind, span: Span, place: Span, detail: str = ""
    ) -> types.DocumentSymbol:
        return types.DocumentSymbol(
            name=name or "_",
            kind=kind,
            range=snapshot.places.range(source, span.cover(place)),
            selection_range=snapshot.places.range(source, place),
            detail=detail or None,
            children=[],
        )

    name, kind, place, detail = title(item, source)
    top = symbol(name, kind, item.span, place, detail)
    below: list[types.DocumentSymbol] = []
    match item:
        case t.Relation(attrs=attrs) | t.Action(params=attrs):
            below = [
                symbol(
                    each.name.text, _KINDS.Property, each.span, each.name.span, source.slice(each.type.span)
                )
                for each in attrs
            ]
        case t.Enum(members=members):
            below = [symbol(each.name.text, _KINDS.EnumMember, each.span, each.name.span) for each in members]
        case t.Test(steps=steps):
            below = [symbol(_short(source, each.span), _KINDS.Event, each.span, each.span) for each in steps]
    top.children = below
    yield top


def title(item: t.Item, source: Source) -> tuple[str, types.SymbolKind, Span, str]:
    """The name of an item, its kind, the place of its name, and a word about it."""
    match item:
        case t.Let(name=name):
            return name.text, _KINDS.Constant, name.span, "let"
        case t.Enum(name=name):
            return name.text, _KINDS.Enum, name.span, "enum"
        case t.Relation(sort=sort, name=name):
            return name.text, _OF_SORT[sort], name.span, sort
        case t.Action(name=name):
            return name.text, _KINDS.Method, name.span, "action"
        case t.Test(name=quoted):
            return quoted.value, _KINDS.Function, quoted.span, "test"
        case t.Rule(kind=kind, head=head):
            place, text = _head(head, source)
            return text, _HEADS.get(kind, _KINDS.Function), place, kind


def _head(head: t.RuleHead, source: Source) -> tuple[Span, str]:
    match head:
        case t.AtomHead(atom=atom):
            return atom.name.span, atom.name.text
        case t.ScreenHead(name=name) | t.GotoHead(screen=name):
            return name.span, name.text
        case t.JudgeHead(message=message):
            return message.span, message.value
        case _:
            return head.span, _short(source, head.span)


def _short(source: Source, span: Span, most: int = 60) -> str:
    text = " ".join(source.slice(span).split())
    return text if len(text) <= most else f"{text[: most - 2]}.."


def workspace_symbols(snapshot: Snapshot, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """The declarations of the workspace whose names have the letters of the query in their order."""
    symbols: list[types.WorkspaceSymbol] = []
    for uri in snapshot.files():
        module = snapshot.module(uri)
        if module is None:
            continue
        for item in module.unit.tree.items:
            name, kind, place, _ = title(item, module.source)
            if isinstance(item, t.Rule) and not (
                isinstance(item.head, t.ScreenHead) or item.kind in ("define", "deny", "confirm", "warn")
            ):
                continue  # a rule about a name that is declared elsewhere
            if fits(params.query, name):
                where = types.Location(uri, snapshot.places.range(module.source, place))
                symbols.append(types.WorkspaceSymbol(where, name, kind, container_name=module.unit.name))
        if len(symbols) >= _MOST:
            break
    symbols.sort(key=lambda each: (each.name.lower() != params.query.lower(), len(each.name)))
    return symbols[:_MOST]


def fits(query: str, name: str) -> bool:
    """Whether the letters of a query occur in a name in their order, in either case."""
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower())
