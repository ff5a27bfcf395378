"""Which screens a task is about: exactly by a spec, else ranked by an instruction's words; none where it is unsure."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from vsalang.agents.maps.implied import screens
from vsalang.agents.maps.ranking import Ranker, WordRanker
from vsalang.agents.maps.screen_graph import Graph
from vsalang.base.records import dataclass
from vsalang.program.ir import Derive, License, Program, Recognize, Rule, Write
from vsalang.program.transitions import starts
from vsalang.program.walk import rule_uses

SURE: Final = 0.3
"""By how much the first score must exceed the second; chosen on half of the apps, see `docs/commands/map.md`."""
_FAMILIAR: Final = 0.6
"""What a screen gains that was seen in all looks: tasks end where an app is used most. From the same half."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A screen that a task may be about.

    Attributes:
        screen: its name on the map.
        score: 1 where a spec says so; else how well it fits, up to 1 for words and 0.6 for how often it was seen.
        why: the reasons, for people.
    """

    screen: str
    score: float
    why: tuple[str, ...]


def select(
    instruction: str,
    utg: Graph,
    spec: Program | None = None,
    k: int = 5,
    rankers: Sequence[Ranker] = (WordRanker(),),
) -> tuple[Candidate, ...]:
    """The screens that a task is about, the best first; none: nobody can tell.

    A spec that permits actions says it exactly (see `exact`). Without one the first of `ranked` must lead clearly.

    Args:
        instruction: the user's words. Untrusted.
        utg: the map. Its texts are untrusted: they can mislead the choice, never a guard.
        spec: the program of a spec; of an app module: its descriptions are read, too.
        k: how many at most.
        rankers: who ranks; their scores are added.
    """
    if spec is not None and (candidates := exact(spec)):
        return candidates[:k]
    order = ranked(instruction, utg, spec, rankers)
    if not order or (len(order) > 1 and order[0].score - order[1].score < SURE):
        return ()
    return order[:k]


def ranked(
    instruction: str, utg: Graph, program: Program | None = None, rankers: Sequence[Ranker] = (WordRanker(),)
) -> tuple[Candidate, ...]:
    """The screens that fit an instruction, the best first; of equal ones by name."""
    fits = [ranker.rank(instruction, utg, program) for ranker in rankers]
    seen = sum(screen.seen for screen in utg.screens.values())
    candidates = []
    for name in dict.fromkeys(name for each in fits for name in each):
        screen = utg.screens[name]
        familiar = _FAMILIAR * math.log1p(screen.seen) / math.log1p(seen) if seen else 0.0
        why = [reason for each in fits if name in each for reason in each[name].why]
        if familiar:
            why.append(f"seen {screen.seen} of {seen} times")
        score = math.fsum(each[name].score for each in fits if name in each) / len(rankers) + familiar
        candidates.append(Candidate(name, round(score, 6), tuple(why)))
    return tuple(sorted(candidates, key=lambda each: (-each.score, each.screen)))


def exact(spec: Program) -> tuple[Candidate, ...]:
    """The screens on which the actions that a spec permits are recognised, then those that its `done` reads.

    No guess is made: where no rule names a screen there is none.
    """
    reasons: dict[str, list[str]] = {}
    licences = [rule for rule in spec.rules if isinstance(rule.head, License) and rule.module == spec.main]
    for rule in sorted(licences, key=_is_done):
        assert isinstance(rule.head, License)
        atom = rule.head.atom
        if _is_done(rule):
            for screen, what in _read(rule, spec):
                reasons.setdefault(screen, []).append(f"{rule.id}: `done` reads {what}")
        elif spec.relation(atom.relation).sort == "action":
            short = spec.relation(atom.relation).short
            for recognised in _recognised(atom.relation, spec):
                named = [screen for screen, _ in _where(recognised, spec)]
                for screen in named or screens(recognised, atom, spec):
                    reasons.setdefault(screen, []).append(f"{rule.id}: {short} is done there")
        else:
            for screen in starts(rule, spec):
                reasons.setdefault(screen, []).append(f"{rule.id}: {atom.relation} is permitted there")
    return tuple(Candidate(screen, 1.0, tuple(dict.fromkeys(why))) for screen, why in reasons.items())


def _is_done(rule: Rule) -> bool:
    return isinstance(rule.head, License) and rule.head.atom.relation == "finish"


def _recognised(action: str, program: Program) -> Iterator[Rule]:
    for rule in program.rules:
        if isinstance(rule.head, Recognize) and rule.head.atom.relation == action:
            yield rule


def _where(rule: Rule, program: Program) -> list[tuple[str, str]]:
    """The screens on which a rule can hold: those that it names, else those of the views that it reads."""
    named = [(screen, program.relation(screen).short) for screen in starts(rule, program)]
    return named or list(_read(rule, program))


def _read(rule: Rule, program: Program) -> Iterator[tuple[str, str]]:
    """The screens on which what a rule reads is shown: of its views, and of lists by the rules that fill them."""
    known: set[str] = set()
    begun = [use.atom.relation for use in rule_uses(rule)]
    while begun:
        name = begun.pop(0)
        if name in known:
            continue
        known.add(name)
        relation = program.relation(name)
        if relation.sort == "screen":
            yield name, relation.short
        elif relation.on:
            for screen in relation.on:
                yield screen, relation.short
        else:
            for filling in program.rules:
                if _fills(filling, name):
                    for screen in starts(filling, program):
                        yield screen, relation.short
                    begun += [use.atom.relation for use in rule_uses(filling)]


def _fills(rule: Rule, name: str) -> bool:
    """Whether a rule derives rows of a relation, or reads them off a screen."""
    if isinstance(rule.head, Derive):
        return rule.head.atom.relation == name
    return isinstance(rule.head, Write) and rule.trigger == "observation" and rule.head.atom.relation == name
