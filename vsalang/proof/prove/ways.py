"""Ways from screen to screen, by the gestures that the `goto` rules of app modules name."""

from collections.abc import Iterator
from typing import TypeAlias

from vsalang.program.ir import Goto, Program, Rule
from vsalang.program.walk import present

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


def _asked_relations(program: Program, rule: Rule, sort: str) -> set[str]:
    """The relations of a sort for which a rule asks."""
    names = {literal.atom.relation for literal in present(rule.body)}
    return {name for name in names if program.relation(name).sort == sort}
