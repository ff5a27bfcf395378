"""The past in bounded memory: which history relations a program needs, and the bodies that fill them.

A table's row is a binding, then the number and the time of a history point (which one depends on the operator:
`earlier` and `then` the first, `within` the last, `for` the start of the unbroken run, `since` when B last held).
"""

import datetime as dt
from collections.abc import Sequence

from vsalang.engine.api import EngineError, Reading
from vsalang.engine.compile.context import Context, Occurrence
from vsalang.engine.compile.deltas import answer_net
from vsalang.engine.compile.items import CommitLit, Item, TableLit, item_binds
from vsalang.engine.plan import HistorySpec, Ref, StratumSpec, WindowSpec
from vsalang.engine.run.certain import Source, TimeWindow
from vsalang.engine.terms import Tuple, compile_term, no_variables
from vsalang.program.ir import Aggregate, Atom, Compare, Const, Constraint, Lit, Past, Quantified, Then, Var
from vsalang.program.walk import bound_by_row, uses, variables


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


def occurrence(context: Context, atom: Atom, past: Past, reading: Reading) -> Occurrence:
    """The table of a past literal, the variables of its columns, and the constraints left to test.

    Columns whose name begins with # are the engine's own: numbers of commits.

    Raises:
        EngineError: ``for`` on an action.
    """

    if past.op == "for" and context.relation(atom.relation).sort in ("action", "gesture"):
        raise EngineError("for: an action is at one point and does not last")
    other = _key(past.other) if past.other is not None else None
    key = ("past", past.op, _key(atom), other, past.duration, reading)
    past_id = context.past_ids.get(key)
    if past_id is not None:
        return past_id
    stratum = context.stratum("history", f"{atom.relation} {past.op}")
    if past.op == "since":
        if past.other is None:
            raise EngineError("since needs an atom on its right")
        fed, binding, outer = _split(past.other, set())
        inside, more, left = _split(atom, set(binding))
        if left or not set(more) <= set(binding):
            raise EngineError("since: the variables on its left must occur on its right")
        held: Item = Lit(inside)
        began: Item = Lit(fed)
        if context.relation(atom.relation).sort == "action":  # what holds at a point is its commit
            held = CommitLit(inside, "#c.held", "#p.held", here=True)
        if context.relation(past.other.relation).sort == "action":
            number = f"#c.since@{past.other.relation}"  # it may be taken back
            began = CommitLit(fed, number, "#p.since", here=True)
            binding = [number, *binding]
        columns = tuple(sorted(binding))
        source = context.planner(stratum, reading, bound=columns).plan([held], columns)
        beginning = context.planner(stratum, reading).plan([began], columns)
    else:
        fed, binding, outer = _split(atom, set())
        columns = tuple(binding)
        source = context.planner(stratum, reading).plan([Lit(fed)], columns)
        beginning = None
        answer_net(
            context,
            stratum,
            f"{atom.relation} {past.op}",
            [Lit(fed)],
            reading,
            names=columns,
            bound=columns,
            license_head=None,
        )
    if source.layout != tuple(sorted(columns)) or (
        beginning is not None and beginning.layout != source.layout
    ):
        raise EngineError("a past literal does not bind its variables")
    columns = source.layout
    table = context.table(Ref("past", context.fresh("past")), len(columns) + 2)
    past_id = context.past_ids[key] = (table, columns, tuple(outer))
    duration = None if past.duration is None else compile_term(past.duration, no_variables)
    commits = _commits(columns)
    context.plan.histories.append(
        HistorySpec(past.op, table, source, stratum, beginning, duration=duration, commits=commits)
    )
    return past_id


