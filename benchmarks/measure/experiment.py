"""How contracts come out on recorded steps: with the screen that came next, with none of it changed, with another one.

A contract that says something is met by the screen that was recorded next, and not by a screen of the same app that was
drawn at random; and if nothing changed, it is violated or inconclusive, or what it expects was there before.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.guard import Contract, Guard, Settings
from vsalang.guard import step as guarded
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Screen

After: TypeAlias = Literal["recorded", "unchanged", "random"]
"""With which screen a contract is compared: the one that came next, the one before again, another one of the app."""

AFTERS: Final[tuple[After, ...]] = get_args(After)

Outcome: TypeAlias = Literal["met", "violated", "inconclusive"]


class StepProtocol(Protocol):
    """A recorded step; `vsalang.agents.walks.WalkStep` is one."""

    @property
    def screen(self) -> Screen | None:
        """What showed; None: that was not recorded."""
        ...

    @property
    def actions(self) -> Sequence[Action]:
        """What was done on it."""
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one contract of one step.

    Attributes:
        walk, step: the step: of which walk, and which one of it, from 0.
        action: what was done.
        contract: the id of the rule.
        after: the screen that it was compared with.
        outcome: its outcome: met, violated or inconclusive.
        why: the same in words, with the evidence.
    """

    walk: int
    step: int
    action: Action
    contract: str
    after: After
    outcome: Outcome
    why: str


@dataclass(frozen=True, slots=True)
class Count:
    """How often a contract came out how."""

    met: int = 0
    violated: int = 0
    inconclusive: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.met + self.violated + self.inconclusive


@dataclass(frozen=True)
class Experiment:
    """All results.

    Attributes:
        steps: how many steps there were with one gesture, and a screen before and after it.
        results: one for each contract, step, and kind of screen.
    """

    steps: int
    results: tuple[Result, ...]

    @cached_property
    def contracts(self) -> tuple[str, ...]:
        """The ids of the contracts that some step had."""
        return tuple(sorted({result.contract for result in self.results}))

    def count(self, contract: str, after: After) -> Count:
        """How often a contract came out how on one kind of screen."""
        found = self._counts
        return Count(*(found[contract, after, outcome] for outcome in get_args(Outcome)))

    def __add__(self, other: "Experiment") -> "Experiment":
        """Both; their walks are numbered on."""
        last = max((result.walk for result in self.results), default=-1) + 1
        moved = (
            Result(r.walk + last, r.step, r.action, r.contract, r.after, r.outcome, r.why)
            for r in other.results
        )
        return Experiment(self.steps + other.steps, (*self.results, *moved))

    @cached_property
    def _counts(self) -> Counter[tuple[str, After, Outcome]]:
        return Counter((result.contract, result.after, result.outcome) for result in self.results)


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step of which it is known what one gesture did: of which walk, and which one of it, from 0."""

    walk: int
    step: int
    action: Action
    before: Screen
    after: Screen


def standard() -> Program:
    """`std.contracts` alone."""
    return load_text('policy standard "What gestures are expected to do"\nimport std.contracts\n').checked()


def experiment(
    walks: Iterable[Sequence[StepProtocol]], *, program: Program | None = None, seed: int = 0
) -> Experiment:
    """Hold the contracts of a program against the steps of recorded walks.

    Args:
        walks: of one app: a screen drawn at random is one of theirs.
        program: whose contracts; None: `std.contracts`.
        seed: for the screens that are drawn.

    Raises:
        GuardFailed: the guard met an internal error.
    """
    program = program or standard()
    taken = [list(walk) for walk in walks]
    screens = {shown.screen.fingerprint: shown.screen for walk in taken for shown in walk if shown.screen}
    steps = list(steps_of(taken))
    draw = random.Random(seed)
    results: list[Result] = []
    for step in steps:
        found = list(_results(program, step, "recorded", step.after))
        own = {step.before.fingerprint, step.after.fingerprint}
        others = [screen for fingerprint, screen in screens.items() if fingerprint not in own]
        another = (
            draw.choice(others) if others else None
        )  # also where it is not needed: steps do not shift it
        if not found:
            continue
        results += found
        results += _results(program, step, "unchanged", step.before)
        if another is not None:
            results += _results(program, step, "random", another)
    return Experiment(len(steps), tuple(results))


def steps_of(walks: Sequence[Sequence[StepProtocol]]) -> Iterator[RecordedStep]:
    """The steps of which it is known what one gesture did."""
    for number, walk in enumerate(walks):
        for index, (here, there) in enumerate(pairwise(walk)):
            if here.screen is not None and there.screen is not None and len(here.actions) == 1:
                yield RecordedStep(number, index, here.actions[0], here.screen, there.screen)


def contracts_of(program: Program, step: RecordedStep, screen: Screen) -> tuple[Contract, ...]:
    """The outcomes of the contracts of a recorded step if that screen comes next; none if nothing takes the gesture.

    Raises:
        GuardFailed: the guard met an internal error.
    """
    # a session of its own, that holds nothing back: what was seen in other steps is not evidence here
    guard = Guard(program, settings=Settings(mode="shadow", unknown_screen="allow"))
    guard.observe(step.before)
    turn = guarded.Turn(
        guarded.guarded_step(guard, lambda: guard.propose(step.action), guarded.Kind(past=True)),
        lambda effect: guarded.LookResult(step.before),
    )
    if turn.until_delivery() is None:
        return ()
    turn.reply(guarded.Delivery(True))
    turn.reply(guarded.LookResult(screen))
    acted = turn.end()
    return acted.observed.contracts if acted.observed is not None else ()


def _results(program: Program, step: RecordedStep, after: After, screen: Screen) -> Iterator[Result]:
    for contract in contracts_of(program, step, screen):
        yield Result(
            step.walk,
            step.step,
            step.action,
            contract.rule,
            after,
            contract.outcome,
            contract.reason.message,
        )
