"""Reads captured screens with an app module: the screen (or why none), its rows in order, what is complete, conflicts.

>>> from vsalang.screen.tree import load_tree
>>> from vsalang.language.semantics import load_text
>>> place = Place(load_text('''app shop package "s" "A shop"
... view Item { name: Text }
... update Item(name = ?t) when Node(id = "name", text = ?t).'''))
>>> node = '<node package="s" resource-id="s:id/name" text="Tea" bounds="[0,0][9,9]"/>'
>>> tree = load_tree(f"<hierarchy>{node}</hierarchy>")
>>> [table.rows for table in read_screens(place, [("one.xml", tree)])[0].tables]
[({'name': 'Tea'},)]
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vsalang.engine.explain.match import known_cells, screens_at_once
from vsalang.guard.say.verdict import ObservationResult
from vsalang.guard.world.beliefs import BELIEVED, Ident
from vsalang.program.action import Action
from vsalang.program.ir import Relation
from vsalang.program.values import Value, show
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree
from vsalang.tools.ask.asking import Moment, bring_about
from vsalang.tools.ask.engines import AskError
from vsalang.tools.ask.question import Place
from vsalang.tools.ask.recognition import UnrecognisedScreen, unrecognised
from vsalang.tools.ask.screen_order import Place as ScreenPlace
from vsalang.tools.ask.screen_order import ScreenOrder
from vsalang.tools.ask.state import ObservedScreen, Situation


@dataclass(frozen=True)
class Table:
    """The rows that were read of a state, view or list.

    Attributes:
        rows: the known cells of each row; those of a list by position; rows without one last, in the order of the
            screen.
        complete: the values for which all rows were seen; an empty mapping: for all values.
    """

    relation: Relation
    rows: tuple[Mapping[str, Value], ...]
    complete: tuple[Mapping[str, Value], ...] = ()


@dataclass(frozen=True)
class Reading:
    """The result of reading one screen, with what is known from earlier screens of the same session.

    Attributes:
        name: of the dump.
        screens: those that show, without their module; several only of several apps.
        torn: screens that match at once, so that it is not known which one shows.
        tables: one for each state, view and list of which something is known.
        silent: views and lists of which nothing was read.
        conflicts: cells for which two values were seen, as text.
        unrecognised: what is known of a dump that shows no screen; None: one shows, several match at once, or
            nobody asked for it.
    """

    name: str
    screens: tuple[str, ...]
    torn: tuple[str, ...]
    tables: tuple[Table, ...]
    silent: tuple[str, ...]
    conflicts: tuple[str, ...]
    unrecognised: UnrecognisedScreen | None = None

    def data(self) -> dict[str, Any]:
        """The reading as JSON data: numbers, texts and booleans as such, other values as text."""
        return {
            "dump": self.name,
            "screen": self.screens[0] if len(self.screens) == 1 else list(self.screens) or None,
            "rows": {t.relation.short: [cells_data(row) for row in t.rows] for t in self.tables},
            "complete": {
                t.relation.short: [cells_data(known) for known in t.complete]
                for t in self.tables
                if t.complete
            },
            "conflicts": list(self.conflicts),
        }


def read_screens(
    place: Place,
    trees: Sequence[tuple[str, Tree]],
    *,
    scrolled: str = "",
    clock: dt.datetime | None = None,
    explain: bool = False,
) -> list[Reading]:
    """Read screens with a program.

    Args:
        trees: the screens with their names.
        scrolled: they are one session: between two of them the lists were scrolled ``down`` or ``up`` (`load_tree` with
            ``after`` gives such trees); empty: each is read alone.
        clock: the device's date and time, by which dates without a year are read; None: `DEFAULT_CLOCK` of tests.
        explain: say of each dump that shows no screen what is known of it (`Reading.unrecognised`).

    Raises:
        AskError: a screen cannot be read.
    """
    readings = []
    moment: Moment | None = None
    for name, tree in trees:
        screen = shown_at(tree, name, clock)
        if moment is None or not scrolled:
            moment = bring_about(place, Situation(clock=clock))
        else:
            _scroll(moment, scrolled)
        reading = _reading(moment, tree, name, moment.player.show(screen))
        if explain and not reading.screens and not reading.torn:
            known = unrecognised(place, Situation((screen,), clock=clock), tree)
            reading = replace(reading, unrecognised=known)
        readings.append(reading)
    return readings


def shown_at(tree: Tree, name: str, clock: dt.datetime | None) -> ObservedScreen:
    """A tree as an observation, with the device's date and time if they are known."""
    return ObservedScreen(TreeScreen(tree, now=clock), name)


def _scroll(moment: Moment, direction: str) -> None:
    """Commit a scroll of the lists that were shown last, so that the next screen continues this one."""
    guard = moment.player.guard
    holders = {window.holder for window in guard.snapshot.windows.values() if window.holder is not None}
    for holder in sorted(holders)[:1]:
        verdict = guard.propose(Action("scroll", {"node": holder, "direction": direction}))
        if verdict.level == "block":
            reasons = "; ".join(reason.message for reason in verdict.reasons)
            raise AskError(f"the list cannot be scrolled {direction}: {reasons}")
        guard.commit(verdict, approved=True)


def _reading(moment: Moment, tree: Tree, name: str, observed: ObservationResult) -> Reading:
    moment.__dict__.pop("facts", None)  # of the screen before
    program, snapshot = moment.probes.program, moment.player.guard.snapshot
    order = ScreenOrder(moment, tree)
    tables, silent = [], []
    for relation in program.relations.values():
        if relation.sort not in BELIEVED:
            continue
        table = snapshot.world.table(relation.name)
        known = {ident: known_cells(relation, entry.cells) for ident, entry in table.rows.items()}
        rows = _in_order(relation, known, order)
        complete = tuple(
            sorted(
                (known_cells(relation, row) for row in table.complete),
                key=lambda cells: repr(sorted(cells.items())),
            )
        )
        if rows or complete:
            tables.append(Table(relation, tuple(rows), complete))
        elif relation.sort != "state":
            silent.append(relation.short)
    apps = sorted({relation.module for relation in program.relations.values() if relation.sort == "screen"})
    torn = () if snapshot.screens else [s.short for app in apps for s in screens_at_once(moment.facts, app)]
    return Reading(
        name,
        tuple(sorted(program.relations[screen].short for screen in snapshot.screens)),
        tuple(torn),
        tuple(tables),
        tuple(silent),
        tuple(reason.message for reason in observed.conflicts),
    )


def _in_order(
    relation: Relation, known: Mapping[Ident, Mapping[str, Value]], order: ScreenOrder
) -> list[Mapping[str, Value]]:
    """Rows of one list by position; rows without one in the order of the screen, after those of earlier screens."""
    unplaced = any("at" not in cells for cells in known.values())
    places = order.of(relation) if unplaced and len(known) > 1 else {}

    def key(ident: Ident) -> tuple[list[str], float, ScreenPlace]:
        cells = known[ident]
        at = cells.get("at")
        group = [show(cells[name]) if name in cells else "" for name in relation.within]
        return group, float(at) if isinstance(at, int) else float("inf"), places.get(ident, ())

    return [known[ident] for ident in sorted(known, key=key)]


def cells_data(cells: Mapping[str, Value]) -> dict[str, Any]:
    """Cells as JSON data."""
    return {
        name: value if isinstance(value, bool | int | str) else show(value, bare=True)
        for name, value in cells.items()
    }
