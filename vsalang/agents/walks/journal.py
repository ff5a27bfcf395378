"""Journals of sessions as walks: the screens that were recorded, and what was carried out on them."""

from collections.abc import Callable
from pathlib import Path

from vsalang.agents.walks.recorded_walk import Step, StepSource, Walk, WalkError, WalkStep
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.recorded_session import Session, read_session
from vsalang.guard.journal.recorded_session import Step as Judged
from vsalang.screen.screen import TreeScreen


def recognises(path: Path, head: str) -> bool:
    """Whether a file is a journal."""
    first = head.split("\n", 1)[0]
    return path.is_file() and '"kind": "session"' in first and '"prev": "' + "0" * 64 in head


def read(path: Path) -> tuple[Walk, ...]:
    """The session of a journal as one walk, without what was blocked.

    Raises:
        WalkError: it cannot be read, or was changed.
    """
    try:
        session = read_session(path)
    except JournalError as error:
        raise WalkError(str(error)) from error
    committed = {step.commit: step for step in session.steps if step.commit}
    steps: list[Step] = []
    seen = None
    acted = True
    for record in session.records:
        if record.kind == "observe":
            if not acted:
                steps.append(StepSource(_reader(session, seen, None)))
            seen, acted = record.data["screen"], False
        elif record.number in committed:
            steps.append(StepSource(_reader(session, seen, committed[record.number])))
            acted = True
    if not acted:
        steps.append(StepSource(_reader(session, seen, None)))
    if not steps:
        raise WalkError(f"{path} holds no screens")
    device, task = str(session.header.get("device", "")), str(session.header.get("spec", ""))
    return (Walk(device, task, tuple(steps), str(path), path.stem),)


def _reader(session: Session, look: object, step: Judged | None) -> Callable[[str], WalkStep]:
    def read_step(_: str) -> WalkStep:
        try:
            screen = session.screen(look) if isinstance(look, dict) else None
            if screen is not None and not isinstance(screen, TreeScreen):
                raise WalkError("the screen is not one of a device: it has no tree")
            if step is None:
                return WalkStep(screen)
            proposed = step.proposed
        except JournalError as error:
            raise WalkError(str(error)) from error
        gesture = (proposed.gesture,) if proposed.gesture is not None else ()
        return WalkStep(screen, (*gesture, *proposed.attempts), step.note)

    return read_step
