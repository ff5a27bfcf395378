"""Answers of rules and rows of relations: what is live as it is kept, the rest computed if what it read changed."""

import itertools
from typing import Any

from vsalang.core.ir import Program
from vsalang.engine.api import Answer, EngineError, Row
from vsalang.engine.plan import Ref, RulePlan, Tuple
from vsalang.engine.run.ages import derived_ages
from vsalang.engine.run.evaluate import Computing
from vsalang.engine.run.maintain import activate, wants


class Asking(Computing):
    """What can be asked of a session. See `vsalang.engine.api.Evaluator`."""

    __slots__ = ("_frozen", "_stamps", "ages", "counts", "epoch", "sets", "unread")
    program: Program
    counts: dict[int, dict[Tuple, int]]
    sets: dict[int, set[Answer]]
    unread: dict[str, frozenset[Row]]
    epoch: int
    ages: dict[int, dict[Tuple, Any]] | None
    _frozen: dict[int, tuple[int, frozenset[Row]]]
    _stamps: dict[int, tuple[int, dict[Tuple, Any]]]

    def variables(self, rule: str) -> tuple[str, ...]:
        """The names of a rule's answer variables. See `vsalang.engine.api.Evaluator`."""
        try:
            return self.kernel.variables[rule]
        except KeyError:
            raise EngineError(f"the program has no rule {rule}") from None

    def answers(self, rule: str) -> frozenset[Answer]:
        """Every way in which a rule's body holds; the same object while nothing changed. See `Evaluator`."""
        found = self.kernel.answers.get(rule)
        if found is None:
            self.variables(rule)
            raise EngineError(f"the rule {rule} is not answered")
        return self._answer(*found)

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """Of `recognize`, with what stands after ``with``. See `vsalang.engine.api.Evaluator`."""
        self.variables(rule)
        if rule not in self.kernel.extras:
            raise EngineError(f"the rule {rule} recognizes no action")
        plan = self.kernel.extras[rule]
        first, *sources = [self._answer(*each) for each in plan.parts]
        given: list[dict[Row, list[Row]]] = []
        for source in sources:
            by_shared: dict[Row, list[Row]] = {}
            for answer in source:
                by_shared.setdefault(answer.values[: plan.shared], []).append(answer.values)
            given.append(by_shared)
        names, found = self.kernel.variables[rule], set()
        for answer in first:
            for ways in itertools.product(*(each.get(answer.values, [()]) for each in given)):
                values: dict[str, Any] = dict(zip(plan.parts[0][1].variables, answer.values, strict=True))
                for way, (_, part) in zip(ways, plan.parts[1:], strict=True):
                    values.update(
                        zip(part.variables, way, strict=False)
                    )  # a source that says nothing gives nothing
                found.add(Answer(tuple([values.get(name) for name in names])))
                self.spend(1)
        return frozenset(found)

    def _answer(self, node: int, plan: RulePlan) -> frozenset[Answer]:
        self.check()
        self.deadline = None
        result: frozenset[Answer]
        if self.dirty[node]:
            self.ensure(node)
            if not self.live[node]:
                return self._compute(node, plan)
            self.dirty[node] = 0
        if self.live[node]:
            return self._live_answer(node)
        result = self.values[node]
        return result

    def _live_answer(self, node: int) -> frozenset[Answer]:
        result: frozenset[Answer] | None = self.values[node]
        if result is None:
            answers = self.sets.get(node)
            if answers is None:
                answers = self.sets[node] = {Answer(*found) for found in self.counts[node]}
            result = self.values[node] = frozenset(answers)
        return result

    def _compute(self, node: int, plan: RulePlan) -> frozenset[Answer]:
        versions = self.read_versions(self.kernel.nodes[node])
        if self.inputs[node] != versions:
            if wants(self, node) and activate(self, node):  # type: ignore[arg-type]
                return self._live_answer(node)
            envs = self.run(plan.body)
            positions, row = plan.positions, plan.row
            value = frozenset(
                [
                    Answer(
                        tuple([None if i is None else env[i] for i in positions]),
                        () if row is None else env[row],
                    )
                    for env in envs
                ]
            )
            if self.marks:
                self.log.append(("node", node, self.inputs[node], self.values[node]))
            self.inputs[node], self.values[node] = versions, value
        self.dirty[node] = 0
        result: frozenset[Answer] = self.values[node]
        return result

    def expected(self, rule: str, answer: Answer) -> bool:
        """Whether an expectation holds now. See `vsalang.engine.api.Evaluator`."""
        names = self.variables(rule)
        if rule not in self.kernel.expects:
            raise EngineError(f"the rule {rule} expects nothing")
        node, plan = self.kernel.expects[rule]
        self.begin()
        self.ensure(node)
        values = dict(zip(names, answer.values, strict=True))
        given = tuple([values[name] for name in plan.given])
        if None in given:
            raise EngineError(f"an answer of {rule} lacks a value")
        return bool(self.run(plan.body, [given]))

    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a relation, plainly read; the same object while nothing changed. See `Evaluator`."""
        if relation not in self.program.relations:
            raise EngineError(f"the program has no relation {relation}")
        number = self.kernel.table_ids.get(Ref("derived", relation, "plain"))
        if number is None:
            number = self.kernel.slots.get(relation)
            if number is None:
                return self.unread.get(relation, frozenset())
        else:
            self.current(number)
        table = self.tables[number]
        cached = self._frozen.get(number)
        if cached is None or cached[0] != table.version:
            cached = self._frozen[number] = (table.version, frozenset(table.rows))
        return cached[1]

    def current(self, number: int) -> None:
        """Bring a derived table up to date."""
        self.check()
        node = self.kernel.tables[number].node
        assert node is not None
        if self.dirty[node]:
            self.deadline = None
            self.ensure(node)
            if self.dirty[node]:
                self._component(node)

    def stamps(self, number: int) -> dict[Tuple, Any]:
        """How old rows are: for a slot of stamps the points of the cells by row, for a derived table the age by row."""
        if self.ages is not None and number in self.ages:
            return self.ages[number]
        cached = self._stamps.get(number)
        if cached is not None and cached[0] == self.epoch:
            return cached[1]
        found: dict[Tuple, Any] = {}
        if number in self.kernel.stamps:
            found = derived_ages(self, number)  # type: ignore[arg-type]
        else:
            for row, points in self.tables[number].rows:
                known = found.get(row)
                found[row] = points if known is None else tuple(map(max, known, points))
        self._stamps[number] = (self.epoch, found)
        return found
