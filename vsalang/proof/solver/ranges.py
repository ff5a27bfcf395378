"""Aggregates and ``every`` as formulas: each asks about all rows at once. (``first n``:
`vsalang.proof.solver.firsts`.)"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import z3

from vsalang.program.ir import DURATION, NUMBER, Aggregate, Every, First, Relation, Type, Var
from vsalang.proof.solver.atoms import AtomReader
from vsalang.proof.solver.firsts import first
from vsalang.proof.solver.results import UnsupportedConstruct
from vsalang.proof.solver.scan import below
from vsalang.proof.solver.sorts import FALSE, TRUE, Cell, conj, disj, neg
from vsalang.proof.solver.ways import MAYBE, OPEN, SEEN, SURE, Branch


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A row that an aggregate may range over, and when it does."""

    cells: tuple[Cell, ...]
    guard: Any


# ---------------------------------------------------------------- aggregates


def aggregate(reader: AtomReader, literal: Aggregate, branch: Branch) -> Iterator[Branch]:
    """An aggregate; variables of its group that nothing else binds are bound by the rows there are."""
    unbound = [name for name in literal.group if not reader.bound(name, branch)]
    if not unbound:
        yield from _one_group(reader, literal, branch)
        return
    for next_branch in reader.positive(literal.lit, replace(branch, guard=TRUE)):
        grouped = branch
        for name in unbound:
            grouped = grouped.bind(name, next_branch.env[name])
        yield from _one_group(
            reader, literal, replace(grouped.when(next_branch.guard), used=next_branch.used)
        )


def _one_group(reader: AtomReader, literal: Aggregate, branch: Branch) -> Iterator[Branch]:
    rel = reader.relation(literal.lit.atom.relation)
    if reader.favourable and _rests_on_favourable(reader, rel):
        if isinstance(literal.right, Var) and not reader.bound(literal.right.name, branch):
            kind = NUMBER if literal.fn == "count" else rel.attr(literal.attr).type
            cell = replace(reader.state.cell("any value", kind, known=True), open=TRUE)
            branch = branch.bind(literal.right.name, cell)
        if not reader.negative:
            yield branch
        return
    sure = replace(reader, mode=SURE[reader.mode], tracker=None)
    elements = _elements(sure, literal, rel, branch)
    exact = TRUE
    if reader.mode != "plain":
        exact = reader.shared(
            "exact", literal, branch, lambda mine, start: _exact(mine, literal, rel, start, elements)
        )
        up = literal.fn == "count" and literal.op in (">", ">=")
        down = literal.fn == "count" and literal.op in ("<", "<=")
        if (up and SURE[reader.mode] == reader.mode) or (down and reader.mode in OPEN):
            exact = TRUE
        elif (up or down) and reader.mode in SEEN:  # no row is there but those that were seen
            elements = _elements(replace(reader, mode="supposed", tracker=None), literal, rel, branch)
            exact = TRUE
    value = reader.shared("value", literal, branch, lambda mine, start: _value(mine, literal, rel, elements))
    if reader.mode in OPEN and literal.fn != "count":
        column = rel.column(literal.attr)
        unread = disj(conj([one.guard, neg(one.cells[column].known)]) for one in elements)
        exact = conj([exact, neg(unread)])
    right = literal.right
    if literal.op == "=" and isinstance(right, Var) and not reader.bound(right.name, branch):
        if reader.mode in OPEN:
            if reader.mode == "possible":
                reader.single_use(right.name, Cell(value.type, value.value, known=FALSE))
            opened = neg(exact)
            yield branch.when(disj([value.known, opened])).bind(
                right.name, replace(value, known=TRUE, open=opened)
            )
            return
        held = reader.mark(conj([exact, value.known]), literal.span, "", literal)
        yield branch.when(held).bind(right.name, replace(value, known=TRUE))
        return
    true, _ = reader.state.terms.holds(value, literal.op, right, literal.hi, branch.env)
    held = conj([exact, true])
    if reader.mode in OPEN:
        held = disj([neg(exact), true])
    yield branch.when(reader.mark(held, literal.span, "", literal))


def _rests_on_favourable(reader: AtomReader, rel: Relation) -> bool:
    return rel.name in reader.favourable or (
        rel.sort == "derived" and bool(below(reader.state.program, rel.name) & reader.favourable)
    )


def _elements(reader: AtomReader, literal: Aggregate, rel: Relation, branch: Branch) -> list[Element]:
    """The rows that an aggregate ranges over."""
    return reader.shared(
        "elements", literal, branch, lambda mine, start: _elements_of(mine, literal, rel, start)
    )


def _elements_of(reader: AtomReader, literal: Aggregate, rel: Relation, start: Branch) -> list[Element]:
    if literal.lit.past is not None:
        if rel.sort != "action":
            raise UnsupportedConstruct(f"an aggregate over the past of `{rel.short}`")
        by_slot: dict[int, Element] = {}
        for next_branch, slot in reader.commits(literal.lit, rel, start):
            old = by_slot.get(id(slot))
            guard = disj([old.guard, next_branch.guard]) if old else next_branch.guard
            by_slot[id(slot)] = Element(slot.cells, guard)
        return list(by_slot.values())
    elements: list[Element] = []
    for next_branch, row, _ in reader.matches(literal.lit.atom, start):
        for index, other in enumerate(elements):
            if other.cells is row:
                elements[index] = Element(row, disj([other.guard, next_branch.guard]))
                break
        else:
            elements.append(Element(row, next_branch.guard))
    if rel.sort != "derived":
        return elements
    distinct: list[Element] = []
    for element in elements:  # a row that two rules derive is one row
        again = [
            conj(
                [
                    other.guard,
                    *(
                        reader.state.terms.equal(a, b)
                        for a, b in zip(other.cells, element.cells, strict=True)
                    ),
                ]
            )
            for other in distinct
        ]
        distinct.append(Element(element.cells, conj([element.guard, neg(disj(again))])))
    return distinct


