"""Where names are declared, what their types are, which rules give them rows, and where they are used."""

from collections.abc import Iterable, Iterator

from lsprotocol import types

from vsalang.base.source import Span
from vsalang.language.semantics.scope import RelationSymbol, ScreenSymbol
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Type
from vsalang.tools.lsp.names import (
    AliasSymbol,
    AttributeSymbol,
    EnumSymbol,
    MemberSymbol,
    Module,
    Symbol,
    Use,
    VariableSymbol,
    binders,
    declared,
    key,
)
from vsalang.tools.lsp.snapshot import Snapshot


def definition(
    snapshot: Snapshot, params: types.DefinitionParams | types.DeclarationParams | types.ImplementationParams
) -> list[types.Location] | None:
    """Where the name at a place is declared; a reason after ``because`` may have several declarations."""
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None:
        return None
    module, use = place
    spans = [declared(symbol.unit if isinstance(symbol, AliasSymbol) else symbol) for symbol in use.symbols]
    return _locations(snapshot, module, spans)


def type_definition(snapshot: Snapshot, params: types.TypeDefinitionParams) -> list[types.Location] | None:
    """Where the enum of a name's values is declared; of a relation or screen that one itself."""
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None or place[1].symbol is None:
        return None
    module, use = place
    symbol = use.symbol
    if isinstance(symbol, RelationSymbol | ScreenSymbol | EnumSymbol):
        return _locations(snapshot, module, [symbol.span])
    enum = _enum_type(symbol)
    if enum is None:
        return None
    if not enum.name:
        return _locations(snapshot, module, [declared(symbol)] if isinstance(symbol, AttributeSymbol) else [])
    spans = [
        scope.enum_spans[name]
        for scope in module.scopes
        for name, each in scope.enums.items()
        if each.name == enum.name
    ]
    return _locations(snapshot, module, spans)


def _enum_type(symbol: Symbol | None) -> Type | None:
    if not isinstance(symbol, AttributeSymbol | VariableSymbol | MemberSymbol) or symbol.type is None:
        return None
    type_ = symbol.type.elem or symbol.type
    return type_ if type_.kind == "enum" else None


def implementation(snapshot: Snapshot, params: types.ImplementationParams) -> list[types.Location] | None:
    """The rules that give a relation rows, recognize an action, show a screen or bind a variable."""
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None or place[1].symbol is None:
        return None
    module, use = place
    symbol = use.symbol
    if isinstance(symbol, VariableSymbol):
        spans = [span for name, span in binders(symbol.item) if name == symbol.name]
        return _locations(snapshot, module, spans)
    relation = symbol.relation if isinstance(symbol, AttributeSymbol) else symbol
    if not isinstance(relation, RelationSymbol | ScreenSymbol):
        return definition(snapshot, params)
    spans = [
        use.span
        for scope in module.scopes
        for item in scope.unit.tree.items
        if isinstance(item, t.Rule)
        for use in _writes(module, scope.unit.source.file, item, relation)
    ]
    return _locations(snapshot, module, spans)


def _writes(
    module: Module, file: str, item: t.Rule, relation: RelationSymbol | ScreenSymbol
) -> Iterator[t.Name]:
    head = item.head
    match head:
        case t.AtomHead(atom=atom) if item.kind != "allow":
            name, find = atom.name, "relation"
        case t.ScreenHead(name=name):
            find = "screen"
        case t.GotoHead(screen=name):
            find = "screen"
        case _:
            return
    scope = next(scope for scope in module.scopes if scope.unit.source.file == file)
    matches: Iterable[object] = (
        scope.find_relation(name.text) if find == "relation" else scope.find_screen(name.text)
    )
    if any(each is relation for each in matches):
        yield name


def references(snapshot: Snapshot, params: types.ReferenceParams) -> list[types.Location] | None:
    """Each place of the workspace where the name at a place is written; its declaration, if that is wanted."""
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None:
        return None
    uses = [
        (module, use)
        for module, use in uses_of(snapshot, *place)
        if params.context.include_declaration or not use.mention.declares
    ]
    locations = [snapshot.location(module, use.span) for module, use in uses]
    return _once(locations)


def uses_of(snapshot: Snapshot, module: Module, use: Use) -> list[tuple[Module, Use]]:
    """Every use of what a name means; of a variable those in its item."""
    uses: list[tuple[Module, Use]] = []
    for symbol in use.symbols:
        wanted = key(symbol, module)
        if isinstance(symbol, VariableSymbol | AliasSymbol):
            uses += [(module, each) for each in module.uses if _means(each, wanted, module)]
        elif wanted:
            uses += snapshot.references(module, wanted, use.mention.text.rpartition(".")[2])
    return uses


def _means(use: Use, wanted: tuple[str, ...], module: Module) -> bool:
    return any(key(symbol, module) == wanted for symbol in use.symbols) or (
        wanted[0] == "alias" and use.mention.kind == "module" and use.mention.text == wanted[-1]
    )


def highlights(
    snapshot: Snapshot, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    """The places of the document that mean the same as the name at a place."""
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None:
        return None
    module, use = place
    wanted = {key(symbol, module) for symbol in use.symbols} - {()}
    kinds = types.DocumentHighlightKind
    return [
        types.DocumentHighlight(
            snapshot.places.range(module.source, each.span),
            kinds.Write if each.mention.declares or each.mention.writes else kinds.Read,
        )
        for each in module.uses
        if any(_means(each, name, module) for name in wanted)
    ]


def linked_ranges(
    snapshot: Snapshot, params: types.LinkedEditingRangeParams
) -> types.LinkedEditingRanges | None:
    """The places of a variable in its item, which an editor may change together."""
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None:
        return None
    module, use = place
    symbol = use.symbol
    if not isinstance(symbol, VariableSymbol):
        return None
    same = [each.span for each in module.uses_in(symbol.item) if each.symbol == symbol]
    ranges = [snapshot.places.range(module.source, span) for span in same]
    return types.LinkedEditingRanges(ranges, "[A-Za-z_][A-Za-z0-9_]*")


def _locations(
    snapshot: Snapshot, module: Module, spans: Iterable[Span | None]
) -> list[types.Location] | None:
    return _once([snapshot.location(module, span) for span in spans if span])


def _once(locations: Iterable[types.Location | None]) -> list[types.Location] | None:
    unique: list[types.Location] = []
    for each in locations:
        if each is not None and each not in unique:
            unique.append(each)
    return unique or None
