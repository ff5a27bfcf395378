"""The turns that are measured: a file's tests, or stories made up from what its program declares and compares."""

import datetime as dt
import random
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from vsalang.guard.examples import DEFAULT_CLOCK
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.example import LEVELS, Example, ExpectedVerdict, Fact, Part, Turn
from vsalang.program.ir import Choice, Const, Constraint, Fn, Program, Relation, Type
from vsalang.program.values import NONE, Value
from vsalang.program.walk import atoms

ANY = ExpectedVerdict(LEVELS)
"""Any verdict is right: the result of a made-up turn is not the question."""

LENGTH = 25
"""Turns of a made-up story. A session's state stays small, as in real tasks."""


def from_tests(tests: Iterable[Example]) -> list[Example]:
    """The tests as stories in which any verdict is right, so that none ends early."""
    made = []
    for test in tests:
        turns = tuple(
            Turn(turn.kind, turn.parts, ANY, turn.clock, turn.assumed, turn.span) for turn in test.turns
        )
        if any(turn.kind == "turn" for turn in turns):
            made.append(Example(test.name, test.target, turns))
    return made


class Inventor:
    """Makes up stories: rows of the program's own states, views and lists are seen, its actions attempted.

    Values are those that the program compares a cell with, and values near them.
    """

    def __init__(self, program: Program, seed: int) -> None:
        self.rng = random.Random(seed)
        self.values = _mentioned(program)
        relations = sorted(program.relations.values(), key=lambda relation: relation.name)
        self.believed = [relation for relation in relations if relation.sort in BELIEVED]
        actions = [relation for relation in relations if relation.sort == "action"]
        self.actions = [relation for relation in actions if not relation.module.startswith("std.")]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to make up: the program declares no state and no action."""
        return not self.believed and not self.actions

    def story(self, number: int) -> Example:
        """Make a story up: `LENGTH` turns, which follow from the seed and the stories made before."""
        turns = tuple(self._turn() for _ in range(LENGTH))
        return Example(f"random {number}", "", turns)

    def _turn(self) -> Turn:
        rng = self.rng
        if self.actions and (not self.believed or rng.random() < 0.3):
            action = rng.choice(self.actions)
            cells = {attr.name: self._value(action, attr.name, attr.type) for attr in action.attrs}
            known = {name: value for name, value in cells.items() if value is not None}
            return Turn("turn", (Part("attempt", Fact(action.name, known)),), ANY)
        relation = rng.choice(self.believed)
        kind = "update" if rng.random() < 0.2 else "observe"
        return Turn("turn", (Part(kind, Fact(relation.name, self._row(relation))),), ANY)

    def _row(self, relation: Relation) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for attr in relation.attrs:
            identity = attr.name in relation.identity
            if relation.sort == "list" and attr.name == "at":
                row["at"] = self.rng.randrange(1, 6)
            elif identity:
                row[attr.name] = self._value(relation, attr.name, attr.type, unknown=False)
            elif self.rng.random() < 0.7:
                row[attr.name] = self._value(relation, attr.name, attr.type)
        return row

    def _value(self, relation: Relation, attr: str, type_: Type, *, unknown: bool = True) -> Value | None:
        rng = self.rng
        if unknown and rng.random() < 0.1:
            return None
        mentioned = self.values.get((relation.name, attr))
        if mentioned and rng.random() < 0.7:
            return rng.choice(mentioned)
        return _any(rng, type_)


def _any(rng: random.Random, type_: Type) -> Value:
    """A value of a type."""
    kind = type_.kind
    if kind == "Number":
        return rng.randrange(0, 20)
    if kind == "Bool":
        return rng.random() < 0.5
    if kind == "Date":
        return DEFAULT_CLOCK.date() + dt.timedelta(days=rng.randrange(0, 7))
    if kind == "Time":
        return dt.time(rng.randrange(0, 24), rng.choice((0, 30)))
    if kind == "Duration":
        return dt.timedelta(minutes=rng.randrange(0, 120))
    if kind == "enum" and type_.members:
        return rng.choice(type_.members).name
    if kind == "set":
        assert type_.elem is not None
        return frozenset({_text(_any(rng, type_.elem)) for _ in range(rng.randrange(0, 3))})
    if kind == "None":
        return NONE
    return rng.choice(("alpha", "beta", "gamma", "delta", "some longer text"))


def _text(value: Value) -> str:
    assert isinstance(value, str)
    return value


def _mentioned(program: Program) -> dict[tuple[str, str], list[Value]]:
    """For each cell the constants that rules compare it with, with a value just below and above."""
    names: dict[tuple[str, str], dict[tuple[str, Value], None]] = {}
    for atom in atoms(program.rules):
        for constraint in atom.constraints:
            for value in _constants(constraint):
                if not isinstance(value, frozenset):
                    keyed = names.setdefault((atom.relation, constraint.attr), {})
                    keyed.update(dict.fromkeys((type(one).__name__, one) for one in _around(value)))
    return {cell: [value for _, value in values] for cell, values in names.items()}


def _constants(constraint: Constraint) -> Iterable[Value]:
    for term in (constraint.term, constraint.hi):
        for item in term.items if isinstance(term, Choice) else (term,):
            if isinstance(item, Const):
                yield item.value
            elif isinstance(item, Fn) and item.name == "today":
                yield DEFAULT_CLOCK.date()


def _around(value: Value) -> Iterable[Value]:
    yield value
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | Decimal):
        yield from (value - 1, value + 1)
    elif isinstance(value, dt.date):
        yield value + dt.timedelta(days=1)
    elif isinstance(value, dt.time):
        moment = dt.datetime.combine(DEFAULT_CLOCK.date(), value)
        yield from ((moment + dt.timedelta(minutes=30)).time(), (moment - dt.timedelta(minutes=30)).time())
