"""Replays a recorded session up to a line of its journal, so that questions can be asked there."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vsalang.engine import Opens
from vsalang.guard import Guard
from vsalang.guard.journal.enact import Enactment, RecordedSimilarity, Tape, first_day, instruction_of
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.recorded_session import Session, read_session
from vsalang.guard.journal.settings_json import read_settings
from vsalang.program.ir import Program
from vsalang.program.similarity import DEFAULT
from vsalang.tools.ask.engines import AskError


@dataclass(frozen=True)
class JournalSession:
    """A journal up to a line: committed actions count as committed, even if this program would block them.

    Attributes:
        session: the recorded session.
        line: the last line that is replayed.
    """

    session: Session
    line: int

    def enact(
        self,
        program: Program,
        engine: Opens,
        clock: Callable[[], dt.datetime],
    ) -> tuple[Guard, dt.datetime]:
        """The guard in the state of the recorded one, and the recorded time; from now on its clock is `clock`.

        Raises:
            AskError: a record cannot be replayed.
        """
        session = self.session
        try:
            tape = Tape(session.header)
            today = first_day(session) or tape.now.clock.date()
            # a session without a backend of its own had the default
            similarity = RecordedSimilarity(session) if session.header.get("similarity") else DEFAULT
            guard = Guard(
                program,
                today=today,
                clock=tape,
                engine=engine,
                settings=read_settings(session.header["settings"]),
                similarity=similarity,
                instruction=instruction_of(session),
            )
            enactment = Enactment(session, guard, tape, follow=True)
            for record in session.records[1 : self.line]:
                enactment.enact(record)
        except JournalError as error:
            raise AskError(str(error)) from error
        now = tape.now.clock
        tape.live(clock, guard.snapshot.screen)
        return guard, now


def read_taped(path: Path, line: int | None) -> JournalSession:
    """A journal, up to a line or to its end.

    Raises:
        AskError: it cannot be read, was changed, or has no such line.
    """
    try:
        session = read_session(path)
    except JournalError as error:
        raise AskError(str(error)) from error
    last = len(session.records)
    if line is not None and not 1 <= line <= last:
        raise AskError(f"{path} has {last} lines, not {line}")
    return JournalSession(session, line or last)
