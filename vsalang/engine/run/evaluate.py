"""Computes strata from nothing: the plans of bodies run step by step, recursive components semi-naively.

A stratum is computed again only if something that it read has another version than then.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from vsalang.engine.api import BudgetExceeded
from vsalang.engine.plan import DerivePlan, PossiblePlan, StratumSpec
from vsalang.engine.run.maintain import DROPPED, change, is_hot, maintain, replace
from vsalang.engine.run.state import State
from vsalang.engine.run.steps import run_body
from vsalang.engine.steps import Body
from vsalang.engine.terms import Tuple


class Native:
    """Runs bodies and fixpoints by the engine's own means. See `vsalang.engine.run.state.Executor`."""

    def run(self, state: State, body: Body, envs: list[Tuple] | None) -> list[Tuple]:
        return run_body(state, body, envs)

    def fixpoint(self, state: State, spec: StratumSpec) -> None:
        fixpoint(state, spec)


def run(state: State, body: Body, envs: list[Tuple] | None = None) -> list[Tuple]:
    """The bindings of a body over its layout, each at least once."""
    return state.executor.run(state, body, envs)


def ensure(state: State, stratum: int) -> None:
    """Bring the derived relations that a stratum depends on up to date."""
    state.check()
    if not state.dirty[stratum]:
        return
    for other in state.plan.strata[stratum].below:
        if state.dirty[other]:
            _component(state, other)


def current(state: State, number: int) -> None:
    """Bring a derived table up to date."""
    state.check()
    stratum = state.plan.tables[number].stratum
    assert stratum is not None
    if state.dirty[stratum]:
        state.deadline = None
        ensure(state, stratum)
        if state.dirty[stratum]:
            _component(state, stratum)


def maintain_wanted(state: State) -> None:
    """Begin to maintain the strata that became hot while there was a savepoint."""
    rank = state.plan.rank
    for stratum in sorted(state.wanted, key=rank.__getitem__):
        if not state.maintained[stratum]:
            try:
                ensure(state, stratum)
            except BudgetExceeded:
                state.hits[stratum] = DROPPED
                continue
            maintain(state, stratum)
    state.wanted.clear()


def _component(state: State, stratum: int) -> None:
    spec = state.plan.strata[stratum]
    if state.maintained[stratum]:  # what it depends on is up to date, and was propagated
        state.dirty[stratum] = 0
        return
    versions = state.read_versions(spec)
    if state.computed_from[stratum] == versions:
        state.dirty[stratum] = 0
        return
    if is_hot(state, stratum) and maintain(state, stratum):
        return
    if state.savepoints:
        state.undo_log.append(("stratum", stratum, state.computed_from[stratum], None))
    state.computed_from[stratum] = None
    if spec.kind == "possible":
        _possible(state, spec)
    elif spec.recursive:
        state.executor.fixpoint(state, spec)
    else:
        _once(state, spec)
    state.computed_from[stratum] = versions
    state.dirty[stratum] = 0


def _once(state: State, spec: StratumSpec) -> None:
    """A component of one relation that does not depend on itself (or of several, in no order)."""
    rows: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
    for plan in spec.plans:
        _heads(state, plan, run(state, plan.body), rows[plan.table])
    for table, rows_of_table in rows.items():
        replace(state, table, rows_of_table)


def _heads(state: State, plan: DerivePlan, envs: list[Tuple], into: dict[Tuple, None]) -> None:
    head, ctx, limit = plan.head, state.ctx, state.budget.rows
    state.spend(len(envs))
    for env in envs:
        row = head(env, ctx)
        if row is not None:
            into[row] = None
    if len(into) > limit:
        raise BudgetExceeded(f"a derived relation has more than {limit} rows")


def fixpoint(state: State, spec: StratumSpec) -> None:
    """Semi-naive evaluation of a recursive component from nothing."""
    for table in spec.members:
        replace(state, table, {})
    fresh: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
    for plan in spec.plans:
        _heads(state, plan, run(state, plan.body), fresh[plan.table])
    while any(fresh.values()):
        _insert(state, fresh, "rows")
        more: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
        for plan in spec.plans:
            for alpha, body in plan.deltas:
                source = state.plan.alphas[alpha]
                fn = source.fn if state.alphas[alpha].asked is None else state.alphas[alpha].ask
                state.delta = _through(state, fn, fresh.get(source.table, {}))
                if state.delta:
                    _heads(state, plan, run(state, body), more[plan.table])
        fresh = _new(state, more)
    state.delta = ()


def _insert(state: State, fresh: dict[int, dict[Tuple, None]], what: str) -> None:
    """Insert the rows that are new in a round of a fixpoint."""
    for table, rows in fresh.items():
        if rows:
            change(state, table, list(rows), [])
        if len(state.tables[table].rows) > state.budget.rows:
            raise BudgetExceeded(f"a derived relation has more than {state.budget.rows} {what}")


def _new(state: State, derived_rows: dict[int, dict[Tuple, None]]) -> dict[int, dict[Tuple, None]]:
    """The rows that their tables do not have yet."""
    return {
        table: {row: None for row in rows if row not in state.tables[table].rows}
        for table, rows in derived_rows.items()
    }


def _through(state: State, fn: Any, rows: Iterable[Tuple]) -> list[Tuple]:
    results = (fn(row, state.ctx) for row in rows)
    return list(dict.fromkeys(out for out in results if out is not None))


def _possible(state: State, spec: StratumSpec) -> None:
    """The possible reading of a component; of a recursive one semi-naively from nothing."""
    plans: Sequence[PossiblePlan] = spec.plans
    fresh: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
    if spec.recursive:
        for table in spec.members:
            replace(state, table, {})
    for plan in plans:
        fresh[plan.table].update(dict.fromkeys(plan.rows(state)))
    if not spec.recursive:
        for table, rows in fresh.items():
            if len(rows) > state.budget.rows:
                raise BudgetExceeded(f"a derived relation has more than {state.budget.rows} possible rows")
            replace(state, table, rows)
        return
    while any(fresh.values()):
        _insert(state, fresh, "possible rows")
        more: dict[int, dict[Tuple, None]] = {table: {} for table in spec.members}
        for plan in plans:
            for position, table in plan.recursive:
                if fresh.get(table):
                    more[plan.table].update(dict.fromkeys(plan.rows(state, (position, list(fresh[table])))))
        fresh = _new(state, more)
