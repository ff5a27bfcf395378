"""The past in bounded memory: which tables a program needs, what feeds them, and how old evidence is.

A table's row is a binding, then the number and the time of a history point (which one depends on the operator:
`earlier` and `then` the first, `within` the last, `for` the start of the unbroken run, `since` when B last held).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vsalang.core.ir import Aggregate, Atom, Compare, Constraint, Every, First, Lit, Past, Spent, Then, Var
from vsalang.engine.alpha import Matcher
from vsalang.engine.api import EngineError
from vsalang.engine.certain import Source, Window
from vsalang.engine.kernel import (
    CommitLit,
    Fresh,
    Item,
    NodeSpec,
    Ref,
    TableLit,
    Tuple,
    Version,
    constraint_binds,
    constraint_vars,
    item_binds,
)
from vsalang.engine.literals import FirstAsk, plain_rows
from vsalang.engine.terms import compile_term

if TYPE_CHECKING:
    from vsalang.engine.compile import Compiler
    from vsalang.engine.session import Session

NEW = math.inf
"""The age of what is being proposed: after every point. At a history point it is of that point."""


def _split(atom: Atom, names: set[str]) -> tuple[Atom, list[str], list[tuple[str, Constraint]]]:
    """The atom as it can be remembered: constraints that need other variables read a hidden column instead.

    Args:
        names: the variables that may stand in it besides its own.
    """
    known = constraint_binds(atom.constraints) | names
    inner: list[Constraint] = []
    outer: list[tuple[str, Constraint]] = []
    for index, c in enumerate(atom.constraints):
        if constraint_vars([c]) <= known:
            inner.append(c)
        else:
            hidden = f"#h{index}"
            inner.append(Constraint(c.attr, "=", Var(hidden)))
            outer.append((hidden, c))
    binding = sorted(constraint_binds(inner))
    return Atom(atom.relation, tuple(inner), atom.before), binding, outer


def _key(atom: Atom) -> Tuple:
    return (atom.relation, atom.before, tuple((c.attr, c.op, c.term, c.hi) for c in atom.constraints))


def occurrence(
    compiler: "Compiler", atom: Atom, past: Past, version: Version
) -> tuple[int, tuple[str, ...], tuple[tuple[str, Constraint], ...]]:
    """The table of a past literal, the variables of its columns, and the constraints left to test.

    Raises:
        EngineError: ``for`` on an action.
    """
    from vsalang.engine.compile import PastSpec

    if past.op == "for" and compiler.relation(atom.relation).sort in ("action", "gesture"):
        raise EngineError("for: an action is at one point and does not last")
    other = _key(past.other) if past.other is not None else None
    key = ("past", past.op, _key(atom), other, past.duration, version)
    found = compiler.past_ids.get(key)
    if found is not None:
        return found
    node = compiler.node("feed", f"{atom.relation} {past.op}")
    if past.op == "since":
        if past.other is None:
            raise EngineError("since needs an atom on its right")
        fed, binding, outer = _split(past.other, set())
        inside, more, left = _split(atom, set(binding))
        if left or not set(more) <= set(binding):
            raise EngineError("since: the variables on its left must occur on its right")
        columns = tuple(binding)
        feed = compiler.planner(node, version, given=columns).plan([Lit(inside)], columns)
        beginning = compiler.planner(node, version).plan([Lit(fed)], columns)
    else:
        fed, binding, outer = _split(atom, set())
        columns = tuple(binding)
        feed = compiler.planner(node, version).plan([Lit(fed)], columns)
        beginning = None
    if feed.layout != tuple(sorted(columns)) or (beginning is not None and beginning.layout != feed.layout):
        raise EngineError("a past literal does not bind its variables")
    columns = feed.layout
    table = compiler.table(Ref("past", compiler.fresh("past")), len(columns) + 2)
    found = compiler.past_ids[key] = (table, columns, tuple(outer))
    duration = None if past.duration is None else compile_term(past.duration, _closed)
    compiler.kernel.pasts.append(PastSpec(past.op, table, feed, node, beginning, duration=duration))
    return found


def whole_rows(compiler: "Compiler", spec: NodeSpec, atom: Atom, past: Past, version: Version) -> Source:
    """The rows of a relation at past points, as an aggregate ranges over them (each row once).

    Raises:
        EngineError: ``since``, which remembers bindings, not rows.
    """
    from vsalang.engine.compile import PastSpec

    if past.op == "since" or (past.duration is None and past.op != "earlier"):
        raise EngineError(f"an aggregate cannot range over {past.op}")
    key = ("rows", past.op, atom.relation, atom.before, past.duration, version)
    found = compiler.past_ids.get(key)
    if found is None:
        node = compiler.node("feed", f"{atom.relation} {past.op}")
        feed = compiler.planner(node, version).plan([Lit(Atom(atom.relation, (), atom.before))], (), row=True)
        table = compiler.table(Ref("past", compiler.fresh("past")), len(compiler.columns[atom.relation]) + 2)
        duration = None if past.duration is None else compile_term(past.duration, _closed)
        compiler.kernel.pasts.append(PastSpec(past.op, table, feed, node, duration=duration, whole=True))
        found = compiler.past_ids[key] = (table, (), ())
    spec.tables.add(found[0])
    if past.duration is None:
        return Source(found[0])
    spec.clock = True
    return Source(found[0], Window(compile_term(past.duration, _closed), lasting=past.op == "for"))


def _closed(name: str) -> Any:
    raise EngineError(f"a duration of a past operator has the variable ?{name}")


# ---------------------------------------------------------------- then


def left_side(
    compiler: "Compiler", parts: Sequence[Sequence[Item]], version: Version
) -> tuple[str, list[tuple[Item, Version]]]:
    """What stands for the left side of a `then`: the variable of its first point, and literals.

    These are: the remembered bindings (of an action alone: its commits), and what they say of states once more.
    """
    first = compiler.fresh("first")
    again = [(item, version) for part in parts for item in part if _says_of_state(compiler, item)]
    if len(parts) == 1:
        alone = [item for item in parts[0] if not isinstance(item, Compare)]
        if len(alone) == 1 and _is_action(compiler, alone[0]):
            lit = alone[0]
            assert isinstance(lit, Lit)
            number = f"{compiler.fresh('c')}@{lit.atom.relation}"
            commit = CommitLit(lit.atom, number, first, here=False)
            return first, [(commit, version), *((c, version) for c in parts[0] if isinstance(c, Compare))]
    table, names = _stage(compiler, parts, version)
    # two memories in one body must not be joined on the commits they rest on
    own = [
        f"{compiler.fresh('c')}@{name.rpartition('@')[2]}" if name.startswith("#") else name for name in names
    ]
    literal = TableLit(compiler.kernel.tables[table].ref, (*own, first, None))
    return first, [(literal, version), *again]


def _is_action(compiler: "Compiler", item: Item) -> bool:
    if not isinstance(item, Lit) or item.neg:
        return False
    if item.past is not None and item.past.op != "earlier":
        return False
    return compiler.relation(item.atom.relation).sort == "action"


def _says_of_state(compiler: "Compiler", item: Item) -> bool:
    """Whether a literal of a left side must still hold: it speaks of lasting state, and of nothing else."""
    if isinstance(item, Lit):
        return item.past is None and not item.atom.before and _rests_on_state(compiler, item.atom.relation)
    if isinstance(item, Aggregate):
        return item.lit.past is None and _rests_on_state(compiler, item.lit.atom.relation)
    if isinstance(item, Every):
        return _rests_on_state(compiler, item.atom.relation)
    return False


def _rests_on_state(compiler: "Compiler", name: str) -> bool:
    """A state, or a relation derived from states alone."""
    states = False
    waiting, done = [name], set()
    while waiting:
        current = waiting.pop()
        if current in done:
            continue
        done.add(current)
        relation = compiler.relation(current)
        if current in compiler.derive_rules and relation.sort != "screen":
            for rule in compiler.derive_rules[current]:
                from vsalang.engine.compile import _atoms

                if any(isinstance(item, Then) or getattr(item, "past", None) for item in rule.body):
                    return False
                waiting.extend(atom.relation for atom, _ in _atoms(rule.body))
        elif relation.sort == "state":
            states = True
        else:
            return False
    return states


def _stage(
    compiler: "Compiler", parts: Sequence[Sequence[Item]], version: Version
) -> tuple[int, tuple[str, ...]]:
    """The table of when the parts first held one after the other, and the variables of its columns."""
    from vsalang.engine.compile import PastSpec

    name = compiler.fresh("then")
    node = compiler.node("feed", name)
    planner = compiler.planner(node, version, here=True)
    if len(parts) == 1:
        items: list[Item] = []
        for index, item in enumerate(parts[0]):
            if _is_action(compiler, item) and isinstance(item, Lit):
                number_column = f"#c1.{index}@{item.atom.relation}"
                item = CommitLit(item.atom, number_column, f"#p1.{index}", here=item.past is None)
            items.append(item)
    else:
        items = [Then(tuple(tuple(part) for part in parts), version if version != "possible" else "certain")]  # type: ignore[arg-type]
    names = {name for part in parts for item in part for name in item_binds(item)}
    feed = planner.plan(items, names)
    missing = names - set(feed.layout)
    if missing:
        raise EngineError("then: nothing binds " + ", ".join(f"?{name}" for name in sorted(missing)))
    table = compiler.table(Ref("then", name), len(feed.layout) + 2)
    commits = tuple(
        (i, name.rpartition("@")[2]) for i, name in enumerate(feed.layout) if name.startswith("#")
    )
    compiler.kernel.pasts.append(PastSpec("then", table, feed, node, commits=commits))
    return table, feed.layout


# ---------------------------------------------------------------- how old evidence is


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
    planner = compiler.planner(compiler.kernel.nodes.index(spec), version)
    reads: list[_Read] = []
    for literal in literals:
        if isinstance(literal, Then):
            for inner in literal.parts[-1]:
                reads.extend(_reads(compiler, spec, planner, inner, version))
        else:
            reads.extend(_reads(compiler, spec, planner, literal, version))
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
    compiler: "Compiler", spec: NodeSpec, planner: Any, literal: Item, version: Version
) -> list[_Read]:
    if isinstance(literal, CommitLit):
        table = compiler.commits(literal.atom.relation)
        spec.tables.add(table)
        point = len(compiler.columns[literal.atom.relation]) + 1
        return [_Read("point", Source(table), planner.matcher(literal.atom), (point,))]
    if isinstance(literal, Lit):
        if literal.neg:
            return []
        if literal.past is not None:
            return [_past_read(compiler, spec, planner, literal, version)]
        return [_atom_read(compiler, spec, planner, literal.atom, (), version)]
    if isinstance(literal, Aggregate):
        if literal.lit.past is not None:
            return [_past_read(compiler, spec, planner, literal.lit, version)]
        counted = (literal.attr,) if literal.attr else ()
        return [_atom_read(compiler, spec, planner, literal.lit.atom, counted, version)]
    if isinstance(literal, Every):
        return [
            _atom_read(compiler, spec, planner, literal.atom, tuple(c.attr for c in literal.has), version)
        ]
    if isinstance(literal, First):
        attrs = tuple(c.attr for c in literal.has or ())
        read = _atom_read(compiler, spec, planner, literal.atom, attrs, version)
        return [replace(read, first=planner.first_ask(literal, version))]
    if isinstance(literal, Then):
        raise EngineError("then inside a then: write A then B then C")
    assert isinstance(literal, Compare | Spent) or literal is not None
    return []


def _past_read(compiler: "Compiler", spec: NodeSpec, planner: Any, literal: Lit, version: Version) -> _Read:
    assert literal.past is not None
    if planner.is_commit(literal.atom, literal.past):
        source = planner.rows_of(literal.atom, literal.past, version)
        point = len(compiler.columns[literal.atom.relation]) + 1
        return _Read("point", source, planner.matcher(literal.atom), (point,))
    table, columns, outer = occurrence(compiler, literal.atom, literal.past, version)
    spec.tables.add(table)
    where = {name: index for index, name in enumerate(columns)}
    constraints = [Constraint(name, "=", Var(name)) for name in columns if not name.startswith("#")]
    constraints += [Constraint(name, c.op, c.term, c.hi) for name, c in outer]
    return _Read("point", Source(table), Matcher(where, constraints), (len(columns),))


def _atom_read(
    compiler: "Compiler", spec: NodeSpec, planner: Any, atom: Atom, more: tuple[str, ...], version: Version
) -> _Read:
    relation = compiler.relation(atom.relation)
    if relation.sort in ("gesture", "action"):
        return _Read("new")
    matcher = planner.matcher(atom)
    source = planner.rows_of(atom, None, version)
    columns = compiler.columns[atom.relation]
    if compiler.is_derived(atom.relation):
        table = compiler.derived(atom.relation, version)
        compiler.stamped(table, spec, atom.relation, version)
        return _Read("derived", source, matcher, (), table)
    stamps = compiler.slot(f"stamps {relation.name}", len(relation.attrs))
    spec.tables.add(stamps)
    attrs = dict.fromkeys((*(c.attr for c in atom.constraints), *more))
    return _Read("cells", source, matcher, tuple(columns[a] for a in attrs), stamps)
