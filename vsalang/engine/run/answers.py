"""Answers of rules and rows of relations: what is maintained as it is, the rest computed if what it read changed."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from vsalang.engine.api import Answer, EngineError, Input, Row
from vsalang.engine.plan import RulePlan
from vsalang.engine.run.evaluate import current, ensure, run
from vsalang.engine.run.maintain import is_hot, maintain
from vsalang.engine.run.state import State
from vsalang.engine.run.steps import run_step
from vsalang.engine.steps import ROW, Step
from vsalang.engine.terms import Tuple
from vsalang.program.values import row_order


def variables(state: State, rule: str) -> tuple[str, ...]:
    """The names of a rule's answer variables.

    Raises:
        EngineError: the program has no such rule.
    """
    try:
        return state.plan.variables[rule]
    except KeyError:
        raise EngineError(f"the program has no rule {rule}") from None


def answers(state: State, rule: str) -> frozenset[Answer]:
    """Every way in which a rule's body holds; the same object while nothing changed.

    Raises:
        EngineError: the program has no such rule.
        BudgetExceeded: it cannot be computed within the budget.
    """
    plan = state.plan.answers.get(rule)
    if plan is None:
        variables(state, rule)
        raise EngineError(f"the rule {rule} is not answered")
    return _answer(state, *plan)


def extra_answers(state: State, rule: str) -> frozenset[Answer]:
    """Of `recognize`: the answers with the conditions after ``with``.

    Raises:
        EngineError: the program has no such rule.
        BudgetExceeded: it cannot be computed within the budget.
    """
    names = variables(state, rule)
    if rule not in state.plan.extras:
        raise EngineError(f"the rule {rule} recognizes no action")
    plan = state.plan.extras[rule]
    first, *sources = [_answer(state, *each) for each in plan.parts]
    grouped_rows: list[dict[Row, list[Row]]] = []
    for source in sources:
        by_shared: dict[Row, list[Row]] = {}
        for answer in source:
            by_shared.setdefault(answer.values[: plan.shared], []).append(answer.values)
        grouped_rows.append(by_shared)
    key_values = set()
    for answer in first:
        for ways in itertools.product(*(each.get(answer.values, [()]) for each in grouped_rows)):
            values: dict[str, Any] = dict(zip(plan.parts[0][1].variables, answer.values, strict=True))
            for way, (_, part) in zip(ways, plan.parts[1:], strict=True):
                values.update(zip(part.variables, way, strict=False))  # an empty source gives nothing
            key_values.add(Answer(tuple([values.get(name) for name in names])))
            state.spend(1)
    return frozenset(key_values)


def expected(state: State, rule: str, answer: Answer) -> bool:
    """Of `expect`: whether the expected literals hold now under an earlier answer of its body.

    Raises:
        EngineError: the program has no such rule, or the answer lacks a value.
        BudgetExceeded: it cannot be computed within the budget.
    """
    names = variables(state, rule)
    if rule not in state.plan.expects:
        raise EngineError(f"the rule {rule} expects nothing")
    stratum, plan = state.plan.expects[rule]
    state.begin()
    ensure(state, stratum)
    values = dict(zip(names, answer.values, strict=True))
    key_values = tuple([values[name] for name in plan.bound])
    if None in key_values:
        raise EngineError(f"an answer of {rule} lacks a value")
    return bool(run(state, plan.body, [key_values]))


def witness(state: State, rule: str, answer: Answer) -> dict[str, Any] | None:
    """Of a judging rule or a licence: one way in which its body holds, as a binding. See `Evaluator`.

    Raises:
        EngineError: the program has no such rule, or the rule is of another kind.
        BudgetExceeded: none is found within the budget.
    """
    names = variables(state, rule)
    plan = state.plan.witnesses.get(rule)
    if plan is None:
        raise EngineError(f"the rule {rule} neither judges nor allows")
    state.begin()
    ensure(state, state.plan.answers[rule][0])
    values = dict(zip(names, answer.values, strict=True))
    start = tuple([values[name] for name in plan.bound])
    if None in start:
        return None
    layout = plan.body.layout
    row = layout.index(ROW) if ROW in layout else -1
    for env in _one_by_one(state, plan.body.steps, start):
        if row < 0 or env[row] == answer.instance:
            return {name: value for name, value in zip(layout, env, strict=True) if name[0] != "#"}
    return None


def _one_by_one(state: State, steps: Sequence[Step], start: Tuple) -> Iterator[Tuple]:
    """The bindings of a body, one after the other: the second is not looked for while the first is enough.

    Their order does not depend on the process: what a step gives is sorted.
    """
    waiting = [iter((start,))]
    while waiting:
        env = next(waiting[-1], None)
        if env is None:
            waiting.pop()
        elif len(waiting) > len(steps):
            yield env
        else:
            rows = run_step(state, steps[len(waiting) - 1], [env])
            waiting.append(iter(sorted(rows, key=row_order) if len(rows) > 1 else rows))


def rows(state: State, relation: str) -> frozenset[Row]:
    """The rows of a relation, plainly read; the same object while nothing changed.

    Raises:
        EngineError: the program has no such relation.
        BudgetExceeded: they cannot be computed within the budget.
    """
    if relation not in state.program.relations:
        raise EngineError(f"the program has no relation {relation}")
    number = state.plan.derived.get(relation)
    if number is None:
        number = state.plan.inputs.get(Input(relation))
        if number is None:
            return state.unread.get(Input(relation), frozenset())
    else:
        current(state, number)
    table = state.tables[number]
    cached = state.frozen.get(number)
    if cached is None or cached[0] != table.version:
        cached = state.frozen[number] = (table.version, frozenset(table.rows))
    return cached[1]


def _answer(state: State, stratum: int, plan: RulePlan) -> frozenset[Answer]:
    state.check()
    state.deadline = None
    result: frozenset[Answer]
    if state.dirty[stratum]:
        ensure(state, stratum)
        if not state.maintained[stratum]:
            return _compute(state, stratum, plan)
        state.dirty[stratum] = 0
    if state.maintained[stratum]:
        return _maintained(state, stratum)
    result = state.values[stratum]
    return result


def _maintained(state: State, stratum: int) -> frozenset[Answer]:
    result: frozenset[Answer] | None = state.values[stratum]
    if result is None:
        answers = state.sets.get(stratum)
        if answers is None:
            answers = state.sets[stratum] = {Answer(*each) for each in state.counts[stratum]}
        result = state.values[stratum] = frozenset(answers)
    return result


def _compute(state: State, stratum: int, plan: RulePlan) -> frozenset[Answer]:
    versions = state.read_versions(state.plan.strata[stratum])
    if state.computed_from[stratum] != versions:
        if is_hot(state, stratum) and maintain(state, stratum):
            return _maintained(state, stratum)
        envs = run(state, plan.body)
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
        if state.savepoints:
            state.undo_log.append(("stratum", stratum, state.computed_from[stratum], state.values[stratum]))
        state.computed_from[stratum], state.values[stratum] = versions, value
    state.dirty[stratum] = 0
    result: frozenset[Answer] = state.values[stratum]
    return result
