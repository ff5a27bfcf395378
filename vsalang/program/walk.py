"""Going through core programs: parts of an item, atoms of a body and how they are used, variables; rewriting.

An item is a rule, a head, a condition, an atom, a constraint or a term, or a tuple of these::

    for use in uses(rule.body):
        print(use.atom.relation, use.negated)
    renamed = rewrite(rule, lambda part: Var("y") if part == Var("x") else part)

A new kind of condition needs a line in `_INSIDE`, and in `uses` if it holds an atom; a `Quantified` one needs nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_args

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.program import ir


def _only(name: str) -> Callable[[Any], tuple[object, ...]]:
    return lambda item: (getattr(item, name),)


def _none(item: object) -> tuple[object, ...]:
    return ()


_INSIDE: Final[Mapping[type, tuple[str, ...]]] = MappingProxyType(
    {
        ir.Var: (),
        ir.Const: (),
        ir.Fn: ("args",),
        ir.Choice: ("items",),
        ir.Regex: (),
        ir.Words: (),
        ir.Constraint: ("term", "hi"),
        ir.Atom: ("constraints",),
        ir.Past: ("duration", "other"),
        ir.Lit: ("atom", "past"),
        ir.Compare: ("left", "right", "hi"),
        ir.Aggregate: ("lit", "right", "hi"),
        **{kind: ("atom", "has") for kind in get_args(ir.Literal) if issubclass(kind, ir.Quantified)},
        ir.Then: ("parts",),
        ir.Spent: (),
        ir.Derive: ("atom",),
        ir.Recognize: ("atom",),
        ir.Mark: ("atom",),
        ir.Write: ("atom",),
        ir.Goto: (),
        ir.License: ("atom",),
        ir.Judge: ("message",),
        ir.Expect: ("literals",),
        ir.Rule: ("head", "body", "extra"),
    }
)
"""For each kind of item the fields that hold items."""

_GET: Final[dict[type, Callable[[Any], tuple[object, ...]]]] = {
    kind: attrgetter(*reversed(names)) if len(names) > 1 else _only(names[0]) if names else _none
    for kind, names in _INSIDE.items()
}
"""For each kind of item what is in these fields, the last one first."""

KINDS: Final = tuple(_INSIDE)
"""All kinds of items."""

Item = TypeVar("Item")


def parts(item: object) -> Iterator[object]:
    """The item and all items inside it, outer ones first, in the order in which they are written."""
    stack = [item]
    while stack:
        part = stack.pop()
        inside = _GET.get(type(part))
        if inside is not None:
            yield part
            stack.extend(inside(part))
        elif isinstance(part, tuple):
            stack.extend(part[::-1])


def terms(item: object) -> Iterator[ir.Term]:
    """Every term in an item, outer ones first."""
    return (part for part in parts(item) if isinstance(part, ir.Term))


def constants(item: object) -> Iterator[ir.Const]:
    """Every constant in an item."""
    return (part for part in parts(item) if isinstance(part, ir.Const))


def atoms(item: object) -> Iterator[ir.Atom]:
    """Every atom in an item, the head's too. `uses` says how the atoms of conditions are used."""
    return (part for part in parts(item) if isinstance(part, ir.Atom))


def mentions(item: object) -> Iterator[str]:
    """The name of each variable in an item, once for each place where it is written; captures of patterns too."""
    names: list[str] = []
    stack: list[Any] = [item]  # as in `parts`, which is too slow for what is asked of every rule many times
    while stack:
        part = stack.pop()
        kind = type(part)
        if kind is ir.Atom:  # most constraints are simple: their terms are looked at without the stack
            constraints = part.constraints
            for place, each in enumerate(constraints):
                kind = type(each.term)
                if kind is ir.Var and each.hi is None:
                    names.append(each.term.name)
                elif kind is not ir.Const or each.hi is not None:
                    stack.extend(constraints[:place:-1])
                    stack.extend((each.hi, each.term))
                    break
        elif kind is ir.Var:
            names.append(part.name)
        elif kind is ir.Regex:
            names.extend(part.groups)
        elif kind is ir.Const or part is None:
            continue
        elif kind in _GET:
            stack.extend(_GET[kind](part))
        elif isinstance(part, tuple):
            stack.extend(part[::-1])
    return iter(names)


def variables(item: object) -> frozenset[str]:
    """The variables in an item, captures of patterns and those local to an aggregate too."""
    return frozenset(mentions(item))


