"""The rows that a screen shows and that no rule could read whole: `semantics.md#completeness`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Answering, BudgetExceeded, Cell
from vsalang.engine.explain.supposing import Supposing, Supposition
from vsalang.engine.explain.terms import Context
from vsalang.guard.world.beliefs import CellWrite, Ident, RowDelete, SkippedWrite, World, matches
from vsalang.guard.world.row_rules import ROW, RowRule
from vsalang.guard.world.rule_effects import bindings, effect, head_cells
from vsalang.program.ir import Program, Relation, Rule, Var, Write
from vsalang.program.values import Value, same
from vsalang.program.walk import atoms, mentions, variables


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A row that may be there, or may say something else than is known.

    Attributes:
        row: what is known of it.
        node: that shows it; None: that is not known.
        attrs: what it may say.
        there: it is a row; only what it says is not known.
    """

    row: SkippedWrite
    node: int | None = None
    attrs: frozenset[str] = frozenset()
    there: bool = False


Read: TypeAlias = tuple[list[CellWrite], list[RowDelete], list[Doubtful]]
"""What observation rules write in one reading of a screen, what they delete, and what may be there."""


def unread_cells(
    answering: Answering,
    rules: Sequence[RowRule],
    relation: Relation,
    writes: Iterable[CellWrite],
    context: Context,
) -> list[CellWrite]:
    """What is to be written of the rows that some rule finds and could not read whole; what it could not read is
    unknown.

    Args:
        rules: those of the relation that run.
        writes: what was read of it.
    """
    written = [write for write in writes if write.relation == relation.name]
    named: dict[int | Ident, set[str]] = {}
    for write in written:
        place = identity(relation, write.cells) if write.row is None else write.row
        if place is not None:
            named.setdefault(place, set()).update(write.cells)
    whole = {
        each.whole.id: _by_row(answering, each.whole, context).keys() for each in rules if not each.placed
    }
    rows: dict[int, tuple[RowRule, dict[str, list[Cell]]]] = {}
    for each in rules:
        there = _by_row(answering, each.there, context)
        read = (
            {write.row for write in written if write.rule == each.rule.id}
            if each.placed
            else whole[each.whole.id]
        )
        left = there.keys() - read
        if not left:
            continue
        parts = [_by_row(answering, source, context) for source in each.sources]
        for node in left:
            cells: dict[str, Cell] = {**dict.fromkeys(sorted(each.attrs)), **there[node]}
            for part in parts:
                cells |= part.get(node, {})
            place = node if each.placed else identity(relation, cells)
            if place is None and any(node in nodes for nodes in whole.values()):
                continue  # another rule read it
            names = named.get(place, set()) if place is not None else set()
            if names and cells.keys() <= names:
                continue
            values = rows.setdefault(node, (each, {}))[1]
            for name, value in cells.items():
                if name not in names:
                    values.setdefault(name, []).append(value)
                elif name in relation.identity:
                    values.setdefault(name, [value])
    return [
        CellWrite(
            relation.name,
            {name: _agreed(own_values) for name, own_values in values.items()},
            row=node if each.placed else None,
            rule=each.rule.id,
        )
        for node, (each, values) in sorted(rows.items())
    ]


def _agreed(cells: Iterable[Cell]) -> Cell:
    """The value that those who know one agree on."""
    known = [value for value in cells if value is not None]
    return known[0] if known and all(same(value, known[0]) for value in known) else None


def identity(relation: Relation, cells: Mapping[str, Cell]) -> Ident | None:
    """What tells a row from others; None: not all of it is known."""
    values = [cells.get(name) for name in relation.identity]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None


def _by_row(answering: Answering, rule: Rule, context: Context) -> dict[int, dict[str, Cell]]:
    """What a rule says of each node that it gives as a row; a cell of which it says two things is unknown."""
    rows: dict[int, dict[str, list[Cell]]] = {}
    for binding in bindings(answering, rule):
        cells = head_cells(rule, binding, context)
        node = cells.pop(ROW, None)
        if isinstance(node, int):
            own = rows.setdefault(node, {})
            for name, value in cells.items():
                own.setdefault(name, []).append(value)
    return {
        node: {name: values[0] if _one(values) else None for name, values in cells.items()}
        for node, cells in rows.items()
    }


