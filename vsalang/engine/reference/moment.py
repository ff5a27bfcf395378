"""One moment as the reference sees it: slots, clock, the whole past, derived relations in three readings."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from vsalang.core.ir import Program, Relation, Term
from vsalang.engine.api import Budget, BudgetExceeded, Commit, EngineError, Row, Stamped
from vsalang.engine.reference.bodies import Strata, constants
from vsalang.engine.reference.terms import Bound, Clock, Domain

Mode = Literal["plain", "certain", "possible"]
"""How a body is read: two-valued; as certainly true; as not certainly false."""

NEVER_YET: Final = 1 << 60
"""The stamp of the proposal in the present moment: after every point."""

COMPLETE_OBSERVED: Final = frozenset({"App", "Screen", "Clock", "Goto", "Overridden"})


@dataclass
class Meter:
    """Counts elementary steps since the last assignment."""

    budget: Budget
    steps: int = 0

    def step(self) -> None:
        """One step; raises `BudgetExceeded` beyond the budget."""
        self.steps += 1
        if self.steps > self.budget.steps:
            raise BudgetExceeded(f"more than {self.budget.steps} derivation steps; raise the engine's budget")

    def rows(self, count: int, relation: str) -> None:
        """Check the number of rows of one relation."""
        if count > self.budget.rows:
            raise BudgetExceeded(
                f"{relation} has more than {self.budget.rows} rows; raise the engine's budget"
            )

    def bindings(self, count: int) -> None:
        """Check the number of bindings of one literal about the past."""
        if count > self.budget.bindings:
            raise BudgetExceeded(
                f"a condition about the past has more than {self.budget.bindings} bindings; raise the budget"
            )


@dataclass(frozen=True)
class Setting:
    """What does not change during a session: the program, its strata, the constants, the clock's fixed day."""

    program: Program
    strata: Strata
    constants: tuple[Term, ...]
    clock: Clock
    meter: Meter

    @classmethod
    def of(cls, program: Program, clock: Clock, budget: Budget) -> "Setting":
        """The setting for a program. Raises `EngineError` if it is not stratified."""
        return cls(program, Strata(program), constants(program), clock, Meter(budget))


Slot = frozenset[Row] | frozenset[Commit] | frozenset[Stamped]


@dataclass(eq=False)
class Moment:
    """The slots and the clock at one time, with the history points up to then.

    Attributes:
        timeline: when that was as durations measure it.
        number: of a history point; None for the present.
        before: the earlier history points, oldest first.
    """

    setting: Setting
    slots: Mapping[str, Slot]
    now: dt.datetime
    timeline: dt.datetime
    before: "tuple[Moment, ...]" = ()
    number: int | None = None
    _derived: dict[tuple[str, Mode], dict[Row, int]] = field(default_factory=dict)
    _domain: Domain | None = None

    @property
    def points(self) -> "tuple[Moment, ...]":
        """The history that a literal about the past ranges over: a point includes itself."""
        return self.before if self.number is None else (*self.before, self)

    @property
    def proposal_stamp(self) -> int:
        """When the proposal happens: at this point, or after every point."""
        return NEVER_YET if self.number is None else self.number

    @property
    def domain(self) -> Domain:
        """Every value that occurs in this moment's slots or in the program."""
        if self._domain is None:
            self._domain = Domain(self.setting.constants, self.setting.clock, self.now, self._cells())
        return self._domain

    def _cells(self) -> Iterator[object]:
        for rows in self.slots.values():
            for row in rows:
                yield from row.row if isinstance(row, Commit | Stamped) else row

    def base(self, slot: str) -> list[Row]:
        """The rows of a slot of rows."""
        return [row for row in self.slots.get(slot, ()) if isinstance(row, tuple)]

    def commits(self, action: str) -> list[Commit]:
        """The committed instances of an action."""
        return [row for row in self.slots.get(f"commits {action}", ()) if isinstance(row, Commit)]

    def stamps(self, relation: str) -> "dict[tuple[Bound | None, ...], tuple[int, ...]]":
        """For each row the points at which its cells were last written."""
        found = self.slots.get(f"stamps {relation}", ())
        return {row.row: row.points for row in found if isinstance(row, Stamped)}

    def last_seen(self, relation: str, row: "tuple[Bound | None, ...]") -> int | None:
        """The point at which a row of a list was last seen; None if that is not known."""
        found = self.slots.get(f"seen {relation}", ())
        points = [row_.points[0] for row_ in found if isinstance(row_, Stamped) and row_.row == row]
        return max(points, default=None)

    def time_of(self, point: int) -> dt.datetime:
        """When on the timeline a history point was; a point still to come is now."""
        return next((moment.timeline for moment in self.points if moment.number == point), self.timeline)

    # ------------------------------------------------------------ derived relations

    def derived(self, relation: str, mode: Mode) -> dict[Row, int]:
        """The rows of a derived relation in one reading, each with the greatest stamp that a derivation rests on.

        Least fixpoint of the rules of its stratum; negations look at strata below, in the reading that they need.
        """
        rel = self.setting.program.relation(relation)
        if rel.sort == "screen":
            mode = "plain"
        key = (relation, mode)
        if key not in self._derived:
            component = self.setting.strata.component(relation)
            for name in component:
                stamps = self.stamps(name)
                self._derived[name, mode] = {
                    row: max(stamps.get(row, (0,)), default=0) for row in self.base(f"given {name}")
                }
            try:
                while any(self._derive_once(name, mode) for name in component):
                    pass
            except EngineError:
                for name in component:
                    del self._derived[name, mode]
                raise
        return self._derived[key]

    def _derive_once(self, relation: str, mode: Mode) -> bool:
        """Apply every rule of the relation once; whether anything is new."""
        from vsalang.engine.reference.solve import Solver

        found = self._derived[relation, mode]
        rel = self.setting.program.relation(relation)
        solver = Solver(self, mode)
        new: dict[Row, int] = {}
        for rule in self.setting.strata.rules.get(relation, ()):
            for env, stamp in solver.body(rule.body):
                for row in solver.head_rows(rule, rel, env):
                    if stamp > new.get(row, found.get(row, -1)):
                        new[row] = stamp
        found.update(new)
        self.setting.meter.rows(len(found), relation)
        return bool(new)

    # ------------------------------------------------------------ completeness

    def complete(self, rel: Relation, given: Mapping[str, object], *, before: bool) -> bool:
        """Whether a base relation can have no row but those seen that has these values in these attributes."""
        if rel.sort in ("gesture", "screen", "action") or rel.name in COMPLETE_OBSERVED:
            return True
        if rel.sort == "observed":
            return False
        for row in self.base(f"complete {rel.name}"):
            if all(
                cell is None or _given(given, attr.name, cell)
                for attr, cell in zip(rel.attrs, row, strict=True)
            ):
                return True
        rows = self.base(f"before {rel.name}" if before else rel.name)
        if rel.sort in ("state", "view") and not rel.key:
            return bool(rows)
        identities = [rel.identity]
        if rel.sort == "list":
            identities.append((*rel.within, "at"))
        return any(_has_row(rel, rows, names, given) for names in identities)


def _given(given: Mapping[str, object], attr: str, cell: object) -> bool:
    return attr in given and Domain.same(given[attr], cell)


def _has_row(rel: Relation, rows: Iterable[Row], names: tuple[str, ...], given: Mapping[str, object]) -> bool:
    if not all(name in given for name in names):
        return False
    columns = [rel.column(name) for name in names]
    return any(
        all(
            row[column] is not None and _given(given, name, row[column])
            for column, name in zip(columns, names, strict=True)
        )
        for row in rows
    )
