"""Random rows and random streams of updates: what a guard does to an evaluator, in any order."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from tests.engine.chances import Chance
from tests.engine.random_values import BASE, BELIEVED, COLOR_SETS, RARE, VALUES, is_colors
from tests.engine.worlds import NOON
from vsalang.engine.api import Commit, Evaluator, TimedRow
from vsalang.program.ir import Program, Relation, Type
from vsalang.program.values import NONE
from vsalang.program.walk import rule_uses

Step = tuple[Any, ...]
"""``("assign", relation, rows)``, ``("now", time, timeline)``, ``("point", number)``, ``("savepoint",)``,
``("rollback",)``, and ``("rollback", n)``, which goes back over n savepoints at once."""

SINGLE = ("App", "tap", "Flag", "Page", "Goto", "Opts", "Clock")


def random_cell(chance: Chance, kind: Type, *, unknown: int = 25, wide: bool = False) -> Any:
    number = chance.number(0, 99)
    if number >= 100 - unknown:
        return None
    if number >= 97 - unknown:
        return NONE
    return known(chance, kind, wide)


def known(chance: Chance, kind: Type, wide: bool) -> Any:
    if is_colors(kind):
        return chance.pick(COLOR_SETS)
    return chance.pick(RARE[kind.kind] if wide and chance.number(0, 5) == 0 else VALUES[kind.kind])


def random_rows(
    chance: Chance, rel: Relation, *, most: int = 3, unknown: int = 25, wide: bool = False
) -> list[tuple[Any, ...]]:
    """Rows with one row per key, total on the key (a list's position may be unknown)."""
    keys = set(rel.key) | set(rel.within) | ({"node"} if rel.name == "Node" else set())
    found: dict[Any, tuple[Any, ...]] = {}
    if wide and rel.name not in SINGLE:
        most += 3
    for _ in range(chance.number(0, 1 if rel.name in SINGLE else most)):
        row = []
        for at in rel.attrs:
            if at.name in keys:
                row.append(known(chance, at.type, wide and rel.name != "Item"))
            elif at.name == "at":
                cell = random_cell(chance, at.type, unknown=unknown)
                row.append(None if cell is NONE else cell)
            else:
                row.append(random_cell(chance, at.type, unknown=unknown, wide=wide))
        key = tuple(x for at, x in zip(rel.attrs, row, strict=True) if at.name in keys)
        if wide and rel.name == "Item" and chance.number(0, 2) == 0:
            row[0] = chance.number(4, 6)  # longer ways
            key = (row[0],)
        found[key if not rel.within else len(found)] = tuple(row)
    return consistent(rel, list(found.values()))


def consistent(rel: Relation, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows without those of a list that stand where another one stands."""
    if rel.sort != "list":
        return sorted(set(rows), key=repr)
    places: set[Any] = set()
    kept = []
    for row in rows:
        place = (*(row[rel.column(name)] for name in rel.within), row[rel.column("at")])
        if place[-1] is None or place not in places:
            kept.append(row)
        places.add(place)
    return sorted(set(kept), key=repr)


def random_seen(chance: Chance, rows: list[tuple[Any, ...]]) -> list[TimedRow]:
    """The relation ``seen R`` of a list: at which of a few points most of its rows were last seen."""
    return [TimedRow(row, (chance.number(1, 3),)) for row in rows if chance.number(0, 7)]


def random_completeness(chance: Chance, rel: Relation) -> list[tuple[Any, ...]]:
    """Rows of the relation ``complete R``: everything, or what has certain values in one attribute."""
    if chance.number(0, 1):
        return [(None,) * len(rel.attrs)]
    rows = set()
    for _ in range(chance.number(0, 2)):
        names = chance.pick([x.name for x in rel.attrs if x.name in rel.identity] or [rel.attrs[0].name])
        rows.add(tuple(chance.pick(VALUES[x.type.kind]) if x.name == names else None for x in rel.attrs))
    return sorted(rows, key=repr)


def slots_used(made: Program) -> list[str]:
    """The base relations that rules read."""
    names = {use.atom.relation for rule in made.rules for use in rule_uses(rule)}
    return sorted(name for name in names if name in BASE and BASE[name].sort not in ("screen", "action"))


def random_stream(chance: Chance, made: Program, *, most: int = 8, wide: bool = False) -> list[Step]:
    """A stream of updates: inputs that the program reads, commits, timestamps, points, the clock, savepoints.

    In wide streams rows change one by one too, savepoints are rolled back several at a time and have points and commits
    inside, and the clock passes midnight or goes back, as the timeline does.
    """
    return _Streams(chance, made, wide).stream(most)


@dataclass
class _Kept:
    """What a rollback brings back."""

    rows: dict[str, list[Any]]
    commits: list[Commit]
    now: dt.datetime
    timeline: dt.datetime


@dataclass
class _Streams:
    chance: Chance
    made: Program
    wide: bool
    steps: list[Step] = field(default_factory=list)
    point: int = 0
    number: int = 0
    commits: list[Commit] = field(default_factory=list)
    rows: dict[str, list[Any]] = field(default_factory=dict)
    now: dt.datetime = NOON
    timeline: dt.datetime = NOON
    savepoints: list[_Kept] = field(default_factory=list)

    def stream(self, most: int) -> list[Step]:
        used = slots_used(self.made) or ["Flag"]
        self.steps.append(("assign", "finish", [()]))
        self.steps.append(("assign", "Pay", self.random_rows("Pay", 2)))
        for name in used:
            self.assign(name, self.random_rows(name))
            if name in BELIEVED and self.chance.number(0, 2):
                self.steps.append(
                    ("assign", f"complete {name}", random_completeness(self.chance, BASE[name]))
                )
        believed = [name for name in used if name in BELIEVED]
        for _ in range(self.chance.number(1, most)):
            self.step(used, believed)
        self.steps += [("rollback",)] * len(self.savepoints)
        return self.steps

    def random_rows(self, name: str, most: int = 3) -> list[tuple[Any, ...]]:
        return random_rows(self.chance, BASE[name], most=most, wide=self.wide)

    def assign(self, name: str, rows: list[Any]) -> None:
        rel = BASE[name]
        self.rows[name] = rows
        self.steps.append(("assign", name, rows))
        if rel.sort in ("state", "view", "list", "observed"):
            points = [
                tuple(0 if x is None else self.chance.number(0, self.point + 1) for x in row) for row in rows
            ]
            timestamps = [TimedRow(row, timestamp) for row, timestamp in zip(rows, points, strict=True)]
            self.steps.append(("assign", f"timestamps {name}", timestamps))
        if rel.sort == "list" and self.chance.number(0, 3):
            self.steps.append(("assign", f"seen {name}", random_seen(self.chance, rows)))

    def step(self, used: list[str], believed: list[str]) -> None:
        chance, kind = self.chance, self.chance.number(0, 99)
        free = not self.savepoints or (self.wide and chance.number(0, 3) == 0)
        if kind < 35:
            name = chance.pick(used)
            if self.wide and chance.number(0, 1) and self.rows.get(name) and name not in SINGLE:
                self.edit(name)
            else:
                self.assign(name, self.random_rows(name))
        elif kind < 50 and believed:
            name = chance.pick(believed)
            self.steps.append(("assign", f"complete {name}", random_completeness(chance, BASE[name])))
        elif kind < 57 and believed:
            name = chance.pick(believed)
            self.steps.append(("assign", f"before {name}", self.random_rows(name)))
        elif kind < 70 and free:
            self.point += 1
            self.steps.append(("point", self.point))
        elif kind < 80 and free:
            self.commit()
        elif kind < 82 and self.commits and free:
            self.commits = [x for x in self.commits if x is not chance.pick(self.commits)]
            self.steps.append(("assign", "commits Pay", list(self.commits)))
        elif kind < 88:
            self.tick()
        elif kind < 92:
            self.steps.append(("assign", "Pay", self.random_rows("Pay", 2)))
        elif kind < 94:
            inputs = ["given Menu", "spent Pay", "finish"] + (["given Home"] if self.wide else [])
            self.steps.append(("assign", chance.pick(inputs), chance.pick([[()], []])))
        elif kind < 97 or not self.savepoints:
            self.steps.append(("savepoint",))
            self.savepoints.append(_Kept(dict(self.rows), list(self.commits), self.now, self.timeline))
        else:
            back = chance.number(1, len(self.savepoints)) if self.wide else 1
            self.steps.append(("rollback", back) if back > 1 else ("rollback",))
            kept = self.savepoints[-back]
            del self.savepoints[-back:]
            self.rows, self.commits = kept.rows, kept.commits
            self.now, self.timeline = kept.now, kept.timeline

    def edit(self, name: str) -> None:
        """One row comes, goes, or changes in one cell."""
        rel, rows = BASE[name], list(self.rows[name])
        index = self.chance.number(0, len(rows) - 1)
        column = self.chance.number(0, len(rel.attrs) - 1)
        attr = rel.attrs[column]
        keys = {*rel.key, *rel.within, "node"}
        if attr.name in keys or self.chance.number(0, 3) == 0:
            del rows[index]
        else:
            cell = random_cell(self.chance, attr.type, wide=self.wide and attr.name != "at")
            cell = None if attr.name == "at" and cell is NONE else cell
            rows[index] = (*rows[index][:column], cell, *rows[index][column + 1 :])
        self.assign(name, consistent(rel, rows))

    def commit(self) -> None:
        row = self.random_rows("Pay", 1) or [("a", 1)]
        self.point, self.number = self.point + 1, self.number + 1
        self.commits = [*self.commits, Commit(self.number, self.point, row[0])]
        self.steps += [
            ("assign", "Pay", row[:1]),
            ("assign", "commits Pay", list(self.commits)),
            ("point", self.point),
            ("assign", "Pay", []),
        ]

    def tick(self) -> None:
        minutes = self.chance.number(0, 4)
        if self.wide and self.chance.number(0, 3) == 0:
            minutes = self.chance.pick([12 * 60, 24 * 60, -1, -7, -60])
        passed = dt.timedelta(minutes=minutes)
        self.now += passed
        # durations are measured on a line of their own, which need not go as the clock does
        apart = self.chance.number(0, 2) == 0
        self.timeline += dt.timedelta(minutes=self.chance.pick([0, 1, 3, 9])) if apart else passed
        self.steps.append(("now", self.now, self.timeline))


def apply(engine: Evaluator, step: Step, savepoints: list[int]) -> None:
    """Do one step of a stream."""
    match step:
        case ("assign", relation, rows):
            engine.assign(relation, rows)
        case ("now", moment, timeline):
            engine.now(moment, timeline)
        case ("point", number):
            engine.point(number)
        case ("savepoint",):
            savepoints.append(engine.savepoint())
        case ("rollback",):
            engine.rollback(savepoints.pop())
        case ("rollback", back):
            engine.rollback(savepoints[-back])
            del savepoints[-back:]
        case _:
            raise AssertionError(step)
