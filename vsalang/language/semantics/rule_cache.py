"""Caches the checked rules and types of app and library modules in memory: many specs import the same few modules.

Both depend only on a module's text and on its imports. They are cached only if there are no findings about
them, so that what is reported never depends on what was checked before.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from itertools import islice
from typing import Any, Final, TypeAlias

from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import RelationSymbol, Scope
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Rule, Type

MOST: Final = 64
"""How many modules are cached."""
VERSIONS: Final = 2
"""How many versions of one file are."""

Key: TypeAlias = tuple[object, ...]
"""Names a module with its imports."""
_Ids = dict[str, t.Rule]
_LOCK: Final = threading.Lock()
_RULES: "OrderedDict[Key, tuple[tuple[t.Module, ...], tuple[Rule, ...], _Ids]]" = OrderedDict()
"""The key is the identity of the trees, and what is in files of words; the entries keep the trees alive."""

_Types: TypeAlias = dict[str, dict[str, Type | None]]
_TYPES: "OrderedDict[Key, tuple[tuple[t.Module, ...], _Types]]" = OrderedDict()
"""The types of derived relations, by their short names; as `_RULES` otherwise."""


def derived(scope: Scope) -> Iterator[RelationSymbol]:
    """The relations that a module defines by rules."""
    return (symbol for symbol in scope.relations.values() if symbol.sort == "derived")


def known_types(scope: Scope) -> None:
    """Give the derived relations of a module the types that were inferred for the same module before."""
    same = identity(scope)
    if same is None:
        return
    with _LOCK:
        kept = _TYPES.get(same[0])
    if kept is None:
        return
    for symbol in derived(scope):
        symbol.types.update(kept[1][symbol.short])


def keep_types(scope: Scope) -> None:
    """Keep the types of a module's derived relations, if all are known."""
    same = identity(scope)
    types = {symbol.short: dict(symbol.types) for symbol in derived(scope)}
    if same is None or any(type_ is None for each in types.values() for type_ in each.values()):
        return
    with _LOCK:
        _TYPES[same[0]] = (same[1], types)
        _drop_older(_TYPES, same[1])
        while len(_TYPES) > MOST:
            _TYPES.popitem(last=False)


def checked_once(
    scope: Scope, ids: _Ids, report: Report, check: Callable[[_Ids], Iterable[Rule]]
) -> tuple[Rule, ...]:
    """The rules of a module, from the cache if the same module with the same imports was checked before.

    Args:
        ids: the rules of the program by id so far; those of this module are added.
        check: checks the rules, given `ids`.
    """
    same = identity(scope)
    if same is None:
        return tuple(check(ids))
    key, trees = same
    with _LOCK:
        kept = _RULES.get(key)
    if kept is not None and not kept[2].keys() & ids.keys():
        ids.update(kept[2])
        return kept[1]
    before, counts_before = len(ids), (len(report.diagnostics), report.errors, report.unsaid)
    rules = tuple(check(ids))
    if counts_before == (len(report.diagnostics), report.errors, report.unsaid) and not report.errors:
        own = dict(islice(ids.items(), before, None))  # rules are only ever added
        with _LOCK:
            _RULES[key] = (trees, rules, own)
            _drop_older(_RULES, trees)
            while len(_RULES) > MOST:
                _RULES.popitem(last=False)
    return rules


def _drop_older(cache: MutableMapping[Key, Any], trees: tuple[t.Module, ...]) -> None:
    """Drop what is cached of older versions of a module: somebody is editing its file."""
    file = trees[0].span.file
    versions = [key for key, entry in cache.items() if entry[0][0].span.file == file]
    for key in versions[:-VERSIONS]:
        del cache[key]


def identity(scope: Scope) -> tuple[Key, tuple[t.Module, ...]] | None:
    """What an app or library module is, with its imports; None: it is neither, or one of them is incomplete.

    Returns:
        the key, equal for equal modules as long as the trees, which come second, are alive.
    """
    trees = trees_of(scope.unit) if scope.kind in ("app", "module") else None
    return None if trees is None else ((*map(id, trees), *word_files(scope.unit)), trees)


def word_files(unit: Unit) -> Iterable[str]:
    """What is in the files of words of a module and of all its imports."""
    seen: dict[int, Unit] = {}
    waiting = [unit]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen[id(one)] = one
            waiting.extend(one.imports.values())
            yield from (f"{name} {each.source.digest}" for name, each in one.words.items())


def trees_of(unit: Unit) -> tuple[t.Module, ...] | None:
    """The trees of a module and of all its imports; None if one of them is incomplete."""
    modules: dict[int, t.Module] = {}
    waiting = [unit]
    while waiting:
        one = waiting.pop()
        if one.broken or one.failed:
            return None
        if id(one.tree) not in modules:
            modules[id(one.tree)] = one.tree
            waiting.extend(one.imports.values())
    return tuple(modules.values())