def _exact(
    reader: AtomReader, literal: Aggregate, rel: Relation, start: Branch, elements: list[Element]
) -> Any:
    """Whether the rows that certainly count are all that possibly do."""
    if literal.lit.past is not None:
        possible = replace(reader, mode=MAYBE[reader.mode], tracker=None)
        maybe = _elements(possible, literal, rel, start)
        sure = {id(element.cells): element.guard for element in elements}
        return conj([disj([neg(e.guard), sure.get(id(e.cells), FALSE)]) for e in maybe])
    if rel.sort == "screen":
        raise UnsupportedConstruct(f"an aggregate over the screen `{rel.short}` that must be certain")
    possible = replace(reader, mode=MAYBE[reader.mode], tracker=None)
    sure = {id(element.cells): element.guard for element in elements}
    parts = []
    for next_branch, row, unseen in possible.matches(literal.lit.atom, start):
        if rel.sort == "derived":
            here = disj(conj([e.guard, *map(reader.state.terms.same, e.cells, row)]) for e in elements)
            parts.append(disj([neg(next_branch.guard), here]))
            continue
        parts.append(
            neg(next_branch.guard) if unseen else disj([neg(next_branch.guard), sure.get(id(row), FALSE)])
        )
    return conj(parts)


def _value(reader: AtomReader, literal: Aggregate, rel: Relation, elements: list[Element]) -> Cell:
    if literal.fn == "count":
        ones = [z3.If(e.guard, z3.RealVal(1), z3.RealVal(0)) for e in elements]
        return Cell(NUMBER, z3.Sum(*ones) if len(ones) > 1 else ones[0] if ones else z3.RealVal(0))
    column = rel.column(literal.attr)
    kind = rel.attr(literal.attr).type
    cells = [e.cells[column] for e in elements]
    defined = [
        disj([neg(e.guard), conj([cell.known, neg(cell.none)])])
        for e, cell in zip(elements, cells, strict=True)
    ]
    some = disj([e.guard for e in elements])
    known = conj([some, *defined])
    pairs = list(zip([e.guard for e in elements], [cell.value for cell in cells], strict=True))
    if literal.fn == "set":
        return _set(reader, kind, pairs, known)
    zero: Any = z3.RealVal(0) if kind.kind == "Number" else z3.IntVal(0)
    if literal.fn == "sum":
        if kind.kind not in ("Number", "Duration"):
            raise UnsupportedConstruct(f"the sum of values of type {kind}")
        terms = [z3.If(guard, value, zero) for guard, value in pairs]
        return Cell(
            kind if kind.kind == "Number" else DURATION,
            z3.Sum(*terms) if len(terms) > 1 else (terms or [zero])[0],
            known,
        )
    best, any_so_far = zero, FALSE
    for guard, value in pairs:
        better = value < best if literal.fn == "min" else value > best
        best = z3.If(conj([guard, disj([neg(any_so_far), better])]), value, best)
        any_so_far = disj([any_so_far, guard])
    return Cell(kind, best, known)


def _set(reader: AtomReader, kind: Type, pairs: list[tuple[Any, Any]], known: Any) -> Cell:
    whole = Type("set", elem=kind)
    sorts = reader.state.sorts
    names = sorts.elements(whole)
    bits = []
    for name in names:
        if name is None:
            named = [sorts.constant(text, kind).value for text in names if text is not None]
            bits.append(disj([conj([g, *(neg(v == other) for other in named)]) for g, v in pairs]))
        else:
            bits.append(disj([conj([g, v == sorts.constant(name, kind).value]) for g, v in pairs]))
    return Cell(whole, tuple(bits), known)


# ---------------------------------------------------------------- every


def every(reader: AtomReader, literal: Every, branch: Branch) -> Iterator[Branch]:
    """Some row fits the atom, and each that does fits `has`; certainly: some certainly, and each that possibly does."""
    rel = reader.relation(literal.atom.relation)
    if reader.favourable and _rests_on_favourable(reader, rel):
        if not reader.negative:
            yield branch
        return
    start = replace(branch, guard=TRUE, used=None)
    inner = replace(reader, tracker=None)
    sure, maybe = replace(inner, mode=SURE[reader.mode]), replace(inner, mode=MAYBE[reader.mode])
    seen = list(sure.matches(literal.atom, start))
    ranged = seen
    if reader.mode in ("certain", "settled"):
        ranged = list(maybe.matches(literal.atom, start, choices=True))
    some = disj([next_branch.guard for next_branch, _, _ in seen])
    fitting = sure
    if reader.mode in OPEN:
        fitting = maybe
        found_rows = list(maybe.matches(literal.atom, start, choices=True))
        some = disj([next_branch.guard for next_branch, _, _ in found_rows])
        if reader.mode == "supposed":  # one row has to be there and fit
            some = disj([w.guard for f, row, _ in found_rows for w in maybe.fit(rel, row, literal.has, f)])
    each = []
    for next_branch, row, _ in ranged:
        fits = fitting.fit(rel, row, literal.has, replace(next_branch, guard=TRUE))
        each.append(disj([neg(next_branch.guard), *(one.guard for one in fits)]))
    yield branch.when(reader.mark(conj([some, *each]), literal.span, "", literal))


# ---------------------------------------------------------------- first


QUANTIFIED: Final[Mapping[type, Callable[[AtomReader, Any, Branch], Iterator[Branch]]]] = MappingProxyType(
    {Every: every, First: first}
)
"""For each kind of condition about the rows of one atom the function that gives its branches."""
