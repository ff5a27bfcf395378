"""Literals that ask about all rows: aggregates, ``every``, and the first rows of a list (`semantics.md#first-rows`)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from tests.oracle.moment import Reader, Solution
from tests.oracle.past import commits
from tests.oracle.rows import Cells, Match, given_values, match_row, matches, read_timestamp
from tests.oracle.terms import Bound, Env, Fresh
from vsalang.engine.api import EngineError, Reading
from vsalang.program import ops
from vsalang.program.ir import NUMBER, Aggregate, Atom, Constraint, Every, First, Lit, Relation, Type, Var
from vsalang.program.values import NONE, Value
from vsalang.program.walk import variables


@dataclass
class Range:
    """The rows that an aggregate ranges over, by what tells them apart; `unseen`: there may be more."""

    rows: dict[object, Cells] = field(default_factory=dict)
    timestamp: int = 0
    unseen: bool = False

    def add(self, key: object, row: Cells, timestamp: int) -> None:
        """One more row."""
        self.rows[key] = row
        self.timestamp = max(self.timestamp, timestamp)


# ---------------------------------------------------------------- aggregates


def aggregate(solver: Reader, literal: Aggregate, env: Env) -> Iterator[Solution]:
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


def _aggregate(solver: Reader, literal: Aggregate, env: Env) -> Iterator[Solution]:
    certain = _range(solver, literal.lit, env, "plain" if solver.reading == "plain" else "certain")
    if solver.reading == "plain":
        exact = True
    else:
        possible = _range(solver, literal.lit, env, "possible")
        exact = not possible.unseen and possible.rows.keys() == certain.rows.keys()
    counts_up, counts_down = literal.fn == "count" and literal.op in (">", ">="), literal.op in ("<", "<=")
    counts_down = counts_down and literal.fn == "count"
    if exact or (counts_up and solver.reading == "certain") or (counts_down and solver.reading == "possible"):
        value = _value(solver, literal, certain)
        if value is not None:
            for found in _tested(solver, literal, value, env):
                yield found, certain.timestamp
        elif solver.reading == "possible" and _unread(solver, literal, certain):
            for found in _anything(solver, literal, env):
                yield found, certain.timestamp
    elif solver.reading == "possible":
        for found in _anything(solver, literal, env):
            yield found, certain.timestamp


def _range(solver: Reader, lit: Lit, env: Env, reading: Reading) -> Range:
    found = Range()
    reader = solver.in_reading(reading)
    atom, when = lit.atom, lit.past
    is_action = solver.relation(atom.relation).sort == "action"
    if when is None and (solver.ledger is None or not is_action):
        for match in matches(solver.moment, atom, env, reading):
            if match.unseen:
                found.unseen = True
            else:
                found.add(match.row, match.row, match.timestamp)
    elif when is not None and when.op in ("earlier", "within") and is_action:
        for commit, _ in commits(reader, atom, when, env):
            found.add((commit.number, commit.row), commit.row, commit.point)
    else:
        raise EngineError(
            f"an aggregate over the past of {atom.relation}: only commits of actions are counted"
        )
    return found


def _value(solver: Reader, literal: Aggregate, found: Range) -> Value | None:
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


def _unread(solver: Reader, literal: Aggregate, found: Range) -> bool:
    """Whether a cell was not read, which may hold anything; one that is seen to be absent stays absent."""
    column = solver.relation(literal.lit.atom.relation).column(literal.attr)
    return any(row[column] is None or isinstance(row[column], Fresh) for row in found.rows.values())


def _tested(solver: Reader, literal: Aggregate, value: Value, env: Env) -> Iterator[Env]:
    right = literal.right
    if literal.op == "=" and isinstance(right, Var) and right.name not in env:
        yield {**env, right.name: value}
    elif solver.holds(value, literal.op, right, literal.hi, env):
        yield env


def _anything(solver: Reader, literal: Aggregate, env: Env) -> Iterator[Env]:
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


def every(solver: Reader, literal: Every, env: Env) -> Iterator[Solution]:
    """Some row fits the atom, and each that does fits `has`; certainly: some certainly, and each that possibly does."""
    moment, rel = solver.moment, solver.relation(literal.atom.relation)
    sure: Reading = "plain" if solver.reading == "plain" else "certain"
    seen = list(matches(moment, literal.atom, env, sure))

    def fits(match: Match, reading: Reading) -> bool:
        return next(match_row(moment, rel, match.row, literal.has, match.env, reading), None) is not None

    if solver.reading == "possible":
        some = next(matches(moment, literal.atom, env, "possible", choices=True), None) is not None
        holds = some and all(fits(match, "possible") for match in seen)
    else:
        ranged: Iterable[Match] = seen
        if solver.reading == "certain":
            ranged = matches(moment, literal.atom, env, "possible", choices=True)
        holds = bool(seen) and all(fits(match, sure) for match in ranged)
    if holds:
        yield env, _timestamp(solver, rel, seen, literal.atom.constraints + literal.has)


def _timestamp(
    solver: Reader, rel: Relation, found: Iterable[Match], constraints: tuple[Constraint, ...]
) -> int:
    timestamps = solver.moment.timestamps(rel.name)
    return max(
        (max(m.timestamp, read_timestamp(rel, constraints, timestamps.get(m.row))) for m in found), default=0
    )


# ---------------------------------------------------------------- first


def first(solver: Reader, literal: First, env: Env) -> Iterator[Solution]:
    """The first n rows of a list that match: one of them (and what it binds), or each of them (`has`)."""
    rel = solver.relation(literal.atom.relation)
    if rel.sort != "list":
        raise EngineError(f"first {literal.n} {rel.name}: only a list has first rows")
    chooser = _Chooser(solver, literal, rel)
    if literal.has is None:
        for match in chooser.chosen(env, solver.reading):
            tests = match_row(solver.moment, rel, match.row, chooser.testing, match.env, solver.reading)
            for found in tests:
                yield found, _timestamp(solver, rel, [match], literal.atom.constraints)
        return
    has = (*chooser.testing, *literal.has)

    def fits(match: Match, reading: Reading) -> bool:
        return next(match_row(solver.moment, rel, match.row, has, match.env, reading), None) is not None

    if solver.reading == "possible":
        seen = list(chooser.chosen(env, "certain"))
        some = next(chooser.chosen(env, "possible"), None) is not None
        holds = some and all(fits(match, "possible") for match in seen)
    elif solver.reading == "certain":
        seen = list(chooser.chosen(env, "certain"))
        holds = any(chooser.each(group, env, fits) for group in chooser.lists(env))
    else:
        seen = list(chooser.chosen(env, "plain"))
        holds = any(
            all(fits(match, "plain") for match in seen if chooser.group(match.row) == group)
            for group in {chooser.group(match.row) for match in seen}
        )
    if holds:
        yield env, _timestamp(solver, rel, seen, literal.atom.constraints + literal.has)


Group = tuple[Bound | None, ...]
"""Which list: its values of ``in``."""


class _Chooser:
    """Chooses the first n rows of each list. Constraints with constants and those on the ``in`` attributes select."""

    def __init__(self, solver: Reader, literal: First, rel: Relation) -> None:
        self.solver, self.n, self.rel = solver, literal.n, rel
        self.selecting = tuple(c for c in literal.atom.constraints if c.attr in rel.within or _constant(c))
        self.testing = tuple(c for c in literal.atom.constraints if c not in self.selecting)
        self.atom = Atom(rel.name, self.selecting, literal.atom.before)
        self.at = rel.column("at")
        self.within = [rel.column(name) for name in rel.within]

    def group(self, row: Cells) -> Group:
        """The list that a row belongs to."""
        return tuple(row[column] for column in self.within)

    def rows(self) -> list[Cells]:
        """Every row of the relation that was seen."""
        return list(self.solver.moment.base(self.rel.name, "before" if self.atom.before else "rows"))

    def chosen(self, env: Env, reading: Reading) -> Iterator[Match]:
        """The rows that are among the first n: plainly, certainly or possibly (then unseen ones too)."""
        counting: dict[Reading, Reading] = {"plain": "plain", "certain": "possible", "possible": "certain"}
        for match in matches(self.solver.moment, self.atom, env, reading):
            if None in self.group(match.row):
                if reading == "possible":
                    yield match
            elif match.row[self.at] is not None and not match.unseen:
                if self._above(match, env, counting[reading]) < self.n:
                    yield match
            elif reading == "possible" and self._above(self._raised(match), env, "certain") < self.n:
                yield match

    def _raised(self, match: Match) -> Match:
        """A row that nobody saw, or not where it stands, at the highest position that it may have."""
        place: Bound | None = match.row[self.at]
        if place is None:
            at = 1
            while self._kept_away(match, at):
                at += 1
            place = at
        return replace(match, row=tuple(place if i == self.at else cell for i, cell in enumerate(match.row)))

    def _kept_away(self, match: Match, place: object) -> bool:
        """Whether a row at the place keeps this one away: any that was seen if nobody saw this one, else one that was
        seen with it or after it."""
        group = self.group(match.row)
        there = [row for row in self.rows() if row[self.at] == place and self._same(self.group(row), group)]
        return any(match.unseen or self._not_before(row, match.row) for row in there)

    def _not_before(self, row: Cells, other: Cells) -> bool:
        moment = self.solver.moment
        ours, theirs = moment.last_seen(self.rel.name, row), moment.last_seen(self.rel.name, other)
        return ours is not None and theirs is not None and ours >= theirs

    def _same(self, group: Group, other: Group) -> bool:
        """Whether two rows are certainly of one list."""
        domain = self.solver.moment.domain
        return all(domain.equal(mine, theirs) is True for mine, theirs in zip(group, other, strict=True))

    # ------------------------------------------------------------ certainly each of the first n

    def lists(self, env: Env) -> set[Group]:
        """The lists of which a row certainly matches."""
        sure = matches(self.solver.moment, self.atom, env, "certain")
        return {group for match in sure if None not in (group := self.group(match.row))}

    def each(self, group: Group, env: Env, fits: Callable[[Match, Reading], bool]) -> bool:
        """Going down from the top of a list every row that may match fits, until n that certainly match were met or
        a complete list ends."""
        moment = self.solver.moment
        sure = [m for m in matches(moment, self.atom, env, "certain") if self.group(m.row) == group]
        places = sorted(m.row[self.at] for m in sure if _is_place(m.row[self.at]))  # type: ignore[type-var]
        if not any(_is_place(m.row[self.at]) or m.row[self.at] is None for m in sure):
            return False

        def met_before(place: object) -> bool:
            return sum(ops.holds("<", other, place) for other in places) >= self.n  # type: ignore[arg-type]

        for match in matches(moment, self.atom, env, "possible"):
            of_it = [moment.domain.equal(a, b) for a, b in zip(self.group(match.row), group, strict=True)]
            if match.unseen or False in of_it:
                continue
            placed = match.row[self.at] is not None or None in of_it
            place = match.row[self.at] if placed else self._raised(match).row[self.at]
            if not (_is_place(place) and met_before(place)) and not fits(match, "certain"):
                return False
        given = given_values(moment, self.selecting, env)
        given.update(dict(zip(self.rel.within, group, strict=True)))  # type: ignore[arg-type]
        if moment.complete(self.rel, given, before=self.atom.before):
            return True
        if len(places) < self.n:
            return False
        taken = {row[self.at] for row in self.rows() if self._same(self.group(row), group)}
        return self._missing(places[self.n - 1], taken, given, env) == 0

    # ------------------------------------------------------------ above

    def _above(self, match: Match, env: Env, reading: Reading) -> int:
        """How many rows of the same list that fit the selecting constraints stand above, in one reading."""
        moment = self.solver.moment
        ours = variables(tuple(c for c in self.selecting if c.attr in self.rel.within))
        env = {**env, **{name: match.env[name] for name in ours}}
        position, group = match.row[self.at], self.group(match.row)
        above = floating = 0
        taken: set[Bound | None] = set()
        for row in self.rows():
            same = [moment.domain.equal(a, b) for a, b in zip(self.group(row), group, strict=True)]
            if row == match.row or False in same or (None in same and reading != "possible"):
                continue
            at = row[self.at]
            if at is not None and None not in same:
                taken.add(at)
            if next(match_row(moment, self.rel, row, self.selecting, env, reading), None) is None:
                continue
            if at is None:
                pushes = self._pushes_down(row, position, group)
                above, floating = above + (pushes and reading == "possible"), floating + (not pushes)
            elif ops.holds("<", at, position):  # type: ignore[arg-type]
                above += 1
        if reading != "possible":
            return above
        given = given_values(moment, self.selecting, env)
        given.update({name: match.row[self.rel.column(name)] for name in self.rel.within})  # type: ignore[misc]
        more = floating if moment.complete(self.rel, given, before=self.atom.before) else self.n
        return above + min(more, self._missing(position, taken, given, env))

    def _pushes_down(self, row: Cells, position: object, group: Group) -> bool:
        """Whether a row without position may stand where another was seen, here or above: that one moved down then."""
        here = [r for r in self.rows() if self._same(self.group(r), group) and _is_place(r[self.at])]
        places = {r[self.at] for r in here if not ops.holds(">", r[self.at], position)}  # type: ignore[arg-type]
        return any(not any(self._not_before(r, row) for r in here if r[self.at] == place) for place in places)

    def _missing(self, position: object, taken: set[Bound | None], given: dict[str, Bound], env: Env) -> int:
        """How many positions above, at most n, hold no row that was seen and could hold one that fits."""
        found, at = 0, 1
        while isinstance(position, int) and at < position and found < self.n:
            if at not in taken:
                row = tuple(at if a.name == "at" else given.get(a.name) for a in self.rel.attrs)
                fitting = match_row(self.solver.moment, self.rel, row, self.selecting, env, "possible")
                found += next(fitting, None) is not None
            at += 1
        return found


def _is_place(cell: object) -> bool:
    return ops.is_number(cell)


def _constant(constraint: Constraint) -> bool:
    return not variables(constraint)


QUANTIFIED: Final[Mapping[type, Callable[[Reader, Any, Env], Iterator[Solution]]]] = MappingProxyType(
    {Every: every, First: first}
)
"""For each kind of condition about the rows of one atom the function that solves it."""
