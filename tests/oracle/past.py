"""The past, read by going through the whole history: earlier, within, for, since, then."""

import datetime as dt
from collections.abc import Iterator
from itertools import product

from tests.oracle.bodies import types_of
from tests.oracle.moment import Moment, Reader, Solution
from tests.oracle.rows import imagined, match_row, matches
from tests.oracle.terms import Bound, Env
from vsalang.engine.api import Commit, EngineError
from vsalang.program.ir import Aggregate, Atom, Every, Lit, Literal, Past, Then
from vsalang.program.walk import binds, uses


def past(solver: Reader, atom: Atom, when: Past, env: Env) -> Iterator[Solution]:
    """Every way in which an atom holds in the past that the operator means; each with the point of its evidence."""
    is_action = _is_action(solver, atom)
    if solver.reading == "possible" and not (
        is_action and (when.other is None or _is_action(solver, when.other))
    ):
        # only actions are complete in the past
        subject = when.other if when.op == "since" and when.other is not None else atom
        for match, _ in imagined(solver.moment, solver.relation(subject.relation), subject.constraints, env):
            yield match.env, 0
        return
    seen: set[frozenset[tuple[str, Bound]]] = set()
    for found, point in _past(solver, atom, when, env, is_action):
        seen.add(frozenset(found.items()))
        solver.moment.setting.meter.bindings(len(seen))
        yield found, point


def _past(solver: Reader, atom: Atom, when: Past, env: Env, is_action: bool) -> Iterator[Solution]:
    points = solver.moment.points
    if when.op == "since":
        yield from _since(solver, atom, when, env)
    elif when.op == "for":
        yield from _for(solver, atom, duration(solver, when, env), env)
    elif is_action:
        for commit, found in commits(solver, atom, when, env):
            yield found, commit.point
    else:
        for point in points:
            if when.op == "earlier" or _recent(solver, point.timeline, duration(solver, when, env)):
                for found, _ in holding(solver, atom, point, env):
                    yield found, point.number or 0


def commits(solver: Reader, atom: Atom, when: Past, env: Env) -> Iterator[tuple[Commit, Env]]:
    """The commits that fit an action's atom under ``earlier`` or ``within``, with the binding each makes."""
    ledger = solver.ledger or solver.moment
    rel = solver.relation(atom.relation)
    for commit in ledger.commits(rel.name):
        if solver.ledger is not None and commit.point > (solver.moment.number or 0):
            continue  # on the left of `then`, read at a point before this commit
        if when.op == "earlier" or _recent(solver, ledger.time_of(commit.point), duration(solver, when, env)):
            for found in match_row(solver.moment, rel, commit.row, atom.constraints, env, solver.reading):
                yield commit, found


def duration(solver: Reader, when: Past, env: Env) -> dt.timedelta | None:
    """The duration of ``within`` and ``for``; None if it is undefined."""
    value = solver.value(when.duration, env)
    return value if isinstance(value, dt.timedelta) else None


def _recent(solver: Reader, then_: dt.datetime, span: dt.timedelta | None) -> bool:
    return span is not None and solver.moment.timeline - then_ <= span


def holding(solver: Reader, atom: Atom, point: Moment, env: Env) -> Iterator[Solution]:
    """Every way in which an atom held at a point; an action holds at the points of its commits."""
    if _is_action(solver, atom):
        rel = solver.relation(atom.relation)
        for commit in (solver.ledger or solver.moment).commits(rel.name):
            if commit.point == point.number:
                for found in match_row(point, rel, commit.row, atom.constraints, env, solver.reading):
                    yield found, commit.point
    else:
        for match in matches(point, atom, env, solver.reading):
            yield match.env, match.timestamp


def committed_here(solver: Reader, atom: Atom, env: Env) -> Iterator[Solution]:
    """An action's atom on the left of `then`: its commits at this very point."""
    yield from holding(solver, atom, solver.moment, env)


