"""What a clause asks of the believed relations, opened through `define` and `then`: the expansions of a clause.

The expansions of a clause are a choice of one rule for each defined relation on which it depends. They are not written
out one by one, for there may be very many. A `Part` holds what all of them ask, and choices of which each is made for
itself: an expansion takes one alternative of each. Choices that bear on one another
(`vsalang.guard.frontier.expanding`) have been made together.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.program.ir import Atom, Every, Literal, Rule, Term, Var

Cell: TypeAlias = tuple[object, ...]
"""A cell of which there is only one: the relation, what identifies the row, the attribute."""
Stake: TypeAlias = tuple[int, int]
"""A moment, and the number of a constraint with a constant."""
Stakes: TypeAlias = Mapping[Cell, frozenset[Stake]]


class TooManyExpansions(Exception):
    """The expansions of a clause cannot be told apart with the work that is allowed."""


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """A row that a clause wants, or does not want. There is one object of each.

    Attributes:
        moment: atoms of one moment are about one state of the app; 0 is now.
        until: past conditions, by the relation that says whether one has held: no demand once one has.
        since: the past condition that must have held before it is a demand; empty: it is one from the beginning.
        stakes: the constants that it asks of cells of which there is only one.
        impossible: two of its constants contradict, so that no row fits it.
    """

    atom: Atom
    moment: int = 0
    until: tuple[str, ...] = ()
    since: str = ""
    stakes: tuple[tuple[Cell, Stake], ...] = ()
    impossible: bool = False


@dataclass(frozen=True, slots=True)
class Whole:
    """A condition on every row of a kind; `until` and `since` as of a demand."""

    every: Every
    until: tuple[str, ...] = ()
    since: str = ""


@dataclass(frozen=True, slots=True)
class Equation:
    """What a condition of its own asks of a variable: ``?v = "x"``."""

    name: str
    op: str
    term: Term | None
    hi: Term | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """What a body asks, with the choices that are left.

    Attributes:
        demands: what it wants to be so.
        against: negated atoms: rows that it wants not to be there.
        every: conditions on every row of a kind.
        after: critical actions that must have been committed before it is enabled.
        equations: what it asks of variables, of those that its caller knows too.
        choices: of each, one alternative.
        own: the constants that it asks of cells of which there is only one; stakes: with those of its choices.
        uses: the variables whose values its atoms may take, exports: those that its equations may give.
        relations: the believed relations that it mentions.
        waits: whether an action must come before it, or before one of its alternatives.
    """

    demands: tuple[Demand, ...] = ()
    against: tuple[Demand, ...] = ()
    every: tuple[Whole, ...] = ()
    after: tuple[Atom, ...] = ()
    equations: tuple[Equation, ...] = ()
    choices: tuple[tuple["Part", ...], ...] = ()
    own: Stakes = field(default_factory=dict)
    stakes: Stakes = field(default_factory=dict)
    uses: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    waits: bool = False

    @property
    def atoms(self) -> list[Atom]:
        """The atoms that it mentions itself."""
        return [
            *(demand.atom for demand in (*self.demands, *self.against)),
            *(whole.every.atom for whole in self.every),
        ]

    @property
    def own_uses(self) -> frozenset[str]:
        """The variables whose values its own atoms may take."""
        constraints = [c for atom in self.atoms for c in atom.constraints]
        constraints += [c for whole in self.every for c in whole.every.has]
        return frozenset(c.term.name for c in constraints if c.op == "=" and isinstance(c.term, Var))

    @property
    def content(self) -> tuple[object, ...]:
        """What two parts that ask the same have in common."""
        return (
            frozenset(self.demands),
            frozenset(self.against),
            frozenset(self.every),
            frozenset(self.after),
            frozenset(self.equations),
            frozenset(frozenset(map(id, choice)) for choice in self.choices),
        )


@dataclass(frozen=True)
class Clause:
    """An `allow` or `done` rule with what it asks.

    Attributes:
        alternatives: together they hold all its expansions.
        parts: all parts below them, each after those it has as alternatives.
        relations: the believed relations that one of them mentions.
        too_many: its expansions could not be told apart; then nothing else is known of it.
    """

    rule: Rule
    alternatives: tuple[Part, ...] = ()
    parts: tuple[Part, ...] = ()
    relations: frozenset[str] = frozenset()
    too_many: bool = False


@dataclass(frozen=True)
class Needs:
    """The clauses of a program, and the past conditions under which their demands are, by relation."""

    clauses: tuple[Clause, ...]
    past: Mapping[str, tuple[Literal, ...]]


def in_order(alternatives: tuple[Part, ...]) -> tuple[Part, ...]:
    """All parts below some, each once and after its alternatives."""
    done: dict[int, Part] = {}
    entered: set[int] = set()
    for root in alternatives:
        waiting: list[tuple[Part, Iterator[Part]]] = [(root, _below(root))]
        while waiting:
            part, rest = waiting[-1]
            entered.add(id(part))
            other = next((p for p in rest if id(p) not in entered), None)
            if other is not None:
                waiting.append((other, _below(other)))
            else:
                waiting.pop()
                done.setdefault(id(part), part)
    return tuple(done.values())


def _below(part: Part) -> Iterator[Part]:
    return (alternative for choice in part.choices for alternative in choice)
