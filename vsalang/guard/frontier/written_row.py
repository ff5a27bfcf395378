"""Compare a change of a row with the rows that the task's clauses require."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, TypeAlias

from vsalang.engine.api import Cell, Row
from vsalang.engine.explain.match import known_cells
from vsalang.engine.explain.terms import Context, constant, tester, value_of, wanted_text
from vsalang.guard.frontier.contradiction import contradict
from vsalang.guard.frontier.demands import Demand, Part, Whole
from vsalang.guard.say.verdict import Why
from vsalang.guard.world.beliefs import Change
from vsalang.program.folding import fold
from vsalang.program.ir import Choice, Constraint, Relation, Type
from vsalang.program.naming import NameMatcher
from vsalang.program.ops import ORDERED, holds
from vsalang.program.phrases import say
from vsalang.program.show import quoted
from vsalang.program.similarity import folded_equal
from vsalang.program.values import Value, same, seconds_of, tag

# What an expansion has to say of a change. Whatever one of its parts says the expansion says, so marks are joined by |.
ASKED: Final = 1
"""It demands a row of the relation."""
OBJECTED: Final = 2
"""It objects to the row as it will be."""
WELCOME: Final = 4
"""The row is deleted, and it wanted no such row."""
# Of a relation with one row all that it demands is one demand, of which each constraint may say that ..
OFF: Final = 8
"""its cell changed, and neither fits nor comes nearer,"""
UNFIT: Final = 16
"""its cell has a value that does not fit, changed or not,"""
UNMET: Final = 32
"""its cell did not fit before,"""
LOST: Final = 64
"""its cell is lost."""
# Of a relation with several rows each demand may mean another one; it is enough that ..
ACCEPTED: Final = 128
"""the row fits or approaches one of them,"""
MET: Final = 256
"""the row as it was met one of them, and it or a cell of that demand is lost."""


def accepts(marks: int, row: "RowChange") -> bool:
    """Whether an expansion that says this accepts the change."""
    if row.deleted:
        return bool(marks & WELCOME)
    if not marks & ASKED or marks & OBJECTED:
        return False
    return _good(marks) if row.single else bool(marks & ACCEPTED)


def met(marks: int, row: "RowChange") -> bool:
    """Whether the row as it was met what an expansion demands, and it or a cell of that demand is lost."""
    if row.single:
        return bool(marks & ASKED) and _loss(marks, row.deleted)
    return bool(marks & MET)


def _good(marks: int) -> bool:
    """Whether the row fits or approaches a demand of whose constraints these are the marks."""
    return not _loss(marks, False) and (not marks & UNFIT or not marks & (OFF | LOST))


def _loss(marks: int, deleted: bool) -> bool:
    return not marks & UNMET and (deleted or bool(marks & LOST))


# ---------------------------------------------------------------- what is asked, made once for a program


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A constraint on a cell, ready to be tried.

    Attributes:
        attr, column, type: of the cell.
        identifies: the cell is one of those that tell rows apart.
        constant: it has no variables; one that has some holds on every known cell.
        holds: whether it holds on a known cell.
    """

    constraint: Constraint
    attr: str
    column: int
    type: Type
    identifies: bool
    constant: bool
    holds: Callable[[Cell, Context], bool]

    @classmethod
    def of(cls, relation: Relation, constraint: Constraint) -> "Test":
        """A constraint on a cell of a relation."""
        column, free = relation.column(constraint.attr), constant(constraint)
        type_, identifies = relation.attrs[column].type, constraint.attr in relation.identity
        holds = tester(constraint) if free else _always
        return cls(constraint, constraint.attr, column, type_, identifies, free, holds)


def _always(cell: Cell, context: Context) -> bool:
    return True


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedDemand:
    """A demand, or an objection, with its constraints."""

    demand: Demand
    tests: tuple[Test, ...]
    constants: tuple[Test, ...]

    @classmethod
    def of(cls, relation: Relation, demand: Demand) -> "ConstrainedDemand":
        """A demand on a row of a relation."""
        tests = tuple(Test.of(relation, c) for c in demand.atom.constraints)
        return cls(demand, tests, tuple(test for test in tests if test.constant))


