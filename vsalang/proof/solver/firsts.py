"""``first n`` of a list as formulas: which rows are among the first n that match, in the plain and certain reading.

All rows of a list are taken to have been seen at one time: then one whose position is not known stands where no other
was seen.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import z3

from vsalang.program import ir
from vsalang.program.ir import Atom, Constraint, First, Relation, Var
from vsalang.program.walk import needed
from vsalang.proof.solver.atoms import AtomReader
from vsalang.proof.solver.results import UnsupportedConstruct
from vsalang.proof.solver.sorts import TRUE, Cell, conj, disj, neg
from vsalang.proof.solver.state import Slot
from vsalang.proof.solver.ways import SEEN, Branch, Mode


def first(reader: AtomReader, literal: First, branch: Branch) -> Iterator[Branch]:
    """A row among the first n that match (and what it binds), or with `has`: each of the first n of a list fits."""
    rel = reader.relation(literal.atom.relation)
    if reader.favourable and rel.name in reader.favourable:
        if reader.negative:
            return
        for next_branch, _, _ in reader.matches(literal.atom, branch):
            yield next_branch
        return
    if reader.mode in SEEN:  # which rows may be the first ones is not looked into: those that are
        reader = replace(reader, mode="plain")
    if reader.mode == "possible":
        yield from _possibly(reader, literal, rel, branch)
        return
    chooser = _Chooser(reader, literal, rel, branch)
    if literal.has is not None:
        held = disj(chooser.each(slot) for slot in chooser.slots)
        yield branch.when(reader.mark(held, literal.span, "", literal))
        return
    for slot in chooser.slots:
        for match in chooser.certain(slot):
            chosen = match.when(chooser.among_first(slot, match))
            for tested in chooser.plain.fit(rel, slot.cells, chooser.testing, chosen.when(branch.guard)):
                marked = reader.mark(tested.guard, literal.span, "", literal)
                yield replace(tested, guard=marked, used=branch.used)


def _possibly(reader: AtomReader, literal: First, rel: Relation, branch: Branch) -> Iterator[Branch]:
    """Under a negation in `allow` and `done`: whatever may be among the first n, rows that nobody saw too."""
    chooser = _Chooser(replace(reader, mode="certain"), literal, rel, branch)
    chosen = list(chooser.possibly())
    if literal.has is None:
        for match, row in chosen:
            yield from reader.fit(rel, row, chooser.testing, match.when(branch.guard))
        return
    has = (*chooser.testing, *literal.has)
    parts = [disj(match.guard for match, _ in chosen)]
    for slot in chooser.slots:
        for match in chooser.certain(slot):
            sure = conj([match.guard, chooser.among_first(slot, match)])
            fits = disj(one.guard for one in reader.fit(rel, slot.cells, has, replace(match, guard=TRUE)))
            parts.append(disj([neg(sure), fits]))
    yield branch.when(*parts)


def _number(guards: Iterable[Any]) -> Any:
    ones = [z3.If(guard, 1, 0) for guard in guards]
    return z3.Sum(*ones) if len(ones) > 1 else ones[0] if ones else z3.IntVal(0)


@dataclass(eq=False)
class _Chooser:
    """Constraints with constants and those on the ``in`` attributes select; the others test."""

    reader: AtomReader
    literal: First
    rel: Relation
    branch: Branch

    def __post_init__(self) -> None:
        atom, rel = self.literal.atom, self.rel
        self.selecting = tuple(c for c in atom.constraints if c.attr in rel.within or not needed(c))
        self.testing = tuple(c for c in atom.constraints if c not in self.selecting)
        self.at = rel.column("at")
        self.kind = "before" if atom.before else "now"
        self.slots = self.reader.state.slots(self.kind, rel.name)
        self.is_certain = self.reader.mode == "certain"
        if self.is_certain and any(c.attr == "at" for c in self.selecting):
            raise UnsupportedConstruct("`first` of rows selected by their position in `allow` and `done`")
        self.atom = Atom(rel.name, self.selecting, atom.before)
        self.plain = replace(self.reader, tracker=None)
        self.start = replace(self.branch, guard=TRUE, used=None)

    # ------------------------------------------------------------ which rows match

    def certain(self, slot: Slot) -> list[Branch]:
        """The ways in which a row certainly (plainly) matches."""
        return self.plain.fit(self.rel, slot.cells, self.selecting, self.start.when(slot.present))

    def possible(self, slot: Slot, env: Branch, mode: Mode) -> Any:
        """Whether a row matches in a reading, what the list's attributes are bound to given."""
        reader = replace(self.plain, mode=mode)
        branches = reader.fit(self.rel, slot.cells, self.selecting, replace(env, guard=slot.present))
        return disj(one.guard for one in branches)

    def bound(self, match: Branch) -> Branch:
        """The branch with the variables of the ``in`` attributes alone: the others differ from row to row."""
        ours = {name for c in self.selecting if c.attr in self.rel.within for name in needed(c)}
        return replace(self.start, env={**self.branch.env, **{name: match.env[name] for name in ours}})

    def together(self, one: Slot, other: Slot) -> Any:
        """Whether two rows are of one list."""
        columns = [self.rel.column(name) for name in self.rel.within]
        return conj(self.reader.state.terms.equal(one.cells[c], other.cells[c]) for c in columns)

    def place(self, slot: Slot) -> Cell:
        """Where a row stands."""
        return slot.cells[self.at]

    def above(self, one: Slot, other: Slot) -> Any:
        """Whether the first of two rows of one list is seen above the second."""
        a, b = self.place(one), self.place(other)
        return conj([one.present, a.known, a.value < b.value, self.together(one, other)])

    # ------------------------------------------------------------ among the first n

    def among_first(self, slot: Slot, match: Branch) -> Any:
        """Whether fewer than n rows that match stand above a row; certainly: that may match, unseen ones too."""
        env = self.bound(match)
        others = [other for other in self.slots if other is not slot]
        mode: Mode = "possible" if self.is_certain else "plain"
        above = _number(conj([self.above(other, slot), self.possible(other, env, mode)]) for other in others)
        known = self.place(slot).known
        if not self.is_certain:
            return conj([known, above < self.literal.n])
        floating = _number(
            conj([neg(self.place(other).known), self.together(other, slot), self.possible(other, env, mode)])
            for other in others
        )
        missing = self.missing(slot, env)
        complete = self.complete(slot, env)
        more = z3.If(complete, _least(floating, missing), missing)
        return conj([known, above + more < self.literal.n])

    def missing(self, slot: Slot, env: Branch) -> Any:
        """How many positions above a row hold none that was seen; none matters if an unseen row could not match."""
        taken = _number(self.above(other, slot) for other in self.slots if other is not slot)
        place = self.place(slot).value
        empty = z3.ToInt(place) - 1 - taken
        return z3.If(self.unseen_fits(slot, env), empty, 0)

    def bound_cells(self, env: Branch) -> dict[str, Cell]:
        """What the selecting constraints give by ``=``."""
        cells: dict[str, Cell] = {}
        for c in self.selecting:
            if c.op == "=" and isinstance(c.term, Var | ir.Const | ir.Fn):
                cells.setdefault(c.attr, self.reader.state.terms.value(c.term, env.env))
        return cells

    def unseen_fits(self, slot: Slot, env: Branch) -> Any:
        """Whether a row of the same list that nobody saw may match."""
        cells = {**self.bound_cells(env), **{n: slot.cells[self.rel.column(n)] for n in self.rel.within}}
        reader = replace(self.plain, mode="possible")
        return conj(reader.constraint(cells[c.attr], c, env.env) for c in self.selecting if c.attr in cells)

    def complete(self, slot: Slot, env: Branch) -> Any:
        """Whether all rows of the row's list that could match were seen."""
        cells = {**self.bound_cells(env), **{n: slot.cells[self.rel.column(n)] for n in self.rel.within}}
        return self.reader.state.complete(self.rel, cells, before=self.literal.atom.before)

    def possibly(self) -> Iterator[tuple[Branch, tuple[Cell, ...]]]:
        """The rows that may be among the first n: fewer than n that certainly match stand above where each may be."""
        maybe = replace(self.plain, mode="possible")
        for slot in self.slots:
            for match in maybe.fit(self.rel, slot.cells, self.selecting, self.start.when(slot.present)):
                above = self.sure_above(slot, self.bound(match))
                yield match.when(above < self.literal.n), slot.cells
        for match, row, _ in maybe.imagined(self.rel, self.atom, self.start, complete=True, choices=False):
            above = self.sure_above(None, self.bound(match), row)
            yield match.when(above < self.literal.n), row

    def sure_above(self, slot: Slot | None, env: Branch, row: tuple[Cell, ...] = ()) -> Any:
        """How many rows that certainly match stand above a row, or above the first gap if its place is not known."""
        others = [other for other in self.slots if other is not slot]
        sure = {id(other): self.possible(other, env, "certain") for other in others}
        columns = [self.rel.column(name) for name in self.rel.within]
        cells = slot.cells if slot is not None else row
        before_gap = _number(
            conj(
                [
                    sure[id(other)],
                    self.place(other).known,
                    self.no_gap(other),
                    *(self.reader.state.terms.same(other.cells[c], cells[c]) for c in columns),
                ]
            )
            for other in others
        )
        if slot is None:
            return before_gap
        above = _number(conj([sure[id(other)], self.above(other, slot)]) for other in others)
        return z3.If(self.place(slot).known, above, before_gap)

    # ------------------------------------------------------------ each of the first n

    def each(self, witness: Slot) -> Any:
        """Whether each of the first n rows of the witness's list fits, the witness being one that matches."""
        assert self.literal.has is not None
        has = (*self.testing, *self.literal.has)
        if self.is_certain:
            return disj(conj([w.guard, self.each_certainly(witness, w, has)]) for w in self.certain(witness))
        held = []
        for start in self.certain(witness):
            parts = [start.guard, self.among_first(witness, start)]
            for slot in self.slots:
                for match in self.certain(slot):
                    chosen = conj([match.guard, self.among_first(slot, match), self.together(slot, witness)])
                    parts.append(disj([neg(chosen), self.fits(slot, has, match)]))
            held.append(conj(parts))
        return disj(held)

    def fits(self, slot: Slot, has: tuple[Constraint, ...], match: Branch) -> Any:
        """Whether a row fits what is asked of each."""
        branches = self.plain.fit(self.rel, slot.cells, has, replace(match, guard=TRUE))
        return disj(one.guard for one in branches)

    def each_certainly(self, witness: Slot, match: Branch, has: tuple[Constraint, ...]) -> Any:
        """Going down from the top every row that may match fits, until n that certainly match were met or a complete
        list ends."""
        env = self.bound(match)
        sure = {
            id(slot): conj([self.possible(slot, env, "certain"), self.together(slot, witness)])
            for slot in self.slots
        }
        parts = []
        for slot in self.slots:
            maybe = conj([self.possible(slot, env, "possible"), self.together(slot, witness)])
            met = self.met_before(slot, sure)
            parts.append(disj([neg(maybe), met, self.fits(slot, has, env)]))
        end = disj([self.complete(witness, env), *(self.nth(slot, env, sure) for slot in self.slots)])
        return conj([*parts, end])

    def met_before(self, slot: Slot, sure: dict[int, Any]) -> Any:
        """Whether n rows that certainly match stand above a row, or above the first gap if its place is not known."""
        others = [other for other in self.slots if other is not slot]
        above = _number(conj([sure[id(other)], self.above(other, slot)]) for other in others)
        before_gap = _number(
            conj([sure[id(other)], self.place(other).known, self.no_gap(other)]) for other in others
        )
        known = self.place(slot).known
        return z3.If(known, above, before_gap) >= self.literal.n

    def no_gap(self, slot: Slot) -> Any:
        """Whether a row was seen at each place above a row of which the place is known."""
        taken = _number(self.above(other, slot) for other in self.slots if other is not slot)
        return z3.ToInt(self.place(slot).value) - 1 == taken

    def nth(self, slot: Slot, env: Branch, sure: dict[int, Any]) -> Any:
        """Whether a row is the n-th that certainly matches, and none that nobody saw may match above it."""
        others = [other for other in self.slots if other is not slot]
        above = _number(conj([sure[id(other)], self.above(other, slot)]) for other in others)
        here = conj([sure[id(slot)], self.place(slot).known, above == self.literal.n - 1])
        return conj([here, self.missing(slot, env) == 0])


def _least(one: Any, other: Any) -> Any:
    return z3.If(one < other, one, other)
