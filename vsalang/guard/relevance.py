"""Which of a gesture's other names some rule speaks of: only those need to be judged."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from vsalang.core.gestures import Name
from vsalang.core.ir import (
    Aggregate,
    Atom,
    Constraint,
    Every,
    Expect,
    First,
    Lit,
    Literal,
    Program,
    Then,
    Var,
)
from vsalang.guard.terms import Context, constant, fits

_ASKING: Final = frozenset({"~=", "!~="})
"""Operators that somebody must be asked about: they may hold."""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """An atom on a gesture, and the attributes that it, or the rest of its rule, asks something of."""

    constraints: tuple[Constraint, ...]
    asks: frozenset[str]


class Relevance:
    """What the rules of a program say of gestures."""

    def __init__(self, program: Program) -> None:
        self._spoken: dict[str, list[_Spoken]] = {}
        self._denies = False
        """Whether a rule asks that some gesture is not the one proposed: then each name that it may be counts."""
        gestures = {name for name, relation in program.relations.items() if relation.sort == "gesture"}
        for rule in program.rules:
            literals = (*rule.body, *rule.extra)
            if isinstance(rule.head, Expect):
                literals += tuple(rule.head.literals)
            said = repr(literals)
            for atom, negated in _atoms(literals):
                if atom.relation in gestures:
                    self._denies = self._denies or negated
                    asks = frozenset(c.attr for c in atom.constraints if _asks(c, said))
                    self._spoken.setdefault(atom.relation, []).append(_Spoken(atom.constraints, asks))

    def matters(self, name: Name, context: Context, *, closed: bool) -> bool:
        """Whether the verdict could depend on a name.

        Args:
            name: of the gesture that is proposed.
            context: the day and the clock.
            closed: whether a screen shows on which every gesture counts that no rule speaks of.
        """
        if name.role == "or" and (closed or self._denies):
            return True
        return any(
            (not name.only or name.only in spoken.asks)
            and all(_may_hold(each, name, context) for each in spoken.constraints)
            for spoken in self._spoken.get(name.gesture, ())
        )


def _may_hold(constraint: Constraint, name: Name, context: Context) -> bool:
    if not constant(constraint) or constraint.op in _ASKING:
        return True
    return fits(constraint, name.cells.get(constraint.attr), {}, context)


def _asks(constraint: Constraint, body: str) -> bool:
    """Whether a body asks something of a cell, and does not only take it over."""
    if constraint.op != "=" or not isinstance(constraint.term, Var):
        return True
    return body.count(repr(constraint.term)) > 1  # here, and somewhere else


def _atoms(literals: Iterable[Literal]) -> Iterator[tuple[Atom, bool]]:
    for literal in literals:
        if isinstance(literal, Lit):
            yield literal.atom, literal.neg and literal.past is None
            if literal.past is not None and literal.past.other is not None:
                yield literal.past.other, False
        elif isinstance(literal, Every | First):
            yield literal.atom, False
        elif isinstance(literal, Aggregate):
            yield literal.lit.atom, True
        elif isinstance(literal, Then):
            for part in literal.parts:
                yield from _atoms(part)