def _for(solver: Reader, atom: Atom, span: dt.timedelta | None, env: Env) -> Iterator[Solution]:
    """Held at every point of a run that ends at the latest point and began at least `span` ago."""
    points = solver.moment.points
    if not points or span is None:
        return
    for found, _ in holding(solver, atom, points[-1], env):
        start = points[-1]
        for point in reversed(points):
            if next(holding(solver, atom, point, found), None) is None:
                break
            start = point
        if solver.moment.timeline - start.timeline >= span:
            yield found, start.number or 0


def _since(solver: Reader, atom: Atom, when: Past, env: Env) -> Iterator[Solution]:
    """The other atom held at a point, and this one at every point after it."""
    if when.other is None:
        raise EngineError("since without what it is since")
    points = solver.moment.points
    for index, point in enumerate(points):
        for found, _ in holding(solver, when.other, point, env):
            if all(
                next(holding(solver, atom, later, found), None) is not None for later in points[index + 1 :]
            ):
                yield found, point.number or 0


def _is_action(solver: Reader, atom: Atom) -> bool:
    return solver.relation(atom.relation).sort == "action"


# ---------------------------------------------------------------- then


def then(solver: Reader, literal: Then, env: Env) -> Iterator[Solution]:
    """``A then B then C``: the last holds now, and has evidence that is newer than when the others first held."""
    yield from _chain(solver, literal.parts, env)


def _chain(solver: Reader, parts: tuple[tuple[Literal, ...], ...], env: Env) -> Iterator[Solution]:
    left, last = parts[:-1], parts[-1]
    if not left:
        yield from solver.body(last, env)
        return
    if solver.reading == "possible":
        for found, timestamp in solver.body(last, env):
            for more in _anything(solver, left, found):
                yield more, timestamp
        return
    for binding, first in _first_points(solver, left, env).items():
        found = dict(binding)
        if _still(solver, left, found):
            for more, timestamp in solver.body(last, found):
                if timestamp > first:
                    yield more, timestamp


def _first_points(
    solver: Reader, left: tuple[tuple[Literal, ...], ...], env: Env
) -> dict[frozenset[tuple[str, Bound]], int]:
    """For each binding of the left side the first point at which it held."""
    found: dict[frozenset[tuple[str, Bound]], int] = {}
    for point in solver.moment.points:
        there = solver.at(point)
        for binding, _ in _chain(there, left, env):
            found.setdefault(frozenset(binding.items()), point.number or 0)
            solver.moment.setting.meter.bindings(len(found))
    return found


def _still(solver: Reader, left: tuple[tuple[Literal, ...], ...], env: Env) -> bool:
    """Whether what the left side says of states holds now: undone work does not count."""
    return all(
        next(solver.literal(literal, env), None) is not None
        for part in left
        for literal in part
        if _of_states(solver, literal)
    )


def _of_states(solver: Reader, literal: Literal) -> bool:
    """Whether a literal mentions lasting state as it is, directly or through relations that depend on nothing else."""
    lit = literal.lit if isinstance(literal, Aggregate) else literal
    if not isinstance(lit, Lit | Every) or (isinstance(lit, Lit) and lit.past is not None):
        return False
    strata = solver.moment.setting.strata
    names = {
        name
        for use in uses((lit,))
        for name in {use.atom.relation} | strata.below.get(use.atom.relation, frozenset())
    }
    defining = (rule for name in names for rule in strata.rules.get(name, ()))
    if any(use.past is not None for rule in defining for use in uses(rule.body)):
        return False
    sorts = {sort for name in names if (sort := solver.relation(name).sort) != "derived"}
    return sorts == {"state"}


def _anything(solver: Reader, left: tuple[tuple[Literal, ...], ...], env: Env) -> Iterator[Env]:
    """Every value for the variables that only the left side binds: nobody saw all of the past."""
    literals = [literal for part in left for literal in part]
    types = types_of(literals, solver.moment.setting.program)
    names = sorted(
        name for literal in literals for name in binds(literal) if name not in env and name in types
    )
    for values in product(*(solver.moment.domain.candidates(types[name]) for name in names)):
        yield {**env, **dict(zip(names, values, strict=True))}
