"""What a task permits of effects, and with which bounds, as policies read it (the relation ``Charter``)."""

from collections.abc import Collection
from decimal import Decimal
from typing import Final

from vsalang.guard.judge.program_analysis import Analysis
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.program.ir import Choice, Const, License, Names, Term
from vsalang.program.screen import Cells

_OPERATORS: Final = frozenset({"=", "<=", "in", "contains", "names", "~="})
_ANY: Final[Cells] = {"action": "", "parameter": "", "operator": "", "value": ""}
"""The row that every task with effects has, also one that permits none."""


def charter_bounds(read: Analysis) -> Collection[Cells]:
    """The bounds of the task's clauses about effects, and how often each permits its own; empty: it imports no effects.

    What a policy permits is left out: the user did not ask for it.
    """
    program = read.program
    if EFFECTS not in read.imported:
        return ()
    bounds: list[Cells] = [_ANY]
    for rule in program.rules:
        if not isinstance(rule.head, License) or program.modules[rule.module].kind == "policy":
            continue
        action = program.relations[rule.head.atom.relation]
        if action.module != EFFECTS:
            continue
        quota = rule.head.quota
        times = (action.short, "", "times", "each" if quota.kind == "each" else str(quota.n))
        bounds.append(dict(zip(_ANY, times, strict=True)))
        for bound in rule.head.atom.constraints:
            terms = bound.term.items if isinstance(bound.term, Choice) else (bound.term,)
            for value in filter(None, map(_text_of, terms)) if bound.op in _OPERATORS else ():
                cells = (action.short, bound.attr, bound.op, value)
                bounds.append(dict(zip(_ANY, cells, strict=True)))
    return bounds


def _text_of(term: Term | None) -> str:
    """The text or number that a clause compares with; empty: it is something else."""
    if isinstance(term, Names):
        return term.name
    value = term.value if isinstance(term, Const) else None
    return str(value) if isinstance(value, str | int | Decimal) and not isinstance(value, bool) else ""
