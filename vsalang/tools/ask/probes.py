"""Adds the question's rule to the program, and probes: rules that show under which bindings other rules hold.

For every rule on which the question depends, a *probe* derives all variables of its body, so that the engine itself
gives the bindings under which the rule holds. For every condition on the past, a probe derives its variables.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from vsalang.engine.explain.proof import Probes
from vsalang.language.semantics.safety import flow
from vsalang.program.graph import components
from vsalang.program.ir import (
    TEXT,
    Atom,
    Attr,
    Constraint,
    Derive,
    Lit,
    Literal,
    Program,
    Relation,
    Rule,
    Then,
    Var,
)
from vsalang.program.walk import uses, variables
from vsalang.tools.ask.fragment import NAME
from vsalang.tools.ask.question import Question


def probed(program: Program, questions: Iterable[Question], *, explain: bool = True) -> Probes:
    """The program with the questions' rules, and with probes if their answers are to be explained."""
    rules: dict[str, list[Rule]] = {}
    for rule in program.rules:
        if isinstance(rule.head, Derive):
            rules.setdefault(rule.head.atom.relation, []).append(rule)
    relations = dict(program.relations)
    added: list[Rule] = []
    for question in questions:
        relations[question.relation.name] = question.relation
        added.append(question.rule)
    needed = _needed(rules, added) if explain else {}
    instances: dict[str, tuple[str, tuple[str, ...]]] = {}
    past: dict[Literal, tuple[str, tuple[str, ...]]] = {}

    def probe(body: tuple[Literal, ...], names: tuple[str, ...]) -> str:
        name = f"{NAME}.{len(instances) + len(past) + 1}"
        relations[name] = Relation(name, "derived", tuple(Attr(n, TEXT) for n in names), module=NAME)
        head = Atom(name, tuple(Constraint(n, "=", Var(n)) for n in names))
        added.append(Rule(name, Derive(head), body, module=NAME))
        return name

    if explain:
        opened = [*added, *(rule for own in needed.values() for rule in own)]
        for rule in opened:
            assert isinstance(rule.head, Derive)
            names = _bound(rule)
            instances[rule.id] = (probe(rule.body, names), names)
            for literal in rule.body:
                positive = _past(literal)
                if literal in past or positive is None:
                    continue
                flows = flow(positive, set(), set())
                # a commit that is compared with another part of the rule cannot be asked about alone
                if not flows.needs:
                    bound = tuple(sorted(flows.binds))
                    past[literal] = (probe((positive,), bound), bound)
    graph = {name: [use.atom.relation for r in own for use in uses(r.body)] for name, own in needed.items()}
    group = {name: n for n, members in enumerate(components(sorted(graph), graph)) for name in members}
    digest = hashlib.sha256(
        f"{program.digest}\0{[(r.id, r.head, r.body) for r in added]}".encode()
    ).hexdigest()
    extended = replace(program, relations=relations, rules=(*program.rules, *added), digest=digest)
    return Probes(extended, {name: tuple(own) for name, own in needed.items()}, instances, past, group)


def _needed(rules: Mapping[str, list[Rule]], start: Iterable[Rule]) -> dict[str, list[Rule]]:
    """The rules of all derived relations on which rules depend."""
    wanted_rules: dict[str, list[Rule]] = {}
    waiting = list(start)
    while waiting:
        for use in uses(waiting.pop().body):
            name = use.atom.relation
            if name in rules and name not in wanted_rules:
                wanted_rules[name] = rules[name]
                waiting += rules[name]
    return wanted_rules


def _bound(rule: Rule) -> tuple[str, ...]:
    """The variables of a rule's body to which a binding gives values."""
    assert isinstance(rule.head, Derive)
    names = set(variables(rule.head.atom))
    for literal in rule.body:
        names |= flow(literal, set(), names).binds
    return tuple(sorted(names))


def _past(literal: Literal) -> Literal | None:
    """The condition whose bindings are derived, if it is about the past (without its negation)."""
    if isinstance(literal, Then):
        return literal
    if isinstance(literal, Lit) and literal.past is not None:
        return replace(literal, neg=False, reading="plain")
    return None
