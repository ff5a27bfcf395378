"""Ways from screen to screen, by the gestures that the `goto` rules of app modules name; and those that are missing."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from vsalang.program.ir import Expect, Goto, Program, Rule
from vsalang.program.show import short_name
from vsalang.program.walk import present, relations
from vsalang.proof.solver.scan import with_definitions

Way: TypeAlias = tuple[tuple[Rule, str], ...]
"""Rules, each with the screen to which it leads."""

_MOST = 4
"""How many gestures a way may have."""


def ways(program: Program, start: str, end: str) -> Iterator[Way]:
    """The ways from one screen to another, those with fewest gestures first."""
    edges = [
        (rule, rule.head.screen)
        for rule in program.rules
        if isinstance(rule.head, Goto) and _asked_relations(program, rule, "gesture")
    ]
    begun: list[tuple[str, Way]] = [(start, ())]
    for _ in range(_MOST):
        further: list[tuple[str, Way]] = []
        for place, way in begun:
            for rule, to in edges:
                elsewhere = _asked_relations(program, rule, "screen") - {place}
                if not elsewhere and to != place and all(to != passed for _, passed in way):
                    further.append((to, (*way, (rule, to))))
        yield from (way for place, way in further if place == end)
        begun = [(place, way) for place, way in further if place != end]


def missing_ways(program: Program, rule: str) -> list[str]:
    """What a rule, and the contracts of the actions that it asks for, wait for on screens to which no `goto` leads."""
    (asked,) = [each for each in program.rules if each.id == rule]
    actions = {n for n in relations(asked.body) if program.relation(n).sort == "action"}
    waiting = {"it": _homes_read(program, with_definitions(program, [asked]))}
    for contract in program.rules:
        if isinstance(contract.head, Expect) and relations(contract.body) & actions:
            named = ", ".join(sorted(short_name(n) for n in relations(contract.body) & actions))
            read = [replace(contract, body=contract.head.literals)]
            waiting[f"the contract {contract.id} of {named}"] = _homes_read(program, read)
    led = {each.head.screen for each in program.rules if isinstance(each.head, Goto)}
    return [
        f"{who} waits for {short_name(name)}, and no `goto` leads to {' or '.join(map(short_name, homes))}"
        for who, read in waiting.items()
        for name, homes in read.items()
        if homes and not led & set(homes)
    ]


def _homes_read(program: Program, rules: Iterable[Rule]) -> dict[str, tuple[str, ...]]:
    """What rules read that is only seen on some screens, with these."""
    homes = {}
    for name in sorted({name for rule in rules for name in relations(rule.body)}):
        rel = program.relation(name)
        homes[name] = (name,) if rel.sort == "screen" else tuple(rel.on)
    return homes


def _asked_relations(program: Program, rule: Rule, sort: str) -> set[str]:
    """The relations of a sort for which a rule asks."""
    names = {literal.atom.relation for literal in present(rule.body)}
    return {name for name in names if program.relation(name).sort == sort}