def _commits(columns: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The columns that hold numbers of commits, with their actions."""
    return tuple((i, name.rpartition("@")[2]) for i, name in enumerate(columns) if name.startswith("#"))


def whole_rows(context: Context, spec: StratumSpec, atom: Atom, past: Past, reading: Reading) -> Source:
    """The rows of a relation at past points, as an aggregate ranges over them (each row once).

    Raises:
        EngineError: ``since``, which remembers bindings, not rows.
    """

    if past.op == "since" or (past.duration is None and past.op != "earlier"):
        raise EngineError(f"an aggregate cannot range over {past.op}")
    key = ("rows", past.op, atom.relation, atom.before, past.duration, reading)
    past_id = context.past_ids.get(key)
    if past_id is None:
        stratum = context.stratum("history", f"{atom.relation} {past.op}")
        source = context.planner(stratum, reading).plan(
            [Lit(Atom(atom.relation, (), atom.before))], (), row=True
        )
        table = context.table(Ref("past", context.fresh("past")), len(context.columns[atom.relation]) + 2)
        duration = None if past.duration is None else compile_term(past.duration, no_variables)
        context.plan.histories.append(
            HistorySpec(past.op, table, source, stratum, duration=duration, whole=True)
        )
        past_id = context.past_ids[key] = (table, (), ())
    spec.tables.add(past_id[0])
    if past.duration is None:
        return Source(past_id[0])
    spec.clock = True
    return Source(past_id[0], TimeWindow(compile_term(past.duration, no_variables), lasting=past.op == "for"))


def window_of(context: Context, history: int, past: Past, width: int) -> int | None:
    """The table of the bindings of a history that are in the window now; None if its length is not a constant."""
    if not isinstance(past.duration, Const) or not isinstance(past.duration.value, dt.timedelta):
        return None
    plan, length = context.plan, past.duration.value
    ref = Ref("window", f"{plan.tables[history].name} {past.op} {length}")
    table_id = plan.table_ids.get(ref)
    if table_id is None:
        table_id = context.table(ref, width)
        index = len(plan.windows)
        plan.windows.append(WindowSpec(table_id, history, length, past.op == "for"))
        plan.windowed[history] = (*plan.windowed.get(history, ()), index)
    return table_id


# ---------------------------------------------------------------- then


def left_side(
    context: Context, parts: Sequence[Sequence[Item]], reading: Reading
) -> tuple[str, list[tuple[Item, Reading]]]:
    """What replaces the left side of a `then`: the variable of its first point, and literals.

    These are: the remembered bindings (of an action alone: its commits), and what they say of states once more.
    """
    first = context.fresh("first")
    again = [(item, reading) for part in parts for item in part if _says_of_state(context, item)]
    if len(parts) == 1:
        alone = [item for item in parts[0] if not isinstance(item, Compare)]
        if len(alone) == 1 and _is_action(context, alone[0]):
            lit = alone[0]
            assert isinstance(lit, Lit)
            number = f"{context.fresh('c')}@{lit.atom.relation}"
            commit = CommitLit(lit.atom, number, first, here=False)
            return first, [(commit, reading), *((c, reading) for c in parts[0] if isinstance(c, Compare))]
    ref, names = _stage(context, parts, reading)
    # two histories in one body must not be joined on the commits they depend on
    own = [
        f"{context.fresh('c')}@{name.rpartition('@')[2]}" if name.startswith("#") else name for name in names
    ]
    literal = TableLit(ref, (*own, first, None))
    return first, [(literal, reading), *again]


def _is_action(context: Context, item: Item) -> bool:
    if not isinstance(item, Lit) or item.neg:
        return False
    if item.past is not None and item.past.op != "earlier":
        return False
    return context.relation(item.atom.relation).sort == "action"


def _says_of_state(context: Context, item: Item) -> bool:
    """Whether a literal of a left side must still hold: it mentions lasting state, and nothing else."""
    if isinstance(item, Lit):
        return item.past is None and not item.atom.before and _depends_on_state(context, item.atom.relation)
    if isinstance(item, Aggregate):
        return item.lit.past is None and _depends_on_state(context, item.lit.atom.relation)
    if isinstance(item, Quantified):
        return _depends_on_state(context, item.atom.relation)
    return False


def _depends_on_state(context: Context, name: str) -> bool:
    """A state, or a relation derived from states alone, by `then` or without; what says of the past is remembered."""
    states = False
    waiting, done = [name], set()
    while waiting:
        current = waiting.pop()
        if current in done:
            continue
        done.add(current)
        relation = context.relation(current)
        if current in context.derive_rules and relation.sort != "screen":
            for rule in context.derive_rules[current]:
                for use in uses(rule.body):
                    if use.past is not None:
                        return False
                    waiting.append(use.atom.relation)
        elif relation.sort == "state":
            states = True
        else:
            return False
    return states


def _stage(
    context: Context, parts: Sequence[Sequence[Item]], reading: Reading
) -> tuple[Ref, tuple[str, ...]]:
    """The history of when the parts first held one after the other, and the variables of its columns."""

    name = context.fresh("then")
    stratum = context.stratum("history", name)
    planner = context.planner(stratum, reading, here=True)
    if len(parts) == 1:
        items: list[Item] = []
        for index, item in enumerate(parts[0]):
            if _is_action(context, item) and isinstance(item, Lit):
                number_column = f"#c1.{index}@{item.atom.relation}"
                item = CommitLit(item.atom, number_column, f"#p1.{index}", here=item.past is None)
            items.append(item)
    else:
        items = [Then(tuple(tuple(part) for part in parts), reading if reading != "possible" else "certain")]  # type: ignore[arg-type]
    names = {name for part in parts for item in part for name in item_binds(item)}
    source = planner.plan(items, names)
    missing = names - set(source.layout)
    if missing:
        raise EngineError("then: nothing binds " + ", ".join(f"?{name}" for name in sorted(missing)))
    ref = Ref("then", name)
    table = context.table(ref, len(source.layout) + 2)
    commits = _commits(source.layout)
    context.plan.histories.append(HistorySpec("then", table, source, stratum, commits=commits))
    return ref, source.layout
