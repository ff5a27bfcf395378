"""What rules write: from the answers of `update`, `delete`, `recognize`, `complete`, `top`, `end` rules to cells."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from vsalang.engine.api import Answer, Answering, Cell, Row
from vsalang.engine.explain.terms import Binding, Context, quoted, value_of
from vsalang.guard.world.firing import Firing, Kind
from vsalang.guard.world.store import CellWrite, RowDelete, row_of
from vsalang.program.graph import reachable
from vsalang.program.ir import (
    Atom,
    Compare,
    Derive,
    Expect,
    Goto,
    Judge,
    License,
    Literal,
    Mark,
    Program,
    Recognize,
    Rule,
    Spent,
    Then,
    Var,
    Write,
)
from vsalang.program.ops import ASKING
from vsalang.program.values import Value, show, without_unknown
from vsalang.program.vocabulary import SINCE
from vsalang.program.walk import literals as each_literal
from vsalang.program.walk import mentions, parts, uses, variables


def binding_of(answering: Answering, rule: Rule, answer: Answer) -> dict[str, Value]:
    """The variables of a rule that an answer binds."""
    return without_unknown(zip(answering.variables(rule.id), answer.values, strict=True))


def bindings(answering: Answering, rule: Rule) -> list[dict[str, Value]]:
    """Every answer of a rule as a binding, in a fixed order."""
    answers = answering.answers(rule.id)
    if not answers:
        return []
    found = [binding_of(answering, rule, answer) for answer in answers]
    return sorted(found, key=lambda binding: sorted((name, show(value)) for name, value in binding.items()))


def head_cells(rule: Rule, binding: Binding, context: Context) -> dict[str, Cell]:
    """The cells that the head of a rule gives; a cell of None is erased or undefined."""
    head = rule.head
    assert isinstance(head, Write | Recognize | Mark)
    return {c.attr: value_of(c.term, binding, context) for c in head.atom.constraints}


def writes(
    answering: Answering, rules: Iterable[Rule], context: Context
) -> tuple[list[CellWrite], list[RowDelete]]:
    """What the rules write in the moment that is asked."""
    changed: list[CellWrite] = []
    deleted: list[RowDelete] = []
    for rule in rules:
        head = rule.head
        assert isinstance(head, Write)
        for binding in bindings(answering, rule):
            cells = head_cells(rule, binding, context)
            if head.delete:
                deleted.append(RowDelete(head.atom.relation, cells, rule.id))
                continue
            row = cells.pop("row", None) if _names_row(rule) else None
            node = row if isinstance(row, int) and not isinstance(row, bool) else None
            erased = frozenset(c.attr for c in head.atom.constraints if c.term is None)
            changed.append(CellWrite(head.atom.relation, cells, head.keep, node, rule.id, erased))
    return changed, deleted


def _names_row(rule: Rule) -> bool:
    """Whether the head gives the node of a list row; such a head has no position."""
    head = rule.head
    assert isinstance(head, Write)
    return any(c.attr == "row" for c in head.atom.constraints) and not any(
        c.attr == "at" for c in head.atom.constraints
    )


def instances(answering: Answering, rule: Rule, context: Context, program: Program) -> set[Row]:
    """The instances that a `recognize` rule finds; parameters that nothing binds are unknown."""
    assert isinstance(rule.head, Recognize)
    relation = program.relation(rule.head.atom.relation)
    answers = set(answering.answers(rule.id))
    if not answers:
        return set()
    if rule.extra:
        answers |= answering.extra_answers(rule.id)
    found: set[Row] = set()
    for answer in answers:
        cells = head_cells(rule, binding_of(answering, rule, answer), context)
        found.add(row_of(relation, cells))
    return most_specific(found)


def most_specific(rows: Iterable[Row]) -> set[Row]:
    """Without the instances whose known parameters are a subset of another's."""
    found = set(rows)
    return {
        row
        for row in found
        if not any(
            other != row
            and all(a is None or (type(a) is type(b) and a == b) for a, b in zip(row, other, strict=True))
            for other in found
        )
    }


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


# ---------------------------------------------------------------- what rules read


def relations_read(literals: Iterable[Literal]) -> set[str]:
    """The relations that literals mention, inside `then` and aggregates too."""
    conditions = tuple(literals)
    exhausted = {item.relation for item in each_literal(conditions) if isinstance(item, Spent)}
    return exhausted.union([use.atom.relation for use in uses(conditions)])


def of_a_gesture(program: Program, rule: Rule) -> bool:
    """Whether a rule expects something of a gesture, and not of a critical action."""
    return isinstance(rule.head, Expect) and not any(
        program.relation(name).sort == "action" for name in relations_read(rule.body)
    )


_CHANGES: Final = SINCE | {"FileChanged"}
"""Rows of these are of the time between two looks."""


