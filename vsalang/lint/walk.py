"""Going through rules: every atom of a body with how it is used, every variable of a text."""

import dataclasses
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from vsalang.core import ir
from vsalang.source import Source, Span
from vsalang.syntax import tree as t


@dataclass(frozen=True, slots=True)
class Use:
    """An atom of a body.

    Attributes:
        neg: it stands under `not` or `no`.
        past: it is about the past.
        asked: attributes that the literal speaks of beside the atom's own constraints (of `has`, of `sum(a of ..)`).
        tests: those constraints of `has`.
        literal: the literal it belongs to.
    """

    atom: ir.Atom
    literal: ir.Literal
    neg: bool = False
    past: ir.Past | None = None
    asked: frozenset[str] = frozenset()
    tests: tuple[ir.Constraint, ...] = ()

    @property
    def constraints(self) -> tuple[ir.Constraint, ...]:
        """All constraints on the row, those of `has` too."""
        return self.atom.constraints + self.tests


def uses(literals: Iterable[ir.Literal]) -> Iterator[Use]:
    """Every atom of some literals, nested ones too."""
    for item in literals:
        match item:
            case ir.Lit(atom=atom, neg=neg, past=past):
                yield Use(atom, item, neg, past)
                yield from _other(item, past)
            case ir.Aggregate(lit=lit, attr=attr):
                yield Use(lit.atom, item, lit.neg, lit.past, frozenset({attr} if attr else ()))
                yield from _other(item, lit.past)
            case ir.Every(atom=atom, has=has):
                yield Use(atom, item, asked=frozenset(c.attr for c in has), tests=has)
            case ir.First(atom=atom, has=wanted):
                tests = wanted or ()
                yield Use(atom, item, asked=frozenset(c.attr for c in tests), tests=tests)
            case ir.Then(parts=parts):
                for part in parts:
                    yield from uses(part)


def _other(item: ir.Literal, past: ir.Past | None) -> Iterator[Use]:
    if past is not None and past.other is not None:
        yield Use(past.other, item, past=past)


def rule_uses(rule: ir.Rule) -> Iterator[Use]:
    """Every atom of a rule's conditions, and of what a contract expects."""
    yield from uses(rule.body)
    yield from uses(rule.extra)
    if isinstance(rule.head, ir.Expect):
        yield from uses(rule.head.literals)


def compares(literals: Iterable[ir.Literal]) -> Iterator[ir.Compare]:
    """Every comparison of some literals, nested ones too."""
    for item in literals:
        if isinstance(item, ir.Compare):
            yield item
        elif isinstance(item, ir.Then):
            for part in item.parts:
                yield from compares(part)


def head_atom(rule: ir.Rule) -> ir.Atom | None:
    """The atom of a rule's head, if it has one."""
    return getattr(rule.head, "atom", None)


def terms(term: ir.Term | None) -> Iterator[ir.Term]:
    """A term and all it is made of."""
    if term is None:
        return
    yield term
    if isinstance(term, ir.Fn):
        for arg in term.args:
            yield from terms(arg)
    elif isinstance(term, ir.Choice):
        for arg in term.items:
            yield from terms(arg)


def texts_of(constraint: ir.Constraint) -> Iterator[str]:
    """The constant texts that a constraint speaks of."""
    for term in terms(constraint.term):
        if isinstance(term, ir.Const) and isinstance(term.value, str):
            yield term.value


def nodes(node: Any) -> Iterator[Any]:
    """A node of a syntax tree and all below it, outer ones first. Positions, texts and values are no nodes."""
    if isinstance(node, tuple):
        for item in node:
            yield from nodes(item)
    elif dataclasses.is_dataclass(node) and type(node).__module__ == t.__name__:
        yield node
        for field in dataclasses.fields(node):
            yield from nodes(getattr(node, field.name))


def words(source: Source, span: Span) -> str:
    """A piece of the text with its blanks and line breaks made one blank each."""
    return " ".join(source.slice(span).split())


def conditions(source: Source, rule: t.Rule) -> frozenset[str]:
    """The conditions of a rule as they are written, whatever their order."""
    return frozenset(words(source, item.span) for item in (*rule.body, *(rule.extra or ())))


_HOLE = re.compile(r"\{\{|\}\}|\{\?([A-Za-z_][A-Za-z0-9_]*)\}")
_GROUP = re.compile(r"\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>")


def variables(node: Any) -> Iterator[tuple[str, t.Var | None]]:
    """Every mention of a variable in a piece of the tree; those in messages and patterns have no node."""
    for item in nodes(node):
        if isinstance(item, t.Var):
            yield item.name, item
        elif isinstance(item, t.JudgeHead):
            yield from ((m.group(1), None) for m in _HOLE.finditer(item.message.value) if m.group(1))
        elif isinstance(item, t.Regex):
            yield from ((m.group(1), None) for m in _GROUP.finditer(item.source))
