"""Explains why a screen is, or is not, recognised: its rules, what each lacks, and what was seen instead."""

from collections.abc import Iterable
from dataclasses import dataclass

from vsalang.base.source import Source, Span
from vsalang.program import ir
from vsalang.screen.tree import Tree
from vsalang.screen.tree.package import packages
from vsalang.tools.ask.answer import Clause, Condition
from vsalang.tools.ask.asking import bring_about
from vsalang.tools.ask.question import Place, Question
from vsalang.tools.ask.state import Situation

_MODULE = "recognition"


@dataclass(frozen=True)
class Recognition:
    """Why a screen shows, or does not.

    Attributes:
        screen: its name, without the module.
        shows: whether it shows.
        clauses: its rules: where it shows the one by which it does; else all of them, the nearest first.
    """

    screen: str
    shows: bool
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class UnrecognisedScreen:
    """What is known of a dump that shows none of the module's screens.

    Attributes:
        packages: those of its visible nodes; empty: the dump does not say.
        expected: the packages of the module's apps.
        ids: the ids of its visible nodes, each once, in the order of the screen.
        nearest: the screen of which least is missing, with the nearest of its rules only; None: the module names no
            screens.
        others: the module's other screens.
    """

    packages: tuple[str, ...]
    expected: tuple[str, ...]
    ids: tuple[str, ...]
    nearest: Recognition | None
    others: tuple[str, ...]

    @property
    def other_app(self) -> bool:
        """Whether the dump says of which app it is, and it is none of the module's."""
        return bool(self.packages and self.expected) and not set(self.packages) & set(self.expected)


def recognitions(
    place: Place, situation: Situation, screens: Iterable[ir.Relation]
) -> tuple[Recognition, ...]:
    """Why each of some screens shows at the end of a situation, or does not.

    Raises:
        AskError: the situation cannot be reached.
    """
    wanted = tuple(screens)
    questions = [_question(screen, number) for number, screen in enumerate(wanted)]
    moment = bring_about(place, situation, *questions)
    results = []
    for screen in wanted:
        rows = list(moment.facts.rows(screen.name))
        proof = moment.prover.why(screen.name, rows[0]) if rows else None
        clauses = (proof,) if proof is not None else moment.missing.rules(screen.name, {})
        results.append(Recognition(screen.short, bool(rows), clauses))
    return tuple(results)


def unrecognised(place: Place, situation: Situation, tree: Tree) -> UnrecognisedScreen:
    """What is known of a tree that shows no screen: the nearest one, and what was seen.

    Args:
        situation: ends with the tree.

    Raises:
        AskError: the situation cannot be reached.
    """
    own = packages(tree)
    screens = _screens(place, own)
    known = recognitions(place, situation, screens)
    rules = [Recognition(one.screen, one.shows, (clause,)) for one in known for clause in one.clauses]
    nearest = min(rules, key=lambda one: _lack(one.clauses[0]), default=None)
    ids = dict.fromkeys(node.id for node in tree.nodes if node.id is not None)
    return UnrecognisedScreen(
        own,
        tuple(sorted({name for screen in screens for name in _packages(place, screen)})),
        tuple(ids),
        nearest,
        tuple(one.screen for one in known if nearest is None or one.screen != nearest.screen),
    )


def _packages(place: Place, screen: ir.Relation) -> tuple[str, ...]:
    return place.program.modules[screen.module].packages


def _screens(place: Place, packages: tuple[str, ...]) -> list[ir.Relation]:
    """The screens of the apps of these packages; of all apps where it is none of theirs."""
    every = [relation for relation in place.program.relations.values() if relation.sort == "screen"]
    return [screen for screen in every if set(_packages(place, screen)) & set(packages)] or every


def _question(screen: ir.Relation, number: int) -> Question:
    """A question that holds while a screen shows."""
    relation = ir.Relation(f"{_MODULE}.Screen{number}", "derived", (), module=_MODULE)
    body = (ir.Lit(ir.Atom(screen.name)),)
    rule = ir.Rule(relation.name, ir.Derive(ir.Atom(relation.name)), body, module=_MODULE)
    nowhere = Span("<recognition>", 0, 0)
    return Question(screen.short, (), rule, relation, Source.from_text("", nowhere.file))


def _lack(clause: Clause) -> tuple[float, int]:
    """How much a rule lacks, of each of its conditions and in all: the smaller, the nearer."""
    lack = sum(map(_missing, clause.conditions))
    return lack / max(1, len(clause.conditions)), lack


def _missing(condition: Condition) -> int:
    """0 for what is met; 1 where a fact comes near, 2 where none does; of what rules derive 1 and what they lack."""
    if condition.state == "met":
        return 0
    if condition.parts:
        return 1 + min(sum(map(_missing, part.conditions)) for part in condition.parts)
    return 1 if condition.fact else 2
