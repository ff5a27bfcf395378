"""`ReferenceEvaluator`: the interface of all evaluators over the literal reading of `semantics.md`."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle.bodies import NOTHING
from tests.oracle.moment import Moment, Rows, Setting
from tests.oracle.rows import bind_row, match_row
from tests.oracle.solve import Solver
from tests.oracle.terms import Clock, Env, Fresh
from vsalang.engine.api import (
    Answer,
    Budget,
    BudgetExceeded,
    Commit,
    EngineError,
    Input,
    Reading,
    Row,
    TimedRow,
)
from vsalang.program.ir import Atom, Expect, Goto, Judge, License, Program, Recognize, Rule, Var
from vsalang.program.similarity import DEFAULT, Similarity
from vsalang.program.values import row_order
from vsalang.program.walk import outer_variables, sources, variables


class ReferenceEvaluator:
    """Answers by trying every literal on every row and reading the whole history again; slow, and meant to be.

    Args:
        program: checked.
        today: the day of the instruction.
        similarity: who answers ``~=``; the deterministic default if None.
        budget: bounds; beyond them every method raises `BudgetExceeded`.

    Raises:
        EngineError: the program is not stratified.
    """

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.program = program
        self._budget = budget or Budget()
        self._setting = Setting.of(program, Clock(today, similarity or DEFAULT), self._budget, Solver)
        self._rules: Mapping[str, Rule] = {rule.id: rule for rule in program.rules}
        self._variables: dict[str, tuple[str, ...]] = {}
        self._inputs: dict[Input, Rows] = {}
        self._now = self._timeline = dt.datetime.combine(today, dt.time())
        self._history: tuple[Moment, ...] = ()
        self._savepoints: list[tuple[dict[Input, Rows], dt.datetime, dt.datetime, tuple[Moment, ...]]] = []
        self._moment: Moment | None = None

    # ------------------------------------------------------------ what the caller sets

    def assign(
        self, relation: Input | str, rows: Iterable[Row] | Iterable[Commit] | Iterable[TimedRow]
    ) -> None:
        """Replace the rows of an input.

        Raises:
            BudgetExceeded: too many rows.
            EngineError: a row does not have the relation's number of cells.
        """
        name = Input.read(relation) if isinstance(relation, str) else relation
        found: frozenset[Row | Commit | TimedRow] = frozenset(rows)
        if len(found) > self._budget.rows:
            raise BudgetExceeded(f"{name} has more than {self._budget.rows} rows; raise the engine's budget")
        of = self.program.relations.get(name.relation)
        if of is not None and name.kind != "exhausted":
            for row in found:
                cells = row.row if isinstance(row, Commit | TimedRow) else row
                if len(cells) != len(of.attrs):
                    raise EngineError(f"a row of {name} has {len(cells)} cells, not {len(of.attrs)}")
        self._inputs[name] = found  # type: ignore[assignment]
        self._changed()

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the device's clock (naive local time), and the timeline if it is not the same."""
        self._now, self._timeline = moment, moment if timeline is None else timeline
        self._changed()

    def point(self, number: int) -> None:
        """Make the present a history point; numbers only grow.

        Raises:
            EngineError: the number is not greater than the last one.
        """
        if self._history and number <= (self._history[-1].number or 0):
            raise EngineError(f"history point {number} after point {self._history[-1].number}")
        moment = Moment(self._setting, dict(self._inputs), self._now, self._timeline, self._history, number)
        self._history = (*self._history, moment)
        self._changed()

    def savepoint(self) -> int:
        """Begin a tentative change. Savepoints nest."""
        self._savepoints.append((dict(self._inputs), self._now, self._timeline, self._history))
        return len(self._savepoints) - 1

    def rollback(self, savepoint: int) -> None:
        """Undo everything since the savepoint, savepoints set after it included.

        Raises:
            EngineError: there is no such savepoint.
        """
        if not 0 <= savepoint < len(self._savepoints):
            raise EngineError(f"no savepoint {savepoint} to roll back to")
        inputs, self._now, self._timeline, self._history = self._savepoints[savepoint]
        self._inputs = dict(inputs)
        del self._savepoints[savepoint:]
        self._changed()

    def _changed(self) -> None:
        self._moment = None
        self._setting.meter.steps = 0

    @property
    def moment(self) -> Moment:
        """The present."""
        if self._moment is None:
            self._moment = Moment(self._setting, dict(self._inputs), self._now, self._timeline, self._history)
        return self._moment

    # ------------------------------------------------------------ what the caller asks

    def variables(self, rule: str) -> tuple[str, ...]:
        """The names of the rule's answer variables, sorted: of its head, its message, its expectation's literals."""
        known = self._variables.get(rule)
        if known is not None:
            return known
        head = self._rule(rule).head
        found = NOTHING
        if isinstance(head, Judge):
            found = frozenset(part.name for part in head.message if isinstance(part, Var))
        elif isinstance(head, Expect):
            found = found.union(*map(outer_variables, head.literals))
        elif not isinstance(head, Goto):
            found = variables(head.atom)
        return self._variables.setdefault(rule, tuple(sorted(found)))

    def answers(self, rule: str) -> frozenset[Answer]:
        """Every way in which the rule's body holds now; with the head's pattern for a licence."""
        found = self._rule(rule)
        if isinstance(found.head, License):
            return frozenset(self._licensed(found, found.head.atom))
        return self._answers(found, found.body, "plain")

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """Of `recognize`: the body with the conditions after ``with``, each source of them read alone."""
        found = self._rule(rule)
        if not isinstance(found.head, Recognize):
            raise EngineError(f"rule {rule} recognizes nothing")
        names, solver = self.variables(rule), Solver(self.moment, "plain")
        said = sources(found)
        answers: set[Answer] = set()
        for env, _ in solver.body(found.body):
            if next(solver.body(said.of_all, env), None) is None:
                continue
            ways: list[Env] = [env]
            for source in said.each:
                more = [says for says, _ in solver.body(source, env)]
                ways = [{**way, **says} for way in ways for says in more] or ways
            answers.update(_answer(names, way) for way in ways)
        return frozenset(answers)

    def expected(self, rule: str, answer: Answer) -> bool:
        """Of `expect`: whether the expected literals hold now under an earlier answer of its body."""
        found = self._rule(rule)
        if not isinstance(found.head, Expect):
            raise EngineError(f"rule {rule} expects nothing")
        env: Env = {
            name: value
            for name, value in zip(self.variables(rule), answer.values, strict=True)
            if value is not None
        }
        return next(Solver(self.moment, "plain").body(found.head.literals, env), None) is not None

    def witness(self, rule: str, answer: Answer) -> dict[str, Any] | None:
        """Of a judging rule or a licence: one way in which its body holds now, as a binding."""
        found = self._rule(rule)
        env: Env = {
            name: value
            for name, value in zip(self.variables(rule), answer.values, strict=True)
            if value is not None
        }
        if isinstance(found.head, License):
            pattern = found.head.atom
            relation, row = self.program.relation(pattern.relation), answer.instance
            ways = (
                way
                for begun in bind_row(self.moment, relation, row, pattern.constraints, env, "plain")
                for held, _ in Solver(self.moment, "certain").body(found.body, begun)
                for way in match_row(self.moment, relation, row, pattern.constraints, held, "plain")
            )
        elif isinstance(found.head, Judge):
            ways = (way for way, _ in Solver(self.moment, "plain").body(found.body, env))
        else:
            raise EngineError(f"the rule {rule} neither judges nor allows")
        found_ways = [{n: v for n, v in way.items() if not isinstance(v, Fresh)} for way in ways]
        return min(found_ways, key=lambda way: row_order(sorted(way.items())), default=None)

    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a base or derived relation now, plainly read."""
        try:
            found = self.program.relation(relation)
        except KeyError:
            raise EngineError(f"no relation {relation} in the program") from None
        if found.sort in ("derived", "screen"):
            return frozenset(self.moment.derived(relation, "plain"))
        return frozenset(self.moment.base(relation))

    # ------------------------------------------------------------ how

    def _rule(self, rule: str) -> Rule:
        try:
            return self._rules[rule]
        except KeyError:
            raise EngineError(f"no rule {rule} in the program") from None

    def _answers(self, rule: Rule, body: tuple, reading: Reading) -> frozenset[Answer]:  # type: ignore[type-arg]
        names = self.variables(rule.id)
        found: set[Answer] = set()
        for env, _ in Solver(self.moment, reading).body(body):
            found.add(_answer(names, env))
        return frozenset(found)

    def _licensed(self, rule: Rule, pattern: Atom) -> Iterable[Answer]:
        """A licence: its pattern fits a proposed instance, and its body certainly holds."""
        names = self.variables(rule.id)
        relation = self.program.relation(pattern.relation)
        for row in self.moment.base(pattern.relation):
            for begun in bind_row(self.moment, relation, row, pattern.constraints, {}, "plain"):
                for env, _ in Solver(self.moment, "certain").body(rule.body, begun):
                    for found in match_row(self.moment, relation, row, pattern.constraints, env, "plain"):
                        yield _answer(names, found, row)


def _answer(names: tuple[str, ...], env: Env, instance: Row = ()) -> Answer:
    values = [env.get(name) for name in names]
    return Answer(tuple(None if isinstance(value, Fresh) else value for value in values), instance)
