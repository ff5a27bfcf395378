"""Plans the literals that are asked row by row: aggregates, ``every`` and ``first``, and what else has an evaluator."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vsalang.core.ir import Aggregate, Every, First, Var
from vsalang.core.walk import bound_by_row, variables
from vsalang.engine.api import EngineError
from vsalang.engine.compile.entries import Entry
from vsalang.engine.compile.ranges import Ranges
from vsalang.engine.plan import Item, Version, item_vars
from vsalang.engine.run.goals import EveryAsk
from vsalang.engine.run.steps import Ask, Step

if TYPE_CHECKING:
    from vsalang.engine.compile.program import Compiler


class Asks:
    """The part of a planner (`vsalang.engine.compile.bodies`) that places literals with an evaluator of their own."""

    compiler: "Compiler"
    ranges: Ranges
    _keep: Callable[[str], bool]

    def _ask(
        self,
        item: Item,
        needs: set[str],
        build: Callable[[set[str]], tuple[Any, list[str]]],
        *,
        rank: int = 3,
        binds: set[str] | None = None,
        strong: set[str] | None = None,
    ) -> Entry:
        uses = item_vars(item)

        def make(layout: list[str]) -> tuple[Step, list[str]]:
            ask, names = build(set(layout))
            given = tuple((name, index) for index, name in enumerate(layout) if name in uses)
            return Ask(given, ask, len(names)), names

        return Entry(uses, binds or set(), needs, rank, make, strong=strong or set())

    def _every(self, item: Every, version: Version) -> Entry:
        source = self.ranges.rows_of(item.atom, None, version)
        matcher, has = self.ranges.matcher(item.atom), self.ranges.matcher(item.atom, item.has)
        possible = self.ranges.possible(item.atom, None, version) if version == "certain" else None
        ask = EveryAsk(source, matcher, has, possible)
        return self._ask(item, item_vars(item), lambda bound: (ask, []))

    def _aggregate(self, item: Aggregate, version: Version) -> Entry:
        lit = item.lit
        if lit.neg:
            raise EngineError("an aggregate ranges over a positive atom")
        source = self.ranges.rows_of(lit.atom, lit.past, version)
        matcher = self.ranges.matcher(lit.atom)
        exact = version == "certain" and not (item.fn == "count" and item.op in (">", ">="))
        possible = self.ranges.possible(lit.atom, lit.past, version) if exact else None
        ask = self.ranges.aggregate_ask(item, source, matcher, possible)
        right = {item.right.name} if isinstance(item.right, Var) else set()
        groups = set(item.group)
        own = bound_by_row(lit.atom.constraints) - groups
        needs = item_vars(item) - own - (right if item.op == "=" and item.hi is None else set())

        def build(bound: set[str]) -> tuple[Any, list[str]]:
            open_groups = tuple(sorted(groups - bound))
            bind = item.op == "=" and bool(right) and not right & bound and item.hi is None
            names = [*open_groups, *(sorted(right) if bind else [])]
            return replace(ask, groups=open_groups, bind=bind), names

        strong = right if item.op == "=" and item.hi is None else set()
        entry = self._ask(item, needs, build, rank=6, binds=strong | groups, strong=strong)
        # variables that are local to the aggregate must not be taken from outside
        entry.uses = groups | right | variables((item.right, item.hi))
        local = item_vars(item) - entry.uses
        if any(self._keep(name) for name in local):
            entry.uses |= {name for name in local if self._keep(name)}
        return entry

    def _first(self, item: First, version: Version) -> Entry:
        ask = self.ranges.first_ask(item, version)
        groups = set(bound_by_row(item.atom.constraints))
        relation = self.compiler.relation(item.atom.relation)
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
            return replace(ask, binds=names), list(names)

        return self._ask(item, needs, build, rank=5, binds=can, strong=can)
