"""What an editor shows between the words: types of variables, days in words; and above items: tests, uses, clauses."""

import datetime as dt
from collections.abc import Iterator

from lsprotocol import types

from vsalang.base.diagnostics.display import count
from vsalang.base.source import Span
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.program.ops import WEEKDAYS
from vsalang.tools.lsp.names import Module, VariableSymbol, key
from vsalang.tools.lsp.snapshot import Snapshot

RUN = "vsac.test"
"""The command of a lens that runs tests: its arguments are a file and, for one test, its name."""
SHOW = "editor.action.showReferences"
"""The command by which editors show places."""


def inlay_hints(snapshot: Snapshot, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """The type of each variable where a rule names it first, the weekday of each date, long durations in words."""
    module = snapshot.module(params.text_document.uri)
    if module is None:
        return None
    start = snapshot.places.offset(module.source, params.range.start)
    end = snapshot.places.offset(module.source, params.range.end)
    return [
        hint
        for item in module.unit.tree.items
        if item.span.start <= end and start <= item.span.end
        for hint in (*_types(snapshot, module, item), *_values(snapshot, module, item))
    ]


def _types(snapshot: Snapshot, module: Module, item: t.Item) -> Iterator[types.InlayHint]:
    for use in module.uses_in(item):
        symbol = use.symbol
        if isinstance(symbol, VariableSymbol) and symbol.span == use.span and symbol.type is not None:
            place = snapshot.places.position(module.source, use.span.end)
            yield types.InlayHint(place, f": {symbol.type}", types.InlayHintKind.Type)


def _values(snapshot: Snapshot, module: Module, item: t.Item) -> Iterator[types.InlayHint]:
    for node in nodes(item):
        if isinstance(node, t.Scalar) and (text := _words(node)):
            place = snapshot.places.position(module.source, node.span.end)
            yield types.InlayHint(place, text, padding_left=True)


def _words(node: t.Scalar) -> str:
    """A day with its weekday, or a duration in larger units; empty for other values."""
    value = node.value
    if isinstance(value, dt.date):
        return f"{WEEKDAYS[value.weekday()]}"
    if isinstance(value, dt.timedelta):
        parts = []
        seconds = int(value.total_seconds())
        for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
            if seconds >= size:
                parts.append(f"{seconds // size} {unit}")
                seconds %= size
        return " ".join(parts) if len(parts) > 1 or (parts and parts[0].replace(" ", "") != node.raw) else ""
    return ""


def code_lenses(snapshot: Snapshot, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """Above tests: run them, with coverage; above declarations: how often they are used; the text comes later."""
    uri = params.text_document.uri
    module = snapshot.module(uri)
    if module is None:
        return None
    lenses: list[types.CodeLens] = []
    tests = [item for item in module.unit.tree.items if isinstance(item, t.Test)]
    file = module.file_of(module.unit.tree.span)
    if tests and module.source.path is not None:
        where = snapshot.places.range(module.source, module.unit.tree.span)
        lenses.append(types.CodeLens(where, types.Command("run all tests", RUN, arguments=[file, "", False])))
        lenses.append(types.CodeLens(where, types.Command("coverage", RUN, arguments=[file, "", True])))
        for test in tests:
            where = snapshot.places.range(module.source, test.name.span)
            lenses.append(
                types.CodeLens(
                    where, types.Command("run test", RUN, arguments=[file, test.name.value, False])
                )
            )
    for item in module.unit.tree.items:
        if isinstance(item, t.Relation | t.Action | t.Enum):
            where = snapshot.places.range(module.source, item.name.span)
            lenses.append(types.CodeLens(where, data={"uri": uri, "action": isinstance(item, t.Action)}))
    return lenses


def resolve_lens(snapshot: Snapshot, lens: types.CodeLens) -> types.CodeLens:
    """The lens with its text: "allowed by 2 clauses" above an action, "3 uses" above other declarations."""
    data = lens.data
    if lens.command is not None or not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        return lens
    uri = data["uri"]
    place = snapshot.name_at(uri, lens.range.start)
    if place is None or place[1].symbol is None:
        lens.command = types.Command("not declared any more", "")
        return lens
    module, use = place
    symbol = use.symbol
    assert symbol is not None
    uses = [
        (each, other)
        for each, other in snapshot.references(module, key(symbol, module), use.mention.text)
        if not other.mention.declares
    ]
    if data.get("action") is True:
        uses = [(each, other) for each, other in uses if _licenses(each, other.span)]
        text = f"allowed by {count(len(uses), 'clause')}"
    else:
        text = count(len(uses), "use")
    places = [snapshot.location(each, other.span) for each, other in uses]
    arguments = [uri, lens.range.start, [each for each in places if each is not None]]
    known = SHOW in snapshot.client.commands
    lens.command = types.Command(text, SHOW if known else "", arguments=arguments if known else None)
    return lens


def _licenses(module: Module, span: Span) -> bool:
    item = module.item_at(span.start)
    return (
        isinstance(item, t.Rule)
        and item.kind == "allow"
        and isinstance(item.head, t.AtomHead)
        and item.head.atom.name.span.end == span.end
    )
