"""Follows a walk with a guard that holds nothing back: each action judged on its screen, and all of it journalled."""

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Final

from vsalang.agents.walks.recorded_walk import Walk, WalkStep
from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.base.records import dataclass
from vsalang.guard import Guard, ObservationResult, Settings, Verdict
from vsalang.guard import step as guarded
from vsalang.guard.courses import Courses
from vsalang.guard.journal import Recorder
from vsalang.guard.judge.evidence import Evidence
from vsalang.guard.session import MAX_INSTRUCTION
from vsalang.guard.world.clock import ScreenClock
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.program.text import canonical, line


@dataclass(frozen=True, slots=True)
class Turn:
    """One action of a walk, what the guard would have said, and why it could not be followed (else empty).

    `observed` is what the guard made of the screen that was seen next.
    """

    action: Action
    verdict: Verdict
    problem: str = ""
    observed: ObservationResult | None = None


_LOOKS: Final = dt.timedelta(seconds=2)
"""Who acts has looked at the screen first: two taps with a screen between them are not a double tap."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a walk that was followed.

    Attributes:
        index: of the step, from 0.
        taken: the step.
        seen: what the guard made of its screen.
        turns: its actions, in order; none: it was only looked at.
    """

    index: int
    taken: WalkStep
    seen: ObservationResult
    turns: tuple[Turn, ...]


def follow(
    walk: Walk,
    program: Program,
    *,
    package: str = "",
    recorder: Recorder | None = None,
    engine: EngineName = DEFAULT_ENGINE,
    lexicon: tuple[str, ...] = (),
    courses: Courses | None = None,
) -> Iterator[Turn]:
    """Judge each action of a walk on the screen it was done on, and go on with what was seen next, whatever is said.

    Args:
        walk: what was done.
        program: the spec with its apps, and the policies in force.
        package: of the app, where the walk does not say it; left out, that of the program's only app.
        recorder: writes the journal.
        engine: which evaluator decides.
        lexicon: the user's words that count as secrets.
        courses: the outcomes of the same in walks before this one.

    Raises:
        WalkError: a step is not understood.
        GuardFailed: the guard met an internal error.
        JournalError: the journal cannot be written.
    """
    package = package or only_package(program)
    settings = Settings(mode="shadow", lexicon=lexicon)
    for stage in stages(
        walk, program, settings, package=package, recorder=recorder, engine=engine, courses=courses
    ):
        yield from stage.turns


def stages(
    walk: Walk,
    program: Program,
    settings: Settings,
    *,
    package: str = "",
    recorder: Recorder | None = None,
    engine: EngineName = DEFAULT_ENGINE,
    evidence: Evidence | None = None,
    consult: Callable[[Guard], Evidence] | None = None,
    courses: Courses | None = None,
) -> Iterator[Stage]:
    """Follow a walk step by step, as `follow` does; raises the same.

    Args:
        settings: of the guard; its mode is ``shadow``, for what was done was done.
        evidence: who adds facts about each proposal.
        consult: makes one who does so, too, of the guard.
        courses: the outcomes of the same in walks before this one.
    """
    step = walk.taken(0, package)
    clock = ScreenClock(live=False)
    clock.see(step.screen)
    guard = Guard(
        program,
        today=clock().date(),
        clock=clock,
        engine=engine,
        settings=settings,
        recorder=recorder,
        instruction=asked_for(walk, program),
        courses=courses,
    )
    if evidence is not None:
        guard.consult(evidence)
    if consult is not None:
        guard.consult(consult(guard))
    seen = guard.observe(step.screen)
    for index in range(len(walk.steps)):
        last = index + 1 == len(walk.steps)
        here, following = step, (None if last else walk.taken(index + 1, package))
        if index:
            clock.wait(_LOOKS)
        turns: list[Turn] = []
        for nth, action in enumerate(here.actions, 1):
            turn = _begun(guard, action, _note(index, here.note), here.screen)
            deliver = turn.until_delivery()
            if deliver is not None:
                turn.reply(guarded.Delivery(True, recorded=False))  # the walk says nothing of it
            # the walk says nothing of what showed between several actions
            stays = guard.finished or nth < len(here.actions)
            screen = here.screen if stays else following.screen if following is not None else None
            if deliver is not None:
                turn.reply(guarded.LookResult(screen))
                acted = turn.end()
                turns.append(Turn(action, deliver.verdict, "", acted.observed))
            else:
                acted = turn.end()
                turns.append(Turn(action, acted.verdict, line(acted.problem), guard.observe(screen)))
            if guard.finished:
                break
        if turns and turns[-1].observed is not None:
            after = turns[-1].observed
        elif following is not None:
            after = guard.observe(following.screen)
        else:
            after = seen
        yield Stage(index, here, seen, tuple(turns))
        if guard.finished:
            return
        if following is not None:
            step, seen = following, after


def asked_for(walk: Walk, program: Program) -> str | None:
    """The instruction under which a walk is judged: the walk's own, unless a spec says it."""
    main = program.modules.get(program.main)
    return None if main is not None and main.kind == "spec" else walk.task[:MAX_INSTRUCTION]


def _begun(guard: Guard, action: Action, note: str, screen: Screen | None) -> guarded.Turn:
    """A step that was done on that screen."""
    kind = guarded.Kind(past=True, note=note)
    steps = guarded.guarded_step(guard, lambda: guard.propose(action, note=note), kind)
    return guarded.Turn(steps, lambda effect: guarded.LookResult(screen))


def _note(index: int, text: str) -> str:
    return f"step {index + 1}: {canonical(text)}" if text else f"step {index + 1}"


def only_package(program: Program) -> str:
    """The package of the program's only app; empty if it has none, or several."""
    packages = {package for module in program.modules.values() for package in module.packages}
    return packages.pop() if len(packages) == 1 else ""
