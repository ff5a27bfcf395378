"""What the task's clauses demand of cells, and so: what is typed or answered, and which acts prepare what they permit.

A clause such as ``allow LogIn(username = "admin")`` says what must stand in a field before the button may be pressed:
the guard's frontier expands clauses into such demands. An effect that a rule of the app declares (``update
LoginForm(username = ?v) when input_text(..)``) says which cell a field writes. Nothing here permits anything.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from vsalang.base.records import dataclass
from vsalang.engine.explain.terms import Context, constant, fits, value_of, wanted_text
from vsalang.guard import Guard, Proposal
from vsalang.guard.judge.foreseeing import foresee
from vsalang.guard.judge.program_analysis import analysis
from vsalang.guard.world.beliefs import Change
from vsalang.program.action import Action
from vsalang.program.ir import Choice, Constraint, License, Program, Rule, Var
from vsalang.program.values import Value, show
from vsalang.program.walk import rule_uses

MOST_VALUES: Final = 20
"""So many values are tried for one field or answer."""


@dataclass(frozen=True, slots=True)
class CellDemand:
    """What a clause asks of one cell.

    Attributes:
        relation, attr: the cell.
        rule: the id of the clause.
        tests: its constraints without variables.
        row: those on the cells that say which row it is.
    """

    relation: str
    attr: str
    rule: str
    tests: tuple[Constraint, ...]
    row: tuple[Constraint, ...] = ()

    def holds(self, cell: Value | None, context: Context) -> bool:
        """Whether a value is as it asks."""
        return cell is not None and all(fits(test, cell, {}, context) for test in self.tests)

    def values(self, context: Context) -> Iterator[Value]:
        """The values that it names: by ``=``, by ``in {..}`` and by ``~=``. A range names none."""
        for test in self.tests:
            terms = test.term.items if test.op == "in" and isinstance(test.term, Choice) else (test.term,)
            if test.op in ("=", "in", "~=") and test.hi is None:
                for term in terms:
                    value = value_of(term, {}, context)
                    if isinstance(value, str | int) or hasattr(value, "isoformat"):
                        yield value

    def text(self, context: Context) -> str:
        """What it asks, for people and models: ``LoginForm.username = "admin"``."""
        cell = f"{self.relation.rpartition('.')[2]}.{self.attr}"
        return ", ".join(f"{cell} {wanted_text(test, {}, context)}" for test in self.tests)


@dataclass(frozen=True, slots=True)
class DemandedValue:
    """A value that a clause names for what is typed or answered, as text."""

    text: str
    rule: str


@dataclass(frozen=True, slots=True)
class FieldDemand:
    """What the clauses ask of what is typed into one field.

    Attributes:
        values: that they name.
        asks: what else they say of it, such as a range; also that something must be typed, whatever it is.
    """

    values: tuple[DemandedValue, ...] = ()
    asks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demands:
    """The demands of a program's clauses."""

    program: Program

    @cached_property
    def by_cell(self) -> Mapping[tuple[str, str], Sequence[CellDemand]]:
        """Relation and attribute -> what is asked of it now; what a clause asks of earlier states is left out."""
        asked: dict[tuple[str, str], list[CellDemand]] = {}
        for clause in analysis(self.program).frontier.needs.clauses:
            for part in clause.parts:
                for demand in part.demands:
                    if demand.since or demand.impossible:
                        continue
                    by_attr: dict[str, list[Constraint]] = {}
                    for test in demand.atom.constraints:
                        if constant(test):
                            by_attr.setdefault(test.attr, []).append(test)
                    identity = self.program.relation(demand.atom.relation).identity
                    row = tuple(test for name in identity for test in by_attr.get(name, ()))
                    for attr, tests in by_attr.items():
                        key = demand.atom.relation, attr
                        one = CellDemand(*key, clause.rule.id, tuple(tests), row)
                        asked.setdefault(key, []).append(one)
        return asked

    @cached_property
    def answers(self) -> tuple[Rule, ...]:
        """The clauses that permit an answer."""
        return tuple(
            rule
            for rule in self.program.rules
            if isinstance(rule.head, License) and rule.head.atom.relation == "answer"
        )

    def wanted(self, context: Context) -> tuple[str, ...]:
        """The texts that clauses name, each once."""
        each = (
            show(value, bare=True)
            for demands in self.by_cell.values()
            for one in demands
            for value in one.values(context)
            if not isinstance(value, bool)
        )
        return tuple(dict.fromkeys(each))

    # ------------------------------------------------------------------ what is typed and answered

    def typed(self, guard: Guard, action: Action) -> FieldDemand:
        """What the clauses ask of what `action` would type, by what the app's rules say that it writes.

        Args:
            guard: has observed the screen.
            action: ``input_text`` without its value.

        Raises:
            Unresolved: it has no target.
            Exception: what the engine raises.
        """
        context = guard.session.context()
        values: dict[str, DemandedValue] = {}
        asks: dict[str, None] = {}
        for fit in foresee(guard.session, action).inputs:
            relation = fit.rule.head.atom.relation  # type: ignore[union-attr]
            for attr in sorted({*fit.open, *fit.cells}):
                for demand in self.by_cell.get((relation, attr), ()):
                    if attr not in fit.open:
                        # whatever is typed makes it so
                        if demand.holds(fit.cells.get(attr), context):
                            asks.setdefault(f"something must be typed, for {demand.text(context)}")
                        continue
                    named = [show(value, bare=True) for value in demand.values(context)]
                    for text in named:
                        values.setdefault(text, DemandedValue(text, demand.rule))
                    if not named:
                        asks.setdefault(demand.text(context))
        return FieldDemand(tuple(values.values())[:MOST_VALUES], tuple(asks))

    def answered(self, guard: Guard) -> tuple[DemandedValue, ...]:
        """The answers that clauses permit, by the values that are believed now. Each must still be judged."""
        context = guard.session.context()
        texts: dict[str, DemandedValue] = {}
        for rule in self.answers:
            assert isinstance(rule.head, License)
            for test in rule.head.atom.constraints:
                if test.attr != "text":
                    continue
                for value in self._values(guard, rule, test, context):
                    texts.setdefault(show(value, bare=True), DemandedValue(show(value, bare=True), rule.id))
        return tuple(texts.values())[:MOST_VALUES]

    def _values(self, guard: Guard, rule: Rule, test: Constraint, context: Context) -> Iterator[Value]:
        if test.op == "=" and isinstance(test.term, Var):
            for use in rule_uses(rule):
                attrs = [one.attr for one in use.atom.constraints if one.op == "=" and one.term == test.term]
                if attrs and not use.negated:
                    for row in guard.rows(use.atom.relation):
                        yield from (value for attr in attrs if (value := row.get(attr)) is not None)
        elif constant(test):
            yield from CellDemand("answer", "text", rule.id, (test,)).values(context)

    # ------------------------------------------------------------------ what prepares

    def prepares(self, guard: Guard, proposal: Proposal) -> tuple[str, ...]:
        """The clauses for which a proposal would make a cell as they ask that is not so yet; by what rules predict.

        Raises:
            Exception: an internal error.
        """
        context = guard.session.context()
        judged = guard.machine.foreseen(proposal)
        if judged.level not in ("allow", "confirm"):
            return ()
        return tuple(dict.fromkeys(self._met_by(judged.changes, context)))

    def _met_by(self, changes: Iterable[Change], context: Context) -> Iterator[str]:
        for change in changes:
            if change.new is None:
                continue
            relation = self.program.relation(change.relation)
            cells = change.new.cells
            for attr in sorted(change.written):
                column = relation.column(attr)
                old = change.old.cells[column] if change.old is not None else None
                for demand in self.by_cell.get((change.relation, attr), ()):
                    about = all(
                        fits(test, cells[relation.column(test.attr)], {}, context) for test in demand.row
                    )
                    if about and demand.holds(cells[column], context) and not demand.holds(old, context):
                        yield demand.rule
