"""How old evidence is: the history point of the youngest cell or commit that literals rest on (`then` asks)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vsalang.core.ir import Aggregate, Atom, Constraint, Every, First, Lit, Then, Var
from vsalang.engine.api import EngineError
from vsalang.engine.compile.past import occurrence
from vsalang.engine.compile.ranges import Ranges
from vsalang.engine.matching import Matcher
from vsalang.engine.plan import CommitLit, Fresh, Item, NodeSpec, Tuple, Version
from vsalang.engine.run.certain import Source
from vsalang.engine.run.firsts import FirstAsk
from vsalang.engine.run.goals import plain_rows

if TYPE_CHECKING:
    from vsalang.engine.compile.program import Compiler
    from vsalang.engine.run.session import Session

NEW = math.inf
"""The age of what is being proposed: after every point. At a history point it is of that point."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One literal of a last part: whose rows it rests on, and which cells it reads.

    Attributes:
        kind: ``cells`` (stamps of the relation), ``derived``, ``point`` (the point in a row's own column), ``new``.
        stamps: the table of stamps, or of a derived relation the table of its rows.
        first: of a `first`: only the rows that it chooses count.
    """

    kind: str
    source: Source | None = None
    matcher: Matcher | None = None
    columns: tuple[int, ...] = ()
    stamps: int = -1
    first: FirstAsk | None = None


@dataclass(frozen=True, slots=True)
class FreshAsk:
    """Whether the youngest cell or commit that literals rest on is younger than a point."""

    first: str
    reads: tuple[_Read, ...]

    def __call__(self, session: "Session", env: dict[str, Any]) -> Iterable[Tuple]:
        """Yes or no, as an evaluator of literals answers."""
        return ((),) if self.age(session, env) > env[self.first] else ()

    def age(self, session: "Session", env: dict[str, Any]) -> float:
        """The history point of the youngest thing; 0 if there is none."""
        return max((age_of(session, read, env) for read in self.reads), default=0)


def age_of(session: "Session", read: _Read, env: dict[str, Any]) -> float:
    """The history point of the youngest thing that one literal rests on under the bindings."""
    if read.kind == "new":
        return session.recording or NEW
    assert read.source is not None and read.matcher is not None
    best: float = 0
    stamps = session.stamps(read.stamps) if read.kind in ("cells", "derived") else {}
    for row, _ in plain_rows(session, read.source, read.matcher, env):
        if read.first is not None and not read.first.chooses(session, row, env):
            continue
        if read.kind == "point":
            best = max(best, row[read.columns[0]])
        elif read.kind == "derived":
            best = max(best, stamps.get(row, 0))
        else:
            points = stamps.get(row)
            if points:
                best = max(
                    best, max((points[c] for c in read.columns), default=0) if read.columns else max(points)
                )
    return best


def reads_of(compiler: "Compiler", spec: NodeSpec, literals: Sequence[Item], version: Version) -> FreshAsk:
    """The evaluator of the age of what a rule's body rests on under complete bindings."""
    ranges = Ranges(compiler, spec)
    reads: list[_Read] = []
    for literal in literals:
        if isinstance(literal, Then):
            for inner in literal.parts[-1]:
                reads.extend(_reads(compiler, spec, ranges, inner, version))
        else:
            reads.extend(_reads(compiler, spec, ranges, literal, version))
    return FreshAsk("", tuple(reads))


def given_read(compiler: "Compiler", spec: NodeSpec, given: int, name: str) -> FreshAsk:
    """The evaluator of the age of a screen that is known to show: the slot of its stamps says it."""
    stamps = compiler.slot(f"stamps {name}", 0)
    spec.tables |= {given, stamps}
    return FreshAsk("", (_Read("cells", Source(given), Matcher({}, ()), (), stamps),))


def make_fresh(compiler: "Compiler", spec: NodeSpec, item: Fresh) -> FreshAsk:
    """The evaluator of `Fresh`; the node comes to depend on the stamps of all that the literals rest on."""
    return FreshAsk(item.first, reads_of(compiler, spec, item.literals, item.version).reads)


def _reads(
    compiler: "Compiler", spec: NodeSpec, ranges: Ranges, literal: Item, version: Version
) -> list[_Read]:
    if isinstance(literal, CommitLit):
        table = compiler.commits(literal.atom.relation)
        spec.tables.add(table)
        point = len(compiler.columns[literal.atom.relation]) + 1
        return [_Read("point", Source(table), ranges.matcher(literal.atom), (point,))]
    if isinstance(literal, Lit):
        if literal.neg:
            return []
        if literal.past is not None:
            return [_past_read(compiler, spec, ranges, literal, version)]
        return [_atom_read(compiler, spec, ranges, literal.atom, (), version)]
    if isinstance(literal, Aggregate):
        if literal.lit.past is not None:
            return [_past_read(compiler, spec, ranges, literal.lit, version)]
        counted = (literal.attr,) if literal.attr else ()
        return [_atom_read(compiler, spec, ranges, literal.lit.atom, counted, version)]
    if isinstance(literal, Every):
        return [_atom_read(compiler, spec, ranges, literal.atom, tuple(c.attr for c in literal.has), version)]
    if isinstance(literal, First):
        attrs = tuple(c.attr for c in literal.has or ())
        read = _atom_read(compiler, spec, ranges, literal.atom, attrs, version)
        return [replace(read, first=ranges.first_ask(literal, version))]
    if isinstance(literal, Then):
        raise EngineError("then inside a then: write A then B then C")
    return []


def _past_read(compiler: "Compiler", spec: NodeSpec, ranges: Ranges, literal: Lit, version: Version) -> _Read:
    assert literal.past is not None
    if ranges.is_commit(literal.atom, literal.past):
        source = ranges.rows_of(literal.atom, literal.past, version)
        point = len(compiler.columns[literal.atom.relation]) + 1
        return _Read("point", source, ranges.matcher(literal.atom), (point,))
    table, columns, outer = occurrence(compiler, literal.atom, literal.past, version)
    spec.tables.add(table)
    where = {name: index for index, name in enumerate(columns)}
    constraints = [Constraint(name, "=", Var(name)) for name in columns if name[0] not in "?#"]
    constraints += [Constraint(name, c.op, c.term, c.hi) for name, c in outer]
    return _Read("point", Source(table), Matcher(where, constraints), (len(columns),))


def _atom_read(
    compiler: "Compiler", spec: NodeSpec, ranges: Ranges, atom: Atom, more: tuple[str, ...], version: Version
) -> _Read:
    relation = compiler.relation(atom.relation)
    if relation.sort in ("gesture", "action"):
        spec.clock = True  # it goes with the point that is recorded
        return _Read("new")
    matcher = ranges.matcher(atom)
    source = ranges.rows_of(atom, None, version)
    columns = compiler.columns[atom.relation]
    if compiler.is_derived(atom.relation):
        table = compiler.derived(atom.relation, version)
        compiler.stamped(table, spec, atom.relation, version)
        return _Read("derived", source, matcher, (), table)
    stamps = compiler.slot(f"stamps {relation.name}", len(relation.attrs))
    spec.tables.add(stamps)
    attrs = dict.fromkeys((*(c.attr for c in atom.constraints), *more))
    return _Read("cells", source, matcher, tuple(columns[a] for a in attrs), stamps)


def derived_ages(session: "Session", number: int) -> dict[Tuple, Any]:
    """The age of each row of a derived table: that of the youngest thing that some derivation of it rests on."""
    ages: dict[int, dict[Tuple, Any]] = {}
    waiting = [number]
    while waiting:
        table = waiting.pop()
        if table not in ages:
            ages[table] = {}
            waiting.extend(session.kernel.nodes[session.kernel.stamps[table].node].stamped)
    session.ages = ages
    try:
        changed = True
        while changed:
            changed = False
            for table, rows in ages.items():
                for plan in session.kernel.stamps[table].plans:
                    for env in session.run(plan.body):
                        row = plan.head(env, session.ctx)
                        if row is None:
                            continue
                        age = plan.ask.age(session, dict(zip(plan.body.layout, env, strict=True)))
                        if age > rows.get(row, -1):
                            rows[row] = age
                            changed = True
    finally:
        session.ages = None
    return ages[number]
