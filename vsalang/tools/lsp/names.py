"""What the names of a module mean: each use of a name with its symbol, and where that is declared."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.base.source.files import real_path
from vsalang.language.lint.walk import nodes
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.declare import declare
from vsalang.language.semantics.inference import infer
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import RelationSymbol, Scope, ScreenSymbol
from vsalang.language.semantics.types import FUNCTIONS
from vsalang.language.syntax import tree as t
from vsalang.program import ops
from vsalang.program.ir import Type
from vsalang.program.text import canonical
from vsalang.tools.lsp.mentions import Mention, imported, mentions


@dataclass(frozen=True, slots=True)
class EnumSymbol:
    """An enum and its declaration (none for the device's)."""

    type: Type
    span: Span | None


@dataclass(frozen=True, slots=True)
class MemberSymbol:
    """A member of an enum; `owner` names the enum, or the attribute that has it."""

    type: Type
    name: str
    owner: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class AttributeSymbol:
    """An attribute of a relation."""

    relation: RelationSymbol
    name: str

    @property
    def span(self) -> Span | None:
        """The place of its declaration; None if no file declares it."""
        return attribute_span(self.relation, self.name)

    @property
    def type(self) -> Type | None:
        """Its type; None if nothing determines it."""
        return self.relation.types.get(self.name)


@dataclass(frozen=True, slots=True)
class VariableSymbol:
    """A variable of an item.

    Attributes:
        span: where it gets its value first, else its first mention.
        type: None where it is not known.
    """

    name: str
    item: t.Item
    span: Span
    type: Type | None


@dataclass(frozen=True, slots=True)
class RuleSymbol:
    """A rule, by its id: one that `@id` gives, or the module's name and its number."""

    id: str
    item: t.Rule
    unit: Unit


@dataclass(frozen=True, slots=True)
class AliasSymbol:
    """The name after ``as`` of an import."""

    name: str
    unit: Unit
    span: Span


Symbol: TypeAlias = (
    RelationSymbol
    | ScreenSymbol
    | EnumSymbol
    | MemberSymbol
    | AttributeSymbol
    | VariableSymbol
    | RuleSymbol
    | AliasSymbol
    | ops.Function
    | t.Let
    | Unit
)
Key: TypeAlias = tuple[str, ...]
"""Names a symbol in all modules of a workspace: equal for the same declaration, whichever file it is seen from."""
NO_KEY: Final[Key] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """A name of the text, and what it means: nothing, one symbol, or several (a reason may name several)."""

    mention: Mention
    symbols: tuple[Symbol, ...]

    @property
    def span(self) -> Span:
        """The place of the name."""
        return self.mention.span

    @property
    def symbol(self) -> Symbol | None:
        """The one thing that it means."""
        return self.symbols[0] if len(self.symbols) == 1 else None

    @property
    def declared(self) -> Span | None:
        """The place of the declaration of the first thing that it means."""
        return declared(self.symbols[0]) if self.symbols else None


def declared(symbol: Symbol) -> Span | None:
    """The place of a symbol's declaration; None if it is in no file."""
    match symbol:
        case t.Let(name=name):
            return name.span
        case Unit(tree=tree):
            return tree.name.span
        case RuleSymbol(item=item):
            return item.head.span
        case ops.Function():
            return None
        case _:
            return symbol.span


def key(symbol: Symbol, module: "Module") -> Key:
    """The key of a symbol that a module mentions; `NO_KEY` if it has no declaration of its own."""
    match symbol:
        case RelationSymbol(name=name, scope=scope):
            return ("relation", _file(scope.unit if scope else None), name)
        case AttributeSymbol(relation=relation, name=name):
            return ("attribute", *key(relation, module), name)
        case ScreenSymbol(name=name, scope=scope):
            return ("screen", _file(scope.unit), name)
        case EnumSymbol(type=type_, span=span):
            return ("enum", module.file_of(span), type_.name)
        case MemberSymbol(name=name, owner=owner, span=span):
            return ("member", module.file_of(span), owner, name)
        case VariableSymbol(name=name, item=item):
            return ("variable", module.file_of(item.span), str(item.span.start), name)
        case RuleSymbol(id=name, unit=unit):
            return ("rule", _file(unit), name)
        case AliasSymbol(name=name, span=span):
            return ("alias", module.file_of(span), name)
        case t.Let(name=each):
            return ("let", module.file_of(each.span), each.text)
        case Unit():
            return ("module", _file(symbol))
        case _:
            return NO_KEY


def _file(unit: Unit | None) -> str:
    if unit is None:
        return ""
    return str(real_path(unit.source.path)) if unit.source.path else unit.source.file


@dataclass(frozen=True)
class Module:
    """One file with the modules that it imports, read as far as they can be.

    Attributes:
        source: its text.
        unit: its tree.
        scope: its names, with the types of derived relations where they are known.
        scopes: of all modules, imports first.
        sources: every text that was read, by the name that spans use.
    """

    source: Source
    unit: Unit
    scope: Scope
    scopes: tuple[Scope, ...]
    sources: Mapping[str, Source]

    def file_of(self, span: Span | None) -> str:
        """The real path of the file of a span, or its name if it has none."""
        source = self.sources.get(span.file) if span else None
        if source is None:
            return span.file if span else ""
        return str(real_path(source.path)) if source.path else source.file

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every name of the file, in the order of the text."""
        uses = [_use(self, mention, None) for mention in imported(self.unit.tree)]
        for item in self.unit.tree.items:
            uses += self.uses_in(item)
        return tuple(sorted(uses, key=lambda use: use.span.start))

    def uses_between(self, start: int, end: int, without: frozenset[str] = frozenset()) -> Iterator[Use]:
        """The names of the imports and of the items that a part of the text touches, but for kinds of mentions."""
        yield from (_use(self, mention, None) for mention in imported(self.unit.tree))
        for item in self.unit.tree.items:
            if item.span.start <= end and item.span.end >= start:
                yield from self.uses_in(item, without)

    def uses_in(self, item: t.Item, without: frozenset[str] = frozenset()) -> list[Use]:
        """The names of one item, in the order of the text, but for kinds of mentions."""
        here = (each for each in mentions(item, self.source) if each.kind not in without)
        written = sorted(here, key=lambda each: each.span.start)
        variables = _variables(self.scope, item, written)
        return [
            Use(each, (variables[each.text],)) if each.kind == "variable" else _use(self, each, item)
            for each in written
        ]

    @cached_property
    def rules(self) -> Mapping[str, RuleSymbol]:
        """The rules of all modules by their ids."""
        return {rule.id: rule for scope in self.scopes for rule in _rules(scope.unit)}

    @cached_property
    def member_spans(self) -> Mapping[tuple[str, str], Span]:
        """Where members are declared, by their enum or attribute and their name."""
        return {name: span for scope in self.scopes for name, span in _member_spans(scope)}

    def item_at(self, offset: int) -> t.Item | None:
        """The item at an offset."""
        return next((item for item in self.unit.tree.items if _holds(item.span, offset)), None)

    def at(self, offset: int) -> Use | None:
        """The name at an offset (its end, and the mark before a variable, too); None if there is none."""
        item = self.item_at(offset)
        uses = self.uses_in(item) if item else [_use(self, each, None) for each in imported(self.unit.tree)]
        hit = next((use for use in uses if _holds(use.span, offset)), None)
        if hit is None and self.source.text[offset : offset + 1] == "?":
            return next((use for use in uses if use.span.start == offset + 1), None)
        return hit


def module_of(units: Iterable[Unit], main: Unit, sources: Mapping[str, Source]) -> Module:
    """A module of its units (imports first): their names are declared, and types inferred, without reports."""
    scopes: dict[int, Scope] = {}
    for unit in units:
        scopes[id(unit)] = declare(unit, scopes, Report(trial=True))
    infer(scopes.values(), Report(trial=True))
    return Module(main.source, main, scopes[id(main)], tuple(scopes.values()), sources)


def module_in(loaded: Loaded) -> Module | None:
    """The main module of what was loaded; None if nothing of it could be read."""
    main = next((unit for unit in loaded.units if unit.source.file == loaded.file), None)
    return module_of(loaded.units, main, loaded.sources) if main else None


def at(loaded: Loaded, offset: int) -> Use | None:
    """The name at an offset of the main file of what was loaded, if its meaning is clear."""
    module = module_in(loaded)
    use = module.at(offset) if module else None
    return use if use and use.symbols else None


def _holds(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


def _rules(unit: Unit) -> Iterator[RuleSymbol]:
    """The rules of a module with their ids, counted as the checker does."""
    number = 0
    for item in unit.tree.items:
        if isinstance(item, t.Rule):
            number += 1
            ids = [each.args[0] for each in item.annotations if each.name.text == "id" and each.args]
            name = ids[0].value if ids and isinstance(ids[0], t.Text) else f"{unit.name}:{number}"
            yield RuleSymbol(name, item, unit)


def _use(module: Module, mention: Mention, item: t.Item | None) -> Use:
    return Use(mention, tuple(_meanings(module, mention, item)))


def _meanings(module: Module, mention: Mention, item: t.Item | None) -> Iterable[Symbol]:
    scope, text = module.scope, mention.text
    match mention.kind:
        case "module":
            target = scope.unit if text == scope.name else scope.unit.imports.get(text)
            return [target] if target else []
        case "alias":
            target = scope.unit.imports.get(text)
            return [AliasSymbol(text, target, mention.span)] if target else []
        case "relation":
            return scope.find_relation(text)
        case "screen":
            return scope.find_screen(text)
        case "enum":
            return [_enum(scope, enum) for enum in scope.find_enum(text)]
        case "let":
            return [let for _, let in scope.find_let(text)]
        case "attribute":
            return _attributes(scope, mention.owner, text)
        case "member":
            return _members(module, mention, item)
        case "value":
            return _members(module, mention, item) or [let for _, let in scope.find_let(text)]
        case "function":
            return [ops.FUNCTIONS[text]] if text in ops.FUNCTIONS else []
        case "rule":
            return [module.rules[text]] if text in module.rules else []
        case _:
            return _reasons(module, text)


def _reasons(module: Module, text: str) -> list[Symbol]:
    """What a reason names, in the order in which the checker looks: a rule, a relation, a screen, an attribute."""
    if text in module.rules:
        return [module.rules[text]]
    scope = module.scope
    named: list[Symbol] = [*scope.find_relation(text), *scope.find_screen(text)]
    prefix, dot, last = text.rpartition(".")
    if named or dot:
        return named or list(_attributes(scope, prefix, last))
    relations = {id(each): each for name in scope.relation_names() for each in scope.find_relation(name)}
    return [
        AttributeSymbol(each, text)
        for each in relations.values()
        if text in each.types and each.scope is not None
    ]


def _attributes(scope: Scope, owner: str, name: str) -> list[AttributeSymbol]:
    return [
        AttributeSymbol(relation, name) for relation in scope.find_relation(owner) if name in relation.types
    ]


def _members(module: Module, mention: Mention, item: t.Item | None) -> list[MemberSymbol]:
    """The member that a word or text is, of the type of the cell that it is declared for or compared with."""
    scope, name = module.scope, canonical(mention.text)
    if mention.declares and isinstance(item, t.Enum):
        enum = scope.enums.get(mention.owner)
        return [MemberSymbol(enum, name, enum.name, mention.span)] if enum else []
    return [
        member
        for relation in scope.find_relation(mention.owner)
        for member in [
            _member(module, relation.types.get(mention.attr), name, f"{relation.name}.{mention.attr}")
        ]
        if member
    ]


def _member(module: Module, type_: Type | None, name: str, owner: str) -> MemberSymbol | None:
    enum = type_.elem if type_ and type_.kind == "set" else type_
    if enum is None or enum.kind != "enum" or not any(member.name == name for member in enum.members):
        return None
    owner = enum.name or owner
    return MemberSymbol(enum, name, owner, module.member_spans.get((owner, name)))


def _member_spans(scope: Scope) -> Iterator[tuple[tuple[str, str], Span]]:
    """The members that a module declares, by their enum, or by the attribute that has them."""
    for item in scope.unit.tree.items:
        if isinstance(item, t.Enum):
            for member in item.members:
                yield (f"{scope.name}.{item.name.text}", canonical(member.name.text)), member.name.span
        elif isinstance(item, t.Relation | t.Action):
            for attr in item.attrs if isinstance(item, t.Relation) else item.params:
                owner = f"{scope.name}.{item.name.text}.{attr.name.text}"
                for member in (attr.type.elem or attr.type).members or ():
                    yield (owner, canonical(member.name.text)), member.name.span


def _enum(scope: Scope, type: Type) -> EnumSymbol:
    for module in (scope, *scope.imports.values()):
        for name, enum in module.enums.items():
            if enum == type:
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


def attribute_span(relation: RelationSymbol, name: str) -> Span | None:
    """The place of an attribute's declaration; for a derived relation in the head of its first rule."""
    item = declaration(relation)
    if item is not None:
        parts = item.attrs if isinstance(item, t.Relation) else item.params
        return next((part.name.span for part in parts if part.name.text == name), None)
    for rule in relation.rules:
        if isinstance(rule.head, t.AtomHead):
            return next((arg.attr.span for arg in rule.head.atom.args if arg.attr.text == name), None)
    return None


def words_of(module: Module, let: t.Let) -> tuple[str, ...]:
    """The words of a list that a module or one of its imports declares."""
    for scope in module.scopes:
        if scope.lets.get(let.name.text) is let:
            return scope.unit.forms(let.value) if isinstance(let.value, t.WordsOf) else ()
    return ()


# ---------------------------------------------------------------- variables


def _variables(scope: Scope, item: t.Item, written: Iterable[Mention]) -> dict[str, VariableSymbol]:
    names = [each for each in written if each.kind == "variable"]
    if not names:
        return {}
    types = variable_types(scope, item)
    spans = {each.text: each.span for each in reversed(names)}
    spans |= dict(reversed(list(binders(item))))
    return {name: VariableSymbol(name, item, span, types.get(name)) for name, span in spans.items()}


def binders(item: t.Item) -> Iterator[tuple[str, Span]]:
    """The variables that constraints of an item give a value, each with its place."""
    head = item.head.span if isinstance(item, t.Rule) and isinstance(item.head, t.AtomHead) else None
    for _, args in atoms(item):
        for arg in args:
            inside = head is not None and head.start <= arg.span.start < head.end
            if arg.op == "=" and isinstance(arg.value, t.Var) and not inside:
                yield arg.value.name, Span(arg.value.span.file, arg.value.span.start + 1, arg.value.span.end)


def variable_types(scope: Scope, item: t.Item) -> dict[str, Type]:
    """The types of an item's variables, as far as constraints and functions tell them."""
    types: dict[str, Type] = {}

    def note(value: t.Expr | None, type_: Type | None) -> None:
        if isinstance(value, t.Var) and type_ is not None:
            types.setdefault(value.name, type_)

    for atom, args in atoms(item):
        relations = scope.find_relation(atom.name.text)
        for arg in args if len(relations) == 1 else ():
            if arg.op == "=":
                note(arg.value, relations[0].types.get(arg.attr.text))
            if isinstance(arg.value, t.Call) and arg.value.name.text in FUNCTIONS and arg.value.args:
                note(arg.value.args[0], FUNCTIONS[arg.value.name.text][0])
    return types


def atoms(node: object) -> Iterator[tuple[t.Atom, tuple[t.Arg, ...]]]:
    """The atoms below a node, each with the constraints on its rows."""
    for item in nodes(node):
        if isinstance(item, t.Atom) and not item.place:
            yield item, item.args
        elif isinstance(item, t.Quantified):
            yield item.atom, item.has or ()
