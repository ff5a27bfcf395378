"""Which of a gesture's other names some rule mentions: only those need to be judged."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from vsalang.core.gestures import Name
from vsalang.core.graph import reachable
from vsalang.core.ir import Constraint, Derive, Expect, Literal, Program, Rule, Var
from vsalang.core.ops import ASKING
from vsalang.core.walk import mentions, uses
from vsalang.explain.terms import Context, constant, fits


@dataclass(frozen=True, slots=True)
class _Spoken:
    """An atom on a gesture, and the attributes that it, or the rest of its rule, asks something of.

    Attributes:
        negated: more rows of the gesture may make its rule hold less.
    """

    constraints: tuple[Constraint, ...]
    asks: frozenset[str]
    negated: bool


class Relevance:
    """What the rules of a program say of gestures."""

    def __init__(self, program: Program) -> None:
        self._spoken: dict[str, list[_Spoken]] = {}
        self._denies = False
        """Whether a rule asks that some gesture is not the one proposed: then each name that it may be counts."""
        gestures = {name for name, relation in program.relations.items() if relation.sort == "gesture"}
        denied = _denied(program)
        for rule in program.rules:
            body = _conditions(rule)
            often = Counter(mentions(body))
            below = isinstance(rule.head, Derive) and rule.head.atom.relation in denied
            for use in uses(body):
                if use.atom.relation in gestures:
                    negated = below or not use.monotone
                    self._denies = self._denies or (negated and use.past is None)
                    asks = frozenset(c.attr for c in use.constraints if not _takes_over(c, often))
                    spoken = _Spoken(use.atom.constraints, asks, negated)
                    self._spoken.setdefault(use.atom.relation, []).append(spoken)

    def matters(self, name: Name, context: Context, *, closed: bool) -> bool:
        """Whether the verdict could depend on a name.

        Args:
            name: of the gesture that is proposed.
            context: the day and the clock.
            closed: whether a screen shows on which every gesture counts that no rule mentions.
        """
        if name.role == "or" and (closed or self._denies):
            return True
        return any(
            (not name.only or name.only in spoken.asks)
            and all(_may_hold(each, name, context, negated=spoken.negated) for each in spoken.constraints)
            for spoken in self._spoken.get(name.gesture, ())
        )


def _conditions(rule: Rule) -> tuple[Literal, ...]:
    expected = rule.head.literals if isinstance(rule.head, Expect) else ()
    return (*rule.body, *rule.extra, *expected)


def _denied(program: Program) -> frozenset[str]:
    """The relations that some condition negates, or that the definition of such a relation reads."""
    reads: dict[str, set[str]] = {}
    negated: set[str] = set()
    for rule in program.rules:
        present = [use for use in uses(_conditions(rule)) if use.past is None]
        negated.update(use.atom.relation for use in present if not use.monotone)
        if isinstance(rule.head, Derive):
            reads.setdefault(rule.head.atom.relation, set()).update(use.atom.relation for use in present)
    return frozenset(reachable(negated, reads))


def _may_hold(constraint: Constraint, name: Name, context: Context, *, negated: bool) -> bool:
    cell = name.cells.get(constraint.attr)
    if not constant(constraint) or constraint.op in ASKING or (negated and cell is None):
        return True
    return fits(constraint, cell, {}, context)


def _takes_over(constraint: Constraint, often: Mapping[str, int]) -> bool:
    """Whether a body asks nothing of a cell, and only gives its value to a head."""
    return constraint.op == "=" and isinstance(constraint.term, Var) and often[constraint.term.name] == 1
