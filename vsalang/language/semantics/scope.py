"""Scopes: the declarations of each module, and which declarations of other modules it sees."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from vsalang.base.source import Span
from vsalang.language.semantics.loader import Unit
from vsalang.language.syntax import tree as t
from vsalang.program.ir import BOOL, DATE, DURATION, NUMBER, TEXT, TIME, Relation, Type
from vsalang.program.native.android import WEEKDAY
from vsalang.program.vocabulary import ANDROID, NATIVE

BASIC = {"Text": TEXT, "Number": NUMBER, "Bool": BOOL, "Date": DATE, "Time": TIME, "Duration": DURATION}


@dataclass
class RelationSymbol:
    """A relation while its program is checked.

    Attributes:
        types: attribute -> type; None while the type of a derived attribute is not known yet.
        relation: the finished relation; of a derived one only after inference.
        scope: the module that declares it; None for the device vocabulary.
        rules: the `define` rules of a derived relation.
    """

    name: str
    sort: str
    types: dict[str, Type | None]
    docs: dict[str, str] = field(default_factory=dict)
    relation: Relation | None = None
    scope: "Scope | None" = None
    span: Span | None = None
    rules: list[t.Rule] = field(default_factory=list)

    @property
    def short(self) -> str:
        """The name without its module."""
        return self.name.rpartition(".")[2]


@dataclass
class ScreenSymbol:
    """A screen: its rules and its qualified name (``module:Screen``)."""

    name: str
    span: Span
    scope: "Scope"
    rules: list[t.Rule] = field(default_factory=list)


@dataclass
class Scope:
    """The names of one module.

    `lost` are the words of the text that did not parse: they are not reported as unknown. `lost_relations` are the
    relations that seem to be declared there: they shadow those of imports and of the device.
    """

    unit: Unit
    relations: dict[str, RelationSymbol] = field(default_factory=dict)
    screens: dict[str, ScreenSymbol] = field(default_factory=dict)
    enums: dict[str, Type] = field(default_factory=dict)
    enum_spans: dict[str, Span] = field(default_factory=dict)
    lets: dict[str, t.Let] = field(default_factory=dict)
    imports: dict[str, "Scope"] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    lost_relations: frozenset[str] = frozenset()
    _noted: set[tuple[str, str]] | None = field(default=None, repr=False, compare=False)

    @contextmanager
    def noting(self, lookups: set[tuple[str, str]]) -> Iterator[None]:
        """Note which methods are asked for which names in this block: what is made in it depends on these."""
        before, self._noted = self._noted, lookups
        try:
            yield
        finally:
            self._noted = before

    def _note(self, method: str, name: str = "") -> None:
        if self._noted is not None:
            self._noted.add((method, name))

    @property
    def name(self) -> str:
        return self.unit.name

    @property
    def kind(self) -> str:
        """app, spec, policy or module."""
        return self.unit.kind

    def natives(self) -> Iterator[dict[str, RelationSymbol]]:
        """The native relations of the standard modules it imports."""
        for module in (self, *self.imports.values()):
            if module.name in NATIVE:
                yield _natives(module.name)

    def find_relation(self, name: str) -> list[RelationSymbol]:
        """Every relation that `name` may mean here; exactly one if there is no mistake."""
        self._note("find_relation", name)
        prefix, _, last = name.rpartition(".")
        if prefix:
            if prefix == "std.android" and last in ANDROID:
                return [_android()[last]]
            module = self.imports.get(prefix) or (self if prefix == self.name else None)
            if module is None:
                return []
            if last in module.relations:
                return [module.relations[last]]
            if module.name in NATIVE and last in NATIVE[module.name]:
                return [_natives(module.name)[last]]
            return []
        if last in self.relations:
            return [self.relations[last]]
        if last in self.lost_relations:
            return []
        symbols = [module.relations[last] for module in self.imports.values() if last in module.relations]
        if symbols:
            return _unique(symbols)
        for natives in self.natives():
            if last in natives:
                return [natives[last]]
        if last in ANDROID:
            return [_android()[last]]
        return []

    def relation_called(self, name: str) -> RelationSymbol | None:
        """The relation of this module, or of one that it imports, with a qualified name; None: neither has one."""
        self._note("relation_called", name)
        module, _, short = name.rpartition(".")
        for scope in (self, *self.imports.values()):
            if scope.name == module and short in scope.relations:
                return scope.relations[short]
        return None

    def relation_names(self) -> Iterator[str]:
        """Every relation name that can be written here."""
        self._note("relation_names")
        yield from self.relations
        for alias, module in self.imports.items():
            yield from module.relations
            yield from (f"{alias}.{name}" for name in module.relations)
        for natives in self.natives():
            yield from natives
        yield from ANDROID

    def find_screen(self, name: str) -> list[ScreenSymbol]:
        """Every screen that `name` may mean here."""
        self._note("find_screen", name)
        prefix, _, last = name.rpartition(".")
        if prefix:
            module = self.imports.get(prefix) or (self if prefix == self.name else None)
            return [module.screens[last]] if module and last in module.screens else []
        if last in self.screens:
            return [self.screens[last]]
        return [module.screens[last] for module in _modules(self.imports.values()) if last in module.screens]

    def screen_names(self) -> Iterator[str]:
        """Every screen name that can be written here."""
        self._note("screen_names")
        yield from self.screens
        for module in self.imports.values():
            yield from module.screens

    def find_enum(self, name: str) -> list[Type]:
        """Every named enum that `name` may mean here."""
        self._note("find_enum", name)
        prefix, _, last = name.rpartition(".")
        if prefix:
            module = self.imports.get(prefix) or (self if prefix == self.name else None)
            return [module.enums[last]] if module and last in module.enums else []
        if last in self.enums:
            return [self.enums[last]]
        types = [module.enums[last] for module in _modules(self.imports.values()) if last in module.enums]
        if not types and last == "Weekday":
            return [WEEKDAY]
        return types

    def enums_with(self, member: str) -> list[Type]:
        """The named enums seen here that have the member."""
        self._note("enums_with", member)
        enums = [
            WEEKDAY,
            *self.enums.values(),
            *(e for m in _modules(self.imports.values()) for e in m.enums.values()),
        ]
        return [enum for enum in enums if any(m.name == member for m in enum.members)]

    def find_let(self, name: str) -> list[tuple["Scope", t.Let]]:
        """Every constant that `name` may mean here, with the module that declares it."""
        self._note("find_let", name)
        prefix, _, last = name.rpartition(".")
        if prefix:
            module = self.imports.get(prefix) or (self if prefix == self.name else None)
            return [(module, module.lets[last])] if module and last in module.lets else []
        if last in self.lets:
            return [(self, self.lets[last])]
        return [
            (module, module.lets[last]) for module in _modules(self.imports.values()) if last in module.lets
        ]

    def let_names(self) -> Iterator[str]:
        """Every constant that can be written here."""
        self._note("let_names")
        yield from self.lets
        for module in self.imports.values():
            yield from module.lets

    def silent(self, name: str) -> bool:
        """Whether an unknown name is a consequence of a mistake that was reported already."""
        self._note("silent", name)
        prefix, _, last = name.rpartition(".")
        if prefix:
            module = self.imports.get(prefix)
            return prefix in self.unit.failed or (module is not None and last in module.lost)
        return (
            bool(self.unit.failed) or last in self.lost or any(last in m.lost for m in self.imports.values())
        )


def _modules(scopes: Iterable[Scope]) -> list[Scope]:
    return list({id(scope): scope for scope in scopes}.values())


def _unique(symbols: list[RelationSymbol]) -> list[RelationSymbol]:
    return list({symbol.name: symbol for symbol in symbols}.values())


_cache: dict[str, dict[str, RelationSymbol]] = {}


def _symbols(key: str, relations: Iterable[Relation]) -> dict[str, RelationSymbol]:
    if key not in _cache:
        _cache[key] = {r.name: native_symbol(r) for r in relations}
    return _cache[key]


def _natives(module: str) -> dict[str, RelationSymbol]:
    return _symbols(module, NATIVE[module].values())


def _android() -> dict[str, RelationSymbol]:
    return _symbols("std.android", ANDROID.values())


def native_symbol(relation: Relation) -> RelationSymbol:
    """The symbol of a relation of the device vocabulary."""
    return RelationSymbol(
        relation.name,
        relation.sort,
        {a.name: a.type for a in relation.attrs},
        {a.name: a.doc for a in relation.attrs},
        relation,
    )
