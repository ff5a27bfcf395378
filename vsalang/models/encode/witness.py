"""Whether a journal shows that a task was completed under exactly this spec and these apps."""

import os

from vsalang.guard.journal import Session, read_session, recorded_program, replay
from vsalang.language.semantics import Loaded
from vsalang.models.encode.experience import NotRemembered, digest_of
from vsalang.models.encode.prompting import apps_of


def witnessed(loaded: Loaded, journal: str | os.PathLike[str]) -> str:
    """The hash of the last line of a journal whose session completed the task of a spec.

    The session ended with a `finish` that the guard allowed, while verdicts decided. The recorded spec is the same text
    as now, the recorded apps too, and no verdict flips when the session is judged again: by the usual engine if this
    version has the recorded one no more. Nobody needs to be told, as it is this version that uses what is remembered.

    Args:
        loaded: the spec, without errors.
        journal: the file.

    Raises:
        NotRemembered: it does not show that.
        JournalError: it cannot be read, or was changed.
    """
    session = read_session(journal)
    _ended_well(session)
    recorded = recorded_program(session)
    _is_the_same(loaded, recorded, session.path)
    flipped = replay(session, recorded.checked()).flipped
    if flipped:
        raise NotRemembered(
            f"{session.path}: judged again, proposal {flipped[0].step.number} gets another verdict",
            "`vsac journal replay` says more",
        )
    return session.head


def _ended_well(session: Session) -> None:
    """Make sure that the session ended with an allowed `finish`, and that the guard held back what it blocked.

    Raises:
        NotRemembered: it did not.
    """
    if session.mode == "shadow":
        raise NotRemembered(
            f"{session.path}: the guard only watched (mode shadow), which shows nothing about the spec",
            "run the task with --mode enforce or ask",
        )
    done = [step for step in session.steps if step.commit]
    last = done[-1] if done else None
    finished = last is not None and [action.name for action in last.proposed.attempts[:1]] == ["finish"]
    if not finished or last is None or not session.completed:
        raise NotRemembered(
            f"{session.path}: the task was not completed", "`vsac journal show` says what happened"
        )
    if last.level != "allow" and not (last.level == "confirm" and last.answer):
        raise NotRemembered(f"{session.path}: the guard did not allow the end of the task")


def _is_the_same(loaded: Loaded, recorded: Loaded, journal: str) -> None:
    """Make sure that spec and apps are those of the session.

    Raises:
        NotRemembered: one is another.
    """
    hint = "what was completed is what the journal holds; `vsac journal replay JOURNAL --spec FILE` compares"
    if loaded.main != recorded.main or (
        loaded.sources[loaded.file].text != recorded.sources[recorded.file].text
    ):
        raise NotRemembered(f"{journal} was recorded under another text than {loaded.file} has now", hint)
    before = {unit.name: digest_of(unit) for unit in recorded.units}
    now = {unit.name: digest_of(unit) for unit in loaded.units}
    for name in apps_of(loaded.checked().modules[loaded.main].imports):
        if before.get(name) != now[name]:
            raise NotRemembered(f"the app {name} has changed since {journal} was recorded", hint)
