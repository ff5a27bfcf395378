"""The inputs and questions of an engine, recorded turn by turn, to be replayed with other programs and questions."""

import datetime as dt
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from vsalang.base.source import Span
from vsalang.engine import Evaluator, open_session
from vsalang.engine.api import Answer, Input, Row
from vsalang.guard.world.rule_book import relations_read
from vsalang.program.ir import (
    Derive,
    Expect,
    Goto,
    Judge,
    License,
    Mark,
    Program,
    Recognize,
    Rule,
    Write,
)
from vsalang.program.screen_rules import is_match, screen_of
from vsalang.program.similarity import Similarity
from vsalang.program.values import Value

Call: TypeAlias = tuple[str, tuple[Any, ...]]

ASKED = frozenset({"answers", "extra_answers", "expected", "witness"})
"""Calls about one rule, which is their first argument."""


@dataclass
class Tape:
    """The calls of one session.

    Attributes:
        today: the day of its instruction.
        similarity: who answers ``~=`` in it.
        turns: for each step the calls made in it; the first holds the inputs at the beginning.
    """

    today: dt.date
    similarity: Similarity
    turns: list[list[Call]] = field(default_factory=lambda: [[]])

    def cut(self) -> None:
        """The next step begins."""
        if self.turns[-1]:
            self.turns.append([])

    def add(self, name: str, *args: Any) -> None:
        self.turns[-1].append((name, args))


class Recorder:
    """An evaluator that puts every call on a tape."""

    def __init__(self, inner: Evaluator, tape: Tape) -> None:
        self.inner, self.tape = inner, tape
        self.program = inner.program

    def assign(self, relation: Input | str, rows: Iterable[Any]) -> None:
        """See `Evaluator`; so with all that follow."""
        kept = list(rows)
        self.tape.add("assign", relation, kept)
        self.inner.assign(relation, kept)

    def now(self, moment: dt.datetime, timeline: dt.datetime | None = None) -> None:
        """Set the clock and the timeline."""
        self.tape.add("now", moment, timeline)
        self.inner.now(moment, timeline)

    def variables(self, rule: str) -> tuple[str, ...]:
        """Names of a rule's answer variables; known beforehand, so not on the tape."""
        return self.inner.variables(rule)

    def answers(self, rule: str) -> frozenset[Answer]:
        """How a rule's body holds."""
        self.tape.add("answers", rule)
        return self.inner.answers(rule)

    def extra_answers(self, rule: str) -> frozenset[Answer]:
        """How a `recognize` rule's body holds with what follows ``with``."""
        self.tape.add("extra_answers", rule)
        return self.inner.extra_answers(rule)

    def expected(self, rule: str, answer: Answer) -> bool:
        """Whether what a contract expects holds."""
        self.tape.add("expected", rule, answer)
        return self.inner.expected(rule, answer)

    def witness(self, rule: str, answer: Answer) -> Mapping[str, Value] | None:
        self.tape.add("witness", rule, answer)
        return self.inner.witness(rule, answer)

    def rows(self, relation: str) -> frozenset[Row]:
        """The rows of a relation."""
        self.tape.add("rows", relation)
        return self.inner.rows(relation)

    def point(self, number: int) -> None:
        self.tape.add("point", number)
        self.inner.point(number)

    def savepoint(self) -> int:
        savepoint = self.inner.savepoint()
        self.tape.add("savepoint", savepoint)
        return savepoint

    def rollback(self, savepoint: int) -> None:
        self.tape.add("rollback", savepoint)
        self.inner.rollback(savepoint)


def play(
    program: Program,
    tapes: Sequence[Tape],
    *,
    asked: Collection[str] | None = None,
    rows: Collection[str] = (),
    keep: list[Any] | None = None,
) -> list[float]:
    """Play tapes to sessions of a program: the seconds of each turn.

    Args:
        program: the one that was recorded, or a part of it.
        tapes: the inputs.
        asked: the rules that are asked where the tape asks them; None: everything that the tape asks.
        rows: relations that are read in addition, wherever the tape asks anything of rules.
        keep: gets the sessions.
    """
    seconds: list[float] = []
    clock = time.perf_counter
    for tape in tapes:
        session = open_session(program, today=tape.today, similarity=tape.similarity)
        savepoints: dict[int, int] = {}
        for calls in tape.turns:
            chosen = calls if asked is None else _chosen(calls, asked, rows)
            begin = clock()
            for name, args in chosen:
                if name == "savepoint":
                    savepoints[args[0]] = session.savepoint()
                elif name == "rollback":
                    session.rollback(savepoints[args[0]])
                else:
                    getattr(session, name)(*args)
            seconds.append(clock() - begin)
        if keep is not None:
            keep.append(session)
    return seconds


