"""The choices that the expansions of a clause consist of: which depend on one another, and those made together.

Two depend on one another if one may give a variable a value that the other uses, or if they may ask different constants
of one cell. All others are left apart, so that nine alternatives here and nine there are eighteen, not eighty-one. An
expansion in which two constants contradict is left out. The work is bounded (`FUEL`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from vsalang.engine.explain.terms import constant
from vsalang.guard.frontier.contradiction import contradict
from vsalang.guard.frontier.demands import (
    Cell,
    Demand,
    Equation,
    Part,
    Stake,
    Stakes,
    TooManyExpansions,
)
from vsalang.guard.frontier.renaming import Asked, limited, limited_all
from vsalang.program.ir import Atom, Const, Constraint, Program, Relation
from vsalang.program.values import tag

FUEL: Final = 200_000
"""The work that one clause may cost: alternatives looked at, and pairs of constants compared."""


@dataclass
class Choices:
    """Makes the parts of one program's clauses. `fuel` is what is left of the work that the clause may cost."""

    program: Program
    fuel: int = FUEL
    _demands: dict[tuple[object, ...], Demand] = field(default_factory=dict)
    _numbers: dict[Constraint, int] = field(default_factory=dict)
    _numbered: list[Constraint] = field(default_factory=list)
    _contradicting: dict[tuple[int, int], bool] = field(default_factory=dict)

    def spend(self, work: int = 1) -> None:
        """Count what was done."""
        self.fuel -= work
        if self.fuel < 0:
            raise TooManyExpansions

    def one(self, atom: Atom, moment: int, until: tuple[str, ...], since: str = "") -> Demand:
        """The demand of these; there is one object of each."""
        key = (atom, moment, until, since)
        demand = self._demands.get(key)
        if demand is None:
            constants = [(c.attr, _bare(c)) for c in atom.constraints if constant(c)]
            row = _row_of(self.program.relation(atom.relation), atom)
            stakes: tuple[tuple[Cell, Stake], ...] = ()
            if row is not None:
                stakes = tuple(((*row, attr), (moment, self.number(c))) for attr, c in constants)
            impossible = any(
                one[0] == other[0] and contradict(one[1], other[1])
                for one, other in combinations(constants, 2)
            )
            demand = self._demands[key] = Demand(atom, moment, until, since, stakes, impossible)
        return demand

    def number(self, constraint: Constraint) -> int:
        """The number by which a constraint is known in a stake."""
        number = self._numbers.setdefault(constraint, len(self._numbered))
        if number == len(self._numbered):
            self._numbered.append(constraint)
        return number

    def made(self, part: Part) -> Part:
        """A part with what is to be known of it."""
        below = [alternative for choice in part.choices for alternative in choice]
        self.spend(1 + len(part.demands) + len(below))
        own: dict[Cell, frozenset[Stake]] = {}
        for demand in part.demands:
            for cell, stake in demand.stakes:
                own[cell] = own.get(cell, frozenset()) | {stake}
        return replace(
            part,
            own=own,
            stakes=_together([own, *(p.stakes for p in below)]),
            uses=part.own_uses.union(*(alternative.uses for alternative in below)),
            exports=frozenset(e.name for e in part.equations).union(*(p.exports for p in below)),
            relations=frozenset(atom.relation for atom in part.atoms).union(*(p.relations for p in below)),
            waits=bool(part.after) or any(p.waits for p in below),
        )

    def decided(self, part: Part) -> tuple[Part, ...]:
        """The same expansions with the choices made that depend on one another, without those that contradict."""
        parts: dict[object, Part] = {}
        waiting = [part]
        while waiting:
            settled = self.settled(waiting.pop())
            if settled is None:
                continue
            index = self.bearing(settled)
            if index is None:
                parts.setdefault(settled.content, settled)
                continue
            choices = settled.choices
            rest = replace(settled, choices=choices[:index] + choices[index + 1 :])
            waiting += [_joined(rest, alternative) for alternative in reversed(choices[index])]
        return tuple(parts.values())

    def settled(self, part: Part) -> Part | None:
        """The part with its equations put in and what is not a choice any longer; None if it contradicts."""
        while True:
            asked = by_name(part.equations)
            if _contradicting(asked):
                return None
            part = self.made(self.asking(part, asked))
            if self.excluded(part, part.own):
                return None
            choices = [
                tuple(alternative for alternative in choice if not self.excluded(alternative, part.own))
                for choice in part.choices
            ]
            if not all(choices):
                return None
            single = [choice[0] for choice in choices if len(choice) == 1]
            several = tuple(choice for choice in choices if len(choice) > 1)
            if not single:
                return part if several == part.choices else self.made(replace(part, choices=several))
            part = replace(part, choices=several)
            for alternative in single:
                part = _joined(part, alternative)

    def asking(self, part: Part, asked: Mapping[str, Sequence[Asked]]) -> Part:
        """The part with what is asked of variables asked of the cells that bind them."""
        if not asked:
            return part

        def asking(demand: Demand) -> Demand:
            atom = limited(demand.atom, asked)
            if atom is demand.atom:
                return demand
            return self.one(atom, demand.moment, demand.until, demand.since)

        names = asked.keys()
        return replace(
            part,
            demands=tuple(map(asking, part.demands)),
            against=tuple(map(asking, part.against)),
            every=tuple(
                replace(
                    whole,
                    every=replace(
                        whole.every,
                        atom=limited(whole.every.atom, asked),
                        has=limited_all(whole.every.has, asked),
                    ),
                )
                for whole in part.every
            ),
            choices=tuple(
                choice
                if all(names.isdisjoint(alternative.uses) for alternative in choice)
                else tuple(self.asking_below(alternative, asked) for alternative in choice)
                for choice in part.choices
            ),
        )

    def asking_below(self, part: Part, asked: Mapping[str, Sequence[Asked]]) -> Part:
        """`asking`, of an alternative."""
        return part if asked.keys().isdisjoint(part.uses) else self.made(self.asking(part, asked))

    def excluded(self, part: Part, others: Stakes) -> bool:
        """Whether what a part asks can never be, or not together with something else."""
        return any(demand.impossible for demand in part.demands) or any(
            cell in others and self.clash(others[cell], stakes) for cell, stakes in part.own.items()
        )

    def clash(self, some: Iterable[Stake], others: Iterable[Stake], *, anywhen: bool = False) -> bool:
        """Whether a constraint of one side contradicts one of the other, at one moment."""
        for moment, one in some:
            for other_moment, other in others:
                self.spend()
                if (anywhen or moment == other_moment) and self.contradict(one, other):
                    return True
        return False

    def contradict(self, one: int, other: int) -> bool:
        """Whether two constraints contradict."""
        if one == other:
            return False
        pair = (one, other) if one < other else (other, one)
        contrary = self._contradicting.get(pair)
        if contrary is None:
            contrary = self._contradicting[pair] = contradict(self._numbered[one], self._numbered[other])
        return contrary

    def bearing(self, part: Part) -> int | None:
        """A choice that others depend on, so that it must be made first."""
        if not part.choices:
            return None
        stakes = [_together(p.stakes for p in choice) for choice in part.choices]
        exports = [frozenset[str]().union(*(p.exports for p in choice)) for choice in part.choices]
        uses = [exports[i].union(*(p.uses for p in choice)) for i, choice in enumerate(part.choices)]
        own = part.own_uses.union(e.name for e in part.equations)
        self.spend(sum(map(len, part.choices)))
        for index, inside in enumerate(stakes):
            others = [other for i, other in enumerate(uses) if i != index]
            if exports[index] and exports[index] & own.union(*others):
                return index
            for cell, mine in inside.items():
                other_stakes = [part.own, *(other for i, other in enumerate(stakes) if i != index)]
                if any(
                    cell in other and self.clash(mine, other[cell], anywhen=True) for other in other_stakes
                ):
                    return index
        return None


