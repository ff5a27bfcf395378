"""What may be written at a place: names in scope, attributes, operators and values by type, words, files, snippets."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from lsprotocol import types

from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.language.describe.values import some_words
from vsalang.language.semantics.annotations import NAMES, RISKS, SEVERITIES
from vsalang.language.semantics.examples import REASON_WORDS
from vsalang.language.semantics.loader import importable
from vsalang.language.semantics.scope import BASIC, RelationSymbol, Scope
from vsalang.language.semantics.types import FUNCTIONS
from vsalang.language.syntax import tree as t
from vsalang.program import ops
from vsalang.program.ir import Regex, Type
from vsalang.program.reserved_words import AGGREGATES, STEP_WORDS, VERDICTS
from vsalang.program.show import member_source, pattern_source
from vsalang.program.text import line
from vsalang.program.values import tag
from vsalang.program.word_lists import SUFFIX
from vsalang.tools.lsp.describe import describe, keyword
from vsalang.tools.lsp.lexing import Token, lex
from vsalang.tools.lsp.names import AttributeSymbol, Module, Symbol
from vsalang.tools.lsp.snapshot import Snapshot
from vsalang.tools.lsp.snippets import ITEM_SNIPPETS, STEP_SNIPPETS, snippet_of
from vsalang.tools.lsp.typing_place import Place, place_of

_MOST: Final = 200
_LONGEST: Final = 100
_VARIABLE: Final = re.compile(r"\?[A-Za-z_]\w*")
_KINDS: Final = types.CompletionItemKind
_OF_SORT: Final = {"action": _KINDS.Method, "gesture": _KINDS.Event, "derived": _KINDS.Struct}
_HEAD_SORTS: Final = {
    "define": ("derived",),
    "recognize": ("action",),
    "allow": ("action",),
    "complete": ("list",),
    "top": ("list",),
    "end": ("list",),
    "update": ("state", "view", "list"),
    "delete": ("state", "view", "list"),
    "action": ("action",),
    "attempt": ("action", "gesture"),
    "given": ("state", "view", "list", "observed"),
    "observe": ("state", "view", "list", "observed"),
    "claim": ("state", "view", "list", "observed", "derived"),
}
"""Which relations may follow a keyword."""
_CLAUSES: Final = ("when", "with")
_AFTER: Final = ("earlier", "within", "for", "since", "then", "when", "with")


@dataclass(frozen=True, slots=True)
class Offer:
    """What may stand there.

    Attributes:
        text: what is shown and, without a snippet, written.
        detail: a few words about it.
        snippet: what is written, with places to fill in.
        name: by which `documentation` finds its description; empty if it has none.
    """

    text: str
    detail: str = ""
    kind: types.CompletionItemKind = types.CompletionItemKind.Constant
    snippet: str = ""
    name: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is the name of a file."""
        return self.kind is types.CompletionItemKind.File


def completion(snapshot: Snapshot, params: types.CompletionParams) -> types.CompletionList | None:
    """What may be written at a place, the likeliest first."""
    uri = params.text_document.uri
    source = snapshot.source(uri)
    if source is None:
        return None
    offset = snapshot.places.offset(source, params.position)
    start, offers = completions(snapshot.module(uri), source, offset)
    here = types.Range(snapshot.places.position(source, start), snapshot.places.position(source, offset))
    items = [_item(snapshot, uri, number, offer, here) for number, offer in enumerate(offers)]
    return types.CompletionList(is_incomplete=len(items) >= _MOST, items=items)


def _item(snapshot: Snapshot, uri: str, number: int, offer: Offer, here: types.Range) -> types.CompletionItem:
    snippet = offer.snippet if snapshot.client.snippets else ""
    form = types.InsertTextFormat
    return types.CompletionItem(
        offer.text,
        kind=offer.kind,
        detail=offer.detail or None,
        sort_text=f"{number:04}",
        insert_text_format=form.Snippet if snippet else form.PlainText,
        text_edit=types.TextEdit(here, snippet or offer.text),
        data={"uri": uri, "name": offer.name} if offer.name else None,
    )


def resolve(snapshot: Snapshot, item: types.CompletionItem) -> types.CompletionItem:
    """The same item with its description."""
    data = item.data
    if isinstance(data, dict) and isinstance(data.get("uri"), str) and isinstance(data.get("name"), str):
        module = snapshot.module(data["uri"])
        text = documentation(module, data["name"], markdown=snapshot.client.markdown_offers) if module else ""
        if text:
            kind = (
                types.MarkupKind.Markdown if snapshot.client.markdown_offers else types.MarkupKind.PlainText
            )
            item.documentation = types.MarkupContent(kind, text)
    return item


