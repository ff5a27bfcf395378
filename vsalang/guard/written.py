"""One change of a row, held against what clauses ask of its relation."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Final

from vsalang.core.ir import Constraint, Relation
from vsalang.core.values import same
from vsalang.explain.terms import Context, constant, fits, quoted, wanted_text
from vsalang.guard.contradiction import contradict
from vsalang.guard.demands import Demand, Whole
from vsalang.guard.nearness import comes_nearer
from vsalang.guard.store import Cell, Change, Row, known_cells
from vsalang.guard.texts import say
from vsalang.guard.verdict import Why

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


def accepts(marks: int, row: "Written") -> bool:
    """Whether an expansion that says this accepts the change."""
    if row.deleted:
        return bool(marks & WELCOME)
    if not marks & ASKED or marks & OBJECTED:
        return False
    return _good(marks) if row.single else bool(marks & ACCEPTED)


def met(marks: int, row: "Written") -> bool:
    """Whether the row as it was met what an expansion demands, and it or a cell of that demand is lost."""
    if row.single:
        return bool(marks & ASKED) and _loss(marks, row.deleted)
    return bool(marks & MET)


def _good(marks: int) -> bool:
    """Whether the row fits or approaches a demand of whose constraints these are the marks."""
    return not _loss(marks, False) and (not marks & UNFIT or not marks & (OFF | LOST))


def _loss(marks: int, deleted: bool) -> bool:
    return not marks & UNMET and (deleted or bool(marks & LOST))


class Written:
    """One change, as the frontier looks at it: by the cells that changed.

    Attributes:
        changed: the cells that have another known value than before.
        gone: the cells that were lost: with their row, or because the value could not be read; not those that a rule or
            step erased by name. They count if the row met a demand on them (`vsalang.guard.frontier` leaves those).
    """

    def __init__(self, relation: Relation, change: Change, context: Context) -> None:
        self.relation = relation
        self.context = context
        blank: Row = tuple(None for _ in relation.attrs)
        self.deleted = change.new is None
        self.old: Row = change.old.cells if change.old else blank
        self.new: Row = change.new.cells if change.new else blank
        self._columns = {attr.name: index for index, attr in enumerate(relation.attrs)}
        cells = list(zip(self._columns, self.old, self.new, strict=True))
        self.changed = {name for name, old, new in cells if new is not None and not same(old, new)}
        self.gone = {
            name for name, old, new in cells if new is None and old is not None and name not in change.erased
        }
        self.single = relation.sort != "list" and not relation.key

    @property
    def judged(self) -> bool:
        """Whether there is anything to judge, whatever the task asks."""
        return bool(self.changed or self.gone or self.deleted)

    def losing(self, attr: str) -> "Written":
        """The change as if this were the only cell that is lost."""
        found = copy(self)
        found.gone = {attr}
        return found

    def _cells(self, attr: str) -> tuple[Cell, Cell]:
        column = self._columns[attr]
        return self.old[column], self.new[column]

    def _holds(self, constraint: Constraint, cell: Cell) -> bool:
        """Whether a constraint holds on a known cell; one with a variable always does."""
        return cell is not None and (not constant(constraint) or fits(constraint, cell, {}, self.context))

    def _right(self, constraint: Constraint) -> bool:
        """Whether the cell did not change, fits, or comes nearer; what identifies the row has to fit."""
        old, new = self._cells(constraint.attr)
        if new is None or self._holds(constraint, new):
            return True
        if constraint.attr in self.relation.identity:
            return False
        if constraint.attr not in self.changed:
            return True
        type_ = self.relation.attr(constraint.attr).type
        return comes_nearer(constraint, old, new, self.context, type_)

    def _met(self, constraint: Constraint) -> bool:
        return self._holds(constraint, self._cells(constraint.attr)[0])

    def says(self, demands: Sequence[Demand], against: Sequence[Demand], every: Sequence[Whole]) -> set[int]:
        """What the demands and objections of a part say of the change; of cells that are wanted one after the other,
        one answer for each value."""
        base = 0
        for demand in against:
            if self.deleted:
                base |= WELCOME if all(map(self._met, demand.atom.constraints)) else 0
            elif self.refused(demand) is not None:
                base |= OBJECTED
        if any(self.against_each(whole) is not None for whole in every):
            base |= OBJECTED
        if not demands:
            return {base}
        base |= ASKED
        if self.single:
            return self._one_row(demands, base)
        for demand in demands:
            marks = 0
            for c in demand.atom.constraints:
                marks |= self._marks(c)
            base |= MET if _loss(marks, self.deleted) else 0
            base |= ACCEPTED if _good(marks) else 0
        return {base}

    def _marks(self, constraint: Constraint) -> int:
        """What a constraint of a demand says of its cell."""
        new = self._cells(constraint.attr)[1]
        marks = 0 if self._right(constraint) else OFF
        marks |= 0 if new is None or self._holds(constraint, new) else UNFIT
        marks |= 0 if self._met(constraint) else UNMET
        return marks | (LOST if constraint.attr in self.gone else 0)

    def _one_row(self, demands: Sequence[Demand], base: int) -> set[int]:
        """The demands on one row as one."""
        moments: dict[str, dict[int, int]] = {}
        for demand in demands:
            for c in demand.atom.constraints:
                found = moments.setdefault(c.attr, {})
                found[demand.moment] = found.get(demand.moment, 0) | self._marks(c)
        said = {base}
        for attr, by_moment in moments.items():
            if len(by_moment) > 1 and _one_after_the_other(demands, attr):
                said = {one | marks for one in said for marks in by_moment.values()}
            else:
                for marks in by_moment.values():
                    said = {one | marks for one in said}
        return said

    def refused(self, demand: Demand) -> Constraint | None:
        """What a negated atom has against the row as it will be: the constraint on a cell that changed."""
        constants = [c for c in demand.atom.constraints if constant(c)]
        if all(self._holds(c, self._cells(c.attr)[1]) for c in constants):
            return next((c for c in constants if c.attr in self.changed), None)
        return None

    def against_each(self, whole: Whole) -> Constraint | None:
        """What a condition on every row has against the row: the constraint that a changed cell leads away from."""
        if self.deleted:
            return None
        every = whole.every
        for c in every.atom.constraints:
            new = self._cells(c.attr)[1]
            if new is not None and not self._holds(c, new):
                return None
        return next((c for c in every.has if c.attr in self.changed and not self._right(c)), None)

    # ------------------------------------------------------------------ words

    def off(self, demand: Demand) -> list[Why]:
        """What of a demand the change leads away from."""
        constants = [c for c in demand.atom.constraints if constant(c)]
        if self.deleted:
            return [self.why(c) for c in constants] or [self._no_row()]
        return [self.why(c) for c in constants if c.attr in self.gone or not self._right(c)]

    def why(self, constraint: Constraint, *, negated: bool = False) -> Why:
        """A constraint with the value that its cell will have."""
        attr = self.relation.attr(constraint.attr)
        wanted = wanted_text(constraint, {}, self.context, attr.type)
        old, new = self._cells(attr.name)
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


def _one_after_the_other(demands: Sequence[Demand], attr: str) -> bool:
    """Whether two moments want different values of one cell."""
    asked = [
        (demand.moment, replace(c, attr="", span=None))
        for demand in demands
        for c in demand.atom.constraints
        if c.attr == attr and constant(c)
    ]
    return any(one[0] != other[0] and contradict(one[1], other[1]) for one in asked for other in asked)