def needed(item: object) -> frozenset[str]:
    """The variables in an item without the captures of patterns: a term is computed from these."""
    return frozenset(part.name for part in parts(item) if isinstance(part, ir.Var))


def relations(item: object) -> frozenset[str]:
    """The relations that the atoms of an item name."""
    return frozenset(atom.relation for atom in atoms(item))


def outer_variables(literal: ir.Literal) -> frozenset[str]:
    """The variables that a condition shares with the rest of its rule: all but those local to an aggregate."""
    if isinstance(literal, ir.Aggregate):
        return frozenset(literal.group) | variables((literal.right, literal.hi))
    if isinstance(literal, ir.Then):
        return frozenset(
            chain.from_iterable(outer_variables(each) for part in literal.parts for each in part)
        )
    return variables(literal)


def bound_by_row(constraints: Iterable[ir.Constraint]) -> frozenset[str]:
    """The variables that a row gives values to: ``a = ?v`` and the groups of ``matches``."""
    names: set[str] = set()
    for each in constraints:
        if each.op == "=" and isinstance(each.term, ir.Var):
            names.add(each.term.name)
        elif each.op == "matches" and isinstance(each.term, ir.Regex):
            names.update(each.term.groups)
    return frozenset(names)


def binds(literal: ir.Literal) -> frozenset[str]:
    """The variables that a condition can give values to; those that group an aggregate too."""
    match literal:
        case ir.Lit():
            other = literal.past.other if literal.past is not None else None
            rows = (*literal.atom.constraints, *(other.constraints if other is not None else ()))
            return frozenset() if literal.neg else bound_by_row(rows)
        case ir.Compare(left, op, right):
            if op == "matches" and isinstance(right, ir.Regex):
                return frozenset(right.groups)
            sides = (
                (left, right) if op == "=" else (left,) if isinstance(right, ir.Choice) and op == "in" else ()
            )
            return frozenset(side.name for side in sides if isinstance(side, ir.Var))
        case ir.Aggregate():
            result = (
                {literal.right.name} if literal.op == "=" and isinstance(literal.right, ir.Var) else set()
            )
            return bound_by_row(literal.lit.atom.constraints) & frozenset(literal.group) | result
        case ir.Quantified():
            return bound_by_row(literal.atom.constraints) if literal.picks else frozenset()
        case ir.Then():
            return frozenset(chain.from_iterable(binds(each) for part in literal.parts for each in part))
        case ir.Spent():
            return frozenset()


# ---------------------------------------------------------------- conditions


@dataclass(frozen=True, slots=True)
class Use:
    """An atom of a body, and how it is used.

    Attributes:
        literal: the condition that it belongs to.
        negated: it is under `not` or `no`.
        monotone: more rows can only help the condition: not negated, not in an aggregate, `every` or `first`.
        past: the past operator over the atom; of the atom after `since`, that `since`.
        done: it is on the left side of `then`: it held at an earlier point.
        asked: attributes that the condition reads in addition to the constraints: of `has`, of `sum(a of ..)`.
        tests: the constraints of `has`.
    """

    atom: ir.Atom
    literal: ir.Literal
    negated: bool = False
    monotone: bool = True
    past: ir.Past | None = None
    done: bool = False
    asked: frozenset[str] = frozenset()
    tests: tuple[ir.Constraint, ...] = ()

    @property
    def constraints(self) -> tuple[ir.Constraint, ...]:
        """All constraints on the row, those of `has` too."""
        return self.atom.constraints + self.tests

    @property
    def after_since(self) -> bool:
        """Whether it is the atom after `since`."""
        return self.past is not None and self.atom is self.past.other

    @property
    def span(self) -> Span | None:
        """The place of the condition; of an aggregate, what is in its brackets."""
        inner = self.literal.lit.span if isinstance(self.literal, ir.Aggregate) else None
        return inner or self.literal.span


def literals(body: Iterable[ir.Literal]) -> Iterator[ir.Literal]:
    """The conditions of a body, those inside `then` in its place."""
    for item in body:
        if isinstance(item, ir.Then):
            for part in item.parts:
                yield from literals(part)
        else:
            yield item


