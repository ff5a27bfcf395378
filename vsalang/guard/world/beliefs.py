"""The world that the guard believes in: rows of states, views and lists, and what is known to be complete. Pure.

A `World` is a value: every change makes a new one and shares what did not change, so a snapshot is a reference and
judging cannot touch what is committed. The rules of replacing, keeping and forgetting: `semantics.md#one-step`,
`semantics.md#completeness`.
"""

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Cell as Cell
from vsalang.engine.api import Row as Row
from vsalang.program.ir import Program, Relation
from vsalang.program.values import Value, same

Ident: TypeAlias = tuple[Value, ...]

BELIEVED = frozenset({"state", "view", "list"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A row with the history points at which its cells were last written (0 where unknown).

    Points are kept where some rule asks about them (`vsalang.guard.world.rule_book.RuleBook.timed`); else they are 0,
    so that what is written again as it was is the same row.

    Attributes:
        seen: the history point at which the row itself was last seen; 0 if its position is only predicted.
        place: where the row stood before an action moved it; None: no action has, or it was seen since.
        read: of a view the attributes whose values a rule read, and nothing else had said before, each with the
            screens on which it did.
    """

    cells: Row
    points: tuple[int, ...]
    seen: int = 0
    read: frozenset[tuple[str, str]] = frozenset()
    place: int | None = None

    def unplaced(self) -> "Entry":
        """The row of a list when its position is not known any more."""
        return replace(self, cells=(*self.cells[:-1], None), points=(*self.points[:-1], 0))


@dataclass(frozen=True, slots=True)
class Table:
    """What is believed of one relation.

    Attributes:
        rows: by identity (key; a list's ``in`` with key or position; a row of unknown position has a text there).
        complete: rows in which only the values are known for which nothing is unseen.
        tops: the lists (values of ``in``) whose first row is known.
        ends: the lists whose last position is known.
    """

    rows: Mapping[Ident, Entry] = field(default_factory=lambda: MappingProxyType({}))
    complete: frozenset[Row] = frozenset()
    tops: frozenset[Ident] = frozenset()
    ends: Mapping[Ident, int] = field(default_factory=lambda: MappingProxyType({}))

    def alike(self, other: "Table") -> bool:
        """Whether another table has the same contents, in the same order."""
        return (
            self.complete == other.complete
            and self.tops == other.tops
            and self.ends == other.ends
            and list(self.rows) == list(other.rows)
            and all(map(_alike, self.rows.values(), other.rows.values()))
        )

    def with_contents(
        self,
        rows: Mapping[Ident, Entry],
        complete: frozenset[Row],
        tops: frozenset[Ident],
        ends: Mapping[Ident, int],
    ) -> "Table":
        """A table with these contents; this one if it has them, in this order: nobody has to look at it again then."""
        same_rows = rows.keys() == self.rows.keys() and all(
            one is other for one, other in zip(rows.values(), self.rows.values(), strict=True)
        )
        if same_rows and complete == self.complete and tops == self.tops and ends == self.ends:
            return self
        return Table(
            self.rows if same_rows else MappingProxyType(rows), complete, tops, MappingProxyType(ends)
        )


EMPTY = Table()
_NOTHING = frozenset[str]()


@dataclass(frozen=True, slots=True)
class World:
    """All tables by qualified name; a relation without rows may be absent."""

    tables: Mapping[str, Table] = field(default_factory=lambda: MappingProxyType({}))

    def table(self, relation: str) -> Table:
        """The table of a relation, empty if nothing is believed of it."""
        return self.tables.get(relation, EMPTY)

    def rows(self, relation: str) -> list[Row]:
        """The rows of a relation."""
        return [entry.cells for entry in self.table(relation).rows.values()]

    def put(self, relation: str, table: Table) -> "World":
        """The world with another table; the same if it has this one."""
        if self.tables.get(relation) is table:
            return self
        return World(MappingProxyType({**self.tables, relation: table}))


@dataclass(frozen=True, slots=True)
class CellWrite:
    """One write: cells of one row. A cell of None is erased.

    Attributes:
        keep: a view's or list's cells that are not named stay.
        row: of an observed list row, the number of its node; its position follows from it.
        rule: the rule that writes, or empty.
        erased: the cells that it erases by name (``= unknown``); of others that it makes unknown the value could not
            be read.
    """

    relation: str
    cells: Mapping[str, Cell]
    keep: bool = False
    row: int | None = None
    rule: str = ""
    erased: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RowDelete:
    """All rows go in which the cells have these values."""

    relation: str
    pattern: Mapping[str, Cell]
    rule: str = ""

    def same(self, other: "RowDelete") -> bool:
        """Whether another one removes the same rows."""
        return self.relation == other.relation and dict(self.pattern) == dict(other.pattern)


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one row; `written` are the attributes that a write named, `erased` those it erased by name."""

    relation: str
    ident: Ident
    old: Entry | None
    new: Entry | None
    written: frozenset[str] = frozenset()
    erased: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two values for one cell in one step."""

    relation: str
    attr: str
    values: tuple[Cell, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkippedWrite:
    """A write whose row cannot be told, because a value that identifies it is unknown."""

    relation: str
    cells: Mapping[str, Cell]
    rule: str


@dataclass(frozen=True, slots=True)
class Application:
    """The world after a step, and what the step did."""

    world: World
    changes: tuple[Change, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    skipped: tuple[SkippedWrite, ...] = ()


def row_of(relation: Relation, cells: Mapping[str, Cell]) -> Row:
    """A row with the given cells, unknown elsewhere."""
    return tuple(cells.get(attr.name) for attr in relation.attrs)


def covers(pattern: Row, row: Row) -> bool:
    """Whether every known cell of the pattern is the row's, or could be: the row's cell is unknown."""
    return all(
        want is None or have is None or same(want, have) for want, have in zip(pattern, row, strict=True)
    )


def matches(relation: Relation, row: Row, pattern: Mapping[str, Cell]) -> bool:
    """Whether a row is known to have all cells of a pattern."""
    for name, want in pattern.items():
        have = row[relation.column(name)]
        if have is None or want is None or not same(have, want):
            return False
    return True


def apply(
    program: Program,
    world: World,
    writes: Iterable[CellWrite],
    deletes: Iterable[RowDelete],
    point: int,
    *,
    observing: bool,
    timed: frozenset[str],
    screens: frozenset[str] = frozenset(),
) -> Application:
    """The world after the simultaneous writes and deletes of one step; deletes first.

    A table in which nothing changes stays the same object.

    Args:
        program: for the relations.
        world: the world before.
        writes: cells to write.
        deletes: rows to remove.
        point: the history point with which written cells are timestamped.
        observing: these are observations (two values for a cell make it unknown), not predicted effects.
        timed: the relations whose rows have history points.
        screens: those that show, as the rules of screens say.
    """
    by_relation: dict[str, tuple[list[CellWrite], list[RowDelete]]] = {}
    for write in writes:
        if write.relation not in by_relation:
            by_relation[write.relation] = ([], [])
        by_relation[write.relation][0].append(write)
    for delete in deletes:
        by_relation.setdefault(delete.relation, ([], []))[1].append(delete)
    changes: list[Change] = []
    conflicts: list[Conflict] = []
    skipped: list[SkippedWrite] = []
    for name in sorted(by_relation):
        relation = program.relation(name)
        step = _Step(relation, world.table(name), point if name in timed else 0, observing, screens)
        step.delete(by_relation[name][1])
        step.write(by_relation[name][0])
        world = world.put(name, step.table())
        changes += step.changes()
        conflicts += step.conflicts
        skipped += step.skipped
    return Application(world, tuple(changes), tuple(conflicts), tuple(skipped))


def _alike(old: Entry, new: Entry) -> bool:
    """Whether two rows are the same, in type, too (1 is not True)."""
    return old == new and all(
        type(one) is type(other) for one, other in zip(old.cells, new.cells, strict=True)
    )


class _Step:
    """The change of one relation in one step, while it is made."""

    def __init__(
        self,
        relation: Relation,
        before: Table,
        point: int,
        observing: bool,
        screens: frozenset[str] = frozenset(),
    ) -> None:
        self.relation = relation
        self.before = before
        self.point = point
        self.observing = observing
        self.screens = screens
        self.rows: dict[Ident, Entry] = dict(before.rows)
        self.removed: set[Ident] = set()
        self.written: dict[Ident, set[str]] = {}
        self.erased: dict[Ident, frozenset[str]] = {}
        self.conflicts: list[Conflict] = []
        self.skipped: list[SkippedWrite] = []

    def delete(self, deletes: list[RowDelete]) -> None:
        """Remove what the patterns match."""
        for delete in deletes:
            for ident, entry in list(self.rows.items()):
                if matches(self.relation, entry.cells, delete.pattern):
                    del self.rows[ident]
                    self.removed.add(ident)

    def write(self, writes: list[CellWrite]) -> None:
        """Write the cells, all writes to one row together."""
        groups: dict[Ident, list[CellWrite]] = {}
        for write in writes:
            ident = self._identity(write)
            if ident is None:
                self.skipped.append(SkippedWrite(write.relation, dict(write.cells), write.rule))
            else:
                groups.setdefault(ident, []).append(write)
        for ident, group in groups.items():
            self._write_row(ident, group)
        if self.observing and self.relation.sort == "list" and self.relation.key:
            self._one_row_a_place()

    def _one_row_a_place(self) -> None:
        """Two things seen at one position of a list: where they are is not known, and what else is there neither."""
        places: dict[tuple[Ident, int], list[Ident]] = {}
        size = len(self.relation.within)
        for ident, names in self.written.items():
            at = self.rows[ident].cells[-1]
            if "at" in names and isinstance(at, int):
                places.setdefault((ident[:size], at), []).append(ident)
        for (_, at), idents in places.items():
            if len(idents) > 1:
                self.conflicts.append(Conflict(self.relation.name, "at", (at,), ()))
                for ident in idents:
                    self._unplace(ident)
                    cells = dict(
                        zip((a.name for a in self.relation.attrs), self.rows[ident].cells, strict=True)
                    )
                    self.skipped.append(SkippedWrite(self.relation.name, cells, ""))

    def _unplace(self, ident: Ident) -> None:
        self.rows[ident] = self.rows[ident].unplaced()

    def _identity(self, write: CellWrite) -> Ident | None:
        relation, cells = self.relation, write.cells
        values = [cells.get(name) for name in relation.identity]
        if all(value is not None for value in values):
            return tuple(value for value in values if value is not None)
        if relation.sort != "list":
            return None
        within = [cells.get(name) for name in relation.within]
        if any(value is None for value in within):
            return None
        at = cells.get("at")
        if relation.key:
            # Named by position: the row at that position.
            for ident, entry in self.rows.items():
                if at is not None and same(entry.cells[-1], at) and list(ident[: len(within)]) == within:
                    return ident
            return None
        if not self.observing:
            return None
        if write.row is not None:
            return (*(v for v in within if v is not None), f"row {write.row}")
        # Seen, but where in the list is not known; the same row seen again is one row.
        row = row_of(relation, cells)
        for ident, entry in self.rows.items():
            if entry.cells == row:
                return ident
        number = sum(isinstance(ident[-1], str) for ident in self.rows)
        while (*(v for v in within if v is not None), f"seen {number}") in self.rows:
            number += 1
        ident = (*(v for v in within if v is not None), f"seen {number}")
        self.rows[ident] = Entry(tuple(None for _ in row), tuple(0 for _ in row))
        return ident

    def _write_row(self, ident: Ident, writes: list[CellWrite]) -> None:
        relation, point = self.relation, self.point
        named = writes[0].cells if len(writes) == 1 else self._joined(writes)
        old = self.rows.get(ident)
        keeps = (
            relation.sort == "state"
            or (relation.sort == "list" and bool(relation.key))
            or any(write.keep for write in writes)
        )
        cells: list[Cell] = []
        points: list[int] = []
        for column, attr in enumerate(relation.attrs):
            name = attr.name
            if name in named:
                value = named[name]
                cells.append(value)
                points.append(0 if value is None else point)
            elif old is not None and keeps:
                cells.append(old.cells[column])
                points.append(old.points[column])
            else:
                cells.append(None)
                points.append(0)
        seen = point if self.observing or old is None else old.seen
        if not self.observing and old is None and cells[-1] is not None:
            seen = 0  # its position is predicted: that keeps no other row away
        # what an action writes to a row does not show where it stands
        place = old.place if old is not None and not self.observing and "at" not in named else None
        entry = Entry(tuple(cells), tuple(points), seen, self._read(old, named, writes), place)
        self.rows[ident] = old if old is not None and _alike(old, entry) else entry
        self.removed.discard(ident)
        self.written.setdefault(ident, set()).update(named)
        erased = self.erased.get(ident, _NOTHING)
        for write in writes:
            erased |= write.erased
        self.erased[ident] = erased

    def _read(
        self, old: Entry | None, named: Mapping[str, Cell], writes: list[CellWrite]
    ) -> frozenset[tuple[str, str]]:
        """What rules read, and where; what was said before and is read the same is not among it."""
        before = old.read if old is not None else frozenset[tuple[str, str]]()
        screens = self.screens.intersection(self.relation.on)
        if not (before or screens):
            return before
        known = {name for name, _ in before}
        names = {
            attr.name
            for attr, cell in zip(self.relation.attrs, old.cells if old is not None else (), strict=False)
            if attr.name not in known and cell is not None and same(cell, named.get(attr.name))
        }
        by_rules = {name for write in writes if write.rule for name in write.cells} - names
        read = {(name, screen) for name in by_rules for screen in screens} if self.observing else set()
        return frozenset(pair for pair in before if pair[0] not in named) | read

    def _joined(self, writes: list[CellWrite]) -> dict[str, Cell]:
        """The cells that several writes name; one that they disagree on is unknown."""
        cells: dict[str, list[Cell]] = {}
        rules: dict[str, list[str]] = {}
        for write in writes:
            for name, value in write.cells.items():
                values = cells.setdefault(name, [])
                if not any(same(value, other) and type(value) is type(other) for other in values):
                    values.append(value)
                rules.setdefault(name, []).append(write.rule)
        for attr in self.relation.attrs:
            values = cells.get(attr.name, [])
            if len(values) > 1:
                where = tuple(sorted(set(rules[attr.name])))
                self.conflicts.append(Conflict(self.relation.name, attr.name, tuple(values), where))
        return {name: values[0] if len(values) == 1 else None for name, values in cells.items()}

    def changes(self) -> list[Change]:
        """The change of each row that was written or is gone."""
        changes = []
        touched: Iterable[Ident] = self.written
        if self.removed or len(self.written) > 1:
            touched = (i for i in {**self.before.rows, **self.rows} if i in self.written or i in self.removed)
        for ident in touched:
            old, new = self.before.rows.get(ident), self.rows.get(ident)
            if ident in self.written or new is None:
                written = frozenset(self.written.get(ident, ()))
                changes.append(
                    Change(self.relation.name, ident, old, new, written, self.erased.get(ident, _NOTHING))
                )
        return changes

    def table(self) -> Table:
        """The new table, with completeness ended where this step ends it."""
        complete, ends = self.before.complete, dict(self.before.ends)
        if self.relation.sort == "list":
            for group in self._groups():
                events = self._events(group)
                if events:
                    self._forget(group, events)
                    complete = frozenset(p for p in complete if not self._concerns(p, group))
                    ends.pop(group, None)
        elif self.relation.key:
            for ident in self._added():
                complete = frozenset(p for p in complete if not covers(p, self.rows[ident].cells))
            if not self.observing:
                for ident in self.removed - self.rows.keys():
                    gone = self.before.rows[ident].cells
                    complete = frozenset(p for p in complete if not covers(p, gone))
        elif self.removed - self.rows.keys():
            # Without a key there was one row, and it is known to be gone.
            complete = complete | {row_of(self.relation, {})}
        for skip in self.skipped:
            # A row that could not be read is there anyway: nothing is complete that it may belong to.
            row = row_of(self.relation, {n: v for n, v in skip.cells.items() if n in self.relation.identity})
            complete = frozenset(p for p in complete if not covers(p, row))
        return self.before.with_contents(self.rows, complete, self.before.tops, ends)

    def _groups(self) -> list[Ident]:
        size = len(self.relation.within)
        return list(dict.fromkeys(ident[:size] for ident in [*self.written, *self.removed]))

    def _added(self) -> list[Ident]:
        return [ident for ident in self.written if ident not in self.before.rows]

    def _concerns(self, pattern: Row, group: Ident) -> bool:
        probe = dict(zip(self.relation.within, group, strict=True))
        return covers(pattern, row_of(self.relation, probe))

    def _events(self, group: Ident) -> list[int | None]:
        """The positions at which this step says that the list is another one than was believed."""
        size = len(group)
        points: list[int | None] = []
        for ident in [i for i in self.written if i[:size] == group]:
            new, old = self.rows[ident].cells, self.before.rows.get(ident)
            at = new[-1] if isinstance(new[-1], int) else None
            if old is None:
                if not self.observing or any(covers(p, new) for p in self.before.complete):
                    points.append(at)
            elif self.observing and not self.relation.key:
                if any(
                    a is not None and b is not None and not same(a, b)
                    for a, b in zip(old.cells, new, strict=True)
                ):
                    points.append(at)
            elif (
                self.relation.key
                and at is not None
                and isinstance(old.cells[-1], int)
                and old.cells[-1] != at
            ):
                points.append(min(at, old.cells[-1]))
            if self.relation.key and at is not None:
                self._refute(group, at)
                for other, entry in list(self.before.rows.items()):
                    if other != ident and other[:size] == group and entry.cells[-1] == at:
                        points.append(at)
                        if other not in self.written:
                            if other in self.rows:  # else this step removes it
                                self._lose(other)
                        elif "at" not in self.written[other]:
                            self._unplace(other)  # it is there, but not where it was
        if not self.observing:
            for ident in self.removed - self.rows.keys():
                if ident[:size] == group:
                    at_gone = self.before.rows[ident].cells[-1]
                    points.append(at_gone if isinstance(at_gone, int) else None)
        return points

    def _forget(self, group: Ident, events: list[int | None]) -> None:
        lowest = 0 if None in events else min(at for at in events if at is not None)
        for ident, entry in list(self.rows.items()):
            if ident[: len(group)] == group and ident not in self.written:
                at = entry.cells[-1]
                if not isinstance(at, int) or at > lowest:
                    self._lose(ident)

    def _refute(self, group: Ident, at: int) -> None:
        """Where an action left a row may another one be seen: then nobody knows whether it is still in the list."""
        if self.observing:
            for other, entry in self.before.rows.items():
                if entry.place == at and other[: len(group)] == group and other not in self.written:
                    self.rows.pop(other, None)

    def _lose(self, ident: Ident) -> None:
        """A row of a list is not where it was. One with a key is still there while an action only moves it."""
        entry = self.before.rows.get(ident)
        if self.relation.key and not self.observing and entry is not None:
            at = entry.cells[-1]
            self.rows[ident] = replace(entry.unplaced(), place=at if isinstance(at, int) else entry.place)
        else:
            self.rows.pop(ident, None)


def without_rows(world: World, relation: Relation, pattern: Mapping[str, Cell]) -> World:
    """The world without the rows that plainly match: seen to be gone. Completeness stays."""
    table = world.table(relation.name)
    step = _Step(relation, table, 0, True)
    step.delete([RowDelete(relation.name, pattern)])
    if not step.removed:
        return world
    return world.put(relation.name, replace(table, rows=MappingProxyType(step.rows)))


def doubted(program: Program, world: World, changes: Iterable[Change]) -> World:
    """The world in which nothing is believed that these changes, which may have come too, would have changed.

    Cells that they write otherwise are unknown, rows that they remove are gone, and nothing is complete that a row
    which they add or remove belongs to.
    """
    for change in changes:
        relation, table = program.relation(change.relation), world.table(change.relation)
        rows, complete = dict(table.rows), table.complete
        here = rows.get(change.ident)
        touched = [entry.cells for entry in (change.old, change.new) if entry is not None]
        if change.new is None:
            rows.pop(change.ident, None)
        elif here is not None:
            before = change.old.cells if change.old is not None else (None,) * len(here.cells)
            fixed = {relation.column(name) for name in relation.identity}
            doubtful = {
                column
                for column, (old, new, now) in enumerate(
                    zip(before, change.new.cells, here.cells, strict=True)
                )
                if not same(old, new) and not same(new, now) and column not in fixed
            }
            rows[change.ident] = replace(
                here,
                cells=tuple(None if column in doubtful else cell for column, cell in enumerate(here.cells)),
                points=tuple(0 if column in doubtful else point for column, point in enumerate(here.points)),
            )
        if change.new is None or change.old is None:
            keyed = relation.sort == "list" or bool(relation.key)
            for row in touched if keyed and not (change.new is not None and here is not None) else ():
                complete = frozenset(pattern for pattern in complete if not covers(pattern, row))
        changed = replace(table, rows=MappingProxyType(rows), complete=complete)
        world = world.put(change.relation, changed)
    return world


def gap_in(world: World, relation: Relation, cells: Mapping[str, Value]) -> int | None:
    """A position that nobody saw above one that was seen, in a list with these values of ``in``; None if there is none.

    With a gap a list is not complete, whatever says so.
    """
    if relation.sort != "list" or not cells.keys() <= set(relation.within):
        return None
    pattern, size = row_of(relation, cells), len(relation.within)
    places: dict[Ident, set[int]] = {}
    for ident, entry in world.table(relation.name).rows.items():
        if covers(pattern, entry.cells) and isinstance(entry.cells[-1], int):
            places.setdefault(ident[:size], set()).add(entry.cells[-1])
    missing = [next(at for at in itertools.count(1) if at not in seen) for seen in places.values()]
    gaps = [at for at, seen in zip(missing, places.values(), strict=True) if at < max(seen)]
    return min(gaps, default=None)


def completed(world: World, relation: Relation, cells: Mapping[str, Value]) -> World:
    """The world in which nothing of the relation is unseen for these values; the same if a list has a gap.

    A row that an action has moved, and that was not seen since, is not among them.
    """
    if gap_in(world, relation, cells) is not None:
        return world
    table = world.table(relation.name)
    row = row_of(relation, cells)
    moved = [
        ident
        for ident, each in table.rows.items()
        if each.place is not None and matches(relation, each.cells, cells)
    ]
    if row in table.complete and not moved:
        return world
    rows = {ident: each for ident, each in table.rows.items() if ident not in moved}
    return world.put(
        relation.name,
        replace(
            table,
            rows=MappingProxyType(rows) if moved else table.rows,
            complete=table.complete | {row},
        ),
    )


def without_cells(relation: Relation, entry: Entry, attrs: Collection[str]) -> Entry:
    """A row in which these cells are unknown."""
    columns = {relation.column(name) for name in attrs}
    return replace(
        entry,
        cells=tuple(None if column in columns else cell for column, cell in enumerate(entry.cells)),
        points=tuple(0 if column in columns else point for column, point in enumerate(entry.points)),
    )


def cleared(world: World, relations: Iterable[str]) -> World:
    """The world in which nothing is believed of these relations."""
    gone = set(relations)
    if not any(world.table(name).rows for name in gone):
        return world
    return World(MappingProxyType({name: table for name, table in world.tables.items() if name not in gone}))
