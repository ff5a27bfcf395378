"""The rules of a program by what they do, and which of them may fire at a gesture and critical actions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias
from typing import Literal as OneOf

from vsalang.base.once import once_each
from vsalang.engine.api import Input
from vsalang.engine.explain.definitions import Definitions
from vsalang.guard.world.explanation_reads import ExplanationReads
from vsalang.guard.world.row_rules import RowRule, row_rules
from vsalang.program.graph import reachable
from vsalang.program.ir import (
    Atom,
    Compare,
    Derive,
    Expect,
    First,
    Goto,
    Judge,
    License,
    Lit,
    Literal,
    Mark,
    Program,
    Recognize,
    Rule,
    Sort,
    Spent,
    Then,
    Write,
)
from vsalang.program.ops import ASKING
from vsalang.program.vocabulary import SINCE
from vsalang.program.walk import literals as each_literal
from vsalang.program.walk import mentions, parts, present, uses, variables

_SORTS: Final = frozenset({"gesture", "action"})
_MOST: Final = 512
"""So many combinations of a gesture and actions are remembered: who proposes may think of any number."""

Kind: TypeAlias = OneOf["input", "consequence", "recognize", "judge", "expect", "goto"]

Asked: TypeAlias = tuple[frozenset[str], ...]
"""What the conditions of a rule ask for: of each set one gesture or action has to be there."""


class Firing:
    """Says of the rules of a program which of them may fire, by what they ask for directly or through `define`.

    Args:
        program: whose rules they are.
        rules: of several kinds, in the order in which they are given back.
    """

    def __init__(self, program: Program, rules: Mapping[Kind, Iterable[Rule]]) -> None:
        asked = _Requests(program)
        self._rules = {kind: [(rule, asked.by(rule.body)) for rule in group] for kind, group in rules.items()}
        self._find_once = lru_cache(_MOST)(self._find)

    def rules(self, kind: Kind, there: frozenset[str]) -> tuple[Rule, ...]:
        """The rules of a kind that may fire when these gestures and actions have rows, and no others have."""
        return self._find_once(kind, there)

    def _find(self, kind: Kind, there: frozenset[str]) -> tuple[Rule, ...]:
        return tuple(
            rule for rule, asked in self._rules[kind] if all(not one.isdisjoint(there) for one in asked)
        )


class _Requests:
    """What conditions ask for, by the definitions of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        bodies: dict[str, list[tuple[Literal, ...]]] = {}
        for rule in program.rules:
            # (a screen may also be known to show although no rule says so)
            if isinstance(rule.head, Derive) and self._sort(rule.head.atom.relation) == "derived":
                bodies.setdefault(rule.head.atom.relation, []).append(rule.body)
        # A derived relation has rows only if a rule of it fires. What may bring that about grows from nothing to a
        # fixed point; None: it may have rows without a gesture and an action.
        self._derived: dict[str, frozenset[str] | None] = dict.fromkeys(bodies, frozenset())
        changed = True
        while changed:
            changed = False
            for name, group in bodies.items():
                before, names = self._derived[name], self._any(group)
                if before is not None and (names is None or not names <= before):
                    self._derived[name] = None if names is None else before | names
                    changed = True

    def by(self, body: Iterable[Literal]) -> Asked:
        """What the conditions of a body ask for."""
        atoms = (literal.atom for literal in present(body))
        choices = (self._relation(atom.relation) for atom in atoms if not atom.before)
        return tuple(dict.fromkeys(one for one in choices if one is not None))

    def _any(self, bodies: Iterable[tuple[Literal, ...]]) -> frozenset[str] | None:
        """One of what may let some of the bodies hold; None: nothing is needed."""
        names = frozenset[str]()
        for body in bodies:
            asked = self.by(body)
            if not asked:
                return None
            names |= min(asked, key=len)
        return names

    def _relation(self, name: str) -> frozenset[str] | None:
        if name in self._derived:
            return self._derived[name]
        return frozenset({name}) if self._sort(name) in _SORTS else None

    def _sort(self, name: str) -> Sort:
        return self._program.relation(name).sort


