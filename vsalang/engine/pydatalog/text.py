"""The words of a pyDatalog script: what every script begins with, conditions as people would write them, and their
variables."""

from dataclasses import replace
from typing import Any, Final

from vsalang.program.ir import Lit, Literal, Rule, Var
from vsalang.program.show import Notation
from vsalang.program.walk import binds, bound_by_row, head_atom, uses

RUNTIME: Final = '''#!/usr/bin/env python3
"""The rules of a program as pyDatalog clauses. It needs only pyDatalog: pip install pyDatalog

    python SCRIPT              prints the answers of every rule and the rows of every derived relation
    python SCRIPT --json       prints them as JSON
    python SCRIPT FACTS.json   takes the facts from a file instead of those below
"""

import json
import sys
from decimal import Decimal

from pyDatalog import pyDatalog, pyEngine

PREDICATES, QUESTIONS, NEGATIONS = {}, [], []


def declare(name, width):
    """A predicate; pyDatalog refuses to deny or to ask one that it was never told of."""
    if (name, width) not in PREDICATES:
        made = pyEngine.Pred(name, width)
        made.prearity = width
        PREDICATES[name, width] = pyEngine.insert(made)
    return PREDICATES[name, width]


def literal(name, terms, variables):
    return pyEngine.Literal(declare(name, len(terms)), [term(item, variables) for item in terms])


def term(item, variables):
    if isinstance(item, str):
        return variables.setdefault(item, pyEngine.Var("V%d" % len(variables)))
    return pyEngine.Const(item)


def rule(head, *body):
    """A clause. Negations stand last: written before what binds their variables, they would silently find nothing."""
    variables = {}
    literals = []
    for item in body:
        if item[0] == "compare":
            literals.append(comparison(item[2], term(item[1], variables), term(item[3], variables)))
        elif item[0] == "not":
            literals.append(negation(item[1], item[2:], variables))
        else:
            literals.append(literal(item[0], item[1:], variables))
    pyEngine.assert_(pyEngine.Clause(literal(head[0], head[1:], variables), literals))


def negation(name, terms, variables):
    """No fact of the predicate has these terms (None: any)."""
    wanted = [item for item in terms if item is not None]
    all_of_it = [pyEngine.Var("N%d" % number) for number in range(len(terms))]
    some = pyEngine.Pred("not %d" % len(NEGATIONS), len(wanted))
    some.prearity = len(wanted)
    some = pyEngine.insert(some)
    picked = [variable for variable, item in zip(all_of_it, terms) if item is not None]
    source = pyEngine.Literal(declare(name, len(terms)), all_of_it)
    pyEngine.assert_(pyEngine.Clause(pyEngine.Literal(some, picked), [source]))
    denied = pyEngine.Pred("~" + some.name, len(wanted))
    denied.prearity, denied.base_pred = len(wanted), some
    NEGATIONS.append(denied)
    return pyEngine.Literal(denied, [term(item, variables) for item in wanted])


def comparison(op, left, right):
    """Compares values of one type exactly; pyDatalog would compare eight digits, and raise on two types."""
    predicate = declare("compare " + op, 2)

    def decide(asked, subgoal):
        one, other = (side.id for side in asked.terms)
        if holds(one, op, other):
            subgoal.fact(pyEngine.Literal(predicate, list(asked.terms)))

    predicate.prim = decide
    return pyEngine.Literal(predicate, [left, right])


def holds(one, op, other):
    if op in ("=", "!="):
        if one[0] != other[0] and "none" not in (one[0], other[0]):
            return False
        return (one == other) == (op == "=")
    if one[0] != other[0] or one[0] not in ("number", "duration", "date", "time"):
        return False
    if one[0] in ("number", "duration"):
        one, other = Decimal(one[1]), Decimal(other[1])
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[op]


def question(label, name, columns, width):
    declare(name, width)
    QUESTIONS.append((label, name, columns, width))


def as_tuples(item):
    return tuple(as_tuples(part) for part in item) if isinstance(item, list) else item


def main():
    files = [argument for argument in sys.argv[1:] if argument != "--json"]
    facts = FACTS
    if files:
        with open(files[0], encoding="utf-8") as file:
            facts = {name: as_tuples(rows) for name, rows in json.load(file).items()}
    if facts is None:
        sys.exit("which facts? give a JSON file, as vsalang.engine.pydatalog.script.facts makes it")
    for name, rows in facts.items():
        for row in rows:
            pyEngine.assert_(pyEngine.Clause(literal(name, row, {}), []))
    found = {label: answers(name, width) for label, name, _, width in QUESTIONS}
    if "--json" in sys.argv:
        print(json.dumps(found))
        return
    for label, _, columns, _ in QUESTIONS:
        rows = found[label]
        print("%s: %s" % (label, "no" if not rows else "yes" if rows == [()] else len(rows)))
        for row in rows:
            named = ["%s = %s" % (name, shown(item)) for name, item in zip(columns, row)]
            named += ["proposal (%s)" % ", ".join(map(shown, item[1])) for item in row[len(columns):]]
            if named:
                print("    " + ", ".join(named))


def answers(name, width):
    terms = [pyEngine.Var("Q%d" % number) for number in range(width)]
    found = pyEngine.Literal(declare(name, width), terms).ask()
    return [()] if found is True else sorted(set(found or ()))


def shown(item):
    kind, text = item
    if kind == "text":
        return json.dumps(text, ensure_ascii=False)
    if kind == "set":
        return "{%s}" % ", ".join(json.dumps(part, ensure_ascii=False) for part in text)
    if kind == "duration":
        return "%s s" % (Decimal(text) / 1000000)
    return kind if kind in ("none", "unknown") else text
'''


def comment(text: str) -> str:
    """A text that stays in a comment: on one line, and nothing in it that is not printed."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


_WORDS: Final = Notation(name=str)
"""Conditions stand in comments as in a file, relations with their modules."""

say = _WORDS.condition


def say_rule(rule: Rule) -> str:
    """A rule's id and body; the head if it is an atom."""
    head = head_atom(rule)
    words = f"{rule.id}: " + (type(rule.head).__name__.lower() if head is None else _WORDS.atom(head))
    return f"{words} when {_WORDS.conditions(rule.body)}" if rule.body else words


# ---- what the script asks of conditions


def named_by_attributes(literal: Lit) -> tuple[dict[str, str], Lit]:
    """The literal with each variable named as the first attribute that it is equal to, with what these were called.

    So two atoms that ask the same share their facts. Groups of regular expressions keep their names.
    """
    constraints = literal.atom.constraints
    groups = bound_by_row([c for c in constraints if c.op == "matches"])
    named: dict[str, str] = {}
    for c in constraints:
        if c.op == "=" and isinstance(c.term, Var) and c.term.name not in groups:
            named.setdefault(c.term.name, c.attr)
    if groups & set(named.values()):
        named = {name: name for name in named}
    made = tuple(
        replace(c, term=Var(named[c.term.name])) if isinstance(c.term, Var) and c.term.name in named else c
        for c in constraints
    )
    columns = {new: old for old, new in named.items()} | {name: name for name in sorted(groups)}
    return columns, replace(literal, atom=replace(literal.atom, constraints=made))


def bare(literal: Lit) -> Any:
    """What tells two atoms apart, but for where they stand."""
    constraints = tuple((c.attr, c.op, c.term, c.hi) for c in literal.atom.constraints)
    return (literal.atom.relation, literal.atom.before, constraints)


def tests(literal: Literal) -> bool:
    """Whether a literal only tests: it says of no row that it exists, and binds nothing for others."""
    return not binds(literal) and not any(use.monotone for use in uses((literal,)))