def _one(values: Sequence[Cell]) -> bool:
    return all(same(value, values[0]) for value in values)


def doubtful_rows(
    asked: Supposing,
    answering: Answering,
    rules: Iterable[RowRule],
    others: Iterable[Rule],
    context: Context,
) -> list[Doubtful]:
    """What may be a row of a relation, and is not known to be one.

    Args:
        asked: who answers what possibly holds in the moment that is assigned.
        rules: those that find rows.
        others: rules that read in another way.
    """
    doubts: list[Doubtful] = []
    for each in rules:
        if _reads(asked, each.there):
            known = _by_row(answering, each.there, context)
            doubts += [row for row in _doubts(asked, each.there, context) if row.node not in known]
    for rule in others:
        if _reads(asked, rule):
            doubts += _doubts(asked, rule, context)
    return doubts


def _reads(asked: Supposing, rule: Rule) -> bool:
    """Whether the conditions of a rule may read what nobody read."""
    unread = asked.unread.gesture.union(*asked.unread.nodes.values())
    return bool(unread) and any(
        asked.program.relation(atom.relation).sort == "derived"
        or any(constraint.attr in unread for constraint in atom.constraints)
        for atom in atoms(rule.body)
    )


def _doubts(asked: Supposing, rule: Rule, context: Context) -> list[Doubtful]:
    assert isinstance(rule.head, Write)
    relation = rule.head.atom.relation
    try:
        ways = asked.ways(rule.body)
    except BudgetExceeded:
        return [Doubtful(SkippedWrite(relation, {}, rule.id))]  # any row may be there
    doubts = []
    for way in ways:
        doubted = _doubted(way)
        cells = head_cells(rule, way.binding, context)
        node = cells.pop(ROW, None)
        unsure = {c.attr for c in rule.head.atom.constraints if variables(c) & doubted}
        sure = {name: value for name, value in cells.items() if name not in unsure}
        attrs = frozenset(unsure & cells.keys())
        doubts.append(
            Doubtful(
                SkippedWrite(relation, sure, rule.id),
                node if isinstance(node, int) else None,
                attrs,
                there=_only_values(rule, way),
            )
        )
    return doubts


def _only_values(rule: Rule, way: Supposition) -> bool:
    """Whether nothing is in doubt but values that conditions hand on to the head, and that none of them asks about."""
    counts = Counter(mentions(rule.body))
    constraints = [doubt.failure.constraint if doubt.failure is not None else None for doubt in way.doubts]
    return all(
        each is not None and each.op == "=" and isinstance(each.term, Var) and counts[each.term.name] == 1
        for each in constraints
    )


def _doubted(way: Supposition) -> frozenset[str]:
    """The variables whose values may be others: those that a cell in doubt gives, or all of a node that may be one."""
    names: set[str] = set()
    for doubt in way.doubts:
        constraint_names = (
            variables(doubt.failure.constraint) if doubt.failure is not None else frozenset[str]()
        )
        names |= constraint_names or (variables(doubt.literal) if doubt.literal is not None else frozenset())
    return frozenset(names)


def erasing(relation: Relation, doubtful: Doubtful, writes: Iterable[CellWrite]) -> CellWrite | None:
    """What is to be written of a row that is known and may say something else than was believed of it, if nothing was
    read of that; None: nothing."""
    place = identity(relation, doubtful.row.cells)
    if place is None:
        return None
    named = {
        name
        for write in writes
        if write.relation == relation.name and identity(relation, write.cells) == place
        for name in write.cells
    }
    unknown = doubtful.attrs - named
    if not unknown:
        return None
    known = {name: doubtful.row.cells[name] for name in relation.identity}
    return CellWrite(
        relation.name, {**known, **dict.fromkeys(sorted(unknown))}, keep=True, rule=doubtful.row.rule
    )


def unsure(asked: Supposing, rule: Rule, binding: Mapping[str, Value]) -> bool:
    """Whether a rule that holds may not hold, since what is not known may be what it says is not there."""
    try:
        return asked.may_fail(rule.body, binding)
    except BudgetExceeded:
        return True


