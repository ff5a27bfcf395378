"""The part of a program that can bear on what one rule decides: what is asked of it is answered sooner than of all."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from vsalang.program import ir
from vsalang.program.ir import Expect, Goto, Judge, License, Lit, Program, Relation, Rule
from vsalang.program.walk import relations
from vsalang.proof.solver.scan import refining, same_act, spent_by


def around(program: Program, rule: Rule) -> Program:
    """The program with the rules, and with the relations of apps, that a proposal of the rule's action may reach.

    Of a rule that may be about any proposal it is the whole program.
    """
    names = required_actions(program, rule)
    if not names:
        return program
    part = _Part(program, {each for name in names for each in same_act(program, name)})
    rules = tuple(each for each in program.rules if each.id in part.rules)
    apps = {name for name, module in program.modules.items() if module.kind == "app"}
    kept = {n: rel for n, rel in program.relations.items() if n in part.names or rel.module not in apps}
    if len(rules) == len(program.rules):
        return program
    key = f"{program.digest} {sorted(part.rules)}"
    return replace(program, rules=rules, relations=kept, digest=hashlib.sha256(key.encode()).hexdigest())


def required_actions(program: Program, rule: Rule) -> set[str]:
    """The actions one of which must be proposed for the rule to say anything; none: it may be about any proposal."""
    if isinstance(rule.head, License):
        return {rule.head.atom.relation}
    uses = [item.atom for item in rule.body if isinstance(item, Lit) and not item.neg and item.past is None]
    return {atom.relation for atom in uses if program.relation(atom.relation).sort == "action"}


class _Part:
    """Grows until nothing in it reads or is changed by anything outside."""

    def __init__(self, program: Program, names: set[str]) -> None:
        self.program = program
        self.names = set(names)
        self.rules: set[str] = set()
        grown = True
        while grown:
            grown = False
            for rule in program.rules:
                if rule.id not in self.rules and self.belongs(rule):
                    grown = True
                    self.rules.add(rule.id)
                    self.names |= self.read(rule)

    def belongs(self, rule: Rule) -> bool:
        """Whether a rule says something of what is in the part."""
        actions = required_actions(self.program, rule)
        match rule.head:
            case Judge() | Expect():
                return not actions or bool(actions & self.names)
            case Goto(screen):
                return screen in self.names
            case ir.Write():
                written = bool(relations(rule.head) & self.names)
                return bool(actions & self.names) if actions else written
        return bool(relations(rule.head) & self.names)

    def read(self, rule: Rule) -> set[str]:
        """The relations that a rule names, the same acts by other names, and the screens of all these."""
        names = {*relations(rule), *spent_by([rule])}
        names |= {rule.head.screen} if isinstance(rule.head, Goto) else set()
        names |= {other for name in names for other in self.acts(name)}
        return names | {screen for name in names for screen in self.screens(self.program.relations.get(name))}

    def acts(self, name: str) -> Iterator[str]:
        """What refines an effect, and the effect that an action is."""
        if name in self.program.relations:
            yield from same_act(self.program, name)
            yield from refining(self.program, name)

    def screens(self, rel: Relation | None) -> Iterator[str]:
        """The screens that belong to a relation."""
        if rel is not None:
            yield from (*rel.on, *rel.over)
