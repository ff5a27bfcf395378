"""One symbolic state of which rules of several programs are asked: the same facts, read by each program's own rules."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from vsalang.program.ir import License, Program, Relation, Rule
from vsalang.program.polarity import polarity
from vsalang.program.values import NONE
from vsalang.program.walk import atoms, variables
from vsalang.proof.solver.bodies import Reader
from vsalang.proof.solver.dead import licensed, split
from vsalang.proof.solver.query import DAY, Query
from vsalang.proof.solver.results import Commit, Row, UnsupportedConstruct, World
from vsalang.proof.solver.scan import (
    licences_of,
    occurrences,
    refined,
    refining,
    spent_by,
    texts_of,
    with_definitions,
    with_licences,
)
from vsalang.proof.solver.sorts import Cell, Sorts, conj, disj, equals, is_true, neg
from vsalang.proof.solver.state import MOST_COMMITS, Slot, State
from vsalang.proof.solver.terms import Terms
from vsalang.proof.solver.ways import MODE_OF, Branch

_MOST_TEXTS = 20
_COVERED = "covered"
"""Of a gesture: whether something lies over the point. No test says that with a fact."""
_OWN = ("derived", "screen")
"""Sorts of relations that a program's own rules define."""


@dataclass(eq=False)
class Joint(Query):
    """A question about several programs at once: `states[0]` is read by `program`, the next ones by `others`.

    Attributes:
        others: further programs, each with the rules that are asked.
        texts: texts that must have a value of their own besides those that the rules name.
    """

    others: Sequence[tuple[Program, Sequence[Rule]]] = ()
    texts: Sequence[str] = ()
    megabytes: ClassVar[int] = 1024
    states: tuple[State, ...] = field(init=False, default=())
    _history: tuple[int, list[Any]] = field(init=False, default=(-1, []))

    def __post_init__(self) -> None:
        sides = ((self.program, self.rules), *self.others)
        reached = [with_licences(program, rules) for program, rules in sides]
        named = [
            text
            for (program, _), rules in zip(sides, reached, strict=True)
            for text in texts_of(program, rules)
        ]
        self.sorts = Sorts(dict.fromkeys((*named, *self.texts)))
        self.terms = Terms(self.sorts)
        self.model: Any = None
        self.newest_model: Any = None
        known = _together([program for program, _ in sides])
        counted = frozenset().union(*map(spent_by, reached))
        first = State(_knowing(self.program, known), self.sorts, self.terms, self.rows)
        others = (
            State(
                _knowing(program, known),
                self.sorts,
                self.terms,
                self.rows,
                facts=first.facts,
                made=first.made,
                screens=first.screens,
                past=first.past,
            )
            for program, _ in self.others
        )
        self.states = (first, *others)
        totals = [state.total_licence(name) or 0 for state in self.states for name in counted]
        alike = all(len({state.total_licence(name) for state in self.states}) == 1 for name in counted)
        for state in self.states[1:] if alike else ():
            state.spent_flags = first.spent_flags  # who gives as many licences has used them up together
        for state in self.states:  # whichever makes the slots of commits, they are enough for all
            state.commit_rows = min(max([0, *totals]), MOST_COMMITS)
        self.state = first

    def wishes(self) -> list[Any]:
        """As of one program, but cells that the rules ask about are rather known: what is seen tells more."""
        asked = set()
        for program, rules in ((self.program, self.rules), *self.others):
            for rule in with_definitions(program, rules):
                asked |= {(a.relation, c.attr) for a in atoms((rule.body, rule.extra)) for c in a.constraints}
        known, unknown = [], set()
        for (kind, name), slots in self.state.made.items():
            if kind != "now":
                continue
            rel = self.state.program.relation(name)
            for slot in slots:
                for attr, cell in zip(rel.attrs, slot.cells, strict=True):
                    asked_for = (name, attr.name) in asked or rel.sort == "action"
                    if asked_for and not is_true(cell.known):
                        known.append(disj([neg(slot.present), cell.known]))
                        unknown.add(neg(cell.known).get_id())
        rest = [wish for wish in super().wishes() if wish.get_id() not in unknown]
        rows = sum(len(slots) for slots in self.state.made.values()) + len(self.state.screens)
        return [*rest[:rows], *known, *rest[rows:]]

    def example(self, solver: Any, assumptions: Sequence[Any] = ()) -> World:
        """A model as a state: small, and of everyday values where that is possible. The solver just answered yes.

        Raises:
            Unsupported: the model's values are none of the language.
        """
        self.model = self.liked(solver, assumptions, [self.on_day(DAY), *self.wishes()])
        return self.state.world(self.model)

    # ------------------------------------------------------------ what every history satisfies

    def allowed_history(self) -> list[Any]:
        """What was committed was allowed by every program that has a task, within its licence. Asked last."""
        if self._history[0] != len(self.state.made):
            self._history = len(self.state.made), self._allowed_history()
        return self._history[1]

    def _allowed_history(self) -> list[Any]:
        formulas: list[Any] = []
        tasks = [s for s in self.states if s.program.modules[s.program.main].kind == "spec"]
        for (kind, name), slots in list(self.state.made.items()):
            if kind != "commits":
                continue
            rel = self.state.program.relation(name)
            # what refines an effect is done by its licence, too, and several may be one instance of the effect
            repeated = any(refined(state.program, name) for state in tasks)
            for state in tasks:
                licences = licences_of(state.program, name)
                repeated = repeated or any(repeats(state.program, licence) for licence in licences)
                for slot in slots:
                    fits = disj([licensed(Reader(state), rel, slot, licence) for licence in licences])
                    formulas.append(disj([neg(slot.present), fits, state.done_by(name, slot)]))
                total = state.total_licence(name)
                if total is not None:
                    formulas += [neg(slot.present) for slot in slots[total:]]
            if rel.attrs and tasks and not repeated:
                formulas += [
                    neg(conj([one.present, other.present, self.state.alike(one, other)]))
                    for index, one in enumerate(slots)
                    for other in slots[:index]
                ]
        return formulas

    def never(self) -> list[Any]:
        """That nothing that is left free of the past was so."""
        return [neg(free.flag) for free in self.state.past.values()]

    def still(self) -> list[Any]:
        """That what is left free of the past was so just where it is so now: what a test shows before it proposes."""
        pairs = [(free.flag, free.now) for free in self.state.past.values()]
        return [neg(flag) if now is None else equals(flag, now) for flag, now in pairs]

    def testable(self, proposed: str) -> list[Any]:
        """What a test can bring about: one proposal, no predicted inputs, rows that can be named. Asked last.

        Args:
            proposed: the relation of the action or gesture that is proposed; empty for whatever the rules need.
        """
        state = self.state
        formulas = self.alone(proposed) if proposed else []
        for (kind, name), slots in list(state.made.items()):
            rel = state.program.relation(name)
            if kind == "now" and rel.sort == "list":
                formulas += [disj([neg(slot.present), self._placed(rel, slot, slots)]) for slot in slots]
            if kind == "before":
                pairs = zip(slots, state.slots("now", name), strict=True)
                formulas += [self._unchanged(one, other) for one, other in pairs]
            if kind == "now" and rel.sort == "gesture" and _COVERED in [attr.name for attr in rel.attrs]:
                covered = [slot.cells[rel.column(_COVERED)] for slot in slots]
                formulas += [disj([neg(cell.known), neg(cell.value)]) for cell in covered]
            if kind == "now" and rel.sort == "view" and rel.on:
                formulas += [disj([neg(slot.present), self._lives(rel)]) for slot in slots]
        return formulas

    def alone(self, proposed: str) -> list[Any]:
        """That nothing but one instance of that action or gesture is proposed, and what it is. Asked last."""
        formulas: list[Any] = []
        refines = self.state.program.relation(proposed).refines
        effect = refines.action if refines is not None else ""
        for (kind, name), slots in list(self.state.made.items()):
            if kind == "now" and self.state.program.relation(name).sort in ("action", "gesture"):
                formulas += [neg(slot.present) for slot in slots[1 if name in (proposed, effect) else 0 :]]
                if name == effect:
                    mine = self.state.slots("now", proposed)[0].present
                    formulas += [disj([neg(slot.present), mine]) for slot in slots[:1]]
        return formulas

    def _placed(self, rel: Relation, slot: Slot, slots: Sequence[Slot]) -> Any:
        """Whether the row of a list is the first, or another one stands just above it."""
        at = rel.column("at")
        within = [rel.column(name) for name in rel.within]
        mine = slot.cells[at]
        above = [
            conj(
                [
                    other.present,
                    other.cells[at].known,
                    other.cells[at].value + 1 == mine.value,
                    self.state.same(slot, other, within),
                ]
            )
            for other in slots
            if other is not slot
        ]
        return conj([mine.known, disj([mine.value == 1, *above])])

    def _unchanged(self, one: Slot, other: Slot) -> Any:
        return conj([one.present == other.present, disj([neg(one.present), self.state.alike(one, other)])])

    def _lives(self, view: Relation) -> Any:
        """Whether a screen of the view shows, or none of its app is known to."""
        app = view.on[0].partition(":")[0]
        flags = {n: flag for n, flag in self.state.screens.items() if n.partition(":")[0] == app}
        return disj([neg(disj(flags.values())), *(flag for name, flag in flags.items() if name in view.on)])

    # ------------------------------------------------------------ rows that are given

    def row(self, rel: Relation, cells: tuple[Cell, ...], row: Row) -> Any:
        """Whether cells hold just these values."""
        return conj(
            neg(cell.known)
            if value is None
            else conj([cell.known, cell.none])
            if value is NONE
            else conj([cell.known, self.terms.equal(cell, self.sorts.constant(value, attr.type))])
            for attr, cell, value in zip(rel.attrs, cells, row, strict=True)
        )

    def history(self, done: Mapping[str, Sequence[Commit]]) -> list[Any]:
        """That just these instances were committed, as far as anything asks. Asked last."""
        formulas: list[Any] = []
        for (kind, name), slots in list(self.state.made.items()):
            if kind != "commits":
                continue
            rows = [commit.row for commit in done.get(name, ())]
            if len(rows) > len(slots):
                raise UnsupportedConstruct(
                    f"more than {len(slots)} commits of `{self.state.program.relation(name).short}`"
                )
            rel = self.state.program.relation(name)
            if any(done.get(other) for other in refining(self.state.program, name)):
                continue  # what refines the effect was done, which brings it about
            for index, slot in enumerate(slots):
                if index < len(rows):
                    formulas += [slot.present, self.row(rel, slot.cells, rows[index])]
                else:
                    formulas.append(neg(slot.present))
        return formulas

    def on_day(self, today: dt.date) -> Any:
        """That the instruction was given on that day."""
        return self.terms.today.value == today.toordinal()


