"""Bodies as quantifier-free formulas: every way in which literals can hold on the slots of a symbolic state.

The counterpart of the reference evaluator: a variable is the cell that binds it, so what comes out is a disjunction
over choices of slots, and a negation is the negation of such a disjunction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vsalang.program import ir
from vsalang.program.ir import Constraint, Lit, Regex, Term, Var
from vsalang.program.walk import binds, variables
from vsalang.proof.solver import past, ranges
from vsalang.proof.solver.atoms import AtomReader, merged
from vsalang.proof.solver.results import UnsupportedConstruct
from vsalang.proof.solver.sorts import TRUE, conj, disj, neg
from vsalang.proof.solver.ways import MOST_BRANCHES, Branch


@dataclass(eq=False)
class Reader(AtomReader):
    """Reads bodies in one state: see `AtomReader` for what it is given."""

    def body(
        self, literals: Iterable[ir.Literal], start: Branch, kept: frozenset[str] | None = None
    ) -> list[Branch]:
        """Every way in which all literals hold together.

        Args:
            kept: the variables that matter afterwards: ways in which they are the same are one; None: all of them.
        """
        branches, literals = [start], list(literals)
        if self.mode == "supposed":  # what is compared before another condition gives it a value
            literals += [literal for literal in literals if isinstance(literal, ir.Compare)]
        live = _live(literals, kept) if kept is not None else ()
        for number, literal in enumerate(literals):
            branches = [
                more for branch in branches for more in self.literal(literal, branch) if more.possible
            ]
            if live:
                branches = merged(branches, live[number])
            if len(branches) > MOST_BRANCHES:
                raise UnsupportedConstruct("a body with too many ways to hold")
        return branches

    def literal(self, literal: ir.Literal, branch: Branch) -> Iterator[Branch]:
        """Every way in which one literal holds; one that only tests and has no exact form may hold or not."""
        if binds(literal) - branch.env.keys() or isinstance(literal, ir.Compare):
            yield from self._literal(literal, branch)
            return
        try:
            if isinstance(literal, Lit) and not literal.neg and self._derived(literal):
                branches = [branch.when(self._has_row(literal, branch))]
            else:
                branches = list(self._literal(literal, branch))
        except UnsupportedConstruct as error:
            self.state.terms.approximated[str(error)] = None
            held = self.state.sorts.flag("what has no exact form")
            branches = [branch.when(self.mark(held, literal.span, "", literal))]
        yield from branches

    def _literal(self, literal: ir.Literal, branch: Branch) -> Iterator[Branch]:
        match literal:
            case Lit():
                if not literal.neg:
                    yield from self.positive(literal, branch)
                    return
                formula = self._has_row(literal, branch)
                yield branch.when(self.mark(neg(formula), literal.span, "not", literal))
            case ir.Compare():
                yield from self.compare(literal, branch)
            case ir.Aggregate():
                yield from ranges.aggregate(self, literal, branch)
            case ir.Quantified():
                yield from ranges.QUANTIFIED[type(literal)](self, literal, branch)
            case ir.Then():
                yield from self.then(literal, branch)
            case ir.Spent():
                yield branch.when(self.mark(self.state.spent(literal.relation), literal.span, "all", literal))

    def _derived(self, literal: Lit) -> bool:
        """Whether an atom that binds nothing is derived by rules, whose ways to hold are one condition here."""
        return (
            literal.past is None
            and not self.favourable
            and self.relation(literal.atom.relation).sort == "derived"
        )

    def _has_row(self, literal: Lit, branch: Branch) -> Any:
        """The condition that some row matches an atom that binds nothing, in whatever way; under `not` it is denied.

        It depends on the branch only by what the atom's variables are, so that branches share it.
        """
        reader = self.dual() if literal.neg else self
        inner = replace(branch, guard=TRUE, used=None)
        if literal.past is not None:  # what is left free differs from place to place
            return disj([one.guard for one in reader.positive(literal, inner)])
        return reader.shared(
            "row",
            literal,
            branch,
            lambda mine, start: disj([one.guard for one in mine.positive(literal, start)]),
        )

    def anything(self, lit: Lit, rel: ir.Relation, branch: Branch) -> Branch:
        """The branch with a condition about the past that is left free."""
        return past.anything(self, lit, rel, branch)

    # ------------------------------------------------------------ comparisons

    def compare(self, literal: ir.Compare, branch: Branch) -> Iterator[Branch]:
        """A comparison of terms; ``?x = term`` and ``?x in {..}`` bind."""
        left, right = literal.left, literal.right
        terms = self.state.terms
        if isinstance(left, Var) and not self.bound(left.name, branch):
            items: tuple[Term, ...] = ()
            if literal.op == "in" and isinstance(right, ir.Choice):
                items = right.items
            elif literal.op == "=" and right is not None:
                items = (right,)
            elif left.name in branch.env:  # open: whatever is asked of it may be so
                yield branch
                return
            for item in items:
                cell = terms.value(item, branch.env)
                defined = self.mark(disj([cell.known, cell.open]), literal.span, "", literal)
                yield branch.when(defined).bind(left.name, replace(cell, known=TRUE))
            return
        value = terms.value(left, branch.env)
        if literal.op == "matches" and isinstance(right, Regex) and right.groups:
            branch = self.captures(right, branch)
        sides = [value, *self.values((right, literal.hi), branch.env)]
        defined = conj([disj([side.known, side.open]) for side in sides])
        reading = Constraint("", literal.op, right, literal.hi)
        held = conj([defined, self.constraint(value, reading, branch.env)])
        if self.mode == "supposed" and literal.op == "=":
            for side, other in ((left, sides[-1]), (right, value)):
                if isinstance(side, Var):
                    branch = self.refined(side.name, other, branch)
        yield branch.when(self.mark(held, literal.span, "", literal))

    def then(self, literal: ir.Then, branch: Branch) -> Iterator[Branch]:
        """The last part holds now; that the others held before, and in this order, is left free.

        As the agent would like it, they did: what they say of states must still hold, and what was done was done.
        """
        if self.favourable:
            if not self.negative:
                kept: list[ir.Literal] = []
                for item in (each for part in literal.parts[:-1] for each in part):
                    wanted = self.wanted_now(item)
                    if wanted is not None:
                        kept.append(wanted)
                    else:
                        branch = self.remembered(item, branch)
                yield from self.body((*kept, *literal.parts[-1]), branch)
            return
        self.state.terms.free["the order that `then` asks for"] = None
        for part in literal.parts[:-1]:
            for item in part:
                branch = self.once(literal, item, branch)
        for way in self.body(literal.parts[-1], branch):
            yield past.order(self, literal, way)

    def wanted_now(self, item: ir.Literal) -> ir.Literal | None:
        """What the left side of `then` still asks for; None of what is only remembered."""
        if isinstance(item, ir.Compare | ir.Spent) or (isinstance(item, Lit) and item.past is not None):
            return item
        if isinstance(item, Lit) and not item.neg:
            sort = self.relation(item.atom.relation).sort
            if sort == "action":
                return replace(item, past=ir.Past("earlier"))
            if sort == "state":
                return item
        return None

    def remembered(self, item: ir.Literal, branch: Branch) -> Branch:
        """The branch with any values for the variables that a condition bound at some time."""
        if isinstance(item, ir.First) or (isinstance(item, Lit) and not item.neg):
            rel = self.relation(item.atom.relation)
            for c in item.atom.constraints:
                if c.op == "=" and isinstance(c.term, Var) and c.term.name not in branch.env:
                    cell = self.state.cell(f"once {c.attr}", rel.attr(c.attr).type, known=True)
                    branch = branch.bind(c.term.name, replace(cell, open=TRUE))
        return branch

    def once(self, literal: ir.Then, item: ir.Literal, branch: Branch) -> Branch:
        """The branch with any values for what a condition bound when it held; that it did is left free."""
        if isinstance(item, Lit):
            return branch if item.neg else past.once(self, literal, item, branch)
        if isinstance(item, ir.Compare) and (not isinstance(item.left, Var) or item.left.name in branch.env):
            return branch
        raise UnsupportedConstruct(f"`{type(item).__name__.lower()}` before `then`")


def _live(literals: Sequence[ir.Literal], kept: frozenset[str]) -> list[frozenset[str]]:
    """After each literal the variables that the next ones and what comes afterwards ask for."""
    live = [kept]
    for literal in reversed(literals[1:]):
        live.append(live[-1] | variables(literal))
    return live[::-1]