def by_name(equations: Iterable[Equation]) -> dict[str, list[Asked]]:
    """What equations ask, by variable."""
    uses: dict[str, list[Asked]] = {}
    for equation in equations:
        uses.setdefault(equation.name, []).append((equation.op, equation.term, equation.hi))
    return uses


def _together(several: Iterable[Stakes]) -> dict[Cell, frozenset[Stake]]:
    stakes_by_cell: dict[Cell, frozenset[Stake]] = {}
    for stakes in several:
        for cell, more in stakes.items():
            stakes_by_cell[cell] = stakes_by_cell[cell] | more if cell in stakes_by_cell else more
    return stakes_by_cell


def _bare(constraint: Constraint) -> Constraint:
    return replace(constraint, attr="", span=None)


def _row_of(relation: Relation, atom: Atom) -> tuple[object, ...] | None:
    """Which row an atom means, if there can be only one."""
    if relation.sort != "list" and not relation.key:
        return (relation.name,)
    cells = {c.attr: c.term.value for c in atom.constraints if c.op == "=" and isinstance(c.term, Const)}
    if not all(name in cells for name in relation.identity):
        return None
    return (relation.name, *((tag(cells[name]), cells[name]) for name in relation.identity))


def _contradicting(asked: Mapping[str, Sequence[Asked]]) -> bool:
    return any(
        contradict(Constraint("", *one), Constraint("", *other))
        for limits in asked.values()
        for one, other in combinations(limits, 2)
    )


def _joined(part: Part, other: Part) -> Part:
    return Part(
        tuple(dict.fromkeys(part.demands + other.demands)),
        tuple(dict.fromkeys(part.against + other.against)),
        tuple(dict.fromkeys(part.every + other.every)),
        tuple(dict.fromkeys(part.after + other.after)),
        tuple(dict.fromkeys(part.equations + other.equations)),
        part.choices + other.choices,
    )
