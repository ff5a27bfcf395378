"""Runs the steps of a planned body, each on all bindings at once."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from vsalang.engine.run.state import State
from vsalang.engine.steps import (
    Anti,
    Ask,
    AtPoint,
    Bind,
    Body,
    Captures,
    Enumerate,
    Filter,
    Join,
    Project,
    Step,
)
from vsalang.engine.terms import Tuple


def run_step(state: State, step: Step, envs: list[Tuple]) -> list[Tuple]:
    """The bindings after one step."""
    return RUNNERS[step.__class__](state, step, envs)


def run_body(state: State, body: Body, envs: list[Tuple] | None = None) -> list[Tuple]:
    """The bindings of a body over its layout, each at least once."""
    alphas = state.alphas
    for number in body.required:
        if not alphas[number].counts:  # nothing to join
            return []
    current: list[Tuple] = [()] if envs is None else envs
    for step in body.steps:
        if not current:
            return []
        current = RUNNERS[step.__class__](state, step, current)
    return current


def _join(state: State, step: Join, envs: list[Tuple]) -> list[Tuple]:
    new, key = step.new, step.key
    out: list[Tuple] = []
    if step.delta or not key:
        tuples = list(state.delta if step.delta else state.alphas[step.alpha].counts)
        columns = step.columns
        for env in envs:
            state.spend(len(tuples))
            if key:
                wanted = [env[i] for i in key]
                out.extend(
                    env + tuple([t[c] for c in new]) for t in tuples if [t[c] for c in columns] == wanted
                )
            elif new:
                out.extend(env + tuple([t[c] for c in new]) for t in tuples)
            elif tuples:
                out.append(env)
        return out
    index = state.alphas[step.alpha].index(step.columns)
    for env in envs:
        bucket = index.get(tuple([env[i] for i in key]))
        state.spend(1)
        if bucket:
            state.spend(len(bucket))
            if new:
                out.extend(env + tuple([t[c] for c in new]) for t in bucket)
            else:
                out.append(env)
    return out


def _anti(state: State, step: Anti, envs: list[Tuple]) -> list[Tuple]:
    alpha, key, tests, ctx = state.alphas[step.alpha], step.key, step.tests, state.ctx
    state.spend(len(envs))
    if not key and not tests:
        return [] if alpha.counts else envs
    index = alpha.index(step.columns) if key else None
    out: list[Tuple] = []
    for env in envs:
        bucket: Iterable[Tuple] | None = alpha.counts
        if index is not None:
            bucket = index.get(tuple([env[i] for i in key]))
        if not bucket:
            out.append(env)
            continue
        if not tests:
            continue
        for other in bucket:
            state.spend(1)
            both = env + other
            if all(test(both, ctx) for test in tests):
                break
        else:
            out.append(env)
    return out


def _filter(state: State, step: Filter, envs: list[Tuple]) -> list[Tuple]:
    state.spend(len(envs))
    test, ctx = step.test, state.ctx
    return [env for env in envs if test(env, ctx)]


def _bind(state: State, step: Bind, envs: list[Tuple]) -> list[Tuple]:
    state.spend(len(envs))
    get, ctx = step.get, state.ctx
    return [(*env, value) for env in envs if (value := get(env, ctx)) is not None]


def _enumerate(state: State, step: Enumerate, envs: list[Tuple]) -> list[Tuple]:
    out: list[Tuple] = []
    for env in envs:
        values = dict.fromkeys(value for value in step.get(env, state.ctx) if value is not None)
        state.spend(len(values))
        out.extend((*env, value) for value in values)
    return out


def _captures(state: State, step: Captures, envs: list[Tuple]) -> list[Tuple]:
    state.spend(len(envs))
    out: list[Tuple] = []
    for env in envs:
        groups = step.groups(env, state.ctx)
        if groups is not None:
            out.append(env + tuple([groups[name] for name in step.names]))
    return out


def _project(state: State, step: Project, envs: list[Tuple]) -> list[Tuple]:
    keep = step.keep
    state.spend(len(envs))
    return list(dict.fromkeys([tuple([env[i] for i in keep]) for env in envs]))


def _at_point(state: State, step: AtPoint, envs: list[Tuple]) -> list[Tuple]:
    if step.here:
        return [env for env in envs if env[step.index] == state.recording]
    return [env for env in envs if env[step.index] <= state.last_point]


def _ask(state: State, step: Ask, envs: list[Tuple]) -> list[Tuple]:
    seen: dict[Tuple, list[Tuple]] = {}
    out: list[Tuple] = []
    for env in envs:
        state.spend(1)
        key = tuple([env[i] for _, i in step.names])
        answers = seen.get(key)
        if answers is None:
            bindings = {name: env[i] for name, i in step.names}
            answers = seen[key] = list(dict.fromkeys(step.goal(state, bindings)))
        out.extend(env + more for more in answers)
    return out


RUNNERS: Final[Mapping[type[Any], Callable[[State, Any, list[Tuple]], list[Tuple]]]] = {
    Join: _join,
    Anti: _anti,
    Filter: _filter,
    Bind: _bind,
    Enumerate: _enumerate,
    Captures: _captures,
    Project: _project,
    AtPoint: _at_point,
    Ask: _ask,
}
"""How each kind of step is run."""
