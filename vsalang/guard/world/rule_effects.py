"""What rules write: from the answers of `update`, `delete`, `recognize`, `complete`, `top`, `end` rules to cells."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence

from vsalang.engine.api import Answer, Answering, Cell, Row
from vsalang.engine.explain.terms import Binding, Context, value_of
from vsalang.guard.world.beliefs import CellWrite, RowDelete, row_of
from vsalang.program.doubt import hides
from vsalang.program.ir import Judge, Mark, Program, Recognize, Rule, Var, Write
from vsalang.program.show import quoted
from vsalang.program.values import Value, show, without_unknown


def binding_of(answering: Answering, rule: Rule, answer: Answer) -> dict[str, Value]:
    """The variables of a rule that an answer binds."""
    return without_unknown(zip(answering.variables(rule.id), answer.values, strict=True))


class Effects:
    """What rules gave when they were last asked: while their answers are the same object, that is not made again.

    Attributes:
        bindings: of each rule, by its id: its answers, and these as bindings.
        written: its answers, the days on which they were read, and what it writes.
    """

    def __init__(self) -> None:
        self.bindings: dict[str, tuple[frozenset[Answer], Sequence[Mapping[str, Value]]]] = {}
        self.written: dict[
            str, tuple[frozenset[Answer], tuple[dt.date, dt.date], Sequence[CellWrite | RowDelete]]
        ] = {}


def bindings(answering: Answering, rule: Rule) -> Sequence[Mapping[str, Value]]:
    """Every answer of a rule as a binding, in a fixed order."""
    answers = answering.answers(rule.id)
    if not answers:
        return ()
    kept: Effects | None = getattr(answering, "effects", None)
    known = kept.bindings.get(rule.id) if kept is not None else None
    if known is not None and known[0] is answers:
        return known[1]
    bindings = [binding_of(answering, rule, answer) for answer in answers]
    bindings.sort(key=lambda binding: sorted((name, show(value)) for name, value in binding.items()))
    if kept is not None:
        kept.bindings[rule.id] = (answers, bindings)
    return bindings


def _effects(answering: Answering, rule: Rule, context: Context) -> Sequence[CellWrite | RowDelete]:
    """What a rule writes and deletes. Its head reads nothing but its answers, the day of the instruction, and today."""
    kept: Effects | None = getattr(answering, "effects", None)
    answers, days = answering.answers(rule.id), (context.today, context.now.date())
    known = kept.written.get(rule.id) if kept is not None else None
    if known is not None and known[0] is answers and known[1] == days:
        return known[2]
    effects = [effect(rule, binding, context) for binding in bindings(answering, rule)]
    if kept is not None:
        kept.written[rule.id] = (answers, days, effects)
    return effects


def holding(answering: Answering, rules: Sequence[Rule]) -> list[Rule]:
    """Those of some rules that hold in the moment that is asked."""
    if not rules:
        return []
    several = getattr(answering, "answers_of", None)
    ids = [rule.id for rule in rules]
    answers = map(answering.answers, ids) if several is None else several(ids)
    return [rule for rule, of_rule in zip(rules, answers, strict=True) if of_rule]


def head_cells(rule: Rule, binding: Binding, context: Context) -> dict[str, Cell]:
    """The cells that the head of a rule gives; a cell of None is erased or undefined."""
    head = rule.head
    assert isinstance(head, Write | Recognize | Mark)
    return {c.attr: value_of(c.term, binding, context) for c in head.atom.constraints}


def writes(
    answering: Answering, rules: Sequence[Rule], context: Context
) -> tuple[list[CellWrite], list[RowDelete]]:
    """What the rules write in the moment that is asked."""
    changed: list[CellWrite] = []
    deleted: list[RowDelete] = []
    for rule in holding(answering, rules):
        for effects in _effects(answering, rule, context):
            if isinstance(effects, RowDelete):
                deleted.append(effects)
            else:
                changed.append(effects)
    return changed, deleted


def effect(rule: Rule, binding: Binding, context: Context) -> CellWrite | RowDelete:
    """What a rule writes or deletes under one answer."""
    head = rule.head
    assert isinstance(head, Write)
    cells = head_cells(rule, binding, context)
    if head.delete:
        return RowDelete(head.atom.relation, cells, rule.id)
    row = cells.pop("row", None) if _names_row(rule) else None
    node = row if isinstance(row, int) and not isinstance(row, bool) else None
    erased = frozenset(c.attr for c in head.atom.constraints if c.term is None)
    return CellWrite(head.atom.relation, cells, head.keep, node, rule.id, erased)


def _names_row(rule: Rule) -> bool:
    """Whether the head gives the node of a list row; such a head has no position."""
    head = rule.head
    assert isinstance(head, Write)
    return any(c.attr == "row" for c in head.atom.constraints) and not any(
        c.attr == "at" for c in head.atom.constraints
    )


def instances(
    answering: Answering, rule: Rule, context: Context, program: Program, *, extra: bool = True
) -> set[Row]:
    """The instances that a `recognize` rule finds; parameters that nothing binds are unknown.

    Args:
        extra: whether what follows ``with`` gives parameters.
    """
    return most_specific(row for row, _ in instances_by(answering, rule, context, program, extra=extra))


def every_instance(answering: Answering, rule: Rule, context: Context, program: Program) -> set[Row]:
    """The instances that a `recognize` rule finds, also those of which another one says more."""
    return {row for row, _ in instances_by(answering, rule, context, program)}


def instances_by(
    answering: Answering, rule: Rule, context: Context, program: Program, *, extra: bool = True
) -> list[tuple[Row, dict[str, Value]]]:
    """Every instance that a `recognize` rule finds, with the variables by which it does."""
    assert isinstance(rule.head, Recognize)
    relation = program.relation(rule.head.atom.relation)
    answers = set(answering.answers(rule.id))
    if answers and rule.extra and extra:
        answers |= answering.extra_answers(rule.id)
    known = [binding_of(answering, rule, answer) for answer in answers]
    return [(row_of(relation, head_cells(rule, binding, context)), binding) for binding in known]


def most_specific(rows: Iterable[Row]) -> set[Row]:
    """Without the instances whose known parameters are a subset of another's."""
    distinct_rows = set(rows)
    return {
        row
        for row in distinct_rows
        if not any(
            other != row
            and all(a is None or (type(a) is type(b) and a == b) for a, b in zip(row, other, strict=True))
            for other in distinct_rows
        )
    }


def hidden(row: Row) -> frozenset[int]:
    """The columns of the parameters whose text hides something: it may be another one than it seems to be."""
    return frozenset(
        column
        for column, cell in enumerate(row)
        if any(
            hides(text)
            for text in (cell if isinstance(cell, frozenset) else (cell,))
            if isinstance(text, str)
        )
    )


def readable(row: Row) -> Row:
    """An instance of which the parameters are unknown whose text hides something."""
    unknown = hidden(row)
    return tuple(None if column in unknown else cell for column, cell in enumerate(row)) if unknown else row


def message(rule: Rule, binding: Binding) -> str:
    """The message of a judging rule with the values put in; text of the screen cannot forge the words around it."""
    assert isinstance(rule.head, Judge)
    parts = []
    for part in rule.head.message:
        if isinstance(part, Var):
            value = binding.get(part.name)
            parts.append(quoted(value)[1:-1] if isinstance(value, str) else quoted(value))
        else:
            parts.append(part)
    return "".join(parts)