@dataclass(frozen=True, slots=True, eq=False)
class Each:
    """A condition on every row of a kind, with its constraints; `has`: what each such row has to be like."""

    whole: Whole
    tests: tuple[Test, ...]
    has: tuple[Test, ...]

    @classmethod
    def of(cls, relation: Relation, whole: Whole) -> "Each":
        """A condition on the rows of a relation."""
        every = whole.every
        tests = tuple(Test.of(relation, c) for c in every.atom.constraints)
        return cls(whole, tests, tuple(Test.of(relation, c) for c in every.has))


Cells: TypeAlias = tuple[tuple[bool, tuple[tuple[Test, ...], ...]], ...]
"""What is demanded of the one row of a relation, cell by cell: the constraints on it by their moments, and whether two
moments want different values of it."""


@dataclass(frozen=True, slots=True, eq=False)
class RowDemands:
    """What a part of a clause asks of one relation.

    Attributes:
        cells: the demands again, by cell; empty for relations with several rows.
        timed: whether something of it is asked only until, or only since, a past condition has held.
    """

    demands: tuple[ConstrainedDemand, ...] = ()
    against: tuple[ConstrainedDemand, ...] = ()
    every: tuple[Each, ...] = ()
    cells: Cells = ()
    timed: bool = False

    @classmethod
    def of(cls, relation: Relation, part: Part) -> "RowDemands":
        """What a part asks of a relation."""
        name = relation.name
        return cls._of(
            relation,
            tuple(ConstrainedDemand.of(relation, d) for d in part.demands if d.atom.relation == name),
            tuple(ConstrainedDemand.of(relation, d) for d in part.against if d.atom.relation == name),
            tuple(Each.of(relation, w) for w in part.every if w.every.atom.relation == name),
        )

    @classmethod
    def _of(
        cls,
        relation: Relation,
        demands: tuple[ConstrainedDemand, ...],
        against: tuple[ConstrainedDemand, ...],
        every: tuple[Each, ...],
    ) -> "RowDemands":
        asked: Iterable[Demand | Whole] = (
            *(wanted.demand for wanted in (*demands, *against)),
            *(each.whole for each in every),
        )
        timed = any(one.until or one.since for one in asked)
        return cls(demands, against, every, _cells(demands) if has_one_row(relation) else (), timed)

    def now(self, relation: Relation, held: Callable[[str], bool]) -> "RowDemands":
        """What is asked now, by the past conditions that have held."""

        def asked(one: Demand | Whole) -> bool:
            return (not one.since or held(one.since)) and not any(map(held, one.until))

        return self._of(
            relation,
            tuple(w for w in self.demands if asked(w.demand)),
            tuple(w for w in self.against if asked(w.demand)),
            tuple(e for e in self.every if asked(e.whole)),
        )


def has_one_row(relation: Relation) -> bool:
    """Whether a relation has one row, so that all that is demanded of it is demanded of that one."""
    return relation.sort != "list" and not relation.key


def _cells(demands: Sequence[ConstrainedDemand]) -> Cells:
    tests: dict[str, dict[int, list[Test]]] = {}
    for wanted in demands:
        for test in wanted.tests:
            tests.setdefault(test.attr, {}).setdefault(wanted.demand.moment, []).append(test)
    return tuple(
        (len(by_moment) > 1 and _one_after_the_other(by_moment), tuple(map(tuple, by_moment.values())))
        for by_moment in tests.values()
    )


def _one_after_the_other(moments: dict[int, list[Test]]) -> bool:
    """Whether two moments want different values of one cell."""
    asked = [
        (moment, replace(test.constraint, attr="", span=None))
        for moment, tests in moments.items()
        for test in tests
        if test.constant
    ]
    return any(one[0] != other[0] and contradict(one[1], other[1]) for one in asked for other in asked)


# ---------------------------------------------------------------- a change


