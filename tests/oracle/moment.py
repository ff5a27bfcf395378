"""One moment as the reference sees it: inputs, clock, the whole past, derived relations in three readings."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from tests.oracle.bodies import Orders, Strata, constants
from tests.oracle.terms import Anything, Bound, Clock, Domain, Env
from vsalang.engine.api import (
    Budget,
    BudgetExceeded,
    Commit,
    EngineError,
    Input,
    InputKind,
    Reading,
    Row,
    TimedRow,
)
from vsalang.program.ir import Lit, Program, Relation, Rule, Term
from vsalang.program.ir import Literal as BodyLiteral

NEVER_YET: Final = 1 << 60
"""The timestamp of the proposal in the present moment: after every point."""

COMPLETE_OBSERVED: Final = frozenset(
    {"App", "Screen", "Clock", "Goto", "Overridden", "Typed", "Instruction", "Licensed", "Charter"}
)


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
    reader: "Callable[[Moment, Reading], Reader]"
    orders: Orders = field(default_factory=Orders)

    @classmethod
    def of(
        cls, program: Program, clock: Clock, budget: Budget, reader: "Callable[[Moment, Reading], Reader]"
    ) -> "Setting":
        """The setting for a program, whose bodies are read by what `reader` makes.

        Raises:
            EngineError: the program is not stratified.
        """
        return cls(program, Strata(program), constants(program), clock, Meter(budget), reader)


Solution: TypeAlias = tuple[Env, int]
"""A binding, and the greatest timestamp of its evidence."""

Rows = frozenset[Row] | frozenset[Commit] | frozenset[TimedRow]


@dataclass(eq=False)
class Moment:
    """The inputs and the clock at one time, with the history points up to then.

    Attributes:
        timeline: when that was as durations measure it.
        number: of a history point; None for the present.
        before: the earlier history points, oldest first.
    """

    setting: Setting
    inputs: Mapping[Input, Rows]
    now: dt.datetime
    timeline: dt.datetime
    before: "tuple[Moment, ...]" = ()
    number: int | None = None
    _derived: dict[tuple[str, Reading], dict[Row, int]] = field(default_factory=dict)
    _domain: Domain | None = None

    @property
    def points(self) -> "tuple[Moment, ...]":
        """The history that a literal about the past ranges over: a point includes itself."""
        return self.before if self.number is None else (*self.before, self)

    @property
    def proposal_timestamp(self) -> int:
        """When the proposal happens: at this point, or after every point."""
        return NEVER_YET if self.number is None else self.number

    @property
    def domain(self) -> Domain:
        """Every value that occurs in this moment's inputs or in the program."""
        if self._domain is None:
            self._domain = Domain(self.setting.constants, self.setting.clock, self.now, self._cells())
        return self._domain

    def _cells(self) -> Iterator[object]:
        for rows in self.inputs.values():
            for row in rows:
                yield from row.row if isinstance(row, Commit | TimedRow) else row

    def base(self, relation: str, kind: InputKind = "rows") -> list[Row]:
        """The rows of an input of rows."""
        return [row for row in self.inputs.get(Input(relation, kind), ()) if isinstance(row, tuple)]

    def commits(self, action: str) -> list[Commit]:
        """The committed instances of an action."""
        return [row for row in self.inputs.get(Input(action, "commits"), ()) if isinstance(row, Commit)]

    def timestamps(self, relation: str) -> "dict[tuple[Bound | None, ...], tuple[int, ...]]":
        """For each row the points at which its cells were last written."""
        found = self.inputs.get(Input(relation, "timestamps"), ())
        return {row.row: row.points for row in found if isinstance(row, TimedRow)}

    def last_seen(self, relation: str, row: "tuple[Bound | None, ...]") -> int | None:
        """The point at which a row of a list was last seen; None if that is not known."""
        found = self.inputs.get(Input(relation, "last_seen"), ())
        points = [row_.points[0] for row_ in found if isinstance(row_, TimedRow) and row_.row == row]
        return max(points, default=None)

    def time_of(self, point: int) -> dt.datetime:
        """When on the timeline a history point was; a point still to come is now."""
        return next((moment.timeline for moment in self.points if moment.number == point), self.timeline)

    # ------------------------------------------------------------ derived relations

    def derived(self, relation: str, reading: Reading) -> dict[Row, int]:
        """The rows of a derived relation in one reading, each with the greatest timestamp of a derivation's evidence.

        Least fixpoint of the rules of its stratum; negations look at strata below, in the reading that they need.
        """
        rel = self.setting.program.relation(relation)
        if rel.sort == "screen":
            reading = "plain"
        key = (relation, reading)
        if key not in self._derived:
            component = self.setting.strata.component(relation)
            for name in component:
                timestamps = self.timestamps(name)
                self._derived[name, reading] = {
                    row: max(timestamps.get(row, (0,)), default=0) for row in self.base(name, "shown")
                }
            try:
                while any(self._derive_once(name, reading) for name in component):
                    pass
            except EngineError:
                for name in component:
                    del self._derived[name, reading]
                raise
        return self._derived[key]

    def _derive_once(self, relation: str, reading: Reading) -> bool:
        """Apply every rule of the relation once; whether anything is new."""
        found = self._derived[relation, reading]
        rel = self.setting.program.relation(relation)
        solver = self.setting.reader(self, reading)
        new: dict[Row, int] = {}
        for rule in self.setting.strata.rules.get(relation, ()):
            body = rule.body if reading == "plain" else self.setting.strata.certain[rule.id].body
            for env, timestamp in solver.body(body):
                for row in solver.head_rows(rule, rel, env):
                    if timestamp > new.get(row, found.get(row, -1)):
                        new[row] = timestamp
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
        for row in self.base(rel.name, "complete"):
            if all(
                cell is None or _given(given, attr.name, cell)
                for attr, cell in zip(rel.attrs, row, strict=True)
            ):
                return True
        rows = self.base(rel.name, "before" if before else "rows")
        if rel.sort in ("state", "view") and not rel.key:
            return bool(rows)
        return any(_has_row(rel, rows, names, given) for names in rel.identities)


