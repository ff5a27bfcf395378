"""The newest evidence of conditions: which timestamps have to be read for the last part of a `then`."""

from collections.abc import Sequence
from dataclasses import replace

from vsalang.engine.api import EngineError, Reading
from vsalang.engine.compile.context import Context
from vsalang.engine.compile.items import CommitLit, Fresh, Item
from vsalang.engine.compile.past import occurrence
from vsalang.engine.compile.ranges import Ranges
from vsalang.engine.matching import Matcher
from vsalang.engine.plan import StratumSpec
from vsalang.engine.run.certain import Source
from vsalang.engine.run.newest import EvidenceRead, FreshGoal
from vsalang.program.ir import Aggregate, Atom, Constraint, First, Lit, Quantified, Then, Var


def reads_of(context: Context, spec: StratumSpec, literals: Sequence[Item], reading: Reading) -> FreshGoal:
    """The goal that finds the newest evidence of a rule's body, under complete bindings."""
    ranges = Ranges(context, spec)
    reads: list[EvidenceRead] = []
    for literal in literals:
        if isinstance(literal, Then):
            for inner in literal.parts[-1]:
                reads.extend(_reads(context, spec, ranges, inner, reading))
        else:
            reads.extend(_reads(context, spec, ranges, literal, reading))
    return FreshGoal("", tuple(reads))


def given_read(context: Context, spec: StratumSpec, input_id: int, name: str) -> FreshGoal:
    """The goal that finds since when a screen is known to show: the input of its timestamps says it."""
    timestamps = context.input(name, "timestamps", 0)
    spec.tables |= {input_id, timestamps}
    return FreshGoal("", (EvidenceRead("cells", Source(input_id), Matcher({}, ()), (), timestamps),))


def fresh_goal(context: Context, spec: StratumSpec, item: Fresh) -> FreshGoal:
    """The goal of a `Fresh`; from now on the stratum reads the timestamps of all evidence of its literals."""
    return FreshGoal(item.first, reads_of(context, spec, item.literals, item.reading).reads)


def _reads(
    context: Context, spec: StratumSpec, ranges: Ranges, literal: Item, reading: Reading
) -> list[EvidenceRead]:
    if isinstance(literal, CommitLit):
        table = context.commits(literal.atom.relation)
        spec.tables.add(table)
        point = len(context.columns[literal.atom.relation]) + 1
        return [EvidenceRead("point", Source(table), ranges.matcher(literal.atom), (point,))]
    if isinstance(literal, Lit):
        if literal.neg:
            return []
        if literal.past is not None:
            return [_past_read(context, spec, ranges, literal, reading)]
        return [_atom_read(context, spec, ranges, literal.atom, (), reading)]
    if isinstance(literal, Aggregate):
        if literal.lit.past is not None:
            return [_past_read(context, spec, ranges, literal.lit, reading)]
        counted = (literal.attr,) if literal.attr else ()
        return [_atom_read(context, spec, ranges, literal.lit.atom, counted, reading)]
    if isinstance(literal, Quantified):
        attrs = tuple(c.attr for c in literal.has or ())
        read = _atom_read(context, spec, ranges, literal.atom, attrs, reading)
        first = ranges.first_goal(literal, reading) if isinstance(literal, First) else None
        return [replace(read, first=first)]
    if isinstance(literal, Then):
        raise EngineError("then inside a then: write A then B then C")
    return []


def _past_read(
    context: Context, spec: StratumSpec, ranges: Ranges, literal: Lit, reading: Reading
) -> EvidenceRead:
    assert literal.past is not None
    if ranges.is_commit(literal.atom, literal.past):
        source = ranges.rows_of(literal.atom, literal.past, reading)
        point = len(context.columns[literal.atom.relation]) + 1
        return EvidenceRead("point", source, ranges.matcher(literal.atom), (point,))
    table, columns, outer = occurrence(context, literal.atom, literal.past, reading)
    spec.tables.add(table)
    where = {name: index for index, name in enumerate(columns)}
    constraints = [Constraint(name, "=", Var(name)) for name in columns if name[0] not in "?#"]
    constraints += [Constraint(name, c.op, c.term, c.hi) for name, c in outer]
    return EvidenceRead("point", Source(table), Matcher(where, constraints), (len(columns),))


def _atom_read(
    context: Context, spec: StratumSpec, ranges: Ranges, atom: Atom, more: tuple[str, ...], reading: Reading
) -> EvidenceRead:
    relation = context.relation(atom.relation)
    if relation.sort in ("gesture", "action"):
        spec.clock = True  # it goes with the point that is recorded
        return EvidenceRead("new")
    matcher = ranges.matcher(atom)
    source = ranges.rows_of(atom, None, reading)
    columns = context.columns[atom.relation]
    if context.is_derived(atom.relation):
        table = context.derived(atom.relation, reading)
        context.timestamped(table, spec, atom.relation, reading)
        return EvidenceRead("derived", source, matcher, (), table)
    timestamps = context.input(relation.name, "timestamps", len(relation.attrs))
    spec.tables.add(timestamps)
    attrs = dict.fromkeys((*(c.attr for c in atom.constraints), *more))
    return EvidenceRead("cells", source, matcher, tuple(columns[a] for a in attrs), timestamps)