def documentation(module: Module, name: str, *, markdown: bool) -> str:
    """The description of what an offer names: ``relation Slot``, ``attribute Slot.time``, ``function number``."""
    kind, _, text = name.partition(" ")
    scope = module.scope
    symbols: Iterable[Symbol] = ()
    if kind == "relation":
        symbols = scope.find_relation(text)
    elif kind == "screen":
        symbols = scope.find_screen(text)
    elif kind == "let":
        symbols = [let for _, let in scope.find_let(text)]
    elif kind == "function":
        symbols = [ops.FUNCTIONS[text]] if text in ops.FUNCTIONS else []
    elif kind == "attribute":
        owner, _, attr = text.rpartition(".")
        relations = [each for each in scope.find_relation(owner) if attr in each.types]
        symbols = [AttributeSymbol(each, attr) for each in relations]
    elif kind == "keyword":
        return keyword(text)
    return next((describe(symbol, markdown=markdown) for symbol in symbols), "")


def item_start(module: Module | None, offset: int) -> int:
    """Where the text that belongs to what is written at an offset begins: behind the last whole item before it."""
    if module is None:
        return 0
    tree = module.unit.tree
    parts = (tree.span, *(item.span for item in (*tree.imports, *tree.items)))
    ends = [span.end for span in parts if span.end <= offset]
    return max(ends, default=0)


def completions(module: Module | None, source: Source, offset: int) -> tuple[int, list[Offer]]:
    """Where the begun name starts, and what may stand there.

    Args:
        module: the file as far as it could be read; None without a header.
        source: its text.
        offset: of the cursor in it.
    """
    tokens = list(lex(source.text, item_start(module, offset), offset))
    last = tokens[-1] if tokens else None
    if last is not None and last.text == "." and last.end == offset and len(tokens) > 1:
        module_name = tokens[-2]
        if module_name.kind == "word" and module_name.end == last.start:  # and then a name in it
            tokens[-2:] = [last := Token("word", f"{module_name.text}.", module_name.start)]
    begun, start = "", offset
    if last is not None and last.end == offset and last.kind in ("word", "variable", "annotation"):
        tokens.pop()
        begun, start = last.text, last.start
    elif last is not None and _unfinished(last, source.text, offset):
        return _in_text(module, source, tokens, last, offset)
    place = place_of(tokens, has_header=module is not None)
    if begun.startswith("@"):
        place = Place("annotation")
    offers = _offers(module, place, source, tokens)
    wanted = begun.lower()
    return start, [each for each in offers if each.text.lower().startswith(wanted)][:_MOST]


def _unfinished(token: Token, text: str, offset: int) -> bool:
    """Whether the cursor is inside of a text or comment."""
    if token.kind == "comment":
        return token.end == offset and not token.text.endswith("*/")
    if token.kind != "string" or token.end != offset:
        return False
    quotes = '"""' if token.text.startswith('"""') else '"'
    return len(token.text) < 2 * len(quotes) or not token.text.endswith(quotes)


def _in_text(
    module: Module | None, source: Source, tokens: list[Token], last: Token, offset: int
) -> tuple[int, list[Offer]]:
    """Inside of quotes: files of words, variables of a message, members that need quotes."""
    if last.kind == "comment" or last.text.startswith('"""'):
        return offset, []
    begun = last.text[1:]
    if len(tokens) > 1 and tokens[-2].text == "words" and source.path is not None:
        files = [Offer(name, kind=_KINDS.File) for name in _files(source.path.parent)]
        return last.start + 1, [each for each in files if each.text.lower().startswith(begun.lower())][:_MOST]
    place = place_of(tokens[:-1], has_header=module is not None)
    if place.wanted == "message" and (brace := begun.rfind("{")) > begun.rfind("}"):
        ends = source.text.find("\n\n", offset)
        names = _VARIABLE.findall(source.text, offset, len(source.text) if ends < 0 else ends)
        texts = dict.fromkeys(f"{{{name}}}" for name in names)
        typed = begun[brace:]
        return last.start + 1 + brace, [
            Offer(text, kind=_KINDS.Variable) for text in texts if text.startswith(typed)
        ]
    type_ = _type(module, place) if module and place.wanted == "value" else None
    if type_ is not None and type_.kind == "enum":
        matches = [Offer(each.name, str(type_), _KINDS.EnumMember) for each in type_.members]
        return last.start + 1, [each for each in matches if each.text.lower().startswith(begun.lower())]
    return offset, []


