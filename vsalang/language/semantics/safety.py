"""Range restriction: which literal binds which variable, and an order in which every variable is bound before use."""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program import ir
from vsalang.program.walk import bound_by_row, needed, variables

NEGATED: Final = "a negated condition binds nothing"
"""Why a variable that occurs only in a negated condition has no value."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What a literal binds, and what must be bound before it. `why` says why it cannot bind what it needs."""

    binds: frozenset[str]
    needs: frozenset[str]
    why: str = ""


def atom_flow(atom: ir.Atom) -> Flow:
    """A positive atom: ``attr = ?v`` and captures bind, other constraints need."""
    binds = bound_by_row(atom.constraints)
    return Flow(binds, variables(atom) - binds, "only `attribute = ?x` binds it")


def flow(literal: ir.Literal, outside: Set[str], head: Set[str]) -> Flow:
    """The flow of a literal; `outside` are the variables of the rest of the rule, `head` those of its head."""
    match literal:
        case ir.Lit() if literal.neg:
            return Flow(frozenset(), variables(literal), NEGATED)
        case ir.Lit():
            base = atom_flow(literal.atom)
            if literal.past and literal.past.other:
                return Flow(
                    base.binds,
                    base.needs | (variables(literal.past.other) - base.binds),
                    base.why,
                )
            return base
        case ir.Compare():
            return _compare_flow(literal)
        case ir.Aggregate():
            inner = atom_flow(literal.lit.atom)
            binds: frozenset[str] = frozenset()
            if literal.op == "=" and isinstance(literal.right, ir.Var):
                binds = frozenset({literal.right.name})
            needs = needed((literal.right, literal.hi)) - binds
            # groups are bound outside; those of the head may be enumerated
            groups = inner.binds & frozenset(head)
            needs |= inner.needs | ((inner.binds & frozenset(outside)) - groups)
            return Flow(
                binds | groups, frozenset(needs), "an aggregate binds its result and the head's groups only"
            )
        case ir.Quantified():
            if literal.picks:
                return atom_flow(literal.atom)
            # a test of all rows binds nothing; variables that others name too must be bound
            own = bound_by_row(literal.atom.constraints)
            word = "first .. has" if isinstance(literal, ir.First) else literal.words
            needs = (variables(literal) - own) | (own & frozenset(outside))
            return Flow(frozenset(), needs, f"`{word}` binds nothing")
        case ir.Then():
            binds_: set[str] = set()
            needs_: set[str] = set()
            for part in literal.parts:
                for item in part:
                    item_flow = flow(item, set(), set())
                    binds_ |= item_flow.binds
                    needs_ |= item_flow.needs
            return Flow(frozenset(binds_), frozenset(needs_ - binds_), "only `attribute = ?x` binds it")
        case ir.Spent():
            return Flow(frozenset(), frozenset())


def _compare_flow(literal: ir.Compare) -> Flow:
    right, left = needed((literal.right, literal.hi)), needed(literal.left)
    groups = set(literal.right.groups) if isinstance(literal.right, ir.Regex) else set()
    if literal.op == "=" and isinstance(literal.left, ir.Var) and literal.left.name not in right:
        return Flow(frozenset({literal.left.name}), frozenset(right))
    if literal.op == "in" and isinstance(literal.left, ir.Var) and isinstance(literal.right, ir.Choice):
        return Flow(frozenset({literal.left.name}), frozenset(right))
    if literal.op == "matches":
        return Flow(frozenset(groups), frozenset(left), "a comparison binds nothing")
    return Flow(frozenset(), frozenset(left | right), "a comparison binds nothing")


def swap(literal: ir.Literal) -> ir.Literal:
    """``term = ?x`` as ``?x = term``, so that the variable is where it is bound."""
    if (
        isinstance(literal, ir.Compare)
        and literal.op == "="
        and isinstance(literal.right, ir.Var)
        and not isinstance(literal.left, ir.Var)
    ):
        return replace(literal, left=literal.right, right=literal.left)
    return literal


def order(
    literals: Sequence[ir.Literal], bound: Set[str], head: Set[str]
) -> tuple[tuple[ir.Literal, ...], set[str], dict[str, str]]:
    """A safe order of a body.

    Args:
        literals: the body.
        bound: variables that are bound from the start.
        head: variables of the head, which group aggregates.

    Returns:
        The literals in order (positive atoms as early as they can be, negations last), the variables bound in the
        end, and for each variable that cannot be bound before it is needed the reason.
    """
    rest = [swap(item) for item in literals]
    done: list[ir.Literal] = []
    bound = set(bound)
    flows = []
    for item in rest:
        outside: set[str] = set()
        if isinstance(
            item, ir.Aggregate | ir.Quantified
        ):  # no other condition depends on the rest of the rule
            outside = set(head) | bound
            outside.update(*(variables(other) for other in rest if other is not item))
        flows.append(flow(item, outside, head))
    pending = list(range(len(rest)))
    while pending:
        for i in pending:
            turned = _turn(rest[i], bound)
            if turned is not rest[i]:
                rest[i], flows[i] = turned, flow(turned, set(), head)
        ready = [i for i in pending if _ready(rest[i], flows[i], bound)]
        if not ready:
            break
        best = min(ready, key=lambda i: (_weight(rest[i], flows[i], bound), i))
        item = rest[best]
        if isinstance(item, ir.Aggregate):
            group = variables(item.lit) & (bound | flows[best].binds - needed(item.right))
            item = replace(item, group=tuple(sorted(group)))
        done.append(item)
        bound |= flows[best].binds
        pending.remove(best)
    problems: dict[str, str] = {}
    could = set(bound)
    for i in pending:
        could |= flows[i].binds
    for i in pending:
        for name in sorted(flows[i].needs - bound):
            if name not in could or all(name not in flows[j].binds for j in pending if j != i):
                problems.setdefault(name, flows[i].why)
    if pending and not problems:
        for i in pending:
            for name in sorted(flows[i].needs - bound):
                problems.setdefault(name, "its conditions wait for each other")
    return tuple(done), bound, problems


def _turn(literal: ir.Literal, bound: set[str]) -> ir.Literal:
    """``?b = ?a`` for ``?a = ?b``, if ?a is bound and ?b is not."""
    if isinstance(literal, ir.Compare) and literal.op == "=":
        left, right = literal.left, literal.right
        if (
            isinstance(left, ir.Var)
            and isinstance(right, ir.Var)
            and left.name in bound
            and right.name not in bound
        ):
            return replace(literal, left=right, right=left)
    return literal


def _ready(literal: ir.Literal, flow_: Flow, bound: set[str]) -> bool:
    return flow_.needs <= bound


def _weight(literal: ir.Literal, flow_: Flow, bound: set[str]) -> int:
    """The rank of a literal: tests first, then atoms, then literals over many rows; negations last."""
    match literal:
        case ir.Lit() if literal.neg:
            return 6
        case ir.Compare():
            return 0 if flow_.binds <= bound else 2
        case ir.Lit():
            return 1
        case ir.First() | ir.Then():
            return 3
        case ir.Aggregate():
            return 4
        case _:
            return 5