class RowChange:
    """One change, as the frontier looks at it: by the cells that changed.

    Attributes:
        changed: the cells that have another known value than before.
        gone: the cells that were lost: with their row, or because the value could not be read; not those that a rule or
            step erased by name. They count if the row met a demand on them
            (`vsalang.guard.frontier.frontier` leaves those).
    """

    __slots__ = (
        "_marks_of_tests",
        "changed",
        "context",
        "deleted",
        "gone",
        "new",
        "old",
        "relation",
        "single",
    )

    def __init__(self, relation: Relation, change: Change, context: Context) -> None:
        self.relation = relation
        self.context = context
        self.deleted = change.new is None
        self.old: Row = change.old.cells if change.old else (None,) * len(relation.attrs)
        self.new: Row = change.new.cells if change.new else (None,) * len(relation.attrs)
        changed, gone = set[str](), set[str]()
        for attr, old, new in zip(relation.attrs, self.old, self.new, strict=True):
            if new is None:
                if old is not None and attr.name not in change.erased:
                    gone.add(attr.name)
            elif new is not old and not same(old, new):
                changed.add(attr.name)
        self.changed = changed
        self.gone = gone
        self.single = has_one_row(relation)
        self._marks_of_tests: dict[Test, int] = {}

    @property
    def judged(self) -> bool:
        """Whether there is anything to judge, whatever the task asks."""
        return bool(self.changed or self.gone or self.deleted)

    def _holds(self, test: Test, cell: Cell) -> bool:
        """Whether a constraint holds on a known cell; one with a variable always does."""
        return cell is not None and test.holds(cell, self.context)

    def _right(self, test: Test) -> bool:
        """Whether the cell did not change, fits, or comes nearer; what identifies the row has to fit."""
        old, new = self.old[test.column], self.new[test.column]
        if new is None or test.holds(new, self.context):
            return True
        if test.identifies:
            return False
        return test.attr not in self.changed or _comes_nearer(
            test.constraint, old, new, self.context, test.type
        )

    def _met(self, test: Test) -> bool:
        return self._holds(test, self.old[test.column])

    def says(self, asked: RowDemands, gone: Collection[str]) -> set[int]:
        """What the demands and objections of a part say of the change; of cells that are wanted one after the other,
        one answer for each value.

        Args:
            asked: by the part.
            gone: the cells that count as lost.
        """
        base = 0
        for wanted in asked.against:
            if self.deleted:
                base |= WELCOME if all(map(self._met, wanted.tests)) else 0
            elif self.refused(wanted) is not None:
                base |= OBJECTED
        if any(self.against_each(each) is not None for each in asked.every):
            base |= OBJECTED
        if not asked.demands:
            return {base}
        base |= ASKED
        if self.single:
            return self._one_row(asked.cells, base, gone)
        for wanted in asked.demands:
            marks = 0
            for test in wanted.tests:
                marks |= self._marks(test, gone)
            base |= MET if _loss(marks, self.deleted) else 0
            base |= ACCEPTED if _good(marks) else 0
        return {base}

    def _marks(self, test: Test, gone: Collection[str]) -> int:
        """What a constraint of a demand says of its cell."""
        mark = self._marks_of_tests.get(test)
        if mark is None:
            old, new, holds = self.old[test.column], self.new[test.column], test.holds
            mark = UNMET if old is None or not holds(old, self.context) else 0
            if new is not None and not holds(new, self.context):
                mark |= UNFIT if self._right(test) else UNFIT | OFF
            self._marks_of_tests[test] = mark
        return mark | LOST if test.attr in gone else mark

    def _one_row(self, cells: Cells, base: int, gone: Collection[str]) -> set[int]:
        """The demands on one row as one."""
        others: list[set[int]] = []
        for differs, moments in cells:
            marks = set()
            for tests in moments:
                mark = 0
                for test in tests:
                    mark |= self._marks(test, gone)
                if not differs:
                    base |= mark
                marks.add(mark)
            if differs:
                others.append(marks)
        combinations = {base}
        for marks in others:
            combinations = {one | mark for one in combinations for mark in marks}
        return combinations

    def refused(self, wanted: ConstrainedDemand) -> Constraint | None:
        """What a negated atom has against the row as it will be: the constraint on a cell that changed."""
        if all(self._holds(test, self.new[test.column]) for test in wanted.constants):
            return next((test.constraint for test in wanted.constants if test.attr in self.changed), None)
        return None

    def against_each(self, each: Each) -> Constraint | None:
        """What a condition on every row has against the row: the constraint that a changed cell leads away from."""
        if self.deleted:
            return None
        for test in each.tests:
            new = self.new[test.column]
            if new is not None and not test.holds(new, self.context):
                return None
        return next(
            (test.constraint for test in each.has if test.attr in self.changed and not self._right(test)),
            None,
        )

    # ------------------------------------------------------------------ words

    def off(self, wanted: ConstrainedDemand) -> list[Why]:
        """What of a demand the change leads away from."""
        if self.deleted:
            return [self.why(test.constraint) for test in wanted.constants] or [self._no_row()]
        return [
            self.why(test.constraint)
            for test in wanted.constants
            if test.attr in self.gone or not self._right(test)
        ]

    def why(self, constraint: Constraint, *, negated: bool = False) -> Why:
        """A constraint with the value that its cell will have."""
        column = self.relation.column(constraint.attr)
        attr = self.relation.attrs[column]
        wanted = wanted_text(constraint, {}, self.context, attr.type)
        old, new = self.old[column], self.new[column]
        return Why(
            "unmet",
            self.relation.name,
            attr.name,
            attr.doc or attr.name,
            say("seen.deleted", value=quoted(old, attr.type)) if self.deleted else quoted(new, attr.type),
            say("wanted.not", wanted=wanted) if negated else wanted,
            row=known_cells(self.relation, self.old if self.deleted else self.new),
            span=constraint.span,
        )

    def _no_row(self) -> Why:
        relation = self.relation
        row = known_cells(relation, self.old)
        seen, wanted = say("seen.row_deleted"), say("wanted.row")
        return Why("unmet", relation.name, "", relation.doc or relation.short, seen, wanted, row=row)


