"""Finds the name at a place of a module, its meaning, and its declaration."""

from collections.abc import Iterator
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.language.lint.walk import nodes
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.declare import declare
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import RelationSymbol, Scope, ScreenSymbol
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Type


@dataclass(frozen=True, slots=True)
class EnumSymbol:
    """An enum and its declaration (none for the device's)."""

    type: Type
    span: Span | None


@dataclass(frozen=True, slots=True)
class AttributeSymbol:
    """An attribute of a relation."""

    relation: RelationSymbol
    name: str
    span: Span | None


Symbol: TypeAlias = RelationSymbol | ScreenSymbol | EnumSymbol | AttributeSymbol | t.Let | Unit


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name of the text, and what it means.

    Attributes:
        words: those of the list that it names.
    """

    span: Span
    symbol: Symbol
    words: tuple[str, ...] = ()

    @property
    def declared(self) -> Span | None:
        """The place of the symbol's declaration; None if it is in no file."""
        match self.symbol:
            case t.Let(name=name):
                return name.span
            case Unit(tree=tree):
                return tree.name.span
            case symbol:
                return symbol.span


def main_unit(loaded: Loaded) -> Unit | None:
    """The module of the main file; None if nothing of it could be read."""
    return next((item for item in loaded.units if item.source.file == loaded.file), None)


def at(loaded: Loaded, offset: int) -> NameUse | None:
    """The name at an offset of the main file; None if there is none, or if its meaning is not clear."""
    unit = main_unit(loaded)
    if unit is None:
        return None
    for item in unit.tree.imports:
        if _holds(item.name.span, offset):
            target = unit.imports.get(item.alias.text if item.alias else item.name.text)
            return NameUse(item.name.span, target) if target else None
    part = next((part for part in unit.tree.items if _holds(part.span, offset)), None)
    if part is None:
        return None
    for name, kind, owner in _names(part):
        if _holds(name.span, offset):
            scope = scope_of(loaded, unit)
            symbol = _meaning(scope, name.text, kind, owner)
            words = _words(scope, name.text) if isinstance(symbol, t.Let) else ()
            return NameUse(name.span, symbol, words) if symbol is not None else None
    return None


def _words(scope: Scope, name: str) -> tuple[str, ...]:
    ((owner, let),) = scope.find_let(name)
    return owner.unit.forms(let.value) if isinstance(let.value, t.WordsOf) else ()


def scope_of(loaded: Loaded, unit: Unit) -> Scope:
    """The scope of a module, even of a broken one."""
    scopes: dict[int, Scope] = {}
    for item in loaded.units:  # imports come first
        scopes[id(item)] = declare(item, scopes, Report())
    return scopes[id(unit)]


def _holds(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


def _names(node: object) -> Iterator[tuple[t.Name, str, str]]:
    """Every name below a node, with its kind and its relation."""
    for item in nodes(node):
        match item:
            case t.Atom(name=name, place=place, args=args):
                yield name, "screen" if place else "relation", ""
                yield from ((arg.attr, "attribute", name.text) for arg in args)
            case t.Quantified(atom=atom, has=has):
                yield from ((arg.attr, "attribute", atom.name.text) for arg in has or ())
            case t.Aggregate(attr=t.Name() as attr, lit=lit):
                yield attr, "attribute", lit.atom.name.text
            case t.Relation(name=name, on=on):
                yield name, "relation", ""
                yield from ((screen, "screen", "") for screen in on)
                yield from ((key, "attribute", name.text) for key in (*item.within, *item.key))
                yield from ((attr.name, "attribute", name.text) for attr in item.attrs)
            case t.Action(name=name, params=params, over=over):
                yield from ((action, "relation", "") for action in (name, *over))
                yield from ((param.name, "attribute", name.text) for param in params)
            case t.Enum(name=name):
                yield name, "enum", ""
            case t.Let(name=name):
                yield name, "let", ""
            case t.ScreenHead(name=name, over=over):
                yield from ((screen, "screen", "") for screen in (name, *over))
            case t.GotoHead(screen=name):
                yield name, "screen", ""
            case t.Spent(action=name):
                yield name, "relation", ""
            case t.TypeRef(name=t.Name() as name):
                yield name, "enum", ""
            case t.Ref(name=text, span=span):
                yield t.Name(text, span), "let", ""
            case t.Test(target=t.Name() as target):
                yield target, "module", ""


def _meaning(scope: Scope, text: str, kind: str, owner: str) -> Symbol | None:
    if kind == "module":
        return scope.unit if text == scope.name else scope.unit.imports.get(text)
    if kind == "relation":
        relations = scope.find_relation(text)
        return relations[0] if len(relations) == 1 else None
    if kind == "screen":
        screens = scope.find_screen(text)
        return screens[0] if len(screens) == 1 else None
    if kind == "enum":
        enums = scope.find_enum(text)
        return _enum(scope, enums[0]) if len(enums) == 1 else None
    if kind == "let":
        lets = scope.find_let(text)
        return lets[0][1] if len(lets) == 1 else None
    relations = scope.find_relation(owner)
    if len(relations) != 1 or text not in relations[0].types:
        return None
    return AttributeSymbol(relations[0], text, _attribute(relations[0], text))


def _enum(scope: Scope, type: Type) -> EnumSymbol:
    for module in (scope, *scope.imports.values()):
        for name, declared in module.enums.items():
            if declared == type:
                return EnumSymbol(type, module.enum_spans[name])
    return EnumSymbol(type, None)


def declaration(relation: RelationSymbol) -> t.Relation | t.Action | None:
    """The declaration of a relation; None for derived ones and those of the device."""
    if relation.scope is None:
        return None
    for item in relation.scope.unit.tree.items:
        if isinstance(item, t.Relation | t.Action) and item.name.span == relation.span:
            return item
    return None


def _attribute(relation: RelationSymbol, name: str) -> Span | None:
    """The place of an attribute's declaration; for a derived relation in the head of its first rule."""
    item = declaration(relation)
    if item is not None:
        parts = item.attrs if isinstance(item, t.Relation) else item.params
        return next((part.name.span for part in parts if part.name.text == name), None)
    for rule in relation.rules:
        if isinstance(rule.head, t.AtomHead):
            return next((arg.attr.span for arg in rule.head.atom.args if arg.attr.text == name), None)
    return None
