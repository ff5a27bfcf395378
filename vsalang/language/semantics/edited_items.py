"""Keeps what was made of the rules and tests of a module that somebody edits: only what changed is checked again.

The item is the unit. Its key is its text, what the names that the checker looked up for it mean, and what the module
imports. Items with findings are checked each time, so that what is reported never depends on what was checked before.
For editors only (`Unit.edited`); never where something is decided.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from vsalang.base.records import dataclass
from vsalang.base.source.moving import moved
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.rule_cache import trees_of, word_files
from vsalang.language.semantics.scope import RelationSymbol, Scope
from vsalang.language.syntax import tree as t
from vsalang.language.syntax.incremental import MOST
from vsalang.program.example import Example
from vsalang.program.ir import Rule

Made = TypeVar("Made", Rule, Example)
Lookup = tuple[str, str]
"""A method of `Scope`, and the name that it was asked for."""
_LOCK: Final = threading.Lock()
_KNOWN: "Final[OrderedDict[str, _Version]]" = OrderedDict()
"""The last version of each file that is edited."""


@dataclass(frozen=True, slots=True)
class _Result:
    """What was made of an item that began at `start`; `lookups` are the names that it depends on."""

    start: int
    made: Any
    lookups: frozenset[Lookup]


@dataclass(frozen=True, slots=True)
class _Frame:
    """What every item of a module depends on.

    Attributes:
        header: its kind, name and packages, and what is in its files of words.
        imports: the trees of its imports with all that they import, by the name that the module uses.
    """

    header: tuple[object, ...]
    imports: tuple[tuple[str, tuple[t.Module, ...]], ...]

    @classmethod
    def of(cls, unit: Unit) -> "_Frame | None":
        """The frame of a module; None if an import is incomplete."""
        tree = unit.tree
        packages = tuple(each.value for each in tree.packages)
        header = tree.kind, tree.name.text, packages, tree.generic, *word_files(unit)
        imports: list[tuple[str, tuple[t.Module, ...]]] = []
        for name, each in unit.imports.items():
            trees = trees_of(each)
            if trees is None:
                return None
            imports.append((name, trees))
        return cls(header, tuple(imports))

    def same(self, other: "_Frame") -> bool:
        """Whether both are equal; trees are compared by their identity."""
        return self.header == other.header and [(name, *map(id, trees)) for name, trees in self.imports] == [
            (name, *map(id, trees)) for name, trees in other.imports
        ]


@dataclass(frozen=True, slots=True)
class _Version:
    """What was made of one version of a file.

    Attributes:
        frame: what all its items depend on.
        items: by their text, and what else their result depends on.
        meanings: what each name meant.
    """

    frame: _Frame
    items: dict[tuple[str, object], _Result]
    meanings: dict[Lookup, object]


class EditedItems:
    """The items of one version of a module, next to those of the version before it.

    Args:
        scope: the names of the module.
        report: where findings go.
    """

    def __init__(self, scope: Scope, report: Report) -> None:
        self.scope = scope
        self._report = report
        frame = _Frame.of(scope.unit) if scope.unit.edited else None
        with _LOCK:
            last = _KNOWN.get(scope.unit.source.file)
        self._before = last if last is not None and frame is not None and last.frame.same(frame) else None
        self._now = _Version(frame, {}, {}) if frame is not None else None
        self._same: dict[Lookup, bool] = {}

    def once(self, item: t.Item, also: object, make: Callable[[], Made | None]) -> Made | None:
        """What is made of an item: moved from the version before, if nothing that it depends on has changed.

        Args:
            also: what the result depends on, next to the item and the names of its module.
            make: makes it of the item.
        """
        if self._now is None:
            return make()
        key = (self.scope.unit.source.slice(item.span), also)
        kept = self._now.items.get(key) or self._from_before(key)
        if kept is not None:
            made: Made | None = moved(kept.made, item.span.start - kept.start)
            self._now.items[key] = replace(kept, start=item.span.start, made=made)
            return made
        report = self._report
        before = len(report.diagnostics), report.errors, report.unsaid
        lookups: set[Lookup] = set()
        with self.scope.noting(lookups):
            made = make()
        if made is not None and before == (len(report.diagnostics), report.errors, report.unsaid):
            for lookup in lookups:
                self._meaning(lookup)
            self._now.items[key] = _Result(item.span.start, made, frozenset(lookups))
        return made

    def _from_before(self, key: tuple[str, object]) -> _Result | None:
        """What was made of an item of the version before, if its names mean the same."""
        kept = self._before.items.get(key) if self._before is not None else None
        return kept if kept is not None and all(map(self._is_same, kept.lookups)) else None

    def _is_same(self, lookup: Lookup) -> bool:
        """Whether a name means what it meant in the version before, where it was looked up."""
        known = self._same.get(lookup)
        if known is None:
            assert self._now is not None and self._before is not None
            known = self._before.meanings[lookup] == self._meaning(lookup)
            self._same[lookup] = known
        return known

    def _meaning(self, lookup: Lookup) -> object:
        assert self._now is not None
        meanings = self._now.meanings
        if lookup not in meanings:
            meanings[lookup] = _meaning(self.scope, lookup)
        return meanings[lookup]

    def keep(self) -> None:
        """Keep this version for the next one, in place of the one before."""
        if self._now is None:
            return
        file = self.scope.unit.source.file
        with _LOCK:
            _KNOWN[file] = self._now
            _KNOWN.move_to_end(file)
            while len(_KNOWN) > MOST:
                _KNOWN.popitem(last=False)


def _meaning(scope: Scope, lookup: Lookup) -> object:
    """What a name means in a module, without places."""
    method, name = lookup
    meant = getattr(scope, method)(name) if name else getattr(scope, method)()
    if method == "find_let":
        return [(owner.name, owner.unit.source.slice(let.span)) for owner, let in meant]
    if method == "find_screen":
        return [each.name for each in meant]
    if method in ("find_relation", "relation_called"):
        symbols = meant if isinstance(meant, list) else [meant]
        return [_symbol(each, scope) for each in symbols if each is not None]
    return list(meant) if isinstance(meant, Iterator) else meant


def _symbol(symbol: RelationSymbol, scope: Scope) -> object:
    relation = symbol.relation
    own = symbol.scope is scope
    rules = [scope.unit.source.slice(rule.span) for rule in symbol.rules] if own else None
    return (
        symbol.name,
        symbol.sort,
        dict(symbol.types),
        replace(relation, span=None) if relation is not None else None,
        own,
        rules,
    )
