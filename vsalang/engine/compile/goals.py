"""Plans what is asked once for each binding: aggregates, ``every`` and ``first``, and whatever else is a goal."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from vsalang.engine.api import EngineError, Reading
from vsalang.engine.compile.entries import Entry
from vsalang.engine.compile.items import Item, item_vars
from vsalang.engine.compile.ranges import Ranges
from vsalang.engine.run.goals import EveryGoal
from vsalang.engine.steps import Ask, Step
from vsalang.program.ir import Aggregate, Every, First, Quantified, Var
from vsalang.program.walk import bound_by_row, variables


def goal_entry(
    item: Item,
    needs: set[str],
    build: Callable[[set[str]], tuple[Any, list[str]]],
    *,
    rank: int = 3,
    binds: set[str] | None = None,
    strong: set[str] | None = None,
) -> Entry:
    """The entry of a goal.

    Args:
        item: what is asked.
        needs: the variables that must be bound before.
        build: from the bound variables to the goal and the names of its new variables.
        rank: see `Entry`.
        binds: the variables that it can bind.
        strong: those of them for which others wait.
    """
    uses = item_vars(item)

    def make(layout: list[str]) -> tuple[Step, list[str]]:
        goal, names = build(set(layout))
        places = tuple((name, index) for index, name in enumerate(layout) if name in uses)
        return Ask(places, goal, len(names)), names

    return Entry(uses, binds or set(), needs, rank, make, strong=strong or set())


def quantified_entry(ranges: Ranges, item: Quantified, reading: Reading) -> Entry:
    """The entry of a condition about the rows that match one atom.

    Raises:
        EngineError: there is no such condition.
    """
    make = _QUANTIFIED.get(type(item))
    if make is None:
        raise EngineError(f"no goal is known for `{item.words}`")
    return make(ranges, item, reading)


def every_entry(ranges: Ranges, item: Every, reading: Reading) -> Entry:
    """The entry of an ``every``."""
    source = ranges.rows_of(item.atom, None, reading)
    matcher, has = ranges.matcher(item.atom), ranges.matcher(item.atom, item.has)
    possible = ranges.possible(item.atom, None, reading) if reading == "certain" else None
    goal = EveryGoal(source, matcher, has, possible)
    return goal_entry(item, item_vars(item), lambda bound: (goal, []))


def aggregate_entry(ranges: Ranges, item: Aggregate, reading: Reading, keep: Callable[[str], bool]) -> Entry:
    """The entry of an aggregate.

    Args:
        ranges: of the stratum.
        item: the aggregate.
        reading: how it is read.
        keep: whether a variable occurs elsewhere too.

    Raises:
        EngineError: it ranges over a negated atom.
    """
    lit = item.lit
    if lit.neg:
        raise EngineError("an aggregate ranges over a positive atom")
    source = ranges.rows_of(lit.atom, lit.past, reading)
    matcher = ranges.matcher(lit.atom)
    exact = reading == "certain" and not (item.fn == "count" and item.op in (">", ">="))
    possible = ranges.possible(lit.atom, lit.past, reading) if exact else None
    goal = ranges.aggregate_goal(item, source, matcher, possible)
    right = {item.right.name} if isinstance(item.right, Var) else set()
    groups = set(item.group)
    own = bound_by_row(lit.atom.constraints) - groups
    needs = item_vars(item) - own - (right if item.op == "=" and item.hi is None else set())

    def build(bound: set[str]) -> tuple[Any, list[str]]:
        open_groups = tuple(sorted(groups - bound))
        bind = item.op == "=" and bool(right) and not right & bound and item.hi is None
        names = [*open_groups, *(sorted(right) if bind else [])]
        return replace(goal, groups=open_groups, bind=bind), names

    strong = right if item.op == "=" and item.hi is None else set()
    entry = goal_entry(item, needs, build, rank=6, binds=strong | groups, strong=strong)
    # variables that are local to the aggregate must not be taken from outside
    entry.uses = groups | right | variables((item.right, item.hi))
    local = item_vars(item) - entry.uses
    if any(keep(name) for name in local):
        entry.uses |= {name for name in local if keep(name)}
    return entry


def first_entry(ranges: Ranges, item: First, reading: Reading) -> Entry:
    """The entry of a ``first``."""
    goal = ranges.first_goal(item, reading)
    groups = set(bound_by_row(item.atom.constraints))
    relation = ranges.context.relation(item.atom.relation)
    if item.has is None:
        can = groups
    else:
        can = {
            c.term.name
            for c in item.atom.constraints
            if c.op == "=" and isinstance(c.term, Var) and c.attr in relation.within
        }
    needs = item_vars(item) - can

    def build(bound: set[str]) -> tuple[Any, list[str]]:
        names = tuple(sorted(can - bound))
        return replace(goal, binds=names), list(names)

    return goal_entry(item, needs, build, rank=5, binds=can, strong=can)


_QUANTIFIED: Final[Mapping[type, Callable[[Ranges, Any, Reading], Entry]]] = MappingProxyType(
    {Every: every_entry, First: first_entry}
)
"""How the entry of each kind of condition about the rows of one atom is made."""