def _offers(module: Module | None, place: Place, source: Source, tokens: list[Token]) -> list[Offer]:
    if place.wanted in ("header", "item"):
        snippets = ITEM_SNIPPETS if place.wanted == "item" else {}
        offers = [_word(word, snippet_of(word)) for word in (snippets or ("app", "spec", "policy", "module"))]
        return offers + ([_word("@", "")] if snippets else [])
    if place.wanted == "annotation":
        return [_word(f"@{name}", "") for name in NAMES]
    if module is None:
        return []
    scope = module.scope
    match place.wanted:
        case "step":
            return [
                _word(word, STEP_SNIPPETS.get(word, "")) for word in sorted(STEP_WORDS | {"step"})
            ] + list(_relations(scope, ("gesture",)))
        case "relation":
            words = ["either", "each"] if place.word == "allow" else []
            words += ["no", "complete", "screen"] if place.word == "observe" else []
            return [*_relations(scope, _HEAD_SORTS.get(place.word, ())), *(_word(each, "") for each in words)]
        case "condition":
            return list(_conditions(scope, place))
        case "after":
            return [_word(word, "") for word in _AFTER]
        case "clause":
            return [_word(word, "") for word in _CLAUSES]
        case "screen":
            names = dict.fromkeys(scope.screen_names())
            return [Offer(name, "screen", _KINDS.Interface, name=f"screen {name}") for name in names]
        case "attribute":
            return list(_attributes(scope, place))
        case "operator":
            return list(_operators(_type(module, place)))
        case "value" | "argument":
            return list(_values(module, place))
        case "type":
            enums = dict.fromkeys([*scope.enums, *(n for m in scope.imports.values() for n in m.enums)])
            named = [Offer(name, "enum", _KINDS.Enum) for name in (*enums, "Weekday")]
            basic = [Offer(name, "type", _KINDS.TypeParameter, name=f"keyword {name}") for name in BASIC]
            return [*basic, *named, _word("set of", "set of ${0:Text}"), _word("enum", "enum {$0}")]
        case "module":
            have = {module.unit.name, *(item.name.text for item in module.unit.tree.imports)}
            folder = source.path or Path.cwd() / "<text>"
            return [Offer(name, kind=_KINDS.Module) for name in importable(folder) if name not in have]
        case "mark":
            values = RISKS if tokens[-2].text == "@risk" else SEVERITIES
            return [Offer(name, kind=_KINDS.EnumMember) for name in values]
        case "level":
            return [_word(word, "") for word in VERDICTS]
        case "reason":
            rules = [Offer(f'"{name}"', "rule", _KINDS.Event) for name in module.rules if ":" not in name]
            reasons = [_word(word, "") for word in REASON_WORDS]
            return [
                *reasons,
                *rules,
                *_relations(scope, ("action", "state", "view", "list", "derived"), plain=True),
            ]
        case _:
            return []


def _word(text: str, snippet: str) -> Offer:
    return Offer(text, "", _KINDS.Snippet if snippet else _KINDS.Keyword, snippet, f"keyword {text}")


def _relations(scope: Scope, sorts: tuple[str, ...], *, plain: bool = False) -> Iterator[Offer]:
    """The relations of some sorts (of all, if none is named), with a snippet that asks for their attributes."""
    for name in dict.fromkeys(scope.relation_names()):
        matches = scope.find_relation(name)
        if len(matches) == 1 and (not sorts or matches[0].sort in sorts):
            kind = _OF_SORT.get(matches[0].sort, _KINDS.Class)
            snippet = "" if plain or not matches[0].types else f"{name}($0)"
            yield Offer(name, _signature(matches[0]), kind, snippet, f"relation {name}")


def _signature(relation: RelationSymbol) -> str:
    return line(f"{relation.sort} ({', '.join(relation.types)})", _LONGEST)


def _conditions(scope: Scope, place: Place) -> Iterator[Offer]:
    yield from _relations(scope, ())
    yield from _variables(place)
    for word in ("not", "no", "before", "every", "first", "all", "screen"):
        yield _word(word, "")
    for word in sorted(AGGREGATES):
        snippet = "count($0)" if word == "count" else f"{word}(${{1:attribute}} of $0)"
        yield Offer(word, "aggregate", _KINDS.Function, snippet, f"keyword {word}")


def _variables(place: Place) -> Iterator[Offer]:
    for name, relation, attr in place.variables:
        yield Offer(f"?{name}", f"{relation}.{attr}" if relation else "", _KINDS.Variable)