class Reader(Protocol):
    """Reads bodies at one moment in one reading (`tests.oracle.solve.Solver`).

    Attributes:
        ledger: on the left of `then`, the later moment that asks: its commits count.
    """

    moment: Moment
    reading: Reading
    ledger: Moment | None

    def in_reading(self, reading: Reading) -> "Reader":
        """The same in another reading."""
        ...

    def at(self, point: Moment) -> "Reader":
        """The left side of a `then` read at an earlier point."""
        ...

    def body(self, literals: Iterable[BodyLiteral], env: Env | None = None) -> Iterator[Solution]:
        """Every way in which all literals hold together, extending `env`."""
        ...

    def literal(self, literal: BodyLiteral, env: Env) -> Iterator[Solution]:
        """Every way in which one literal holds."""
        ...

    def positive(self, lit: Lit, env: Env) -> Iterator[Solution]:
        """Every way in which the atom of the literal holds, now or in its past."""
        ...

    def relation(self, name: str) -> Relation:
        """The relation of that name."""
        ...

    def value(self, term: Term | None, env: Env) -> Bound | Anything | None:
        """The value of a term here; None where it is undefined."""
        ...

    def holds(
        self, left: Bound | Anything | None, op: str, right: Term | None, hi: Term | None, env: Env
    ) -> bool:
        """Whether ``left op right`` counts under this reading."""
        ...

    def bindable(self, term: Term, env: Env) -> list[Bound]:
        """The values that a variable equal to the term may have: none if it is undefined."""
        ...

    def head_rows(self, rule: Rule, rel: Relation, env: Env) -> Iterator[Row]:
        """The rows that a rule of a derived relation derives."""
        ...


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
