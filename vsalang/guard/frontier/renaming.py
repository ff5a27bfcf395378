"""The literals of a rule with other names for its variables, or with more asked of the cells that bind them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from vsalang.program.ir import Aggregate, Atom, Constraint, Every, Lit, Literal, Regex, Term, Then, Var
from vsalang.program.walk import parts, rewrite

Asked: TypeAlias = tuple[str, Term | None, Term | None]
"""An operator with its right side, asked of a variable."""


def renamed(literals: Sequence[Literal], names: Mapping[str, str], number: int | str) -> tuple[Literal, ...]:
    """A body with the given names for its variables, and the number put to the others.

    What the named groups of patterns bind keeps its name, which the pattern's source says.
    """
    kept = {group for part in parts(tuple(literals)) if isinstance(part, Regex) for group in part.groups}

    def name(old: str) -> str:
        return old if old in kept else names.get(old, f"{old}#{number}")

    def change(part: Any) -> Any:
        if isinstance(part, Var):
            return Var(name(part.name))
        if isinstance(part, Aggregate):
            return replace(part, group=tuple(map(name, part.group)))
        return part

    return rewrite(tuple(literals), change)


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
    limited_literals: list[Literal] = []
    for literal in literals:
        if isinstance(literal, Lit):
            literal = replace(literal, atom=limited(literal.atom, asked))
        elif isinstance(literal, Every):
            has = limited_all(literal.has, asked)
            literal = replace(literal, atom=limited(literal.atom, asked), has=has)
        elif isinstance(literal, Then):
            literal = replace(literal, parts=tuple(limited_body(part, asked) for part in literal.parts))
        limited_literals.append(literal)
    return tuple(limited_literals)
