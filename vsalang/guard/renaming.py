"""The literals of a rule with other names for its variables, or with more asked of the cells that bind them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from vsalang.core.ir import (
    Aggregate,
    Atom,
    Choice,
    Compare,
    Constraint,
    Every,
    First,
    Fn,
    Lit,
    Literal,
    Past,
    Regex,
    Spent,
    Term,
    Then,
    Var,
)

Asked: TypeAlias = tuple[str, Term | None, Term | None]
"""An operator with its right side, asked of a variable."""


class Names:
    """New names of a rule's variables, the same one each time; those that are not given get a number."""

    def __init__(self, given: Mapping[str, str], number: int) -> None:
        self._names = dict(given)
        self._number = number

    def of(self, name: str) -> str:
        """The new name of a variable."""
        return self._names.setdefault(name, f"{name}#{self._number}")

    def term(self, term: Term | None) -> Term | None:
        """A term with the new names. The named groups of a pattern bind under the names that they have."""
        if isinstance(term, Var):
            return Var(self.of(term.name))
        if isinstance(term, Fn):
            return replace(term, args=tuple(self._known(arg) for arg in term.args))
        if isinstance(term, Choice):
            return Choice(tuple(self._known(item) for item in term.items))
        return term

    def _known(self, term: Term) -> Term:
        found = self.term(term)
        assert found is not None
        return found

    def constraints(self, constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
        """Constraints with the new names."""
        return tuple(replace(c, term=self.term(c.term), hi=self.term(c.hi)) for c in constraints)

    def atom(self, atom: Atom) -> Atom:
        """An atom with the new names."""
        return replace(atom, constraints=self.constraints(atom.constraints))

    def lit(self, literal: Lit) -> Lit:
        """A literal with the new names."""
        past = literal.past
        if past is not None:
            other = self.atom(past.other) if past.other is not None else None
            past = Past(past.op, self.term(past.duration), other)
        return replace(literal, atom=self.atom(literal.atom), past=past)

    def literal(self, literal: Literal) -> Literal:
        """Any literal with the new names."""
        if isinstance(literal, Lit):
            return self.lit(literal)
        if isinstance(literal, Compare):
            return replace(
                literal,
                left=self._known(literal.left),
                right=self.term(literal.right),
                hi=self.term(literal.hi),
            )
        if isinstance(literal, Aggregate):
            return replace(
                literal,
                lit=self.lit(literal.lit),
                right=self._known(literal.right),
                hi=self.term(literal.hi),
                group=tuple(self.of(name) for name in literal.group),
            )
        if isinstance(literal, Every):
            return replace(literal, atom=self.atom(literal.atom), has=self.constraints(literal.has))
        if isinstance(literal, First):
            has = self.constraints(literal.has) if literal.has is not None else None
            return replace(literal, atom=self.atom(literal.atom), has=has)
        if isinstance(literal, Then):
            return replace(literal, parts=tuple(self.body(part) for part in literal.parts))
        assert isinstance(literal, Spent)
        return literal

    def body(self, literals: Sequence[Literal]) -> tuple[Literal, ...]:
        """A body with the new names."""
        return tuple(self.literal(literal) for literal in literals)


def captured(literals: Sequence[Literal]) -> set[str]:
    """The variables that patterns bind: a pattern's source says their names, so they keep them."""
    found: set[str] = set()
    for literal in literals:
        if isinstance(literal, Then):
            found |= {name for part in literal.parts for name in captured(part)}
        elif isinstance(literal, Lit | Aggregate):
            atom = literal.atom if isinstance(literal, Lit) else literal.lit.atom
            found |= {name for c in atom.constraints if isinstance(c.term, Regex) for name in c.term.groups}
    return found


def limited(atom: Atom, asked: Mapping[str, Sequence[Asked]]) -> Atom:
    """The atom with what is asked of variables asked of the cells that bind them."""
    constraints = limited_all(atom.constraints, asked)
    return atom if constraints is atom.constraints else replace(atom, constraints=constraints)


def limited_all(
    constraints: tuple[Constraint, ...], asked: Mapping[str, Sequence[Asked]]
) -> tuple[Constraint, ...]:
    """Constraints, and of each cell that binds a variable what is asked of the variable."""
    known = {(c.attr, c.op, c.term, c.hi) for c in constraints}
    added = [
        Constraint(c.attr, op, term, hi, c.span)
        for c in constraints
        if c.op == "=" and isinstance(c.term, Var)
        for op, term, hi in asked.get(c.term.name, ())
        if (c.attr, op, term, hi) not in known
    ]
    return (*constraints, *added) if added else constraints


def limited_body(literals: Sequence[Literal], asked: Mapping[str, Sequence[Asked]]) -> tuple[Literal, ...]:
    """A body with what is asked of variables asked of the cells that bind them, below `then` too."""
    found: list[Literal] = []
    for literal in literals:
        if isinstance(literal, Lit):
            literal = replace(literal, atom=limited(literal.atom, asked))
        elif isinstance(literal, Every):
            has = limited_all(literal.has, asked)
            literal = replace(literal, atom=limited(literal.atom, asked), has=has)
        elif isinstance(literal, Then):
            literal = replace(literal, parts=tuple(limited_body(part, asked) for part in literal.parts))
        found.append(literal)
    return tuple(found)
