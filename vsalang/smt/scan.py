"""What is read off rules before they are encoded: names, texts, how many rows matter, which fragment they are in."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from vsalang.core import ir
from vsalang.core.ir import Atom, Const, Constraint, Lit, Program, Regex, Rule, Var
from vsalang.core.ops import OPERATORS
from vsalang.core.walk import constants, needed, parts, relations

_INSIDE_TEXTS = frozenset(
    symbol for symbol, operator in OPERATORS.items() if {"text"} <= operator.types <= {"text", "set"}
) - {"~=", "!~="}
"""Operators that are not decided by which texts are equal, nor left to a judgement of meaning."""

MOST_ROWS = 5
"""More slots than this are only made on request."""


def occurrences(rule: Rule) -> Counter[str]:
    """How often each variable stands in a rule."""
    return Counter(part.name for part in parts(rule) if isinstance(part, Var))


def defining(program: Program, name: str) -> list[Rule]:
    """The rules of a derived relation."""
    return [r for r in program.rules if isinstance(r.head, ir.Derive) and r.head.atom.relation == name]


def below(program: Program, name: str) -> frozenset[str]:
    """The relations that a derived relation rests on, itself only if it is recursive."""
    found: set[str] = set()
    todo = [name]
    while todo:
        for rule in defining(program, todo.pop()):
            for other in relations(rule.body) - found:
                found.add(other)
                todo.append(other)
    return frozenset(found)


def with_definitions(program: Program, rules: Iterable[Rule]) -> list[Rule]:
    """The rules and all that define what they read (not the rules of screens: a screen is taken as it shows)."""
    found = list(rules)
    names: set[str] = set()
    for rule in found:  # grows
        for name in relations(rule) - names:
            names.add(name)
            rel = program.relations.get(name)
            if rel is not None and rel.sort == "derived" and name != "Screen":
                found += [r for r in defining(program, name) if r not in found]
    return found


def texts_of(program: Program, rules: Iterable[Rule]) -> list[str]:
    """Every text that the rules name, and the names of screens."""
    found: dict[str, None] = {}
    for rule in rules:
        for part in constants(rule):
            if part.type.kind == "Text" and isinstance(part.value, str):
                found[part.value] = None
            elif part.type.kind == "set" and isinstance(part.value, frozenset):
                found.update(dict.fromkeys(sorted(part.value)))
    for rel in program.relations.values():
        if rel.sort == "screen":
            found[screen_name(rel.name)] = None
    return list(found)


def screen_name(name: str) -> str:
    """A screen's name without its app."""
    return name.rpartition(":")[2]


def asks_inside_texts(rules: Iterable[Rule]) -> bool:
    """Whether something is asked of the inside of a text: ``contains``, ``matches``."""
    for rule in rules:
        for part in parts(rule):
            if isinstance(part, Regex):
                return True
            if isinstance(part, Constraint) and part.op in _INSIDE_TEXTS:
                return True
    return False


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows matter.

    Attributes:
        rows: slots per relation that suffice for the rules' positive and negated atoms.
        exact: whether nothing is lost with that many (`docs`: the table of fragments).
    """

    rows: int
    exact: bool


def size(program: Program, rule: Rule) -> Size:
    """How many rows per relation a rule's satisfiability may need."""
    need: Counter[str] = Counter()
    exact = True

    def walk(literals: Iterable[ir.Literal], outer: frozenset[str], path: tuple[str, ...]) -> None:
        nonlocal exact
        for literal in literals:
            match literal:
                case Lit():
                    if literal.neg and (literal.past is None) and shares(literal.atom, outer):
                        exact = False
                    if literal.past and literal.past.other:
                        count(literal.past.other, path)
                    count(literal.atom, path)
                case ir.Aggregate():
                    constant = literal.right.value if isinstance(literal.right, Const) else None
                    counted = literal.fn == "count" and isinstance(constant, int)
                    exact = exact and counted and not shares(literal.lit.atom, outer)
                    for _ in range(min(constant, 20) + 1 if counted and isinstance(constant, int) else 2):
                        count(literal.lit.atom, path)
                case ir.Every():
                    exact = exact and not shares((literal.atom, literal.has), outer)
                    count(literal.atom, path)
                case ir.First():
                    exact = False
                    count(literal.atom, path)
                case ir.Then():
                    for part in literal.parts:
                        walk(part, outer, path)
                case _:
                    pass

    def shares(item: object, outer: frozenset[str]) -> bool:
        return bool(needed(item) & outer)

    def count(atom: Atom, path: tuple[str, ...]) -> None:
        nonlocal exact
        rel = program.relations[atom.relation]
        if rel.sort != "derived" or atom.relation == "Screen":
            need[atom.relation] += 1
            return
        if atom.relation in path:
            exact = False
            return
        for rule in defining(program, atom.relation):
            walk(rule.body, needed((rule.head, rule.body)), (*path, atom.relation))

    walk((*rule.body, *rule.extra), needed(rule), ())
    return Size(max([1, *need.values()]), exact)
