"""The past in bounded memory: which tables a program needs, what feeds them, and how old evidence is.

A table's row is a binding, then the number and the time of a history point (which one depends on the operator:
`earlier` and `then` the first, `within` the last, `for` the start of the unbroken run, `since` when B last held).
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vsalang.core.ir import Aggregate, Atom, Compare, Constraint, Every, Lit, Past, Then, Var
from vsalang.core.walk import bound_by_row, uses, variables
from vsalang.engine.api import EngineError
from vsalang.engine.compile.deltas import answer_net
from vsalang.engine.plan import (
    CommitLit,
    Item,
    NodeSpec,
    PastSpec,
    Ref,
    TableLit,
    Tuple,
    Version,
    item_binds,
)
from vsalang.engine.run.certain import Source, Window
from vsalang.engine.terms import compile_term, no_variables

if TYPE_CHECKING:
    from vsalang.engine.compile.program import Compiler

NEW = math.inf
"""The age of what is being proposed: after every point. At a history point it is of that point."""


def _split(atom: Atom, names: set[str]) -> tuple[Atom, list[str], list[tuple[str, Constraint]]]:
    """The atom as it can be remembered: constraints that need other variables read a hidden column instead.

    Args:
        names: the variables that may stand in it besides its own.
    """
    known = bound_by_row(atom.constraints) | names
    inner: list[Constraint] = []
    outer: list[tuple[str, Constraint]] = []
    for index, c in enumerate(atom.constraints):
        if variables(c) <= known:
            inner.append(c)
        else:
            hidden = f"?h{index}"  # a name that no variable has
            inner.append(Constraint(c.attr, "=", Var(hidden)))
            outer.append((hidden, c))
    binding = sorted(bound_by_row(inner))
    return Atom(atom.relation, tuple(inner), atom.before), binding, outer


def _key(atom: Atom) -> Tuple:
    return (atom.relation, atom.before, tuple((c.attr, c.op, c.term, c.hi) for c in atom.constraints))


def occurrence(
    compiler: "Compiler", atom: Atom, past: Past, version: Version
) -> tuple[int, tuple[str, ...], tuple[tuple[str, Constraint], ...]]:
    """The table of a past literal, the variables of its columns, and the constraints left to test.

    Columns whose name begins with # are the engine's own: numbers of commits.

    Raises:
        EngineError: ``for`` on an action.
    """

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
        held: Item = Lit(inside)
        began: Item = Lit(fed)
        if compiler.relation(atom.relation).sort == "action":  # what holds at a point is its commit
            held = CommitLit(inside, "#c.held", "#p.held", here=True)
        if compiler.relation(past.other.relation).sort == "action":
            number = f"#c.since@{past.other.relation}"  # it may be taken back
            began = CommitLit(fed, number, "#p.since", here=True)
            binding = [number, *binding]
        columns = tuple(sorted(binding))
        feed = compiler.planner(node, version, given=columns).plan([held], columns)
        beginning = compiler.planner(node, version).plan([began], columns)
    else:
        fed, binding, outer = _split(atom, set())
        columns = tuple(binding)
        feed = compiler.planner(node, version).plan([Lit(fed)], columns)
        beginning = None
        answer_net(compiler, node, f"{atom.relation} {past.op}", [Lit(fed)], version, columns, columns, None)
    if feed.layout != tuple(sorted(columns)) or (beginning is not None and beginning.layout != feed.layout):
        raise EngineError("a past literal does not bind its variables")
    columns = feed.layout
    table = compiler.table(Ref("past", compiler.fresh("past")), len(columns) + 2)
    found = compiler.past_ids[key] = (table, columns, tuple(outer))
    duration = None if past.duration is None else compile_term(past.duration, no_variables)
    commits = _commits(columns)
    compiler.kernel.pasts.append(
        PastSpec(past.op, table, feed, node, beginning, duration=duration, commits=commits)
    )
    return found


def _commits(columns: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The columns that hold numbers of commits, with their actions."""
    return tuple((i, name.rpartition("@")[2]) for i, name in enumerate(columns) if name.startswith("#"))


def whole_rows(compiler: "Compiler", spec: NodeSpec, atom: Atom, past: Past, version: Version) -> Source:
    """The rows of a relation at past points, as an aggregate ranges over them (each row once).

    Raises:
        EngineError: ``since``, which remembers bindings, not rows.
    """

    if past.op == "since" or (past.duration is None and past.op != "earlier"):
        raise EngineError(f"an aggregate cannot range over {past.op}")
    key = ("rows", past.op, atom.relation, atom.before, past.duration, version)
    found = compiler.past_ids.get(key)
    if found is None:
        node = compiler.node("feed", f"{atom.relation} {past.op}")
        feed = compiler.planner(node, version).plan([Lit(Atom(atom.relation, (), atom.before))], (), row=True)
        table = compiler.table(Ref("past", compiler.fresh("past")), len(compiler.columns[atom.relation]) + 2)
        duration = None if past.duration is None else compile_term(past.duration, no_variables)
        compiler.kernel.pasts.append(PastSpec(past.op, table, feed, node, duration=duration, whole=True))
        found = compiler.past_ids[key] = (table, (), ())
    spec.tables.add(found[0])
    if past.duration is None:
        return Source(found[0])
    spec.clock = True
    return Source(found[0], Window(compile_term(past.duration, no_variables), lasting=past.op == "for"))


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
                if any(isinstance(item, Then) or getattr(item, "past", None) for item in rule.body):
                    return False
                waiting.extend(use.atom.relation for use in uses(rule.body))
        elif relation.sort == "state":
            states = True
        else:
            return False
    return states


def _stage(
    compiler: "Compiler", parts: Sequence[Sequence[Item]], version: Version
) -> tuple[int, tuple[str, ...]]:
    """The table of when the parts first held one after the other, and the variables of its columns."""

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
    commits = _commits(feed.layout)
    compiler.kernel.pasts.append(PastSpec("then", table, feed, node, commits=commits))
    return table, feed.layout
