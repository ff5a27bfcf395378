"""Which of a gesture's other names some rule speaks of: only those need to be judged."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from vsalang.core.gestures import Name
from vsalang.core.ir import Constraint, Expect, Program, Var
from vsalang.core.ops import ASKING
from vsalang.core.walk import mentions, uses
from vsalang.explain.terms import Context, constant, fits


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
            body = (*rule.body, *rule.extra)
            if isinstance(rule.head, Expect):
                body += tuple(rule.head.literals)
            often = Counter(mentions(body))
            for use in uses(body):
                if use.atom.relation in gestures:
                    self._denies = self._denies or (not use.monotone and use.past is None)
                    asks = frozenset(c.attr for c in use.constraints if not _takes_over(c, often))
                    self._spoken.setdefault(use.atom.relation, []).append(_Spoken(use.atom.constraints, asks))

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
    if not constant(constraint) or constraint.op in ASKING:  # it may hold
        return True
    return fits(constraint, name.cells.get(constraint.attr), {}, context)


def _takes_over(constraint: Constraint, often: Mapping[str, int]) -> bool:
    """Whether a body asks nothing of a cell, and only gives its value to a head."""
    return constraint.op == "=" and isinstance(constraint.term, Var) and often[constraint.term.name] == 1