# ---------------------------------------------------------------------- coming nearer


def _comes_nearer(constraint: Constraint, old: Cell, new: Value, context: Context, type_: Type) -> bool:
    """Whether a cell that does not fit a constraint moves towards it."""
    wanted = value_of(constraint.term, {}, context)
    high = value_of(constraint.hi, {}, context)
    if isinstance(new, str):
        if type_.kind != "Text":
            return False
        if isinstance(wanted, NameMatcher) and constraint.op == "names" and new:
            return _typed_towards(new, wanted.name) and old != wanted.name
        if constraint.op not in ("=", "~=") or not isinstance(wanted, str):
            # what was typed is cleared, to be typed again
            return new == "" and old is not None and constraint.op in ("in", "contains", "matches", "names")
        if constraint.op == "~=":
            return _typed_towards(new, wanted) and not (isinstance(old, str) and folded_equal(old, wanted))
        return wanted.startswith(new) and not (isinstance(old, str) and same(old, wanted))
    if old is None:
        return False
    if isinstance(new, frozenset):
        if constraint.op != "=" or not isinstance(wanted, frozenset) or not isinstance(old, frozenset):
            return False
        return len(new ^ wanted) < len(old ^ wanted)
    before, after = (_distance(constraint, cell, wanted, high) for cell in (old, new))
    return before is not None and after is not None and after < before


def _typed_towards(text: str, wanted: str) -> bool:
    """Whether a text is the beginning of one that is similar: compared as `~=` does where nobody is asked."""
    if wanted.startswith(text):
        return True
    forms = ((fold(text, hyphen), fold(wanted, hyphen)) for hyphen in ("", " "))
    return any(here != "" and there.startswith(here) for here, there in forms)


def _distance(constraint: Constraint, cell: Cell, wanted: object, high: object) -> Decimal | None:
    """How far a cell is from the nearest value that fits; None where that has no measure."""
    if cell is None or tag(cell) not in ORDERED:
        return None
    targets: list[object] = []
    if constraint.op == "in" and isinstance(constraint.term, Choice):
        targets = list(wanted) if isinstance(wanted, tuple) else []
    elif constraint.op == "in":
        targets = [wanted, high]
    elif constraint.op in ("=", "<", "<=", ">", ">="):
        targets = [wanted]
    if holds(constraint.op, cell, wanted, high):  # type: ignore[arg-type]
        return Decimal(0)
    known = [_measure(target) for target in targets]
    here = _measure(cell)
    distances = [abs(here - there) for there in known if there is not None and here is not None]
    return min(distances, default=None)


def _measure(value: object) -> Decimal | None:
    """A point on a line for numbers, dates (days), times and durations (seconds)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, dt.date):
        return Decimal(value.toordinal())
    if isinstance(value, dt.time):
        return Decimal(value.hour * 3600 + value.minute * 60 + value.second)
    if isinstance(value, dt.timedelta):
        return Decimal(seconds_of(value))
    return None
