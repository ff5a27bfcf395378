"""Brings about moments: assigns the engine's slots from world, screen, proposal and history.

The moments are *before* (committed world, last screen, the gesture), *judged* (the world with the gesture's predicted
inputs, the same screen, the gesture and the critical actions) and *after* (the reconciled world, the new screen,
nothing proposed).
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence

from vsalang.core.ir import Program, Relation
from vsalang.core.screen import Cells, Screen
from vsalang.core.values import Value
from vsalang.engine.api import Commit, Evaluator, Row, Stamped
from vsalang.guard.effects import RuleBook
from vsalang.guard.match import Facts
from vsalang.guard.store import BELIEVED, World
from vsalang.guard.terms import Context

_SET_BY_GUARD = frozenset({"Clock", "Goto", "Overridden", "Screen"})


def row_of(relation: Relation, cells: Mapping[str, Value | None]) -> Row:
    """A row with the cells that are known; what the relation does not have is left out."""
    return tuple(cells.get(attr.name) for attr in relation.attrs)


class Moments:
    """Assigns slots of one evaluator. Relations that the program never reads are not computed."""

    def __init__(self, program: Program, evaluator: Evaluator, book: RuleBook) -> None:
        self.program = program
        self.evaluator = evaluator
        read = book.read
        relations = program.relations
        self._believed = [relations[name] for name in sorted(relations) if relations[name].sort in BELIEVED]
        self._observed = [
            relations[name]
            for name in sorted(read & relations.keys())
            if relations[name].sort == "observed" and name not in _SET_BY_GUARD
        ]
        self._gestures = [r for r in relations.values() if r.sort == "gesture" and r.name in read]
        self._actions = [r for r in relations.values() if r.sort == "action" and r.name in read]
        self._stamped = book.ordered & relations.keys()
        self._screens = [r for r in relations.values() if r.sort == "screen"]

    def clock(self, now: dt.datetime) -> None:
        """Set the device's clock and the relation `Clock`."""
        self.evaluator.now(now)
        clock = self.program.relations.get("Clock")
        if clock is not None:
            cells: dict[str, Value | None] = {"now": now.time().replace(microsecond=0), "today": now.date()}
            self.evaluator.assign("Clock", [row_of(clock, cells)])

    def world(self, world: World, before: World | None = None, only: Iterable[str] | None = None) -> None:
        """Assign the believed relations (`only` these), and what `before` reads: the same world if none is given."""
        chosen = None if only is None else set(only)
        for relation in self._believed:
            if chosen is not None and relation.name not in chosen:
                continue
            table = world.table(relation.name)
            earlier = (before or world).table(relation.name)
            self.evaluator.assign(relation.name, [entry.cells for entry in table.rows.values()])
            self.evaluator.assign(f"before {relation.name}", [entry.cells for entry in earlier.rows.values()])
            self.evaluator.assign(f"complete {relation.name}", table.complete)
            if relation.name in self._stamped:
                self.evaluator.assign(
                    f"stamps {relation.name}", [Stamped(e.cells, e.points) for e in table.rows.values()]
                )

    def screen(self, screen: Screen | None, point: int) -> None:
        """Assign the observed relations of a screen that was taken at a history point."""
        given = screen.relations() if screen is not None else frozenset()
        for relation in self._observed:
            rows: set[Row] = set()
            if screen is not None and relation.name in given:
                rows = {row_of(relation, cells) for cells in screen.rows(relation.name)}
            self.evaluator.assign(relation.name, rows)
            if relation.name in self._stamped:
                stamps = [Stamped(row, tuple(0 if cell is None else point for cell in row)) for row in rows]
                self.evaluator.assign(f"stamps {relation.name}", stamps)

    def given_screens(self, names: Iterable[str], point: int) -> None:
        """Assign the screens that are known at a history point to show although no rule says so."""
        names = set(names)
        for relation in self._screens:
            given = relation.name in names
            self.evaluator.assign(f"given {relation.name}", [()] if given else [])
            # a screen has no cells: the one point says when it was last known to show
            self.evaluator.assign(f"stamps {relation.name}", [Stamped((), (point,))] if given else [])

    def gesture(self, name: str | None, cells: Cells | None) -> None:
        """Assign the proposed gesture, or none."""
        for relation in self._gestures:
            rows = [row_of(relation, cells or {})] if relation.name == name else []
            self.evaluator.assign(relation.name, rows)

    def actions(self, instances: Mapping[str, Iterable[Row]]) -> None:
        """Assign the critical actions that are proposed."""
        for relation in self._actions:
            self.evaluator.assign(relation.name, list(instances.get(relation.name, ())))

    def goto(self, screens: Iterable[str]) -> None:
        """Assign the screens to which the proposal leads."""
        relation = self.program.relations.get("Goto")
        if relation is not None:
            self.evaluator.assign("Goto", [row_of(relation, {"name": name}) for name in screens])

    def overridden(self, repeated: bool) -> None:
        """Assign whether the proposal repeats a warned one."""
        if "Overridden" in self.program.relations:
            self.evaluator.assign("Overridden", [()] if repeated else [])

    def commits(self, commits: Sequence[tuple[str, Commit]], spent: Iterable[str]) -> None:
        """Assign the committed critical actions, and the actions of which every licence is used up."""
        spent = set(spent)
        by_name: dict[str, list[Commit]] = {}
        for name, commit in commits:
            by_name.setdefault(name, []).append(commit)
        for relation in self._actions:
            self.evaluator.assign(f"commits {relation.name}", by_name.get(relation.name, []))
            self.evaluator.assign(f"spent {relation.name}", [()] if relation.name in spent else [])

    def shown(self, given: frozenset[str]) -> frozenset[str]:
        """The screens that show now: those whose rules hold, without those that another covers.

        Of an app of which a screen is given, only the given ones. Two of one app that are left over tell nothing:
        neither is taken as shown.
        """
        rows = self.evaluator.rows
        told = {relation.module for relation in self._screens if relation.name in given}
        names = [
            relation
            for relation in self._screens
            if (relation.name in given if relation.module in told else rows(relation.name))
        ]
        covered = {name for relation in names for name in relation.over}
        top = [relation for relation in names if relation.name not in covered]
        modules = [relation.module for relation in top]
        return frozenset(relation.name for relation in top if modules.count(relation.module) == 1)

    def facts(
        self,
        context: Context,
        world: World,
        before: World,
        commits: Sequence[tuple[str, Commit]],
        spent: frozenset[str],
    ) -> Facts:
        """What can be asked of the moment that is assigned."""
        cache: dict[str, list[Row]] = {}

        def rows(name: str) -> list[Row]:
            if name not in cache:
                cache[name] = sorted(self.evaluator.rows(name), key=repr)
            return cache[name]

        return Facts(
            self.program,
            context,
            rows,
            before.rows,
            lambda name: world.table(name).complete,
            lambda name: [commit.row for relation, commit in commits if relation == name],
            lambda name: name in spent,
        )
