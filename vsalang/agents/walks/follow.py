"""Follows a walk with a guard that holds nothing back: each action judged on its screen, and all of it journalled."""

from collections.abc import Iterator

from vsalang.agents.walks.model import Walk
from vsalang.core.action import Action
from vsalang.core.ir import Program
from vsalang.core.screen import Screen
from vsalang.core.text import canonical, line
from vsalang.guard import Guard, Settings, Verdict
from vsalang.guard import step as guarded
from vsalang.guard.clock import ScreenClock
from vsalang.journal import Recorder
from vsalang.names import DEFAULT_ENGINE, EngineName
from vsalang.records import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """One action of a walk, what the guard would have said, and why it could not be followed (else empty)."""

    action: Action
    verdict: Verdict
    problem: str = ""


def follow(
    walk: Walk,
    program: Program,
    *,
    package: str = "",
    recorder: Recorder | None = None,
    engine: EngineName = DEFAULT_ENGINE,
) -> Iterator[Turn]:
    """Judge each action of a walk on the screen it was done on, and go on with what was seen next, whatever is said.

    Args:
        walk: what was done.
        program: the spec with its apps, and the policies in force.
        package: of the app, where the walk does not say it; left out, that of the program's only app.
        recorder: writes the journal.
        engine: which evaluator decides.

    Raises:
        WalkError: a step is not understood.
        GuardFailed: the guard met an internal error.
        JournalError: the journal cannot be written.
    """
    package = package or only_package(program)
    step = walk.taken(0, package)
    clock = ScreenClock(live=False)
    clock.see(step.screen)
    guard = Guard(
        program,
        today=clock().date(),
        clock=clock,
        engine=engine,
        settings=Settings(mode="shadow"),
        recorder=recorder,
    )
    guard.observe(step.screen)
    for index in range(len(walk.steps)):
        last = index + 1 == len(walk.steps)
        here, following = step, (None if last else walk.taken(index + 1, package))
        for nth, action in enumerate(here.actions, 1):
            turn = _begun(guard, action, _note(index, here.note), here.screen)
            deliver = turn.until_delivery()
            if deliver is not None:
                turn.reply(guarded.Delivery(True, recorded=False))  # the walk says nothing of it
                yield Turn(action, deliver.verdict)
            else:
                acted = turn.end()
                yield Turn(action, acted.verdict, line(acted.problem))
            # the walk says nothing of what showed between several actions
            stays = guard.finished or nth < len(here.actions)
            shown = here.screen if stays else following.screen if following is not None else None
            if deliver is not None:
                turn.reply(guarded.Looked(shown))
            else:
                guard.observe(shown)
            if guard.finished:
                return
        if following is not None:
            if not here.actions:
                guard.observe(following.screen)
            step = following


def _begun(guard: Guard, action: Action, note: str, screen: Screen | None) -> guarded.Turn:
    """A step that was done on that screen."""
    kind = guarded.Kind(past=True, note=note)
    steps = guarded.guarded_step(guard, lambda: guard.propose(action, note=note), kind)
    return guarded.Turn(steps, lambda effect: guarded.Looked(screen))


def _note(index: int, said: str) -> str:
    return f"step {index + 1}: {canonical(said)}" if said else f"step {index + 1}"


def only_package(program: Program) -> str:
    """The package of the program's only app; empty if it has none, or several."""
    packages = {package for module in program.modules.values() for package in module.packages}
    return packages.pop() if len(packages) == 1 else ""