def _chosen(calls: list[Call], asked: Collection[str], rows: Collection[str]) -> list[Call]:
    """The inputs, with the questions about some rules; relations are read once for each run of questions, and once
    where there are none."""
    made: list[Call] = []
    fresh = True
    for call in calls:
        name, args = call
        if name in ASKED or name == "rows":
            if name in ASKED and args[0] in asked:
                made.append(call)
            if rows and fresh:
                made += [("rows", (relation,)) for relation in rows]
            fresh = False
        else:
            made.append(call)
            fresh = True
    if rows and all(call[0] != "rows" for call in made):
        made += [("rows", (relation,)) for relation in rows]
    return made


# ---------------------------------------------------------------- parts of a program


@dataclass(frozen=True)
class Subject:
    """A part of a program that is measured by itself: one rule or one derived relation, with what it depends on.

    Attributes:
        program: only these rules.
        asked: the rule's id, or nothing.
        rows: the relation, or nothing.
        times: how often the tapes ask it.
        span: its place, if it is in a file.
    """

    name: str
    kind: str
    program: Program
    asked: tuple[str, ...]
    rows: tuple[str, ...]
    times: int
    span: Span | None = None


def subjects(program: Program, tapes: Iterable[Tape]) -> list[Subject]:
    """Every rule that tapes ask, every derived relation that such a rule depends on, and those of the main module."""
    times: dict[str, int] = {}
    runs = 0
    for tape in tapes:
        for calls in tape.turns:
            for name, args in calls:
                if name in ASKED:
                    times[args[0]] = times.get(args[0], 0) + 1
            runs += sum(one[0] == "rows" for one in _chosen(calls, (), ("any",)))
    deriving: dict[str, list[Rule]] = {}
    for rule in program.rules:
        if isinstance(rule.head, Derive):
            deriving.setdefault(rule.head.atom.relation, []).append(rule)
    made: list[Subject] = []
    needed: set[str] = set()
    for rule in program.rules:
        if rule.id in times:
            below = _below([rule], deriving)
            needed |= below
            kept = [one for relation in below for one in deriving[relation]]
            part = _part(program, [*kept, rule], rule.id)
            made.append(Subject(rule.id, keyword(rule), part, (rule.id,), (), times[rule.id], rule.span))
    needed |= {name for name in deriving if program.relation(name).module == program.main}
    for relation in sorted(needed):
        below = _below(deriving[relation], deriving) | {relation}
        rules = [one for name in below for one in deriving[name]]
        spans = [one.span for one in (*deriving[relation], *rules) if one.span is not None]
        screen = program.relation(relation).sort == "screen" or is_match(relation)
        made.append(
            Subject(
                screen_of(relation) if screen_of(relation) not in needed else relation,
                "screen" if screen else "define",
                _part(program, rules, relation),
                (),
                (relation,),
                runs,
                spans[0] if spans else None,
            )
        )
    return made


def _part(program: Program, rules: Iterable[Rule], name: str) -> Program:
    kept = {id(rule) for rule in rules}
    chosen = tuple(rule for rule in program.rules if id(rule) in kept)
    return replace(program, rules=chosen, digest=f"{program.digest}/{name}")


def _below(rules: Iterable[Rule], deriving: dict[str, list[Rule]]) -> set[str]:
    """The derived relations that rules depend on, themselves included where they are recursive."""
    names: set[str] = set()
    todo = list(rules)
    while todo:
        rule = todo.pop()
        literals = [*rule.body, *rule.extra, *(rule.head.literals if isinstance(rule.head, Expect) else ())]
        for relation in relations_read(literals):
            if relation in deriving and relation not in names:
                names.add(relation)
                todo += deriving[relation]
    return names


def keyword(rule: Rule) -> str:
    """The word that begins a rule's source."""
    head = rule.head
    if isinstance(head, License):
        return "done" if head.atom.relation == "finish" else "allow"
    if isinstance(head, Judge):
        return head.level
    if isinstance(head, Write):
        return "delete" if head.delete else "update"
    if isinstance(head, Mark):
        return head.kind
    if isinstance(head, Goto):
        return "goto"
    if isinstance(head, Recognize):
        return "recognize"
    return "expect" if isinstance(head, Expect) else "define"