@dataclass(frozen=True)
class RuleBook:
    """The rules of a program by what they do, made once.

    Attributes:
        observations: groups of relations in the order in which observations write them: a group reads what the
            groups before it wrote.
        recognized: the actions that some rule recognises.
        firing: which of the rules that are read while a proposal is judged may fire.
        asks: whether some condition is decided by asking somebody (`~=`).
        compared: relations and attributes whose cells are so compared, where an answer that is missing may permit.
        read: every relation that some rule reads or licenses.
        ordered: the relations on which something under `then` depends: their cells need timestamps.
        of_screens: ids of the rules that expect what is read from the screen alone, not what an app's module makes
            of it.
        of_one_look: ids of the rules that expect something about what changed between two looks: later looks do not
            show it.
    """

    licences: tuple[Rule, ...]
    marks: tuple[Rule, ...]
    observations: tuple[tuple[Rule, ...], ...]
    recognized: frozenset[str]
    firing: Firing
    asks: bool
    compared: tuple[tuple[str, str], ...]
    read: frozenset[str]
    ordered: frozenset[str]
    of_screens: frozenset[str]
    of_one_look: frozenset[str]


def _compared(rule: Rule) -> Iterator[tuple[str, str]]:
    """The relations and attributes whose cells a rule compares by ``~=``, itself or by a variable.

    A licence or an expectation that is not compared does not hold, which permits nothing.
    """
    if isinstance(rule.head, License | Expect):
        return
    named = {
        name
        for part in parts(rule)
        if isinstance(part, Compare) and part.op in ASKING
        for name in mentions(part)
    }
    for part in parts(rule):
        if isinstance(part, Atom):
            for constraint in part.constraints:
                if constraint.op in ASKING or not named.isdisjoint(variables(constraint)):
                    yield part.relation, constraint.attr


def rule_book(program: Program) -> RuleBook:
    """The rules of a program by what they do."""
    defines: dict[str, set[str]] = {}
    read: set[str] = set()
    bodies: dict[str, set[str]] = {}
    for rule in program.rules:
        bodies[rule.id] = relations_read(rule.body)
        reads = bodies[rule.id] | relations_read(rule.extra) if rule.extra else bodies[rule.id]
        if isinstance(rule.head, Expect):
            reads = reads | relations_read(rule.head.literals)
        if isinstance(rule.head, Derive):
            defines.setdefault(rule.head.atom.relation, set()).update(reads)
        if isinstance(rule.head, License | Recognize):
            reads = reads | {rule.head.atom.relation}
        read |= reads
    ordered: set[str] = set()
    for rule in program.rules:
        for literal in rule.body:
            if isinstance(literal, Then):
                ordered |= relations_read([literal])
    expected = {
        r.id: reachable(relations_read(r.head.literals), defines)
        for r in program.rules
        if isinstance(r.head, Expect)
    }
    asks = any(getattr(part, "op", None) in ASKING for part in parts(program.rules))
    observed = [r for r in program.rules if isinstance(r.head, Write) and r.trigger == "observation"]
    kinds: dict[Kind, tuple[Rule, ...]] = {
        "input": tuple(r for r in program.rules if isinstance(r.head, Write) and r.trigger == "input"),
        "consequence": tuple(
            r for r in program.rules if isinstance(r.head, Write) and r.trigger == "consequence"
        ),
        "recognize": tuple(r for r in program.rules if isinstance(r.head, Recognize)),
        "judge": tuple(r for r in program.rules if isinstance(r.head, Judge)),
        "expect": tuple(r for r in program.rules if isinstance(r.head, Expect)),
        "goto": tuple(r for r in program.rules if isinstance(r.head, Goto)),
    }
    return RuleBook(
        licences=tuple(r for r in program.rules if isinstance(r.head, License)),
        marks=tuple(r for r in program.rules if isinstance(r.head, Mark)),
        observations=tuple(_in_order(observed, bodies, defines)),
        recognized=frozenset(r.head.atom.relation for r in program.rules if isinstance(r.head, Recognize)),
        firing=Firing(program, kinds),
        asks=asks,
        compared=tuple(sorted({place for rule in program.rules for place in _compared(rule)}))
        if asks
        else (),
        read=frozenset(read),
        ordered=frozenset(reachable(ordered, defines)),
        of_screens=frozenset(
            rule
            for rule, reads in expected.items()
            if all(program.relation(name).sort in ("observed", "derived") for name in reads)
        ),
        of_one_look=frozenset(rule for rule, reads in expected.items() if not _CHANGES.isdisjoint(reads)),
    )


def _in_order(
    rules: list[Rule], bodies: Mapping[str, set[str]], defines: Mapping[str, set[str]]
) -> list[tuple[Rule, ...]]:
    """Observation rules grouped by what they write; a group comes after those whose relations it reads.

    Relations that read one another form one group, which is evaluated once. (Strongly connected components by
    reachability: there are few relations.)
    """
    writers: dict[str, list[Rule]] = {}
    for rule in rules:
        assert isinstance(rule.head, Write)
        writers.setdefault(rule.head.atom.relation, []).append(rule)
    reads = {
        name: reachable(set().union(*(bodies[rule.id] for rule in group)), defines) & writers.keys()
        for name, group in writers.items()
    }
    reach = {name: reachable([name], reads) for name in writers}
    groups: list[tuple[Rule, ...]] = []
    done: set[str] = set()
    while len(done) < len(writers):
        for name in writers:
            component = {other for other in reach[name] if name in reach[other]}
            if name not in done and reach[name] - component <= done:
                done |= component
                groups.append(
                    tuple(rule for other in writers if other in component for rule in writers[other])
                )
    return groups