def holds(state: State, rule: Rule, cut: list[str], *, asked_alone: bool = False) -> Any:
    """Whether a clause permits the proposal, or a judgement's body holds, as the guard reads it.

    Args:
        cut: gets the recursive relations that were not unrolled to the end.
        asked_alone: nothing but this rule tells the rows of a relation apart, so that they may be tried in order.

    Raises:
        Unsupported: the body has no exact encoding.
    """
    reader = Reader(state, mode=MODE_OF[polarity(rule)], cut=cut, counts=occurrences(rule))
    if not isinstance(rule.head, License):
        start = Branch({}, used={} if asked_alone else None)
        return disj([way.guard for way in reader.body(rule.body, start, frozenset())])
    atom = rule.head.atom
    rel = state.program.relation(atom.relation)
    slot = state.slots("now", atom.relation)[0]
    binding, testing = split(atom)
    used = {f"now {atom.relation}": 1} if asked_alone else None
    start = Branch({}, slot.present, used)
    return disj(
        [
            fitted.guard
            for begun in reader.fit(rel, slot.cells, binding, start)
            for way in reader.body(rule.body, begun, variables(testing))
            for fitted in reader.fit(rel, slot.cells, testing, way)
        ]
    )


def repeats(program: Program, licence: Rule) -> bool:
    """Whether a clause allows one instance more than once: an instance that its head fixes wholly (`Quota.repeats`)."""
    head = licence.head
    return (
        isinstance(head, License) and head.quota.repeats(head.atom.relation) and fixes_all(program, licence)
    )


def fixes_all(program: Program, licence: Rule) -> bool:
    """Whether a clause's head gives every parameter of its action by ``=`` and a constant."""
    assert isinstance(licence.head, License)
    atom = licence.head.atom
    fixed = {c.attr for c in atom.constraints if c.op == "=" and not variables(c.term)}
    return fixed == {attr.name for attr in program.relation(atom.relation).attrs}


def _together(programs: Iterable[Program]) -> dict[str, Relation]:
    """The relations of all programs.

    Raises:
        Unsupported: two programs declare one relation differently.
    """
    relations: dict[str, Relation] = {}
    for program in programs:
        for name, rel in program.relations.items():
            other = relations.setdefault(name, rel)
            if rel.sort not in _OWN and _shape(other) != _shape(rel):
                raise UnsupportedConstruct(f"`{name}`, which the two programs declare differently")
    return relations


def _shape(rel: Relation) -> tuple[Any, ...]:
    return rel.sort, tuple((a.name, a.type) for a in rel.attrs), rel.key, rel.within, rel.on


def _knowing(program: Program, known: Mapping[str, Relation]) -> Program:
    return replace(program, relations={**known, **program.relations})
