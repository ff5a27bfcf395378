"""What the guard derives from a program, computed once for all its sessions."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vsalang.guard.frontier.frontier import Frontier
from vsalang.guard.judge.licences import Licences
from vsalang.guard.judge.meant_actions import MeantActions
from vsalang.guard.judge.relevant_names import Relevance
from vsalang.guard.world.rule_book import RuleBook, rule_book
from vsalang.program.ir import Program
from vsalang.program.walk import relations

_MOST: Final = 32
"""So many analyses are kept; sessions keep theirs alive longer."""

_LOCK: Final = threading.Lock()
_KEPT: "list[Analysis]" = []
"""The latest used last."""


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """A program as the guard reads it. Never changes.

    Attributes:
        book: its rules by what they do.
        licences: what its clauses permit, and how often.
        frontier: what its clauses ask for.
        relevance: what its rules say of gestures.
        actions: those that are meant by a name, qualified or short.
        imported: its main module and all that it imports, through others too.
        generic: its modules whose rules hold in every app.
        by_views: the `recognize` rules that take parameters from views of generic modules, by their names.
        meant: what its actions say of one another; None: nothing.
    """

    program: Program
    book: RuleBook
    licences: Licences
    frontier: Frontier
    relevance: Relevance
    actions: Mapping[str, tuple[str, ...]]
    imported: frozenset[str]
    generic: frozenset[str]
    by_views: frozenset[str]
    meant: MeantActions | None


def analysis(program: Program) -> Analysis:
    """The analysis of a program; of an equal one if that is kept. Safe from any thread."""
    with _LOCK:
        for number, kept in enumerate(_KEPT):
            same = kept.program is program
            if same or (kept.program.digest == program.digest and kept.program == program):
                _KEPT.append(_KEPT.pop(number))
                return kept
        licences = Licences(program)
        made = Analysis(
            program,
            rule_book(program),
            licences,
            Frontier(program, licences),
            Relevance(program),
            _actions(program),
            _imported(program),
            frozenset(name for name, module in program.modules.items() if module.generic),
            _by_views(program),
            MeantActions.of(program),
        )
        _KEPT.append(made)
        del _KEPT[:-_MOST]
        return made


def _actions(program: Program) -> Mapping[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for name, relation in program.relations.items():
        for called in dict.fromkeys((name, relation.short)) if relation.sort == "action" else ():
            names[called] = (*names.get(called, ()), name)
    return names


def _imported(program: Program) -> frozenset[str]:
    names: set[str] = set()
    todo = [program.main]
    while todo:
        name = todo.pop()
        if name not in names and name in program.modules:
            names.add(name)
            todo.extend(program.modules[name].imports)
    return frozenset(names)


def _by_views(program: Program) -> frozenset[str]:
    generic = {name for name, module in program.modules.items() if module.generic}
    views = {
        name
        for name, relation in program.relations.items()
        if relation.sort == "view" and relation.module in generic
    }
    return frozenset(
        rule.id for rule in (program.rules if views else ()) if rule.extra and relations(rule.extra) & views
    )