def uses(body: Iterable[ir.Literal]) -> Iterator[Use]:
    """Every atom of a body, nested ones too, with how it is used."""
    for item in body:
        match item:
            case ir.Lit():
                yield from _of_lit(item, item, monotone=not item.neg)
            case ir.Aggregate(lit=lit, attr=attr):
                yield from _of_lit(lit, item, monotone=False, asked=frozenset({attr} if attr else ()))
            case ir.Quantified():
                tests = item.has or ()
                asked = frozenset(each.attr for each in tests)
                yield Use(item.atom, item, monotone=False, asked=asked, tests=tests)
            case ir.Then(parts=groups):
                for index, group in enumerate(groups):
                    left = index < len(groups) - 1
                    yield from (replace(use, done=True) if left else use for use in uses(group))
            case ir.Compare() | ir.Spent():
                pass


def _of_lit(
    lit: ir.Lit, literal: ir.Literal, monotone: bool, asked: frozenset[str] = frozenset()
) -> tuple[Use, ...]:
    own = Use(lit.atom, literal, lit.neg, monotone, lit.past, asked=asked)
    if lit.past is None or lit.past.other is None:
        return (own,)
    return (own, Use(lit.past.other, literal, lit.neg, monotone, lit.past))


def conditions(rule: ir.Rule) -> tuple[ir.Literal, ...]:
    """All conditions of a rule: its body, what follows `with`, and what a contract expects."""
    expected = rule.head.literals if isinstance(rule.head, ir.Expect) else ()
    return (*rule.body, *rule.extra, *expected)


def rule_uses(rule: ir.Rule) -> Iterator[Use]:
    """Every atom of a rule's conditions, with how it is used."""
    return uses(conditions(rule))


def head_atom(rule: ir.Rule) -> ir.Atom | None:
    """The atom of a rule's head, if it has one."""
    return getattr(rule.head, "atom", None)


def present(body: Iterable[ir.Literal]) -> Iterator[ir.Lit]:
    """The conditions of a body that ask for a row now: no negation, nothing about the past, nothing nested."""
    return (item for item in body if isinstance(item, ir.Lit) and not item.neg and item.past is None)


def compares(body: Iterable[ir.Literal]) -> Iterator[ir.Compare]:
    """Every comparison of a body, nested ones too."""
    return (item for item in literals(body) if isinstance(item, ir.Compare))


@dataclass(frozen=True, slots=True)
class Sources:
    """The conditions after ``with`` of a `recognize` rule, in the parts that are read each for itself.

    Attributes:
        of_all: conditions that give no parameter a value: where one does not hold no source says anything.
        each: sources, each a set of conditions that share variables which nothing before ``with`` binds.
    """

    of_all: tuple[ir.Literal, ...]
    each: tuple[tuple[ir.Literal, ...], ...]


def sources(rule: ir.Rule) -> Sources:
    """The sources of the parameters of a `recognize` rule."""
    head = head_atom(rule)
    wanted = variables(head) if head is not None else frozenset()
    bound = frozenset(chain.from_iterable(map(outer_variables, rule.body)))
    parts_: list[tuple[frozenset[str], list[ir.Literal]]] = []
    for literal in rule.extra:
        names, joined = outer_variables(literal) - bound, [literal]
        for other in [part for part in parts_ if part[0] & names]:
            parts_.remove(other)
            names, joined = names | other[0], [*other[1], *joined]
        parts_.append((names, joined))
    of_all = (literals for names, literals in parts_ if not names & wanted)
    each = tuple(tuple(literals) for names, literals in parts_ if names & wanted)
    return Sources(tuple(chain.from_iterable(of_all)), each)


# ---------------------------------------------------------------- rewriting


def rewrite(item: Item, change: Callable[[Any], Any]) -> Item:
    """An item with parts replaced, inner ones first.

    Args:
        change: gets each part, its own parts already replaced, and returns what takes its place (the part itself
            where nothing changes). The item is returned as it was, the same object, where no part changes.
    """
    if isinstance(item, tuple):
        changed = tuple(rewrite(part, change) for part in item)
        same = all(new is old for new, old in zip(changed, item, strict=True))
        return item if same else changed  # type: ignore[return-value]
    fields = _INSIDE.get(type(item))
    if fields is None:
        return item
    inner = {name: getattr(item, name) for name in fields}
    new = {name: rewrite(value, change) for name, value in inner.items()}
    differs = any(new[name] is not value for name, value in inner.items())
    result: Item = change(replace(item, **new) if differs else item)  # type: ignore[type-var]
    return result