def cautious(
    asked: Supposing, answering: Answering, rules: Iterable[Rule], world: World, context: Context, read: Read
) -> Read:
    """What rules write and delete, without what they would not if what nobody read were there."""
    changed, deleted, doubtful = read
    for rule in rules:
        for binding in bindings(answering, rule):
            if not unsure(asked, rule, binding):
                continue
            effects = effect(rule, binding, context)
            if isinstance(effects, RowDelete):
                deleted = [delete for delete in deleted if not delete.same(effects)]
                doubtful = [*doubtful, *_undeleted(asked.program, world, effects)]
            else:
                known = _both(asked.program.relation(effects.relation), effects.cells, {})
                changed = [replace(write, cells=known) if write == effects else write for write in changed]
    return changed, deleted, doubtful


def _undeleted(program: Program, world: World, delete: RowDelete) -> list[Doubtful]:
    """The rows that may be gone, and are not known to."""
    relation = program.relation(delete.relation)
    doubts = []
    for row in world.rows(relation.name):
        if matches(relation, row, delete.pattern):
            cells = {name: row[relation.column(name)] for name in relation.identity}
            attrs = frozenset(attr.name for attr in relation.attrs) - cells.keys() - {"at"}
            doubts.append(Doubtful(SkippedWrite(relation.name, cells, delete.rule), attrs=attrs))
    return doubts


def forgotten(
    asked: Supposing,
    answering: Answering,
    rules: Iterable[Rule],
    world: World,
    writes: list[CellWrite],
    context: Context,
) -> list[CellWrite]:
    """What is to be written of rows that are believed and that rules may write otherwise, if what nobody read is so."""
    erasing_writes: list[CellWrite] = []
    for each in doubtful_rows(asked, answering, (), rules, context):
        relation = asked.program.relation(each.row.relation)
        if identity(relation, each.row.cells) in world.table(relation.name).rows:
            unknown = erasing(relation, each, [*writes, *erasing_writes])
            erasing_writes += [unknown] if unknown is not None else []
    return erasing_writes


# ---------------------------------------------------------------------- two readings of a screen


def agreed(program: Program, world: World, first: Read, second: Read) -> Read:
    """What holds in both readings of a screen: what they disagree on is unknown, or may be there."""
    (changed, deleted, doubtful), (others, gone, more) = first, second
    mine, theirs = _cells_by_place(program, changed), _cells_by_place(program, others)
    written = [
        replace(write, cells=_both(program.relation(write.relation), write.cells, theirs.get(place, {})))
        for write in changed
        for place in (_place(program, write),)
    ]
    doubts = [*doubtful, *more]
    for write in others:
        place, relation = _place(program, write), program.relation(write.relation)
        known = {name: value for name, value in write.cells.items() if name in relation.identity}
        own_values = mine.get(place, {})
        news = frozenset(write.cells.keys() - own_values.keys() - known.keys())
        other = any(not same(value, old) for name, value in known.items() for old in own_values.get(name, ()))
        if not own_values or news or other:
            row = SkippedWrite(write.relation, known, write.rule)
            doubts.append(Doubtful(row, None if own_values else write.row, news))
    both = [delete for delete in deleted if any(map(delete.same, gone))]
    for delete in (*deleted, *gone):
        if any(map(delete.same, both)):
            continue
        doubts += _undeleted(program, world, delete)
    return written, both, doubts


def _place(program: Program, write: CellWrite) -> tuple[str, int | Ident | None]:
    """Of which row a write says something."""
    place = identity(program.relation(write.relation), write.cells) if write.row is None else write.row
    return write.relation, place


def _cells_by_place(
    program: Program, writes: Iterable[CellWrite]
) -> dict[tuple[str, int | Ident | None], dict[str, list[Cell]]]:
    cells_by_place: dict[tuple[str, int | Ident | None], dict[str, list[Cell]]] = {}
    for write in writes:
        own = cells_by_place.setdefault(_place(program, write), {})
        for name, value in write.cells.items():
            own.setdefault(name, []).append(value)
    return cells_by_place


def _both(
    relation: Relation, cells: Mapping[str, Cell], others: Mapping[str, Sequence[Cell]]
) -> dict[str, Cell]:
    """The cells of a row that the other reading says, too; what identifies it stays."""
    return {
        name: value
        if name in relation.identity or (others.get(name) and all(same(value, v) for v in others[name]))
        else None
        for name, value in cells.items()
    }
