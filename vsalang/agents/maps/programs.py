"""The graph that a program's `screen` and `goto` rules say, and which of its screens a look is."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from vsalang.agents.maps.screen_graph import Edge, Graph, Screen, anywhere
from vsalang.agents.maps.signature import app_of, unnamed
from vsalang.guard import Guard, Settings
from vsalang.guard.world.clock import ScreenClock
from vsalang.program.action import Action
from vsalang.program.ir import (
    Atom,
    Const,
    Constraint,
    Derive,
    Goto,
    Literal,
    Program,
    Relation,
    Rule,
    Write,
)
from vsalang.program.transitions import others, starts, triggers
from vsalang.program.walk import parts, relations, rewrite
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

Item = TypeVar("Item", Atom, Literal)


def graph_of(program: Program) -> Graph:
    """The graph of a program's app modules: a screen for each `screen`, an edge for each `goto`."""
    screens = {
        name: Screen(name, "screen", relation.module, over=relation.over)
        for name, relation in program.relations.items()
        if relation.sort == "screen"
    }
    edges: dict[object, Edge] = {}
    for rule in program.rules:
        if not isinstance(rule.head, Goto):
            continue
        when = tuple(_bare(literal) for literal in others(rule, program))
        for gesture in triggers(rule, program):
            for source in starts(rule, program) or [anywhere(rule.module)]:
                edge = Edge(source, _bare(gesture), rule.head.screen, when, origin="rule", rule=rule.id)
                edges.setdefault(edge.key, edge)
    return Graph(screens, tuple(edges.values()))


def ids_read(program: Program) -> Mapping[str, frozenset[str]]:
    """The ids of nodes that `update` and `delete` rules read (also by `define`), by the screens on which they do.

    What a rule reads that asks for no screen, and whose view lies on none, is at the empty name.
    """
    by_head: dict[str, list[Rule]] = {}
    for rule in program.rules:
        if isinstance(rule.head, Derive):
            by_head.setdefault(rule.head.atom.relation, []).append(rule)
    ids_by_screen: dict[str, set[str]] = {}
    for rule in program.rules:
        if not isinstance(rule.head, Write):
            continue
        passed: dict[str, Rule] = {}
        begun = [rule]
        while begun:
            one = begun.pop()
            passed[one.id] = one
            names = {name for literal in one.body for name in relations(literal)}
            begun += [more for name in names for more in by_head.get(name, ()) if more.id not in passed]
        ids = {
            str(part.term.value)
            for one in passed.values()
            for literal in one.body
            for part in parts(literal)
            if isinstance(part, Constraint) and part.attr == "id" and isinstance(part.term, Const)
        }
        screens = {name for one in passed.values() for name in starts(one, program)}
        for screen in screens or program.relation(rule.head.atom.relation).on or ("",):
            ids_by_screen.setdefault(screen, set()).update(ids)
    return {screen: frozenset(ids) for screen, ids in ids_by_screen.items()}


def _bare(item: Item) -> Item:
    """The same without places in a file: equal wherever it is written."""
    return rewrite(item, lambda each: replace(each, span=None) if getattr(each, "span", None) else each)


def named(
    program: Program, labels: Sequence[str], plain: Screen | None, look: TreeScreen | None
) -> Screen | None:
    """The screen that a look is by a program's rules, else `plain` as one of the program's apps; None: neither.

    Args:
        labels: the program's screens that show, in order.
        plain: the screen by its usable widgets; None: they are not known.
        look: what was seen, if it is a tree.
    """
    package = app_of(look)[0] if look is not None else ""
    module = next((each.name for each in program.modules.values() if package in each.packages), package)
    generic = {info.name for info in program.modules.values() if info.generic}
    labels = [name for name in labels if program.relation(name).module not in generic]
    if not labels:
        return replace(plain, app=module) if plain is not None else None
    relation: Relation = program.relation(
        next((name for name in labels if program.relation(name).module == module), labels[0])
    )
    known = plain if plain is not None else Screen(relation.name, "screen")
    return replace(known, name=relation.name, kind="screen", app=relation.module, over=relation.over)


class Reader:
    """Says which screen of a graph a look is: one that a program names, else one known by its usable widgets.

    Args:
        program: left out, no screen has a name.

    One reader reads one session, look by look, as a guard would: what rules believe goes on from look to look.
    """

    def __init__(self, program: Program | None = None) -> None:
        self._program = program
        self._guard: Guard | None = None
        self._known: dict[int, tuple[Tree, Screen]] = {}

    def begin(self) -> None:
        if self._program is not None:
            clock = ScreenClock(live=False)
            self._guard = Guard(
                self._program, today=dt.date(2000, 1, 1), clock=clock, settings=Settings(mode="shadow")
            )

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages of the program's apps."""
        if self._program is None:
            return ()
        return tuple(package for module in self._program.modules.values() for package in module.packages)

    def screen(self, look: TreeScreen, place: str) -> Screen:
        """The screen that a look is."""
        plain = self._unnamed(look, place)
        if self._program is None or self._guard is None:
            return plain
        self._guard.observe(look)
        return named(self._program, sorted(self._guard.screens), plain, look) or plain

    def _unnamed(self, look: TreeScreen, place: str) -> Screen:
        """Looks at the same tree, as logs have them, are read once."""
        known = self._known.get(id(look.tree))
        if known is None or known[0] is not look.tree:
            known = self._known[id(look.tree)] = look.tree, unnamed(look)
        return replace(known[1], samples=(place,) if place else ())

    def predicted(self, actions: Iterable[Action]) -> frozenset[str]:
        """Where `goto` rules say that actions on the screen of the last look lead."""
        if self._guard is None:
            return frozenset()
        return frozenset(screen for action in actions for screen in self._guard.propose(action).screens)
