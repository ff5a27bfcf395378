"""What a planner puts in order: entries with the variables that they need and bind."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from vsalang.engine.compile.atoms import AlphaPlan
from vsalang.engine.compile.items import WindowTest
from vsalang.engine.plan import AlphaShape
from vsalang.engine.run.certain import TimeWindow
from vsalang.engine.steps import Bind, Captures, Enumerate, Filter, Step
from vsalang.engine.terms import compile_term, compile_test, in_layout, no_variables
from vsalang.program.ir import Choice, Compare, Regex, Var
from vsalang.program.walk import variables


@dataclass(slots=True, eq=False)
class Entry:
    """One thing to place: what it uses, what it can bind, and how its step is made once its place is known.

    Attributes:
        needs: variables that must be bound before, as far as another entry can bind them.
        rank: of how soon it should be placed among what is ready; lower is sooner.
        make: from the layout to the step and the names it appends.
        key: of a join: the variables of its columns.
        size: of a join: a guess at its tuples before anything is bound, from 0 (at most one) to 3.
        unique: of a join: variables that, once bound, leave at most one row; None: not known.
    """

    uses: set[str]
    binds: set[str]
    needs: set[str]
    rank: int
    make: Callable[[list[str]], tuple[Step, list[str]]]
    key: tuple[str, ...] | None = None
    late: bool = False
    strong: set[str] = field(default_factory=set)
    size: int = 2
    unique: frozenset[str] | None = None

    def join_score(self, bound: set[str]) -> tuple[int, ...]:
        """How soon a join should be placed; lower is sooner.

        First lookups that bind nothing new, then joins on bound variables (those that find at most one row first), then
        those on nothing, small ones first. What is equal in all this is placed as the author wrote it.
        """
        assert self.key is not None
        shared = len([name for name in self.key if name in bound])
        if shared == len(self.key):
            return (1, 0, 0, 0)
        if self.unique is not None and self.unique <= bound:
            return (2, 0, -shared, self.size)
        if shared:
            return (2, 1, -shared, self.size)
        return (4, self.size, 0, 0)


class CompareEntry(Entry):
    """A comparison: a test once its variables are bound, or what binds one of them.

    Attributes:
        numbers: variables that it does not bind: they hold how many rows there are.
    """

    __slots__ = ("item", "numbers")

    def __init__(self, item: Compare, uses: set[str], binds: set[str], numbers: set[str]) -> None:
        own = binds - numbers
        super().__init__(uses, own, set(), 0, partial(_compared, item, uses), strong=own)
        self.item = item
        self.numbers = numbers & uses

    def missing(self, bound: set[str]) -> set[str]:
        """What is not bound and cannot be bound here."""
        item = self.item
        if self.uses <= bound:
            return set()
        if not self.numbers <= bound:
            return self.numbers - bound
        if item.op == "=":
            for side, other in ((item.left, item.right), (item.right, item.left)):
                if isinstance(side, Var) and side.name not in bound and variables(other) <= bound:
                    return set()
        if item.op == "in" and isinstance(item.right, Choice) and isinstance(item.left, Var):
            return set(variables(item.right)) - bound
        if item.op == "matches" and isinstance(item.right, Regex):
            return set(variables(item.left)) - bound
        return self.uses - bound


def _compared(item: Compare, uses: set[str], layout: list[str]) -> tuple[Step, list[str]]:
    """The step of a comparison, and the names that it appends."""
    where = {name: index for index, name in enumerate(layout)}
    lookup = in_layout(where)
    if item.op == "matches" and isinstance(item.right, Regex) and item.right.groups:
        left, regex = compile_term(item.left, lookup), item.right
        new = [name for name in regex.groups if name not in where]
        old = [(name, where[name]) for name in regex.groups if name in where]

        def groups(env: Any, ctx: Any) -> dict[str, Any] | None:
            cell = left(env, ctx)
            groups = None if cell is None else ctx.groups(regex, cell)
            if groups is None or any(groups[name] != env[index] for name, index in old):
                return None
            return dict(groups)

        return Captures(groups, tuple(new)), new
    if uses <= set(layout):
        left = compile_term(item.left, lookup)
        return Filter(compile_test(left, item.op, item.right, item.hi, lookup), item), []
    if item.op == "=":
        for side, other in ((item.left, item.right), (item.right, item.left)):
            if isinstance(side, Var) and side.name not in where and other is not None:
                return Bind(compile_term(other, lookup), (side.name, other)), [side.name]
    assert isinstance(item.left, Var) and item.right is not None
    source = (item.left.name, item.right)
    return Enumerate(compile_term(item.right, lookup), source), [item.left.name]


def window_test(where: dict[str, int], item: WindowTest) -> Any:
    """Whether the point or time in a variable lies in the window."""
    index = where[item.time]
    window = TimeWindow(compile_term(item.duration, no_variables), lasting=item.op == "for")
    return lambda env, ctx: window.covers(ctx, env[index])


def pick(columns: tuple[int, ...]) -> AlphaPlan:
    """The alpha memory of some columns of a history relation, whose cells are all known."""
    shape = AlphaShape((), tuple((c,) for c in columns), (), ())

    def fn(row: Any, ctx: Any) -> Any:
        return tuple([row[c] for c in columns])

    return AlphaPlan(tuple(str(c) for c in columns), (), ("pick", columns), lambda: (fn, shape))
