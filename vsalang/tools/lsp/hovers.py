"""What an editor shows about the place that somebody points at, and about the call that is being written."""

from lsprotocol import types

from vsalang.base.source import Source, Span
from vsalang.language.semantics.types import FUNCTIONS
from vsalang.language.syntax import tree as t
from vsalang.program import ops
from vsalang.tools.lsp.analysis import Analysis
from vsalang.tools.lsp.completing import item_start
from vsalang.tools.lsp.convert import touches
from vsalang.tools.lsp.describe import describe, explain, keyword
from vsalang.tools.lsp.lexing import Token, lex
from vsalang.tools.lsp.names import AttributeSymbol, Module, words_of
from vsalang.tools.lsp.snapshot import Snapshot
from vsalang.tools.lsp.typing_place import place_of


def hover(snapshot: Snapshot, params: types.HoverParams, result: Analysis | None) -> types.Hover | None:
    """The declaration of a name, the meaning of a word of the language, and the codes of findings there.

    Args:
        result: the findings of the document.
    """
    uri, markdown = params.text_document.uri, snapshot.client.markdown
    source, module = snapshot.source(uri), snapshot.module(uri)
    if source is None:
        return None
    offset = snapshot.places.offset(source, params.position)
    parts: list[str] = []
    span: Span | None = None
    use = module.at(offset) if module else None
    if module is not None and use is not None and use.symbols:
        for symbol in use.symbols[:3]:
            words = words_of(module, symbol) if isinstance(symbol, t.Let) else ()
            parts.append(describe(symbol, markdown=markdown, words=words))
        span = use.span
    elif (token := _token(source, offset)) is not None and (text := keyword(token.text, markdown=markdown)):
        parts.append(text)
        span = Span(source.file, token.start, token.end)
    here = types.Range(params.position, params.position)
    for finding in result.diagnostics if result else ():
        if finding.span is None or result is None or finding.span.file != result.file:
            continue
        text = explain(finding)
        if text and text not in parts and touches(snapshot.places.range(source, finding.span), here):
            parts.append(text)
            span = span or finding.span
    if not parts:
        return None
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    text = ("\n\n---\n\n" if markdown else "\n\n").join(parts)
    return types.Hover(types.MarkupContent(kind, text), snapshot.places.range(source, span) if span else None)


def _token(source: Source, offset: int) -> Token | None:
    """The word or operator at an offset of a line; none in texts and comments."""
    position = source.position(offset)
    start = offset - position.column + 1
    tokens = lex(source.text, start, start + len(source.line(position.line)))
    at = [token for token in tokens if token.start <= offset <= token.end]
    words = [token for token in at if token.kind in ("word", "annotation", "operator")]
    return words[0] if words and len(words) == len(at) else None


def signature_help(snapshot: Snapshot, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """The attributes of the relation, or the arguments of the function, between whose brackets the cursor is."""
    uri = params.text_document.uri
    source, module = snapshot.source(uri), snapshot.module(uri)
    if source is None or module is None:
        return None
    offset = snapshot.places.offset(source, params.position)
    tokens = list(lex(source.text, item_start(module, offset), offset))
    place = place_of(tokens, has_header=True)
    if place.opened in FUNCTIONS:
        return _function(place.opened, place.number)
    return (
        _relation(module, snapshot.client.markdown, place.opened, place.attr, place.used)
        if place.opened
        else None
    )


def _function(name: str, number: int) -> types.SignatureHelp:
    function = ops.FUNCTIONS[name]
    signatures = [
        types.SignatureInformation(
            f"{name}({', '.join(each.arguments)}): {each.result}",
            documentation=function.doc,
            parameters=[types.ParameterInformation(argument) for argument in each.arguments],
        )
        for each in function.signatures
    ]
    fits = [at for at, each in enumerate(function.signatures) if len(each.arguments) > number]
    return types.SignatureHelp(signatures, fits[0] if fits else 0, number)


def _relation(
    module: Module, markdown: bool, name: str, attr: str, used: tuple[str, ...]
) -> types.SignatureHelp | None:
    relations = module.scope.find_relation(name)
    if len(relations) != 1 or not relations[0].types:
        return None
    relation = relations[0]
    parameters = [
        types.ParameterInformation(
            each if type_ is None else f"{each}: {type_}",
            documentation=describe(AttributeSymbol(relation, each), markdown=False).partition("\n\n")[2]
            or None,
        )
        for each, type_ in relation.types.items()
    ]
    names = list(relation.types)
    rest = [at for at, each in enumerate(names) if each not in used]
    active = names.index(attr) if attr in names else rest[0] if rest else None
    label = f"{name}({', '.join(str(each.label) for each in parameters)})"
    information = types.SignatureInformation(label, parameters=parameters)
    return types.SignatureHelp([information], 0, active)
