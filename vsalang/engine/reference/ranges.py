"""Literals that ask about all rows: aggregates, ``every``, and the first rows of a list."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vsalang.core import ops
from vsalang.core.ir import NUMBER, Aggregate, Atom, Constraint, Every, First, Lit, Relation, Type, Var
from vsalang.core.values import NONE, Value
from vsalang.engine.api import EngineError
from vsalang.engine.reference.bodies import constraint_variables
from vsalang.engine.reference.moment import Mode
from vsalang.engine.reference.past import commits
from vsalang.engine.reference.rows import Cells, Match, given_values, match_row, matches, read_stamp
from vsalang.engine.reference.terms import Bound, Env, Fresh

if TYPE_CHECKING:
    from vsalang.engine.reference.solve import Solution, Solver


@dataclass
class Range:
    """The rows that an aggregate ranges over, by what tells them apart; `unseen`: there may be more."""

    rows: dict[object, Cells] = field(default_factory=dict)
    stamp: int = 0
    unseen: bool = False

    def add(self, key: object, row: Cells, stamp: int) -> None:
        """One more row."""
        self.rows[key] = row
        self.stamp = max(self.stamp, stamp)


# ---------------------------------------------------------------- aggregates


def aggregate(solver: "Solver", literal: Aggregate, env: Env) -> Iterator["Solution"]:
    """An aggregate; variables of its group that nothing else binds are bound by the rows there are."""
    groups: list[Env] = [env]
    unbound = [name for name in literal.group if name not in env]
    if unbound:
        distinct = {
            tuple((name, found[name]) for name in unbound) for found, _ in solver.positive(literal.lit, env)
        }
        groups = [{**env, **dict(group)} for group in distinct]
    for group in groups:
        yield from _aggregate(solver, literal, group)


def _aggregate(solver: "Solver", literal: Aggregate, env: Env) -> Iterator["Solution"]:
    certain = _range(solver, literal.lit, env, "plain" if solver.mode == "plain" else "certain")
    if solver.mode == "plain":
        exact = True
    else:
        possible = _range(solver, literal.lit, env, "possible")
        exact = not possible.unseen and possible.rows.keys() == certain.rows.keys()
    counts_up, counts_down = literal.fn == "count" and literal.op in (">", ">="), literal.op in ("<", "<=")
    counts_down = counts_down and literal.fn == "count"
    if exact or (counts_up and solver.mode == "certain") or (counts_down and solver.mode == "possible"):
        value = _value(solver, literal, certain)
        if value is not None:
            for found in _tested(solver, literal, value, env):
                yield found, certain.stamp
        elif solver.mode == "possible" and certain.rows:  # a cell that was not read may hold anything
            for found in _anything(solver, literal, env):
                yield found, certain.stamp
    elif solver.mode == "possible":
        for found in _anything(solver, literal, env):
            yield found, certain.stamp


def _range(solver: "Solver", lit: Lit, env: Env, mode: Mode) -> Range:
    from vsalang.engine.reference.solve import Solver

    found = Range()
    reader = Solver(solver.moment, mode, solver.ledger)
    atom, when = lit.atom, lit.past
    is_action = solver.relation(atom.relation).sort == "action"
    if when is None and (solver.ledger is None or not is_action):
        for match in matches(solver.moment, atom, env, mode):
            if match.unseen:
                found.unseen = True
            else:
                found.add(match.row, match.row, match.stamp)
    elif when is not None and when.op in ("earlier", "within") and is_action:
        for commit, _ in commits(reader, atom, when, env):
            found.add((commit.number, commit.row), commit.row, commit.point)
    else:
        raise EngineError(
            f"an aggregate over the past of {atom.relation}: only commits of actions are counted"
        )
    return found


def _value(solver: "Solver", literal: Aggregate, found: Range) -> Value | None:
    """The value of the aggregate; None if it is undefined."""
    if literal.fn == "count":
        return len(found.rows)
    column = solver.relation(literal.lit.atom.relation).column(literal.attr)
    cells: list[Value] = []
    for row in found.rows.values():
        cell = row[column]
        if cell is None or cell is NONE or isinstance(cell, Fresh):
            return None
        cells.append(cell)
    if not cells:
        return None
    if literal.fn == "set":
        return frozenset(str(cell) for cell in cells)
    if literal.fn == "sum":
        total: Value | None = cells[0]
        for cell in cells[1:]:
            total = ops.call("+", (total, cell))
        return total
    ordered = sorted(cells)  # type: ignore[type-var]
    return ordered[0] if literal.fn == "min" else ordered[-1]


def _tested(solver: "Solver", literal: Aggregate, value: Value, env: Env) -> Iterator[Env]:
    right = literal.right
    if literal.op == "=" and isinstance(right, Var) and right.name not in env:
        yield {**env, right.name: value}
    elif solver.holds(value, literal.op, right, literal.hi, env):
        yield env


def _anything(solver: "Solver", literal: Aggregate, env: Env) -> Iterator[Env]:
    """The aggregate may have any value."""
    right = literal.right
    if literal.op == "=" and isinstance(right, Var) and right.name not in env:
        attr = (
            NUMBER
            if literal.fn == "count"
            else solver.relation(literal.lit.atom.relation).attr(literal.attr).type
        )
        kind = Type("set", elem=attr) if literal.fn == "set" else attr
        for value in solver.moment.domain.candidates(kind):
            yield {**env, right.name: value}
    else:
        yield env


# ---------------------------------------------------------------- every


def every(solver: "Solver", literal: Every, env: Env) -> Iterator["Solution"]:
    """Some row fits the atom, and each that does fits `has`; certainly: some certainly, and each that possibly does."""
    moment, rel = solver.moment, solver.relation(literal.atom.relation)
    sure: Mode = "plain" if solver.mode == "plain" else "certain"
    seen = list(matches(moment, literal.atom, env, sure))

    def fits(match: Match, mode: Mode) -> bool:
        return next(match_row(moment, rel, match.row, literal.has, match.env, mode), None) is not None

    if solver.mode == "possible":
        some = next(matches(moment, literal.atom, env, "possible", choices=True), None) is not None
        holds = some and all(fits(match, "possible") for match in seen)
    else:
        ranged: Iterable[Match] = seen
        if solver.mode == "certain":
            ranged = matches(moment, literal.atom, env, "possible", choices=True)
        holds = bool(seen) and all(fits(match, sure) for match in ranged)
    if holds:
        yield env, _stamp(solver, rel, seen, literal.atom.constraints + literal.has)


def _stamp(
    solver: "Solver", rel: Relation, found: Iterable[Match], constraints: tuple[Constraint, ...]
) -> int:
    stamps = solver.moment.stamps(rel.name)
    return max((max(m.stamp, read_stamp(rel, constraints, stamps.get(m.row))) for m in found), default=0)


# ---------------------------------------------------------------- first


def first(solver: "Solver", literal: First, env: Env) -> Iterator["Solution"]:
    """The first n rows of a list that match: one of them (and what it binds), or each of them (`has`)."""
    rel = solver.relation(literal.atom.relation)
    if rel.sort != "list":
        raise EngineError(f"first {literal.n} {rel.name}: only a list has first rows")
    chooser = _Chooser(solver, literal, rel)
    if literal.has is None:
        for match in chooser.chosen(env, solver.mode):
            tests = match_row(solver.moment, rel, match.row, chooser.testing, match.env, solver.mode)
            for found in tests:
                yield found, _stamp(solver, rel, [match], literal.atom.constraints)
        return
    sure: Mode = "plain" if solver.mode == "plain" else "certain"
    has = (*chooser.testing, *literal.has)
    seen = list(chooser.chosen(env, sure))

    def fits(match: Match, mode: Mode) -> bool:
        return next(match_row(solver.moment, rel, match.row, has, match.env, mode), None) is not None

    if solver.mode == "possible":
        some = next(chooser.chosen(env, "possible"), None) is not None
        holds = some and all(fits(match, "possible") for match in seen)
    else:
        ranged = seen
        if solver.mode == "certain":
            ranged = list(chooser.chosen(env, "possible"))
        holds = bool(seen) and all(fits(match, sure) and not match.unseen for match in ranged)
    if holds:
        yield env, _stamp(solver, rel, seen, literal.atom.constraints + literal.has)


class _Chooser:
    """Chooses the first n rows of each list. Constraints with constants and those on the ``in`` attributes select."""

    def __init__(self, solver: "Solver", literal: First, rel: Relation) -> None:
        self.solver, self.n, self.rel = solver, literal.n, rel
        self.each = literal.has is not None
        self.selecting = tuple(c for c in literal.atom.constraints if c.attr in rel.within or _constant(c))
        self.testing = tuple(c for c in literal.atom.constraints if c not in self.selecting)
        self.atom = Atom(rel.name, self.selecting, literal.atom.before)
        self.at = rel.column("at")
        self.within = [rel.column(name) for name in rel.within]

    def chosen(self, env: Env, mode: Mode) -> Iterator[Match]:
        """The rows that are among the first n: plainly, certainly or possibly (then unseen ones too)."""
        counting: dict[Mode, Mode] = {"plain": "plain", "certain": "possible", "possible": "certain"}
        for match in matches(self.solver.moment, self.atom, env, mode):
            placed = all(match.row[column] is not None for column in (self.at, *self.within))
            if match.unseen or not placed:
                # what `has` asks of each of the first n it asks of a complete list
                below = match.unseen and not self.each and self._stands_below(match, env)
                if mode == "possible" and not below:
                    yield match
            elif self._above(match, env, counting[mode]) < self.n:
                yield match

    def _stands_below(self, match: Match, env: Env) -> bool:
        """Whether a row that nobody saw has n rows above it for certain: no position holds two rows."""
        if any(match.row[column] is None for column in self.within):
            return False
        domain, place = self.solver.moment.domain, match.row[self.at]
        if place is None:
            name = f"before {self.rel.name}" if self.atom.before else self.rel.name
            taken = {
                row[self.at]
                for row in self.solver.moment.base(name)
                if all(domain.equal(row[column], match.row[column]) is True for column in self.within)
            }
            place = 1
            while place in taken:
                place += 1
        row = tuple(place if column == self.at else cell for column, cell in enumerate(match.row))
        return self._above(replace(match, row=row), env, "certain") >= self.n

    def _above(self, match: Match, env: Env, mode: Mode) -> int:
        """How many rows of the same list that fit the selecting constraints stand above, in one reading."""
        moment = self.solver.moment
        ours = constraint_variables(c for c in self.selecting if c.attr in self.rel.within)
        env = {**env, **{name: match.env[name] for name in ours}}
        position = match.row[self.at]
        above = unplaced = 0
        taken: set[Bound] = set()
        for row in moment.base(f"before {self.rel.name}" if self.atom.before else self.rel.name):
            same = [moment.domain.equal(row[column], match.row[column]) for column in self.within]
            if row == match.row or False in same or (None in same and mode != "possible"):
                continue
            at = row[self.at]
            if at is not None and None not in same:
                taken.add(at)
            if next(match_row(moment, self.rel, row, self.selecting, env, mode), None) is None:
                continue
            if at is None:
                unplaced += 1
            elif ops.holds("<", at, position):  # type: ignore[arg-type]
                above += 1
        if mode != "possible":
            return above
        given = given_values(moment, self.selecting, env)
        given.update({name: match.row[self.rel.column(name)] for name in self.rel.within})  # type: ignore[misc]
        more = unplaced if moment.complete(self.rel, given, before=self.atom.before) else self.n
        return above + min(more, self._missing(position, taken, given, env))

    def _missing(self, position: object, taken: set[Bound], given: dict[str, Bound], env: Env) -> int:
        """How many positions above, at most n, hold no row that was seen and could hold one that fits."""
        found, at = 0, 1
        while isinstance(position, int) and at < position and found < self.n:
            if at not in taken:
                row = tuple(at if a.name == "at" else given.get(a.name) for a in self.rel.attrs)
                fitting = match_row(self.solver.moment, self.rel, row, self.selecting, env, "possible")
                found += next(fitting, None) is not None
            at += 1
        return found


def _constant(constraint: Constraint) -> bool:
    return not constraint_variables([constraint])