# ---------------------------------------------------------------------- what rules read, and what they do


def relations_read(literals: Iterable[Literal]) -> set[str]:
    """The relations that literals mention, inside `then` and aggregates too."""
    conditions = tuple(literals)
    exhausted = {item.relation for item in each_literal(conditions) if isinstance(item, Spent)}
    return exhausted.union([use.atom.relation for use in uses(conditions)])


@once_each
def _reads(rule: Rule) -> tuple[frozenset[str], frozenset[str]]:
    """The relations that the body of a rule reads, and those that all of it mentions."""
    body = relations_read(rule.body)
    every = body | relations_read(rule.extra) if rule.extra else body
    if isinstance(rule.head, Expect):
        every = every | relations_read(rule.head.literals)
    return frozenset(body), frozenset(every)


@once_each
def _past(rule: Rule) -> tuple[frozenset[str], frozenset[str]]:
    """The relations of whose first rows a rule speaks, and those of whose past it does."""
    firsts, recalled = set(), set()
    for part in parts(rule):
        if isinstance(part, First):
            firsts.add(part.atom.relation)
        if isinstance(part, Then) or (isinstance(part, Lit) and part.past is not None):
            recalled |= relations_read((part,))
    return frozenset(firsts), frozenset(recalled)


@once_each
def _asks(rule: Rule) -> bool:
    """Whether some condition is decided by asking somebody (`~=`)."""
    return any(getattr(part, "op", None) in ASKING for part in parts(rule))


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
        timed: these, and the lists of which some rule asks for the first rows: to rows of no other relations it matters
            at which history point they were written or seen.
        recalled: the gestures about which, or about what is so only while they are made, some rule asks later.
        of_screens: ids of the rules that expect what is read from the screen alone, not what an app's module makes
            of it.
        of_one_look: ids of the rules that expect something about what changed between two looks: later looks do not
            show it.
        definitions: those of its derived relations.
        explained: what explaining its rules reads.
        rows: how its rules read the rows of lists; the engine is asked for their parts, too.
        inputs: what `vsalang.guard.world.moments` found out of it, by the inputs that an evaluator reads.
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
    timed: frozenset[str]
    recalled: frozenset[str]
    of_screens: frozenset[str]
    of_one_look: frozenset[str]
    definitions: Definitions
    explained: ExplanationReads
    rows: tuple[RowRule, ...]
    inputs: dict[frozenset[Input] | None, object] = field(default_factory=dict, compare=False, repr=False)


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
    bodies: dict[str, frozenset[str]] = {}
    for rule in program.rules:
        bodies[rule.id], reads = _reads(rule)
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
    timestamped = frozenset(reachable(ordered, defines))
    past = [_past(rule) for rule in (*program.rules, *program.lowered)]
    firsts = {name for names, _ in past for name in names}
    asks = any(map(_asks, program.rules))
    recalled = reachable({name for _, names in past for name in names}, defines)
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
        ordered=timestamped,
        timed=timestamped | firsts,
        recalled=frozenset(
            name
            for name, relation in program.relations.items()
            if relation.sort == "gesture" and (asks or "Typed" in recalled or name in recalled)
        ),
        of_screens=frozenset(
            rule
            for rule, reads in expected.items()
            if all(program.relation(name).sort in ("observed", "derived") for name in reads)
        ),
        of_one_look=frozenset(rule for rule, reads in expected.items() if not _CHANGES.isdisjoint(reads)),
        definitions=Definitions(program),
        explained=ExplanationReads(program),
        rows=row_rules(program),
    )


def _in_order(
    rules: list[Rule], bodies: Mapping[str, frozenset[str]], defines: Mapping[str, set[str]]
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
