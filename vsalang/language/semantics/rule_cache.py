"""Caches the checked rules of app and library modules in memory: many specs import the same few modules.

The rules of a module depend only on its text and on its imports. They are cached only if there are no findings about
them, so that what is reported never depends on what was checked before.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import Scope
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Rule

MOST: Final = 64
"""How many modules are cached."""

_Key = tuple[object, ...]
_Ids = dict[str, t.Rule]
_LOCK: Final = threading.Lock()
_RULES: "OrderedDict[_Key, tuple[tuple[t.Module, ...], tuple[Rule, ...], _Ids]]" = OrderedDict()
"""The key is the identity of the trees, and what is in files of words; the entries keep the trees alive."""


def checked_once(
    scope: Scope, ids: _Ids, report: Report, check: Callable[[_Ids], Iterable[Rule]]
) -> tuple[Rule, ...]:
    """The rules of a module, from the cache if the same module with the same imports was checked before.

    Args:
        ids: the rules of the program by id so far; those of this module are added.
        check: checks the rules, given `ids`.
    """
    trees = _trees(scope.unit) if scope.kind in ("app", "module") else None
    if trees is None:
        return tuple(check(ids))
    key = (*map(id, trees), *_word_files(scope.unit))
    with _LOCK:
        kept = _RULES.get(key)
    if kept is not None and not kept[2].keys() & ids.keys():
        ids.update(kept[2])
        return kept[1]
    before, counts_before = len(ids), (len(report.diagnostics), report.errors, report.mute_hits)
    rules = tuple(check(ids))
    if counts_before == (len(report.diagnostics), report.errors, report.mute_hits) and not report.errors:
        own = dict(islice(ids.items(), before, None))  # rules are only ever added
        with _LOCK:
            _RULES[key] = (trees, rules, own)
            while len(_RULES) > MOST:
                _RULES.popitem(last=False)
    return rules


def _word_files(unit: Unit) -> Iterable[str]:
    """What is in the files of words of a module and of all its imports."""
    seen: dict[int, Unit] = {}
    waiting = [unit]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen[id(one)] = one
            waiting.extend(one.imports.values())
            yield from (f"{name} {each.source.digest}" for name, each in one.words.items())


def _trees(unit: Unit) -> tuple[t.Module, ...] | None:
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
