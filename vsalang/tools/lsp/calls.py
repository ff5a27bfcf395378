"""Which rules depend on which, as a call hierarchy: a relation is called by the rules that ask for its rows."""

from collections.abc import Iterable, Iterator
from typing import Any

from lsprotocol import types

from vsalang.base.source import Span
from vsalang.language.semantics.scope import RelationSymbol, ScreenSymbol
from vsalang.language.syntax import tree as t
from vsalang.tools.lsp.names import Key, Module, RuleSymbol, Symbol, Use, declared, key
from vsalang.tools.lsp.outline import title
from vsalang.tools.lsp.snapshot import Snapshot

_HEADS = ("relation", "screen")


def prepare_calls(
    snapshot: Snapshot, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    """The relation, screen or rule at a place."""
    place = snapshot.at(params.text_document.uri, params.position)
    if place is None:
        return None
    module, offset, use = place
    symbols: list[Symbol] = list(use.symbols) if use else []
    if not symbols:
        item = module.item_at(offset)
        symbols = [rule for rule in module.rules.values() if rule.item is item and rule.unit is module.unit]
    items = [_item(snapshot, module, symbol) for symbol in symbols]
    return [item for item in items if item is not None] or None


def _item(snapshot: Snapshot, module: Module, symbol: Symbol) -> types.CallHierarchyItem | None:
    span = declared(symbol)
    location = snapshot.location(module, span) if span else None
    if span is None or location is None:
        return None
    match symbol:
        case RelationSymbol(sort=sort):
            name, detail = symbol.short, sort
            kind = types.SymbolKind.Method if sort == "action" else types.SymbolKind.Class
        case ScreenSymbol():
            name, kind, detail = symbol.name.rpartition(":")[2], types.SymbolKind.Interface, "screen"
        case RuleSymbol(item=rule):
            name, kind, _, detail = title(rule, module.sources[rule.span.file])
        case _:
            return None
    return types.CallHierarchyItem(
        name or "_",
        kind,
        location.uri,
        location.range,
        location.range,
        detail=detail,
        data={"uri": location.uri, "key": list(key(symbol, module))},
    )


def incoming_calls(
    snapshot: Snapshot, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """What depends on an item: the rules that ask for it, under the name of what they give rows."""
    named = _named(snapshot, params.item.data)
    if named is None:
        return None
    module, wanted = named
    calls: dict[tuple[str, str, int], types.CallHierarchyIncomingCall] = {}
    for each in snapshot.users(module, params.item.name):
        for item in each.unit.tree.items:
            if not isinstance(item, t.Rule):
                continue
            spans = [
                use.span for use in _asked(each, item) if any(key(s, each) == wanted for s in use.symbols)
            ]
            if spans:
                _add(calls, snapshot, each, _owner(each, item), spans, types.CallHierarchyIncomingCall)
    return list(calls.values())


def outgoing_calls(
    snapshot: Snapshot, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """What an item depends on: what the rules ask for that give it rows."""
    named = _named(snapshot, params.item.data)
    if named is None:
        return None
    module, wanted = named
    calls: dict[tuple[str, str, int], types.CallHierarchyOutgoingCall] = {}
    for item in module.unit.tree.items:
        if not isinstance(item, t.Rule):
            continue
        owner = _owner(module, item)
        if owner is None or key(owner, module) != wanted:
            continue
        for use in _asked(module, item):
            if use.symbol is not None:
                _add(calls, snapshot, module, use.symbol, [use.span], types.CallHierarchyOutgoingCall)
    return list(calls.values())


def _add(
    calls: dict[tuple[str, str, int], Any],
    snapshot: Snapshot,
    module: Module,
    symbol: Symbol | None,
    spans: Iterable[Span],
    make: type,
) -> None:
    item = _item(snapshot, module, symbol) if symbol else None
    if item is None:
        return
    ranges = [snapshot.places.range(module.source, span) for span in spans]
    name = (item.uri, item.name, item.range.start.line)
    if name in calls:
        calls[name].from_ranges += ranges
    else:
        calls[name] = make(item, ranges)


def _named(snapshot: Snapshot, data: object) -> tuple[Module, Key] | None:
    """The module and key that an item carries; None for one that we did not send."""
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        return None
    parts = data.get("key")
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        return None
    module = snapshot.module(data["uri"])
    return (module, tuple(parts)) if module else None


def _asked(module: Module, item: t.Rule) -> Iterator[Use]:
    """The relations and screens in the body of a rule, and the action of an `allow`."""
    head = item.head
    place = head.atom.name.span if isinstance(head, t.AtomHead) else head.span
    own = item.kind != "allow" and not isinstance(head, t.ExpectHead)
    for use in module.uses_in(item):
        in_head = place.start <= use.span.start < place.end
        if use.mention.kind in _HEADS and not (own and in_head):
            yield use


def _owner(module: Module, item: t.Rule) -> Symbol | None:
    """What a rule gives rows to; the rule itself, if that is nothing with a name."""
    head = item.head
    symbols: Iterable[Symbol] = ()
    if isinstance(head, t.AtomHead) and item.kind != "allow":
        symbols = module.scope.find_relation(head.atom.name.text)
    elif isinstance(head, t.ScreenHead):
        symbols = module.scope.find_screen(head.name.text)
    elif isinstance(head, t.GotoHead):
        symbols = module.scope.find_screen(head.screen.text)
    rules = (rule for rule in module.rules.values() if rule.item is item)
    return next(iter(symbols), None) or next(rules, None)
