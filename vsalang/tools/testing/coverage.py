"""Which clauses the tests of a file show holding, and which conditions they show met and not met.

A *clause* is a rule. It is covered if its body held in a moment in which it is read. A *condition* is one literal of a
body, or one constraint of an `allow` head that is more than a name for a parameter. It is covered if it was met in one
such moment and not met in another, in which it was among the reasons why the clause did not hold: nobody has seen what
a condition does that never fails. Of several ways in which a clause does not hold the nearest counts, as in feedback.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.engine.api import Evaluator
from vsalang.engine.explain.match import Facts
from vsalang.guard import run_example
from vsalang.guard.say.why import Explainer
from vsalang.program.example import Example
from vsalang.program.ir import (
    Atom,
    Derive,
    Expect,
    First,
    Goto,
    Judge,
    License,
    Lit,
    Mark,
    Program,
    Recognize,
    Rule,
    Then,
    Var,
    Write,
)
from vsalang.program.ir import Literal as BodyLiteral
from vsalang.program.walk import variables

if TYPE_CHECKING:
    from vsalang.guard.say.verdict import Why

Moment = Literal["before", "judged", "after"]


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a file: offsets of its first character and of the one after its last, and its first line."""

    start: int
    end: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition and what the tests show of it."""

    place: Place
    met: bool
    failed: bool

    @property
    def covered(self) -> bool:
        """Whether it was seen both ways."""
        return self.met and self.failed


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule and what the tests show of it; `read`: some test reached a moment in which it is read."""

    rule: str
    place: Place
    read: bool
    held: bool
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the tests of a file show of its rules.

    Attributes:
        text: the file's text.
        clauses: its rules, in order.
    """

    file: str
    text: str
    clauses: tuple[Clause, ...]

    @property
    def total(self) -> int:
        """How much there is to show: each clause once, each condition twice (met, not met)."""
        return sum(1 + 2 * len(clause.conditions) for clause in self.clauses)

    @property
    def covered_count(self) -> int:
        """How much of `total` was."""
        return sum(clause.held + sum(c.met + c.failed for c in clause.conditions) for clause in self.clauses)

    @property
    def percent(self) -> float:
        """`covered_count` of `total`; 100 if there is nothing to show."""
        return percent([self])


def percent(coverages: Iterable[Coverage]) -> float:
    """What was shown in several files, of 100."""
    files = list(coverages)
    total = sum(file.total for file in files)
    return 100.0 * sum(file.covered_count for file in files) / total if total else 100.0


class Collector:
    """Watches the guard while tests run (`vsalang.guard.judge.judgement.Watch`) and notes what the rules of one file
    do."""

    def __init__(self, program: Program, file: str) -> None:
        self.rules = [
            rule for rule in program.rules if rule.span is not None and rule.span.file == file and rule.body
        ]
        heads = [
            rule
            for rule in program.rules
            if rule.span is not None and rule.span.file == file and not rule.body and _head_spans(rule)
        ]
        self.rules = sorted([*self.rules, *heads], key=lambda rule: rule.span.start if rule.span else 0)
        self.file = file
        self._read: set[str] = set()
        self._held: set[str] = set()
        self._met: set[tuple[str, int, int]] = set()
        self._failed: set[tuple[str, int, int]] = set()
        self._conditions = {rule.id: _conditions(rule) for rule in self.rules}
        self._links = {rule.id: _links(rule, self._conditions[rule.id]) for rule in self.rules}
        self._extras = {rule.id: _outermost(_spans(rule.extra)) for rule in self.rules}

    def __call__(self, moment: Moment, evaluator: Evaluator, facts: Facts) -> None:
        """Look at every rule that is read in that moment."""
        explainer = Explainer(facts)
        for rule in self.rules:
            if moment in moments_of(rule):
                self._look(rule, evaluator, facts, explainer)

    def _look(self, rule: Rule, evaluator: Evaluator, facts: Facts, explainer: Explainer) -> None:
        self._read.add(rule.id)
        extras = self._extras[rule.id]
        conditions = [at for at in self._conditions[rule.id] if at not in extras]
        if evaluator.answers(rule.id):
            self._held.add(rule.id)
            self._met |= {(rule.id, *at) for at in conditions}
            # each source is read for itself: where all of them hold every parameter has a value
            if extras and any(None not in answer.values for answer in evaluator.extra_answers(rule.id)):
                self._met |= {(rule.id, *at) for at in extras}
            elif extras:
                self._note(rule, extras, explainer.unmet((*rule.body, *rule.extra), {}, certain=False))
            return
        if not isinstance(rule.head, License):
            self._note(rule, conditions, explainer.unmet(rule.body, {}, certain=False))
            return
        heads = _head_spans(rule)
        rows = list(facts.of(Atom(rule.head.atom.relation)))
        for row in rows:
            self._note(rule, conditions, explainer.clause(rule, row))
        if not rows:
            whys = explainer.clause(rule, None, guess=True)
            self._note(rule, [at for at in conditions if at not in heads], whys)

    def _note(self, rule: Rule, conditions: Iterable[tuple[int, int]], whys: "Iterable[Why]") -> None:
        failing = [why.span for why in whys]
        places = list(conditions)
        places_covered = {at for at in places if any(_within(span, at, self.file) for span in failing)}
        if failing and not places_covered:
            return  # what failed is elsewhere: nothing can be said of these
        self._failed |= {(rule.id, *at) for at in places_covered}
        # what waits for a value that a failing condition would have given was not tried
        links = self._links[rule.id]
        missing = {name for at in places_covered for name in links[at].binds}
        self._met |= {
            (rule.id, *at) for at in places if at not in places_covered and not links[at].uses & missing
        }

    def result(self, sources: Mapping[str, Source]) -> Coverage:
        """What was seen."""
        source = sources[self.file]
        clauses = []
        for rule in self.rules:
            assert rule.span is not None
            conditions = tuple(
                Condition(
                    _place(source, start, end),
                    (rule.id, start, end) in self._met,
                    (rule.id, start, end) in self._failed,
                )
                for start, end in self._conditions[rule.id]
            )
            span = rule.head_span or rule.span
            clauses.append(
                Clause(
                    rule.id,
                    _place(source, span.start, span.end),
                    rule.id in self._read,
                    rule.id in self._held,
                    conditions,
                )
            )
        return Coverage(self.file, source.text, tuple(clauses))


def _place(source: Source, start: int, end: int) -> Place:
    return Place(start, end, source.position(start).line, source.text[start:end])


def _within(span: Span | None, at: tuple[int, int], file: str) -> bool:
    return span is not None and span.file == file and at[0] <= span.start and span.end <= at[1]


def _head_spans(rule: Rule) -> list[tuple[int, int]]:
    if not isinstance(rule.head, License):
        return []
    # `time = ?t` only gives a parameter a name
    tests = [c for c in rule.head.atom.constraints if not (c.op == "=" and isinstance(c.term, Var))]
    spans = [constraint.span for constraint in tests]
    return _outermost([(span.start, span.end) for span in spans if span is not None])


def _conditions(rule: Rule) -> list[tuple[int, int]]:
    """The places of the conditions in the order of the text; a part of a condition is none of its own."""
    body = _outermost(_spans((*rule.body, *rule.extra)))
    heads = _head_spans(rule)
    # the comparison that a constraint of the head became is in the head
    body = [at for at in body if not any(head[0] <= at[0] and at[1] <= head[1] for head in heads)]
    return [*heads, *body]


class _Links(NamedTuple):
    """The variables that a condition uses, and those of them that it gives values."""

    uses: frozenset[str]
    binds: frozenset[str]


def _links(rule: Rule, conditions: Iterable[tuple[int, int]]) -> dict[tuple[int, int], _Links]:
    links = {}
    for at in conditions:
        uses: frozenset[str] = frozenset()
        binds: frozenset[str] = frozenset()
        for literal in (*rule.body, *rule.extra):
            if _within(literal.span, at, literal.span.file if literal.span else ""):
                names = variables(literal)
                uses |= names
                if isinstance(literal, First | Then) or (isinstance(literal, Lit) and not literal.neg):
                    binds |= names
        links[at] = _Links(uses, binds)
    return links


def _spans(literals: Iterable[BodyLiteral]) -> list[tuple[int, int]]:
    return [(item.span.start, item.span.end) for item in literals if item.span is not None]


def _outermost(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    unique = sorted(set(places))
    return [
        at
        for at in unique
        if not any(other != at and other[0] <= at[0] and at[1] <= other[1] for other in unique)
    ]


def moments_of(rule: Rule) -> frozenset[Moment]:
    """The moments in which a rule is read (`guard.md#moments`)."""
    head = rule.head
    if isinstance(head, License | Goto | Expect):
        return frozenset({"judged"})
    if isinstance(head, Judge | Derive):
        return frozenset({"judged", "after"})
    if isinstance(head, Recognize):
        return frozenset({"before", "judged"})
    if isinstance(head, Mark):
        return frozenset({"after"})
    assert isinstance(head, Write)
    moments: dict[str, Moment] = {"input": "before", "consequence": "judged"}
    return frozenset({moments.get(rule.trigger, "after")})


def shown_by(
    program: Program, file: str, sources: Mapping[str, Source], examples: Iterable[Example]
) -> float:
    """How much tests show of the clauses and conditions of a file, of 100: as `vsac test --coverage` measures it."""
    collector = Collector(program, file)
    for example in examples:
        run_example(program, example, watch=collector)
    return percent([collector.result(sources)])
