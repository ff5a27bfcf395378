"""What a rule wants of cells before a control can do what it is for, and which of these cells are not right yet."""

from collections.abc import Iterable, Iterator
from typing import Literal as OneOf
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.engine.explain.match import Match, match_row
from vsalang.engine.explain.terms import Context
from vsalang.guard.frontier.demands import Part
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.guard.world.session_state import Snapshot
from vsalang.program.ir import Aggregate, Atom, Constraint, Derive, Every, First, Literal, Program, Rule
from vsalang.program.show import source
from vsalang.program.walk import uses

Kind: TypeAlias = OneOf["row", "no row", "each", "done", "asked"]
"""``row``: such a row is there; ``no row``: none is; ``each``: every such row is so; ``done``: the action was done;
``asked``: a condition on several rows, of which the graph cannot tell whether it holds."""


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A cell by its relation and attribute; of a critical action, that it was done: no attribute."""

    relation: str
    attr: str = ""

    @property
    def short(self) -> str:
        """As people say it."""
        name = self.relation.rpartition(".")[2]
        return f"{name}.{self.attr}" if self.attr else name


@dataclass(frozen=True, slots=True)
class Want:
    """What a rule wants of the rows of one relation.

    Attributes:
        rule: who wants it.
        atom: the rows.
        has: of ``each``: how they have to be.
        over: past conditions: once one of them has held, nothing is wanted any more.
        asked: attributes that are read in addition to the constraints.
    """

    rule: Rule
    kind: Kind
    atom: Atom
    has: tuple[Constraint, ...] = ()
    over: tuple[str, ...] = ()
    asked: frozenset[str] = frozenset()

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What it reads."""
        if self.kind == "done":
            return (Cell(self.atom.relation),)
        constraints = (*self.atom.constraints, *self.has)
        return tuple(sorted({Cell(self.atom.relation, c.attr) for c in constraints} | self._asked))

    @property
    def text(self) -> str:
        """As a condition of a program."""
        if self.kind == "each":
            return source(Every(self.atom, self.has))
        if self.kind == "done":
            return f"{source(self.atom)} earlier"
        return f"not {source(self.atom)}" if self.kind == "no row" else source(self.atom)

    @property
    def _asked(self) -> set[Cell]:
        return {Cell(self.atom.relation, attr) for attr in self.asked}

    def wrong(self, program: Program, state: Snapshot, context: Context) -> tuple[Cell, ...]:
        """The cells that are not as it wants them; of what cannot be told, all."""
        if self.kind == "done":
            done = (g.row for g in state.grants if g.relation == self.atom.relation)
            return () if any(not m.failures for m in self._matches(program, done, context)) else self.cells
        if self.kind == "asked":
            return self.cells
        matches = list(self._matches(program, state.world.rows(self.atom.relation), context))
        whole = [match for match in matches if not match.failures]
        if self.kind == "no row":
            return self.cells if whole else ()
        if self.kind == "each":
            has = Atom(self.atom.relation, self.has)
            relation = program.relation(self.atom.relation)
            failed = [f for m in whole for f in match_row(relation, has, m.row, m.binding, context).failures]
            return self._of(f.constraint for f in failed) if whole else self.cells
        if whole:
            return ()
        nearest = min(matches, key=lambda match: match.cost, default=None)
        return self.cells if nearest is None else self._of(f.constraint for f in nearest.failures)

    def _of(self, constraints: Iterable[Constraint]) -> tuple[Cell, ...]:
        return tuple(sorted({Cell(self.atom.relation, c.attr) for c in constraints}))

    def _matches(self, program: Program, rows: Iterable[Row], context: Context) -> Iterator[Match]:
        """The rows that it may mean: where it says which row, that one alone."""
        relation = program.relation(self.atom.relation)
        for row in rows:
            match = match_row(relation, self.atom, row, {}, context)
            fixed = {f.constraint.attr for f in match.failures if f.cell is not None}
            if not (fixed & set(relation.identity)):
                yield match


@dataclass(frozen=True, slots=True)
class Wants:
    """What is wanted together, and choices of which one alternative is enough."""

    own: tuple[Want, ...] = ()
    choices: "tuple[tuple[Wants, ...], ...]" = ()

    def all(self) -> Iterator[Want]:
        """Every want, those of all alternatives too."""
        yield from self.own
        for choice in self.choices:
            for alternative in choice:
                yield from alternative.all()


def of_parts(rule: Rule, parts: tuple[Part, ...] | None, program: Program) -> Wants:
    """What the expansions of a body want; `rule` is named as the one that wants it."""
    more = tuple(_over_many(rule, program))
    if parts is None:
        return Wants(more)
    return Wants(more, (tuple(_of_part(rule, part) for part in parts),) if parts else ())


def _of_part(rule: Rule, part: Part) -> Wants:
    own = [
        *(Want(rule, "row", d.atom, over=d.until) for d in part.demands if d.atom.constraints),
        *(Want(rule, "no row", d.atom, over=d.until) for d in part.against),
        *(Want(rule, "each", w.every.atom, w.every.has, w.until) for w in part.every),
        *(Want(rule, "done", atom) for atom in part.after),
    ]
    choices = tuple(tuple(_of_part(rule, each) for each in choice) for choice in part.choices if choice)
    return Wants(tuple(dict.fromkeys(own)), choices)


def _over_many(rule: Rule, program: Program) -> Iterator[Want]:
    """The conditions on several rows that a rule reads, also through definitions."""
    opened: set[str] = set()
    todo: list[tuple[Literal, ...]] = [(*rule.body, *rule.extra)]
    while todo:
        for use in uses(todo.pop()):
            relation = program.relation(use.atom.relation)
            if isinstance(use.literal, Aggregate | First) and relation.sort in BELIEVED:
                yield Want(rule, "asked", use.atom, use.tests, asked=use.asked)
            elif relation.sort == "derived" and relation.name not in opened:
                opened.add(relation.name)
                todo += [
                    each.body
                    for each in program.rules
                    if isinstance(each.head, Derive) and each.head.atom.relation == relation.name
                ]