def _attributes(scope: Scope, place: Place) -> Iterator[Offer]:
    relations = scope.find_relation(place.relation)
    for name, type_ in relations[0].types.items() if len(relations) == 1 else ():
        if name not in place.used:
            detail = str(type_) if type_ is not None else ""
            yield Offer(name, detail, _KINDS.Property, f"{name} = $0", f"attribute {place.relation}.{name}")


def _type(module: Module | None, place: Place) -> Type | None:
    relations = module.scope.find_relation(place.relation) if module and place.attr else []
    return relations[0].types.get(place.attr) if len(relations) == 1 else None


def _operators(type_: Type | None) -> Iterator[Offer]:
    """The operators that take a type, those that are written most first; all if it is not known."""
    tag = {"enum": "text"}.get(type_.kind, type_.kind.lower()) if type_ is not None else ""
    for symbol, operator in ops.OPERATORS.items():
        enum = type_ is not None and type_.kind == "enum"
        only_text = operator.types == frozenset({"text"}) or (
            "set" in operator.types and "bool" not in operator.types
        )
        if tag and (tag not in operator.types or (enum and only_text)):
            continue
        yield Offer(symbol, "", _KINDS.Operator, name=f"keyword {symbol}")


def _values(module: Module, place: Place) -> Iterator[Offer]:
    scope, type_ = module.scope, _type(module, place)
    op = place.op.removeprefix("not ")
    if op in ("matches", "in"):
        yield from _lists(scope, patterns=op == "matches")
        if type_ is not None and type_.kind == "enum":
            yield Offer("{", "", _KINDS.Operator, "{$0}")
        return
    element = type_.elem or type_ if type_ is not None else None
    if element is not None and element.kind == "enum":
        for member in element.members:
            yield Offer(member_source(member.name), str(element), _KINDS.EnumMember)
    elif element is not None and element.kind == "Bool":
        yield from (Offer(word, "Bool", _KINDS.Keyword) for word in ("true", "false"))
    if element is None or element.kind == "Date":
        yield Offer("today", "Date", _KINDS.Keyword, name="keyword today")
    yield from _variables(place)
    for name in dict.fromkeys(scope.let_names()):
        lets = scope.find_let(name)
        if len(lets) == 1 and _may_be(lets[0][1].value, element):
            yield Offer(name, "let", _KINDS.Constant, name=f"let {name}")
    for name, function in ops.FUNCTIONS.items():
        if name in FUNCTIONS and _gives(name, element):
            yield Offer(name, function.doc, _KINDS.Function, f"{name}($0)", f"function {name}")


def _may_be(value: t.Expr, type_: Type | None) -> bool:
    """Whether a constant may have a type, as far as its text tells."""
    if isinstance(value, t.WordsOf | t.Regex):
        return False
    if type_ is None or not isinstance(value, t.Text | t.Scalar):
        return True
    return (
        type_.kind in ("Text", "enum")
        if isinstance(value, t.Text)
        else tag(value.value) == type_.kind.lower()
    )


def _gives(name: str, type_: Type | None) -> bool:
    result = FUNCTIONS[name][1]
    if type_ is None or type_.kind in ("enum", "set"):
        return type_ is None or result is None
    return result is not None and result.kind == type_.kind


def _lists(scope: Scope, *, patterns: bool) -> Iterator[Offer]:
    """The lists of words, and the patterns, of a module and its imports, under the names that mean them."""
    for owner in (scope, *scope.imports.values()):
        for item in owner.unit.tree.items:
            if not isinstance(item, t.Let):
                continue
            if isinstance(item.value, t.WordsOf):
                detail = some_words(owner.unit.forms(item.value))
            elif patterns and isinstance(item.value, t.Regex):
                detail = line(pattern_source(Regex(item.value.source, item.value.flags)), _LONGEST)
            else:
                continue
            short = item.name.text
            names = [short, *(f"{name}.{short}" for name, one in scope.imports.items() if one is owner)]
            for name in names:
                if [let for _, let in scope.find_let(name)] == [item]:
                    yield Offer(name, detail, name=f"let {name}")
                    break


def _files(folder: Path) -> Iterator[str]:
    """The files of words in a folder and in those directly in it, hidden ones and links aside."""
    for pattern in (f"*{SUFFIX}", f"*/*{SUFFIX}"):
        for place in sorted(folder.glob(pattern)):
            name = place.relative_to(folder).as_posix()
            if not any(part.startswith(".") for part in name.split("/")) and not place.is_symlink():
                yield name
